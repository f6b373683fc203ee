"""What a case is charged on its way down a tree, and which tests it pays for.

Trees here are in preorder: node 0 is the root, and a subtree is a run of nodes. A delayed test
orders, and charges, every test of the subtree beneath it (Turney's rule, section 2); below such an
order nothing is charged any more. The price of an order is that of the set of its unpaid tests,
wherever they stand in the subtree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.prices import (
    ORDERED,
    Prices,
    charge,
    is_paid_for,
    price_of_order,
    take,
    take_order,
)
from frugaltree.kernels.data.counts import total_of
from frugaltree.kernels.data.nodes import Nodes, copy_split, set_leaf, width
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.records import record_type
from frugaltree.kernels.sentinels import NONE


@part
def path_state(prices, nodes, node, paid, opened):
    """Fill ``paid`` and ``opened`` with what the tests above ``node`` have paid and opened."""
    for a in range(paid.size):
        paid[a] = 0
    for g in range(opened.size):
        opened[g] = 0
    parent = nodes.parent[node]
    while parent >= 0:
        if is_paid_for(prices, nodes.lacking[node]):
            take(prices, nodes.test[parent], paid, opened)
        node, parent = parent, nodes.parent[parent]


PREORDER_FRAME = record_type(node=np.int64, parent=np.int64, slot=np.int64)
"""A node still to be copied: its parent's number in the copy, and the slot that points to it."""


@kernel
def in_preorder(nodes, domain, nominal, stack, out):
    """Copy the nodes of a tree that can be reached, in preorder.

    Parameters
    ----------
    nodes : Nodes
        A tree, its nodes in any order.
    domain : int64[a]
        How many values a test has.
    nominal : uint8[a]
        1 where a test is nominal.
    stack : PREORDER_FRAME[height]
        Room for the nodes of a path and their siblings.
    out : Nodes
        Filled with the copy.

    Returns
    -------
    n_nodes, n_slots : int
        How many nodes, and slots for children, the copy has.
    """
    return copy_in_preorder(nodes, domain, nominal, stack, out)


@part
def copy_in_preorder(nodes, domain, nominal, stack, out):
    """Do what :func:`in_preorder` does, within another kernel."""
    n_nodes, n_slots, depth = np.int64(0), np.int64(0), 1
    stack[0].node, stack[0].parent, stack[0].slot = 0, NONE, 0
    while depth > 0:
        depth -= 1
        frame = stack[depth]
        node, parent = frame.node, frame.parent
        if parent != NONE:
            out.children[frame.slot] = n_nodes
        k = width(nodes.test[node], domain, nominal)
        set_leaf(out, n_nodes, parent, nodes.counts[node])
        out.lacking[n_nodes] = nodes.lacking[node]
        if k > 0:
            copy_split(nodes, node, out, n_nodes)
            out.first[n_nodes] = n_slots
        for b in range(k - 1, -1, -1):
            out.children[n_slots + b] = NONE
            child = nodes.children[nodes.first[node] + b]
            if child != NONE:
                frame = stack[depth]
                frame.node, frame.parent, frame.slot = child, n_nodes, n_slots + b
                depth += 1
        n_nodes += 1
        n_slots += k
    return n_nodes, n_slots


@part
def end_within(nodes, n, node):
    """Return the first node after a subtree of a tree of ``n`` nodes."""
    last = node + 1
    while last < n and nodes.parent[last] >= node:
        last += 1
    return last


@part
def end_of(nodes, node):
    """Return the first node after a subtree."""
    return end_within(nodes, nodes.test.size, node)


@part
def mark_order(nodes, n, node, skip, paid):
    """Mark the unpaid tests of a subtree as ordered, ``skip`` taken as a leaf."""
    resume = node
    for i in range(node, end_within(nodes, n, node)):
        if i == skip:
            resume = end_within(nodes, n, i)
        a = nodes.test[i]
        if i >= resume and a != NONE and not paid[a]:
            paid[a] = ORDERED


@part
def order_price(prices, nodes, n, node, skip, state):
    """Return the price of all tests of a subtree, ``skip`` taken as a leaf.

    ``state`` has what the path has ``paid`` and ``opened``, and takes what is ordered.
    """
    mark_order(nodes, n, node, skip, state.paid)
    cost = price_of_order(prices, state.paid, state.opened)
    take_order(prices, state.paid, state.opened)
    return cost


