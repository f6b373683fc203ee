"""A price list for a table of which some columns are left out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from frugaltree.costs.checks import Test
from frugaltree.costs.group import Group
from frugaltree.exceptions import InvalidCosts

if TYPE_CHECKING:
    from frugaltree.costs.model import Costs


def leave_out(costs: Costs, names: Collection[str]) -> Costs:
    """Return a price list that says nothing of some tests; what it does not name does not matter.

    A group that loses all its members goes with them. Tests by position stay as they are.

    >>> from frugaltree import Costs
    >>> costs = Costs({"id": 1, "a": 2}, {"g": Group(["id", "a"], cost=3)}, never_ask=["id"])
    >>> leave_out(costs, ["id", "b"])
    Costs(tests={'a': 2}, groups={'g': Group(['a'], cost=3)})
    """
    groups = {name: _smaller(group, names) for name, group in costs.groups.items()}
    tests = costs.tests
    return replace(
        costs,
        tests=tests and {test: price for test, price in tests.items() if test not in names},
        groups={name: group for name, group in groups.items() if group is not None},
        delayed=_others(costs.delayed, names),
        known=_others(costs.known, names),
        unavailable=_others(costs.unavailable, names),
        never_ask=_others(costs.never_ask, names),
        price_if={
            test: table for test, table in costs.price_if.items() if _stays(test, table, names)
        },
        first=_others(costs.first, names),
        together=_panels(costs.together, names),
        requires={
            test: _others(needed, names)
            for test, needed in costs.requires.items()
            if test not in names
        },
        waiting=costs.waiting and costs.waiting.without(names),
    )


def _stays(test: Test, table: Iterable[Test], names: Collection[str]) -> bool:
    """Tell whether a test stays whose price depends on another; then that must, too."""
    for on in table:
        if on in names and test not in names:
            raise InvalidCosts(
                f"{on!r} is left out, but price_if makes the price of {test!r} depend on it; keep "
                "it, or leave out both."
            )
    return test not in names


def _others(tests: Iterable[Test], names: Collection[str]) -> tuple[Test, ...]:
    return tuple(test for test in tests if test not in names)


def _panels(
    together: Iterable[tuple[Test, ...]], names: Collection[str]
) -> tuple[tuple[Test, ...], ...]:
    """Return the panels without some tests; one with a single test left is none."""
    left = [_others(panel, names) for panel in together]
    return tuple(panel for panel in left if len(panel) > 1)


def _smaller(group: Group, names: Collection[str]) -> Group | None:
    """Return a group without some members; None if no other is left."""
    if isinstance(group.tests, dict):
        left = {test: saved for test, saved in group.tests.items() if test not in names}
        return Group(left) if left else None
    members = _others(group.tests, names)
    return Group(members, group.cost) if members else None
