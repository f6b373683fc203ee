"""A tree for a small budget that goes on below its leaves, as far as a larger one allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from frugaltree.engines.cross_validation import part_of
from frugaltree.engines.exact.regions import graft, prices_at
from frugaltree.engines.greedy import to_preorder
from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.charges import charge_tree
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.bills import path_to
from frugaltree.tree.routing import find_nodes, own_ways

Searcher = Callable[[Problem, float], Nodes]
"""Returns a tree in preorder for a problem, within a budget."""


def extended(problem: Problem, nodes: Nodes, budget: float, search: Searcher) -> Nodes:
    """Return a tree with further tests below its leaves, within a budget.

    Each leaf is a problem of its own: its cases, at the prices that are left to them. What the
    tree asked before stays as it is, so that cut short at its own budget it is the same tree.

    Parameters
    ----------
    problem
        The cases that the tree was learned from.
    nodes
        The tree, in preorder.
    budget
        The most that a case may be charged in all.
    search
        What learns a tree for the cases of a leaf.
    """
    cases, prices = problem.cases, problem.prices
    writable = Nodes(*(np.array(array) for array in nodes))
    bills = charge_tree(prices, writable).bills
    rows = problem.table.rows(np.arange(cases.classes.size))
    ends = find_nodes(rows, writable, cases.domain, cases.nominal, own_ways(writable))
    grafts: dict[int, Nodes] = {}
    for leaf in np.flatnonzero(writable.test == NONE).tolist():
        left, where = budget - float(bills[leaf]), np.flatnonzero(ends == leaf)
        is_mixed = np.count_nonzero(writable.counts[leaf]) > 1
        if not (is_mixed and left >= 0.0 and where.size) or _was_ordered(problem, writable, leaf):
            continue
        region = replace(part_of(problem, where), prices=prices_at(prices, writable, leaf))
        piece = search(region, left)
        if piece.test[0] != NONE:
            grafts[leaf] = piece
    return to_preorder(graft(writable, grafts), cases) if grafts else writable


def _was_ordered(problem: Problem, nodes: Nodes, leaf: int) -> bool:
    """Tell whether a test was ordered above a leaf, after which no other can be paid for."""
    above = nodes.test[np.array(path_to(nodes, leaf)[:-1], np.intp)]
    return bool(problem.prices.delayed[above].any())
