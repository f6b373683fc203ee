"""EG2 in C4.5's frame on complete cases that count once: many trees, as fast as can be.

The trees are those of :mod:`frugaltree.kernels.greedy.grow`. How the cases lie is told in
:mod:`frugaltree.kernels.fast_eg2.layout`, how tests are compared in
:mod:`frugaltree.kernels.fast_eg2.split`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.criteria import EG2, price_factor
from frugaltree.kernels.data.nodes import set_leaf, width
from frugaltree.kernels.fast_eg2.layout import CONSTANT, PAID
from frugaltree.kernels.fast_eg2.partition import (
    TrialSplit,
    mark_branches,
    partition_rows,
    set_starts,
    take_counts,
)
from frugaltree.kernels.fast_eg2.split import best_test, compare_tests
from frugaltree.kernels.greedy.grow import must_be_leaf
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.sentinels import FULL, NONE
from frugaltree.kernels.ties import TOLERANCE


class TrialBias(NamedTuple):
    """What a tree is grown and pruned by."""

    usable: np.ndarray  # uint8[a]
    prices: np.ndarray  # float64[a]: made up
    w: float  # weight of the price
    cf: float  # confidence of pruning


@part
def rank_tests(bias, limit, factors, ranking):
    """List the available tests by price, cheapest first; return how many there are."""
    n, prices = np.int64(0), bias.prices
    for a in range(prices.size):
        factors[a] = price_factor(np.int64(EG2), prices[a], bias.w)
        if not bias.usable[a] or prices[a] > limit:
            continue
        i = n
        while i > 0 and prices[ranking[i - 1]] > prices[a]:
            ranking[i] = ranking[i - 1]
            i -= 1
        ranking[i] = a
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
def place_trial_cut(cases, layout, a, rows, at, root):
    """Return (rank, threshold): the largest value grown on that is at most halfway.

    It is :func:`frugaltree.kernels.data.thresholds.place_cut` where only some cases of the table
    are grown on, ``root`` being these, sorted: the values are searched among them.
    """
    cells, shift, values, start = layout.cells[a], layout.shift, cases.values, cases.start[a]
    low = values[start + (cells[rows[at]] >> shift)]
    high = values[start + (cells[rows[at + 1]] >> shift)]
    # A value at the midpoint itself belongs below, whatever rounding makes of the midpoint.
    middle = low + (high - low) / 2.0 + TOLERANCE * (high - low)
    lower, upper = 0, layout.n_grown
    while upper - lower > 1:
        i = (lower + upper) // 2
        if values[start + (cells[root[i]] >> shift)] <= middle:
            lower = i
        else:
            upper = i
    rank = np.int64(cells[root[lower]] >> shift)
    return rank, values[start + rank]


@section
def partition_lists(layout, work, node, children, base, depth):
    """Partition the sorted lists of the tests still in use, and give new nodes their flags."""
    run, starts = work.runs[node], work.starts[: children.size]
    lo, hi = run.begin, run.end
    for i in range(work.size[0].n_tests):
        a = work.ranking[i]
        for d in range(base + 1, depth):
            work.flags[d, a] = work.flags[base, a]
        k = layout.list_of[a]
        if k != NONE and not work.flags[base, a] & CONSTANT:
            rows = work.lists[k, lo:hi] if node > 0 else work.root_lists[k, lo:hi]
            set_starts(children, work.runs, starts)
            partition_rows(rows, work.branch_of, starts, work.lists[k, lo:hi], work.spare)


@section
def split_trial_node(cases, layout, work, a, node, depth):
    """Split the node just taken off the stack by test ``a`` and stack its children.

    Returns the height of the stack, FULL if there is no room.
    """
    nodes, size = work.nodes, work.size[0]
    n_nodes, n_slots = size.n_nodes, size.n_slots
    k = width(a, cases.domain, cases.nominal)
    if n_nodes + k > nodes.test.size or n_slots + k > nodes.children.size:
        return np.int64(FULL)
    nodes.test[node] = a
    nodes.first[node] = n_slots
    lo, hi, own = work.runs[node].begin, work.runs[node].end, layout.list_of[a]
    if own != NONE:
        rows = work.lists[own] if node > 0 else work.root_lists[own]
        nodes.cut[node], nodes.threshold[node] = place_trial_cut(
            cases, layout, a, rows, work.cut_places[a], work.root_lists[own]
        )
    rows = work.grown[lo:hi]
    split = TrialSplit(layout.cells[a], layout.shift, cases.nominal[a], nodes.cut[node])
    mark_branches(split, rows, work.branch_of, work.hist)
    base = depth
    for b in range(k):
        nodes.children[n_slots + b] = NONE
        n_here = take_counts(work.hist, layout.shift, b, work.counts)
        if n_here == 0:
            continue
        nodes.children[n_slots + b] = n_nodes
        set_leaf(nodes, n_nodes, node, work.counts)
        work.runs[n_nodes].begin = lo
        work.runs[n_nodes].end = lo + n_here
        if not must_be_leaf(work.counts, layout.min_cases):
            work.stack[depth].node = n_nodes
            depth += 1
        lo += n_here
        n_nodes += 1
    children, starts = nodes.children[n_slots : n_slots + k], work.starts[:k]
    set_starts(children, work.runs, starts)
    partition_rows(rows, work.branch_of, starts, rows, work.spare)
    if depth > base:
        work.flags[base, a] |= PAID
        partition_lists(layout, work, node, children, base, depth)
    size.n_nodes, size.n_slots = n_nodes, n_slots + k
    return depth


@section
def grow_trial(cases, layout, bias, work):
    """Grow a tree on the cases in ``work.grown``; return 0, FULL if there is no room."""
    nodes, size, counts = work.nodes, work.size[0], work.counts
    size.n_tests = rank_tests(bias, layout.limit, work.price_factors, work.ranking)
    for i in range(size.n_tests):
        a = work.ranking[i]
        work.flags[0, a] = 0
        k = layout.list_of[a]
        if k != NONE:
            keep_chosen(layout.order[k], work.chosen, work.root_lists[k])
    for c in range(cases.n_classes):
        counts[c] = 0.0
    for i in range(layout.n_grown):
        counts[cases.classes[work.grown[i]]] += 1.0
    root = np.int64(0)
    set_leaf(nodes, root, np.int64(NONE), counts)
    work.runs[0].begin, work.runs[0].end = 0, layout.n_grown
    work.stack[0].node = 0
    size.n_nodes, size.n_slots = 1, 0
    depth = root if must_be_leaf(counts, layout.min_cases) else root + 1
    while depth > 0 and work.stop[0] == 0:
        depth -= 1
        node = work.stack[depth].node
        compare_tests(cases, layout, work, node, depth)
        a = best_test(bias.prices, work.flags[depth], work.values)
        if a != NONE:
            depth = split_trial_node(cases, layout, work, a, node, depth)
    return depth
