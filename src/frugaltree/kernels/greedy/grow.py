"""Growing a tree top-down with an explicit stack, for every greedy learner.

The cases of a node stand, ascending, in ``lists[side, 0, lo:hi]``, and for each numeric test of
many values once more, sorted by it. A split writes the children's lists to the other side, so
nothing is sorted twice and nothing is copied back; leaves are not written at all. Only where a
split sends a case down several branches (unknown values in C4.5's frame) do the children need room
of their own, which they get above ``top``.

Kernels are compiled faster without slices and reallocation, hence the loops; where the room
given does not suffice, they say so and the caller comes back with more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.ask_rules import has_rules, list_asked
from frugaltree.kernels.cost.charges import path_state
from frugaltree.kernels.criteria import GAIN_RATIO
from frugaltree.kernels.data.cases import code_of, sort_by_code
from frugaltree.kernels.data.counts import clear, total_of
from frugaltree.kernels.data.nodes import LACKING, lacking_branch, set_leaf, width
from frugaltree.kernels.data.partition import Branches, add_case, branch_share, clear_branches
from frugaltree.kernels.data.thresholds import branch_of, place_cut
from frugaltree.kernels.greedy.choose import (
    NodeEvaluation,
    best_by_criterion,
    best_by_gain_ratio,
    best_by_reduction,
    evaluate_gains,
)
from frugaltree.kernels.greedy.split import (
    ROUNDING,
    NodeCases,
    NodeCosts,
    SplitBuffers,
    label_cost,
)
from frugaltree.kernels.jit import kernel, part, section
from frugaltree.kernels.records import record_type
from frugaltree.kernels.sentinels import FULL, NONE

GROW_FRAME = record_type(node=np.int64, lo=np.int64, hi=np.int64, side=np.int64, top=np.int64)
"""A node that may be split: where its cases stand, and where free places begin."""


class GrowBuffers(NamedTuple):
    """Where a tree is grown."""

    lists: np.ndarray  # int32[side, list, place]
    list_weights: np.ndarray  # float64[side, place]: weights beside list 0, unless all are 1
    list_of: np.ndarray  # int64[a]: the list sorted by a numeric test, else 0
    weights: np.ndarray  # float64[case]: weights at the node in hand
    classes: np.ndarray  # int32[place]: classes of its cases
    stack: np.ndarray  # GROW_FRAME[height]
    constant: np.ndarray  # uint8[height, a]: beside the stack, the tests that have one value left
    code_starts: np.ndarray  # int64[code]: for sorting
    size: np.ndarray  # TREE_SIZE[1]
    evaluation: NodeEvaluation
    branches: Branches
    split: SplitBuffers
    stop: np.ndarray  # int64[1]: not 0 once the tree is to stay as it is


@part
def must_be_leaf(counts, min_cases):
    """Tell whether a node is pure or too small to split."""
    total, largest = 0.0, 0.0
    for c in range(counts.size):
        total += counts[c]
        if counts[c] > largest:
            largest = counts[c]
    return largest >= total - ROUNDING or total < 2.0 * min_cases - ROUNDING


@section
def assign_branches(cases, rules, nodes, frame, work, k):
    """Assign the cases of a node to the ``k`` branches of its test and count them.

    Returns the weight of the cases with a value where others are spread over all branches, which
    share them out by it; else 0.
    """
    to, a = work.branches, nodes.test[frame.node]
    clear_branches(to.info, k)
    for b in range(k):
        clear(to.counts[b])
    nominal, cut = cases.nominal[a], nodes.cut[frame.node]
    rows = work.lists[frame.side, 0]
    known, unknown = 0.0, 0
    for i in range(frame.lo, frame.hi):
        row = rows[i]
        b = branch_of(code_of(cases, a, row), nominal, cut)
        if b < 0 and not rules.c45:
            b = np.int64(LACKING)
        to.of_case[row] = b
        if b < 0:
            unknown += 1
            continue
        w = 1.0 if cases.unit else work.weights[row]
        add_case(to.info[b], w)
        to.counts[b, cases.classes[row]] += w
        known += w
    if unknown == 0:
        return 0.0
    spread_missing(cases, frame, work, k, known)
    return known


@part
def spread_missing(cases, frame, work, k, known):
    """Assign the cases without a value to all branches that have cases."""
    to = work.branches
    for i in range(frame.lo, frame.hi):
        row = work.lists[frame.side, 0, i]
        if to.of_case[row] >= 0:
            continue
        c = cases.classes[row]
        for b in range(k):
            if to.info[b].n_cases > 0:
                to.info[b].n_cases += 1
                to.counts[b, c] += branch_share(to.info[b], work.weights[row], known)


@part
def place_children(to, k, start, min_cases):
    """Give each child that may grow further its place in the lists; return the end."""
    for b in range(k):
        branch = to.info[b]
        branch.start = NONE
        if branch.n_cases > 0 and not must_be_leaf(to.counts[b], min_cases):
            branch.start = start
            start += branch.n_cases
    return start


@part
def copy_to_children(work, frame, k, known, unit):
    """Write the children's lists, in the parent's order, to the other side."""
    lists, weights, branches, side = work.lists, work.list_weights, work.branches, frame.side
    lo, hi, other = frame.lo, frame.hi, 1 - frame.side
    for column in range(lists.shape[1]):
        for b in range(k):
            branches.info[b].next = branches.info[b].start
        weigh = column == 0 and not unit
        for i in range(lo, hi):
            row = lists[side, column, i]
            b = branches.of_case[row]
            if b >= 0:
                place = branches.info[b].next
                if place >= 0:
                    lists[other, column, place] = row
                    if weigh:
                        weights[other, place] = work.weights[row]
                    branches.info[b].next = place + 1
                continue
            for b in range(k):
                place = branches.info[b].next
                if place >= 0:
                    lists[other, column, place] = row
                    if weigh:
                        share = branch_share(branches.info[b], work.weights[row], known)
                        weights[other, place] = share
                    branches.info[b].next = place + 1


@section
def init_root(cases, nodes, min_cases, work):
    """Fill the root's lists and node; return the height of the stack."""
    n = cases.classes.size
    for i in range(n):
        work.lists[0, 0, i] = i
        if not cases.unit:
            work.list_weights[0, i] = cases.weights[i]
    for a in range(work.list_of.size):
        work.constant[0, a] = 0
        if work.list_of[a] > 0:
            out = work.lists[0, work.list_of[a]]
            sort_by_code(cases, a, work.code_starts, out)
    root = np.int64(0)
    set_leaf(nodes, root, np.int64(NONE), nodes.counts[root])
    clear(nodes.counts[root])
    for i in range(n):
        nodes.counts[root, cases.classes[i]] += cases.weights[i]
    work.size[0].n_nodes, work.size[0].n_slots = 1, 0
    push_node(work.stack[0], root, root, n, root, n)
    return root if must_be_leaf(nodes.counts[root], min_cases) else root + 1


