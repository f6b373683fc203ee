"""Cases with missing values down every branch of a finished tree, as C4.5 has it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.charges import order_price
from frugaltree.kernels.cost.prices import Prices, charge
from frugaltree.kernels.data.counts import total_of
from frugaltree.kernels.data.nodes import width
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.records import plain_records, record_type
from frugaltree.kernels.sentinels import NONE

SPREAD_FRAME = record_type(node=np.int64, ordered=np.int64, share=np.float64)
"""A node that part of a case has come to, and whether its test is ordered already."""


class SpreadBuffers(NamedTuple):
    """What cases that go down several branches get, and room to work it out."""

    shares: np.ndarray  # float64[case, class]
    bills: np.ndarray  # float64[case]
    usage: np.ndarray  # uint8[case, a]: 1 where a case pays for a test
    paid: np.ndarray  # uint8[a]
    opened: np.ndarray  # uint8[g]
    stack: np.ndarray  # SPREAD_FRAME[height]

    @classmethod
    def empty(cls, n_cases: int, n_classes: int, n_nodes: int, prices: Prices) -> SpreadBuffers:
        """Return room for so many cases on a tree of so many nodes."""
        n_tests, n_groups = prices.member.shape
        return cls(
            shares=np.empty((n_cases, n_classes)),
            bills=np.empty(n_cases),
            usage=np.empty((n_cases, n_tests), np.uint8),
            paid=np.empty(n_tests, np.uint8),
            opened=np.empty(n_groups, np.uint8),
            stack=plain_records(n_nodes + 1, SPREAD_FRAME),
        )


@part
def slot_of(nodes, node, x, domain, nominal):
    """Return the child slot for a known value, NONE where the test has no such branch."""
    a = nodes.test[node]
    if not nominal[a]:
        return nodes.first[node] + (0 if x <= nodes.threshold[node] else 1)
    if x < 0 or x >= domain[a]:
        return NONE
    return nodes.first[node] + np.int64(x)


@part
def add_share(nodes, node, share, out):
    """Add a node's class shares to ``out``."""
    total = total_of(nodes.counts[node])
    for c in range(out.size):
        out[c] += share * nodes.counts[node, c] / total


@part
def pay_at_node(prices, nodes, node, state):
    """Pay for a node's test; if it is delayed, for all tests of the subtree."""
    if prices.delayed[nodes.test[node]]:
        return order_price(prices, nodes, nodes.test.size, node, NONE, state)
    return charge(prices, nodes.test[node], state.paid, state.opened)


@part
def is_new(nodes, node, b):
    """Tell whether a branch has a child that it does not share with a branch before it."""
    first = nodes.first[node]
    for i in range(first, first + b):
        if nodes.children[i] == nodes.children[first + b]:
            return False
    return nodes.children[first + b] != NONE


@part
def push_all_branches(nodes, k, frame, depth, stack):
    """Stack all children of a frame's node, each with its part of the share; return the height."""
    node, share, ordered = frame.node, frame.share, frame.ordered
    known = 0.0
    for b in range(k):
        child = nodes.children[nodes.first[node] + b]
        if is_new(nodes, node, b):
            known += total_of(nodes.counts[child])
    for b in range(k - 1, -1, -1):
        child = nodes.children[nodes.first[node] + b]
        if is_new(nodes, node, b):
            below = stack[depth]
            below.node, below.ordered = child, ordered
            below.share = share * total_of(nodes.counts[child]) / known
            depth += 1
    return depth


@kernel
def spread_cases(X, nodes, domain, nominal, prices, work):
    """Send cases down every branch of an unknown value, as C4.5 does.

    The visited nodes charge in preorder, and each test only once.

    Parameters
    ----------
    X : float64[case, a]
        Encoded cases; NaN where a value is missing.
    nodes : Nodes
        The tree, in preorder.
    domain : int64[a]
        How many values a test has.
    nominal : uint8[a]
        1 where a test is nominal.
    prices : Prices
        The price list.
    work : SpreadBuffers
        Filled with class shares, bills and the tests that each case pays for.
    """
    stack, paid = work.stack, work.paid
    for i in range(X.shape[0]):
        for c in range(work.shares.shape[1]):
            work.shares[i, c] = 0.0
        for a in range(paid.size):
            paid[a] = 0
        for g in range(work.opened.size):
            work.opened[g] = 0
        work.bills[i] = 0.0
        stack[0].node, stack[0].ordered, stack[0].share = 0, 0, 1.0
        depth = 1
        while depth > 0:
            depth -= 1
            frame = stack[depth]
            node, a = frame.node, nodes.test[frame.node]
            if a == NONE:
                add_share(nodes, node, frame.share, work.shares[i])
                continue
            if not frame.ordered:
                work.bills[i] += pay_at_node(prices, nodes, node, work)
                frame.ordered = prices.delayed[a]
            x = X[i, a]
            if x != x:
                k = width(a, domain, nominal)
                depth = push_all_branches(nodes, k, frame, depth, stack)
                continue
            slot = slot_of(nodes, node, x, domain, nominal)
            child = nodes.children[slot] if slot != NONE else NONE
            if child == NONE:
                add_share(nodes, node, frame.share, work.shares[i])
                continue
            frame.node = child
            depth += 1
        for a in range(paid.size):
            work.usage[i, a] = paid[a]
