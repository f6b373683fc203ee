"""What cases are charged where their tests are ordered one at a time, at once, or in batches."""

from __future__ import annotations

from typing import Any

from frugaltree.batches import Batches
from frugaltree.costs import Costs
from frugaltree.exceptions import FrugaltreeError
from frugaltree.messages import say
from frugaltree.protocols import Estimator
from frugaltree.tree.text import money


def ways_to_order(estimator: Estimator) -> list[dict[str, Any]]:
    """Return a row for each way to order tests, none where the costs say nothing of waiting.

    Nor are there any where the tree asks too many tests to plan several batches of them.
    """
    costs = estimator.costs
    if costs is None or costs.waiting is None:
        return []
    try:
        return Batches(estimator).compare().to_dicts()  # type: ignore[arg-type]
    except FrugaltreeError:
        return []


def show_way(one: dict[str, Any], costs: Costs) -> dict[str, Any]:
    """Return a row as the page takes it; the way that the tree was learned for is marked."""
    unit = costs.unit
    return {
        "name": say(f"orders.{one['strategy'].split()[0]}"),
        "orders": money(one["orders"]),
        "tests": money(one["tests"], unit),
        "waiting": money(one["waiting"], unit),
        "total": money(one["total"], unit),
        "minutes": money(one["minutes"], decimals=0),
        "longest": money(one["longest"], decimals=0),
        "this": costs.waiting is not None and one["strategy"] == costs.waiting.strategy,
    }
