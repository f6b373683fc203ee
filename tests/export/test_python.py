"""The module is executed on its own, and answers and charges as the learner does."""

from __future__ import annotations

import math
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from frugaltree import Costs, EG2Classifier, ID3Classifier, load_model, save_model
from frugaltree.exceptions import FrugaltreeError
from frugaltree.export import to_python
from frugaltree.export.python import _code_of
from support import odd_trees as trees


def classify_of(estimator):
    module = {}
    exec(to_python(estimator), module)
    return module["classify"]


@pytest.mark.parametrize("name", [*trees.SMALL, *trees.LARGE])
def test_it_answers_and_charges_as_the_learner(name):
    case = trees.get(name)
    classify = classify_of(case.estimator)
    assert [classify(row) for row in case.rows] == case.outcomes
    label, bill = classify(case.rows[0])
    assert type(label) is type(case.answers[0])
    assert type(bill) is float


def test_cases_are_of_every_sort():
    """What the other tests compare must hold gaps, values never seen, and different bills."""
    for name in ("heart-ACT", "hepatitis-ACT", "mixed-ID3"):
        case = trees.get(name)
        assert any(None in row.values() for row in case.rows)
        assert len(set(case.bills)) > 2
        assert len(set(case.answers)) > 1
    assert trees.get("chain").estimator.tree_.depth > 1000
    stops = trees.get("heart-EG2")
    tree = stops.estimator.tree_
    ends = tree.find(stops.estimator._encoded(pd.DataFrame(stops.rows).astype(object)))
    assert any(not tree.is_leaf(int(node)) for node in ends)


def test_gaps_of_every_kind_are_one():
    case = trees.get("mixed-ID3")
    classify = classify_of(case.estimator)
    for row in case.rows:
        known = {name: value for name, value in row.items() if value is not None}
        for gap in (math.nan, np.float64("nan"), Decimal("nan"), pd.NA, pd.NaT):
            assert classify({name: known.get(name, gap) for name in row}) == classify(row)
        assert classify(known) == classify(row)
        assert classify(pd.Series(known, dtype=object)) == classify(row)


def test_values_that_read_alike_are_one():
    X = pd.DataFrame({"grade": [1, 2, 3], "yes": [True, False, True]})
    tree = ID3Classifier(categorical_features=["grade"]).fit(X[["grade"]], ["a", "b", "c"])
    classify = classify_of(tree)
    for two in (2, 2.0, "2", np.int8(2), np.float32(2), np.str_("2"), Decimal("2.00")):
        assert classify({"grade": two})[0] == "b"
        assert tree.predict(pd.DataFrame({"grade": pd.Series([two], dtype=object)}))[0] == "b"
    truth = ID3Classifier().fit(X[["yes"]], [1, 0, 1])
    values = [True, False, np.True_, 1, 0.0, "True", "False", "1", 7]
    for value in values:
        table = pd.DataFrame({"yes": pd.Series([value], dtype=object)})
        assert classify_of(truth)({"yes": value})[0] == truth.predict(table)[0]
    texts = ID3Classifier().fit(pd.DataFrame({"t": ["1", "2.5", "x"]}), [0, 1, 2])
    for value, label in [(1, 0), (1.0, 0), (2.5, 1), (True, 0), ("x", 2)]:
        table = pd.DataFrame({"t": pd.Series([value], dtype=object)})
        assert classify_of(texts)({"t": value})[0] == label == texts.predict(table)[0]


@pytest.mark.parametrize("value", ["54", b"54", math.inf, -math.inf])
def test_what_is_no_number_is_refused(value):
    classify = classify_of(ID3Classifier().fit([[1], [2]], [0, 1]))
    with pytest.raises(ValueError, match="'x0' needs a finite number"):
        classify({"x0": value})


def test_thresholds_keep_every_digit():
    x = 0.1 + 0.2
    above = np.nextafter(x, 1)
    classify = classify_of(ID3Classifier().fit([[x], [above]], ["low", "high"]))
    assert classify({"x0": x})[0] == "low"
    assert classify({"x0": above})[0] == "high"


@pytest.mark.parametrize("labels", [[True, False], [3, 5], [1.0, 2.0], ["a", "b"]])
def test_labels_are_of_the_type_they_had(labels):
    classify = classify_of(ID3Classifier().fit([[1], [2]], labels))
    assert repr(classify({"x0": 2})) == repr((labels[1], 0.0))


def test_labels_that_code_cannot_hold_are_refused():
    with pytest.raises(FrugaltreeError, match="SimpleNamespace, which cannot be"):
        _code_of(SimpleNamespace())


def test_only_the_c45_family_says_that_it_needs_complete_cases():
    assert "# Exact for cases without missing values" in to_python(
        trees.get("heart-EG2").estimator
    )
    assert "Exact" not in to_python(trees.get("heart-ACT").estimator)


def test_a_model_from_a_file_gives_the_same_module(tmp_path):
    costs = Costs([9, 4])
    model = EG2Classifier(costs).fit([[0, 0], [0, 0], [1, 1], [1, 1]], [0, 0, 1, 1])
    save_model(model, tmp_path / "model.json")
    assert to_python(load_model(tmp_path / "model.json")) == to_python(model)
