"""Choosing a test by sampling the trees below it (Figures 3 and 5), node after node."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.choose import NONE
from frugaltree.kernels.draw import mix, sample_key
from frugaltree.kernels.grow import FULL, place_cut, set_leaf
from frugaltree.kernels.jit import kernel, part, section
from frugaltree.kernels.measures import TOLERANCE, beats
from frugaltree.kernels.orders import (
    attach,
    clear_sample,
    price_order,
    price_sample,
    write_path,
    write_test,
)
from frugaltree.kernels.path import start_path, step_back, step_down
from frugaltree.kernels.sampling import affordable, best_of, cannot_pay, take_test, walk, weigh
from frugaltree.kernels.subproblems import (
    bits_of,
    branch_of,
    enter,
    forget,
    last_below,
    list_cuts,
    look,
    split,
)

STOPPED = -2
"""Status, beside FULL, of a search that was asked to stop."""

STATUS = 2
"""What is taken off a status where NONE, a leaf, is a possible answer."""


class Spot(NamedTuple):
    """A node of the learner's tree: where its cases stand in ``order``, and its key.

    From ``mid`` on they are set aside; ``levels`` is how deep sampled trees may be, ``ordered``
    whether a delayed test stands above.
    """

    lo: int
    mid: int
    hi: int
    key: int
    levels: int
    ordered: bool


class Ahead(NamedTuple):
    """What a learner notes while it weighs the tests of a node."""

    order: np.ndarray  # int32[place]: the cases, a node's side by side
    spare: np.ndarray  # int32[place]
    total: np.ndarray  # float64[a]: cost over all cases, infinite where a test is no candidate
    worth: np.ndarray  # float64[a]
    below: np.ndarray  # int64[a]: ranks on either side of a numeric test's best cut
    above: np.ndarray  # int64[a]
    cuts: np.ndarray  # int64[r, 2]: the cuts tried
    child: np.ndarray  # int64[branch]
    samples: np.ndarray  # int64[1]: trees sampled so far
    stop: np.ndarray  # int64[1]: not 0 once the search shall stop


class Open(NamedTuple):
    """The nodes of the learner's tree that are still to be decided, and what they have left."""

    stack: np.ndarray  # int64[height, 5]: node, lo, mid, hi, depth
    key: np.ndarray  # uint64[height]
    left: np.ndarray  # float64[node]: what a case may still be charged
    ordered: np.ndarray  # uint8[node]: 1 beneath a delayed test
    allowed: np.ndarray  # uint8[node, a]: what that test's order may hold, under a budget


# ------------------------------------------------------------------------------ weighing tests


@part
def pick_cuts(plan, desk, n, r, cuts):
    """Pick up to ``r`` of the ``n`` listed cuts: those of largest gain, or quantiles."""
    picked = 0
    if plan.quantile:
        last = -1
        for q in range(r):
            i = 0
            goal = (q + 1) * desk.cut_low[n] / (r + 1) - 1e-9
            while i < n - 1 and desk.cut_low[i] < goal:
                i += 1
            if i != last and n > 0:
                cuts[picked, 0] = desk.cut_below[i]
                cuts[picked, 1] = desk.cut_above[i]
                picked += 1
                last = i
        return picked
    while picked < r and picked < n:
        best, best_i = -1.0, -1
        for i in range(n):
            gain = desk.cut_gain[i]
            if gain >= 0.0 and (best_i < 0 or beats(gain, best)):
                best, best_i = gain, i
        cuts[picked, 0] = desk.cut_below[best_i]
        cuts[picked, 1] = desk.cut_above[best_i]
        desk.cut_gain[best_i] = -1.0
        picked += 1
    return picked


@part
def recall(bench, ahead, spot):
    """Return the set of a node's cases, looked at, or FULL; forgets all else if need be."""
    table, plan, memory, desk = bench.table, bench.plan, bench.memory, bench.desk
    for _ in range(2):
        e = enter(table, bench.errors, plan, memory, desk, ahead.order, spot.lo, spot.mid, spot.hi)
        if e != FULL and (memory.stops[e] or look(table, plan, memory, desk, e) != FULL):
            return e
        forget(memory)
    return np.int64(FULL)


