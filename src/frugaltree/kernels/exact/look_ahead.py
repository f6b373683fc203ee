"""Looking three tests ahead: a first test that only helps together with two more.

Of a parity of numbers no single test tells anything, and no threshold looks better than another;
a greedy tree begins anywhere. Here a few thresholds of each test, with as many cases between them,
are taken together: all trees of three levels over these are compared, and the first test of the
cheapest one is tried. The cases below any three thresholds are counted once for three tests, and
those on either side follow from that. Then thresholds nearer and nearer to the best one are looked
at in the same way, and the branches look ahead again with thresholds of their own.

That is a guess at what to try, not a bound: what a tree costs is found by growing it. Of many
cases some stand for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.discounts import price_after, price_here
from frugaltree.kernels.exact.actions import action_of
from frugaltree.kernels.exact.ahead_buffers import BINS, MOST_LOOKED_AT
from frugaltree.kernels.exact.branch import pay
from frugaltree.kernels.exact.budget import binds, is_limited
from frugaltree.kernels.exact.candidates import CLOSED, Candidate, count_cuts, offer, sort_values
from frugaltree.kernels.exact.objective import cost_as_leaf, least_cost, split_charge
from frugaltree.kernels.exact.ruled import is_ruled, waits_for_others
from frugaltree.kernels.jit import atom, part, section
from frugaltree.kernels.sentinels import NONE

TESTS_AHEAD = 3
"""So many tests are looked ahead."""

FEWEST = 8
"""States of fewer kinds of cases are left to the greedy tree."""


FAR, NEAR = 1.5, 1.2
"""By which factor a tree of three levels may cost more than what is known and still promise more.

