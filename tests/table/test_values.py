"""Missing, unseen and weighted values; arrays of every shape; one signature for each kernel."""

from __future__ import annotations

import subprocess
import sys

import joblib
import numba
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from frugaltree import (
    C45Classifier,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    FrugalTreeClassifier,
    Group,
    ICETClassifier,
    ID3Classifier,
)
from frugaltree.table import UNSEEN, Column, encode, read
from support.columns import COSTS, drawn, numbers
from support.learners import C45_FAMILY
from support.tables import LIBRARIES, as_pandas, mixed_columns


def skip_if_rows_are_parted(learner):
    """Skip who parts the rows at random: their order, and how often one stands, then matter."""
    if learner.func in (FrugalTreeClassifier, ICETClassifier):
        pytest.skip(f"{learner.func.__name__} parts the rows at random")


NUMBERS = {
    "nan": pd.Series([1.0, np.nan, 1.0, 4.0, 4.0]),
    "None": pd.Series([1, None, 1, 4, 4], dtype=object),
    "pd.NA": pd.Series([1, pd.NA, 1, 4, 4], dtype="Int64"),
    "pd.NA object": pd.Series([1, pd.NA, 1, 4, 4], dtype=object),
    "polars": pl.Series([1, None, 1, 4, 4]),
    "polars nan": pl.Series([1.0, float("nan"), 1.0, 4.0, 4.0]),
    "arrow": pa.chunked_array([[1, None, 1, 4, 4]]),
}


WORDS = {
    "nan": pd.Series(["u", np.nan, "u", "v", "v"], dtype=object),
    "None": pd.Series(["u", None, "u", "v", "v"], dtype=object),
    "str": pd.Series(["u", None, "u", "v", "v"], dtype="str"),
    "pd.NA": pd.Series(["u", pd.NA, "u", "v", "v"], dtype="string"),
    "category": pd.Series(["u", None, "u", "v", "v"], dtype="category"),
    "polars": pl.Series(["u", None, "u", "v", "v"]),
    "polars category": pl.Series(["u", None, "u", "v", "v"], dtype=pl.Categorical),
    "arrow": pa.chunked_array([["u", None, "u", "v", "v"]]),
}


def one_column(values):
    if isinstance(values, pl.Series):
        return values.to_frame("test")
    if isinstance(values, pa.ChunkedArray):
        return pa.table({"test": values})
    return pd.DataFrame({"test": values})


@pytest.mark.parametrize(
    "values", [*NUMBERS.values(), *WORDS.values()], ids=[*NUMBERS, *(f"{w} word" for w in WORDS)]
)
def test_missing_values_of_every_sort(values):
    X, y = one_column(values), [0, 1, 0, 1, 1]
    table = read(X, ["test"])
    assert table.codes.tolist() == [[0, -1, 0, 1, 1]]
    assert np.isnan(encode(X, table.columns)[1, 0])
    # In ID3, case 1 has a branch of its own, and does not pay.
    fitted = ID3Classifier(Costs([5])).fit(X, y)
    assert fitted.tree_.nodes.counts.tolist() == [[2, 3], [2, 0], [0, 2], [0, 1]]
    assert fitted.predict(X).tolist() == [0, 1, 0, 1, 1]
    assert fitted.bill(X).tolist() == [5, 0, 5, 5, 5]
    charged = ID3Classifier(Costs([5], charge_missing=True)).fit(X, y)
    assert charged.bill(X).tolist() == [5] * 5
    # C4.5 sends one half of it down each branch, and answers for it by both.
    spread = C45Classifier(Costs([5]), min_cases=1, prune=False).fit(X, y)
    assert spread.tree_.nodes.counts.tolist() == [[2, 3], [2, 0.5], [0, 2.5]]
    np.testing.assert_allclose(spread.predict_proba(X)[1], [0.4, 0.6])
    assert spread.bill(X).tolist() == [5] * 5


