"""From a grown tree to the one that is kept: prune by costs, count all cases."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frugaltree.engines.greedy import to_preorder
from frugaltree.engines.problem import Problem
from frugaltree.engines.pruning import Floats, free, payers_of, prune_to_leaves
from frugaltree.engines.sampling.search import SamplingSearch
from frugaltree.kernels.cost.prune import leaf_costs
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sampling.cache import LEAST_HELD_OUT, estimate_of
from frugaltree.tree.routing import own_ways
from frugaltree.tree.tree import Tree


def pruned(search: SamplingSearch, nodes: Nodes) -> tuple[Nodes, float]:
    """Return a grown tree without subtrees that do not pay, and its estimated cost per case."""
    nodes = to_preorder(nodes, search.problem.cases)
    prices = search.problem.prices if search.plan.charged else free(search.problem.prices)
    leaf = leaf_estimates(search, nodes)
    weight = float(nodes.counts[0].sum())
    payers = payers_of(search.problem, nodes, prices, search.growing)
    nodes, cost = prune_to_leaves(search.problem, nodes, leaf, prices, payers)
    return nodes, cost / weight


def leaf_estimates(search: SamplingSearch, nodes: Nodes) -> Floats:
    """Return what each node would cost as a leaf, over its cases, by the estimate in force."""
    problem, plan = search.problem, search.plan
    labels = problem.answers(nodes)
    leaf = np.empty(nodes.test.size)
    leaf_costs(nodes.counts, problem.errors, labels, estimate_of(plan), problem.cost_classes, leaf)
    if search.held_out is not None:
        counts = counts_of(problem, nodes, np.flatnonzero(search.held_out))
        seen = counts.sum(axis=1)
        enough = seen >= LEAST_HELD_OUT * plan.case_weight
        wrong = (counts * problem.errors[labels]).sum(axis=1)
        leaf[enough] = (wrong / np.maximum(seen, 1.0) * nodes.counts.sum(axis=1))[enough]
    return leaf


def completed(search: SamplingSearch, nodes: Nodes) -> Nodes:
    """Return a pruned tree with the cases held out counted in."""
    nodes = Nodes(*(array.copy() for array in nodes))
    if search.held_out is not None:
        nodes.counts[:] += counts_of(search.problem, nodes, np.flatnonzero(search.held_out))
    return nodes


def tree_of(problem: Problem, nodes: Nodes) -> Tree:
    """Return a tree that answers and charges; the nodes stay writable."""
    copy = Nodes(*(array.copy() for array in nodes))
    columns, classes = problem.table.columns, tuple(problem.classes.tolist())
    return Tree(columns, classes, copy, problem.answers(nodes), own_ways(nodes))


def counts_of(problem: Problem, nodes: Nodes, where: npt.NDArray[np.intp]) -> Floats:
    """Return how many of some cases come by each node of a tree in preorder, by class."""
    counts = np.zeros_like(nodes.counts)
    ends = tree_of(problem, nodes).find(problem.table.rows(where))
    np.add.at(counts, (ends, problem.cases.classes[where]), problem.cases.weights[where])
    for node in range(nodes.test.size - 1, 0, -1):
        counts[nodes.parent[node]] += counts[node]
    return counts
