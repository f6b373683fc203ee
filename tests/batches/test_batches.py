"""Batches by hand: growing prices, what is at hand, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from frugaltree import (
    Batches,
    C45Classifier,
    Consultation,
    Costs,
    Group,
    ID3Classifier,
    Repertoire,
    Waiting,
)
from frugaltree.exceptions import FrugaltreeError
from frugaltree.export import to_python

X, Y = [[0, 0], [0, 9], [9, 0], [9, 9]], ["a", "a", "b", "c"]


def small(costs=None, learner=ID3Classifier):
    return learner(costs or Costs([4, 6], errors=20)).fit(X, Y)


def test_all_minutes_of_a_case_count_where_the_price_grows():
    batches = Batches(
        small(), minutes=[50, 30], waiting=[(60, 0.1), (None, 1)], strategy="sequential"
    )
    assert batches.bill([[0, 0], [9, 0]]).tolist() == [4 + 5, 10 + 6 + 20]
    assert batches.minutes([[0, 0], [9, 0]]).tolist() == [50, 80]
    assert batches.n_orders([[0, 0], [9, 0]]).tolist() == [1, 2]


def test_what_is_known_needs_no_order():
    model = small(Costs([4, 6], errors=20, known=[0]))
    batches = Batches(model, round_trip=3, strategy="single batch")
    assert batches.orders == {2: ("x1",)}
    assert batches.bill(X).tolist() == [0, 0, 9, 9]


def test_an_order_without_a_result_is_not_placed():
    batches = Batches(small(), round_trip=8, minutes=[10, 30])
    nan = float("nan")
    assert batches.orders == {0: ("x0", "x1")}
    assert batches.bill([[9, nan], [nan, 9], [nan, nan]]).tolist() == [12, 0, 0]
    assert batches.minutes([[9, nan], [nan, 9], [nan, nan]]).tolist() == [10, 0, 0]


def test_drawing_blood_is_paid_once_in_an_order():
    model = small(Costs([4, 6], {"blood": Group([0, 1], cost=3)}, errors=20))
    batches = Batches(model, strategy="single")
    assert batches.bill(X).tolist() == [13] * 4


def test_the_costs_say_what_waiting_costs_unless_it_is_said():
    model = small(Costs([4, 6], errors=20, waiting=Waiting(8)))
    assert Batches(model).expected_cost == 18
    assert Batches(model, round_trip=3).expected_cost == 11.5
    assert model.bill(X).tolist() == [12, 12, 26, 26]


def test_plans_for_other_cases():
    often = [[9, 0]] * 9 + [[0, 0]]
    assert Batches(small(), round_trip=3).orders == {0: ("x0",), 2: ("x1",)}
    assert Batches(small(), round_trip=3, cases=often).orders == {0: ("x0", "x1")}


def test_a_bare_leaf_orders_nothing():
    with pytest.warns(UserWarning, match="one class"):
        model = ID3Classifier(Costs([4])).fit([[1], [2]], ["a", "a"])
    batches = Batches(model, round_trip=3)
    assert batches.orders == {}
    assert batches.bill([[1]]).tolist() == [0]
    assert batches.compare()["total"].to_list() == [0, 0, 0]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"minutes": [10, -1]}, "the minutes of test 1 must be a finite number"),
        ({"minutes": {"x2": 5}}, "minutes names the test 'x2'"),
        ({"minutes": {"x0": 5}}, "minutes says nothing of test 'x1'"),
        ({"waiting": 1}, "waiting has a price, 1, but no minutes"),
        ({"minutes": [1, 1], "waiting": [(60, 2), (None, 1)]}, "falls from 2 to 1"),
        ({"strategy": "batch"}, "there is no strategy 'batch'"),
        ({"costs": Costs([4, 6], together=[[0, 1]])}, "the panel .0, 1., but tests of a panel"),
    ],
)
def test_what_makes_no_sense_is_refused(how, said):
    with pytest.raises(FrugaltreeError, match=said):
        Batches(small(), **how)


def test_only_a_fitted_learner_has_batches():
    with pytest.raises(FrugaltreeError, match="has learned nothing yet"):
        Batches(ID3Classifier())
    for other in ("model.json", Repertoire(), None):
        with pytest.raises(FrugaltreeError, match="planned for a fitted learner"):
            Batches(other)


def test_cases_that_follow_every_branch_have_no_order():
    model = C45Classifier(Costs([4, 6]), prune=False, min_cases=1).fit(X, Y)
    batches = Batches(model, round_trip=3)
    assert batches.bill(X).shape == (4,)
    with pytest.raises(FrugaltreeError, match="C45Classifier would follow every branch"):
        batches.bill([[np.nan, np.nan]])
    with pytest.raises(FrugaltreeError, match="without batches"):
        Consultation(model, batches=batches)


def test_too_many_tests_are_refused(monkeypatch):
    monkeypatch.setattr("frugaltree.batches.planner.MOST_LOOKS", 1)
    batches = Batches(small(), round_trip=3)
    with pytest.raises(FrugaltreeError, match="2 tests, too many to plan several batches"):
        batches.orders
    assert batches.with_strategy("sequential").orders


def test_a_consultation_takes_batches_of_its_model_only():
    with pytest.raises(FrugaltreeError, match="planned for another model"):
        Consultation(small(), batches=Batches(small()))
    with pytest.raises(FrugaltreeError, match="batches must be Batches, but is 'several'"):
        Consultation(small(), batches="several")


@pytest.mark.parametrize("strategy", ["sequential", "single batch"])
def test_exports_charge_the_wait(strategy):
    waiting = Waiting(0.3, [5, 10, 60], 0.01, strategy)
    costs = Costs([1, 2, 3], {"g": Group([0, 1], cost=0.5)}, errors=50, waiting=waiting)
    cases = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    model = ID3Classifier(costs).fit(cases, [a ^ (b & c) for a, b, c in cases])
    module = {}
    exec(to_python(model), module)
    told = [module["classify"]({f"x{i}": x for i, x in enumerate(case)}) for case in cases]
    assert [bill for _, bill in told] == model.bill(cases).tolist()
    got = Batches(model, strategy=strategy).bill(cases)
    assert got == pytest.approx(model.bill(cases))
