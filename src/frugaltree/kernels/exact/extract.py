"""Reading the best tree known out of the table of states."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.charges import path_state
from frugaltree.kernels.data.cells import sort_cells
from frugaltree.kernels.data.nodes import set_leaf
from frugaltree.kernels.data.thresholds import place_cut
from frugaltree.kernels.exact.branch import describe, part_rows
from frugaltree.kernels.exact.candidates import CUT_BITS, count_cuts, price_here, start_cuts
from frugaltree.kernels.exact.expand import holds, is_order, set_price
from frugaltree.kernels.exact.frame import C_SEEN, C_SIZE, W_STAMP
from frugaltree.kernels.exact.objective import cost_as_leaf, split_charge
from frugaltree.kernels.exact.state_table import find
from frugaltree.kernels.jit import kernel, section
from frugaltree.kernels.sentinels import NONE

NODE, LO, HI, DEPTH, ORDER = range(5)
"""What the stack holds of a node yet to be written: its number, cases, depth left and order."""


@section
def allow(solver, order):
    """List the tests that may be asked: all that are usable, under an order only its own."""
    frames, route = solver.frames, solver.route
    route.ordered[0] = is_order(order)
    for a in range(route.paid.size):
        frames.live[1, a] = frames.live[0, a]
        if is_order(order) and not holds(order, a) and not route.paid[a]:
            frames.live[1, a] = 0


@section
def best_action(solver, lo, hi, depth):
    """Return the action kept for a state, NONE for a leaf; branch 0 then describes the state."""
    frames, states = solver.frames, solver.states
    describe(solver, np.int64(0), frames.live[1], lo, hi, depth, 0.0)
    leaf = cost_as_leaf(solver.objective, frames.counts[0], frames.bounds[0, C_SIZE])
    if frames.spans[0, C_SEEN] != 1:
        key0, key1 = frames.keys[0, 0], frames.keys[0, 1]
        _, upper, action = find(states, frames.used[W_STAMP], key0, key1)
        if upper < leaf:
            return action, leaf
    return np.int64(NONE), leaf


@section
def cuts_of(solver, lo, hi, a):
    """Return how many cuts a test may choose from."""
    if solver.table.nominal[a] or solver.objective.per_log_cut == 0.0:
        return np.int64(1)
    n = sort_cells(solver.table, solver.sorter, solver.rows, lo, hi - lo, a)
    counts = solver.frames.counts[0]
    n, known, _ = start_cuts(solver.table, solver.sorter, solver.sight, counts, n, a)
    return max(np.int64(1), count_cuts(solver.table, solver.objective, solver.sorter, n, known))


@section
def place_of_cut(table, rows, lo, hi, a, cut):
    """Return the threshold between a rank and the next one above it among some cases."""
    above = table.domain[a]
    for i in range(lo, hi):
        code = np.int64(table.cells[a, rows[i]] >> table.shift)
        if cut < code < above:
            above = code
    return place_cut(table, a, cut, above, False)


@kernel
def read_tree(solver, n, depth, nodes, stack, used):
    """Write down the best tree known for the cases ``rows[:n]``; return what it costs.

    ``used`` becomes the number of nodes and of slots for children. A state that has been
    forgotten is a leaf.
    """
    table, route, rows = solver.table, solver.route, solver.rows
    used[0], used[1] = 1, 0
    nodes.parent[0] = NONE
    stack[0, NODE], stack[0, LO], stack[0, HI] = 0, 0, n
    stack[0, DEPTH], stack[0, ORDER] = depth, NONE
    top, total = 1, 0.0
    while top > 0:
        top -= 1
        node, lo, hi = stack[top, NODE], stack[top, LO], stack[top, HI]
        left, order = stack[top, DEPTH], stack[top, ORDER]
        path_state(solver.prices, nodes, node, route.paid, route.opened)
        action = order
        while True:
            allow(solver, order)
            action, leaf = best_action(solver, lo, hi, left)
            m = solver.frames.bounds[0, C_SIZE]
            if not is_order(action):
                break
            total += set_price(solver.prices, route, action) * m
            order = action
        set_leaf(nodes, node, nodes.parent[node], solver.frames.counts[0])
        if action == NONE:
            total += leaf
            continue
        a, cut = action >> CUT_BITS, action & ((1 << CUT_BITS) - 1)
        total += price_here(solver.prices, route, a) * m
        total += split_charge(solver.objective, cuts_of(solver, lo, hi, a))
        nodes.test[node] = a
        nodes.first[node] = used[1]
        if not table.nominal[a]:
            nodes.cut[node], nodes.threshold[node] = place_of_cut(table, rows, lo, hi, a, cut)
        k = part_rows(table, solver.sight, rows, lo, hi, action)
        start = lo
        for b in range(k):
            end = solver.sight.number[b]
            nodes.children[used[1] + b] = NONE
            if end > start:
                child = used[0]
                used[0] += 1
                nodes.children[used[1] + b] = child
                nodes.parent[child] = node
                stack[top, NODE], stack[top, LO], stack[top, HI] = child, start, end
                stack[top, DEPTH], stack[top, ORDER] = left - 1, order
                top += 1
            start = end
        used[1] += k
    for a in range(route.paid.size):
        route.paid[a] = 0
    for g in range(route.opened.size):
        route.opened[g] = 0
    route.ordered[0] = 0
    return total
