"""Tables that are read a piece at a time: lazy frames of polars, data frames of Dask."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import narwhals.stable.v2 as nw

from frugaltree.exceptions import InvalidTable

PIECE = 100_000
"""About so many rows of a lazy frame are held in memory at a time."""


class Stream(ABC):
    """A table that can be read from its beginning as often as needed, never held as a whole.

    ``head`` is a data frame with its columns and no rows.
    """

    head: Any

    @abstractmethod
    def _parts(self) -> Iterator[Any]:
        """Yield data frames that are the table one after the other, some perhaps without rows."""

    @abstractmethod
    def collect(self) -> Any:
        """Return the whole table as a data frame."""

    @abstractmethod
    def only(self, a: int) -> Stream:
        """Return a stream of one column, the others of which need not be read."""

    def pieces(self) -> Iterator[Any]:
        """Yield data frames that are the table one after the other, each with rows."""
        names = list(self.head.columns)
        for i, part in enumerate(self._parts()):
            if list(part.columns) != names:
                odd = sorted(set(map(str, part.columns)) ^ set(map(str, names)))
                which = f"which differ by {odd[0]!r}" if odd else "in another order"
                raise InvalidTable(
                    f"part {i} of the table has other columns than the first, {which}; give all "
                    "parts the same columns."
                )
            if len(part):
                yield part


class PolarsStream(Stream):
    """A lazy frame of polars."""

    def __init__(self, lazy: Any) -> None:
        self._lazy = lazy
        self.head = self._run(lambda: lazy.head(0).collect())

    def _parts(self) -> Iterator[Any]:
        batches = iter(self._run(lambda: self._lazy.collect_batches(chunk_size=PIECE)))
        while (part := self._run(lambda: next(batches, None))) is not None:
            yield part

    def collect(self) -> Any:
        """Return the whole table as a data frame."""
        return self._run(self._lazy.collect)

    def only(self, a: int) -> Stream:
        """Return a stream of one column, the others of which need not be read."""
        import polars as pl

        return PolarsStream(self._lazy.select(pl.nth(a)))

    def _run(self, read: Any) -> Any:
        import polars as pl

        try:
            return read()
        except (pl.exceptions.PolarsError, OSError) as error:
            said = str(error).strip().partition("\n")[0].rstrip(".")
            raise InvalidTable(
                f"the lazy frame cannot be computed ({said}); correct its query or its files."
            ) from None


class DaskStream(Stream):
    """A data frame of Dask, one of whose partitions is computed at a time."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.head = frame._meta

    def _parts(self) -> Iterator[Any]:
        for i in range(self._frame.npartitions):
            yield self._frame.partitions[i].compute()

    def collect(self) -> Any:
        """Return the whole table as a data frame."""
        return self._frame.compute()

    def only(self, a: int) -> Stream:
        """Return a stream of one column, the others of which need not be read."""
        return DaskStream(self._frame.iloc[:, [a]])


def stream_of(X: Any) -> Stream | None:
    """Return a table that is not computed yet as a stream, and None for anything else.

    A column of Dask counts as a table of one column.

    >>> import polars as pl
    >>> stream = stream_of(pl.LazyFrame({"age": [54, 61]}))
    >>> [len(piece) for piece in stream.pieces()]
    [2]
    >>> stream_of([[54], [61]]) is None
    True
    """
    root = type(X).__module__.partition(".")[0]
    if root == "dask" and hasattr(X, "npartitions"):
        frame = X.to_frame() if X.ndim == 1 else X
        return DaskStream(frame) if hasattr(frame, "partitions") else None
    if root == "polars" and nw.dependencies.is_polars_lazyframe(X):
        return PolarsStream(X)
    return None
