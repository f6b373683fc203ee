"""A training case on its way down a tree, and the values that it lacks."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.charges import path_state
from frugaltree.kernels.data.cases import code_of
from frugaltree.kernels.data.nodes import HIGH, LOW
from frugaltree.kernels.jit import part
from frugaltree.kernels.sentinels import MISSING, NONE


@part
def lacks_value(cases, row, a):
    """Tell whether a case lacks a value of a test."""
    code = code_of(cases, a, row)
    return code == MISSING or (
        cases.lacking[a] != 0 and cases.nominal[a] != 0 and code == cases.domain[a] - 1
    )


@part
def child_below(cases, nodes, ways, node, row, masked):
    """Return where a case goes on, NONE if it ends; it has no value of the test ``masked``.

    It goes by the threshold, as a new case does, not by the cut: its value may lie between those
    of the node's own cases.
    """
    a = nodes.test[node]
    if a == masked or lacks_value(cases, row, a):
        return ways[node]
    b = code_of(cases, a, row)
    if not cases.nominal[a]:
        b = np.int64(LOW if cases.values[cases.start[a] + b] <= nodes.threshold[node] else HIGH)
    return nodes.children[nodes.first[node] + b]


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
def begin_at(task, node, state):
    """Set what cases have paid for when they come to a node: ``start_over`` returns to it."""
    path_state(task.prices, task.nodes, node, state.paid_above, state.opened_above)
    if is_ordered_above(task.prices, task.nodes, node):
        for a in range(state.paid_above.size):
            state.paid_above[a] = 1


@part
def start_over(state):
    """Set what the next case has paid for: that of the path above the node in hand."""
    for a in range(state.paid.size):
        state.paid[a] = state.paid_above[a]
    for g in range(state.opened.size):
        state.opened[g] = state.opened_above[g]
