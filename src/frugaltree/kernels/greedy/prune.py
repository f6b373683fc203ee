"""C4.5's two ways of cutting a tree back: collapse, and error-based pruning with raising.

Error-based pruning sends the cases down the tree once more, because raising a branch sends it
cases it never saw. A node's cases stand in ``who[lo:hi]`` with weights ``much[lo:hi]``; they are
parted in place, unless unknown values go down several branches and need room above ``top``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.error_estimate import expected_error
from frugaltree.kernels.cost.leaf import majority_label
from frugaltree.kernels.data.counts import clear, total_of
from frugaltree.kernels.data.nodes import set_leaf, width
from frugaltree.kernels.data.thresholds import branch_of
from frugaltree.kernels.greedy.choose import EPSILON
from frugaltree.kernels.jit import kernel, part, section
from frugaltree.kernels.sentinels import FULL, NONE

SLACK = 0.1
"""A smaller tree is preferred up to this many errors more."""


class Walk(NamedTuple):
    """Room for sending cases down a tree."""

    who: np.ndarray  # int32[place]
    much: np.ndarray  # float64[place]
    spare_who: np.ndarray  # int32[place]
    spare_much: np.ndarray  # float64[place]
    stack: np.ndarray  # int64[depth, 5]: node, lo, hi, top, phase
    errors: np.ndarray  # float64[node]: expected errors of the subtree
    stray: np.ndarray  # float64[node]: those of cases that cannot be placed
    counts: np.ndarray  # float64[class]
    astray: np.ndarray  # float64[class]
    used: np.ndarray  # int64[1]: nodes so far; a branch raised over new values grows new leaves

    @classmethod
    def empty(cls, room: int, height: int, n_nodes: int, n_classes: int) -> Walk:
        """Return a walk with this much room."""
        return cls(
            np.empty(room, np.int32),
            np.empty(room),
            np.empty(room, np.int32),
            np.empty(room),
            np.empty((height, 5), np.int64),
            np.empty(n_nodes),
            np.empty(n_nodes),
            np.empty(n_classes),
            np.empty(n_classes),
            np.zeros(1, np.int64),
        )


@part
def training_errors(counts):
    """Return how many cases are not of the largest class."""
    return total_of(counts) - counts[majority_label(counts)]


@part
def collapse_all(nodes, n_nodes, domain, nominal, errors):
    """Make a leaf of every node whose subtree makes no fewer errors than the leaf would."""
    for node in range(n_nodes - 1, -1, -1):
        leaf = training_errors(nodes.counts[node])
        a = nodes.test[node]
        errors[node] = leaf
        if a == NONE:
            continue
        below = 0.0
        for b in range(domain[a] if nominal[a] else 2):
            child = nodes.children[nodes.first[node] + b]
            if child != NONE:
                below += errors[child]
        if below >= leaf - EPSILON:
            nodes.test[node] = NONE
        else:
            errors[node] = below


@kernel
def collapse(nodes, domain, nominal, errors):
    """Collapse a tree, in place, without pruning it."""
    collapse_all(nodes, nodes.test.size, domain, nominal, errors)


@part
def leaf_errors(counts, cf, form):
    """Return the expected errors of a leaf that answers its largest class."""
    n = total_of(counts)
    return expected_error(n, n - counts[majority_label(counts)], cf, form)


@part
def count(classes, who, much, lo, hi, counts):
    """Count the classes of the cases ``lo:hi``."""
    clear(counts)
    for i in range(lo, hi):
        counts[classes[who[i]]] += much[i]


@part
def part_cases(cases, nodes, node, k, lo, hi, top, whole, walk, to):
    """Part the cases ``lo:hi`` among the branches of a node.

    Returns the new top, or FULL. Branch ``b`` gets ``to.size[b]`` cases from ``to.place[b]`` on.
    A case without a value goes down all of them in part or, ``whole``, down the heaviest. If no
    case has a value, none can be placed and all are counted in ``walk.astray``.
    """
    a, cut = nodes.test[node], nodes.cut[node]
    codes, nominal = cases.codes[a], cases.nominal[a]
    clear(walk.astray)
    for b in range(k):
        to.size[b] = 0
        to.share[b] = 0.0
    known, unknown = 0.0, 0
    for i in range(lo, hi):
        b = branch_of(codes[walk.who[i]], nominal, cut)
        if b < 0:
            unknown += 1
        else:
            to.size[b] += 1
            to.share[b] += walk.much[i]
            known += walk.much[i]
    heaviest = np.int64(NONE)
    if whole and known > 0.0:
        for b in range(k):
            if heaviest == NONE or to.share[b] > to.share[heaviest]:
                heaviest = np.int64(b)
    in_place = unknown == 0 or heaviest != NONE
    start = lo if in_place else top
    for b in range(k):
        to.place[b] = NONE
        if to.size[b] > 0:
            if heaviest == NONE or b == heaviest:
                to.size[b] += unknown
            to.place[b] = start
            to.at[b] = start
            start += to.size[b]
    if start > walk.who.size:
        return FULL
    who = walk.spare_who if in_place else walk.who
    much = walk.spare_much if in_place else walk.much
    for i in range(lo, hi):
        row, w = walk.who[i], walk.much[i]
        b = branch_of(codes[row], nominal, cut)
        if b < 0:
            b = heaviest
        if b >= 0:
            put(who, much, to, b, row, w)
        elif known <= 0.0:
            walk.astray[cases.classes[row]] += w
        else:
            for b in range(k):
                if to.place[b] != NONE:
                    put(who, much, to, b, row, w * to.share[b] / known)
    if in_place:
        for i in range(lo, hi):
            walk.who[i] = who[i]
            walk.much[i] = much[i]
    return start if start > top else top


@part
def put(who, much, to, b, row, w):
    """Give a case, with this weight, to branch ``b``."""
    place = to.at[b]
    who[place] = row
    much[place] = w
    to.at[b] = place + 1


@part
def stray_errors(astray, label, cf, form):
    """Return the expected errors of the strays, answered by the node's own label."""
    n = total_of(astray)
    return expected_error(n, n - astray[label], cf, form)


