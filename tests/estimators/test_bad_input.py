"""A user who gets everything wrong gets a sentence, and keeps the tree learned before."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn
from sklearn.exceptions import DataConversionWarning, NotFittedError

import frugaltree
from frugaltree import (
    C45Classifier,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    FrugalTreeClassifier,
    Group,
)
from frugaltree.exceptions import FrugaltreeError, InvalidCosts, InvalidTable, MissingFile
from support.tables import as_pandas, mixed_columns

pytestmark = [
    pytest.mark.filterwarnings("ignore:X does not have valid feature names"),
    pytest.mark.filterwarnings("ignore:invalid value encountered in cast"),
]

OURS = Path(frugaltree.__file__).parent
SKLEARN = Path(sklearn.__file__).parent

N = 30
NUMBERS = np.random.default_rng(0).normal(size=(N, 3)).round(2)
FRAME = pd.DataFrame(NUMBERS, columns=["age", "chol", "fbs"])
Y = np.where(NUMBERS[:, 0] > 0, "ill", "well")
DAY = datetime.date(2020, 1, 31)


def complaint(call, *args, **kwargs) -> str:
    """Return the message of an error that we or scikit-learn raise on purpose."""
    with pytest.raises((ValueError, TypeError)) as caught:
        call(*args, **kwargs)
    source = Path(caught.traceback[-1].path)
    assert source.is_relative_to(OURS) or source.is_relative_to(SKLEARN), caught.value
    message = str(caught.value)
    if isinstance(caught.value, FrugaltreeError):
        assert "\n" not in message
        assert ";" in message, "what is wrong; what to do"
        assert message.removesuffix("?").rstrip("'")[-1] == "." or "Did you mean" in message
    return message


def with_value(value, column=1, case=3) -> np.ndarray:
    table = NUMBERS.astype(object)
    table[case, column] = value
    return table


def with_column(values, name="chol") -> pd.DataFrame:
    return FRAME.assign(**{name: values})


# Tables

DAYS = pd.date_range("2020", periods=N)
TWICE = FRAME.set_axis(["age", "chol", "age"], axis=1)

BAD_TABLES = {
    "None": (None, "a table must be a data frame or a two-dimensional array, but is None"),
    "path": ("cases.csv", "a table must be .* but is 'cases.csv'; read a file"),
    "dict": ({"age": [1]}, "a table must be .*make a data frame of it"),
    "set": ({1, 2}, "a table must be"),
    "number": (5, "Expected 2D array"),
    "list": ([1, 2, 3], "Expected 2D array"),
    "one dimension": (NUMBERS[:, 0], r"Expected 2D array(.|\n)*Reshape your data"),
    "pandas series": (FRAME["age"], "Expected a 2-dimensional container"),
    "polars series": (pl.Series([1, 2]), "Expected 2D array"),
    "three dimensions": (NUMBERS.reshape(N, 3, 1), "Found array with dim 3"),
    "sparse matrix": (scipy.sparse.csr_matrix(NUMBERS), "Sparse data was passed"),
    "sparse array": (scipy.sparse.dok_array(NUMBERS), "Sparse data was passed"),
    "ragged list": ([[1, 2], [3], [4, 5]], "row 0 of the table has 2 values but row 1 has 1"),
    "a list in a cell": ([[1, [2, 3], "u"]] * N, r"column 'x1' holds a list, \[2, 3\]"),
    "mixed list": (
        [[1, "u", 2]] + [["v", "u", 2]] * 29,
        "'x0' mixes numbers and text, such as 1 ",
    ),
    "ragged arrays": ([np.ones(2), np.ones(3)], "row 0 of the table has 2 values but row 1 has 3"),
    "rows and numbers": ([[1, 2], 3], "row 0 of the table has 2 values but row 1 has 1"),
    "ragged tuples": (((1,), (2,), (3, 4)), "row 0 of the table has 1 values but row 2 has 2"),
    "no rows": (NUMBERS[:0], r"Found array with 0 sample\(s\)"),
    "no rows in pandas": (FRAME[:0], "the table has 0 rows and 3 columns; give it at least"),
    "no rows in polars": (pl.from_pandas(FRAME)[:0], "the table has 0 rows and 3 columns"),
    "no rows in arrow": (pa.Table.from_pandas(FRAME)[:0], "the table has 0 rows and 3 columns"),
    "no columns": (NUMBERS[:, :0], r"Found array with 0 feature\(s\)"),
    "no columns in pandas": (FRAME[[]], "the table has 30 rows and 0 columns"),
    "twice a name": (TWICE, "the table has two columns named 'age'; rename or drop one"),
    "twice in arrow": (
        pa.table([[1.0] * N, [2.0] * N], names=["age", "age"]),
        "the table has two columns named 'age'",
    ),
    "twice a number": (FRAME.set_axis([0, 1, 0], axis=1), "two columns named '0'"),
    "names of two types": (FRAME.set_axis(["age", 1, 2], axis=1), "all input features have str"),
    "infinite": (np.where(NUMBERS > 1, np.inf, NUMBERS), "contains infinity"),
    "infinite in pandas": (with_column(-np.inf), "column 'chol' holds an infinite .* in case 0"),
    "infinite in polars": (
        pl.from_pandas(with_column([1.0] * 29 + [np.inf])),
        "column 'chol' holds an infinite or too large number in case 29; give a finite one",
    ),
    "infinite in arrow": (pa.Table.from_pandas(with_column(np.inf)), "'chol' holds an infinite"),
    "infinite object": (with_value(float("inf")), "column 'x1' holds an infinite .* in case 3"),
    "too large": (with_value(10**400), "column 'x1' holds an infinite or too large .* in case 3"),
    "complex": (NUMBERS + 1j, "Complex data not supported"),
    "complex in pandas": (with_column(1j), "column 'chol' holds a complex"),
    "complex object": (with_value(1j), "column 'x1' holds a complex, 1j, but every"),
    "mixed": (with_value("high"), "column 'x1' mixes numbers and text, such as -?[0-9.]+ and 'hi"),
    "mixed in pandas": (
        with_column(pd.Series([1, "u"] * 15)),
        "mixes numbers and text.* 1 and 'u",
    ),
    "categories alike": (
        with_column(pd.Categorical([1, 1, "1"] * 10)),
        "column 'chol' mixes numbers and text, such as the categories 1 and '1', which read alike",
    ),
    "true and its name": (
        with_column(pd.Categorical([True, "True"] * 15)),
        "such as the categories True and 'True', which read alike",
    ),
    "infinite category": (
        with_column(pd.Categorical([np.inf, 1.0] * 15)),
        "column 'chol' holds an infinite or too large number in case 0",
    ),
    "text and booleans": (with_column(pd.Series([True, "u"] * 15)), "such as True and 'u'"),
    "days": (with_column(DAYS), "column 'chol' holds Datetime.*days since a fixed day"),
    "days in polars": (pl.from_pandas(with_column(DAYS)), "'chol' holds Datetime"),
    "days in arrow": (pa.Table.from_pandas(with_column(DAYS)), "'chol' holds Datetime"),
    "days in numpy": (np.full((N, 3), np.datetime64("2020-01-31")), "'x0' holds a datetime64"),
    "day objects": (with_value(DAY), r"'x1' holds a date, datetime.date\(2020, 1, 31\)"),
    "spans of time": (with_column(pd.to_timedelta(range(N))), "'chol' holds Duration"),
    "months": (with_column(pd.period_range("2020", periods=N)), "'chol' holds a Period"),
    "lists in cells": (with_column(pd.Series([[1]] * N)), "'chol' holds a list"),
    "lists in polars": (
        pl.DataFrame(dict.fromkeys(FRAME, [[1]] * N)),
        r"'age' holds List\(Int64\)",
    ),
    "dicts in cells": (with_value({"a": 1}), "'x1' holds a dict, .*must be a string or a number"),
    "bytes": (np.full((N, 3), b"u"), "column 'x0' holds a bytes_"),
    "bytes in polars": (
        pl.DataFrame(dict.fromkeys(FRAME, [b"u"] * N)),
        "column 'age' holds Binary",
    ),
}


@pytest.fixture
def fitted():
    """Return a learner that has a tree, and a check that it was left exactly as it was."""
    estimator = EG2Classifier(Costs([1, 2, 3], errors=50)).fit(FRAME, Y)
    before = vars(estimator).copy()
    answers = estimator.predict(FRAME).tolist(), estimator.bill(FRAME).tolist()
    yield estimator
    assert vars(estimator).keys() == before.keys()
    assert all(vars(estimator)[name] is value for name, value in before.items())
    assert (estimator.predict(FRAME).tolist(), estimator.bill(FRAME).tolist()) == answers


@pytest.mark.parametrize(("table", "message"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_bad_table_at_fit(fitted, table, message):
    with pytest.raises((ValueError, TypeError), match=message):
        fitted.fit(table, Y)
    complaint(fitted.fit, table, Y)


@pytest.mark.parametrize("table", [case[0] for case in BAD_TABLES.values()], ids=BAD_TABLES)
@pytest.mark.parametrize("method", ["predict", "predict_proba", "bill"])
def test_bad_table_at_predict(fitted, table, method):
    complaint(getattr(fitted, method), table)


@pytest.mark.parametrize("table", [case[0] for case in BAD_TABLES.values()], ids=BAD_TABLES)
def test_a_failed_fit_leaves_nothing_half_made(table):
    estimator = C45Classifier()
    complaint(estimator.fit, table, Y)
    assert vars(estimator).keys() == estimator.get_params().keys()
    with pytest.raises(NotFittedError):
        estimator.predict(FRAME)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (FRAME[["chol", "fbs"]], "the table has no column 'age', which the tree asks; add it"),
        (FRAME[["fbs", "age"]], "yet now missing:\n- chol"),
        (FRAME.assign(thal=1), "unseen at fit time:\n- thal"),
        (FRAME.rename(columns={"chol": "cholesterol"}), "- cholesterol(.|\n)*- chol"),
        (FRAME[["chol", "age", "fbs"]], "must be in the same order as they were in fit"),
        (pl.from_pandas(FRAME[["chol", "age", "fbs"]]), "must be in the same order"),
        (pa.Table.from_pandas(FRAME[["chol"]]), "has no column 'age', which the tree asks; add"),
        (NUMBERS[:, :2], "X has 2 features, but EG2Classifier is expecting 3 features"),
    ],
    ids=[
        "missing",
        "missing reordered",
        "extra",
        "renamed",
        "reordered",
        "reordered polars",
        "arrow",
        "numpy",
    ],
)
def test_other_columns_at_predict(fitted, table, message):
    with pytest.raises(ValueError, match=message):
        fitted.predict(table)
    complaint(fitted.bill, table)


@pytest.mark.parametrize(
    ("values", "got"),
    [
        ("high", "String"),
        (pd.Categorical(["high"] * N), "Categorical"),
        (DAYS, "Datetime"),
        (pd.Series([1, "high"] * 15, dtype=object), "'high'"),
        (pd.Series([1j] * N), "1j"),
        (pd.period_range("2020", periods=N), "Period"),
    ],
)
def test_a_numeric_column_with_something_else_at_predict(fitted, values, got):
    message = complaint(fitted.predict, with_column(values))
    assert message.startswith(f"column 'chol' was numeric at fit but holds {got}")


@pytest.mark.parametrize("values", [DAYS, pd.Series([DAY] * N), pd.Series([b"u"] * N)])
def test_a_nominal_column_with_something_else_at_predict(values):
    estimator = C45Classifier().fit(with_column(["u", "v"] * 15), Y)
    message = complaint(estimator.predict, with_column(values))
    assert message.startswith("column 'chol' was nominal at fit but holds")


def test_no_tree_yet():
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        C45Classifier().predict(FRAME)
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        C45Classifier().bill(FRAME)


# Classes

BAD_CLASSES = {
    "None": (None, "requires y to be passed, but the target y is None; give the classes"),
    "too few": (Y[:5], "the table has 30 cases but there are 5 classes; give one class per case"),
    "too many": ([*Y, "ill"], "the table has 30 cases but there are 31 classes"),
    "none": ([], "the table has 30 cases but there are 0 classes"),
    "two columns": (np.c_[Y, Y], r"y should be a 1d array, got an array of shape \(30, 2\)"),
    "a frame": (FRAME, r"y should be a 1d array, got an array of shape \(30, 3\)"),
    "three dimensions": (np.zeros((N, 1, 1)), "Found array with dim 3"),
    "one label": ("ill", r"y should be a 1d array, got an array of shape \(\)"),
    "name of a column": ("age", r"y should be a 1d array"),
    "mapping": ({0: "ill"}, "y should be a 1d array"),
    "sparse": (scipy.sparse.csr_matrix(np.ones((N, 1))), "y should be a 1d array"),
    "continuous": (NUMBERS[:, 0], "Unknown label type: continuous"),
    "continuous list": (NUMBERS[:, 0].tolist(), "Unknown label type: continuous"),
    "nan": (np.where(NUMBERS[:, 0] > 0, 1, np.nan), "Input y contains NaN"),
    "infinite": (np.where(NUMBERS[:, 0] > 0, 1, np.inf), "Input y contains infinity"),
    "None among text": (["ill", None] * 15, "the class of case 1 is missing; drop the case"),
    "nan among text": (["ill", float("nan")] * 15, "the class of case 1 is missing"),
    "nan among objects": (np.array(["ill", np.nan] * 15, object), "class of case 1 is missing"),
    "pd.NA": (pd.Series(["ill", pd.NA] * 15), "the class of case 1 is missing"),
    "pd.NA integers": (pd.Series([1, pd.NA] * 15, dtype="Int64"), "y contains NaN|case 1 is miss"),
    "category": (pd.Categorical(["ill", None] * 15), "the class of case 1 is missing"),
    "polars null": (pl.Series(["ill", None] * 15), "the class of case 1 is missing"),
    "arrow null": (pa.array(["ill", None] * 15), "the class of case 1 is missing"),
    "text and numbers": ([1, "ill"] * 15, "the class of case 0 is 1, but classes must be all tex"),
    "mixed objects": (np.array(["ill", 1] * 15, object), "the class of case 1 is 1, but classes"),
    "days": (DAYS, "the class of case 0 is .*datetime64.*convert the labels"),
    "day objects": ([DAY] * N, r"the class of case 0 is datetime.date\(2020, 1, 31\)"),
    "complex": (np.full(N, 1j), "the class of case 0 is .*1j.*convert the labels"),
    "bytes": (np.array([b"u", b"v"] * 15), "the class of case 0 is .*b'u'"),
    "lists": ([[1, 2], [3]] * 15, r"the class of case 0 is \[1, 2\], but classes must be"),
}


@pytest.mark.parametrize(("classes", "message"), BAD_CLASSES.values(), ids=BAD_CLASSES)
def test_bad_classes(fitted, classes, message):
    with pytest.raises((ValueError, TypeError), match=message):
        fitted.fit(FRAME, classes)
    complaint(fitted.fit, FRAME, classes)


def test_one_column_of_classes_is_taken_with_a_warning():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        estimator = C45Classifier().fit(FRAME, Y.reshape(-1, 1))
    assert estimator.classes_.tolist() == ["ill", "well"]


# Weights


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"sample_weight.shape == \(2,\), expected \(30,\)"),
        (np.ones((N, 2)), "Sample weights must be 1D"),
        (-np.ones(N), "Negative values in data passed to `sample_weight`"),
        (np.zeros(N), "sample_weight is 0 for every case; give at least one case a non-zero"),
        (0, "sample_weight is 0 for every case"),
        ([1e308] * N, r"sample_weight adds up to inf cases, but at most 9.*; divide the weights"),
        ([1e15] * N, r"sample_weight adds up to 3e\+16 cases"),
        (["two"] * N, "sample_weight holds 'two', which is not a number; say for each case how"),
        ([1] * 29 + ["two"], "sample_weight holds 'two', which is not a number"),
        (np.array(["2"] * N), "sample_weight holds '2', which is not a number"),
        ("age", "sample_weight holds 'age', which is not a number"),
        ({"age": 2}, "sample_weight holds {'age': 2}, which is not a number"),
        ([DAY] * N, r"sample_weight holds datetime.date\(2020, 1, 31\)"),
        (np.full(N, 1j), "sample_weight holds 1j, which is not a number"),
        ([[1], [2, 3]], r"sample_weight holds \[1\], which is not a number"),
        ([10**400] * N, "Input sample_weight contains infinity"),
        ([1, None] * 15, "Input sample_weight contains NaN"),
        (pd.Series([1, pd.NA] * 15, dtype="Int64"), "Input sample_weight contains NaN"),
        (np.full(N, np.nan), "Input sample_weight contains NaN"),
        (np.full(N, np.inf), "Input sample_weight contains infinity"),
    ],
)
def test_bad_weights(fitted, weights, message):
    with pytest.raises(ValueError, match=message):
        fitted.fit(FRAME, Y, weights)
    complaint(fitted.fit, FRAME, Y, weights)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({"ill": -1}, "class_weight has -1, but a weight must be a finite number, 0 or more"),
        ({"ill": np.inf}, "class_weight has inf, but a weight must be"),
        ({"ill": 0, "well": 0}, "leave every case a weight of 0; give at least one"),
        ({"ill": 1e20}, r"sample_weight adds up to .* cases, but at most"),
        ("equal", "'class_weight' parameter of EG2Classifier must be"),
    ],
)
def test_bad_class_weights(class_weight, message):
    with pytest.raises(ValueError, match=message):
        EG2Classifier(class_weight=class_weight).fit(FRAME, Y)
    complaint(EG2Classifier(class_weight=class_weight).fit, FRAME, Y)


@pytest.mark.parametrize("least", [0, -1, 1.0, 0.0, "few"])
def test_bad_sizes_of_leaves(least):
    message = complaint(DTMCClassifier(min_samples_leaf=least).fit, FRAME, Y)
    assert message.startswith("The 'min_samples_leaf' parameter of DTMCClassifier must be")


def test_bounds_that_do_not_hold_for_fractions_of_cases():
    searcher = FrugalTreeClassifier(pessimism=0.01)
    message = complaint(searcher.fit, FRAME, Y, np.full(N, 1.5))
    assert message == (
        "pessimism is 0.01, but with fractions of cases bounds hold from 0.04 on; give whole "
        'weights, a larger number, or expected_error="exact".'
    )
    assert searcher.fit(FRAME, Y, np.full(N, 2)).tree_.weights[0] == 2 * N


# Parameters


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cf": 2}, r"'cf' parameter of EG2Classifier must be a float in the range \(0.0, 1.0\)"),
        ({"cf": 0}, "'cf' parameter"),
        ({"cf": float("nan")}, "'cf' parameter"),
        ({"cf": "high"}, "'cf' parameter .* Got 'high' instead"),
        ({"w": -1}, r"'w' parameter of EG2Classifier must be a float in the range \[0.0, inf\)"),
        ({"w": float("inf")}, "'w' parameter"),
        ({"w": None}, "'w' parameter"),
        ({"prices": "x"}, "'prices' parameter .* among {.*'static'.*}. Got 'x' instead"),
        ({"min_cases": 0}, "'min_cases' parameter"),
        ({"prune": "yes"}, "'prune' parameter"),
        ({"raise_subtrees": 3}, "'raise_subtrees' parameter"),
        ({"expected_error": "none"}, "'expected_error' parameter .* Got 'none' instead"),
        ({"n_jobs": "all"}, "'n_jobs' parameter"),
        ({"n_jobs": 0}, "'n_jobs' parameter"),
        ({"verbose": "loud"}, "'verbose' parameter"),
        ({"random_state": "seed"}, "'random_state' parameter"),
        ({"costs": "costs.toml"}, "'costs' parameter .* Got 'costs.toml' instead"),
        ({"costs": {"age": 1}}, "'costs' parameter .* must be an instance of .*Costs' or None"),
        ({"categorical_features": "age"}, "'categorical_features' parameter .* Got 'age' instead"),
        (
            {"categorical_features": ["nope"]},
            "categorical_features names 'nope', but the table has no such column; correct the",
        ),
        ({"categorical_features": ["cholest"]}, "Did you mean 'chol'?"),
        ({"categorical_features": [3]}, "has position 3, but the table has 3 columns; give a pos"),
        ({"categorical_features": [-4]}, "has position -4"),
        ({"categorical_features": [True, False]}, "a mask, or a list of names .* got True in it"),
        ({"categorical_features": [0.5]}, "categorical_features must be .* got 0.5 in it"),
        ({"categorical_features": {"age": True}}, "categorical_features must be"),
    ],
    ids=str,
)
def test_bad_parameters(parameters, message):
    estimator = EG2Classifier().fit(FRAME, Y)
    tree = estimator.tree_
    estimator.set_params(**parameters)
    with pytest.raises((ValueError, TypeError), match=message):
        estimator.fit(FRAME, Y)
    complaint(estimator.fit, FRAME, Y)
    assert estimator.tree_ is tree


def test_an_unknown_parameter():
    with pytest.raises(TypeError, match="unexpected keyword argument 'depth'"):
        C45Classifier(depth=3)
    with pytest.raises(ValueError, match="Invalid parameter 'depth' for estimator C45Classifier"):
        C45Classifier().set_params(depth=3)


def test_text_where_no_column_may_be_nominal():
    message = complaint(C45Classifier(categorical_features=None).fit, with_column("u"), Y)
    assert message == (
        "column 'chol' holds text such as 'u', but categorical_features=None allows no nominal "
        'column; give numbers, or set categorical_features="from_dtype".'
    )
    objects = with_column("u").to_numpy(object)
    complaint(C45Classifier(categorical_features=None).fit, objects, Y)


# Costs


@pytest.mark.parametrize("price", [-1, float("nan"), float("inf"), "5", None, True, [1], 1j])
def test_bad_prices(price):
    assert complaint(Costs, {"age": price}).startswith("the price of test 'age' must be a finite")
    complaint(Costs, [price])
    complaint(Group, ["age"], cost=price)
    complaint(Group, {"age": price})


@pytest.mark.parametrize("price", [-1, float("nan"), float("inf"), "5", True, 1j])
def test_bad_default_price_and_error_cost(price):
    assert complaint(Costs, default_test_cost=price).startswith("default_test_cost must be")
    assert complaint(Costs, errors=price).startswith("the cost of an error must be")


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (
            lambda: Costs({"age": 1, "chol": 5, "fbss": 1}),
            "tests has a price for 'fbss', but the table has no such column; correct the name or "
            "drop it. Did you mean 'fbs'?",
        ),
        (
            lambda: Costs({"age": 1, "chol": 5}),
            "test 'fbs' has no price; add it to tests, or give default_test_cost for all that "
            "tests leaves out.",
        ),
        (
            lambda: Costs([1, 2]),
            "test 'fbs' has no price; add it to tests, or give default_test_cost for all that "
            "tests leaves out.",
        ),
        (
            lambda: Costs([1, 2, 3, 4]),
            "tests has a price for position 3, but the table has 3 columns; give a position from "
            "0 to 2.",
        ),
        (
            lambda: Costs(groups={"blood": Group(["chol", "fsb"], cost=1)}),
            "group 'blood' names 'fsb', but the table has no such column; correct the name or "
            "drop it. Did you mean 'fbs'?",
        ),
        (
            lambda: Costs(delayed=["age", "thal"]),
            "delayed names 'thal', but the table has no such column; correct the name or drop it.",
        ),
        (
            lambda: Costs(errors=[[0, 1, 1], [1, 0, 1], [1, 1, 0]]),
            "the error matrix has 3 classes, but the table has 2: ['ill', 'well']; name the "
            "classes of the matrix with classes=[...].",
        ),
        (
            lambda: Costs(errors={("ill", "healthy"): 1, ("healthy", "ill"): 5}),
            "class 'well' has no error costs, which are given for ['healthy', 'ill']; add it to "
            "the costs or correct the label.",
        ),
    ],
)
def test_costs_that_do_not_fit_the_table(costs, message):
    estimator = EG2Classifier().fit(FRAME, Y)
    tree = estimator.tree_
    estimator.set_params(costs=costs())
    assert complaint(estimator.fit, FRAME, Y) == message
    assert estimator.tree_ is tree


def test_other_costs_that_do_not_fit_the_table(fitted):
    assert complaint(fitted.bill, FRAME, Costs({"age": 1})).startswith("test 'chol' has no price")


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        ([[0, 1], [1, 0], [1, 1]], "the error matrix must be square, .* has 3 rows of 2 numbers"),
        ([[0, 1, 2], [1, 0, 2]], "the error matrix must be square"),
        ([0, 1], "the error matrix must be square"),
        (np.ones((2, 2, 2)), "the cost of predicting|error matrix"),
        ([[1, 5], [5, 0]], "predicting class 0 for 0 is no error, but costs 1; write 0 on the"),
        ([[0, -5], [5, 0]], "the cost of predicting class 0 for 1 must be a finite number"),
        ([[0, float("nan")], [5, 0]], "the cost of predicting class 0 for 1"),
        ({("ill", "well"): 5}, "errors has no cost for predicting 'well' when the class is 'ill'"),
        ({"ill": 5}, "errors has the key 'ill', which is not a pair of classes"),
        ({}, "errors is empty"),
    ],
    ids=str,
)
def test_bad_error_costs(errors, message):
    with pytest.raises(InvalidCosts, match=message):
        Costs(errors=errors)
    complaint(Costs, errors=errors)


def test_a_group_of_a_test_without_price():
    message = complaint(Costs, {"age": 1}, {"blood": Group(["chol"], cost=1)})
    assert message.startswith("group 'blood' names 'chol', which has no price; add it to tests")


def test_bad_files(tmp_path):
    absent = complaint(Costs.from_toml, tmp_path / "costs.toml")
    assert absent.endswith("costs.toml does not exist; check the path.")
    with pytest.raises(MissingFile):
        Costs.from_toml(tmp_path / "costs.toml")
    with pytest.raises(FileNotFoundError):
        Costs.from_toml(tmp_path / "costs.toml")
    assert complaint(Costs.from_toml, tmp_path).endswith(
        "is a folder, not a file; check the path."
    )
    file = tmp_path / "costs.toml"
    file.write_text("age: 1\nchol: 5\n")
    message = complaint(Costs.from_toml, file)
    assert message.startswith(f"{file} is not valid TOML")
    assert message.endswith("correct that line.")
    file.write_bytes(b"\xff\xfe\x00")
    assert "is not UTF-8 text" in complaint(Costs.from_toml, file)
    file.write_text("[test]\nage = 1\n")
    assert complaint(Costs.from_toml, file).endswith("Did you mean 'tests'?")
    file.write_text("[tests]\nage = -1\n")
    assert "the price of test 'age' must be a finite number" in complaint(Costs.from_toml, file)


# What went wrong in the middle


def test_an_interrupted_fit_keeps_the_old_tree(fitted, monkeypatch):
    def interrupt(self, problem):
        raise KeyboardInterrupt

    monkeypatch.setattr(EG2Classifier, "_search", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(NUMBERS + 1, Y)


def test_errors_are_ours_and_pythons():
    columns, y = mixed_columns()
    with pytest.raises(InvalidTable) as caught:
        C45Classifier().fit(as_pandas(columns).assign(day=DAY), y)
    assert isinstance(caught.value, FrugaltreeError)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("name", ["C45Classifier", "ACTClassifier", "FrugalTreeClassifier"])
def test_a_whole_number_that_no_kernel_can_hold_is_refused(name):
    learner = getattr(frugaltree, name)(min_cases=10**400)
    with pytest.raises(FrugaltreeError, match=r"'min_cases' parameter of .* is too large"):
        learner.fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("name", ["EG2Classifier", "ACTClassifier", "FrugalTreeClassifier"])
@pytest.mark.parametrize("errors", [1e140, 1e-320])
def test_whatever_can_be_priced_can_be_fitted_and_saved(name, errors, tmp_path):
    costs = Costs([errors, errors / 3], errors=errors)
    X, y = [[a % 2, a % 3] for a in range(24)], [a % 2 for a in range(24)]
    learner = getattr(frugaltree, name)(costs).fit(X, y)
    assert 0 <= learner.expected_cost_ < np.inf
    frugaltree.save_model(learner, tmp_path / "model.json")
    copy = frugaltree.load_model(tmp_path / "model.json")
    assert copy.expected_cost_ == learner.expected_cost_


def test_labels_that_their_own_library_cannot_convert_are_refused():
    y = pl.Series([2**70, 1, 2**70], dtype=pl.Int128)
    with pytest.raises(InvalidTable, match="y cannot be read as classes"):
        C45Classifier().fit([[0], [1], [2]], y)
