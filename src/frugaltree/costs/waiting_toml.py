"""What waiting costs, as the table of a file of costs."""

from __future__ import annotations

from reprlib import repr as shortened
from typing import Any

from frugaltree.costs.toml import _are_tables, _check_keys, _check_twice, _require, _tests_data
from frugaltree.costs.waiting import Waiting
from frugaltree.exceptions import InvalidCosts


def parse_waiting(waiting: Any) -> Any:
    """Return the price of waiting with a growing one as a list, the rest for `Costs` to judge.

    >>> parse_waiting({"price": [{"up_to": 60, "per_minute": 0.1}, {"per_minute": 0.5}]})
    {'price': [(60, 0.1), (None, 0.5)]}
    """
    if not isinstance(waiting, dict):
        raise InvalidCosts(
            f"waiting must be a table, but is {shortened(waiting)}; write [waiting] and below it "
            "such as round_trip = 2."
        )
    given = dict(waiting)
    if "minutes" in given:
        given["minutes"] = _parse_minutes(given["minutes"])
    if _are_tables(given.get("price")):
        for entry in given["price"]:
            _check_keys(entry, ("up_to", "per_minute"), "an entry of the price of waiting")
        given["price"] = [
            (entry.get("up_to"), entry.get("per_minute")) for entry in given["price"]
        ]
    return given


def _parse_minutes(minutes: Any) -> Any:
    """Return minutes by test; anything but entries is for `Waiting` to judge."""
    if not _are_tables(minutes):
        return minutes
    keys = ("test", "minutes")
    pairs = [_require(entry, keys, "an entry of waiting.minutes") for entry in minutes]
    _check_twice([test for test, _ in pairs], "waiting.minutes")
    return dict(pairs)


def waiting_data(waiting: Waiting) -> dict[str, Any]:
    """Return what waiting costs as plain values, which `parse_waiting` takes."""
    data: dict[str, Any] = {"round_trip": waiting.round_trip, "strategy": waiting.strategy}
    if isinstance(waiting.price, tuple):
        data["price"] = [
            {"per_minute": rate} if until is None else {"up_to": until, "per_minute": rate}
            for until, rate in waiting.price
        ]
    else:
        data["price"] = waiting.price
    if waiting.minutes is not None:
        data["minutes"] = _tests_data(waiting.minutes, "minutes")
    return data
