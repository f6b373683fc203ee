"""Choosing a test by sampling the trees below it (Figures 3 and 5), node after node."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.choose import NONE
from frugaltree.kernels.draw import mix, sample_key
from frugaltree.kernels.grow import FULL, place_cut, set_leaf
from frugaltree.kernels.jit import kernel, part, section
from frugaltree.kernels.measures import TOLERANCE, beats
from frugaltree.kernels.orders import NODES, SLOTS, TEST, attach, price_tree, write_test
from frugaltree.kernels.path import (
    FACTOR,
    GROUPS,
    ORDERED,
    PRICE,
    TESTS,
    start_path,
    step_back,
    step_down,
)
from frugaltree.kernels.prune_costs import KEEP_ROOT, ONE_ORDER
from frugaltree.kernels.sampling import affordable, best_of, cannot_pay, take_test, walk, weigh
from frugaltree.kernels.subproblems import (
    APART,
    CHILD,
    CUT,
    GAIN_OF,
    LEAF,
    LO,
    LOW,
    MID,
    NUMBER,
    PAGE,
    PLACE,
    PLACE_APART,
    SIZE,
    WEIGHT,
    bits_of,
    branch_of,
    enter,
    forget,
    is_closed,
    last_below,
    list_cuts,
    look,
    split,
)

STOPPED, SHARED = -2, -3
"""Status, beside FULL, of a search that was asked to stop, and to share what it has to do."""

STATUS = 2
"""What is taken off a status where NONE, a leaf, is a possible answer."""


GROW, WEIGH = -1, -2
"""Tasks of :func:`look_ahead`, beside that of splitting by a test."""


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
    claimed: np.ndarray  # uint8[a]: 1 once some thread weighs the test
    least: np.ndarray  # float64[1]: the least total that some thread has found
    wanted: np.ndarray  # int64[1]: not 0 once another thread wants a share of the work
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
            goal = (q + 1) * desk.cut_facts[n, LOW] / (r + 1) - 1e-9
            while i < n - 1 and desk.cut_facts[i, LOW] < goal:
                i += 1
            if i != last and n > 0:
                cuts[picked, 0] = desk.cut_ranks[i, 0]
                cuts[picked, 1] = desk.cut_ranks[i, 1]
                picked += 1
                last = i
        return picked
    while picked < r and picked < n:
        best, best_i = -1.0, -1
        for i in range(n):
            gain = desk.cut_facts[i, GAIN_OF]
            if gain >= 0.0 and (best_i < 0 or beats(gain, best)):
                best, best_i = gain, i
        cuts[picked, 0] = desk.cut_ranks[best_i, 0]
        cuts[picked, 1] = desk.cut_ranks[best_i, 1]
        desk.cut_facts[best_i, GAIN_OF] = -1.0
        picked += 1
    return picked


@part
def recall(bench, ahead, spot):
    """Return the set of a node's cases, looked at, or FULL; forgets all else if need be."""
    table, plan, memory, desk = bench.table, bench.plan, bench.memory, bench.desk
    for _ in range(2):
        e = enter(table, bench.errors, plan, memory, desk, ahead.order, spot.lo, spot.mid, spot.hi)
        if e != FULL and (is_closed(memory, e) or look(table, plan, memory, desk, e) != FULL):
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
                ahead.child[b] = bench.desk.parts[b, CHILD]
            return k
        forget(bench.memory)
    return np.int64(FULL)


@section
def best_sample(bench, ahead, spot, a, cut, b, j, n, how):
    """Return the least cost among samples ``j:n`` for one branch of a test, or a status.

    The first is greedy where the plan says so, and so is the only one of a numeric test. Where
    tests are delayed, the best tree is written down as a branch of the test.
    """
    plan, memory, path, orders = bench.plan, bench.memory, bench.path, bench.orders
    best, last_forgot = np.inf, np.int64(NONE)
    place, first = orders.used[NODES], orders.used[SLOTS]
    while j < n and best >= 0.0:
        child = ahead.child[b]
        if not plan.delays and (is_closed(memory, child) or cannot_pay(plan, memory, path, child)):
            best = memory.cost[child, LEAF]
            break
        greedy = plan.greedy and (j == 0 or not bench.table.nominal[a])
        root, slot = orders.used[NODES], orders.used[SLOTS]
        limit = np.inf if plan.delays else best
        value = walk(bench, child, sample_key(spot.key, a, b, j), greedy, spot.levels, limit)
        if value == FULL:
            orders.used[NODES] = root
            orders.used[SLOTS] = slot
            forget(memory)
            if last_forgot == j or open_parts(bench, ahead, spot, a, cut) == FULL:
                best = np.float64(FULL)
            last_forgot = j
            continue
        if plan.delays:
            value = price_tree(bench, root, how)
        if best == np.inf or value < best * (1.0 - TOLERANCE):
            best = value
            if plan.delays:
                attach(orders, place, first, root, slot, b)
        elif plan.delays:
            orders.used[NODES] = root
            orders.used[SLOTS] = slot
        ahead.samples[0] += 1
        j += 1
        if ahead.stop[0] != 0:
            best = np.float64(STOPPED)
    return best


