"""The cases as sampling and searching kernels read them."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.bounds import excess_table
from frugaltree.kernels.cost.error_estimate import C45_ERROR
from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.cells import NO_LEVELS, Table
from frugaltree.kernels.data.nodes import NUMERIC_BRANCHES
from frugaltree.kernels.sampling.plan import Plan
from frugaltree.kernels.sentinels import NONE

LARGEST_EXCESS = 256
"""Sets of up to this many cases have a bound on how well classes can be told apart."""

KEPT_WORDS = 1024
"""Random words of so many cases are kept at hand."""

FLAGGED = 16
"""Nominal tests of up to this many values are counted by flags."""


def coded(
    problem: Problem, plan: Plan | None = None, held_out: npt.NDArray[np.bool_] | None = None
) -> tuple[Table, npt.NDArray[np.uint8]]:
    """Return the cases as kernels read them, equal ones merged; and which are held out.

    What only samples need, flags and bounds of errors, is left out without a plan for them.
    """
    cases = problem.cases
    n_classes = cases.n_classes
    out = np.zeros(cases.classes.size, np.uint8) if held_out is None else held_out.view(np.uint8)
    shift = (n_classes - 1).bit_length()
    codes: npt.NDArray[np.integer] = cases.codes.astype(np.int32, copy=False)
    unknown = cases.codes == cases.missing
    if unknown.any():
        codes = np.where(unknown, cases.domain[:, None], codes)
    cells = np.ascontiguousarray((codes << shift) + cases.classes, np.int32)
    levels = problem.levels
    first, weights = _merged(np.vstack([cells, cases.classes, out, levels]), cases.weights)
    excess = np.zeros(0)
    if plan is not None and plan.uniform and plan.form == C45_ERROR and plan.case_weight == 1.0:
        excess = np.empty(min(int(weights.sum()), LARGEST_EXCESS) + 1)
        excess_table(n_classes, plan.cf, plan.form, excess)
    cells = np.ascontiguousarray(cells[:, first])
    flags, column = flagged(cells >> shift, cases, 0 if plan is None else FLAGGED)
    table = Table(
        cells=cells,
        flags=flags,
        column=column,
        classes=np.ascontiguousarray(cases.classes[first]),
        weights=weights,
        keys=random_words(0, first.size),
        nominal=cases.nominal,
        domain=cases.domain,
        lacking=cases.lacking,
        usable=problem.prices.usable,
        start=cases.start,
        values=cases.values,
        floors=cases.floors,
        xlogx=cases.xlogx,
        steps=np.diff(cases.xlogx),
        excess=excess,
        n_classes=n_classes,
        shift=shift,
        widest=widest_test(cases),
        levels=np.ascontiguousarray(levels[:, first]) if levels.size else NO_LEVELS,
    )
    return table, out[first]


def flagged(
    codes: npt.NDArray[np.int32], cases: Cases, most: int
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
    """Return flags for the values of nominal tests that have few, and where each begins."""
    if most == 0:
        return np.zeros((codes.shape[1], 0), np.int8), np.full(len(codes), NONE, np.int64)
    few = (cases.nominal == 1) & (cases.domain <= most)
    width = np.where(few, cases.domain, 0)
    column = np.where(few, width.cumsum() - width, NONE)
    flags = np.zeros((codes.shape[1], width.sum()), np.int8)
    for a in np.flatnonzero(few):
        flags[np.arange(codes.shape[1]), column[a] + codes[a]] = -1
    return flags, column


def widest_test(cases: Cases) -> int:
    """Return the largest number of branches of any test, 2 at least."""
    least = 2 if cases.nominal.all() else NUMERIC_BRANCHES
    return int(max(least, cases.domain[cases.nominal == 1].max(initial=0)))


def _merged(
    columns: npt.NDArray[np.int32], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """Return one case of each kind, in the order of their first, and how many there are of it."""
    factors = _odd_numbers(len(columns))
    with np.errstate(over="ignore"):
        marks = (columns.astype(np.uint64) * factors[:, None]).sum(axis=0, dtype=np.uint64)
    first, which = _first_of_each(marks)
    if not (columns == columns[:, first[which]]).all():  # two kinds with one mark
        return np.arange(weights.size), weights.astype(np.int64)
    order = np.argsort(first)
    total = np.bincount(which, weights).astype(np.int64)
    return first[order], total[order]


def _first_of_each(
    marks: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return where each mark stands first, and which of them every mark is.

    As ``np.unique`` does, which takes three times as long for a hundred marks.

    >>> [x.tolist() for x in _first_of_each(np.array([9, 4, 9], np.uint64))]
    [[1, 0], [1, 0, 1]]
    """
    order = marks.argsort(kind="stable")
    ordered = marks[order]
    begins = np.ones(marks.size, bool)
    begins[1:] = ordered[1:] != ordered[:-1]
    which = np.empty(marks.size, np.intp)
    which[order] = begins.cumsum() - 1
    return order[begins], which


def random_words(seed: int, n: int) -> npt.NDArray[np.uint64]:
    """Return ``n`` pairs of random words, the same for a seed: those of fewer are the first ones.

    The first pairs are kept: to set up a generator takes a good part of a small fit.

    >>> (random_words(0, 3) == random_words(0, 5000)[:3]).all()
    np.True_
    """
    return _first_words(seed)[:n] if n <= KEPT_WORDS else _draw_words(seed, n)


@cache
def _first_words(seed: int) -> npt.NDArray[np.uint64]:
    return _draw_words(seed, KEPT_WORDS)


def _draw_words(seed: int, n: int) -> npt.NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(0, 2**64, (n, 2), np.uint64)


@lru_cache(maxsize=16)
def _odd_numbers(n: int) -> npt.NDArray[np.uint64]:
    """Return random odd numbers by which the columns of a case are made into one mark."""
    return np.random.default_rng(1).integers(1, 2**63, n, np.uint64) * 2 + 1


def count_kinds(problem: Problem, most: int) -> int:
    """Return how many different cases there are; where more than ``most``, maybe only so many.

    Cases with the same mark count as equal; that two others share one is next to impossible.
    """
    cases = problem.cases
    n = cases.classes.size
    if n <= most:
        return n
    factors = _odd_numbers(cases.domain.size + 1)
    for end in (2 * most, n):
        marks = cases.classes[:end].astype(np.uint64) * factors[-1]
        with np.errstate(over="ignore"):
            for a in np.flatnonzero(problem.prices.usable).tolist():
                marks += cases.codes[a, :end].astype(np.uint64) * factors[a]
        kinds = int(np.unique(marks).size)
        if kinds > most:
            break
    return kinds
