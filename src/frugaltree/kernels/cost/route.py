"""Cases down a finished tree: where they end, with which class shares, at what price."""

from __future__ import annotations

from frugaltree.kernels.cost.charges import order_price
from frugaltree.kernels.cost.prices import charge
from frugaltree.kernels.data.counts import total_of
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.sentinels import NONE


@part
def slot_of(nodes, node, x, domain, nominal):
    """Return the child slot for a known value, NONE where the test has no such branch."""
    a = nodes.test[node]
    if not nominal[a]:
        return nodes.first[node] + (0 if x <= nodes.threshold[node] else 1)
    if x < 0 or x >= domain[a]:
        return NONE
    return nodes.first[node] + int(x)


@kernel
def largest_children(nodes, domain, nominal, out):
    """Fill ``out`` with each node's child of most cases, where missing values go.

    Of several it is the first; where values share a child, slots are in another order.
    """
    for node in range(nodes.test.size):
        out[node] = NONE
        a = nodes.test[node]
        if a == NONE:
            continue
        most = -1.0
        for b in range(domain[a] if nominal[a] else 2):
            child = nodes.children[nodes.first[node] + b]
            if child != NONE:
                size = total_of(nodes.counts[child])
                same = most >= 0.0 and abs(size - most) <= 1e-9 * most
                if child < out[node] if same else size > most:
                    out[node], most = child, size


@kernel
def find_nodes(X, nodes, domain, nominal, largest, out):
    """Fill ``out`` with the node where each case ends.

    A missing value follows ``largest``; a value without a branch ends at the node.
    """
    for i in range(X.shape[0]):
        node = 0
        while nodes.test[node] != NONE:
            x = X[i, nodes.test[node]]
            if x != x:
                child = largest[node]
            else:
                slot = slot_of(nodes, node, x, domain, nominal)
                child = nodes.children[slot] if slot != NONE else NONE
            if child == NONE:
                break
            node = child
        out[i] = node


@part
def add_share(nodes, node, share, out):
    """Add a node's class shares to ``out``."""
    total = total_of(nodes.counts[node])
    for c in range(out.size):
        out[c] += share * nodes.counts[node, c] / total


@part
def pay(prices, nodes, node, paid, opened):
    """Pay for a node's test; if it is delayed, for all tests of the subtree."""
    if prices.delayed[nodes.test[node]]:
        return order_price(prices, nodes, nodes.test.size, node, NONE, paid, opened)
    return charge(prices, nodes.test[node], paid, opened)


@part
def is_new(nodes, node, b):
    """Tell whether a branch has a child that it does not share with a branch before it."""
    first = nodes.first[node]
    for i in range(first, first + b):
        if nodes.children[i] == nodes.children[first + b]:
            return False
    return nodes.children[first + b] != NONE


@part
def push_known_weights(nodes, node, k, share, ordered, depth, stack, stack_share):
    """Stack all children, each with its part of the share; return the height."""
    known = 0.0
    for b in range(k):
        child = nodes.children[nodes.first[node] + b]
        if is_new(nodes, node, b):
            known += total_of(nodes.counts[child])
    for b in range(k - 1, -1, -1):
        child = nodes.children[nodes.first[node] + b]
        if is_new(nodes, node, b):
            stack[depth, 0] = child
            stack[depth, 1] = ordered
            stack_share[depth] = share * total_of(nodes.counts[child]) / known
            depth += 1
    return depth


@kernel
def spread_cases(
    X, nodes, domain, nominal, prices, paid, opened, stack, stack_share, shares, bills, usage
):
    """Send cases down every branch of an unknown value, as C4.5 does.

    Fills class shares and bills: the visited nodes charge in preorder, and each test only once.
    ``usage[i, a]`` becomes 1 where case ``i`` pays for test ``a``.
    """
    for i in range(X.shape[0]):
        for c in range(shares.shape[1]):
            shares[i, c] = 0.0
        for a in range(paid.size):
            paid[a] = 0
        for g in range(opened.size):
            opened[g] = 0
        bills[i] = 0.0
        stack[0, 0], stack[0, 1], stack_share[0] = 0, 0, 1.0
        depth = 1
        while depth > 0:
            depth -= 1
            node, ordered, share = stack[depth, 0], stack[depth, 1], stack_share[depth]
            a = nodes.test[node]
            if a == NONE:
                add_share(nodes, node, share, shares[i])
                continue
            if not ordered:
                bills[i] += pay(prices, nodes, node, paid, opened)
                ordered = prices.delayed[a]
            x = X[i, a]
            if x != x:
                k = domain[a] if nominal[a] else 2
                depth = push_known_weights(
                    nodes, node, k, share, ordered, depth, stack, stack_share
                )
                continue
            slot = slot_of(nodes, node, x, domain, nominal)
            child = nodes.children[slot] if slot != NONE else NONE
            if child == NONE:
                add_share(nodes, node, share, shares[i])
                continue
            stack[depth, 0], stack[depth, 1], stack_share[depth] = child, ordered, share
            depth += 1
        for a in range(paid.size):
            usage[i, a] = paid[a]
