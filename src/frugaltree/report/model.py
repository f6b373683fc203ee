"""A tree and its prices as the page's programs take them."""

from __future__ import annotations

import math
from typing import Any

from frugaltree._version import __version__
from frugaltree.consult.ranges import ranges_of
from frugaltree.consult.record import digest_of
from frugaltree.costs import Costs
from frugaltree.exceptions import InvalidCosts
from frugaltree.protocols import Estimator
from frugaltree.table import Column
from frugaltree.table.values import plain_category
from frugaltree.tree.answers import costs_of_answers

DIGITS = 9
"""Significant digits of probabilities: more than anybody is shown."""


def model_of(estimator: Estimator) -> dict[str, Any]:
    """Return the tree, its prices and its error costs: what the page's program needs, no more."""
    tree, costs = estimator.tree_, estimator.costs or Costs()
    if costs.price_if:
        raise InvalidCosts(
            "the page does not show prices that depend on other tests, which price_if gives; use "
            "Consultation, to_text or an export, or leave price_if out."
        )
    names = [column.name for column in tree.columns]
    prices, errors, ranges = (
        costs.prices(names),
        costs_of_answers(tree, costs),
        ranges_of(estimator),
    )
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
