"""Sampled trees where tests are delayed: a lab order is charged as a whole (Turney's rule).

What a subtree costs then depends on the tests beside it, so costs cannot be added up on the way.
Sampled trees are written down instead, below a chain of nodes that stands for the path, and
pruned and priced as trees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.payers import Payers
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.cost.prune import CUT, PruneTask, Pruning, prune_tree
from frugaltree.kernels.data.cells import Table, values_lacking
from frugaltree.kernels.data.nodes import NUMERIC_BRANCHES, Nodes, set_leaf
from frugaltree.kernels.jit import part
from frugaltree.kernels.records import empty_records, record_type
from frugaltree.kernels.sampling.cache import rows_of
from frugaltree.kernels.sentinels import NONE

WRITTEN_USED = record_type(
    nodes=np.int64, slots=np.int64, rows=np.int64, test_node=np.int64, lacking=np.int64
)
"""How many nodes, child slots and rows of payers are written, the node of the test under
evaluation, and 1 while trees are written for the cases that lack a value of it."""

ROWS_WRITTEN = 5
"""How often a case may stand among the payers: at the test, and twice in either of two trees, at
the root and where tests are ordered first."""


class WrittenTrees(NamedTuple):
    """Trees written down: the path of a test under evaluation, its best trees, the latest one."""

    nodes: Nodes
    leaf: np.ndarray  # float64[node]: cost as a leaf
    used: np.record  # WRITTEN_USED
    pruning: Pruning
    payers: Payers

    @classmethod
    def empty(cls, prices: Prices, table: Table, n_cases: int, alike: bool) -> WrittenTrees:
        """Return room for the trees of so many cases, twice, and for their path.

        ``alike`` says that all cases pay the same for an order.
        """
        n_tests, n_groups = prices.member.shape
        size = 4 * n_cases + n_tests + 2
        payers = Payers.all_alike(size)
        if not alike:
            payers = payers._replace(
                alike=False,
                lacks=values_lacking(table),
                weights=table.weights.astype(np.float64),
                rows=np.empty(ROWS_WRITTEN * n_cases, np.int32),
            )
        slots = NUMERIC_BRANCHES * size + 2 * table.widest
        return cls(
            nodes=Nodes.empty(size, slots, table.n_classes),
            leaf=np.empty(size),
            used=empty_records(1, WRITTEN_USED)[0],
            pruning=Pruning.empty(size, table.widest, n_tests, n_groups),
            payers=payers,
        )


class WrittenMark(NamedTuple):
    """How much was written at some time."""

    nodes: int
    slots: int
    rows: int


@part
def mark_written(written):
    """Return how much is written."""
    return WrittenMark(written.used.nodes, written.used.slots, written.used.rows)


@part
def erase_since(written, mark):
    """Forget what was written since."""
    written.used.nodes = mark.nodes
    written.used.slots = mark.slots
    written.used.rows = mark.rows


@part
def write_payers(written, node, cases):
    """Write down the cases that pay for what a node orders."""
    payers, used = written.payers, written.used
    if payers.alike:
        return
    payers.start[node] = used.rows
    for i in range(cases.lo, cases.mid):
        payers.rows[used.rows] = cases.rows[i]
        used.rows += 1
    payers.stop[node] = used.rows


@part
def write_test(path, written, a, k, counts, cases):
    """Begin with a chain of the tests paid for on the path, and test ``a``, still bare."""
    nodes, used = written.nodes, written.used
    used.nodes = 0
    used.rows = 0
    for t in range(path.paid.size + 1):
        taken = a if t == path.paid.size else t
        if t == path.paid.size or path.paid[t]:
            node = used.nodes
            nodes.test[node] = taken
            nodes.parent[node] = node - 1
            nodes.first[node] = 0
            nodes.lacking[node] = 0
            used.nodes = node + 1
    used.slots = k
    used.test_node = used.nodes - 1
    written.leaf[used.test_node] = np.inf
    for c in range(counts.size):
        nodes.counts[used.test_node, c] = counts[c]
    for b in range(k):
        nodes.children[b] = NONE
    write_payers(written, used.test_node, cases)


@part
def may_order(work, depth, a):
    """Tell whether a node of a sampled tree is its root, or asks the first delayed test."""
    nodes, delayed = work.written.nodes, work.prices.delayed
    for d in range(depth):
        if delayed[nodes.test[work.frames[d].node]]:
            return False
    return depth == 0 or delayed[a] != 0


@part
def write_node(work, depth, a, k):
    """Write down the node of a sampled tree in hand; return False if there is no room."""
    cache, written, frame = work.sets.cache, work.written, work.frames[depth]
    nodes, node, first = written.nodes, written.used.nodes, written.used.slots
    if node >= written.leaf.size or first + k > nodes.children.size:
        return False
    parent, lacking = written.used.test_node, written.used.lacking
    if depth > 0:
        above = work.frames[depth - 1]
        parent, lacking = above.node, np.int64(above.next == above.lacking)
        nodes.children[nodes.first[parent] + above.next - 1] = node
    set_leaf(nodes, node, parent, cache.counts[frame.set])
    nodes.lacking[node] = lacking
    nodes.test[node] = a
    nodes.first[node] = first
    written.leaf[node] = cache.sets[frame.set].leaf_cost
    for b in range(k):
        nodes.children[first + b] = NONE
    frame.node = node
    written.used.nodes = node + 1
    written.used.slots = first + k
    if a != NONE and may_order(work, depth, a):
        write_payers(written, node, rows_of(cache, frame.set))
    return True


@part
def price_written(work, root, how):
    """Prune the tree written down from ``root`` on, if samples are pruned; return its cost."""
    written, table = work.written, work.sets.table
    if work.sets.plan.prune:
        how = how | CUT
    task = PruneTask(
        root=root, n=written.used.nodes, leaf=written.leaf, how=how, payers=written.payers
    )
    return prune_tree(
        work.prices, written.nodes, table.domain, table.nominal, task, written.pruning
    )


@part
def attach_written(written, place, mark, b):
    """Move the tree written since ``mark`` to an earlier ``place``.

    There it is branch ``b`` of the test under evaluation, and the last that is written.
    """
    nodes, used, payers = written.nodes, written.used, written.payers
    down, back, up = mark.nodes - place.nodes, mark.slots - place.slots, mark.rows - place.rows
    for i in range(mark.nodes, used.nodes):
        nodes.test[i - down] = nodes.test[i]
        nodes.first[i - down] = nodes.first[i] - back
        nodes.parent[i - down] = nodes.parent[i] - (0 if i == mark.nodes else down)
        nodes.lacking[i - down] = nodes.lacking[i]
        written.leaf[i - down] = written.leaf[i]
        payers.start[i - down] = payers.start[i] - up
        payers.stop[i - down] = payers.stop[i] - up
        for c in range(nodes.counts.shape[1]):
            nodes.counts[i - down, c] = nodes.counts[i, c]
    for i in range(mark.slots, used.slots):
        child = nodes.children[i]
        nodes.children[i - back] = NONE if child == NONE else child - down
    for i in range(mark.rows, used.rows):
        payers.rows[i - up] = payers.rows[i]
    nodes.children[b] = place.nodes
    used.nodes -= down
    used.slots -= back
    used.rows -= up
