"""The candidates at a state: every test and threshold, with bounds on what it leads to.

To expand a state, the classes of every branch of every test are counted. That gives, for each,
what it costs if the branches become leaves, an upper bound; and what it costs at least: a branch
is a leaf, or pays for the cheapest test that is left and makes the fewest errors possible.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.bounds import least_price_after
from frugaltree.kernels.cost.cost_classes import add_up_classes, class_at
from frugaltree.kernels.cost.discounts import price_here
from frugaltree.kernels.cost.prices import is_paid_for, reduced_price, sure_price
from frugaltree.kernels.data.bits import count_answers
from frugaltree.kernels.data.cells import sort_cells, varies
from frugaltree.kernels.data.nodes import HIGH, LACKING, LOW
from frugaltree.kernels.exact.actions import action_of, parted_at
from frugaltree.kernels.exact.answers import (
    allowed_at,
    allowed_in,
    best_parting,
    last_parting,
)
from frugaltree.kernels.exact.objective import cost_as_leaf, disorder, least_for
from frugaltree.kernels.exact.records import BRANCH_AND_BOUND, SAMPLING
from frugaltree.kernels.jit import atom, part, section
from frugaltree.kernels.sentinels import NONE

TRUST = 0.5
"""How much a guess counts, beside the bound, for the order of candidates."""

CLOSED = 1.0 - 1e-12
"""Bounds that differ by less than this factor have met."""


class Candidate(NamedTuple):
    """A way to go on from a state.

    ``charge`` is what the test and its split cost by themselves, ``least`` what the branches cost
    at least, the left one ``left`` of it. ``rank`` says which comes first; the tree whose branches
    are leaves costs ``upper``. ``low`` is the weight of the cases below a threshold.
    """

    action: int
    charge: float
    least: float
    left: float
    rank: float
    upper: float
    low: float


class Asked(NamedTuple):
    """A numeric test to be expanded: its thresholds, sorted, and what it costs.

    ``n`` cells hold cases of known value, of weight ``known``, the others ``missing``. ``least``
    is the bound of the errors below, and ``waits`` tells that it must be ordered, not asked.
    Answers follow it in this ``direction``, 0 for none.
    """

    a: int
    n: int
    known: float
    missing: float
    charge: float
    least: float
    waits: bool
    direction: int


class WithoutValue(NamedTuple):
    """The branch of the cases that lack a value: all 0 where there are none.

    What it costs as a leaf, at least, and what it may turn out to cost.
    """

    leaf: float
    least: float
    guess: float


# ------------------------------------------------------------------------------ tests


@atom
def lacks(cases, row, a):
    """Tell whether a case lacks a value of a test."""
    missing = cases.domain[a] - (1 if cases.nominal[a] else 0)
    return cases.lacking[a] != 0 and cases.cells[a, row] >> cases.shift == missing


@atom
def some_lack(cases, rows, start, stop, a):
    """Tell whether some of the cases lack a value of a test."""
    if cases.lacking[a]:
        for i in range(start, stop):
            if lacks(cases, rows[i], a):
                return True
    return False


@part
def charge_by_case(context, start, stop, a):
    """Return what cases pay for a test whose price depends on another; infinite if one cannot."""
    cases, prices, path, total = context.cases, context.prices, context.path, 0.0
    for i in range(start, stop):
        row = np.int64(context.rows[i])
        full = prices.conditions.price[a, np.int64(cases.levels[a, row])]
        if full == np.inf:
            return np.inf
        if is_paid_for(prices, lacks(cases, row, a)):
            price = reduced_price(prices, full, a, path.paid, path.opened)
            total += price * cases.weights[row]
    return total


@section
def price_tests(context, tests, live, frame):
    """Keep the live tests that can still split the cases, find their prices; return how many.

    A price is what every case pays at least: nothing if some lack a value, and so do not pay, and
    the lowest where it depends on another test. A
    case of weight 1 adds at most ``frame.step`` to what a branch costs: it may be an error, and
    pays for as many tests as may follow, none dearer than now.
    """
    cases, prices, path = context.cases, context.prices, context.path
    n, start, stop = np.int64(0), frame.start, frame.stop
    low, second, lowest = np.inf, np.inf, np.int64(NONE)
    total, dearest = 0.0, 0.0
    for a in range(live.size):
        live[a] = live[a] and varies(cases, context.rows, start, stop, a)
        if live[a]:
            n += 1
            price = price_here(prices, path, a)
            if not is_paid_for(prices, cases.lacking[a]):
                price = sure_price(prices, price, some_lack(cases, context.rows, start, stop, a))
            tests[a].price = price
            total += price
            dearest = max(dearest, price)
            if price < low:
                low, second, lowest = price, low, np.int64(a)
            elif price < second:
                second = price
    frame.step = context.objective.step + min(total, (frame.depth - 1) * dearest)
    if frame.mode == BRANCH_AND_BOUND:
        for a in range(live.size):
            if live[a]:
                least = 0.0  # a numeric test is then free, at another threshold
                if cases.nominal[a]:
                    others = second if a == lowest else low
                    least = least_price_after(prices, path, live, tests, np.int64(a), others)
                tests[a].least_after = least
    return n


# ------------------------------------------------------------------------------ queueing


@part
def offer(stack, queue, run, f, candidate):
    """Queue a candidate unless its bound rules it out; its branches as leaves make a tree."""
    frame = stack.frames[f]
    if candidate.upper < frame.upper * CLOSED:
        frame.upper = candidate.upper
        frame.best = candidate.action
    if candidate.action == frame.best:
        frame.best_charge = candidate.charge
    bound = candidate.charge + candidate.least
    goal = min(frame.upper, frame.cap) * CLOSED
    place = frame.queue + frame.queued
    if bound >= goal or place >= queue.size:
        frame.lower = min(frame.lower, bound)
        if bound < goal:
            run[0].queue_full = 1
    else:
        entry = queue[place]
        by_bound = run[0].by_bound and frame.mode == BRANCH_AND_BOUND
        entry.rank = bound if by_bound else candidate.rank
        entry.bound = bound
        entry.left_bound = candidate.left
        entry.charge = candidate.charge
        entry.low = candidate.low
        entry.action = candidate.action
        frame.queued += 1


# ------------------------------------------------------------------------------ nominal


@section
def sum_nominal(context, layout, chosen, buffers, frame, a):
    """Sum up the branches of a nominal test.

    Returns whether it may split the cases, the weight of those that pay for it, what the branches
    cost as leaves and at least, and what they may turn out to cost; without bounds, only the
    latter. Cases that are ``chosen`` in the layout are counted there.
    """
    cases, objective, rows = context.cases, context.objective, context.rows
    shift, domain, n_classes = cases.shift, cases.domain[a], cases.n_classes
    hist, counts = buffers.sorter.hist, buffers.counts[LOW]
    deep, splits, price = frame.mode == BRANCH_AND_BOUND, frame.depth > 1, 0.0
    allowed = allowed_at(frame)
    if deep:
        price = buffers.tests[a].least_after
    if chosen:
        count_answers(cases, layout, hist, a)
    else:
        for i in range(frame.start, frame.stop):
            row = rows[i]
            hist[cases.cells[a, row]] += cases.weights[row]
    values, large, small, m = 0, 0, 0, 0.0
    leaves, least, guess = 0.0, 0.0, 0.0
    for v in range(domain):
        m = 0.0
        for c in range(n_classes):
            k = np.float64(hist[(v << shift) + c])
            hist[(v << shift) + c] = 0
            counts[c] = k
            m += k
        values += m > 0.0
        large += m >= objective.min_cases
        small += m > 0.0 and m < objective.min_leaf
        if m > 0.0 and deep:
            leaf = cost_as_leaf(objective, counts, m, allowed)
            leaves += leaf
            least += least_for(objective, counts, m, leaf, price, splits)
        if m > 0.0:
            guess += disorder(objective, counts, m) * objective.penalty
    paying = frame.weight  # less the last branch, of those that lack a value
    if not is_paid_for(context.prices, cases.lacking[a]):
        paying -= m
    return values >= 2 and large >= 2 and small == 0, paying, leaves, least, guess


# ------------------------------------------------------------------------------ numeric


@part
def sort_values(context, buffers, counts, start, stop, a):
    """Sort the cases by a numeric test, and put all of known value on the right.

    Returns how many cells hold cases of known value, their weight, and that of the others;
    ``counts`` has all cases by class.
    """
    cases, sorter, sides = context.cases, buffers.sorter, buffers.counts
    shift, domain, n_classes = cases.shift, cases.domain[a], cases.n_classes
    n = sort_cells(cases, sorter, context.rows, start, stop - start, a)
    missing, known = 0.0, 0.0
    for c in range(n_classes):
        sides[LOW, c] = 0.0
        sides[LACKING, c] = 0.0
    while n > 0 and sorter.cells[n - 1, 0] >> shift == domain:
        n -= 1
        sides[LACKING, sorter.cells[n, 0] - (domain << shift)] += sorter.cells[n, 1]
        missing += sorter.cells[n, 1]
    for c in range(n_classes):
        sides[HIGH, c] = counts[c] - sides[LACKING, c]
        known += sides[HIGH, c]
    return n, known, missing


@part
def count_cuts(cases, objective, sorter, n, known):
    """Return how many thresholds a numeric test may choose from, at least 1."""
    cuts, low = np.int64(0), 0.0
    for i in range(n - 1):
        low += sorter.cells[i, 1]
        if sorter.cells[i, 0] >> cases.shift < sorter.cells[i + 1, 0] >> cases.shift:
            cuts += (low >= objective.min_cases) & (known - low >= objective.min_cases)
    return max(np.int64(1), cuts)


@part
def cost_without_value(objective, counts, m, splits, allowed):
    """Return what the branch of ``m`` cases that lack a value costs, the same at every threshold.

    What a test costs there is not looked at.
    """
    if m == 0.0:
        return WithoutValue(0.0, 0.0, 0.0)
    leaf = cost_as_leaf(objective, counts, m, allowed)
    least = least_for(objective, counts, m, leaf, 0.0, splits)
    return WithoutValue(leaf, least, disorder(objective, counts, m) * objective.penalty)


@section
def offer_cuts(context, stack, queue, buffers, f, asked):
    """Queue every threshold of a numeric test, with bounds on what it leads to.

    One of a monotone test is queued with every answer that may part those below.
    """
    cases, objective, sides = context.cases, context.objective, buffers.counts
    low, zero, penalty, sorter = 0.0, 0.0, objective.penalty, buffers.sorter
    frame, direction = stack.frames[f], asked.direction
    test, splits, allowed = buffers.tests[asked.a], frame.depth > 1, allowed_at(frame)
    without = cost_without_value(objective, sides[LACKING], asked.missing, splits, allowed)
    for i in range(asked.n - 1):
        code = sorter.cells[i, 0] >> cases.shift
        c, k = sorter.cells[i, 0] - (code << cases.shift), sorter.cells[i, 1]
        sides[LOW, c] += k
        sides[HIGH, c] -= k
        low += k
        high = asked.known - low
        if (
            code == sorter.cells[i + 1, 0] >> cases.shift
            or low < objective.min_cases
            or high < objective.min_cases
        ):
            continue
        guess = disorder(objective, sides[LOW], low) * penalty
        guess += disorder(objective, sides[HIGH], high) * penalty
        guess += without.guess
        test.disorder = min(test.disorder, guess)
        if asked.waits:
            continue
        for answer in range(frame.first_answer, last_parting(frame, direction) + 1):
            allowed = allowed_in(frame, direction, LOW, answer)
            leaf = cost_as_leaf(objective, sides[LOW], low, allowed)
            left = least_for(objective, sides[LOW], low, leaf, zero, splits)
            allowed = allowed_in(frame, direction, HIGH, answer)
            leaf_right = cost_as_leaf(objective, sides[HIGH], high, allowed)
            right = least_for(objective, sides[HIGH], high, leaf_right, zero, splits)
            charge, least = asked.charge, left + right + without.least
            rank = charge + (1 - TRUST) * least + TRUST * guess
            action = action_of(asked.a, code)
            if direction != 0:
                action = parted_at(action, answer)
            upper = charge + (leaf + leaf_right) + without.leaf
            candidate = Candidate(
                action=action, charge=charge, least=least, left=left, rank=rank, upper=upper,
                low=low,
            )  # fmt: skip
            offer(stack, queue, context.run, f, candidate)


@section
def offer_promising_cuts(context, stack, queue, buffers, f, asked):
    """Queue the thresholds of a numeric test that promise most, by the disorder they leave.

    Squares of counts are kept up to date as cases pass from right to left. Answers below a
    monotone test are parted where that makes the cheapest leaves.
    """
    cases, objective, sides = context.cases, context.objective, buffers.counts
    frame, direction, action = stack.frames[f], asked.direction, np.int64(NONE)
    every = frame.mode == SAMPLING and context.run[0].cuts > 1 and not asked.waits
    low, below, above, sorter, class_of = 0.0, 0.0, 0.0, buffers.sorter, objective.classes.class_of
    best, best_action, best_low, charge = np.inf, np.int64(NONE), 0.0, asked.charge
    without = 0.0
    if asked.missing > 0.0:
        without = disorder(objective, sides[LACKING], asked.missing)
    add_up_classes(sides[HIGH], class_of)
    for c in range(cases.n_classes):
        above += sides[HIGH, c] * sides[HIGH, c]
    for i in range(asked.n - 1):
        code = sorter.cells[i, 0] >> cases.shift
        c, k = sorter.cells[i, 0] - (code << cases.shift), np.float64(sorter.cells[i, 1])
        c = class_at(class_of, c)
        below += k * (2.0 * sides[LOW, c] + k)
        above -= k * (2.0 * sides[HIGH, c] - k)
        sides[LOW, c] += k
        sides[HIGH, c] -= k
        low += k
        left = asked.known - below / low - above / (asked.known - low) + without
        legal = (code != sorter.cells[i + 1, 0] >> cases.shift) & (low >= objective.min_cases)
        legal = legal & (asked.known - low >= objective.min_cases)
        if legal and (every or left < best):
            action = action_of(asked.a, code)
            if direction != 0:
                weights = (low, asked.known - low)
                answer = best_parting(objective, frame, direction, sides, weights)
                action = parted_at(action, answer)
            best, best_action, best_low = min(best, left), action, low
            if every:
                rank = charge + TRUST * left * objective.penalty
                candidate = Candidate(
                    action=action, charge=charge, least=asked.least, left=0.0, rank=rank,
                    upper=np.inf, low=low,
                )  # fmt: skip
                offer(stack, queue, context.run, f, candidate)
    if best_action != NONE and not every and not asked.waits:
        rank = charge + TRUST * best * objective.penalty
        candidate = Candidate(
            action=best_action, charge=charge, least=asked.least, left=0.0, rank=rank,
            upper=np.inf, low=best_low,
        )  # fmt: skip
        offer(stack, queue, context.run, f, candidate)
    buffers.tests[asked.a].disorder = best * objective.penalty
