"""Prices that depend on the value of another test: as people write them, checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from frugaltree.costs.checks import Label, Test, check_price, check_test, plain_label
from frugaltree.exceptions import InvalidCosts

if TYPE_CHECKING:
    from frugaltree.costs.model import Costs

ByValue: TypeAlias = dict[Label, float | None]
PriceIf: TypeAlias = dict[Test, dict[Test, ByValue]]
"""For a test, the test that its price depends on, and the price for values of that."""

NEVER = "never"
"""In a file, in place of the price where a test cannot be taken."""

SPAN = re.compile(r"\s*(<=|>)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")


def check_price_if(price_if: object) -> PriceIf:
    """Return prices that depend on another test, in plain values.

    >>> check_price_if({"ct": {"pregnant": {"yes": None}}, "xray": {"shift": {"night": 80}}})
    {'ct': {'pregnant': {'yes': None}}, 'xray': {'shift': {'night': 80}}}
    >>> check_price_if({"xray": {"xray": {"a": 1}}})
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: price_if makes the price of 'xray' depend on its own
    value, which is known only once it is paid for; name another test.
    """
    if price_if is None or price_if == {}:
        return {}
    found: PriceIf = {}
    for key, table in _pairs(price_if, "price_if"):
        test = check_test(key, "price_if")
        where = f"price_if of {test!r}"
        tables = _pairs(table, where)
        if len(tables) != 1:
            raise InvalidCosts(
                f"{where} names {len(tables)} tests; a price may depend on one other test, so "
                "name one."
            )
        on = check_test(tables[0][0], where)
        if on == test:
            raise InvalidCosts(
                f"price_if makes the price of {test!r} depend on its own value, which is known "
                "only once it is paid for; name another test."
            )
        prices = _pairs(tables[0][1], f"{where} by {on!r}")
        found[test] = {
            on: {plain_label(value): _price(one, test, on, value) for value, one in prices}
        }
        spans_of(found[test][on], where)
    return found


def _pairs(table: object, where: str) -> list[tuple[Any, Any]]:
    if not isinstance(table, Mapping) or not table:
        raise InvalidCosts(
            f"{where} must say what prices depend on, but is {shortened(table)}; write a mapping "
            "such as {'xray': {'shift': {'night': 80}}}."
        )
    return list(table.items())


def _price(price: object, test: Test, on: Test, value: object) -> float | None:
    if price is None or price == NEVER:
        return None
    return check_price(price, f"the price of test {test!r} if {on!r} is {value!r}")


def from_entries(entries: Iterable[Sequence[Any]]) -> PriceIf:
    """Return prices from entries of a file: a test, that it depends on, a value, a price.

    >>> from_entries([("ct", "ward", 3, 80), ("ct", "ward", 4, "never")])
    {'ct': {'ward': {3: 80, 4: 'never'}}}
    """
    found: dict[Any, dict[Any, dict[Any, Any]]] = {}
    for test, on, value, cost in entries:
        prices = found.setdefault(test, {}).setdefault(on, {})
        if value in prices:
            raise InvalidCosts(
                f"price_if has two entries for {test!r} where {on!r} is {value!r}; keep one of "
                "them."
            )
        prices[value] = cost
    return found


def price_if_data(price_if: PriceIf) -> Any:
    """Return prices as tables for a file, or as entries where keys are no text.

    >>> price_if_data({"ct": {"ward": {3: None}}})
    [{'test': 'ct', 'on': 'ward', 'value': 3, 'cost': 'never'}]
    """
    rows = [
        (test, on, value, NEVER if cost is None else cost)
        for test, table in price_if.items()
        for on, prices in table.items()
        for value, cost in prices.items()
    ]
    if all(isinstance(key, str) for *keys, _ in rows for key in keys):
        return from_entries(rows)
    return [dict(zip(("test", "on", "value", "cost"), row, strict=True)) for row in rows]


# ------------------------------------------------------------------------------- spans


class Spans(NamedTuple):
    """The spans of a number that have a price: up to each of ``ends``, and above the last.

    ``prices`` has one more than there are ends; a span that was not given has "listed".
    """

    ends: tuple[float, ...]
    prices: tuple[float | str | None, ...]


LISTED = "listed"
"""Stands for the price under ``tests``."""


def spans_of(prices: ByValue, where: str) -> Spans | None:
    """Return the spans that prices are given for; None where they are given for values.

    Spans are written as ``"<= 6"``, from the next smaller number on, and ``"> 6"`` for all above.

    >>> spans_of({"> 60": 40, "<= 6": 80}, "price_if of 'xray'")
    Spans(ends=(6.0, 60.0), prices=(80, 'listed', 40))
    >>> spans_of({"<= 6": 80, "<= 60": 50}, "price_if of 'xray'")
    Spans(ends=(6.0, 60.0), prices=(80, 50, 'listed'))
    """
    matches = {
        value: SPAN.fullmatch(value) if isinstance(value, str) else None for value in prices
    }
    if not any(matches.values()):
        return None
    below: dict[float, float | None] = {}
    above: list[tuple[float, float | None]] = []
    for value, match in matches.items():
        if match is None:
            raise InvalidCosts(
                f"{where} mixes spans with the value {value!r}; write all as spans such as "
                "'<= 6' and '> 6', or all as values."
            )
        end = float(match[2])
        if match[1] == ">":
            above.append((end, prices[value]))
        elif end in below:
            raise InvalidCosts(f"{where} has two prices up to {end:g}; keep one of them.")
        else:
            below[end] = prices[value]
    if len(above) > 1 or (above and below and above[0][0] < max(below)):
        raise InvalidCosts(
            f"{where} has spans that overlap, {', '.join(map(repr, prices))}; give one span above "
            "the largest number, and '<=' for those below."
        )
    ends = sorted(below)
    listed: list[float | str | None] = [below[end] for end in ends]
    if not above:
        return Spans(tuple(ends), (*listed, LISTED))
    last, price = above[0]
    if last not in below:
        ends, listed = [*ends, last], [*listed, LISTED]
    return Spans(tuple(ends), (*listed, price))


# -------------------------------------------------------------------------------- checks


def refuse_price_if(costs: Any, who: str) -> None:
    """Refuse prices that depend on other tests.

    >>> from frugaltree import Costs
    >>> costs = Costs({"b": 1}, known=["a"], price_if={"b": {"a": {"x": 2}}})
    >>> refuse_price_if(costs, "a peer")
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: price_if makes prices depend on other tests, of 'b', which
    is not built for a peer; use FrugalTreeClassifier alone, or leave price_if out.
    """
    if getattr(costs, "price_if", None):
        raise InvalidCosts(
            f"price_if makes prices depend on other tests, of "
            f"{', '.join(map(repr, costs.price_if))}, which is not built for {who}; use "
            "FrugalTreeClassifier alone, or leave price_if out."
        )


def check_conditions(costs: Costs) -> None:
    """Check what prices depend on against the rest of a price list."""
    for test, table in costs.price_if.items():
        (on,) = table
        said = f"price_if makes the price of {test!r} depend on {on!r}"
        if test in costs.known:
            raise InvalidCosts(
                f"price_if has a price of {test!r}, which is known, and so free; drop one of the "
                "two."
            )
        if on in costs.price_if:
            raise InvalidCosts(
                f"{said}, whose price depends on another test in turn; prices may depend on tests "
                "of a fixed price only."
            )
        for banned in ("unavailable", "never_ask"):
            if on in getattr(costs, banned) and on not in costs.known:
                raise InvalidCosts(
                    f"{said}, which is under {banned}, so that its value is never at hand; drop "
                    "one of the two, or add it to known."
                )
        if costs.charge_missing and None in table[on].values():
            raise InvalidCosts(
                f"price_if says that {test!r} cannot be taken for some values of {on!r}, but "
                "charge_missing charges tests without a result; give a price, or drop "
                "charge_missing."
            )
    for place in ("waiting", "together"):
        if costs.price_if and getattr(costs, place):
            raise InvalidCosts(
                f"price_if stands beside {place}, which adds to every price; drop one of the two."
            )
    if costs.price_if and costs.delayed:
        raise InvalidCosts(
            f"price_if stands beside delayed tests, {', '.join(map(repr, costs.delayed))}, whose "
            "orders have no price for each case; drop one of the two."
        )
