"""A look at a state in hand: which ways to go on there are, in what order to try them.

Every test and every cut is a way to go on (candidates.py), and so is to order a set of tests of
which one is delayed.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.prices import ORDERED, price_of_order
from frugaltree.kernels.data.bits import choose
from frugaltree.kernels.data.cells import LEFT, RIGHT, sort_cells
from frugaltree.kernels.exact.candidates import (
    BASE,
    BOUND,
    CUT_BITS,
    GUESS,
    LAST,
    LEAF,
    LEAST,
    LEFT_BOUND,
    RANK,
    TRUST,
    add_branch,
    count_cuts,
    disorder,
    heapify,
    move_missing,
    price_here,
    price_tests,
    start_cuts,
    weigh_nominal,
)
from frugaltree.kernels.exact.frame import (
    BELOW,
    BEST,
    BEST_BASE,
    C_LOWER,
    CAP,
    CLOSED,
    DEPTH,
    DIVE,
    ENTER,
    HI,
    LO,
    LOW,
    MODE,
    QUEUE,
    QUEUED,
    SEARCH,
    SELF,
    SIZE,
    W_BY_BOUND,
    W_CUTS,
    W_SAMPLE,
    W_SHORT,
    W_STEPS,
    W_THREAD,
    W_WORK,
    WEIGH,
)
from frugaltree.kernels.exact.objective import least_cost, split_charge
from frugaltree.kernels.exact.pair_bound import foresee
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.random import mix, uniform
from frugaltree.kernels.sentinels import NONE

MOST_ORDERED = 10
"""Of so many tests all sets are considered for an order."""

SMALL = 64
"""Up to so many kinds of cases a state is searched to the end."""

SHALLOW = 3
"""States with so many tests to go are likely to be."""

ASTRAY = 3
"""On so many states from the first on, threads other than the first try tests at random."""

LAST_BIT = 60
"""Tests from this column on are not ordered: an action has no bit for them."""


# ------------------------------------------------------------------------------ orders


@part
def is_order(action):
    """Tell whether an action orders a set of tests."""
    return ENTER < action <= LAST


@part
def holds(order, a):
    """Tell whether a set of tests, given by its action, holds a test."""
    return ((LAST - order) >> a) & 1 == 1


@part
def set_price(prices, route, order):
    """Return the price of a set of unpaid tests, given by its action."""
    for a in range(route.paid.size):
        route.marked[a] = route.paid[a] > 0
        if holds(order, a):
            route.marked[a] = ORDERED
    return price_of_order(prices, route.marked, route.opened)


@section
def list_unpaid(solver, f):
    """List the unpaid tests that may be ordered, the more promising first; return how many.

    Of more than MOST_ORDERED only so many need be in order.
    """
    live, unpaid, left_over = (
        solver.frames.live[f + 1],
        solver.sight.unpaid,
        solver.sight.left_over,
    )
    n = np.int64(0)
    for a in range(min(live.size, LAST_BIT)):
        if live[a] and not solver.route.paid[a]:
            unpaid[n] = a
            n += 1
    for i in range(min(n, MOST_ORDERED)):
        best = i
        for k in range(i + 1, n):
            if left_over[unpaid[k]] < left_over[unpaid[best]]:
                best = k
        other = unpaid[i]
        unpaid[i] = unpaid[best]
        unpaid[best] = other
    return n


@section
def offer_orders(solver, f):
    """Queue the sets of unpaid tests that can be ordered, with at least one that is delayed.

    Where there are too many, all sets of the promising tests are queued, and each of the others
    alone; the bound then stays below the sets left out, which pay for one test at least.
    """
    frames, prices, route, objective = solver.frames, solver.prices, solver.route, solver.objective
    left_over, unpaid = solver.sight.left_over, solver.sight.unpaid
    m, counts = frames.costs[f, SIZE], frames.counts[frames.facts[f, SELF]]
    least = least_cost(objective, counts, m) + objective.flat
    before = disorder(counts, m) * objective.penalty
    n = list_unpaid(solver, f)
    several = min(n, np.int64(MOST_ORDERED))
    sets = np.int64(1) << several
    for bits in range(1, sets + n - several):
        order, delayed, share = np.int64(LAST), False, 1.0
        for i in range(n):
            if bits - sets + several == i if bits >= sets else (bits >> i) & 1:
                a = unpaid[i]
                order -= np.int64(1) << a
                delayed = delayed or prices.delayed[a] > 0
                share *= min(left_over[a], before) / before
        if delayed:
            base = set_price(prices, route, order) * m
            guess = base + TRUST * share * before + (1 - TRUST) * least
            offer(frames, solver.queue, f, order, base, least, 0.0, guess, np.inf)
    if n > several:
        price = np.inf
        for i in range(n):
            price = min(price, price_here(prices, route, unpaid[i]))
        frames.costs[f, LOW] = min(frames.costs[f, LOW], least + price * m)


# ------------------------------------------------------------------------------ looking


@section
def offer(frames, queue, f, action, base, least, left, rank, upper):
    """Queue a candidate unless its bound rules it out; its branches as leaves make a tree."""
    facts, costs = frames.facts, frames.costs
    if upper < costs[f, BELOW] * CLOSED:
        costs[f, BELOW] = upper
        facts[f, BEST] = action
    if action == facts[f, BEST]:
        costs[f, BEST_BASE] = base
    bound = base + least
    goal = min(costs[f, BELOW], costs[f, CAP]) * CLOSED
    place = facts[f, QUEUE] + facts[f, QUEUED]
    if bound >= goal or place >= queue.action.size:
        costs[f, LOW] = min(costs[f, LOW], bound)
        if bound < goal:
            frames.used[W_SHORT] = 1
    else:
        by_bound = frames.used[W_BY_BOUND] and facts[f, MODE] == SEARCH
        queue.costs[place, RANK] = bound if by_bound else rank
        queue.costs[place, BOUND] = bound
        queue.costs[place, LEFT_BOUND] = left
        queue.costs[place, BASE] = base
        queue.action[place] = action
        facts[f, QUEUED] += 1


@part
def halving(code):
    """Return a number in [0, 1) by which codes come in halves, quarters, eighths and so on.

    It is the code with its binary digits in reverse (van der Corput): 4, 2, 6, 1, 5, 3, 7 of 8.
    """
    place, share = 0.0, 0.5
    while code > 0:
        place += share * (code & 1)
        share *= 0.5
        code >>= 1
    return place


@section
def shuffle(solver, f):
    """Rank the tests of a state at random, by the best cut of each, the more promising first.

    Exponential times, drawn at the rate of what a test promises to save, come out in such an
    order; savings are counted from the least promising test.
    """
    queue, frames = solver.queue, solver.frames
    first, n = frames.facts[f, QUEUE], frames.facts[f, QUEUED]
    key, low, high = mix(frames.key[f, 0], frames.used[W_SAMPLE]), np.inf, -np.inf
    best = first
    for i in range(first, first + n):
        if queue.action[i] >> CUT_BITS != queue.action[best] >> CUT_BITS:
            best = np.int64(i)
        rank = queue.costs[i, RANK]
        if rank < queue.costs[best, RANK]:
            queue.costs[best, RANK] = np.inf
            best = np.int64(i)
        elif i > best:
            queue.costs[i, RANK] = np.inf
        low = min(low, rank)
    for i in range(first, first + n):
        if queue.costs[i, RANK] < np.inf:
            high = max(high, queue.costs[i, RANK])
    for i in range(first, first + n):
        if queue.costs[i, RANK] < np.inf:
            saves = high - queue.costs[i, RANK] + 0.1 * (high - low) + 1e-9
            key = mix(key, np.int64(1))
            queue.costs[i, RANK] = -np.log(1.0 - uniform(key)) / saves


@section
def arrange(solver, f):
    """Say in which order to try the candidates, which so far are ranked by what they promise.

    Threads other than the first are to come by elsewhere, so they try the first tests of a path
    at random. The cuts of a test come behind its best one so that they halve the range of its
    values: what two cuts cost bounds those in between (solve.py). Only to raise the bound of a
    large state, which is not searched to the end, the least bound comes first.
    """
    queue, frames = solver.queue, solver.frames
    best = solver.sight.left_over  # no longer needed, there are no more orders to be offered
    facts, thread = frames.facts, frames.used[W_THREAD]
    first, last, high = facts[f, QUEUE], facts[f, QUEUE] + facts[f, QUEUED], -np.inf
    large = facts[f, HI] - facts[f, LO] > SMALL and facts[f, DEPTH] > SHALLOW
    if thread > 0 and f <= ASTRAY:
        key = mix(frames.key[f, 0], thread)
        for i in range(first, last):
            queue.costs[i, RANK] = uniform(mix(key, queue.action[i]))
    elif not (large and frames.used[W_BY_BOUND]):
        for a in range(best.size):
            best[a] = np.inf
        for i in range(first, last):
            high = max(high, queue.costs[i, RANK])
            if not is_order(queue.action[i]):
                a = queue.action[i] >> CUT_BITS
                best[a] = min(best[a], queue.costs[i, RANK])
        for i in range(first, last):
            action = queue.action[i]
            if not is_order(action) and queue.costs[i, RANK] > best[action >> CUT_BITS]:
                queue.costs[i, RANK] = high + halving(action & ((1 << CUT_BITS) - 1))


@section
def weigh_cuts(solver, f, a, n, known, missing, base, splits, waits):
    """Queue every cut of a numeric test, with bounds on what it leads to."""
    table, objective, view = solver.table, solver.objective, solver.sight
    frames, sorter, low = solver.frames, solver.sorter, 0.0
    for i in range(n - 1):
        code = sorter.cells[i, 0] >> table.shift
        c, k = sorter.cells[i, 0] - (code << table.shift), sorter.cells[i, 1]
        view.counts[LEFT, c] += k
        view.counts[RIGHT, c] -= k
        low += k
        high = known - low
        if (
            code == sorter.cells[i + 1, 0] >> table.shift
            or low < objective.min_cases
            or high < objective.min_cases
        ):
            continue
        side = LEFT if low >= high else RIGHT
        if missing > 0.0:
            move_missing(view, side, 1.0)
        more_left = missing if side == LEFT else 0.0
        view.sums[LEAF], view.sums[LEAST], view.sums[GUESS] = 0.0, 0.0, 0.0
        left = add_branch(objective, view.sums, view.counts[LEFT], low + more_left, 0.0, splits)
        add_branch(
            objective, view.sums, view.counts[RIGHT], high + missing - more_left, 0.0, splits
        )
        if missing > 0.0:
            move_missing(view, side, -1.0)
        view.left_over[a] = min(view.left_over[a], view.sums[GUESS])
        if not waits:
            rank = base + (1 - TRUST) * view.sums[LEAST] + TRUST * view.sums[GUESS]
            offer(
                frames, solver.queue, f, (np.int64(a) << CUT_BITS) + code, base,
                view.sums[LEAST], left, rank, base + view.sums[LEAF],
            )  # fmt: skip


@section
def glance_at_cuts(solver, f, a, n, known, missing, base, least, waits):
    """Queue the cuts of a numeric test that promise most, by the disorder they leave.

    Squares of counts are kept up to date as cases pass from right to left. Missing values count
    on neither side.
    """
    table, objective, view = solver.table, solver.objective, solver.sight
    frames, sorter = solver.frames, solver.sorter
    every = frames.facts[f, MODE] == WEIGH and frames.used[W_CUTS] > 1 and not waits
    low, below, above = 0.0, 0.0, 0.0
    best, best_code = np.inf, np.int64(NONE)
    for c in range(table.n_classes):
        above += view.counts[RIGHT, c] * view.counts[RIGHT, c]
    for i in range(n - 1):
        code = sorter.cells[i, 0] >> table.shift
        c, k = sorter.cells[i, 0] - (code << table.shift), np.float64(sorter.cells[i, 1])
        below += k * (2.0 * view.counts[LEFT, c] + k)
        above -= k * (2.0 * view.counts[RIGHT, c] - k)
        view.counts[LEFT, c] += k
        view.counts[RIGHT, c] -= k
        low += k
        left = known - below / low - above / (known - low)
        legal = (code != sorter.cells[i + 1, 0] >> table.shift) & (low >= objective.min_cases)
        legal = legal & (known - low >= objective.min_cases)
        if legal and (every or left < best):
            best, best_code = min(best, left), code
            if every:
                offer(
                    frames, solver.queue, f, (np.int64(a) << CUT_BITS) + code, base, least, 0.0,
                    base + TRUST * left * objective.penalty, np.inf,
                )  # fmt: skip
    view.left_over[a] = (best + missing) * objective.penalty
    if best_code != NONE and not every and not waits:
        offer(
            frames, solver.queue, f, (np.int64(a) << CUT_BITS) + best_code, base, least, 0.0,
            base + TRUST * best * objective.penalty, np.inf,
        )  # fmt: skip


@part
def look(solver, f):
    """Queue the ways to go on from a state in hand: all, or for a dive the promising ones.

    A mere glance tells nothing about the ways that it leaves out, so their bound is the state's.
    """
    table, objective, view = solver.table, solver.objective, solver.sight
    frames, sorter, rows, route = solver.frames, solver.sorter, solver.rows, solver.route
    lo, hi, m = frames.facts[f, LO], frames.facts[f, HI], frames.costs[f, SIZE]
    live, counts = frames.live[f + 1], frames.counts[frames.facts[f, SELF]]
    deep = frames.facts[f, MODE] == SEARCH
    n_live = price_tests(table, solver.prices, route, rows, lo, hi, live, view, deep)
    frames.used[W_WORK] += 16 + n_live * (hi - lo)
    frames.used[W_STEPS] += 1
    splits, least = frames.facts[f, DEPTH] > 1, 0.0
    chosen = choose(table, solver.layout, rows, lo, hi)
    if not deep:
        least = least_cost(objective, counts, m)
        frames.costs[f, LOW] = frames.bounds[frames.facts[f, SELF], C_LOWER]
    orders = False
    for a in range(live.size):
        if not live[a]:
            continue
        waits = solver.prices.delayed[a] and not route.paid[a] and not route.ordered[0]
        orders = orders or waits
        base = view.price[a] * m
        view.left_over[a] = np.inf
        if table.nominal[a]:
            base += split_charge(objective, np.int64(1))
            if weigh_nominal(
                table,
                objective,
                solver.layout,
                chosen,
                sorter,
                view,
                rows,
                lo,
                hi,
                a,
                splits,
                deep,
            ):
                view.left_over[a] = view.sums[GUESS]
                if not waits:
                    rank = base + (1 - TRUST) * view.sums[LEAST] + TRUST * view.sums[GUESS]
                    offer(
                        frames, solver.queue, f, np.int64(a) << CUT_BITS, base,
                        max(least, view.sums[LEAST]), 0.0, rank,
                        base + view.sums[LEAF] if deep else np.inf,
                    )  # fmt: skip
            continue
        n = sort_cells(table, sorter, rows, lo, hi - lo, a)
        n, known, missing = start_cuts(table, sorter, view, counts, n, a)
        n_cuts = np.int64(1)
        if objective.per_log_cut > 0.0:
            n_cuts = max(n_cuts, count_cuts(table, objective, sorter, n, known))
        base += split_charge(objective, n_cuts)
        if deep:
            weigh_cuts(solver, f, a, n, known, missing, base, splits, waits)
        else:
            glance_at_cuts(solver, f, a, n, known, missing, base, least, waits)
    if orders:
        offer_orders(solver, f)
    elif deep:
        foresee(solver, f, chosen)
    if frames.facts[f, MODE] == DIVE and frames.used[W_SAMPLE] > 0:
        shuffle(solver, f)
    elif deep:
        arrange(solver, f)
    heapify(solver.queue, frames.facts[f, QUEUE], frames.facts[f, QUEUED])
