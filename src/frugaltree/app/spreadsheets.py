"""Sheets of spreadsheets as tables of text: where the header is, what each cell holds."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from frugaltree.app import cells
from frugaltree.app.delimited import UNNAMED, checked_names, first_line
from frugaltree.app.sheet_size import check_size
from frugaltree.exceptions import FrugaltreeError, InvalidTable, did_you_mean

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".xlsx", ".xlsm", ".ods")
OTHERS = (".xls", ".xlsb", ".numbers")
"""Endings of spreadsheets that are not read."""

INSTALL = "pip install 'frugaltree[excel]'"

WRITTEN = ".xlsx"
"""The kind of spreadsheet that is written."""

MOST_ROWS = 2**20
"""What a sheet of that can hold."""

HEADER_WITHIN = 20
"""The header is one of so many lines that hold something."""

Cell = Any
Block = tuple[int, int, int, int]
"""The first and last row and the first and last column of merged cells, counted from 0."""


def is_spreadsheet(path: Path) -> bool:
    """Tell by the ending of its name whether a file is a spreadsheet."""
    return path.suffix.lower() in (*ENDINGS, *OTHERS)


def check_sheet(path: Path, sheet: str | None) -> None:
    """Refuse the name of a sheet for a table that has none."""
    if sheet is not None and not is_spreadsheet(path):
        raise FrugaltreeError(f"--sheet is for spreadsheets, but {path} is none; leave it out.")


def read_sheet(
    path: Path, sheet: str | None, names: Collection[str] = (), *, drop_unnamed: bool = False
) -> pl.DataFrame:
    """Return a sheet as a table of text, in which decimal commas may be.

    Parameters
    ----------
    path
        The spreadsheet.
    sheet
        The name of the sheet; None is the first one that holds something.
    names
        Columns that the header may have, by which it is found beneath a title.
    drop_unnamed
        Leave out columns without a name, which are refused otherwise if they hold something.
    """
    import polars as pl

    rows, first, blocks, where = _read_rows(path, sheet)
    filled = [i for i, row in enumerate(rows) if any(map(_is_filled, row))]
    if not filled:
        raise InvalidTable(f"{where} is empty; give it a header line and a line for each case.")
    columns = [j for j in range(len(rows[0])) if any(_is_filled(rows[i][j]) for i in filled)]
    top = _find_header(rows, filled, columns, names)
    if top != filled[0]:
        title = next(str(cell).strip() for cell in rows[filled[0]] if _is_filled(cell))
        warnings.warn(
            f"{where} begins with {title[:60]!r}, which is taken for a title; the header is line "
            f"{first + top + 1}.",
            UserWarning,
            stacklevel=2,
        )
    if _spread_merged(rows, first, top, blocks, where):
        warnings.warn(
            f"merged cells of {where} count for each of their lines.", UserWarning, stacklevel=2
        )
    header = [_as_text(rows[top][j]).strip() for j in columns]
    below = [i for i in filled if i > top]
    found = {}
    for name, j in zip(checked_names(where, header), columns, strict=True):
        values = [rows[i][j] for i in below]
        if not name.startswith(UNNAMED):
            found[name] = as_texts(name, values)
        elif not drop_unnamed:
            _check_unnamed(where, values)
    return pl.DataFrame(list(found.values()))


def _read_rows(path: Path, sheet: str | None) -> tuple[list[list[Cell]], int, list[Block], str]:
    """Return the rows of a sheet, the number of the first, what is merged, and its name."""
    if path.suffix.lower() in OTHERS:
        raise InvalidTable(
            f"{path} is a spreadsheet of a kind that is not read; save it as .xlsx."
        )
    try:
        import python_calamine as calamine
    except ModuleNotFoundError:
        raise FrugaltreeError(
            f"reading {path} needs python-calamine, which is not installed; {INSTALL} brings it."
        ) from None
    try:
        check_size(path)
        book = calamine.load_workbook(path)
        named = _find_sheet(path, book, sheet)
        table = book.get_sheet_by_name(named)
        rows, start = table.to_python(skip_empty_area=True), table.start or (0, 0)
        blocks = [(a - start[0], c - start[0], b - start[1], d - start[1])
                  for (a, b), (c, d) in table.merged_cell_ranges or ()]  # fmt: skip
    except InvalidTable:
        raise
    except OSError as error:
        raise InvalidTable(
            f"{path} cannot be read ({error.strerror or first_line(error)}); check its "
            "permissions."
        ) from None
    except calamine.PasswordError:
        raise InvalidTable(f"{path} is protected by a password; save it without.") from None
    except (calamine.CalamineError, ValueError) as error:
        raise InvalidTable(
            f"{path} cannot be read as a spreadsheet ({first_line(error)}); save it again as "
            ".xlsx, or as CSV."
        ) from None
    return rows, start[0], blocks, f"sheet {named!r} of {path}"


def _find_sheet(path: Path, book: Any, sheet: str | None) -> str:
    """Return the name of the sheet to read; where there are others, say so."""
    names: list[str] = book.sheet_names
    if sheet is not None:
        if sheet not in names:
            raise InvalidTable(
                f"{path} has no sheet {sheet!r}; --sheet must be one of {', '.join(names)}."
                f"{did_you_mean(sheet, names)}"
            )
        return sheet
    full = [name for name in names if book.get_sheet_by_name(name).height]
    if not full:
        raise InvalidTable(f"{path} is empty; give it a header line and a line for each case.")
    if len(full) > 1:
        warnings.warn(
            f"{path} has the sheets {', '.join(full)}; {full[0]!r} is read, --sheet names "
            "another.",
            UserWarning,
            stacklevel=2,
        )
    return full[0]


def _is_filled(cell: Cell) -> bool:
    return cell is not None and (not isinstance(cell, str) or bool(cell.strip()))


def _find_header(
    rows: Sequence[list[Cell]], filled: list[int], columns: list[int], names: Collection[str]
) -> int:
    """Return the row of the header: that with most names, else the first that is not a title.

    A title fills at most half of the columns, where the header fills more.

    >>> rows = [["Patients 2024", "", ""], ["no", "crp", "ill"], [1, 5.5, "yes"]]
    >>> _find_header(rows, [0, 1, 2], [0, 1, 2], [])
    1
    """
    candidates = filled[:HEADER_WITHIN]
    width = {i: sum(_is_filled(rows[i][j]) for j in columns) for i in candidates}
    hits = {i: len({*names} & {_as_text(rows[i][j]).strip() for j in columns}) for i in candidates}
    best = max(candidates, key=lambda i: (hits[i], width[i], -i))
    if hits[best]:
        return best
    return next((i for i in candidates if 2 * width[i] > len(columns)), filled[0])


def _spread_merged(
    rows: list[list[Cell]], first: int, top: int, blocks: list[Block], where: str
) -> bool:
    """Give each row of merged cells their value; refuse those that are merged across columns."""
    found = False
    for low, high, left, right in blocks:
        if high < top or low >= len(rows):
            continue
        if right > left:
            raise InvalidTable(
                f"line {first + low + 1} of {where} has cells that are merged across columns; "
                "unmerge them, and give each column one name in one line."
            )
        for i in range(max(low, top) + 1, min(high + 1, len(rows))):
            if low > top:
                rows[i][left] = rows[low][left]
                found = True
    return found


def _check_unnamed(where: str, values: list[Cell]) -> None:
    held = next(filter(_is_filled, values), None)
    if held is not None:
        raise InvalidTable(
            f"a column of {where} has no name, but holds {_as_text(held)!r}; name it in the "
            "header, or leave it out."
        )


def as_texts(name: str, values: Sequence[Cell]) -> pl.Series:
    """Return the cells of a column as text, numbers with the decimal sign of those in text cells.

    >>> as_texts("size", [1.75, "1,80", 2.0, "", True]).to_list()
    ['1,75', '1,80', '2', None, 'true']
    """
    import polars as pl

    texts = pl.Series([c.strip() for c in values if isinstance(c, str)], dtype=pl.String)
    texts = texts.filter(~texts.is_in([*cells.MISSING, *cells.MISSING_NUMBERS]))
    has_commas = (
        texts.str.contains(",").any()
        and cells.kind_of(texts, commas=True) == "number"
        and cells.decimal_sign(texts) == ","
    )
    found = []
    for cell in values:
        text = _as_text(cell)
        if has_commas and isinstance(cell, float):
            text = text.replace(".", ",")
        found.append(text if text.strip() else None)
    return pl.Series(name, found, dtype=pl.String)


def _as_text(cell: Cell) -> str:
    """Return a cell as text, as a program would write it.

    >>> [_as_text(cell) for cell in (3.0, 2.5, True, dt.datetime(2024, 3, 1), dt.time(8, 30))]
    ['3', '2.5', 'true', '2024-03-01', '08:30:00']
    """
    if cell is None or isinstance(cell, str):
        return cell or ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    if isinstance(cell, dt.timedelta):
        return repr(cell.total_seconds() / 3600)
    return str(cell)


def check_writing(out: Path) -> None:
    """Refuse, before any work is done, a spreadsheet that could not be written in the end."""
    if not is_spreadsheet(out):
        return
    if out.suffix.lower() != WRITTEN:
        raise FrugaltreeError(
            f"{out} cannot be written as a spreadsheet; let it end in {WRITTEN}."
        )
    if find_spec("xlsxwriter") is None:
        raise FrugaltreeError(
            f"writing {out} needs xlsxwriter, which is not installed; {INSTALL} brings it."
        )


def write_sheet(pieces: Sequence[pl.DataFrame], file: BinaryIO) -> None:
    """Write pieces of one table as a spreadsheet; no text is taken for a formula or an address."""
    import polars as pl
    import xlsxwriter

    table = pl.concat(pieces) if pieces else pl.DataFrame()
    if len(table) >= MOST_ROWS:
        raise InvalidTable(
            f"a spreadsheet holds {MOST_ROWS - 1:,} cases, but there are more; let --out end in "
            ".csv or .parquet."
        )
    plain = {"strings_to_formulas": False, "strings_to_urls": False, "nan_inf_to_errors": True}
    with xlsxwriter.Workbook(file, {"in_memory": True, **plain}) as book:
        table.write_excel(book, worksheet="answers", autofilter=False, float_precision=2)