@part
def open_parts(bench, ahead, spot, a, cut):
    """Split a node's cases by any cut and note the parts; return their number or FULL."""
    for _ in range(2):
        e = recall(bench, ahead, spot)
        if e == FULL:
            break
        k = split(bench.table, bench.errors, bench.plan, bench.memory, bench.desk, e, a, cut)
        if k != FULL:
            for b in range(k):
                ahead.child[b] = bench.desk.child[b]
            return k
        forget(bench.memory)
    return np.int64(FULL)


@part
def best_sample(bench, ahead, spot, a, cut, b, j, n, ordered, node):
    """Return the least cost among ``n`` sampled trees for one branch of a test, or a status.

    The first is greedy where the plan says so, and so is the only one of a numeric test. Where
    tests are delayed, the best tree is attached to ``node``.
    """
    plan, memory, path = bench.plan, bench.memory, bench.path
    best, last_forgot = np.inf, np.int64(NONE)
    nodes, slots = bench.orders.best.used[0], bench.orders.best.used[1]
    while j < n:
        child = ahead.child[b]
        if not plan.delays and (memory.stops[child] or cannot_pay(plan, memory, path, child)):
            return memory.leaf[child]
        greedy = plan.greedy and (j == 0 or not bench.table.nominal[a])
        limit = np.inf if plan.delays else best
        if plan.delays:
            clear_sample(bench, a, node)
        value = walk(bench, child, sample_key(spot.key, a, b, j), greedy, spot.levels, limit)
        if value == FULL:
            if last_forgot == j:
                return np.float64(FULL)
            last_forgot = j
            forget(memory)
            if open_parts(bench, ahead, spot, a, cut) == FULL:
                return np.float64(FULL)
            continue
        if plan.delays:
            value = price_sample(bench, node + 1, ordered)
        ahead.samples[0] += 1
        if best == np.inf or value < best * (1.0 - TOLERANCE):
            best = value
            if plan.delays:
                bench.orders.best.used[0] = nodes
                bench.orders.best.used[1] = slots
                if not attach(bench, a, node, b):
                    return np.float64(FULL)
        j += 1
        if ahead.stop[0] != 0:
            return np.float64(STOPPED)
    return best


@part
def begin_drafts(bench, e, a):
    """Begin both drafts with the path and the test in hand; return its node."""
    node = np.int64(NONE)
    if bench.plan.delays:
        k = bench.table.domain[a] if bench.table.nominal[a] else np.int64(2)
        for draft in (bench.orders.trial, bench.orders.best):
            write_path(bench.path, draft)
            node = write_test(draft, a, k, bench.memory.counts[e])
    return node


@part
def split_total(bench, ahead, spot, a, cut, j, n, limit):
    """Return the estimated cost of a split over all cases, or a status.

    The price of the test and the best of the samples ``j:n`` of each branch. It may stop early,
    with some cost above ``limit``, once it cannot come out cheaper.
    """
    plan, memory, path = bench.plan, bench.memory, bench.path
    k = open_parts(bench, ahead, spot, a, cut)
    e = recall(bench, ahead, spot)
    if k == FULL or e == FULL:
        return np.float64(FULL)
    tests, groups, left, ordered = path.height[0], path.height[1], path.left[0], path.ordered[0]
    one_order = plan.delays and (spot.ordered or bench.prices.delayed[a] != 0)
    node = begin_drafts(bench, e, a)
    total = path.price[a] * memory.size[e] if plan.charged else 0.0
    take_test(bench.prices, plan, memory, path, e, a)
    for b in range(k):
        if ahead.child[b] == NONE:
            continue
        value = best_sample(bench, ahead, spot, a, cut, np.int64(b), j, n, one_order, node)
        if value < 0.0:
            total = value
            break
        total += value
        if not one_order and total > limit * (1.0 + TOLERANCE):
            break
    step_back(path, tests, groups)
    path.left[0] = left
    path.ordered[0] = ordered
    if one_order and total >= 0.0:
        total = price_order(bench, node)
    return total