@pytest.mark.parametrize(
    "empty",
    [
        pd.DataFrame({"a": [np.nan] * 4, "b": [1, 2, 3, 4]}),
        pd.DataFrame({"a": pd.Series([None] * 4, dtype=object), "b": [1, 2, 3, 4]}),
        pd.DataFrame({"a": pd.Series([None] * 4, dtype="category"), "b": [1, 2, 3, 4]}),
        pl.DataFrame({"a": [None] * 4, "b": [1, 2, 3, 4]}),
        pl.DataFrame({"a": pl.Series([None] * 4, dtype=pl.String), "b": [1, 2, 3, 4]}),
        pa.table({"a": [None] * 4, "b": [1, 2, 3, 4]}),
        np.array([[None, 1], [None, 2], [None, 3], [None, 4]], dtype=object),
        np.array([[np.nan, 1], [np.nan, 2], [np.nan, 3], [np.nan, 4]]),
    ],
    ids=["nan", "object", "category", "null", "text", "arrow", "array of None", "array of nan"],
)
def test_a_column_with_no_value_at_all(empty, learner):
    fitted = learner().fit(empty, [0, 0, 1, 1])
    assert fitted.predict(empty).tolist() == [0, 0, 1, 1]
    assert [*fitted.test_usage_.values()] == [0, 1]


def test_an_empty_text_column_may_have_text_later():
    X = pl.DataFrame({"a": pl.Series([None] * 4, dtype=pl.String), "b": [1, 2, 3, 4]})
    fitted = ID3Classifier().fit(X, [0, 0, 1, 1])
    later = X.with_columns(pl.Series("a", ["u", None, "v", "w"]))
    assert fitted.predict(later).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_one_case_with_nothing_known(library, learner):
    columns, y = mixed_columns()
    fitted = learner(COSTS).fit(LIBRARIES[library](columns, ["stage"]), y)
    unknown = LIBRARIES[library]({name: [None] for name in columns})
    shares = fitted.predict_proba(unknown)
    assert fitted.predict(unknown)[0] in ("ill", "well")
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (fitted.bill(unknown)[0] > 0) == fitted.tree_.fractional


def test_a_value_never_seen_gets_the_nodes_answer_and_the_bill(make_table, learner):
    columns = {"pain": ["u"] * 3 + ["v"] * 4, "age": [1, 1, 1, 1, 1, 1, 1]}
    fitted = learner(Costs([5, 1], errors=50)).fit(make_table(columns), [0, 0, 0, 1, 1, 1, 1])
    new = make_table({"pain": ["w", "u"], "age": [1, 1]})
    assert fitted.predict(new).tolist() == [1, 0]  # four of the seven are 1
    unseen, seen = fitted.predict_proba(new)
    np.testing.assert_allclose(unseen, [3 / 7, 4 / 7])
    assert seen[0] > 0.9
    assert fitted.bill(new).tolist() == [5, 5]


def test_a_declared_category_that_nobody_had_is_never_seen():
    values = pd.Categorical(["u"] * 3 + ["v"] * 4, ["u", "w", "v"])
    fitted = ID3Classifier(Costs([5])).fit(pd.DataFrame({"a": values}), [0, 0, 0, 1, 1, 1, 1])
    new = pd.DataFrame({"a": ["w"]})
    assert fitted.predict(new).tolist() == [1]
    assert fitted.bill(new).tolist() == [5]


