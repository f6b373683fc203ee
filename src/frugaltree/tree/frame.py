"""A tree as a table, one row for each node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frugaltree.kernels.sentinels import NONE

if TYPE_CHECKING:
    import polars as pl

    from frugaltree.kernels.cost.prices import Prices
    from frugaltree.tree.tree import Tree


def tree_frame(tree: Tree, prices: Prices | None = None) -> pl.DataFrame:
    """Return a tree as a table of polars, one row for each node, in preorder.

    The columns are ``node``, ``depth``, ``parent`` and ``branch`` (the condition that leads from
    the parent here; null at the root), ``test`` (null at a leaf), ``threshold`` (null but for
    numeric and ordinal tests; of an ordinal one it lies between positions of its values),
    ``charge`` (what a case is charged there, for a delayed test with all that it orders; null
    without prices), ``n_cases`` (training cases), ``answer``, ``share`` (of the training cases,
    those for which the answer is right) and ``is_leaf``.

    Parameters
    ----------
    tree
        The tree.
    prices
        Prices of its tests, as ``Costs.prices`` gives them; None leaves charges out.

    Examples
    --------
    >>> from frugaltree import Costs, ID3Classifier
    >>> costs = Costs([3])
    >>> tree = ID3Classifier(costs).fit([[1], [2], [4]], ["no", "no", "yes"]).tree_
    >>> frame = tree_frame(tree, costs.prices(["x0"]))
    >>> frame["branch"].to_list(), frame["threshold"].to_list()
    ([None, 'x0 <= 3', 'x0 > 3'], [3.0, None, None])
    >>> frame["charge"].to_list(), frame["n_cases"].to_list()
    ([3.0, 0.0, 0.0], [3.0, 2.0, 1.0])
    """
    import polars as pl

    nodes, every = tree.nodes, np.arange(tree.n_nodes)
    branch: list[str | None] = [None] * tree.n_nodes
    for node in range(tree.n_nodes):
        for answers, child in tree.branches(node):
            branch[child] = tree.condition(node, answers)
    tests = [None if a == NONE else tree.columns[a].name for a in nodes.test.tolist()]
    charge = None if prices is None else tree.charges(prices).charge.tolist()
    mixed = len({type(name) for name in tree.answer_names}) > 1
    names = [str(name) if mixed else name for name in tree.answer_names]
    answer = [names[label] for label in tree.labels.tolist()]
    return pl.DataFrame(
        [
            pl.Series("node", every, pl.Int64),
            pl.Series("depth", tree.depths, pl.Int64),
            pl.Series(
                "parent", [None if p == NONE else p for p in nodes.parent.tolist()], pl.Int64
            ),
            pl.Series("branch", branch, pl.String),
            pl.Series("test", tests, pl.String),
            pl.Series(
                "threshold", [None if t != t else t for t in nodes.threshold.tolist()], pl.Float64
            ),
            pl.Series("charge", charge or [None] * tree.n_nodes, pl.Float64),
            pl.Series("n_cases", tree.weights, pl.Float64),
            pl.Series("answer", answer, strict=False),
            pl.Series("share", _shares_of_answers(tree), pl.Float64),
            pl.Series("is_leaf", nodes.test == NONE, pl.Boolean),
        ]
    )


def _shares_of_answers(tree: Tree) -> list[float | None]:
    """Return the share of each node's answer among its cases, None for a decision."""
    return [
        float(tree.shares[node, label]) if label < tree.first_decision else None
        for node, label in enumerate(tree.labels.tolist())
    ]
