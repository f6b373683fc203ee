"""Expected costs of a tree, and cost-sensitive pruning by them (sections 3.2 and 3.4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.charges import node_charges
from frugaltree.kernels.choose import NONE
from frugaltree.kernels.grow import Nodes
from frugaltree.kernels.price import cheapest_labels
from frugaltree.kernels.prune_costs import leaf_costs, prune_costs
from frugaltree.learners.base import ERROR_FORMS, Problem
from frugaltree.learners.greedy import ordered, widest

Floats = npt.NDArray[np.float64]


def costs_as_leaves(
    problem: Problem,
    nodes: Nodes,
    labels: npt.NDArray[np.int32],
    cf: float,
    form: str,
    penalty: str = "laplace",
) -> Floats:
    """Return the expected cost of errors of every node, were it a leaf, over all its cases."""
    out = np.empty(nodes.test.size)
    multinomial = penalty == "multinomial"
    leaf_costs(nodes, problem.errors, labels, cf, ERROR_FORMS[form], multinomial, out)
    return out


def tree_costs(
    problem: Problem,
    nodes: Nodes,
    labels: npt.NDArray[np.int32],
    cf: float,
    form: str,
    penalty: str = "laplace",
) -> tuple[float, float]:
    """Return the expected costs of tests and of errors of a tree in preorder, per case."""
    n, n_tests = nodes.test.size, problem.cases.domain.size
    charges = np.empty(n)
    node_charges(
        problem.prices,
        nodes,
        np.empty(n_tests, np.uint8),
        np.empty(problem.prices.member.shape[1], np.uint8),
        charges,
        np.empty(n),
        np.empty(n, np.int64),
        np.empty(n_tests),
    )
    weights = nodes.counts.sum(axis=1)
    leaf = costs_as_leaves(problem, nodes, labels, cf, form, penalty)
    total = weights[0]
    return float(charges @ weights / total), float(leaf[nodes.test == NONE].sum() / total)


def prune_by_costs(
    problem: Problem, nodes: Nodes, cf: float, form: str, penalty: str = "laplace"
) -> Nodes:
    """Return a tree in preorder without the subtrees that cost at least as much as a leaf."""
    cases, n = problem.cases, nodes.test.size
    labels = np.empty(n, np.int32)
    cheapest_labels(problem.errors, nodes.counts, labels)
    leaf = costs_as_leaves(problem, nodes, labels, cf, form, penalty)
    nodes = Nodes(*(array.copy() for array in nodes))
    prune_costs(
        problem.prices,
        nodes,
        cases.domain,
        cases.nominal,
        leaf,
        np.empty((n + widest(cases), 3), np.int64),
        np.empty(n, np.int64),
        np.empty(cases.domain.size, np.uint8),
        np.empty(problem.prices.member.shape[1], np.uint8),
        np.empty(n),
        np.empty(n),
        np.empty(n, np.int64),
        np.empty(cases.domain.size),
        np.empty(n),
        np.empty(n),
    )
    return ordered(nodes, cases)
