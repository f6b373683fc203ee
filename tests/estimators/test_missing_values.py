"""A case without values: answered at the least cost, and not charged for what is missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from frugaltree import (
    ACTClassifier,
    Consultation,
    Costs,
    DTMCClassifier,
    FrugalTreeClassifier,
    ID3Classifier,
    LSID3Classifier,
)
from frugaltree.metrics import error_cost

MISS, FALSE_ALARM = 40_000, 2_000


@pytest.fixture(scope="module")
def breast():
    """Return the breast table: a test costs 5, a missed cancer twenty times a false alarm."""
    bunch = load_breast_cancer(as_frame=True)
    y = bunch.target.map({0: "malignant", 1: "benign"})
    errors = {("benign", "malignant"): MISS, ("malignant", "benign"): FALSE_ALARM}
    return bunch.data, y, Costs(dict.fromkeys(bunch.data, 5.0), errors=errors)


LEARNERS = {
    "ID3": ID3Classifier,
    "DTMC": DTMCClassifier,
    "LSID3": lambda costs: LSID3Classifier(costs, n_samples=1, random_state=0),
    "ACT": lambda costs: ACTClassifier(costs, n_samples=1, random_state=0),
    "Frugal": lambda costs: FrugalTreeClassifier(costs, max_steps=500, random_state=0),
}


@pytest.mark.parametrize("name", ["DTMC", "ACT", "Frugal"])
def test_nothing_known_is_answered_at_the_least_cost_and_free(breast, name):
    """To answer malignant costs 2,000 times the share of benign cases, 1,255."""
    X, y, costs = breast
    learner = LEARNERS[name](costs).fit(X, y)
    assert learner.tree_.n_leaves > 1
    nothing = pd.DataFrame([dict.fromkeys(X.columns, np.nan)])
    assert learner.predict(nothing).tolist() == ["malignant"]
    assert learner.bill(nothing).tolist() == [0.0]
    answers = ["malignant"] * len(y)
    assert error_cost(y, answers, costs) == pytest.approx(FALSE_ALARM * (y == "benign").mean())
    assert round(error_cost(y, answers, costs)) == 1255
    consultation = Consultation(learner)
    for _ in consultation:
        consultation.cannot_measure()
    assert (consultation.decision, consultation.bill) == ("malignant", 0.0)


@pytest.mark.parametrize("name", ["DTMC", "ACT", "Frugal"])
def test_one_missing_test_costs_no_more_than_to_answer_at_once(breast, name):
    """Whichever it is: no value of it for anybody, by the cases that the tree was learned from."""
    X, y, costs = breast
    learner = LEARNERS[name](costs).fit(X, y)
    at_once = FALSE_ALARM * (y == "benign").mean()
    root = learner.tree_.columns[learner.tree_.nodes.test[0]].name
    without = X.assign(**{root: np.nan})
    assert learner.total_cost(without, y) <= at_once * (1 + 1e-9)


@pytest.mark.parametrize("charged", [False, True])
def test_a_test_without_a_result_is_charged_only_on_demand(charged):
    costs = Costs([5], errors=10, charge_missing=charged)
    learner = ID3Classifier(costs).fit([[0], [0], [1]], ["a", "a", "b"])
    assert learner.bill([[0], [np.nan]]).tolist() == [5.0, 5.0 if charged else 0.0]


@pytest.mark.parametrize("name", LEARNERS)
def test_to_have_no_value_may_tell_the_class(name):
    """Where training cases lack a value they have a branch, and it costs nothing to be in it."""
    X = pd.DataFrame({"a": [0.0, 0, 0, 1, 1, 1, np.nan, np.nan, np.nan] * 4})
    y = ["x", "x", "x", "y", "y", "y", "z", "z", "z"] * 4
    learner = LEARNERS[name](Costs({"a": 3}, errors=100)).fit(X, y)
    assert learner.predict(X).tolist() == y
    assert learner.bill(X).tolist() == [3.0] * 6 + [0.0] * 3 + ([3.0] * 6 + [0.0] * 3) * 3
    assert learner.expected_test_cost_ == pytest.approx(2.0)
    assert "a missing:" in learner.to_text()
