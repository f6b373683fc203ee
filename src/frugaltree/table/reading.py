"""Reading a training table: finding out what each column is, and coding it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from reprlib import repr as shortened
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from frugaltree.exceptions import IdentifierWarning, InvalidTable, did_you_mean
from frugaltree.kernels.sentinels import MISSING
from frugaltree.table.columns import Codes, Column, Kind, Table
from frugaltree.table.encoding import encode_objects, encode_series
from frugaltree.table.forms import frame_of
from frugaltree.table.ranking import bins_in_force, narrowed, rank_columns, stacked
from frugaltree.table.values import (
    Floats,
    categories_of,
    column_of,
    floats_of,
    is_missing,
    is_number,
    is_ordered,
    is_text,
    numbers_of,
    objects_of,
    plain,
)

FEW = 20
"""Of fewer cases nothing is concluded."""

NEARLY_ALL = 0.8
"""Share of the cases, or of the values, that says what a column is."""


class _Part(NamedTuple):
    """A column, its codes, and of a numeric or ordinal one what these stand for."""

    column: Column
    codes: Codes
    values: Floats
    floors: Floats

    @property
    def n_codes(self) -> int:
        """How many codes the column may need, one for a missing nominal value among them."""
        return len(self.column.categories) + 1 if self.column.is_nominal else self.values.size

    def narrowed(self) -> _Part:
        """Return the same with codes of one byte, if that will do."""
        return self._replace(codes=narrowed(self.codes, self.n_codes))


class _Binning(NamedTuple):
    """How many bins a column of numbers may have, and how many cases each row stands for."""

    most: int | None = None
    weights: Floats | None = None


EXACT = _Binning()
"""Every number for itself."""


def read(
    X: Any,
    names: Sequence[str],
    categorical_features: Any = "from_dtype",
    *,
    usable: Any = None,
    max_bins: str | int | None = None,
    weights: Floats | None = None,
) -> Table:
    """Read a training table: find out what each column is, and code it.

    A column that looks like an identifier is warned of, unless ``usable`` has a 0 for it. Numbers
    are put in bins as ``max_bins`` has it, with as many cases in each as can be; ``weights`` tells
    how many a row stands for.
    """
    nominal = find_nominal(categorical_features, names)
    frame = frame_of(X)
    if weights is not None and (weights == weights[0]).all():
        weights = None
    how = _Binning(bins_in_force(max_bins, len(X)), weights)
    if frame is not None:
        series = [column_of(frame, a) for a in range(len(names))]
        parts = [
            _read_series(series[a], name, nominal[a], how).narrowed()
            for a, name in enumerate(names)
        ]
    elif X.dtype.kind == "b":
        parts = [_read_booleans(X[:, a], name, nominal[a]) for a, name in enumerate(names)]
    elif X.dtype.kind in "iuf":
        parts = _read_matrix(np.require(X, np.float64, ["C", "W"]), names, nominal, how)
    else:
        parts = [_read_objects(X[:, a], name, nominal[a], how) for a, name in enumerate(names)]
    asked = [part.column for a, part in enumerate(parts) if usable is None or usable[a]]
    warn_of_identifiers(asked, len(X))
    table = table_of(parts, stacked([part.codes for part in parts]))
    if max_bins != "auto" or how.most is None:
        return table
    source = X if frame is None else frame
    return replace(table, numbers=lambda a: _numbers_in(source, a, names[a]))


def _numbers_in(source: Any, a: int, name: str) -> Floats:
    """Return a numeric column of a data frame or an array."""
    if isinstance(source, np.ndarray):
        return np.ascontiguousarray(floats_of(source[:, a], name), np.float64)
    series = column_of(source, a)
    if series.dtype.is_numeric():
        return np.ascontiguousarray(numbers_of(series, name))
    return floats_of(objects_of(series), name)


def table_of(parts: Sequence[Any], codes: Codes) -> Table:
    """Return columns with the values that their codes stand for as a table."""
    sizes = [part.values.size for part in parts]
    domain = [
        len(part.column.categories) if part.column.is_nominal else part.values.size
        for part in parts
    ]
    return Table(
        columns=tuple(part.column for part in parts),
        codes=codes,
        domain=np.array(domain, np.int64),
        start=np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64),
        values=np.concatenate([part.values for part in parts]),
        floors=np.concatenate([part.floors for part in parts]),
    )


def find_nominal(categorical_features: Any, names: Sequence[str]) -> list[bool | None]:
    """Return, for each column, whether it is to be nominal; None where its dtype decides."""
    if isinstance(categorical_features, str) and categorical_features == "from_dtype":
        return [None] * len(names)
    if categorical_features is None:
        return [False] * len(names)
    chosen = np.atleast_1d(np.asarray(categorical_features, dtype=object))
    if chosen.size == len(names) and all(isinstance(c, bool | np.bool_) for c in chosen):
        return [True if c else None for c in chosen]
    nominal: list[bool | None] = [None] * len(names)
    for c in chosen:
        nominal[_position(c, names)] = True
    return nominal


def _position(feature: Any, names: Sequence[str]) -> int:
    if isinstance(feature, str):
        if feature in names:
            return list(names).index(feature)
        hint = did_you_mean(feature, names)
        raise InvalidTable(
            f"categorical_features names {feature!r}, but the table has no such column; correct "
            f"the name or drop it.{hint}"
        )
    if isinstance(feature, int | np.integer) and not isinstance(feature, bool):
        if -len(names) <= feature < len(names):
            return int(feature) % len(names)
        raise InvalidTable(
            f"categorical_features has position {feature}, but the table has {len(names)} "
            f"columns; give a position from 0 to {len(names) - 1}."
        )
    raise InvalidTable(
        'categorical_features must be "from_dtype", None, a mask, or a list of names or '
        f"positions of its {len(names)} columns; got {shortened(feature)} in it."
    )


def _read_matrix(
    X: Floats, names: Sequence[str], nominal: Sequence[bool | None], how: _Binning = EXACT
) -> list[_Part]:
    """Rank columns of numbers; a nominal one has its distinct values as categories."""
    most = [None if one else how.most for one in nominal]
    parts = []
    for a, (codes, values, floors) in enumerate(rank_columns(X, most, how.weights)):
        if nominal[a]:
            categories = tuple(plain(v) for v in values.tolist())
            column = Column(names[a], "nominal", categories)
            part = _Part(column, codes, values[:0], floors[:0])
        else:
            part = _Part(Column(names[a], "numeric"), codes, values, floors)
        parts.append(part.narrowed())
    return parts


def _read_numbers(values: Floats, name: str, nominal: bool | None, how: _Binning = EXACT) -> _Part:
    """Rank one column of numbers."""
    return _read_matrix(values.reshape(-1, 1), [name], [nominal], how)[0]


def _read_codes(codes: Floats, column: Column) -> _Part:
    """Turn encoded values into codes; an ordinal column is cut between its categories."""
    if column.kind == "ordinal":
        return _read_numbers(codes, column.name, None)._replace(column=column)
    whole = np.where(np.isnan(codes), MISSING, codes).astype(np.int32)
    return _Part(column, whole, np.empty(0), np.empty(0))


def _read_booleans(values: npt.NDArray[Any], name: str, nominal: bool | None) -> _Part:
    """Read a column of False, True and missing values; unless told, it is nominal."""
    numbers = floats_of(values, name)
    if nominal is False:
        return _read_numbers(numbers, name, None)
    return _read_codes(numbers, Column(name, "nominal", (False, True)))


def _read_series(series: Any, name: str, nominal: bool | None, how: _Binning) -> _Part:
    """Read one column of a data frame."""
    dtype = series.dtype
    if dtype.is_numeric():
        return _read_numbers(numbers_of(series, name), name, nominal, how)
    if dtype == nw.Boolean:
        return _read_booleans(objects_of(series), name, nominal)
    if dtype in (nw.Object, nw.Unknown):
        return _read_objects(objects_of(series), name, nominal, how)
    kind: Kind = "ordinal" if is_ordered(series) and not nominal else "nominal"
    column = Column(name, kind, categories_in(series, name))
    if nominal is False and column.is_nominal:
        raise not_nominal(name, series)
    return _read_codes(encode_series(series, column), column)


def categories_in(series: Any, name: str) -> tuple[Any, ...]:
    """Return the values of a nominal or ordinal series.

    In the order in which they were declared; polars and Arrow know only the order of appearance
    unless told, which would make the tree depend on the order of the cases.
    """
    if series.dtype == nw.String:
        return tuple(sorted(series.drop_nulls().unique().to_list()))
    if series.dtype not in (nw.Categorical, nw.Enum):
        raise no_test(name, series.dtype)
    values = categories_of(series)
    is_declared = series.dtype == nw.Enum or series.implementation.is_pandas_like()
    if not is_declared and not is_ordered(series):
        values.sort()
    _check_distinct(values, name)
    return tuple(values)


def no_test(name: str, dtype: Any) -> InvalidTable:
    """Return the complaint about a column of lists, bytes, dates and the like."""
    return InvalidTable(
        f"column {name!r} holds {dtype}, which a tree cannot ask about; turn it into numbers (a "
        "date into days since a fixed day) or text, or drop it."
    )


def _check_distinct(categories: Sequence[Any], name: str) -> None:
    """Refuse categories, such as 1 and "1", that a reader could not tell apart."""
    seen: dict[str, Any] = {}
    for category in categories:
        twin = seen.setdefault(str(category), category)
        if twin is not category:
            raise InvalidTable(
                f"column {name!r} mixes numbers and text, such as the categories {twin!r} and "
                f"{category!r}, which read alike; make them all numbers or all text."
            )


def _read_objects(
    values: npt.NDArray[Any], name: str, nominal: bool | None, how: _Binning
) -> _Part:
    """Read a column of Python objects: all numbers, all booleans, or all text."""
    present = [value for value in values if not is_missing(value)]
    odd = next((value for value in present if not (is_number(value) or is_text(value))), None)
    if odd is not None:
        raise InvalidTable(
            f"column {name!r} holds a {type(odd).__name__}, {shortened(odd)}, but every argument "
            "must be a string or a number; turn it into one (a date into days since a fixed day)."
        )
    texts = [value for value in present if is_text(value)]
    if texts and len(texts) < len(present):
        number = next(value for value in present if not is_text(value))
        raise InvalidTable(
            f"column {name!r} mixes numbers and text, such as {plain(number)!r} and "
            f"{plain(texts[0])!r}; make it all numbers or all text."
        )
    if texts and nominal is False:
        raise not_nominal(name, texts)
    if texts:
        column = Column(name, "nominal", tuple(sorted({str(text) for text in texts})))
        return _read_codes(encode_objects(values, column), column)
    if present and all(isinstance(value, bool | np.bool_) for value in present):
        return _read_booleans(values, name, nominal)
    return _read_numbers(floats_of(values, name), name, nominal, how)


def not_nominal(name: str, values: Any) -> InvalidTable:
    """Return the complaint about text where no column may be nominal."""
    example = next((value for value in values if not is_missing(value)), None)
    return InvalidTable(
        f"column {name!r} holds text such as {plain(example)!r}, but categorical_features=None "
        'allows no nominal column; give numbers, or set categorical_features="from_dtype".'
    )


def warn_of_identifiers(columns: Sequence[Column], n_cases: int) -> None:
    """Warn of nominal columns with nearly as many values as there are cases."""
    for column in columns:
        warning = doubt_names(column.name, len(column.categories), n_cases)
        if column.is_nominal and warning is not None:
            # Past reading and the learner's fit: the line that called fit.
            warnings.warn(warning, stacklevel=6)


def doubt_names(column: str, n_values: int, n_cases: int) -> IdentifierWarning | None:
    """Return a warning of a nominal column in which nearly every value differs.

    >>> doubt_names("patient", 58, 60).remark
    "nominal column 'patient' has 58 values in 60 cases, as an identifier would"
    >>> doubt_names("town", 30, 60) is None
    True
    """
    if n_cases < FEW or n_values <= NEARLY_ALL * n_cases:
        return None
    return IdentifierWarning(
        column, f"nominal column {column!r} has {n_values} values in {n_cases} cases"
    )
