"""Spreadsheets in files, given to the command line: odd cells, broken files, files that unpack."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path
from random import Random
from typing import Any

from tools.fuzz.commands import run_command
from tools.fuzz.drawing import chance
from tools.fuzz.judging import demand
from tools.fuzz.tables import draw_cells, spoil

QUICK = ("id3", "eg2", "dtmc", "idx", "csid3")


def run(random: Random, folder: Path) -> str:
    """Write a spreadsheet, then price, fit and predict with the commands."""
    header, rows = draw_cells(random)
    path = folder / random.choice(("table.xlsx", "tä ble.xlsx", "t.XLSX", "t.xlsm"))
    write_workbook(random, path, header, rows)
    hostile = chance(random, 0.4) and make_hostile(random, path)
    target = header[-1] if chance(random, 0.9) else random.choice(header)
    sheet = ["--sheet", random.choice(("Sheet", "Daten", "?", ""))] if chance(random, 0.2) else []
    given = [path.name, "--target", target, *sheet]
    made = run_command(folder, "costs", "init", *given, proposals=not hostile)
    if made.code:
        return "refused"
    learner = random.choice(QUICK)
    fitted = run_command(folder, "fit", *given, "--learner", learner, "--out", "m.json")
    if fitted.code:
        demand(not (folder / "m.json").exists(), "a fit that fails leaves no model")
        return "refused"
    out = random.choice(("a.csv", "a.xlsx", "a.parquet"))
    done = run_command(folder, "predict", "m.json", path.name, *sheet, "--out", out)
    demand(done.code == 0, "a model answers for its own table", done.err[-300:])
    demand((folder / out).stat().st_size > 0, "the answers are written", out)
    return "fitted"


def write_workbook(random: Random, path: Path, header: list[str], rows: list[list[str]]) -> None:
    """Write a workbook with a sheet of the table, and what people have around it."""
    from openpyxl import Workbook
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    def legal(value: Any) -> Any:
        return ILLEGAL_CHARACTERS_RE.sub("", value)[:32_000] if isinstance(value, str) else value

    book = Workbook()
    sheet = book.active
    for _ in range(random.choice((0, 0, 0, 1, 3))):
        sheet.append(random.choice((["Title"], [], ["Title", None, "as of June"])))
    left = [None] * random.choice((0, 0, 0, 1))
    sheet.append([*left, *map(legal, header)])
    odd = random.choice((0.0, 0.0, 0.1, 0.5))
    for row in rows:
        sheet.append([*left, *(legal(draw_cell(random, cell, odd)) for cell in row)])
        if chance(random, 0.02):
            sheet.append([])
    if chance(random, 0.1):
        first, column = random.randint(1, 5), random.choice("ABC")
        other = random.choice((column, "D"))
        sheet.merge_cells(f"{column}{first}:{other}{first + random.randint(0, 3)}")
    for _ in range(random.choice((0, 0, 0, 2))):
        book.create_sheet().append(["more"])
    if chance(random, 0.05):
        book.create_sheet("hidden", 0).sheet_state = "hidden"
    book.save(path)


def draw_cell(random: Random, text: str, odd: float) -> Any:
    """Return a cell as spreadsheets hold it, now and then an odd one."""
    if chance(random, odd):
        return random.choice(
            (None, True, 1e308, -1e-300, 0.1, "=1/0", "=A1", "#N/A", dt.date(2024, 2, 29),
             dt.datetime(1900, 1, 1, 8), dt.time(8, 30), dt.timedelta(hours=30), "1.234,5",
             "x" * 999)
        )  # fmt: skip
    try:
        return float(text) if chance(random, 0.8) and text.lower().strip() not in ODD else text
    except ValueError:
        return text


ODD = ("nan", "-nan", "inf", "-inf", "1e999")


def make_hostile(random: Random, path: Path) -> bool:
    """Break a spreadsheet, or put another file in its place."""
    how = random.choice(("spoil", "spoil", "xml", "xml", "name", "far", "large", "text", "empty"))
    if how == "spoil":
        path.write_bytes(spoil(random, path.read_bytes()))
    elif how in ("xml", "large"):
        with zipfile.ZipFile(path) as file:
            parts = {name: file.read(name) for name in file.namelist()}
        name = random.choice(sorted(parts))
        if how == "xml":
            parts[name] = spoil(random, parts[name])
        else:  # unpacks to many times its size
            parts["xl/sharedStrings.xml"] = b"<sst>" + b"<si><t>x</t></si>" * 2_000_000
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for one, content in parts.items():
                file.writestr(one, content)
    elif how == "name":
        path.rename(path.with_suffix(".ods")).rename(path)
        path.write_bytes(path.read_bytes()[::-1])
    elif how == "far":
        from openpyxl import load_workbook

        book = load_workbook(path)
        book.active["XFD1048576"] = 1
        book.save(path)
    else:
        path.write_bytes(b"a;y\n1;no\n2;yes\n" if how == "text" else b"")
    return True
