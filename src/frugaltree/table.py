"""Any table in, coded cases out: the one door through which arrays reach the kernels.

A column is *numeric* (split at thresholds), *nominal* (one branch a value) or *ordinal* (an
ordered categorical: split by its order). What a column was at fit is remembered in a
:class:`Column`, and later tables are read the same way.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from reprlib import repr as shortened
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from frugaltree.exceptions import InvalidTable, did_you_mean
from frugaltree.kernels.cases import MISSING, Cases, rank_small_integers, rank_sorted
from frugaltree.kernels.measures import xlogx_table

Kind = Literal["numeric", "nominal", "ordinal"]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

UNSEEN = -1.0
"""Stands for a nominal value that no training case had."""


@dataclass(frozen=True)
class Column:
    """What a column of the table was at fit.

    Examples
    --------
    >>> Column("cp", "nominal", ("typical", "atypical")).describe(1)
    'atypical'
    """

    name: str
    kind: Kind
    categories: tuple[Any, ...] = ()

    @property
    def is_nominal(self) -> bool:
        """Whether the test has a branch for each value."""
        return self.kind == "nominal"

    @property
    def holds_numbers(self) -> bool:
        """Whether the categories are numbers, False and True being 0 and 1."""
        return all(_is_number(category) for category in self.categories)

    def describe(self, code: float) -> str:
        """Return the value with this code as a person would write it."""
        value = self.categories[int(code)] if self.categories else code
        return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Table:
    """A training table, coded: what :class:`~frugaltree.kernels.cases.Cases` needs of it."""

    columns: tuple[Column, ...]
    codes: Codes
    domain: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    values: Floats

    @property
    def names(self) -> list[str]:
        """The names of the tests."""
        return [column.name for column in self.columns]

    @property
    def nominal(self) -> npt.NDArray[np.uint8]:
        """1 where a test is nominal."""
        return np.array([column.is_nominal for column in self.columns], np.uint8)

    def cases(
        self, classes: Codes, weights: Floats, n_classes: int, *, fractional: bool = False
    ) -> Cases:
        """Return the cases for the kernels; ``fractional`` ones may be split among branches."""
        whole = bool((weights == 1.0).all())
        return Cases(
            self.codes,
            self.nominal,
            self.domain,
            self.start,
            self.values,
            classes,
            weights,
            xlogx_table(min(int(weights.sum()), 10_000_000)),
            n_classes,
            whole and not (fractional and self.has_missing),
        )

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return bool((self.codes == MISSING).any())

    def rows(self, where: npt.NDArray[np.intp]) -> Floats:
        """Return some rows as :func:`encode` would."""
        out = np.empty((where.size, len(self.columns)))
        for a, column in enumerate(self.columns):
            codes = self.codes[a, where]
            known = codes != MISSING
            out[~known, a] = np.nan
            codes = codes[known]
            out[known, a] = codes if column.is_nominal else self.values[self.start[a] + codes]
        return out


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


def check_is_table(X: Any) -> None:
    """Refuse what can be no table, before NumPy does so in its own words.

    Examples
    --------
    >>> check_is_table([[1, 2], [3]])
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


def _width(row: Any) -> int:
    return len(row) if isinstance(row, list | tuple) or getattr(row, "ndim", 0) > 0 else 1


def read(X: Any, names: Sequence[str], categorical_features: Any = "from_dtype") -> Table:
    """Read a training table: find out what each column is, and code it."""
    nominal = _find_nominal(categorical_features, names)
    frame = frame_of(X)
    if frame is not None:
        parts = [_read_series(frame[:, a], name, nominal[a]) for a, name in enumerate(names)]
    elif X.dtype.kind == "b":
        parts = [_read_booleans(X[:, a], name, nominal[a]) for a, name in enumerate(names)]
    elif X.dtype.kind in "iuf":
        X = np.ascontiguousarray(X, np.float64)
        parts = _read_matrix(X, names, nominal)
    else:
        parts = [_read_objects(X[:, a], name, nominal[a]) for a, name in enumerate(names)]
    columns = tuple(column for column, _, _ in parts)
    codes = np.empty((len(parts), len(X)), np.int32)
    for a, (_, column_codes, _) in enumerate(parts):
        codes[a] = column_codes
    sizes = [distinct.size for _, _, distinct in parts]
    domain = np.array(
        [len(c.categories) if c.is_nominal else k for c, k in zip(columns, sizes, strict=True)],
        np.int64,
    )
    _warn_of_identifiers(columns, len(X))
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    values = np.concatenate([distinct for _, _, distinct in parts])
    return Table(columns, codes, domain, start, values)


