"""A tree from left to right: what is asked at which price, and what is answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from frugaltree.costs import Costs
from frugaltree.plots.axes import new_axes, plain
from frugaltree.show import cases, money, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from frugaltree.tree import Tree

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c")
"""Of the classes, in order; the last stands for all others."""

MOST_TEXT = 28
"""Longer names are cut short."""

ROW, COLUMN = 0.55, 3.0
"""Inches between leaves, and between a test and the next."""


class Box(NamedTuple):
    """A question or an answer, and where it stands; a test deep is one to the right."""

    node: int
    depth: int
    row: float
    text: str
    label: int
    is_answer: bool


class Edge(NamedTuple):
    """A branch: from which box to which, and what it stands for."""

    above: int
    below: int
    text: str
    share: float


class Drawing(NamedTuple):
    """A tree, laid out.

    Attributes
    ----------
    boxes, edges
        Questions and answers, and the branches between them.
    classes
        The classes, in the order of the colours.
    rows
        How many answers there are.
    """

    boxes: list[Box]
    edges: list[Edge]
    classes: list[str]
    rows: int


def tree_numbers(estimator: Any, max_depth: int | None = None) -> Drawing:
    r"""Return where the nodes of a tree stand, and what is written on them.

    Parameters
    ----------
    estimator
        A fitted learner.
    max_depth
        How many tests deep to draw; None for all.

    Examples
    --------
    >>> from frugaltree import Costs, ID3Classifier
    >>> drawing = tree_numbers(ID3Classifier(Costs([6])).fit([[1], [2]], ["a", "b"]))
    >>> for box in drawing.boxes:
    ...     print(box.depth, box.row, box.text.replace("\n", " | "))
    0 0.5 x0? | price 6
    1 0.0 a | 1 case, 100 %
    1 1.0 b | 1 case, 100 %
    """
    check_is_fitted(estimator)
    tree, costs = estimator.tree_, estimator.costs or Costs()
    prices = costs.prices([column.name for column in tree.columns])
    charge = tree.charges(prices).charge
    deepest = tree.depth if max_depth is None else max_depth
    drawn = [node for node, depth in tree.walk() if depth <= deepest]
    ends = {node for node in drawn if tree.is_leaf(node) or tree.depths[node] == deepest}
    row = {node: float(place) for place, node in enumerate(sorted(ends))}
    for node in reversed(drawn):
        if node not in row:
            below = [row[child] for _, child in tree.branches(node)]
            row[node] = (below[0] + below[-1]) / 2
    boxes = [
        Box(
            node,
            int(tree.depths[node]),
            row[node],
            _words(tree, node, float(charge[node]), costs.unit, cut=node in ends),
            int(tree.labels[node]),
            node in ends,
        )
        for node in drawn
    ]
    edges = [
        Edge(node, child, _short(_branch(tree, node, answers)), _share(tree, node, child))
        for node in drawn
        if node not in ends
        for answers, child in tree.branches(node)
    ]
    return Drawing(boxes, edges, [str(label) for label in tree.classes], len(ends))


def _words(tree: Tree, node: int, charge: float, unit: str | None, *, cut: bool) -> str:
    """Return what is written on a node."""
    label = int(tree.labels[node])
    answer = _short(str(tree.classes[label]))
    evidence = f"{cases(float(tree.weights[node]))}, {percent(float(tree.shares[node, label]))}"
    if tree.is_leaf(node):
        return f"{answer}\n{evidence}"
    if cut:
        return f"{answer} …\n{evidence}"
    decimals = 0 if float(charge).is_integer() else 2
    price = money(charge, unit, decimals)
    price = "free" if charge == 0 else price if unit else f"price {price}"
    return f"{_short(tree.columns[tree.nodes.test[node]].name)}?\n{price}"


def _branch(tree: Tree, node: int, answers: Sequence[int]) -> str:
    """Return what a branch stands for, without the name of its test."""
    name = tree.columns[tree.nodes.test[node]].name
    return tree.condition(node, answers).removeprefix(f"{name} ").removeprefix("= ")


def _share(tree: Tree, node: int, child: int) -> float:
    return float(tree.weights[child] / tree.weights[node])


def _short(text: str) -> str:
    """Return text on one line, cut short.

    >>> _short("a" * 40)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaa…'
    """
    text = " ".join(text.split())
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"


def tree(estimator: Any, max_depth: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw a tree from left to right, with prices, cases and class shares.

    Parameters
    ----------
    estimator
        A fitted learner.
    max_depth
        How many tests deep to draw; None for all.
    ax
        Where to draw; None for a new figure of pyplot's, as large as the tree needs.
    """
    drawing = tree_numbers(estimator, max_depth)
    if ax is None:
        depth = max(box.depth for box in drawing.boxes)
        ax = new_axes(COLUMN * (depth + 1), max(1.6, ROW * drawing.rows + 0.7))
    return draw_tree(drawing, ax)


def draw_tree(drawing: Drawing, ax: Axes) -> Axes:
    """Draw boxes and branches; the colour of an answer is that of its class."""
    places = {box.node: box for box in drawing.boxes}
    for edge in drawing.edges:
        above, below = places[edge.above], places[edge.below]
        ax.plot(
            [above.depth, above.depth + 0.42, below.depth],
            [above.row, below.row, below.row],
            color="#9a9a9a",
            linewidth=0.8 + 4.0 * edge.share,
            solid_capstyle="round",
            zorder=1,
        )
        ax.annotate(
            plain(edge.text),
            (above.depth + 0.43, below.row),
            (0, 3),
            textcoords="offset points",
            fontsize=8,
            color="#333333",
            zorder=3,
        )
    for box in drawing.boxes:
        colour = COLOURS[min(box.label, len(COLOURS) - 1)] if box.is_answer else "#333333"
        ax.annotate(
            plain(box.text),
            (box.depth, box.row),
            ha="center",
            va="center",
            fontsize=9,
            color=colour,
            zorder=4,
            bbox={"boxstyle": "round,pad=0.35", "fc": "white", "ec": colour, "lw": 1.2},
        )
    ax.set_axis_off()
    ax.set_ylim(drawing.rows - 0.4, -0.6)
    ax.set_xlim(-0.45, max(box.depth for box in drawing.boxes) + 0.45)
    _key(drawing, ax)
    return ax


def _key(drawing: Drawing, ax: Axes) -> None:
    """Say which colour is which class, of those that are answered."""
    answered = np.unique([box.label for box in drawing.boxes if box.is_answer]).tolist()
    for label in answered[: len(COLOURS)]:
        colour = COLOURS[min(label, len(COLOURS) - 1)]
        ax.plot([], [], "s", color=colour, label=plain(_short(drawing.classes[label])))
    ax.legend(loc="upper left", frameon=False, fontsize=9, bbox_to_anchor=(0, 1.02))
