"""ACT."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.grow import Nodes
from frugaltree.kernels.price import Prices
from frugaltree.kernels.subproblems import LEAST_ASIDE
from frugaltree.learners.greedy import ordered
from frugaltree.learners.lookahead import Lookahead
from frugaltree.learners.estimate import ERROR_FORMS, costs_as_leaves
from frugaltree.learners.pruning import (
    counts_of,
    keep_within,
    labels_of,
    prune_to_leaves,
)


def finish(search: Lookahead, nodes: Nodes) -> tuple[Nodes, float]:
    """Return a grown tree pruned by costs, and its estimated cost per case.

    Cases set aside are counted in afterwards.
    """
    problem, plan = search.problem, search.plan
    form = next(name for name, code in ERROR_FORMS.items() if code == plan.form)
    nodes, labels = ordered(nodes, problem.cases), None
    labels = labels_of(problem, nodes)
    penalty = "multinomial" if plan.multinomial else "laplace"
    leaf = costs_as_leaves(nodes, problem.errors, labels, plan.cf, form, penalty)
    m = nodes.counts[0].sum()
    apart = np.flatnonzero(search.aside) if search.aside is not None else np.empty(0, np.intp)
    if apart.size:
        counts = counts_of(problem, nodes, apart)
        seen = counts.sum(axis=1)
        enough = seen >= LEAST_ASIDE
        wrong = (counts * problem.errors[labels]).sum(axis=1)
        leaf[enough] = (wrong[enough] / seen[enough]) * nodes.counts[enough].sum(axis=1)
    prices = problem.prices if plan.charged else free(problem.prices)
    nodes, cost = prune_to_leaves(problem, nodes, leaf, prices)
    if apart.size:
        nodes.counts[:] += counts_of(problem, nodes, apart)
    if plan.budget < np.inf:
        nodes = keep_within(problem, nodes, plan.budget)
    return nodes, cost / m


def free(prices: Prices) -> Prices:
    """Return a price list on which everything is free and immediate."""
    return Prices(
        np.zeros_like(prices.full),
        np.zeros_like(prices.discount),
        prices.member,
        np.zeros_like(prices.delayed),
        prices.usable,
    )
