"""A cache of the sets of cases met: what each tells, and how each splits.

Sampled trees pass through the same sets of cases over and over: whichever way the tests are
taken, the same answers lead to the same cases. So each set is evaluated once. Its fingerprint
(128 bits, the exclusive or of a random key per case) finds it again; its gains, its cost as a leaf
and the sets that a test splits it into are kept. Nothing that is kept depends on how the set was
reached: prices and draws, which do, are applied by who grows a tree.

The cache has an end. Who meets it forgets everything and goes on; results never depend on what
is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.bounds import least_errors
from frugaltree.kernels.cost.error_estimate import (
    TRAINING_ERROR,
    LeafEstimate,
    expected_by_weight,
)
from frugaltree.kernels.cost.leaf import cheapest_label, cost_of_answer, leaf_cost, majority_label
from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.data.counts import total_of
from frugaltree.kernels.jit import atom, part
from frugaltree.kernels.records import record_type
from frugaltree.kernels.sentinels import FULL, NONE

SET = record_type(
    hash0=np.uint64,
    hash1=np.uint64,
    weight=np.float64,
    leaf_cost=np.float64,
    least_cost=np.float64,
    start=np.int64,
    n_growing=np.int32,
    n_rows=np.int32,
    above=np.int32,
    evaluated=np.int32,
)
"""A set of cases.

