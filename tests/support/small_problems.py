"""Small problems and trees, written by hand."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import HealthCheck, settings

from reference import basics, expected_cost
from reference.basics import Node, Problem

quick = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


def table(rows: list[list[Any]], classes: list[int], **changes: Any) -> Problem:
    """Return a problem of free two-valued nominal tests and unit errors, with ``changes``."""
    n_tests = len(rows[0])
    n_classes = max(classes) + 1
    defaults: dict[str, Any] = {
        "rows": rows,
        "classes": classes,
        "weights": [1.0] * len(rows),
        "kinds": ["nominal"] * n_tests,
        "domains": [2] * n_tests,
        "n_classes": n_classes,
        "full": [0.0] * n_tests,
        "groups": [],
        "delayed": set(),
        "usable": set(range(n_tests)),
        "errors": uniform(n_classes, 1.0),
    }
    return Problem(**defaults | changes)


def uniform(n_classes: int, cost: float) -> list[list[float]]:
    return [[0.0 if p == a else cost for a in range(n_classes)] for p in range(n_classes)]


def xor(copies: int = 1, **changes: Any) -> Problem:
    rows = [list(pair) for pair in product((0, 1), repeat=2)] * copies
    return table(rows, [a ^ b for a, b in rows], **changes)


def numeric(values: list[float], classes: list[int], **changes: Any) -> Problem:
    rows = [[value] for value in values]
    return table(rows, classes, **{"kinds": ["numeric"], "domains": [0]} | changes)


def leaf(*counts: float, label: int | None = None) -> Node:
    return basics.leaf(list(counts), basics.majority(list(counts)) if label is None else label)


def ask(test: int, *children: Node | None, threshold: float | None = None) -> Node:
    """Return an inner node with the counts of its children."""
    kept = [child["counts"] for child in children if child is not None]
    counts = [sum(column) for column in zip(*kept, strict=True)]
    asked = {"test": test, "threshold": threshold, "children": list(children)}
    return leaf(*counts) | asked


def total(tree: Node, problem: Problem, **how: Any) -> float:
    return sum(expected_cost.estimate(tree, problem, **how))
