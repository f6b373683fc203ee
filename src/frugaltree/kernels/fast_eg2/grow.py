"""EG2 in C4.5's frame on complete cases that count once: many trees, as fast as can be.

The trees are those of kernels/greedy/grow.py. How the cases lie is told in layout.py,
how tests are compared in split.py.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.criteria import EG2, dampening
from frugaltree.kernels.data.nodes import set_leaf, width
from frugaltree.kernels.fast_eg2.split import IDLE, ONE, PAID, ZERO, best_of, look_at_tests
from frugaltree.kernels.greedy.grow import must_be_leaf
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.sentinels import FULL, NONE
from frugaltree.kernels.ties import TOLERANCE


@part
def rank_tests(prices, w, usable, limit, bed):
    """List the available tests by price, cheapest first; return how many there are."""
    n = np.int64(0)
    for a in range(prices.size):
        bed.damp[a] = dampening(np.int64(EG2), prices[a], w)
        if not usable[a] or prices[a] > limit:
            continue
        i = n
        while i > 0 and prices[bed.ranking[i - 1]] > prices[a]:
            bed.ranking[i] = bed.ranking[i - 1]
            i -= 1
        bed.ranking[i] = a
        n += 1
    return n


@part
def keep_chosen(order, chosen, out):
    """Copy the chosen cases of a sorted list; ``out`` has room for one more."""
    at = 0
    for i in range(order.size):
        row = order[i]
        out[at] = row
        at += np.int64(chosen[row])


@part
def place_cut(values, start, cells, shift, rows, at, root, n):
    """Return (rank, threshold): the largest value grown on that is at most halfway."""
    low = values[start + (cells[rows[at]] >> shift)]
    high = values[start + (cells[rows[at + 1]] >> shift)]
    # A value at the midpoint itself belongs below, whatever rounding makes of the midpoint.
    middle = low + (high - low) / 2.0 + TOLERANCE * (high - low)
    lower, upper = 0, n
    while upper - lower > 1:
        i = (lower + upper) // 2
        if values[start + (cells[root[i]] >> shift)] <= middle:
            lower = i
        else:
            upper = i
    rank = np.int64(cells[root[lower]] >> shift)
    return rank, values[start + rank]


@part
def send(cells, shift, nominal, cut, rows, branch, hist):
    """Note each case's branch, and count the classes of each."""
    mask = np.uint32((1 << shift) - 1)
    for i in range(rows.size):
        cell = cells[rows[i]]
        b = cell >> shift
        if not nominal:
            b = ONE if b > cut else ZERO
        branch[rows[i]] = b
        hist[(b << shift) | (cell & mask)] += 1


@part
def take_counts(hist, shift, b, counts):
    """Move the class counts of a branch to ``counts``; return its size."""
    size = np.int64(0)
    for c in range(counts.size):
        m = np.int64(hist[(b << shift) | c])
        hist[(b << shift) | c] = 0
        counts[c] = m
        size += m
    return size


@part
def set_places(children, begin, end, place):
    """Set where each branch's cases begin, counted from the node's first."""
    at = ZERO
    for b in range(children.size):
        place[b] = at
        if children[b] != NONE:
            at += np.uint32(end[children[b]] - begin[children[b]])


@part
def part_rows(rows, branch, place, out, spare):
    """Write cases in the order of their branches, ``place`` being where each begins."""
    if place.size == 2:  # the first branch in place, the other by way of ``spare``
        left, right = ZERO, ZERO
        for i in range(rows.size):
            row = rows[i]
            out[left] = row
            spare[right] = row
            right += branch[row]
            left += ONE - branch[row]
        for i in range(right):
            out[left + i] = spare[i]
        return
    for i in range(rows.size):
        row = rows[i]
        at = place[branch[row]]
        spare[at] = row
        place[branch[row]] = at + ONE
    for i in range(rows.size):
        out[i] = spare[i]


