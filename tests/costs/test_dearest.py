"""The most that any case can be charged, against every order of taking the tests."""

from __future__ import annotations

from itertools import permutations
from random import Random

import numpy as np
import pytest

from frugaltree.costs import Costs, Group
from frugaltree.costs.dearest import MOST_TRIED
from frugaltree.costs.path import PathPrices

pytestmark = pytest.mark.filterwarnings("ignore:group:UserWarning")  # more tests may cost less


def price_list(seed: int, n_tests: int, *, delayed: bool = False) -> Costs:
    """Return a list of prices with up to three groups of all sorts, whose members overlap."""
    random = Random(seed)
    groups = {}
    for g in range(random.randint(0, 3)):
        members = random.sample(range(n_tests), random.randint(1, n_tests))
        if random.random() < 0.5:
            groups[f"g{g}"] = Group(members, cost=random.randint(0, 9))
        else:
            groups[f"g{g}"] = Group({a: random.randint(0, 12) for a in members})
    late = random.sample(range(n_tests), random.randint(1, n_tests)) if delayed else ()
    never = random.sample(range(n_tests), random.choice((0, 0, 1)))
    prices = [random.randint(0, 12) for _ in range(n_tests)]
    return Costs(prices, groups, late, never_ask=never)


def bill_of(costs: Costs, names: list[str], order: tuple[int, ...]) -> float:
    path, bill = PathPrices.at_start(costs.prices(names)), 0.0
    for test in order:
        price, path = path.take(test)
        bill += price
    return bill


def bills_in_every_order(costs: Costs, names: list[str]) -> list[float]:
    usable = [a for a in range(len(names)) if a not in costs.never_ask]
    return [
        bill_of(costs, names, order)
        for size in range(len(usable) + 1)
        for order in permutations(usable, size)
    ]


@pytest.mark.parametrize("seed", range(60))
def test_the_dearest_of_all_orders(seed):
    names = [f"x{a}" for a in range(2 + seed % 4)]
    costs = price_list(seed, len(names))
    bills = bills_in_every_order(costs, names)
    assert costs.dearest_total(names) == pytest.approx(max(bills))
    assert costs.total(names) <= costs.dearest_total(names) + 1e-9


@pytest.mark.parametrize("seed", range(60))
def test_no_order_at_once_costs_more(seed):
    """Random paths: some tests ordered together, some taken alone."""
    names = [f"x{a}" for a in range(2 + seed % 4)]
    costs, random = price_list(seed, len(names), delayed=True), Random(seed)
    most = costs.dearest_total(names)
    assert max(bills_in_every_order(costs, names)) <= most + 1e-9
    for _ in range(50):
        left = [a for a in range(len(names)) if a not in costs.never_ask]
        random.shuffle(left)
        path, bill = PathPrices.at_start(costs.prices(names)), 0.0
        while left:
            n = random.randint(1, len(left))
            price, path = path.take_order(left[:n])
            left, bill = left[n:], bill + price
        assert bill <= most + 1e-9


def test_ordered_at_once_is_what_they_cost_if_all_are_delayed():
    costs = Costs([20, 15], {"g": Group({0: 12, 1: 9})}, delayed=[0, 1])
    assert costs.dearest_total() == 8 + 6 + 12  # own prices, and the larger of the two discounts


def test_a_large_group_of_one_shared_cost_is_no_guess():
    n = MOST_TRIED + 5
    costs = Costs([2] * n, {"blood": Group(range(n), cost=3)})
    assert costs.dearest_total() == costs.total() == 2 * n + 3


def test_groups_that_do_not_touch_are_looked_at_apart():
    """Thirty tests in pairs: every order of all of them would take years."""
    n = 30
    pairs = {f"g{a}": Group({a: 4, a + 1: 1}) for a in range(0, n, 2)}
    costs = Costs([5] * n, pairs)
    assert costs.total() == n / 2 * (5 + 4)
    assert costs.dearest_total() == n / 2 * (5 + 4)
    other_way = Costs([5] * n, {f"g{a}": Group({a: 1, a + 1: 4}) for a in range(0, n, 2)})
    assert other_way.total() == n / 2 * (5 + 1)
    assert other_way.dearest_total() == n / 2 * (5 + 4)


def test_a_bill_above_the_total_is_below_the_dearest():
    """A tree that asks in another order than the list has them charges more than `total`."""
    from frugaltree import ID3Classifier

    costs = Costs({"b": 15, "a": 20}, {"g": Group({"a": 12, "b": 9})})
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(np.repeat(rows, [3, 3, 3, 3], axis=0), columns=["a", "b"])
    y = np.where(X["a"] == 1, "x", np.where(X["b"] == 1, "y", "z"))
    bills = ID3Classifier(costs).fit(X, y).bill(X)
    assert costs.total(["a", "b"]) == 23
    assert bills.max() == 26 == costs.dearest_total(["a", "b"])
