"""Sampled trees where tests are delayed: an order is charged as a whole (Turney's rule).

What a subtree costs then depends on the tests beside it, so costs cannot be added up on the way.
Sampled trees are written down instead, below a chain of nodes that stands for the path, and
pruned and priced as trees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.choose import NONE
from frugaltree.kernels.grow import Nodes
from frugaltree.kernels.jit import part
from frugaltree.kernels.price import Prices
from frugaltree.kernels.prune_costs import Pruning, prune_tree


class Draft(NamedTuple):
    """A tree being written down: the path, the test in hand, and what is sampled below it."""

    nodes: Nodes
    leaf: np.ndarray  # float64[node]: cost as a leaf
    used: np.ndarray  # int64[2]: nodes and child slots

    @classmethod
    def empty(cls, n_nodes: int, n_children: int, n_classes: int) -> Draft:
        """Return room for so many nodes."""
        return cls(
            Nodes.empty(n_nodes, n_children, n_classes),
            np.empty(n_nodes),
            np.zeros(2, np.int64),
        )


class Orders(NamedTuple):
    """Where a test is weighed: its latest sample, the tree of the best ones, and buffers."""

    trial: Draft
    best: Draft
    pruning: Pruning

    @classmethod
    def empty(cls, prices: Prices, n_cases: int, widest: int, n_classes: int) -> Orders:
        """Return room for sampled trees of so many cases, and for their paths."""
        n_tests, n_groups = prices.member.shape
        nodes = 2 * n_cases + n_tests + 2
        children = 2 * nodes + (n_tests + 2) * widest
        return cls(
            Draft.empty(nodes, children, n_classes),
            Draft.empty(nodes, children, n_classes),
            Pruning.empty(nodes, widest, n_tests, n_groups),
        )


@part
def write_path(path, draft):
    """Begin a draft with a chain of the tests that the path has paid for."""
    draft.used[0] = 0
    draft.used[1] = 0
    for a in range(path.paid.size):
        if path.paid[a]:
            node = draft.used[0]
            draft.nodes.test[node] = a
            draft.nodes.parent[node] = node - 1
            draft.nodes.first[node] = 0
            draft.used[0] = node + 1


@part
def write_test(draft, a, k, counts):
    """Add the test in hand, with ``k`` branches still empty; return its node."""
    node, first = draft.used[0], draft.used[1]
    draft.nodes.test[node] = a
    draft.nodes.parent[node] = node - 1
    draft.nodes.first[node] = first
    draft.leaf[node] = np.inf
    for c in range(counts.size):
        draft.nodes.counts[node, c] = counts[c]
    for b in range(k):
        draft.nodes.children[first + b] = NONE
    draft.used[0] = node + 1
    draft.used[1] = first + k
    return node


@part
def clear_sample(bench, a, node):
    """Forget the sample of the trial: what stands behind the test in hand."""
    trial = bench.orders.trial
    k = bench.table.domain[a] if bench.table.nominal[a] else np.int64(2)
    trial.used[0] = node + 1
    trial.used[1] = trial.nodes.first[node] + k


@part
def price_sample(bench, root, ordered):
    """Prune the sample of the trial, if samples are pruned, and return its cost over all cases."""
    trial = bench.orders.trial
    return prune_tree(
        bench.prices, trial.nodes, root, trial.used[0], bench.table.domain, bench.table.nominal,
        trial.leaf, ordered, False, bench.plan.prune, bench.orders.pruning,
    )  # fmt: skip


@part
def price_order(bench, node):
    """Return the cost, over all cases, of the order of a test and the best trees below it.

    They may lose further subtrees: what each was worth alone it need not be worth together.
    """
    best = bench.orders.best
    return prune_tree(
        bench.prices, best.nodes, node, best.used[0], bench.table.domain, bench.table.nominal,
        best.leaf, True, True, bench.plan.prune, bench.orders.pruning,
    )  # fmt: skip


@part
def attach(bench, a, node, b):
    """Copy the sample of the trial into the best draft, as branch ``b`` of the test in hand.

    Returns False if there is no room.
    """
    trial, best, root = bench.orders.trial, bench.orders.best, node + 1
    slot = trial.nodes.first[node] + (bench.table.domain[a] if bench.table.nominal[a] else 2)
    n, slots = trial.used[0] - root, trial.used[1] - slot
    place, first = best.used[0], best.used[1]
    if place + n > best.leaf.size or first + slots > best.nodes.children.size:
        return False
    for i in range(n):
        best.nodes.test[place + i] = trial.nodes.test[root + i]
        best.nodes.first[place + i] = trial.nodes.first[root + i] - slot + first
        parent = trial.nodes.parent[root + i]
        best.nodes.parent[place + i] = node if i == 0 else parent - root + place
        best.leaf[place + i] = trial.leaf[root + i]
        for c in range(best.nodes.counts.shape[1]):
            best.nodes.counts[place + i, c] = trial.nodes.counts[root + i, c]
    for i in range(slots):
        child = trial.nodes.children[slot + i]
        best.nodes.children[first + i] = NONE if child == NONE else child - root + place
    best.nodes.children[best.nodes.first[node] + b] = place
    best.used[0] = place + n
    best.used[1] = first + slots
    return True
