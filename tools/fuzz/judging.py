"""What may come of an input, and what is a finding."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

REFUSALS = ("FrugaltreeError", "NotFittedError", "InvalidParameterError")
"""Errors that say what is wrong with the input, by the names of their classes."""

LIBRARY = f"{Path('sklearn')}/"
"""A ValueError or TypeError that is raised in here is scikit-learn's own word on the input."""


class BrokenRule(AssertionError):
    """An invariant does not hold."""


def demand(holds: Any, rule: str, *details: Any) -> None:
    """Raise unless a rule holds.

    >>> demand(1 + 1 == 2, "sums are right")
    >>> demand(False, "sums are right", 3)
    Traceback (most recent call last):
    tools.fuzz.judging.BrokenRule: sums are right: 3
    """
    if not holds:
        told = ", ".join(str(detail)[:300] for detail in details)
        raise BrokenRule(f"{rule}: {told}" if told else rule)


def is_refusal(error: BaseException) -> bool:
    """Tell whether an error is one that a user can act on."""
    if {kind.__name__ for kind in type(error).__mro__} & set(REFUSALS):
        return bool(str(error).strip())
    if not isinstance(error, ValueError | TypeError):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    raised_in = frames[-1].filename if frames else ""
    return f"/{LIBRARY}" in raised_in or raised_in.endswith("frugaltree/_sklearn.py")


def describe(error: BaseException) -> tuple[str, str]:
    """Return the first line of an error with the place it came from, and its traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "frugaltree" in frame.filename]
    place = inside[-1] if inside else (frames[-1] if frames else None)
    where = f" ({Path(place.filename).name}:{place.lineno} {place.name})" if place else ""
    text = str(error).strip()
    first = text.splitlines()[0][:300] if text else ""
    if isinstance(error, BrokenRule):
        where = ""
    return f"{type(error).__name__}: {first}{where}", "".join(traceback.format_exception(error))
