"""A budget and a price list, in whole numbers that add up to the same in any order."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from frugaltree.kernels.cost.prices import Prices, dearest_prices
from frugaltree.kernels.ties import TOLERANCE

GRAINS = 2.0**40
"""So many grains a budget has: a price is off by a millionth of a millionth of it at most."""

LARGEST = 1e300
"""No price has more grains than this; where one would, the budget has fewer."""


class Purse(NamedTuple):
    """A budget in grains, and prices in the same, whole ones.

    ``limit`` is infinite where there is no budget; then nothing else is read but ``discount``.
    """

    limit: float
    full: np.ndarray  # float64[a]
    discount: np.ndarray  # float64[a, g]

    @classmethod
    def of(cls, prices: Prices, budget: float) -> Self:
        """Return the budget with these prices; infinity is none.

        >>> from frugaltree.kernels.cost.ask_rules import AskRules
        >>> none, no_groups = np.zeros(2, np.uint8), np.zeros((2, 0))
        >>> listed = Prices(
        ...     np.array([1.0, 8.0]), no_groups, no_groups, none, none, False, AskRules.none(2)
        ... )
        >>> purse = Purse.of(listed, 4.0)
        >>> purse.full / purse.limit
        array([0.25, 2.  ])
        """
        prices = dearest_prices(prices)
        if budget == np.inf:
            return cls(np.inf, prices.full, prices.discount)
        dearest = max(float(prices.full.max(initial=0.0)), budget)
        scale = 1.0 if dearest == 0.0 else LARGEST / dearest
        if budget > 0.0:
            scale = min(scale, GRAINS / budget)
        return cls(
            limit=budget * scale,
            full=np.rint(prices.full * scale),
            discount=np.rint(prices.discount * scale),
        )

    def within_reach(self, usable: np.ndarray) -> np.ndarray:
        """Return 1 for the usable tests that can be paid for once all groups are open."""
        least = np.maximum(self.full - self.discount.sum(axis=1), 0.0)
        reachable: np.ndarray = usable * (least <= self.limit * (1.0 + TOLERANCE))
        return reachable.astype(np.uint8)


def free_of_charge(prices: Prices) -> Prices:
    """Return the price list on which everything is free; the rest of it is the same."""
    given = prices.conditions
    free = given._replace(price=np.where(np.isinf(given.price), np.inf, 0.0))
    return prices._replace(full=0.0 * prices.full, discount=0.0 * prices.discount, conditions=free)
