"""Models come back from their files as they were."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import frugaltree
from frugaltree import (
    C45Classifier,
    Consultation,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    Group,
    ID3Classifier,
    load_model,
    save_model,
)
from frugaltree.anytime.progress import Progress
from frugaltree.engines.cross_validation import Trial, mark_chosen
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.persist import fields, read_schema
from frugaltree.tree.text import tree_text
from support.models import (
    COSTS,
    LABELS,
    classes,
    document,
    searched,
    searched_once,
    small_model,
    table,
)

LEARNERS = sorted(fields.LEARNERS)


FEW_STEPS = {"FrugalTreeClassifier": {"max_steps": 2000}}


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
    for name in set(Nodes._fields) - {"cut", "first", "children"}:
        one, other = getattr(got.tree_.nodes, name), getattr(ref.tree_.nodes, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    assert got.tree_.to_dict() == ref.tree_.to_dict()
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


def test_sections(saved):
    assert list(saved) == list(fields.SECTIONS)
    assert saved["tree"] == {
        "fractional": False,
        "test": [0, None, 1, None, None],
        "threshold": [38.0, None, None, None, None],
        "children": [[1, 2], [], [3, 4], [], []],
        "missing": [None, None, None, None, None],
        "counts": [[2.0, 6.0], [0.0, 4.0], [2.0, 2.0], [0.0, 2.0], [2.0, 0.0]],
        "labels": [1, 1, 0, 1, 0],
        "shrinkage": 4.0,
    }
    assert saved["classes"] == {"dtype": "str", "values": ["ill", "well"]}
    assert saved["training"]["cases"] == 8
    assert saved["training"]["test_usage"] == {"fever": 1.0, "cough": 0.5, "size": 0.0}
    assert saved["training"]["test_ranges"] == {"fever": [36.0, 39.0]}
    assert saved["provenance"]["frugaltree"] == frugaltree.__version__
    assert saved["provenance"]["data_digest"] == "sha256:abc"
    assert "costs" not in saved["parameters"]


def test_a_file_of_old_has_no_ranges(saved, tmp_path):
    del saved["training"]["test_ranges"]
    (tmp_path / "model.json").write_text(json.dumps(saved))
    got = load_model(tmp_path / "model.json")
    assert not hasattr(got, "test_ranges_")
    assert "test_ranges" not in document_of(got, tmp_path)["training"]
    consultation = Consultation(got)
    assert consultation.doubt("fever", 99) is None
    consultation.tell(fever=99)
    assert consultation.notes == ()


def document_of(learner, folder):
    save_model(learner, folder / "model.json")
    return document(folder)


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
    always = {
        name.removesuffix("_")
        for table in fields.OWN.values()
        for name, kept in table.items()
        if not kept.optional
    }
    assert set(schema["then"]["properties"]["training"]["required"]) == always
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


def test_bounds_and_candidates_keep_their_kind(tmp_path):
    got = load_model_of(searched_once(), tmp_path)
    assert {type(one) for one in got.history_} == {Progress}
    assert {type(one) for one in got.tuning_} == {Trial}
    assert got.forecast_ == searched_once().forecast_ is not None
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


def test_figures_beyond_all_numbers_come_back(tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    X, score = table(40)
    y = classes(score, ["no", "yes"])
    learner = frugaltree.FrugalTreeClassifier(
        Costs(default_test_cost=1, errors=1e140), max_steps=1, gap=1, random_state=0
    )
    learner.fit(X, y)
    learner.tuning_[0] = replace(learner.tuning_[0], error=np.nan)
    first = learner.history_[0]
    learner.history_ = [Progress(first.seconds, np.inf, 0.0), *learner.history_]
    learner.gap_ = np.nan
    copied = reloaded(learner, tmp_path / "model.json")
    assert repr(copied.tuning_) == repr(learner.tuning_)  # nan is never equal
    copied.tuning_ = learner.tuning_
    assert_same(copied, learner, X)
    jsonschema.Draft202012Validator(read_schema()).validate(document(tmp_path))


def test_weights_of_classes_come_back(tmp_path):
    weights = {1: 2.5, 2: 1}
    learner = ID3Classifier(class_weight=weights).fit(pd.DataFrame({"a": [0, 1]}), [1, 2])
    got = load_model_of(learner, tmp_path)
    assert got.class_weight == weights
    assert got.get_params() == learner.get_params()
