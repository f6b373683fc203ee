"""Cost-sensitive pruning (section 3.4): a subtree must save more in errors than its tests cost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.charges import ChargeBuffers, charge_nodes, end_within
from frugaltree.kernels.cost.leaf import leaf_cost
from frugaltree.kernels.cost.payers import Payers, order_cost
from frugaltree.kernels.cost.prices import is_paid_for
from frugaltree.kernels.data.counts import total_of
from frugaltree.kernels.data.nodes import width
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.sentinels import NONE

COST_SLACK = 1e-12
"""Relative rounding within which a leaf and a subtree cost the same, and the leaf is taken."""


ONE_ORDER, KEEP_ROOT, CUT = 1, 2, 4
"""How a tree is pruned, added up.

A delayed test above has ordered all of it; its root is spared; it is cut at all, not just priced.
"""


@kernel
def leaf_costs(counts, errors, labels, estimate, classes, out):
    """Work out the expected cost of errors of every node, were it a leaf.

    Parameters
    ----------
    counts : float64[node, class]
        Class counts.
    errors : float64[answer, class]
        What answering one class costs where another is right.
    labels : int32[node]
        The answer at each node.
    estimate : LeafEstimate
        How the errors of a leaf are estimated.
    classes : CostClasses
        The classes that cost classes are of; none where classes are counted.
    out : float64[node]
        Filled with the cost over all cases of each node.
    """
    for node in range(out.size):
        out[node] = leaf_cost(errors, counts[node], labels[node], estimate, classes)


class Pruning(NamedTuple):
    """Buffers for pruning trees of so many nodes."""

    stack: np.ndarray  # int64[height]: nodes
    order: np.ndarray  # int64[node]: children before their parent
    tests: np.ndarray  # float64[node]: costs of tests and of errors, over all cases
    wrongs: np.ndarray  # float64[node]
    charging: ChargeBuffers

    @classmethod
    def empty(cls, n_nodes: int, widest: int, n_tests: int, n_groups: int) -> Pruning:
        """Return buffers for trees of up to ``n_nodes`` nodes."""
        return cls(
            stack=np.empty(n_nodes + widest, np.int64),
            order=np.empty(n_nodes, np.int64),
            tests=np.empty(n_nodes),
            wrongs=np.empty(n_nodes),
            charging=ChargeBuffers.empty(n_nodes, n_tests, n_groups),
        )


@part
def postorder(nodes, root, n, domain, nominal, p):
    """Write the nodes of a tree into ``p.order``, children from left to right before their parent.

    Returns where they begin; they end at ``n``.
    """
    depth, place = 1, n
    p.stack[0] = root
    while depth > 0:
        depth -= 1
        node = p.stack[depth]
        place -= 1
        p.order[place] = node
        for b in range(width(nodes.test[node], domain, nominal)):
            child = nodes.children[nodes.first[node] + b]
            if child != NONE:
                p.stack[depth] = child
                depth += 1
    return place


@part
def add_up(prices, nodes, node, k, leaf, p):
    """Set a node's costs of tests and of errors, over all its cases, from its children's."""
    p.tests[node], p.wrongs[node] = 0.0, leaf[node]
    if k == 0:
        return
    p.tests[node], p.wrongs[node] = p.charging.charges[node] * total_of(nodes.counts[node]), 0.0
    for b in range(k):
        child = nodes.children[nodes.first[node] + b]
        if child != NONE:
            p.tests[node] += p.tests[child]
            p.wrongs[node] += p.wrongs[child]
            if not is_paid_for(prices, nodes.lacking[child]):
                p.tests[node] -= p.charging.charges[node] * total_of(nodes.counts[child])


@part
def cut_off(nodes, n, node):
    """Make a leaf of a subtree, its nodes below leaves too, so that nothing orders them."""
    for i in range(node, end_within(nodes, n, node)):
        nodes.test[i] = NONE


class PruneTask(NamedTuple):
    """Which tree is pruned, and how."""

    root: int
    n: int  # the nodes of the tree are root:n
    leaf: np.ndarray  # float64[node]: what each node costs as a leaf, over all its cases
    how: int  # ONE_ORDER, KEEP_ROOT, CUT
    payers: Payers


@part
def prune_tree(prices, nodes, domain, nominal, task, p):
    """Prune a tree, in place; return its cost over all cases."""
    root, n, leaf, how = task.root, task.n, task.leaf, task.how
    begin = postorder(nodes, root, n, domain, nominal, p)
    out = p.charging
    changed = True
    while changed:
        changed = False
        charge_nodes(prices, nodes, root, n, how & ONE_ORDER, out)
        for i in range(begin, n):
            node = p.order[i]
            k = width(nodes.test[node], domain, nominal)
            add_up(prices, nodes, node, k, leaf, p)
            if k == 0:
                continue
            limit = p.tests[node] + p.wrongs[node]
            top = out.owner[node]
            if top == node:
                p.tests[node] = order_cost(prices, nodes, task, node, np.int64(NONE), out)
                limit = p.tests[node] + p.wrongs[node]
            elif top != NONE:
                whole = order_cost(prices, nodes, task, top, np.int64(NONE), out)
                rest = order_cost(prices, nodes, task, top, node, out)
                limit = p.wrongs[node] + (whole - rest)
            spared = how & CUT == 0 or (how & KEEP_ROOT != 0 and node == root)
            if not spared and leaf[node] <= limit * (1.0 + COST_SLACK):
                cut_off(nodes, n, node)
                add_up(prices, nodes, node, 0, leaf, p)
                changed = True
    return p.tests[root] + p.wrongs[root]


@kernel
def prune_costs(prices, nodes, domain, nominal, task, buffers):
    """Prune a tree, in place, until no leaf is cheaper than its subtree.

    A node below a delayed test is compared with what that test's order would save without it.

    Parameters
    ----------
    prices : Prices
        The price list.
    nodes : Nodes
        The tree, in preorder.
    domain : int64[a]
        How many values a test has.
    nominal : uint8[a]
        1 where a test is nominal.
    task : PruneTask
        Which part of it, what its nodes cost as leaves, and who pays for orders.
    buffers : Pruning
        Room for a tree of this size.

    Returns
    -------
    float
        The cost of the whole tree over all cases.
    """
    return prune_tree(prices, nodes, domain, nominal, task, buffers)
