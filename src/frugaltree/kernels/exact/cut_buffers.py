"""Buffers for two tests in a row of which one is numeric (last_cuts.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.records import Records, record_type, zero_records

MOST_MARKS = 64
"""Thresholds held at once: halving a range takes no more."""

SECOND_TEST = record_type(
    alone=np.float64,  # expected errors if all cases are asked it, and nothing else
    alone_cuts=np.int64,  # thresholds that it could then choose from
    worth=np.float64,  # what it would then cost: the least comes first
    turn=np.uint8,  # whether it had its turn as the first test
    asked=np.uint8,  # whether it was asked on both sides of the threshold in hand
    price=np.float64,  # what it costs now, and once the first test is taken
    price_second=np.float64,
    step=np.float64,  # the most that a case adds where it is the second test
)
"""A test that may be the first or the second of two."""

FIRST_CUT = record_type(
    code=np.int64,  # the rank of the largest value below
    stop=np.int64,  # cases below: ``order[a, :stop]``
    low=np.float64,  # their weight
)
"""A threshold of the first test."""

CUT_MARK = record_type(
    cut=np.int64,  # which threshold
    left=np.float64,  # what the cases below cost at least, and those above
    right=np.float64,
)
"""A threshold that was looked at."""

SIDE = record_type(
    weight=np.int64,  # of its cases, and of those of the largest class
    most=np.int64,
    leaf=np.float64,  # what they cost as a leaf, and at least
    least=np.float64,
    last=np.int64,  # the value of the second test met last
    values=np.int64,  # how many values were met
    below=np.int64,  # the weight of the cases met
    most_low=np.int64,  # those of the largest class among the cases met, and among the others
    most_high=np.int64,
    errors=np.float64,  # expected errors of the best split so far
    cost=np.float64,  # what the second test costs, or a leaf
    best=np.float64,  # the least of any second test
)
"""A branch of the first test."""


class CutBuffers(NamedTuple):
    """Buffers for the last two tests; cases are numbered from 0 within the state."""

    order: np.ndarray  # int32[a, i]: the cases by their value of a test
    codes: np.ndarray  # int32[a, i]: these values
    packed: np.ndarray  # int64[case]: its weight, and in the lower bits its place
    total: np.ndarray  # int64[place]: the weight of the cases of a branch and class
    low: np.ndarray  # int64[place]: of those met
    sides: Records  # SIDE[branch]
    cuts: Records  # FIRST_CUT[cut]
    marks: Records  # CUT_MARK[mark]
    left: np.ndarray  # float64[mark, b]: what the cases below cost at least, b being asked next
    right: np.ndarray  # float64[mark, b]
    tests: Records  # SECOND_TEST[a]

    @classmethod
    def empty(cls, table: Table) -> CutBuffers:
        """Return buffers for a table; for no cases where no test is numeric."""
        n_tests = table.nominal.size
        numeric = bool((table.usable > table.nominal).any())
        n, n_sides = table.classes.size if numeric else 0, max(2, table.widest)
        n_places = n_sides << table.shift
        return cls(
            order=np.zeros((n_tests, n), np.int32),
            codes=np.zeros((n_tests, n), np.int32),
            packed=np.zeros(n, np.int64),
            total=np.zeros(n_places, np.int64),
            low=np.zeros(n_places, np.int64),
            sides=zero_records(n_sides, SIDE),
            cuts=zero_records(n + 1, FIRST_CUT),
            marks=zero_records(MOST_MARKS, CUT_MARK),
            left=np.zeros((MOST_MARKS, n_tests)),
            right=np.zeros((MOST_MARKS, n_tests)),
            tests=zero_records(n_tests, SECOND_TEST),
        )
