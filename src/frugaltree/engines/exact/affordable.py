"""Trees cut back to what a budget can pay for, and what is left of it at a node."""

from __future__ import annotations

import numpy as np

from frugaltree.costs.path import PathPrices
from frugaltree.kernels.cost.charges import charge_tree, end_of
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.kernels.ties import TOLERANCE


def left_at(prices: Prices, nodes: Nodes, node: int, left: float) -> float:
    """Return what is left of a budget at a node of a tree in preorder, outside any order."""
    if left == np.inf or node == 0:
        return left
    charged = charge_tree(prices, nodes)
    return max(0.0, left - float(charged.bills[node] - charged.charges[node]))


def cut_to_budget(prices: Prices, nodes: Nodes, left: float) -> None:
    """Make leaves, in place, of the nodes of a tree in preorder that the budget does not reach.

    Of an order that is too dear as a whole, the tests are kept that there is room for, those
    further up first. What is cut off stands where it did, and is asked no more.
    """
    if left == np.inf:
        return
    most, charged = left * (1.0 + TOLERANCE), charge_tree(prices, nodes)
    for node in np.flatnonzero((charged.bills > most) & (nodes.test != NONE)).tolist():
        owner = charged.owner[node]
        if owner == node:
            paid_before = float(charged.bills[node] - charged.charges[node])
            _cut_order(prices, nodes, node, most - paid_before)
        elif owner == NONE:
            _cut_off(nodes, node)


def _cut_off(nodes: Nodes, node: int) -> None:
    """Make leaves of a node and of all below it."""
    nodes.test[node : end_of(nodes, node)] = NONE


def _cut_order(prices: Prices, nodes: Nodes, top: int, left: float) -> None:
    """Cut off, within an order, the tests that there is no room for."""
    before, ordered = PathPrices.at_node(prices, nodes, top), list[int]()
    for node in range(top, end_of(nodes, top)):
        test = int(nodes.test[node])
        if test == NONE or test in ordered or before.is_paid(test):
            continue
        if before.take_order([*ordered, test])[0] <= left:
            ordered.append(test)
        else:
            _cut_off(nodes, node)
