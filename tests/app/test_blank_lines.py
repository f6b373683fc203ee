"""Lines without values: a case of which nothing is known if it has separators, else none."""

from __future__ import annotations

import csv
import io
from random import Random

import polars as pl
import pytest

from frugaltree import Costs, EG2Classifier, FrugalTreeClassifier, save_model
from frugaltree.app.blank_lines import are_blank, drop_blank_lines
from frugaltree.app.delimited import layout_of, scan
from frugaltree.app.tables import read_cases
from frugaltree.exceptions import InvalidTable
from support.commands import one_sentence


@pytest.fixture
def model(tmp_path):
    """Return a file with a model that asks ``a``, and how it answers without a value of it."""
    X = pl.DataFrame({"a": ["x", "y"] * 10 + ["x"], "b": ["u"] * 21})
    learner = EG2Classifier(Costs({"a": 1, "b": 1}, errors=10))
    save_model(learner.fit(X, ["no", "yes"] * 10 + ["no"]), tmp_path / "m.json")
    return tmp_path / "m.json"


def answers(call, model, path, *more):
    code, printed, err = call("predict", model, path, *more)
    assert code == 0, err
    return [row["answer"] for row in csv.DictReader(printed.splitlines())], err


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("separator", list(",;\t|"))
def test_every_case_has_an_answer(call, tmp_path, model, separator, end):
    lines = ["a,b,c", "x,u,1", ",,", "y,u,2", "", '"",,', "   ", "y,,", ",", '"y","',
             "", '",3', ",,"]  # fmt: skip
    path = tmp_path / "t.csv"
    path.write_bytes(end.join(lines).replace(",", separator).encode())
    found, err = answers(call, model, path)
    assert found == ["no", "no", "yes", "no", "yes", "no", "yes", "no"]
    assert "Note:" not in err


def test_pieces_are_held_against_their_lines(call, tmp_path, model, monkeypatch):
    from frugaltree.app import predict

    monkeypatch.setattr(predict, "PIECE", 7)
    random = Random(0)
    lines = random.choices(["x,u", "y,u", ",", "", " "], k=500)
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,b", *lines]))
    says = {"x,u": "no", "y,u": "yes", ",": "no"}
    assert answers(call, model, path)[0] == [says[line] for line in lines if line in says]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rows_of_random_files_are_counted_as_they_are_read(tmp_path):
    random, path = Random(0), tmp_path / "t.csv"
    values = ["1", "", "a\nb", "\n\n", 'q"q', "a,b", '"', '"\n"', " ", ",\n", '""\n']
    for _ in range(200):
        file, is_blank = io.StringIO(newline=""), []
        writer = csv.writer(file, lineterminator=random.choice(["\n", "\r\n"]))
        writer.writerow(["a", random.choice(["b", "b\nc", 'b"\n\n'])])
        for _ in range(random.randint(1, 8)):
            is_blank.append(random.random() < 0.3)
            if is_blank[-1]:
                file.write(random.choice(["\n", "\r\n", "  \n", "\t\n", "\u00a0\n"]))
            else:
                writer.writerow(random.choices(values, k=2))
        path.write_bytes(file.getvalue().encode())
        layout = layout_of(path)
        assert list(are_blank(path, layout)) == is_blank
        table = scan(path, layout).collect()
        (found,) = drop_blank_lines([table], path, layout)
        assert found.equals(table.filter(~pl.Series(is_blank)))


@pytest.mark.parametrize("rows", [1, 3])
def test_rows_that_are_not_those_of_the_file_are_refused(tmp_path, rows):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    pieces = drop_blank_lines([pl.DataFrame({"a": ["1"] * rows})], path, layout_of(path))
    with pytest.raises(InvalidTable, match=r"quotes do not pair up.*; write values with a quote"):
        list(pieces)


def test_a_blank_line_of_one_column_is_told_of(call, tmp_path, model):
    path = tmp_path / "t.csv"
    path.write_text('a\nx\n\n""\ny\n  \n?\n')
    found, err = answers(call, model, path)
    assert found == ["no", "no", "yes", "no"]
    assert f"Note: 2 blank lines are left out of {path}, which has one column; write ? for" in err
    path.write_text("a\nx\n\ny\n")
    assert "Note: 1 blank line is left out of" in answers(call, model, path)[1]


def test_a_line_without_values_has_no_class(call, tmp_path, model):
    path = tmp_path / "t.csv"
    path.write_text("a,b,class\nx,u,no\n\n,,\ny,u,yes\n  \n")
    X, y = read_cases(path, "class")
    assert (len(X), y.to_list()) == (2, ["no", "yes"])
    code, _, err = call("predict", model, path, "-t", "class")
    assert code == 1
    assert "has cases without 'class', the true class" in one_sentence(err)
    page = tmp_path / "page.html"  # as at fit
    assert call("report", model, "-d", path, "-t", "class", "-o", page)[0] == 0


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_tree_that_asks_nothing_answers_any_table(call, tmp_path, form):
    X, path = pl.DataFrame({"a": [1.0, 2.0] * 10}), tmp_path / f"t.{form}"
    learner = FrugalTreeClassifier(Costs({"a": 1000}, errors=1), time_limit="1s")
    save_model(learner.fit(X, ["no", "yes"] * 9 + ["no", "no"]), tmp_path / "m.json")
    table = pl.DataFrame({"b": [1, None, 3], "c": "u"})
    (table.write_csv if form == "csv" else table.write_parquet)(path)
    assert answers(call, tmp_path / "m.json", path)[0] == ["no"] * 3


def test_a_byte_order_mark_before_a_quoted_name(call, tmp_path, model):
    path = tmp_path / "t.csv"
    path.write_bytes(b'\xef\xbb\xbf"c\nd",a,b\n1,x,u\n,,\n\n2,y,u\n')
    assert answers(call, model, path)[0] == ["no", "no", "yes"]
