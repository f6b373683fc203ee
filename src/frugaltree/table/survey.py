"""Coding a table that is read a piece at a time, twice: what its columns are, then their codes.

The first pass counts rows, lists the values of nominal columns and keeps numbers at even
distances, by which bins are found; the second gives every value its code. Up to SAMPLED rows, all
numbers are kept, and the codes are those of the whole table at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from frugaltree.exceptions import InvalidTable
from frugaltree.kernels.data.bins import code_by_bins, widen_bins
from frugaltree.kernels.sentinels import MISSING
from frugaltree.table.columns import Codes, Column, Kind, Table
from frugaltree.table.encoding import encode_series
from frugaltree.table.ranking import bins_in_force, bins_of, fits_a_byte, open_ended
from frugaltree.table.reading import (
    categories_in,
    find_nominal,
    not_nominal,
    table_of,
    warn_of_identifiers,
)
from frugaltree.table.streams import Stream, stream_of
from frugaltree.table.values import Floats, column_of, is_ordered, numbers_of, plain

SAMPLED = 2**18
"""At least so many rows are kept for finding bins, and at most twice as many."""


@dataclass(frozen=True)
class Survey:
    """What the first pass has found out about a table.

    Attributes
    ----------
    stream
        The table.
    columns
        Its columns.
    samples
        Of each numeric column, every ``step``-th number; else none.
    n_rows
        How many rows the table has.
    step
        The distance of the rows whose numbers were kept.
    kept
        The rows to learn from, None for all.
    """

    stream: Stream
    columns: tuple[Column, ...]
    samples: tuple[Floats, ...]
    n_rows: int
    step: int
    kept: npt.NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return self.n_rows if self.kept is None else self.kept.size

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows to learn from, and how many columns."""
        return len(self), len(self.columns)

    def take(self, rows: npt.NDArray[np.intp]) -> Survey:
        """Return the same with some of the rows to learn from."""
        return replace(self, kept=rows)

    def read(self, *, most: int, weights: Floats, usable: Any = None) -> Table:
        """Read the table once more, and code it, its numbers in up to so many bins.

        ``weights`` tells how many cases each row to learn from stands for.
        """
        of_all = weights
        if self.kept is not None:
            of_all = np.zeros(self.n_rows)
            of_all[self.kept] = weights
        counted = of_all[:: self.step]
        pairs = zip(self.columns, self.samples, strict=True)
        parts = [_Coding.of(column, sample, most, counted) for column, sample in pairs]
        asked = [part.column for a, part in enumerate(parts) if usable is None or usable[a]]
        warn_of_identifiers(asked, len(self))
        codes = self._codes(parts)
        if self.kept is not None:
            codes = np.ascontiguousarray(codes[:, self.kept])
        return table_of([part.settled() for part in parts], codes)

    def numbers(self, a: int) -> Floats:
        """Read one numeric column of the table once more, of the rows to learn from."""
        column, numbers, first = self.columns[a], np.empty(self.n_rows), 0
        for piece in self.stream.only(a).pieces():
            frame = nw.from_native(piece, eager_only=True)
            end = first + len(frame)
            if end <= self.n_rows:
                numbers[first:end] = encode_series(column_of(frame, 0), column)
            first = end
        self._check_length(first)
        return numbers if self.kept is None else numbers[self.kept]

    def _check_length(self, n_rows: int) -> None:
        """Refuse a table that has another length than when it was read first."""
        if n_rows != self.n_rows:
            raise InvalidTable(
                f"the table had {self.n_rows} rows when it was read first and another number now; "
                "let nobody write to it while a tree is learned."
            )

    def _codes(self, parts: Sequence[_Coding]) -> Codes:
        """Read the table, and return the codes of all rows."""
        narrow = all(fits_a_byte(self.n_rows, part.n_codes) for part in parts)
        codes: Codes = np.empty((len(parts), self.n_rows), np.uint8 if narrow else np.int32)
        first = 0
        for piece in self.stream.pieces():
            frame = nw.from_native(piece, eager_only=True)
            end = first + len(frame)
            if end <= self.n_rows:
                for a, part in enumerate(parts):
                    codes[a, first:end] = part.code(column_of(frame, a))
            first = end
        self._check_length(first)
        return codes


