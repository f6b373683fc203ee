"""A tree as boxes and arrows, in words that each language of diagrams then spells its own way."""

from __future__ import annotations

from typing import NamedTuple

from frugaltree.export.model import Model
from frugaltree.tree.text import on_one_line


class Box(NamedTuple):
    """A question or an answer: its name in the diagram and its lines."""

    name: str
    lines: tuple[str, ...]
    asks: bool


class Arrow(NamedTuple):
    """A branch; ``taken`` tells whether training cases took it."""

    start: str
    end: str
    words: str
    taken: bool


def draw(model: Model) -> tuple[list[Box], list[Arrow]]:
    """Return the boxes and arrows of a tree, from the root down.

    Where training cases took only some branches, the others share a box with the node's own
    answer.

    Examples
    --------
    >>> from frugaltree import Costs, ID3Classifier
    >>> from frugaltree.export.model import model_of
    >>> learner = ID3Classifier(Costs([7], unit="EUR")).fit([[1], [2], [4]], ["no", "no", "yes"])
    >>> boxes, arrows = draw(model_of(learner, as_learned=True))
    >>> for box in boxes:
    ...     print(*box)
    n0 ('asks x0, EUR 7',) True
    n1 ('no', '2 cases, 100 %') False
    n2 ('yes', '1 case, 100 %') False
    >>> for arrow in arrows:
    ...     print(*arrow)
    n0 n1 <= 3 True
    n0 n2 > 3 True
    """
    boxes, arrows = [], []
    for node in range(model.tree.n_nodes):
        boxes.append(_box(model, node))
        arrows += _arrows(model, node)
        if arrows and not arrows[-1].taken and arrows[-1].start == f"n{node}":
            own = (model.view.answer(model.origins[node]), "(the node's own answer)")
            boxes.append(Box(arrows[-1].end, own, False))
    return boxes, arrows


def _box(model: Model, node: int) -> Box:
    tree = model.tree
    if not tree.is_leaf(node):
        return Box(f"n{node}", (model.view.question(model.origins[node]),), True)
    verdict = model.view.verdict(model.origins[node])
    return Box(f"n{node}", (verdict.answer, verdict.in_box), False)


def _arrows(model: Model, node: int) -> list[Arrow]:
    """Return the branches of a node; last, if need be, the one that no training case took."""
    tree = model.tree
    if tree.is_leaf(node):
        return []
    column = tree.columns[tree.nodes.test[node]]
    arrows = [
        Arrow(f"n{node}", f"n{child}", _words(tree.condition(node, answers), column.name), True)
        for answers, child in tree.branches(node)
    ]
    if tree.has_gap(node):
        arrows.append(Arrow(f"n{node}", f"n{node}o", "other values", False))
    return arrows


def _words(condition: str, name: str) -> str:
    """Return a condition without the name of its column, which stands in the box above."""
    return on_one_line(condition[len(name) + 1 :])
