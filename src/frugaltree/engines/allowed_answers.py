"""Which answers each node of a tree may give, so that they follow the monotone tests.

Below a split on a monotone test no answer of the lower branch comes later in the order of the
classes than one of the upper, or earlier in the other direction. That is so if and only if some
answer parts them (``kernels.exact.answers``). Here the tree is given, wherever it comes from, and
only the answers are chosen: those for which its leaves are expected to cost least.

Every node has an answer, for cases that end there; it is within what the node allows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.cost.cost_classes import NO_COST_CLASSES
from frugaltree.kernels.cost.error_estimate import LeafEstimate
from frugaltree.kernels.cost.leaf import Allowed, cheapest_labels
from frugaltree.kernels.cost.prune import leaf_costs
from frugaltree.kernels.data.nodes import HIGH, LOW, Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.kernels.ties import TOLERANCE

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


class Leaves(NamedTuple):
    """What leaves cost.

    Attributes
    ----------
    errors
        What an answer costs where a class is right.
    estimate
        How errors are estimated.
    """

    errors: Floats
    estimate: LeafEstimate

    def costs(self, counts: Floats) -> Floats:
        """Return what leaves cost by the first and the last answer allowed.

        It is infinite where none is.
        """
        n, k = len(counts), len(self.errors)
        each = np.empty((n, k))
        for label in range(k):
            labels, out = np.full(n, label, np.int32), np.empty(n)
            leaf_costs(counts, self.errors, labels, self.estimate, NO_COST_CLASSES, out)
            each[:, label] = out
        out = np.full((n, k, k), np.inf)
        for least in range(k):
            for most in range(least, k):
                labels = cheapest_between(
                    self.errors,
                    counts,
                    self.estimate.first_decision,
                    np.full((n, 2), (least, most)),
                )
                out[:, least, most] = each[np.arange(n), labels]
        return out


def cheapest_between(
    errors: Floats,
    counts: Floats,
    first_decision: int,
    allowed: Whole,
    class_of: Whole = NO_COST_CLASSES.class_of,
) -> npt.NDArray[np.int32]:
    """Return the cheapest answer of each node between its first and its last one allowed."""
    labels = np.empty(len(counts), np.int32)
    counts = np.require(counts, requirements="W")
    cheapest_labels(errors, counts, first_decision, class_of, allowed, labels)
    return labels


def all_allowed(n_nodes: int, n_answers: int) -> Whole:
    """Return that every node may give all answers.

    >>> all_allowed(2, 3).tolist()
    [[0, 2], [0, 2]]
    """
    return np.full((n_nodes, 2), (0, n_answers - 1), np.int64)


def allowed_answers(
    nodes: Nodes, directions: npt.NDArray[np.int8], leaves: Leaves, whole: Allowed | None = None
) -> Whole:
    """Return the first and the last answer that each node of a tree may give.

    Parameters
    ----------
    nodes
        The tree, children after their parents.
    directions
        How answers follow each test: 1, -1, or 0 for anyhow.
    leaves
        What leaves cost.
    whole
        The answers of the whole tree, None for all.

    Examples
    --------
    There is more of class 1 below the threshold. If answers are to come later above it, both sides
    answer 1, which is wrong for one case less than if both answered 0; if earlier, 0 above.

    >>> nodes = Nodes.empty(3, 3, 2)
    >>> nodes.test[:], nodes.first[:], nodes.parent[:] = [0, -1, -1], 0, [-1, 0, 0]
    >>> nodes.children[:], nodes.counts[:] = [1, 2, -1], [[4, 5], [1, 4], [3, 1]]
    >>> estimate = LeafEstimate(0.25, 2, False)
    >>> leaves = Leaves(np.array([[0.0, 1.0], [1.0, 0.0]]), estimate)
    >>> allowed_answers(nodes, np.array([1], np.int8), leaves).tolist()
    [[0, 1], [0, 1], [1, 1]]
    >>> allowed_answers(nodes, np.array([-1], np.int8), leaves).tolist()
    [[0, 1], [0, 1], [0, 0]]
    """
    allowed = all_allowed(nodes.test.size, len(leaves.errors))
    if whole is not None:
        allowed[:] = whole
    follows = np.where(nodes.test == NONE, 0, directions[nodes.test])
    if not follows.any():
        return allowed
    costs = _costs_of_subtrees(nodes, follows, leaves)
    for node in np.flatnonzero(nodes.test != NONE).tolist():
        allowed[nodes.parent == node] = allowed[node]
        if follows[node]:
            first, last = _branches(nodes, node, follows[node])
            least, most = allowed[node]
            found = costs[first, least, :] + costs[last, :, most]
            parted = int(np.flatnonzero(found <= found.min() * (1.0 + TOLERANCE))[0])
            allowed[first, 1] = allowed[last, 0] = parted
    return allowed


def _branches(nodes: Nodes, node: int, direction: int) -> tuple[int, int]:
    """Return the branches of a monotone test, first the one whose answers come first."""
    slots = nodes.children[nodes.first[node] : nodes.first[node] + 2]
    low, high = int(slots[LOW]), int(slots[HIGH])
    return (low, high) if direction > 0 else (high, low)


def _costs_of_subtrees(nodes: Nodes, follows: npt.NDArray[np.int8], leaves: Leaves) -> Floats:
    """Return what the leaves below each node cost, by the first and the last answer allowed."""
    n, k = nodes.test.size, len(leaves.errors)
    costs, is_leaf = np.zeros((n, k, k)), nodes.test == NONE
    costs[is_leaf] = leaves.costs(np.ascontiguousarray(nodes.counts[is_leaf]))
    for node in range(n - 1, -1, -1):
        if follows[node]:
            first, last = _branches(nodes, node, follows[node])
            costs[node] += (costs[first][:, :, None] + costs[last][None, :, :]).min(axis=1)
        above, branch = nodes.parent[node], node
        if above != NONE and not (follows[above] and branch in _branches(nodes, above, 1)):
            costs[above] += costs[node]
    return costs
