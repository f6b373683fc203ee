"""Which tests a case asks for on its way through binary trees, and what it is charged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from frugaltree.kernels.cost.prices import ORDERED, Prices, price_of_order, take_order
from frugaltree.kernels.sentinels import NONE

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

NEVER = np.inf


class AskedTests(NamedTuple):
    """What a tree asks, node by node in preorder.

    Attributes
    ----------
    test
        The original test that a node asks for, -1 for a leaf.
    parent
        The node above, -1 for the root.
    """

    test: Places
    parent: Places


class Steps(NamedTuple):
    """When the tests of a tree are asked.

    Attributes
    ----------
    step : float64[node, test]
        At which step a case that comes to the node asks for a test, infinite for never.
    order : float64[node]
        At which step a delayed test has ordered all that could follow, infinite for never.
    asked : bool[test]
        Whether the tree asks for a test anywhere.
    """

    step: Floats
    order: Floats
    asked: Flags


def find_steps(tree: AskedTests, delayed: npt.ArrayLike) -> Steps:
    """Return when a tree asks for each test; reaching a delayed one orders all beneath it at once.

    Examples
    --------
    The root asks for test 1, its second child for test 0:

    >>> tree = AskedTests(np.array([1, -1, 0, -1, -1]), np.array([-1, 0, 0, 2, 2]))
    >>> find_steps(tree, [False, False]).step[[1, 3]]
    array([[inf,  0.],
           [ 1.,  0.]])

    If test 1 comes late, test 0 has been ordered with it:

    >>> find_steps(tree, [False, True]).step[1]
    array([0., 0.])
    """
    late = np.asarray(delayed, bool)
    n_nodes = tree.test.size
    beneath = _find_tests_beneath(tree, late.size)
    step = np.full((n_nodes, late.size), NEVER)
    order = np.full(n_nodes, NEVER)
    depth = np.zeros(n_nodes)
    for node, (a, up) in enumerate(zip(tree.test.tolist(), tree.parent.tolist(), strict=True)):
        if up != NONE:
            step[node], order[node], depth[node] = step[up], order[up], depth[up] + 1
        if a == NONE or order[node] != NEVER:
            continue
        step[node, a] = min(step[node, a], depth[node])
        if late[a]:
            order[node] = depth[node]
            np.minimum(step[node], depth[node], out=step[node], where=beneath[node])
    return Steps(step, order, beneath[0])


def _find_tests_beneath(tree: AskedTests, n_tests: int) -> Flags:
    """Tell, for each node, which tests it and the nodes beneath it ask for."""
    asked = np.zeros((tree.test.size, n_tests), bool)
    for node in range(tree.test.size - 1, -1, -1):
        if tree.test[node] != NONE:
            asked[node, tree.test[node]] = True
        if tree.parent[node] != NONE:
            asked[tree.parent[node]] |= asked[node]
    return asked


def rank_tests(trees: Iterable[AskedTests], leaves: Places, delayed: npt.ArrayLike) -> Floats:
    """Return when each case asks for each test, infinite for never.

    Parameters
    ----------
    trees
        Asked one after the other.
    leaves
        The node where each case (row) ends in each tree (column).
    delayed
        For each test, whether its result comes late: what later trees might ask is then ordered
        along with it.
    """
    rank = np.full((len(leaves), np.size(delayed)), NEVER)
    order = np.full(len(leaves), NEVER)
    start = 0.0
    for tree, ends in zip(trees, leaves.T, strict=True):
        steps = find_steps(tree, delayed)
        here, waiting = start + steps.step[ends], order != NEVER
        here[waiting] = np.where(steps.asked, order[waiting, None], NEVER)
        np.minimum(rank, here, out=rank)
        np.minimum(order, start + steps.order[ends], out=order)
        start += tree.test.size
    return rank


def bill_orders(prices: Prices, rank: Floats) -> Floats:
    """Return what cases are charged for the tests they ask for, in the order of their ranks.

    What is asked at once is charged as one order.

    Examples
    --------
    Two blood tests share 2.10; the first case takes both, the second none:

    >>> from frugaltree import Costs, Group
    >>> costs = Costs({"chol": 5, "fbs": 3}, {"blood": Group(["chol", "fbs"], cost=2.1)})
    >>> bill_orders(costs.prices(), np.array([[1, 0], [np.inf, np.inf]]))
    array([10.1,  0. ])
    """
    if not _order_matters(prices):
        rank = np.where(rank == NEVER, NEVER, 0.0)
    turns = rankdata(rank, method="dense", axis=1)
    turns[rank == NEVER] = 0
    distinct, which = np.unique(turns, axis=0, return_inverse=True)
    amounts = np.array([_bill(prices, turn) for turn in distinct])
    return amounts[which.ravel()]


def _bill(prices: Prices, turn: Floats) -> float:
    """Return the price of tests, given when each has its turn; 0 is never."""
    paid = np.zeros(turn.size, np.uint8)
    opened = np.zeros(prices.member.shape[1], np.uint8)
    total = 0.0
    for now in range(1, int(turn.max(initial=0)) + 1):
        paid[turn == now] = ORDERED
        total += price_of_order(prices, paid, opened)
        take_order(prices, paid, opened)
    return total


def _order_matters(prices: Prices) -> bool:
    """Tell whether the members of a group save different amounts, or more than they cost."""
    shared = prices.discount.max(axis=0, initial=0.0) * prices.member
    return bool((prices.discount != shared).any() or (prices.full < shared.sum(axis=1)).any())
