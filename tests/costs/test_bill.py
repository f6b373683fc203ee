"""What is due for an order comes to the price of the order, to the last bit."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugaltree.costs.bill import Bill, Due, added_up
from frugaltree.costs.path import PathPrices
from frugaltree.kernels.cost.ask_rules import AskRules
from frugaltree.kernels.cost.prices import Prices

amounts = st.floats(0.1, 40) | st.sampled_from([0.0, 0.1, 0.2, 0.3, 1e-300])
flags = st.booleans()


@st.composite
def price_lists(draw):
    n_tests, n_groups = draw(st.integers(1, 5)), draw(st.integers(0, 3))
    size = n_tests * n_groups
    drawn = draw(st.lists(flags, min_size=size, max_size=size))
    member = np.array(drawn, np.uint8).reshape(n_tests, n_groups)
    discount = np.array(draw(st.lists(amounts, min_size=size, max_size=size)), np.float64)
    return Prices(
        full=np.array(draw(st.lists(amounts, min_size=n_tests, max_size=n_tests)), np.float64),
        discount=discount.reshape(n_tests, n_groups) * member,
        member=member,
        delayed=np.zeros(n_tests, np.uint8),
        usable=np.ones(n_tests, np.uint8),
        charge_missing=False,
        rules=AskRules.none(n_tests),
    )


@given(price_lists(), st.data())
def test_what_is_due_is_the_price_of_the_tests_with_a_value(prices, data):
    """In whatever steps one learns which tests have a value, and whatever was paid before."""
    tests = data.draw(st.permutations(range(prices.full.size)))
    n_before = data.draw(st.integers(0, len(tests) - 1))
    path, before = PathPrices.at_start(prices), 0.0
    for test in tests[:n_before]:
        price, path = path.take(test)
        before += price
    ordered = tests[n_before:]
    has_value = {test: data.draw(flags) for test in ordered}
    known = [test for test in ordered if has_value[test]]
    bill = Bill(before, path.dues_of_order(ordered))
    for test in data.draw(st.permutations(ordered)):
        one, none = frozenset({test}), frozenset()
        bill = bill.settled(one, none) if has_value[test] else bill.settled(none, one)
        assert not bill.hangs_on(test)
    assert bill == Bill(before + path.take_order(known)[0])
    assert bill.amount == pytest.approx(fsum([before, path.take_order(known)[0]]))


@given(price_lists(), st.data())
def test_parts_for_people_come_to_the_same(prices, data):
    path, tests = PathPrices.at_start(prices), range(prices.full.size)
    sure = frozenset(test for test in tests if data.draw(flags))
    known = sure | {test for test in tests if data.draw(flags)}
    amount, parts = Bill(0.0, path.dues_of_order(tests)).settled(sure, frozenset()).in_parts()
    amount += sum(part for part, payers in parts if known.intersection(payers))
    assert amount == pytest.approx(path.take_order(sorted(known))[0])


@given(st.lists(amounts, max_size=12))
def test_amounts_are_added_from_the_left(given_amounts):
    assert added_up(given_amounts) == (np.cumsum(given_amounts)[-1] if given_amounts else 0.0)


def test_an_order_is_added_up_on_its_own():
    dues = tuple(Due(place, ((0.1, (place,)),)) for place in range(3))
    bill = Bill(0.3, dues).settled(frozenset({0, 1, 2}), frozenset())
    assert bill.amount == 0.3 + (0.1 + 0.1 + 0.1) != 0.3 + 0.1 + 0.1 + 0.1
