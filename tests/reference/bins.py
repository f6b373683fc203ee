"""Numbers in bins, straight from the definition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import floor


def bins_of(
    values: Sequence[float | None], weights: Sequence[float], most: int
) -> list[int | None]:
    """Return the bin of each value; None is missing and has none."""
    totals: dict[float, float] = {}
    for value, weight in zip(values, weights, strict=True):
        if value is not None:
            totals[value] = totals.get(value, 0.0) + weight
    distinct = sorted(totals)
    if len(distinct) <= most:
        place = {value: i for i, value in enumerate(distinct)}
    else:
        *_, n = accumulate(totals[value] for value in distinct)
        counted = [min(totals[value], n / most) for value in distinct]
        ends = [0.0, *accumulate(counted)]
        middles = [end + own / 2 for end, own in zip(ends, counted, strict=False)]
        pieces = [floor(most * middle / ends[-1]) for middle in middles]
        used = sorted(set(pieces))
        place = {value: used.index(piece) for value, piece in zip(distinct, pieces, strict=True)}
    return [None if value is None else place[value] for value in values]


def representatives(
    values: Sequence[float | None], bins: Sequence[int | None]
) -> list[float | None]:
    """Return each value replaced by the largest of its bin."""
    largest: dict[int, float] = {}
    for value, which in zip(values, bins, strict=True):
        if value is not None and which is not None:
            largest[which] = max(value, largest.get(which, value))
    return [None if which is None else largest[which] for which in bins]
