"""The same table as a polars, pandas or arrow frame.

Nominal columns are written here by hand: the conversions of polars mark an Enum as an *ordered*
categorical, which the learners would split by its order.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from frugaltree.exceptions import FrugaltreeError, did_you_mean

if TYPE_CHECKING:
    import polars as pl

FrameKind: TypeAlias = Literal["polars", "pandas", "arrow"]
Frame: TypeAlias = Any
"""A data frame of the library asked for."""
Column: TypeAlias = Any
"""A single column of that library."""

FRAME_KINDS = {"polars": "polars", "pandas": "pandas", "arrow": "pyarrow"}
"""The package that each form of a table needs."""


def check_frame_kind(kind: str) -> None:
    """Raise an error unless tables can be given in this form.

    >>> check_frame_kind("panda")
    Traceback (most recent call last):
    ...
    frugaltree.exceptions.FrugaltreeError: frame must be 'polars', 'pandas' or 'arrow', ...
    """
    if kind not in list(FRAME_KINDS):
        raise FrugaltreeError(
            f"frame must be 'polars', 'pandas' or 'arrow', not {kind!r}."
            f"{did_you_mean(kind, FRAME_KINDS)}"
        )
    package = FRAME_KINDS[kind]
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        raise FrugaltreeError(
            f"frame={kind!r} needs {package}, which is not installed; install it with "
            f"pip install {package}, or leave frame out for a polars table."
        ) from error


def to_frame(table: pl.DataFrame, kind: FrameKind) -> Frame:
    """Return a polars table in the form asked for."""
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame({column.name: to_column(column, kind) for column in table})
    if kind == "arrow":
        import pyarrow as pa

        return pa.table({column.name: to_column(column, kind) for column in table})
    return table


def to_column(column: pl.Series, kind: FrameKind) -> Column:
    """Return a polars column in the form asked for."""
    if kind == "pandas":
        return _pandas_column(column)
    if kind == "arrow":
        return _arrow_column(column)
    return column


def _pandas_column(column: pl.Series) -> Column:
    import pandas as pd

    values = _values(column)
    if values is None:
        return pd.Series(column.to_numpy(), name=column.name)
    codes = column.to_physical().cast(int).fill_null(-1).to_numpy()
    return pd.Series(pd.Categorical.from_codes(codes, values), name=column.name)


def _arrow_column(column: pl.Series) -> Column:
    import pyarrow as pa

    values = _values(column)
    if values is None:
        return column.to_arrow()
    gaps = column.is_null().to_numpy()
    codes = column.to_physical().cast(int).fill_null(0).to_numpy()
    indices = pa.array(codes.astype(np.int32), mask=gaps)
    return pa.DictionaryArray.from_arrays(indices, pa.array(values, pa.string()), ordered=False)


def _values(column: pl.Series) -> list[str] | None:
    """Return the values of a nominal column in order, and None for a numeric one."""
    import polars as pl

    dtype = column.dtype
    return dtype.categories.to_list() if isinstance(dtype, pl.Enum) else None