@part
def push(stack, depth, node, lo, hi, top):
    """Put a node to enter on the stack."""
    stack[depth, 0] = node
    stack[depth, 1] = lo
    stack[depth, 2] = hi
    stack[depth, 3] = top
    stack[depth, 4] = 0


@part
def push_children(children, first, k, top, depth, stack, to):
    """Stack the children that got cases; return the height, or FULL."""
    if depth + k > stack.shape[0]:
        return FULL
    for b in range(k - 1, -1, -1):
        if to.place[b] != NONE:
            push(stack, depth, children[first + b], to.place[b], to.place[b] + to.size[b], top)
            depth += 1
    return depth


@section
def errors_of_branch(cases, nodes, branch, lo, hi, top, base, cf, form, whole, walk, to):
    """Return the expected errors if the cases ``lo:hi`` went down ``branch``, or FULL."""
    push(walk.stack, base, branch, lo, hi, top)
    depth = base + 1
    total = 0.0
    while depth > base:
        depth -= 1
        node, lo, hi = walk.stack[depth, 0], walk.stack[depth, 1], walk.stack[depth, 2]
        k = width(nodes.test[node], cases.domain, cases.nominal) if node != NONE else 0
        if k == 0:
            count(cases.classes, walk.who, walk.much, lo, hi, walk.counts)
            total += leaf_errors(walk.counts, cf, form)
            continue
        top = part_cases(cases, nodes, node, k, lo, hi, walk.stack[depth, 3], whole, walk, to)
        if top == FULL:
            return float(FULL)
        label = majority_label(nodes.counts[node])
        total += stray_errors(walk.astray, label, cf, form)
        depth = push_children(nodes.children, nodes.first[node], k, top, depth, walk.stack, to)
        if depth == FULL:
            return float(FULL)
    return total


