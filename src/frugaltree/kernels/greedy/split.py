"""How good the splits of one test are at one node: class counts, gains, the best cut.

Two frames differ in what a missing value means. In C4.5's (``rules.c45``) it is unknown: gains are
taken over the known cases and scaled down. In the plain frame it is an answer of its own: one more
value of a nominal test, a third branch of a numeric one.

The cases of a node are counted by value and class, a numeric test of few values (or bins) like a
nominal one. Of many values, there is a list of the cases sorted by them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.leaf import cheapest_cost, smooth_cost
from frugaltree.kernels.data.cases import code_of
from frugaltree.kernels.data.cells import BIT_OF, DE_BRUIJN, LAST_BIT, ONE, WORD_SHIFT, ZERO
from frugaltree.kernels.data.counts import clear, total_of
from frugaltree.kernels.data.entropy import info, xlogx
from frugaltree.kernels.jit import atom, part
from frugaltree.kernels.records import record_type
from frugaltree.kernels.sentinels import NONE
from frugaltree.kernels.ties import NOISE, TOLERANCE, beats

CLOSE = 1e-5
"""Values no further apart than this are one to C4.5."""

ROUNDING = 1e-9
"""Sums of weights that differ by no more are equal."""

COUNTED = 1024
"""A numeric test of up to so many values is counted by value; of more, it has a sorted list."""

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
    list_of: np.ndarray  # int64[a]: the sorted list of a test, missing values last; 0 for none
    lo: int  # the node's cases stand in lists[:, lo:hi]
    hi: int
    classes: np.ndarray  # int32[place]: of the cases in list 0
    weights: np.ndarray  # float64[case]
    counts: np.ndarray  # float64[class]
    total: float  # the sum of counts


class SplitBuffers(NamedTuple):
    """Buffers of one growing thread; what they hold is valid while one test is evaluated."""

    hist: np.ndarray  # float64[value, class]
    present: np.ndarray  # int64[value]: the values that occur at the node
    seen: np.ndarray  # uint8[value]: all zero between calls
    marks: np.ndarray  # uint64[word]: a bit for each value, all zero between calls
    left: np.ndarray  # float64[class]
    right: np.ndarray  # float64[class]
    known: np.ndarray  # float64[class]
    missing: np.ndarray  # float64[class]

    @classmethod
    def empty(cls, n_values: int, n_classes: int) -> SplitBuffers:
        """Return buffers for tests of up to so many values that are counted."""
        return cls(
            hist=np.zeros((n_values, n_classes)),
            present=np.zeros(n_values, np.int64),
            seen=np.zeros(n_values, np.uint8),
            marks=np.zeros((COUNTED >> WORD_SHIFT) + 1, np.uint64),
            left=np.zeros(n_classes),
            right=np.zeros(n_classes),
            known=np.zeros(n_classes),
            missing=np.zeros(n_classes),
        )


@part
def count_values(cases, a, node, s):
    """Count classes per value of a test into ``s.hist``; return how many values occur.

    The values are listed in ``s.present``, ascending if the test has up to COUNTED of them. The
    missing cases are counted in ``s.missing``.
    """
    codes, rows, domain = cases.codes[a], node.lists[0], cases.domain[a]
    few = domain <= 2 * (node.hi - node.lo)
    if few:
        for v in range(domain):
            clear(s.hist[v])
    else:
        for i in range(node.lo, node.hi):
            if codes[rows[i]] != cases.missing:
                clear(s.hist[codes[rows[i]]])
    clear(s.missing)
    count_cases(cases, a, node, s)
    if few:
        n_present = 0
        for v in range(domain):
            if total_of(s.hist[v]) > 0.0:
                s.present[n_present] = v
                n_present += 1
        return n_present
    return (
        list_ascending(cases, a, node, s) if domain <= COUNTED else list_by_case(cases, a, node, s)
    )


@atom
def count_cases(cases, a, node, s):
    """Add the cases of a node to ``s.hist``, by value and class, and to ``s.missing``."""
    codes, classes, rows, hist = cases.codes[a], node.classes, node.lists[0], s.hist
    for i in range(node.lo, node.hi):
        code = codes[rows[i]]
        w = 1.0 if cases.unit else node.weights[rows[i]]
        if code != cases.missing:
            hist[code, classes[i]] += w
        else:
            s.missing[classes[i]] += w


@atom
def list_ascending(cases, a, node, s):
    """List the values of a node's cases in ascending order; return how many these are.

    A bit marks each value that occurs.
    """
    rows, highest, n_present = node.lists[0], 0, 0
    for i in range(node.lo, node.hi):
        v = code_of(cases, a, rows[i])
        if v >= 0:
            word = v >> WORD_SHIFT
            highest = word if word > highest else highest
            s.marks[word] |= ONE << np.uint64(v & LAST_BIT)
    for word in range(highest + 1):
        left = s.marks[word]
        s.marks[word] = ZERO
        while left != ZERO:
            low = left & (~left + ONE)
            left ^= low
            s.present[n_present] = (word << WORD_SHIFT) + BIT_OF[
                (low * DE_BRUIJN) >> np.uint64(58)
            ]
            n_present += 1
    return n_present


@part
def list_by_case(cases, a, node, s):
    """List the values of a node's cases in the order of the cases; return how many these are."""
    rows, n_present = node.lists[0], 0
    for i in range(node.lo, node.hi):
        v = code_of(cases, a, rows[i])
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


