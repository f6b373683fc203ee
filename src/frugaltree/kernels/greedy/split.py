"""How good the splits of one test are at one node: class counts, gains, the best cut.

Two frames differ in what a missing value means. In C4.5's (``rules.c45``) it is unknown: gains are
taken over the known cases and scaled down. In the plain frame it is an answer of its own: one more
value of a nominal test, a third branch of a numeric one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.leaf import cheapest_cost, smooth_cost
from frugaltree.kernels.data.counts import clear, total_of
from frugaltree.kernels.data.entropy import info, xlogx
from frugaltree.kernels.jit import part
from frugaltree.kernels.records import record_type
from frugaltree.kernels.sentinels import NONE
from frugaltree.kernels.ties import NOISE, TOLERANCE, beats

CLOSE = 1e-5
"""Values no further apart than this are one to C4.5."""

ROUNDING = 1e-9
"""Sums of weights that differ by no more are equal."""

SCORE = record_type(
    gain=np.float64, split_info=np.float64, price=np.float64, below=np.int64, above=np.int64
)
"""What a test promises: its gain, -1 where it cannot be used; its split information; its price
(for DTMC); and of a numeric test the ranks on either side of the best cut."""


class NodeCases(NamedTuple):
    """The cases of the node that is evaluated."""

    lists: (
        np.ndarray
    )  # int32[list, place]: ascending in list 0, sorted by a numeric test in others
    list_of: np.ndarray  # int64[a]: the list to read for a test; missing values are last there
    lo: int  # the node's cases stand in lists[:, lo:hi]
    hi: int
    weights: np.ndarray  # float64[case]
    counts: np.ndarray  # float64[class]
    total: float  # the sum of counts


class SplitBuffers(NamedTuple):
    """Buffers of one growing thread; what they hold is valid while one test is evaluated."""

    hist: np.ndarray  # float64[value, class]
    present: np.ndarray  # int64[value]: the values that occur at the node
    seen: np.ndarray  # uint8[value]: all zero between calls
    left: np.ndarray  # float64[class]
    right: np.ndarray  # float64[class]
    known: np.ndarray  # float64[class]
    missing: np.ndarray  # float64[class]

    @classmethod
    def empty(cls, widest: int, n_classes: int) -> SplitBuffers:
        """Return buffers for tests of up to ``widest`` branches."""
        return cls(
            hist=np.zeros((widest, n_classes)),
            present=np.zeros(widest, np.int64),
            seen=np.zeros(widest, np.uint8),
            left=np.zeros(n_classes),
            right=np.zeros(n_classes),
            known=np.zeros(n_classes),
            missing=np.zeros(n_classes),
        )


@part
def count_values(cases, a, node, s):
    """Count classes per value of a nominal test into ``s.hist``; return how many values occur.

    The values are listed in ``s.present``, the missing cases counted in ``s.missing``.
    """
    codes, classes, rows = cases.codes[a], cases.classes, node.lists[0]
    hist, domain = s.hist, cases.domain[a]
    few = domain <= 2 * (node.hi - node.lo)
    if few:
        for v in range(domain):
            clear(hist[v])
    else:
        for i in range(node.lo, node.hi):
            if codes[rows[i]] >= 0:
                clear(hist[codes[rows[i]]])
    clear(s.missing)
    for i in range(node.lo, node.hi):
        row = rows[i]
        w = 1.0 if cases.unit else node.weights[row]
        if codes[row] >= 0:
            hist[codes[row], classes[row]] += w
        else:
            s.missing[classes[row]] += w
    n_present = 0
    if few:
        for v in range(domain):
            if total_of(hist[v]) > 0.0:
                s.present[n_present] = v
                n_present += 1
        return n_present
    for i in range(node.lo, node.hi):
        v = codes[rows[i]]
        if v >= 0 and not s.seen[v]:
            s.seen[v] = 1
            s.present[n_present] = v
            n_present += 1
    for i in range(n_present):
        s.seen[s.present[i]] = 0
    return n_present


@part
def nominal_gain(table, rules, node, n_present, s, score):
    """Set the gain and split information of a nominal test from its counts."""
    large, small = 0, 0
    for i in range(n_present):
        weight = total_of(s.hist[s.present[i]])
        large += weight >= rules.min_cases - ROUNDING
        small += weight < rules.min_leaf - ROUNDING
    score.gain, score.split_info = -1.0, 0.0
    if large < 2 or small > 0:
        return
    unknown = total_of(s.missing)
    if rules.c45:
        for c in range(node.counts.size):
            s.known[c] = node.counts[c] - s.missing[c]
        bits = info(table, s.known)
    else:
        bits = info(table, node.counts)
    parts = xlogx(table, node.total)
    if rules.c45:
        parts -= xlogx(table, unknown)
    for i in range(n_present):
        v = s.present[i]
        bits -= info(table, s.hist[v])
        parts -= xlogx(table, total_of(s.hist[v]))
    gain = bits / node.total
    score.gain = gain if gain > NOISE else 0.0
    score.split_info = parts / node.total


@part
def count_missing(cases, a, node, rows, missing):
    """Count the missing cases of a sorted list into ``missing``; return where they begin."""
    codes = cases.codes[a]
    clear(missing)
    end = node.hi
    while end > node.lo and codes[rows[end - 1]] < 0:
        end -= 1
        row = rows[end]
        missing[cases.classes[row]] += 1.0 if cases.unit else node.weights[row]
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
def cut_gain(cases, a, rules, node, s, score):
    """Set the gain, split information and ranks of a numeric test's best cut.

    In C4.5's frame the gain pays for the number of cuts tried.
    """
    table, codes, classes, unit = cases.xlogx, cases.codes[a], cases.classes, cases.unit
    left, right, rows, total = s.left, s.right, node.lists[node.list_of[a]], node.total
    score.gain, score.split_info = -1.0, 0.0
    score.below, score.above = NONE, NONE
    end = count_missing(cases, a, node, rows, s.missing)
    unknown = total_of(s.missing) if end < node.hi else 0.0
    known = total - unknown
    if known < 2.0 * rules.min_cases - ROUNDING:
        return
    if unknown > 0.0 and unknown < rules.min_leaf - ROUNDING and not rules.c45:
        return
    for c in range(left.size):
        s.known[c] = node.counts[c] - s.missing[c]
        right[c] = s.known[c]
        left[c] = 0.0
    base = info(table, s.known if rules.c45 else node.counts)
    if unknown > 0.0 and not rules.c45:
        base -= info(table, s.missing)
    least = minimal_side(known, cases.n_classes, rules.min_cases, rules.c45)
    start = cases.start[a]
    low, tries, best, best_i, best_low = 0.0, 0, -1.0, -1, 0.0
    for i in range(node.lo, end - 1):
        row = rows[i]
        c = classes[row]
        w = 1.0 if unit else node.weights[row]
        left[c] += w
        right[c] -= w
        low += w
        if low < least - ROUNDING:
            continue
        if low > known - least + ROUNDING:
            break
        code, after = codes[row], codes[rows[i + 1]]
        if code == after:
            continue
        if rules.c45 and not cases.values[start + code] < cases.values[start + after] - CLOSE:
            continue
        tries += 1
        if unit and total < table.size:
            bits = table[np.int64(low)] + table[np.int64(known - low)]
            for k in range(left.size):
                bits -= table[np.int64(left[k])] + table[np.int64(right[k])]
        else:
            bits = xlogx(table, low) + xlogx(table, known - low)
            for k in range(left.size):
                bits -= xlogx(table, left[k]) + xlogx(table, right[k])
        gain = (base - bits) / total
        gain = gain if gain > NOISE else 0.0
        if best_i < 0 or beats(gain, best):
            best, best_i, best_low = gain, i, low
    if best_i < 0:
        return
    split_info = 1.0
    if rules.c45:
        best -= math.log2(tries) / total
        if best <= NOISE:
            return
        parts = xlogx(table, total) - xlogx(table, best_low) - xlogx(table, known - best_low)
        split_info = (parts - xlogx(table, unknown)) / total
    score.gain, score.split_info = best, split_info
    score.below, score.above = codes[rows[best_i]], codes[rows[best_i + 1]]


@part
def label_cost(errors, counts, smooth):
    """Return DTMC's cost of answering at a node with these class counts."""
    return smooth_cost(errors, counts) if smooth else cheapest_cost(errors, counts)


