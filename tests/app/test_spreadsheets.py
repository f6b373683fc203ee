"""Spreadsheets: read as the same table in CSV would be, and refused with a sentence."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
import sys
import zipfile

import openpyxl
import polars as pl
import pytest
from openpyxl import Workbook

from frugaltree import Costs, load_model
from frugaltree.app import sheet_size
from frugaltree.app.spreadsheets import read_sheet
from frugaltree.app.tables import read_cases
from frugaltree.exceptions import FrugaltreeError, InvalidTable
from support.commands import one_sentence
from support.spreadsheets import patients, write_ods, write_xlsx

pytest.importorskip("python_calamine")

ROWS = [
    ["a", "größe", "c", "class"],
    [1, "1,75", "x", "no"],
    [2.5, 1.8, None, "yes"],
    [-3, "?", " y ", "no"],
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "t.xlsx"


def as_csv(rows):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=";")
    for row in rows:
        writer.writerow([str(v).replace(".", ",") if isinstance(v, float) else v for v in row])
    return out.getvalue()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rows", [ROWS, patients(60)])
@pytest.mark.parametrize("write", [write_xlsx, write_ods])
def test_a_sheet_is_read_as_the_same_table_in_csv(tmp_path, write, rows):
    target = rows[0][-1]
    rows = [row for row in rows if not isinstance(row[1], dt.date)] if target == "class" else rows
    drop = [name for name in rows[0] if name in ("Patientennummer", "Aufnahme am")]
    path = write(tmp_path / f"t{'.ods' if write is write_ods else '.xlsx'}", rows)
    (tmp_path / "t.csv").write_text(as_csv(rows), "utf-8")
    X, y = read_cases(path, target, drop=drop)
    ref = read_cases(tmp_path / "t.csv", target, drop=drop)
    assert X.equals(ref[0])
    assert y.equals(ref[1])
    if target == "class":
        assert X["größe"].to_list() == [1.75, 1.8, None]
        assert X["c"].to_list() == ["x", None, "y"]


def test_cells_of_many_kinds(path):
    rows = [["n", "b", "day", "time", "mixed", "thousands", "class"]]
    rows += [
        [1e-7, True, dt.date(2024, 3, 1), dt.time(8, 30), 1, "1.234,50", 0],
        [12345678901, False, dt.datetime(2024, 3, 1, 8, 30), None, "x", 1.5, 1],
        [None, None, None, dt.time(9), 2.5, "7", 1],
    ]
    table = read_sheet(write_xlsx(path, rows), None)
    assert table["day"].to_list() == ["2024-03-01", "2024-03-01 08:30:00", None]
    assert table["time"].to_list() == ["08:30:00", None, "09:00:00"]
    assert table["mixed"].to_list() == ["1", "x", "2.5"]
    with pytest.warns(UserWarning, match="'day' holds dates such as 2024-03-01"):
        X, y = read_cases(path, "class")
    assert X["n"].to_list() == [1e-7, 12345678901, None]
    assert X["b"].to_list() == [True, False, None]
    assert X["thousands"].to_list() == [1234.5, 1.5, 7.0]
    assert y.to_list() == [0, 1, 1]


@pytest.mark.parametrize("n_lines", [1, 2])
def test_a_title_and_what_is_empty_are_passed_over(path, n_lines):
    rows = [["Patients 2024"], ["as of June"][: n_lines - 1], []]
    rows += [[None, *row[:2], None, *row[2:]] for row in ROWS]
    rows[5:5] = [[], [None, " "]]
    with pytest.warns(UserWarning, match="'Patients 2024', which is taken for a title.* line 4"):
        X, y = read_cases(write_xlsx(path, rows), "class")
    assert X.columns == ["a", "größe", "c"]
    assert y.to_list() == ["no", "yes", "no"]


def test_merged_cells_count_for_each_of_their_lines(path):
    book = Workbook()
    for row in (
        ["Title"],
        ["ward", "a", "class"],
        ["W1", 1, "no"],
        [None, 2, "yes"],
        ["W2", 3, "no"],
    ):
        book.active.append(row)
    book.active.merge_cells("A1:C1")
    book.active.merge_cells("A3:A4")
    book.save(path)
    with pytest.warns(
        UserWarning, match="merged cells of sheet 'Sheet' of .* each of their lines"
    ):
        X, _ = read_cases(path, "class")
    assert X["ward"].to_list() == ["W1", "W1", "W2"]
    book.active.merge_cells("A2:B2")
    book.save(path)
    with (
        pytest.warns(UserWarning, match="title"),
        pytest.raises(InvalidTable, match=r"line 2 of .* merged across columns; unmerge them"),
    ):
        read_cases(path, "class")


def test_sheets_are_named(path):
    other = [row[:1] + row[-1:] for row in ROWS]
    write_xlsx(path, ROWS, sheet="Daten 2024", Alt=other, Leer=[])
    with pytest.warns(UserWarning, match=r"has the sheets Daten 2024, Alt; 'Daten 2024' is read"):
        assert read_cases(path, "class")[0].width == 3
    assert read_cases(path, "class", sheet="Alt")[0].columns == ["a"]
    with pytest.raises(InvalidTable, match=r"no sheet 'alt'; --sheet must be one of .*mean 'Alt'"):
        read_cases(path, "class", sheet="alt")
    with pytest.raises(InvalidTable, match=r"sheet 'Leer' of .* is empty"):
        read_cases(path, "class", sheet="Leer")
    text = path.with_suffix(".csv")
    text.write_text("a,class\n1,no\n")
    with pytest.raises(FrugaltreeError, match=r"--sheet is for spreadsheets, but .* leave it out"):
        read_cases(text, "class", sheet="Alt")


# ------------------------------------------------------------------------------ no tables


def far(path):
    book = Workbook()
    book.active["A1"], book.active["XFD1048576"] = "a", 1
    book.save(path)


def broken(path):
    write_xlsx(path, ROWS)
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w") as file:
        for name, content in parts.items():
            file.writestr(name, content[: len(content) // 2])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.write_text("a;class\n1;no\n"), "is no spreadsheet, or damaged"),
        (lambda path: path.write_bytes(b""), "is no spreadsheet, or damaged"),
        (lambda path: path.write_bytes(b"PK\x03\x04"), "is no spreadsheet, or damaged"),
        (lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0" * 200), "protected by a password"),
        (broken, "cannot be read as a spreadsheet|is no spreadsheet, or damaged"),
        (far, "is too large for a spreadsheet"),
        (lambda path: write_xlsx(path, []), "is empty; give it a header"),
        (lambda path: write_xlsx(path, [["class", "a"]]), "has a header but no cases"),
        (lambda path: write_xlsx(path, [["a", "a", "class"], [1, 2, 3]]), "two columns named 'a'"),
        (lambda path: write_xlsx(path, [["a", None, "class"], [1, 2, 3]]), "has no name.*'2'"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(call, path, make, said):
    make(path)
    code, _, err = call("costs", "init", path, "-t", "class")
    assert code == 1
    assert re.search(said, one_sentence(err)), err
    assert err.count("t.xlsx") == 1, err


def test_repeated_cells_are_counted_before_they_are_unpacked(tmp_path, monkeypatch):
    full = "<table:table-cell><text:p>1</text:p></table:table-cell>"
    rows = f'<table:table-row table:number-rows-repeated="9000000">{full * 9}</table:table-row>'
    empty = '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/>'
    empty += "</table:table-row>"
    path = write_ods(tmp_path / "t.ods", ROWS, more=empty)
    assert len(read_sheet(path, None)) == 3  # as LibreOffice ends its sheets
    with pytest.raises(InvalidTable, match="too large for a spreadsheet"):
        read_sheet(write_ods(path, ROWS, more=rows), None)
    wide = f'<table:table-row><table:table-cell table:number-columns-repeated="900"/>{full}'
    with pytest.raises(InvalidTable, match="too large for a spreadsheet"):
        read_sheet(write_ods(path, ROWS, more=f"{empty}{wide}</table:table-row>"), None)
    monkeypatch.setattr(sheet_size, "MOST_BYTES", 100)
    with pytest.raises(InvalidTable, match="too large for a spreadsheet"):
        read_sheet(write_ods(path, ROWS), None)


def test_other_kinds_are_told_apart(call, tmp_path):
    path = write_xlsx(tmp_path / "t.xlsx", ROWS).rename(tmp_path / "t.csv")
    assert "is a spreadsheet, whatever its name" in call("costs", "init", path, "-t", "class")[2]
    path = path.rename(tmp_path / "t.xls")
    err = call("costs", "init", path, "-t", "class")[2]
    assert "of a kind that is not read; save it as .xlsx" in one_sentence(err)


def test_without_the_reader_the_error_says_what_brings_it(call, path, monkeypatch):
    write_xlsx(path, ROWS)
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    err = call("costs", "init", path, "-t", "class")[2]
    assert "needs python-calamine, which is not installed; pip install 'frugaltree[excel]'" in err
    one_sentence(err)


# ------------------------------------------------------------------------------ the commands


def test_from_a_sheet_to_a_model_and_answers(call, tmp_path):
    path = write_xlsx(tmp_path / "t.xlsx", patients(), Notizen=[["Text"]])
    model, answers = tmp_path / "m.json", tmp_path / "answers.xlsx"
    given = (path, "--target", "Lungenentzündung", "--sheet", "Daten")
    code, _, err = call("costs", "init", *given)
    assert code == 0, err
    assert err.count("it is under never_ask in") == 2
    assert f"fit {path} --target 'Lungenentzündung' --sheet Daten" in err
    costs = Costs.from_toml(tmp_path / "t.costs.toml")
    assert costs.never_ask == ("Patientennummer", "Aufnahme am")
    assert "Patientennummer" not in costs.tests
    prices = tmp_path / "t.costs.toml"
    assert call("costs", "check", prices, "-d", path, *given[1:])[1].startswith("tests: 5\n")
    code, _, err = call("fit", *given, "-l", "dtmc", "-o", model)
    assert code == 0, err
    assert "Note:" not in err
    assert "2 never asked (Patientennummer, Aufnahme am)" in err
    assert "KH-" not in model.read_text("utf-8")
    code, _, err = call("predict", model, *given, "-k", "Patientennummer", "-o", answers)
    assert code == 0, err
    lines = list(openpyxl.load_workbook(answers).active.values)
    assert lines[0] == ("Patientennummer", "answer", "bill")
    assert [line[0] for line in lines[1:]] == [row[0] for row in patients()[1:]]
    tree, X = load_model(model), read_cases(path, given[2], sheet="Daten")[0]
    assert [line[1] for line in lines[1:]] == tree.predict(X).tolist()
    assert [line[2] for line in lines[1:]] == pytest.approx(tree.bill(X).tolist())
    page = tmp_path / "m.html"
    code, _, err = call("report", model, "-d", *given, "-k", 2, "-o", page)
    assert code == 0, err
    assert "KH-" not in page.read_text("utf-8")


@pytest.mark.parametrize("option", ["--drop", "never_ask"])
def test_what_the_note_of_an_identifier_proposes_works(call, tmp_path, option):
    path = write_xlsx(tmp_path / "t.xlsx", patients())
    prices = tmp_path / "p.toml"
    prices.write_text("default_test_cost = 1\nerrors = 100\n")
    given = ("fit", path, "-t", "Lungenentzündung", "-c", prices, "-l", "dtmc")
    given += ("-o", tmp_path / "m.json")
    err = call(*given)[2]
    assert err.count("leave it out with --drop 'Aufnahme am', or name it under never_ask") == 1
    assert err.count("leave it out with --drop Patientennummer, or name it under never_ask") == 1
    more = ["--drop", "Patientennummer", "--drop", "Aufnahme am"]
    if option == "never_ask":
        more = []
        text = 'never_ask = ["Patientennummer", "Aufnahme am"]\n' + prices.read_text()
        prices.write_text(text)
    code, _, err = call(*given, *more)
    assert (code, "Note:" in err) == (0, False), err
    assert "KH-" not in (tmp_path / "m.json").read_text("utf-8")


def test_what_begins_like_a_formula_stays_text(call, tmp_path, folder):
    rows = pl.read_csv(folder / "heart.csv").head(3).with_columns(id=pl.lit("=1+1"))
    rows.write_csv(tmp_path / "t.csv")
    out = tmp_path / "a.xlsx"
    assert call("predict", "eg2.model.json", tmp_path / "t.csv", "-k", "id", "-o", out)[0] == 0
    assert openpyxl.load_workbook(out).active["A2"].data_type == "s"
    err = call("predict", "eg2.model.json", "heart.csv", "-o", tmp_path / "a.ods")[2]
    assert "cannot be written as a spreadsheet; let it end in .xlsx" in one_sentence(err)
