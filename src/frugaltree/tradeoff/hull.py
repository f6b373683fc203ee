"""Which trees are best at some price of an error, and where each takes over.

With tests for T and errors for E, a tree costs T + s E where errors cost s times as much: a line
over s. The trees that are best somewhere are the lines of the lower hull.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

CLOSE = 1e-9
"""Costs that differ by less than this share are the same."""


class Line(NamedTuple):
    """What the tests of a tree cost, and its errors at the factor 1, per case."""

    tests: float
    errors: float

    def at(self, factor: float) -> float:
        """Return the cost where errors cost so many times as much."""
        return self.tests + factor * self.errors


class Edge(NamedTuple):
    """A line of the hull: which one of those given, and the factor from which on it is least."""

    line: int
    start: float


def crossing(cheap: Line, dear: Line) -> float:
    """Return the factor at which a line of dearer tests and cheaper errors takes over.

    >>> crossing(Line(0.0, 50.0), Line(20.0, 10.0))
    0.5
    """
    return (dear.tests - cheap.tests) / (cheap.errors - dear.errors)


def lower_hull(lines: Sequence[Line], most: float) -> list[Edge]:
    """Return the lines that are least somewhere between the factors 0 and ``most``, in order.

    A line that undercuts the others nowhere by more than rounding is not among them.

    Of three trees, the second is never the best: at a factor of 0.5, where the third takes over
    from the first, it costs 10 + 0.5 * 35.

    >>> lower_hull([Line(0.0, 50.0), Line(10.0, 35.0), Line(20.0, 10.0)], most=9.0)
    [Edge(line=0, start=0.0), Edge(line=2, start=0.5)]
    """
    order = sorted(range(len(lines)), key=lambda i: (lines[i].tests, lines[i].errors, i))
    kept: list[int] = []
    for i in order:
        one = lines[i]
        if kept and one.errors >= lines[kept[-1]].errors * (1.0 - CLOSE):
            continue
        if kept and one.tests <= lines[kept[-1]].tests:
            kept.pop()
        while len(kept) > 1 and not _undercuts(lines[kept[-2]], lines[kept[-1]], one):
            kept.pop()
        kept.append(i)
    starts = [0.0, *(crossing(lines[a], lines[b]) for a, b in pairwise(kept))]
    edges = [Edge(i, start) for i, start in zip(kept, starts, strict=True)]
    return [edge for edge in edges if edge.start < most]


def _undercuts(before: Line, middle: Line, after: Line) -> bool:
    """Tell whether a line is less than both its neighbours where these cross."""
    factor = crossing(before, after)
    return middle.at(factor) < before.at(factor) * (1.0 - CLOSE)


class Bounds:
    """What no tree costs less than, at any factor, by what is known at some.

    The least cost of a tree is a concave function of the factor, 0 or more at the factor 0: so
    between two factors it is no less than on a straight line.

    Examples
    --------
    >>> bounds = Bounds()
    >>> bounds.note(1.0, 10.0)
    >>> bounds.note(3.0, 20.0)
    >>> bounds.at(0.5), bounds.at(2.0), bounds.at(9.0)
    (5.0, 15.0, 20.0)
    """

    def __init__(self) -> None:
        self._known: dict[float, float] = {0.0: 0.0}

    def note(self, factor: float, bound: float) -> None:
        """Take note of a bound at a factor."""
        self._known[factor] = max(bound, self._known.get(factor, 0.0))

    def at(self, factor: float) -> float:
        """Return the bound at a factor."""
        factors = sorted(self._known)
        best = 0.0
        for low in factors:
            if low > factor:
                break
            best = max(best, self._known[low])  # dearer errors make no tree cheaper
            for high in factors[bisect_right(factors, factor) :]:
                share = (factor - low) / (high - low)
                best = max(best, (1.0 - share) * self._known[low] + share * self._known[high])
        return best
