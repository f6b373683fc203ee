"""What in a table may be a mistake, in a sentence each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shlex import quote
from typing import TYPE_CHECKING

from frugaltree.app import cells
from frugaltree.exceptions import DateWarning, IdentifierWarning
from frugaltree.table.reading import FEW, NEARLY_ALL

if TYPE_CHECKING:
    import polars as pl

LEADING_ZERO = r"^[+-]?0[0-9]"

DATE = (
    r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[./][0-9]{1,2}[./](?:[0-9]{4}|[0-9]{2}))"
    r"(?:[ T][0-9]{1,2}:[0-9]{2}.*)?$"
)
"""A day, with or without a time, such as 2024-03-01, 1.3.24 or 3/1/2024 08:30."""


def about(X: pl.DataFrame, nominal: Iterable[str] = ()) -> Iterator[str | IdentifierWarning]:
    """Yield what looks odd in a table; what was said to be nominal is believed.

    Text in which nearly every value differs is told of by whoever learns from it.
    """
    import polars as pl

    for values in X:
        if values.name in nominal:
            continue
        hint: str | IdentifierWarning | None = None
        if values.dtype == pl.String:
            hint = dates_in(values) or nearly_numbers(values)
        elif values.dtype.is_integer():
            hint = numbered_cases(values)
        if hint is not None:
            yield hint


def dates_in(values: pl.Series) -> DateWarning | None:
    """Return a remark on text that is dates.

    >>> import polars as pl
    >>> dates_in(pl.Series("day", ["1.3.2024", "24.12.2024 08:30", None])).column
    'day'
    >>> dates_in(pl.Series("size", ["1.3", "2.4"])) is None
    True
    """
    known = cells.nameless(values).drop_nulls()
    if not len(known) or not known.str.contains(DATE).all():
        return None
    return DateWarning(values.name, known[0])


def nearly_numbers(values: pl.Series) -> str | None:
    """Return a remark on text that is numbers but for a few values.

    >>> import polars as pl
    >>> print(nearly_numbers(pl.Series("crp", ["4", "5.5", "<3", "17"] * 2 + ["8"] * 12)))
    column 'crp' is nominal, although 18 of its 20 values are numbers, for it holds '<3' too;
    correct or empty such values to make it numeric, or say --nominal crp.
    >>> print(nearly_numbers(pl.Series("price, EUR", ["4,5"] * 19 + ["n. a."]))[:86])
    column 'price, EUR' is nominal, although 19 of its 20 values are numbers, for it holds
    >>> print(nearly_numbers(pl.Series("age", ["54", "61"])))
    column 'age' is nominal, for the table holds its numbers as text; say --numeric age if they are
    amounts, else --nominal age.
    """
    known = cells.nameless(values).drop_nulls()
    read = cells.as_numbers(known, commas=True).is_not_null()
    if not len(known) or read.sum() < NEARLY_ALL * len(known):
        return None
    named = known.filter(known.str.contains(LEADING_ZERO))
    others = known.filter(~read)
    if not len(others):  # decimal commas, where commas separate values
        others = known.filter(~known.str.contains(f"{cells.NUMBER}|{LEADING_ZERO}"))
    name = quote(values.name)
    if len(others):
        return (
            f"column {values.name!r} is nominal, although {read.sum():,} of its {len(known):,} "
            f"values are numbers, for it holds {others[0]!r} too; correct or empty such values to "
            f"make it numeric, or say --nominal {name}."
        )
    if not len(named):
        return (
            f"column {values.name!r} is nominal, for the table holds its numbers as text; say "
            f"--numeric {name} if they are amounts, else --nominal {name}."
        )
    return (
        f"column {values.name!r} is nominal, for it holds numbers that begin with a zero, such as "
        f"{named[0]!r}; say --numeric {name} if they are amounts, else --nominal {name}."
    )


def numbered_cases(values: pl.Series) -> IdentifierWarning | None:
    """Return a remark on whole numbers that count the cases.

    >>> import polars as pl
    >>> numbered_cases(pl.Series("patient", range(1, 31))).remark
    "numeric column 'patient' holds the numbers from 1 to 30, each once, as an identifier would"
    >>> numbered_cases(pl.Series("age", [30, 31] * 20)) is None
    True
    """
    known = cells.nameless(values).drop_nulls()
    if len(known) < FEW:
        return None
    low, high = int(known.min()), int(known.max())  # type: ignore[arg-type]
    if high - low + 1 != len(known) or known.n_unique() < len(known):
        return None
    return IdentifierWarning(
        values.name,
        f"numeric column {values.name!r} holds the numbers from {low} to {high}, each once",
    )


def taken_for_missing(written: pl.Series, read: pl.Series) -> str | None:
    """Return a remark on words that were taken for missing numbers.

    >>> import polars as pl
    >>> written = pl.Series("size", ["4", "none", "5", "none"])
    >>> print(taken_for_missing(written, cells.typed(written, commas=False)))
    column 'size' is numeric, and 'none' counts as missing in 2 of its cases; say --nominal size
    if that is an answer.
    """
    plain = cells.nameless(written)
    words = plain.filter(plain.is_not_null() & cells.nameless(read).is_null())
    if not len(words):
        return None
    return (
        f"column {written.name!r} is numeric, and {words[0]!r} counts as missing in "
        f"{len(words):,} of its cases; say --nominal {quote(written.name)} if that is an answer."
    )