@part
def test_total(bench, ahead, spot, r, a, limit):
    """Return the estimated cost of splitting by a test, or a status.

    A nominal test has ``r`` samples for each value; a numeric one a sample for either side of
    each of ``r`` cuts, the best of which is noted.
    """
    if bench.table.nominal[a]:
        return split_total(bench, ahead, spot, a, np.int64(NONE), np.int64(0), r, limit)
    e = recall(bench, ahead, spot)
    n = list_cuts_at(bench, e, a)
    picked = pick_cuts(bench.plan, bench.desk, n, r, ahead.cuts)
    best = np.inf
    for t in range(picked):
        cut = last_below(bench.table, bench.plan, a, ahead.cuts[t, 0], ahead.cuts[t, 1])
        least = best if best < limit else limit
        total = split_total(bench, ahead, spot, a, cut, np.int64(t), np.int64(t + 1), least)
        if total < 0.0:
            return total
        if t == 0 or total < best * (1.0 - TOLERANCE):
            best = total
            ahead.below[a] = ahead.cuts[t, 0]
            ahead.above[a] = ahead.cuts[t, 1]
    return best


@part
def wins(total, worth, best, best_worth):
    """Tell whether a test is cheaper than the best so far or, at the same cost, worth more."""
    if total < best * (1.0 - TOLERANCE):
        return True
    return total <= best * (1.0 + TOLERANCE) and beats(worth, best_worth)


@part
def weigh_tests(bench, ahead, spot, r, first, last, every):
    """Return the test of least estimated cost among ``first:last``, NONE, or a status.

    Figures 3 and 5. Unless ``every`` total is wanted, a test that turns out dearer than the best
    is not weighed to the end.
    """
    best = np.int64(NONE)
    for a in range(first, last):
        ahead.total[a] = np.inf
        e = recall(bench, ahead, spot)
        if e == FULL:
            return np.int64(FULL - STATUS)
        use = bench.memory.use[bench.memory.page[e], a]
        if use < 0.0 or not affordable(bench.plan, bench.path, a):
            continue
        limit = np.inf if every or best == NONE else ahead.total[best]
        total = test_total(bench, ahead, spot, r, np.int64(a), limit)
        if total < 0.0:
            return np.int64(total) - STATUS
        ahead.total[a] = total
        ahead.worth[a] = use * bench.path.factor[a]
        if best == NONE or wins(total, ahead.worth[a], ahead.total[best], ahead.worth[best]):
            best = np.int64(a)
    return best


# ------------------------------------------------------------------------------ the learner's tree


@part
def path_to(bench, nodes, open_nodes, node, above):
    """Set the path to a node of the learner's tree; ``above`` are the tests over its root."""
    prices, plan, path = bench.prices, bench.plan, bench.path
    start_path(prices, plan, path)
    for i in range(above.size):
        step_down(prices, plan, path, above[i])
    at = nodes.parent[node]
    while at != NONE:
        step_down(prices, plan, path, nodes.test[at])
        at = nodes.parent[at]
    if plan.budget < np.inf:
        path.left[0] = open_nodes.left[node]
        path.ordered[0] = open_nodes.ordered[node]
        for a in range(path.allowed.size):
            path.allowed[a] = open_nodes.allowed[node, a]


