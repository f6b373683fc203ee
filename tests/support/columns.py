"""Columns and trees to compare."""

from __future__ import annotations

import numpy as np

from frugaltree import (
    Costs,
    Group,
)

COSTS = Costs(
    [1, 7, 3, 2, 4],
    {"visit": Group([2, 4], cost=2)},
    errors={("well", "ill"): 900, ("ill", "well"): 400},
)


def drawn(tree, node=0):
    """Return a tree as nested lists of positions and conditions, whatever the tests are named."""
    if tree.is_leaf(node):
        return tree.classes[tree.labels[node]], tree.nodes.counts[node].round(9).tolist()
    test = int(tree.nodes.test[node])
    bare = len(tree.columns[test].name)
    return [
        (test, tree.condition(node, branch)[bare:], drawn(tree, child))
        for branch, child in tree.branches(node)
    ]


def numbers():
    random = np.random.default_rng(5)
    X = random.integers(0, 6, (60, 4))
    return X, (X[:, 0] + X[:, 2] > 5).astype(int)
