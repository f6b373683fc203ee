"""Tables of text: read at fit as they are read at predict, and doubted where they look odd."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from random import Random
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from frugaltree.app.predict import ACTUAL, ASIDE, read_pieces
from frugaltree.app.tables import classes_of, listed, read_cases
from frugaltree.exceptions import InvalidTable
from frugaltree.table import Column, encode, read


@pytest.fixture
def path(tmp_path):
    return tmp_path / "t.csv"


def read_text(path, text, target="class", **kinds):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_cases(path, target, **kinds)


def model_of(columns, classes=("no", "yes")):
    """Return as much of a model as reading takes."""
    return SimpleNamespace(
        tree_=SimpleNamespace(columns=tuple(columns), asked_tests=range(len(columns))),
        classes_=np.array(classes),
    )


def again(path, X, target="class"):
    """Return a table as it is read for a model that was learned from it."""
    columns = read(X, X.columns).columns
    return pl.concat(read_pieces(path, model_of(columns), target)), columns


# ------------------------------------------------------------------------------ the same at both

TABLES = {
    "leading zeros": "zip,class\n01067,no\n12345,yes\n01067,no\n",
    "decimals as written": "size,class\n2.50,no\n2.5,yes\nbig,no\n",
    "blanks": "a , b,class\n 1 , x ,no\n2,x,yes\n\t3, y,no\n",
    "decimal commas": "a;b;class\n4,05;1;no\n3;2;yes\n-0,5;n/a;no\n",
    "words for missing": "a,b,class\n1,-,no\nN/A,no,yes\n.,none,no\n",
    "booleans": "a,class\nTrue,no\nFALSE,yes\n?,no\n",
    "Excel's first line": "sep=;\r\na;b, c;class\r\n1;x;no\r\n2;y;yes\r\n",
    "quoted separators": '"a; b; c","d",class\n1,"x, y",no\n2,"z ""q""",yes\n',
    "lines in a cell": '"a\nb",c,class\n1,"x\ny",no\n2,z,yes\n',
    "a mark in front": "\ufeffa,b,class\n1,x,no\n2,y,yes\n",
    "blank lines": "\n\na,b,class\n1,x,no\n\n2,y,yes\n  \n\n",
    "an empty column": "a,b,,class,\n1,x,,no,\n2,y,,yes,\n",
    "large numbers": "a,class\n99999999999999999999,no\n1e3,yes\n+5,no\n",
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_a_table_is_read_at_predict_as_at_fit(path, text):
    X, y = read_text(path, text)
    piece, columns = again(path, X)
    np.testing.assert_array_equal(encode(piece.select(X.columns), columns), encode(X, columns))
    assert (encode(X, columns) != -1).all()
    assert piece[ACTUAL].to_list() == y.to_list()


CELLS = [
    *("1", "2", " 3 ", "01", "1.0", "1.50", "2,5", "1,", ".5", "5.", "1e3", "+4", "-0", "\u00a07"),
    *("", "  ", "?", "NA", "NaN", "nan", "-", ".", "n/a", "none", "None", "true", "FALSE", "True"),
    *("x", "X ", "a,b", "a;b", 'q"q', "l\nm", "é", "1_0", "0x1"),
]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_random_tables_are_read_at_predict_as_at_fit(path):
    random = Random(0)
    for _ in range(100):
        few = [random.sample(CELLS, random.randint(1, 4)) for _ in range(random.randint(1, 3))]
        file = io.StringIO(newline="")
        writer = csv.writer(file, delimiter=random.choice(",;\t|"))
        writer.writerow([*(f"c{i}" for i in range(len(few))), "class"])
        for _ in range(random.randint(1, 6)):
            writer.writerow([*map(random.choice, few), random.choice(["no", "yes"])])
        X, y = read_text(path, file.getvalue())
        piece, columns = again(path, X)
        codes = encode(X, columns)
        np.testing.assert_array_equal(encode(piece.select(X.columns), columns), codes)
        assert (codes != -1).all()
        assert piece[ACTUAL].to_list() == y.to_list()