def encode(X: Any, columns: Sequence[Column]) -> Floats:
    """Return a table as numbers, read as at fit.

    Numeric values as they are, nominal ones as the position of their category; NaN is missing and
    :data:`UNSEEN` a nominal value that was not there at fit. An ordinal value that has no place in
    the order counts as missing.
    """
    frame = frame_of(X)
    if frame is not None:
        parts = [_encode_series(frame[:, a], column) for a, column in enumerate(columns)]
    elif X.dtype.kind not in "biuf":
        parts = [_encode_objects(X[:, a], column) for a, column in enumerate(columns)]
    elif all(column.kind == "numeric" for column in columns):
        return np.require(X, np.float64, ["C", "W"])
    else:
        X = X.astype(np.float64, copy=False)
        parts = [_encode_numbers(X[:, a], column) for a, column in enumerate(columns)]
    return np.ascontiguousarray(np.stack(parts, axis=1))


# ------------------------------------------------------------------------------- fit

_Part = tuple[Column, Codes, Floats]


def _find_nominal(categorical_features: Any, names: Sequence[str]) -> list[bool | None]:
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


def _read_matrix(X: Floats, names: Sequence[str], nominal: Sequence[bool | None]) -> list[_Part]:
    """Rank columns of numbers; a nominal one has its distinct values as categories."""
    n, n_columns = X.shape
    codes = np.empty((n_columns, n), np.int32)
    distinct = np.empty((n_columns, n))
    sizes = np.empty(n_columns, np.int64)
    rank_small_integers(X, codes, distinct, sizes, np.empty(4 * n + 256, np.int32))
    for a in np.flatnonzero(sizes < 0).tolist():
        sizes[a] = rank_sorted(X, a, np.argsort(X[:, a]), codes[a], distinct[a])
    parts = []
    for a, (name, k) in enumerate(zip(names, sizes.tolist(), strict=True)):
        values = distinct[a, :k]
        if nominal[a]:
            categories = tuple(_plain(v) for v in values.tolist())
            parts.append((Column(name, "nominal", categories), codes[a], values[:0]))
        else:
            parts.append((Column(name, "numeric"), codes[a], values))
    return parts


def _read_numbers(values: Floats, name: str, nominal: bool | None) -> _Part:
    """Rank one column of numbers."""
    return _read_matrix(values.reshape(-1, 1), [name], [nominal])[0]


def _read_codes(codes: Floats, column: Column) -> _Part:
    """Turn encoded values into codes; an ordinal column is cut between its categories."""
    _, as_ranks, distinct = _read_numbers(codes, column.name, None)
    if column.kind == "ordinal":
        return column, as_ranks, distinct
    return column, np.where(np.isnan(codes), MISSING, codes).astype(np.int32), distinct[:0]


def _read_booleans(values: npt.NDArray[Any], name: str, nominal: bool | None) -> _Part:
    """Read a column of False, True and missing values; unless told, it is nominal."""
    numbers = _floats(values, name)
    if nominal is False:
        return _read_numbers(numbers, name, None)
    return _read_codes(numbers, Column(name, "nominal", (False, True)))


def _read_series(series: Any, name: str, nominal: bool | None) -> _Part:
    """Read one column of a data frame."""
    dtype = series.dtype
    if dtype.is_numeric():
        return _read_numbers(_numbers(series), name, nominal)
    if dtype == nw.Boolean:
        return _read_booleans(_objects(series), name, nominal)
    if dtype in (nw.Object, nw.Unknown):
        return _read_objects(_objects(series), name, nominal)
    kind: Kind = "ordinal" if _is_ordered(series) and not nominal else "nominal"
    column = Column(name, kind, _categories(series, name))
    if nominal is False and column.is_nominal:
        raise _not_nominal(name, series)
    return _read_codes(_encode_series(series, column), column)


def _categories(series: Any, name: str) -> tuple[Any, ...]:
    """Return the values of a nominal or ordinal series.

    In the order in which they were declared; polars and Arrow know only the order of appearance
    unless told, which would make the tree depend on the order of the cases.
    """
    if series.dtype == nw.String:
        return tuple(sorted(series.drop_nulls().unique().to_list()))
    if series.dtype not in (nw.Categorical, nw.Enum):
        raise InvalidTable(
            f"column {name!r} holds {series.dtype}, which a tree cannot ask about; turn it into "
            "numbers (a date into days since a fixed day) or text, or drop it."
        )
    values = series.cat.get_categories().to_list()
    is_declared = series.dtype == nw.Enum or series.implementation.is_pandas_like()
    if not is_declared and not _is_ordered(series):
        values.sort()
    return tuple(_plain_category(value) for value in values)


