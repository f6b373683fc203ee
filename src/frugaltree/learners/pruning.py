"""Cost-sensitive pruning of a whole tree (section 3.4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.grow import Nodes
from frugaltree.kernels.price import Prices, cheapest_labels
from frugaltree.kernels.prune_costs import Pruning, prune_costs
from frugaltree.learners.base import Problem
from frugaltree.learners.estimate import costs_as_leaves
from frugaltree.learners.greedy import ordered, widest

Floats = npt.NDArray[np.float64]


def prune_by_costs(
    problem: Problem, nodes: Nodes, cf: float, form: str, penalty: str = "laplace"
) -> Nodes:
    """Return a tree in preorder without the subtrees that cost at least as much as a leaf."""
    labels = labels_of(problem, nodes)
    leaf = costs_as_leaves(nodes, problem.errors, labels, cf, form, penalty)
    return prune_to_leaves(problem, nodes, leaf, problem.prices)[0]


def prune_to_leaves(
    problem: Problem, nodes: Nodes, leaf: Floats, prices: Prices
) -> tuple[Nodes, float]:
    """Return a tree in preorder, pruned, given each node's cost as a leaf; and its cost in all."""
    cases = problem.cases
    nodes = Nodes(*(array.copy() for array in nodes))
    buffers = Pruning.empty(nodes.test.size, widest(cases), *prices.member.shape)
    cost = prune_costs(prices, nodes, cases.domain, cases.nominal, leaf, buffers)
    return ordered(nodes, cases), float(cost)


def labels_of(problem: Problem, nodes: Nodes) -> npt.NDArray[np.int32]:
    """Return the cheapest answer of every node."""
    labels = np.empty(nodes.test.size, np.int32)
    cheapest_labels(problem.errors, nodes.counts, labels)
    return labels