@section
def part_lists(ground, node, children, n_tests, base, depth, bed):
    """Part the sorted lists of the tests still in use, and give the new nodes their marks."""
    lo, hi, place = bed.begin[node], bed.end[node], bed.place[: children.size]
    for i in range(n_tests):
        a = bed.ranking[i]
        for d in range(base + 1, depth):
            bed.marks[d, a] = bed.marks[base, a]
        k = ground.list_of[a]
        if k != NONE and not bed.marks[base, a] & IDLE:
            rows = bed.lists[k, lo:hi] if node > 0 else bed.roots[k, lo:hi]
            set_places(children, bed.begin, bed.end, place)
            part_rows(rows, bed.branch, place, bed.lists[k, lo:hi], bed.spare)


@section
def split_node(cases, ground, nodes, node, a, n_tests, depth, n_nodes, n_slots, bed):
    """Split the node just taken off the stack by test ``a`` and stack its children.

    Returns the height of the stack and how many nodes and child slots there are now; height FULL
    if there is no room.
    """
    k = width(a, cases.domain, cases.nominal)
    if n_nodes + k > nodes.test.size or n_slots + k > nodes.children.size:
        return FULL, n_nodes, n_slots
    nodes.test[node] = a
    nodes.first[node] = n_slots
    lo, cells, own = bed.begin[node], ground.cells[a], ground.list_of[a]
    if own != NONE:
        rows = bed.lists[own] if node > 0 else bed.roots[own]
        nodes.cut[node], nodes.threshold[node] = place_cut(
            cases.values, cases.start[a], cells, ground.shift, rows, bed.cut[a],
            bed.roots[own], ground.n_grown,
        )  # fmt: skip
    who = bed.who[lo : bed.end[node]]
    send(cells, ground.shift, cases.nominal[a], nodes.cut[node], who, bed.branch, bed.hist)
    base = depth
    for b in range(k):
        nodes.children[n_slots + b] = NONE
        size = take_counts(bed.hist, ground.shift, b, bed.counts)
        if size == 0:
            continue
        nodes.children[n_slots + b] = n_nodes
        set_leaf(nodes, n_nodes, node, bed.counts)
        bed.begin[n_nodes] = lo
        bed.end[n_nodes] = lo + size
        if not must_be_leaf(bed.counts, ground.min_cases):
            bed.stack[depth, 0] = n_nodes
            depth += 1
        lo += size
        n_nodes += 1
    children, place = nodes.children[n_slots : n_slots + k], bed.place[:k]
    set_places(children, bed.begin, bed.end, place)
    part_rows(who, bed.branch, place, who, bed.spare)
    if depth > base:
        bed.marks[base, a] |= PAID
        part_lists(ground, node, children, n_tests, base, depth, bed)
    return depth, n_nodes, n_slots + k


@section
def grow(cases, ground, usable, prices, w, nodes, bed, stop):
    """Grow a tree on the cases in ``who``; return (nodes, slots), FULL if there is no room."""
    n_tests = rank_tests(prices, w, usable, ground.limit, bed)
    for i in range(n_tests):
        a = bed.ranking[i]
        bed.marks[0, a] = 0
        k = ground.list_of[a]
        if k != NONE:
            keep_chosen(ground.order[k], bed.chosen, bed.roots[k])
    for c in range(cases.n_classes):
        bed.counts[c] = 0.0
    for i in range(ground.n_grown):
        bed.counts[cases.classes[bed.who[i]]] += 1.0
    root = np.int64(0)
    set_leaf(nodes, root, np.int64(NONE), bed.counts)
    bed.begin[0] = 0
    bed.end[0] = ground.n_grown
    bed.stack[0, 0] = 0
    depth = root if must_be_leaf(bed.counts, ground.min_cases) else root + 1
    n_nodes, n_slots = np.int64(1), np.int64(0)
    while depth > 0 and stop[0] == 0:
        depth -= 1
        node = bed.stack[depth, 0]
        look_at_tests(cases, ground, n_tests, node, nodes.counts[node], depth, bed)
        a = best_of(prices, bed.marks[depth], bed.worth)
        if a != NONE:
            depth, n_nodes, n_slots = split_node(
                cases, ground, nodes, node, a, n_tests, depth, n_nodes, n_slots, bed
            )
    return (n_nodes, n_slots) if depth != FULL else (FULL, FULL)
