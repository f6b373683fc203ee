"""What a frontier says, keeps and refuses."""

from __future__ import annotations

import signal
import threading
import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from frugaltree import (
    ACTClassifier,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    FrugalTreeClassifier,
    frontier,
)
from frugaltree.datasets import load, load_costs
from frugaltree.exceptions import FrugaltreeError, InvalidCosts, InvalidTable
from frugaltree.tradeoff import HeldOut, Interval
from frugaltree.tradeoff.hull import Line, lower_hull


@pytest.fixture(scope="module")
def heart():
    X, y = load("heart", return_X_y=True)
    return X, y, load_costs("heart", errors=500, delayed=False)


@pytest.fixture(scope="module")
def stepwise(heart):
    X, y, costs = heart
    learner = FrugalTreeClassifier(
        costs, max_steps=300, max_depth=2, pessimism="paper", random_state=0
    )
    return learner, X, y


@pytest.fixture(scope="module")
def found(stepwise):
    return frontier(*stepwise, folds=3)


def found_cf(found):
    """Return the confidence that all points share."""
    (cf,) = {point.estimator.cf_ for point in found.points}
    return cf


def check_monotone(found):
    """Check that points follow each other without gaps, and that more tests mean fewer errors."""
    points = found.points
    assert points[0].price_from == 0.0
    for before, after in pairwise(points):
        assert before.price_to == after.price_from
        assert before.test_cost < after.test_cost
        assert before.errors > after.errors
        price = after.price_from
        costs = [one.test_cost + price * one.errors for one in (before, after)]
        assert costs[0] == pytest.approx(costs[1], rel=1e-9)
        fewer = (before.errors - after.errors) / (after.test_cost - before.test_cost)
        assert after.saves == pytest.approx(fewer, rel=1e-9)
    for point in points:
        for price in (point.price_from, point.price, point.price_to):
            least = min(one.test_cost + price * one.errors for one in points)
            assert point.test_cost + price * point.errors == pytest.approx(least, rel=1e-9)


def test_points_are_in_order_and_each_is_the_best_of_them(found):
    assert len(found.points) > 2
    check_monotone(found)


def test_the_tree_of_a_point_costs_what_the_point_says(found, heart):
    X, _, costs = heart
    for point in found.points:
        own = point.estimator
        assert own.costs.error_cost("healthy", "sick") == pytest.approx(point.price)
        assert own.expected_test_cost_ == pytest.approx(point.test_cost)
        assert own.objective_ == pytest.approx(point.cost)
        assert own.expected_cost_ <= own.objective_ * (1 + 1e-9)
        assert own.lower_bound_ <= own.objective_
        assert own.bill(X).mean() == pytest.approx(point.test_cost)
        assert own.max_steps == 300
        assert not own.warm_start
    here = found.at(500)
    assert here.price == 500
    assert here.estimator.costs.errors == costs.errors == 500


def test_no_point_is_behind_a_fit_at_its_price(found, stepwise):
    learner, X, y = stepwise
    steps = 750 // len(found.points)  # so many each of them has had
    for point in found.points:
        fit = clone(learner).set_params(costs=point.estimator.costs, pessimism=found_cf(found))
        fit.set_params(max_steps=steps)
        assert point.cost <= fit.fit(X, y).objective_ * (1 + 1e-9)


def test_the_setting_is_the_one_that_the_data_choose(heart):
    X, y, costs = heart
    learner = FrugalTreeClassifier(costs, max_steps=100, max_depth=1, random_state=0)
    found = frontier(learner, X, y, folds=0)
    learner.fit(X, y)
    assert {point.estimator.pessimism_ for point in found.points} == {learner.pessimism_}
    assert found.at(500).cost <= learner.objective_ * (1 + 1e-9)


def test_steps_make_it_the_same_again(found, stepwise):
    again = frontier(*stepwise, folds=3)
    assert again.to_frame().equals(found.to_frame())
    learner, X, y = stepwise
    other = frontier(learner.set_params(n_jobs=2), X, y, folds=3)
    learner.set_params(n_jobs=None)
    assert other.to_frame().equals(found.to_frame())


def test_a_pick_is_the_cheapest_that_keeps_what_is_asked(found):
    told = [(point, point.held_out) for point in found.points]
    assert found.at(0) is found.points[0]
    assert found.at(found.points[1].price_from) is found.points[1]
    assert found.at(found.points[-1].price_to) is found.points[-1]
    budget = told[1][1].test_cost.value
    picked = found.within(mean_test_cost=budget)
    assert picked.held_out.test_cost.value <= budget
    others = [t.errors.value for _, t in told if t.test_cost.value <= budget]
    assert picked.held_out.errors.value == min(others)
    rate = sorted(t.error_rate.value for _, t in told)[1]
    picked = found.within(error_rate=rate)
    others = [t.test_cost.value for _, t in told if t.error_rate.value <= rate]
    assert picked.held_out.test_cost.value == min(others)
    found_share = max(t.sensitivity.value for _, t in told)
    assert found.within(sensitivity=found_share).held_out.sensitivity.value == found_share
    with pytest.raises(FrugaltreeError, match=r"no point keeps sensitivity=1 for sure"):
        found.within(sensitivity=1.0, sure=True)
    with pytest.raises(FrugaltreeError, match=r"no point keeps error_rate=0.001 .* no less"):
        found.within(error_rate=0.001)
    with pytest.raises(FrugaltreeError, match="within needs a demand"):
        found.within()
    with pytest.raises(FrugaltreeError, match=r"for errors of 0 to 5,000\.00, not 10000\.5"):
        found.at(10000.5)


