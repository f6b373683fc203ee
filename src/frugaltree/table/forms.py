"""What can be a table: a data frame, an array, lists of rows."""

from __future__ import annotations

from collections.abc import Mapping, Set
from reprlib import repr as shortened
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from frugaltree.exceptions import InvalidTable


def frame_of(X: Any) -> nw.DataFrame[Any] | None:
    """Return a data frame as narwhals sees it, and None for anything else.

    >>> import polars as pl
    >>> frame_of(pl.DataFrame({"age": [54, 61]})).columns
    ['age']
    >>> frame_of([[54], [61]]) is None
    True
    """
    if isinstance(X, np.ndarray):  # most tables, and narwhals takes its time to say so
        return None
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:
        columns = X.column_names if nw.dependencies.is_pyarrow_table(X) else X.columns
        names = [str(name) for name in columns]
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InvalidTable(
            f"the table has two columns named {twice!r}; rename or drop one of them."
        ) from None
    if isinstance(frame, nw.LazyFrame):
        raise InvalidTable(
            f"the table is a {type(X).__name__}, which is not computed yet; collect it into a "
            "data frame first."
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def is_frame(X: object) -> bool:
    """Tell whether ``X`` is a data frame of a library that narwhals knows."""
    return frame_of(X) is not None


def names_in(X: Any) -> list[str]:
    """Return the names of the columns of a data frame.

    >>> import polars as pl
    >>> names_in(pl.DataFrame({"age": [54], "chol": [240]}))
    ['age', 'chol']
    """
    frame = frame_of(X)
    return [] if frame is None else list(frame.columns)


def checked_frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return what :func:`frame_of` does; refuse what can be no table, before NumPy does so.

    Examples
    --------
    >>> checked_frame([[1, 2], [3]])
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidTable: row 0 of the table has 2 values but row 1 has 1; give
    every case a value for every test, None where it is missing.
    """
    frame = frame_of(X)
    if frame is not None:
        if 0 in frame.shape:
            raise InvalidTable(
                f"the table has {frame.shape[0]} rows and {frame.shape[1]} columns; give it at "
                "least one case and one test."
            )
    elif X is None or (isinstance(X, str | bytes | Mapping | Set) and not hasattr(X, "shape")):
        raise InvalidTable(
            f"a table must be a data frame or a two-dimensional array, but is {shortened(X)}; "
            "read a file, or make a data frame of it, first."
        )
    elif isinstance(X, list | tuple):
        widths = [_width(row) for row in X]
        odd = next((i for i, width in enumerate(widths) if width != widths[0]), None)
        if odd is not None:
            raise InvalidTable(
                f"row 0 of the table has {widths[0]} values but row {odd} has {widths[odd]}; "
                "give every case a value for every test, None where it is missing."
            )
    return frame


def _width(row: Any) -> int:
    return len(row) if isinstance(row, list | tuple) or getattr(row, "ndim", 0) > 0 else 1


def as_array(X: Any) -> Any:
    """Return lists as an array in which numbers beside text stay numbers; all else as it is.

    Examples
    --------
    >>> as_array([[54, "typical"], [61, None]]).tolist()
    [[54, 'typical'], [61, None]]
    >>> as_array([[54, 1.5], [61, 2.5]]).dtype
    dtype('float64')
    """
    if not isinstance(X, list | tuple):
        return X
    try:
        array: npt.NDArray[Any] = np.asarray(X)
    except ValueError:  # a cell holds a list
        return np.array(X, object)
    return np.array(X, object) if array.dtype.kind in "US" else array