@part
def push_node(frame, node, lo, hi, side, top):
    """Fill the frame of a node that may be split."""
    frame.node = node
    frame.lo = lo
    frame.hi = hi
    frame.side = side
    frame.top = top


@section
def load_node(cases, prices, nodes, work, depth):
    """Return the cases of the node on top of the stack; set what its path has paid."""
    frame, evaluation = work.stack[depth], work.evaluation
    lists, counts = work.lists[frame.side], nodes.counts[frame.node]
    for i in range(frame.lo, frame.hi):
        work.classes[i] = cases.classes[lists[0, i]]
    if not cases.unit:
        for i in range(frame.lo, frame.hi):
            work.weights[lists[0, i]] = work.list_weights[frame.side, i]
    for a in range(evaluation.constant.size):
        evaluation.constant[a] = work.constant[depth, a]
    path_state(prices, nodes, frame.node, evaluation.paid, evaluation.opened)
    if has_rules(prices.rules):
        list_asked(prices.rules, nodes, frame.node, evaluation.asked)
    return NodeCases(
        lists=lists,
        list_of=work.list_of,
        lo=frame.lo,
        hi=frame.hi,
        classes=work.classes,
        weights=work.weights,
        counts=counts,
        total=total_of(counts),
    )


@section
def split_node(cases, rules, nodes, work, a, depth):
    """Split the node just taken off the stack by test ``a`` and stack its children.

    Returns the height of the stack, FULL if there is no room.
    """
    # The first child takes the frame of its parent, so what that holds is read first.
    frame, size, to = work.stack[depth], work.size[0], work.branches
    node, lo, side, top = frame.node, frame.lo, frame.side, frame.top
    nodes.test[node] = a
    k = width(a, cases.domain, cases.nominal)
    if not cases.nominal[a]:
        score = work.evaluation.scores[a]
        nodes.cut[node], nodes.threshold[node] = place_cut(
            cases, a, score.below, score.above, rules.c45
        )
    known = assign_branches(cases, rules, nodes, frame, work, k)
    end = place_children(to, k, top if known > 0.0 else lo, rules.min_cases)
    if end > top:
        top = end
    if (
        top > work.lists.shape[2]
        or size.n_nodes + k > nodes.test.size
        or size.n_slots + k > nodes.children.size
        or depth + k > work.stack.size
    ):
        return FULL
    copy_to_children(work, frame, k, known, cases.unit)
    nodes.first[node] = size.n_slots
    for b in range(k):
        branch = to.info[b]
        if branch.n_cases == 0:
            nodes.children[size.n_slots + b] = NONE
            continue
        nodes.children[size.n_slots + b] = size.n_nodes
        set_leaf(nodes, size.n_nodes, node, to.counts[b])
        nodes.lacking[size.n_nodes] = b == lacking_branch(cases, a)
        if branch.start >= 0:
            end = branch.start + branch.n_cases
            push_node(work.stack[depth], size.n_nodes, branch.start, end, 1 - side, top)
            for t in range(work.list_of.size):
                work.constant[depth, t] = work.evaluation.constant[t]
            depth += 1
        size.n_nodes += 1
    size.n_slots += k
    return depth


