"""A price list at which every test counts as one: for how many tests a case may be charged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from frugaltree.costs.group import Group

if TYPE_CHECKING:
    from frugaltree.costs.model import Costs


def counting_tests(costs: Costs) -> Costs:
    """Return a price list on which each test costs 1, a panel as many as it has, known ones none.

    Its groups have the same members, and take nothing off.

    >>> from frugaltree import Costs
    >>> counted = counting_tests(Costs([5, 6, 7], together=[[0, 1]], known=[2]))
    >>> counted.prices(["a", "b", "c"]).full
    array([2., 2., 0.])
    """
    groups = {name: Group(dict.fromkeys(one.members, 0.0)) for name, one in costs.groups.items()}
    return replace(costs, tests=None, default_test_cost=1, groups=groups, waiting=None)
