"""Forms by their name, for a command line."""

from __future__ import annotations

import pytest
from sklearn.tree import DecisionTreeClassifier

from frugaltree import ID3Classifier
from frugaltree.exceptions import FrugaltreeError
from frugaltree.export import FORMATS, export, to_dot, to_sql
from support import odd_trees as trees


def test_every_form_has_a_suffix_of_its_own():
    assert {form.suffix for form in FORMATS.values()} == {
        ".dot", ".mmd", ".onnx", ".py", ".sql", ".txt",
    }  # fmt: skip
    assert FORMATS["dot"].function is to_dot


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("case", ["heart-EG2", "leaf"])
def test_a_form_by_its_name(name, case):
    estimator = trees.get(case).estimator
    text = export(estimator, name)
    assert text == FORMATS[name].function(estimator)
    assert isinstance(text, bytes) or text.endswith("\n")
    assert text == export(estimator, name)


@pytest.mark.parametrize("name", ["json", None, ["sql"]])
def test_forms_that_there_are_not(name):
    with pytest.raises(FrugaltreeError, match=r"is no form of export; give one of dot, mermaid"):
        export(trees.get("leaf").estimator, name)


@pytest.mark.parametrize("name", FORMATS)
def test_only_fitted_learners_can_be_exported(name):
    with pytest.raises(FrugaltreeError, match="this ID3Classifier has learned no tree yet; call"):
        export(ID3Classifier(), name)
    with pytest.raises(FrugaltreeError, match="only a fitted learner of frugaltree can be exp"):
        export(DecisionTreeClassifier().fit([[1], [2]], [0, 1]), name)


def test_a_learner_without_costs_charges_nothing():
    estimator = ID3Classifier().fit([[1], [2]], [0, 1])
    assert "bill" not in export(estimator, "rules")
    assert "0.0e0 AS bill" in to_sql(estimator)
