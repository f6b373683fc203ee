"""What each test of a tree saves, in money per case."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.payments import payments
from frugaltree.tree.tree import Tree

Floats = npt.NDArray[np.float64]


def savings_by_test(tree: Tree, prices: Prices, errors: Floats) -> Floats:
    """Return what each test saves, in money per training case; the sum is what the tree saves.

    The *error cost* of a node is what the errors of its training cases would cost, were it a
    leaf with the answer that it has. A node *saves* its own error cost minus those of its
    children. Without the tests above it the node would not have been reached, so its saving is
    shared equally by the tests asked at it and above it, each counted once; and each test bears
    what is charged for it (where it is ordered by a delayed test, its part of the order).

    The equal shares are the Shapley values of a game in which a set of tests is worth the errors
    that the tree saves if it must stop before any other test. So two tests that tell something
    only together, as in a parity, get the same share, whichever is asked first.

    The sum is the error cost of the root minus the error cost of the leaves minus the charges:
    what the tree saves per training case against its root as a leaf. It is not made to be 1. A
    test that costs more than its share is below 0; one that is never asked has 0. An order counts
    in full, although a case does not pay for the tests of it that it lacks. In the C4.5 family a
    training case with a missing value counts in every branch by its part.

    Parameters
    ----------
    tree
        The tree.
    prices
        Prices of its tests, as ``Costs.prices`` gives them.
    errors : float64[predicted, actual]
        Costs of errors, as ``Costs.matrix`` gives them.

    Examples
    --------
    A case is a 1 if just one of two switches is on. To guess costs 10 * 2/4 = 5 per case. The
    first switch alone saves nothing, both together save 5, that is 2.50 each; they cost 1 and 2.
    The tree saves 5 - 1 - 2 = 2:

    >>> from frugaltree import Costs, FrugalTreeClassifier
    >>> costs = Costs([1, 2], errors=10)
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 9, [0, 1, 1, 0] * 9
    >>> tree = FrugalTreeClassifier(costs, pessimism="none", random_state=0).fit(X, y)
    >>> tree.feature_importances_.tolist()
    [1.5, 0.5]
    """
    per_case = errors[tree.labels]  # [node, actual]
    cost = (per_case * tree.nodes.counts).sum(axis=1)
    parent = tree.nodes.parent.tolist()
    saved = cost.copy()
    np.subtract.at(saved, tree.nodes.parent[1:], cost[1:])
    savings = np.zeros(len(tree.columns))
    asked: list[tuple[int, ...]] = []
    for node, test in enumerate(tree.nodes.test.tolist()):
        above = asked[parent[node]] if node else ()
        asked.append(above if test == NONE or test in above else (*above, test))
        if test != NONE:
            savings[[*asked[node]]] += saved[node] / len(asked[node])
    return np.asarray((savings - _charged_by_test(tree, prices)) / tree.weights[0])


def _charged_by_test(tree: Tree, prices: Prices) -> Floats:
    """Return what all training cases together are charged for each test."""
    charged, paying = np.zeros(len(tree.columns)), tree.charges(prices).paying.tolist()
    for weight, parts in zip(paying, payments(tree, prices), strict=True):
        for test, price in parts.items():
            charged[test] += price * weight
    return charged
