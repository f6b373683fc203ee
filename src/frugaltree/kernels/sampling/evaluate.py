"""Weighing the tests of a node by the trees sampled below each (Figures 3 and 5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.prune import KEEP_ROOT, ONE_ORDER
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.random import sample_key
from frugaltree.kernels.sampling.cache import CHILD, GAIN_OF, LEAF, LOW, PAGE, SIZE, forget
from frugaltree.kernels.sampling.delayed import (
    NODES,
    SLOTS,
    TEST,
    attach,
    price_tree,
    write_test,
)
from frugaltree.kernels.sampling.gains import bits_of, last_below, list_cuts, look
from frugaltree.kernels.sampling.path import (
    FACTOR,
    GROUPS,
    ORDERED,
    PRICE,
    TESTS,
    step_back,
)
from frugaltree.kernels.sampling.sample import affordable, cannot_pay, take_test, walk
from frugaltree.kernels.sampling.subproblems import enter, is_closed, split
from frugaltree.kernels.sentinels import FULL, NONE
from frugaltree.kernels.ties import TOLERANCE, beats

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


@part
def list_cuts_at(bench, e, a):
    """List every cut of a numeric test; return how many."""
    base = bits_of(bench.table, bench.memory, e)
    return list_cuts(bench.table, bench.plan, bench.memory, bench.desk, e, a, base, True)


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
