"""Spreadsheets as people make them, and as nobody should."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZipFile

from openpyxl import Workbook

HEADER = (
    "Patientennummer", "Aufnahme am", "Größe (cm)", "CRP mg/l", "Fieber", "Röntgen Thorax",
    "Raucher", "Lungenentzündung",
)  # fmt: skip


def patients(n: int = 200, seed: int = 1) -> list[list[Any]]:
    """Return a header and patients, 15 % of whose values are missing."""
    random = Random(seed)
    rows: list[list[Any]] = [list(HEADER)]
    for _ in range(n):
        ill = random.random() < 0.3
        tests = [
            random.randrange(150, 200),
            f"{max(random.gauss(60 if ill else 10, 12), 0.1):.1f}".replace(".", ","),
            random.choice(["hoch", "mäßig"] if ill else ["keins", "keins", "mäßig"]),
            "Schatten" if random.random() < (0.9 if ill else 0.05) else "unauffällig",
            random.choice(["ja", "nein"]),
        ]
        known = [None if random.random() < 0.15 else value for value in tests]
        number = f"KH-{random.randrange(10**6):06}"
        day = dt.date(2024, 1, 1) + dt.timedelta(random.randrange(300))
        rows.append([number, day, *known, "ja" if ill else "nein"])
    return rows


def write_xlsx(path: Path, rows: list[list[Any]], *, sheet: str = "Daten", **others: Any) -> Path:
    """Write a workbook with one sheet and, by their names, others."""
    book = Workbook()
    book.active.title = sheet
    for row in rows:
        book.active.append(row)
    for name, content in others.items():
        more = book.create_sheet(name)
        for row in content:
            more.append(row)
    book.save(path)
    return path


OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"


def write_ods(path: Path, rows: list[list[Any]], *, sheet: str = "Daten", more: str = "") -> Path:
    """Write a document with one sheet, followed by rows that are given as XML."""
    lines = []
    for row in rows:
        found = "".join(map(_ods_cell, row))
        lines.append(f"<table:table-row>{found}</table:table-row>")
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content '
        f'xmlns:office="{OFFICE}office:1.0" xmlns:table="{OFFICE}table:1.0" '
        f'xmlns:text="{OFFICE}text:1.0"><office:body><office:spreadsheet>'
        f"<table:table table:name={quoteattr(sheet)}>{''.join(lines)}{more}</table:table>"
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with ZipFile(path, "w") as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{OFFICE}manifest:1.0"></manifest:manifest>',
        )
        file.writestr("content.xml", content)
    return path


def _ods_cell(value: Any) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, dt.date):
        return _typed("date", f'office:date-value="{value.isoformat()}"', value)
    if isinstance(value, int | float):
        return _typed("float", f'office:value="{value}"', value)
    return _typed("string", "", value)


def _typed(kind: str, attribute: str, value: Any) -> str:
    text = f"<text:p>{escape(str(value))}</text:p>"
    return f'<table:table-cell office:value-type="{kind}" {attribute}>{text}</table:table-cell>'