@section
def split_total(bench, ahead, spot, a, cut, j, n, limit):
    """Return the estimated cost of a split over all cases, or a status.

    The price of the test and the best of the samples ``j:n`` of each branch. It may stop early,
    with some cost above ``limit``, once it cannot come out cheaper.
    """
    plan, memory, path = bench.plan, bench.memory, bench.path
    k = open_parts(bench, ahead, spot, a, cut)
    e = recall(bench, ahead, spot)
    total = np.float64(FULL)
    if k != FULL and e != FULL:
        tests, groups = path.state[TESTS], path.state[GROUPS]
        left, ordered = path.left[0], path.state[ORDERED]
        how = np.int64(0)
        if plan.delays:
            write_test(path, bench.orders, a, k, memory.counts[e])
            if spot.ordered or bench.prices.delayed[a]:
                how = np.int64(ONE_ORDER)
        total = path.facts[a, PRICE] * memory.cost[e, SIZE] if plan.charged else 0.0
        take_test(bench.prices, plan, memory, path, e, a)
        for b in range(k):
            if ahead.child[b] == NONE:
                continue
            value = best_sample(bench, ahead, spot, a, cut, np.int64(b), j, n, how)
            total = total + value if value >= 0.0 else value
            if value < 0.0 or (how == 0 and total > limit * (1.0 + TOLERANCE)):
                break
        step_back(path, tests, groups)
        path.left[0] = left
        path.state[ORDERED] = ordered
        if how != 0 and total >= 0.0:
            # What each tree was worth alone it need not be worth in an order of all.
            total = price_tree(bench, bench.orders.used[TEST], how | KEEP_ROOT)
    return total


@section
def test_total(bench, ahead, spot, r, a, limit):
    """Return the estimated cost of splitting by a test, or a status.

    A nominal test has ``r`` samples for each value; a numeric one a sample for either side of
    each of ``r`` cuts, the best of which is noted.
    """
    nominal = bench.table.nominal[a] != 0
    tries, best = np.int64(1), np.inf
    if not nominal:
        e = recall(bench, ahead, spot)
        tries = np.int64(
            pick_cuts(bench.plan, bench.desk, list_cuts_at(bench, e, a), r, ahead.cuts)
        )
    for t in range(tries):
        cut, first, last = np.int64(NONE), np.int64(0), r
        if not nominal:
            cut = last_below(bench.table, bench.plan, a, ahead.cuts[t, 0], ahead.cuts[t, 1])
            first, last = np.int64(t), np.int64(t + 1)
        least = best if best < limit else limit
        total = split_total(bench, ahead, spot, a, cut, first, last, least)
        if total < 0.0:
            best = total
            break
        if t == 0 or total < best * (1.0 - TOLERANCE):
            best = total
            if not nominal:
                ahead.below[a] = ahead.cuts[t, 0]
                ahead.above[a] = ahead.cuts[t, 1]
    return best


@part
def wins(total, worth, best, best_worth):
    """Tell whether a test is cheaper than the best so far or, at the same cost, worth more."""
    if total < best * (1.0 - TOLERANCE):
        return True
    return total <= best * (1.0 + TOLERANCE) and beats(worth, best_worth)


@section
def open_weighing(ahead):
    """Make ready to weigh every test of a node."""
    ahead.least[0] = np.inf
    for a in range(ahead.total.size):
        ahead.claimed[a] = 0
        ahead.total[a] = np.inf


@section
def weigh_tests(bench, ahead, spot, r, task):
    """Return the test of least estimated cost among those not claimed, NONE, or a status.

    Figures 3 and 5. Several threads may weigh tests of one node. They claim them without a lock:
    at worst a test is weighed twice, to the same end. A test that turns out dearer than the
    least total is not weighed to the end. As that may stand anywhere in the order of tests, it
    must be out of reach even for a row of tests each of which ties with the one before.
    """
    best, reach = np.int64(NONE), 1.0 + (ahead.total.size + 2) * TOLERANCE
    for a in range(ahead.total.size):
        if ahead.claimed[a]:
            continue
        if task == GROW and ahead.wanted[0] != 0:
            best = np.int64(SHARED - STATUS)
            break
        ahead.claimed[a] = 1
        e = recall(bench, ahead, spot)
        total = np.float64(FULL)
        if e != FULL:
            use = bench.memory.use[bench.memory.about[e, PAGE], a]
            if use < 0.0 or not affordable(bench.plan, bench.path, a):
                continue
            ahead.worth[a] = use * bench.path.facts[a, FACTOR]
            total = test_total(bench, ahead, spot, r, np.int64(a), ahead.least[0] * reach)
        if total < 0.0:
            ahead.claimed[a] = 0
            best = np.int64(total) - STATUS
            break
        ahead.total[a] = total
        if total < ahead.least[0]:
            ahead.least[0] = total
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
        path.state[ORDERED] = open_nodes.ordered[node]
        for a in range(path.allowed.size):
            path.allowed[a] = open_nodes.allowed[node, a]


