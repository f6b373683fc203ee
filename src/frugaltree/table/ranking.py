"""Numbers as ranks among the distinct values of a column or, where there are many, as bins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

import numpy as np

from frugaltree.kernels.data.bins import code_by_bins, count_distinct, find_edges
from frugaltree.kernels.data.cases import NARROW_MISSING, rank_small_integers, rank_sorted
from frugaltree.kernels.sentinels import MISSING
from frugaltree.table.columns import Codes
from frugaltree.table.values import Floats

EXACT_ROWS = 50_000
"""Up to so many rows, ``max_bins="auto"`` takes every number for itself."""

AUTO_BINS = 254
"""How many bins it makes of the numbers of a longer table; even: one ends in the middle."""

TOGETHER = 10_000
"""Up to so many rows, columns are ranked all at once; of more, one at a time is faster."""

_takes_all_for_long = ContextVar("takes_all_for_long", default=False)


class Ranked(NamedTuple):
    """A column of numbers as codes.

    ``values`` and ``floors`` have the largest and the smallest number that a code stands for.
    """

    codes: Codes
    values: Floats
    floors: Floats


def bins_in_force(max_bins: str | int | None, n_rows: int) -> int | None:
    """Return how many bins a column of numbers may have, None where every number is for itself.

    >>> bins_in_force("auto", 1000), bins_in_force("auto", 10**6), bins_in_force(16, 1000)
    (None, 254, 16)
    """
    if isinstance(max_bins, str):
        return AUTO_BINS if n_rows > EXACT_ROWS else None
    return max_bins


def rank_columns(
    X: Floats, most: Sequence[int | None], weights: Floats | None = None
) -> Iterator[Ranked]:
    """Rank the columns of a matrix one by one, of which each may have so many bins.

    Examples
    --------
    Six numbers in two bins, the lower half and the upper one:

    >>> X = np.array([[1.0], [2.0], [4.0], [7.0], [8.0], [9.0]])
    >>> [ranked] = rank_columns(X, [2])
    >>> ranked.codes.tolist(), ranked.floors.tolist(), ranked.values.tolist()
    ([0, 0, 0, 1, 1, 1], [1.0, 7.0], [4.0, 9.0])
    """
    n, n_columns = X.shape
    if n > TOGETHER or any(k is not None for k in most):
        for a in range(n_columns):
            yield rank_column(np.ascontiguousarray(X[:, a]), most[a], weights)
        return
    codes = np.empty((n_columns, n), np.int32)
    distinct = np.empty((n_columns, n))
    sizes = np.empty(n_columns, np.int64)
    rank_small_integers(X, codes, distinct, sizes, np.empty(4 * n + 256, np.int32))
    for a in np.flatnonzero(sizes < 0).tolist():
        sizes[a] = rank_sorted(X, a, np.argsort(X[:, a]), codes[a], distinct[a])
    for a, k in enumerate(sizes.tolist()):
        yield Ranked(codes[a], distinct[a, :k], distinct[a, :k])


def rank_column(column: Floats, most: int | None, weights: Floats | None = None) -> Ranked:
    """Rank one column, which may have so many bins."""
    n, X = column.size, column.reshape(-1, 1)
    codes, distinct, size = np.empty((1, n), np.int32), np.empty((1, n)), np.empty(1, np.int64)
    rank_small_integers(X, codes, distinct, size, np.empty(4 * n + 256, np.int32))
    if size[0] < 0 and most is None:
        size[0] = rank_sorted(X, 0, np.argsort(column), codes[0], distinct[0])
    if 0 <= size[0] <= (n if most is None else most):
        values = distinct[0, : size[0]].copy()
        return Ranked(codes[0], values, values)
    assert most is not None  # without bins, every column is ranked by now
    floors, edges = bins_of(column, most, weights)
    code_by_bins(column, open_ended(edges), codes[0])
    return Ranked(codes[0], edges, floors)


def fits_a_byte(n_rows: int, n_codes: int) -> bool:
    """Tell whether the codes of a column take a byte each: it must be long, and have few.

    One code is left for cases that lack a nominal value, one for a missing value.

    >>> fits_a_byte(10**6, 254), fits_a_byte(10**6, 255), fits_a_byte(1000, 254)
    (True, False, False)
    """
    is_long = n_rows > EXACT_ROWS or _takes_all_for_long.get()
    return is_long and n_codes < NARROW_MISSING


@contextmanager
def taking_all_for_long() -> Iterator[None]:
    """Code every table as if it were long, to rehearse what codes of one byte need.

    >>> with taking_all_for_long():
    ...     fits_a_byte(7, 3)
    True
    >>> fits_a_byte(7, 3)
    False
    """
    before = _takes_all_for_long.set(True)
    try:
        yield
    finally:
        _takes_all_for_long.reset(before)


def narrowed(codes: Codes, n_codes: int) -> Codes:
    """Return the codes of a column in one byte each, if they fit."""
    # MISSING becomes NARROW_MISSING.
    return codes.astype(np.uint8) if fits_a_byte(codes.size, n_codes) else codes


def stacked(columns: Sequence[Codes]) -> Codes:
    """Return the codes of columns as those of a table: all of one byte, or all of four.

    >>> stacked([np.array([7, 255], np.uint8), np.array([9, -1], np.int32)]).tolist()
    [[7, -1], [9, -1]]
    """
    out = np.empty((len(columns), columns[0].size), np.result_type(*columns))
    for a, codes in enumerate(columns):
        out[a] = codes
        if codes.dtype != out.dtype:
            out[a, codes == NARROW_MISSING] = MISSING
    return out


def open_ended(edges: Floats) -> Floats:
    """Return edges as :func:`code_by_bins` wants them: the last bin has none, nor those beyond.

    >>> open_ended(np.array([2.0, 7.0, 9.0])).tolist()
    [2.0, 7.0, inf, inf]
    """
    padded = np.full(1 << (edges.size - 1).bit_length(), np.inf)
    padded[: edges.size - 1] = edges[:-1]
    return padded


def bins_of(column: Floats, most: int, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Return the smallest and the largest number of each bin.

    >>> floors, edges = bins_of(np.array([1.0, 2.0, 4.0, 7.0, 8.0, 9.0, np.nan]), 3)
    >>> floors.tolist(), edges.tolist()
    ([1.0, 4.0, 8.0], [2.0, 7.0, 9.0])
    """
    if weights is None:
        ordered, counted = np.sort(column), np.empty(0)
    else:
        order = np.argsort(column, kind="stable")
        ordered, counted = column[order], weights[order]
    n_known = int(np.searchsorted(ordered, np.inf, side="right"))  # missing ones are last
    distinct, totals = np.empty(n_known), np.empty(n_known)
    k = count_distinct(ordered[:n_known], counted[:n_known], distinct, totals)
    floors, edges = np.empty(min(most, k)), np.empty(min(most, k))
    n_bins = find_edges(distinct[:k], totals[:k], np.int64(most), floors, edges)
    return floors[:n_bins].copy(), edges[:n_bins].copy()
