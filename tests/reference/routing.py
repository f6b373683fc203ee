"""The slow and obvious twins: cases down a tree, and their bills."""

from __future__ import annotations

from reference.basics import (
    SLACK,
    START,
    TOLERANCE,
    Node,
    Problem,
    Row,
    State,
    branch_of,
    everything,
    is_lacking,
    is_leaf,
    lacking_child,
    order,
    size,
    state_in,
)
from reference.expected_cost import ordered_tests


def child_of(node: Node, row: Row) -> Node | None:
    """Return the child for a known value, ``None`` where the branch is empty or unheard of."""
    branch = branch_of(row[node["test"]], node["threshold"])
    if branch is None or not 0 <= branch < len(node["children"]) or is_lacking(node, branch):
        return None
    child: Node | None = node["children"][branch]
    return child


def step(node: Node, row: Row) -> Node | None:
    """Return the next node of a case, ``None`` if it ends here."""
    if is_leaf(node):
        return None
    if row[node["test"]] is None:
        return lacking_child(node) or node.get("way")
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
    pays = fractional or problem.charge_missing
    if not pays and row[node["test"]] is None and step(node, row) is None:
        return 0.0, state  # it ends here: nothing is asked, nothing ordered
    if node["test"] in problem.delayed:
        return order(
            problem, [a for a in ordered_tests(node) if pays or row[a] is not None], state
        )
    charge = 0.0
    if pays or row[node["test"]] is not None:
        charge, state = order(problem, [node["test"]], state)
    if fractional:
        visited = [child for child, _ in ways(node, row)]
    else:
        visited = [child for child in [step(node, row)] if child is not None]
    for child in visited:
        more, state = walk(child, row, problem, fractional, state)
        charge += more
    return charge, state


# ---------------------------------------------------------------------- ways without a value


def add_ways(tree: Node, problem: Problem) -> Node:
    """Set, in place, where a case goes on where no training case lacked a value; return the tree.

    Children first: a case may lack more than one value.
    """
    set_way(tree, problem, [i for i, _ in everything(problem)], START)
    return tree


def set_way(node: Node, problem: Problem, rows: list[int], state: State | None) -> None:
    """Set the ways below a node and then its own, by the training cases that come to it.

    ``state`` is None below an order, where all is paid for.
    """
    if is_leaf(node):
        return
    ordered = state is None or node["test"] in problem.delayed
    for b, child in enumerate(node["children"]):
        if child is not None and "way" not in child:
            below = None
            if state is not None and not ordered:
                below = state_in(problem, node["test"], state, is_lacking(node, b))
            there = [i for i in rows if step(node, problem.rows[i]) is child]
            set_way(child, problem, there, below)
    if lacking_child(node) is not None:
        return
    best, node["way"] = stopping(node, node, problem, rows), None
    best += sum(problem.weights[i] * trying(node, problem, i, state) for i in rows)
    ends = best
    for child in node["children"]:
        if child is None:
            continue
        cost = sum(problem.weights[i] * on_way(node, child, problem, i, state) for i in rows)
        if cost < best * (1 - TOLERANCE) and worst(node, child, problem, rows, state) <= ends * (
            1 + TOLERANCE
        ):
            best, node["way"] = cost, child


def stopping(node: Node, end: Node, problem: Problem, rows: list[int]) -> float:
    """Return what the cases of a node cost with the answer of another."""
    errors = problem.errors[end["label"]]
    return sum(problem.weights[i] * errors[problem.classes[i]] for i in rows)


def trying(node: Node, problem: Problem, i: int, state: State | None) -> float:
    """Return what a case pays at a node where it ends for want of a value."""
    row = list(problem.rows[i])
    row[node["test"]] = None
    return 0.0 if state is None else walk(node | {"way": None}, row, problem, False, state)[0]


def worst(
    node: Node, child: Node, problem: Problem, rows: list[int], state: State | None
) -> float:
    """Return what cases cost at most that go on to a child, whatever else is missing."""
    charge, state = charge_some(node, problem, rows, state, missing=True, goes_on=True)
    return charge + worst_below(child, problem, rows, state, {node["test"]: True})


def worst_below(
    node: Node, problem: Problem, rows: list[int], state: State | None, missing: dict[int, bool]
) -> float:
    """Return what cases cost from a node on if all have a value of its test or if none has.

    The dearer counts, unless it was settled above: ``missing`` has the tests asked there.
    """
    if is_leaf(node):
        return stopping(node, node, problem, rows)
    a, way = node["test"], lacking_child(node) or node.get("way")
    costs = []
    for is_missing in [missing[a]] if a in missing else [False, True]:
        cost, after_it = charge_some(
            node, problem, rows, state, missing=is_missing, goes_on=way is not None
        )
        settled = {**missing, a: is_missing}
        ends = [way if is_missing else step(node, problem.rows[i]) for i in rows]
        for child in [child for child in node["children"] if child is not None]:
            there = [i for i, end in zip(rows, ends, strict=True) if end is child]
            if there:
                cost += worst_below(child, problem, there, after_it, settled)
        left = [i for i, end in zip(rows, ends, strict=True) if end is None]
        costs.append(cost + stopping(node, node, problem, left))
    return max(costs)


def charge_some(
    node: Node,
    problem: Problem,
    rows: list[int],
    state: State | None,
    missing: bool,
    goes_on: bool,
) -> tuple[float, State | None]:
    """Return what cases pay at a node at most, and the state afterwards, None below an order."""
    charged = not missing or problem.charge_missing
    if state is None or not (charged or goes_on):
        return 0.0, state
    weight = sum(problem.weights[i] for i in rows)
    if node["test"] in problem.delayed and node["test"] not in state.paid:
        return weight * order(problem, ordered_tests(node), state)[0], None
    if not charged:
        return 0.0, state
    paying = [
        i for i in rows if problem.charge_missing or problem.rows[i][node["test"]] is not None
    ]
    charge, state = order(problem, [node["test"]], state)
    return charge * sum(problem.weights[i] for i in paying), state


def on_way(node: Node, child: Node, problem: Problem, i: int, state: State | None) -> float:
    """Return what a case costs from a node on if it lacks a value there and goes to a child."""
    row = list(problem.rows[i])
    row[node["test"]] = None
    charge = 0.0
    if state is not None:
        charge = walk(node | {"way": child}, row, problem, False, state)[0]
    return charge + problem.errors[terminal(child, row)["label"]][problem.classes[i]]
