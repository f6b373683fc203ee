"""How complete cases that count once lie in memory, and the buffers in which trees are grown.

The cases of a node are ``grown[begin:end]`` of its run, which lies within its parent's. Each
numeric test has a list of its own, partitioned likewise but sorted by the test. Places and codes
have no sign, for an index with a sign is checked for being negative.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.charges import PREORDER_FRAME, ChargeBuffers
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.records import plain_records, record_type

ZERO32, ONE32 = np.uint32(0), np.uint32(1)

CONSTANT, PAID = 1, 2
"""What the tests above have made of a test: one value is left, or its result is known."""

CASE_RUN = record_type(begin=np.int64, end=np.int64)
"""Where the cases of a node stand."""

TRIAL_FRAME = record_type(node=np.int64, todo=np.int64)
"""A node, and what pruning has to do with it next."""

TRIAL_SIZE = record_type(n_nodes=np.int64, n_slots=np.int64, n_tests=np.int64)
"""How many nodes and slots the tree has, and how many tests are available."""


class CaseLayout(NamedTuple):
    """What all trees of a table share.

    A cell is ``code << shift | class``.
    """

    cells: np.ndarray  # uint32[a, n]
    codes: np.ndarray  # uint32[n, a]: the codes once more, case by case
    order: np.ndarray  # uint32[list, n]: the cases sorted by each numeric test
    list_of: np.ndarray  # int64[a]: NONE for a nominal test
    dense: np.ndarray  # uint8[a]: 1 where a numeric test has values too close to separate
    shift: int
    n_grown: int  # how many cases a tree is grown on
    min_cases: float
    need: np.uint32  # the same as a whole number of cases
    limit: float  # a test of a higher price is not available
    form: int  # of the expected error


class TrialBuffers(NamedTuple):
    """Where trees are grown, pruned and evaluated, one after the other."""

    nodes: Nodes  # the tree as it is grown
    tree: Nodes  # the same in preorder, once it is pruned
    size: np.ndarray  # TRIAL_SIZE[1]
    chosen: np.ndarray  # uint8[n]: 1 for the cases to grow on
    grown: np.ndarray  # uint32[place]: these cases
    held_out: np.ndarray  # uint32[place]: the rest
    root_lists: np.ndarray  # uint32[list, place]: the lists of the root
    lists: np.ndarray  # uint32[list, place]
    spare: np.ndarray  # uint32[place]
    branch_of: np.ndarray  # uint32[n]
    starts: np.ndarray  # uint32[branch]
    stack: np.ndarray  # TRIAL_FRAME[height]
    flags: np.ndarray  # uint8[height, a]: beside the stack, CONSTANT and PAID
    runs: np.ndarray  # CASE_RUN[node]
    counts: np.ndarray  # float64[class]
    hist: np.ndarray  # uint32[cell]: zero between uses
    value_sizes: np.ndarray  # uint32[code]: zero between uses
    class_starts: np.ndarray  # uint32[class]: where a class begins in ``class_terms``
    class_terms: np.ndarray  # float64: for each class, x log x of its cases on both sides of a cut
    side_terms: np.ndarray  # float64[place]: x log x of the sides
    ranking: np.ndarray  # int64[a]: the available tests, cheapest first
    price_factors: np.ndarray  # float64[a]
    values: np.ndarray  # float64[a]: what the criterion says, -1 where a test cannot be used
    cut_places: np.ndarray  # int64[a]: the last place below the best cut
    errors: np.ndarray  # float64[node]
    extra_counts: np.ndarray  # uint32[slot << shift | class]: zero between uses
    seen: np.ndarray  # uint8[slot]: 1 where extra cases have come to, zero between uses
    touched: np.ndarray  # int64[slot]: these slots
    charging: ChargeBuffers
    labels: np.ndarray  # int64[node]
    preorder: np.ndarray  # PREORDER_FRAME[height]
    costs: np.ndarray  # float64[trial]: what each trial has cost
    stop: np.ndarray  # int64[1]: not 0 once the search is to stop

    @classmethod
    def empty(
        cls,
        layout: CaseLayout,
        shape: TrialShape,
        costs: np.ndarray,
        stop: np.ndarray,
    ) -> TrialBuffers:
        """Return room for trees of a shape, with these results and this request to stop."""
        (n_tests, n), n_lists, m = layout.cells.shape, len(layout.order), layout.n_grown
        n_nodes, n_slots, widest, n_classes = shape[:4]
        return cls(
            nodes=Nodes.empty(n_nodes, n_slots, n_classes),
            tree=Nodes.empty(n_nodes, n_slots, n_classes),
            size=plain_records(1, TRIAL_SIZE),
            chosen=np.empty(n, np.uint8),
            grown=np.empty(n + 1, np.uint32),
            held_out=np.empty(n + 1, np.uint32),
            root_lists=np.empty((n_lists, m + 1), np.uint32),
            lists=np.empty((n_lists, m), np.uint32),
            spare=np.empty(m, np.uint32),
            branch_of=np.empty(n, np.uint32),
            starts=np.empty(widest, np.uint32),
            stack=plain_records(n_nodes + 1, TRIAL_FRAME),
            flags=np.empty((m // 2 + 2, n_tests), np.uint8),
            runs=plain_records(n_nodes, CASE_RUN),
            counts=np.empty(n_classes),
            hist=np.zeros(widest << layout.shift, np.uint32),
            value_sizes=np.zeros(widest, np.uint32),
            class_starts=np.empty(n_classes, np.uint32),
            class_terms=np.empty(m + n_classes),
            side_terms=np.empty(m + 1),
            ranking=np.empty(n_tests, np.int64),
            price_factors=np.empty(n_tests),
            values=np.empty(n_tests),
            cut_places=np.empty(n_tests, np.int64),
            errors=np.empty(n_nodes),
            extra_counts=np.zeros(n_slots << layout.shift, np.uint32),
            seen=np.zeros(n_slots, np.uint8),
            touched=np.empty(n_slots, np.int64),
            charging=ChargeBuffers.empty(n_nodes, n_tests, shape.n_groups),
            labels=np.empty(n_nodes, np.int64),
            preorder=plain_records(n_nodes + widest, PREORDER_FRAME),
            costs=costs,
            stop=stop,
        )


class TrialShape(NamedTuple):
    """How large trees may become."""

    n_nodes: int
    n_slots: int
    widest: int  # branches of the widest test
    n_classes: int
    n_groups: int
