"""What waiting costs: written down, read back, and refused in one sentence."""

from __future__ import annotations

import numpy as np
import pytest

from frugaltree import Costs, Group, Waiting
from frugaltree.costs.leave_out import leave_out
from frugaltree.exceptions import InvalidCosts

GROWING = [(60, 0.1), (None, 0.5)]


@pytest.mark.parametrize(
    "waiting",
    [
        Waiting(2),
        Waiting(2, {"chol": 90, "fbs": 0}, 0.1),
        Waiting(minutes={"chol": 90, "fbs": 5.5}, price=GROWING, strategy="single batch"),
    ],
)
def test_a_file_brings_it_back(waiting, tmp_path):
    costs = Costs({"chol": 5, "fbs": 3}, errors=9, waiting=waiting)
    costs.to_toml(tmp_path / "costs.toml")
    assert Costs.from_toml(tmp_path / "costs.toml") == costs
    assert eval(repr(costs), {"Costs": Costs, "Waiting": Waiting}) == costs


@pytest.mark.parametrize("minutes", [[90, 5], {1: 5, 0: 90}])
def test_by_position_it_comes_back_too(minutes, tmp_path):
    costs = Costs([5, 3], waiting=Waiting(2, minutes, 0.1))
    costs.to_toml(tmp_path / "costs.toml")
    assert Costs.from_toml(tmp_path / "costs.toml") == costs
    assert costs.prices().full.tolist() == [16, 5.5]


def test_what_is_known_waits_for_nothing():
    costs = Costs({"age": 1, "chol": 5}, known=["age"], waiting=Waiting(2, {"chol": 90}, 0.1))
    assert costs.prices().full.tolist() == [0, 16]


def test_a_single_batch_shares_the_longest_wait():
    group = {"blood": Group(["chol", "fbs"], cost=2)}
    waiting = Waiting(2, {"chol": 90, "fbs": 30}, 0.1, "single batch")
    prices = Costs({"chol": 5, "fbs": 3}, group, waiting=waiting).prices()
    assert prices.full.tolist() == [5 + 2 + 2 + 9, 3 + 2 + 2 + 3]
    assert prices.discount.tolist() == [[11, 2], [5, 2]]
    assert prices.delayed.all()


def test_a_discount_takes_nothing_from_the_wait():
    group = {"g": Group({"a": 9, "b": 1})}
    with pytest.warns(UserWarning, match="check the two numbers"):
        costs = Costs({"a": 5, "b": 3}, group, waiting=Waiting(10))
    prices = costs.prices()
    assert (prices.full - prices.discount[:, 0]).tolist() == [10, 12]


def test_dropped_tests_go_with_their_minutes():
    costs = Costs({"id": 1, "a": 2}, waiting=Waiting(1, {"id": 3, "a": 4}))
    assert leave_out(costs, ["id"]).waiting == Waiting(1, {"a": 4})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"round_trip": -1}, "round_trip must be a finite number, 0 or more, but is -1"),
        ({"minutes": {"chol": -5}}, "the minutes of test 'chol' must be a finite number"),
        ({"minutes": {"chol": np.nan}}, "the minutes of test 'chol' must be a finite number"),
        ({"price": 0.1}, "waiting has a price, 0.1, but no minutes"),
        ({"price": [(60, 0.5), (None, 0.1)]}, "the price of waiting falls from 0.5 to 0.1"),
        ({"price": [(60, 0.1)]}, "ends with None"),
        ({"price": []}, "ends with None"),
        ({"price": [(None, 0.1), (None, 0.5)]}, "must end later and later"),
        ({"price": [(60, 0.1), (30, 0.2), (None, 0.5)]}, "must end later and later"),
        ({"price": "dear"}, "the price of waiting must be a finite number"),
        ({"strategy": "twice"}, "there is no strategy 'twice'; name one of sequential, single"),
        ({"strategy": "single batches"}, "Did you mean 'single batch'"),
        ({"strategy": "several"}, "no tree is learned for several batches"),
        ({"price": GROWING, "minutes": {"chol": 1}}, "one at a time and a price .* that grows"),
        ({"rounds": 2}, "waiting has no part 'rounds'.* Did you mean 'round_trip'"),
    ],
)
def test_what_makes_no_sense_is_refused(given, said):
    with pytest.raises(InvalidCosts, match=said) as caught:
        Costs({"chol": 5}, waiting=given)
    assert str(caught.value).count(". ") <= 1


@pytest.mark.parametrize(
    ("waiting", "said"),
    [
        (Waiting(1, {"chol": 5}), "minutes says nothing of test 'fbs'"),
        (Waiting(1, {"choll": 5, "fbs": 1}), "names the test 'choll'.* Did you mean 'chol'"),
        (Waiting(1, {7: 5}), "names the test 7, but there is none"),
    ],
)
def test_minutes_must_fit_the_tests(waiting, said):
    with pytest.raises(InvalidCosts, match=said):
        Costs({"chol": 5, "fbs": 3}, waiting=waiting).prices()


def test_what_is_ordered_together_is_not_waited_for_one_by_one():
    costs = Costs({"chol": 5, "fbs": 3}, delayed=["fbs"], waiting=Waiting(1))
    with pytest.raises(InvalidCosts, match=r"'fbs' is delayed.* take the strategy 'single batch'"):
        costs.prices()


def test_discounts_that_cannot_be_told_from_the_wait_are_refused():
    groups = {"g": Group(["a", "b"], cost=4), "h": Group({"a": 5, "b": 1})}
    costs = Costs({"a": 0, "b": 3}, groups, waiting=Waiting(1))
    with pytest.raises(InvalidCosts, match="the discounts of test 'a' add up to 9, more than"):
        costs.prices()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("waiting = 3", "waiting must be a table"),
        ("[waiting]\nround = 3", "waiting has no part 'round'"),
        ("[[waiting.price]]\nupto = 3", "unknown key 'upto'.* Did you mean 'up_to'"),
        ("[waiting]\nround_trip = -3", "round_trip must be"),
    ],
)
def test_files_are_refused_likewise(text, said, tmp_path):
    path = tmp_path / "costs.toml"
    path.write_text(text)
    with pytest.raises(InvalidCosts, match=said):
        Costs.from_toml(path)
