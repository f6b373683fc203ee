"""At which prices of an error to look for further trees.

Two neighbours of the hull leave room for a third only where they cross. Where a search there finds
nothing better, they are neighbours for good; else the new tree has two crossings of its own (the
method of Eisner and Severance for parametric problems). Where searches prove their trees, the hull
is that of all trees when no crossing is left. Else what time is left goes to the trees found, each
at a price where it is the best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Protocol

from frugaltree.tradeoff.hull import CLOSE, Bounds, Line, lower_hull

SAME = 1e-9
"""Factors that differ by less than this share are not searched twice."""


class Source(Protocol):
    """What finds trees at factors of the costs of errors."""

    @property
    def lines(self) -> list[Line]:
        """What each tree found so far costs."""
        ...

    @property
    def proven(self) -> Bounds:
        """What no tree costs less than, by what the searches have proven."""
        ...

    def look(self, factor: float, part: float) -> bool:
        """Look for trees at a factor, with a part of what is left; tell whether there is time."""
        ...


def walk(
    source: Source, probed: Iterable[float], most: float, say: Callable[[float], None]
) -> bool:
    """Look for trees from the factor 0 to ``most``; tell whether every crossing was looked at.

    Parameters
    ----------
    source
        What finds them.
    probed
        Factors at which it has looked already.
    most
        The largest factor.
    say
        Told of each factor before it is looked at.
    """
    seen = {*probed, most}
    say(most)
    on, deepened = source.look(most, FIRST_PART), set[float]()
    while on:
        factor = next_factor(source, sorted(seen), most)
        if factor is not None:
            say(factor)
            seen.add(factor)
            on = source.look(factor, PART)
            continue
        todo = [one for one in open_points(source, most) if one not in deepened]
        if not todo:
            break
        for i, factor in enumerate(todo):
            say(factor)
            deepened.add(factor)
            if not (on := source.look(factor, LONG_PART / (len(todo) - i))):
                break
    return next_factor(source, sorted(seen), most) is None


FIRST_PART, PART, LONG_PART = 1 / 16, 1 / 50, 0.9
"""Parts of the time left that the first look takes at most, each of those at crossings, and all
those within the stretches of trees that may not be the best there."""


def next_factor(source: Source, seen: list[float], most: float) -> float | None:
    """Return the crossing at which a further tree may save most, None if none can anywhere.

    As if what was found at the factors looked at were the best there is.
    """
    lines = source.lines
    hull = lower_hull(lines, most)
    assumed = Bounds()
    for factor in seen:
        assumed.note(factor, min(line.at(factor) for line in lines))
    best, promise = None, CLOSE
    for before, after in pairwise(hull):
        factor = after.start
        if any(abs(factor - other) <= SAME * other for other in seen):
            continue
        cost = lines[before.line].at(factor)
        if source.proven.at(factor) >= cost * (1.0 - CLOSE):
            continue
        saving = 1.0 - assumed.at(factor) / cost if cost > 0.0 else 0.0
        if saving > promise:
            best, promise = factor, saving
    return best


def open_points(source: Source, most: float) -> list[float]:
    """Return a factor within each stretch of the hull whose tree may not be the best there."""
    hull = lower_hull(source.lines, most)
    ends = [*(edge.start for edge in hull[1:]), most]
    middles = [middle_of(edge.start, end) for edge, end in zip(hull, ends, strict=True)]
    return [
        factor
        for edge, factor in zip(hull, middles, strict=True)
        if source.proven.at(factor) < source.lines[edge.line].at(factor) * (1.0 - CLOSE)
    ]


def middle_of(start: float, end: float) -> float:
    """Return a factor that stands for a stretch.

    >>> middle_of(0.0, 4.0), middle_of(4.0, 9.0), middle_of(0.5, 2.0)
    (2.0, 6.0, 1.0)
    """
    return end / 2.0 if start <= 0.0 else float((start * end) ** 0.5)


def gap_of(source: Source, most: float) -> float:
    """Return how far the best trees can be from the best there are, at any factor, as a share."""
    hull = lower_hull(source.lines, most)
    ends = [*(edge.start for edge in hull[1:]), most]
    widest = 0.0
    for edge, end in zip(hull, ends, strict=True):
        line = source.lines[edge.line]
        for factor in (edge.start, middle_of(edge.start, end), end):
            cost = line.at(factor)
            if factor > 0.0 and cost > 0.0:
                widest = max(widest, 1.0 - source.proven.at(factor) / cost)
    return 0.0 if widest <= CLOSE else widest
