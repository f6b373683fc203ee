"""Cost-sensitive pruning of a whole tree (section 3.4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.nodes import Nodes
from frugaltree.kernels.price import Prices
from frugaltree.kernels.prune_costs import Pruning, prune_costs
from frugaltree.learners.base import Problem
from frugaltree.learners.greedy import ordered, widest

Floats = npt.NDArray[np.float64]


def prune_to_leaves(
    problem: Problem, nodes: Nodes, leaf: Floats, prices: Prices
) -> tuple[Nodes, float]:
    """Return a tree in preorder, pruned, given each node's cost as a leaf; and its cost in all."""
    cases = problem.cases
    nodes = Nodes(*(array.copy() for array in nodes))
    buffers = Pruning.empty(nodes.test.size, widest(cases), *prices.member.shape)
    cost = prune_costs(prices, nodes, cases.domain, cases.nominal, leaf, buffers)
    return ordered(nodes, cases), float(cost)
