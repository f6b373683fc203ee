"""Growing a tree top-down with an explicit stack, for every one-look learner.

The cases of a node stand, ascending, in ``lists[side, 0, lo:hi]``, and for each numeric test once
more, sorted by it. A split writes the children's lists to the other side, so nothing is sorted
twice and nothing is copied back; leaves are not written at all. Only where a split sends a case
down several branches (unknown values in C4.5's frame) do the children need room of their own,
which they get above ``top``.

Kernels are compiled faster without slices and reallocation, hence the loops; where the room
given does not suffice, they say so and the caller comes back with more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.charges import path_state
from frugaltree.kernels.criteria import GAIN_RATIO
from frugaltree.kernels.data.cases import sort_by_code
from frugaltree.kernels.data.counts import clear, total_of
from frugaltree.kernels.data.nodes import set_leaf
from frugaltree.kernels.data.thresholds import branch_of, place_cut
from frugaltree.kernels.greedy.choose import (
    best_by_gain_ratio,
    best_by_reduction,
    best_by_worth,
    look_at_gains,
)
from frugaltree.kernels.jit import kernel, part, section
from frugaltree.kernels.sentinels import FULL, NONE


class Branches(NamedTuple):
    """How the cases of one node spread over the branches of a test."""

    branch: np.ndarray  # int32[case], NONE where the value is missing
    size: np.ndarray  # int64[branch]: cases
    share: np.ndarray  # float64[branch]: weight of the known cases
    counts: np.ndarray  # float64[branch, class]
    place: np.ndarray  # int64[branch]: where the child's lists begin, NONE for a leaf
    at: np.ndarray  # int64[branch]

    @classmethod
    def empty(cls, n_cases: int, widest: int, n_classes: int) -> Branches:
        """Return room for nodes of up to ``widest`` branches."""
        return cls(
            np.empty(n_cases, np.int32),
            np.empty(widest, np.int64),
            np.empty(widest),
            np.empty((widest, n_classes)),
            np.empty(widest, np.int64),
            np.empty(widest, np.int64),
        )


class Room(NamedTuple):
    """Where a tree is grown."""

    lists: np.ndarray  # int32[side, list, place]
    shares: np.ndarray  # float64[side, place]: weights beside list 0, unless all are 1
    slot: np.ndarray  # int64[a]: the list sorted by a numeric test
    weights: np.ndarray  # float64[case]: weights at the node in hand
    stack: np.ndarray  # int64[depth, 5]: node, lo, hi, side, top
    place: np.ndarray  # int64[code]: for sorting
    idle: np.ndarray  # uint8[depth, a]: beside the stack, the tests that have one value left


@part
def stops(counts, min_cases):
    """Tell whether a node is pure or too small to split."""
    total, largest = 0.0, 0.0
    for c in range(counts.size):
        total += counts[c]
        if counts[c] > largest:
            largest = counts[c]
    return largest >= total - 1e-9 or total < 2.0 * min_cases - 1e-9


@section
def send(cases, a, k, cut, weights, rows, lo, hi, c45, to):
    """Send cases ``rows[lo:hi]`` down the ``k`` branches of a test and fill ``to``.

    Returns (weight of the known cases, True if missing ones go down every branch). In the plain
    frame a missing value takes the branch with the most weight.
    """
    for b in range(k):
        to.size[b] = 0
        to.share[b] = 0.0
        clear(to.counts[b])
    codes, nominal, classes = cases.codes[a], cases.nominal[a], cases.classes
    known, unknown = 0.0, 0
    for i in range(lo, hi):
        row = rows[i]
        b = branch_of(codes[row], nominal, cut)
        to.branch[row] = b
        if b < 0:
            unknown += 1
            continue
        w = 1.0 if cases.unit else weights[row]
        to.size[b] += 1
        to.share[b] += w
        to.counts[b, classes[row]] += w
        known += w
    if unknown > 0:
        send_missing(classes, k, weights, rows, lo, hi, known, c45, to)
    return known, unknown > 0 and c45


@part
def send_missing(classes, k, weights, rows, lo, hi, known, c45, to):
    """Send the cases with a missing value down the largest branch, or all in proportion."""
    largest = 0
    for b in range(1, k):
        if to.share[b] > to.share[largest]:
            largest = b
    for i in range(lo, hi):
        row = rows[i]
        if to.branch[row] >= 0:
            continue
        c = classes[row]
        if not c45:
            to.branch[row] = largest
            to.size[largest] += 1
            to.counts[largest, c] += weights[row]
            continue
        for b in range(k):
            if to.size[b] > 0:
                to.size[b] += 1
                to.counts[b, c] += weights[row] * to.share[b] / known


@part
def place_children(to, k, start, min_cases):
    """Give each child that may grow further its place in the lists; return the end."""
    for b in range(k):
        to.place[b] = NONE
        if to.size[b] > 0 and not stops(to.counts[b], min_cases):
            to.place[b] = start
            start += to.size[b]
    return start


@part
def hand_down(room, side, lo, hi, known, k, unit, to):
    """Write the children's lists, in the parent's order, to the other side."""
    lists, shares, other = room.lists, room.shares, 1 - side
    for column in range(lists.shape[1]):
        for b in range(k):
            to.at[b] = to.place[b]
        weigh = column == 0 and not unit
        for i in range(lo, hi):
            row = lists[side, column, i]
            b = to.branch[row]
            if b >= 0:
                place = to.at[b]
                if place >= 0:
                    lists[other, column, place] = row
                    if weigh:
                        shares[other, place] = room.weights[row]
                    to.at[b] = place + 1
                continue
            for b in range(k):
                place = to.at[b]
                if place >= 0:
                    lists[other, column, place] = row
                    if weigh:
                        shares[other, place] = room.weights[row] * to.share[b] / known
                    to.at[b] = place + 1


@section
def start_at_root(cases, room, nodes, min_cases):
    """Fill the root's lists and node; return the height of the stack."""
    n = cases.classes.size
    for i in range(n):
        room.lists[0, 0, i] = i
        if not cases.unit:
            room.shares[0, i] = cases.weights[i]
    for a in range(room.slot.size):
        if room.slot[a] > 0:
            sort_by_code(cases.codes[a], cases.domain[a], room.place, room.lists[0, room.slot[a]])
    root = np.int64(0)
    set_leaf(nodes, root, np.int64(NONE), nodes.counts[root])
    clear(nodes.counts[root])
    for i in range(n):
        nodes.counts[root, cases.classes[i]] += cases.weights[i]
    if stops(nodes.counts[root], min_cases):
        return root
    push(room.stack, root, root, root, n, root, n)
    for a in range(room.slot.size):
        room.idle[root, a] = 0
    return root + 1


