"""Repertoires in model files: they come back as they were, and damage is found."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from frugaltree import ACTClassifier, Consultation, Costs, Repertoire, load_model, save_model
from frugaltree.exceptions import FrugaltreeError, InvalidModel

COSTS = Costs([1, 7, 3], errors=80, unit="EUR")
BUDGETS = [0, 4, 11]


def cases():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 90)
    X = np.column_stack([np.where(random.random(90) < p, y, 1 - y) for p in (0.7, 0.95, 0.85)])
    return X.astype(float), np.where(y == 1, "ill", "well")


@pytest.fixture(scope="module", params=[False, True], ids=["trees", "interruptible"])
def fitted(request):
    made = Repertoire(
        COSTS,
        budgets=BUDGETS,
        estimator=ACTClassifier(n_samples=1),
        interruptible=request.param,
        random_state=0,
    )
    return made.fit(*cases())


def test_it_comes_back_as_it_was(fitted, tmp_path):
    path = tmp_path / "r.model.json"
    save_model(fitted, path)
    again = load_model(path)
    X, y = cases()
    assert isinstance(again, Repertoire)
    for budget in (0, 3, 4, 9, 11, 50):
        assert again.predict(X, budget).tolist() == fitted.predict(X, budget).tolist()
        assert again.bill(X, budget=budget).tolist() == fitted.bill(X, budget=budget).tolist()
        assert again.for_budget(budget).to_text() == fitted.for_budget(budget).to_text()
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert again.score(X, y, budget=4) == fitted.score(X, y, budget=4)
    assert again.overview() == fitted.overview()
    assert again.choices_ == fitted.choices_
    assert again.tuning_ == fitted.tuning_
    assert again.settings_ == fitted.settings_
    assert again.expected_cost_ == fitted.expected_cost_
    other = tmp_path / "again.model.json"
    save_model(again, other)
    first, second = (json.loads(one.read_text()) for one in (path, other))
    first.pop("provenance"), second.pop("provenance")
    first["parameters"].pop("random_state"), second["parameters"].pop("random_state")
    for one in (first, second):
        for model in one["models"]:
            model["parameters"].pop("random_state")
    assert first == second


def changed(document, *path, to):
    document = copy.deepcopy(document)
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return document


@pytest.mark.parametrize(
    ("path", "to", "message"),
    [
        (("version",), 9, "is a repertoire of version 9, but this frugaltree reads"),
        (("budgets",), [4, 0, 11], "is damaged: budgets must increase, but 0 comes after 4"),
        (("budgets", 0), -3, "is damaged: budgets[0] must be a finite number, 0 or more"),
        (("use", 0), 7, "is damaged: use[0] must be the position of a model, but is 7"),
        (("use", 0), True, "is damaged: use[0] must be the position of a model, but is True"),
        (("models",), [], "is damaged: models must be one model or more, but is []"),
        (("models", 0), 3, "is damaged: models[0] must be an object, but is 3"),
        (("models", 0, "tree", "labels"), [], "is damaged: tree.labels must be a list of"),
        (("choices", 1, "budget"), 5.0, "is damaged: choices must be one for each budget"),
        (("choices", 1, "bill"), "much", "is damaged: choices[1].bill must be a number"),
        (("tuning", 0, "cost"), "much", "is damaged: tuning[0].cost must be a number or null"),
        (("settings",), [], "is damaged: settings must be an object, but is []"),
        (("parameters", "folds"), 9, "is damaged: in its parameters,"),
        (("parameters", "estimator"), "Tree", "is damaged: parameters.estimator must be a"),
    ],
)
def test_damage_is_found(path, to, message, tmp_path):
    X, y = cases()
    made = Repertoire(COSTS, budgets=BUDGETS, random_state=0).fit(X, y)
    file = tmp_path / "r.model.json"
    save_model(made, file)
    file.write_text(json.dumps(changed(json.loads(file.read_text()), *path, to=to)))
    with pytest.raises(InvalidModel) as raised:
        load_model(file)
    assert str(raised.value).startswith(f"{file} {message}")


def test_a_consultation_takes_the_tree_for_its_budget(fitted, tmp_path):
    save_model(fitted, tmp_path / "r.model.json")
    consultation = Consultation(tmp_path / "r.model.json", budget=4)
    assert "(budget EUR 4.00, the tree for EUR " in str(consultation)
    asked = []
    for question in consultation:
        asked.append(question.test)
        consultation.tell(1)
    assert asked
    assert consultation.bill <= 4
    assert consultation.decision == fitted.predict([[1, 1, 1]], 4)[0]
    record = consultation.to_dict()
    assert record["budget"] == 4
    again = Consultation.from_record(fitted, record)
    assert (again.bill, again.decision, again.budget) == (consultation.bill, "ill", 4)
    assert Consultation(fitted).budget is None
    assert Consultation(fitted).model.tree_ is fitted.tree_


def test_mistakes_in_consultations(fitted):
    with pytest.raises(FrugaltreeError, match="a budget is a number, 0 or more, but is -4"):
        Consultation(fitted, budget=-4)
    X, y = cases()
    with pytest.raises(FrugaltreeError, match="a ACTClassifier has one tree, whatever the"):
        Consultation(ACTClassifier(n_samples=1).fit(X, y), budget=4)
    with pytest.raises(FrugaltreeError, match="this Repertoire has learned nothing yet"):
        Consultation(Repertoire())
