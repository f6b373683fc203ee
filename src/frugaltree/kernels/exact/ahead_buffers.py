"""Buffers for looking three tests ahead (look_ahead.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.records import Records, record_type, zero_records

BINS = 8
"""The thresholds of a test that are looked at together leave at most so many bins."""

MOST_LOOKED_AT = 1024
"""Of more kinds of cases than this, one in so many is looked at and stands for the others."""

LOOKED_TEST = record_type(
    test=np.int64,  # its number
    cuts=np.int64,  # thresholds that are looked at, and all that there are
    all_cuts=np.int64,
    charge=np.float64,  # what it costs all cases as the first test
    price=np.float64,  # what a case pays for it now, once the first test is taken
)
"""A test that takes part."""

LOOKED_CUT = record_type(
    code=np.int64,  # the rank of the largest value below
    low=np.float64,  # the weight of the cases below
)
"""A threshold that is looked at."""

PART = record_type(
    weight=np.float64,  # of its cases
    leaf=np.float64,  # what they cost as a leaf
)
"""Some of the cases: a branch of the first test, or a leaf below the third."""


class AheadBuffers(NamedTuple):
    """Buffers for three tests in a row; tests that take part are numbered from 0."""

    tests: Records  # LOOKED_TEST[t]
    cuts: Records  # LOOKED_CUT[t * BINS + i]
    bins: np.ndarray  # uint8[t, r]: how many thresholds lie below the value of a case
    sums: np.ndarray  # float64[i, j, k, class]: cases below three thresholds, of three tests
    counts: np.ndarray  # float64[4, class]: the cases of corners
    sides: Records  # PART[2 * i + side]: the branches of the first test
    corners: Records  # PART[4]: the cases on both sides of two more thresholds
    below: np.ndarray  # float64[2 * i + side, t, j, 2]: what the branches of the second test cost
    charges: np.ndarray  # float64[n]: what a split with n thresholds to choose from is charged

    @classmethod
    def empty(cls, table: Table) -> AheadBuffers:
        """Return buffers for a table; for no cases where no test is numeric."""
        numeric = bool((table.usable > table.nominal).any())
        n_tests, n = table.nominal.size, table.classes.size if numeric else 0
        return cls(
            tests=zero_records(n_tests, LOOKED_TEST),
            cuts=zero_records(n_tests * BINS, LOOKED_CUT),
            bins=np.zeros((n_tests, min(n, 2 * MOST_LOOKED_AT)), np.uint8),
            sums=np.zeros((BINS, BINS, BINS, table.n_classes)),
            counts=np.zeros((4, table.n_classes)),
            sides=zero_records(2 * BINS, PART),
            corners=zero_records(4, PART),
            below=np.zeros((2 * BINS, n_tests, BINS, 2)),
            charges=np.zeros(n + 1),
        )
