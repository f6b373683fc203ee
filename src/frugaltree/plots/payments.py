"""What each test of a tree takes where it is paid for: asked, or ordered with others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.cost.charges import path_state
from frugaltree.kernels.cost.prices import Prices, charge, share_of_price
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.tree import Tree

Marks = npt.NDArray[np.uint8]


def payments(tree: Tree, prices: Prices) -> list[dict[int, float]]:
    """Return for each node what each of the tests that are paid for there takes.

    Examples
    --------
    Drawing blood, 3, is paid once, in an order as well as by and by:

    >>> from frugaltree import Costs, Group, ID3Classifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["a", "a", "b", "c"]
    >>> for delayed in ([], [0]):
    ...     costs = Costs([6, 8], {"blood": Group([0, 1], cost=3)}, delayed)
    ...     payments(ID3Classifier(costs).fit(X, y).tree_, costs.prices(["x0", "x1"]))
    [{0: 9.0}, {}, {1: 8.0}, {}, {}]
    [{0: 9.0, 1: 8.0}, {}, {}, {}, {}]
    """
    found: list[dict[int, float]] = [{} for _ in range(tree.n_nodes)]
    for node, tests in _taken(tree, prices).items():
        paid, opened = (np.empty(size, np.uint8) for size in prices.member.shape)
        path_state(prices, tree.nodes, node, paid, opened)
        unpaid = sorted(test for test in tests if not paid[test])
        if prices.delayed[tree.nodes.test[node]]:
            found[node] = _of_an_order(prices, unpaid, paid, opened)
        else:
            found[node] = {test: float(charge(prices, test, paid, opened)) for test in unpaid}
    return found


def _taken(tree: Tree, prices: Prices) -> dict[int, set[int]]:
    """Return the tests that are taken at each node, an order's where the order is made."""
    taken: dict[int, set[int]] = {}
    owners = tree.charges(prices).owner.tolist()
    for node, (owner, test) in enumerate(zip(owners, tree.nodes.test.tolist(), strict=True)):
        if not tree.is_leaf(node):
            taken.setdefault(node if owner == NONE else owner, set()).add(test)
    return taken


def _of_an_order(prices: Prices, tests: list[int], paid: Marks, opened: Marks) -> dict[int, float]:
    """Return what each test of an order takes: its own price, and what it pays for its groups.

    The parts are those of :func:`~frugaltree.kernels.cost.prices.price_of_order`.
    """
    takes = dict.fromkeys(tests, 0.0)
    for group in range(opened.size + 1):
        shares = [float(share_of_price(prices, test, group, paid, opened)) for test in tests]
        if group == opened.size:
            for test, share in zip(tests, shares, strict=True):
                takes[test] += share
        else:
            takes[tests[shares.index(max(shares))]] += max(shares)
    return takes
