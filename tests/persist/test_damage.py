"""Damaged and foreign files get one sentence; saving never leaves half a file."""

from __future__ import annotations

import copy
import errno
import functools
import json
import os
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from frugaltree import (
    C45Classifier,
    ID3Classifier,
    load_model,
    save_model,
)
from frugaltree.exceptions import FrugaltreeError, InvalidModel, MissingFile
from frugaltree.persist import read_schema
from frugaltree.persist.check import Defect
from frugaltree.persist.read import restore
from frugaltree.persist.write import describe
from frugaltree.tree.text import tree_text
from support.models import (
    document,
    searched_once,
    small_model,
)

small_model_once = functools.cache(small_model)


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
    "newer": (put("version", 5), "version 5, but frugaltree .* upgrade frugaltree"),
    "version text": (put("version", "1"), "version must be a whole number from 1, but is '1'"),
    "version true": (put("version", True), "version must be a whole number"),
    "version 0": (put("version", 0), "version must be a whole number from 1, but is 0"),
    "class weights": (
        put("parameters", {"class_weight": [["a"]]}),
        "class_weight\\[0\\] must be a class and its weight",
    ),
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
    "ranges list": (put("training", "test_ranges", []), "training.test_ranges must be an object"),
    "ranges nominal": (put("training", "test_ranges", "cough", [0, 1]), "unknown key 'cough'"),
    "range turned": (
        put("training", "test_ranges", "fever", [39, 36]),
        "test_ranges.fever must be two finite numbers, the lesser first",
    ),
    "range text": (put("training", "test_ranges", "fever", ["1", 2]), "fever must be two finite"),
    "range short": (put("training", "test_ranges", "fever", [1]), "fever must be a list of 2"),
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
    "moment null": (put("training", "history", [[None, 2, 1]]), r"history\[0\]\[0\] must be a"),
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
