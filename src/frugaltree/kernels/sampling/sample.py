"""One sampled tree (EG2, SEG2, SID3): grown, pruned and priced in a single walk.

The tree itself is never built. A walk goes down it depth first, asks the memory for each set of
cases, and adds up on the way back what the subtree costs, or what a leaf in its place would.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.leaf import cheapest_cost
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.cost.prune import SLACK
from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.data.nodes import set_leaf
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.random import mix, uniform
from frugaltree.kernels.sampling.cache import FLOOR, LEAF, PAGE, SIZE, Desk, Memory, Plan
from frugaltree.kernels.sampling.delayed import NODES, SLOTS, TEST, Orders
from frugaltree.kernels.sampling.gains import look
from frugaltree.kernels.sampling.path import (
    FACTOR,
    GROUPS,
    ORDERED,
    PRICE,
    SHOWN,
    TESTS,
    WORTH,
    Path,
    step_back,
    step_down,
)
from frugaltree.kernels.sampling.subproblems import is_closed, parts_of
from frugaltree.kernels.sentinels import FULL, NONE
from frugaltree.kernels.ties import TOLERANCE, beats

SET, FIRST, WIDTH, NEXT, NODE, ORDERED_ABOVE, LOG_TESTS, LOG_GROUPS = range(8)
"""What :attr:`Frames.at` holds of each node.

Its set; where its parts stand and how many branches there are; the next one; the node where the
tree is written down; whether an order stood above, and how high the logs of the path were.
"""

COST, LEFT_OVER = range(2)
"""What :attr:`Frames.cost` holds: of the test and the branches done; what could be charged."""


class Frames(NamedTuple):
    """The nodes between a sample's root and where the walk stands."""

    key: np.ndarray  # uint64[depth]
    at: np.ndarray  # int64[depth, 8]
    cost: np.ndarray  # float64[depth, 2]

    @classmethod
    def empty(cls, depth: int) -> Frames:
        """Return room for trees of this depth."""
        return cls(
            np.empty(depth, np.uint64), np.empty((depth, 8), np.int64), np.empty((depth, 2))
        )


class Bench(NamedTuple):
    """All that one thread needs to sample trees."""

    table: Table
    prices: Prices
    errors: np.ndarray  # float64[predicted, actual]
    plan: Plan
    memory: Memory
    desk: Desk
    path: Path
    frames: Frames
    orders: Orders  # where sampled trees are written down if tests are delayed


@part
def affordable(plan, path, a):
    """Tell whether the path leaves enough to ask a test."""
    if path.state[ORDERED]:
        return path.allowed[a] != 0
    return path.facts[a, PRICE] <= path.left[0] + TOLERANCE * plan.budget


@section
def weigh(plan, memory, path, page):
    """Fill in the worth of every candidate at a node; return (number of candidates, total)."""
    n, total = 0, 0.0
    for a in range(path.paid.size):
        use = memory.use[page, a]
        if plan.budget < np.inf and not affordable(plan, path, a):
            use = -1.0
        path.facts[a, WORTH] = use * path.facts[a, FACTOR] if use >= 0.0 else -1.0
        total += path.facts[a, WORTH] if use >= 0.0 else 0.0
        n += use >= 0.0
    return n, total


@section
def best_of(path):
    """Return the greedy choice: the greatest worth, then the lowest price, then the first."""
    best, best_a = -1.0, NONE
    for a in range(path.paid.size):
        worth = path.facts[a, WORTH]
        if worth < 0.0:
            continue
        shown = path.facts[a, SHOWN]
        tie = best_a != NONE and not beats(best, worth)
        if best_a == NONE or beats(worth, best) or (tie and shown < path.facts[best_a, SHOWN]):
            best, best_a = worth, a
    return best_a


@section
def draw_of(path, n, total, u):
    """Return a test drawn in proportion to its worth (Figure 4).

    With nothing to tell them apart, all candidates are equally likely.
    """
    goal = u * total if total > 0.0 else np.floor(u * n)
    so_far, drawn = 0.0, NONE
    for a in range(path.paid.size):
        worth = path.facts[a, WORTH]
        if total <= 0.0:
            worth += 1.0
        so_far += worth if worth > 0.0 else 0.0
        drawn = a if worth > 0.0 else drawn
        if goal < so_far:
            break
    return drawn


