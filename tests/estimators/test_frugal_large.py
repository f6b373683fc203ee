"""FrugalTree where there are too many cases to search with all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frugaltree import (
    Costs,
    DTMCClassifier,
    EG2Classifier,
    FrugalTreeClassifier,
    Group,
    load_model,
    save_model,
)
from frugaltree.datasets import load

Table = tuple[np.ndarray, np.ndarray]
NOMINAL = [3, 4]
COSTS = Costs([4, 3, 9, 2, 6], {"lab": Group([0, 1], cost=2)}, errors=200)


def make_table(n: int, seed: int = 0, gaps: float = 0.0) -> Table:
    """Return three numbers and two nominal tests; a parity, and noise."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.standard_normal((n, 3)), rng.integers(0, 4, (n, 2))])
    y = ((X[:, 0] > 0) ^ (X[:, 3] > 1)) | ((X[:, 1] > 1) & (X[:, 4] == 2))
    X[rng.random(X.shape) < gaps] = np.nan
    return X, (y ^ (rng.random(n) < 0.1)).astype(int)


def learn(table: Table, **how: Any) -> FrugalTreeClassifier:
    given = {"max_steps": 30_000, "sample_rows": 400, "random_state": 0} | how
    frugal = FrugalTreeClassifier(COSTS, categorical_features=NOMINAL, **given)
    return frugal.fit(*table)


@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_costs_are_those_of_all_cases(gaps: float) -> None:
    X, y = make_table(3000, gaps=gaps)
    frugal = learn((X, y), pessimism="paper")
    assert frugal.tree_.nodes.counts[0].sum() == 3000
    assert frugal.objective_ == pytest.approx(frugal.expected_cost_)
    bills = frugal.bill(X).mean()
    assert bills == pytest.approx(frugal.expected_test_cost_)
    ends = np.bincount(frugal.apply(X), minlength=frugal.tree_.nodes.test.size)
    leaves = frugal.tree_.nodes.test == -1
    np.testing.assert_array_equal(ends[leaves], frugal.tree_.nodes.counts.sum(axis=1)[leaves])


def test_no_bound_is_claimed() -> None:
    frugal = learn(make_table(3000))
    assert (frugal.lower_bound_, frugal.gap_) == (0.0, 1.0)
    assert frugal.termination_ != "optimal"


def test_a_search_without_a_bound_is_kept_in_a_file(tmp_path: Path) -> None:
    frugal = learn(make_table(1000), max_steps=2000)
    assert frugal.history_[-1].bound is None
    save_model(frugal, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert [one.bound for one in loaded.history_] == [one.bound for one in frugal.history_]
    assert loaded.lower_bound_ == 0.0


@pytest.mark.parametrize(("depth", "proven"), [(2, True), (None, False)])
def test_few_tests_on_a_path_are_searched_with_all_cases(depth: int | None, proven: bool) -> None:
    X, y = make_table(10_500)
    how = {"pessimism": "none", "max_depth": depth, "max_steps": 2000, "random_state": 0}
    frugal = FrugalTreeClassifier(Costs([0.0] * 3, errors=1), **how).fit(X[:, :3], y)
    assert (frugal.termination_ == "optimal") == proven


def test_it_is_never_behind_the_greedy_trees() -> None:
    X, y = make_table(3000)
    frugal = learn((X, y), pessimism="paper")
    costs = [one.cost for one in frugal.history_]
    assert costs == sorted(costs, reverse=True)
    for greedy in (EG2Classifier, DTMCClassifier):
        other = greedy(COSTS, cf=frugal.cf_, categorical_features=NOMINAL).fit(X, y)
        assert frugal.objective_ <= other.expected_cost_ * (1 + 1e-9)


def test_new_cases_cost_less_than_with_greedy_trees() -> None:
    unseen = make_table(20_000, seed=1)
    frugal = learn(make_table(4000))
    greedy = EG2Classifier(COSTS, categorical_features=NOMINAL).fit(*make_table(4000))
    assert frugal.total_cost(*unseen) <= greedy.total_cost(*unseen)


def test_the_tree_does_not_depend_on_threads() -> None:
    one, two = (learn(make_table(3000), n_jobs=n) for n in (1, 2))
    assert one.to_text() == two.to_text()
    assert one.objective_ == two.objective_


def test_more_steps_never_cost_more() -> None:
    costs = [
        learn(make_table(3000), pessimism="paper", max_steps=n).objective_ for n in (1, 10**5)
    ]
    assert costs[1] <= costs[0]


def test_weights_stand_for_cases() -> None:
    X, y = make_table(1500)
    weights = np.random.default_rng(3).integers(1, 4, y.size)
    frugal = FrugalTreeClassifier(
        COSTS, categorical_features=NOMINAL, max_steps=5000, sample_rows=400, random_state=0
    ).fit(X, y, sample_weight=weights / 2)
    assert frugal.tree_.nodes.counts[0].sum() == pytest.approx(weights.sum() / 2)


def test_equal_cases_count_once() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (5000, 3))
    frugal = FrugalTreeClassifier(Costs([1, 2, 3], errors=50), sample_rows=100, random_state=0)
    assert frugal.fit(X, X[:, 0] ^ X[:, 1]).termination_ == "optimal"


def test_delayed_tests_are_searched_for_on_a_sample_only() -> None:
    X, y = make_table(1500, gaps=0.1)
    costs = Costs([4, 3, 9, 2, 6], delayed=[2, 3], errors=200)
    frugal = FrugalTreeClassifier(
        costs, categorical_features=NOMINAL, max_steps=3000, sample_rows=300, random_state=0
    ).fit(X, y)
    assert frugal.bill(X).mean() == pytest.approx(frugal.expected_test_cost_)


def test_limits_of_trees_are_kept() -> None:
    frugal = learn(make_table(3000), max_depth=2, min_samples_leaf=30)
    assert frugal.tree_.depth <= 2
    assert frugal.tree_.nodes.counts.sum(axis=1).min() >= 30


def test_a_checkpoint_goes_on_from_its_tree(tmp_path: Path) -> None:
    file, table = tmp_path / "large.checkpoint", make_table(3000)
    first = learn(table, checkpoint=file, max_steps=2000)
    again = learn(table, checkpoint=file, max_steps=2000)
    assert again.objective_ <= first.objective_ * (1 + 1e-9)
    assert again.history_[0].cost == pytest.approx(first.objective_)


def test_a_further_fit_goes_on() -> None:
    table = make_table(3000)
    frugal = learn(table, warm_start=True, max_steps=2000)
    before = frugal.objective_
    assert frugal.fit(*table).objective_ <= before * (1 + 1e-9)


def test_the_time_limit_holds() -> None:
    frugal = learn(make_table(20_000), max_steps=None, time_limit=1.0, sample_rows=5000)
    assert frugal.termination_ in {"time_limit", "completed"}
    assert frugal.history_[-1].seconds < 1.5


def test_nominal_tables_are_proven_as_a_whole() -> None:
    X, y = load("nursery", return_X_y=True)  # 12,960 different cases
    costs = Costs(dict.fromkeys(X.columns, 10), errors=1000)
    learner = FrugalTreeClassifier(costs, pessimism="paper", time_limit=60, random_state=0)
    assert learner.fit(X, y).termination_ == "optimal"
