"""Where trees are grown on complete cases that count once: what they share, and room for one.

The cases of a node are ``who[begin[node]:end[node]]``, a run within its parent's. Each numeric
test has a list of its own, parted likewise but sorted by the test. Places and codes have no sign,
for an index with a sign is checked for being negative.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.charges import PREORDER_FRAME
from frugaltree.kernels.records import empty_records


class Ground(NamedTuple):
    """What all trees of a table share.

    A cell is ``code << shift | class``.
    """

    cells: np.ndarray  # uint32[a, n]
    rows: np.ndarray  # uint32[n, a]: the codes once more, case by case
    order: np.ndarray  # uint32[list, n]: the cases sorted by each numeric test
    list_of: np.ndarray  # int64[a]: NONE for a nominal test
    dense: np.ndarray  # uint8[a]: 1 where a numeric test has values too close to part
    shift: int
    n_grown: int  # how many cases a tree is grown on
    min_cases: float
    need: np.uint32  # the same as a whole number of cases
    limit: float  # a test of a higher price is not available
    form: int  # of the expected error


class Bed(NamedTuple):
    """Where a tree is grown, pruned and judged."""

    chosen: np.ndarray  # uint8[n]: 1 for the cases to grow on
    who: np.ndarray  # uint32[place]: these cases
    others: np.ndarray  # uint32[place]: the rest
    roots: np.ndarray  # uint32[list, place]: the lists of the root
    lists: np.ndarray  # uint32[list, place]
    spare: np.ndarray  # uint32[place]
    branch: np.ndarray  # uint32[n]
    place: np.ndarray  # uint32[branch]
    stack: np.ndarray  # int64[height, 2]: node, and what to do with it
    marks: np.ndarray  # uint8[height, a]: beside the stack, IDLE and PAID
    begin: np.ndarray  # int64[node]
    end: np.ndarray  # int64[node]
    counts: np.ndarray  # float64[class]
    hist: np.ndarray  # uint32[cell]: zero between uses
    sizes: np.ndarray  # uint32[code]: zero between uses
    at: np.ndarray  # uint32[class]: where a class stands in ``both``
    both: np.ndarray  # float64: for each class, x log x of its cases on both sides of a cut
    sides: np.ndarray  # float64[place]: x log x of the sides
    ranking: np.ndarray  # int64[a]: the available tests, cheapest first
    damp: np.ndarray  # float64[a]: what a test's price makes of its use
    worth: np.ndarray  # float64[a]: -1 where a test cannot be used
    cut: np.ndarray  # int64[a]: the last place below the best cut
    errors: np.ndarray  # float64[node]
    strays: np.ndarray  # uint32[slot << shift | class]: zero between uses
    met: np.ndarray  # uint8[slot]: 1 where strays have come to, zero between uses
    touched: np.ndarray  # int64[slot]: these slots
    paid: np.ndarray  # uint8[a]
    opened: np.ndarray  # uint8[g]
    charges: np.ndarray  # float64[node]
    bills: np.ndarray  # float64[node]
    owner: np.ndarray  # int64[node]
    usage: np.ndarray  # float64[a]
    labels: np.ndarray  # int64[node]
    way: np.ndarray  # int64[height, 3]

    @classmethod
    def empty(
        cls, ground: Ground, n_classes: int, widest: int, n_groups: int, n_nodes: int, n_slots: int
    ) -> Bed:
        """Return room for trees of so many nodes and slots for children."""
        (n_tests, n), n_lists, m = ground.cells.shape, len(ground.order), ground.n_grown
        return cls(
            np.empty(n, np.uint8),
            np.empty(n + 1, np.uint32),
            np.empty(n + 1, np.uint32),
            np.empty((n_lists, m + 1), np.uint32),
            np.empty((n_lists, m), np.uint32),
            np.empty(m, np.uint32),
            np.empty(n, np.uint32),
            np.empty(widest, np.uint32),
            np.empty((n_nodes + 1, 2), np.int64),
            np.empty((m // 2 + 2, n_tests), np.uint8),
            np.empty(n_nodes, np.int64),
            np.empty(n_nodes, np.int64),
            np.empty(n_classes),
            np.zeros(widest << ground.shift, np.uint32),
            np.zeros(widest, np.uint32),
            np.empty(n_classes, np.uint32),
            np.empty(m + n_classes),
            np.empty(m + 1),
            np.empty(n_tests, np.int64),
            np.empty(n_tests),
            np.empty(n_tests),
            np.empty(n_tests, np.int64),
            np.empty(n_nodes),
            np.zeros(n_slots << ground.shift, np.uint32),
            np.zeros(n_slots, np.uint8),
            np.empty(n_slots, np.int64),
            np.empty(n_tests, np.uint8),
            np.empty(n_groups, np.uint8),
            np.empty(n_nodes),
            np.empty(n_nodes),
            np.empty(n_nodes, np.int64),
            np.empty(n_tests),
            np.empty(n_nodes, np.int64),
            empty_records(n_nodes + widest, PREORDER_FRAME),
        )