@atom
def find_known(cases, a, node, s):
    """Count the cases that lack a value of a numeric test; return where the others begin and end.

    That is in the test's sorted list or, where it has none, among the values in ``s.present``.
    """
    if node.list_of[a] == 0:
        return np.int64(0), np.int64(count_values(cases, a, node, s))
    codes, rows, end = cases.codes[a], node.lists[node.list_of[a]], np.int64(node.hi)
    clear(s.missing)
    while end > node.lo and codes[rows[end - 1]] == cases.missing:
        end -= 1
        row = rows[end]
        s.missing[cases.classes[row]] += 1.0 if cases.unit else node.weights[row]
    return np.int64(node.lo), end


@atom
def value_at(cases, a, node, s, i):
    """Return the value at a place of :func:`find_known`."""
    if node.list_of[a] == 0:
        return s.present[i]
    return np.int64(cases.codes[a, node.lists[node.list_of[a], i]])


@atom
def pass_value(cases, a, node, s, i, end):
    """Take the cases of a value from the right of a cut to its left; return the next one's place.

    ``s.left`` and ``s.right`` have the class counts of both sides.
    """
    if node.list_of[a] == 0:
        counts = s.hist[s.present[i]]
        for c in range(s.left.size):
            s.left[c] += counts[c]
            s.right[c] -= counts[c]
        return i + 1
    codes, rows = cases.codes[a], node.lists[node.list_of[a]]
    value = codes[rows[i]]
    while i < end and codes[rows[i]] == value:
        row = rows[i]
        c = cases.classes[row]
        w = 1.0 if cases.unit else node.weights[row]
        s.left[c] += w
        s.right[c] -= w
        i += 1
    return i


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

    In C4.5's frame the gain pays for the number of cuts tried. Returns whether all cases have the
    same value.
    """
    table, left, right, total = cases.xlogx, s.left, s.right, node.total
    score.gain, score.split_info = -1.0, 0.0
    score.below, score.above = NONE, NONE
    i, end = find_known(cases, a, node, s)
    unknown = total_of(s.missing)
    known = total - unknown
    one = i >= end or value_at(cases, a, node, s, i) == value_at(cases, a, node, s, end - 1)
    constant = one and (unknown == 0.0 or i >= end)
    if known < 2.0 * rules.min_cases - ROUNDING:
        return constant
    if unknown > 0.0 and unknown < rules.min_leaf - ROUNDING and not rules.c45:
        return constant
    for c in range(left.size):
        s.known[c] = node.counts[c] - s.missing[c]
        right[c] = s.known[c]
        left[c] = 0.0
    base = info(table, s.known if rules.c45 else node.counts)
    if unknown > 0.0 and not rules.c45:
        base -= info(table, s.missing)
    least = minimal_side(known, cases.n_classes, rules.min_cases, rules.c45)
    whole = cases.unit and total < table.size
    start, tries, best, best_low = cases.start[a], 0, -1.0, 0.0
    while i < end:
        below = value_at(cases, a, node, s, i)
        i = pass_value(cases, a, node, s, i, end)
        low = total_of(left)
        if i == end or low > known - least + ROUNDING:
            break
        if low < least - ROUNDING:
            continue
        above = value_at(cases, a, node, s, i)
        if rules.c45 and not cases.values[start + below] < cases.values[start + above] - CLOSE:
            continue
        tries += 1
        if whole:
            bits = table[np.int64(low)] + table[np.int64(known - low)]
            for k in range(left.size):
                bits -= table[np.int64(left[k])] + table[np.int64(right[k])]
        else:
            bits = xlogx(table, low) + xlogx(table, known - low)
            for k in range(left.size):
                bits -= xlogx(table, left[k]) + xlogx(table, right[k])
        gain = (base - bits) / total
        gain = gain if gain > NOISE else 0.0
        if score.below < 0 or beats(gain, best):
            best, best_low = gain, low
            score.below, score.above = below, above
    if score.below < 0:
        return constant
    split_info = 1.0
    if rules.c45:
        best -= math.log2(tries) / total
        if best <= NOISE:
            score.below, score.above = NONE, NONE
            return constant
        parts = xlogx(table, total) - xlogx(table, best_low) - xlogx(table, known - best_low)
        split_info = (parts - xlogx(table, unknown)) / total
    score.gain, score.split_info = best, split_info
    return constant


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
    table, left, right = cases.xlogx, s.left, s.right
    i, end = find_known(cases, a, node, s)
    clear(left)
    for c in range(left.size):
        right[c] = node.counts[c] - s.missing[c]
    base, before = info(table, node.counts) - info(table, s.missing), costs.before
    before -= label_cost(costs.errors, s.missing, costs.smooth)
    before -= charge_of(costs, node, s.missing, score.price)
    best, best_gain = -np.inf, -1.0
    score.below, score.above = NONE, NONE
    unknown, least = total_of(s.missing), costs.min_leaf - ROUNDING
    if unknown > 0.0 and unknown < least:
        return best
    while i < end:
        below = value_at(cases, a, node, s, i)
        i = pass_value(cases, a, node, s, i, end)
        low = total_of(left)
        if i == end or low < least or node.total - unknown - low < least:
            continue
        saved = before - label_cost(costs.errors, left, costs.smooth)
        saved -= label_cost(costs.errors, right, costs.smooth)
        if score.below < 0 or saved > best + TOLERANCE * costs.before:
            bits = base - info(table, left) - info(table, right)
            best, best_gain = saved, bits / node.total
            score.below, score.above = below, value_at(cases, a, node, s, i)
    score.gain = best_gain if best_gain > NOISE else 0.0
    return best