def kinds_in(path, text, **kinds):
    X, _ = read_text(path, text, **kinds)
    return {name: X[name].to_list() for name in X.columns}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_columns_hold(path):
    found = kinds_in(path, TABLES["leading zeros"])
    assert found == {"zip": ["01067", "12345", "01067"]}
    assert kinds_in(path, TABLES["decimals as written"])["size"] == ["2.50", "2.5", "big"]
    assert kinds_in(path, TABLES["blanks"]) == {"a": [1, 2, 3], "b": ["x", "x", "y"]}
    found = kinds_in(path, TABLES["decimal commas"])
    assert found == {"a": [4.05, 3.0, -0.5], "b": [1, 2, None]}
    found = kinds_in(path, TABLES["words for missing"])
    assert found == {"a": [1, None, None], "b": ["-", "no", "none"]}
    assert kinds_in(path, TABLES["booleans"]) == {"a": [True, False, None]}
    assert kinds_in(path, TABLES["Excel's first line"]) == {"a": [1, 2], "b, c": ["x", "y"]}
    assert list(kinds_in(path, TABLES["quoted separators"])) == ["a; b; c", "d"]
    assert len(kinds_in(path, TABLES["blank lines"])["a"]) == 2
    assert list(kinds_in(path, TABLES["an empty column"])) == ["a", "b"]
    # Where commas separate, one in quotes is no decimal comma.
    assert kinds_in(path, 'a,class\n"4,05",no\n3,yes\n')["a"] == ["4,05", "3"]


@pytest.mark.filterwarnings("error")
def test_kinds_that_are_told(path):
    text = "a,b,class\n2.50,007,no\n3,-,yes\n"
    assert kinds_in(path, text, nominal=["a"], numeric=["b"]) == {
        "a": ["2.50", "3"],
        "b": [7.0, None],
    }
    text = "a;class\n4,05;no\n0,7;yes\n"
    assert kinds_in(path, text, nominal=["a"])["a"] == ["4,05", "0,7"]
    assert kinds_in(path, text, numeric=["a"])["a"] == [4.05, 0.7]
    with pytest.raises(InvalidTable, match="--numeric names 'a', which holds 'x'"):
        read_text(path, "a,class\n1,no\nx,yes\n", numeric=["a"])


@pytest.mark.parametrize(
    ("cells", "classes"),
    [
        (("1", "0", "-2"), [1, 0, -2]),
        (("01", "1", "2"), ["01", "1", "2"]),
        (("1.00", "2.00", "2.00"), ["1.00", "2.00", "2.00"]),
        (("TRUE", "false", "true"), [True, False, True]),
        ((" yes", "no ", "yes"), ["yes", "no", "yes"]),
        (("-", "+", "-"), ["-", "+", "-"]),
    ],
)
def test_classes(path, cells, classes):
    _, y = read_text(path, "a,class\n" + "".join(f"x,{cell}\n" for cell in cells))
    assert y.to_list() == classes


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([f"{i}.53" for i in range(5)], "holds numbers such as 0.53, not classes; cut it into"),
        (range(30), "holds 30 different numbers in 30 cases, too many for classes"),
    ],
)
def test_amounts_are_no_classes(path, cells, said):
    with pytest.raises(InvalidTable, match=said):
        read_text(path, "a,class\n" + "".join(f"x,{cell}\n" for cell in cells))
    table = path.with_suffix(".parquet")
    pl.DataFrame({"a": "x", "class": [float(cell) for cell in cells]}).write_parquet(table)
    with pytest.raises(InvalidTable, match=said):
        read_cases(table, "class")


def test_a_single_case_without_a_class_is_one_case(path):
    _, y = read_text(path, "a,class\n1,no\n2,\n3,yes\n")
    with pytest.raises(InvalidTable, match=r"^1 case of .* has no 'class'"):
        classes_of(path, "class", y)


# ------------------------------------------------------------------------------ predict alone


