"""Model files: the same learner comes back, and nothing else ever does."""

from __future__ import annotations

import copy
import errno
import functools
import json
import os
import pickle
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

import frugaltree
from frugaltree import (
    C45Classifier,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    FrugalTreeClassifier,
    Group,
    ID3Classifier,
    load_model,
    save_model,
)
from frugaltree.anytime.progress import Progress
from frugaltree.engines.cross_validation import Trial, mark_chosen
from frugaltree.exceptions import FrugaltreeError, InvalidModel, MissingFile
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.persist import fields, read_schema
from frugaltree.persist.check import Defect
from frugaltree.persist.read import restore
from frugaltree.persist.write import describe
from frugaltree.tree.text import tree_text

LEARNERS = sorted(fields.LEARNERS)
FEW_STEPS = {"FrugalTreeClassifier": {"max_steps": 2000}}
LABELS = {
    "str": ["well", "ill", "dead"],
    "int": [3, 1, 2],
    "bool": [True, False],
    "float": [1.0, 0.0],
    "object": np.array(["yes", "no"], dtype=object),
    "small": np.array([7, 200], np.uint8),
}
COSTS = {
    "none": None,
    "number": Costs(default_test_cost=3, errors=40),
    "everything": Costs(
        tests={"age": 1, "sex": 2.5, "size": 4, "smokes": 0.1},
        groups={"desk": Group(["age", "sex"], cost=0.3), "dis": Group({"size": 1, "smokes": 0.1})},
        delayed=["size"],
        errors=30,
        default_test_cost=7,
        known=["age"],
        never_ask=["smokes"],
        unit="CAD",
        source="a price list",
        date="1992-01-31",
    ),
}


def table(n=80, seed=0):
    """Numeric, text, ordinal and boolean columns; some values missing."""
    rng = np.random.default_rng(seed)
    sizes = pd.CategoricalDtype(["S", "M", "L", "XL"], ordered=True)
    X = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n),
            "sex": rng.choice(["f", "m"], n),
            "size": pd.Series(rng.choice(["S", "M", "L"], n)).astype(sizes),
            "smokes": rng.random(n) < 0.3,
            "site": pd.Categorical(rng.choice([1, 2, 3], n), categories=[1, 2, 3, 4]),
        }
    )
    X.loc[rng.random(n) < 0.15, "age"] = np.nan
    X.loc[rng.random(n) < 0.1, "size"] = None
    X.loc[rng.random(n) < 0.1, "sex"] = None
    score = X["age"].fillna(50) + 8 * X["smokes"] + 5 * (X["sex"] == "f") + rng.normal(0, 3, n)
    return X, score.to_numpy()


def classes(score, labels):
    ranks = score.argsort().argsort() * len(labels) // len(score)
    return np.asarray(labels)[ranks]


def quick(name, costs=None):
    """Return a learner that is soon done."""
    return fields.LEARNERS[name](costs, **FEW_STEPS.get(name, {}))


def reloaded(learner, path):
    save_model(learner, path)
    return load_model(path)


