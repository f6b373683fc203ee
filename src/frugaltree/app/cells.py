"""Cells of text as values: what is missing, what is a number, what a column or the classes are.

A table is learned from whole and answered for a piece at a time. Both use the expressions here,
so that a cell means the same in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

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


def numbers(name: str, missing: Sequence[str] = MISSING_NUMBERS, *, commas: bool) -> pl.Expr:
    """Return how numbers are read, which are text still: with a point where a comma may be."""
    cells = known(name, missing)
    return cells.str.replace(",", ".", literal=True) if commas else cells


def truths(cells: pl.Expr) -> pl.Expr:
    """Return text as booleans, which may be written in capitals."""
    return cells.str.to_lowercase().replace_strict({"true": True, "false": False})


def kind_of(values: pl.Series, *, commas: bool) -> Kind:
    """Return what a column of text holds; what is missing is None in it.

    Examples
    --------
    >>> import polars as pl
    >>> for cells in (["4", "-"], ["4.05", "n/a"], ["4,05", "7"], ["01067", "4"], ["No", "-"]):
    ...     print(kind_of(pl.Series(cells), commas=True))
    integer
    number
    number
    text
    text
    """
    known = nameless(values).drop_nulls().unique()
    plain = known.filter(~known.is_in(list(MISSING_NUMBERS)))
    if not len(plain):
        return "text"
    if plain.str.contains(INTEGER).all():
        return "integer"
    if plain.str.contains(NUMBER).all() or (commas and plain.str.contains(COMMA_NUMBER).all()):
        return "number"
    return "boolean" if known.str.to_lowercase().is_in(["true", "false"]).all() else "text"


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

    read = numbers(values.name, commas=commas)
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


def as_at_fit(column: Any, *, commas: bool) -> pl.Expr:
    """Return how a column of text is read, to hold the kind of values that were seen at fit."""
    import polars as pl

    name, categories = column.name, column.categories
    missing = [sign for sign in MISSING if sign not in categories]
    if categories and all(isinstance(value, bool) for value in categories):
        return truths(known(name, missing)).alias(name)
    if column.kind == "numeric" or (categories and column.holds_numbers):
        found = numbers(name, [*missing, *MISSING_NUMBERS], commas=commas)
        return found.cast(pl.Float64).alias(name)
    return known(name, missing).alias(name)