@part
def deal(table, desk, ahead, a, cut, lo, mid, hi):
    """Put the cases ``lo:hi`` in the order of the branches they take; return how many there are.

    Within a branch those set aside come last; one whose branch no case takes drops out. Fills
    ``desk.number``.
    """
    order, spare = ahead.order, ahead.spare
    k = table.domain[a] if table.nominal[a] else np.int64(2)
    for b in range(k):
        desk.number[b, 0] = 0
        desk.number[b, 1] = 0
        desk.weight[b] = 0
    for i in range(lo, hi):
        b = branch_of(table, a, cut, table.cells[a, order[i]])
        desk.branch[i - lo] = b
        spare[i] = order[i]
        if b != NONE and i < mid:
            desk.number[b, 0] += 1
            desk.weight[b] += table.weights[order[i]]
    heaviest = np.int64(0)
    for b in range(k):
        if desk.weight[b] > desk.weight[heaviest]:
            heaviest = np.int64(b)
    for i in range(lo, hi):
        b = desk.branch[i - lo]
        if b == NONE:
            desk.branch[i - lo] = b = heaviest
            if i < mid:
                desk.number[b, 0] += 1
        if i >= mid:
            if desk.number[b, 0] == 0:
                desk.branch[i - lo] = NONE
            else:
                desk.number[b, 1] += 1
    at = lo
    for b in range(k):
        desk.place[b, 0] = at
        desk.place[b, 1] = at + desk.number[b, 0]
        at = desk.place[b, 1] + desk.number[b, 1]
    for i in range(lo, hi):
        b = desk.branch[i - lo]
        if b != NONE:
            side = 0 if i < mid else 1
            order[desk.place[b, side]] = spare[i]
            desk.place[b, side] += 1
    return k


@section
def branch_out(bench, ahead, nodes, open_nodes, e, a, top, used):
    """Split the learner's node just taken off the stack and stack its children.

    Returns the height of the stack, FULL if there is no room; ``used`` counts nodes and slots.
    """
    table, desk, stack = bench.table, bench.desk, open_nodes.stack
    node, lo, mid = stack[top, 0], stack[top, 1], stack[top, 2]
    hi, depth, key = stack[top, 3], stack[top, 4], open_nodes.key[top]
    nodes.test[node] = a
    cut = np.int64(NONE)
    if not table.nominal[a]:
        below, above = ahead.below[a], ahead.above[a]
        _, nodes.threshold[node] = place_cut(table, a, below, above, False)
        cut = last_below(table, bench.plan, a, below, above)
    nodes.cut[node] = cut
    k = deal(table, desk, ahead, a, cut, lo, mid, hi)
    fits = used[0] + k <= nodes.test.size and used[1] + k <= nodes.children.size
    if not fits or top + k > stack.shape[0]:
        top = np.int64(FULL)
        k = np.int64(0)
    nodes.first[node] = used[1]
    take_test(bench.prices, bench.plan, bench.memory, bench.path, e, a)
    at = lo
    for b in range(k):
        n, n_aside = desk.number[b, 0], desk.number[b, 1]
        nodes.children[used[1] + b] = NONE
        if n > 0:
            child = used[0]
            nodes.children[used[1] + b] = child
            for c in range(table.n_classes):
                desk.counts[0, c] = 0.0
            for i in range(at, at + n):
                desk.counts[0, table.classes[ahead.order[i]]] += table.weights[ahead.order[i]]
            set_leaf(nodes, child, node, desk.counts[0])
            open_nodes.ordered[child] = open_nodes.ordered[node] or bench.prices.delayed[a]
            if bench.plan.budget < np.inf:
                open_nodes.left[child] = bench.path.left[0]
                for t in range(bench.path.allowed.size):
                    open_nodes.allowed[child, t] = bench.path.allowed[t]
            stack[top, 0], stack[top, 1], stack[top, 2] = child, at, at + n
            stack[top, 3], stack[top, 4] = at + n + n_aside, depth + 1
            open_nodes.key[top] = mix(key, b + 1)
            top += 1
            used[0] += 1
            at += n + n_aside
    used[1] += k
    return top


@part
def is_leaf(bench, spot, e):
    """Tell whether a node of the learner's tree needs no test, or no test could pay."""
    if spot.levels < 0 or bench.memory.stops[e]:
        return True
    return cannot_pay(bench.plan, bench.memory, bench.path, e)


