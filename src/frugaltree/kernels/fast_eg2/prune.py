"""C4.5's pruning of a tree that :mod:`frugaltree.kernels.fast_eg2.grow` has grown.

Growing leaves the cases of every node in a run of their own, so nothing is sent down the tree
again: only a raised branch parts its cases anew, and what raising would do is told from the cases
that would come in addition.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.data.nodes import set_leaf, width
from frugaltree.kernels.fast_eg2.grow import part_rows, send, set_places, take_counts
from frugaltree.kernels.greedy.prune import ERROR_SLACK, collapse_tree, majority_errors
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.sentinels import FULL, NONE

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
def drop_down(cases, ground, nodes, node, branch, bed):
    """Send a node's other cases down one of its branches and count them where they end.

    Returns in how many slots that is.
    """
    n = np.int64(0)
    i, end = bed.begin[node], bed.end[node]
    while True:
        if i == bed.begin[branch]:
            i = bed.end[branch]
        if i == end:
            return n
        case = bed.who[i]
        codes = ground.rows[case]
        slot, child = np.int64(NONE), branch
        while child != NONE and nodes.test[child] != NONE:
            slot = slot_below(nodes, cases.nominal, child, codes)
            child = nodes.children[slot]
        if not bed.met[slot]:
            bed.met[slot] = 1
            bed.touched[n] = slot
            n += 1
        bed.strays[(slot << ground.shift) | cases.classes[case]] += 1
        i += 1


@section
def errors_of_branch(cases, ground, nodes, node, branch, cf, bed):
    """Return the expected errors if all cases of a node went down one of its branches."""
    total = bed.errors[branch]
    for i in range(drop_down(cases, ground, nodes, node, branch, bed)):
        slot = bed.touched[i]
        bed.met[slot] = 0
        take_counts(bed.strays, ground.shift, slot, bed.counts)
        child = nodes.children[slot]
        if child != NONE:
            total -= bed.errors[child]
            for c in range(cases.n_classes):
                bed.counts[c] += nodes.counts[child, c]
        total += majority_errors(bed.counts, cf, ground.form)
    return total


@section
def part_again(cases, ground, nodes, node, n_nodes, bed):
    """Part the cases of a raised node among its branches; return how many nodes there are now.

    A value that the branch had not met gets a leaf. FULL if there is no room for it.
    """
    a, first, lo = nodes.test[node], nodes.first[node], bed.begin[node]
    k = width(a, cases.domain, cases.nominal)
    if n_nodes + k > nodes.test.size:
        return np.int64(FULL)
    who, cells = bed.who[lo : bed.end[node]], ground.cells[a]
    send(cells, ground.shift, cases.nominal[a], nodes.cut[node], who, bed.branch, bed.hist)
    for b in range(k):
        size = take_counts(bed.hist, ground.shift, b, bed.counts)
        child = nodes.children[first + b]
        if size == 0:
            nodes.children[first + b] = NONE
            continue
        if child == NONE:
            child = n_nodes
            n_nodes += 1
            nodes.children[first + b] = child
            set_leaf(nodes, child, node, bed.counts)
        for c in range(cases.n_classes):
            nodes.counts[child, c] = bed.counts[c]
        bed.begin[child] = lo
        bed.end[child] = lo + size
        lo += size
    children, place = nodes.children[first : first + k], bed.place[:k]
    set_places(children, bed.begin, bed.end, place)
    part_rows(who, bed.branch, place, who, bed.spare)
    return n_nodes


@section
def decide(cases, ground, nodes, node, cf, bed):
    """Make a node a leaf, raise its largest branch (and return True), or leave it as it is."""
    leaf, tree = majority_errors(nodes.counts[node], cf, ground.form), 0.0
    largest, most = np.int64(NONE), np.int64(0)
    for b in range(width(nodes.test[node], cases.domain, cases.nominal)):
        child = nodes.children[nodes.first[node] + b]
        if child == NONE:
            continue
        tree += bed.errors[child]
        if bed.end[child] - bed.begin[child] >= most:  # of equal ones the last
            largest, most = child, bed.end[child] - bed.begin[child]
    branch = leaf
    if nodes.test[largest] != NONE:
        branch = errors_of_branch(cases, ground, nodes, node, largest, cf, bed)
    raised = False
    if leaf <= branch + ERROR_SLACK and leaf <= tree + ERROR_SLACK:
        nodes.test[node] = NONE
        bed.errors[node] = leaf
    elif branch <= tree + ERROR_SLACK:
        nodes.test[node] = nodes.test[largest]
        nodes.cut[node] = nodes.cut[largest]
        nodes.threshold[node] = nodes.threshold[largest]
        nodes.first[node] = nodes.first[largest]
        raised = True
    else:
        bed.errors[node] = tree
    return raised


@section
def prune(cases, ground, nodes, n_nodes, cf, bed):
    """Collapse and prune a grown tree, in place; return False if there is no room."""
    collapse_tree(nodes, n_nodes, cases.domain, cases.nominal, bed.errors)
    bed.stack[0, 0], bed.stack[0, 1] = 0, ENTER
    depth = 1
    while depth > 0:
        depth -= 1
        node, todo = bed.stack[depth, 0], bed.stack[depth, 1]
        if nodes.test[node] == NONE:
            bed.errors[node] = majority_errors(nodes.counts[node], cf, ground.form)
            continue
        if todo == LEAVE:
            if decide(cases, ground, nodes, node, cf, bed):
                bed.stack[depth, 1] = PART
                depth += 1
            continue
        if todo == PART:
            n_nodes = part_again(cases, ground, nodes, node, n_nodes, bed)
            if n_nodes == FULL:
                break
        bed.stack[depth, 1] = LEAVE
        depth += 1
        for b in range(width(nodes.test[node], cases.domain, cases.nominal)):
            child = nodes.children[nodes.first[node] + b]
            if child != NONE:
                bed.stack[depth, 0], bed.stack[depth, 1] = child, todo
                depth += 1
    return n_nodes != FULL
