"""One sampled tree (EG2, SEG2, SID3): grown, pruned and priced in a single pass.

The tree itself is never built. It is passed through depth first: each set of cases is found in
the cache, and on the way back what the subtree costs, or what a leaf in its place would, is added
up.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.leaf import cheapest_cost
from frugaltree.kernels.cost.path_state import (
    mark_path,
    refund,
    return_to,
    take_on_path,
)
from frugaltree.kernels.cost.prices import ORDERED, price_of_order, sure_price
from frugaltree.kernels.cost.prune import COST_SLACK
from frugaltree.kernels.jit import atom, part
from frugaltree.kernels.random import mix, uniform
from frugaltree.kernels.sampling.cache import is_closed
from frugaltree.kernels.sampling.delayed import write_node
from frugaltree.kernels.sampling.gains import evaluate_set
from frugaltree.kernels.sampling.ruled import note_asked, note_waiting
from frugaltree.kernels.sampling.split_set import find_branches, n_branches, weight_without
from frugaltree.kernels.sentinels import FULL, NONE
from frugaltree.kernels.ties import TOLERANCE, beats


@atom
def is_affordable(plan, path, a):
    """Tell whether the path leaves enough to ask a test, and the rules allow it."""
    if plan.ruled and path.waits[a]:
        return False
    if path.now.ordered:
        return path.allowed[a] != 0
    return path.tests[a].price <= path.now.left + TOLERANCE * plan.budget


@atom
def score_tests(plan, cache, path, number):
    """Fill in the worth of every candidate at a node; return (number of candidates, total).

    ``number`` is that of the node's set among the evaluated ones.
    """
    n, total = 0, 0.0
    for a in range(path.paid.size):
        use, test = cache.use[number, a], path.tests[a]
        if (plan.budget < np.inf or plan.ruled) and not is_affordable(plan, path, a):
            use = -1.0
        worth = use * test.factor if use >= 0.0 else -1.0
        test.worth = worth
        total += worth if use >= 0.0 else 0.0
        n += use >= 0.0
    return n, total


@atom
def best_scored(path):
    """Return the greedy choice: the greatest worth, then the lowest price, then the first."""
    best, best_a = -1.0, NONE
    for a in range(path.paid.size):
        test = path.tests[a]
        if test.worth < 0.0:
            continue
        tie = best_a != NONE and not beats(best, test.worth)
        if (
            best_a == NONE
            or beats(test.worth, best)
            or (tie and test.shown < path.tests[best_a].shown)
        ):
            best, best_a = test.worth, a
    return best_a


@atom
def draw_scored(path, n, total, u):
    """Return a test drawn in proportion to its worth (Figure 4).

    With nothing to tell them apart, all candidates are equally likely.
    """
    goal = u * total if total > 0.0 else np.floor(u * n)
    so_far, drawn = 0.0, NONE
    for a in range(path.paid.size):
        worth = path.tests[a].worth
        if total <= 0.0:
            worth += 1.0
        so_far += worth if worth > 0.0 else 0.0
        drawn = a if worth > 0.0 else drawn
        if goal < so_far:
            break
    return drawn


@atom
def cannot_pay(sets, prices, path, e):
    """Tell whether no subtree can cost less than the leaf: a test at least, and pure leaves."""
    plan, cache, lacking = sets.plan, sets.cache, sets.table.lacking
    hopeless = plan.prune and not plan.count_leaves and not plan.delays
    if hopeless:
        known = cache.sets[e]
        room = known.leaf_cost - known.least_cost
        if not plan.charged:
            hopeless = room <= 0.0
        else:
            for a in range(path.paid.size):
                if sure_price(prices, path.tests[a].price, lacking[a]) * known.weight < room:
                    hopeless = False
                    break
    return hopeless


@part
def pays_at_once(work, e, a, first, width):
    """Tell whether a split saves more in errors than its test costs, without looking further."""
    sets, cache = work.sets, work.sets.cache
    before = cheapest_cost(sets.errors, cache.counts[e])
    paying = cache.sets[e].weight
    paying -= weight_without(sets, work.prices, a, cache.children[first + width - 1])
    after = work.path.tests[a].price * paying
    for b in range(width):
        child = cache.children[first + b]
        if child != NONE:
            after += cheapest_cost(sets.errors, cache.counts[child])
    return before - after > TOLERANCE * before


@part
def fix_order(prices, plan, cache, path, e, a):
    """Fix, at a delayed test, which tests the budget lets a case order below it.

    The other tests in order of worth, each as long as the money lasts for all of them. No part of
    an order costs more, so whatever is asked in the end is paid for.
    """
    number, n = cache.sets[e].evaluated, path.paid.size
    for b in range(n):
        test = path.tests[b]
        test.worth = -1.0
        path.allowed[b] = path.paid[b]
        if b != a and cache.use[number, b] >= 0.0 and is_affordable(plan, path, b):
            test.worth = cache.use[number, b] * test.factor
    path.allowed[a] = 1
    best_b = np.int64(a)
    while best_b != NONE:
        if not path.paid[best_b]:
            path.paid[best_b] = ORDERED
        cost = price_of_order(prices, path.paid, path.opened)
        if cost <= path.now.left + TOLERANCE * plan.budget:
            path.allowed[best_b] = 1
        elif path.paid[best_b] == ORDERED:
            path.paid[best_b] = 0
        path.tests[best_b].worth = -1.0
        best, best_b = -1.0, np.int64(NONE)
        for b in range(n):
            if path.tests[b].worth > best:
                best, best_b = path.tests[b].worth, np.int64(b)
    for b in range(n):
        if path.paid[b] == ORDERED:
            path.paid[b] = 0
    path.now.ordered = 1


@atom
def pay_for_test(prices, plan, cache, path, e, a):
    """Take a test on the path: pay, or fix the lab order that a delayed test asks for."""
    if plan.budget < np.inf and not path.now.ordered:
        if prices.delayed[a]:
            fix_order(prices, plan, cache, path, e, a)
        path.now.left -= path.tests[a].price
    if not path.paid[a]:
        take_on_path(prices, plan, path, a)
    if plan.ruled:
        note_asked(prices, path, a, np.int64(1))


@atom
def enter_sampled_node(work, depth, greedy, levels):
    """Decide on a node of a sampled tree and take its test; return False if out of room."""
    sets, path, frame = work.sets, work.path, work.frames[depth]
    plan, cache, e = sets.plan, sets.cache, frame.set
    a, first, k, number = np.int64(NONE), np.int64(0), np.int64(0), np.int64(0)
    frame.asked = NONE
    if depth < levels and not is_closed(cache, e) and not cannot_pay(sets, work.prices, path, e):
        number = np.int64(cache.sets[e].evaluated)
        if number == NONE:
            number = evaluate_set(sets, e)
        if number != FULL:
            if plan.ruled:
                note_waiting(work, e)
            n, total = score_tests(plan, cache, path, number)
            if greedy:
                a = np.int64(best_scored(path))
            elif n > 0:
                a = np.int64(draw_scored(path, n, total, uniform(frame.key)))
    if a >= 0:
        k = n_branches(sets.table, a)
        first = find_branches(sets, e, a)
    good = number != FULL and first != FULL
    if good and plan.reduction and a >= 0 and not pays_at_once(work, e, a, first, k):
        a, k = np.int64(NONE), np.int64(0)
    if good and plan.delays:
        good = write_node(work, depth, a, k)
    if good:
        frame.first = first
        frame.width = k
        frame.next = 0
        frame.left = path.now.left
        frame.ordered = path.now.ordered
        frame.n_logged = path.now.n_logged
        frame.n_opened = path.now.n_opened
        frame.cost = cache.sets[e].leaf_cost
        if a >= 0:
            price = path.tests[a].price if plan.charged else 0.0
            without = weight_without(sets, work.prices, a, cache.children[first + k - 1])
            frame.cost = price * (cache.sets[e].weight - without)
            frame.lacking = NONE if without == 0.0 else k
            frame.asked = a
            pay_for_test(work.prices, plan, cache, path, e, a)
    return good


@atom
def next_sampled_branch(plan, cache, frame):
    """Return the set of a node's next branch that must be entered, NONE if all are done.

    Sets that cannot be split are added up on the way.
    """
    child = np.int64(NONE)
    while frame.next < frame.width:
        child = np.int64(cache.children[frame.first + frame.next])
        frame.next += 1
        if child != NONE:
            if plan.delays or not is_closed(cache, child):
                break
            frame.cost += cache.sets[child].leaf_cost
        child = np.int64(NONE)
    return child


@atom
def leave_node(prices, plan, cache, path, frame):
    """Go back above a node; return what its subtree costs, or a leaf that is no dearer."""
    return_to(path, frame)
    if plan.ruled:
        note_asked(prices, path, frame.asked, np.int64(-1))
    cost, leaf = frame.cost, cache.sets[frame.set].leaf_cost
    return leaf if plan.prune and leaf <= cost * (1.0 + COST_SLACK) else cost


@part
def sample_tree(work, e, key, greedy, levels, limit):
    """Return what a sampled tree for a set costs over all its cases, FULL if out of room.

    It may stop early, with some cost of at least ``limit``, once it cannot come out cheaper.
    Where subtrees may be ordered as a whole, the tree is written down for others to price.
    """
    plan, cache, path, frames = work.sets.plan, work.sets.cache, work.path, work.frames
    mark = mark_path(path)
    depth, value, good = np.int64(0), 0.0, True
    frames[0].set = e
    frames[0].key = key
    while depth >= 0 and good:
        good = enter_sampled_node(work, depth, greedy, levels)
        while depth >= 0 and good:
            frame = frames[depth]
            child = next_sampled_branch(plan, cache, frame)
            if child != NONE:
                good = depth + 1 < frames.size
                if frame.next == frame.lacking:
                    refund(path, frame)  # the last branch: who comes there has not paid
                if good:
                    depth += 1
                    frames[depth].set = child
                    frames[depth].key = mix(frame.key, frame.next)
                break
            value = leave_node(work.prices, plan, cache, path, frame)
            depth -= 1
            if depth >= 0:
                frames[depth].cost += value
                if depth == 0 and frames[0].cost >= limit:
                    frames[0].next = frames[0].width
    if not good:
        return_to(path, mark)
        for d in range(depth + 1 if plan.ruled else 0):
            note_asked(work.prices, path, frames[d].asked, np.int64(-1))
        value = np.float64(FULL)
    return value
