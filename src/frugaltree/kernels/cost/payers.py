"""Who pays for an order of tests: a case, only for those that it has a value of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.charges import mark_order, path_state
from frugaltree.kernels.cost.prices import ORDERED, price_of_order
from frugaltree.kernels.data.counts import total_of
from frugaltree.kernels.jit import part

WITHHELD = 3
"""Mark, among the tests paid for, of one that is ordered but gives a case no result."""


class Payers(NamedTuple):
    """The cases of the nodes of a tree that order tests, and the values that they lack.

    Attributes
    ----------
    alike : bool
        True where all cases of a node pay the same, because none lacks a value or because a
        missing one is charged. Then nothing else is read.
    lacks : uint8[case, a]
        1 where a case lacks a value of a test.
    weights : float64[case]
        How many cases each stands for.
    rows : int32[place]
        Cases, those of a node side by side.
    start, stop : int64[node]
        Where the cases of a node stand among ``rows``; of the nodes that order tests.
    """

    alike: bool
    lacks: np.ndarray
    weights: np.ndarray
    rows: np.ndarray
    start: np.ndarray
    stop: np.ndarray

    @classmethod
    def all_alike(cls, n_nodes: int) -> Payers:
        """Return payers for trees of so many nodes whose cases pay the same."""
        return cls(
            alike=True,
            lacks=np.empty((0, 0), np.uint8),
            weights=np.empty(0),
            rows=np.empty(0, np.int32),
            start=np.empty(n_nodes, np.int64),
            stop=np.empty(n_nodes, np.int64),
        )


@part
def price_for_case(prices, payers, row, whole, state):
    """Return what a case pays for an order whose tests are marked in ``state``.

    ``whole`` is what one pays that lacks nothing.
    """
    lacks, paid = False, state.paid
    for a in range(paid.size):
        if paid[a] == ORDERED and payers.lacks[row, a]:
            paid[a] = WITHHELD
            lacks = True
    if not lacks:
        return whole
    price = price_of_order(prices, paid, state.opened)
    for a in range(paid.size):
        if paid[a] == WITHHELD:
            paid[a] = ORDERED
    return price


@part
def order_cost(prices, nodes, task, top, skip, state):
    """Return what the order of a subtree costs over all its cases, ``skip`` taken as a leaf.

    ``task`` has the payers, and ``n``, where the tree ends; ``state`` is room to work it out.
    """
    payers = task.payers
    path_state(prices, nodes, top, state.paid, state.opened)
    mark_order(nodes, task.n, top, skip, state.paid)
    whole = price_of_order(prices, state.paid, state.opened)
    if payers.alike:
        return whole * total_of(nodes.counts[top])
    total = 0.0
    for i in range(payers.start[top], payers.stop[top]):
        row = payers.rows[i]
        total += payers.weights[row] * price_for_case(prices, payers, row, whole, state)
    return total