def test_held_out_cases_are_each_answered_once(found):
    for point in found.points:
        told = point.held_out
        assert told.cases == 297
        one = told.test_cost.value + point.price * told.errors.value
        assert told.cost.value == pytest.approx(one)
        assert told.errors.value == pytest.approx(told.error_rate.value)  # all cost the same
        for name in ("test_cost", "errors", "cost", "error_rate", "sensitivity", "specificity"):
            interval = getattr(told, name)
            assert interval.low <= interval.value <= interval.high
    assert found.case == "sick"  # the rarer one
    assert found.points[0].held_out.sensitivity.value == 0.0


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Of known chances: 1,000 tables of 60 cases, each wrong with a chance of 0.2."""
    from frugaltree.tradeoff.held_out import Told, Truth, measure

    random = np.random.default_rng(0)
    actual = np.arange(60) % 2
    truth = Truth(actual, np.array([[0.0, 1.0], [1.0, 0.0]]), case=1)
    exact = {"errors": 0.2, "error_rate": 0.2, "sensitivity": 0.8, "cost": 4.0, "test_cost": 2.0}
    hits = dict.fromkeys(exact, 0)
    for _ in range(1000):
        wrong = random.random(60) < 0.2
        bills = 4.0 * (random.random(60) < 0.5)
        told = Told(np.where(wrong, 1 - actual, actual)[None], bills[None])
        got = measure(told, 0, truth, price=10.0)
        exact = {
            "errors": 0.2,
            "error_rate": 0.2,
            "sensitivity": 0.8,
            "cost": 4.0,
            "test_cost": 2.0,
        }
        for name in hits:
            one = getattr(got, name)
            hits[name] += one.low <= exact[name] <= one.high
    assert all(930 <= n <= 985 for n in hits.values()), hits


def test_differing_errors_stay_in_proportion(heart):
    X, y, costs = heart
    pairs = {("healthy", "sick"): 800.0, ("sick", "healthy"): 200.0}
    learner = FrugalTreeClassifier(
        replace(costs, errors=pairs), max_steps=100, max_depth=1, random_state=0
    )
    found = frontier(learner, X, y, folds=0)
    assert found.own_price == 800.0
    assert found.case == "sick"  # its miss is dearer
    check_monotone(found)
    for point in found.points:
        asked = point.estimator.costs
        assert asked.error_cost("healthy", "sick") == pytest.approx(point.price)
        assert asked.error_cost("sick", "healthy") == pytest.approx(point.price / 4)
        assert point.held_out is None
    with pytest.raises(FrugaltreeError, match="no cases were held out"):
        found.within(error_rate=0.5)


@pytest.mark.parametrize("learner", [DTMCClassifier(), ACTClassifier(n_samples=1, random_state=0)])
def test_other_learners_have_one_too(heart, learner):
    X, y, costs = heart
    found = frontier(learner.set_params(costs=costs), X, y, folds=2)
    assert found.gap is None
    assert len(found.points) > 1
    check_monotone(found)
    if isinstance(learner, ACTClassifier):
        assert found_cf(found) == costs.cf(X.columns, ["healthy", "sick"])
    for point in found.points:
        assert point.estimator.expected_cost_ == pytest.approx(point.cost)
        assert point.held_out.cases == len(X)


def test_lists_are_tables_for_all_learners():
    X, y = [[0]] * 30 + [[1]] * 10, ["well"] * 30 + ["ill"] * 10
    for learner in (DTMCClassifier(), FrugalTreeClassifier(pessimism="none", time_limit=None)):
        found = frontier(learner.set_params(costs=Costs([3], errors=100)), X, y, folds=2)
        assert [point.test_cost for point in found.points] == [0.0, 3.0]
        assert found.points[1].held_out.error_rate.value == 0.0
    with pytest.raises(InvalidTable, match="DTMCClassifier cannot deal into folds"):
        frontier(DTMCClassifier(), pl.LazyFrame({"a": [0, 1]}), [0, 1])


def test_a_learner_blind_to_errors_has_one_tree(heart):
    X, y, costs = heart
    found = frontier(EG2Classifier(costs), X, y, folds=2)
    assert len(found.points) == 1
    assert found.points[0].saves is None


def test_it_reads_well(found):
    text = found.to_text()
    assert text == str(found)
    assert "an error costs" in text
    assert "held out: 297 cases in 3 folds, with 95 % intervals" in text
    assert "…" not in text
    table = found.to_frame()
    assert table.height == len(found.points)
    assert table["price_from"].to_list() == [point.price_from for point in found.points]
    assert table["held_out_sensitivity_low"][0] == 0.0


@pytest.mark.parametrize("max_bins", ["auto", 16])
def test_large_tables_are_searched_on_samples_at_all_prices(max_bins):
    X, y = load("pima", return_X_y=True)
    learner = FrugalTreeClassifier(
        load_costs("pima", errors=400),  # some tests are delayed
        max_steps=100,
        sample_rows=150,
        max_bins=max_bins,
        pessimism="paper",
        random_state=0,
    )
    found = frontier(learner, X, y, folds=2)
    assert found.gap is None
    assert len(found.points) > 2
    check_monotone(found)
    for point in found.points:
        assert point.estimator.bill(X).mean() == pytest.approx(point.test_cost)
        assert point.estimator.history_[-1].bound is None


def test_arrays_and_frames_give_the_same(heart):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (80, 3)).astype(float)
    y = (X[:, 0] + X[:, 1] > 2).astype(int)
    learner = FrugalTreeClassifier(Costs([1, 2, 3], errors=20), max_steps=100, random_state=0)
    first = frontier(learner, X, y, folds=2)
    learner.set_params(costs=Costs({"a": 1, "b": 2, "c": 3}, errors=20))
    second = frontier(learner, pl.DataFrame(X, schema=["a", "b", "c"]), y, folds=2)
    assert first.to_frame().equals(second.to_frame())


# ------------------------------------------------------------------------------ refusals


def test_mistakes_get_a_sentence(heart):
    X, y, costs = heart
    learner = FrugalTreeClassifier(costs, max_steps=10, max_depth=1)
    with pytest.raises(FrugaltreeError, match="not of Interval"):
        frontier(Interval(0, 0, 0), X, y)
    with pytest.raises(FrugaltreeError, match="the class FrugalTreeClassifier"):
        frontier(FrugalTreeClassifier, X, y)
    for folds in (1, -1, 2.5, True, "5"):
        with pytest.raises(FrugaltreeError, match="folds must be 0 or a whole number"):
            frontier(learner, X, y, folds=folds)
    for dearest in (0, -3, float("inf"), float("nan"), "5"):
        with pytest.raises(FrugaltreeError, match="dearest must be a price"):
            frontier(learner, X, y, dearest=dearest)
    with pytest.raises(FrugaltreeError, match="Did you mean 'sick'"):
        frontier(learner, X, y, case="sik", folds=0)
    with pytest.raises(InvalidTable, match="too few for 200 folds; set folds to at most 137"):
        frontier(learner, X, y, folds=200)
    with pytest.raises(InvalidCosts, match="all errors are free"):
        frontier(FrugalTreeClassifier(replace(costs, errors=0)), X, y)
    with pytest.raises(InvalidCosts, match="leave decisions out"):
        frontier(FrugalTreeClassifier(replace(costs, decisions={"refer": 60})), X, y)
    with pytest.raises(
        FrugaltreeError, match="within max_test_cost what tests cost does not count"
    ):
        frontier(FrugalTreeClassifier(costs, max_test_cost=5), X, y)
    free = {("healthy", "sick"): 0, ("sick", "healthy"): 0}
    with pytest.raises(InvalidCosts, match="all errors are free"):
        frontier(FrugalTreeClassifier(replace(costs, errors=free), max_steps=5), X, y)


@pytest.mark.filterwarnings("ignore:all cases are of one class:UserWarning")
def test_one_class_leaves_nothing_to_be_priced():
    with pytest.raises(InvalidTable, match="no error to be priced"):
        frontier(FrugalTreeClassifier(Costs([1])), [[1], [2]], ["a", "a"])


def test_ctrl_c_keeps_what_is_there(heart):
    X, y, costs = heart
    learner = FrugalTreeClassifier(costs, time_limit="2s", pessimism="paper", random_state=0)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def press():
        time.sleep(4)
        signal.raise_signal(signal.SIGINT)

    try:
        threading.Thread(target=press, daemon=True).start()
        with pytest.warns(UserWarning, match="the frontier was interrupted"):
            found = frontier(learner, X, y)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not found.complete
    check_monotone(found)


def test_lines_that_undercut_nowhere_are_left_out():
    lines = [Line(0.0, 4.0), Line(1.0, 3.0), Line(2.0, 2.0), Line(2.0, 5.0), Line(3.0, 2.0)]
    assert [edge.line for edge in lower_hull(lines, 10.0)] == [0, 2]
    assert [edge.line for edge in lower_hull(lines, 0.5)] == [0]


def test_a_record_of_cases_held_out_is_plain(found):
    assert isinstance(found.points[0].held_out, HeldOut)
