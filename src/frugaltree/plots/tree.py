"""A tree from left to right: what is asked at which price, and what is answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from frugaltree.costs import Costs
from frugaltree.plots.axes import new_axes, plain
from frugaltree.plots.order import branches_in_order
from frugaltree.plots.size import (
    BOX,
    BRANCH,
    ROW,
    check_height,
    columns_of,
    key_columns,
    key_width,
)
from frugaltree.protocols import Estimator
from frugaltree.tree.answers import costs_of_answers
from frugaltree.tree.text import View, charges_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from frugaltree.tree.tree import Tree

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c")
"""Of the classes, in order; the last stands for all others."""

MOST_TEXT = 60
"""Of longer text the middle is left out."""


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


def tree_numbers(estimator: Estimator, max_depth: int | None = None) -> Drawing:
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
    prices = tree.prices(costs)
    errors = costs_of_answers(tree, costs)
    view = View(tree, charges_of(tree, prices), costs.unit, None, errors)
    deepest = tree.depth if max_depth is None else max_depth
    drawn = [node for node, depth in tree.walk() if depth <= deepest]
    ends = {node for node in drawn if tree.is_leaf(node) or tree.depths[node] == deepest}
    row = _rows(tree, ends)
    boxes = [
        Box(
            node,
            depth=int(tree.depths[node]),
            row=row[node],
            text=_words(view, node, cut=node in ends),
            label=int(tree.labels[node]),
            is_answer=node in ends,
        )
        for node in drawn
    ]
    edges = [
        Edge(node, child, _short(_branch(tree, node, answers)), _share(tree, node, child))
        for node in drawn
        if node not in ends
        for answers, child in branches_in_order(tree, node)
    ]
    return Drawing(boxes, edges, [str(label) for label in tree.answer_names], len(ends))


def _rows(tree: Tree, ends: set[int]) -> dict[int, float]:
    """Return the row of each node: answers one below the other, a question amid its branches."""
    row: dict[int, float] = {}
    below: dict[int, list[int]] = {}
    stack = [0]
    while stack:
        node = stack.pop()
        if node in ends:
            row[node] = float(len(row))
        else:
            below[node] = [child for _, child in branches_in_order(tree, node)]
            stack.extend(reversed(below[node]))
    for node, children in reversed(below.items()):
        row[node] = (row[children[0]] + row[children[-1]]) / 2
    return row


def _words(view: View, node: int, *, cut: bool) -> str:
    """Return what is written on a node."""
    tree = view.tree
    if not tree.is_leaf(node) and not cut:
        return f"{_short(view.name(int(tree.nodes.test[node])))}?\n{_short(view.in_box(node))}"
    more = "" if tree.is_leaf(node) else " …"
    return f"{_short(view.answer(node))}{more}\n{_short(view.verdict(node).in_box)}"


def _branch(tree: Tree, node: int, answers: Sequence[int]) -> str:
    """Return what a branch stands for, without the name of its test."""
    name = tree.columns[tree.nodes.test[node]].name
    return tree.condition(node, answers).removeprefix(f"{name} ").removeprefix("= ")


def _share(tree: Tree, node: int, child: int) -> float:
    return float(tree.weights[child] / tree.weights[node])


def _short(text: str) -> str:
    """Return text on one line, its middle left out where it is very long.

    >>> _short("windows of a building, " * 4 + "float")
    'windows of a building, windows…, windows of a building, float'
    """
    text = " ".join(text.split())
    half = MOST_TEXT // 2
    return text if len(text) <= MOST_TEXT else f"{text[:half]}…{text[-half:]}"


def tree(estimator: Estimator, max_depth: int | None = None, ax: Axes | None = None) -> Axes:
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
        check_height(drawing.rows)
        answered = _answered(drawing)
        width = max(columns_of(drawing).width, key_width(answered))
        key = -(-len(answered) // key_columns(answered, width))
        ax = new_axes(width, ROW * drawing.rows + 0.2 * key + 0.3)
    return draw_tree(drawing, ax)


def draw_tree(drawing: Drawing, ax: Axes) -> Axes:
    """Draw boxes and branches; the colour of an answer is that of its class."""
    columns = columns_of(drawing)
    places = {box.node: box for box in drawing.boxes}
    for edge in drawing.edges:
        above, below = places[edge.above], places[edge.below]
        words, end = columns.words[above.depth], columns.middle[below.depth]
        ax.plot(
            [columns.middle[above.depth], columns.right[above.depth], words, end],
            [above.row, above.row, below.row, below.row],
            color="#9a9a9a",
            linewidth=0.8 + 4.0 * edge.share,
            solid_capstyle="round",
            zorder=1,
        )
        ax.annotate(
            plain(edge.text),
            (words, below.row),
            (0, 3),
            textcoords="offset points",
            fontsize=BRANCH,
            color="#333333",
            zorder=3,
        )
    for box in drawing.boxes:
        colour = COLOURS[min(box.label, len(COLOURS) - 1)] if box.is_answer else "#333333"
        ax.annotate(
            plain(box.text),
            (columns.middle[box.depth], box.row),
            ha="center",
            va="center",
            fontsize=BOX,
            color=colour,
            zorder=4,
            bbox={"boxstyle": "round,pad=0.35", "fc": "white", "ec": colour, "lw": 1.2},
        )
    ax.set_axis_off()
    ax.set_ylim(drawing.rows - 0.4, -0.6)
    ax.set_xlim(0.0, columns.width)
    _key(drawing, ax, columns.width)
    return ax


def _answered(drawing: Drawing) -> list[str]:
    """Return the classes that are answered, up to the last of the colours."""
    found = np.unique([box.label for box in drawing.boxes if box.is_answer]).tolist()
    return [_short(drawing.classes[label]) for label in found[: len(COLOURS)]]


def _key(drawing: Drawing, ax: Axes, width: float) -> None:
    """Say above the tree which colour is which class, of those that are answered."""
    names = _answered(drawing)
    found = np.unique([box.label for box in drawing.boxes if box.is_answer]).tolist()
    for label, name in zip(found, names, strict=False):
        colour = COLOURS[min(label, len(COLOURS) - 1)]
        ax.plot([], [], "s", color=colour, label=plain(name))
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=key_columns(names, width),
        frameon=False,
        fontsize=BOX,
        borderaxespad=0.0,
    )
