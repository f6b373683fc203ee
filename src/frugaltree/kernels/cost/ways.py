"""The way of a case without a value where no training case lacked it.

It ends at the node, with the node's own answer, or goes on down one of the branches: whichever
costs least by the training cases of the node. Each branch is tried with all of them, as if none
had a value of the node's test, and with whatever else they have.

A way must also do no harm, whatever else is missing: by the same cases it never costs more than to
end at the node (:mod:`~frugaltree.kernels.cost.worst_case`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.charges import end_of
from frugaltree.kernels.cost.lacking import begin_at, child_below, lacks_value, start_over
from frugaltree.kernels.cost.leaf import cost_of_answer
from frugaltree.kernels.cost.prices import ORDERED, Prices, charge, price_of_order
from frugaltree.kernels.cost.worst_case import WAY_FRAME, worst_cost
from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.nodes import Nodes, width
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.records import Records, empty_records
from frugaltree.kernels.sentinels import NONE
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
    paid_above: np.ndarray  # uint8[a]: by all that come to the node in hand
    opened_above: np.ndarray  # uint8[g]
    rows: np.ndarray  # int32[case]: those of the node in hand
    frames: Records  # WAY_FRAME, one for each level below it

    @classmethod
    def empty(cls, n_cases: int, n_nodes: int, n_tests: int, n_groups: int) -> WayBuffers:
        """Return room for so many cases."""
        return cls(
            order=np.empty(n_cases, np.int32),
            start=np.zeros(n_nodes + 1, np.int64),
            leaf=np.empty(n_cases, np.int32),
            paid=np.empty(n_tests, np.uint8),
            opened=np.empty(n_groups, np.uint8),
            paid_above=np.empty(n_tests, np.uint8),
            opened_above=np.empty(n_groups, np.uint8),
            rows=np.empty(n_cases, np.int32),
            frames=empty_records(n_nodes + 1, WAY_FRAME),
        )


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
def pay_below(task, node, row, masked, state):
    """Return what a case pays at a node: for its test or, if that is delayed, for an order."""
    cases, prices, nodes, a = task.cases, task.prices, task.nodes, task.nodes.test[node]
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
def cost_on_way(task, node, child, row, state):
    """Return what a case costs that goes from a node to a child without a value of its test."""
    cases, prices, nodes, masked = task.cases, task.prices, task.nodes, task.nodes.test[node]
    start_over(state)
    cost, here = pay_below(task, node, row, masked, state), child
    while nodes.test[here] != NONE:
        a, below = nodes.test[here], child_below(cases, nodes, task.ways, here, row, masked)
        lacks = a == masked or lacks_value(cases, row, a)
        if below != NONE or not lacks or prices.charge_missing:
            cost += pay_below(task, here, row, masked, state)
        if below == NONE:
            break
        here = below
    return cost + task.errors[task.labels[here], cases.classes[row]]


@part
def cost_of_end(task, node, row, state):
    """Return what a case costs that ends at a node for want of a value of its test.

    It pays for that only where tests without a result are charged.
    """
    cost = task.errors[task.labels[node], task.cases.classes[row]]
    if task.prices.charge_missing:
        start_over(state)
        cost += pay_below(task, node, row, task.nodes.test[node], state)
    return cost


@part
def cost_without_values(task, node, child):
    """Return what errors cost the cases of a node that go on to a child, or end, and know nothing.

    From the node itself they go nowhere.
    """
    end = child
    while end != node and task.nodes.test[end] != NONE and task.ways[end] != NONE:
        end = task.ways[end]
    return cost_of_answer(task.errors, task.nodes.counts[node], task.labels[end])


@part
def best_way(task, node, work):
    """Return the child to go on to without a value of a node's test, NONE to end there."""
    nodes, cases = task.nodes, task.cases
    begin, end = work.start[node], work.start[end_of(nodes, node)]
    step = max(np.int64(1), (end - begin) // MOST_CASES)
    begin_at(task, node, work)
    stop, n, found, last = 0.0, np.int64(0), np.int64(NONE), np.int64(NONE)
    for i in range(begin, end, step):
        row = work.order[i]
        stop += cases.weights[row] * cost_of_end(task, node, row, work)
        work.rows[n] = row
        n += 1
    best, limit = stop, cost_without_values(task, node, node) * (1.0 + TOLERANCE)
    for b in range(width(nodes.test[node], cases.domain, cases.nominal)):
        child = nodes.children[nodes.first[node] + b]
        if child == NONE or child == last:  # noqa: SIM109 - Numba makes a loop of it
            continue
        last, cost, i = child, 0.0, begin
        if cost_without_values(task, node, child) > limit:
            continue  # with nothing known it would cost more than to end here
        while i < end and cost < best * (1.0 - TOLERANCE):
            row = work.order[i]
            cost += cases.weights[row] * cost_on_way(task, node, child, row, work)
            i += step
        if cost < best * (1.0 - TOLERANCE):
            if worst_cost(task, node, child, n, work) <= stop * (1.0 + TOLERANCE):
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