class NodeCosts(NamedTuple):
    """What errors cost, and what answering costs at the node that is evaluated."""

    errors: np.ndarray  # float64[answer, class]
    smooth: bool  # DTMC's second criterion
    before: float  # the cost of answering without another test
    charge_missing: bool  # whether a test without a result is charged
    min_leaf: float  # the least weight of a branch


@part
def charge_of(costs, node, lacking, price):
    """Return what a test costs the cases of a node, of which some lack a value, counted."""
    return price * (node.total if costs.charge_missing else node.total - total_of(lacking))


@part
def nominal_reduction(costs, node, lacking, n_present, s, score):
    """Return how much a nominal test lowers the total cost (DTMC).

    ``lacking`` is the value of those that have none.
    """
    without = s.missing
    for i in range(n_present):
        if s.present[i] == lacking:
            without = s.hist[lacking]
    after = charge_of(costs, node, without, score.price)
    for i in range(n_present):
        after += label_cost(costs.errors, s.hist[s.present[i]], costs.smooth)
    return costs.before - after


@part
def cut_reduction(cases, a, costs, node, s, score):
    """Set gain and ranks of the cut that lowers the total cost most (DTMC); return by how much."""
    codes, table, classes, rows = (
        cases.codes[a],
        cases.xlogx,
        cases.classes,
        node.lists[node.list_of[a]],
    )
    left, right = s.left, s.right
    end = count_missing(cases, a, node, rows, s.missing)
    clear(left)
    for c in range(left.size):
        right[c] = node.counts[c] - s.missing[c]
    base, before = info(table, node.counts) - info(table, s.missing), costs.before
    before -= label_cost(costs.errors, s.missing, costs.smooth)
    before -= charge_of(costs, node, s.missing, score.price)
    best, best_gain = -np.inf, -1.0
    score.below, score.above = NONE, NONE
    unknown, low, least = total_of(s.missing), 0.0, costs.min_leaf - ROUNDING
    if unknown > 0.0 and unknown < least:
        return best
    for i in range(node.lo, end - 1):
        row = rows[i]
        w = node.weights[row]
        left[classes[row]] += w
        right[classes[row]] -= w
        low += w
        code, after = codes[row], codes[rows[i + 1]]
        if code == after or low < least or node.total - unknown - low < least:
            continue
        saved = before - label_cost(costs.errors, left, costs.smooth)
        saved -= label_cost(costs.errors, right, costs.smooth)
        if score.below < 0 or saved > best + TOLERANCE * costs.before:
            bits = base - info(table, left) - info(table, right)
            best, best_gain = saved, bits / node.total
            score.below, score.above = code, after
    score.gain = best_gain if best_gain > NOISE else 0.0
    return best
