"""From a price list to arrays over the columns of a table."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.costs.checks import Test
from frugaltree.costs.conditions import check_conditions
from frugaltree.costs.house_rules import RuleArrays, check_house_rules, rule_arrays
from frugaltree.costs.panels import PricedGroups, panel_columns, with_panels
from frugaltree.exceptions import InvalidCosts, did_you_mean

if TYPE_CHECKING:
    from frugaltree.costs.model import Costs

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.uint8]


class PriceArrays(NamedTuple):
    """The fields of `frugaltree.kernels.cost.prices.Prices`, which would import Numba."""

    full: Floats
    discount: Floats
    member: Flags
    delayed: Flags
    usable: Flags
    charge_missing: bool
    rules: RuleArrays


def mentions(costs: Costs) -> Iterator[tuple[str, Test]]:
    """Yield every test that the price list names, with the place that names it."""
    for key in costs.tests or ():
        yield "tests", key
    for name, group in costs.groups.items():
        for key in group.members:
            yield f"group {name!r}", key
    for place in ("delayed", "known", "unavailable", "never_ask"):
        for key in getattr(costs, place):
            yield place, key
    for key, table in costs.price_if.items():
        yield "price_if", key
        for on in table:
            yield f"price_if of {key!r}", on
    for key in costs.first:
        yield "first", key
    for test, needed in costs.requires.items():
        for key in (test, *needed):
            yield "requires", key
    for panel in costs.together:
        for key in panel:
            yield "together", key


def is_mixed(costs: Costs) -> bool:
    """Return whether tests go partly by name, partly by position: only a table can match them."""
    return len({type(key) for _, key in mentions(costs)}) > 1


def find_columns(costs: Costs, names: Sequence[str] | None) -> dict[Test, int]:
    """Map every test of the price list to its column, in the order of the list.

    Without a table (``names=None``) the tests themselves are the columns.
    """
    if names is None:
        if is_mixed(costs):
            raise InvalidCosts(
                "the costs name some tests by name and some by position, which only a table can "
                "bring together; pass the names of its columns."
            )
        tests = dict.fromkeys(key for _, key in mentions(costs))
        return {key: column for column, key in enumerate(tests)}
    by_name = {name: column for column, name in enumerate(names)}
    columns: dict[Test, int] = {}
    for place, key in mentions(costs):
        column = by_name.get(key) if isinstance(key, str) else key
        if column is None or column >= len(names):
            raise InvalidCosts(_no_such_column(place, key, names))
        columns[key] = column
    return columns


def _no_such_column(place: str, key: Test, names: Sequence[str]) -> str:
    """Word the error for a test that the table does not have."""
    said = _said(place, key)
    if isinstance(key, int):
        return (
            f"{said}, but the table has {len(names)} columns; "
            f"give a position from 0 to {len(names) - 1}."
        )
    if list(names) == [f"x{column}" for column in range(len(names))]:
        return (
            f"{said}, but the table has no column names; "
            "pass a data frame (a pipeline keeps its names after set_output(transform='pandas')), "
            "or give tests by position."
        )
    return (
        f"{said}, but the table has no such column; "
        f"correct the name or drop it.{did_you_mean(key, names)}"
    )


def _said(place: str, key: Test) -> str:
    test = f"position {key}" if isinstance(key, int) else repr(key)
    return f"tests has a price for {test}" if place == "tests" else f"{place} names {test}"


def price_arrays(costs: Costs, names: Sequence[str] | None) -> PriceArrays:
    """Return the price list as arrays over the columns ``names``."""
    columns = find_columns(costs, names)
    shown: Sequence[Test] = list(columns) if names is None else names
    discount, member = _groups(costs, columns, shown)
    full = _own_prices(costs, columns, shown)
    for g, group in enumerate(costs.groups.values()):
        full += group.shared * member[:, g].astype(np.float64)
    delayed = _flags(len(shown), [columns[key] for key in costs.delayed])
    banned = _flags(len(shown), [columns[key] for key in (*costs.unavailable, *costs.never_ask)])
    at_hand = [columns[key] for key in costs.known]
    for array in (full, discount, member, delayed):
        array[at_hand] = 0
    panels = panel_columns(costs, columns)
    return PriceArrays(
        *with_panels(PricedGroups(full, discount, member), panels, shown),
        delayed=delayed,
        usable=1 - banned,
        charge_missing=costs.charge_missing,
        rules=rule_arrays(costs, columns, len(shown)),
    )


def _groups(costs: Costs, columns: dict[Test, int], shown: Sequence[Test]) -> tuple[Floats, Flags]:
    """Return what an open group takes off each price, and which tests open it."""
    shape = (len(shown), len(costs.groups))
    discount, member = np.zeros(shape), np.zeros(shape, dtype=np.uint8)
    for g, (name, group) in enumerate(costs.groups.items()):
        for key, amount in group.discounts.items():
            a = columns[key]
            if member[a, g]:
                raise InvalidCosts(
                    f"group {name!r} names the column {shown[a]!r} twice, by name and by "
                    "position; name each test once."
                )
            discount[a, g] = amount
            member[a, g] = 1
    return discount, member


def _flags(size: int, where: list[int]) -> Flags:
    flags = np.zeros(size, dtype=np.uint8)
    flags[where] = 1
    return flags


def _own_prices(costs: Costs, columns: dict[Test, int], shown: Sequence[Test]) -> Floats:
    """Return the price of each column before groups add to it; each must have one."""
    default = costs.default_test_cost
    if default is None:
        default = 0.0 if costs.tests is None else np.nan
    own = np.full(len(shown), default, dtype=np.float64)
    priced: dict[int, Test] = {}
    for key, price in (costs.tests or {}).items():
        column = columns[key]
        if column in priced:
            raise InvalidCosts(
                f"tests gives two prices to one column, as {priced[column]!r} and as {key!r}; "
                "keep one of them."
            )
        priced[column] = key
        own[column] = price
    nobody_pays = [columns[key] for key in exempt(costs)]
    if nobody_pays:
        own[nobody_pays] = np.nan_to_num(own[nobody_pays])
    if np.isnan(own).any():
        raise InvalidCosts(
            f"test {shown[int(np.isnan(own).argmax())]!r} has no price; add it to tests, or give "
            "default_test_cost for all that tests leaves out."
        )
    return own


def exempt(costs: Costs) -> tuple[Test, ...]:
    """Return the tests that nobody pays for, so that they need no price."""
    return (*costs.known, *costs.unavailable, *costs.never_ask)


def warn_of_odd_discounts(
    costs: Costs, names: Sequence[str] | None, prices: PriceArrays, stacklevel: int
) -> None:
    """Warn where a discount makes asking more cost less, or exceeds the price it is taken off."""
    shown: Sequence[Test] = list(find_columns(costs, names)) if names is None else names
    for g, name in enumerate(costs.groups):
        members = np.flatnonzero(prices.member[:, g] & prices.usable).tolist()
        for a in members:
            for sentence in _odd_discounts(prices, a, g, members, shown):
                warnings.warn(f"group {name!r}: {sentence}", UserWarning, stacklevel + 1)


def _odd_discounts(
    prices: PriceArrays, a: int, g: int, members: list[int], shown: Sequence[Test]
) -> Iterator[str]:
    """Yield what is odd about the discount of test ``a`` in group ``g``."""
    discount, price = prices.discount[a, g], prices.full[a]
    if discount > price:
        yield (
            f"the discount of {shown[a]!r} ({discount:g}) is larger than its own full price "
            f"({price:g}), so it becomes free; check the two numbers."
        )
    others = [b for b in members if b != a]
    b = min(others, key=lambda b: prices.full[b], default=a)
    if min(discount, price) > prices.full[b]:
        yield (
            f"the discount of {shown[a]!r} ({discount:g}) is larger than the full price of "
            f"{shown[b]!r} ({prices.full[b]:g}), so taking both costs less than taking "
            f"{shown[a]!r} alone; check the two numbers."
        )


def check_together(costs: Costs) -> None:
    """Check what one place of the price list says about another."""
    for key in costs.known:
        if key in costs.unavailable:
            raise InvalidCosts(
                f"test {key!r} is both known and unavailable; keep it in one of the two."
            )
    for place, key in mentions(costs):
        if _lacks_price(costs, key):
            raise InvalidCosts(
                f"{_said(place, key)}, which has no price; add it to tests or correct the name."
                f"{did_you_mean(key, costs.tests or ())}"
            )
    check_conditions(costs)
    check_house_rules(costs)
    if not is_mixed(costs):
        warn_of_odd_discounts(costs, None, price_arrays(costs, None), stacklevel=3)


def _lacks_price(costs: Costs, key: Test) -> bool:
    """Return whether a test has no price, as far as that shows without a table."""
    if costs.tests is None or costs.default_test_cost is not None:
        return False
    same_kind = all(type(other) is type(key) for other in costs.tests)
    return same_kind and key not in costs.tests and key not in exempt(costs)
