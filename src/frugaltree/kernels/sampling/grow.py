"""The learner's own tree, node after node: each test chosen by sampling what is below it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.path_state import start_path, take_on_path
from frugaltree.kernels.cost.prices import is_paid_for
from frugaltree.kernels.data.nodes import Nodes, lacking_branch, set_leaf
from frugaltree.kernels.data.thresholds import place_cut
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.random import mix
from frugaltree.kernels.records import record_type
from frugaltree.kernels.sampling.cache import RowRange, is_closed, rows_of
from frugaltree.kernels.sampling.evaluate import (
    EVALUATE,
    GROW,
    SHARED,
    STATUS_OFFSET,
    STOPPED,
    estimate_tests,
    find_node_set,
    reset_evaluation,
)
from frugaltree.kernels.sampling.gains import last_rank_below
from frugaltree.kernels.sampling.ruled import note_waiting, restore_asked
from frugaltree.kernels.sampling.sample import (
    best_scored,
    cannot_pay,
    pay_for_test,
    score_tests,
)
from frugaltree.kernels.sampling.split_set import hash_rows, send_down, write_branches
from frugaltree.kernels.sentinels import FULL, NONE

TREE_USED = record_type(nodes=np.int64, slots=np.int64)
"""How many nodes and child slots of a tree are in use."""


class GrowingTree(NamedTuple):
    """A tree in the making, below a node of a larger one, and its nodes still to be decided."""

    nodes: Nodes
    used: np.record  # TREE_USED
    stack: np.recarray  # OPEN_NODE[height]
    allowed: np.ndarray  # uint8[node, a]: what the lab order above may hold, under a budget
    above: np.ndarray  # int64[height]: the tests over the root that are paid
    asked_above: np.ndarray  # int64[height]: all tests over the root, with rules on them


@part
def restore_path(work, tree, open_node):
    """Set the path to an open node of the learner's tree."""
    prices, plan, path, nodes = work.prices, work.sets.plan, work.path, tree.nodes
    start_path(prices, plan, path)
    for i in range(tree.above.size):
        take_on_path(prices, plan, path, tree.above[i])
    node = np.int64(open_node.node)
    while nodes.parent[node] != NONE:
        if is_paid_for(prices, nodes.lacking[node]):
            take_on_path(prices, plan, path, nodes.test[nodes.parent[node]])
        node = nodes.parent[node]
    if plan.ruled:
        restore_asked(work, tree, np.int64(open_node.node))
    if plan.budget < np.inf:
        path.now.left = open_node.left
        path.now.ordered = open_node.ordered
        for a in range(path.allowed.size):
            path.allowed[a] = tree.allowed[open_node.node, a]


@part
def partition_order(sets, evaluation, cases, a, cut):
    """Put cases in the order of the branches they take; return how many branches there are.

    Within a branch those held out come last.
    """
    branches, at = sets.buffers.branches, cases.lo
    k = send_down(sets, cases, a, cut)
    for b in range(k):
        branch = branches[b]
        branch.next_growing = at
        branch.next_held_out = at + branch.n_growing
        at += branch.n_growing + branch.n_held_out
    for i in range(cases.lo, cases.hi):
        evaluation.spare[i] = cases.rows[i]
    spare = RowRange(evaluation.spare, cases.lo, cases.mid, cases.hi)
    write_branches(sets.buffers, spare, evaluation.order)
    return k


class Parent(NamedTuple):
    """What a child takes from its parent, which is on the stack no more."""

    node: int
    depth: int
    ordered: int
    key: int
    left: float  # what a case could still be charged before it was asked


@part
def push_child(work, tree, parent, lo, b, top):
    """Add the child of branch ``b`` to the tree and to the open nodes, at height ``top``.

    Its cases begin at ``lo``; returns where they end.
    """
    path, branch, nodes = work.path, work.sets.buffers.branches[b], tree.nodes
    child = tree.used.nodes
    set_leaf(nodes, child, parent.node, work.sets.buffers.counts[b])
    nodes.lacking[child] = b == lacking_branch(work.sets.table, nodes.test[parent.node])
    if work.sets.plan.budget < np.inf:
        for t in range(path.allowed.size):
            tree.allowed[child, t] = path.allowed[t]
    open_node = tree.stack[top]
    open_node.node = child
    open_node.lo = lo
    open_node.mid = lo + branch.n_growing
    open_node.hi = lo + branch.n_growing + branch.n_held_out
    open_node.depth = parent.depth + 1
    open_node.ordered = parent.ordered
    open_node.left = parent.left
    if is_paid_for(work.prices, nodes.lacking[child]):
        open_node.left = path.now.left
    open_node.key = mix(parent.key, b + 1)
    tree.used.nodes = child + 1
    return open_node.hi


