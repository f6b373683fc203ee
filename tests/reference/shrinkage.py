"""The slow and obvious twin: class shares shrunk towards the nodes above, and how strongly.

A node is a dictionary of ``counts``, the training cases of each class, and ``children``.
"""

from __future__ import annotations

from math import inf, log
from typing import Any

Node = dict[str, Any]


def evidence(node: Node) -> float:
    """Return chi-square of a node's split over its degrees of freedom.

    >>> evidence({"children": [leaf(3, 1), leaf(1, 3)]})  # two expected in each cell, off by one
    2.0
    >>> evidence({"children": [leaf(4, 0), leaf(0, 4)]})
    8.0
    """
    rows = [child["counts"] for child in node["children"]]
    columns = [sum(column) for column in zip(*rows, strict=True)]
    squares = 0.0
    for row in rows:
        for seen, column in zip(row, columns, strict=True):
            expected = sum(row) * column / sum(columns)
            if expected > 0:
                squares += (seen - expected) ** 2 / expected
    freedom = (len(rows) - 1) * (sum(column > 0 for column in columns) - 1)
    return squares / max(freedom, 1)


def leaf(*counts: float) -> Node:
    """Return a leaf of so many cases of each class."""
    return {"counts": list(counts), "children": []}


def part(node: Node, strength: float) -> float:
    """Return the part of the step from a node to its children that is taken."""
    return evidence(node) / (evidence(node) + strength) if strength > 0 else 1.0


def shrunk(path: list[Node], strength: float) -> list[float]:
    """Return the shares of the last node of a path from the root.

    >>> root = {"counts": [4, 4], "children": [leaf(4, 0), leaf(0, 4)]}
    >>> shrunk([root, root["children"][0]], 8.0)  # half the way from 1/2 to 1
    [0.75, 0.25]
    """
    counts = path[-1]["counts"]
    own = [count / sum(counts) for count in counts]
    if len(path) == 1:
        return own
    above, taken = shrunk(path[:-1], strength), part(path[-2], strength)
    return [a + taken * (s - a) for a, s in zip(above, own, strict=True)]


def told(path: list[Node], label: int, taken: float, strength: float) -> float:
    """Return the probability of a class at the end of a path, with cases of it taken out."""
    share: float | None = None
    for depth, node in enumerate(path):
        out = min(node["counts"][label], taken)
        left = sum(node["counts"]) - out
        if left <= 1e-9:  # nothing can be said here that was not said above
            continue
        own = (node["counts"][label] - out) / left
        share = own if share is None else share + part(path[depth - 1], strength) * (own - share)
    assert share is not None
    return share


def left_out_loss(root: Node, strength: float, most: float = 5.0) -> float:
    """Return the log loss per training case, cases of its class taken out along its path.

    >>> root = {"counts": [10, 10], "children": [leaf(10, 0), leaf(0, 10)]}
    >>> round(left_out_loss(root, 20.0), 6) == round(-log(2 / 3), 6)  # from 5/15 half the way to 1
    True
    """
    total, weight = 0.0, 0.0
    for path in leaf_paths([root]):
        for label, count in enumerate(path[-1]["counts"]):
            taken = min(most, root["counts"][label] - 1)
            if count > 0 and taken > 0:
                share = told(path, label, taken, strength)
                total -= count * log(max(share, 1e-15))
                weight += count
    return total / max(weight, 1.0)


def chosen(root: Node, strengths: tuple[float, ...]) -> float:
    """Return the strength of least loss, the first of several."""
    best, least = strengths[0], inf
    for strength in strengths:
        loss = left_out_loss(root, strength)
        if loss < least:
            best, least = strength, loss
    return best


def leaf_paths(path: list[Node]) -> list[list[Node]]:
    """Return the path to each leaf below the end of a path, from left to right."""
    if not path[-1]["children"]:
        return [path]
    return [found for child in path[-1]["children"] for found in leaf_paths([*path, child])]
