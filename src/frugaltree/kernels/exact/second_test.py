"""The second of the last two tests: what it costs in each branch of the first one.

The cases come in the order of their values of the second test, each in its branch. Between two
values of a branch lies a threshold: the classes below and above it are known, so what both leaves
cost is. One pass tells the best threshold in every branch.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.error_estimate import TRAINING_ERROR
from frugaltree.kernels.data.cells import BIT_OF, DE_BRUIJN, LAST_BIT, ONE, WORD_SHIFT, ZERO
from frugaltree.kernels.exact.objective import errors_of, split_charge
from frugaltree.kernels.exact.pair_bound import bound_counts
from frugaltree.kernels.jit import atom, part, section
from frugaltree.kernels.sentinels import NONE

PLACE_BITS = 32
PLACES = (1 << PLACE_BITS) - 1
"""The lower bits of a case are its place, those above its weight."""

# ------------------------------------------------------------------------------ order


@part
def sort_cases(context, sorter, cuts, frame, a):
    """Put the cases of a state in the order of their values of a test.

    They are counted by value, and a bit marks each value that occurs.
    """
    cases, rows, start = context.cases, context.rows, frame.start
    hist, marks, n = sorter.hist, sorter.marks, frame.stop - start
    for i in range(n):
        code = np.int64(cases.cells[a, rows[start + i]] >> cases.shift)
        hist[code] += 1
        marks[code >> WORD_SHIFT] |= ONE << np.uint64(code & LAST_BIT)
    place = np.int64(0)
    for word in range((cases.domain[a] >> WORD_SHIFT) + 1):
        left = marks[word]
        marks[word] = ZERO
        while left != ZERO:
            bit = left & (~left + ONE)
            left ^= bit
            code = (word << WORD_SHIFT) + BIT_OF[(bit * DE_BRUIJN) >> np.uint64(58)]
            k = hist[code]
            hist[code] = place
            place += k
    for i in range(n):
        code = np.int64(cases.cells[a, rows[start + i]] >> cases.shift)
        place = hist[code]
        hist[code] += 1
        cuts.order[a, place] = i
        cuts.codes[a, place] = code
    for i in range(n):
        hist[cuts.codes[a, i]] = 0


# ------------------------------------------------------------------------------ branches


@atom
def place_of(packed):
    """Return the place of a case, its branch shifted plus its class; above it is its weight."""
    return packed & PLACES


@part
def sum_up_sides(context, cuts, n_sides):
    """Find what each branch costs as a leaf, and at least, given the classes in it."""
    objective, shift, n_classes = context.objective, context.cases.shift, context.cases.n_classes
    for s in range(n_sides):
        side, m, most, apart = cuts.sides[s], np.int64(0), np.int64(0), 0.0
        for place in range(s << shift, (s << shift) + n_classes):
            k = cuts.total[place]
            m += k
            most = max(most, k)
            if k < objective.excess.size:
                apart += objective.excess[k]
        apart = apart if m < objective.excess.size else 0.0
        leaf, least = bound_counts(objective, m, most, apart, 0.0)
        side.weight = m
        side.most = most
        side.leaf = leaf
        side.least = least
        side.best = leaf


@section
def begin_pass(context, cuts, n_sides, price):
    """Take all cases of each branch to lie above any threshold.

    More errors than the leaf makes, less what the test costs, are of no interest.
    """
    penalty = context.objective.penalty
    for place in range(n_sides << context.cases.shift):
        cuts.low[place] = 0
    for s in range(n_sides):
        side = cuts.sides[s]
        side.last = NONE
        side.values = 0
        side.below = 0
        side.most_low = 0
        side.most_high = side.most
        side.errors = np.inf
        if penalty > 0.0:
            side.errors = (side.leaf - price * side.weight) / penalty


@atom
def note_threshold(objective, side, low, wrong_low, high, wrong_high):
    """Note a threshold if its two leaves expect fewer errors than any so far.

    They expect no fewer than were seen.
    """
    if wrong_low + wrong_high < side.errors:
        errors = np.float64(wrong_low + wrong_high)
        if objective.form != TRAINING_ERROR:
            errors = errors_of(objective, low, wrong_low) + errors_of(objective, high, wrong_high)
        side.errors = min(side.errors, errors)


@section
def pass_two_classes(objective, cuts, b, n):
    """Find the best threshold of a numeric test in each branch, for cases of two classes."""
    order, codes, packed, low = cuts.order, cuts.codes, cuts.packed, cuts.low
    total, sides = cuts.total, cuts.sides
    for i in range(n):
        code, case = codes[b, i], packed[order[b, i]]
        place = place_of(case)
        side = sides[place >> 1]
        if code != side.last:
            first = place & ~1
            l0, l1 = low[first], low[first + 1]
            h0, h1 = total[first] - l0, total[first + 1] - l1
            note_threshold(objective, side, l0 + l1, min(l0, l1), h0 + h1, min(h0, h1))
            side.last = code
            side.values += 1
        low[place] += case >> PLACE_BITS


@section
def pass_classes(context, cuts, b, n):
    """Do the same as :func:`pass_two_classes` for any number of classes.

    The largest class below a threshold only grows; above, it is looked for when it has shrunk.
    """
    objective, shift, n_classes = context.objective, context.cases.shift, context.cases.n_classes
    order, codes, packed, low = cuts.order, cuts.codes, cuts.packed, cuts.low
    total, sides = cuts.total, cuts.sides
    for i in range(n):
        code, case = codes[b, i], packed[order[b, i]]
        place, w = place_of(case), case >> PLACE_BITS
        side = sides[place >> shift]
        if code != side.last:
            below, above = side.below, side.weight - side.below
            wrong_low, wrong_high = below - side.most_low, above - side.most_high
            note_threshold(objective, side, below, wrong_low, above, wrong_high)
            side.last = code
            side.values += 1
        k = low[place]
        low[place] = k + w
        side.below += w
        side.most_low = max(side.most_low, k + w)
        if total[place] - k == side.most_high:
            most, first = np.int64(0), (place >> shift) << shift
            for c in range(first, first + n_classes):
                most = max(most, total[c] - low[c])
            side.most_high = most


@section
def pass_values(context, cuts, b, n, n_sides):
    """Find the errors of a nominal test in each branch: each of its values is a leaf."""
    objective, shift, n_classes = context.objective, context.cases.shift, context.cases.n_classes
    low, sides = cuts.low, cuts.sides
    for s in range(n_sides):
        sides[s].errors = 0.0
    for i in range(n + n_sides):
        s = np.int64(i - n)  # after the last case, the last value of every branch is left
        code, place, w = np.int64(NONE), np.int64(0), np.int64(0)
        if i < n:
            case = cuts.packed[cuts.order[b, i]]
            code, place, w = np.int64(cuts.codes[b, i]), place_of(case), case >> PLACE_BITS
            s = place >> shift
        side = sides[s]
        if code != side.last and side.below > 0:
            side.errors += errors_of(objective, side.below, side.below - side.most_low)
            side.below = 0
            side.most_low = 0
            for c in range(s << shift, (s << shift) + n_classes):
                low[c] = 0
        if i < n:
            side.values += code != side.last
            side.last = code
            low[place] += w
            side.below += w
            side.most_low = max(side.most_low, low[place])


@part
def ask_second(context, cuts, b, n, n_sides, price):
    """Find what a test costs in each branch of the first one, or a leaf if that is less.

    ``price`` is what a case pays for it.
    """
    cases, objective = context.cases, context.objective
    begin_pass(context, cuts, n_sides, price)
    if cases.nominal[b]:
        pass_values(context, cuts, b, n, n_sides)
    elif cases.n_classes == 2:
        pass_two_classes(objective, cuts, b, n)
    else:
        pass_classes(context, cuts, b, n)
    for s in range(n_sides):
        side = cuts.sides[s]
        side.cost = side.leaf
        if side.values > 1:
            n_cuts = np.int64(1) if cases.nominal[b] else side.values - 1
            cost = price * side.weight + split_charge(objective, n_cuts)
            side.cost = min(side.leaf, cost + side.errors * objective.penalty)