class ChargeBuffers(NamedTuple):
    """What the nodes of a tree charge, and room to work it out."""

    charges: np.ndarray  # float64[node]: what reaching a node costs
    bills: np.ndarray  # float64[node]: that of all nodes down to it
    owner: np.ndarray  # int64[node]: who has ordered its test; NONE outside any order
    usage: np.ndarray  # float64[a]: weight of the cases that pay for a test
    paid: np.ndarray  # uint8[a]
    opened: np.ndarray  # uint8[g]

    @classmethod
    def empty(cls, n_nodes: int, n_tests: int, n_groups: int) -> ChargeBuffers:
        """Return room for trees of up to ``n_nodes`` nodes."""
        return cls(
            charges=np.empty(n_nodes),
            bills=np.empty(n_nodes),
            owner=np.empty(n_nodes, np.int64),
            usage=np.empty(n_tests),
            paid=np.empty(n_tests, np.uint8),
            opened=np.empty(n_groups, np.uint8),
        )


@part
def charge_test(prices, nodes, node, out):
    """Charge a node for its own test, unless that has been paid above."""
    a = nodes.test[node]
    path_state(prices, nodes, node, out.paid, out.opened)
    if not out.paid[a]:
        out.usage[a] += total_of(nodes.counts[node])
        out.charges[node] = charge(prices, a, out.paid, out.opened)


@part
def bill_before(prices, nodes, node, out):
    """Return what a case has paid when it comes to a node below the root.

    Without a result of the parent's test, it has not paid for that, unless it was ordered.
    """
    parent = nodes.parent[node]
    bill = out.bills[parent]
    if out.owner[parent] == NONE and not is_paid_for(prices, nodes.lacking[node]):
        bill -= out.charges[parent]
        out.usage[nodes.test[parent]] -= total_of(nodes.counts[node])
    return bill


@part
def charge_order(prices, nodes, n, node, out):
    """Charge a node for all tests that are ordered at it."""
    out.owner[node] = node
    path_state(prices, nodes, node, out.paid, out.opened)
    mark_order(nodes, n, node, NONE, out.paid)
    weight = total_of(nodes.counts[node])
    for a in range(out.paid.size):
        if out.paid[a] == ORDERED:
            out.usage[a] += weight
    out.charges[node] = price_of_order(prices, out.paid, out.opened)


@part
def charge_nodes(prices, nodes, root, n, ordered, out):
    """Fill ``out`` for the tree of the nodes ``root:n``, its usage excepted, which is added to.

    Tests above the root are taken as paid. ``ordered``, if not 0, says that a delayed test is
    among them: then the whole tree is one order, charged at its root.
    """
    for node in range(root, n):
        parent, a = nodes.parent[node], nodes.test[node]
        out.owner[node] = out.owner[parent] if node > root else NONE
        out.charges[node] = 0.0
        out.bills[node] = bill_before(prices, nodes, node, out) if node > root else 0.0
        if a == NONE or out.owner[node] != NONE:
            continue
        if prices.delayed[a] or ordered:
            charge_order(prices, nodes, n, node, out)
        else:
            charge_test(prices, nodes, node, out)
        out.bills[node] += out.charges[node]


@kernel
def node_charges(prices, nodes, out):
    """Work out what each node of a tree charges.

    Parameters
    ----------
    prices : Prices
        The price list.
    nodes : Nodes
        The tree, in preorder.
    out : ChargeBuffers
        Filled. ``owner`` becomes NONE outside any order and the node itself where an order is
        made; below it, that node.
    """
    for a in range(out.usage.size):
        out.usage[a] = 0.0
    charge_nodes(prices, nodes, np.int64(0), nodes.test.size, np.int64(0), out)


@kernel
def undelayed_charges(prices, nodes, out):
    """Work out what each node charges under a price list without delayed tests.

    It takes and fills what :func:`node_charges` does, which compiles the prices of orders too:
    about a second more in the first fit of a process.

    Parameters
    ----------
    prices : Prices
        The price list.
    nodes : Nodes
        The tree, in preorder.
    out : ChargeBuffers
        Filled.
    """
    for a in range(out.usage.size):
        out.usage[a] = 0.0
    for node in range(nodes.test.size):
        out.owner[node] = NONE
        out.charges[node] = 0.0
        out.bills[node] = bill_before(prices, nodes, node, out) if node > 0 else 0.0
        if nodes.test[node] != NONE:
            charge_test(prices, nodes, node, out)
        out.bills[node] += out.charges[node]


def charge_tree(prices: Prices, nodes: Nodes) -> ChargeBuffers:
    """Return what each node of a tree in preorder charges."""
    out = ChargeBuffers.empty(nodes.test.size, *prices.member.shape)
    fill = node_charges if prices.delayed.any() else undelayed_charges
    fill.run_at_hand(prices, nodes, out)
    return out
