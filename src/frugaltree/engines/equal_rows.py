"""Equal rows of a long table, merged into one that counts for all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from frugaltree.engines.problem import Problem

LEAST_ROWS = 50_000
"""Shorter tables are learned from as they are."""

LOOKED_AT = 4096
"""So many rows tell about how many kinds there are."""

PAYS = 4.0
"""Rows are merged where each would stand for about so many at least."""


def merge_rows(problem: Problem) -> Problem:
    """Return the problem with equal cases merged, where there are many of them.

    The table stays as it is: only what learns from class counts alone may be given the cases.
    """
    cases = problem.cases
    n = cases.classes.size
    if n < LEAST_ROWS or problem.has_conditions:
        return problem
    marks = _marks(problem)
    if n < PAYS * estimate_kinds(marks):
        return problem
    _, first, which = np.unique(marks, return_index=True, return_inverse=True)
    for row in (*cases.codes, cases.classes):
        if not (row == row[first[which]]).all():  # two kinds with one mark
            return problem
    merged = cases._replace(
        codes=np.ascontiguousarray(cases.codes[:, first]),
        classes=cases.classes[first],
        weights=np.bincount(which, cases.weights),
        unit=False,
    )
    return replace(problem, cases=merged)


def _marks(problem: Problem) -> npt.NDArray[np.uint64]:
    """Return a number for each case, the same for equal ones, hardly ever for others."""
    rows = (*problem.cases.codes, problem.cases.classes)
    factors = np.random.default_rng(1).integers(1, 2**63, len(rows), np.uint64) * 2 + 1
    marks = np.zeros(rows[0].size, np.uint64)
    with np.errstate(over="ignore"):
        for row, factor in zip(rows, factors, strict=True):
            marks += row.astype(np.uint64) * factor
    return marks


def estimate_kinds(marks: npt.NDArray[np.uint64]) -> float:
    """Return about how many different marks there are, by how many pairs of some are equal.

    Of m marks drawn from k kinds, m * (m - 1) / (2 k) pairs are equal on average.

    >>> estimate_kinds(np.array([1, 2, 1, 2], np.uint64))
    3.0
    """
    step = max(1, marks.size // LOOKED_AT)
    some = marks[::step]
    _, counts = np.unique(some, return_counts=True)
    equal = float((counts * (counts - 1) // 2).sum())
    pairs = some.size * (some.size - 1) / 2
    return pairs / equal if equal else np.inf
