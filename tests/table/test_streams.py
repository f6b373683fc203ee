"""Tables read a piece at a time: the same tree as from the whole, and what is wrong in a word."""

from __future__ import annotations

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest

from frugaltree import Costs, DTMCClassifier, EG2Classifier, FrugalTreeClassifier
from frugaltree.exceptions import InvalidTable
from frugaltree.table import ranking, streams, survey

COSTS = Costs(default_test_cost=2, errors=60)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Make a hundred rows a long table, and read it in pieces of 64."""
    monkeypatch.setattr(ranking, "EXACT_ROWS", 100)
    monkeypatch.setattr(streams, "PIECE", 64)


def drawn(n=700):
    """Return a table with numbers, text, truths, values in order and missing ones; and classes."""
    rng = np.random.default_rng(4)
    number = rng.standard_normal(n)
    place = rng.choice(["here", "there", "nowhere"], n)
    size = pl.Series(rng.choice(["s", "m", "l"], n), dtype=pl.Enum(["s", "m", "l"]))
    table = pl.DataFrame(
        {
            "number": np.where(rng.random(n) < 0.1, np.nan, number),
            "whole": rng.integers(0, 9, n),
            "place": place,
            "truth": rng.random(n) < 0.4,
            "size": size,
        }
    ).with_columns(pl.col("number").fill_nan(None))
    wrong = rng.random(n) < 0.1
    return table, pl.Series("y", np.where((number > 0.2) ^ (place == "here") ^ wrong, "a", "b"))


def as_dask(table, n=5):
    """Return a table as a frame of Dask."""
    return dd.from_pandas(table.to_pandas(), npartitions=n)


@pytest.mark.parametrize("learner", [EG2Classifier, DTMCClassifier])
@pytest.mark.parametrize("max_bins", ["auto", 7])
def test_a_lazy_frame_gives_the_same_tree(learner, max_bins):
    X, y = drawn()
    whole = learner(COSTS, max_bins=max_bins).fit(X, y)
    lazy = learner(COSTS, max_bins=max_bins).fit(X.lazy(), y)
    both = learner(COSTS, max_bins=max_bins).fit(X.lazy(), y.to_frame().lazy())
    assert whole.to_text() == lazy.to_text() == both.to_text()
    assert whole.expected_cost_ == lazy.expected_cost_ == both.expected_cost_
    assert whole.test_ranges_ == lazy.test_ranges_
    assert lazy.feature_names_in_.tolist() == X.columns
    assert (lazy.predict(X.lazy()) == whole.predict(X)).all()
    assert (lazy.bill(X.lazy()) == whole.bill(X)).all()
    assert (lazy.predict_proba(X.lazy()) == whole.predict_proba(X)).all()
    assert lazy.total_cost(X.lazy(), y) == whole.total_cost(X, y)


def test_a_frame_of_dask_gives_the_same_tree():
    X, y = drawn()
    whole = EG2Classifier(COSTS).fit(X.to_pandas(), y.to_pandas())
    frame = as_dask(X.with_columns(y))
    tree = EG2Classifier(COSTS).fit(frame.drop(columns="y"), frame["y"])
    assert tree.to_text() == whole.to_text()
    assert (tree.predict(frame.drop(columns="y")) == whole.predict(X.to_pandas())).all()


def test_parquet_files_give_the_same_tree(tmp_path):
    X, y = drawn()
    table = X.with_columns(y)
    for i in range(4):
        table[i * 175 : (i + 1) * 175].write_parquet(tmp_path / f"{i}.parquet", row_group_size=50)
    table[:0].write_parquet(tmp_path / "9.parquet")  # a part without rows
    lazy = pl.scan_parquet(tmp_path / "*.parquet")
    tree = EG2Classifier(COSTS).fit(lazy.drop("y"), lazy.select("y"))
    assert tree.to_text() == EG2Classifier(COSTS).fit(X, y).to_text()


def test_a_file_that_is_gone_is_told_in_a_sentence(tmp_path):
    X, y = drawn()
    for i in range(2):
        X[i * 350 : (i + 1) * 350].write_parquet(tmp_path / f"{i}.parquet")
    lazy = pl.scan_parquet(tmp_path / "*.parquet")
    EG2Classifier(COSTS).fit(lazy, y)
    (tmp_path / "1.parquet").unlink()
    with pytest.raises(InvalidTable, match=r"cannot be computed \(No such file"):
        EG2Classifier(COSTS).fit(lazy, y)


def test_a_search_takes_a_lazy_frame():
    X, y = drawn(300)
    limits = {"max_steps": 50, "time_limit": None, "random_state": 0}
    whole = FrugalTreeClassifier(COSTS, **limits).fit(X, y)
    assert FrugalTreeClassifier(COSTS, **limits).fit(X.lazy(), y).to_text() == whole.to_text()


def test_weights_count_cases_and_none_of_them_leaves_a_row_out():
    X, y = drawn()
    weights = np.random.default_rng(0).integers(0, 3, 700)
    whole = EG2Classifier(COSTS, max_bins=9).fit(X, y, weights)
    lazy = EG2Classifier(COSTS, max_bins=9).fit(X.lazy(), y, weights)
    assert lazy.to_text() == whole.to_text()


def test_where_numbers_are_told_apart_the_table_is_computed():
    X, y = drawn()
    assert (
        EG2Classifier(COSTS, max_bins=None).fit(X.lazy(), y).to_text()
        == EG2Classifier(COSTS, max_bins=None).fit(X, y).to_text()
    )


def test_named_columns_of_numbers_are_nominal():
    X, y = drawn()
    named = {"categorical_features": ["whole"]}
    found = survey.survey(streams.stream_of(X.lazy()), ["whole"])
    assert found.columns[1].categories == tuple(range(9))
    tree = EG2Classifier(COSTS, **named).fit(X.lazy(), y)
    assert tree.to_text() == EG2Classifier(COSTS, **named).fit(X, y).to_text()


def test_of_more_rows_some_numbers_are_kept_at_even_distances(monkeypatch):
    monkeypatch.setattr(survey, "SAMPLED", 80)
    X, y = drawn()
    stream = streams.stream_of(X.lazy())
    found = survey.survey(stream, "from_dtype")
    assert found.step == 8
    kept = X["whole"].to_numpy()[::8]
    assert found.samples[1].tolist() == kept.tolist()
    table = found.read(most=5, weights=np.ones(700))
    codes, values = table.codes[0], X["number"].to_numpy()
    for code in range(table.domain[0]):
        mine = values[codes == code]
        assert table.floors[table.start[0] + code] == mine.min()
        assert table.values[table.start[0] + code] == mine.max()
    tree = EG2Classifier(COSTS, max_bins=5).fit(X.lazy(), y)
    assert sum(map(len, [tree.predict(X)])) == 700


def test_a_class_of_the_last_part_alone(tmp_path):
    X, y = drawn()
    y = y.clone()
    y[699] = "c"
    frame = as_dask(X.with_columns(y))
    tree = EG2Classifier(COSTS).fit(frame.drop(columns="y"), frame["y"])
    assert tree.classes_.tolist() == ["a", "b", "c"]
    assert tree.class_frequencies_[2] == pytest.approx(1 / 700)


def test_a_value_of_the_last_part_alone():
    X, y = drawn()
    last = X.with_columns(place=pl.Series([*X["place"][:-1], "elsewhere"]))
    tree = EG2Classifier(COSTS).fit(last.lazy(), y)
    assert tree.to_text() == EG2Classifier(COSTS).fit(last, y).to_text()


def test_parts_with_other_columns_are_refused():
    meta = pd.DataFrame({"a": [1.0], "b": [1.0]})
    frame = dd.from_map(
        lambda names: pd.DataFrame({name: np.arange(90.0) for name in names}),
        [("a", "b"), ("a", "c")],
        meta=meta[:0],
        enforce_metadata=False,
    )
    with pytest.raises(InvalidTable, match=r"part 1 of the table has other columns.*'b'"):
        EG2Classifier(COSTS).fit(frame, np.arange(180) % 2)


def test_a_query_that_fails_is_said_in_a_sentence(tmp_path):
    pl.DataFrame({"a": [1.0], "b": [1]}).write_parquet(tmp_path / "0.parquet")
    pl.DataFrame({"a": [1.0]}).write_parquet(tmp_path / "1.parquet")
    lazy = pl.scan_parquet(tmp_path / "*.parquet")
    with pytest.raises(InvalidTable, match="the lazy frame cannot be computed"):
        EG2Classifier(COSTS).fit(lazy, [0, 1])


@pytest.mark.parametrize(
    ("y", "what"),
    [
        (pl.DataFrame({"y": [None, *["a"] * 699]}).lazy(), "the class of case 0 is missing"),
        (pl.DataFrame({"y": ["a", "b"] * 100}).lazy(), "700 cases but there are 200 classes"),
        (pl.DataFrame({"y": [1] * 700, "z": [2] * 700}).lazy(), "y has 2 columns"),
    ],
)
def test_classes_that_do_not_fit(y, what):
    with pytest.raises(InvalidTable, match=what):
        EG2Classifier(COSTS).fit(drawn()[0].lazy(), y)


def test_a_lazy_frame_without_rows():
    with pytest.raises(InvalidTable, match="0 rows and 5 columns"):
        EG2Classifier(COSTS).fit(drawn()[0].lazy().head(0), [])
