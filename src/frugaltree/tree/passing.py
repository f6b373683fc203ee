"""Which nodes of a tree cases pass on their way."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from frugaltree.tree.tree import Tree

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


def passed_nodes(tree: Tree, X: Floats) -> csr_matrix:
    """Return, for each encoded case and each node, 1 where the case passes the node.

    A missing value passes on where the tree sends it; in a tree of the C4.5 family it passes every
    branch.

    Examples
    --------
    >>> from frugaltree import ID3Classifier
    >>> tree = ID3Classifier().fit([[1], [2], [4]], ["no", "no", "yes"]).tree_
    >>> passed_nodes(tree, np.array([[0.0], [9.0], [np.nan]])).toarray().tolist()
    [[1, 1, 0], [1, 0, 1], [1, 0, 0]]
    """
    rows: list[Rows] = [np.empty(0, np.intp)] * tree.n_nodes
    rows[0] = np.arange(len(X))
    for node in range(tree.n_nodes):  # in preorder: the rows of a parent are known
        for child, taken in _parted(tree, node, X, rows[node]):
            rows[child] = taken
    passed = np.concatenate(rows)
    at = np.repeat(np.arange(tree.n_nodes), [len(some) for some in rows])
    indicator = csr_matrix((np.ones(passed.size, np.int64), (passed, at)), (len(X), tree.n_nodes))
    indicator.sort_indices()
    return indicator


def _parted(tree: Tree, node: int, X: Floats, rows: Rows) -> list[tuple[int, Rows]]:
    """Return each child of a node with the rows that go on there."""
    if tree.is_leaf(node) or not rows.size:
        return []
    test, threshold = tree.nodes.test[node], tree.nodes.threshold[node]
    x = X[rows, test]
    answer = x if tree.columns[test].is_nominal else np.where(np.isnan(x), x, x > threshold)
    parted = []
    for answers, child in tree.branches(node):
        goes = np.isin(answer, answers)
        if tree.fractional or child == tree.ways[node]:
            goes |= np.isnan(x)
        parted.append((child, rows[goes]))
    return parted