def test_columns_of_a_model_that_was_not_learned_from_text(path):
    columns = [
        Column("padded", "nominal", (" a", "b ")),
        Column("code", "nominal", (1.0, 2.5)),
        Column("is", "nominal", (False, True)),
        Column("land", "nominal", ("DE", "NA")),
    ]
    path.write_text("padded;code;is;land;id\n a;2,50;TRUE;NA; 007\nb ;1.0;false;?;?\n")
    piece = pl.concat(read_pieces(path, model_of(columns), keep=["id"]))
    codes = encode(piece.select(column.name for column in columns), columns)
    np.testing.assert_array_equal(codes, [[0, 1, 1, 1], [1, 0, 0, np.nan]])
    assert piece[ASIDE + "id"].to_list() == [" 007", "?"]  # kept as it was written


@pytest.mark.parametrize("name", ["q?.csv", "a b [red].csv", "all*.csv", "q?.parquet"])
def test_names_of_files_are_no_patterns(tmp_path, name):
    table = pl.DataFrame({"a": [1, 2], "class": ["no", "yes"]})
    other = table.with_columns(pl.lit("other").alias("class"))
    for file, content in ((name, table), (name.replace("?", "1").replace("*", ""), other)):
        where = tmp_path / file
        if where.suffix == ".csv":
            content.write_csv(where)
        elif where.suffix == ".parquet":
            content.write_parquet(where)
    if "[" in name:
        table.write_csv(tmp_path / name)
    X, y = read_cases(tmp_path / name, "class")
    assert y.to_list() == ["no", "yes"]
    model = model_of([Column("a", "numeric")])
    assert pl.concat(read_pieces(tmp_path / name, model, "class"))[ACTUAL].to_list() == [
        "no",
        "yes",
    ]
    assert X["a"].to_list() == [1, 2]


def test_what_is_no_number_is_told_by_its_column(path):
    path.write_text("a,class\n1,no\nold,yes\n")
    with pytest.raises(InvalidTable, match=r"learned from .*'a'.*old"):
        list(read_pieces(path, model_of([Column("a", "numeric")])))


# ------------------------------------------------------------------------------ no tables


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a,class\n" + b"x,no\n" * 300_000 + b"\x81,yes\n", "no text.*save it as UTF-8"),
        (b"a,class\n\xc3\xa4,no\n\xff,yes\n", "is UTF-8 but for line 3.*save it as UTF-8"),
        (b"a,class\n\xff\x01,no\n", "it is no text.*save it as UTF-8"),
        ("a,class\n1,no\n".encode("utf-32"), "it is no text.*save it as UTF-8"),
        ("a,class\n1,no\n".encode("utf-16")[:-1], "not UTF-16 to its end.*save it as UTF-8"),
        (b"PK\x03\x04", "is a spreadsheet, whatever its name says; let that end in .xlsx"),
        (b"a,class\r1,no\r2,yes\r", "CR alone.*line ends of Unix or Windows"),
        (b" \n\n", "is empty"),
        (b"a,b, a ,class\n1,2,3,no\n", "two columns named 'a'"),
        (b",a,class\n0,1,no\n1,2,yes\n", "column 1 of .* has no name, but holds '0'"),
        (b"a,class\n1,no\n1,2,3\n", "same number of values"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(path, content, said):
    with pytest.raises(InvalidTable, match=said) as caught:
        read_text(path, content)
    assert "\n" not in str(caught.value)
    if "no name" in said:  # which is no concern of a model
        assert len(pl.concat(read_pieces(path, model_of([Column("a", "numeric")]), "class"))) == 2
        return
    with pytest.raises(InvalidTable) as caught:
        list(read_pieces(path, model_of([Column("a", "nominal", ("x",))]), "class"))
    assert "\n" not in str(caught.value)


# ------------------------------------------------------------------------------ doubts


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["1.5", "2", "<1", "3", "4"] * 4, "'a' is nominal, although 16 of its 20 values.*'<1'"),
        (["01067", "20095"] * 10, "begin with a zero, such as '01067'; say --numeric a"),
        (range(5, 30), "numeric column 'a' holds the numbers from 5 to 29, each once"),
        (["1", "2", "none"] * 5, "'a' is numeric, and 'none' counts as missing in 5 of its cases"),
    ],
)
def test_what_looks_odd_is_told(path, cells, said):
    text = "a,class\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells))
    with pytest.warns(UserWarning, match=said):
        read_text(path, text)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "cells",
    [
        ["1", "2", "x", "y"] * 5,
        ["true", "false"] * 10,
        range(0, 60, 2),
        [1, *range(1, 24)],
        range(19),
        [""] * 20,
    ],
)
def test_what_looks_usual_is_not(path, cells):
    text = "b,a,class\n" + "".join(f"x,{cell},{i % 2}\n" for i, cell in enumerate(cells))
    read_text(path, text)


