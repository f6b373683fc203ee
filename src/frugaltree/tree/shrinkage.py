"""Probabilities that lean on more cases than a leaf has: shares shrunk towards the nodes above.

The cases of a leaf are few, and a search has put them together because they are alike: the next
one is not as sure as their shares say. On the way down, the step from a node to its child is
therefore taken in part only. Hierarchical shrinkage (Agarwal, Tan, Ronen, Singh and Yu, ICML 2022)
takes n / (n + strength) of it, n being the cases of the node. Here n is weighed by how much the
split tells: the part is e / (e + strength), where e is chi-square of the split over its degrees of
freedom, which is n where two classes are parted cleanly in two, and about 1 where chance parts
them. docs/study/probabilities.md compares the two, and ways to choose the strength.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.data.left_out import LeftOutBuffers, find_losses
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.kernels.ties import TOLERANCE

Floats = npt.NDArray[np.float64]

STRENGTHS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""The strengths to choose from. With 0, a class that a leaf has not seen would be impossible."""

TAKEN = 5.0
"""How many cases are taken out of the counts to see how the others tell them.

A single one would do if the tests had not been chosen with it.
"""

LEAST_LEAD = 0.001
"""The part of its lead that the most frequent class of a node keeps over each other, at least."""


def choose_strength(nodes: Nodes) -> float:
    """Return the strength with which training cases are told best that are taken out.

    >>> nodes = Nodes.empty(3, 3, 2)
    >>> nodes.test[:], nodes.parent[:] = [0, NONE, NONE], [NONE, 0, 0]
    >>> nodes.counts[:] = [[40, 40], [38, 2], [2, 38]]
    >>> choose_strength(nodes)
    8.0
    """
    return STRENGTHS[int(np.argmin(left_out_losses(nodes, STRENGTHS)))]


def probabilities_of(nodes: Nodes, labels: npt.NDArray[np.int32], strength: float) -> Floats:
    """Return the probability of each class, for new cases that end at each node."""
    shares = np.asarray(nodes.counts / nodes.counts.sum(axis=1, keepdims=True))
    return keep_largest(shares, shrink_shares(nodes, strength), labels)


