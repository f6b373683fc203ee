"""The forms of the partition are one rule."""

from __future__ import annotations

import numpy as np
import pytest

from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.entropy import xlogx_table
from frugaltree.kernels.data.nodes import LACKING, NUMERIC_BRANCHES, Nodes, set_leaf
from frugaltree.kernels.fast_eg2.layout import CASE_RUN
from frugaltree.kernels.fast_eg2.partition import (
    TrialSplit,
    mark_branches,
    partition_rows,
    set_starts,
    take_counts,
)
from frugaltree.kernels.greedy.prune import PruneBuffers, partition_in_place, push_cases
from frugaltree.kernels.records import empty_records, record_type
from frugaltree.kernels.sentinels import MISSING, NONE

SHIFT = 2


def random_cases(rng, nominal, n_values):
    """Return complete cases that count once, with one test."""
    n = int(rng.integers(1, 30))
    return Cases(
        codes=rng.integers(0, n_values, (1, n)).astype(np.int32),
        nominal=np.array([nominal], np.uint8),
        domain=np.array([n_values]),
        lacking=np.zeros(1, np.uint8),
        start=np.zeros(1, np.int64),
        values=np.arange(float(n_values)),
        floors=np.arange(float(n_values)),
        classes=rng.integers(0, 3, n).astype(np.int32),
        weights=np.ones(n),
        xlogx=xlogx_table(n),
        n_classes=3,
        unit=True,
        missing=MISSING,
    )


def in_general(cases, cut):
    """Return the cases in the order of their branches, and the class counts of each."""
    n, k = cases.classes.size, int(cases.domain[0]) if cases.nominal[0] else NUMERIC_BRANCHES
    nodes = Nodes.empty(1, k, 3)
    set_leaf(nodes, 0, NONE, np.zeros(3))
    nodes.test[0], nodes.cut[0] = 0, cut
    work = PruneBuffers.empty(places=n, height=2, widest=k, tree=Nodes.empty(1, k, 3))
    work.held["row"], work.held["weight"] = np.arange(n), 1.0
    push_cases(work.stack[0], 0, 0, n, n)
    assert partition_in_place(cases, nodes, True, work, 0) == n
    rows = work.held["row"].tolist()
    counts = np.zeros((k, 3))
    for b, branch in enumerate(work.branches.info[:k]):
        for row in rows[branch.start : branch.start + branch.n_cases]:
            counts[b, cases.classes[row]] += 1
    return rows, counts if cases.nominal[0] else counts[:LACKING]


@pytest.mark.parametrize("seed", range(200))
def test_complete_cases_are_partitioned_as_in_general(seed):
    rng = np.random.default_rng(seed)
    nominal, n_values = bool(rng.integers(2)), int(rng.integers(2, 6))
    cases, cut = random_cases(rng, nominal, n_values), int(rng.integers(n_values))
    ref, ref_counts = in_general(cases, cut)
    n, k = cases.classes.size, len(ref_counts)
    cells = (cases.codes[0] << SHIFT | cases.classes).astype(np.uint32)
    rows, branch_of = np.arange(n, dtype=np.uint32), np.zeros(n, np.uint32)
    hist, starts = np.zeros(n_values + 1 << SHIFT, np.uint32), np.zeros(k, np.uint32)
    mark_branches(TrialSplit(cells, SHIFT, nominal, cut), rows, branch_of, hist)
    runs, counts, lo = empty_records(k, CASE_RUN), np.zeros((k, 3)), 0
    for b in range(k):
        size = take_counts(hist, SHIFT, b, counts[b])
        runs[b].begin, runs[b].end = lo, lo + size
        lo += size
    children = np.where(counts.sum(axis=1) > 0, np.arange(k), NONE)
    set_starts(children, runs, starts)
    partition_rows(rows, branch_of, starts, rows, np.zeros(n, np.uint32))
    assert rows.tolist() == ref
    np.testing.assert_array_equal(counts, ref_counts)
    assert not hist.any()


def test_a_record_has_no_field_that_numpy_would_take_for_its_own():
    with pytest.raises(ValueError, match="'size'; take another name"):
        record_type(size=np.int64)