def assert_same(got, ref, X):
    assert type(got) is type(ref)
    assert got.__getstate__().keys() == ref.__getstate__().keys()
    assert got.get_params() == ref.get_params()
    for method in ("predict", "predict_proba", "bill"):
        one, other = getattr(got, method)(X), getattr(ref, method)(X)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    for name in fields.fitted_of(type(ref)).keys() & vars(ref).keys():
        one, other = getattr(got, name), getattr(ref, name)
        np.testing.assert_equal(one, other)
        assert kinds(one) == kinds(other)
    np.testing.assert_array_equal(got.classes_, ref.classes_)
    assert [type(label) for label in got.tree_.classes] == [type(c) for c in ref.tree_.classes]
    assert got.tree_.columns == ref.tree_.columns
    for name in set(Nodes._fields) - {"cut"}:
        one, other = getattr(got.tree_.nodes, name), getattr(ref.tree_.nodes, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    prices = ref._prices()
    assert tree_text(got.tree_, prices) == tree_text(ref.tree_, prices)


def kinds(value):
    """Return the types of a value and of what it holds."""
    parts = [kinds(part) for part in value] if isinstance(value, list | tuple) else []
    return type(value), parts


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_comes_back(name, costs, tmp_path):
    X, score = table()
    y = classes(score, LABELS["str"])
    learner = quick(name, COSTS[costs]).fit(X, y)
    got = reloaded(learner, tmp_path / "model.json")
    assert_same(got, learner, X)
    assert got.feature_names_in_.tolist() == list(X.columns)
    assert got.score(X, y) == learner.score(X, y)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", ["C45Classifier", "DTMCClassifier"])
def test_labels_keep_their_type(name, labels, tmp_path):
    X, score = table()
    learner = fields.LEARNERS[name]().fit(X, classes(score, LABELS[labels]))
    assert_same(reloaded(learner, tmp_path / "model.json"), learner, X)


def test_labels_of_numpy_become_plain(tmp_path):
    y = np.array([np.int64(4), np.int64(5)], dtype=object)
    got = load_model_of(ID3Classifier().fit([[0], [1]], y), tmp_path)
    assert got.predict([[1]]).tolist() == [5]
    assert {type(label) for label in got.tree_.classes} == {int}


def test_labels_that_look_alike_stay_apart(tmp_path):
    for labels in ([1, 0], [True, False], ["1", "0"], [1.0, 0.0]):
        learner = ID3Classifier().fit([[0], [1]], labels)
        got = reloaded(learner, tmp_path / "model.json").predict([[0]])
        assert got.dtype == learner.classes_.dtype
        assert got.tolist() == labels[:1]


def test_polars_and_arrow_tables(tmp_path):
    X, score = table()
    learner = EG2Classifier().fit(
        pl.from_pandas(X.drop(columns="site")), classes(score, ["a", "b"])
    )
    for frame in (
        pl.from_pandas(X.drop(columns="site")),
        pl.from_pandas(X).drop("site").to_arrow(),
    ):
        assert_same(reloaded(learner, tmp_path / "model.json"), learner, frame)


def test_arrays_without_names(tmp_path):
    X = np.random.default_rng(1).integers(0, 3, (40, 3)).astype(float)
    X[0, 0] = np.nan
    costs = Costs({0: 2, 1: 1.5, 2: 1}, {"g": Group([0, 2], cost=1)}, errors=[[0, 9], [4, 0]])
    learner = EG2Classifier(costs, categorical_features=np.array([0, 1]), w=np.float64(0.5))
    learner.fit(X, X[:, 1] > 0)
    got = load_model_of(learner, tmp_path)
    assert not hasattr(got, "feature_names_in_")
    assert got.n_features_in_ == 3
    assert got.costs == costs
    assert got.categorical_features == [0, 1]
    np.testing.assert_array_equal(got.predict(X), learner.predict(X))
    np.testing.assert_array_equal(got.bill(X), learner.bill(X))


def load_model_of(learner, folder):
    return reloaded(learner, folder / "model.json")


def test_categories_of_other_types_are_kept_as_text(tmp_path):
    age = pd.Series([10, 20, 30, 40, 50, 60], name="age")
    X = pd.DataFrame(
        {"age": pd.cut(age, 3), "day": pd.Categorical(pd.to_datetime(["2026-01-01"] * 6))}
    )
    learner = ID3Classifier().fit(X, list("aabbcc"))
    got = load_model_of(learner, tmp_path)
    assert got.predict(X).tolist() == list("aabbcc")
    assert tree_text(got.tree_) == tree_text(learner.tree_)


def test_odd_costs_come_back_equal(tmp_path):
    X, y = [[0.0, 1.0], [1.0, 0.0]], ["a", "b"]
    for costs in (
        Costs(),
        Costs(tests={}, default_test_cost=0),
        Costs([1, 2], errors=[[0, 5], [1, 0]], classes=["b", "a"]),
        Costs([1, 2], errors={("a", "b"): 3, ("b", "a"): 0.25}),
        Costs({"x0": 1, 1: 2}, {"g": Group({"x0": 1, 1: 1})}),
        Costs(errors=1, classes=["a", "b", "never seen"], unavailable=[0]),
    ):
        learner = DTMCClassifier(costs).fit(X, y)
        got = load_model_of(learner, tmp_path)
        assert got.costs == costs
        np.testing.assert_array_equal(got.bill(X), learner.bill(X))


def test_live_random_state_becomes_none(tmp_path):
    learner = ID3Classifier(random_state=np.random.RandomState(3)).fit([[0], [1]], [0, 1])
    assert load_model_of(learner, tmp_path).random_state is None
    learner = ID3Classifier(random_state=np.int64(3)).fit([[0], [1]], [0, 1])
    assert load_model_of(learner, tmp_path).random_state == 3
    assert document(tmp_path)["provenance"]["random_state"] == 3


def test_a_single_leaf(tmp_path):
    with pytest.warns(UserWarning, match="one class"):
        learner = C45Classifier().fit([[1.0], [2.0]], ["a", "a"])
    assert load_model_of(learner, tmp_path).predict([[5.0]]).tolist() == ["a"]


def test_saving_twice_gives_the_same_file(tmp_path):
    X, score = table()
    learner = EG2Classifier(COSTS["everything"]).fit(X, classes(score, ["a", "b"]))
    first = load_model_of(learner, tmp_path)
    text = (tmp_path / "model.json").read_text("utf-8")
    load_model_of(first, tmp_path)
    assert (tmp_path / "model.json").read_text("utf-8") == text


odd_text = st.text(min_size=1, max_size=6).filter(lambda text: "\0" not in text)


@settings(max_examples=30, deadline=None)
@given(
    labels=st.lists(odd_text, min_size=2, max_size=2, unique=True),
    categories=st.lists(odd_text, min_size=2, max_size=4, unique=True),
    names=st.lists(odd_text, min_size=2, max_size=2, unique=True),
)
def test_odd_characters_survive(tmp_path_factory, labels, categories, names):
    path = tmp_path_factory.mktemp("odd") / "model.json"
    n = len(categories)
    X = pl.DataFrame({names[0]: pl.Series(categories, dtype=pl.String), names[1]: range(n)})
    costs = Costs(dict.fromkeys(names, 1), unit=labels[0], source=categories[0])
    learner = ID3Classifier(costs).fit(X, [labels[i % 2] for i in range(n)])
    assert_same(reloaded(learner, path), learner, X)


def test_lone_surrogates_survive(tmp_path):
    X = pd.DataFrame({"a": [0, 1]})
    learner = ID3Classifier().fit(X, np.array(["\ud800", "ü"], dtype=object))
    assert load_model_of(learner, tmp_path).predict(X).tolist() == ["\ud800", "ü"]


# ------------------------------------------------------------------------------ the file


def small_model():
    X = pd.DataFrame(
        {
            "fever": [36, 36, 37, 37, 39, 39, 39, 39],
            "cough": ["no", "yes", "yes", "yes", "no", "no", "yes", "yes"],
            "size": pd.Categorical(["S"] * 8, categories=["S", "M"], ordered=True),
        }
    )
    y = ["well", "well", "well", "well", "well", "well", "ill", "ill"]
    return ID3Classifier(Costs({"fever": 2, "cough": 3, "size": 1}, unit="CAD")).fit(X, y)


small_model_once = functools.cache(small_model)


def document(folder):
    return json.loads((folder / "model.json").read_text("utf-8"))


@pytest.fixture
def saved(tmp_path):
    save_model(small_model(), tmp_path / "model.json", data_digest="sha256:abc")
    return document(tmp_path)


def test_sections(saved):
    assert list(saved) == list(fields.SECTIONS)
    assert saved["tree"] == {
        "fractional": False,
        "test": [0, None, 1, None, None],
        "threshold": [38.0, None, None, None, None],
        "children": [[1, 2], [], [3, 4], [], []],
        "counts": [[2.0, 6.0], [0.0, 4.0], [2.0, 2.0], [0.0, 2.0], [2.0, 0.0]],
        "labels": [1, 1, 0, 1, 0],
    }
    assert saved["classes"] == {"dtype": "str", "values": ["ill", "well"]}
    assert saved["training"]["cases"] == 8
    assert saved["training"]["test_usage"] == {"fever": 1.0, "cough": 0.5, "size": 0.0}
    assert saved["provenance"]["frugaltree"] == frugaltree.__version__
    assert saved["provenance"]["data_digest"] == "sha256:abc"
    assert "costs" not in saved["parameters"]


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("name", LEARNERS)
def test_schema_describes_the_file(name, costs, tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(read_schema())
    validator = jsonschema.Draft202012Validator(read_schema())
    X, score = table()
    save_model(
        quick(name, COSTS[costs]).fit(X, classes(score, LABELS["int"])),
        tmp_path / "model.json",
    )
    data = document(tmp_path)
    validator.validate(data)
    for section in data:
        assert not validator.is_valid({key: data[key] for key in data if key != section})
    assert not validator.is_valid(data | {"extra": 1})


def test_schema_lists_what_the_code_does():
    schema = read_schema()
    parts = schema["properties"]
    assert schema["required"] == list(parts) == list(fields.SECTIONS)
    assert sorted(parts["learner"]["enum"]) == LEARNERS
    assert sorted(parts["classes"]["properties"]["dtype"]["enum"]) == sorted(fields.LABEL_TYPES)
    assert parts["training"]["properties"]["termination"]["enum"] == list(fields.TERMINATIONS)
    common = {name.removesuffix("_") for name in fields.FITTED}
    own = {name.removesuffix("_") for table in fields.OWN.values() for name in table}
    assert parts["training"]["properties"].keys() == {
        "cases", "named_columns", fields.STRATEGIES, *common, *own,
    }  # fmt: skip
    assert [schema["if"]["properties"]["learner"]["const"]] == list(fields.OWN)
    assert set(schema["then"]["properties"]["training"]["required"]) == own
    others = schema["else"]["properties"]["training"]["properties"]
    assert {name for name, form in others.items() if form is False} == own - common


def test_every_public_learner_can_be_kept():
    public = {name for name in frugaltree.__all__ if name.endswith("Classifier")}
    assert public == set(LEARNERS)


def test_further_fitted_attributes_need_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(
        fields.FITTED, "lower_bound_", fields.StoredAttribute(fields.read_amount, optional=True)
    )
    learner = small_model()
    assert not hasattr(load_model_of(learner, tmp_path), "lower_bound_")
    learner.lower_bound_ = 1.25
    assert load_model_of(learner, tmp_path).lower_bound_ == 1.25


# -------------------------------------------------------------------- a search with bounds


def searched(**parameters):
    X, score = table()
    learner = FrugalTreeClassifier(COSTS["number"], **{"max_steps": 500, **parameters})
    return learner.fit(X, classes(score, LABELS["str"]))


searched_once = functools.cache(searched)


def test_bounds_and_candidates_keep_their_kind(tmp_path):
    got = load_model_of(searched_once(), tmp_path)
    assert {type(one) for one in got.history_} == {Progress}
    assert {type(one) for one in got.tuning_} == {Trial}
    assert got.history_[-1].bound <= got.objective_ * (1 + 1e-9)
    assert 0 < got.gap_ < 1


def test_a_setting_may_save_less_than_nothing(tmp_path):
    learner = copy.copy(searched_once())
    paper = Trial("paper", {"pessimism": "paper"}, 9.0, 1.0, 0.0, 0.0)
    other = Trial("b", {"pessimism": "b"}, 9.5, 1.0, -0.5, 0.2)
    learner.tuning_ = mark_chosen([paper, other], {"pessimism": learner.pessimism_})
    assert load_model_of(learner, tmp_path).tuning_ == learner.tuning_


@pytest.mark.parametrize("pessimism", ["none", "paper", 0.1])
def test_settings_that_were_not_tried(pessimism, tmp_path):
    learner = searched(pessimism=pessimism)
    assert (learner.cf_ is None) == (pessimism == "none")
    assert learner.tuning_ is learner.cv_cost_ is learner.cv_cost_error_ is None
    assert_same(load_model_of(learner, tmp_path), learner, table()[0])


@pytest.mark.parametrize("reason", fields.TERMINATIONS)
def test_every_reason_to_end_comes_back(reason, tmp_path):
    learner = copy.copy(searched_once())
    learner.termination_ = reason
    assert load_model_of(learner, tmp_path).termination_ == reason


@pytest.mark.parametrize("limit", ["auto", "5 min", 90, 0.5, None])
def test_limits_stay_as_they_were_written(limit, tmp_path):
    learner = copy.copy(searched_once()).set_params(time_limit=limit, memory_limit=10**9)
    got = load_model_of(learner, tmp_path)
    assert kinds(got.time_limit) == kinds(limit)
    assert got.get_params() == learner.get_params()


def test_where_the_search_was_kept_is_left_out(tmp_path):
    path = tmp_path / "search.npz"
    learner = copy.copy(searched_once())
    for checkpoint in (path, str(path)):
        got = load_model_of(learner.set_params(checkpoint=checkpoint), tmp_path)
        assert got.checkpoint is None
        assert str(path) not in (tmp_path / "model.json").read_text()
    assert not path.exists()


@pytest.mark.parametrize("warm_start", [False, True])
def test_the_search_itself_is_left_behind(warm_start, tmp_path):
    learner = searched(warm_start=warm_start)
    joblib.dump(learner, tmp_path / "model.joblib")
    copies = [
        load_model_of(learner, tmp_path),
        pickle.loads(pickle.dumps(learner)),
        joblib.load(tmp_path / "model.joblib"),
        copy.deepcopy(learner),
    ]
    X, score = table()
    for got in copies:
        assert_same(got, learner, X)
        assert "_session_" not in vars(got)
    assert (learner._session_ is not None) == warm_start
    again = copies[0].fit(X, classes(score, LABELS["str"]))
    assert (again._session_ is not None) == warm_start
    assert load_model_of(again, tmp_path).pessimism_ == again.pessimism_


def test_clones_of_what_was_loaded(tmp_path):
    got = load_model_of(searched_once(), tmp_path)
    twin = clone(got)
    assert twin.get_params() == clone(searched_once()).get_params()
    assert not [name for name in vars(twin) if name.endswith("_")]


# -------------------------------------------------------------------------------- damage


def put(*keys_and_value):
    """Return a change that puts a value at a place of the document."""
    *keys, last, value = keys_and_value

    def change(data):
        for key in keys:
            data = data[key]
        data[last] = value

    return change


def drop(*keys):
    def change(data):
        for key in keys[:-1]:
            data = data[key]
        del data[keys[-1]]

    return change


DAMAGE = {
    "foreign": (put("format", "onnx"), "is not a frugaltree model"),
    "newer": (put("version", 2), "version 2, but frugaltree .* upgrade frugaltree"),
    "version text": (put("version", "1"), "version must be a whole number from 1, but is '1'"),
    "version true": (put("version", True), "version must be a whole number"),
    "version 0": (put("version", 0), "version must be a whole number from 1, but is 0"),
    "no tree": (drop("tree"), "the model lacks 'tree'"),
    "extra section": (put("trees", {}), "unknown key 'trees' in the model.*Did you mean 'tree'"),
    "learner": (put("learner", "EG2Clasifier"), "'EG2Clasifier', which .* Did you mean 'EG2Cl"),
    "learner number": (put("learner", 3), "learner must be the name of a learner, but is 3"),
    "learner module": (put("learner", "os.system"), "names the learner 'os.system'"),
    "parameters list": (put("parameters", []), "parameters must be an object"),
    "unknown parameter": (put("parameters", "cff", 1), "'cff' in parameters.*Did you mean 'cf'"),
    "wrong parameter": (put("parameters", "cf", 7), "in its parameters, .*cf"),
    "costs inside": (put("parameters", "costs", 1), "unknown key 'costs' in parameters"),
    "costs list": (put("costs", [1]), "costs must be an object or null"),
    "costs negative": (put("costs", "tests", "fever", -1), "in its costs, .*'fever'.* is -1"),
    "costs key": (put("costs", "test", {}), "in its costs, .*unknown key 'test'"),
    "costs shape": (put("costs", "tests", [{"test": [], "cost": 1}]), "in its costs"),
    "costs foreign": (
        drop("costs", "tests", "size"),
        "do not fit its tree, .*'size' has no price",
    ),
    "costs classes": (put("costs", "classes", ["ill"]), "do not fit its tree, .*'well'"),
    "classes list": (put("classes", ["ill", "well"]), "classes must be an object"),
    "dtype": (put("classes", "dtype", "O8"), "classes.dtype must be one of bool"),
    "dtype list": (put("classes", "dtype", []), "classes.dtype must be one of bool"),
    "label type": (put("classes", "values", [1, 2]), r"values\[0\] must be a label of type str"),
    "label null": (put("classes", "values", [None, "a"]), r"values\[0\] must be a label"),
    "label range": (put("classes", {"dtype": "int8", "values": [1, 999]}), "too large for int8"),
    "labels twice": (put("classes", "values", ["a", "a"]), "one or more distinct labels"),
    "no classes": (put("classes", "values", []), "one or more distinct labels"),
    "columns object": (put("columns", {}), "columns must be a list"),
    "no columns": (put("columns", []), "columns must be one column or more"),
    "column list": (put("columns", 0, []), r"columns\[0\] must be an object"),
    "column name": (put("columns", 0, "name", 3), r"columns\[0\].name must be text"),
    "column twice": (put("columns", 0, "name", "cough"), "columns must be distinct by name"),
    "kind": (put("columns", 0, "kind", "date"), r"columns\[0\].kind must be one of numeric"),
    "category": (put("columns", 1, "categories", [[], 1]), r"categories\[0\] must be text"),
    "category twice": (put("columns", 1, "categories", ["a", "a"]), "must be distinct values"),
    "numeric category": (put("columns", 0, "categories", ["a"]), "empty for a numeric column"),
    "fewer categories": (
        put("columns", 1, "categories", ["a"]),
        r"children\[2\] must be a list of 1",
    ),
    "tree list": (put("tree", []), "tree must be an object"),
    "no nodes": (put("tree", "test", []), "tree.test must be one node or more"),
    "fractional": (put("tree", "fractional", True), "tree.fractional must be False"),
    "short list": (put("tree", "labels", [1]), "tree.labels must be a list of 5"),
    "test range": (put("tree", "test", 0, 3), r"tree.test\[0\] must be null or the position"),
    "test negative": (put("tree", "test", 0, -1), r"tree.test\[0\] must be null or the position"),
    "test true": (put("tree", "test", 0, True), r"tree.test\[0\] must be null or the position"),
    "no threshold": (put("tree", "threshold", 0, None), r"threshold\[0\] must be a finite number"),
    "threshold text": (put("tree", "threshold", 0, "38"), r"threshold\[0\] must be a finite"),
    "leaf threshold": (put("tree", "threshold", 1, 3), r"threshold\[1\] must be null"),
    "children null": (put("tree", "children", 1, None), r"children\[1\] must be a list of 0"),
    "leaf with child": (put("tree", "children", 1, [2]), r"children\[1\] must be a list of 0"),
    "one child": (put("tree", "children", 0, [1]), r"children\[0\] must be a list of 2"),
    "no child": (
        put("tree", "children", 2, [None, None]),
        r"children\[2\] must be .* with a child",
    ),
    "child text": (put("tree", "children", 0, ["1", 2]), r"children\[0\] must be a list of nodes"),
    "child range": (put("tree", "children", 2, [3, 9]), "leads to node 9 where node 4 of 5"),
    "child negative": (put("tree", "children", 2, [3, -4]), "leads to node -4 where node 3"),
    "cycle": (put("tree", "children", 2, [0, 4]), "leads to node 0 where node 3"),
    "self": (put("tree", "children", 2, [2, 4]), "leads to node 2 where node 3"),
    "two parents": (put("tree", "children", 0, [1, 1]), "leads to node 1 where node 2"),
    "swapped": (put("tree", "children", 0, [2, 1]), "leads to node 2 where node 1"),
    "orphan": (put("tree", "children", 2, [3, None]), "must be a tree of 5 nodes, but is 4"),
    "count negative": (put("tree", "counts", 1, [-1, 5]), r"counts\[1\]\[0\] must be a finite"),
    "count huge": (put("tree", "counts", 1, [10**400, 5]), r"counts\[1\]\[0\] must be a finite"),
    "count sum": (put("tree", "counts", 1, [1e308, 1e308]), r"counts\[1\] must be the counts"),
    "count true": (put("tree", "counts", 1, [True, 5]), r"counts\[1\]\[0\] must be a finite"),
    "counts short": (put("tree", "counts", 1, [1]), r"counts\[1\] must be a list of 2"),
    "counts zero": (put("tree", "counts", 1, [0, 0]), r"counts\[1\] must be the counts of at"),
    "label": (put("tree", "labels", 1, 2), r"labels\[1\] must be the position of a class"),
    "label float": (put("tree", "labels", 1, 1.0), r"labels\[1\] must be the position of a class"),
    "training list": (put("training", []), "training must be an object"),
    "cases": (put("training", "cases", -1), "training.cases must be a finite number"),
    "named": (put("training", "named_columns", 1), "named_columns must be true or false"),
    "no usage": (drop("training", "test_usage"), "training lacks 'test_usage'"),
    "usage lacks": (drop("training", "test_usage", "size"), "training.test_usage lacks 'size'"),
    "usage text": (put("training", "test_usage", "size", "0"), "test_usage.size must be a finite"),
    "frequencies": (
        put("training", "class_frequencies", [0, 2]),
        r"frequencies\[1\] must be betw",
    ),
    "cost text": (put("training", "expected_cost", None), "expected_cost must be a finite number"),
    "termination": (put("training", "termination", []), "termination must be one of completed"),
    "provenance": (put("provenance", None), "provenance must be an object"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_gets_one_sentence(kind, saved, tmp_path):
    change, message = DAMAGE[kind]
    data = copy.deepcopy(saved)
    change(data)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(InvalidModel, match=message) as caught:
        load_model(path)
    text = str(caught.value)
    assert text.startswith(str(path))
    assert "\n" not in text
    assert text.endswith((".", "?"))


def test_values_may_lead_to_children_in_any_order_and_share_them(saved, tmp_path):
    path = tmp_path / "model.json"
    saved["tree"]["children"][2] = [4, 3]
    path.write_text(json.dumps(saved), "utf-8")
    swapped = load_model(path)
    assert [child for _, child in swapped.tree_.slots(2)] == [4, 3]
    save_model(swapped, path)
    assert document(tmp_path)["tree"]["children"] == saved["tree"]["children"]


def test_only_where_a_case_goes_one_way_may_values_share_a_child(tmp_path):
    X = pd.DataFrame({"hue": pd.Categorical(list("rgbrgb"))})
    save_model(C45Classifier().fit(X, [0, 1, 2, 0, 1, 2]), tmp_path / "model.json")
    data = document(tmp_path)
    assert data["tree"]["children"][0] == [1, 2, 3]
    for children in ([1, 1, 2], [2, 1, 3]):
        data["tree"]["children"][0] = children
        (tmp_path / "model.json").write_text(json.dumps(data), "utf-8")
        with pytest.raises(InvalidModel, match=r"tree.children leads to node"):
            load_model(tmp_path / "model.json")


OWN_DAMAGE = {
    "no bound": (drop("training", "lower_bound"), "training lacks 'lower_bound'"),
    "no cf": (drop("training", "cf"), "training lacks 'cf'"),
    "cf text": (put("training", "cf", "0.25"), "training.cf must be a finite number"),
    "objective null": (put("training", "objective", None), "objective must be a finite number"),
    "bound negative": (put("training", "lower_bound", -1), "lower_bound must be a finite number"),
    "gap": (put("training", "gap", 1.5), "training.gap must be between 0 and 1, but is 1.5"),
    "pessimism": (put("training", "pessimism", None), "training.pessimism must be text"),
    "cv cost": (put("training", "cv_cost", -1), "training.cv_cost must be a finite number"),
    "history": (put("training", "history", {}), "training.history must be a list"),
    "moment": (put("training", "history", [[1, 2]]), r"history\[0\] must be a list of 3"),
    "moment null": (put("training", "history", [[1, 2, None]]), r"history\[0\]\[2\] must be a"),
    "tuning": (put("training", "tuning", 1), "training.tuning must be a list"),
    "tried": (put("training", "tuning", [[1, 2, 3, 4]]), r"tuning\[0\] must be a list of 5"),
    "setting": (put("training", "tuning", 0, 0, 3), r"tuning\[0\]\[0\] must be text, but is 3"),
    "cost": (put("training", "tuning", 0, 1, -3), r"tuning\[0\]\[1\] must be a finite number"),
    "saving": (put("training", "tuning", 0, 3, "1"), r"tuning\[0\]\[3\] must be a finite number"),
    "spread": (put("training", "tuning", 0, 4, -1), r"tuning\[0\]\[4\] must be a finite number"),
    "session": (put("training", "_session", {}), "unknown key '_session' in training"),
    "other learner": (put("learner", "LSID3Classifier"), "unknown key .* in parameters"),
}


@pytest.mark.parametrize("kind", OWN_DAMAGE)
def test_damage_to_a_search_with_bounds(kind):
    change, message = OWN_DAMAGE[kind]
    data = json.loads(json.dumps(describe(searched_once(), None)))
    restore(data)
    change(data)
    with pytest.raises((Defect, InvalidModel), match=message):
        restore(data)
    jsonschema = pytest.importorskip("jsonschema")
    assert not jsonschema.Draft202012Validator(read_schema()).is_valid(data)


@pytest.mark.parametrize("key", ["objective", "lower_bound", "gap", "pessimism", "cv_cost"])
def test_bounds_belong_to_one_learner(key):
    data = json.loads(json.dumps(describe(small_model_once(), None)))
    data["training"][key] = describe(searched_once(), None)["training"][key]
    with pytest.raises(InvalidModel, match=f"unknown key '{key}' in training"):
        restore(data)


def test_ordinal_threshold_must_lie_within_its_column(tmp_path):
    sizes = pd.Categorical(["S", "M"], categories=["S", "M"], ordered=True)
    save_model(ID3Classifier().fit(pd.DataFrame({"size": sizes}), [0, 1]), tmp_path / "model.json")
    data = document(tmp_path)
    data["tree"]["threshold"][0] = 1.5
    (tmp_path / "model.json").write_text(json.dumps(data))
    with pytest.raises(InvalidModel, match=r"threshold\[0\] must be between 0 and 1"):
        load_model(tmp_path / "model.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not valid JSON .*cut short"),
        (b"\x80\x04\x95", "is not UTF-8 text"),
        (b"{'format': 1}", "is not valid JSON"),
        (b"[1, 2]", "is not a frugaltree model"),
        (b"null", "is not a frugaltree model"),
        (b'{"format": NaN}', "holds NaN, which is no number"),
        (b'{"a": 1, "a": 2}', "has the key 'a' twice"),
        (b"[" * 100_000, "nested too deeply|not valid JSON"),
        (b"9" * 5000, "too many digits"),
    ],
)
def test_foreign_files(content, message, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(InvalidModel, match=message) as caught:
        load_model(path)
    assert str(caught.value).startswith(str(path))


def test_infinite_numbers_are_refused(saved, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(path.read_text("utf-8").replace("38.0", "1e999"), "utf-8")
    with pytest.raises(InvalidModel, match=r"threshold\[0\] must be a finite number, but is inf"):
        load_model(path)


def test_every_cut_short_file_is_refused(saved, tmp_path):
    path = tmp_path / "model.json"
    content = path.read_bytes().rstrip()
    for length in range(0, len(content), 97):
        path.write_bytes(content[:length])
        with pytest.raises(InvalidModel):
            load_model(path)


@pytest.mark.parametrize("once", [small_model_once, searched_once], ids=["ID3", "Frugal"])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_change_loads_safely_or_is_refused(once, data):
    """Whatever stands in the place of a value, the answer is a sentence or a sound model."""
    model = json.loads(json.dumps(describe(once(), None)))
    place = data.draw(st.sampled_from(sorted(places(model), key=str)))
    value = data.draw(
        st.one_of(
            st.none(), st.booleans(), st.integers(-2, 9), st.floats(), st.text(max_size=3),
            st.just([]), st.just({}), st.just([[]]), st.just([None, 1]), st.just({"a": []}),
        )
    )  # fmt: skip
    put(*place, value)(model)
    try:
        learner = restore(model).estimator
    except (Defect, InvalidModel):
        return
    X = pd.DataFrame({c.name: [None] for c in learner.tree_.columns})
    assert len(learner.predict(X)) == 1
    assert tree_text(learner.tree_, learner._prices())


def places(value, path=()):
    """Yield the place of every value within a document."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, element in items if isinstance(value, dict | list) else ():
        yield from (
            places(element, (*path, key)) if isinstance(element, dict | list) else [(*path, key)]
        )


def test_byte_order_mark_is_no_harm(saved, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_model(path).termination_ == "completed"


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(MissingFile, match=r"nothing\.json does not exist"):
        load_model(tmp_path / "nothing.json")
    with pytest.raises(InvalidModel, match="is a folder, not a model file"):
        load_model(tmp_path)


def test_unreadable_file(saved, tmp_path, monkeypatch):
    def refuse(self):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InvalidModel, match=r"cannot be read \(Permission denied\)"):
        load_model(tmp_path / "model.json")


# ------------------------------------------------------------------------------- writing


def test_failed_save_keeps_the_old_file(saved, tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    before = path.read_bytes()

    def fail(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, name, fail)
            with pytest.raises(FrugaltreeError, match=r"cannot be written .*No space left"):
                save_model(small_model(), path)
        assert path.read_bytes() == before
        assert os.listdir(tmp_path) == ["model.json"]


def test_save_says_where_it_cannot(tmp_path):
    learner = small_model()
    with pytest.raises(MissingFile, match=r"the folder .*no does not exist; create it"):
        save_model(learner, tmp_path / "no" / "model.json")
    with pytest.raises(FrugaltreeError, match="is a folder; add a file name"):
        save_model(learner, tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_save_keeps_the_rights_of_a_file(saved, tmp_path):
    path = tmp_path / "model.json"
    path.chmod(0o640)
    save_model(small_model(), path)
    assert path.stat().st_mode & 0o777 == 0o640


def test_save_follows_links(tmp_path):
    target, link = tmp_path / "model-1.json", tmp_path / "latest.json"
    target.write_text("old")
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("links are not allowed here")
    save_model(small_model(), link)
    assert link.is_symlink()
    assert load_model(target).termination_ == "completed"


def test_save_takes_fitted_learners_only(tmp_path):
    with pytest.raises(NotFittedError):
        save_model(ID3Classifier(), tmp_path / "model.json")
    foreign = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    with pytest.raises(InvalidModel, match="a DecisionTreeClassifier cannot be kept"):
        save_model(foreign, tmp_path / "model.json")

    class Own(ID3Classifier):
        pass

    with pytest.raises(InvalidModel, match="a Own cannot be kept"):
        save_model(Own().fit([[0], [1]], [0, 1]), tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_save_refuses_what_it_could_not_load(tmp_path):
    learner = small_model()
    learner.expected_cost_ = float("inf")
    with pytest.raises(InvalidModel, match=r"cannot be kept in a file, because .* infinite"):
        save_model(learner, tmp_path / "model.json")
    learner = small_model()
    learner.classes_ = learner.classes_.astype(bytes)
    with pytest.raises(InvalidModel, match="class labels are of type"):
        save_model(learner, tmp_path / "model.json")
    assert not list(tmp_path.iterdir())
