"""Tables in several Parquet files: fit and predict take a folder or a pattern."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from frugaltree import Costs, EG2Classifier, load_model
from frugaltree.app import training
from frugaltree.app.fit import bins_given
from frugaltree.exceptions import FrugaltreeError
from frugaltree.table import ranking, streams
from support.commands import one_sentence


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    number = rng.standard_normal(600)
    place = rng.choice(["here", "there"], 600)
    y = np.where((number > 0) ^ (place == "here"), "yes", "no")
    return pl.DataFrame(
        {"number": number, "code": rng.integers(0, 4, 600), "place": place, "y": y}
    )


@pytest.fixture
def files(table, tmp_path):
    """Return a folder of three files, one of them without rows, with costs beside it."""
    folder = tmp_path / "sales"
    folder.mkdir()
    for i, part in enumerate((table[:250], table[:0], table[250:])):
        part.write_parquet(folder / f"{i}.parquet")
    (tmp_path / "sales.costs.toml").write_text(
        "errors = 50\n[tests]\nnumber = 1\ncode = 2\nplace = 1\n"
    )
    return folder


@pytest.fixture
def long(monkeypatch):
    """Make a hundred rows a long table."""
    monkeypatch.setattr(ranking, "EXACT_ROWS", 100)
    monkeypatch.setattr(training, "SHOWN", 100)
    monkeypatch.setattr(streams, "PIECE", 64)


def fit(call, data, out, *more):
    return call("fit", data, "-t", "y", "-l", "eg2", "-o", out, *more)


@pytest.mark.parametrize("data", ["sales", "sales/*.parquet"])
def test_a_price_list_is_written_where_fit_looks_for_it(call, files, tmp_path, data):
    (tmp_path / "sales.costs.toml").unlink()
    code, _, err = call("costs", "init", tmp_path / data, "-t", "y")
    assert code == 0, err
    assert (tmp_path / "sales.costs.toml").is_file()
    code, _, err = fit(call, tmp_path / data, tmp_path / "m.json")
    assert code == 0, err


@pytest.mark.parametrize("data", ["sales", "sales/*.parquet"])
def test_a_long_table_is_learned_from_in_pieces(call, files, table, tmp_path, long, data):
    code, out, err = fit(call, tmp_path / data, tmp_path / "m.json", "--nominal", "code")
    assert code == 0, err
    assert "600 cases, 2 classes, columns: 1 numeric (number), 2 nominal (code, place)" in err
    assert "on 100 of these cases" in " ".join(out.split())
    X = table.drop("y").with_columns(pl.col("code").cast(pl.String))
    costs = Costs.from_toml(tmp_path / "sales.costs.toml")
    ref = EG2Classifier(costs, random_state=0).fit(X, table["y"])
    assert load_model(tmp_path / "m.json").to_text() == ref.to_text()


def test_a_short_table_of_several_files(call, files, table, tmp_path):
    code, _, err = fit(call, files, tmp_path / "m.json")
    assert code == 0, err
    costs = Costs.from_toml(tmp_path / "sales.costs.toml")
    ref = EG2Classifier(costs).fit(table.drop("y"), table["y"])
    assert load_model(tmp_path / "m.json").to_text() == ref.to_text()


@pytest.mark.parametrize("data", ["sales", "sales/*.parquet"])
def test_answers_in_parquet(call, files, table, tmp_path, data):
    assert fit(call, files, tmp_path / "m.json")[0] == 0
    answers = tmp_path / "answers.parquet"
    code, out, err = call(
        "predict", tmp_path / "m.json", tmp_path / data, "-o", answers, "-k", "code", "--json"
    )
    assert code == 0, err
    assert json.loads(out)["cases"] == 600
    found, model = pl.read_parquet(answers), load_model(tmp_path / "m.json")
    assert found.columns == ["code", "answer", "bill"]
    assert found["answer"].to_list() == model.predict(table.drop("y")).tolist()
    assert found["bill"].to_list() == model.bill(table.drop("y")).tolist()
    assert found["code"].to_list() == table["code"].to_list()


def test_an_error_while_answers_are_written_to_parquet(call, files, table, tmp_path):
    assert fit(call, files, tmp_path / "m.json")[0] == 0
    table.with_columns(number=pl.lit("much")).write_parquet(tmp_path / "odd.parquet")
    code, _, err = call(
        "predict", tmp_path / "m.json", tmp_path / "odd.parquet", "-o", tmp_path / "a.parquet"
    )
    assert code == 1
    assert "'number' was numeric at fit" in one_sentence(err)
    assert not (tmp_path / "a.parquet").exists()


def test_a_class_of_the_last_file_alone(call, files, table, tmp_path, long):
    table[:150].with_columns(y=pl.lit("perhaps")).write_parquet(files / "9.parquet")
    code, _, err = fit(call, files, tmp_path / "m.json")
    assert code == 0, err
    assert load_model(tmp_path / "m.json").classes_.tolist() == ["no", "perhaps", "yes"]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda t: t.drop("code"), "9.parquet has no column 'code', but"),
        (lambda t: t.with_columns(more=1), "0.parquet has no column 'more', but"),
        (lambda t: t.cast({"code": pl.Float64}), "column 'code' is Float64 in"),
        (lambda t: t.with_columns(y=pl.lit(None, pl.String)), "600 cases of"),
    ],
)
def test_files_that_do_not_fit_together(call, files, table, tmp_path, long, change, what):
    change(table).write_parquet(files / "9.parquet")
    code, _, err = fit(call, files, tmp_path / "m.json")
    assert code == 1
    assert what in one_sentence(err)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ("nothing", "is a folder, not a file, and holds no Parquet file"),
        ("sales/*.pq", "no file matches"),
        ("*.toml", "which is not in Parquet"),
    ],
)
def test_nothing_to_learn_from(call, files, tmp_path, data, what):
    (tmp_path / "nothing").mkdir()
    for args in (("fit", tmp_path / data, "-t", "y"), ("predict", "heart.model.json", data)):
        if args[0] == "fit":
            code, _, err = call(*args)
            assert code == 1
            assert what in one_sentence(err)


@pytest.mark.parametrize("given", ["1", "0", "many", "-3"])
def test_what_is_no_number_of_bins(given):
    with pytest.raises(FrugaltreeError, match="must be auto, none or a whole number from 2 on"):
        bins_given(given)


def test_bins_of_the_command_line(call, files, tmp_path):
    code, _, err = fit(call, files, tmp_path / "m.json", "--max-bins", "5")
    assert code == 0, err
    assert load_model(tmp_path / "m.json").max_bins == 5
    code, _, err = fit(call, files, tmp_path / "m.json", "--max-bins", "1")
    assert code == 1
    assert "--max-bins is '1'" in one_sentence(err)
