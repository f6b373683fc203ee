"""Where cases go that lack a value: by the cases that a tree was learned from."""

from __future__ import annotations

import numpy as np

from frugaltree.engines.openers import may_rise_without
from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.cost.ways import WayBuffers, WayTask, find_ways
from frugaltree.tree.routing import Ways, own_ways
from frugaltree.tree.tree import Tree


def ways_of(problem: Problem, tree: Tree) -> Ways:
    """Return where a case goes on from each node without a value of its test; NONE if it ends.

    ``tree`` was learned from the problem's cases, which are not fractional.
    """
    cases, nodes = problem.cases, tree.layout[0]
    task = WayTask(
        cases=cases,
        prices=problem.prices,
        errors=problem.errors,
        nodes=nodes,
        labels=np.array(tree.labels),
        ways=own_ways(nodes),
    )
    find_ways(
        task, WayBuffers.empty(cases.classes.size, nodes.test.size, *problem.prices.member.shape)
    )
    return task.ways


def may_rise(prices: Prices) -> bool:
    """Tell whether a path may charge a case more because it lacks a value on the way.

    >>> ones, none = np.ones(2, np.uint8), np.zeros(2, np.uint8)
    >>> from frugaltree.kernels.cost.ask_rules import AskRules
    >>> rules = AskRules.none(2)
    >>> for full in ([2.0, 10.0], [3.0, 10.0]):
    ...     shared = np.array([[2.0], [3.0]])
    ...     may_rise(Prices(np.array(full), shared, np.ones((2, 1)), none, ones, False, rules))
    True
    False
    """
    return not prices.charge_missing and may_rise_without(prices)
