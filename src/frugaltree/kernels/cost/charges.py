"""What a case is charged on its way down a tree, and which tests it pays for.

Trees here are in preorder: node 0 is the root, and a subtree is a run of nodes. A delayed test
orders, and charges, every test of the subtree beneath it (Turney's rule, section 2); below such an
order nothing is charged any more. The price of an order is that of the set of its unpaid tests,
wherever they stand in the subtree.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.prices import ORDERED, charge, price_of_order, take, take_order
from frugaltree.kernels.data.counts import total_of
from frugaltree.kernels.data.nodes import set_leaf, width
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.sentinels import NONE


@part
def path_state(prices, nodes, node, paid, opened):
    """Fill ``paid`` and ``opened`` with what the tests above ``node`` have paid and opened."""
    for a in range(paid.size):
        paid[a] = 0
    for g in range(opened.size):
        opened[g] = 0
    node = nodes.parent[node]
    while node >= 0:
        take(prices, nodes.test[node], paid, opened)
        node = nodes.parent[node]


@kernel
def in_preorder(nodes, domain, nominal, stack, out):
    """Copy the nodes that can be reached into ``out``, in preorder; return how many, and slots."""
    n_nodes, n_children, depth = np.int64(0), np.int64(0), 1
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, NONE, 0
    while depth > 0:
        depth -= 1
        node, parent, slot = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        if parent != NONE:
            out.children[slot] = n_nodes
        k = width(nodes.test[node], domain, nominal)
        set_leaf(out, n_nodes, parent, nodes.counts[node])
        if k > 0:
            out.test[n_nodes] = nodes.test[node]
            out.cut[n_nodes] = nodes.cut[node]
            out.threshold[n_nodes] = nodes.threshold[node]
            out.first[n_nodes] = n_children
        for b in range(k - 1, -1, -1):
            out.children[n_children + b] = NONE
            child = nodes.children[nodes.first[node] + b]
            if child != NONE:
                stack[depth, 0], stack[depth, 1] = child, n_nodes
                stack[depth, 2] = n_children + b
                depth += 1
        n_nodes += 1
        n_children += k
    return n_nodes, n_children


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
def order_price(prices, nodes, n, node, skip, paid, opened):
    """Return the price of all tests of a subtree, ``skip`` taken as a leaf.

    Starts from the path's ``paid`` and ``opened`` and takes there what is ordered.
    """
    mark_order(nodes, n, node, skip, paid)
    cost = price_of_order(prices, paid, opened)
    take_order(prices, paid, opened)
    return cost


@part
def charge_nodes(prices, nodes, root, n, ordered, paid, opened, charges, bills, owner, usage):
    """Fill the arrays of :func:`node_charges` for the tree of the nodes ``root:n``.

    Tests above the root are taken as paid. ``ordered``, if not 0, says that a delayed test is
    among them: then the whole tree is one order, charged at its root.
    """
    for node in range(root, n):
        parent, a = nodes.parent[node], nodes.test[node]
        owner[node] = owner[parent] if node > root else NONE
        charges[node] = 0.0
        bills[node] = bills[parent] if node > root else 0.0
        if a == NONE or owner[node] != NONE:
            continue
        weight = total_of(nodes.counts[node])
        path_state(prices, nodes, node, paid, opened)
        if prices.delayed[a] or ordered:
            owner[node] = node
            mark_order(nodes, n, node, NONE, paid)
            for b in range(paid.size):
                if paid[b] == ORDERED:
                    usage[b] += weight
            charges[node] = price_of_order(prices, paid, opened)
        elif not paid[a]:
            usage[a] += weight
            charges[node] = charge(prices, a, paid, opened)
        bills[node] += charges[node]


@kernel
def node_charges(prices, nodes, paid, opened, charges, bills, owner, usage):
    """Fill, for each node, what reaching it costs, alone and in all, and who has ordered it.

    ``owner`` is NONE outside any order and the node itself where the order is made; ``usage[a]``
    becomes the weight of the cases that pay for test ``a``.
    """
    for a in range(usage.size):
        usage[a] = 0.0
    charge_nodes(
        prices, nodes, np.int64(0), nodes.test.size, np.int64(0), paid, opened, charges, bills,
        owner, usage,
    )  # fmt: skip
