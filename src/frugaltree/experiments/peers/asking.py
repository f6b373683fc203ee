"""Which tests a case asks for on its way through binary trees, and what it is charged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.choose import NONE
from frugaltree.kernels.price import Prices, charge

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

NEVER = np.inf


class Asking(NamedTuple):
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
    ordered : bool[node]
        Whether a delayed test has been reached.
    whole : float64[test]
        The same where the whole tree is ordered at once.
    """

    step: Floats
    ordered: Flags
    whole: Floats


def steps_of(tree: Asking, delayed: npt.ArrayLike) -> Steps:
    """Return when a tree asks for each test; reaching a delayed one orders all beneath it.

    Examples
    --------
    The root asks for test 1, its second child for test 0:

    >>> tree = Asking(np.array([1, -1, 0, -1, -1]), np.array([-1, 0, 0, 2, 2]))
    >>> steps_of(tree, [False, False]).step[[1, 3]]
    array([[inf,  0.],
           [ 1.,  0.]])

    If test 1 comes late, test 0 has been ordered with it:

    >>> steps_of(tree, [False, True]).step[1]  # node 2 of 5
    array([0.4, 0. ])
    """
    late = np.asarray(delayed, bool)
    n_nodes = tree.test.size
    beneath = _first_beneath(tree, late.size) / n_nodes
    step = np.full((n_nodes, late.size), NEVER)
    ordered = np.zeros(n_nodes, bool)
    depth = np.zeros(n_nodes)
    for node, (a, up) in enumerate(zip(tree.test.tolist(), tree.parent.tolist(), strict=True)):
        if up != NONE:
            step[node], ordered[node], depth[node] = step[up], ordered[up], depth[up] + 1
        if a == NONE or ordered[node]:
            continue
        step[node, a] = min(step[node, a], depth[node])
        if late[a]:
            ordered[node] = True
            np.minimum(step[node], depth[node] + beneath[node], out=step[node])
    return Steps(step, ordered, beneath[0])


def _first_beneath(tree: Asking, n_tests: int) -> Floats:
    """Return the first node, among each node and those beneath, that asks for a test."""
    first = np.full((tree.test.size, n_tests), NEVER)
    for node in range(tree.test.size - 1, -1, -1):
        if tree.test[node] != NONE:
            first[node, tree.test[node]] = node
        if tree.parent[node] != NONE:
            np.minimum(first[tree.parent[node]], first[node], out=first[tree.parent[node]])
    return first


def ranks(trees: Iterable[Asking], leaves: Places, delayed: npt.ArrayLike) -> Floats:
    """Return when each case asks for each test, infinite for never.

    Parameters
    ----------
    trees
        Asked one after the other.
    leaves
        The node where each case (row) ends in each tree (column).
    delayed
        For each test, whether its result comes late: what later trees might ask is then ordered.
    """
    rank = np.full((len(leaves), np.size(delayed)), NEVER)
    waiting = np.zeros(len(leaves), bool)
    start = 0.0
    for tree, ends in zip(trees, leaves.T, strict=True):
        steps = steps_of(tree, delayed)
        here = steps.step[ends]
        here[waiting] = steps.whole
        np.minimum(rank, start + here, out=rank)
        waiting |= steps.ordered[ends]
        start += tree.test.size
    return rank


def bills(prices: Prices, rank: Floats) -> Floats:
    """Return what cases are charged for the tests they ask for, in the order of their ranks.

    Examples
    --------
    Two blood tests share 2.10; the first case takes both, the second none:

    >>> from frugaltree import Costs, Group
    >>> costs = Costs({"chol": 5, "fbs": 3}, {"blood": Group(["chol", "fbs"], cost=2.1)})
    >>> bills(costs.prices(), np.array([[1, 0], [np.inf, np.inf]]))
    array([10.1,  0. ])
    """
    if not _order_matters(prices):
        rank = np.where(rank == NEVER, NEVER, 0.0)
    order = np.argsort(rank, axis=1, kind="stable")
    order[np.take_along_axis(rank, order, axis=1) == NEVER] = NONE
    distinct, which = np.unique(order, axis=0, return_inverse=True)
    amounts = np.array([_bill(prices, tests[tests != NONE].tolist()) for tests in distinct])
    return amounts[which.ravel()]


def _bill(prices: Prices, tests: Sequence[int]) -> float:
    """Return the price of some tests, taken in this order."""
    paid = np.zeros(prices.full.size, np.uint8)
    opened = np.zeros(prices.member.shape[1], np.uint8)
    return float(sum(charge(prices, a, paid, opened) for a in tests))


def _order_matters(prices: Prices) -> bool:
    """Tell whether the members of a group save different amounts, or more than they cost."""
    shared = prices.discount.max(axis=0, initial=0.0) * prices.member
    return bool((prices.discount != shared).any() or (prices.full < shared.sum(axis=1)).any())
