"""A tree and its prices as the page's programs take them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from frugaltree._version import __version__
from frugaltree.consult.guide import Guide
from frugaltree.consult.ranges import ranges_of
from frugaltree.consult.record import digest_of
from frugaltree.costs import Costs
from frugaltree.kernels.cost.prices import Conditions, Prices
from frugaltree.kernels.sentinels import NONE
from frugaltree.protocols import Estimator
from frugaltree.table import Column
from frugaltree.table.values import plain_category
from frugaltree.tree.answers import costs_of_answers

DIGITS = 9
"""Significant digits of probabilities: more than anybody is shown."""


def model_of(estimator: Estimator) -> dict[str, Any]:
    """Return the tree, its prices and its error costs: what the page's program needs, no more."""
    tree, costs = estimator.tree_, estimator.costs or Costs()
    prices, errors = tree.prices(costs), costs_of_answers(tree, costs)
    ranges = ranges_of(estimator)
    keys = ("test", "threshold", "children", "missing", "counts", "labels")
    nodes = tree.to_dict()
    answers, classes = list(tree.answer_names), list(tree.classes)
    return {
        "columns": [show_column(column, ranges.get(column.name)) for column in tree.columns],
        "classes": [str(label) for label in classes],
        "answers": [str(answer) for answer in answers],
        **_if_not_text("plain", {"classes": classes, "answers": answers}),
        "fractional": tree.fractional,
        "blind": not getattr(estimator, "_looks_at_errors", True),
        **{key: nodes[key] for key in keys},
        "probabilities": [
            [float(f"{one:.{DIGITS}g}") for one in row] for row in tree.probabilities.tolist()
        ],
        "prices": {
            "full": prices.full.tolist(),
            "discount": prices.discount.tolist(),
            "member": prices.member.tolist(),
            "delayed": prices.delayed.tolist(),
            "charge_missing": bool(prices.charge_missing),
        },
        "errors": errors.tolist(),
        **(show_conditions(estimator, prices) if tree.needed else {}),
    }


def show_conditions(estimator: Estimator, prices: Prices) -> dict[str, Any]:
    """Return what prices depend on: the tests that are needed for it, and of each test how.

    ``atHand`` are those needed that are known when a case arrives. The price of a level is None
    where the test cannot be taken.
    """
    tree, conditions = estimator.tree_, prices.conditions
    return {
        "needed": list(tree.needed),
        "atHand": list(Guide.of(estimator).at_hand),
        "depends": [
            None if on == NONE else _depends(conditions, test, on)
            for test, on in enumerate(conditions.on.tolist())
        ],
        "mix": None if tree.mix is None else tree.mix.tolist(),
    }


def _depends(conditions: Conditions, test: int, on: int) -> dict[str, Any]:
    ends = conditions.ends[test]
    return {
        "on": on,
        "ends": None if np.isnan(ends).all() else ends.tolist(),
        "level": conditions.level[test].tolist(),
        "price": conditions.price[test].tolist(),
    }


def show_column(column: Column, seen: tuple[float, float] | None) -> dict[str, Any]:
    """Return a test: its values as text and, where some are no text, as records have them."""
    values = [column.describe(code) for code in range(len(column.categories))]
    plain = [plain_category(value) for value in column.categories]
    kept = {"plain": plain} if plain != values else {}
    return {"name": column.name, "kind": column.kind, "values": values, "range": seen, **kept}


def record_of(estimator: Estimator) -> dict[str, Any]:
    """Return what the record of a consultation says of its model."""
    costs = estimator.costs or Costs()
    return {
        "learner": type(estimator).__name__,
        "digest": f"sha256:{digest_of(estimator)}",
        "prices": {"unit": costs.unit, "source": costs.source, "date": costs.date},
        "version": __version__,
    }


def _if_not_text(key: str, labels: dict[str, list[Any]]) -> dict[str, Any]:
    """Return labels as records have them, where some are no text."""
    plain = {name: [plain_category(one) for one in some] for name, some in labels.items()}
    is_text = all(isinstance(one, str) for some in plain.values() for one in some)
    return {} if is_text else {key: plain}


def finite_values(value: Any) -> Any:
    """Return plain values without infinities, which JSON cannot hold; whole numbers are short."""
    if isinstance(value, dict):
        return {key: finite_values(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [finite_values(element) for element in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return value
