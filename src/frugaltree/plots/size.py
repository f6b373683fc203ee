"""How large a picture of a tree is: how deep it fits, and how wide its columns are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frugaltree.exceptions import FrugaltreeError

if TYPE_CHECKING:
    from frugaltree.plots.tree import Drawing
    from frugaltree.tree.tree import Tree

ROW, SLANT, GAP, EDGE = 0.55, 0.32, 0.16, 0.12
"""Inches: between answers, from a box to the words of its branches, after these, and around."""

BOX, BRANCH = 9.0, 8.0
"""Sizes of letters, in points."""

MOST_ANSWERS = 60
"""So many answers a picture has if nobody says how deep to draw."""

MOST_INCHES = 320.0
"""Matplotlib draws 65,536 dots at most, 200 of them to an inch."""


class Columns(NamedTuple):
    """Where things stand from left to right, in inches, by how many tests are above.

    Attributes
    ----------
    middle, right
        The middle of the boxes, and where the widest of them ends.
    words
        Where the words of the branches to the next boxes begin.
    width
        Of the whole picture.
    """

    middle: list[float]
    right: list[float]
    words: list[float]
    width: float


def answers_by_depth(tree: Tree) -> list[int]:
    """Return how many answers a picture has that is so many tests deep."""
    leaves = np.array([tree.is_leaf(node) for node in range(tree.n_nodes)])
    nodes = np.bincount(tree.depths, minlength=tree.depth + 1)
    ended = np.bincount(tree.depths[leaves], minlength=tree.depth + 1)
    answers: list[int] = (np.cumsum(ended) - ended + nodes).tolist()
    return answers


def fitting_depth(tree: Tree, most: int = MOST_ANSWERS) -> int:
    """Return how many tests deep a tree can be drawn with about so many answers, one at least.

    >>> from frugaltree import ID3Classifier
    >>> tree = ID3Classifier().fit([[1], [2], [3], [4]], ["a", "b", "a", "b"]).tree_
    >>> answers_by_depth(tree), fitting_depth(tree, most=3)
    ([1, 2, 3, 4], 2)
    """
    fitting = [depth for depth, n in enumerate(answers_by_depth(tree)) if n <= most]
    return min(max(1, fitting[-1]), tree.depth)


def check_height(rows: int) -> None:
    """Refuse a picture that matplotlib could not draw."""
    if rows * ROW > MOST_INCHES:
        raise FrugaltreeError(
            f"a picture of {rows:,} answers would be {rows * ROW:,.0f} inches high, and "
            f"matplotlib draws {MOST_INCHES:.0f} at most; draw fewer tests deep."
        )


def columns_of(drawing: Drawing) -> Columns:
    """Return columns as wide as what is written in them."""
    depth = max(box.depth for box in drawing.boxes)
    boxes, words = [0.0] * (depth + 1), [0.0] * (depth + 1)
    depths = {box.node: box.depth for box in drawing.boxes}
    for box in drawing.boxes:
        width = inches(box.text.split("\n"), BOX) + 0.14
        boxes[box.depth] = max(boxes[box.depth], width)
    for edge in drawing.edges:
        above = depths[edge.above]
        words[above] = max(words[above], inches([edge.text], BRANCH))
    columns, left = Columns([], [], [], 0.0), EDGE
    for box_width, words_width in zip(boxes, words, strict=True):
        columns.middle.append(left + box_width / 2)
        columns.right.append(left + box_width)
        columns.words.append(left + box_width + SLANT)
        left += box_width + SLANT + words_width + GAP
    return columns._replace(width=columns.right[-1] + EDGE)


def key_columns(names: list[str], width: float) -> int:
    """Return how many names fit beside each other in the key of a picture."""
    return max(1, min(len(names), int(width / key_width(names))))


def key_width(names: list[str]) -> float:
    """Return what the longest name takes in the key, in inches, with its colour."""
    return inches(names, BOX) + 0.5


def inches(lines: Iterable[str], size: float) -> float:
    """Return the width of the longest line, and a little for dots that letters are fitted to."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    widths = [text_to_path.get_text_width_height_descent(line, font, False)[0] for line in lines]
    return 1.06 * float(max(widths)) / 72
