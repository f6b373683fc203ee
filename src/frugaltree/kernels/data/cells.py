"""The cases as sampling and exact search read them: one cell of a histogram per case and test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.jit import atom
from frugaltree.kernels.sentinels import NONE

WORD_SHIFT = 6
"""A word marks 2 ** WORD_SHIFT cells."""


NO_LEVELS = np.empty((0, 0), np.uint8)
"""Of a table whose prices depend on no values."""


class Table(NamedTuple):
    """The cases, one cell of a histogram per case and test.

    The cell of code v and class c is ``(v << shift) + c``. Without a value of a numeric test, a
    case has the code ``domain``, above all others; of a nominal one, its last code. Nominal tests
    of few values are counted all at once, by flags.
    """

    cells: np.ndarray  # int32[a, case]
    flags: np.ndarray  # int8[case, column]: -1 where a case has the value, else 0
    column: np.ndarray  # int64[a]: where the values of a nominal test begin; NONE if too many
    classes: np.ndarray  # int32[case]
    weights: np.ndarray  # int64[case]
    keys: np.ndarray  # uint64[case, 2]
    nominal: np.ndarray  # uint8[a]
    domain: np.ndarray  # int64[a]
    lacking: np.ndarray  # uint8[a]: 1 where cases lack a value
    usable: np.ndarray  # uint8[a]
    start: np.ndarray  # int64[a]: where a numeric test's values begin
    values: np.ndarray  # float64[...]
    floors: np.ndarray  # float64[...]: below ``values`` where numbers are in bins
    xlogx: np.ndarray  # float64[...]
    steps: np.ndarray  # float64[...]: differences of neighbouring entries of xlogx
    excess: np.ndarray  # float64[...]: see excess_table; empty where it gives no bound
    n_classes: int
    shift: int
    widest: int  # branches of the widest test
    levels: np.ndarray = NO_LEVELS  # uint8[a, case]: see Conditions; empty without any


def values_lacking(table: Table) -> np.ndarray:
    """Return, for each case and test, 1 where the case lacks a value of it."""
    last = table.domain - ((table.nominal & table.lacking) == 1)
    return np.ascontiguousarray((table.cells >> table.shift == last[:, None]).T, np.uint8)


class CellSorter(NamedTuple):
    """Buffers of one thread for listing the cells that hold cases."""

    hist: np.ndarray  # int64[cell]: zero between calls
    marks: np.ndarray  # uint64[word of cells]: zero between calls
    keys: np.ndarray  # int64[case]
    cells: np.ndarray  # int64[cell, 2]: the cells that hold cases, ascending, and how many

    @classmethod
    def empty(cls, table: Table) -> CellSorter:
        """Return buffers for a table."""
        n = table.classes.size
        codes = int(table.domain.max(initial=0)) + 2
        n_words = (codes << table.shift >> WORD_SHIFT) + 1
        return cls(
            hist=np.zeros(n_words << WORD_SHIFT, np.int64),
            marks=np.zeros(n_words, np.uint64),
            keys=np.empty(n, np.int64),
            cells=np.empty((n, 2), np.int64),
        )


LAST_BIT = 2**WORD_SHIFT - 1

ZERO, ONE = np.uint64(0), np.uint64(1)
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)

BIT_OF = np.array([(int(DE_BRUIJN) << i) % 2**64 >> 58 for i in range(64)]).argsort()
"""The place of a word's only bit, by the upper six bits of its product with DE_BRUIJN."""

FEW = 32
"""About as many cases are ranked as fast as they are counted."""


@atom
def varies(cases, rows, start, stop, a):
    """Tell whether two cases have different values of a test.

    To have none is a value of a nominal test, not of a numeric one.
    """
    shift, domain = cases.shift, cases.domain[a]
    seen = np.int64(NONE)
    for i in range(start, stop):
        code = np.int64(cases.cells[a, rows[i]] >> shift)
        if code < domain:
            if seen == NONE:
                seen = code
            elif code != seen:
                return True
    return False


@atom
def sort_cells(table, sorter, rows, lo, n, a):
    """List the cells of a test that hold cases ``rows[lo:lo + n]``, ascending; return how many.

    A few cases are ranked against each other: without branches to guess, that is fastest, and
    equal cells follow each other. Many are counted, and a bit marks each cell that holds some.
    """
    cells = table.cells
    words = (((table.domain[a] + 1) << table.shift) >> WORD_SHIFT) + 1
    found = n
    if n < FEW or n * n < FEW * words:
        for i in range(n):
            sorter.keys[i] = (np.int64(cells[a, rows[lo + i]]) << 32) + i
        for i in range(n):
            key, rank = sorter.keys[i], np.int64(0)
            for j in range(n):
                rank += sorter.keys[j] < key
            sorter.cells[rank, 0] = key >> 32
            sorter.cells[rank, 1] = table.weights[rows[lo + i]]
    else:
        for i in range(lo, lo + n):
            row = rows[i]
            cell = cells[a, row]
            sorter.hist[cell] += table.weights[row]
            sorter.marks[cell >> WORD_SHIFT] |= ONE << np.uint64(cell & LAST_BIT)
        found = np.int64(0)
        for word in range(words):
            left = sorter.marks[word]
            sorter.marks[word] = ZERO
            while left != ZERO:
                low = left & (~left + ONE)
                left ^= low
                cell = (word << WORD_SHIFT) + BIT_OF[(low * DE_BRUIJN) >> np.uint64(58)]
                sorter.cells[found, 0] = cell
                sorter.cells[found, 1] = sorter.hist[cell]
                sorter.hist[cell] = 0
                found += 1
    return found
