"""Cost-sensitive pruning of a whole tree (section 3.4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frugaltree.engines.greedy import most_branches, to_preorder
from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.charges import end_of
from frugaltree.kernels.cost.payers import Payers
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.cost.prune import CUT, PruneTask, Pruning, prune_costs
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.tree.routing import find_nodes, own_ways

Floats = npt.NDArray[np.float64]


def prune_to_leaves(
    problem: Problem, nodes: Nodes, leaf: Floats, prices: Prices, payers: Payers | None = None
) -> tuple[Nodes, float]:
    """Return a tree in preorder, pruned, given each node's cost as a leaf; and its cost in all.

    All cases of the problem pay for its orders, unless others are given.
    """
    cases = problem.cases
    nodes = Nodes(*(array.copy() for array in nodes))
    if payers is None:
        payers = payers_of(problem, nodes, prices, np.arange(cases.classes.size))
    task = PruneTask(root=0, n=nodes.test.size, leaf=leaf, how=CUT, payers=payers)
    buffers = Pruning.empty(nodes.test.size, most_branches(cases), *prices.member.shape)
    cost = prune_costs(prices, nodes, cases.domain, cases.nominal, task, buffers)
    return to_preorder(nodes, cases), float(cost)


def pay_alike(problem: Problem, prices: Prices) -> bool:
    """Tell whether all cases that come to an order pay the same for it."""
    some_wait = (prices.delayed & prices.usable).any()
    return bool(prices.charge_missing or not some_wait or not problem.cases.lacking.any())


def payers_of(
    problem: Problem, nodes: Nodes, prices: Prices, rows: npt.NDArray[np.integer]
) -> Payers:
    """Return which of some cases come to each node of a tree in preorder, and what they lack."""
    if pay_alike(problem, prices):
        return Payers.all_alike(nodes.test.size)
    cases, values = problem.cases, problem.table.rows(rows.astype(np.intp))
    ends = find_nodes(values, nodes, cases.domain, cases.nominal, own_ways(nodes))
    places = np.argsort(ends, kind="stable")
    numbers = range(nodes.test.size)
    return Payers(
        alike=False,
        lacks=np.isnan(values).astype(np.uint8),
        weights=cases.weights[rows],
        rows=places.astype(np.int32),
        start=np.searchsorted(ends[places], numbers),
        stop=np.searchsorted(ends[places], [end_of(nodes, node) for node in numbers]),
    )


def free(prices: Prices) -> Prices:
    """Return a price list on which everything is free and immediate."""
    return prices._replace(
        full=np.zeros_like(prices.full),
        discount=np.zeros_like(prices.discount),
        delayed=np.zeros_like(prices.delayed),
    )
