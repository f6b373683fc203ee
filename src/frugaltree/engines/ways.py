"""Where cases go that lack a value: by the cases that a tree was learned from."""

from __future__ import annotations

import numpy as np

from frugaltree.engines.problem import Problem
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
