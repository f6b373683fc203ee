"""Whatever learns a tree keeps the rules of the house, on few cases and on samples of many."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from frugaltree import (
    ACTClassifier,
    Batches,
    C45Classifier,
    Consultation,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    FrugalTreeClassifier,
    ICETClassifier,
    ID3Classifier,
    LSID3Classifier,
)
from frugaltree.compare.peers import CARTPeer
from frugaltree.exceptions import FrugaltreeError
from frugaltree.persist import load_model, save_model
from reference.basics import Problem
from support.exact import fewer, tree_of
from support.given import as_given
from support.house_rules import KINDS, broken_rules, ruled
from support.problems import problems

pytestmark = pytest.mark.filterwarnings("ignore:group:UserWarning")

LEARNERS = [
    ACTClassifier(n_samples=2, random_state=0),
    ACTClassifier(max_test_cost=20, n_samples=1, random_state=0),
    LSID3Classifier(n_samples=2, random_state=0),
    DTMCClassifier(),
    ID3Classifier(),
]


@fewer
@given(ruled(problems(missing=True, whole_weights=True), KINDS))
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_trees_keep_the_rules(learner: Any, problem: Problem) -> None:
    (X, y, costs), weights = as_given(problem)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = learner.set_params(costs=costs).fit(X, y, weights)
    assert not list(broken_rules(tree_of(got, problem), problem))


RULES = Costs(
    {"a": 1, "b": 2, "c": 5, "d": 4, "e": 3},
    errors=800,
    first=["b", "e"],
    requires={"c": ["a"], "a": ["d"]},
)


def many_cases(n: int = 400) -> tuple[pd.DataFrame, Any]:
    """Return cases of numbers and names whose class hangs on three of the tests."""
    random = np.random.default_rng(5)
    X = pd.DataFrame(
        {
            "a": random.normal(size=n).round(2),
            "b": pd.Categorical.from_codes(random.integers(3, size=n), list("xyz")),
            "c": random.normal(size=n).round(2),
            "d": pd.Categorical.from_codes(random.integers(2, size=n), list("pq")),
            "e": random.normal(size=n).round(1),
        }
    )
    y = (X.a + X.c > 0.3) & (X.b != "z") | (X.d == "p") & (X.e > 1)
    return X, y.to_numpy().astype(int)


def paths(tree: Any) -> list[list[str]]:
    """Return the tests asked on each path of a tree, from the root on."""
    nodes, names, found = tree.nodes, [column.name for column in tree.columns], []
    for node in range(nodes.test.size):
        asked, here = [], node
        while (parent := int(nodes.parent[here])) >= 0:
            asked.insert(0, names[int(nodes.test[parent])])
            here = parent
        found.append(asked)
    return found


@pytest.mark.parametrize(
    "learner",
    [
        EG2Classifier(prune=False, collapse=False),
        C45Classifier(prune=False, collapse=False),
        ACTClassifier(n_samples=1, sample_rows=100, random_state=0),
        FrugalTreeClassifier(max_steps=200, sample_rows=100, random_state=0),
        FrugalTreeClassifier(max_steps=100, pessimism="paper", splits="rest", random_state=0),
    ],
    ids=str,
)
def test_trees_of_many_cases_keep_the_rules(learner: Any) -> None:
    X, y = many_cases()
    got = learner.set_params(costs=RULES).fit(X, y)
    asked = paths(got.tree_)
    assert max(map(len, asked)) > 2
    for path in asked:
        order = [name for i, name in enumerate(path) if name not in path[:i]]
        assert order[:2] == ["b", "e"][: len(order)]
        assert path[:2] == order[:2]
        for test, needed in RULES.requires.items():
            assert test not in order or order.index(needed[0]) < order.index(test)


def test_model_files_and_consultations_have_the_rules(tmp_path: Any) -> None:
    X, y = many_cases(150)
    got = DTMCClassifier(RULES).fit(X, y)
    save_model(got, tmp_path / "model.json")
    copy = load_model(tmp_path / "model.json")
    assert copy.costs == RULES
    np.testing.assert_array_equal(copy.bill(X), got.bill(X))
    case = Consultation(copy)
    assert case.question is None or case.question.test == "b"


def test_a_panel_is_paid_for_once() -> None:
    costs = Costs({"a": 1, "b": 2, "c": 5, "d": 4, "e": 3}, together=[["a", "c"]])
    X, y = many_cases(150)
    got = ID3Classifier(costs).fit(X, y)
    names = {name for path in paths(got.tree_) for name in path}
    assert {"a", "c"} <= names
    assert "price 6" in got.to_text()
    assert "free" in got.to_text()
    assert got.bill(X).max() <= costs.total()


@pytest.mark.parametrize(
    ("learner", "costs", "message"),
    [
        (ICETClassifier(), RULES, "ICETClassifier keeps no rules on what is asked first, but"),
        (
            FrugalTreeClassifier(max_tests=1),
            RULES,
            "first asks 2 tests, but max_tests is 1; raise max_tests, or drop tests of first.",
        ),
        (
            FrugalTreeClassifier(max_tests=2, max_test_cost=5.0),
            None,
            "max_tests is 2 and max_test_cost is 5, but one limit is kept at a time; leave one",
        ),
        (
            FrugalTreeClassifier(max_tests=2),
            Costs({"a": 1, "b": 2, "c": 5, "d": 4, "e": 3}, delayed=["a"]),
            "max_tests is 2, but some tests are delayed, so that a case is charged for all below",
        ),
        (
            FrugalTreeClassifier(max_leaves=2, sample_rows=100),
            None,
            "max_leaves is 2, but a table of so many cases is searched on samples, which counts",
        ),
        (
            FrugalTreeClassifier(max_leaves=2, warm_start=True),
            None,
            "max_leaves is 2, but such a search is not done with warm_start; leave one of them",
        ),
    ],
    ids=str,
)
def test_complaints(learner: Any, costs: Costs | None, message: str) -> None:
    X, y = many_cases(150)
    with pytest.raises(FrugaltreeError) as caught:
        learner.set_params(costs=costs).fit(X, y)
    assert str(caught.value).startswith(message)


def test_what_keeps_no_rules_refuses_them() -> None:
    X, y = many_cases(150)
    model = DTMCClassifier(RULES).fit(X, y)
    with pytest.raises(FrugaltreeError, match="the model's costs have first, by which tests"):
        Batches(model, round_trip=3)
    with pytest.raises(FrugaltreeError, match="CARTPeer keeps no rules on what is asked first"):
        CARTPeer(RULES).fit(X, y)
