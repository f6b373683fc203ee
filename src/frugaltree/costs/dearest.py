"""The most that any case can be charged, in whatever order its tests are taken."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from frugaltree.kernels.cost.prices import Prices

MOST_TRIED = 10
"""Of up to so many tests that hang together by groups, every order is looked at."""


def dearest_bill(prices: Prices) -> float:
    """Return the bill of all usable tests in the dearest order, or a bound on it.

    Tests that share no group, directly or through others, do not change each other's prices and
    are looked at apart. Where any is delayed, beneath which others are ordered, or more than
    MOST_TRIED hang together, it is the price of ordering them all at once.

    Proof that no bill is higher than that. The price of a test is its own part and a part for
    each of its groups that is not open yet (``share_of_price``); the part for a group is largest
    where nothing is open. On a path each group is opened once, and then one part for it is paid,
    that of an order being the largest among its tests; and each own part is paid once.
    """
    usable = [a for a in range(prices.full.size) if prices.usable[a]]
    late = any(prices.delayed[a] for a in usable)
    total = 0.0
    for tests in _together(prices, usable):
        at_once = late or len(tests) > MOST_TRIED
        total += (_ordered_at_once if at_once else _in_dearest_order)(prices, tests)
    return total


def _together(prices: Prices, usable: list[int]) -> list[list[int]]:
    """Return the tests parted into those that hang together by groups."""
    parts = [[a] for a in usable]
    for g in range(prices.member.shape[1]):
        joined = [part for part in parts if any(prices.member[a, g] for a in part)]
        parts = [part for part in parts if part not in joined]
        parts += [sorted(a for part in joined for a in part)] if joined else []
    return parts


def _in_dearest_order(prices: Prices, tests: list[int]) -> float:
    """Return the highest bill of tests taken one by one, by the dearest bill of each subset."""
    from frugaltree.kernels.cost.prices import context_price, take

    dearest: dict[tuple[int, ...], float] = {(): 0.0}
    for size in range(1, len(tests) + 1):
        for chosen in combinations(tests, size):
            bills = []
            for last in chosen:
                before = tuple(a for a in chosen if a != last)
                paid = np.zeros(prices.full.size, np.uint8)
                opened = np.zeros(prices.member.shape[1], np.uint8)
                for a in before:
                    take.py_func(prices, a, paid, opened)
                price = float(context_price.py_func(prices, last, paid, opened))
                bills.append(dearest[before] + price)
            dearest[chosen] = max(bills)
    return dearest[tuple(tests)]


def _ordered_at_once(prices: Prices, tests: list[int]) -> float:
    from frugaltree.kernels.cost.prices import share_of_price

    n_groups = prices.member.shape[1]
    paid, opened = np.zeros(prices.full.size, np.uint8), np.zeros(n_groups, np.uint8)
    shares = np.array(
        [
            [float(share_of_price.py_func(prices, a, g, paid, opened)) for a in tests]
            for g in range(n_groups + 1)
        ]
    )
    return float(shares[:-1].max(axis=1).sum() + shares[-1].sum())
