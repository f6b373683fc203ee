"""What one case has paid for on its path, and what further tests cost it: the rules, in Python.

Consultations, pictures and pages ask here. The formulas are those of
:mod:`frugaltree.kernels.cost.prices`, called and not written again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from frugaltree.costs.bill import Due
from frugaltree.kernels.cost.charges import path_state
from frugaltree.kernels.cost.prices import (
    ORDERED,
    Prices,
    charge,
    context_price,
    price_of_order,
    share_of_price,
    take_order,
)
from frugaltree.kernels.data.nodes import Nodes

Flags = npt.NDArray[np.uint8]


class PathPrices(NamedTuple):
    """The prices of tests for a case that has paid for some; it never changes.

    Attributes
    ----------
    prices
        The price list.
    paid
        1 for each test that is paid for.
    opened
        1 for each group of which a test is paid for.
    ordered
        Where tests are ordered in batches, those that were, with a result or without.
    minutes
        How long the case has waited for its orders.

    Examples
    --------
    Drawing blood, 3, is paid with the first of two tests:

    >>> from frugaltree.costs import Costs, Group
    >>> costs = Costs([6, 8], {"blood": Group([0, 1], cost=3)})
    >>> nothing_paid = PathPrices.at_start(costs.prices(["chol", "fbs"]))
    >>> nothing_paid.price(1)
    11.0
    >>> price, first_paid = nothing_paid.take(0)
    >>> price, first_paid.price(0), first_paid.price(1)
    (9.0, 0.0, 8.0)
    >>> nothing_paid.take_order([0, 1])[0], nothing_paid.parts_of_order([0, 1])
    (17.0, {0: 9.0, 1: 8.0})
    """

    prices: Prices
    paid: Flags
    opened: Flags
    ordered: frozenset[int] = frozenset()
    minutes: float = 0.0

    @classmethod
    def at_start(cls, prices: Prices) -> Self:
        """Return the prices for a case that has paid for nothing."""
        n_tests, n_groups = prices.member.shape
        return cls(prices, np.zeros(n_tests, np.uint8), np.zeros(n_groups, np.uint8))

    @classmethod
    def at_node(cls, prices: Prices, nodes: Nodes, node: int) -> Self:
        """Return the prices for a case that has come to a node, and paid what is asked above."""
        n_tests, n_groups = prices.member.shape
        found = cls(prices, np.empty(n_tests, np.uint8), np.empty(n_groups, np.uint8))
        path_state(prices, nodes, node, found.paid, found.opened)
        return found

    def is_paid(self, test: int) -> bool:
        """Tell whether a test is paid for."""
        return bool(self.paid[test])

    def price(self, test: int) -> float:
        """Return what a test costs now: nothing if it is paid for, less where a group is open."""
        return float(context_price(self.prices, test, self.paid, self.opened))

    def take(self, test: int) -> tuple[float, Self]:
        """Return what a test costs now, and the prices after it is paid for."""
        after = self._copy()
        return float(charge(self.prices, test, after.paid, after.opened)), after

    def take_order(self, tests: Sequence[int]) -> tuple[float, Self]:
        """Return what tests cost that are ordered together, and the prices after that.

        None of them may be paid for already.
        """
        after = self._copy()
        after.paid[list(tests)] = ORDERED
        price = float(price_of_order(self.prices, after.paid, after.opened))
        take_order(self.prices, after.paid, after.opened)
        return price, after

    def parts_of_order(self, tests: Sequence[int]) -> dict[int, float]:
        """Return what each test of an order takes of its price.

        A test takes its own price; what the members of a group share is paid once, by the one
        whose share is largest, the first of several.
        """
        takes = dict.fromkeys(tests, 0.0)
        n_groups = self.opened.size
        for group in range(n_groups if tests else 0):
            shares = [self._share(test, group) for test in tests]
            takes[tests[shares.index(max(shares))]] += max(shares)
        for test in tests:
            takes[test] += self._share(test, n_groups)
        return takes

    def dues_of_order(self, tests: Iterable[int]) -> tuple[Due, ...]:
        """Return what a case pays for an order that may lack values, in the order of its sum.

        A test pays its own price; what the members of a group share is paid by those that are
        not missing, the largest share of theirs.

        >>> from frugaltree.costs import Costs, Group
        >>> costs = Costs([6, 8], {"blood": Group([0, 1], cost=3)})
        >>> for due in PathPrices.at_start(costs.prices(["chol", "fbs"])).dues_of_order([0, 1]):
        ...     print(due.place, due.shares)
        0 ((3.0, (0, 1)),)
        1 ((6.0, (0,)),)
        2 ((8.0, (1,)),)
        """
        dues, tests, n_groups = [], sorted(tests), self.opened.size
        for group in range(n_groups):
            shares = {test: self._share(test, group) for test in tests}
            levels = sorted(set(shares.values()) - {0.0}, reverse=True)
            payers = [tuple(test for test in tests if shares[test] == level) for level in levels]
            dues.append(Due(group, tuple(zip(levels, payers, strict=True))))
        own = {test: self._share(test, n_groups) for test in tests}
        dues += [Due(n_groups + test, ((own[test], (test,)),)) for test in tests if own[test]]
        return tuple(due for due in dues if due.shares)

    def _share(self, test: int, group: int) -> float:
        return float(share_of_price(self.prices, test, group, self.paid, self.opened))

    def _copy(self) -> Self:
        return self._replace(paid=self.paid.copy(), opened=self.opened.copy())
