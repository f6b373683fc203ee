"""The order in which branches are drawn: as people would list their values."""

from __future__ import annotations

import re

from frugaltree.tree.tree import Tree


def branches_in_order(tree: Tree, node: int) -> list[tuple[tuple[int, ...], int]]:
    """Return (answers, child) for every branch of a node, numbers in values by their size.

    Values that somebody has put into another order than the alphabet's keep it.
    """
    branches = tree.branches(node)
    if tree.is_leaf(node) or not tree.columns[tree.nodes.test[node]].is_nominal:
        return branches
    names = [str(value) for value in tree.columns[tree.nodes.test[node]].categories]
    if names != sorted(names):
        return branches
    ranked = sorted(range(len(names)), key=lambda code: natural(names[code]))
    place = {code: rank for rank, code in enumerate(ranked)}
    listed = [
        (tuple(sorted(answers, key=place.__getitem__)), child) for answers, child in branches
    ]
    return sorted(listed, key=lambda branch: place[branch[0][0]])


def natural(text: str) -> list[str | int]:
    """Return a key that sorts numbers within text by their size.

    >>> sorted(["12-14", "3-5", "6-8"], key=natural)
    ['3-5', '6-8', '12-14']
    """
    parts = re.split(r"([0-9]+)", text)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]
