"""Limits of time and memory, as people write them."""

from __future__ import annotations

import math
import re
from numbers import Real
from reprlib import repr as shortened
from typing import Any

from frugaltree.exceptions import FrugaltreeError, did_you_mean

UNITS = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
}
"""Seconds in each unit of time."""

BYTES = {
    **dict(zip(("b", "kb", "mb", "gb", "tb"), (1000**i for i in range(5)), strict=True)),
    **dict(zip(("kib", "mib", "gib", "tib"), (1024**i for i in range(1, 5)), strict=True)),
}
"""Bytes in each unit of memory."""

AMOUNT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([^\W\d_]+)")
"""One number with its unit."""


def seconds_in(time_limit: Any, name: str = "time_limit") -> float | None:
    """Return a limit of time in seconds, None where there is none.

    Parameters
    ----------
    time_limit
        None, a number of seconds, or text: a number with its unit, several in a row, or a bare
        number of seconds.
    name
        What messages call it.

    Examples
    --------
    >>> seconds_in(60), seconds_in("60s"), seconds_in("5 min"), seconds_in("1h30m")
    (60.0, 60.0, 300.0, 5400.0)
    >>> seconds_in("2 fortnights")
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: time_limit '2 fortnights' has the unit 'fortnights', ...
    """
    if time_limit is None:
        return None
    if isinstance(time_limit, str):
        seconds = _seconds_in_text(time_limit, name)
    elif isinstance(time_limit, bool) or not isinstance(time_limit, Real):
        seconds = math.nan
    else:
        seconds = float(time_limit)
    if not seconds >= 0:
        raise FrugaltreeError(
            f"{name} must be a number of seconds, 0 or more, or text such as '60s', '5min' or "
            f"'2h', but is {shortened(time_limit)}; leave it out for no limit."
        )
    return None if math.isinf(seconds) else seconds


def _seconds_in_text(text: str, name: str) -> float:
    """Return the seconds in a text, nan where it cannot be read."""
    try:
        return float(text)
    except ValueError:
        pass
    total, end = 0.0, 0
    while found := AMOUNT.match(text, end):
        unit = found[2].lower()
        if unit not in UNITS:
            raise FrugaltreeError(
                f"{name} {text!r} has the unit {found[2]!r}, which is none of ms, s, min, h "
                f"and d; write it like '60s', '5min' or '2h'.{did_you_mean(unit, UNITS)}"
            )
        total += float(found[1]) * UNITS[unit]
        end = found.end()
    return total if end and not text[end:].strip() else math.nan


def bytes_in(memory_limit: Any) -> int:
    """Return a limit of memory in bytes.

    Examples
    --------
    >>> bytes_in(1000), bytes_in("2GB"), bytes_in("512 MiB")
    (1000, 2000000000, 536870912)
    """
    found = None
    if isinstance(memory_limit, str):
        found = AMOUNT.fullmatch(memory_limit.strip())
        unit = found[2].lower() if found else ""
        number = float(found[1]) * BYTES[unit] if found and unit in BYTES else math.nan
    elif isinstance(memory_limit, bool) or not isinstance(memory_limit, Real):
        number = math.nan
    else:
        number = float(memory_limit)
    if not 1 <= number < math.inf:
        raise FrugaltreeError(
            f"memory_limit must be a number of bytes, or text such as '500MB' or '2GB', but is "
            f"{shortened(memory_limit)}; give one of these."
        )
    return int(number)
