"""Cost-sensitive pruning of a whole tree (section 3.4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.choose import NONE
from frugaltree.kernels.grow import Nodes
from frugaltree.kernels.price import Prices, cheapest_labels
from frugaltree.kernels.prune_costs import Pruning, prune_costs
from frugaltree.learners.base import Problem
from frugaltree.learners.estimate import costs_as_leaves
from frugaltree.learners.greedy import ordered, widest
from frugaltree.tree import Tree

Floats = npt.NDArray[np.float64]


def prune_by_costs(
    problem: Problem, nodes: Nodes, cf: float, form: str, penalty: str = "laplace"
) -> Nodes:
    """Return a tree in preorder without the subtrees that cost at least as much as a leaf."""
    labels = labels_of(problem, nodes)
    leaf = costs_as_leaves(nodes, problem.errors, labels, cf, form, penalty)
    return prune_to_leaves(problem, nodes, leaf, problem.prices)[0]


def prune_to_leaves(
    problem: Problem, nodes: Nodes, leaf: Floats, prices: Prices
) -> tuple[Nodes, float]:
    """Return a tree in preorder, pruned, given each node's cost as a leaf; and its cost in all."""
    cases = problem.cases
    nodes = Nodes(*(array.copy() for array in nodes))
    buffers = Pruning.empty(nodes.test.size, widest(cases), *prices.member.shape)
    cost = prune_costs(prices, nodes, cases.domain, cases.nominal, leaf, buffers)
    return ordered(nodes, cases), float(cost)


def labels_of(problem: Problem, nodes: Nodes) -> npt.NDArray[np.int32]:
    """Return the cheapest answer of every node."""
    labels = np.empty(nodes.test.size, np.int32)
    cheapest_labels(problem.errors, nodes.counts, labels)
    return labels


def keep_within(problem: Problem, nodes: Nodes, budget: float) -> Nodes:
    """Return a tree without the tests that would charge a case more than the budget.

    Pruning can bring such tests about only where the discounts of a group exceed prices in it.
    """
    while True:
        bills = tree_of(problem, nodes).charges(problem.prices)
        over = np.flatnonzero((bills.charge > 0.0) & (bills.bill > budget * (1.0 + 1e-9)))
        if not over.size:
            return nodes
        nodes = Nodes(*(array.copy() for array in nodes))
        nodes.test[over[0]] = NONE
        nodes = ordered(nodes, problem.cases)


def tree_of(problem: Problem, nodes: Nodes) -> Tree:
    """Return a tree that answers and charges; the nodes stay writable."""
    copy = Nodes(*(array.copy() for array in nodes))
    columns, classes = problem.table.columns, tuple(problem.classes.tolist())
    return Tree(columns, classes, copy, labels_of(problem, nodes), False)


def counts_of(problem: Problem, nodes: Nodes, where: npt.NDArray[np.intp]) -> Floats:
    """Return how many of some cases come by each node, by class."""
    counts = np.zeros_like(nodes.counts)
    ends = tree_of(problem, nodes).find(problem.table.rows(where))
    cases = problem.cases
    np.add.at(counts, (ends, cases.classes[where]), cases.weights[where])
    for node in range(nodes.test.size - 1, 0, -1):
        counts[nodes.parent[node]] += counts[node]
    return counts
