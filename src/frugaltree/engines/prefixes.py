"""A tree cut short: every node answers from where on its tests would go beyond a budget."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from frugaltree.engines.budgets import affordable
from frugaltree.engines.ways import may_rise
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.routing import own_ways
from frugaltree.tree.tree import Tree, forget_unasked

Floats = npt.NDArray[np.float64]


def spending_levels(tree: Tree, prices: Prices) -> Floats:
    """Return the budgets from which on a tree can ask more, 0 first.

    Examples
    --------
    The first test costs 3; below it, some cases are asked for 5 more:

    >>> from frugaltree import Costs, ID3Classifier
    >>> learner = ID3Classifier(Costs([3, 5])).fit([[0, 0], [0, 9], [8, 0]], [0, 1, 2])
    >>> spending_levels(learner.tree_, learner._prices()).tolist()
    [0.0, 3.0, 8.0]
    """
    asks = tree.nodes.test != NONE
    return np.unique(np.append(tree.charges(prices).bill[asks], 0.0))


def cut_short(tree: Tree, prices: Prices, budget: float) -> Tree:
    """Return a tree that answers at once where the next test would go beyond the budget.

    A test that cannot be paid for is not asked, whether the case has a value of it or not. An
    order of delayed tests is placed as a whole or not at all.

    Parameters
    ----------
    tree
        A tree whose nodes all have an answer.
    prices
        What tests cost.
    budget
        The most that a case may be charged.

    Examples
    --------
    >>> from frugaltree import Costs, ID3Classifier
    >>> learner = ID3Classifier(Costs([3, 5])).fit([[0, 0], [0, 9], [8, 0]], [0, 1, 2])
    >>> prices = learner._prices()
    >>> [cut_short(learner.tree_, prices, budget).n_leaves for budget in (2, 3, 7.9, 8)]
    [1, 2, 2, 3]
    """
    nodes = tree.nodes
    too_dear = (nodes.test != NONE) & (tree.charges(prices).bill > affordable(budget))
    if not too_dear.any():
        return tree
    kept = np.ones(tree.n_nodes, bool)
    for node, parent in enumerate(nodes.parent.tolist()):
        kept[node] = parent == NONE or (kept[parent] and not too_dear[parent])
    number = np.append(np.where(kept, np.cumsum(kept) - 1, NONE), NONE)  # NONE stays NONE
    answers = too_dear[kept]
    shortened = Nodes(
        test=np.where(answers, NONE, nodes.test[kept]),
        cut=np.where(answers, NONE, nodes.cut[kept]),
        threshold=np.where(answers, np.nan, nodes.threshold[kept]),
        first=np.where(answers, 0, nodes.first[kept]),
        parent=number[nodes.parent[kept]],
        lacking=nodes.lacking[kept],
        counts=nodes.counts[kept],
        children=number[nodes.children],
    )
    onward = np.where(answers, NONE, number[tree.ways[kept]])
    return replace(
        tree,
        columns=forget_unasked(tree.columns, shortened),
        nodes=shortened,
        labels=tree.labels[kept],
        ways=own_ways(shortened) if may_rise(prices) else onward,
    )
