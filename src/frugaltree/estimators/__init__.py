"""The learners, one file each, as scikit-learn sees them."""