@section
def decide(bench, ahead, spot, r, e):
    """Return the test of a node of the learner's tree, NONE for a leaf, or a status."""
    a = np.int64(NONE)
    if not is_leaf(bench, spot, e):
        a = np.int64(STOPPED - STATUS)
        if r > 0 and ahead.stop[0] == 0:
            a = weigh_tests(bench, ahead, spot, r, 0, ahead.total.size, False)
        if a == STOPPED - STATUS:
            e = recall(bench, ahead, spot)
            weigh(bench.plan, bench.memory, bench.path, bench.memory.page[e])
            a = np.int64(best_of(bench.path))
            if a != NONE and not bench.table.nominal[a]:
                note_best_cut(bench, ahead, e, a)
    return a


@part
def list_cuts_at(bench, e, a):
    """List every cut of a numeric test; return how many."""
    base = bits_of(bench.table, bench.memory, e)
    return list_cuts(bench.table, bench.plan, bench.memory, bench.desk, e, a, base, True)


@part
def note_best_cut(bench, ahead, e, a):
    """Note the cut of largest gain of a numeric test."""
    n = list_cuts_at(bench, e, a)
    best = -1.0
    for i in range(n):
        if i == 0 or beats(bench.desk.cut_gain[i], best):
            best = bench.desk.cut_gain[i]
            ahead.below[a] = bench.desk.cut_below[i]
            ahead.above[a] = bench.desk.cut_above[i]


@part
def levels_below(plan, depth):
    """Return how deep the trees sampled below a node at this depth may be, -1 for a leaf."""
    left = plan.max_depth - depth - 1
    return left if left < plan.levels else plan.levels


@section
def spot_of(bench, open_nodes, top):
    """Return the node at this place on the stack."""
    node, depth = open_nodes.stack[top, 0], open_nodes.stack[top, 4]
    return Spot(
        open_nodes.stack[top, 1],
        open_nodes.stack[top, 2],
        open_nodes.stack[top, 3],
        open_nodes.key[top],
        levels_below(bench.plan, depth),
        open_nodes.ordered[node] != 0,
    )


@kernel
def grow_ahead(bench, ahead, nodes, open_nodes, above, r, top, used, forced):
    """Grow the learner's tree below the nodes on the stack; return its height, 0, or FULL.

    With r = 0, and once asked to stop, choices are greedy. If a test is ``forced``, with its cut
    noted in ``ahead``, only the node on top is split, and its children stay on the stack.
    """
    while top > 0:
        top -= 1
        spot = spot_of(bench, open_nodes, top)
        e = recall(bench, ahead, spot)
        if e == FULL:
            return np.int64(FULL)
        path_to(bench, nodes, open_nodes, open_nodes.stack[top, 0], above)
        a = forced if forced != NONE else decide(bench, ahead, spot, r, e)
        if a >= 0:
            e = recall(bench, ahead, spot)
            top = branch_out(bench, ahead, nodes, open_nodes, e, a, top, used)
        if a == FULL - STATUS or top == FULL:
            return np.int64(FULL)
        if forced != NONE:
            break
    return top


@kernel
def totals_ahead(bench, ahead, nodes, open_nodes, above, r, first, last, every):
    """Weigh the tests ``first:last`` of the node on the stack; return FULL if out of room.

    All totals stay infinite if the node is a leaf.
    """
    spot = spot_of(bench, open_nodes, np.int64(0))
    e = recall(bench, ahead, spot)
    if e == FULL:
        return np.int64(FULL)
    path_to(bench, nodes, open_nodes, open_nodes.stack[0, 0], above)
    a = np.int64(NONE)
    if not is_leaf(bench, spot, e):
        a = weigh_tests(bench, ahead, spot, r, first, last, every)
    return np.int64(FULL) if a == FULL - STATUS else np.int64(0)