@kernel
def grow_by_gain(cases, prices, rules, nodes, work):
    """Grow a tree by a criterion of gain and price.

    Parameters
    ----------
    cases : Cases
        The training cases.
    prices : Prices
        The price list.
    rules : Rules
        How a test is chosen.
    nodes : Nodes
        Filled with the tree, in the order in which its nodes are made.
    work : GrowBuffers
        Buffers; ``work.size`` tells how many nodes and slots are filled.

    Returns
    -------
    int
        FULL if there was no room, else how many nodes are left that might have been split.
    """
    depth = init_root(cases, nodes, rules.min_cases, work)
    while depth > 0 and work.stop[0] == 0:
        depth -= 1
        node = load_node(cases, prices, nodes, work, depth)
        evaluate_gains(cases, prices, rules, node, work.evaluation, work.split)
        if rules.criterion == GAIN_RATIO:
            n_cases = total_of(nodes.counts[0])
            a = best_by_gain_ratio(cases, prices.usable, n_cases, work.evaluation.scores)
        else:
            a = best_by_criterion(prices, rules, work.evaluation)
        if a != NONE:
            depth = split_node(cases, rules, nodes, work, a, depth)
    return depth


@kernel
def grow_by_reduction(cases, prices, errors, rules, nodes, work):
    """Grow a tree by the reduction of total cost (DTMC).

    Parameters
    ----------
    cases : Cases
        The training cases.
    prices : Prices
        The price list.
    errors : float64[answer, class]
        What answering one class costs where another is right.
    rules : Rules
        How a test is priced and a node's cost worked out.
    nodes : Nodes
        Filled with the tree, in the order in which its nodes are made.
    work : GrowBuffers
        Buffers; ``work.size`` tells how many nodes and slots are filled.

    Returns
    -------
    int
        FULL if there was no room, else how many nodes are left that might have been split.
    """
    depth = init_root(cases, nodes, rules.min_cases, work)
    while depth > 0 and work.stop[0] == 0:
        depth -= 1
        node = load_node(cases, prices, nodes, work, depth)
        before = label_cost(errors, node.counts, rules.smooth)
        costs = NodeCosts(errors, rules.smooth, before, prices.charge_missing, rules.min_leaf)
        a = best_by_reduction(cases, prices, rules, costs, node, work)
        if a != NONE:
            depth = split_node(cases, rules, nodes, work, a, depth)
    return depth


@kernel
def gains_at_root(cases, prices, rules, nodes, work):
    """Score every test by its gain over all cases.

    Parameters
    ----------
    cases : Cases
        The training cases.
    prices : Prices
        The price list, for which tests are usable.
    rules : Rules
        The frame in which gains are taken.
    nodes : Nodes
        Room for one node.
    work : GrowBuffers
        Buffers; the gains come to stand in ``work.evaluation.scores``.
    """
    init_root(cases, nodes, rules.min_cases, work)
    node = load_node(cases, prices, nodes, work, np.int64(0))
    evaluate_gains(cases, prices, rules, node, work.evaluation, work.split)
