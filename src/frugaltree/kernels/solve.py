"""The search for the cheapest tree: depth first, with bounds from both sides and a memory.

For a state, every way to go on is looked at (candidates.py). The most promising is tried first:
its branches are states in turn. A way that must cost more than the best one known is left out,
and so is a branch once the others leave it too little. What is found out about a state, a tree
and its cost, and a cost that no tree can undercut, is kept (states.py) for whoever comes by again
on another way.

Effort is limited at every state: a part of what is left for each branch, so that no branch can
use up everything, and the whole is repeated with more. With no effort left the greedy tree is
grown, by the most promising way at each state. Small states are searched to the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.candidates import (
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
    Queue,
    View,
    add_branch,
    count_cuts,
    disorder,
    heapify,
    least_after,
    least_for,
    move_missing,
    price_here,
    price_tests,
    remove_first,
    start_cuts,
    varies,
    weigh_nominal,
)
from frugaltree.kernels.choose import NONE
from frugaltree.kernels.draw import mix, uniform
from frugaltree.kernels.jit import kernel, part, section
from frugaltree.kernels.objective import Objective, cost_as_leaf, least_cost, split_charge
from frugaltree.kernels.price import ORDERED, Prices, price_of_order
from frugaltree.kernels.states import ACTION, LOWER, UPPER, States, find, keep
from frugaltree.kernels.subproblems import LEFT, RIGHT, Desk, Table, sort_cells

CLOSED = 1.0 - 1e-12
"""Bounds that differ by less than this factor have met."""

SMALL = 64
"""Up to so many kinds of cases a state is searched to the end."""

LO, HI, DEPTH, SELF, QUEUE, QUEUED, CHILDREN, WIDTH = range(8)
DOING, BEST, TRIED, NOTED, TRIES, LIMIT, START, MODE, LAST_TURN = range(8, 17)
"""What :attr:`Frames.facts` holds of a state in hand.

Where its cases begin and end, how many tests may follow, which branch it is itself; where its
candidates begin, how many are left, where the branches of the one being tried begin and how many
they are. The action being tried, and the best; where the cuts tried begin and how many are noted,
how many actions were tried; how much work may be done when it ends, and was when it began; how it
is searched, and whether its best action has its turn.
"""

ENTER = np.int64(-(2**63))
"""The action that leads to the state to be searched: all cases go down a single branch."""

DIVE, WEIGH, SEARCH = range(3)
"""How a state is searched.

By its most promising action alone; by trees below each of its tests, then on along the best one
(as ACT does); or with bounds, as far as the effort allows.
"""

MOST_ORDERED = 10
"""Of so many tests all sets are considered for an order."""

LAST_BIT = 60
"""Tests from this column on are not ordered: an action has no bit for them."""

SIZE, BELOW, CAP, LOW, SPENT, BEST_BASE = range(6)
"""What :attr:`Frames.costs` holds of a state in hand.

Weight; cost of the best tree; the cost from which on a tree is of no use; the least bound of the
candidates done with; what the test being tried costs by itself, and the best one.
"""

C_LO, C_HI, C_SEEN = range(3)
"""What :attr:`Frames.spans` holds of a branch: its cases, and 1 once it had its turn.

Or 2 if it is known from before.
"""

C_SIZE, C_LOWER, C_UPPER = range(3)
"""What :attr:`Frames.bounds` holds of a branch: weight and both bounds."""

W_WORK, W_STEPS, W_STAMP, W_KEPT, W_MOST = range(5)
W_SHORT, W_SAMPLE, W_CUTS, W_PAUSE, W_BY_BOUND = range(5, 10)
"""What :attr:`Frames.used` holds.