def shrink_shares(nodes: Nodes, strength: float) -> Floats:
    """Return the class shares of each node, shrunk towards those of the nodes above it.

    Parameters
    ----------
    nodes
        The tree, in preorder.
    strength
        0 leaves the shares as they are.

    Examples
    --------
    Eight cases, parted cleanly: chi-square is 8, and with a strength of 8 it is half the way from
    1/2 to 1.

    >>> nodes = Nodes.empty(3, 3, 2)
    >>> nodes.parent[:], nodes.counts[:] = [NONE, 0, 0], [[4, 4], [4, 0], [0, 4]]
    >>> shrink_shares(nodes, 8.0).tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    shares = np.asarray(nodes.counts / nodes.counts.sum(axis=1, keepdims=True))
    if strength <= 0.0:
        return shares
    evidence, shrunk = split_evidence(nodes)[:, None], shares.copy()
    part = evidence / (evidence + strength)
    for level in _levels(nodes.parent)[1:]:
        up = nodes.parent[level]
        shrunk[level] = (1.0 - part[up]) * shrunk[up] + part[up] * shares[level]
    return shrunk


def keep_largest(shares: Floats, shrunk: Floats, labels: npt.NDArray[np.int32]) -> Floats:
    """Return shrunk shares of which the largest class is that of the shares themselves.

    So the most probable class is the one that a learner answers to which all errors cost the same.
    Where another would be, as much of the shares is mixed in as it takes.

    Parameters
    ----------
    shares, shrunk
        The class shares of each node, and the same shrunk.
    labels
        The answer of each node: of several largest classes this one counts.

    Examples
    --------
    The first keeps a thousandth of its lead of 0.2.

    >>> shares, shrunk = np.array([[0.6, 0.4]]), np.array([[0.3, 0.7]])
    >>> keep_largest(shares, shrunk, np.array([0])).round(6).tolist()
    [[0.5001, 0.4999]]
    """
    rows = np.arange(len(shares))
    is_largest = shares[rows, labels] >= shares.max(axis=1) * (1.0 - TOLERANCE)
    first = np.where(is_largest, labels, shares.argmax(axis=1))
    lead = shares[rows, first][:, None] - shares
    behind = shrunk - shrunk[rows, first][:, None]
    gains = (lead > TOLERANCE) & (behind > -LEAST_LEAD * lead)
    wanted = (behind + LEAST_LEAD * lead) / np.where(gains, lead + behind, 1.0)
    part = np.where(gains, wanted, 0.0).max(axis=1, keepdims=True)
    return np.asarray((1.0 - part) * shrunk + part * shares)


def left_out_losses(nodes: Nodes, strengths: Sequence[float]) -> Floats:
    """Return, for each strength, how badly training cases are told by the others: the log loss.

    For each case, some cases of its class are taken out of the counts along its path, up to
    :data:`TAKEN`, itself among them; one is left of a class that has fewer. The splits stay as
    they are. Of a class that has a single case nothing can be told without it: it does not count.

    Parameters
    ----------
    nodes
        The tree, in preorder; its arrays can be written to.
    strengths
        The strengths.

    Examples
    --------
    Without five of its ten cases, a leaf of one class is still of one class, and of the other
    fifteen in the root five are of that class. Chi-square is 20: with a strength of 20 it is half
    the way from 5/15 to 1.

    >>> nodes = Nodes.empty(3, 3, 2)
    >>> nodes.test[:], nodes.parent[:] = [0, NONE, NONE], [NONE, 0, 0]
    >>> nodes.counts[:] = [[10, 10], [10, 0], [0, 10]]
    >>> np.exp(-left_out_losses(nodes, [0.0, 20.0])).round(6).tolist()
    [1.0, 0.666667]
    """
    n_nodes, n_classes = nodes.counts.shape
    work = LeftOutBuffers.empty(n_nodes, n_classes, len(strengths))
    find_losses(nodes, np.array(strengths, np.float64), TAKEN, work)
    return work.losses


def split_evidence(nodes: Nodes) -> Floats:
    """Return, for each node that asks, chi-square of its split over the degrees of freedom.

    Examples
    --------
    Of eight cases half are of each class. Two are expected in each cell, and each is off by one:
    four times 1/2.

    >>> nodes = Nodes.empty(3, 3, 2)
    >>> nodes.parent[:], nodes.counts[:] = [NONE, 0, 0], [[4, 4], [3, 1], [1, 3]]
    >>> split_evidence(nodes).tolist()
    [2.0, 0.0, 0.0]
    """
    counts, up = nodes.counts[1:], nodes.parent[1:]
    below, branches = np.zeros_like(nodes.counts), np.zeros(len(nodes.counts))
    np.add.at(below, up, counts)
    np.add.at(branches, up, 1.0)
    total = np.maximum(below.sum(axis=1), 1e-300)
    # In this order the largest weights do not overflow.
    expected = counts.sum(axis=1, keepdims=True) * (below / total[:, None])[up]
    away = counts - expected
    off = away * (away / np.where(expected > 0.0, expected, np.inf))
    squares = np.zeros(len(nodes.counts))
    np.add.at(squares, up, off.sum(axis=1))
    freedom = (branches - 1.0) * ((below > 0.0).sum(axis=1) - 1.0)
    return np.asarray(squares / np.maximum(freedom, 1.0))


def _levels(parent: npt.NDArray[np.int32]) -> list[npt.NDArray[np.intp]]:
    """Return the nodes of each depth.

    >>> [level.tolist() for level in _levels(np.array([-1, 0, 1, 1, 0]))]
    [[0], [1, 4], [2, 3]]
    """
    depths = [0] * len(parent)
    for node, up in enumerate(parent.tolist()):
        depths[node] = depths[up] + 1 if up != NONE else 0
    order = np.argsort(depths, kind="stable")
    return np.split(order, np.cumsum(np.bincount(depths))[:-1])
