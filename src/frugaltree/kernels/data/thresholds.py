"""Thresholds of numeric tests, and the branch that a value takes."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.data.nodes import HIGH, LOW
from frugaltree.kernels.jit import part
from frugaltree.kernels.ties import TOLERANCE


@part
def last_at_most(values, first, end, x):
    """Return the last of the ascending values ``first`` to ``end - 1`` that is at most ``x``.

    The first one is.
    """
    while end - first > 1:
        middle = (first + end) // 2
        if values[middle] <= x:
            first = middle
        else:
            end = middle
    return first


@part
def halfway(low, high):
    """Return the number halfway between two, the lower one where there is none."""
    middle = low + (high - low) / 2.0
    return middle if middle < high else low


@part
def place_cut(cases, a, below, above, c45):
    """Return (rank, threshold) of a cut between two ranks.

    Halfway between; in C4.5's frame at the largest value of the whole table up to there. Where
    halfway lies within a bin, the threshold comes to lie between it and the one below, so that a
    bin's numbers all go the same way: that of its largest.
    """
    start, values = cases.start[a], cases.values
    low, high = values[start + below], values[start + above]
    if not c45:
        threshold = halfway(low, high)
        at = last_at_most(values, start + below, start + above, threshold)
        if cases.floors[at + 1] <= threshold:
            threshold = halfway(values[at], cases.floors[at + 1])
        return below, threshold
    # A value at the midpoint itself belongs below, whatever rounding makes of the midpoint.
    middle = low + (high - low) / 2.0
    middle += TOLERANCE * (high - low)
    while below + 1 < above and values[start + below + 1] <= middle:
        below += 1
    return below, values[start + below]


@part
def branch_of(code, nominal, cut):
    """Return the branch that a code takes, NONE if the value is missing."""
    if nominal or code < 0:
        return np.int64(code)
    return np.int64(LOW) if code <= cut else np.int64(HIGH)
