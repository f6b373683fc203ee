"""The buffers of a thread that samples trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.cost_classes import CostClasses
from frugaltree.kernels.cost.path_state import PathState
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.cells import CellSorter, Table
from frugaltree.kernels.records import empty_records, record_type
from frugaltree.kernels.sampling.cache import SetCache
from frugaltree.kernels.sampling.delayed import WrittenTrees
from frugaltree.kernels.sampling.plan import Plan

LISTED_CUT = record_type(gain=np.float64, n_below=np.float64, below=np.int64, above=np.int64)
"""A cut of a numeric test: its gain, the weight below it, and the ranks on either side."""

SET_BRANCH = record_type(
    child=np.int64,
    n_growing=np.int64,
    n_held_out=np.int64,
    weight=np.int64,
    next_growing=np.int64,
    next_held_out=np.int64,
    hash0=np.uint64,
    hash1=np.uint64,
)
"""A branch of a split.

Its set; its cases and those held out; the weight of its cases that have a value; where the next
row of either kind is written, NONE if none is; the fingerprint of its cases.
"""

SAMPLE_FRAME = record_type(
    key=np.uint64,
    set=np.int64,
    first=np.int64,
    width=np.int64,
    next=np.int64,
    lacking=np.int64,
    node=np.int64,
    cost=np.float64,
    left=np.float64,
    n_logged=np.int64,
    n_opened=np.int64,
    ordered=np.int64,
    asked=np.int64,
)
"""A node of a sampled tree.

Its key for random draws; its set; where the sets of its branches stand, how many there are, which
is next, and the number of branches if those in the last do not pay; its number where the tree is
written down; the cost of its test and of the branches done; and, as in
:class:`~frugaltree.kernels.cost.path_state.PathMark`, where the path stood; and the test asked,
NONE for none, where there are rules on that.
"""


class SetBuffers(NamedTuple):
    """SetBuffers for evaluating and splitting sets of cases."""

    sorter: CellSorter
    tally: np.ndarray  # int64[class, column]: cases by class and value of nominal tests
    rank: np.ndarray  # int64[class]: of the classes that a set has, which one
    cuts: np.recarray  # LISTED_CUT[cut + 1]: of a numeric test, ascending; the last for all cases
    sides: np.ndarray  # int64[3, class]
    branch_of: np.ndarray  # int32[case]: the branch of each, NONE if it drops out
    branches: np.recarray  # SET_BRANCH[branch]
    counts: np.ndarray  # float64[branch, class]
    held_out: np.ndarray  # float64[branch, class]: counts of those held out

    @classmethod
    def empty(cls, table: Table) -> SetBuffers:
        """Return buffers for a table."""
        n, n_classes, k = table.classes.size, table.n_classes, table.widest
        codes = int(table.domain.max(initial=0)) + 2
        return cls(
            sorter=CellSorter.empty(table),
            tally=np.empty((n_classes, table.flags.shape[1] + k), np.int64),
            rank=np.empty(n_classes, np.int64),
            cuts=empty_records(codes, LISTED_CUT),
            sides=np.empty((3, n_classes), np.int64),
            branch_of=np.empty(n, np.int32),
            branches=empty_records(k, SET_BRANCH),
            counts=np.empty((k, n_classes)),
            held_out=np.empty((k, n_classes)),
        )


class Sets(NamedTuple):
    """All that one thread needs to evaluate and split sets of cases."""

    table: Table
    errors: np.ndarray  # float64[predicted, actual]
    classes: CostClasses
    plan: Plan
    cache: SetCache
    buffers: SetBuffers


class Workspace(NamedTuple):
    """All that one thread needs to sample trees."""

    sets: Sets
    prices: Prices
    path: PathState
    frames: np.recarray  # SAMPLE_FRAME[depth]: from a sample's root to the node in hand
    written: WrittenTrees  # where sampled trees are written down if tests are delayed
