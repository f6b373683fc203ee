"""Sets of cases as bits of words: to count them takes an instruction for every 64.

The cases lie class by class, each class at the start of a word, so that a count of answers within
some words is a count of a class. A case of weight 3 is three bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.data.cells import ONE, ZERO, Table
from frugaltree.kernels.jit import atom, kernel, section

WORD = 64
"""Bits of a word."""

MOST_ANSWERS = 64
"""A test of more answers is counted case by case."""


class Layout(NamedTuple):
    """Where each case lies, and who gives which answer."""

    place: np.ndarray  # int64[case]: its first bit
    start: np.ndarray  # int64[class + 1]: the first word of each class
    values: np.ndarray  # uint64[answer, word]: the answers of the first test, of the second...
    chosen: np.ndarray  # uint64[word]: the cases of the state in view

    @classmethod
    def empty(cls, table: Table) -> Layout:
        """Return room for the cases; for none, where case by case is faster."""
        n, n_tests = table.classes.size, table.nominal.size
        n_words = int(table.weights.sum()) // WORD + table.n_classes
        pays = table.widest <= MOST_ANSWERS and n_words < n
        answers, n_words = (n_tests * table.widest, n_words) if pays else (0, 0)
        return cls(
            place=np.zeros(n, np.int64),
            start=np.zeros(table.n_classes + 1, np.int64),
            values=np.zeros((answers, n_words), np.uint64),
            chosen=np.zeros(n_words, np.uint64),
        )


@atom
def count_bits(word):
    """Return how many bits of a word are set.

    It is one instruction of the processor: compilers know this loop.
    """
    n = np.int64(0)
    while word != ZERO:
        word &= word - ONE
        n += 1
    return n


@kernel
def lay_out(table, layout):
    """Lay out the cases by class and by their answers to nominal tests.

    Parameters
    ----------
    table : Table
        The cases.
    layout : Layout
        Filled with where each case lies and who gives which answer.
    """
    n_cases, n_words = layout.place.size, layout.values.shape[1]
    if layout.values.shape[0] == 0:
        return
    at = np.int64(0)
    for c in range(table.n_classes):
        layout.start[c] = at // WORD
        for row in range(n_cases):
            if table.classes[row] == c:
                layout.place[row] = at
                at += table.weights[row]
        at = (at + WORD - 1) // WORD * WORD
    layout.start[table.n_classes] = at // WORD
    for a in range(table.nominal.size):
        first, nominal = a * table.widest, table.nominal[a]
        for v in range(table.widest if nominal else 0):
            for word in range(n_words):
                layout.values[first + v, word] = ZERO
        for row in range(n_cases if nominal else 0):
            v = table.cells[a, row] >> table.shift
            for bit in range(layout.place[row], layout.place[row] + table.weights[row]):
                layout.values[first + v, bit // WORD] |= ONE << np.uint64(bit % WORD)


@section
def choose(table, layout, rows, lo, hi):
    """Mark the cases of a state, if that pays; tell whether it did."""
    n_words = layout.chosen.size
    pays = layout.values.shape[0] > 0 and (hi - lo) > 2 * n_words
    if pays:
        for word in range(n_words):
            layout.chosen[word] = ZERO
        for i in range(lo, hi):
            row = rows[i]
            for bit in range(layout.place[row], layout.place[row] + table.weights[row]):
                layout.chosen[bit // WORD] |= ONE << np.uint64(bit % WORD)
    return pays


@section
def count_answers(table, layout, hist, a):
    """Count the chosen cases by their answer to a nominal test and by class."""
    for v in range(table.domain[a]):
        answer = a * table.widest + v
        for c in range(table.n_classes):
            k = np.int64(0)
            for word in range(layout.start[c], layout.start[c + 1]):
                k += count_bits(layout.values[answer, word] & layout.chosen[word])
            hist[(v << table.shift) + c] = k