def _read_objects(values: npt.NDArray[Any], name: str, nominal: bool | None) -> _Part:
    """Read a column of Python objects: all numbers, all booleans, or all text."""
    present = [value for value in values if not is_missing(value)]
    odd = next((value for value in present if not (_is_number(value) or _is_text(value))), None)
    if odd is not None:
        raise InvalidTable(
            f"column {name!r} holds a {type(odd).__name__}, {shortened(odd)}, but every argument "
            "must be a string or a number; turn it into one (a date into days since a fixed day)."
        )
    texts = [value for value in present if _is_text(value)]
    if texts and len(texts) < len(present):
        number = next(value for value in present if not _is_text(value))
        raise InvalidTable(
            f"column {name!r} mixes numbers and text, such as {_plain(number)!r} and "
            f"{_plain(texts[0])!r}; make it all numbers or all text."
        )
    if texts and nominal is False:
        raise _not_nominal(name, texts)
    if texts:
        column = Column(name, "nominal", tuple(sorted({str(text) for text in texts})))
        return _read_codes(_encode_objects(values, column), column)
    if present and all(isinstance(value, bool | np.bool_) for value in present):
        return _read_booleans(values, name, nominal)
    return _read_numbers(_floats(values, name), name, nominal)


def _not_nominal(name: str, values: Any) -> InvalidTable:
    example = next((value for value in values if not is_missing(value)), None)
    return InvalidTable(
        f"column {name!r} holds text such as {_plain(example)!r}, but categorical_features=None "
        'allows no nominal column; give numbers, or set categorical_features="from_dtype".'
    )


def _warn_of_identifiers(columns: Sequence[Column], n_cases: int) -> None:
    for column in columns:
        k = len(column.categories)
        if column.is_nominal and n_cases >= 20 and k > 0.8 * n_cases:
            warnings.warn(
                f"nominal column {column.name!r} has {k} values in {n_cases} cases, as an "
                "identifier would; such a column should be left out or numeric.",
                UserWarning,
                stacklevel=2,
            )


# --------------------------------------------------------------------------- predict


def _encode_series(series: Any, column: Column) -> Floats:
    """Encode one column of a data frame."""
    dtype = series.dtype
    if dtype.is_numeric():
        return _encode_numbers(_numbers(series), column)
    if dtype in (nw.Object, nw.Unknown, nw.Boolean):
        return _encode_objects(_objects(series), column)
    missing = np.array(series.is_null().to_numpy(), bool)
    if missing.all():  # then the dtype is the library's guess
        return np.full(missing.size, np.nan)
    if column.kind == "numeric" or dtype not in (nw.String, nw.Categorical, nw.Enum):
        raise _wrong_kind(column, str(dtype))
    if not column.categories:
        return np.where(missing, np.nan, UNSEEN)
    codes = series.cast(nw.String).replace_strict(
        [str(category) for category in column.categories],
        [float(code) for code in range(len(column.categories))],
        default=UNSEEN,
        return_dtype=nw.Float64,
    )
    return _settled(np.array(codes.to_numpy(), np.float64), missing, column)


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


def _encode_objects(values: npt.NDArray[Any], column: Column) -> Floats:
    """Encode a column of Python objects."""
    if column.kind != "numeric" and any(_is_text(value) for value in values):
        return _encode_texts(values, column)
    odd = next((v for v in values if not (is_missing(v) or _is_number(v))), None)
    if odd is not None:
        raise _wrong_kind(column, shortened(_plain(odd)))
    return _encode_numbers(_floats(values, column.name), column)


def _encode_texts(values: npt.NDArray[Any], column: Column) -> Floats:
    """Encode values by their text, for ``"1"`` and 1 are one value to a reader."""
    place = {str(category): float(code) for code, category in enumerate(column.categories)}
    codes = np.array([place.get(str(_plain(value)), UNSEEN) for value in values], np.float64)
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


# --------------------------------------------------------------------------- values


def _numbers(series: Any) -> Floats:
    """Return a numeric series as writable float64, NaN where missing."""
    return _finite(np.array(series.cast(nw.Float64).to_numpy(), np.float64), series.name)


def _objects(series: Any) -> npt.NDArray[Any]:
    """Return a series as Python objects."""
    out = np.empty(len(series), object)
    out[:] = series.to_list()
    return out


def _floats(values: npt.NDArray[Any], name: str) -> Floats:
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


def _is_ordered(series: Any) -> bool:
    """Tell an ordered categorical of pandas or Arrow."""
    native = series.to_native()
    return any(getattr(getattr(native, a, None), "ordered", False) for a in ("dtype", "type"))


def _is_number(value: object) -> bool:
    return isinstance(value, Real | Decimal | np.bool_)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def is_missing(value: Any) -> bool:
    """Tell None, NaN and pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | Decimal) and bool(value != value)


def _plain(value: Any) -> Any:
    """Return a value as Python's own, a whole number as an int, for people to read.

    >>> _plain(np.float64(2.0)), _plain(np.str_("male"))
    (2, 'male')
    """
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _plain_category(value: Any) -> Any:
    """Return a category as a number or text; an interval or a date becomes text."""
    return value if isinstance(value, bool | int | float | str) else str(value)
