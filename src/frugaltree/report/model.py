"""A tree and its prices as the page's programs take them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.consult.ranges import Range
from frugaltree.costs import Costs
from frugaltree.kernels.cost.prices import Prices, dearest_prices, lowest_prices
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.answers import costs_of_answers
from frugaltree.tree.text import View, charges_of
from frugaltree.tree.tree import Tree


def model_of(tree: Tree, costs: Costs, ranges: Mapping[str, Range]) -> dict[str, Any]:
    """Return the tree, its prices and its error costs, as the page's program takes them."""
    prices, errors = tree.prices(costs), costs_of_answers(tree, costs)
    plain = tree.to_dict()
    charges = tree.charges(prices)
    return {
        "columns": [
            {
                "name": column.name,
                "kind": column.kind,
                "values": [column.describe(code) for code in range(len(column.categories))],
                "range": ranges.get(column.name),
            }
            for column in tree.columns
        ],
        "classes": [str(label) for label in tree.classes],
        "answers": [str(answer) for answer in tree.answer_names],
        "fractional": tree.fractional,
        "test": plain["test"],
        "threshold": plain["threshold"],
        "children": plain["children"],
        "missing": plain["missing"],
        "counts": plain["counts"],
        "labels": plain["labels"],
        "conditions": [
            [tree.condition(node, answers) for answers, _ in tree.branches(node)]
            for node in range(tree.n_nodes)
        ],
        "gaps": [tree.has_gap(node) for node in range(tree.n_nodes)],
        "probabilities": tree.probabilities.tolist(),
        "says": says(tree, prices, costs.unit, errors),
        "charge": charges.charge.tolist(),
        "bill": charges.bill.tolist(),
        "prices": {
            "full": prices.full.tolist(),
            "lowest": lowest_prices(prices).full.tolist(),
            "dearest": dearest_prices(prices).full.tolist(),
            "discount": prices.discount.tolist(),
            "member": prices.member.tolist(),
            "delayed": prices.delayed.tolist(),
            "charge_missing": bool(prices.charge_missing),
        },
        "errors": errors.tolist(),
        "needed": list(tree.needed),
        "at_hand": [
            test
            for test in tree.needed
            if test in costs.known or tree.columns[test].name in costs.known
        ],
        "depends": [_depends(prices, test) for test in range(len(tree.columns))],
    }


def _depends(prices: Prices, test: int) -> dict[str, Any] | None:
    """Return what the price of a test depends on, None for nothing.

    Where it cannot be taken, its price is None.
    """
    conditions = prices.conditions
    if not conditions.on.size or conditions.on[test] == NONE:
        return None
    ends = conditions.ends[test]
    return {
        "on": int(conditions.on[test]),
        "ends": None if np.isnan(ends).all() else finite_values(ends.tolist()),
        "level": conditions.level[test].tolist(),
        "price": finite_values(conditions.price[test].tolist()),
    }


def says(
    tree: Tree, prices: Prices, unit: str | None, errors: npt.NDArray[np.float64]
) -> list[dict[str, str | None]]:
    """Return the words for each node: in short below its name, in a line, why it answers so."""
    view = View(tree, charges_of(tree, prices), unit, None, errors)
    found: list[dict[str, str | None]] = []
    for node in range(tree.n_nodes):
        verdict, is_leaf = view.verdict(node), tree.is_leaf(node)
        box = verdict.in_box if is_leaf else view.in_box(node)
        line = verdict.line if is_leaf else view.question(node)
        found.append({"box": box, "line": line, "reason": verdict.reason})
    return found


def finite_values(value: Any) -> Any:
    """Return plain values without infinities, which JSON cannot hold."""
    if isinstance(value, dict):
        return {key: finite_values(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [finite_values(element) for element in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
