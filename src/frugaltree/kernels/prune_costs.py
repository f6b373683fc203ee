"""Cost-sensitive pruning (section 3.4): a subtree must save more in errors than its tests cost."""

from __future__ import annotations

from frugaltree.kernels.charges import end_of, node_charges, order_price
from frugaltree.kernels.choose import NONE
from frugaltree.kernels.grow import path_state, width
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.price import leaf_cost
from frugaltree.kernels.split import total_of

SLACK = 1e-12
"""Relative rounding within which a leaf and a subtree cost the same, and the leaf is taken."""


@kernel
def leaf_costs(nodes, errors, labels, cf, form, multinomial, out):
    """Fill ``out`` with the expected cost of errors of every node, were it a leaf."""
    for node in range(nodes.test.size):
        out[node] = leaf_cost(errors, nodes.counts[node], labels[node], cf, form, multinomial)


@part
def postorder(nodes, domain, nominal, stack, out):
    """Write the nodes into ``out``, children from left to right and before their parent."""
    n, depth = nodes.test.size, 1
    stack[0, 0] = 0
    place = n
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        place -= 1
        out[place] = node
        for b in range(width(nodes.test[node], domain, nominal)):
            child = nodes.children[nodes.first[node] + b]
            if child != NONE:
                stack[depth, 0] = child
                depth += 1


@part
def add_up(nodes, node, k, leaf, charges, tests, wrongs):
    """Set a node's costs of tests and of errors, over all its cases, from its children's."""
    tests[node], wrongs[node] = 0.0, leaf[node]
    if k == 0:
        return
    tests[node], wrongs[node] = charges[node] * total_of(nodes.counts[node]), 0.0
    for b in range(k):
        child = nodes.children[nodes.first[node] + b]
        if child != NONE:
            tests[node] += tests[child]
            wrongs[node] += wrongs[child]


@part
def saved_order(prices, nodes, top, node, paid, opened):
    """Return what an order at ``top`` gets cheaper, over all its cases, without ``node``."""
    path_state(prices, nodes, top, paid, opened)
    whole = order_price(prices, nodes, top, NONE, paid, opened)
    path_state(prices, nodes, top, paid, opened)
    rest = order_price(prices, nodes, top, node, paid, opened)
    return (whole - rest) * total_of(nodes.counts[top])


@part
def cut_off(nodes, node):
    """Make a leaf of a subtree, its nodes below leaves too, so that nothing orders them."""
    for i in range(node, end_of(nodes, node)):
        nodes.test[i] = NONE


@kernel
def prune_costs(
    prices, nodes, domain, nominal, leaf, stack, order, paid, opened, charges, bills, owner,
    usage, tests, wrongs,
):  # fmt: skip
    """Prune a tree in preorder, in place, until no leaf is cheaper than its subtree.

    ``leaf`` holds each node's cost as a leaf. A node below a delayed test is compared with what
    that test's order would save without it. Afterwards ``tests[0]`` and ``wrongs[0]`` are the
    costs of the whole tree over all cases.
    """
    postorder(nodes, domain, nominal, stack, order)
    changed = True
    while changed:
        changed = False
        node_charges(prices, nodes, paid, opened, charges, bills, owner, usage)
        for i in range(nodes.test.size):
            node = order[i]
            k = width(nodes.test[node], domain, nominal)
            add_up(nodes, node, k, leaf, charges, tests, wrongs)
            if k == 0:
                continue
            limit = tests[node] + wrongs[node]
            top = owner[node]
            if top == node:
                path_state(prices, nodes, node, paid, opened)
                cost = order_price(prices, nodes, node, NONE, paid, opened)
                tests[node] = cost * total_of(nodes.counts[node])
                limit = tests[node] + wrongs[node]
            elif top != NONE:
                limit = wrongs[node] + saved_order(prices, nodes, top, node, paid, opened)
            if leaf[node] <= limit * (1.0 + SLACK):
                cut_off(nodes, node)
                add_up(nodes, node, 0, leaf, charges, tests, wrongs)
                changed = True
