"""FrugalTree within a budget: what it is told, where it goes on, and large tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from frugaltree import (
    Costs,
    FrugalTreeClassifier,
    Group,
    frontier,
    load_model,
    save_model,
)
from frugaltree.exceptions import FrugaltreeError
from support.given import study

Table = tuple[np.ndarray, np.ndarray]
NOMINAL = [3, 4]
COSTS = Costs([4, 3, 9, 2, 6], {"lab": Group([0, 1], cost=2)}, errors=200)
DELAYED = Costs([4, 3, 9, 2, 6], {"lab": Group([0, 1], cost=2)}, delayed=[0, 3], errors=200)


def make_table(n: int, seed: int = 0, gaps: float = 0.0) -> Table:
    """Return three numbers and two nominal tests; a parity, and noise."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.standard_normal((n, 3)), rng.integers(0, 4, (n, 2))])
    y = ((X[:, 0] > 0) ^ (X[:, 3] > 1)) | ((X[:, 1] > 1) & (X[:, 4] == 2))
    X[rng.random(X.shape) < gaps] = np.nan
    return X, (y ^ (rng.random(n) < 0.1)).astype(int)


def learn(table: Table, costs: Costs = COSTS, **how: Any) -> FrugalTreeClassifier:
    given = {"max_steps": 5_000, "sample_rows": 400, "random_state": 0} | how
    return FrugalTreeClassifier(costs, categorical_features=NOMINAL, **given).fit(*table)


def with_gaps(X: np.ndarray) -> np.ndarray:
    """Return cases that lack values in every combination."""
    rows = []
    for bits in range(32):
        some = X[:40].copy()
        some[:, [a for a in range(5) if bits >> a & 1]] = np.nan
        rows.append(some)
    return np.vstack(rows)


@pytest.mark.parametrize("bad", [-1, -0.5, float("nan"), float("inf"), "10", [3]])
def test_what_is_no_budget_is_refused(bad: Any) -> None:
    frugal = FrugalTreeClassifier(COSTS, max_test_cost=bad)
    with pytest.raises(ValueError, match="'max_test_cost' parameter") as told:
        frugal.fit(*make_table(50))
    assert len(str(told.value).splitlines()) == 1
    with pytest.raises(NotFittedError):
        frugal.predict(make_table(5)[0])


@pytest.mark.parametrize("costs", [COSTS, DELAYED])
@pytest.mark.parametrize("gaps", [0.0, 0.1])
@pytest.mark.parametrize("pessimism", ["paper", "auto"])
def test_large_tables(pessimism: str, gaps: float, costs: Costs) -> None:
    """The tree is searched on samples; it costs what its errors do, on all cases."""
    X, y = make_table(3000, gaps=gaps)
    found = []
    for budget in (0, 5, 9, 14, 1000):
        frugal = learn((X, y), costs, pessimism=pessimism, max_test_cost=budget)
        assert frugal.lower_bound_ == 0.0
        for cases in (X, with_gaps(X)):
            assert frugal.bill(cases).max() <= budget * (1 + 1e-9)
        assert frugal.objective_ >= frugal.expected_error_cost_ * (1 - 1e-9)
        if pessimism == "paper":
            assert frugal.objective_ == pytest.approx(frugal.expected_error_cost_)
        found.append(frugal.expected_error_cost_)
    assert found[0] > 1.2 * found[2]
    assert found[2] > found[4]


def test_what_is_proven_within_a_budget_of_everything_costs_no_more_errors() -> None:
    X, y, costs = study("heart")
    how: dict[str, Any] = {"pessimism": "paper", "max_depth": 2, "time_limit": None}
    plain = FrugalTreeClassifier(costs, **how).fit(X, y)
    most = plain.bill(X).max()
    bounded = FrugalTreeClassifier(costs, max_test_cost=most, **how).fit(X, y)
    assert bounded.termination_ == plain.termination_ == "optimal"
    assert bounded.bill(X).max() <= most * (1 + 1e-9)
    assert bounded.expected_error_cost_ <= plain.expected_error_cost_ * (1 + 1e-9)
    assert bounded.objective_ == pytest.approx(bounded.expected_error_cost_)
    assert bounded.history_[-1].cost == pytest.approx(bounded.expected_error_cost_)


def test_settings_are_judged_by_errors_and_the_forecast_counts_tests_too() -> None:
    """What tests cost is in the forecast, not in what settings are judged by."""
    table, share = make_table(300), 2.0**-10
    prices = [share * price for price in (4, 3, 9, 2, 6)]
    cheap = Costs(prices, {"lab": Group([0, 1], cost=2 * share)}, errors=200)
    dear = learn(table, sample_rows=None, max_test_cost=9)
    same = learn(table, cheap, sample_rows=None, max_test_cost=9 * share)
    assert dear.tuning_ is not None
    assert same.tuning_ is not None
    judged = [min(one.cost for one in learner.tuning_) for learner in (dear, same)]
    assert dear.cv_cost_ - judged[0] > 0.5 * dear.expected_test_cost_ > 1.0
    assert same.cv_cost_ - judged[1] < 0.5


def test_a_checkpoint_is_that_of_a_budget(tmp_path: Path) -> None:
    table, path = make_table(200), tmp_path / "search"
    how: dict[str, Any] = {"pessimism": "paper", "sample_rows": None, "checkpoint": path}
    first = learn(table, max_test_cost=9, **how)
    again = learn(table, max_test_cost=9, **how)
    assert again.objective_ <= first.objective_
    for other in (8, None):
        with pytest.raises(FrugaltreeError, match="other parameters"):
            learn(table, max_test_cost=other, **how)


def test_a_further_fit_with_another_budget_begins_anew() -> None:
    table = make_table(200)
    frugal = learn(table, pessimism="paper", sample_rows=None, warm_start=True, max_test_cost=14)
    rich = frugal.objective_
    frugal.set_params(max_test_cost=3).fit(*table)
    assert frugal.bill(table[0]).max() <= 3
    assert frugal.objective_ > rich
    frugal.fit(*table)
    assert frugal.bill(table[0]).max() <= 3


def test_there_is_no_frontier_within_a_budget() -> None:
    with pytest.raises(FrugaltreeError, match="leave max_test_cost out"):
        frontier(FrugalTreeClassifier(COSTS, max_test_cost=9), *make_table(50))


def test_a_model_file_keeps_it(tmp_path: Path) -> None:
    table, path = make_table(200), tmp_path / "model.json"
    frugal = learn(table, pessimism="paper", sample_rows=None, max_test_cost=9)
    save_model(frugal, path)
    loaded = load_model(path)
    assert loaded.max_test_cost == 9
    assert loaded.objective_ == frugal.objective_
    np.testing.assert_array_equal(loaded.bill(table[0]), frugal.bill(table[0]))
