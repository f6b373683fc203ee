"""What is written about a tree holds no values of columns that it does not ask."""

from __future__ import annotations

import json
import pickle
import warnings
from dataclasses import replace

import polars as pl
import pytest

from frugaltree import (
    C45Classifier,
    Consultation,
    Costs,
    FrugalTreeClassifier,
    load_model,
    save_model,
)
from frugaltree.export import FORMATS, export
from frugaltree.report import write_report

N = 60
PATIENTS = [f"PATIENT-{i:03}" for i in range(N)]
X = pl.DataFrame(
    {
        "patient": PATIENTS,
        "street": [f"STREET-{i % 7}" for i in range(N)],
        "stage": pl.Series(["I", "II"] * (N // 2), dtype=pl.Enum(["I", "II"])),
        "colour": ["red", "blue", "green"] * (N // 3),
    }
)
Y = ["ill" if colour == "red" else "well" for colour in X["colour"]]
COSTS = Costs(default_test_cost=1, errors=50, never_ask=["patient"])
UNASKED = ("PATIENT-", "STREET-")


@pytest.fixture(params=[C45Classifier, FrugalTreeClassifier])
def learner(request):
    more = {"max_steps": 500} if request.param is FrugalTreeClassifier else {}
    return request.param(COSTS, **more).fit(X, Y)


def test_a_name_is_warned_of_until_it_is_never_asked():
    with pytest.warns(UserWarning, match=r"'patient' .* drop it, or name it under never_ask"):
        C45Classifier(replace(COSTS, never_ask=())).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        C45Classifier(COSTS).fit(X, Y)


def assert_silent(content):
    text = content if isinstance(content, bytes) else content.encode()
    assert not [value for value in UNASKED if value.encode() in text]


def test_files_hold_only_what_the_tree_asks(learner, tmp_path):
    model, page = tmp_path / "model.json", tmp_path / "page.html"
    save_model(learner, model)
    write_report(learner, page)
    assert_silent(model.read_bytes())
    assert_silent(page.read_bytes())
    assert "green" in model.read_text()
    columns = json.loads(model.read_text())["columns"]
    assert [(c["name"], len(c["categories"])) for c in columns] == [
        ("patient", 0), ("street", 0), ("stage", 0), ("colour", 3)
    ]  # fmt: skip
    assert_silent(learner._repr_html_())
    assert_silent(pickle.dumps(learner))
    consultation = Consultation(learner)
    consultation.know(stage="III", street=3)
    assert consultation.notes == ()
    assert_silent(json.dumps(consultation.record()))


@pytest.mark.parametrize("form", FORMATS)
def test_exports_hold_only_what_the_tree_asks(learner, form):
    if form == "onnx":
        pytest.importorskip("onnx")
    assert_silent(export(learner, form))
    blind = type(learner)(Costs(default_test_cost=1e6, errors=0, never_ask=["colour"]))
    blind.fit(X[["street", "colour"]], Y)
    assert_silent(export(blind, form))


def test_values_of_what_is_not_asked_do_not_matter(learner, tmp_path):
    save_model(learner, tmp_path / "model.json")
    copied = load_model(tmp_path / "model.json")
    others = X.with_columns(patient=pl.lit("x"), street=pl.lit(None), stage=pl.lit(2))
    for one in (learner, copied):
        for table in (X, others):
            assert one.predict(table).tolist() == Y
            assert one.bill(table).tolist() == [1.0] * N


def test_values_in_older_files_are_forgotten(learner, tmp_path):
    path = tmp_path / "model.json"
    save_model(learner, path)
    data = json.loads(path.read_text())
    data["columns"][0]["categories"] = PATIENTS
    path.write_text(json.dumps(data))
    old = load_model(path)
    assert old.predict(X).tolist() == Y
    save_model(old, path)
    assert_silent(path.read_bytes())
