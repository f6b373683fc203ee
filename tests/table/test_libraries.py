"""Tables of every library give the same tree."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from frugaltree import (
    C45Classifier,
    Costs,
    EG2Classifier,
    ID3Classifier,
)
from frugaltree.table import UNSEEN, Column, as_array, encode, read
from support.columns import COSTS, drawn
from support.tables import as_pandas, as_polars, mixed_columns


def kinds(estimator):
    return [column.kind for column in estimator.tree_.columns]


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "with gaps"])
def test_same_tree_from_every_library(make_table, learner, missing):
    columns, y = mixed_columns(missing=missing)
    reference = learner(COSTS).fit(as_pandas(columns, ["stage"]), y)
    X = make_table(columns, ["stage"])
    fitted = learner(COSTS).fit(X, y)
    assert kinds(fitted) == ["numeric", "numeric", "nominal", "nominal", "nominal"]
    assert drawn(fitted.tree_) == drawn(reference.tree_)
    assert fitted.tree_.n_leaves > 2
    assert fitted.expected_cost_ == reference.expected_cost_
    assert [*fitted.test_usage_.values()] == [*reference.test_usage_.values()]
    frame = as_pandas(columns, ["stage"])
    np.testing.assert_array_equal(fitted.predict(X), reference.predict(frame))
    np.testing.assert_array_equal(fitted.predict_proba(X), reference.predict_proba(frame))
    np.testing.assert_array_equal(fitted.bill(X), reference.bill(frame))
    assert fitted.score(X, y) == reference.score(frame, y)


def test_fit_in_one_library_and_predict_in_another(make_table):
    columns, y = mixed_columns()
    frame = as_pandas(columns, ["stage"])
    fitted = EG2Classifier(COSTS).fit(frame.to_numpy(object), y)
    expected = fitted.predict(frame.to_numpy(object))
    np.testing.assert_array_equal(
        EG2Classifier(COSTS).fit(frame, y).predict(as_polars(columns)), expected
    )
    X = make_table(columns)
    if not isinstance(X, np.ndarray):
        np.testing.assert_array_equal(EG2Classifier(COSTS).fit(frame, y).predict(X), expected)


def test_arrow_record_batch():
    columns, y = mixed_columns()
    batch = pa.RecordBatch.from_pydict(columns)
    assert drawn(C45Classifier().fit(batch, y).tree_) == drawn(
        C45Classifier().fit(as_polars(columns), y).tree_
    )


def test_lists_of_lists():
    fitted = ID3Classifier().fit([[1, None], [2, 5], [3, 5], [4, 6]], [0, 0, 1, 1])
    assert fitted.tree_.condition(0, [0]) == "x0 <= 2.5"
    assert fitted.predict([[1.5, 9], [3.5, None]]).tolist() == [0, 1]


@pytest.mark.parametrize("kind", [list, tuple])
def test_numbers_beside_text_in_lists_stay_numbers(kind):
    rows = [[1, "u", True], [2, "v", False], [3, None, True], [np.nan, "v", False]]
    X = kind(kind(row) for row in rows)
    fitted = ID3Classifier().fit(X, [0, 0, 1, 0])
    assert read(as_array(X), list(fitted.test_usage_)).columns == (
        Column("x0", "numeric"),
        Column("x1", "nominal", ("u", "v")),
        Column("x2", "nominal", (False, True)),
    )
    assert fitted.tree_.condition(0, [0]) == "x0 <= 2.5"
    assert fitted.predict([[1.5, "u", True], [7, "w", False]]).tolist() == [0, 1]
    # A batch without text comes as an array of numbers, and is read alike.
    assert fitted.predict([[1.5, np.nan, True], [7, np.nan, False]]).tolist() == [0, 1]


def test_lists_of_numbers_become_an_array_of_numbers():
    assert as_array([[1, 2.5], [3, 4]]).dtype == np.float64
    assert as_array([[1, "u"], [3, "v"]]).tolist() == [[1, "u"], [3, "v"]]
    X = np.array([["1", "u"]])
    assert as_array(X) is X


def test_two_columns_may_hold_the_same_values():
    table = pa.table({"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]})
    assert ID3Classifier().fit(table, [0, 0, 1, 1]).tree_.n_leaves == 2


def test_columns_named_by_numbers():
    X = pd.DataFrame(np.eye(4))
    fitted = EG2Classifier(Costs([1, 2, 3, 4])).fit(X, [0, 0, 1, 1])
    assert [*fitted.test_usage_] == ["x0", "x1", "x2", "x3"]
    assert fitted.score(X, [0, 0, 1, 1]) <= 0


NAMED = ["b", "a", "b", "a"]


def arrow_dictionary(values):
    """Return an Arrow column of four values: the first, the second, a missing one, the first."""
    return pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0]), values)])


@pytest.mark.parametrize(
    ("series", "kind", "categories"),
    [
        pytest.param(pd.Series([3, 1, 2, 1]), "numeric", (), id="integers"),
        pytest.param(pd.Series([3, 1, None, 1], dtype="Int64"), "numeric", (), id="nullable"),
        pytest.param(pd.Series([3, 1, None, 1.5]), "numeric", (), id="floats"),
        pytest.param(pd.arrays.SparseArray([0, 1, 0, 0]), "numeric", (), id="sparse pandas"),
        pytest.param(pl.Series([Decimal("1.5"), None, Decimal(2), Decimal(1)]), "numeric", (),
                     id="decimals"),
        pytest.param(pd.Series([3, 1.5, None, 2], dtype=object), "numeric", (), id="objects"),
        pytest.param(pd.Series(NAMED, dtype=object), "nominal", ("a", "b"), id="text objects"),
        pytest.param(pd.Series([True, None, False, True], dtype=object), "nominal",
                     (False, True), id="boolean objects"),
        pytest.param(pd.Series(NAMED), "nominal", ("a", "b"), id="text"),
        pytest.param(pl.Series(NAMED), "nominal", ("a", "b"), id="polars text"),
        pytest.param(pa.chunked_array([NAMED[:2], NAMED[2:]]), "nominal", ("a", "b"),
                     id="arrow text"),
        pytest.param(pd.Series([True, False, True, True]), "nominal", (False, True), id="bool"),
        pytest.param(pd.Series([True, None, True, True], dtype="boolean"), "nominal",
                     (False, True), id="nullable bool"),
        pytest.param(pl.Series([True, None, True, True]), "nominal", (False, True),
                     id="polars bool"),
        pytest.param(pd.Series(NAMED, dtype="category"), "nominal", ("a", "b"), id="category"),
        pytest.param(pd.Categorical(NAMED, ["b", "a", "c"]), "nominal", ("b", "a", "c"),
                     id="declared order"),
        pytest.param(pd.Categorical([2, 1, 2, 1]), "nominal", (1, 2), id="numbers as categories"),
        pytest.param(pd.Categorical([2.0, 1.5, 2.0, None]), "nominal", (1.5, 2),
                     id="floats as categories"),
        pytest.param(pd.Categorical([True, False, None, True]), "nominal", (False, True),
                     id="booleans as categories"),
        pytest.param(pd.Categorical([2, "u", 2, "u"]), "nominal", (2, "u"), id="mixed categories"),
        pytest.param(pd.Categorical([2, pd.Interval(0, 5), None, 2]), "nominal", (2, "(0, 5]"),
                     id="numbers and intervals"),
        pytest.param(pd.Categorical([2.0, 1.0, None, 2.0], [2.0, 1.0], ordered=True), "ordinal",
                     (2, 1), id="ordered floats"),
        pytest.param(pl.Series(NAMED, dtype=pl.Categorical), "nominal", ("a", "b"),
                     id="polars category"),
        pytest.param(pl.Series(NAMED, dtype=pl.Enum(["b", "a", "c"])), "nominal",
                     ("b", "a", "c"), id="enum"),
        pytest.param(pa.chunked_array([pa.array(NAMED).dictionary_encode()]), "nominal",
                     ("a", "b"), id="arrow dictionary"),
        pytest.param(arrow_dictionary([2.5, 1.0]), "nominal", (1, 2.5), id="arrow floats"),
        pytest.param(arrow_dictionary([True, False]), "nominal", (False, True), id="arrow bools"),
        pytest.param(arrow_dictionary([Decimal("2.50"), Decimal("1.00")]), "nominal", (1, 2.5),
                     id="arrow decimals"),
        pytest.param(arrow_dictionary(["b", None]), "nominal", ("b",), id="arrow null category"),
        pytest.param(arrow_dictionary([2.0, np.nan]), "nominal", (2,), id="arrow nan category"),
        pytest.param(arrow_dictionary(["b", "b"]), "nominal", ("b",), id="arrow repeated"),
        pytest.param(pd.Categorical(NAMED, ["b", "c", "a"], ordered=True), "ordinal",
                     ("b", "c", "a"), id="ordered"),
        pytest.param(pd.cut([1, 9, 1, 9], [0, 5, 10]), "ordinal", ("(0, 5]", "(5, 10]"),
                     id="intervals"),
    ],
)  # fmt: skip
def test_what_a_column_is(series, kind, categories):
    if isinstance(series, pl.Series):
        X = series.to_frame("test")
    elif isinstance(series, pa.ChunkedArray):
        X = pa.table({"test": series})
    else:
        X = pd.DataFrame({"test": series})
    table = read(X, ["test"])
    assert table.columns == (Column("test", kind, categories),)
    np.testing.assert_array_equal(table.rows(np.arange(4)), encode(X, table.columns))


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("dtype", [int, float, object, bool], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("other", [int, float, object, bool], ids=lambda other: other.__name__)
def test_categories_that_are_numbers_match_as_numbers(dtype, other, ordered):
    def frame(kind):
        values = pd.Index([0, 1]).astype(kind)
        return pd.DataFrame({"test": pd.Categorical(values[[0, 1, 1]], values, ordered=ordered)})

    (column,) = read(frame(dtype), ["test"]).columns
    for X in (frame(other), frame(other).astype({"test": other}), pa.table(frame(other))):
        assert encode(X, [column]).ravel().tolist() == [0, 1, 1]


@pytest.mark.parametrize("values", [[2.5, 1.0], [True, False]], ids=["floats", "booleans"])
def test_arrow_categories_that_are_numbers_are_not_missing(values):
    X = pa.table({"test": arrow_dictionary(values)})
    table = read(X, ["test"])
    assert table.codes.tolist() == [[1, 0, -1, 1]]
    np.testing.assert_array_equal(encode(X, table.columns).ravel(), [1, 0, np.nan, 1])


def test_numbers_as_categories_are_numbers_to_a_numeric_column():
    X = pd.DataFrame({"test": pd.Categorical([2.5, 1.0, 2.5, None])})
    np.testing.assert_array_equal(
        encode(X, [Column("test", "numeric")]).ravel(), [2.5, 1, 2.5, np.nan]
    )


def test_arrow_keeps_an_order_that_it_was_told():
    frame = pd.DataFrame({"size": pd.Categorical(["L", "S"], ["S", "L"], ordered=True)})
    (column,) = read(pa.Table.from_pandas(frame), ["size"]).columns
    assert column == Column("size", "ordinal", ("S", "L"))


def test_ordered_categories_are_cut_in_their_order():
    grades = ["low", "middle", "high", "top"]
    X = pd.DataFrame({"grade": pd.Categorical(grades * 3, grades, ordered=True)})
    fitted = ID3Classifier().fit(X, [0, 0, 1, 1] * 3)
    assert fitted.tree_.n_leaves == 2
    assert fitted.tree_.condition(0, [0]) == "grade <= middle"
    assert fitted.predict(pd.DataFrame({"grade": ["middle", "high"]})).tolist() == [0, 1]
    told = ID3Classifier(categorical_features=["grade"]).fit(X, [0, 0, 1, 1] * 3)
    assert told.tree_.n_leaves == 4


def test_a_value_outside_an_order_counts_as_missing():
    grades = ["low", "high"]
    X = pd.DataFrame({"grade": pd.Categorical(["low", "high", "high"] * 3, grades, ordered=True)})
    fitted = ID3Classifier().fit(X, [0, 1, 1] * 3)
    assert fitted.predict(pd.DataFrame({"grade": ["lo", None]})).tolist() == [1, 1]


@pytest.mark.parametrize(
    "told", [["ward"], [0], [-2], (0,), [True, False], np.array([True, False]), np.array(["ward"])]
)
def test_integers_are_numbers_unless_told(told):
    X = pd.DataFrame({"ward": [3, 1, 2, 3, 1, 2], "age": [1, 2, 3, 4, 5, 6]})
    y = [1, 1, 0, 1, 1, 0]
    assert kinds(ID3Classifier().fit(X, y)) == ["numeric", "numeric"]
    fitted = ID3Classifier(categorical_features=told).fit(X, y)
    assert fitted.tree_.columns[0] == Column("ward", "nominal", (1, 2, 3))
    assert fitted.predict(X.astype({"ward": float})).tolist() == y
    assert fitted.predict(X.astype({"ward": str})).tolist() == y


def test_no_column_is_nominal_if_told_so():
    X = pd.DataFrame({"a": [True, False, True, None], "b": [1, 2, 3, 4]})
    assert kinds(ID3Classifier(categorical_features=None).fit(X, [0, 1, 0, 1])) == ["numeric"] * 2
    bare = np.array([[True], [False]])
    assert kinds(ID3Classifier(categorical_features=None).fit(bare, [0, 1])) == ["numeric"]


def test_booleans_are_also_zero_and_one():
    X = pd.DataFrame({"smoker": [True, False, True, False], "n": [0, 1, 0, 0]})
    fitted = ID3Classifier().fit(X, [1, 0, 1, 0])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert fitted.predict(X.to_numpy(float)).tolist() == [1, 0, 1, 0]
    assert fitted.predict(X.astype({"smoker": object, "n": bool})).tolist() == [1, 0, 1, 0]


def test_an_identifier_warns():
    X = pd.DataFrame({"name": [f"case {i}" for i in range(30)], "age": range(30)})
    with pytest.warns(UserWarning, match=r"'name' has 30 values in 30 cases") as caught:
        C45Classifier().fit(X, [0, 1] * 15)
    assert [warning.filename for warning in caught] == [__file__]  # the line that called fit


def test_truths_are_also_their_words():
    """Dask makes text of truths where some are missing."""
    tree = ID3Classifier().fit(pl.DataFrame({"b": ["True", "False"] * 5}), ["y", "n"] * 5)
    assert tree.predict(pl.DataFrame({"b": [True, False]})).tolist() == ["y", "n"]
    assert tree.predict(pd.DataFrame({"b": [False, None, True]}))[[0, 2]].tolist() == ["n", "y"]


def test_no_data_frame_has_half_a_character():
    columns = [Column("b", "nominal", ("\ud800", "red"))]
    assert encode(pl.DataFrame({"b": ["red", "blue"]}), columns)[:, 0].tolist() == [1.0, UNSEEN]
    assert encode(pl.DataFrame({"b": ["red"]}), [Column("b", "nominal", ("\ud800",))]) == UNSEEN
