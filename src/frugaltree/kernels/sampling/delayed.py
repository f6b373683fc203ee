"""Sampled trees where tests are delayed: an order is charged as a whole (Turney's rule).

What a subtree costs then depends on the tests beside it, so costs cannot be added up on the way.
Sampled trees are written down instead, below a chain of nodes that stands for the path, and
pruned and priced as trees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.cost.prune import CUT, Pruning, prune_tree
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.jit import part
from frugaltree.kernels.sentinels import NONE

NODES, SLOTS, TEST = range(3)
"""What :attr:`Orders.used` holds: nodes and child slots written, and the test in hand's node."""


class Orders(NamedTuple):
    """Where a test is weighed: its path, its best trees so far, and the latest sample."""

    nodes: Nodes
    leaf: np.ndarray  # float64[node]: cost as a leaf
    used: np.ndarray  # int64[3]
    pruning: Pruning

    @classmethod
    def empty(cls, prices: Prices, n_cases: int, widest: int, n_classes: int) -> Orders:
        """Return room for the trees of so many cases, twice, and for their path."""
        n_tests, n_groups = prices.member.shape
        size = 4 * n_cases + n_tests + 2
        return cls(
            Nodes.empty(size, 2 * size + 2 * widest, n_classes),
            np.empty(size),
            np.zeros(3, np.int64),
            Pruning.empty(size, widest, n_tests, n_groups),
        )


@part
def write_test(path, orders, a, k, counts):
    """Begin with a chain of the tests paid for on the path, and the test in hand, still bare."""
    nodes, used = orders.nodes, orders.used
    used[NODES] = 0
    for t in range(path.paid.size + 1):
        taken = a if t == path.paid.size else t
        if t == path.paid.size or path.paid[t]:
            node = used[NODES]
            nodes.test[node] = taken
            nodes.parent[node] = node - 1
            nodes.first[node] = 0
            used[NODES] = node + 1
    used[SLOTS] = k
    used[TEST] = used[NODES] - 1
    orders.leaf[used[TEST]] = np.inf
    for c in range(counts.size):
        nodes.counts[used[TEST], c] = counts[c]
    for b in range(k):
        nodes.children[b] = NONE


@part
def price_tree(bench, root, how):
    """Prune the tree written down from ``root`` on, if samples are pruned; return its cost."""
    orders = bench.orders
    if bench.plan.prune:
        how = how | CUT
    return prune_tree(
        bench.prices, orders.nodes, root, orders.used[NODES], bench.table.domain,
        bench.table.nominal, orders.leaf, how, orders.pruning,
    )  # fmt: skip


@part
def attach(orders, place, first, root, slot, b):
    """Move the tree written from ``root`` and ``slot`` on to ``place`` and ``first``.

    There it is branch ``b`` of the test in hand, and the last that is written.
    """
    nodes, used = orders.nodes, orders.used
    down, back = root - place, slot - first
    for i in range(root, used[NODES]):
        nodes.test[i - down] = nodes.test[i]
        nodes.first[i - down] = nodes.first[i] - back
        nodes.parent[i - down] = nodes.parent[i] - (0 if i == root else down)
        orders.leaf[i - down] = orders.leaf[i]
        for c in range(nodes.counts.shape[1]):
            nodes.counts[i - down, c] = nodes.counts[i, c]
    for i in range(slot, used[SLOTS]):
        child = nodes.children[i]
        nodes.children[i - back] = NONE if child == NONE else child - down
    nodes.children[b] = place
    used[NODES] -= down
    used[SLOTS] -= back
