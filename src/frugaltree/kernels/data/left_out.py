"""How well a tree tells training cases that are taken out of its counts."""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from frugaltree.kernels.data.counts import total_of
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.sentinels import NONE

LEAST_SHARE = 1e-15
"""A share of 0 is taken for this where a logarithm is wanted."""


class LeftOutBuffers(NamedTuple):
    """What is told of cases with others of their class taken out, and room to work it out."""

    losses: np.ndarray  # float64[strength]: the log loss per case
    below: np.ndarray  # float64[node, class]: cases of all children, from 0 on
    branches: np.ndarray  # int64[node]: from 0 on
    evidence: np.ndarray  # float64[node]: from 0 on
    depth: np.ndarray  # int64[node]
    part: np.ndarray  # float64[strength]: of the step to the node in hand
    told: np.ndarray  # float64[depth, class, strength]: on the path to the node in hand

    @classmethod
    def empty(cls, n_nodes: int, n_classes: int, n_strengths: int) -> LeftOutBuffers:
        """Return room for a tree of so many nodes."""
        return cls(
            losses=np.zeros(n_strengths),
            below=np.zeros((n_nodes, n_classes)),
            branches=np.zeros(n_nodes, np.int64),
            evidence=np.zeros(n_nodes),
            depth=np.empty(n_nodes, np.int64),
            part=np.empty(n_strengths),
            told=np.empty((n_nodes, n_classes, n_strengths)),
        )


@part
def add_children(nodes, work):
    """Add up the cases of the children of each node."""
    for node in range(1, nodes.test.size):
        up = nodes.parent[node]
        work.branches[up] += 1
        for c in range(nodes.counts.shape[1]):
            work.below[up, c] += nodes.counts[node, c]


@part
def weigh_splits(nodes, work):
    """Work out chi-square of each split over its degrees of freedom."""
    for node in range(1, nodes.test.size):
        up = nodes.parent[node]
        rate = total_of(nodes.counts[node]) / max(total_of(work.below[up]), 1e-300)
        for c in range(nodes.counts.shape[1]):
            expected = rate * work.below[up, c]
            if expected > 0.0:
                work.evidence[up] += (nodes.counts[node, c] - expected) ** 2 / expected
    for node in range(nodes.test.size):
        n_classes = 0
        for c in range(nodes.counts.shape[1]):
            n_classes += work.below[node, c] > 0.0
        work.evidence[node] /= max((work.branches[node] - 1) * (n_classes - 1), 1)


@part
def take_step(nodes, node, strengths, work):
    """Set how deep a node is, and which part of the step to it is taken, by each strength."""
    up = nodes.parent[node]
    work.depth[node] = 0 if up == NONE else work.depth[up] + 1
    for s in range(strengths.size):
        work.part[s] = 1.0
        if up != NONE and strengths[s] > 0.0:
            work.part[s] = work.evidence[up] / (work.evidence[up] + strengths[s])


@part
def tell_class(node, c, own, has_cases, work):
    """Work out how probable a class is at a node, by each strength."""
    d = work.depth[node]
    for s in range(work.part.size):
        told = own
        if d > 0:
            step = work.part[s] if has_cases else 0.0
            told = (1.0 - step) * work.told[d - 1, c, s] + step * own
        work.told[d, c, s] = told


@kernel
def find_losses(nodes, strengths, most, work):
    """Work out how badly training cases are told by the others, for each strength.

    The rule is that of :mod:`frugaltree.tree.shrinkage`, which takes twenty times as long for a
    tree of 20,000 nodes and 18 classes: here nothing is worked out for classes that a node has no
    case of, nor kept but along one path.

    Parameters
    ----------
    nodes : Nodes
        The tree, in preorder. A class that a node has no case of has none below it.
    strengths : float64[strength]
        The strengths.
    most : float
        How many cases are taken out at most.
    work : LeftOutBuffers
        Room for this tree; ``losses`` is filled.
    """
    add_children(nodes, work)
    weigh_splits(nodes, work)
    weight = 0.0
    for node in range(nodes.test.size):
        n = total_of(nodes.counts[node])
        take_step(nodes, node, strengths, work)
        for c in range(nodes.counts.shape[1]):
            count, taken = nodes.counts[node, c], min(most, nodes.counts[0, c] - 1.0)
            if count <= 0.0:
                continue
            out = min(count, max(taken, 0.0))
            has_cases = n - out >= 1e-9  # less is what is left of sums by rounding
            own = (count - out) / (n - out) if has_cases else 0.0
            tell_class(node, c, own, has_cases, work)
            if nodes.test[node] == NONE and taken > 0.0:
                weight += count
                for s in range(strengths.size):
                    told = work.told[work.depth[node], c, s]
                    work.losses[s] -= count * log(max(told, LEAST_SHARE))
    for s in range(strengths.size):
        work.losses[s] /= max(weight, 1.0)
