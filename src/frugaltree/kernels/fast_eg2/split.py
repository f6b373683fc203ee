"""What EG2's criterion says of each test of a node, on complete cases that count once.

Counts are whole numbers, so that entropies are looked up; what a node and a test have in common
is worked out once; and a test that cannot win any more is not evaluated.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frugaltree.kernels.criteria import EG2, gain_term
from frugaltree.kernels.data.entropy import info
from frugaltree.kernels.fast_eg2.layout import CONSTANT, ONE32, PAID, ZERO32
from frugaltree.kernels.greedy.split import CLOSE, minimal_side
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.sentinels import NONE
from frugaltree.kernels.ties import NOISE, TOLERANCE, beats

MARGIN = 1.0 - 1e-6
"""A test that cannot reach this share of the best value so far is not evaluated."""


class CellsOfTest(NamedTuple):
    """A test over the cases of a node."""

    cells: np.ndarray  # uint32[n]
    rows: np.ndarray  # uint32[m]: the cases of the node, sorted if the test is numeric
    a: int
    dense: int  # 1 where it has values too close to separate


class CutRange(NamedTuple):
    """Which cuts count at a node, and what the gain of each is read from."""

    first: int  # cuts leave ``first`` to ``last`` cases below
    last: int
    bar: float  # the gain, over all cases, must exceed this
    base: float  # information of the node
    class_starts: np.ndarray
    class_terms: np.ndarray
    side_terms: np.ndarray


@section
def complete_nominal_gain(cases, layout, test, base, hist, value_sizes):
    """Return (information gained over all cases, values that occur) of a nominal test.

    The gain is -1 if fewer than two values have ``layout.need`` cases. Where there are more cells
    than cases, the gain grows case by case.
    """
    table, shift, need = cases.xlogx, layout.shift, layout.need
    cells, rows, domain = test.cells, test.rows, cases.domain[test.a]
    gain, here, large = base, 0, 0
    if rows.size >= domain << shift:
        for i in range(rows.size):
            hist[cells[rows[i]]] += 1
        for v in range(domain):
            m = ZERO32
            for c in range(cases.n_classes):
                k = hist[(v << shift) | c]
                hist[(v << shift) | c] = 0
                gain += table[k]
                m += k
            gain -= table[m]
            here += m > 0
            large += m >= need
    else:
        for i in range(rows.size):
            cell = cells[rows[i]]
            k, m = hist[cell], value_sizes[cell >> shift]
            hist[cell] = k + ONE32
            value_sizes[cell >> shift] = m + ONE32
            gain += (table[k + ONE32] - table[k]) - (table[m + ONE32] - table[m])
            here += m == 0
            large += m + ONE32 == need
        for i in range(rows.size):
            cell = cells[rows[i]]
            hist[cell] = 0
            value_sizes[cell >> shift] = 0
    # By rounding alone a gain of 0 may fall below it.
    return (max(gain, 0.0) if large >= 2 else -1.0), here


@part
def prepare_cuts(table, counts, m, class_starts, class_terms, side_terms):
    """Fill the tables from which the gain of every cut at a node is read."""
    for k in range(m + 1):
        side_terms[k] = table[k] + table[m - k]
    start = 0
    for c in range(counts.size):
        n = np.int64(counts[c])
        class_starts[c] = start
        for k in range(n + 1):
            class_terms[start + k] = table[k] + table[n - k]
        start += n + 1


@part
def too_close(values, start, below, above):
    """Tell whether C4.5 sees one value in two ranks."""
    return not values[start + below] < values[start + above] - CLOSE


@section
def cut_gain_of_two(cases, layout, test, cuts):
    """Return (information gained, place, cuts tried) of a numeric test's best cut, two classes.

    Most cuts are between cases of different values, so that all gains are taken: no branch to
    predict.
    """
    values, start, shift, dense = cases.values, cases.start[test.a], layout.shift, test.dense
    cells, rows, sides, base = test.cells, test.rows, cuts.side_terms, cuts.base
    first, bar = cuts.first, cuts.bar
    second = cuts.class_starts[1]
    zeros, ones = cuts.class_terms[:second], cuts.class_terms[second:]
    best, place, tries = 0.0, NONE, 0
    left = ZERO32
    for i in range(first - 1):
        left += cells[rows[i]] & ONE32
    rows = rows[first - 1 :]
    cell = cells[rows[0]]
    for i in range(cuts.last - first + 1):
        left += cell & ONE32
        low = np.uint32(first + i)
        after = cells[rows[i + 1]]
        apart = (cell ^ after) >> shift != 0
        if dense and apart:
            apart = not too_close(values, start, cell >> shift, after >> shift)
        tries += apart
        gain = base + zeros[low - left] + ones[left] - sides[low]
        if gain > bar and apart:
            best, bar, place = gain, gain + TOLERANCE * gain, first - 1 + i
        cell = after
    return best, place, tries


@section
def cut_gain_of_many(cases, layout, test, cuts, here):
    """Return (information gained, place, cuts tried) of a numeric test's best cut.

    ``here`` has room for one entry a class, zero between uses.
    """
    values, start, shift, dense = cases.values, cases.start[test.a], layout.shift, test.dense
    cells, rows, sides = test.cells, test.rows, cuts.side_terms
    starts, terms, first, bar = cuts.class_starts, cuts.class_terms, cuts.first, cuts.bar
    mask = np.uint32((1 << shift) - 1)
    inside = cuts.base
    for c in range(starts.size):
        here[c] = starts[c]
        inside += terms[starts[c]]
    best, place, tries = 0.0, NONE, 0
    cell = cells[rows[0]]
    for i in range(cuts.last):
        k = here[cell & mask]
        here[cell & mask] = k + ONE32
        inside += terms[k + ONE32] - terms[k]
        after = cells[rows[i + 1]]
        if (cell ^ after) >> shift and i + 1 >= first:
            if not dense or not too_close(values, start, cell >> shift, after >> shift):
                tries += 1
                gain = inside - sides[i + 1]
                if gain > bar:
                    best, bar, place = gain, gain + TOLERANCE * gain, i
        cell = after
    for c in range(starts.size):
        here[c] = 0
    return best, place, tries


@section
def compare_tests(cases, layout, work, node, depth):
    """Fill ``values``, and ``cut_places`` of numeric tests, leaving out tests that cannot win."""
    lo, hi = work.runs[node].begin, work.runs[node].end
    m, counts = hi - lo, work.nodes.counts[node]
    base = info(cases.xlogx, counts)
    most = gain_term(np.int64(EG2), base / m)
    least = minimal_side(np.float64(m), cases.n_classes, layout.min_cases, True)
    cuts = CutRange(
        first=math.ceil(least - 1e-9),
        last=math.floor(m - least + 1e-9),
        bar=NOISE * m,
        base=base,
        class_starts=work.class_starts,
        class_terms=work.class_terms,
        side_terms=work.side_terms,
    )
    best, prepared = 0.0, False
    for a in range(work.values.size):
        work.values[a] = -1.0
    for i in range(work.size[0].n_tests):
        a = work.ranking[i]
        factor = 1.0 if work.flags[depth, a] & PAID else work.price_factors[a]
        if work.flags[depth, a] & CONSTANT or most * factor < best * MARGIN:
            continue
        cells = layout.cells[a]
        k = layout.list_of[a]
        if k == NONE:
            test = CellsOfTest(cells, work.grown[lo:hi], a, layout.dense[a])
            gain, here = complete_nominal_gain(
                cases, layout, test, base, work.hist, work.value_sizes
            )
            if here < 2:
                work.flags[depth, a] |= CONSTANT
            if gain < 0.0:
                continue
            gain = gain / m if gain > NOISE * m else 0.0
        else:
            rows = work.lists[k, lo:hi] if node > 0 else work.root_lists[k, lo:hi]
            test = CellsOfTest(cells, rows, a, layout.dense[a])
            if (cells[rows[0]] ^ cells[rows[m - 1]]) >> layout.shift == 0:
                work.flags[depth, a] |= CONSTANT
                continue
            if cuts.last < cuts.first:
                continue
            if not prepared:
                prepare_cuts(
                    cases.xlogx, counts, m, work.class_starts, work.class_terms, work.side_terms
                )
                prepared = True
            if cases.n_classes == 2:
                gain, place, tries = cut_gain_of_two(cases, layout, test, cuts)
            else:
                gain, place, tries = cut_gain_of_many(cases, layout, test, cuts, work.hist)
            if place == NONE:
                continue
            gain = (gain - math.log2(tries)) / m
            if gain <= NOISE:
                continue
            work.cut_places[a] = lo + place
        work.values[a] = gain_term(np.int64(EG2), gain) * factor
        if work.values[a] > best:
            best = work.values[a]


@part
def best_test(prices, flags, values):
    """Return the test of the greatest value; of equal ones the cheapest, then the first."""
    best, best_price, best_a = -1.0, 0.0, np.int64(NONE)
    for a in range(values.size):
        if values[a] < 0.0:
            continue
        price = 0.0 if flags[a] & PAID else prices[a]
        cheaper = not beats(best, values[a]) and price < best_price
        if best_a < 0 or beats(values[a], best) or cheaper:
            best, best_price, best_a = values[a], price, np.int64(a)
    return best_a