@section
def cannot_pay(plan, memory, path, e):
    """Tell whether no subtree can cost less than the leaf: a test at least, and pure leaves."""
    hopeless = plan.prune and not plan.sized and not plan.delays
    if hopeless:
        room = memory.cost[e, LEAF] - memory.cost[e, FLOOR]
        if not plan.charged:
            hopeless = room <= 0.0
        else:
            for a in range(path.paid.size):
                if path.facts[a, PRICE] * memory.cost[e, SIZE] < room:
                    hopeless = False
                    break
    return hopeless


@part
def pays_at_once(errors, memory, path, e, a, first, width):
    """Tell whether a split saves more in errors than its test costs, without looking further."""
    before = cheapest_cost(errors, memory.counts[e])
    after = path.facts[a, PRICE] * memory.cost[e, SIZE]
    for b in range(width):
        child = memory.children[first + b]
        if child != NONE:
            after += cheapest_cost(errors, memory.counts[child])
    return before - after > TOLERANCE * before


@part
def place_order(prices, plan, memory, path, e, a):
    """Fix, at a delayed test, which tests the budget lets a case order beneath it.

    The other tests in order of worth, each as long as the money lasts.
    """
    page, n = memory.about[e, PAGE], path.paid.size
    for b in range(n):
        path.facts[b, WORTH] = -1.0
        if b != a and memory.use[page, b] >= 0.0 and affordable(plan, path, b):
            path.facts[b, WORTH] = memory.use[page, b] * path.facts[b, FACTOR]
    tests, groups = path.state[TESTS], path.state[GROUPS]
    left = path.left[0] - path.facts[a, PRICE]
    step_down(prices, plan, path, a)
    for b in range(n):
        path.allowed[b] = path.paid[b]
    best_b = np.int64(0)
    while best_b != NONE:
        best, best_b = -1.0, np.int64(NONE)
        for b in range(n):
            if path.facts[b, WORTH] > best:
                best, best_b = path.facts[b, WORTH], np.int64(b)
        if best_b == NONE:
            break
        path.facts[best_b, WORTH] = -1.0
        if path.facts[best_b, PRICE] <= left + TOLERANCE * plan.budget:
            left -= path.facts[best_b, PRICE]
            step_down(prices, plan, path, best_b)
            path.allowed[best_b] = 1
    step_back(path, tests, groups)
    path.state[ORDERED] = 1


@section
def take_test(prices, plan, memory, path, e, a):
    """Take a test on the path: pay, or place the order that a delayed test asks for."""
    if plan.budget < np.inf and not path.state[ORDERED]:
        if prices.delayed[a]:
            place_order(prices, plan, memory, path, e, a)
        path.left[0] -= path.facts[a, PRICE]
    if not path.paid[a]:
        step_down(prices, plan, path, a)


@part
def write_node(memory, orders, frames, depth, e, a, k):
    """Write down a node of a sampled tree and tell its parent; False if there is no room."""
    nodes, node, first = orders.nodes, orders.used[NODES], orders.used[SLOTS]
    if node >= orders.leaf.size or first + k > nodes.children.size:
        return False
    parent = orders.used[TEST]
    if depth > 0:
        parent = frames.at[depth - 1, NODE]
        nodes.children[nodes.first[parent] + frames.at[depth - 1, NEXT] - 1] = node
    set_leaf(nodes, node, parent, memory.counts[e])
    nodes.test[node] = a
    nodes.first[node] = first
    orders.leaf[node] = memory.cost[e, LEAF]
    for b in range(k):
        nodes.children[first + b] = NONE
    frames.at[depth, NODE] = node
    orders.used[NODES] = node + 1
    orders.used[SLOTS] = first + k
    return True


