"""Reading the best tree known out of the table of states.

It goes down from the root, and does at each state what the table says is best. That takes only a
few parts of the search: to describe a state, to find it, to partition its cases.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.ask_rules import list_asked
from frugaltree.kernels.cost.charges import path_state
from frugaltree.kernels.cost.discounts import price_here
from frugaltree.kernels.cost.prices import depends, is_paid_for
from frugaltree.kernels.data.nodes import lacking_branch, set_leaf
from frugaltree.kernels.data.thresholds import place_cut
from frugaltree.kernels.exact.actions import asked_test, cut_of, is_order, is_ordered
from frugaltree.kernels.exact.answers import allowed_at, part_answers
from frugaltree.kernels.exact.branch import describe, partition
from frugaltree.kernels.exact.budget import grains_of, is_limited
from frugaltree.kernels.exact.candidates import charge_by_case, count_cuts, sort_values
from frugaltree.kernels.exact.objective import cost_as_leaf, split_charge
from frugaltree.kernels.exact.orders import order_charge
from frugaltree.kernels.jit import kernel, section
from frugaltree.kernels.records import Records, record_type, zero_records
from frugaltree.kernels.sentinels import NONE

PENDING = record_type(
    node=np.int64,  # its number
    start=np.int64,  # its cases are ``rows[start:stop]``
    stop=np.int64,
    depth=np.int64,  # tests that may follow
    order=np.int64,  # the order that it is part of, NONE for none
    left=np.float64,  # what its cases may still be charged, in grains
    first_answer=np.int64,  # the answers that are allowed, both included
    last_answer=np.int64,
)
"""A node yet to be written."""


def empty_pending(n: int, widest: int) -> Records:
    """Return room for reading a tree of ``n`` kinds of cases and so many branches to a test."""
    return zero_records(2 * n + widest + 2, PENDING)


@section
def allow(stack, path, order):
    """List the tests that may be asked: all that are usable, under an order only its own."""
    path.ordered[0] = is_order(order)
    for a in range(path.paid.size):
        stack.live[1, a] = stack.live[0, a]
        if is_order(order) and not is_ordered(order, a) and not path.paid[a]:
            stack.live[1, a] = 0


@section
def cuts_of(context, buffers, counts, branch, a):
    """Return how many thresholds a test may choose from."""
    if context.cases.nominal[a] or context.objective.per_log_cut == 0.0:
        return np.int64(1)
    n, known, _ = sort_values(context, buffers, counts, branch.start, branch.stop, a)
    return count_cuts(context.cases, context.objective, buffers.sorter, n, known)


@section
def rank_above(context, branch, a, cut):
    """Return the next rank of a value above a threshold among some cases."""
    cases, above = context.cases, context.cases.domain[a]
    for i in range(branch.start, branch.stop):
        code = np.int64(cases.cells[a, context.rows[i]] >> cases.shift)
        if cut < code < above:
            above = code
    return above


@section
def weight_of(context, start, stop):
    """Return the weight of some cases."""
    weight = 0.0
    for i in range(start, stop):
        weight += context.cases.weights[context.rows[i]]
    return weight


@kernel
def read_tree(context, stack, buffers, table, pending, nodes):
    """Write down the best tree known for a state; one that has been forgotten is a leaf.

    Parameters
    ----------
    context : Context
        The problem, what is known, and the path to the state: nothing paid.
    stack : Stack
        Its frame 0 has the cases and the depth of the state; branch 0 is written over.
    buffers : ExpandBuffers
        For partitioning cases.
    table : Table
        The values of numeric tests.
    pending : PENDING[n]
        Room for the nodes yet to be written.
    nodes : Nodes
        Where the tree is written, children in the order of their numbers.

    Returns
    -------
    cost : float64
        What the tree costs over all cases.
    n_nodes, n_slots : int64
        How many nodes it has, and slots for children.
    """
    path, prices = context.path, context.prices
    branch, counts = stack.branches[0], stack.counts[0]
    n_nodes, n_slots, top, total = np.int64(1), np.int64(0), 1, 0.0
    nodes.parent[0], nodes.lacking[0] = NONE, 0
    pending[0].node = 0
    pending[0].start = stack.frames[0].start
    pending[0].stop = stack.frames[0].stop
    pending[0].depth = stack.frames[0].depth
    pending[0].order = NONE
    pending[0].left = context.purse.limit
    pending[0].first_answer = context.objective.allowed.least
    pending[0].last_answer = context.objective.allowed.most
    while top > 0:
        top -= 1
        node, order, depth = pending[top].node, pending[top].order, pending[top].depth
        branch.start = pending[top].start
        branch.stop = pending[top].stop
        branch.left = pending[top].left
        branch.first_answer = pending[top].first_answer
        branch.last_answer = pending[top].last_answer
        path_state(prices, nodes, node, path.paid, path.opened)
        list_asked(prices.rules, nodes, node, path.asked)
        while True:
            allow(stack, path, order)
            action = describe(context, stack.live[1], branch, counts, depth, 0.0)
            if not is_order(action):
                break
            total += order_charge(context, branch.start, branch.stop, action, branch.weight)
            order = action
        lacking = nodes.lacking[node]
        set_leaf(nodes, node, nodes.parent[node], counts)
        nodes.lacking[node] = lacking
        if action == NONE:
            total += cost_as_leaf(context.objective, counts, branch.weight, allowed_at(branch))
            continue
        a, cut = asked_test(action), cut_of(action)
        price, left = price_here(prices, path, a), branch.left
        if is_limited(context):
            left -= grains_of(context, a)
        if depends(prices, a):
            total += charge_by_case(context, branch.start, branch.stop, a)
            price = 0.0
        total += price * branch.weight
        total += split_charge(context.objective, cuts_of(context, buffers, counts, branch, a))
        nodes.test[node] = a
        nodes.first[node] = n_slots
        if not context.cases.nominal[a]:
            above = rank_above(context, branch, a, cut)
            nodes.cut[node], nodes.threshold[node] = place_cut(table, a, cut, above, False)
        start = branch.start
        for b in range(partition(context, buffers, start, branch.stop, action)):
            stop = buffers.values[b].stop
            nodes.children[n_slots] = NONE
            if stop > start:
                nodes.children[n_slots] = n_nodes
                nodes.parent[n_nodes] = node
                nodes.lacking[n_nodes] = b == lacking_branch(context.cases, a)
                pending[top].left = left
                if not is_paid_for(prices, nodes.lacking[n_nodes]):
                    total -= price * weight_of(context, start, stop)
                    pending[top].left = branch.left
                part_answers(context, branch, action, np.int64(b), pending[top])
                pending[top].node = n_nodes
                pending[top].start = start
                pending[top].stop = stop
                pending[top].depth = depth - 1
                pending[top].order = order
                top += 1
                n_nodes += 1
            n_slots += 1
            start = stop
    for a in range(path.paid.size):
        path.paid[a] = 0
        path.asked[a] = 0
    for g in range(path.opened.size):
        path.opened[g] = 0
    path.ordered[0] = 0
    return total, n_nodes, n_slots
