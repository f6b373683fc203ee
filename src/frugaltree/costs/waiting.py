"""What waiting for results costs: a round trip for each order, and minutes."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

import numpy as np

from frugaltree.costs.checks import Test, check_price, check_prices, is_list
from frugaltree.exceptions import InvalidCosts, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frugaltree.costs.arrays import PriceArrays
    from frugaltree.costs.model import Costs

Rates = tuple[tuple[float | None, float], ...]
"""Prices per minute: each up to so many minutes, the last for all after that."""

SEQUENTIAL, SINGLE, SEVERAL = STRATEGIES = ("sequential", "single batch", "several batches")
"""One test at a time; all that may be needed, at once; whatever is cheapest at each moment."""


@dataclass(frozen=True)
class Waiting:
    """What waiting costs, and how tests are ordered while a tree is learned.

    Parameters
    ----------
    round_trip
        What each order costs, whatever is in it.
    minutes
        How long each test takes: a mapping, or numbers by position. An order takes as long as its
        slowest test. None: no time at all.
    price
        What a case pays for each minute that it waits: a number, or a list of ``(up to, price)``
        that may only grow, such as ``[(60, 0.1), (None, 0.5)]`` for 0.1 in the first hour and 0.5
        after it, all orders of the case together.
    strategy
        ``"sequential"``: learn for tests that are ordered one at a time. ``"single batch"``:
        for all tests being ordered at once. Several batches are planned for a tree that
        is there; see `frugaltree.Batches`.

    Examples
    --------
    >>> waiting = Waiting(round_trip=2, minutes={"chol": 90}, price=[(60, 0.1), (None, 0.5)])
    >>> waiting.charge(60), waiting.charge(90)  # 60 * 0.1, and 30 * 0.5 on top
    (6.0, 21.0)
    """

    round_trip: float = 0
    minutes: dict[Test, float] | None = None
    price: float | Rates = 0
    strategy: str = field(default=SEQUENTIAL)

    def __post_init__(self) -> None:
        minutes = self.minutes
        if minutes is not None:
            minutes = check_prices(minutes, "minutes", "the minutes of test")
        values = {
            "round_trip": check_price(self.round_trip, "round_trip"),
            "minutes": minutes,
            "price": check_rates(self.price),
            "strategy": check_strategy(self.strategy),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if minutes is None and self.charge(1.0) > 0:
            raise InvalidCosts(
                f"waiting has a price, {self.price!r}, but no minutes; say how long each test "
                "takes, as in minutes={'chol': 90}, or leave the price out."
            )

    @property
    def rates(self) -> Rates:
        """The prices per minute as a list."""
        return self.price if isinstance(self.price, tuple) else ((None, self.price),)

    @property
    def grows(self) -> bool:
        """Whether a later minute costs more than an earlier one."""
        return self.rates[0][1] != self.rates[-1][1]

    def charge(self, minutes: float) -> float:
        """Return what a case pays that has waited so long in all."""
        total, before = 0.0, 0.0
        for until, rate in self.rates:
            end = minutes if until is None else min(until, minutes)
            total += rate * max(end - before, 0.0)
            before = end
        return total

    def without(self, tests: Container[Test]) -> Waiting:
        """Return the same with nothing said of some tests."""
        if self.minutes is None:
            return self
        return replace(self, minutes={a: m for a, m in self.minutes.items() if a not in tests})

    def minutes_of(self, names: Sequence[Test], needed: Iterable[int]) -> list[float]:
        """Return the minutes of the columns ``names``; those ``needed`` must be given.

        >>> Waiting(minutes={"chol": 90, 0: 5}).minutes_of(["age", "chol"], [0, 1])
        [5, 90]
        """
        if self.minutes is None:
            return [0.0] * len(names)
        found: dict[int, float] = {}
        for key, minutes in self.minutes.items():
            if key in names:
                found[names.index(key)] = minutes
            elif isinstance(key, int) and key < len(names):
                found[key] = minutes
            else:
                raise InvalidCosts(
                    f"minutes names the test {key!r}, but there is none; name one of "
                    f"{', '.join(map(repr, names))}.{did_you_mean(key, names)}"
                )
        for test in needed:
            if test not in found:
                raise InvalidCosts(
                    f"minutes says nothing of test {names[test]!r}; say how long it takes, 0 if "
                    "the result is there at once."
                )
        return [found.get(test, 0.0) for test in range(len(names))]

    def __repr__(self) -> str:
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        said = {name: v for name, v in given.items() if v not in (0, None, SEQUENTIAL)}
        price = said.get("price")
        if isinstance(price, tuple):
            said["price"] = list(price)
        return f"Waiting({', '.join(f'{name}={value!r}' for name, value in said.items())})"


def check_strategy(strategy: object) -> str:
    """Return the name of a strategy, of which the first word will do.

    >>> check_strategy("several")
    'several batches'
    >>> check_strategy("sequentially")
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: there is no strategy 'sequentially'; name one of
    sequential, single batch, several batches. Did you mean 'sequential'?
    """
    for known in STRATEGIES:
        if strategy in (known, known.split()[0]):
            return known
    raise InvalidCosts(
        f"there is no strategy {shortened(strategy)}; name one of {', '.join(STRATEGIES)}."
        f"{did_you_mean(strategy, STRATEGIES)}"
    )


def check_rates(price: object) -> float | Rates:
    """Return a price of waiting, per minute or as a list that only grows.

    >>> check_rates([(60, 0.5), (None, 0.1)])
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: the price of waiting falls from 0.5 to 0.1 after 60
    minutes, but it may only grow; give a price for later minutes that is no lower.
    """
    if not is_list(price):
        return check_price(price, "the price of waiting")
    entries = [tuple(entry) if is_list(entry) else (entry,) for entry in price]
    if not entries or any(len(entry) != 2 for entry in entries) or entries[-1][0] is not None:
        raise InvalidCosts(
            f"the price of waiting must be a number, or a list of (minutes, price) that ends with "
            f"None for all later ones, but is {shortened(price)}; write such as "
            "[(60, 0.1), (None, 0.5)]."
        )
    rates: list[tuple[float | None, float]] = []
    before, dearest = 0.0, 0.0
    for until, rate in entries:
        rate = check_price(rate, "a price of waiting")
        if rate < dearest:
            raise InvalidCosts(
                f"the price of waiting falls from {dearest:g} to {rate:g} after {before:g} "
                "minutes, but it may only grow; give a price for later minutes that is no lower."
            )
        end = None if until is None else check_price(until, "the end of a price of waiting")
        if len(rates) + 1 < len(entries) and (end is None or end <= before):
            raise InvalidCosts(
                f"the prices of waiting must end later and later, but one ends at {end} after "
                f"{before:g} minutes; put them in order, None last."
            )
        rates.append((end, rate))
        before, dearest = end or before, rate
    return tuple(rates)


def check_waiting(waiting: object) -> Waiting | None:
    """Return what waiting costs a learner, from a `Waiting` or a mapping of its parts."""
    if isinstance(waiting, Mapping):
        known = [one.name for one in fields(Waiting)]
        for key in waiting:
            if key not in known:
                raise InvalidCosts(
                    f"waiting has no part {key!r}; it has {', '.join(known)}."
                    f"{did_you_mean(key, known)}"
                )
        waiting = Waiting(**waiting)
    if waiting is not None and not isinstance(waiting, Waiting):
        raise InvalidCosts(
            f"waiting must be a Waiting, but is {shortened(waiting)}; write such as "
            "Waiting(round_trip=2, minutes={'chol': 90}, price=0.1)."
        )
    if waiting is not None and waiting.strategy == SEVERAL:
        raise InvalidCosts(
            "no tree is learned for several batches; learn with the strategy 'sequential' or "
            "'single batch', and plan several batches of that tree with frugaltree.Batches."
        )
    if waiting is not None and waiting.strategy == SEQUENTIAL and waiting.grows:
        raise InvalidCosts(
            "no tree is learned for tests one at a time and a price of waiting that grows; give "
            "one price per minute, or take the strategy 'single batch'."
        )
    return waiting


def with_waits(
    arrays: PriceArrays, costs: Costs, columns: Mapping[Test, int], names: Sequence[Test] | None
) -> Any:
    """Return prices that charge for waiting, too, so that every rule of cost does.

    One test at a time, the wait for a test is part of its own price: each order has one test, so
    what orders cost adds up, at a price that does not grow. In a single batch all tests are
    delayed, which is one order of all that may be needed, and the wait is what they share: a group
    of all tests, where each has its own wait as the discount. Of such a group an order pays the
    largest share (:func:`~frugaltree.kernels.cost.prices.price_of_order`), and the price of
    waiting only grows, so that is the wait for the slowest test. The group comes first: no other
    discount is then taken from the wait. Known tests are at hand and wait for nothing.

    Examples
    --------
    >>> from frugaltree import Costs
    >>> waiting = Waiting(2, {"chol": 90, "fbs": 30}, price=0.1)
    >>> Costs({"chol": 5, "fbs": 3}, waiting=waiting).prices().full  # 5 + 2 + 9, and 3 + 2 + 3
    array([16.,  8.])
    """
    waiting, n_tests = costs.waiting or Waiting(), arrays.full.size
    names = list(columns) if names is None else names
    refuse_panels(costs)
    known = [columns[key] for key in costs.known]
    asked = [a for a in range(n_tests) if a not in known]
    minutes = waiting.minutes_of(names, [a for a in asked if arrays.usable[a]])
    waits = np.zeros(n_tests)
    waits[asked] = [waiting.round_trip + waiting.charge(minutes[a]) for a in asked]
    full = arrays.full + waits
    if waiting.strategy == SINGLE:
        ordered = np.zeros(n_tests, np.uint8)
        ordered[asked] = 1
        return arrays._replace(
            full=full,
            discount=np.column_stack([waits, arrays.discount]),
            member=np.column_stack([ordered, arrays.member]),
            delayed=ordered,
        )
    if arrays.delayed.any():
        raise InvalidCosts(
            f"test {names[int(arrays.delayed.argmax())]!r} is delayed, so that all below it is "
            "ordered at once, but waiting is for one test at a time; take the strategy 'single "
            "batch', or leave delayed out."
        )
    return arrays._replace(full=full, discount=_within(arrays, names))


def refuse_panels(costs: Costs) -> None:
    """Refuse panels: whether one is waited for once, or test by test, nobody has said."""
    if costs.together:
        raise InvalidCosts(
            f"together has the panel {list(costs.together[0])!r}, but tests of a panel are not "
            "ordered in batches, nor waited for; give the panel as a single test, or drop it."
        )


def _within(arrays: PriceArrays, names: Sequence[Test]) -> Any:
    """Return discounts that take nothing from the wait, which is part of the price now."""
    discount = np.array(arrays.discount)
    for a in range(arrays.full.size):
        if discount[a].sum() <= arrays.full[a]:
            continue
        if np.count_nonzero(discount[a]) == 1:
            discount[a] = np.minimum(discount[a], arrays.full[a])
        elif not math.isclose(discount[a].sum(), arrays.full[a]):
            raise InvalidCosts(
                f"the discounts of test {names[a]!r} add up to {discount[a].sum():g}, more than "
                f"its price of {arrays.full[a]:g}, which cannot be told from its wait; give "
                "discounts that add up to no more than the price."
            )
    return discount
