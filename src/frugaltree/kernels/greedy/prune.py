"""C4.5's two ways of cutting a tree back: collapse, and error-based pruning with raising.

Error-based pruning sends the cases down the tree once more, because raising a branch sends it
cases it never saw. A node's cases stand in ``held[lo:hi]``; they are partitioned in place, unless
unknown values go down several branches and need room above ``top``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.charges import PREORDER_FRAME, copy_in_preorder
from frugaltree.kernels.cost.error_estimate import expected_error
from frugaltree.kernels.cost.leaf import majority_label
from frugaltree.kernels.data.cases import code_of
from frugaltree.kernels.data.counts import clear, total_of
from frugaltree.kernels.data.nodes import (
    LACKING,
    TREE_SIZE,
    Nodes,
    copy_split,
    lacking_branch,
    set_leaf,
    width,
)
from frugaltree.kernels.data.partition import Branches, add_case, branch_share, clear_branches
from frugaltree.kernels.data.thresholds import branch_of
from frugaltree.kernels.greedy.choose import EPSILON
from frugaltree.kernels.jit import atom, kernel, part, section
from frugaltree.kernels.records import plain_records, record_type
from frugaltree.kernels.sentinels import FULL, NONE
from frugaltree.kernels.ties import TOLERANCE

ERROR_SLACK = 0.1
"""A smaller tree is preferred up to this many errors more."""

HELD_CASE = record_type(row=np.int64, weight=np.float64)
"""A case at a node, and how much of it is there."""

PRUNE_FRAME = record_type(node=np.int64, lo=np.int64, hi=np.int64, top=np.int64, entered=np.int64)
"""A node with its cases, where free places begin, and 1 once its children are settled."""


class PruneRules(NamedTuple):
    """How a tree is pruned by expected errors."""

    cf: float  # confidence of the expected error
    form: int  # its form, see frugaltree.kernels.cost.error_estimate
    collapsing: bool  # whether the tree is collapsed first
    raising: bool  # whether a branch may take its parent's place
    whole: bool  # whether a case without a value takes a branch of its own, or is spread


class PruneBuffers(NamedTuple):
    """Room for sending cases down a tree."""

    held: np.ndarray  # HELD_CASE[place]
    spare: np.ndarray  # HELD_CASE[place]
    stack: np.ndarray  # PRUNE_FRAME[height]
    errors: np.ndarray  # float64[node]: expected errors of the subtree
    unplaced_errors: np.ndarray  # float64[node]: those of cases that no branch takes
    unplaced: np.ndarray  # float64[class]: these cases, at the node in hand
    counts: np.ndarray  # float64[class]
    size: np.ndarray  # TREE_SIZE[1]: a branch raised over new values grows new leaves
    branches: Branches
    preorder: np.ndarray  # PREORDER_FRAME[height]
    tree: Nodes  # the pruned tree

    @classmethod
    def empty(cls, places: int, height: int, widest: int, tree: Nodes) -> PruneBuffers:
        """Return buffers with this much room; ``tree`` is where the pruned tree goes."""
        n_nodes, n_classes = tree.counts.shape
        return cls(
            held=plain_records(places, HELD_CASE),
            spare=plain_records(places, HELD_CASE),
            stack=plain_records(height, PRUNE_FRAME),
            errors=np.empty(n_nodes),
            unplaced_errors=np.empty(n_nodes),
            unplaced=np.empty(n_classes),
            counts=np.empty(n_classes),
            size=plain_records(1, TREE_SIZE),
            branches=Branches.empty(0, widest, n_classes),
            preorder=plain_records(height, PREORDER_FRAME),
            tree=tree,
        )


@part
def training_errors(counts):
    """Return how many cases are not of the largest class."""
    return total_of(counts) - counts[majority_label(counts)]


@part
def collapse_nodes(nodes, n_nodes, domain, nominal, errors):
    """Make a leaf of every node whose subtree makes no fewer errors than the leaf would."""
    for node in range(n_nodes - 1, -1, -1):
        leaf = training_errors(nodes.counts[node])
        errors[node] = leaf
        if nodes.test[node] == NONE:
            continue
        below = 0.0
        for b in range(width(nodes.test[node], domain, nominal)):
            child = nodes.children[nodes.first[node] + b]
            if child != NONE:
                below += errors[child]
        if below >= leaf - EPSILON:
            nodes.test[node] = NONE
        else:
            errors[node] = below


@kernel
def collapse(nodes, domain, nominal, errors):
    """Collapse a tree, in place, without pruning it.

    Parameters
    ----------
    nodes : Nodes
        The tree, children after their parents.
    domain : int64[a]
        How many values a test has.
    nominal : uint8[a]
        1 where a test is nominal.
    errors : float64[node]
        Filled with the errors of each subtree on the training cases.
    """
    collapse_nodes(nodes, nodes.test.size, domain, nominal, errors)


@part
def majority_errors(counts, cf, form):
    """Return the expected errors of a leaf that answers its largest class."""
    n = total_of(counts)
    return expected_error(n, n - counts[majority_label(counts)], cf, form)


@part
def count_classes(classes, held, frame, counts):
    """Count the classes of the cases of a frame."""
    clear(counts)
    for i in range(frame.lo, frame.hi):
        counts[classes[held[i].row]] += held[i].weight


@part
def partition_in_place(cases, nodes, whole, work, depth):
    """Partition the cases of the node at this depth of the stack among its branches.

    Returns where free places begin now, or FULL. Branch ``b`` gets ``branches.info[b].n_cases``
    cases from ``.start`` on. If no case has a value, none can be placed and all are counted in
    ``work.unplaced``.
    """
    frame, branches, held = work.stack[depth], work.branches.info, work.held
    node, lo, hi, top = frame.node, frame.lo, frame.hi, frame.top
    a, cut = nodes.test[node], nodes.cut[node]
    nominal = cases.nominal[a]
    k = width(a, cases.domain, cases.nominal)
    clear(work.unplaced)
    clear_branches(branches, k)
    known, unknown = 0.0, 0
    for i in range(lo, hi):
        b = branch_for(code_of(cases, a, held[i].row), nominal, cut, whole)
        if b < 0:
            unknown += 1
        else:
            add_case(branches[b], held[i].weight)
            known += held[i].weight
    in_place = unknown == 0
    start = lo if in_place else top
    for b in range(k):
        branch = branches[b]
        branch.start = NONE
        if branch.n_cases > 0:
            branch.n_cases += unknown
            branch.start = start
            branch.next = start
            start += branch.n_cases
    if start > held.size:
        return FULL
    out = work.spare if in_place else held
    for i in range(lo, hi):
        row, w = held[i].row, held[i].weight
        b = branch_for(code_of(cases, a, row), nominal, cut, whole)
        if b >= 0:
            put_case(out, branches[b], row, w)
        elif known <= 0.0:
            work.unplaced[cases.classes[row]] += w
        else:
            for b in range(k):
                if branches[b].start != NONE:
                    put_case(out, branches[b], row, branch_share(branches[b], w, known))
    if in_place:
        for i in range(lo, hi):
            held[i].row = out[i].row
            held[i].weight = out[i].weight
    return start if start > top else top


@atom
def branch_for(code, nominal, cut, whole):
    """Return the branch that a code takes, NONE if it takes all of them."""
    b = branch_of(code, nominal, cut)
    return np.int64(LACKING) if whole and b < 0 else b


@part
def put_case(held, branch, row, weight):
    """Give a case, with this weight, to a branch."""
    held[branch.next].row = row
    held[branch.next].weight = weight
    branch.next += 1


@part
def unplaced_errors(unplaced, label, cf, form):
    """Return the expected errors of the unplaced cases, answered by the node's own label."""
    n = total_of(unplaced)
    return expected_error(n, n - unplaced[label], cf, form)