@pytest.mark.parametrize("values", [[7.0], [2.5], [-1]])
def test_a_nominal_number_never_seen(values):
    X = np.array([[1], [1], [2], [2], [2]])
    fitted = ID3Classifier(categorical_features=[0]).fit(X, [0, 0, 1, 1, 1])
    assert encode(np.array([values]), fitted.tree_.columns).tolist() == [[UNSEEN]]
    assert fitted.predict([values]).tolist() == [1]


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "with gaps"])
def test_whole_weights_are_repeated_cases(learner, missing):
    skip_if_rows_are_parted(learner)
    columns, y = mixed_columns(missing=missing)
    X, y = as_pandas(columns, ["stage"]), np.array(y)
    weights = np.random.default_rng(3).integers(0, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    weighted = learner(COSTS).fit(X, y, sample_weight=weights)
    plain = learner(COSTS).fit(X.iloc[repeated], y[repeated])
    assert drawn(weighted.tree_) == drawn(plain.tree_)
    assert weighted.expected_cost_ == pytest.approx(plain.expected_cost_)
    assert weighted.test_usage_ == pytest.approx(plain.test_usage_)
    assert weighted.score(X, y, weights) == pytest.approx(
        plain.score(X.iloc[repeated], y[repeated])
    )


@pytest.mark.parametrize("learner", C45_FAMILY, ids=lambda learner: learner.__name__)
def test_fractions_of_cases_in_the_c45_family(learner):
    columns, y = mixed_columns()
    X = as_pandas(columns, ["stage"])
    halves = learner(COSTS, min_cases=1, prune=False).fit(X, y, np.full(len(y), 0.5))
    whole = learner(COSTS, min_cases=2, prune=False).fit(X, y)
    np.testing.assert_allclose(2 * halves.tree_.nodes.counts[0], whole.tree_.nodes.counts[0])
    assert halves.class_frequencies_ == pytest.approx(whole.class_frequencies_)


@pytest.mark.parametrize("learner", [ID3Classifier, DTMCClassifier])
def test_fractions_of_cases_elsewhere(learner):
    fitted = learner().fit([[1], [2]], [0, 1], [1, 0.5])
    assert fitted.tree_.nodes.counts.tolist() == [[1, 0.5], [1, 0], [0, 0.5]]


def test_cases_of_no_weight_are_not_there(make_table):
    columns, y = mixed_columns()
    weights = [0.0 if answer == "well" else 1.0 for answer in y]
    with pytest.warns(UserWarning, match="all cases are of one class, 'ill'"):
        fitted = C45Classifier().fit(make_table(columns), y, weights)
    assert fitted.classes_.tolist() == ["ill"]


def asked_twice():
    """Return cases where all ten must say a, only the four with a = 2 also b, and nobody c."""
    columns = {
        "a": [1, 1, 1, 1, 1, 1, 2, 2, 2, 2],
        "b": [5, 6, 5, 6, 5, 6, 5, 6, 6, 6],
        "c": [0] * 10,
    }
    return columns, [0, 0, 0, 0, 0, 0, 0, 1, 1, 1]


def test_usage_by_hand(make_table):
    columns, y = asked_twice()
    costs = Costs([3, 4, 5], {"g": Group([0, 1], cost=1)}, errors=100)
    fitted = ID3Classifier(costs).fit(make_table(columns), y)
    assert [*fitted.test_usage_.values()] == [1, 0.4, 0]
    assert fitted.bill(make_table(columns)).tolist() == [4] * 6 + [8] * 4
    assert fitted.expected_test_cost_ == pytest.approx(5.6)


def test_usage_of_delayed_tests(make_table):
    columns, y = asked_twice()
    costs = Costs([3, 4, 5], {"g": Group([0, 1], cost=1)}, delayed=[0], errors=100)
    fitted = ID3Classifier(costs).fit(make_table(columns), y)
    assert [*fitted.test_usage_.values()] == [1, 1, 0]  # asking a orders b as well
    assert fitted.bill(make_table(columns)).tolist() == [8] * 10
    assert fitted.expected_test_cost_ == pytest.approx(8)


def test_usage_with_missing_values_counts_every_branch():
    X = [[1.0, 5], [1, 5], [np.nan, 5], [2, 6], [2, 6], [2, 5]]
    fitted = C45Classifier(Costs([3, 4]), min_cases=1, prune=False).fit(X, [0, 0, 0, 1, 1, 0])
    assert fitted.bill(X).mean() == pytest.approx(fitted.expected_test_cost_)
    total = sum(
        price * share for price, share in zip([3, 4], fitted.test_usage_.values(), strict=True)
    )
    assert total == pytest.approx(fitted.expected_test_cost_)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint16, np.int64, object])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_every_dtype_and_order(learner, dtype, order):
    X, y = numbers()
    reference = learner().fit(X.astype(float), y)
    given = np.array(X, dtype, order=order)
    given.flags.writeable = False
    fitted = learner().fit(given, y)
    assert drawn(fitted.tree_) == drawn(reference.tree_)
    np.testing.assert_array_equal(fitted.predict(given), reference.predict(X))
    np.testing.assert_array_equal(fitted.predict_proba(given), reference.predict_proba(X))
    np.testing.assert_array_equal(given, X)


def test_views_with_gaps_and_backwards(learner):
    X, y = numbers()
    reference = learner().fit(X, y)
    wide = np.zeros((120, 8))
    wide[::2, ::2] = X
    view = wide[::2, ::2]
    np.testing.assert_array_equal(learner().fit(view, y).predict(view), reference.predict(X))
    skip_if_rows_are_parted(learner)
    np.testing.assert_array_equal(learner().fit(X[::-1], y[::-1]).predict(X), reference.predict(X))


