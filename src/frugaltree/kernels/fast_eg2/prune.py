"""C4.5's pruning of a tree that :mod:`frugaltree.kernels.fast_eg2.grow` has grown.

Growing leaves the cases of every node in a run of their own, so nothing is sent down the tree
again: only a raised branch partitions its cases anew, and what raising would do is told from the
cases that would come in addition.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.data.nodes import copy_split, set_leaf, width
from frugaltree.kernels.fast_eg2.partition import (
    TrialSplit,
    mark_branches,
    partition_rows,
    set_starts,
    take_counts,
)
from frugaltree.kernels.greedy.prune import ERROR_SLACK, collapse_nodes, majority_errors
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.sentinels import NONE

ENTER_NODE, PARTITION, LEAVE = range(3)
"""What to do with a node next: enter its children, partition its cases first, or decide on it."""


@part
def slot_below(nodes, nominal, node, codes):
    """Return the slot of the branch that a case takes at a node."""
    a = nodes.test[node]
    b = np.int64(codes[a])
    if not nominal[a]:
        b = np.int64(b > nodes.cut[node])
    return nodes.first[node] + b


@section
def count_extra_cases(cases, layout, work, node, branch):
    """Send a node's other cases down one of its branches and count them where they end.

    Returns in how many slots that is.
    """
    nodes = work.nodes
    n = np.int64(0)
    i, end = work.runs[node].begin, work.runs[node].end
    while True:
        if i == work.runs[branch].begin:
            i = work.runs[branch].end
        if i == end:
            return n
        case = work.grown[i]
        codes = layout.codes[case]
        slot, child = np.int64(NONE), branch
        while child != NONE and nodes.test[child] != NONE:
            slot = slot_below(nodes, cases.nominal, child, codes)
            child = nodes.children[slot]
        if not work.seen[slot]:
            work.seen[slot] = 1
            work.touched[n] = slot
            n += 1
        work.extra_counts[(slot << layout.shift) | cases.classes[case]] += 1
        i += 1


@section
def trial_errors_if_raised(cases, layout, cf, work, node, branch):
    """Return the expected errors if all cases of a node went down one of its branches."""
    nodes, counts = work.nodes, work.counts
    total = work.errors[branch]
    for i in range(count_extra_cases(cases, layout, work, node, branch)):
        slot = work.touched[i]
        work.seen[slot] = 0
        take_counts(work.extra_counts, layout.shift, slot, counts)
        child = nodes.children[slot]
        if child != NONE:
            total -= work.errors[child]
            for c in range(cases.n_classes):
                counts[c] += nodes.counts[child, c]
        total += majority_errors(counts, cf, layout.form)
    return total


@section
def partition_again(cases, layout, work, node):
    """Partition the cases of a raised node among its branches; return False if there is no room.

    A value that the branch had not met gets a leaf.
    """
    nodes, size, run = work.nodes, work.size[0], work.runs[node]
    a, first, lo = nodes.test[node], nodes.first[node], run.begin
    k = width(a, cases.domain, cases.nominal)
    if size.n_nodes + k > nodes.test.size:
        return False
    rows = work.grown[lo : run.end]
    split = TrialSplit(layout.cells[a], layout.shift, cases.nominal[a], nodes.cut[node])
    mark_branches(split, rows, work.branch_of, work.hist)
    for b in range(k):
        n_here = take_counts(work.hist, layout.shift, b, work.counts)
        child = nodes.children[first + b]
        if n_here == 0:
            nodes.children[first + b] = NONE
            continue
        if child == NONE:
            child = size.n_nodes
            size.n_nodes += 1
            nodes.children[first + b] = child
            set_leaf(nodes, child, node, work.counts)
        for c in range(cases.n_classes):
            nodes.counts[child, c] = work.counts[c]
        work.runs[child].begin = lo
        work.runs[child].end = lo + n_here
        lo += n_here
    children, starts = nodes.children[first : first + k], work.starts[:k]
    set_starts(children, work.runs, starts)
    partition_rows(rows, work.branch_of, starts, rows, work.spare)
    return True


@section
def decide_trial_node(cases, layout, cf, work, node):
    """Make a node a leaf, raise its largest branch (and return True), or leave it as it is."""
    nodes = work.nodes
    leaf, tree = majority_errors(nodes.counts[node], cf, layout.form), 0.0
    largest, most = np.int64(NONE), np.int64(0)
    for b in range(width(nodes.test[node], cases.domain, cases.nominal)):
        child = nodes.children[nodes.first[node] + b]
        if child == NONE:
            continue
        tree += work.errors[child]
        n_here = work.runs[child].end - work.runs[child].begin
        if n_here >= most:  # of equal ones the last
            largest, most = child, n_here
    raised = leaf
    if nodes.test[largest] != NONE:
        raised = trial_errors_if_raised(cases, layout, cf, work, node, largest)
    raises = False
    if leaf <= raised + ERROR_SLACK and leaf <= tree + ERROR_SLACK:
        nodes.test[node] = NONE
        work.errors[node] = leaf
    elif raised <= tree + ERROR_SLACK:
        copy_split(nodes, largest, nodes, node)
        raises = True
    else:
        work.errors[node] = tree
    return raises


@section
def prune_trial(cases, layout, cf, work):
    """Collapse and prune a grown tree, in place; return False if there is no room."""
    nodes, stack, errors = work.nodes, work.stack, work.errors
    collapse_nodes(nodes, work.size[0].n_nodes, cases.domain, cases.nominal, errors)
    stack[0].node, stack[0].todo = 0, ENTER_NODE
    depth = 1
    while depth > 0:
        depth -= 1
        node, todo = stack[depth].node, stack[depth].todo
        if nodes.test[node] == NONE:
            errors[node] = majority_errors(nodes.counts[node], cf, layout.form)
            continue
        if todo == LEAVE:
            if decide_trial_node(cases, layout, cf, work, node):
                stack[depth].todo = PARTITION
                depth += 1
            continue
        if todo == PARTITION and not partition_again(cases, layout, work, node):
            return False
        stack[depth].todo = LEAVE
        depth += 1
        for b in range(width(nodes.test[node], cases.domain, cases.nominal)):
            child = nodes.children[nodes.first[node] + b]
            if child != NONE:
                stack[depth].node, stack[depth].todo = child, todo
                depth += 1
    return True
