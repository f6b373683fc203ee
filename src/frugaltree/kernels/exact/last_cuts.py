"""The last two tests where one may be numeric: the cheapest tree of two levels, by its first test.

The general search would take every threshold of the first test as a state of two branches. Here
the branches are not searched: one pass for each second test tells what it costs on both sides
(second_test.py). And few thresholds need that. Those of a test are looked at by halves, and each
that was bounds those near it: what its two sides cost, with any second test and with each one
(``bound_side`` in ``kernels.cost.bounds``). A range of thresholds is left out once all of it must
cost more than the best tree known, and so is a second test that can be no part of a better one.

It takes for granted that fewer cases never cost more (``objective.nested``), so that no value is
missing, and that no test must be ordered; else the general search goes on. Fewer tests may be
asked after some than after others, where a budget binds: both sides of the first one have the same
left, so the bounds hold for the second tests that it reaches for, and no others are looked at. So
they do for those that rules allow after the first one, where none is to come before others.
Nor does it matter here which tests make others cheaper: without the second one, a leaf is left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.bounds import bound_side
from frugaltree.kernels.cost.discounts import price_after, price_here
from frugaltree.kernels.exact.actions import action_of
from frugaltree.kernels.exact.budget import is_limited
from frugaltree.kernels.exact.candidates import CLOSED, Candidate, offer
from frugaltree.kernels.exact.objective import split_charge
from frugaltree.kernels.exact.ruled import begins_in_order, is_ruled, list_followers, may_follow
from frugaltree.kernels.exact.second_test import (
    PLACE_BITS,
    ask_second,
    place_of,
    sort_cases,
    sum_up_sides,
)
from frugaltree.kernels.jit import atom, part, section
from frugaltree.kernels.sentinels import NONE

MET = (1.0 + CLOSED) / 2.0
"""Costs that differ by less than this factor are the same here; sums in another order still are
by CLOSED."""


class First(NamedTuple):
    """The first of two tests: ``charge`` is what it costs the ``n`` cases of weight ``m``.

    As a leaf they cost ``leaf``. ``step`` is the most that a case of weight 1 can add to what a
    branch costs.
    """

    a: int
    n: int
    m: float
    leaf: float
    charge: float
    step: float


@atom
def is_called_back(solver):
    """Tell whether the search is to end at once, here or because another thread is done."""
    return solver.stop[0] != 0 or solver.context.run[0].last_step == 0


@section
def asks_last_cuts(context, cuts, live, frame):
    """Tell whether the last two tests of a state are looked at here."""
    prices, path, numeric = context.prices, context.path, False
    if not context.objective.nested or frame.depth != 2:
        return False
    if is_ruled(context) and begins_in_order(context, live):
        return False
    for a in range(live.size):
        if live[a]:
            numeric = numeric or not context.cases.nominal[a]
            if prices.delayed[a] and not path.paid[a] and not path.ordered[0]:
                return False
    return numeric and cuts.order.shape[1] > 0


# ------------------------------------------------------------------------------ preparing


@section
def lay_out_cases(context, sorter, cuts, live, frame):
    """Give the cases of a state numbers, and sort them by every live test."""
    cases, n = context.cases, frame.stop - frame.start
    for c in range(cases.n_classes):
        cuts.total[c] = 0
    for i in range(n):
        row = context.rows[frame.start + i]
        cuts.packed[i] = (cases.weights[row] << PLACE_BITS) + cases.classes[row]
        cuts.total[cases.classes[row]] += cases.weights[row]
    for a in range(live.size):
        if live[a]:
            sort_cases(context, sorter, cuts, frame, np.int64(a))


@section
def ask_each_alone(context, cuts, live, n):
    """Find the errors that each test leaves if it is asked of all cases, and nothing else."""
    one = np.int64(1)
    sum_up_sides(context, cuts, one)
    side, penalty = cuts.sides[0], context.objective.penalty
    for a in range(live.size):
        if live[a]:
            ask_second(context, cuts, np.int64(a), n, one, 0.0)
            test = cuts.tests[a]
            test.alone = side.errors
            test.alone_cuts = 1 if context.cases.nominal[a] else max(one, side.values - 1)
            test.price = price_here(context.prices, context.path, a)
            test.worth = test.price * side.weight + side.errors * penalty
            test.turn = 0


@section
def next_first(cuts, live):
    """Return the test that promises most of those that had no turn as the first one."""
    best = np.int64(NONE)
    for a in range(live.size):
        if live[a] and not cuts.tests[a].turn:
            if best == NONE or cuts.tests[a].worth < cuts.tests[best].worth:
                best = np.int64(a)
    if best != NONE:
        cuts.tests[best].turn = 1
    return best


@section
def price_seconds(context, cuts, live, a):
    """Find what each test costs after test ``a``; return the most that a case can add there."""
    objective, prices, path, most = context.objective, context.prices, context.path, 0.0
    for b in range(live.size):
        if live[b]:
            test = cuts.tests[b]
            test.price_second = 0.0
            if b != a:
                test.price_second = price_after(prices, path, test.price, a, b)
            test.step = objective.step + test.price_second
            most = max(most, test.step)
    return most


# ------------------------------------------------------------------------------ thresholds


@section
def list_first_cuts(cuts, a, n):
    """List the thresholds of a test, behind one below all values and before one above all.

    Returns the number of the last.
    """
    order, codes, k, low = cuts.order, cuts.codes, np.int64(0), 0.0
    cuts.cuts[0].stop = 0
    cuts.cuts[0].low = 0.0
    for i in range(n):
        low += cuts.packed[order[a, i]] >> PLACE_BITS
        if i == n - 1 or codes[a, i] != codes[a, i + 1]:
            k += 1
            cuts.cuts[k].code = codes[a, i]
            cuts.cuts[k].stop = i + 1
            cuts.cuts[k].low = low
    return k


@section
def mark_ends(objective, cuts, live, first, last):
    """Take the thresholds below and above all values as looked at: one side has all cases."""
    right, left, least = cuts.marks[0], cuts.marks[1], first.leaf
    for b in range(live.size):
        if live[b]:
            test = cuts.tests[b]
            cost = test.price_second * first.m + split_charge(objective, test.alone_cuts)
            cost = min(first.leaf, cost + test.alone * objective.penalty)
            least = min(least, cost)
            cuts.left[0, b] = cost
            cuts.right[0, b] = 0.0
            cuts.left[1, b] = 0.0
            cuts.right[1, b] = cost
    right.cut = last
    right.left = least
    right.right = 0.0
    left.cut = 0
    left.left = 0.0
    left.right = least


@atom
def bound_cut(cuts, first, at, j):
    """Return what both sides of threshold ``j`` cost at least, by the two marks around it.

    The left one is ``marks[at]``, the right one below it on the stack.
    """
    left, right = cuts.marks[at], cuts.marks[at - 1]
    low, below, above = cuts.cuts[j].low, cuts.cuts[left.cut].low, cuts.cuts[right.cut].low
    on_left = bound_side(left.left, right.left, above - low, first.step)
    on_right = bound_side(right.right, left.right, low - below, first.step)
    return on_left, on_right


@section
def next_cut(cuts, first, at, goal):
    """Return the threshold that halves those between two marks that may be better, or NONE."""
    left, right = cuts.marks[at], cuts.marks[at - 1]
    i, j = left.cut + 1, right.cut - 1
    if first.charge + left.left + right.right >= goal:
        return np.int64(NONE)
    while i <= j:
        on_left, on_right = bound_cut(cuts, first, at, i)
        if first.charge + on_left + on_right < goal:
            break
        i += 1
    while i <= j:
        on_left, on_right = bound_cut(cuts, first, at, j)
        if first.charge + on_left + on_right < goal:
            break
        j -= 1
    return (i + j) // 2 if i <= j else np.int64(NONE)


@atom
def move_case(cuts, case, by):
    """Put a case into the place that lies so much further on."""
    packed = cuts.packed[case]
    place, w = place_of(packed), packed >> PLACE_BITS
    cuts.total[place] -= w
    cuts.total[place + by] += w
    cuts.packed[case] = packed + by


@part
def part_cases(context, cuts, a, was, stop):
    """Move cases to the side where they are with so many on the left, where so many were before.

    The cases are in the order of their values of test ``a``.
    """
    one = np.int64(1) << context.cases.shift
    for i in range(was, stop):
        move_case(cuts, cuts.order[a, i], -one)
    for i in range(stop, was):
        move_case(cuts, cuts.order[a, i], one)
    sum_up_sides(context, cuts, np.int64(2))


@section
def bound_seconds(cuts, live, at):
    """Bound what each second test costs on both sides of the threshold on top of the stack."""
    left, right, low = cuts.marks[at], cuts.marks[at - 1], cuts.cuts[cuts.marks[at + 1].cut].low
    below, above = low - cuts.cuts[left.cut].low, cuts.cuts[right.cut].low - low
    for b in range(live.size):
        if live[b]:
            step = cuts.tests[b].step
            on_left = bound_side(cuts.left[at, b], cuts.left[at - 1, b], above, step)
            on_right = bound_side(cuts.right[at - 1, b], cuts.right[at, b], below, step)
            cuts.left[at + 1, b] = max(on_left, cuts.sides[0].least)
            cuts.right[at + 1, b] = max(on_right, cuts.sides[1].least)
            cuts.tests[b].asked = 0


@section
def next_second(cuts, live, here, at, most):
    """Return the second test that may be part of a tree below ``most``, the least bound first.

    What both sides cost at least is noted in the mark ``here``. NONE if there is no such test.
    """
    here.left = np.inf
    here.right = np.inf
    for b in range(live.size):
        if live[b]:
            here.left = min(here.left, cuts.left[at, b])
            here.right = min(here.right, cuts.right[at, b])
    best, least = np.int64(NONE), np.inf
    for b in range(live.size):
        if live[b] and not cuts.tests[b].asked:
            left, right = cuts.left[at, b], cuts.right[at, b]
            useful = left + here.right < most or right + here.left < most
            if useful and left + right < least:
                best, least = np.int64(b), left + right
    return best


@section
def look_at_cut(context, cuts, live, first, at, goal):
    """Find what both sides of a threshold cost, as far as it may be better; return the work done.

    The threshold is that of ``marks[at + 1]``. A test that can be no part of a better tree is
    known by its bounds only.
    """
    here, work, most = cuts.marks[at + 1], np.int64(0), goal - first.charge
    bound_seconds(cuts, live, at)
    while True:
        b = next_second(cuts, live, here, at + 1, most)
        if b == NONE:
            break
        ask_second(context, cuts, b, first.n, np.int64(2), cuts.tests[b].price_second)
        cuts.left[at + 1, b] = cuts.sides[0].cost
        cuts.right[at + 1, b] = cuts.sides[1].cost
        cuts.tests[b].asked = 1
        work += first.n
    return work


@section
def put_between(cuts, live, at):
    """Put the mark on top of the stack between the two below it."""
    one, other = cuts.marks[at], cuts.marks[at + 1]
    cut, left, right = one.cut, one.left, one.right
    cuts.marks[at] = other
    other.cut = cut
    other.left = left
    other.right = right
    for b in range(live.size):
        left, right = cuts.left[at, b], cuts.right[at, b]
        cuts.left[at, b] = cuts.left[at + 1, b]
        cuts.right[at, b] = cuts.right[at + 1, b]
        cuts.left[at + 1, b] = left
        cuts.right[at + 1, b] = right


@section
def try_cuts(solver, live, first, goal):
    """Return (least cost below the goal, threshold) of a numeric test as the first of two.

    The marks are a stack: those on top lie further left.
    """
    context, cuts, run = solver.context, solver.cuts, solver.context.run[0]
    cost, code = goal, np.int64(NONE)
    last = list_first_cuts(cuts, first.a, first.n)
    mark_ends(context.objective, cuts, live, first, last)
    for c in range(context.cases.n_classes):
        cuts.total[c + (1 << context.cases.shift)] = 0
    at, parted = np.int64(1), first.n
    while at > 0 and not is_called_back(solver):
        j = next_cut(cuts, first, at, cost * MET)
        if j == NONE:
            at -= 1
            continue
        cuts.marks[at + 1].cut = j
        part_cases(context, cuts, first.a, parted, cuts.cuts[j].stop)
        parted = cuts.cuts[j].stop
        run.work += look_at_cut(context, cuts, live, first, at, cost * MET)
        run.steps += 1
        found = first.charge + cuts.marks[at + 1].left + cuts.marks[at + 1].right
        if found < cost * MET:
            cost, code = found, cuts.cuts[j].code
        put_between(cuts, live, at)
        at += 1
    part_cases(context, cuts, first.a, parted, first.n)
    return cost, code


# ------------------------------------------------------------------------------ values


@section
def try_values(context, cuts, live, first):
    """Return what a nominal test costs as the first of two."""
    a, shift, cost = first.a, context.cases.shift, first.charge
    n_sides = context.cases.domain[a]
    for place in range(context.cases.n_classes, n_sides << shift):
        cuts.total[place] = 0
    for i in range(first.n):
        move_case(cuts, cuts.order[a, i], np.int64(cuts.codes[a, i]) << shift)
    sum_up_sides(context, cuts, n_sides)
    for b in range(live.size):
        if live[b] and b != a:
            price = cuts.tests[b].price_second
            ask_second(context, cuts, np.int64(b), first.n, n_sides, price)
            for s in range(n_sides):
                cuts.sides[s].best = min(cuts.sides[s].best, cuts.sides[s].cost)
            context.run[0].work += first.n
    for s in range(n_sides):
        cost += cuts.sides[s].best
    for i in range(first.n):
        move_case(cuts, cuts.order[a, i], -(np.int64(cuts.codes[a, i]) << shift))
    return cost


# ------------------------------------------------------------------------------ both


@section
def offer_best(solver, f, cost, action, charge):
    """Queue the best pair of tests, if it is worth it; all others are done with."""
    stack, frame, known = solver.stack, solver.stack.frames[f], not is_called_back(solver)
    if not known:  # some may not have been looked at
        cost = min(cost, stack.branches[frame.branch].lower)
    frame.lower = min(frame.lower, cost * MET)
    if action != NONE and known:
        least = cost * MET - charge
        candidate = Candidate(
            action=action, charge=charge, least=least, left=0.0, rank=cost, upper=np.inf,
            low=0.0,
        )  # fmt: skip
        offer(stack, solver.queue, solver.context.run, f, candidate)


@part
def search_last_cuts(solver, f):
    """Find the cheapest tree of two levels for a state, and queue its first test."""
    context, cuts, stack = solver.context, solver.cuts, solver.stack
    frame, live, objective = stack.frames[f], stack.live[f + 1], context.objective
    n, cost = np.int64(frame.stop - frame.start), min(frame.upper, frame.cap)
    action, charge, restricted = np.int64(NONE), 0.0, is_limited(context) or is_ruled(context)
    seconds = stack.live[f + 2] if restricted else live  # the former is of no use yet
    lay_out_cases(context, solver.buffers.sorter, cuts, live, frame)
    ask_each_alone(context, cuts, live, n)
    leaf, m = cuts.sides[0].leaf, frame.weight
    while not is_called_back(solver):
        a = next_first(cuts, live)
        if a == NONE:
            break
        if restricted:
            if not may_follow(context, live, frame.left, a):
                continue
            list_followers(context, live, seconds, a, frame.left)
        step, test = price_seconds(context, cuts, seconds, a), cuts.tests[a]
        own = test.price * m + split_charge(objective, test.alone_cuts)
        first = First(a=a, n=n, m=m, leaf=leaf, charge=own, step=step)
        found, code = cost, np.int64(0)
        if context.cases.nominal[a]:
            found = try_values(context, cuts, seconds, first)
        else:
            found, code = try_cuts(solver, seconds, first, cost)
        if found < cost * MET:
            cost, action, charge = found, action_of(a, code), own
    offer_best(solver, f, cost, action, charge)
