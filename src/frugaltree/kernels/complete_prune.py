"""C4.5's pruning of a tree that :mod:`frugaltree.kernels.complete` has grown.

Growing leaves the cases of every node in a run of their own, so nothing is sent down the tree
again: only a raised branch parts its cases anew, and what raising would do is told from the cases
that would come in addition.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.choose import NONE
from frugaltree.kernels.complete import part_rows, send, set_places, take_counts
from frugaltree.kernels.grow import FULL, set_leaf, width
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.prune_errors import SLACK, collapse_all, leaf_errors

ENTER, PART, LEAVE = range(3)
"""What to do with a node next: take up its children, part its cases first, or decide on it."""


@part
def slot_below(nodes, nominal, node, codes):
    """Return the slot of the branch that a case takes at a node."""
    a = nodes.test[node]
    b = np.int64(codes[a])
    if not nominal[a]:
        b = np.int64(b > nodes.cut[node])
    return nodes.first[node] + b


@section
def drop_down(cases, ground, nodes, node, branch, bench):
    """Send a node's other cases down one of its branches and count them where they end.

    Returns in how many slots that is.
    """
    n = np.int64(0)
    i, end = bench.begin[node], bench.end[node]
    while True:
        if i == bench.begin[branch]:
            i = bench.end[branch]
        if i == end:
            return n
        case = bench.who[i]
        codes = ground.rows[case]
        slot, child = np.int64(NONE), branch
        while child != NONE and nodes.test[child] != NONE:
            slot = slot_below(nodes, cases.nominal, child, codes)
            child = nodes.children[slot]
        if not bench.met[slot]:
            bench.met[slot] = 1
            bench.touched[n] = slot
            n += 1
        bench.strays[(slot << ground.shift) | cases.classes[case]] += 1
        i += 1


@section
def errors_of_branch(cases, ground, nodes, node, branch, cf, bench):
    """Return the expected errors if all cases of a node went down one of its branches."""
    total = bench.errors[branch]
    for i in range(drop_down(cases, ground, nodes, node, branch, bench)):
        slot = bench.touched[i]
        bench.met[slot] = 0
        take_counts(bench.strays, ground.shift, slot, bench.counts)
        child = nodes.children[slot]
        if child != NONE:
            total -= bench.errors[child]
            for c in range(cases.n_classes):
                bench.counts[c] += nodes.counts[child, c]
        total += leaf_errors(bench.counts, cf, ground.form)
    return total


@section
def part_again(cases, ground, nodes, node, n_nodes, bench):
    """Part the cases of a raised node among its branches; return how many nodes there are now.

    A value that the branch had not met gets a leaf. FULL if there is no room for it.
    """
    a, first, lo = nodes.test[node], nodes.first[node], bench.begin[node]
    k = width(a, cases.domain, cases.nominal)
    if n_nodes + k > nodes.test.size:
        return np.int64(FULL)
    who, cells = bench.who[lo : bench.end[node]], ground.cells[a]
    send(cells, ground.shift, cases.nominal[a], nodes.cut[node], who, bench.branch, bench.hist)
    for b in range(k):
        size = take_counts(bench.hist, ground.shift, b, bench.counts)
        child = nodes.children[first + b]
        if size == 0:
            nodes.children[first + b] = NONE
            continue
        if child == NONE:
            child = n_nodes
            n_nodes += 1
            nodes.children[first + b] = child
            set_leaf(nodes, child, node, bench.counts)
        for c in range(cases.n_classes):
            nodes.counts[child, c] = bench.counts[c]
        bench.begin[child] = lo
        bench.end[child] = lo + size
        lo += size
    children, place = nodes.children[first : first + k], bench.place[:k]
    set_places(children, bench.begin, bench.end, place)
    part_rows(who, bench.branch, place, who, bench.spare)
    return n_nodes


@section
def decide(cases, ground, nodes, node, cf, bench):
    """Make a node a leaf, raise its largest branch (and return True), or leave it as it is."""
    leaf, tree = leaf_errors(nodes.counts[node], cf, ground.form), 0.0
    largest, most = np.int64(NONE), np.int64(0)
    for b in range(width(nodes.test[node], cases.domain, cases.nominal)):
        child = nodes.children[nodes.first[node] + b]
        if child == NONE:
            continue
        tree += bench.errors[child]
        if bench.end[child] - bench.begin[child] >= most:  # of equal ones the last
            largest, most = child, bench.end[child] - bench.begin[child]
    branch = leaf
    if nodes.test[largest] != NONE:
        branch = errors_of_branch(cases, ground, nodes, node, largest, cf, bench)
    raised = False
    if leaf <= branch + SLACK and leaf <= tree + SLACK:
        nodes.test[node] = NONE
        bench.errors[node] = leaf
    elif branch <= tree + SLACK:
        nodes.test[node] = nodes.test[largest]
        nodes.cut[node] = nodes.cut[largest]
        nodes.threshold[node] = nodes.threshold[largest]
        nodes.first[node] = nodes.first[largest]
        raised = True
    else:
        bench.errors[node] = tree
    return raised


@section
def prune(cases, ground, nodes, n_nodes, cf, bench):
    """Collapse and prune a grown tree, in place; return False if there is no room."""
    collapse_all(nodes, n_nodes, cases.domain, cases.nominal, bench.errors)
    bench.stack[0, 0], bench.stack[0, 1] = 0, ENTER
    depth = 1
    while depth > 0:
        depth -= 1
        node, todo = bench.stack[depth, 0], bench.stack[depth, 1]
        if nodes.test[node] == NONE:
            bench.errors[node] = leaf_errors(nodes.counts[node], cf, ground.form)
            continue
        if todo == LEAVE:
            if decide(cases, ground, nodes, node, cf, bench):
                bench.stack[depth, 1] = PART
                depth += 1
            continue
        if todo == PART:
            n_nodes = part_again(cases, ground, nodes, node, n_nodes, bench)
            if n_nodes == FULL:
                break
        bench.stack[depth, 1] = LEAVE
        depth += 1
        for b in range(width(nodes.test[node], cases.domain, cases.nominal)):
            child = nodes.children[nodes.first[node] + b]
            if child != NONE:
                bench.stack[depth, 0], bench.stack[depth, 1] = child, todo
                depth += 1
    return n_nodes != FULL