@section
def open_node(bench, depth, greedy, levels):
    """Decide on a node of a sampled tree and take its test; return False if out of room."""
    plan, memory, path, frames = bench.plan, bench.memory, bench.path, bench.frames
    e = frames.at[depth, SET]
    a, first, k, page = np.int64(NONE), np.int64(0), np.int64(0), np.int64(0)
    if depth < levels and not is_closed(memory, e) and not cannot_pay(plan, memory, path, e):
        page = np.int64(memory.about[e, PAGE])
        if page == NONE:
            page = look(bench.table, plan, memory, bench.desk, e)
        if page != FULL:
            n, total = weigh(plan, memory, path, page)
            if greedy:
                a = np.int64(best_of(path))
            elif n > 0:
                a = np.int64(draw_of(path, n, total, uniform(frames.key[depth])))
    if a >= 0:
        k = bench.table.domain[a] if bench.table.nominal[a] else np.int64(2)
        first = parts_of(bench.table, bench.errors, plan, memory, bench.desk, e, a)
    good = page != FULL and first != FULL
    if good and plan.reduction and a >= 0:
        if not pays_at_once(bench.errors, memory, path, e, a, first, k):
            a, k = np.int64(NONE), np.int64(0)
    if good and plan.delays:
        good = write_node(memory, bench.orders, frames, depth, e, a, k)
    if good:
        frames.at[depth, FIRST] = first
        frames.at[depth, WIDTH] = k
        frames.at[depth, NEXT] = 0
        frames.cost[depth, LEFT_OVER] = path.left[0]
        frames.at[depth, ORDERED_ABOVE] = path.state[ORDERED]
        frames.at[depth, LOG_TESTS] = path.state[TESTS]
        frames.at[depth, LOG_GROUPS] = path.state[GROUPS]
        frames.cost[depth, COST] = memory.cost[e, LEAF]
        if a >= 0:
            price = path.facts[a, PRICE] if plan.charged else 0.0
            frames.cost[depth, COST] = price * memory.cost[e, SIZE]
            take_test(bench.prices, plan, memory, path, e, a)
    return good


@section
def next_child(plan, memory, frames, depth):
    """Return the next branch's set that must be walked, NONE if all are done.

    Sets that cannot be split are added up on the way.
    """
    child = np.int64(NONE)
    while frames.at[depth, NEXT] < frames.at[depth, WIDTH]:
        child = np.int64(memory.children[frames.at[depth, FIRST] + frames.at[depth, NEXT]])
        frames.at[depth, NEXT] += 1
        if child != NONE:
            if plan.delays or not is_closed(memory, child):
                break
            frames.cost[depth, COST] += memory.cost[child, LEAF]
        child = np.int64(NONE)
    return child


@section
def close_node(plan, memory, path, frames, depth):
    """Step back above a node and return what its subtree costs, or a leaf that is no dearer."""
    step_back(path, frames.at[depth, LOG_TESTS], frames.at[depth, LOG_GROUPS])
    path.left[0] = frames.cost[depth, LEFT_OVER]
    path.state[ORDERED] = frames.at[depth, ORDERED_ABOVE]
    cost, leaf = frames.cost[depth, COST], memory.cost[frames.at[depth, SET], LEAF]
    return leaf if plan.prune and leaf <= cost * (1.0 + SLACK) else cost


@part
def walk(bench, e, key, greedy, levels, limit):
    """Return what a sampled tree for a set costs over all its cases, FULL if out of room.

    It may stop early, with some cost of at least ``limit``, once it cannot come out cheaper.
    Where subtrees may be ordered as a whole, the tree is written down for others to price.
    """
    plan, memory, path, frames = bench.plan, bench.memory, bench.path, bench.frames
    tests, groups = path.state[TESTS], path.state[GROUPS]
    left, ordered = path.left[0], path.state[ORDERED]
    depth, value, good = np.int64(0), 0.0, True
    frames.at[0, SET] = e
    frames.key[0] = key
    while depth >= 0 and good:
        good = open_node(bench, depth, greedy, levels)
        while depth >= 0 and good:
            child = next_child(plan, memory, frames, depth)
            if child != NONE:
                good = depth + 1 < frames.key.size
                if good:
                    depth += 1
                    frames.at[depth, SET] = child
                    frames.key[depth] = mix(frames.key[depth - 1], frames.at[depth - 1, NEXT])
                break
            value = close_node(plan, memory, path, frames, depth)
            depth -= 1
            if depth >= 0:
                frames.cost[depth, COST] += value
                if depth == 0 and frames.cost[0, COST] >= limit:
                    frames.at[0, NEXT] = frames.at[0, WIDTH]
    if good:
        return value
    step_back(path, tests, groups)
    path.left[0] = left
    path.state[ORDERED] = ordered
    return np.float64(FULL)
