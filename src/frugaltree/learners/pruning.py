"""Cost-sensitive pruning of a whole tree (section 3.4)."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.grow import Nodes
from frugaltree.kernels.price import cheapest_labels
from frugaltree.kernels.prune_costs import prune_costs
from frugaltree.learners.base import Problem
from frugaltree.learners.estimate import costs_as_leaves
from frugaltree.learners.greedy import ordered, widest


def prune_by_costs(
    problem: Problem, nodes: Nodes, cf: float, form: str, penalty: str = "laplace"
) -> Nodes:
    """Return a tree in preorder without the subtrees that cost at least as much as a leaf."""
    cases, n = problem.cases, nodes.test.size
    labels = np.empty(n, np.int32)
    cheapest_labels(problem.errors, nodes.counts, labels)
    leaf = costs_as_leaves(nodes, problem.errors, labels, cf, form, penalty)
    nodes = Nodes(*(array.copy() for array in nodes))
    prune_costs(
        problem.prices,
        nodes,
        cases.domain,
        cases.nominal,
        leaf,
        np.empty((n + widest(cases), 3), np.int64),
        np.empty(n, np.int64),
        np.empty(cases.domain.size, np.uint8),
        np.empty(problem.prices.member.shape[1], np.uint8),
        np.empty(n),
        np.empty(n),
        np.empty(n, np.int64),
        np.empty(cases.domain.size),
        np.empty(n),
        np.empty(n),
    )
    return ordered(nodes, cases)