class _Coding:
    """How the values of a column become codes, and what these have come to stand for."""

    def __init__(self, column: Column, floors: Floats, values: Floats) -> None:
        self.column, self.floors, self.values = column, floors, values
        self._edges = open_ended(values) if column.kind == "numeric" else values

    @classmethod
    def of(cls, column: Column, sample: Floats, most: int, weights: Floats) -> _Coding:
        """Return how to code a column; a numeric one by bins of some of its numbers."""
        if column.kind == "numeric":
            chosen = weights > 0.0
            sample, weights = sample[chosen], weights[chosen]
            equal = weights.size == 0 or bool((weights == weights[0]).all())
            floors, values = bins_of(sample, most, None if equal else weights)
            if not values.size:  # no number was among those kept
                floors, values = np.array([np.inf]), np.array([-np.inf])
            return cls(column, floors, values)
        places = np.arange(float(0 if column.is_nominal else len(column.categories)))
        return cls(column, places, places)

    @property
    def n_codes(self) -> int:
        """How many codes there may be, one for a missing nominal value among them."""
        return len(self.column.categories) + 1 if self.column.is_nominal else self.values.size

    def code(self, series: Any) -> Codes:
        """Return the codes of some values; bins widen to hold them."""
        found = np.ascontiguousarray(encode_series(series, self.column))
        if self.column.kind != "numeric":
            return np.where(np.isnan(found), MISSING, found).astype(np.int32)
        codes = np.empty(found.size, np.int32)
        code_by_bins(found, self._edges, codes)
        widen_bins(found, codes, self.floors, self.values)
        return codes

    def settled(self) -> _Coding:
        """Return the same once all values are coded: of no numbers at all, there is no bin."""
        if self.values.size == 1 and self.values[0] == -np.inf:
            self.floors = self.values = np.empty(0)
        return self


class _Kept(NamedTuple):
    """Every ``step``-th row of the table so far: its numbers, by column."""

    step: int
    numbers: list[list[Floats]]

    def halved(self) -> _Kept:
        """Return every other of them."""
        joined = [np.concatenate(parts)[::2] if parts else np.empty(0) for parts in self.numbers]
        return _Kept(2 * self.step, [[part] for part in joined])


def survey(stream: Stream, categorical_features: Any) -> Survey:
    """Read a table for the first time, and find out what its columns are."""
    head = nw.from_native(stream.head, eager_only=True)
    names = [str(name) for name in head.columns]
    nominal = find_nominal(categorical_features, names)
    kinds = [_kind_of(column_of(head, a), name, nominal[a]) for a, name in enumerate(names)]
    found: list[dict[tuple[Any, ...], None]] = [{} for _ in names]
    kept, n_rows = _Kept(1, [[] for _ in names]), 0
    for piece in stream.pieces():
        frame = nw.from_native(piece, eager_only=True)
        first = -n_rows % kept.step
        for a, (kind, name) in enumerate(zip(kinds, names, strict=True)):
            series = column_of(frame, a)
            if kind == "numeric":
                values = encode_series(series, Column(name, "numeric"))
                kept.numbers[a].append(values[first :: kept.step].copy())
            else:
                found[a][_categories(series, name, nominal[a])] = None
        n_rows += len(frame)
        while n_rows > 2 * SAMPLED * kept.step:
            kept = kept.halved()
    if not (names and n_rows):
        raise InvalidTable(
            f"the table has {n_rows} rows and {len(names)} columns; give it at least one case and "
            "one test."
        )
    columns = [
        Column(name, kind) if kind == "numeric" else Column(name, kind, _joined(list(lists)))
        for name, kind, lists in zip(names, kinds, found, strict=True)
    ]
    samples = [np.concatenate(part) if part else np.empty(0) for part in kept.numbers]
    return Survey(stream, tuple(columns), tuple(samples), n_rows, kept.step)


def _kind_of(series: Any, name: str, nominal: bool | None) -> Kind:
    """Return what a column is by its dtype; ``series`` has no rows."""
    dtype = series.dtype
    if dtype in (nw.Object, nw.Unknown):
        raise InvalidTable(
            f"column {name!r} is of no type of its own, and cannot be read a piece at a time; "
            "make it numbers or text."
        )
    if dtype.is_numeric() or dtype == nw.Boolean:
        is_nominal = nominal is True or (dtype == nw.Boolean and nominal is None)
        return "nominal" if is_nominal else "numeric"
    return "ordinal" if is_ordered(series) and not nominal else "nominal"


def _categories(series: Any, name: str, nominal: bool | None) -> tuple[Any, ...]:
    """Return the values of a piece of a nominal or ordinal column."""
    if series.dtype == nw.Boolean:
        return (False, True)
    if series.dtype.is_numeric():
        numbers = numbers_of(series, name)
        return tuple(map(plain, np.unique(numbers[~np.isnan(numbers)]).tolist()))
    if nominal is False and not is_ordered(series):
        raise not_nominal(name, series)
    return categories_in(series, name)


def _joined(lists: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the categories of all pieces: in the order declared, if that is the same in all."""
    if len(lists) == 1:
        return lists[0]
    return tuple(sorted({category for one in lists for category in one}))


def opened(X: Any, categorical_features: Any, max_bins: str | int | None) -> Any:
    """Return a table that is not computed yet as a survey of it; any other as it is.

    Where every number is for itself, there are no bins to find, and the table is computed.
    """
    stream = stream_of(X)
    if stream is None:
        return X
    if max_bins is None:
        return stream.collect()
    found = survey(stream, categorical_features)
    return stream.collect() if bins_in_force(max_bins, found.n_rows) is None else found