Its fingerprint; its weight; its cost as a leaf and what no tree costs less in errors, over all
its cases; where its rows begin, how many there are before those held out, and how many in all: 0
where it is pure or too small to split; a set that contains it; its number among the evaluated
sets, NONE until it is one.
"""

CACHE_LINE = 64
"""Bytes that a processor fetches at once, all that is kept of a set among them."""

SET_SPLIT = record_type(cut=np.int32, first=np.int32)
"""The best split of a set by a test: the last rank below its cut, and where the sets of its
branches stand among the children, NONE until it is made."""

CACHE_USED = record_type(sets=np.int64, evaluated=np.int64, rows=np.int64, children=np.int64)
"""How much of a cache is in use."""

LEAST_HELD_OUT = 5.0
"""With fewer held-out cases at a node, its errors are estimated from those it grew from."""


class SetCache(NamedTuple):
    """The sets of cases met so far.

    A set that may be split has its cases among ``rows`` and, once evaluated, for each test its
    use (-1 where it cannot split), and how it splits the set.
    """

    sets: np.recarray  # SET[set]
    counts: np.ndarray  # float64[set, class]
    use: np.ndarray  # float64[evaluated, a]
    splits: np.ndarray  # SET_SPLIT[evaluated, a]
    slots: np.ndarray  # int32[slot]: set + 1, 0 where free
    rows: np.ndarray  # int32[place]
    children: np.ndarray  # int32[place]
    used: np.record  # CACHE_USED

    @classmethod
    def empty(cls, table: Table, n_bytes: int) -> SetCache:
        """Return a cache of about this size, and of enough for any one tree at least."""
        n, n_tests, n_classes = table.classes.size, table.nominal.size, table.n_classes
        n_sets = max(2 * n + 2, n_bytes // 4 // (110 + 8 * n_classes))
        n_evaluated = max(n + 1, n_bytes * 3 // 8 // (16 * n_tests + 1))
        n_rows = max(8 * n, n_bytes // 4 // 4)
        n_children = max(4 * n + table.widest, n_bytes // 8 // 4)
        return cls(
            sets=_aligned_sets(n_sets),
            counts=np.empty((n_sets, n_classes)),
            use=np.empty((n_evaluated, n_tests)),
            splits=np.empty((n_evaluated, n_tests), SET_SPLIT).view(np.recarray),
            slots=np.zeros(1 << (2 * n_sets - 1).bit_length(), np.int32),
            rows=np.empty(n_rows, np.int32),
            children=np.empty(n_children, np.int32),
            used=np.zeros(1, CACHE_USED).view(np.recarray)[0],
        )


def _aligned_sets(n: int) -> np.recarray:
    """Return room for n sets, each at the start of a processor's line."""
    room = np.empty((n + 1) * CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    return room[start : start + n * CACHE_LINE].view(SET).view(np.recarray)


class RowRange(NamedTuple):
    """The cases ``rows[lo:hi]``, from ``mid`` on held out."""

    rows: np.ndarray
    lo: int
    mid: int
    hi: int


@part
def forget_sets(cache):
    """Make room by forgetting every set."""
    for i in range(cache.slots.size):
        cache.slots[i] = 0
    cache.used.sets = 0
    cache.used.evaluated = 0
    cache.used.rows = 0
    cache.used.children = 0


@part
def find_set(cache, hash0, hash1):
    """Return (set, slot): NONE and a free slot if the set is new."""
    mask = cache.slots.size - 1
    slot = np.int64(hash0 & np.uint64(mask))
    while cache.slots[slot] != 0:
        e = cache.slots[slot] - 1
        known = cache.sets[e]
        if known.hash0 == hash0 and known.hash1 == hash1:
            return np.int64(e), slot
        slot = (slot + 1) & mask
    return np.int64(NONE), slot


@atom
def is_closed(cache, e):
    """Tell whether a set is pure or too small to split; its rows are not kept."""
    return cache.sets[e].n_rows == 0


@atom
def rows_of(cache, e):
    """Return the cases of a set."""
    known = cache.sets[e]
    lo = known.start
    return RowRange(cache.rows, lo, lo + known.n_growing, lo + known.n_rows)


@atom
def add_set(sets, slot, above, b):
    """Add the set of the cases in branch ``b`` of the buffers; return it, or FULL.

    Its rows are reserved, and still to be written.
    """
    plan, cache, branch = sets.plan, sets.cache, sets.buffers.branches[b]
    counts, held_out = sets.buffers.counts[b], sets.buffers.held_out[b]
    largest, weight = 0.0, 0.0
    for c in range(counts.size):
        weight += counts[c]
        if counts[c] > largest:
            largest = counts[c]
    stops = largest >= weight - 1e-9 or weight < 2.0 * plan.min_cases - 1e-9
    e, start = cache.used.sets, cache.used.rows
    n_rows = np.int64(0) if stops else branch.n_growing + branch.n_held_out
    if e >= cache.sets.size or start + n_rows > cache.rows.size:
        return np.int64(FULL)
    cache.used.sets = e + 1
    cache.used.rows = start + n_rows
    cache.slots[slot] = e + 1
    new = cache.sets[e]
    new.hash0 = branch.hash0
    new.hash1 = branch.hash1
    new.start = start
    new.n_growing = np.int64(0) if stops else branch.n_growing
    new.n_rows = n_rows
    new.weight = weight
    new.above = above
    new.evaluated = NONE
    for c in range(counts.size):
        cache.counts[e, c] = counts[c]
    new.leaf_cost = estimate_leaf(sets, counts, held_out, weight)
    new.least_cost = bound_errors(sets.table, plan, counts, weight) * plan.least_penalty
    return np.int64(e)


@part
def bound_errors(table, plan, counts, weight):
    """Return errors that every tree for these cases must expect."""
    if plan.held_out or plan.form == TRAINING_ERROR:
        return 0.0
    pure = expected_by_weight(weight, 0.0, estimate_of(plan))
    return least_errors(table.excess, counts, weight, pure)


@part
def estimate_leaf(sets, counts, held_out, weight):
    """Return the expected cost of answering for all cases of a set (section 3.2.2).

    Where enough cases are held out, the cost of their errors stands for that of all.
    """
    errors, plan, classes = sets.errors, sets.plan, sets.classes
    if plan.count_leaves:
        return 1.0
    if plan.uniform:
        label = majority_label(counts)
    else:
        label = cheapest_label(errors, counts, plan.first_decision, classes.class_of)
    if plan.held_out:
        m = total_of(held_out)
        if m >= LEAST_HELD_OUT * plan.case_weight:
            return cost_of_answer(errors, held_out, label) / m * weight
    return leaf_cost(errors, counts, label, estimate_of(plan), classes)


@atom
def estimate_of(plan):
    """Return how the errors of a leaf are estimated."""
    return LeafEstimate(
        plan.cf, plan.form, plan.multinomial, plan.case_weight, plan.first_decision
    )
