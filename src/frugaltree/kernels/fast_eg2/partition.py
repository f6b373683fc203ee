"""The partition of :mod:`frugaltree.kernels.data.partition` for complete cases that count once.

No value is missing and no weight differs from 1, so that a branch needs no weights: cases are
counted in whole numbers and written without a branch to predict. ICET's trials, which do little
else, take a fraction of the time they take with the general form; a test holds the two equal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.fast_eg2.layout import ONE32, ZERO32
from frugaltree.kernels.jit import part
from frugaltree.kernels.sentinels import NONE


class TrialSplit(NamedTuple):
    """A test as a split reads it."""

    cells: np.ndarray  # uint32[n]
    shift: int
    nominal: int
    cut: int  # the largest rank that goes left


@part
def mark_branches(split, rows, branch_of, hist):
    """Note the branch of each case, and count the classes of each branch."""
    cells, shift = split.cells, split.shift
    mask = np.uint32((1 << shift) - 1)
    for i in range(rows.size):
        cell = cells[rows[i]]
        b = cell >> shift
        if not split.nominal:
            b = ONE32 if b > split.cut else ZERO32
        branch_of[rows[i]] = b
        hist[(b << shift) | (cell & mask)] += 1


@part
def take_counts(hist, shift, b, counts):
    """Move the class counts of a branch to ``counts``; return its size."""
    size = np.int64(0)
    for c in range(counts.size):
        m = np.int64(hist[(b << shift) | c])
        hist[(b << shift) | c] = 0
        counts[c] = m
        size += m
    return size


@part
def set_starts(children, runs, starts):
    """Set where the cases of each branch begin, counted from the first of the node."""
    at = ZERO32
    for b in range(children.size):
        starts[b] = at
        if children[b] != NONE:
            at += np.uint32(runs[children[b]].end - runs[children[b]].begin)


@part
def partition_rows(rows, branch_of, starts, out, spare):
    """Write cases in the order of their branches, ``starts`` being where each begins."""
    if starts.size == 2:  # the first branch in place, the other by way of ``spare``
        left, right = ZERO32, ZERO32
        for i in range(rows.size):
            row = rows[i]
            out[left] = row
            spare[right] = row
            right += branch_of[row]
            left += ONE32 - branch_of[row]
        for i in range(right):
            out[left + i] = spare[i]
        return
    for i in range(rows.size):
        row = rows[i]
        at = starts[branch_of[row]]
        spare[at] = row
        starts[branch_of[row]] = at + ONE32
    for i in range(rows.size):
        out[i] = spare[i]