@part
def push_cases(frame, node, lo, hi, top):
    """Fill the frame of a node to enter."""
    frame.node = node
    frame.lo = lo
    frame.hi = hi
    frame.top = top
    frame.entered = 0


@part
def push_children(nodes, node, k, top, depth, work):
    """Stack the children that got cases; return the height, or FULL."""
    if depth + k > work.stack.size:
        return FULL
    for b in range(k - 1, -1, -1):
        branch = work.branches.info[b]
        if branch.start != NONE:
            child, end = nodes.children[nodes.first[node] + b], branch.start + branch.n_cases
            push_cases(work.stack[depth], child, branch.start, end, top)
            depth += 1
    return depth


@section
def errors_if_raised(cases, nodes, rules, work, branch, base):
    """Return the expected errors if all cases of a node went down ``branch``, or FULL.

    The node's frame is the one below ``base``; above it the stack is free.
    """
    above = work.stack[base - 1]
    push_cases(work.stack[base], branch, above.lo, above.hi, above.top)
    depth = base + 1
    total = 0.0
    while depth > base:
        depth -= 1
        node = work.stack[depth].node
        k = width(nodes.test[node], cases.domain, cases.nominal) if node != NONE else 0
        if k == 0:
            count_classes(cases.classes, work.held, work.stack[depth], work.counts)
            total += majority_errors(work.counts, rules.cf, rules.form)
            continue
        top = partition_in_place(cases, nodes, rules.whole, work, depth)
        if top == FULL:
            return float(FULL)
        label = majority_label(nodes.counts[node])
        total += unplaced_errors(work.unplaced, label, rules.cf, rules.form)
        depth = push_children(nodes, node, k, top, depth, work)
        if depth == FULL:
            return float(FULL)
    return total


