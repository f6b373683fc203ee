"""Thresholds of numeric tests, and the branch that a value takes."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.data.nodes import HIGH, LOW
from frugaltree.kernels.jit import part
from frugaltree.kernels.ties import TOLERANCE


@part
def place_cut(cases, a, below, above, c45):
    """Return (rank, threshold) of a cut between two ranks.

    Halfway between; in C4.5's frame at the largest value of the whole table up to there.
    """
    start = cases.start[a]
    low, high = cases.values[start + below], cases.values[start + above]
    middle = low + (high - low) / 2.0
    if not c45:
        return below, (middle if middle < high else low)
    # A value at the midpoint itself belongs below, whatever rounding makes of the midpoint.
    middle += TOLERANCE * (high - low)
    while below + 1 < above and cases.values[start + below + 1] <= middle:
        below += 1
    return below, cases.values[start + below]


@part
def branch_of(code, nominal, cut):
    """Return the branch that a code takes, NONE if the value is missing."""
    if nominal or code < 0:
        return np.int64(code)
    return np.int64(LOW) if code <= cut else np.int64(HIGH)
