"""The values of a column, whatever library it comes from, as Python and NumPy have them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from frugaltree.exceptions import InvalidTable

Floats = npt.NDArray[np.float64]


def column_of(frame: Any, position: int) -> Any:
    """Return a column of a frame; of polars without its name, which might be a pattern to it."""
    series = frame[:, position]
    return series.alias("") if series.implementation.is_polars() else series


def numbers_of(series: Any, name: str) -> Floats:
    """Return a numeric series as writable float64, NaN where missing."""
    return _finite(np.array(series.cast(nw.Float64).to_numpy(), np.float64), name)


def objects_of(series: Any, read: Callable[[Any], Any] | None = None) -> npt.NDArray[Any]:
    """Return a series as Python objects, each of them read first if told how."""
    out = np.empty(len(series), object)
    out[:] = series.to_list() if read is None else [read(value) for value in series.to_list()]
    return out


def categories_of(series: Any) -> list[Any]:
    """Return the categories of a series; Arrow may hold nulls and repetitions among them.

    A categorical of polars has no list of its own: version 1 keeps one for all columns of a
    process, version 2 none. Neither has a dictionary of Arrow's in pandas an accessor for it.
    """
    found = None
    if series.dtype == nw.Enum or not series.implementation.is_polars():
        with suppress(AttributeError):
            found = series.cat.get_categories().to_list()
    if found is None:
        found = sorted(value for value in series.unique().to_list() if not is_missing(value))
    values = map(plain_category, found)
    return list(dict.fromkeys(value for value in values if value is not None))


def floats_of(values: npt.NDArray[Any], name: str) -> Floats:
    """Return Python's numbers as float64, NaN where missing."""
    if values.dtype.kind == "b":
        return values.astype(np.float64)
    floats = [np.nan if is_missing(value) else _float(value) for value in values]
    return _finite(np.array(floats, np.float64), name)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an int beyond float's range
        return np.inf


def _finite(numbers: Floats, name: str) -> Floats:
    """Return numbers, none of them infinite; an array without objects was checked before."""
    if np.isinf(numbers).any():
        raise InvalidTable(
            f"column {name!r} holds an infinite or too large number in case "
            f"{int(np.isinf(numbers).argmax())}; give a finite one, or leave it missing."
        )
    return numbers


def is_ordered(series: Any) -> bool:
    """Tell an ordered categorical of pandas or Arrow."""
    native = series.to_native()
    return any(getattr(getattr(native, a, None), "ordered", False) for a in ("dtype", "type"))


def is_number(value: object) -> bool:
    """Tell a number, False and True among them."""
    return isinstance(value, Real | Decimal | np.bool_)


def is_text(value: object) -> bool:
    """Tell text, NumPy's too."""
    return isinstance(value, str)


def is_missing(value: Any) -> bool:
    """Tell None, NaN and pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | Decimal) and bool(value != value)


def plain(value: Any) -> Any:
    """Return a value as Python's own, a whole number as an int, for people to read.

    >>> plain(np.float64(2.0)), plain(np.str_("male"))
    (2, 'male')
    """
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def plain_category(value: Any) -> Any:
    """Return a category as a number, text or None; an interval or a date becomes text.

    >>> plain_category(2.0), plain_category(Decimal("2.50")), plain_category("2")
    (2, 2.5, '2')
    """
    if is_missing(value):
        return None
    value = plain(float(value) if isinstance(value, Decimal) else value)
    return value if isinstance(value, bool | int | float | str) else str(value)
