"""One sampled tree (EG2, SEG2, SID3): grown, pruned and priced in a single walk.

The tree itself is never built. A walk goes down it depth first, asks the memory for each set of
cases, and adds up on the way back what the subtree costs, or what a leaf in its place would.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.choose import NONE
from frugaltree.kernels.draw import mix, uniform
from frugaltree.kernels.grow import FULL, set_leaf
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.measures import TOLERANCE, beats
from frugaltree.kernels.orders import Orders
from frugaltree.kernels.path import Path, step_back, step_down
from frugaltree.kernels.price import Prices, cheapest_cost
from frugaltree.kernels.prune_costs import SLACK
from frugaltree.kernels.subproblems import Desk, Memory, Plan, Table, look, parts_of


class Frames(NamedTuple):
    """The nodes between a sample's root and where the walk stands."""

    set: np.ndarray  # int64[depth]
    key: np.ndarray  # uint64[depth]
    first: np.ndarray  # int64[depth]: where the node's parts stand
    width: np.ndarray  # int64[depth]
    at: np.ndarray  # int64[depth]: the next branch
    cost: np.ndarray  # float64[depth]: of the test and the branches done
    left: np.ndarray  # float64[depth]: what could be charged at the node
    ordered: np.ndarray  # uint8[depth]: 1 where an order stood above the node
    log: np.ndarray  # int64[depth, 2]: heights of the path's logs
    node: np.ndarray  # int64[depth]: the node, where the tree is written down

    @classmethod
    def empty(cls, depth: int) -> Frames:
        """Return room for trees of this depth."""
        return cls(
            np.empty(depth, np.int64),
            np.empty(depth, np.uint64),
            np.empty(depth, np.int64),
            np.empty(depth, np.int64),
            np.empty(depth, np.int64),
            np.empty(depth),
            np.empty(depth),
            np.empty(depth, np.uint8),
            np.empty((depth, 2), np.int64),
            np.empty(depth, np.int64),
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
    if path.ordered[0]:
        return path.allowed[a] != 0
    return path.price[a] <= path.left[0] + TOLERANCE * plan.budget


@section
def weigh(plan, memory, path, page):
    """Fill in the worth of every candidate at a node; return (number of candidates, total)."""
    n, total = 0, 0.0
    for a in range(path.price.size):
        use = memory.use[page, a]
        path.worth[a] = -1.0
        if use >= 0.0 and (plan.budget == np.inf or affordable(plan, path, a)):
            path.worth[a] = use * path.factor[a]
            total += path.worth[a]
            n += 1
    return n, total


@section
def best_of(path):
    """Return the greedy choice: the greatest worth, then the lowest price, then the first."""
    best, best_a = -1.0, NONE
    for a in range(path.price.size):
        worth = path.worth[a]
        if worth < 0.0:
            continue
        cheaper = best_a != NONE and not beats(best, worth) and path.shown[a] < path.shown[best_a]
        if best_a == NONE or beats(worth, best) or cheaper:
            best, best_a = worth, a
    return best_a


@section
def draw_of(path, n, total, u):
    """Return a test drawn in proportion to its worth (Figure 4).

    With nothing to tell them apart, all candidates are equally likely.
    """
    goal = u * total if total > 0.0 else np.floor(u * n)
    so_far, drawn = 0.0, NONE
    for a in range(path.price.size):
        worth = path.worth[a]
        if worth < 0.0 or (worth == 0.0 and total > 0.0):
            continue
        drawn = a
        so_far += worth if total > 0.0 else 1.0
        if goal < so_far:
            break
    return drawn


@section
def cannot_pay(plan, memory, path, e):
    """Tell whether no subtree can cost less than the leaf: a test at least, and pure leaves."""
    hopeless = plan.prune and not plan.sized and not plan.delays
    if hopeless:
        room = memory.leaf[e] - memory.floor[e]
        if not plan.charged:
            hopeless = room <= 0.0
        else:
            for a in range(path.price.size):
                if path.price[a] * memory.size[e] < room:
                    hopeless = False
                    break
    return hopeless


@part
def pays_at_once(errors, memory, path, e, a, first, width):
    """Tell whether a split saves more in errors than its test costs, without looking further."""
    before = cheapest_cost(errors, memory.counts[e])
    after = path.price[a] * memory.size[e]
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
    page, n = memory.page[e], path.price.size
    for b in range(n):
        path.worth[b] = -1.0
        if b != a and memory.use[page, b] >= 0.0 and affordable(plan, path, b):
            path.worth[b] = memory.use[page, b] * path.factor[b]
    tests, groups = path.height[0], path.height[1]
    left = path.left[0] - path.price[a]
    step_down(prices, plan, path, a)
    for b in range(n):
        path.allowed[b] = path.paid[b]
    best_b = np.int64(0)
    while best_b != NONE:
        best, best_b = -1.0, np.int64(NONE)
        for b in range(n):
            if path.worth[b] > best:
                best, best_b = path.worth[b], np.int64(b)
        if best_b == NONE:
            break
        path.worth[best_b] = -1.0
        if path.price[best_b] <= left + TOLERANCE * plan.budget:
            left -= path.price[best_b]
            step_down(prices, plan, path, best_b)
            path.allowed[best_b] = 1
    step_back(path, tests, groups)
    path.ordered[0] = 1


@section
def take_test(prices, plan, memory, path, e, a):
    """Take a test on the path: pay, or place the order that a delayed test asks for."""
    if plan.budget < np.inf and not path.ordered[0]:
        if prices.delayed[a]:
            place_order(prices, plan, memory, path, e, a)
        path.left[0] -= path.price[a]
    if not path.paid[a]:
        step_down(prices, plan, path, a)


@part
def write_node(memory, draft, frames, depth, e, a, k):
    """Write down a node of a sampled tree and tell its parent; False if there is no room."""
    node, first = draft.used[0], draft.used[1]
    if node >= draft.leaf.size or first + k > draft.nodes.children.size:
        return False
    parent = node - 1  # of the sample's root: the test that it is sampled for
    if depth > 0:
        parent = frames.node[depth - 1]
        draft.nodes.children[draft.nodes.first[parent] + frames.at[depth - 1] - 1] = node
    set_leaf(draft.nodes, node, parent, memory.counts[e])
    draft.nodes.test[node] = a
    draft.nodes.first[node] = first
    draft.leaf[node] = memory.leaf[e]
    for b in range(k):
        draft.nodes.children[first + b] = NONE
    frames.node[depth] = node
    draft.used[0] = node + 1
    draft.used[1] = first + k
    return True


@section
def open_node(bench, depth, greedy, levels):
    """Decide on a node of a sampled tree and take its test; return False if out of room."""
    plan, memory, path, frames = bench.plan, bench.memory, bench.path, bench.frames
    e = frames.set[depth]
    a, first, k, page = np.int64(NONE), np.int64(0), np.int64(0), np.int64(0)
    if depth < levels and not memory.stops[e] and not cannot_pay(plan, memory, path, e):
        page = np.int64(memory.page[e])
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
        first = np.int64(memory.link[page, a])
        if first == NONE:
            first = parts_of(bench.table, bench.errors, plan, memory, bench.desk, e, a)
    good = page != FULL and first != FULL
    if good and plan.reduction and a >= 0:
        if not pays_at_once(bench.errors, memory, path, e, a, first, k):
            a, k = np.int64(NONE), np.int64(0)
    if good and plan.delays:
        good = write_node(memory, bench.orders.trial, frames, depth, e, a, k)
    if good:
        frames.first[depth] = first
        frames.width[depth] = k
        frames.at[depth] = 0
        frames.left[depth] = path.left[0]
        frames.ordered[depth] = path.ordered[0]
        frames.log[depth, 0] = path.height[0]
        frames.log[depth, 1] = path.height[1]
        frames.cost[depth] = memory.leaf[e]
        if a >= 0:
            frames.cost[depth] = path.price[a] * memory.size[e] if plan.charged else 0.0
            take_test(bench.prices, plan, memory, path, e, a)
    return good


@section
def next_child(plan, memory, frames, depth):
    """Return the next branch's set that must be walked, NONE if all are done.

    Sets that cannot be split are added up on the way.
    """
    child = np.int64(NONE)
    while frames.at[depth] < frames.width[depth]:
        child = np.int64(memory.children[frames.first[depth] + frames.at[depth]])
        frames.at[depth] += 1
        if child != NONE:
            if plan.delays or not memory.stops[child]:
                break
            frames.cost[depth] += memory.leaf[child]
        child = np.int64(NONE)
    return child


@section
def close_node(plan, memory, path, frames, depth):
    """Step back above a node and return what its subtree costs, or a leaf that is no dearer."""
    step_back(path, frames.log[depth, 0], frames.log[depth, 1])
    path.left[0] = frames.left[depth]
    path.ordered[0] = frames.ordered[depth]
    cost, leaf = frames.cost[depth], memory.leaf[frames.set[depth]]
    return leaf if plan.prune and leaf <= cost * (1.0 + SLACK) else cost


@part
def walk(bench, e, key, greedy, levels, limit):
    """Return what a sampled tree for a set costs over all its cases, FULL if out of room.

    It may stop early, with some cost of at least ``limit``, once it cannot come out cheaper.
    Where subtrees may be ordered as a whole, the tree is written down for others to price.
    """
    plan, memory, path, frames = bench.plan, bench.memory, bench.path, bench.frames
    tests, groups, left, ordered = path.height[0], path.height[1], path.left[0], path.ordered[0]
    depth, value, good = np.int64(0), 0.0, True
    frames.set[0] = e
    frames.key[0] = key
    while depth >= 0 and good:
        good = open_node(bench, depth, greedy, levels)
        while depth >= 0 and good:
            child = next_child(plan, memory, frames, depth)
            if child != NONE:
                good = depth + 1 < frames.set.size
                if good:
                    depth += 1
                    frames.set[depth] = child
                    frames.key[depth] = mix(frames.key[depth - 1], frames.at[depth - 1])
                break
            value = close_node(plan, memory, path, frames, depth)
            depth -= 1
            if depth >= 0:
                frames.cost[depth] += value
                if depth == 0 and frames.cost[0] >= limit:
                    frames.at[0] = frames.width[0]
    if good:
        return value
    step_back(path, tests, groups)
    path.left[0] = left
    path.ordered[0] = ordered
    return np.float64(FULL)
