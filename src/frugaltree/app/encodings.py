"""How the text of a file is encoded: UTF-8, or what older programs and Excel write."""

from __future__ import annotations

import codecs
import re
import warnings
from pathlib import Path

from frugaltree.exceptions import InvalidTable

UTF_8, WINDOWS = "utf-8-sig", "cp1252"

BLOCK = 2**20
"""Bytes that are read at a time."""

SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How files begin that spreadsheet programs keep, whatever they are called."""

UTF_16 = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
NO_TEXT = re.compile("[\0-\x08\x0e-\x19\x1b-\x1f]")
"""Signs that no text holds; some old files end with one of the others."""


def encoding_of(path: Path) -> str:
    """Return how a file of text is encoded; what is neither UTF-8 nor UTF-16 may be Windows text.

    The whole file is looked at, for its first umlaut may be in its last line.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "t.csv"
    ...     for encoding in ("utf-8", "utf-16", "utf-16-be", "cp1252"):
    ...         _ = path.write_bytes("größe,class".encode(encoding))
    ...         print(encoding_of(path))
    utf-8-sig
    utf-16
    utf-16-be
    cp1252
    """
    with path.open("rb") as file:
        head = file.read(BLOCK)
        if head.startswith(SPREADSHEETS):
            raise InvalidTable(
                f"{path} is a spreadsheet, whatever its name says; let that end in .xlsx or .ods, "
                "or save it as CSV."
            )
        if head[:2] in UTF_16 or b"\0" in head:
            return _utf_16(path, head)
        file.seek(0)
        decode = codecs.getincrementaldecoder(UTF_8)()
        try:
            while block := file.read(BLOCK):
                decode.decode(block)
            decode.decode(b"", final=True)
        except UnicodeDecodeError:
            return _windows(path)
    return UTF_8


def _utf_16(path: Path, head: bytes) -> str:
    """Return which UTF-16 a file is in, if it is text at all."""
    for encoding in (UTF_16.get(head[:2]), "utf-16-le", "utf-16-be"):
        if encoding is None:
            continue
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
        if NO_TEXT.search(text) is None and sum(map(str.isascii, text)) * 2 > len(text):
            return encoding
    raise not_text(path, "it is no text")


def _windows(path: Path) -> str:
    """Return that a file is Windows text; a damaged one in UTF-8 is refused."""
    data = path.read_bytes()
    if not data.decode(UTF_8, errors="ignore").isascii():
        line = data[: _first_damage(data)].count(b"\n") + 1
        raise not_text(path, f"it is UTF-8 but for line {line}")
    try:
        text = data.decode(WINDOWS)
    except UnicodeDecodeError:
        raise not_text(path, "it is no text that we know") from None
    if NO_TEXT.search(text):
        raise not_text(path, "it is no text")
    return WINDOWS


def _first_damage(data: bytes) -> int:
    try:
        data.decode(UTF_8)
    except UnicodeDecodeError as error:
        return error.start
    return 0


def not_text(path: Path, why: str) -> InvalidTable:
    """Return the complaint about a file that holds no text."""
    return InvalidTable(
        f"{path} cannot be read as CSV ({why}); save it as UTF-8, in Excel as 'CSV UTF-8'."
    )


def read_text(path: Path, encoding: str) -> str:
    """Return the text of a file that is not in UTF-8, and say so."""
    try:
        text = path.read_bytes().decode(encoding)
    except UnicodeDecodeError:
        raise not_text(path, "it is not UTF-16 to its end") from None
    note = f"{path} is read as UTF-16."
    if encoding == WINDOWS:
        odd = next(word for word in re.findall(r"[^ \t\r\n,;|]+", text) if not word.isascii())
        note = (
            f"{path} is not UTF-8 and is read as Windows text (cp1252), with words such as "
            f"{odd[:40]!r}; if they look wrong, save it as UTF-8, in Excel as 'CSV UTF-8'."
        )
    warnings.warn(note, UserWarning, stacklevel=2)
    return text
