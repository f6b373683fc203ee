"""What each test of a node is worth, by EG2's criterion, on complete cases that count once.

Counts are whole numbers, so that entropies are looked up; what a node and a test have in common
is worked out once; and a test that cannot win any more is not looked at.
"""

from __future__ import annotations

import math

import numpy as np

from frugaltree.kernels.criteria import EG2, use
from frugaltree.kernels.data.entropy import info
from frugaltree.kernels.greedy.split import CLOSE, minimal_side
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.sentinels import NONE
from frugaltree.kernels.ties import NOISE, TOLERANCE, beats

ZERO, ONE = np.uint32(0), np.uint32(1)

IDLE, PAID = 1, 2
"""What the tests above have made of a test: one value is left, or its result is known."""

MARGIN = 1.0 - 1e-6
"""A test that cannot reach this share of the best worth so far is not looked at."""


@section
def nominal_gain(table, cells, shift, domain, n_classes, rows, need, base, hist, sizes):
    """Return (information gained over all cases, values that occur) of a nominal test.

    The gain is -1 if fewer than two values have ``need`` cases. Where there are more cells than
    cases, the gain grows case by case.
    """
    gain, here, large = base, 0, 0
    if rows.size >= domain << shift:
        for i in range(rows.size):
            hist[cells[rows[i]]] += 1
        for v in range(domain):
            m = ZERO
            for c in range(n_classes):
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
            k, m = hist[cell], sizes[cell >> shift]
            hist[cell] = k + ONE
            sizes[cell >> shift] = m + ONE
            gain += (table[k + ONE] - table[k]) - (table[m + ONE] - table[m])
            here += m == 0
            large += m + ONE == need
        for i in range(rows.size):
            cell = cells[rows[i]]
            hist[cell] = 0
            sizes[cell >> shift] = 0
    return (gain if large >= 2 else -1.0), here


@part
def prepare_cuts(table, counts, m, at, both, sides):
    """Fill the tables from which the gain of every cut at a node is read."""
    for k in range(m + 1):
        sides[k] = table[k] + table[m - k]
    start = 0
    for c in range(counts.size):
        n = int(counts[c])
        at[c] = start
        for k in range(n + 1):
            both[start + k] = table[k] + table[n - k]
        start += n + 1


@part
def too_close(values, start, below, above):
    """Tell whether C4.5 sees one value in two ranks."""
    return not values[start + below] < values[start + above] - CLOSE


@section
def cut_gain_of_two(
    values, start, dense, cells, shift, rows, first, last, bar, base, at, both, sides
):
    """Return (information gained, place, cuts tried) of a numeric test's best cut, two classes.

    Cuts leave ``first`` to ``last`` cases below; the gain must exceed ``bar``. Most cuts are
    between cases of different values, so that all gains are taken: no branch to predict.
    """
    zeros, ones = both[: at[1]], both[at[1] :]
    best, place, tries = 0.0, NONE, 0
    left = ZERO
    for i in range(first - 1):
        left += cells[rows[i]] & ONE
    rows = rows[first - 1 :]
    cell = cells[rows[0]]
    for i in range(last - first + 1):
        left += cell & ONE
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
def cut_gain_of_many(
    values, start, dense, cells, shift, rows, first, last, bar, base, at, both, sides, here
):
    """Return (information gained, place, cuts tried) of a numeric test's best cut."""
    mask = np.uint32((1 << shift) - 1)
    inside = base
    for c in range(at.size):
        here[c] = at[c]
        inside += both[at[c]]
    best, place, tries = 0.0, NONE, 0
    cell = cells[rows[0]]
    for i in range(last):
        k = here[cell & mask]
        here[cell & mask] = k + ONE
        inside += both[k + ONE] - both[k]
        after = cells[rows[i + 1]]
        if (cell ^ after) >> shift and i + 1 >= first:
            if not dense or not too_close(values, start, cell >> shift, after >> shift):
                tries += 1
                gain = inside - sides[i + 1]
                if gain > bar:
                    best, bar, place = gain, gain + TOLERANCE * gain, i
        cell = after
    for c in range(at.size):
        here[c] = 0
    return best, place, tries


@section
def look_at_tests(cases, ground, n_tests, node, counts, depth, bed):
    """Fill ``worth``, and ``cut`` for numeric tests, leaving out tests that cannot win."""
    lo, hi = bed.begin[node], bed.end[node]
    m = hi - lo
    base = info(cases.xlogx, counts)
    most = use(np.int64(EG2), base / m)
    least = minimal_side(np.float64(m), cases.n_classes, ground.min_cases, True)
    first, last = math.ceil(least - 1e-9), math.floor(m - least + 1e-9)
    best, prepared = 0.0, False
    for a in range(bed.worth.size):
        bed.worth[a] = -1.0
    for i in range(n_tests):
        a = bed.ranking[i]
        damp = 1.0 if bed.marks[depth, a] & PAID else bed.damp[a]
        if bed.marks[depth, a] & IDLE or most * damp < best * MARGIN:
            continue
        cells = ground.cells[a]
        k = ground.list_of[a]
        if k == NONE:
            gain, here = nominal_gain(
                cases.xlogx, cells, ground.shift, cases.domain[a], cases.n_classes,
                bed.who[lo:hi], ground.need, base, bed.hist, bed.sizes,
            )  # fmt: skip
            if here < 2:
                bed.marks[depth, a] |= IDLE
            if gain < 0.0:
                continue
            gain = gain / m if gain > NOISE * m else 0.0
        else:
            rows = bed.lists[k, lo:hi] if node > 0 else bed.roots[k, lo:hi]
            if (cells[rows[0]] ^ cells[rows[m - 1]]) >> ground.shift == 0:
                bed.marks[depth, a] |= IDLE
                continue
            if last < first:
                continue
            if not prepared:
                prepare_cuts(cases.xlogx, counts, m, bed.at, bed.both, bed.sides)
                prepared = True
            start, dense, bar = cases.start[a], ground.dense[a], NOISE * m
            if cases.n_classes == 2:
                gain, place, tries = cut_gain_of_two(
                    cases.values, start, dense, cells, ground.shift, rows, first, last, bar,
                    base, bed.at, bed.both, bed.sides,
                )  # fmt: skip
            else:
                gain, place, tries = cut_gain_of_many(
                    cases.values, start, dense, cells, ground.shift, rows, first, last, bar,
                    base, bed.at, bed.both, bed.sides, bed.hist,
                )  # fmt: skip
            if place == NONE:
                continue
            gain = (gain - math.log2(tries)) / m
            if gain <= NOISE:
                continue
            bed.cut[a] = lo + place
        bed.worth[a] = use(np.int64(EG2), gain) * damp
        if bed.worth[a] > best:
            best = bed.worth[a]


@part
def best_of(prices, marks, worth):
    """Return the test of greatest worth; of equal ones the cheapest, then the first."""
    best, best_price, best_a = -1.0, 0.0, np.int64(NONE)
    for a in range(worth.size):
        if worth[a] < 0.0:
            continue
        price = 0.0 if marks[a] & PAID else prices[a]
        cheaper = not beats(best, worth[a]) and price < best_price
        if best_a < 0 or beats(worth[a], best) or cheaper:
            best, best_price, best_a = worth[a], price, np.int64(a)
    return best_a