def test_boolean_arrays_are_nominal(learner):
    X, y = numbers()
    fitted = learner().fit(X > 2, y)
    assert fitted.tree_.columns[0] == Column("x0", "nominal", (False, True))
    np.testing.assert_array_equal(fitted.predict(X > 2), fitted.predict((X > 2).astype(float)))
    np.testing.assert_array_equal(
        fitted.predict(X > 2), learner().fit(pl.DataFrame(X > 2), y).predict(pl.DataFrame(X > 2))
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_memory_mapped_arrays(tmp_path, learner, dtype):
    X, y = numbers()
    joblib.dump((X.astype(dtype), y), tmp_path / "cases")
    mapped, classes = joblib.load(tmp_path / "cases", mmap_mode="r")
    assert isinstance(mapped, np.memmap)
    assert not mapped.flags.writeable
    fitted = learner().fit(mapped, classes, sample_weight=np.broadcast_to(1.0, len(y)))
    np.testing.assert_array_equal(fitted.predict(mapped), learner().fit(X, y).predict(X))
    assert fitted.bill(mapped).shape == (60,)


def test_the_table_is_left_alone(make_table):
    columns, y = mixed_columns()
    X, untouched = make_table(columns, ["stage"]), make_table(columns, ["stage"])
    fitted = EG2Classifier(COSTS).fit(X, y)
    fitted.score(X, y)
    if isinstance(X, np.ndarray):
        assert X.tolist() == untouched.tolist()
    else:
        assert X.equals(untouched)


SIGNATURES = """
import importlib, pkgutil, warnings
import numpy as np
from numba.core.dispatcher import Dispatcher
from support.learners import LEARNERS, seeded
from support.tables import LIBRARIES, mixed_columns
import frugaltree.kernels
from frugaltree import Costs, EG2Classifier, Group

warnings.simplefilter("ignore")
costs = Costs([1, 7, 3, 2, 4], {"g": Group([0, 1], cost=1)}, delayed=[1], errors=50)
bare = Costs(errors=9)
rows = np.random.default_rng(0).integers(0, 5, (40, 5))
y = rows[:, 0] > 2
read_only = np.asfortranarray(rows, np.float32)
read_only.flags.writeable = False
tables = [(rows.astype(dtype), y) for dtype in (float, np.float32, np.int8, bool, object)]
frozen = rows.astype(float)
frozen.flags.writeable = False
tables += [(frozen, y), (rows.astype(float)[::-1], y), (read_only, y.astype(str)), (rows + 0.5, y)]
for missing in (False, True):
    columns, classes = mixed_columns(missing=missing)
    tables += [(make(columns, ["stage"]), classes) for make in LIBRARIES.values()]
for learner in map(seeded, LEARNERS):
    for X, y in tables:
        for prices in (costs, bare, None):
            for weights in (None, np.arange(len(y)) % 3):
                fitted = learner(prices).fit(X, y, weights)
                fitted.score(X, y), fitted.predict_proba(X), fitted.bill(X, costs)
EG2Classifier(costs, w=1, min_cases=3, cf=np.float64(0.1)).fit(rows, rows[:, 0])

doors = {}
for module in pkgutil.walk_packages(frugaltree.kernels.__path__, "frugaltree.kernels."):
    for name, function in vars(importlib.import_module(module.name)).items():
        if isinstance(function, Dispatcher):
            if not function.targetoptions.get("no_cpython_wrapper"):
                doors[name] = len(function.signatures)
assert {"grow_by_gain", "grow_by_reduction", "prune_errors"} <= set(doors), doors
print({name: count for name, count in doors.items() if count > 1})
print(sorted(name for name, count in doors.items() if count == 1))
"""


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_one_signature_for_each_kernel(pytestconfig):
    # In a process of its own, where no other test has called a kernel with arrays of its own.
    run = subprocess.run(
        [sys.executable, "-c", SIGNATURES],
        cwd=pytestconfig.rootpath / "tests",
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert run.returncode == 0, run.stderr
    several, used = run.stdout.splitlines()
    assert several == "{}"
    for kernel in ("grow_by_gain", "grow_by_reduction", "prune_errors",
                   "rank_small_integers", "rank_sorted", "spread_cases"):  # fmt: skip
        assert f"'{kernel}'" in used


def test_clones_learn_the_same(learner):
    columns, y = mixed_columns()
    X = as_pandas(columns)
    fitted = learner(COSTS).fit(X, y)
    assert drawn(clone(fitted).fit(X, y).tree_) == drawn(fitted.tree_)


def test_a_dictionary_of_arrow_within_pandas_is_nominal():
    kind = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    X = pd.DataFrame({"a": pd.Series(["u", "v", None, "u", "v"]).astype(kind)})
    tree = ID3Classifier().fit(X, [0, 1, 0, 0, 1])
    assert tree.tree_.columns[0].categories == ("u", "v")
    assert tree.predict(X[::-1]).tolist() == [1, 0, 0, 1, 0]
