"""Cost-sensitive pruning of a whole tree (section 3.4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frugaltree.engines.greedy import most_branches, to_preorder
from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.cost.prune import Pruning, prune_costs
from frugaltree.kernels.data.nodes import Nodes

Floats = npt.NDArray[np.float64]


def prune_to_leaves(
    problem: Problem, nodes: Nodes, leaf: Floats, prices: Prices
) -> tuple[Nodes, float]:
    """Return a tree in preorder, pruned, given each node's cost as a leaf; and its cost in all."""
    cases = problem.cases
    nodes = Nodes(*(array.copy() for array in nodes))
    buffers = Pruning.empty(nodes.test.size, most_branches(cases), *prices.member.shape)
    cost = prune_costs(prices, nodes, cases.domain, cases.nominal, leaf, buffers)
    return to_preorder(nodes, cases), float(cost)