First over a few thresholds, then with a better one of the first test: both branches go on with
better ones. XOR-3D has factors of 1.4 and 1.0, and the tree that follows costs 0.7; iris has 1.9.
"""


class Range(NamedTuple):
    """Thresholds with cases of a weight between ``least`` and ``most`` below them."""

    least: float
    most: float


class Choice(NamedTuple):
    """The best first test so far: its place, its threshold, the cases below, what it comes to."""

    t: int
    code: int
    low: float
    cost: float


# ------------------------------------------------------------------------------ thresholds


@atom
def takes_part(context, live, a):
    """Tell whether a test is looked at: it has two branches, and need not be ordered."""
    cases, path = context.cases, context.path
    waits = context.prices.delayed[a] > 0 and path.paid[a] == 0 and path.ordered[0] == 0
    two = not cases.nominal[a] or cases.domain[a] == 2
    return live[a] and two and not waits and not cases.lacking[a]


@atom
def looks_at(frame):
    """Return of how many cases of a state one is looked at."""
    return (frame.stop - frame.start - 1) // MOST_LOOKED_AT + 1


@part
def place_cuts(solver, f, t, within):
    """Place a few thresholds of a test within a range, with about as many cases between them.

    Returns how many thresholds there are in all.
    """
    context, buffers, stack, ahead = solver.context, solver.buffers, solver.stack, solver.ahead
    frame, test, sorter, low = stack.frames[f], ahead.tests[t], buffers.sorter, 0.0
    objective, shift, wanted = context.objective, context.cases.shift, context.run[0].cuts
    counts, fewest = stack.counts[frame.branch], max(objective.min_cases, objective.min_leaf)
    n, known, _ = sort_values(context, buffers, counts, frame.start, frame.stop, test.test)
    test.cuts = 0
    for i in range(n - 1):
        code = sorter.cells[i, 0] >> shift
        low += sorter.cells[i, 1]
        legal = code < sorter.cells[i + 1, 0] >> shift and low >= fewest and known - low >= fewest
        goal = within.least + (within.most - within.least) * (test.cuts + 1) / (wanted + 1)
        if legal and test.cuts < wanted and low >= goal and low < within.most:
            cut = ahead.cuts[t * BINS + test.cuts]
            cut.code = code
            cut.low = low
            test.cuts += 1
    put_in_bins(context, ahead, frame, t)
    return count_cuts(context.cases, objective, sorter, n, known)


@section
def put_in_bins(context, ahead, frame, t):
    """Note for each case that is looked at how many thresholds of a test lie below its value."""
    cases, test, r = context.cases, ahead.tests[t], np.int64(0)
    for i in range(frame.start, frame.stop, looks_at(frame)):
        code = cases.cells[test.test, context.rows[i]] >> cases.shift
        place = 0
        for j in range(test.cuts):
            place += code > ahead.cuts[t * BINS + j].code
        ahead.bins[t, r] = place
        r += 1


@section
def list_tests(solver, f):
    """List the tests that take part, with a few thresholds each; return how many there are."""
    context, ahead, stack = solver.context, solver.ahead, solver.stack
    frame, live, t = stack.frames[f], stack.live[f + 1], np.int64(0)
    for a in range(live.size):
        if takes_part(context, live, a):
            test = ahead.tests[t]
            test.test = a
            test.all_cuts = place_cuts(solver, f, t, Range(0.0, frame.weight))
            test.charge = price_here(context.prices, context.path, a) * frame.weight
            test.charge += split_charge(context.objective, test.all_cuts)
            t += test.cuts > 0
    return t


# ------------------------------------------------------------------------------ counts


@section
def sum_up_bins(context, ahead, frame, a, b, c):
    """Count the cases below any three thresholds, one of each test; the last bin is for all."""
    sums, cases, r = ahead.sums, context.cases, np.int64(0)
    n_i, n_j, n_k = ahead.tests[a].cuts + 1, ahead.tests[b].cuts + 1, ahead.tests[c].cuts + 1
    for i in range(n_i):
        for j in range(n_j):
            for k in range(n_k):
                for label in range(cases.n_classes):
                    sums[i, j, k, label] = 0.0
    every = looks_at(frame)
    for place in range(frame.start, frame.stop, every):
        row = context.rows[place]
        i, j, k = ahead.bins[a, r], ahead.bins[b, r], ahead.bins[c, r]
        sums[i, j, k, cases.classes[row]] += every * cases.weights[row]
        r += 1
    for label in range(cases.n_classes):
        for i in range(n_i):
            for j in range(n_j):
                for k in range(1, n_k):
                    sums[i, j, k, label] += sums[i, j, k - 1, label]
            for j in range(1, n_j):
                for k in range(n_k):
                    sums[i, j, k, label] += sums[i, j - 1, k, label]
        for i in range(1, n_i):
            for j in range(n_j):
                for k in range(n_k):
                    sums[i, j, k, label] += sums[i - 1, j, k, label]


@atom
def count_below(sums, first, j, k, label):
    """Return the cases of a class in a branch of the first test, below two thresholds.

    ``first`` is (threshold, branch, number of thresholds).
    """
    i, branch, last = first
    if branch == 0:
        return sums[i, j, k, label]
    return sums[last, j, k, label] - sums[i, j, k, label]


@atom
def weigh(objective, counts, cases):
    """Note what some cases cost as a leaf, nothing if there are none."""
    weight = 0.0
    for label in range(counts.size):
        weight += counts[label]
    cases.weight = weight
    cases.leaf = cost_as_leaf(objective, counts, weight) if weight > 0.0 else 0.0


@section
def weigh_corners(context, ahead, first, j, k, ends):
    """Find what the cases on both sides of two thresholds cost as leaves.

    They are numbered: below both, above the second alone, above the first alone, above both.
    ``ends`` are the last bins of both tests.
    """
    sums, counts = ahead.sums, ahead.counts
    for label in range(counts.shape[1]):
        both = count_below(sums, first, j, k, label)
        below = count_below(sums, first, j, ends[1], label)
        beside = count_below(sums, first, ends[0], k, label)
        counts[0, label] = both
        counts[1, label] = below - both
        counts[2, label] = beside - both
        beyond = count_below(sums, first, ends[0], ends[1], label) - below
        counts[3, label] = beyond - (beside - both)
    for corner in range(4):
        weigh(context.objective, counts[corner], ahead.corners[corner])


# ------------------------------------------------------------------------------ levels


@section
def fill_charges(objective, charges, n):
    """Note what a split is charged with up to so many thresholds to choose from."""
    for m in range(n + 1):
        charges[m] = split_charge(objective, max(np.int64(1), np.int64(m)))


@atom
def charge_below(ahead, test, price, weight):
    """Return what a test costs further down, where cases may all have different values."""
    n_cuts = max(np.int64(0), min(np.int64(weight) - 1, test.all_cuts))
    return price * weight + ahead.charges[n_cuts]


@section
def note_leaves(context, ahead, first, place, b):
    """Note what a branch of the first test costs as a leaf, and those of a second test in it."""
    sums, counts, corners, end = ahead.sums, ahead.counts, ahead.corners, ahead.tests[b].cuts
    for label in range(counts.shape[1]):
        counts[2, label] = count_below(sums, first, end, end, label)
    weigh(context.objective, counts[2], ahead.sides[place])
    for j in range(end):
        for label in range(counts.shape[1]):
            counts[0, label] = count_below(sums, first, j, end, label)
            counts[1, label] = counts[2, label] - counts[0, label]
        for branch in range(2):
            weigh(context.objective, counts[branch], corners[branch])
            ahead.below[place, b, j, branch] = corners[branch].leaf


@atom
def note_third(ahead, place, second, third, leaves):
    """Note what a branch of a second test costs if a third test parts it into two leaves.

    ``second`` is (its place, threshold, branch), ``third`` (its place, its price there).
    """
    (b, j, branch), (c, price) = second, third
    one, other = ahead.corners[leaves[0]], ahead.corners[leaves[1]]
    cost = charge_below(ahead, ahead.tests[c], price, one.weight + other.weight)
    cost += one.leaf + other.leaf
    ahead.below[place, b, j, branch] = min(ahead.below[place, b, j, branch], cost)


@section
def try_thirds(context, ahead, first, place, b, c):
    """Let either of two tests follow the other in a branch of the first one."""
    one, other, prices, path = ahead.tests[b], ahead.tests[c], context.prices, context.path
    after_b, after_c = 0.0, 0.0
    if b != c:
        after_b = price_after(prices, path, other.price, one.test, other.test)
        after_c = price_after(prices, path, one.price, other.test, one.test)
    for j in range(one.cuts):
        for k in range(other.cuts):
            weigh_corners(context, ahead, first, j, k, (one.cuts, other.cuts))
            for branch in range(2):
                leaves = (2 * branch, 2 * branch + 1)
                note_third(ahead, place, (b, j, branch), (c, after_b), leaves)
                if b != c:
                    note_third(ahead, place, (c, k, branch), (b, after_c), (branch, branch + 2))


@section
def least_of_branch(ahead, n_tests, place):
    """Return the least cost of a branch of the first test, with up to two tests more."""
    side, below = ahead.sides[place], ahead.below
    best = side.leaf
    for b in range(n_tests):
        charge = charge_below(ahead, ahead.tests[b], ahead.tests[b].price, side.weight)
        for j in range(ahead.tests[b].cuts):
            best = min(best, charge + below[place, b, j, 0] + below[place, b, j, 1])
    return best


@section
def try_pairs(solver, frame, n_tests, a):
    """Find what the branches of all second tests cost after a first one."""
    context, ahead = solver.context, solver.ahead
    last, n = ahead.tests[a].cuts, (frame.stop - frame.start) // looks_at(frame)
    for c in range(n_tests):
        for back in range(c + 1):
            b = c - back  # a test follows itself first, then it is paired with those before it
            if solver.stop[0] == 0:
                sum_up_bins(context, ahead, frame, a, b, c)
                for place in range(2 * last):
                    first = (place >> 1, place & 1, last)
                    if b == c:
                        note_leaves(context, ahead, first, place, b)
                    try_thirds(context, ahead, first, place, b, c)
                cells = last * ahead.tests[b].cuts * ahead.tests[c].cuts
                context.run[0].work += n + 8 * cells


@part
def try_first(solver, frame, n_tests, a, best):
    """Return the better of the best first test so far and another one, at its thresholds."""
    prices, path, ahead = solver.context.prices, solver.context.path, solver.ahead
    test = ahead.tests[a]
    pay(prices, path, test.test, np.int64(1))
    for b in range(n_tests):
        ahead.tests[b].price = price_here(prices, path, ahead.tests[b].test)
    try_pairs(solver, frame, n_tests, a)
    pay(prices, path, test.test, np.int64(-1))
    for i in range(test.cuts):
        low = least_of_branch(ahead, n_tests, 2 * i)
        cost = test.charge + low + least_of_branch(ahead, n_tests, 2 * i + 1)
        if cost < best.cost * CLOSED and solver.stop[0] == 0:
            cut = ahead.cuts[a * BINS + i]
            best = Choice(t=a, code=cut.code, low=cut.low, cost=cost)
    return best


# ------------------------------------------------------------------------------ the search


@section
def is_too_much(solver, frame, n_tests):
    """Tell whether looking ahead is more work than the state may do."""
    run, cuts = solver.context.run[0], np.int64(0)
    for t in range(n_tests):
        cuts += solver.ahead.tests[t].cuts
    pairs = n_tests * (n_tests + 1) // 2
    n = (frame.stop - frame.start) // looks_at(frame)
    return n_tests * pairs * n + 4 * cuts * cuts * cuts > frame.limit - run.work


@section
def come_closer(solver, f, n_tests, best):
    """Return the best threshold of the best first test, looking nearer and nearer to it."""
    context, frame = solver.context, solver.stack.frames[f]
    reach = frame.weight
    while reach >= 2.0 and not context.cases.nominal[solver.ahead.tests[best.t].test]:
        reach *= 0.5
        place_cuts(solver, f, best.t, Range(best.low - reach, best.low + reach))
        best = try_first(solver, frame, n_tests, best.t, best)
    return best


@part
def look_ahead(solver, f):
    """Queue the first test of the best tree of three levels if it promises to be of use."""
    context, ahead, stack = solver.context, solver.ahead, solver.stack
    frame, objective = stack.frames[f], context.objective
    n = np.int64(frame.stop - frame.start)
    if frame.depth < TESTS_AHEAD or n < FEWEST or ahead.charges.size == 1:
        return
    if is_limited(context) and binds(context, stack.live[f + 1], frame.left):
        return  # a test further down may be out of reach
    if is_ruled(context) and waits_for_others(context, stack.live[f + 1]):
        return
    n_tests = list_tests(solver, f)
    if is_too_much(solver, frame, n_tests):
        return
    fill_charges(objective, ahead.charges, n)
    least = least_cost(objective, stack.counts[frame.branch], frame.weight)
    goal = min(frame.upper, frame.cap)
    best = Choice(t=np.int64(NONE), code=np.int64(0), low=0.0, cost=FAR * goal)
    for t in range(n_tests):
        if ahead.tests[t].charge + least < best.cost:
            best = try_first(solver, frame, n_tests, np.int64(t), best)
    if best.t == NONE:
        return
    best = come_closer(solver, f, n_tests, best)
    if best.cost >= NEAR * goal:
        return
    test = ahead.tests[best.t]
    frame.ahead = 1
    candidate = Candidate(
        action=action_of(test.test, best.code), charge=test.charge, least=least, left=0.0,
        rank=best.cost, upper=np.inf, low=best.low,
    )  # fmt: skip
    offer(stack, solver.queue, context.run, f, candidate)
