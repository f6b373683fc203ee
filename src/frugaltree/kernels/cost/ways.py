"""The way of a case without a value where no training case lacked it.

It ends at the node, with the node's own answer, or goes on down one of the branches: whichever
costs least by the training cases of the node. Each branch is tried with all of them, as if none had
a value of the node's test, and with whatever else they have.

A way must also do no harm to a case of which nothing more is known: where all that the branch asks
is missing, too, its answer must cost no more than the node's own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.charges import end_of, path_state
from frugaltree.kernels.cost.leaf import cost_of_answer
from frugaltree.kernels.cost.prices import ORDERED, Prices, charge, price_of_order
from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.nodes import Nodes, width
from frugaltree.kernels.data.thresholds import branch_of
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.sentinels import MISSING, NONE
from frugaltree.kernels.ties import TOLERANCE

MOST_CASES = 10_000
"""Of a node with more cases, about so many at even distances are looked at."""


class WayTask(NamedTuple):
    """A tree, the cases that it was learned from, and what things cost."""

    cases: Cases
    prices: Prices
    errors: np.ndarray  # float64[answer, class]
    nodes: Nodes  # in preorder
    labels: np.ndarray  # int32[node]
    ways: np.ndarray  # int64[node]


class WayBuffers(NamedTuple):
    """The cases by the leaf where they end, and what one of them has paid."""

    order: np.ndarray  # int32[case]: cases, sorted by leaf
    start: np.ndarray  # int64[node + 1]: where the cases of leaves from a node on begin
    leaf: np.ndarray  # int32[case]: or the node where it ends for want of a branch
    paid: np.ndarray  # uint8[a]
    opened: np.ndarray  # uint8[g]

    @classmethod
    def empty(cls, n_cases: int, n_nodes: int, n_tests: int, n_groups: int) -> WayBuffers:
        """Return room for so many cases."""
        return cls(
            order=np.empty(n_cases, np.int32),
            start=np.zeros(n_nodes + 1, np.int64),
            leaf=np.empty(n_cases, np.int32),
            paid=np.empty(n_tests, np.uint8),
            opened=np.empty(n_groups, np.uint8),
        )


@part
def lacks_value(cases, row, a):
    """Tell whether a case lacks a value of a test."""
    code = cases.codes[a, row]
    return code == MISSING or (
        cases.lacking[a] != 0 and cases.nominal[a] != 0 and code == cases.domain[a] - 1
    )


@part
def child_below(cases, nodes, ways, node, row, masked):
    """Return where a case goes on, NONE if it ends; it has no value of the test ``masked``."""
    a = nodes.test[node]
    if a == masked or lacks_value(cases, row, a):
        return ways[node]
    b = branch_of(cases.codes[a, row], cases.nominal[a], nodes.cut[node])
    return nodes.children[nodes.first[node] + b]


@part
def sort_by_leaf(cases, nodes, ways, work):
    """Sort the cases by the leaf where they end."""
    n = cases.classes.size
    for row in range(n):
        node, below = np.int64(0), np.int64(0)
        while below != NONE and nodes.test[node] != NONE:
            below = child_below(cases, nodes, ways, node, row, NONE)
            node = node if below == NONE else below
        work.leaf[row] = node
        work.start[node + 1] += 1
    for node in range(nodes.test.size):
        work.start[node + 1] += work.start[node]
    for row in range(n - 1, -1, -1):
        node = np.int64(work.leaf[row])
        work.start[node + 1] -= 1
        work.order[work.start[node + 1]] = row
    # What stands at node + 1 is where its cases begin: one place down.
    for node in range(nodes.test.size):
        work.start[node] = work.start[node + 1]
    work.start[nodes.test.size] = n


@part
def pay_below(cases, prices, nodes, node, row, masked, state):
    """Return what a case pays at a node: for its test or, if that is delayed, for an order."""
    a = nodes.test[node]
    if prices.delayed[a] and not state.paid[a]:
        for i in range(node, end_of(nodes, node)):
            b = nodes.test[i]
            if b == NONE or state.paid[b]:
                continue
            if prices.charge_missing or not (b == masked or lacks_value(cases, row, b)):
                state.paid[b] = ORDERED
        price = price_of_order(prices, state.paid, state.opened)
        for b in range(state.paid.size):
            state.paid[b] = 1  # below an order nothing is charged
        return price
    if prices.charge_missing or not (a == masked or lacks_value(cases, row, a)):
        return charge(prices, a, state.paid, state.opened)
    return 0.0


@part
def is_ordered_above(prices, nodes, node):
    """Tell whether a delayed test above has ordered, and charged, all that a node asks."""
    above = nodes.parent[node]
    while above != NONE:
        if prices.delayed[nodes.test[above]]:
            return True
        above = nodes.parent[above]
    return False


@part
def cost_on_way(task, node, child, row, state):
    """Return what a case costs that goes from a node to a child without a value of its test."""
    cases, prices, nodes, masked = task.cases, task.prices, task.nodes, task.nodes.test[node]
    path_state(prices, nodes, node, state.paid, state.opened)
    if is_ordered_above(prices, nodes, node):
        for a in range(state.paid.size):
            state.paid[a] = 1
    cost, here = pay_below(cases, prices, nodes, node, row, masked, state), child
    while nodes.test[here] != NONE:
        cost += pay_below(cases, prices, nodes, here, row, masked, state)
        below = child_below(cases, nodes, task.ways, here, row, masked)
        if below == NONE:
            break
        here = below
    return cost + task.errors[task.labels[here], cases.classes[row]]


@part
def ends_without_values(nodes, ways, node):
    """Return where a case ends that comes to a node and has no value at all."""
    while nodes.test[node] != NONE and ways[node] != NONE:
        node = ways[node]
    return node


@part
def best_way(task, node, work):
    """Return the child to go on to without a value of a node's test, NONE to end there."""
    nodes, cases, errors, counts = task.nodes, task.cases, task.errors, task.nodes.counts[node]
    begin, end = work.start[node], work.start[end_of(nodes, node)]
    step = max(np.int64(1), (end - begin) // MOST_CASES)
    best, found = 0.0, np.int64(NONE)
    for i in range(begin, end, step):
        row = work.order[i]
        best += cases.weights[row] * errors[task.labels[node], cases.classes[row]]
    limit = cost_of_answer(errors, counts, task.labels[node]) * (1.0 + TOLERANCE)
    last = np.int64(NONE)
    for b in range(width(nodes.test[node], cases.domain, cases.nominal)):
        child = nodes.children[nodes.first[node] + b]
        if child == NONE or child == last:
            continue
        last = child
        nowhere = ends_without_values(nodes, task.ways, child)
        if cost_of_answer(errors, counts, task.labels[nowhere]) > limit:
            continue
        cost, i = 0.0, begin
        while i < end and cost < best * (1.0 - TOLERANCE):
            row = work.order[i]
            cost += cases.weights[row] * cost_on_way(task, node, child, row, work)
            i += step
        if cost < best * (1.0 - TOLERANCE):
            best, found = cost, np.int64(child)
    return found


@kernel
def find_ways(task, work):
    """Find the way of a case without a value, at every node where no training case lacked it.

    Parameters
    ----------
    task : WayTask
        The tree and its cases; ``ways`` has the branches of cases without a value, else NONE, and
        is filled.
    work : WayBuffers
        Room for these cases.
    """
    nodes = task.nodes
    sort_by_leaf(task.cases, nodes, task.ways, work)
    for node in range(nodes.test.size - 1, -1, -1):
        if nodes.test[node] != NONE and task.ways[node] == NONE:
            task.ways[node] = best_way(task, node, work)
