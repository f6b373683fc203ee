"""What makes the tree of a large table better: groups of values, finer bins, trials on parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from frugaltree import Costs, EG2Classifier, FrugalTreeClassifier
from frugaltree.anytime.stop import Stop
from frugaltree.engines.exact.finer import finer_problem
from frugaltree.engines.exact.first_trees import grow_first_trees
from frugaltree.engines.exact.grouping import group_branches
from frugaltree.engines.exact.objective import Pessimism, make_objective
from frugaltree.engines.exact.one_vs_rest import ValueTests
from frugaltree.engines.exact.part_trials import PartTrials, forecast_of
from frugaltree.engines.exact.parts import Part, PartSearch
from frugaltree.engines.exact.regions import RegionSearch
from frugaltree.engines.exact.schedule import Schedule
from frugaltree.engines.exact.thresholds import move_thresholds
from frugaltree.engines.exact.valuation import Valuation
from frugaltree.engines.greedy import cut_by_threshold

COSTS = Costs([4, 5, 3, 2], errors=100)


def make_table(n: int, seed: int = 0) -> tuple[pl.DataFrame, np.ndarray]:
    """Return a table whose class is told by x > 0.1 where colour is 0, 1 or 2, else by y > 0."""
    rng = np.random.default_rng(seed)
    columns = {name: rng.standard_normal(n) for name in "xyz"}
    colour = rng.integers(0, 5, n)
    z = np.where(colour <= 2, columns["x"] > 0.1, columns["y"] > 0)
    return pl.DataFrame({**columns, "colour": colour}), (z ^ (rng.random(n) < 0.1)).astype(int)


def problem_of(table: tuple[pl.DataFrame, np.ndarray], **how: Any) -> Any:
    return FrugalTreeClassifier(COSTS, categorical_features=["colour"], **how)._read(*table, None)


def valuation_of(problem: Any, pessimism: Pessimism | None = None) -> Valuation:
    setting = pessimism or Pessimism("split 2", 0.25, split=2.0)
    return Valuation(problem, ValueTests.all_of(problem), make_objective(problem, setting))


def greedy_tree(valuation: Valuation) -> Any:
    _, nodes = next(grow_first_trees(valuation.problem, Stop(), min_cases=1.0, min_leaf=0.0))
    return valuation.value(nodes)


def test_values_that_go_on_alike_share_a_branch() -> None:
    valuation = valuation_of(problem_of(make_table(8000)))
    nodes, before = greedy_tree(valuation)
    grouped, cost = group_branches(valuation, nodes, 100)
    assert cost < before * 1.005
    assert grouped.test.size < nodes.test.size
    tests = valuation.tests
    about = grouped.test[grouped.test != -1]
    assert (tests.value[about] != -1).any()
    assert valuation.value(grouped)[1] == pytest.approx(cost)
    again, same = group_branches(valuation, grouped, 100)
    assert (again.test.size, same) == (grouped.test.size, pytest.approx(cost))


def test_costs_of_cases_add_up() -> None:
    valuation = valuation_of(problem_of(make_table(3000)), Pessimism("none", None))
    nodes, cost = greedy_tree(valuation)
    costs, bills = valuation.case_costs(nodes, valuation.everything)
    assert costs.sum() == pytest.approx(cost)
    assert (bills <= costs).all()


@pytest.mark.parametrize("lazy", [False, True])
def test_bins_become_finer_where_a_tree_cuts(lazy: bool) -> None:
    X, y = make_table(60_000)
    problem = problem_of((X.lazy() if lazy else X, y))
    valuation = valuation_of(problem)
    nodes, before = greedy_tree(valuation)
    finer = finer_problem(problem, [nodes])
    assert finer is not None
    assert (finer.cases.domain <= problem.cases.domain).all()
    for a, name in enumerate("xyz"):
        own = slice(finer.cases.start[a], finer.cases.start[a] + finer.cases.domain[a])
        floors, values = finer.cases.floors[own], finer.cases.values[own]
        codes, column = finer.cases.codes[a], X[name].to_numpy()
        assert (floors[codes] <= column).all()
        assert (column <= values[codes]).all()
        assert (values[:-1] < floors[1:]).all()
    np.testing.assert_array_equal(finer.cases.codes[3], problem.cases.codes[3])
    other = Valuation(finer, valuation.tests, valuation.objective)
    same = cut_by_threshold(other.bare, nodes)
    _, cost = move_thresholds(other, same, range(5000, 60_001))
    assert cost < before


def test_of_thresholds_that_cost_the_same_the_middle_one_is_taken() -> None:
    """Cases of colour 0 leave a wide gap, in which other cases have values."""
    far = np.concatenate([np.arange(40.0), np.arange(160.0, 200.0)])
    x = np.concatenate([np.tile(far, 5), np.tile(np.arange(200.0), 2)])
    colour = np.repeat([0, 1], 400)
    X = pl.DataFrame({"x": x, "y": 0.0 * x, "z": 0.0 * x, "colour": colour})
    classes = np.where(colour == 1, 2, x > 100)
    valuation = valuation_of(problem_of((X, classes)))
    nodes, _ = greedy_tree(valuation)
    (asks,) = np.flatnonzero((nodes.test == 0) & (nodes.counts.sum(axis=1) == 400))
    threshold = nodes.threshold.copy()
    threshold[asks] = 20.0
    wrong = cut_by_threshold(valuation.bare, nodes._replace(threshold=threshold))
    moved, _ = move_thresholds(valuation, wrong, range(1, 401))
    assert moved.threshold[asks] == pytest.approx(99.5, abs=1.0)


def test_bins_asked_for_stay_as_they_are() -> None:
    problem = problem_of(make_table(60_000), max_bins=100)
    nodes, _ = greedy_tree(valuation_of(problem))
    assert finer_problem(problem, [nodes]) is None


def test_thresholds_are_finer_than_bins() -> None:
    X, y = make_table(60_000)
    frugal = FrugalTreeClassifier(
        COSTS, categorical_features=["colour"], max_steps=2000, random_state=0
    ).fit(X, y)
    assert frugal.bill(X).mean() == pytest.approx(frugal.expected_test_cost_)
    ends = np.bincount(frugal.apply(X), minlength=frugal.tree_.nodes.test.size)
    leaves = frugal.tree_.nodes.test == -1
    np.testing.assert_array_equal(ends[leaves], frugal.tree_.nodes.counts.sum(axis=1)[leaves])
    unseen = make_table(50_000, seed=1)
    greedy = EG2Classifier(COSTS, categorical_features=["colour"]).fit(X, y)
    assert frugal.total_cost(*unseen) < greedy.total_cost(*unseen)
    assert frugal.forecast_ is not None
    assert frugal.forecast_.low <= frugal.total_cost(*unseen) <= frugal.forecast_.high


def test_trials_prefer_what_does_not_follow_chance() -> None:
    rng = np.random.default_rng(0)
    X = pl.DataFrame({name: rng.standard_normal(4000) for name in "xyz"} | {"colour": 1})
    problem = problem_of((X, (rng.random(4000) < 0.3).astype(int)))
    tests = ValueTests.of(problem)
    eager, wary = Pessimism("none", None), Pessimism("split 20", 0.25, split=20.0)
    searches = [
        RegionSearch(problem, tests, make_objective(problem, one), size=2000, seed=0, stop=Stop())
        for one in (eager, wary)
    ]
    valuation = searches[0].valuation
    nodes, cost = valuation.leaf(valuation.everything)
    trials = PartTrials(searches, jobs=1)
    said = list(trials.try_parts(nodes, [Part(0, valuation.everything, cost)]))
    assert (said, trials.cases) == (["1 of 1"], 1000.0)
    first, second = trials.trials(["none", "split 20"])
    assert second.saving > second.saving_error > 0.0
    assert first.cost > second.cost


def test_a_forecast_is_of_cases_held_out() -> None:
    valuation = valuation_of(problem_of(make_table(8000)))
    schedule = Schedule(None, None, monitored=False, jobs=1)
    how = valuation.problem, valuation.tests, valuation.objective
    regions = RegionSearch(*how, size=1000, seed=0, stop=Stop())
    told = forecast_of(PartSearch(regions, schedule), greedy_tree(valuation)[0])
    assert told is not None
    assert told.cases == 2000.0
    assert told.low < told.cost < told.high < told.guess
