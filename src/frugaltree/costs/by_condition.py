"""Prices that depend on the value of another test, as arrays over the columns of a table."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from frugaltree.costs.arrays import find_columns
from frugaltree.costs.checks import position
from frugaltree.costs.conditions import LISTED, ByValue, Spans, spans_of
from frugaltree.exceptions import InvalidCosts, did_you_mean
from frugaltree.kernels.cost.prices import Conditions, Prices
from frugaltree.kernels.sentinels import NONE

if TYPE_CHECKING:
    from frugaltree.costs.checks import Test
    from frugaltree.costs.model import Costs

Floats = npt.NDArray[np.float64]


class TableColumn(Protocol):
    """What is asked of a column of a table: see :class:`frugaltree.table.Column`."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def kind(self) -> str:
        """Whether it is numeric, nominal or ordinal."""

    @property
    def categories(self) -> tuple[Any, ...]:
        """Its values, unless it is numeric."""


class _Rule(NamedTuple):
    """What the price of a test depends on, and the full prices on its levels."""

    test: int
    on: int
    key: Test
    on_key: Test
    by_value: ByValue
    spans: Spans | None
    listed: float
    added: float  # by its groups

    @property
    def levels(self) -> list[float]:
        """The full price on each level, the listed one first."""
        return list(dict.fromkeys([self.listed, *map(self.full, self.by_value.values())]))

    def full(self, price: float | str | None) -> float:
        """Return the full price that goes with one that was given."""
        if price == LISTED:
            return self.listed
        return np.inf if price is None else float(price) + self.added


def _rules(costs: Costs, full: Floats, names: Sequence[str] | None) -> list[_Rule]:
    columns = find_columns(costs, names)
    rules = []
    for key, table in costs.price_if.items():
        ((on, by_value),) = table.items()
        a = columns[key]
        spans = spans_of(by_value, f"price_if of {key!r}")
        rules.append(
            _Rule(
                test=a, on=columns[on], key=key, on_key=on, by_value=by_value, spans=spans,
                listed=float(full[a]), added=_added(costs, a, columns),
            )
        )  # fmt: skip
    return rules


def _added(costs: Costs, a: int, columns: Mapping[Test, int]) -> float:
    """Return what the groups of a test add to its own price."""
    members = ({columns[key] for key in group.members} for group in costs.groups.values())
    shared = (group.shared for group in costs.groups.values())
    return float(sum(cost for cost, tests in zip(shared, members, strict=True) if a in tests))


def dearest_of(costs: Costs, full: Floats, names: Sequence[str] | None) -> Floats:
    """Return the dearest full price of each test.

    >>> from frugaltree import Costs
    >>> costs = Costs({"xray": 40, "shift": 0}, known=["shift"],
    ...               price_if={"xray": {"shift": {"night": 80}}})
    >>> dearest_of(costs, np.array([40.0, 0.0]), None).tolist()
    [80.0, 0.0]
    """
    found = full.copy()
    for rule in _rules(costs, full, names):
        found[rule.test] = max(full for full in rule.levels if full < np.inf)
    return found


def conditions_of(
    costs: Costs,
    full: Floats,
    columns: Sequence[TableColumn],
    tests: Container[int] | None = None,
) -> Conditions:
    """Return the prices that depend on another test, bound to the values of a table.

    Of tests that are not among ``tests``, the listed price alone is told.
    """
    rules = _rules(costs, full, [column.name for column in columns])
    n_levels, n_tests = max(len(rule.levels) for rule in rules), len(columns)
    rules = [rule for rule in rules if tests is None or rule.test in tests]
    bound = [_bind(rule, columns[rule.on]) for rule in rules]
    n_places = max([1, *map(len, bound)])
    price = np.repeat(full[:, None], n_levels, axis=1)
    on = np.full(n_tests, NONE, np.int64)
    level = np.zeros((n_tests, n_places), np.int64)
    ends = np.full((n_tests, n_places), np.nan)
    for rule, places in zip(rules, bound, strict=True):
        on[rule.test] = rule.on
        price[rule.test, : len(rule.levels)] = rule.levels
        level[rule.test, : len(places)] = places
        if rule.spans is not None:
            ends[rule.test] = np.inf
            ends[rule.test, : len(rule.spans.ends)] = rule.spans.ends
    return Conditions(price=price, on=on, level=level, ends=ends)


def levels_of(X: Floats, conditions: Conditions) -> npt.NDArray[np.int64]:
    """Return the level of each encoded case, for each test; 0 without a value of the condition.

    >>> on, level = np.array([NONE, 0, 2]), np.array([[0, 0], [1, 2], [1, 0]])
    >>> ends = np.array([[np.nan, np.nan], [np.nan, np.nan], [6.0, np.inf]])
    >>> X = np.array([[1.0, 0.0, 5.0], [0.0, 0.0, 7.0], [np.nan, 0.0, np.nan]])
    >>> levels_of(X, Conditions(np.zeros((3, 3)), on, level, ends)).tolist()
    [[0, 2, 1], [0, 1, 0], [0, 0, 0]]
    """
    levels = np.zeros((len(X), conditions.on.size), np.int64)
    for a in np.flatnonzero(conditions.on != NONE).tolist():
        x, known = X[:, conditions.on[a]], conditions.level[a]
        if np.isnan(conditions.ends[a]).all():
            place = np.where((x >= 0) & (x < known.size), x, -1)
        else:
            place = np.where(np.isnan(x), -1, np.searchsorted(conditions.ends[a], x))
        found = known[np.clip(place, 0, known.size - 1).astype(np.int64)]
        levels[:, a] = np.where(place >= 0, found, 0)
    return levels


def able_to_take(X: Floats, prices: Prices) -> Floats:
    """Return encoded cases without the values of tests that they cannot take.

    Such a case goes on, and pays, as one without a value of the test.
    """
    conditions = prices.conditions
    if not np.isinf(conditions.price).any():
        return X
    levels = levels_of(X, conditions)
    never = np.isinf(conditions.price[np.arange(conditions.on.size), levels])
    return np.where(never, np.nan, X)


def _bind(rule: _Rule, column: TableColumn) -> list[int]:
    """Return the level of each place: of a span, or of a value by its code."""
    levels = rule.levels
    if rule.spans is not None:
        if column.kind != "numeric":
            raise InvalidCosts(
                f"price_if of {rule.key!r} gives spans of {rule.on_key!r}, which is {column.kind} "
                f"in the table; give its values."
            )
        return [levels.index(rule.full(price)) for price in rule.spans.prices]
    first = next(iter(rule.by_value))
    if column.kind == "numeric":
        raise InvalidCosts(
            f"price_if of {rule.key!r} names the value {first!r} of {rule.on_key!r}, whose values "
            "are numbers in the table; give spans such as '<= 6' and '> 6'."
        )
    places = [0] * len(column.categories)
    for value, price in rule.by_value.items():
        code = position(value, column.categories)
        if code is None:
            raise InvalidCosts(
                f"price_if of {rule.key!r} names the value {value!r}, which {rule.on_key!r} does "
                f"not have in the table; correct it."
                f"{did_you_mean(str(value), [str(c) for c in column.categories])}"
            )
        places[code] = levels.index(rule.full(price))
    return places or [0]
