"""The nodes of a tree in flat arrays, as kernels fill and read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.jit import part
from frugaltree.kernels.records import record_type
from frugaltree.kernels.sentinels import NONE


class Nodes(NamedTuple):
    """A tree in flat arrays; node 0 is the root and children come after their parent.

    The child of node ``i`` for branch ``b`` is ``children[first[i] + b]``: a nominal test has a
    branch for each value, a numeric one two, at most and above the threshold. A branch that no
    case took has no child (NONE): whoever comes that way stops at the node. In a finished tree
    values may share a child; what grows and prunes trees knows of no such thing.
    """

    test: np.ndarray  # int64[node], NONE for a leaf
    cut: np.ndarray  # int64[node]: largest rank that goes left
    threshold: np.ndarray  # float64[node]
    first: np.ndarray  # int64[node]
    parent: np.ndarray  # int64[node]
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
    return domain[a] if nominal[a] else 2
