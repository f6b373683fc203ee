"""Going down: what an action leads to, and the way back up.

The cases of a state are sorted by branch, what is paid is noted, and of each branch what is known
already: by its fingerprint, which stands for its cases and for what of the path still matters.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.exact.candidates import (
    CUT_BITS,
    least_after,
    least_for,
    price_here,
    varies,
)
from frugaltree.kernels.exact.expand import holds, is_order
from frugaltree.kernels.exact.frame import (
    C_HI,
    C_LO,
    C_LOWER,
    C_SEEN,
    C_SIZE,
    C_UPPER,
    CHILDREN,
    CLOSED,
    DEPTH,
    DOING,
    HI,
    LO,
    LOW,
    NOTED,
    TRIED,
    W_STAMP,
    WIDTH,
)
from frugaltree.kernels.exact.objective import cost_as_leaf
from frugaltree.kernels.exact.state_table import find
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.sentinels import NONE

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
        least, known, _ = find(states, frames.used[W_STAMP], key0, key1)
        if known < np.inf:
            lower, upper = max(lower, least), min(upper, known)
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