Work done, in looks at a value; states looked at; the stamp of this search; states kept, and how
many may be before the search pauses; 1 if the queue was short of room; the number of the sample
and how many cuts of a test are weighed; the number of states after which to pause;
whether the least bound comes first, not what promises most.
"""


class Route(NamedTuple):
    """What the path to the state in hand has paid."""

    paid: np.ndarray  # int64[a]: how often a test was taken
    opened: np.ndarray  # int64[g]: by how many tests
    marked: np.ndarray  # uint8[a]: room for the price of an order
    ordered: np.ndarray  # int64[1]: whether everything is ordered already


class Frames(NamedTuple):
    """The states in hand, one beneath the other, and their branches."""

    facts: np.ndarray  # int64[height, 17]
    costs: np.ndarray  # float64[height, 6]
    key: np.ndarray  # uint64[height, 2]
    live: np.ndarray  # uint8[height + 2, a]: tests that can split, from the second on; first, all
    spans: np.ndarray  # int64[branch, 3]
    bounds: np.ndarray  # float64[branch, 3]
    keys: np.ndarray  # uint64[branch, 2]
    counts: np.ndarray  # float64[branch, class]
    tried: np.ndarray  # int64[place]: actions whose cuts bound others
    sides: np.ndarray  # float64[place, 2]: the least that their two branches cost
    cuts: np.ndarray  # int64[height, a]: cuts of each test tried
    used: np.ndarray  # int64[10]

    @classmethod
    def empty(cls, table: Table, height: int) -> Frames:
        """Return room for so many states beneath each other."""
        n_tests = table.nominal.size
        branches = 3 * height + table.widest + table.classes.size
        return cls(
            np.zeros((height, 17), np.int64),
            np.zeros((height, 6)),
            np.zeros((height, 2), np.uint64),
            np.zeros((height + 2, n_tests), np.uint8),
            np.zeros((branches, 3), np.int64),
            np.zeros((branches, 3)),
            np.zeros((branches, 2), np.uint64),
            np.zeros((branches, table.n_classes)),
            np.zeros(4096, np.int64),
            np.zeros((4096, 2)),
            np.zeros((height, n_tests), np.int64),
            np.zeros(10, np.int64),
        )


class Solver(NamedTuple):
    """All that a search works with."""

    table: Table
    prices: Prices
    objective: Objective
    states: States
    desk: Desk
    sight: View
    queue: Queue
    frames: Frames
    route: Route
    marks: np.ndarray  # uint64[a + g + 2, 2]: what paid tests, open groups and depth add to keys
    rows: np.ndarray  # int32[case]: sorted by branch as the search goes down
    stop: np.ndarray  # int64[1]


# ------------------------------------------------------------------------------ keys


@section
def path_key(table, prices, route, marks, live, rows, lo, hi, depth):
    """Return what the path adds to the fingerprint of its cases, as far as it still matters.

    That is the paid tests that can split again, and the open groups of which an unpaid test can
    still split; under an order, the tests that can split; and the depth left, if limited.
    """
    key0, key1 = np.uint64(0), np.uint64(0)
    n_tests, n_groups = route.paid.size, route.opened.size
    if route.ordered[0]:
        key0 ^= marks[n_tests + n_groups, 0]
        key1 ^= marks[n_tests + n_groups, 1]
    for a in range(n_tests):
        counts = route.ordered[0] or (route.paid[a] and not table.nominal[a])
        if counts and live[a] and varies(table, rows, lo, hi, a):
            key0 ^= marks[a, 0]
            key1 ^= marks[a, 1]
    for g in range(n_groups):
        if route.opened[g] and not route.ordered[0]:
            for a in range(n_tests):
                if (
                    live[a]
                    and not route.paid[a]
                    and prices.discount[a, g] > 0.0
                    and varies(table, rows, lo, hi, a)
                ):
                    key0 ^= marks[n_tests + g, 0]
                    key1 ^= marks[n_tests + g, 1]
                    break
    if depth < hi - lo - 1:
        key0 ^= marks[n_tests + n_groups + 1, 0] * np.uint64(depth + 1)
        key1 ^= marks[n_tests + n_groups + 1, 1] * np.uint64(depth + 1)
    return key0, key1


@part
def take_test(prices, route, a):
    """Pay for a test on the way down."""
    route.paid[a] += 1
    for g in range(route.opened.size):
        if prices.member[a, g]:
            route.opened[g] += 1


@part
def give_back(prices, route, a):
    """Undo the payment on the way up."""
    route.paid[a] -= 1
    for g in range(route.opened.size):
        if prices.member[a, g]:
            route.opened[g] -= 1


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
def weigh_cuts(solver, f, a, n, known, missing, base, splits, waits):
    """Queue every cut of a numeric test, with bounds on what it leads to."""
    table, objective, view = solver.table, solver.objective, solver.sight
    frames, desk, low = solver.frames, solver.desk, 0.0
    for i in range(n - 1):
        code = desk.cells[i, 0] >> table.shift
        c, k = desk.cells[i, 0] - (code << table.shift), desk.cells[i, 1]
        view.counts[LEFT, c] += k
        view.counts[RIGHT, c] -= k
        low += k
        high = known - low
        if (
            code == desk.cells[i + 1, 0] >> table.shift
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
    frames, desk = solver.frames, solver.desk
    every = frames.facts[f, MODE] == WEIGH and frames.used[W_CUTS] > 1 and not waits
    low, below, above = 0.0, 0.0, 0.0
    best, best_code = np.inf, np.int64(NONE)
    for c in range(table.n_classes):
        above += view.counts[RIGHT, c] * view.counts[RIGHT, c]
    for i in range(n - 1):
        code = desk.cells[i, 0] >> table.shift
        c, k = desk.cells[i, 0] - (code << table.shift), np.float64(desk.cells[i, 1])
        below += k * (2.0 * view.counts[LEFT, c] + k)
        above -= k * (2.0 * view.counts[RIGHT, c] - k)
        view.counts[LEFT, c] += k
        view.counts[RIGHT, c] -= k
        low += k
        left = known - below / low - above / (known - low)
        legal = (code != desk.cells[i + 1, 0] >> table.shift) & (low >= objective.min_cases)
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


@section
def look(solver, f):
    """Queue the ways to go on from a state in hand: all, or for a dive the promising ones.

    A mere glance tells nothing about the ways that it leaves out, so their bound is the state's.
    """
    table, objective, view = solver.table, solver.objective, solver.sight
    frames, desk, rows, route = solver.frames, solver.desk, solver.rows, solver.route
    lo, hi, m = frames.facts[f, LO], frames.facts[f, HI], frames.costs[f, SIZE]
    live, counts = frames.live[f + 1], frames.counts[frames.facts[f, SELF]]
    deep = frames.facts[f, MODE] == SEARCH
    n_live = price_tests(table, solver.prices, route, rows, lo, hi, live, view, deep)
    frames.used[W_WORK] += 16 + n_live * (hi - lo)
    frames.used[W_STEPS] += 1
    splits, least = frames.facts[f, DEPTH] > 1, 0.0
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
            if weigh_nominal(table, objective, desk, view, rows, lo, hi, a, splits, deep):
                view.left_over[a] = view.sums[GUESS]
                if not waits:
                    rank = base + (1 - TRUST) * view.sums[LEAST] + TRUST * view.sums[GUESS]
                    offer(
                        frames, solver.queue, f, np.int64(a) << CUT_BITS, base,
                        max(least, view.sums[LEAST]), 0.0, rank,
                        base + view.sums[LEAF] if deep else np.inf,
                    )  # fmt: skip
            continue
        n = sort_cells(table, desk, rows, lo, hi - lo, a)
        n, known, missing = start_cuts(table, desk, view, counts, n, a)
        n_cuts = np.int64(1)
        if objective.per_log_cut > 0.0:
            n_cuts = max(n_cuts, count_cuts(table, objective, desk, n, known))
        base += split_charge(objective, n_cuts)
        if deep:
            weigh_cuts(solver, f, a, n, known, missing, base, splits, waits)
        else:
            glance_at_cuts(solver, f, a, n, known, missing, base, least, waits)
    if orders:
        offer_orders(solver, f)
    if frames.facts[f, MODE] == DIVE and frames.used[W_SAMPLE] > 0:
        shuffle(solver, f)
    heapify(solver.queue, frames.facts[f, QUEUE], frames.facts[f, QUEUED])


# ------------------------------------------------------------------------------ going down


@section
def part_rows(table, view, rows, lo, hi, action):
    """Sort cases by the branch of an action that they take; fill ``view.number`` with its ends.

    Returns how many branches there are. Missing values go with the heaviest branch.
    """
    a, cut = action >> CUT_BITS, action & ((1 << CUT_BITS) - 1)
    shift, domain, nominal = table.shift, table.domain[a], table.nominal[a]
    k = domain if nominal else np.int64(2)
    missing, heaviest = 0, np.int64(0)
    for b in range(k):
        view.size[b] = 0.0
        view.number[b] = 0
    for i in range(lo, hi):
        row = rows[i]
        b = np.int64(table.cells[a, row] >> shift)
        if b >= domain:
            b = np.int64(NONE)
            missing += 1
        else:
            if not nominal:
                b = np.int64(1) if b > cut else np.int64(0)
            view.number[b] += 1
            view.size[b] += table.weights[row]
        view.branch[i - lo] = b
    for b in range(1, k):
        if view.size[b] > view.size[heaviest]:
            heaviest = np.int64(b)
    view.number[heaviest] += missing
    place = lo
    for b in range(k):
        n = view.number[b]
        view.number[b] = place
        place += n
    for i in range(hi - lo):
        b = np.int64(view.branch[i])
        b = heaviest if b == NONE else b
        view.scratch[view.number[b] - lo] = rows[lo + i]
        view.number[b] += 1
    for i in range(hi - lo):
        rows[lo + i] = view.scratch[i]
    return k


@section
def describe(solver, child, live, lo, hi, depth, price):
    """Note the cases of a branch, its fingerprint, and what is known of what it costs."""
    table, frames, states = solver.table, solver.frames, solver.states
    objective, counts = solver.objective, solver.frames.counts[child]
    key0, key1, m = np.uint64(0), np.uint64(0), 0.0
    for c in range(counts.size):
        counts[c] = 0.0
    for i in range(lo, hi):
        row = solver.rows[i]
        key0 ^= table.keys[row, 0]
        key1 ^= table.keys[row, 1]
        counts[table.classes[row]] += table.weights[row]
        m += table.weights[row]
    frames.spans[child, C_SEEN] = 0
    upper = cost_as_leaf(objective, counts, m)
    lower = least_for(objective, counts, m, upper, price, depth > 0)
    if lower < upper * CLOSED:
        more0, more1 = path_key(
            table, solver.prices, solver.route, solver.marks, live, solver.rows, lo, hi, depth
        )
        key0 ^= more0
        key1 ^= more1
        place = find(states, frames.used[W_STAMP], key0, key1)
        if place != NONE:
            lower = max(lower, states.costs[place, LOWER])
            upper = min(upper, states.costs[place, UPPER])
            frames.spans[child, C_SEEN] = 2
    else:
        frames.spans[child, C_SEEN] = 1  # a leaf, whatever the table knows of these cases
    if lower >= upper * CLOSED:
        lower = upper
    frames.keys[child, 0] = key0
    frames.keys[child, 1] = key1
    frames.spans[child, C_LO] = lo
    frames.spans[child, C_HI] = hi
    frames.bounds[child, C_SIZE] = m
    frames.bounds[child, C_LOWER] = lower
    frames.bounds[child, C_UPPER] = upper


@section
def restrict(frames, route, f, action):
    """List, for the state after an action, the tests that may be asked there."""
    for a in range(route.paid.size):
        ask = frames.live[f + 1, a]
        if is_order(action) and not holds(action, a) and not route.paid[a]:
            ask = np.uint8(0)
        frames.live[f + 2, a] = ask


@section
def begin(solver, f, action):
    """Take an action at a state in hand, and note its branches; an order has a single one."""
    frames, table, sight, route = solver.frames, solver.table, solver.sight, solver.route
    lo, hi, depth = frames.facts[f, LO], frames.facts[f, HI], frames.facts[f, DEPTH]
    first = frames.facts[f, CHILDREN]
    frames.facts[f, DOING] = action
    frames.facts[f, WIDTH] = 0
    price, k = 0.0, np.int64(1)
    restrict(frames, route, f, action)
    if action < NONE:
        route.ordered[0] = is_order(action)
        sight.number[0] = hi
    else:
        # The prices in view may be those of a state further down.
        a, others = action >> CUT_BITS, np.inf
        for b in range(route.paid.size):
            if frames.live[f + 1, b]:
                sight.price[b] = price_here(solver.prices, route, b)
                if b != a:
                    others = min(others, sight.price[b])
        price = least_after(solver.prices, route, frames.live[f + 1], sight, table, a, others)
        take_test(solver.prices, route, a)
        k = part_rows(table, sight, solver.rows, lo, hi, action)
        depth -= 1
    start = lo
    for b in range(k):
        end = sight.number[b]
        if end > start:
            child = first + frames.facts[f, WIDTH]
            frames.facts[f, WIDTH] += 1
            describe(solver, child, frames.live[f + 2], start, end, depth, price)
        start = end


@section
def end(solver, f, lower):
    """Take an action back, having found the least that it costs."""
    frames, facts = solver.frames, solver.frames.facts
    action, first = facts[f, DOING], facts[f, CHILDREN]
    frames.costs[f, LOW] = min(frames.costs[f, LOW], lower)
    facts[f, DOING] = NONE
    if is_order(action):
        solver.route.ordered[0] = 0
    else:
        a = action >> CUT_BITS
        give_back(solver.prices, solver.route, a)
        place = facts[f, TRIED] + facts[f, NOTED]
        if solver.objective.nested and not solver.table.nominal[a] and place < frames.tried.size:
            frames.tried[place] = action
            frames.sides[place, 0] = frames.bounds[first, C_LOWER]
            frames.sides[place, 1] = frames.bounds[first + 1, C_LOWER]
            facts[f, NOTED] += 1


@section
def narrow_by_neighbours(solver, f, action):
    """Return the bound of the first candidate, given what other cuts of its test have led to.

    A cut further left has fewer cases on its left, and these never cost more: take the best tree
    for all of them; for fewer, its leaves expect no more errors if all errors cost the same, and
    its tests are paid for by fewer; a test that no longer splits is left out. That holds where
    any split is legal and no value is missing.
    """
    frames, queue = solver.frames, solver.queue
    place = frames.facts[f, QUEUE]
    bound, left = queue.costs[place, BOUND], queue.costs[place, LEFT_BOUND]
    if is_order(action) or not solver.objective.nested or frames.facts[f, NOTED] == 0:
        return bound
    if solver.table.nominal[action >> CUT_BITS]:
        return bound
    right = bound - queue.costs[place, BASE] - left
    first = frames.facts[f, TRIED]
    for j in range(first, first + frames.facts[f, NOTED]):
        if frames.tried[j] >> CUT_BITS == action >> CUT_BITS:
            if frames.tried[j] < action:
                left = max(left, frames.sides[j, 0])
            else:
                right = max(right, frames.sides[j, 1])
    return max(bound, queue.costs[place, BASE] + left + right)


@section
def open_state(solver, f, child, depth, cap, limit, mode):
    """Take a branch in hand as a state of its own."""
    frames, facts, costs, states = (
        solver.frames,
        solver.frames.facts,
        solver.frames.costs,
        solver.states,
    )
    facts[f, LO] = frames.spans[child, C_LO]
    facts[f, HI] = frames.spans[child, C_HI]
    facts[f, DEPTH] = depth
    facts[f, SELF] = child
    facts[f, QUEUED] = 0
    facts[f, NOTED] = 0
    facts[f, TRIES] = 0
    facts[f, WIDTH] = 0
    facts[f, LIMIT] = limit
    facts[f, START] = frames.used[W_WORK]
    facts[f, DOING] = NONE
    facts[f, BEST] = NONE
    facts[f, MODE] = mode
    facts[f, LAST_TURN] = 0
    for a in range(frames.cuts.shape[1]):
        frames.cuts[f, a] = 0
    facts[f, QUEUE] = facts[f - 1, QUEUE] + facts[f - 1, QUEUED]
    facts[f, CHILDREN] = facts[f - 1, CHILDREN] + facts[f - 1, WIDTH]
    facts[f, TRIED] = facts[f - 1, TRIED] + facts[f - 1, NOTED]
    m = frames.bounds[child, C_SIZE]
    costs[f, SIZE] = m
    costs[f, CAP] = cap
    costs[f, LOW] = np.inf
    costs[f, BELOW] = cost_as_leaf(solver.objective, frames.counts[child], m)
    frames.key[f, 0] = frames.keys[child, 0]
    frames.key[f, 1] = frames.keys[child, 1]
    place = find(states, frames.used[W_STAMP], frames.key[f, 0], frames.key[f, 1])
    if place != NONE and states.costs[place, UPPER] < costs[f, BELOW]:
        costs[f, BELOW] = states.costs[place, UPPER]
        facts[f, BEST] = states.facts[place, ACTION]
    look(solver, f)


@section
def close_state(solver, f):
    """Keep what was found out about a state in hand, and tell the one above."""
    frames, costs = solver.frames, solver.frames.costs
    upper = costs[f, BELOW]
    lower = min(upper, costs[f, LOW])
    child = frames.facts[f, SELF]
    lower = max(lower, min(upper, frames.bounds[child, C_LOWER]))
    if lower >= upper * CLOSED:
        lower = upper
    work = frames.used[W_WORK] - frames.facts[f, START]
    frames.used[W_KEPT] += keep(
        solver.states, frames.used[W_STAMP], frames.key[f, 0], frames.key[f, 1], lower, upper,
        frames.facts[f, BEST], work,
    )  # fmt: skip
    frames.bounds[child, C_LOWER] = lower
    frames.bounds[child, C_UPPER] = upper
    frames.spans[child, C_SEEN] = 1


@section
def pauses(solver):
    """Tell whether the search is to end, or needs a larger table."""
    used = solver.frames.used
    return solver.stop[0] != 0 or used[W_KEPT] >= used[W_MOST] or used[W_STEPS] >= used[W_PAUSE]


@section
def is_enough(frames, f, action):
    """Tell whether a state is not to try an action: it has had its turn, or its test has."""
    if frames.facts[f, MODE] == WEIGH and not is_order(action):
        a = action >> CUT_BITS
        frames.cuts[f, a] += 1
        return frames.cuts[f, a] > frames.used[W_CUTS]
    return False


@section
def next_action(solver, f):
    """Return the next action worth trying at a state in hand, NONE if it is done with."""
    frames, queue = solver.frames, solver.queue
    facts, costs, first = frames.facts, frames.costs, frames.facts[f, QUEUE]
    mode, found = facts[f, MODE], np.int64(NONE)
    while facts[f, QUEUED] > 0 and found == NONE:
        goal = min(costs[f, BELOW], costs[f, CAP]) * CLOSED
        over = mode != WEIGH and facts[f, TRIES] > 0
        over = over and (mode == DIVE or frames.used[W_WORK] >= facts[f, LIMIT])
        if over or pauses(solver):
            for i in range(first, first + facts[f, QUEUED]):
                costs[f, LOW] = min(costs[f, LOW], queue.costs[i, BOUND])
            facts[f, QUEUED] = 0
            break
        action = queue.action[first]
        bound = narrow_by_neighbours(solver, f, action)
        base = queue.costs[first, BASE]
        facts[f, QUEUED] = remove_first(queue, first, facts[f, QUEUED])
        if bound >= goal or is_enough(frames, f, action):
            costs[f, LOW] = min(costs[f, LOW], bound)
        else:
            costs[f, SPENT] = base
            facts[f, TRIES] += 1
            found = action
    last = mode == WEIGH and found == NONE and facts[f, LAST_TURN] == 0
    if last and facts[f, BEST] != NONE and not pauses(solver):
        facts[f, LAST_TURN] = 1
        costs[f, SPENT] = costs[f, BEST_BASE]
        found = facts[f, BEST]
    return found


@section
def mode_below(frames, f):
    """Return how the branches of the action being tried are searched."""
    mode = frames.facts[f, MODE]
    if mode == WEIGH and not frames.facts[f, LAST_TURN]:
        return np.int64(DIVE)
    if mode == SEARCH and frames.used[W_WORK] >= frames.facts[f, LIMIT]:
        return np.int64(DIVE)
    return mode


@section
def next_branch(solver, f):
    """Return (branch to go down next or NONE, least that the action costs, what it comes to).

    The last is the same in a search with bounds. Else branches that had their turn count with
    the tree that was found: once these cost too much, the others need no tree.
    """
    frames, facts, costs = solver.frames, solver.frames.facts, solver.frames.costs
    first, last = facts[f, CHILDREN], facts[f, CHILDREN] + facts[f, WIDTH]
    lower, upper, likely = costs[f, SPENT], costs[f, SPENT], costs[f, SPENT]
    mode = mode_below(frames, f)
    best, widest = np.int64(NONE), 0.0
    for child in range(first, last):
        low, high = frames.bounds[child, C_LOWER], frames.bounds[child, C_UPPER]
        lower += low
        upper += high
        seen = frames.spans[child, C_SEEN]
        if seen == 1 or (seen == 2 and mode == DIVE and frames.used[W_SAMPLE] == 0):
            likely += low if mode == SEARCH else high
        else:
            likely += low
            if high - low > widest:
                best, widest = np.int64(child), high - low
    if upper < costs[f, BELOW] * CLOSED:
        costs[f, BELOW] = upper
        facts[f, BEST] = facts[f, DOING]
        costs[f, BEST_BASE] = costs[f, SPENT]
    return best, lower, likely


@section
def limit_for(frames, f, child):
    """Return how much work may have been done when a branch ends."""
    work, limit = frames.used[W_WORK], frames.facts[f, LIMIT]
    if limit <= work:
        return work
    if f == 0 or frames.spans[child, C_HI] - frames.spans[child, C_LO] <= SMALL:
        return limit
    return work + (limit - work) // 2


@kernel
def solve(solver, n, depth, effort, mode):
    """Search the state of the cases ``rows[:n]``, reached by the route, with this much effort.

    What is found out is kept in the table; branch 0 holds the bounds and the key of the state.
    """
    frames, facts, costs = solver.frames, solver.frames.facts, solver.frames.costs
    for i in range(facts.shape[1]):
        facts[0, i] = 0
    facts[0, HI] = n
    facts[0, DEPTH] = depth
    facts[0, MODE] = mode
    facts[0, LAST_TURN] = 1
    facts[0, LIMIT] = frames.used[W_WORK] + effort
    costs[0, SPENT], costs[0, BELOW], costs[0, CAP] = 0.0, np.inf, np.inf
    for a in range(solver.route.paid.size):
        frames.live[1, a] = frames.live[0, a]
    top, action = np.int64(0), np.int64(ENTER)
    while True:
        if action != NONE:
            begin(solver, top, action)
        child, lower, likely = next_branch(solver, top)
        goal = min(costs[top, BELOW], costs[top, CAP]) * CLOSED
        if child != NONE and likely < goal and not pauses(solver):
            restrict(frames, solver.route, top, facts[top, DOING])
            cap = goal - likely + frames.bounds[child, C_LOWER]
            below = facts[top, DEPTH] - (facts[top, DOING] > NONE)
            limit, mode = limit_for(frames, top, child), mode_below(frames, top)
            top += 1
            open_state(solver, top, child, below, cap, limit, mode)
        elif top > 0:
            end(solver, top, lower)
        else:
            break
        action = next_action(solver, top)
        if action == NONE:
            close_state(solver, top)
            top -= 1