@part
def push(stack, depth, node, lo, hi, side, top):
    """Put a node that may grow on the stack."""
    stack[depth, 0] = node
    stack[depth, 1] = lo
    stack[depth, 2] = hi
    stack[depth, 3] = side
    stack[depth, 4] = top


@section
def open_node(cases, prices, room, nodes, depth, look):
    """Take up the node on top of the stack: its case weights, and what its path has paid."""
    node, side = room.stack[depth, 0], room.stack[depth, 3]
    if not cases.unit:
        for i in range(room.stack[depth, 1], room.stack[depth, 2]):
            room.weights[room.lists[side, 0, i]] = room.shares[side, i]
    for a in range(look.idle.size):
        look.idle[a] = room.idle[depth, a]
    path_state(prices, nodes, node, look.paid, look.opened)
    return node, room.stack[depth, 1], room.stack[depth, 2], room.lists[side]


@section
def split_node(cases, rules, room, nodes, look, to, a, depth, n_nodes, n_children):
    """Split the node just taken off the stack by test ``a`` and stack its children.

    Returns the height of the stack and how many nodes and child slots there are now; height FULL
    if there is no room.
    """
    node, lo, hi = room.stack[depth, 0], room.stack[depth, 1], room.stack[depth, 2]
    side, top = room.stack[depth, 3], room.stack[depth, 4]
    nodes.test[node] = a
    k = 2
    if cases.nominal[a]:
        k = cases.domain[a]
    else:
        nodes.cut[node], nodes.threshold[node] = place_cut(
            cases, a, look.below[a], look.above[a], rules.c45
        )
    rows = room.lists[side, 0]
    known, spread = send(cases, a, k, nodes.cut[node], room.weights, rows, lo, hi, rules.c45, to)
    end = place_children(to, k, top if spread else lo, rules.min_cases)
    if end > top:
        top = end
    if (
        top > room.lists.shape[2]
        or n_nodes + k > nodes.test.size
        or n_children + k > nodes.children.size
        or depth + k > room.stack.shape[0]
    ):
        return FULL, n_nodes, n_children
    nodes.first[node] = n_children
    for b in range(k):
        if to.size[b] == 0:
            nodes.children[n_children + b] = NONE
            continue
        nodes.children[n_children + b] = n_nodes
        set_leaf(nodes, n_nodes, node, to.counts[b])
        if to.place[b] >= 0:
            end = to.place[b] + to.size[b]
            push(room.stack, depth, n_nodes, to.place[b], end, 1 - side, top)
            for t in range(look.idle.size):
                room.idle[depth, t] = look.idle[t]
            depth += 1
        n_nodes += 1
    hand_down(room, side, lo, hi, known, k, cases.unit, to)
    return depth, n_nodes, n_children + k


