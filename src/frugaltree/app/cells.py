"""Cells of text as values: what is missing, what is a number, what a column or the classes are.

A table is learned from whole and answered for a piece at a time. Both use the expressions here,
so that a cell means the same in both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import polars as pl

MISSING = ("", "?", "NA", "NaN")
"""What stands for a missing value in any column."""

MISSING_NUMBERS = ("N/A", "n/a", "null", "NULL", "None", "none", "nan", "-", ".")
"""What does so among numbers; in a column of text it may be an answer."""

_WHOLE = r"(?:0|[1-9][0-9]*)"
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"

CANONICAL = r"^(?:0|-?[1-9][0-9]*)$"
"""A whole number as a program writes it."""

INTEGER = rf"^[+-]?{_WHOLE}$"
NUMBER = rf"^[+-]?(?:{_WHOLE}(?:\.[0-9]*)?|\.[0-9]+){_EXPONENT}$"
"""A number; one with a leading zero, such as 01067, is rather a name."""

COMMA_NUMBER = NUMBER.replace(r"\.", ",")
"""A number with a decimal comma, or with none."""

_GROUPS = r"[1-9][0-9]{0,2}(?:%s[0-9]{3})"


class Grouping(NamedTuple):
    """How numbers are written whose thousands are set apart, such as 1.234,56.

    Attributes
    ----------
    sign, decimal
        What sets thousands apart, as a pattern, and fractions.
    """

    sign: str
    decimal: str

    @property
    def number(self) -> str:
        """What such a number is like; thousands may also not be set apart."""
        groups = _GROUPS % self.sign
        return rf"^[+-]?(?:{_WHOLE}|{groups}+)(?:{re.escape(self.decimal)}[0-9]*)?$"

    @property
    def beyond_doubt(self) -> str:
        """What can be no number without such signs: 1.234 could, 1.234,5 and 1.234.567 cannot."""
        groups = _GROUPS % self.sign
        if self.sign == _SPACES:
            return rf"^[+-]?{groups}"
        return rf"^[+-]?(?:{groups}{{2,}}|{groups}+{re.escape(self.decimal)})"


_SPACES = "[ '’\u00a0\u202f]"
GROUPINGS = tuple(
    Grouping(sign, decimal)
    for sign, decimal in ((r"\.", ","), (",", "."), (_SPACES, ","), (_SPACES, "."))
)

Kind = Literal["integer", "number", "boolean", "text"]


def exactly(name: str) -> pl.Expr:
    """Return the column of this very name; ``pl.col`` takes some names for patterns.

    >>> import polars as pl
    >>> table = pl.DataFrame({"b": [1], "^b$": [2], "*": [3]})
    >>> table.select(exactly("^b$")).columns, table.select(exactly("*")).columns
    (['^b$'], ['*'])
    """
    from polars import selectors

    return selectors.by_name(name).as_expr()


def nameless(values: pl.Series) -> pl.Series:
    """Return a column under a name that no method of polars takes for a pattern."""
    return values.alias("")


def converted(values: pl.Series, dtype: Any, *, strict: bool = True) -> pl.Series:
    """Return a column as another type; refuse lists, and bytes that are no text.

    >>> import polars as pl
    >>> converted(pl.Series("smokes", [True, None]), pl.String).to_list()
    ['true', None]
    """
    import polars as pl

    from frugaltree.table.reading import no_test

    try:
        return nameless(values).cast(dtype, strict=strict).alias(values.name)
    except pl.exceptions.PolarsError:
        raise no_test(values.name, values.dtype) from None


def stripped(name: str) -> pl.Expr:
    """Return how a column is read first: without surrounding blanks.

    Polars is faster if the expressions below stand in a query of their own, upon this one.
    """
    return exactly(name).str.strip_chars()


def known(name: str, missing: Sequence[str] = MISSING) -> pl.Expr:
    """Return how a column is read next: None for what is missing."""
    import polars as pl

    return pl.when(~exactly(name).is_in(list(missing))).then(exactly(name))


def numbers(
    name: str,
    missing: Sequence[str] = MISSING_NUMBERS,
    *,
    commas: bool,
    grouping: Grouping | None = None,
) -> pl.Expr:
    """Return how numbers are read, which are text still: with a point where a comma may be."""
    cells = known(name, missing)
    if grouping is not None:
        cells = cells.str.replace_all(grouping.sign, "")
    return cells.str.replace(",", ".", literal=True) if commas else cells


def truths(cells: pl.Expr) -> pl.Expr:
    """Return text as booleans, which may be written in capitals."""
    return cells.str.to_lowercase().replace_strict({"true": True, "false": False})


def kind_of(values: pl.Series, *, commas: bool) -> Kind:
    """Return what a column of text holds; what is missing is None in it.

    Examples
    --------
    >>> import polars as pl
    >>> for cells in (["4", "-"], ["4.05", "n/a"], ["4,05", "7"], ["01067", "4"], ["1.234,5"]):
    ...     print(kind_of(pl.Series(cells), commas=True))
    integer
    number
    number
    text
    number
    """
    known = nameless(values).drop_nulls().unique()
    plain = known.filter(~known.is_in(list(MISSING_NUMBERS)))
    if not len(plain):
        return "text"
    if plain.str.contains(INTEGER).all():
        return "integer"
    if plain.str.contains(NUMBER).all() or (commas and plain.str.contains(COMMA_NUMBER).all()):
        return "number"
    if commas and _grouping_of(plain) is not None:
        return "number"
    return "boolean" if known.str.to_lowercase().is_in(["true", "false"]).all() else "text"


def grouping_of(values: pl.Series) -> Grouping | None:
    """Return how thousands are set apart in a column of numbers, if they are.

    Only where that is beyond doubt: 1.234 alone is read with a decimal point.

    >>> import polars as pl
    >>> grouping_of(pl.Series(["1.234,56", "1.234", "7,5"])) == GROUPINGS[0]
    True
    >>> grouping_of(pl.Series(["1.234", "7"])) is None
    True
    """
    known = nameless(values).drop_nulls()
    return _grouping_of(known.filter(~known.is_in(list(MISSING_NUMBERS))))


def decimal_sign(values: pl.Series) -> str:
    """Return what sets fractions apart in text that may be numbers with a comma.

    >>> import polars as pl
    >>> decimal_sign(pl.Series(["1,5"])), decimal_sign(pl.Series(["1,234.5"]))
    (',', '.')
    """
    grouping = grouping_of(values)
    return "," if grouping is None else grouping.decimal


def _grouping_of(plain: pl.Series) -> Grouping | None:
    for grouping in GROUPINGS:
        certain = plain.str.contains(grouping.beyond_doubt).any()
        if certain and plain.str.contains(grouping.number).all():
            return grouping
    return None


def typed(values: pl.Series, *, commas: bool) -> pl.Series:
    """Return a column of text as what it holds.

    >>> import polars as pl
    >>> typed(pl.Series(["4,05", "7", "n/a"]), commas=True).to_list()
    [4.05, 7.0, None]
    """
    kind = kind_of(values, commas=commas)
    if kind == "text":
        return values
    if kind == "boolean":
        return _evaluated(values, truths(exactly(values.name)))
    return as_numbers(values, commas=commas, whole=kind == "integer")


def as_numbers(values: pl.Series, *, commas: bool, whole: bool = False) -> pl.Series:
    """Return a column of text as numbers, None also where it holds none."""
    import polars as pl

    read = numbers(values.name, commas=commas, grouping=grouping_of(values) if commas else None)
    if whole:
        found = _evaluated(values, read.cast(pl.Int64, strict=False))
        if found.null_count() == _evaluated(values, read).null_count():
            return found
    return _evaluated(values, read.cast(pl.Float64, strict=False))


def no_numbers(values: pl.Series, *, commas: bool) -> list[str]:
    """Return the cells of a column of text that are no numbers, nor missing ones."""
    values = nameless(values)
    found = as_numbers(values, commas=commas)
    odd = values.filter(found.is_null() & ~values.is_in(list(MISSING_NUMBERS)))
    return [cell for cell in odd.to_list() if cell is not None]


def as_classes(values: pl.Series, *, commas: bool) -> pl.Series:
    """Return a column of text as classes: whole numbers, booleans, fractions, else text.

    Whole numbers must be written as a program does: 01 and 1.00 are names. Fractions are no
    classes; it is for the caller to say so.

    >>> import polars as pl
    >>> [as_classes(pl.Series(c), commas=False)[0] for c in (["1"], ["01"], ["TRUE"], ["0.53"])]
    [1, '01', True, 0.53]
    """
    import polars as pl

    values = nameless(values)
    kind = kind_of(values, commas=commas)
    if kind in ("text", "boolean"):
        return typed(values, commas=commas)
    found = as_numbers(values, commas=commas, whole=kind == "integer")
    if found.dtype == pl.Float64 and (found.drop_nulls() % 1 != 0).any():
        return found
    known = values.set(found.is_null(), None)
    if found.dtype == pl.Int64 and known.drop_nulls().str.contains(CANONICAL).all():
        return found
    return known


def _evaluated(values: pl.Series, how: pl.Expr) -> pl.Series:
    return values.to_frame().select(how.alias(values.name)).to_series()


def is_padded(column: Any) -> bool:
    """Tell whether blanks around a value belong to it, as the model knows it."""
    return any(isinstance(value, str) and value != value.strip() for value in column.categories)


def holds_numbers(column: Any) -> bool:
    """Tell whether a column of a model holds numbers."""
    return column.kind == "numeric" or (bool(column.categories) and column.holds_numbers)


def as_at_fit(column: Any, *, commas: bool, grouping: Grouping | None = None) -> pl.Expr:
    """Return how a column of text is read, to hold the kind of values that were seen at fit."""
    import polars as pl

    name, categories = column.name, column.categories
    missing = [sign for sign in MISSING if sign not in categories]
    if categories and all(isinstance(value, bool) for value in categories):
        return truths(known(name, missing)).alias(name)
    if holds_numbers(column):
        absent = [*missing, *MISSING_NUMBERS]
        found = numbers(name, absent, commas=commas, grouping=grouping)
        return found.cast(pl.Float64).alias(name)
    return known(name, missing).alias(name)
