"""What a path has paid, in Python: the same as the kernels and as the definition."""

from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugaltree.costs.path import PathPrices
from frugaltree.kernels.cost.ask_rules import AskRules
from frugaltree.kernels.cost.prices import (
    ORDERED,
    Prices,
    charge,
    context_price,
    price_of_order,
    take_order,
)

amounts = st.integers(0, 40).map(lambda quarters: quarters / 4)


@st.composite
def price_lists(draw):
    n_tests, n_groups = draw(st.integers(1, 5)), draw(st.integers(0, 3))
    size = n_tests * n_groups
    flags = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    member = np.array(flags, np.uint8).reshape(n_tests, n_groups)
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


def price_by_definition(prices, test, taken):
    """Return the full price less the discounts of the groups that are open, 0 if taken."""
    if test in taken:
        return 0.0
    opened = {g for a in taken for g in range(prices.member.shape[1]) if prices.member[a, g]}
    return max(0.0, prices.full[test] - sum(prices.discount[test, g] for g in opened))


@given(price_lists(), st.data())
def test_one_test_after_another(prices, data):
    order = data.draw(st.permutations(range(prices.full.size)))
    path, paid = PathPrices.at_start(prices), np.zeros(prices.full.size, np.uint8)
    opened = np.zeros(prices.member.shape[1], np.uint8)
    for place, test in enumerate(order):
        assert not path.is_paid(test)
        for other in order:
            assert path.price(other) == price_by_definition(prices, other, order[:place])
            assert path.price(other) == context_price(prices, other, paid, opened)
        price, after = path.take(test)
        assert price == charge(prices, test, paid, opened)
        assert not path.is_paid(test), "the path before must stay as it was"
        path = after
        assert path.paid.tolist() == paid.tolist()
        assert path.opened.tolist() == opened.tolist()


@given(price_lists(), st.data())
def test_an_order_is_a_set_whose_parts_add_up(prices, data):
    tests = data.draw(st.permutations(range(prices.full.size)))
    n_before = data.draw(st.integers(0, len(tests)))
    path = PathPrices.at_start(prices)
    for test in tests[:n_before]:
        _, path = path.take(test)
    ordered = tests[n_before : data.draw(st.integers(n_before, len(tests)))]
    price, after = path.take_order(ordered)
    paid, opened = path.paid.copy(), path.opened.copy()
    paid[list(ordered)] = ORDERED
    assert price == price_of_order(prices, paid, opened)
    take_order(prices, paid, opened)
    assert after.paid.tolist() == paid.tolist()
    assert after.opened.tolist() == opened.tolist()
    for some in list(permutations(ordered))[:6]:
        assert path.take_order(some)[0] == price
    parts = path.parts_of_order(sorted(ordered))
    assert parts.keys() == set(ordered)
    assert sum(parts.values()) == pytest.approx(price)
    if len(ordered) == 1:
        assert price == pytest.approx(path.price(ordered[0]))


@given(price_lists(), st.data())
def test_a_node_has_paid_what_is_asked_above(prices, data):
    n_tests = prices.full.size
    asked = data.draw(st.lists(st.integers(0, n_tests - 1), min_size=1, max_size=5))
    nodes = SimpleNamespace(
        test=np.array([*asked, -1], np.int32),
        parent=np.arange(-1, len(asked), dtype=np.int32),
        lacking=np.zeros(len(asked) + 1, np.uint8),
    )
    path = PathPrices.at_start(prices)
    for node, test in enumerate(asked):
        found = PathPrices.at_node(prices, nodes, node)
        assert found.paid.tolist() == path.paid.tolist()
        assert found.opened.tolist() == path.opened.tolist()
        _, path = path.take(test)
