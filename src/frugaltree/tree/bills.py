"""What cases are charged that lack values of some tests.

Where every value is there, what a case pays follows from the node where it ends
(:func:`~frugaltree.kernels.cost.charges.charge_tree`). A test without a result is not charged, and
opens no group; so for other cases it follows from that node and from what they lack.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from frugaltree.costs.bill import added_up
from frugaltree.costs.by_condition import able_to_take, levels_of
from frugaltree.costs.path import PathPrices
from frugaltree.kernels.cost.charges import charge_tree, end_of
from frugaltree.kernels.cost.prices import Prices, prices_on_levels
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE

Floats = npt.NDArray[np.float64]


def bills_of(nodes: Nodes, X: Floats, ends: npt.NDArray[np.int32], prices: Prices) -> Floats:
    """Return what the tests of encoded cases cost that end at these nodes of a tree.

    Examples
    --------
    >>> from frugaltree import Costs, ID3Classifier
    >>> X, y = [[1, 0], [2, 0], [4, 0], [4, 1]], ["no", "no", "yes", "no"]
    >>> learner = ID3Classifier(Costs([3, 5])).fit(X, y)
    >>> nan = float("nan")
    >>> learner.bill([[1, 0], [4, 0], [4, nan], [nan, nan]]).tolist()
    [3.0, 8.0, 3.0, 0.0]
    """
    if prices.conditions.on.size:
        return _bills_on_levels(nodes, X, ends, prices)
    bills = charge_tree(prices, nodes).bills[ends]
    asked = [test for test in np.unique(nodes.test).tolist() if test != NONE]
    lacking = np.isnan(X[:, asked])
    some = np.flatnonzero(lacking.any(axis=1))
    if prices.charge_missing or not some.size:
        return bills
    kinds = np.column_stack([ends[some], lacking[some]])
    distinct, which = np.unique(kinds, axis=0, return_inverse=True)
    charged = [
        added_up(
            paid_on_path(nodes, int(end), {asked[i] for i in np.flatnonzero(missing)}, prices)
        )
        for end, missing in ((row[0], row[1:]) for row in distinct)
    ]
    bills[some] = np.array(charged)[which.ravel()]
    return bills


def _bills_on_levels(
    nodes: Nodes, X: Floats, ends: npt.NDArray[np.int32], prices: Prices
) -> Floats:
    """Do the same where prices depend on other tests: for cases that pay the same, one by one."""
    bills, X = np.empty(len(X)), able_to_take(X, prices)
    for plain, where in plain_prices(nodes, X, prices):
        bills[where] = bills_of(nodes, X[where], ends[where], plain)
    return bills


def plain_prices(
    nodes: Nodes, X: Floats, prices: Prices
) -> Iterator[tuple[Prices, npt.NDArray[np.intp]]]:
    """Yield the price lists that hold for some encoded cases of a tree, and these cases."""
    asked = np.zeros(prices.full.size, bool)
    asked[nodes.test[nodes.test != NONE]] = True
    levels = levels_of(X, prices.conditions) * asked
    kinds, which = np.unique(levels, axis=0, return_inverse=True)
    for kind, level in enumerate(kinds):
        yield prices_on_levels(prices, level), np.flatnonzero(which.ravel() == kind)


def paid_on_path(nodes: Nodes, end: int, lacking: set[int], prices: Prices) -> list[float]:
    """Return what a case pays at each node down to where it ends, lacking some tests' values.

    At a delayed test it pays for all tests below of which it has a value, and no more after that;
    where it ends for want of a value, for nothing.
    """
    state, paid, ordered = PathPrices.at_start(prices), list[float](), False
    for node in path_to(nodes, end):
        test, price = int(nodes.test[node]), 0.0
        if test == NONE or ordered or (node == end and test in lacking):
            pass
        elif prices.delayed[test]:
            below = set(nodes.test[node : end_of(nodes, node)].tolist()) - {NONE} - lacking
            price, state = state.take_order([a for a in sorted(below) if not state.is_paid(a)])
            ordered = True
        elif test not in lacking:
            price, state = state.take(test)
        paid.append(price)
    return paid


def path_to(nodes: Nodes, node: int) -> Sequence[int]:
    """Return the nodes from the root to a node."""
    path = [node]
    while path[0] != 0:
        path.insert(0, int(nodes.parent[path[0]]))
    return path
