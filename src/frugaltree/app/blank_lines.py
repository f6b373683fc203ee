"""Blank lines in delimited files: they are no cases, but lines of separators alone are."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from frugaltree.exceptions import InvalidTable

if TYPE_CHECKING:
    import polars as pl

    from frugaltree.app.delimited import Layout


def drop_blank_lines(
    pieces: Iterable[pl.DataFrame], path: Path, layout: Layout
) -> Iterator[pl.DataFrame]:
    r"""Yield the pieces of a table, which together have a row for each line, without blank lines.

    Polars returns a row of nothing for a blank line and for one of separators alone. The second is
    a case of which nothing is known, so each row is held against its line. In a file of one column
    the two look the same; there a warning says that cases may be missing.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from frugaltree.app.delimited import layout_of, scan
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "t.csv"
    ...     _ = path.write_text("a;b\n1;2\n\n;\n3;4\n")
    ...     table = scan(path, layout_of(path)).collect()
    ...     list(drop_blank_lines([table], path, layout_of(path)))[0].rows()
    [('1', '2'), (None, None), ('3', '4')]
    """
    import polars as pl

    blank, count = are_blank(path, layout), 0
    for piece in pieces:
        drop = pl.Series(list(islice(blank, len(piece))), dtype=pl.Boolean)
        if len(drop) < len(piece):
            raise _odd_quotes(path)
        count += int(drop.sum())
        yield piece.filter(~drop) if drop.any() else piece
    if next(blank, None) is not None:
        raise _odd_quotes(path)
    if count and len(layout.names) == 1:
        lines = "1 blank line is" if count == 1 else f"{count:,} blank lines are"
        warnings.warn(
            f"{lines} left out of {path}, which has one column; write ? for a value that is not "
            "known.",
            UserWarning,
            stacklevel=2,
        )


def _odd_quotes(path: Path) -> InvalidTable:
    return InvalidTable(
        f"{path} cannot be read as CSV (its quotes do not pair up); write values with a quote in "
        "quotes, and that quote twice."
    )


def are_blank(path: Path, layout: Layout) -> Iterator[bool]:
    r"""Yield for each row below the header of a file whether it is a blank line.

    A quoted value may hold line ends, so that a row is several lines.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from frugaltree.app.delimited import layout_of
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "t.csv"
    ...     _ = path.write_text('a;b\n1;2\n;\n\n  \n"3\n\n";4\n')
    ...     list(are_blank(path, layout_of(path)))
    [False, False, True, True, False]
    """
    separator, in_quotes, is_header = layout.separator, False, True
    with path.open(encoding=layout.encoding, errors="surrogateescape", newline="\n") as file:
        for line in islice(file, layout.skipped, None):
            if not in_quotes and not is_header:
                yield line.isspace() and separator not in line
            if in_quotes or '"' in line:
                in_quotes = ends_in_quotes(line, separator, in_quotes=in_quotes)
            is_header = False


def ends_in_quotes(line: str, separator: str, *, in_quotes: bool) -> bool:
    r"""Tell whether a line ends within quotes, given whether it begins so, as polars reads them.

    Quotes count in a value that begins with one; in others they are signs like any other.

    >>> [ends_in_quotes(line, ";", in_quotes=False) for line in ('1;"2', '"1;2";3', '1;5" pipe')]
    [True, False, False]
    """
    is_quoted = in_quotes
    before_quotes = line.split('"')[:-1]
    for i, text in enumerate(before_quotes):
        if not in_quotes:
            begins = text.endswith(separator) or (i == 0 and not text)
            is_quoted = begins or (is_quoted and separator not in text)
        if is_quoted:
            in_quotes = not in_quotes
    return in_quotes
