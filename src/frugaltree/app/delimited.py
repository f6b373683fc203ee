"""CSV and TSV files: how one is laid out, and its cells as text, a piece at a time if need be."""

from __future__ import annotations

import codecs
import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from frugaltree.app import cells
from frugaltree.app.encodings import UTF_8, encoding_of, not_text, read_text
from frugaltree.exceptions import InvalidTable

if TYPE_CHECKING:
    import polars as pl

SEPARATORS = ",;\t|"

HEAD = 1_000_000
"""Bytes at the beginning of a file, by which its layout is found."""

QUOTED = re.compile(r'(^|[,;\t|])"(?:[^"]|"")*"')
"""A name in quotes, which may hold separators that separate nothing."""

SEPARATOR_LINE = re.compile(r'"?sep=(?P<separator>[^\r\n"])"?[ ]*\r?\n', re.I)
"""The first line of some files that are meant for Excel."""

UNNAMED = "unnamed: "
"""Before the number of a column without a name, in place of that."""

IS_CASE = "\0is a case"
"""A column for the time of reading, whose name no file can hold."""


@dataclass(frozen=True)
class Layout:
    """How a delimited file is laid out.

    Attributes
    ----------
    separator
        What separates the values of a line.
    skipped
        Lines before the header.
    names
        The columns, without surrounding blanks; those without a name begin with UNNAMED.
    encoding
        How the text is encoded.
    """

    separator: str
    skipped: int
    names: tuple[str, ...]
    encoding: str = UTF_8

    @property
    def decimal_commas(self) -> bool:
        """Whether 4,05 may be a number: not where commas separate the values."""
        return self.separator != ","

    @property
    def unnamed(self) -> list[str]:
        """Columns without a name."""
        return [name for name in self.names if name.startswith(UNNAMED)]


def layout_of(path: Path) -> Layout:
    """Return how a file is laid out, by its beginning."""
    encoding = encoding_of(path)
    with path.open("rb") as file:
        text = codecs.getincrementaldecoder(encoding)().decode(file.read(HEAD))
    _check_lines(path, text)
    line = SEPARATOR_LINE.match(text)
    body = text[line.end() :] if line else text
    header = body.lstrip("\r\n")
    skipped = bool(line) + body[: len(body) - len(header)].count("\n")
    separator = line["separator"] if line else separator_in(header)
    names = next(csv.reader(io.StringIO(header, newline=""), delimiter=separator), [])
    checked = tuple(checked_names(path, [name.strip() for name in names]))
    return Layout(separator, skipped, checked, encoding)


def _check_lines(path: Path, text: str) -> None:
    """Refuse the beginning of a file without any text, or without ends of lines."""
    if not text.strip():
        raise InvalidTable(
            f"{path} cannot be read as CSV (it is empty); give it a header line and a line for "
            "each case."
        )
    if "\r" in text and "\n" not in text:
        raise InvalidTable(
            f"{path} cannot be read as CSV (its lines end with CR alone, as on old Macs); save it "
            "with the line ends of Unix or Windows."
        )


def separator_in(header: str) -> str:
    r"""Return what separates the names in a header; quoted text does not count.

    >>> separator_in('"age, in years";"height, in cm"\n')
    ';'
    """
    line = QUOTED.sub(r"\1", header).partition("\n")[0]
    return max(SEPARATORS, key=line.count)


def checked_names(where: Path | str, names: list[str]) -> list[str]:
    """Return the names of columns, each of which may be there once; those without get one."""
    twice = next((name for i, name in enumerate(names) if name and name in names[:i]), None)
    if twice is not None:
        raise InvalidTable(f"{where} has two columns named {twice!r}; rename or drop one of them.")
    full = [name or f"{UNNAMED}{i}" for i, name in enumerate(names, 1)]
    twice = next((name for i, name in enumerate(full) if name in full[:i]), None)
    if twice is not None:
        raise InvalidTable(
            f"{where} has a column named {twice!r}, which stands for one without a name; rename "
            "it."
        )
    return full


def scan(path: Path, layout: Layout) -> pl.LazyFrame:
    """Return a file as a table of text, to be read as it is needed; blank lines are rows of it."""
    import polars as pl

    names = list(layout.names)
    source: Path | io.BytesIO = path
    if layout.encoding != UTF_8:
        source = io.BytesIO(read_text(path, layout.encoding).encode())
    return pl.scan_csv(
        source,
        separator=layout.separator,
        skip_lines=layout.skipped,
        infer_schema=False,
        with_column_names=lambda found: names if len(found) == len(names) else found,
        raise_if_empty=False,
        glob=False,
    )


def without_empty(table: pl.LazyFrame, layout: Layout) -> pl.LazyFrame:
    """Return a table of text without the rows that hold no value: they have no class either."""
    import polars as pl

    first, *others = map(cells.exactly, layout.names)  # in the first, a blank line may have blanks
    is_case = pl.any_horizontal(
        first.str.strip_chars() != "", *(column.is_not_null() for column in others)
    )
    # A column of its own: polars takes half a minute to filter by all of 2,000 columns.
    return table.with_columns(is_case.alias(IS_CASE)).filter(pl.col(IS_CASE)).drop(IS_CASE)


def read(path: Path, layout: Layout) -> pl.DataFrame:
    """Return a whole file as a table of text, to learn from; columns without a name are empty."""
    import polars as pl

    try:
        table = without_empty(scan(path, layout), layout).collect()
    except pl.exceptions.PolarsError as error:
        raise unparsable(path, error) from None
    for name in layout.unnamed:
        held = table.get_column(name).str.strip_chars()
        held = held.filter(held != "")
        if len(held):
            raise InvalidTable(
                f"column {name.removeprefix(UNNAMED)} of {path} has no name, but holds "
                f"{held[0]!r}; name it in the header, or leave it out."
            )
    return table.drop(layout.unnamed)


def unparsable(path: Path, error: Exception) -> InvalidTable:
    """Return the complaint about a file that polars cannot read as CSV."""
    if "utf-8" in str(error).lower():
        return not_text(path, "it is not UTF-8")
    return InvalidTable(
        f"{path} cannot be read as CSV ({first_line(error)}); give a header line, and the same "
        "number of values in every line."
    )


def first_line(error: Exception) -> str:
    r"""Return what an error says, on one line.

    >>> first_line(ValueError("no data.\nA long story"))
    'no data'
    """
    return (str(error).strip().partition("\n")[0] or type(error).__name__).rstrip(".")
