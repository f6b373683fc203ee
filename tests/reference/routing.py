"""The slow and obvious twins: cases down a tree, and their bills."""

from __future__ import annotations

from reference.basics import (
    SLACK,
    START,
    Node,
    Problem,
    Row,
    State,
    branch_of,
    heaviest,
    is_leaf,
    order,
    size,
)
from reference.expected_cost import ordered_tests


def child_of(node: Node, row: Row) -> Node | None:
    """Return the child for a known value, ``None`` where the branch is empty or unheard of."""
    branch = branch_of(row[node["test"]], node["threshold"])
    if branch is None or not 0 <= branch < len(node["children"]):
        return None
    child: Node | None = node["children"][branch]
    return child


def step(node: Node, row: Row) -> Node | None:
    """Return the next node of a case; a missing value goes with the heaviest branch."""
    if is_leaf(node):
        return None
    if row[node["test"]] is None:
        return heaviest(node["children"])
    return child_of(node, row)


def terminal(tree: Node, row: Row) -> Node:
    """Return the node at which a case stops."""
    child = step(tree, row)
    return tree if child is None else terminal(child, row)


def ways(node: Node, row: Row) -> list[tuple[Node, float]]:
    """Return the children a case visits and with what part of itself; none if it stops here."""
    if is_leaf(node):
        return []
    if row[node["test"]] is not None:
        child = child_of(node, row)
        return [] if child is None else [(child, 1.0)]
    children = [child for child in node["children"] if child is not None]
    total = sum(size(child) for child in children)
    return [(child, size(child) / total) for child in children]


def shares(tree: Node, row: Row, fractional: bool = False) -> list[float]:
    """Return the class shares that answer a case, over all its parts if ``fractional``."""
    if not fractional:
        tree = terminal(tree, row)
    branches = ways(tree, row) if fractional else []
    if not branches:
        return [c / size(tree) for c in tree["counts"]]
    mixed = [0.0] * len(tree["counts"])
    for child, part in branches:
        for c, share in enumerate(shares(child, row, fractional)):
            mixed[c] += part * share
    return mixed


def predict_label(tree: Node, row: Row, fractional: bool = False) -> int:
    """Return the answer: the label where the case stops, or the largest of its mixed shares."""
    if not fractional:
        label: int = terminal(tree, row)["label"]
        return label
    mixed = shares(tree, row, fractional)
    best = 0
    for c in range(1, len(mixed)):
        if mixed[c] > mixed[best] + SLACK:
            best = c
    return best


def bill(tree: Node, row: Row, problem: Problem, fractional: bool = False) -> float:
    """Return what the tests of a case cost, each charged once, with discounts and delays."""
    return walk(tree, row, problem, fractional, START)[0]


def walk(
    node: Node, row: Row, problem: Problem, fractional: bool, state: State
) -> tuple[float, State]:
    """Return the charge for a case from this node on, and what is paid for afterwards."""
    if is_leaf(node):
        return 0.0, state
    if node["test"] in problem.delayed:
        return order(problem, ordered_tests(node), state)
    charge, state = order(problem, [node["test"]], state)
    if fractional:
        visited = [child for child, _ in ways(node, row)]
    else:
        visited = [child for child in [step(node, row)] if child is not None]
    for child in visited:
        more, state = walk(child, row, problem, fractional, state)
        charge += more
    return charge, state
