"""Looking at one node: class counts per value, the best cut, gain and split information.

A node's cases stand in ``rows[lo:hi]``. Two frames differ in what a missing value means. In C4.5's
(``c45`` true) it is unknown: gains are taken over the known cases and scaled down. In the plain
frame it goes down the branch with the most cases, and gains are those of the resulting parts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.leaf import cheapest_cost, smooth_cost
from frugaltree.kernels.data.counts import clear, total_of
from frugaltree.kernels.data.entropy import info, xlogx
from frugaltree.kernels.jit import part
from frugaltree.kernels.ties import NOISE, TOLERANCE, beats

CLOSE = 1e-5
"""Values no further apart than this are one to C4.5."""


class Scratch(NamedTuple):
    """Buffers of one growing thread; what they hold is only valid while one test is looked at."""

    hist: np.ndarray  # float64[value, class]
    here: np.ndarray  # int64[value]: the values that occur at the node
    mark: np.ndarray  # uint8[value]: all zero between calls
    left: np.ndarray  # float64[class]
    right: np.ndarray  # float64[class]
    known: np.ndarray  # float64[class]
    missing: np.ndarray  # float64[class]

    @classmethod
    def empty(cls, widest: int, n_classes: int) -> Scratch:
        """Return buffers for tests of up to ``widest`` branches."""
        return cls(
            np.zeros((widest, n_classes)),
            np.zeros(widest, np.int64),
            np.zeros(widest, np.uint8),
            *(np.zeros(n_classes) for _ in range(4)),
        )


@part
def count_values(codes, domain, classes, weights, unit, rows, lo, hi, s):
    """Count classes per value of a nominal test into ``s.hist``; return how many values occur.

    The values stand in ``s.here``, the counts of missing values in ``s.missing``.
    """
    hist = s.hist
    few = domain <= 2 * (hi - lo)
    if few:
        for v in range(domain):
            clear(hist[v])
    else:
        for i in range(lo, hi):
            if codes[rows[i]] >= 0:
                clear(hist[codes[rows[i]]])
    clear(s.missing)
    for i in range(lo, hi):
        row = rows[i]
        w = 1.0 if unit else weights[row]
        if codes[row] >= 0:
            hist[codes[row], classes[row]] += w
        else:
            s.missing[classes[row]] += w
    n_here = 0
    if few:
        for v in range(domain):
            if total_of(hist[v]) > 0.0:
                s.here[n_here] = v
                n_here += 1
        return n_here
    for i in range(lo, hi):
        v = codes[rows[i]]
        if v >= 0 and not s.mark[v]:
            s.mark[v] = 1
            s.here[n_here] = v
            n_here += 1
    for i in range(n_here):
        s.mark[s.here[i]] = 0
    return n_here


@part
def send_missing_to_largest(s, n_here):
    """Add the missing cases to the largest branch (the first of several)."""
    best, most = -1, -1.0
    for i in range(n_here):
        v = s.here[i]
        n = total_of(s.hist[v])
        if n > most or (n == most and v < best):
            best, most = v, n
    for c in range(s.missing.size):
        s.hist[best, c] += s.missing[c]


@part
def nominal_gain(table, counts, total, n_here, min_cases, c45, s):
    """Return (gain, split information) of a counted nominal test; gain -1 if it cannot be used."""
    large = 0
    for i in range(n_here):
        if total_of(s.hist[s.here[i]]) >= min_cases - 1e-9:
            large += 1
    if large < 2:
        return -1.0, 0.0
    unknown = total_of(s.missing)
    if c45:
        for c in range(counts.size):
            s.known[c] = counts[c] - s.missing[c]
        bits = info(table, s.known)
    else:
        bits = info(table, counts)
        if unknown > 0.0:
            send_missing_to_largest(s, n_here)
    parts = xlogx(table, total)
    if c45:
        parts -= xlogx(table, unknown)
    for i in range(n_here):
        v = s.here[i]
        bits -= info(table, s.hist[v])
        parts -= xlogx(table, total_of(s.hist[v]))
    gain = bits / total
    return (gain if gain > NOISE else 0.0), parts / total


@part
def count_missing(codes, classes, weights, unit, rows, lo, hi, missing):
    """Count the missing cases of a sorted list into ``missing``; return where they begin."""
    clear(missing)
    end = hi
    while end > lo and codes[rows[end - 1]] < 0:
        end -= 1
        row = rows[end]
        missing[classes[row]] += 1.0 if unit else weights[row]
    return end


@part
def minimal_side(known, n_classes, min_cases, c45):
    """Return the least weight on either side of a cut (C4.5's MinSplit)."""
    if not c45:
        return min_cases
    least = 0.10 * known / n_classes
    least = least if least < 25.0 else 25.0
    return least if least > min_cases else min_cases


@part
def cut_gain(cases, weights, a, rows, lo, hi, counts, total, min_cases, c45, s):
    """Return (gain, split information, rank below, rank above) of a numeric test's best cut.

    ``rows[lo:hi]`` is sorted by the test, missing values last. In C4.5's frame the gain pays for
    the number of cuts tried. Gain -1 if there is no cut.
    """
    table, codes, classes, unit = cases.xlogx, cases.codes[a], cases.classes, cases.unit
    left, right, known_counts = s.left, s.right, s.known
    end = count_missing(codes, classes, weights, unit, rows, lo, hi, s.missing)
    unknown = total_of(s.missing) if end < hi else 0.0
    known = total - unknown
    if known < 2.0 * min_cases - 1e-9:
        return -1.0, 0.0, -1, -1
    for c in range(counts.size):
        known_counts[c] = counts[c] - s.missing[c]
        right[c] = known_counts[c]
        left[c] = 0.0
    route = unknown > 0.0 and not c45
    base = info(table, known_counts if c45 else counts)
    least = minimal_side(known, cases.n_classes, min_cases, c45)
    start = cases.start[a]
    low, tries, best, best_i, best_low = 0.0, 0, -1.0, -1, 0.0
    for i in range(lo, end - 1):
        row = rows[i]
        c = classes[row]
        w = 1.0 if unit else weights[row]
        left[c] += w
        right[c] -= w
        low += w
        if low < least - 1e-9:
            continue
        if low > known - least + 1e-9:
            break
        code, after = codes[row], codes[rows[i + 1]]
        if code == after:
            continue
        if c45 and not cases.values[start + code] < cases.values[start + after] - CLOSE:
            continue
        tries += 1
        if route:
            bits = info_routed(table, left, right, s.missing, low >= known - low)
        elif unit and total < table.size:
            bits = table[int(low)] + table[int(known - low)]
            for k in range(left.size):
                bits -= table[int(left[k])] + table[int(right[k])]
        else:
            bits = xlogx(table, low) + xlogx(table, known - low)
            for k in range(left.size):
                bits -= xlogx(table, left[k]) + xlogx(table, right[k])
        gain = (base - bits) / total
        gain = gain if gain > NOISE else 0.0
        if best_i < 0 or beats(gain, best):
            best, best_i, best_low = gain, i, low
    if best_i < 0:
        return -1.0, 0.0, -1, -1
    below, above = codes[rows[best_i]], codes[rows[best_i + 1]]
    if not c45:
        return best, 1.0, below, above
    best -= math.log2(tries) / total
    if best <= NOISE:
        return -1.0, 0.0, -1, -1
    low = best_low
    parts = xlogx(table, total) - xlogx(table, low) - xlogx(table, known - low)
    return best, (parts - xlogx(table, unknown)) / total, below, above


@part
def info_routed(table, left, right, missing, to_left):
    """Return the information of both sides once the missing cases joined one of them."""
    low, high, bits = 0.0, 0.0, 0.0
    for c in range(left.size):
        a = left[c] + (missing[c] if to_left else 0.0)
        b = right[c] + (0.0 if to_left else missing[c])
        low += a
        high += b
        bits -= xlogx(table, a) + xlogx(table, b)
    return bits + xlogx(table, low) + xlogx(table, high)


@part
def move_missing(s, to_left, sign):
    """Add the missing cases to one side of a cut, or with sign -1 take them away again."""
    for c in range(s.missing.size):
        if to_left:
            s.left[c] += sign * s.missing[c]
        else:
            s.right[c] += sign * s.missing[c]


@part
def loss(errors, counts, smooth):
    """Return DTMC's cost of answering at a node with these class counts."""
    return smooth_cost(errors, counts) if smooth else cheapest_cost(errors, counts)


@part
def nominal_reduction(errors, before, charge, n_here, smooth, s):
    """Return how much a counted nominal test lowers the total cost (DTMC); needs the counts."""
    after = charge
    for i in range(n_here):
        after += loss(errors, s.hist[s.here[i]], smooth)
    return before - after


@part
def cut_reduction(cases, a, rows, lo, hi, counts, errors, before, charge, smooth, s):
    """Return (reduction, gain, rank below, rank above) of the cut that saves most (DTMC)."""
    codes, table, classes = cases.codes[a], cases.xlogx, cases.classes
    left, right = s.left, s.right
    end = count_missing(codes, classes, cases.weights, cases.unit, rows, lo, hi, s.missing)
    clear(left)
    known = 0.0
    for c in range(counts.size):
        right[c] = counts[c] - s.missing[c]
        known += right[c]
    low, best, best_gain, below, above = 0.0, -np.inf, -1.0, -1, -1
    for i in range(lo, end - 1):
        row = rows[i]
        w = cases.weights[row]
        left[cases.classes[row]] += w
        right[cases.classes[row]] -= w
        low += w
        code, after = codes[row], codes[rows[i + 1]]
        if code == after:
            continue
        to_left = low >= known - low
        move_missing(s, to_left, 1.0)
        reduction = before - charge - loss(errors, left, smooth) - loss(errors, right, smooth)
        if below < 0 or reduction > best + TOLERANCE * before:
            bits = info(table, counts) - info(table, left) - info(table, right)
            best, best_gain, below, above = reduction, bits / total_of(counts), code, after
        move_missing(s, to_left, -1.0)
    return best, (best_gain if best_gain > NOISE else 0.0), below, above
