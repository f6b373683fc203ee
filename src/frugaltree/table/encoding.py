"""Reading a table as at fit: each value as a number that the tree knows."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import repr as shortened
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from frugaltree.exceptions import InvalidTable
from frugaltree.table.columns import Column
from frugaltree.table.forms import frame_of
from frugaltree.table.values import (
    Floats,
    categories_of,
    column_of,
    floats_of,
    is_missing,
    is_number,
    is_text,
    numbers_of,
    objects_of,
    plain,
    plain_category,
)

UNSEEN = -1.0
"""Stands for a nominal value that no training case had."""


def encode(X: Any, columns: Sequence[Column]) -> Floats:
    """Return a table as numbers, read as at fit.

    Numeric values as they are, nominal ones as the position of their category; NaN is missing and
    :data:`UNSEEN` a nominal value that was not there at fit. An ordinal value that has no place in
    the order counts as missing, and so do all values of a column that a data frame lacks.

    >>> import polars as pl
    >>> encode(pl.DataFrame({"b": [7]}), [Column("a", "numeric"), Column("b", "numeric")])
    array([[nan,  7.]])
    """
    frame = frame_of(X)
    if frame is not None and frame.shape[1] < len(columns):
        where = {name: a for a, name in enumerate(frame.columns)}
        parts = [
            encode_series(column_of(frame, where[column.name]), column)
            if column.name in where
            else np.full(len(frame), np.nan)
            for column in columns
        ]
    elif frame is not None:
        parts = [encode_series(column_of(frame, a), column) for a, column in enumerate(columns)]
    elif X.dtype.kind not in "biuf":
        parts = [encode_objects(X[:, a], column) for a, column in enumerate(columns)]
    elif all(column.kind == "numeric" for column in columns):
        return np.require(X, np.float64, ["C", "W"])
    else:
        X = X.astype(np.float64, copy=False)
        parts = [_encode_numbers(X[:, a], column) for a, column in enumerate(columns)]
    return np.ascontiguousarray(np.stack(parts, axis=1))


def encode_series(series: Any, column: Column) -> Floats:
    """Encode one column of a data frame."""
    dtype = series.dtype
    if dtype.is_numeric():
        return _encode_numbers(numbers_of(series, column.name), column)
    if dtype in (nw.Object, nw.Unknown, nw.Boolean):
        return encode_objects(objects_of(series), column)
    if dtype in (nw.Categorical, nw.Enum) and any(map(is_number, categories_of(series))):
        return encode_objects(objects_of(series, plain_category), column)
    has_categories = dtype in (nw.Categorical, nw.Enum)
    texts, nulls = series.cast(nw.String) if has_categories else series, series.is_null()
    if has_categories and not series.implementation.is_polars():
        nulls = nulls | texts.is_null()  # a dictionary of Arrow's may hold a null
    missing = np.array(nulls.to_numpy(), bool)
    if missing.all():  # then the dtype is the library's guess
        return np.full(missing.size, np.nan)
    if column.kind == "numeric" or not (has_categories or dtype == nw.String):
        raise _wrong_kind(column, str(dtype))
    known = [str(plain(category)) for category in column.categories]
    place = {text: float(code) for code, text in enumerate(known) if _is_unicode(text)}
    if not place:
        return np.where(missing, np.nan, UNSEEN)
    codes = texts.replace_strict(
        list(place),
        list(place.values()),
        default=UNSEEN,
        return_dtype=nw.Float64,
    )
    return _settled(np.array(codes.to_numpy(), np.float64), missing, column)


def _is_unicode(text: str) -> bool:
    """Tell whether a data frame may hold a text; one with half a character comes from elsewhere.

    >>> _is_unicode("größe"), _is_unicode(chr(0xD800))
    (True, False)
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _encode_numbers(values: Floats, column: Column) -> Floats:
    """Encode a column of numbers."""
    if column.kind == "numeric":
        return values
    if not column.holds_numbers:
        return _encode_texts(values, column)
    known = np.array([float(category) for category in column.categories] or [np.nan])
    order = np.argsort(known)
    found = np.searchsorted(known[order], values).clip(max=known.size - 1)
    codes = np.where(known[order][found] == values, order[found], UNSEEN)
    return _settled(codes.astype(np.float64), np.isnan(values), column)


def encode_objects(values: npt.NDArray[Any], column: Column) -> Floats:
    """Encode a column of Python objects."""
    texts = not column.holds_numbers or any(is_text(value) for value in values)
    if column.kind != "numeric" and texts:  # True may be "True" there
        return _encode_texts(values, column)
    odd = next((v for v in values if not (is_missing(v) or is_number(v))), None)
    if odd is not None:
        raise _wrong_kind(column, shortened(plain(odd)))
    return _encode_numbers(floats_of(values, column.name), column)


def _encode_texts(values: npt.NDArray[Any], column: Column) -> Floats:
    """Encode values by their text, for ``"1"`` and 1 are one value to a reader."""
    place = {str(plain(category)): float(code) for code, category in enumerate(column.categories)}
    codes = np.array([place.get(str(plain(value)), UNSEEN) for value in values], np.float64)
    return _settled(codes, np.array([is_missing(value) for value in values], bool), column)


def _settled(codes: Floats, missing: npt.NDArray[np.bool_], column: Column) -> Floats:
    """Return codes with NaN where a value is missing, or has no place in an order."""
    codes[missing] = np.nan
    if column.kind == "ordinal":
        codes[codes == UNSEEN] = np.nan
    return codes


def _wrong_kind(column: Column, got: str) -> InvalidTable:
    return InvalidTable(
        f"column {column.name!r} was {column.kind} at fit but holds {got} now; give it the kind "
        "of values it had."
    )