@part
def split_open_node(work, evaluation, tree, e, a, top):
    """Split the open node just taken off the stack by a test and stack its children.

    Returns the height of the stack, FULL if there is no room.
    """
    table, nodes, used, open_node = work.sets.table, tree.nodes, tree.used, tree.stack[top]
    node, depth, key = open_node.node, open_node.depth, open_node.key
    ordered = np.int64(open_node.ordered != 0 or work.prices.delayed[a] != 0)
    cases = RowRange(evaluation.order, open_node.lo, open_node.mid, open_node.hi)
    nodes.test[node] = a
    cut = np.int64(NONE)
    if not table.nominal[a]:
        test = evaluation.tests[a]
        _, nodes.threshold[node] = place_cut(table, a, test.below, test.above, False)
        cut = last_rank_below(table, work.sets.plan, a, test.below, test.above)
    nodes.cut[node] = cut
    k = partition_order(work.sets, evaluation, cases, a, cut)
    fits = used.nodes + k <= nodes.test.size and used.slots + k <= nodes.children.size
    if not fits or top + k > tree.stack.size:
        top = np.int64(FULL)
        k = np.int64(0)
    nodes.first[node] = used.slots
    parent, lo = Parent(node, depth, ordered, key, work.path.now.left), cases.lo
    pay_for_test(work.prices, work.sets.plan, work.sets.cache, work.path, e, a)
    for b in range(k):
        nodes.children[used.slots + b] = NONE
        if work.sets.buffers.branches[b].n_growing > 0:
            nodes.children[used.slots + b] = used.nodes
            lo = push_child(work, tree, parent, lo, np.int64(b), top)
            top += 1
    used.slots += k
    return top


@part
def is_leaf_node(work, open_node, e):
    """Tell whether a node of the learner's tree needs no test, or no test could pay."""
    if open_node.levels < 0 or is_closed(work.sets.cache, e):
        return True
    return cannot_pay(work.sets, work.prices, work.path, e)


@part
def choose_greedily(work, evaluation, open_node):
    """Return the greedy choice at a node of the learner's tree, NONE or a status."""
    sets, path = work.sets, work.path
    e = find_node_set(sets, evaluation.order, open_node)
    if e == FULL:
        return np.int64(FULL - STATUS_OFFSET)
    if sets.plan.ruled:
        note_waiting(work, e)
    score_tests(sets.plan, sets.cache, path, np.int64(sets.cache.sets[e].evaluated))
    a = np.int64(best_scored(path))
    if a != NONE and not sets.table.nominal[a]:
        note_best_cut(sets, evaluation.tests[a], e, a)
    return a


@part
def note_best_cut(sets, test, e, a):
    """Note the ranks on either side of a numeric test's best cut."""
    table, cache, cases = sets.table, sets.cache, rows_of(sets.cache, e)
    cut = cache.splits[cache.sets[e].evaluated, a].cut
    below, above = np.int64(NONE), table.domain[a]
    for i in range(cases.lo, cases.mid):
        code = np.int64(table.cells[a, cases.rows[i]] >> table.shift)
        if code <= cut and code > below:
            below = code
        if cut < code < above:
            above = code
    test.below = below
    test.above = above


@part
def levels_below(plan, depth):
    """Return how deep the trees sampled below a node at this depth may be, -1 for a leaf."""
    left = plan.max_depth - depth - 1
    return left if left < plan.levels else plan.levels


@part
def prepare_node(sets, order, open_node):
    """Note how deep samples below an open node may be, and the fingerprint of its cases."""
    cases = RowRange(order, open_node.lo, open_node.mid, open_node.hi)
    open_node.levels = levels_below(sets.plan, open_node.depth)
    open_node.hash0, open_node.hash1 = hash_rows(sets.table, cases)


@part
def choose_test(work, evaluation, open_node, e, r, task):
    """Return the test to split an open node by, NONE for a leaf, or a status."""
    a = np.int64(NONE)
    if not is_leaf_node(work, open_node, e):
        a = np.int64(STOPPED - STATUS_OFFSET)
        if r > 0 and evaluation.stop[0] == 0:
            if task == GROW:
                reset_evaluation(evaluation)
            a = estimate_tests(work, evaluation, open_node, r, task)
        if a == STOPPED - STATUS_OFFSET and task == GROW:
            a = choose_greedily(work, evaluation, open_node)
    return a


@kernel
def grow_tree(work, evaluation, tree, r, task):
    """Grow the learner's tree below the node on the stack, or do a part of that.

    Work that others want a share of stays on the stack: on top the node whose tests were being
    evaluated.

    Parameters
    ----------
    work : Workspace
        The problem, the plan, and the buffers of this thread.
    evaluation : Evaluation
        The cases in the order of the tree's nodes; filled with what the tests of the latest node
        were found to cost. Other threads may share its claims.
    tree : GrowingTree
        Where the tree is written; the open node at the bottom of its stack is where to begin.
    r : int
        Trees sampled for each branch of each test. With 0, and once asked to stop, choices are
        greedy.
    task : int
        GROW; or EVALUATE, to evaluate those tests of the node that nobody has claimed; or a test,
        with its cut noted in ``evaluation``, to split the node by it and leave its children on
        the stack.

    Returns
    -------
    int
        The height of the stack, or FULL if there was too little room.
    """
    top = np.int64(1)
    while top > 0:
        top -= 1
        open_node = tree.stack[top]
        prepare_node(work.sets, evaluation.order, open_node)
        e = find_node_set(work.sets, evaluation.order, open_node)
        if e == FULL:
            return np.int64(FULL)
        restore_path(work, tree, open_node)
        a = np.int64(task)
        if task < 0:
            a = choose_test(work, evaluation, open_node, e, r, task)
        if a == FULL - STATUS_OFFSET:
            return np.int64(FULL)
        if task == EVALUATE:
            break
        if a == SHARED - STATUS_OFFSET:
            top += 1
            break
        if a >= 0:
            e = find_node_set(work.sets, evaluation.order, open_node)
            top = split_open_node(work, evaluation, tree, e, a, top)
        if top == FULL or task >= 0:
            break
    return top
