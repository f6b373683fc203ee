"""The nodes of a tree in flat arrays, as kernels fill and read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.jit import atom, part
from frugaltree.kernels.records import record_type
from frugaltree.kernels.sentinels import NONE

LOW, HIGH, LACKING = range(3)
"""The branches of a numeric test: at most the threshold, above it, and without a value."""

NUMERIC_BRANCHES = 3


class Nodes(NamedTuple):
    """A tree in flat arrays; node 0 is the root and children come after their parent.

    The child of node ``i`` for branch ``b`` is ``children[first[i] + b]``: a nominal test has a
    branch for each value, a numeric one three: at most the threshold, above it, and without a
    value (:data:`LACKING`). Where cases lack the value of a nominal test, that is one more value,
    the last. A branch that no case took has no child (NONE): whoever comes that way stops at the
    node. In a finished tree values may share a child; what grows and prunes trees knows of no such
    thing.
    """

    test: np.ndarray  # int64[node], NONE for a leaf
    cut: np.ndarray  # int64[node]: largest rank that goes left
    threshold: np.ndarray  # float64[node]
    first: np.ndarray  # int64[node]
    parent: np.ndarray  # int64[node]
    lacking: np.ndarray  # uint8[node]: 1 where the cases lack the value that the parent asks
    counts: np.ndarray  # float64[node, class]
    children: np.ndarray  # int64[branch]

    @classmethod
    def empty(cls, n_nodes: int, n_children: int, n_classes: int) -> Nodes:
        """Return nodes with this much room."""
        return cls(
            test=np.empty(n_nodes, np.int64),
            cut=np.empty(n_nodes, np.int64),
            threshold=np.empty(n_nodes),
            first=np.empty(n_nodes, np.int64),
            parent=np.empty(n_nodes, np.int64),
            lacking=np.empty(n_nodes, np.uint8),
            counts=np.empty((n_nodes, n_classes)),
            children=np.empty(n_children, np.int64),
        )


TREE_SIZE = record_type(n_nodes=np.int64, n_slots=np.int64)
"""How many nodes of :class:`Nodes`, and slots of ``children``, a growing tree has taken."""


@part
def set_leaf(nodes, node, parent, counts):
    """Make ``node`` a leaf with these class counts."""
    nodes.test[node] = NONE
    nodes.cut[node] = NONE
    nodes.threshold[node] = np.nan
    nodes.first[node] = 0
    nodes.parent[node] = parent
    nodes.lacking[node] = 0
    for c in range(counts.size):
        nodes.counts[node, c] = counts[c]


@part
def copy_split(nodes, source, out, target):
    """Give node ``target`` of ``out`` the test and children of node ``source``."""
    out.test[target] = nodes.test[source]
    out.cut[target] = nodes.cut[source]
    out.threshold[target] = nodes.threshold[source]
    out.first[target] = nodes.first[source]


@part
def width(a, domain, nominal):
    """Return how many branches test ``a`` has; NONE, a leaf, has none."""
    if a == NONE:
        return 0
    return domain[a] if nominal[a] else NUMERIC_BRANCHES


@atom
def lacking_branch(cases, a):
    """Return the branch of the cases that lack a value of test ``a``, NONE where all have one.

    ``cases`` has ``lacking``, ``nominal`` and ``domain`` of each test.
    """
    if not cases.lacking[a]:
        return np.int64(NONE)
    return cases.domain[a] - 1 if cases.nominal[a] else np.int64(LACKING)
