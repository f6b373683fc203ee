"""How much a spreadsheet would take up once it is unpacked, found out before that is done."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import IO
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

from frugaltree.exceptions import InvalidTable

MOST_BYTES = 2 * 2**30
"""What the files within a spreadsheet may hold together."""

MOST_CELLS = 50_000_000
"""Cells between the first that holds something and the last."""

PLACE = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})([0-9]{1,7})"')
"""Where a cell of .xlsx is, such as C7."""

OLE = b"\xd0\xcf\x11\xe0"
"""How spreadsheets before .xlsx begin, and those with a password."""

DAMAGED = (
    BadZipFile, EOFError, LookupError, NotImplementedError, RuntimeError, ValueError,
    ElementTree.ParseError, zlib.error,
)  # fmt: skip
"""What reading a damaged file may raise."""

BLOCK, OVERLAP = 2**20, 200
"""Bytes that are read at a time, and those of them that are looked at twice."""

TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"


def check_size(path: Path) -> None:
    """Refuse a spreadsheet that would fill the memory: by design, or for one far cell."""
    with path.open("rb") as whole:
        if whole.read(4) == OLE:
            raise InvalidTable(
                f"{path} is protected by a password, or of an older kind than its name says; save "
                "it without a password as .xlsx."
            )
    try:
        with ZipFile(path) as file:
            if sum(part.file_size for part in file.infolist()) > MOST_BYTES:
                raise _too_large(path)
            sheets = [n for n in file.namelist() if n.startswith("xl/worksheets/")]
            for name in sheets:
                with file.open(name) as content:
                    if cells_of_xlsx(content) > MOST_CELLS:
                        raise _too_large(path)
            if "content.xml" in file.namelist():
                with file.open("content.xml") as content:
                    if cells_of_ods(content) > MOST_CELLS:
                        raise _too_large(path)
    except InvalidTable:
        raise
    except DAMAGED:
        raise InvalidTable(
            f"{path} is no spreadsheet, or damaged; save it again as .xlsx, or as CSV, with the "
            "ending that belongs to it."
        ) from None


def _too_large(path: Path) -> InvalidTable:
    return InvalidTable(
        f"{path} is too large for a spreadsheet (more than {MOST_CELLS:,} cells up to the last "
        "one that holds something); delete what lies far off, or save it as CSV."
    )


def cells_of_xlsx(content: IO[bytes]) -> int:
    """Return how many cells the smallest rectangle has that holds all of a sheet."""
    last_row, last_column, tail = 0, 0, b""
    while block := content.read(BLOCK):
        for letters, digits in PLACE.findall(tail + block):
            last_row = max(last_row, int(digits))
            last_column = max(last_column, _number_of(letters))
        tail = block[-OVERLAP:]
    return last_row * last_column


def _number_of(letters: bytes) -> int:
    """Return the number of a column.

    >>> _number_of(b"A"), _number_of(b"AA"), _number_of(b"XFD")
    (1, 27, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def cells_of_ods(content: IO[bytes]) -> int:
    """Return how many cells the largest sheet has; repeated ones count if they hold something."""
    largest = rows = empty = width = columns = last = 0
    for _, element in ElementTree.iterparse(content):
        if element.tag in (f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
            columns += _repeated(element, "columns")
            if len(element) or any("value" in key for key, _ in element.items()):
                last = columns
        elif element.tag == f"{TABLE}table-row":
            if last:
                rows, empty, width = rows + empty, 0, max(width, last)
                rows += _repeated(element, "rows")
            else:
                empty += _repeated(element, "rows")
            columns = last = 0
            element.clear()
        elif element.tag == f"{TABLE}table":
            largest, rows, width = max(largest, rows * width), 0, 0
            empty = 0
            element.clear()
    return largest


def _repeated(element: ElementTree.Element, what: str) -> int:
    text = element.get(f"{TABLE}number-{what}-repeated", "1")
    return int(text) if text.isdecimal() else 1
