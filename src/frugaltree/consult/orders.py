"""Orders in batches within a consultation: whether they fit it, and how its record tells them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from reprlib import repr as shortened
from typing import Any

from frugaltree.batches import Batches
from frugaltree.costs import Costs
from frugaltree.costs.waiting import Waiting, check_strategy
from frugaltree.costs.waiting_toml import parse_waiting, waiting_data
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.exceptions import FrugaltreeError


def check_batches(batches: object, model: CostSensitiveTree) -> Batches | None:
    """Return how tests are ordered together, if that can be done with this model."""
    if batches is None:
        return None
    if not isinstance(batches, Batches):
        raise FrugaltreeError(
            f"batches must be Batches, but is {shortened(batches)}; write Batches(model, ...)."
        )
    if batches.model is not model:
        raise FrugaltreeError(
            "these batches are planned for another model than the one that is consulted; pass the "
            "same fitted learner to both."
        )
    if model.tree_.fractional:
        raise FrugaltreeError(
            f"{type(model).__name__} follows every branch where a value is missing, so that its "
            "tests have no one order; ask them one after the other, without batches."
        )
    return batches


def batches_record(batches: Batches) -> dict[str, Any]:
    """Return what waiting costs and how tests are ordered, as plain values for JSON."""
    return {**waiting_data(batches.waiting), "strategy": batches.strategy}


def batches_in(record: object, model: CostSensitiveTree) -> Batches | None:
    """Return the batches that a record tells of, None where it tells of none."""
    data = record.get("batches") if isinstance(record, Mapping) else None
    if data is None:
        return None
    given = parse_waiting(data)
    strategy = check_strategy(given.pop("strategy", None))
    waiting = Waiting(**given)
    return Batches(
        model,
        replace(model.costs or Costs(), waiting=None),
        round_trip=waiting.round_trip,
        minutes=waiting.minutes,
        waiting=waiting.price,
        strategy=strategy,
    )