@pytest.mark.filterwarnings("error")
def test_what_was_told_is_not_doubted(path):
    text = "a,class\n" + "".join(f"{cell},{cell}\n" for cell in ["007", "008"] * 10)
    read_text(path, text, nominal=["a"])
    read_text(path, text, numeric=["a"])


def test_the_value_that_is_no_number_is_named(tmp_path):
    cells = ["4,5"] * 30 + ["k.A."]
    path = tmp_path / "table.csv"
    path.write_text("income (TEUR);y\n" + "".join(f"{x};{i % 2}\n" for i, x in enumerate(cells)))
    with pytest.warns(UserWarning, match=r"holds 'k\.A\.' too;.* --nominal 'income \(TEUR\)'\."):
        read_cases(path, "y")


# -------------------------------------------------------------- names that look like patterns

PATTERNS = ("b", "^b$", "^[$", "*", "^.*$", "^t$")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("target", PATTERNS)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_name_is_never_taken_for_a_pattern(tmp_path, target, form):
    values = [(1, 2, 3), ("x", "y", "x"), (7, 8, 7), ("TRUE", "no", "-"), ("u", "v", "u"), "abb"]
    table = pl.DataFrame(dict(zip(PATTERNS, map(list, values), strict=True)))
    path = tmp_path / f"t.{form}"
    (table.write_csv if form == "csv" else table.write_parquet)(path)
    others = [name for name in PATTERNS if name != target]
    X, y = read_cases(path, target, nominal=[others[0]], numeric=["^[$"] * (target != "^[$"))
    assert X.columns == others
    assert y.to_list() == table.get_column(target).to_list()
    assert X.get_column(others[1]).to_list() == table.get_column(others[1]).to_list()
    columns = read(X, X.columns).columns
    piece = pl.concat(read_pieces(path, model_of(columns), target, keep=["^b$"]))
    np.testing.assert_array_equal(encode(piece[others], columns), encode(X, columns))
    assert piece.get_column(ASIDE + "^b$").to_list() == ["x", "y", "x"]


OLD = {
    "cp1252": "Windows text (cp1252), with words such as 'Größe'; if they look wrong, save it",
    "utf-16": "is read as UTF-16.",
    "utf-16-le": "is read as UTF-16.",
    "utf-16-be": "is read as UTF-16.",
}


@pytest.mark.parametrize("encoding", OLD)
@pytest.mark.parametrize("n", [3, 300_000])
def test_older_encodings_are_read_with_a_note(path, encoding, n):
    text = "Größe;x;class\r\n" + "1,5;groß;no\r\n;;\r\n" + "\r\n2;klein – 5 €;yes\r\n" * n
    with pytest.warns(UserWarning, match="is read as") as noted:
        X, y = read_text(path, text.encode(encoding))
    assert [OLD[encoding] in str(one.message) for one in noted] == [True]
    assert X["Größe"].unique().sort().to_list() == [1.5, 2]
    assert X["x"].unique().sort().to_list() == ["groß", "klein – 5 €"]
    columns = read(X, X.columns).columns
    with pytest.warns(UserWarning, match="is read as") as noted:
        piece = pl.concat(read_pieces(path, model_of(columns), "class", drop_empty=True))
    assert [OLD[encoding] in str(one.message) for one in noted] == [True]
    np.testing.assert_array_equal(encode(piece[X.columns], columns), encode(X, columns))
    with pytest.warns(UserWarning, match="is read as"):
        assert len(pl.concat(read_pieces(path, model_of(columns)))) == len(y) + 1


