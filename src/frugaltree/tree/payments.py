"""What each test of a tree takes where it is paid for: asked, or ordered with others."""

from __future__ import annotations

from frugaltree.costs.path import PathPrices
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.tree import Tree


def payments(tree: Tree, prices: Prices) -> list[dict[int, float]]:
    """Return for each node what each of the tests that are paid for there takes.

    Where prices depend on other tests, that is what the training cases pay on average.

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
    mean = tree.charges(prices).charge.tolist() if prices.conditions.on.size else None
    for node, tests in _taken(tree, prices).items():
        state = PathPrices.at_node(prices, tree.nodes, node)
        unpaid = sorted(test for test in tests if not state.is_paid(test))
        if prices.delayed[tree.nodes.test[node]]:
            found[node] = state.parts_of_order(unpaid)
        else:
            charged = state.price if mean is None else lambda _, node=node: mean[node]
            found[node] = {test: charged(test) for test in unpaid}
    return found


def _taken(tree: Tree, prices: Prices) -> dict[int, set[int]]:
    """Return the tests that are taken at each node, an order's where the order is made."""
    taken: dict[int, set[int]] = {}
    owners = tree.charges(prices).owner.tolist()
    for node, (owner, test) in enumerate(zip(owners, tree.nodes.test.tolist(), strict=True)):
        if not tree.is_leaf(node):
            taken.setdefault(node if owner == NONE else owner, set()).add(test)
    return taken
