"""Learning from mixed cases: copies in which some values are those of others of the same class.

Within a class, the values of two tests are often next to independent. A case with some values of
another one of its class is then as likely as either, and a tree learned from many such copies
follows single cases less. The copies shape the tree only: it is counted, and answers, by the cases
themselves (:func:`recounted`). Whether that helps is found out on cases held out.
"""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from frugaltree.engines.greedy import to_preorder
from frugaltree.engines.problem import Problem
from frugaltree.kernels.data.nodes import NUMERIC_BRANCHES, Nodes, set_leaf
from frugaltree.kernels.sentinels import NONE
from frugaltree.table import is_frame
from frugaltree.tree.routing import find_nodes, own_ways

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

MIXED_CASES = 6_000
"""About so many cases are made, copies included."""

MOST_COPIES, FEWEST_COPIES = 9, 3
"""How many copies of each case are made; where there would be fewer, none are."""


def copies_for(n_cases: int) -> int:
    """Return how many copies of each case are made, 0 where there are cases enough.

    >>> copies_for(100), copies_for(1000), copies_for(3000)
    (9, 5, 0)
    """
    copies = min(MIXED_CASES // max(n_cases, 1) - 1, MOST_COPIES)
    return copies if copies >= FEWEST_COPIES else 0


def mixed_places(
    codes: npt.NDArray[np.integer[Any]], n_tests: int, copies: int, share: float, seed: int
) -> Places:
    """Return, for each case and test of a mixed table, the case that the value is taken from.

    The cases themselves come first. In a copy, this share of the values comes from others of the
    class.

    >>> mixed_places(np.array([0, 1, 1]), 2, 1, 0.5, seed=4).tolist()
    [[0, 0], [1, 1], [2, 2], [0, 0], [2, 1], [1, 2]]
    """
    random, n = np.random.default_rng(seed), codes.size
    own = np.repeat(np.arange(n)[:, None], n_tests, axis=1)
    parts = [own]
    for _ in range(copies):
        other = np.empty(n, np.intp)
        for label in np.unique(codes):
            members = np.flatnonzero(codes == label)
            other[members] = random.permutation(members)
        parts.append(np.where(random.random(own.shape) < share, other[:, None], own))
    return np.concatenate(parts)


def take_values(X: Any, places: Places) -> Any:
    """Return a table of the same columns, each value taken from the case that is named for it."""
    if not is_frame(X):
        return np.take_along_axis(X, places, axis=0)
    frame = nw.from_native(X, eager_only=True)
    mixed = [frame[name][places[:, i].tolist()] for i, name in enumerate(frame.columns)]
    return nw.concat([one.to_frame() for one in mixed], how="horizontal").to_native()


def recounted(problem: Problem, nodes: Nodes) -> Nodes:
    """Return a tree counted by the cases of a problem, without what none of them comes to.

    The tree was learned from a table of the same values. A test whose cases all go one way is left
    out.
    """
    cases = problem.cases
    rows = problem.table.rows(np.arange(cases.classes.size))
    ends = find_nodes(rows, nodes, cases.domain, cases.nominal, own_ways(nodes))
    nodes = Nodes(*(array.copy() for array in nodes))
    nodes.counts[:] = 0.0
    np.add.at(nodes.counts, (ends, cases.classes), cases.weights)
    ending = nodes.counts.sum(axis=1)
    for node in range(nodes.test.size - 1, -1, -1):
        if nodes.test[node] != NONE:
            _leave_out_unseen(nodes, node, _slots(problem, nodes, node), ending[node] > 0.0)
        if node:
            nodes.counts[nodes.parent[node]] += nodes.counts[node]
    return to_preorder(nodes, cases)


def _slots(problem: Problem, nodes: Nodes, node: int) -> slice:
    """Return where the children of a node stand."""
    test, first = nodes.test[node], int(nodes.first[node])
    n = int(problem.cases.domain[test]) if problem.cases.nominal[test] else NUMERIC_BRANCHES
    return slice(first, first + n)


def _leave_out_unseen(nodes: Nodes, node: int, slots: slice, ends_here: bool) -> None:
    """Cut off the branches of a node that no case takes, and its test if only one is left."""
    children = nodes.children[slots]
    unseen = nodes.counts[children].sum(axis=1) == 0.0
    children[(children != NONE) & unseen] = NONE
    left = np.unique(children[children != NONE])
    if left.size == 0:
        set_leaf(nodes, node, nodes.parent[node], nodes.counts[node])
    elif left.size == 1 and not ends_here:
        [child] = left.tolist()
        parent, lacking = nodes.parent[node], nodes.lacking[node]
        for array in (nodes.test, nodes.cut, nodes.threshold, nodes.first):
            array[node] = array[child]
        nodes.parent[nodes.parent == child] = node
        nodes.parent[node], nodes.lacking[node] = parent, lacking
