"""What sets of tests cost and how long they take, where tests are bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from frugaltree.costs.bill import Due, added_up
from frugaltree.costs.path import PathPrices
from frugaltree.kernels.cost.prices import Prices


class OrderPrices:
    """The price of an order by what was ordered before, kept once it is known.

    Parameters
    ----------
    prices
        The prices, without waits.
    tests
        The tests that can be ordered; the first is bit 1, the next bit 2, then 4.
    minutes
        How long each test takes, by its column.

    Examples
    --------
    Drawing blood, 3, is paid once:

    >>> from frugaltree import Costs, Group
    >>> costs = Costs([6, 8, 1], {"blood": Group([0, 1], cost=3)})
    >>> orders = OrderPrices(costs.prices(), [0, 1, 2], [30, 60, 0])
    >>> orders.price(0b11, 0), orders.price(0b10, 0b01), orders.minutes(0b11), orders.least(0b10)
    (17.0, 8.0, 60, 8.0)
    """

    def __init__(self, prices: Prices, tests: Sequence[int], minutes: Sequence[float]) -> None:
        self._start, self._member = PathPrices.at_start(prices), prices.member
        self._bits = {test: 1 << i for i, test in enumerate(tests)}
        self._minutes = {bit: minutes[test] for test, bit in self._bits.items()}
        self._dues: dict[int, tuple[Due, ...]] = {}
        self._prices: dict[tuple[int, int], float] = {}
        everything = sum(self._bits.values())
        self._least = {
            bit: self._after(everything & ~bit).price(test) for test, bit in self._bits.items()
        }

    def with_mates(self, wanted: int) -> int:
        """Return a set with all that share a group with one of it: what changes its prices."""
        groups = np.flatnonzero(self._member[sorted(self.tests_in(wanted))].any(axis=0))
        mates = np.flatnonzero(self._member[:, groups].any(axis=1)).tolist()
        return wanted | sum(self._bits.get(test, 0) for test in mates)

    def tests_in(self, wanted: int) -> frozenset[int]:
        """Return the tests of a set."""
        return frozenset(test for test, bit in self._bits.items() if bit & wanted)

    def price(self, wanted: int, before: int) -> float:
        """Return the price of an order, none of whose tests was ordered before."""
        key = wanted, before
        if key not in self._prices:
            tests = self.tests_in(wanted)
            dues = self._dues.get(before)
            if dues is None:
                left = self._bits.keys() - self.tests_in(before)
                dues = self._dues[before] = self._after(before).dues_of_order(left)
            self._prices[key] = added_up(due.amount(tests) for due in dues)
        return self._prices[key]

    def least(self, test: int) -> float:
        """Return the least that one test can cost, all others paid for."""
        return self._least[test]

    def minutes(self, wanted: int) -> float:
        """Return how long an order takes: as its slowest test."""
        return max((m for bit, m in self._minutes.items() if bit & wanted), default=0.0)

    def _after(self, paid: int) -> PathPrices:
        state = self._start
        for test in sorted(self.tests_in(paid)):
            state = state.take(test)[1]
        return state