@section
def enter(cases, nodes, depth, cf, form, whole, walk, to):
    """Refresh a node's counts and send its cases on; return the height of the stack, or FULL."""
    node, lo, hi = walk.stack[depth, 0], walk.stack[depth, 1], walk.stack[depth, 2]
    count(cases.classes, walk.who, walk.much, lo, hi, nodes.counts[node])
    walk.errors[node] = leaf_errors(nodes.counts[node], cf, form)
    k = width(nodes.test[node], cases.domain, cases.nominal)
    if k == 0:
        return depth
    top = part_cases(cases, nodes, node, k, lo, hi, walk.stack[depth, 3], whole, walk, to)
    if top == FULL:
        return FULL
    label = majority_label(nodes.counts[node])
    walk.stray[node] = stray_errors(walk.astray, label, cf, form)
    for b in range(k):
        slot = nodes.first[node] + b
        if to.place[b] == NONE:
            nodes.children[slot] = NONE
        elif nodes.children[slot] == NONE:
            if walk.used[0] == nodes.test.size:
                return FULL
            nodes.children[slot] = walk.used[0]
            set_leaf(nodes, walk.used[0], node, nodes.counts[node])
            walk.used[0] += 1
    walk.stack[depth, 4] = 1
    return push_children(nodes.children, nodes.first[node], k, top, depth + 1, walk.stack, to)


@section
def leave(cases, nodes, depth, cf, form, raising, whole, walk, to):
    """Decide on a node whose children are settled; return the height of the stack, or FULL."""
    node, lo, hi = walk.stack[depth, 0], walk.stack[depth, 1], walk.stack[depth, 2]
    leaf, tree = walk.errors[node], walk.stray[node]
    largest, most = np.int64(NONE), -1.0
    for b in range(width(nodes.test[node], cases.domain, cases.nominal)):
        child = nodes.children[nodes.first[node] + b]
        if child == NONE:
            continue
        tree += walk.errors[child]
        size = total_of(nodes.counts[child])
        if size >= most - 1e-9 * most:  # of equal ones the last, as in Release 8
            largest, most = child, size
    branch = np.inf
    if raising and largest != NONE:
        top = walk.stack[depth, 3]
        branch = errors_of_branch(
            cases, nodes, largest, lo, hi, top, depth + 1, cf, form, whole, walk, to
        )
        if branch == FULL:
            return FULL
    if leaf <= branch + SLACK and leaf <= tree + SLACK:
        nodes.test[node] = NONE
    elif branch <= tree + SLACK:
        nodes.test[node] = nodes.test[largest]
        nodes.cut[node] = nodes.cut[largest]
        nodes.threshold[node] = nodes.threshold[largest]
        nodes.first[node] = nodes.first[largest]
        walk.stack[depth, 4] = 0
        return depth + 1
    else:
        walk.errors[node] = tree
    return depth


@kernel
def prune_errors(cases, nodes, cf, form, collapsing, raising, whole, walk, to):
    """Prune a tree by expected errors, in place; return the root's, or FULL.

    ``collapsing`` collapses it first, ``raising`` lets a branch take its parent's place. A case
    without a value is spread over the branches unless cases are ``whole``.
    """
    if collapsing:
        collapse_all(nodes, walk.used[0], cases.domain, cases.nominal, walk.errors)
    for i in range(cases.classes.size):
        walk.who[i] = i
        walk.much[i] = cases.weights[i]
    root, n = np.int64(0), cases.classes.size
    push(walk.stack, root, root, root, n, n)
    depth = root + 1
    while depth > 0:
        depth -= 1
        if walk.stack[depth, 4] == 0:
            depth = enter(cases, nodes, depth, cf, form, whole, walk, to)
        else:
            depth = leave(cases, nodes, depth, cf, form, raising, whole, walk, to)
    return walk.errors[0] if depth != FULL else float(FULL)