@kernel
def grow_by_gain(cases, prices, rules, room, nodes, look, to, s):
    """Grow a tree by a criterion of gain and price; return (nodes, child slots) or FULL."""
    depth = start_at_root(cases, room, nodes, rules.min_cases)
    n_nodes, n_children = np.int64(1), np.int64(0)
    while depth > 0:
        depth -= 1
        node, lo, hi, lists = open_node(cases, prices, room, nodes, depth, look)
        counts = nodes.counts[node]
        look_at_gains(
            cases, prices, rules, room.weights, lists, room.slot, lo, hi, counts, look, s
        )
        if rules.criterion == GAIN_RATIO:
            a = best_by_gain_ratio(cases, prices.usable, total_of(nodes.counts[0]), look)
        else:
            a = best_by_worth(prices, rules, look)
        if a != NONE:
            depth, n_nodes, n_children = split_node(
                cases, rules, room, nodes, look, to, a, depth, n_nodes, n_children
            )
    return (n_nodes, n_children) if depth != FULL else (FULL, FULL)


@kernel
def grow_by_reduction(cases, prices, errors, rules, room, nodes, look, to, s):
    """Grow a tree by the reduction of total cost; return (nodes, child slots) or FULL."""
    depth = start_at_root(cases, room, nodes, rules.min_cases)
    n_nodes, n_children = np.int64(1), np.int64(0)
    while depth > 0:
        depth -= 1
        node, lo, hi, lists = open_node(cases, prices, room, nodes, depth, look)
        counts = nodes.counts[node]
        a = best_by_reduction(
            cases, prices, errors, rules, lists, room.slot, lo, hi, counts, look, s
        )
        if a != NONE:
            depth, n_nodes, n_children = split_node(
                cases, rules, room, nodes, look, to, a, depth, n_nodes, n_children
            )
    return (n_nodes, n_children) if depth != FULL else (FULL, FULL)


@kernel
def gains_at_root(cases, prices, rules, room, nodes, look, s):
    """Fill ``look`` with the gain of every test over all cases."""
    start_at_root(cases, room, nodes, rules.min_cases)
    lists, counts = room.lists[0], nodes.counts[0]
    n = cases.classes.size
    look_at_gains(cases, prices, rules, room.weights, lists, room.slot, 0, n, counts, look, s)
