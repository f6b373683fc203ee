"""Cases down a finished tree, all of them a level at a time.

In plain NumPy: nothing has to be compiled before a model can answer, and for many cases it is as
fast as a compiled loop.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.kernels.ties import TOLERANCE

Floats = npt.NDArray[np.float64]
Ways = npt.NDArray[np.int64]
"""The node where a case without a value goes on, for each node that asks; NONE if it ends."""


def own_ways(nodes: Nodes) -> Ways:
    """Return the ways of cases without a value that have a branch of their own; others end.

    >>> nodes = Nodes.empty(3, 3, 2)
    >>> nodes.parent[:], nodes.lacking[:] = [NONE, 0, 0], [0, 0, 1]
    >>> own_ways(nodes).tolist()
    [2, -1, -1]
    """
    ways = np.full(nodes.test.size, NONE, np.int64)
    lacking = np.flatnonzero(nodes.lacking)
    ways[nodes.parent[lacking]] = lacking
    return ways


def heaviest_ways(nodes: Nodes) -> Ways:
    """Return the child of most cases of each node.

    Trees of the C4.5 family are followed there by who can follow one branch only, and so are all
    trees in model files of version 1. Weights that differ by rounding alone are equal; then it is
    the first child.

    >>> nodes = Nodes.empty(3, 3, 1)
    >>> nodes.parent[:], nodes.counts[:, 0] = [NONE, 0, 0], [5, 2, 3]
    >>> heaviest_ways(nodes).tolist()
    [2, -1, -1]
    """
    ways, weights = np.full(nodes.test.size, NONE, np.int64), nodes.counts.sum(axis=1)
    for child in range(1, nodes.test.size):
        parent = nodes.parent[child]
        best = weights[ways[parent]] if ways[parent] != NONE else -1.0
        if weights[child] > best + TOLERANCE * abs(best):
            ways[parent] = child
    return ways


def with_own_way(children: Sequence[int | None], missing: int | None) -> list[int | None]:
    """Return the children of a node that asks, with that of the cases without a value last.

    >>> with_own_way([1, 2], 3), with_own_way([1, 2], 2), with_own_way([], None)
    ([1, 2, 3], [1, 2, None], [])
    """
    own = None if missing in children else missing
    return [*children, own] if children else []


def find_nodes(
    X: Floats,
    nodes: Nodes,
    domain: npt.NDArray[np.int64],
    nominal: npt.NDArray[np.uint8],
    ways: Ways,
) -> npt.NDArray[np.int32]:
    """Return the node where each case ends.

    A value without a branch ends at the node that asks for it.

    Parameters
    ----------
    X : float64[case, a]
        Encoded cases; NaN where a value is missing.
    nodes : Nodes
        The tree.
    domain : int64[a]
        How many values a test has.
    nominal : uint8[a]
        1 where a test is nominal.
    ways : int64[node]
        Where a case without a value goes on.
    """
    ends = np.zeros(len(X), np.int32)
    going = np.flatnonzero(np.full(len(X), nodes.test[0] != NONE))
    while going.size:
        here = ends[going]
        tests = nodes.test[here]
        x = X[going, tests]
        known = (x >= 0.0) & (x < domain[tests])
        by_value = nominal[tests] != 0
        answers = np.where(by_value & known, x, x > nodes.threshold[here]).astype(np.int64)
        children = nodes.children[nodes.first[here] + answers]
        children[by_value & ~known] = NONE
        children = np.where(np.isnan(x), ways[here], children)
        moves = children != NONE
        going, children = going[moves], children[moves]
        ends[going] = children
        going = going[nodes.test[children] != NONE]
    return ends
