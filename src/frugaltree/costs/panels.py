"""Panels: tests bought as one. Asking any of them charges all at that moment, and none later.

A panel is a group, so that no rule of price is written for it: each member costs what buying all
of them costs, and once the group is open, nothing. Groups that one is in are opened by all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from reprlib import repr as shortened
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.costs.checks import Test, check_tests, is_list
from frugaltree.exceptions import InvalidCosts

if TYPE_CHECKING:
    from frugaltree.costs.model import Costs

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.uint8]

SLACK = 1e-9
"""Discounts may exceed a price by this share of it: it is rounding."""


class PricedGroups(NamedTuple):
    """The prices of tests, what open groups take off them, and which tests open them."""

    full: Floats
    discount: Floats
    member: Flags


def check_panels(together: object) -> tuple[tuple[Test, ...], ...]:
    """Return the panels, each a list of two tests or more, a test in one of them at most.

    >>> check_panels([["sodium", "potassium"]])
    (('sodium', 'potassium'),)
    >>> check_panels([["sodium"]])
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: together has the panel ['sodium'] of one test, which is
    bought as any other; name two tests or more, or drop it.
    """
    if not is_list(together):
        raise InvalidCosts(
            f"together must list panels, but is {shortened(together)}; "
            "write together=[['sodium', 'potassium']]."
        )
    panels: list[tuple[Test, ...]] = []
    for panel in together:
        if isinstance(panel, str):
            raise InvalidCosts(
                f"together must list panels, but names the test {panel!r}; "
                f"write [[{panel!r}, ...]], a list of tests for each panel."
            )
        tests = check_tests(panel, "a panel of together")
        if len(tests) < 2:
            raise InvalidCosts(
                f"together has the panel {list(tests)!r} of "
                f"{'one test, which is bought as any other' if tests else 'no tests'}; "
                "name two tests or more, or drop it."
            )
        for test in tests:
            if any(test in other for other in panels):
                raise InvalidCosts(
                    f"together has {test!r} in two panels; keep it in one, or make them one panel."
                )
        panels.append(tests)
    return tuple(panels)


def panel_columns(costs: Costs, columns: Mapping[Test, int]) -> list[list[int]]:
    """Return the columns that are bought together; what is known or unavailable is not bought."""
    left_out = {columns[test] for test in (*costs.known, *costs.unavailable)}
    seen: set[int] = set()
    panels = []
    for panel in costs.together:
        bought = [columns[test] for test in panel]
        if len({*bought}) < len(bought) or seen & {*bought}:
            raise InvalidCosts(
                f"together names a column of {list(panel)!r} twice, by name and by position; name "
                "each test once."
            )
        seen |= {*bought}
        panels.append([a for a in bought if a not in left_out])
    return [panel for panel in panels if len(panel) > 1]


def with_panels(
    prices: PricedGroups, panels: Sequence[Sequence[int]], names: Sequence[Test]
) -> PricedGroups:
    """Return the price list on which asking one test of a panel buys all of it.

    Two tests of 6 and 8 that share 3, in both prices, cost 11 together:

    >>> off, both = np.full((2, 1), 3.0), np.ones((2, 1), np.uint8)
    >>> bought = with_panels(PricedGroups(np.array([6.0, 8.0]), off, both), [[0, 1]], ["a", "b"])
    >>> bought.full, bought.discount.tolist()
    (array([11., 11.]), [[3.0, 11.0], [3.0, 11.0]])
    """
    if not panels:
        return prices
    full, discount, member = prices.full.copy(), prices.discount.copy(), prices.member.copy()
    for panel in panels:
        for a in panel:
            off = float(prices.discount[a].sum())
            if off > prices.full[a] * (1.0 + SLACK):
                raise InvalidCosts(
                    f"together has {names[a]!r}, whose groups take {off:g} off its price of "
                    f"{prices.full[a]:g}; lower its discounts, or leave it out of the panel."
                )
        bought = [_price_together(prices, panel, opened) for opened in _one_by_one(prices)]
        full[panel] = bought[-1]
        discount[panel] = bought[-1] - np.array(bought[:-1])
        member[panel] = prices.member[panel].max(axis=0)
    for panel in panels:
        flags = np.zeros((full.size, 1), np.uint8)
        flags[panel] = 1
        member = np.hstack([member, flags])
        discount = np.hstack([discount, flags * full[:, None]])
    return PricedGroups(full, discount, member)


def _one_by_one(prices: PricedGroups) -> list[Flags]:
    """Return each group open alone, and at last none of them."""
    n_groups = prices.member.shape[1]
    return [*np.eye(n_groups, dtype=np.uint8), np.zeros(n_groups, np.uint8)]


def _price_together(prices: PricedGroups, panel: Sequence[int], opened: Flags) -> float:
    """Return what the tests of a panel cost at once where some groups are open."""
    from frugaltree.kernels.cost.ask_rules import AskRules
    from frugaltree.kernels.cost.prices import ORDERED, Prices, price_of_order

    n = prices.full.size
    flags, paid = np.zeros(n, np.uint8), np.zeros(n, np.uint8)
    paid[list(panel)] = ORDERED
    listed = Prices(*prices, flags, flags, charge_missing=False, rules=AskRules.none(n))
    return float(price_of_order.py_func(listed, paid, opened.copy()))