@pytest.mark.filterwarnings("error")
def test_an_umlaut_at_the_end_is_found(path):
    text = "a;class\n" + "x;no\n" * 300_000 + "groß;yes\n"
    assert read_text(path, text)[0]["a"][-1] == "groß"
    with pytest.warns(UserWarning, match="cp1252"):
        assert read_text(path, text.encode("cp1252"))[0]["a"][-1] == "groß"


def test_windows_text_whose_only_odd_sign_is_a_blank(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,y\nbig\xa0dog,1\ncat,0\n")
    with pytest.warns(UserWarning, match=r"words such as 'big\\xa0dog'"):
        X, _ = read_cases(path, "y")
    assert X["a"].to_list() == ["big\xa0dog", "cat"]


# ------------------------------------------------------------------------------ thousands


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1.234,56", "12,5", "1.234", "-7"], [1234.56, 12.5, 1234, -7]),
        (["1,234.56", "12.5", "1,234", "?"], [1234.56, 12.5, 1234, None]),
        (["1.234.567", "5", "n/a", "0"], [1234567, 5, None, 0]),
        (["1 234,5", "1\u00a0234", "7", "8,25"], [1234.5, 1234, 7, 8.25]),
        (["1'234.50", "1'234", "7", "8.25"], [1234.5, 1234, 7, 8.25]),
        (["1.234", "2.5", "3", "4"], [1.234, 2.5, 3, 4]),
        (["1.234", "2.345", "3.000", "4"], [1.234, 2.345, 3, 4]),
        (["1.234,5", "2.5", "3", "4"], ["1.234,5", "2.5", "3", "4"]),
        (["1.23,4", "2", "3", "4"], ["1.23,4", "2", "3", "4"]),
        (["1.234,5.6", "2", "3", "4"], ["1.234,5.6", "2", "3", "4"]),
        (["01.234,5", "2", "3", "4"], ["01.234,5", "2", "3", "4"]),
    ],
)
def test_thousands_that_are_set_apart(path, cells, numbers):
    text = "a;class\n" + "".join(f"{cell};{i % 2}\n" for i, cell in enumerate(cells))
    X, _ = read_text(path, text)
    assert X["a"].to_list() == numbers
    piece, columns = again(path, X)
    np.testing.assert_array_equal(encode(piece.select("a"), columns), encode(X, columns))


def test_a_name_that_stands_for_none_is_refused(path):
    with pytest.raises(InvalidTable, match=r"named 'unnamed: 2', which .*; rename it\.$"):
        read_text(path, "unnamed: 2,,class\n1,2,no\n3,4,yes\n")


def test_numbers_that_a_table_holds_as_text_are_told(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"age": ["54", "61"], "class": ["no", "yes"]}).write_parquet(path)
    with pytest.warns(UserWarning, match="holds its numbers as text; say --numeric age"):
        read_cases(path, "class")


@pytest.mark.parametrize(
    "classes",
    [[b"no", b"yes"], [["a"], ["b"]], [Decimal(1), Decimal(2)]],
    ids=["bytes", "lists", "decimals"],
)
def test_what_is_of_another_type_is_no_class(tmp_path, classes):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"age": [54, 61], "class": classes}).write_parquet(path)
    with pytest.raises(InvalidTable, match=r"'class' of .* is of type .*; turn it into text"):
        read_cases(path, "class")


@pytest.mark.timeout(60)
def test_a_wide_table_is_read_in_no_time(path):
    names = [f"t{i}" for i in range(2000)]
    lines = [",".join([*names, "class"]), *(",".join(["1"] * 2000 + [c]) for c in "abab")]
    X, y = read_text(path, "\n".join(lines))
    assert X.shape == (4, 2000)
    assert y.to_list() == ["a", "b", "a", "b"]


def test_names_may_stand_on_several_lines():
    assert listed("a\rb, c\nd") == ["a", "b", "c", "d"]
