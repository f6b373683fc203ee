"""Tests that are cheaper than what they take off others."""

from __future__ import annotations

from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.ties import TOLERANCE


def may_rise_without(prices: Prices) -> bool:
    """Tell whether a path may charge a case more if one of its tests is left out.

    A test that is skipped opens no group; but if it costs at least what its groups take off any
    other, its own price makes up for that.

    >>> import numpy as np
    >>> ones, none = np.ones(2, np.uint8), np.zeros(2, np.uint8)
    >>> from frugaltree.kernels.cost.ask_rules import AskRules
    >>> rules = AskRules.none(2)
    >>> for full in ([2.0, 10.0], [3.0, 10.0]):
    ...     shared = np.array([[2.0], [3.0]])
    ...     prices = Prices(np.array(full), shared, np.ones((2, 1)), none, ones, False, rules)
    ...     may_rise_without(prices)
    True
    False
    """
    taken_off = (prices.member * prices.discount.max(axis=0, initial=0.0)).sum(axis=1)
    cheap = prices.full < taken_off * (1.0 - TOLERANCE)
    return bool((cheap & (prices.usable == 1)).any())
