"""The range of values that a numeric test had in training, and what lies outside of it."""

from __future__ import annotations

from typing import Any, Literal

from frugaltree.messages import Phrase, say

Range = tuple[float, float]
"""The least and the greatest value of a numeric test."""

SLACK = 1e-6
"""A single-precision 0.1 is not quite 0.1; so close to its end, a value is inside its range."""


def ranges_of(estimator: Any) -> dict[str, Range]:
    """Return the ranges of the numeric tests that a tree asks; a model of old has none."""
    return dict(getattr(estimator, "test_ranges_", {}))


def side_of(value: float, seen: Range) -> Literal["below", "above"] | None:
    """Tell on which side of a range a value lies, None for inside.

    >>> side_of(125, (29, 77)), side_of(28.5, (29, 77)), side_of(77, (29, 77))
    ('above', 'below', None)
    """
    least, greatest = seen
    if value < least - SLACK * abs(least):
        return "below"
    return "above" if value > greatest + SLACK * abs(greatest) else None


def say_outside(value: float, seen: Range | None, weight: float) -> Phrase | None:
    """Return how a value lies outside the range of the training cases, None for inside.

    >>> say_outside(125, (29.0, 77.0), 297.0)
    '125 is above all 297 training cases (29 to 77)'
    """
    side = None if seen is None else side_of(value, seen)
    if seen is None or side is None:
        return None
    low, high = (say("short", value=end) for end in seen)
    n = say("number", value=weight)
    return say(f"outside.{side}", value=say("short", value=value), n=n, low=low, high=high)


def say_range(seen: Range) -> str:
    """Return a range in words.

    >>> say_range((126.0, 564.5))
    '126 to 564.5'
    """
    low, high = (say("short", value=end) for end in seen)
    return say("span", least=low, most=high)
