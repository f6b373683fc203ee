"""A price list whose errors all cost so many times as much."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frugaltree.costs.errors import ErrorCosts
    from frugaltree.costs.model import Costs


def with_errors_times(costs: Costs, factor: float) -> Costs:
    """Return a price list in which every error costs so many times as much.

    >>> from frugaltree import Costs
    >>> with_errors_times(Costs([3]), 20.0)
    Costs(tests={0: 3}, errors=20.0)
    >>> with_errors_times(Costs(errors={("a", "b"): 1, ("b", "a"): 5}), 2.0).errors
    {('a', 'b'): 2.0, ('b', 'a'): 10.0}
    """
    return replace(costs, errors=_times(costs.errors, factor))


def _times(errors: ErrorCosts | None, factor: float) -> ErrorCosts:
    if errors is None:
        return factor
    if isinstance(errors, dict):
        return {pair: factor * cost for pair, cost in errors.items()}
    if isinstance(errors, tuple):
        return tuple(tuple(factor * cost for cost in row) for row in errors)
    return factor * errors