@section
def enter_node(cases, nodes, rules, work, depth):
    """Refresh a node's counts and send its cases on; return the height of the stack, or FULL."""
    frame, size = work.stack[depth], work.size[0]
    node = frame.node
    count_classes(cases.classes, work.held, frame, nodes.counts[node])
    work.errors[node] = majority_errors(nodes.counts[node], rules.cf, rules.form)
    k = width(nodes.test[node], cases.domain, cases.nominal)
    if k == 0:
        return depth
    top = partition_in_place(cases, nodes, rules.whole, work, depth)
    if top == FULL:
        return FULL
    label = majority_label(nodes.counts[node])
    work.unplaced_errors[node] = unplaced_errors(work.unplaced, label, rules.cf, rules.form)
    for b in range(k):
        slot = nodes.first[node] + b
        if work.branches.info[b].start == NONE:
            nodes.children[slot] = NONE
        elif nodes.children[slot] == NONE:
            if size.n_nodes == nodes.test.size:
                return FULL
            nodes.children[slot] = size.n_nodes
            set_leaf(nodes, size.n_nodes, node, nodes.counts[node])
            nodes.lacking[size.n_nodes] = b == lacking_branch(cases, nodes.test[node])
            size.n_nodes += 1
    frame.entered = 1
    return push_children(nodes, node, k, top, depth + 1, work)


@section
def decide_node(cases, nodes, rules, work, depth):
    """Decide on a node whose children are settled; return the height of the stack, or FULL."""
    node = work.stack[depth].node
    leaf, tree = work.errors[node], work.unplaced_errors[node]
    largest, most = np.int64(NONE), -1.0
    for b in range(width(nodes.test[node], cases.domain, cases.nominal)):
        child = nodes.children[nodes.first[node] + b]
        if child == NONE:
            continue
        tree += work.errors[child]
        size = total_of(nodes.counts[child])
        if size >= most - TOLERANCE * most:  # of equal ones the last, as in Release 8
            largest, most = child, size
    raised = np.inf
    if rules.raising and largest != NONE:
        raised = errors_if_raised(cases, nodes, rules, work, largest, depth + 1)
        if raised == FULL:
            return FULL
    if leaf <= raised + ERROR_SLACK and leaf <= tree + ERROR_SLACK:
        nodes.test[node] = NONE
    elif raised <= tree + ERROR_SLACK:
        copy_split(nodes, largest, nodes, node)
        work.stack[depth].entered = 0
        return depth + 1
    else:
        work.errors[node] = tree
    return depth


@kernel
def prune_errors(cases, nodes, rules, work):
    """Prune a tree by expected errors.

    Parameters
    ----------
    cases : Cases
        The training cases.
    nodes : Nodes
        The tree, children after their parents, with room for more; cut back in place.
    rules : PruneRules
        How to prune.
    work : PruneBuffers
        Buffers; ``work.size`` tells how many nodes the tree has. ``work.tree`` is filled with the
        pruned tree, in preorder, and ``work.size`` with its size.

    Returns
    -------
    float
        The expected errors of the tree, or FULL if there was no room.
    """
    size = work.size[0]
    if rules.collapsing:
        collapse_nodes(nodes, size.n_nodes, cases.domain, cases.nominal, work.errors)
    for i in range(cases.classes.size):
        work.held[i].row = i
        work.held[i].weight = cases.weights[i]
    root, n = np.int64(0), cases.classes.size
    push_cases(work.stack[0], root, root, n, n)
    depth = root + 1
    while depth > 0:
        depth -= 1
        if work.stack[depth].entered == 0:
            depth = enter_node(cases, nodes, rules, work, depth)
        else:
            depth = decide_node(cases, nodes, rules, work, depth)
    if depth == FULL:
        return float(FULL)
    size.n_nodes, size.n_slots = copy_in_preorder(
        nodes, cases.domain, cases.nominal, work.preorder, work.tree
    )
    return work.errors[0]