@part
def deal(table, desk, ahead, a, cut, lo, mid, hi):
    """Put the cases ``lo:hi`` in the order of the branches they take; return how many there are.

    Within a branch those set aside come last; one whose branch no case takes drops out. Fills
    the numbers of ``desk.parts``.
    """
    order, spare = ahead.order, ahead.spare
    k = table.domain[a] if table.nominal[a] else np.int64(2)
    for b in range(k):
        desk.parts[b, NUMBER] = 0
        desk.parts[b, APART] = 0
        desk.parts[b, WEIGHT] = 0
    for i in range(lo, hi):
        b = branch_of(table, a, cut, table.cells[a, order[i]])
        desk.branch[i - lo] = b
        spare[i] = order[i]
        if b != NONE and i < mid:
            desk.parts[b, NUMBER] += 1
            desk.parts[b, WEIGHT] += table.weights[order[i]]
    heaviest = np.int64(0)
    for b in range(k):
        if desk.parts[b, WEIGHT] > desk.parts[heaviest, WEIGHT]:
            heaviest = np.int64(b)
    for i in range(lo, hi):
        b = desk.branch[i - lo]
        if b == NONE:
            desk.branch[i - lo] = b = heaviest
            if i < mid:
                desk.parts[b, NUMBER] += 1
        if i >= mid:
            if desk.parts[b, NUMBER] == 0:
                desk.branch[i - lo] = NONE
            else:
                desk.parts[b, APART] += 1
    at = lo
    for b in range(k):
        desk.parts[b, PLACE] = at
        desk.parts[b, PLACE_APART] = at + desk.parts[b, NUMBER]
        at = desk.parts[b, PLACE_APART] + desk.parts[b, APART]
    for i in range(lo, hi):
        b = desk.branch[i - lo]
        if b != NONE:
            side = 0 if i < mid else 1
            order[desk.parts[b, PLACE + side]] = spare[i]
            desk.parts[b, PLACE + side] += 1
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
        n, n_aside = desk.parts[b, NUMBER], desk.parts[b, APART]
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
    if spot.levels < 0 or is_closed(bench.memory, e):
        return True
    return cannot_pay(bench.plan, bench.memory, bench.path, e)


@part
def greedy_test(bench, ahead, spot):
    """Return the greedy choice at a node of the learner's tree, NONE or a status."""
    e = recall(bench, ahead, spot)
    if e == FULL:
        return np.int64(FULL - STATUS)
    weigh(bench.plan, bench.memory, bench.path, bench.memory.about[e, PAGE])
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
    """Note the ranks on either side of a numeric test's best cut."""
    table, memory = bench.table, bench.memory
    cut = memory.split[memory.about[e, PAGE], a, CUT]
    below, above = np.int64(NONE), table.domain[a]
    for i in range(memory.about[e, LO], memory.about[e, MID]):
        code = np.int64(table.cells[a, memory.rows[i]] >> table.shift)
        if code <= cut and code > below:
            below = code
        if cut < code < above:
            above = code
    ahead.below[a] = below
    ahead.above[a] = above


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
def look_ahead(bench, ahead, nodes, open_nodes, above, r, used, task):
    """Grow the learner's tree below the node on the stack, or do a part of that.

    ``task`` is GROW; or WEIGH, to weigh those tests of the node that nobody has claimed; or a
    test, with its cut noted in ``ahead``, to split the node by it and leave its children on the
    stack. With r = 0, and once asked to stop, choices are greedy. Returns the height of the
    stack, or FULL. Work that others want a share of stays on the stack: on top the node whose
    tests were being weighed.
    """
    top = np.int64(1)
    while top > 0:
        top -= 1
        spot = spot_of(bench, open_nodes, top)
        e = recall(bench, ahead, spot)
        if e == FULL:
            return np.int64(FULL)
        path_to(bench, nodes, open_nodes, open_nodes.stack[top, 0], above)
        a = np.int64(task)
        if task < 0:
            a = np.int64(NONE)
            if not is_leaf(bench, spot, e):
                a = np.int64(STOPPED - STATUS)
                if r > 0 and ahead.stop[0] == 0:
                    if task == GROW:
                        open_weighing(ahead)
                    a = weigh_tests(bench, ahead, spot, r, task)
                if a == STOPPED - STATUS and task == GROW:
                    a = greedy_test(bench, ahead, spot)
        if a == FULL - STATUS:
            return np.int64(FULL)
        if task == WEIGH:
            break
        if a == SHARED - STATUS:
            top += 1
            break
        if a >= 0:
            e = recall(bench, ahead, spot)
            top = branch_out(bench, ahead, nodes, open_nodes, e, a, top, used)
        if top == FULL or task >= 0:
            break
    return top
