"""The learner's own tree, node after node: each test chosen by sampling what is below it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.data.nodes import set_leaf
from frugaltree.kernels.data.thresholds import place_cut
from frugaltree.kernels.jit import kernel, part, section
from frugaltree.kernels.random import mix
from frugaltree.kernels.sampling.cache import (
    APART,
    CUT,
    LO,
    MID,
    NUMBER,
    PAGE,
    PLACE,
    PLACE_APART,
    WEIGHT,
)
from frugaltree.kernels.sampling.evaluate import (
    GROW,
    SHARED,
    STATUS,
    STOPPED,
    WEIGH,
    Spot,
    open_weighing,
    recall,
    weigh_tests,
)
from frugaltree.kernels.sampling.gains import last_below
from frugaltree.kernels.sampling.path import ORDERED, start_path, step_down
from frugaltree.kernels.sampling.sample import best_of, cannot_pay, take_test, weigh
from frugaltree.kernels.sampling.subproblems import branch_of, is_closed
from frugaltree.kernels.sentinels import FULL, NONE


class Open(NamedTuple):
    """The nodes of the learner's tree that are still to be decided, and what they have left."""

    stack: np.ndarray  # int64[height, 5]: node, lo, mid, hi, depth
    key: np.ndarray  # uint64[height]
    left: np.ndarray  # float64[node]: what a case may still be charged
    ordered: np.ndarray  # uint8[node]: 1 beneath a delayed test
    allowed: np.ndarray  # uint8[node, a]: what that test's order may hold, under a budget


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
