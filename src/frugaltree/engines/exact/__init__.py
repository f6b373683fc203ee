"""The search of FrugalTreeClassifier."""
