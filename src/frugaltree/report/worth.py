"""What each test of a tree takes, and at which prices the tree is still the better choice."""

from __future__ import annotations

import math
from typing import Any

from frugaltree.costs import Costs
from frugaltree.plots import spending_numbers
from frugaltree.rivals import (
    THIS,
    Rival,
    better_at,
    errors_if_stopped,
    expected_costs,
    expected_errors,
)
from frugaltree.tree.text import money, percent
from frugaltree.tree.tree import Tree


def worth(estimator: Any, costs: Costs) -> list[dict[str, Any]]:
    """Return at which prices of each test the tree is the better choice.

    The rivals are the same tree that stops wherever the test would be asked, and those that it
    was held against. All are measured by the paper's estimate; other prices stay as they are.
    """
    tree, classes = estimator.tree_, estimator.classes_.tolist()
    names = [column.name for column in tree.columns]
    prices, errors = costs.resolve(names, classes)
    cf, charge = costs.cf(names, classes), tree.charges(prices).charge
    ahead = _ahead(tree, charge, errors, cf)
    mine = Rival(THIS, 0.0, 0.0, *expected_costs(estimator), dict(estimator.test_usage_))
    others = [one for one in getattr(estimator, "rivals_", []) if one.name != THIS]
    heard = [a for a, name in enumerate(names) if any(one.asked.get(name) for one in others)]
    numbers, rows = spending_numbers(estimator), []
    pays = {
        name: {"asked": percent(share), "paid": money(paid, costs.unit)}
        for name, paid, share in zip(numbers.tests, numbers.paid, numbers.share, strict=True)
    }
    order = [names.index(name) for name in numbers.tests]
    for test in dict.fromkeys([*order, *heard]):
        price, rivals = float(prices.full[test]), others
        if test in order:
            rivals = [*others, _stopped(tree, test, mine, ahead, errors, cf)]
        between = better_at(mine, rivals, names[test], price)
        rows.append(
            {
                "test": names[test],
                "price": money(price, costs.unit),
                **pays.get(names[test], {"asked": percent(0.0), "paid": money(0.0, costs.unit)}),
                "between": prices_in_words(between, costs.unit),
                "here": between is not None and between[0] <= price <= between[1],
            }
        )
    return rows


def prices_in_words(between: tuple[float, float] | None, unit: str | None) -> str:
    """Return a range of prices as people say it.

    >>> prices_in_words((0.0, 12.5), "CAD"), prices_in_words((3.0, math.inf), None)
    ('up to CAD 12.50', 'from 3.00 on')
    """
    if between is None:
        return "none"
    low, high = between
    if low <= 0.0:
        return "any" if math.isinf(high) else f"up to {money(high, unit)}"
    if math.isinf(high):
        return f"from {money(low, unit)} on"
    return f"{money(low)} to {money(high, unit)}"


def _stopped(
    tree: Tree, test: int, mine: Rival, ahead: list[float], errors: Any, cf: float
) -> Rival:
    """Return the same tree, but that it answers wherever it would ask a test."""
    whole, tops = float(tree.weights[0]), _tops(tree, test)
    more = sum(errors_if_stopped(tree, node, errors, cf) - ahead[node] for node in tops)
    name = tree.columns[test].name
    total = float(mine.expected or 0.0) + more / whole
    return Rival("stopping before it", 0.0, 0.0, 0.0, total, {**mine.asked, name: 0.0})


def _ahead(tree: Tree, charge: Any, errors: Any, cf: float) -> list[float]:
    """Return what the cases of each node cost from there on, tests and errors, all of them."""
    ahead = [0.0] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.is_leaf(node):
            ahead[node] = expected_errors(tree, node, int(tree.labels[node]), errors, cf)
        else:
            below = sum(ahead[child] for _, child in tree.branches(node))
            ahead[node] = below + float(charge[node] * tree.weights[node])
    return ahead


def _tops(tree: Tree, test: int) -> list[int]:
    """Return the nodes where a test is asked for the first time on their path."""
    tops, last = [], -1
    ends = _ends(tree)
    for node, asked in enumerate(tree.nodes.test.tolist()):
        if asked == test and node > last:
            tops.append(node)
            last = ends[node]
    return tops


def _ends(tree: Tree) -> list[int]:
    """Return the last node of each subtree, nodes being in preorder."""
    ends = list(range(tree.n_nodes))
    for node in range(tree.n_nodes - 1, 0, -1):
        parent = int(tree.nodes.parent[node])
        ends[parent] = max(ends[parent], ends[node])
    return ends
