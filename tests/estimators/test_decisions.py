"""Learners whose leaves answer with decisions: what they say, cost, and leave behind."""

from __future__ import annotations

import json
import pickle
from itertools import product

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

from frugaltree import (
    ACTClassifier,
    C45Classifier,
    Consultation,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    FrugalTreeClassifier,
    load_model,
    save_model,
)
from frugaltree.compare import compare
from frugaltree.exceptions import InvalidCosts, InvalidModel
from frugaltree.export import to_dot, to_mermaid, to_python, to_rules, to_sql
from frugaltree.metrics import cost_scorer, error_cost
from frugaltree.plots.tree import tree_numbers
from frugaltree.report import compare_with_baselines
from frugaltree.report.measure import measure

BESIDE = {"errors": {("ill", "well"): 100, ("well", "ill"): 400}, "decisions": {"refer": 20}}
ALONE = {
    "decisions": {
        "treat": {"ill": -50, "well": 30},
        "watch": {"ill": 200, "well": 0},
        "refer": 12,
    }
}
LISTS = {"beside": Costs([2, 1], **BESIDE), "alone": Costs([2, 1], **ALONE)}


def cases():
    """Both bits set: ill. One: a coin. None: well."""
    X = np.array([bits for bits in product([0, 1], repeat=2) for _ in range(10)])
    y = ["well"] * 10 + (["ill"] * 5 + ["well"] * 5) * 2 + ["ill"] * 10
    return X, np.array(y)


def learners(costs):
    return [
        FrugalTreeClassifier(costs, pessimism="paper", random_state=0),
        ACTClassifier(costs, random_state=0),
        DTMCClassifier(costs),
    ]


def by_hand(costs, answers, y):
    return np.mean(
        [costs.error_cost(said, actual) for said, actual in zip(answers, y, strict=True)]
    )


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("which", range(3))
def test_answers_and_what_they_cost(name, which):
    costs, (X, y) = LISTS[name], cases()
    model = learners(costs)[which].fit(X, y)
    assert model.answers_.tolist() == list(costs.answers(["ill", "well"]))
    assert model.classes_.tolist() == ["ill", "well"]
    answers = model.predict(X)
    assert set(answers) <= set(model.answers_)
    total = by_hand(costs, answers, y) + model.bill(X).mean()
    assert model.total_cost(X, y) == pytest.approx(total)
    assert error_cost(y, answers, costs) == pytest.approx(by_hand(costs, answers, y))
    standard = costs.standard_cost({"ill": 0.5, "well": 0.5}, ["x0", "x1"])
    assert model.score(X, y) == pytest.approx(-total / standard)
    assert cost_scorer(costs)(model, X, y) == model.score(X, y)
    assert model.predict_proba(X).shape == (40, 2)
    root = min(model._answer_costs(costs) @ [20, 20]) / 40
    saved = root - by_hand(costs, answers, y) - model.bill(X).mean()
    assert model.feature_importances_.sum() == pytest.approx(saved)
    assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == answers.tolist()


def test_who_is_unsure_is_referred():
    X, y = cases()
    model = FrugalTreeClassifier(LISTS["beside"], pessimism="none", random_state=0).fit(X, y)
    assert model.predict([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist() == [
        "well",
        "refer",
        "refer",
        "ill",
    ]
    assert model.expected_cost_ == pytest.approx(10 + model.expected_test_cost_)
    assert "refer  10 cases (ill 50 %, well 50 %), because it costs 20.00 a case, ill 50.00" in (
        model.to_text()
    )


def test_a_gain_is_shown_as_one():
    X, y = cases()
    model = FrugalTreeClassifier(LISTS["alone"], pessimism="none", random_state=0).fit(X, y)
    assert model.predict([[1, 1], [0, 0]]).tolist() == ["treat", "watch"]
    # Both treated where there is a chance: 10 at -50, 20 at -10, 10 at 0.
    assert model.expected_error_cost_ == pytest.approx((10 * -50 + 20 * -10) / 40)
    assert model.expected_cost_ < 0
    assert model.lower_bound_ == pytest.approx(model.objective_)
    assert model.gap_ == 0.0
    assert all(one.cost >= model.objective_ - 1e-9 for one in model.history_)
    assert (
        "treat  20 cases (ill 75 %, well 25 %), because it brings 30.00 a case, refer costs 12.00"
        in (model.to_text())
    )


def test_numbered_classes_and_named_decisions():
    X, y = cases()
    costs = Costs([2, 1], errors=[[0, 400], [100, 0]], decisions={"refer": 20})
    model = FrugalTreeClassifier(costs, pessimism="none", random_state=0).fit(X, (y == "ill") * 1)
    answers = model.predict([[0, 0], [0, 1], [1, 1]])
    assert answers.dtype == object
    assert answers.tolist() == [0, "refer", 1]
    assert model.total_cost(X, (y == "ill") * 1) == pytest.approx(10 + model.bill(X).mean())
    assert model.to_frame()["answer"].to_list()[-1] == "1"


def test_learners_that_see_no_errors_answer_classes():
    X, y = cases()
    with_it, without = LISTS["beside"], Costs([2, 1], errors=BESIDE["errors"])
    for learner in (C45Classifier, EG2Classifier):
        one, other = learner(with_it).fit(X, y), learner(without).fit(X, y)
        assert one.answers_.tolist() == ["ill", "well"]
        assert one.predict(X).tolist() == other.predict(X).tolist()
        assert one.expected_cost_ == other.expected_cost_
        assert one.score(X, y) == other.score(X, y)
        with pytest.raises(InvalidCosts, match="answers with classes, but these costs have dec"):
            learner(LISTS["alone"]).fit(X, y)


def test_the_same_costs_as_decisions_give_the_same_tree():
    """A table of two decisions that stand for the classes is nothing but their errors."""
    X, y = cases()
    table = {"say ill": {"ill": 0, "well": 100}, "say well": {"ill": 400, "well": 0}}
    for errors, decisions in zip(
        learners(Costs([2, 1], errors=BESIDE["errors"])),
        learners(Costs([2, 1], decisions=table)),
        strict=True,
    ):
        one, other = errors.fit(X, y), decisions.fit(X, y)
        assert [f"say {label}" for label in one.predict(X)] == other.predict(X).tolist()
        assert other.expected_cost_ == pytest.approx(one.expected_cost_)
        assert other.score(X, y) == pytest.approx(one.score(X, y))


def test_a_forecast_is_shifted_back():
    X, y = np.repeat(cases()[0], 5, axis=0), np.repeat(cases()[1], 5)
    costs = LISTS["alone"]
    gains = {"treat": {"ill": 0, "well": 30}, "watch": {"ill": 250, "well": 0},
             "refer": {"ill": 62, "well": 12}}  # fmt: skip
    told, plain = (
        FrugalTreeClassifier(one, max_steps=50, random_state=0).fit(X, y)
        for one in (costs, Costs([2, 1], decisions=gains))
    )
    assert told.predict(X).tolist() == plain.predict(X).tolist()
    for name in ("cost", "low", "high", "guess"):
        assert getattr(told.forecast_, name) == pytest.approx(
            getattr(plain.forecast_, name) - 25.0
        )
    assert told.forecast_.saving == pytest.approx(plain.forecast_.saving)
    assert [one.cost + 25.0 for one in told.tuning_] == pytest.approx(
        [one.cost for one in plain.tuning_]
    )
    assert told.objective_ == pytest.approx(plain.objective_ - 25.0)
    assert told.lower_bound_ == pytest.approx(plain.lower_bound_ - 25.0)
    assert told.gap_ == pytest.approx(plain.gap_)
    assert told.history_[-1].gap == pytest.approx(plain.history_[-1].gap)


@pytest.mark.parametrize("name", LISTS)
def test_a_model_file_keeps_decisions(name, tmp_path):
    X, y = cases()
    path = tmp_path / "model.json"
    for model in (one.fit(X, y) for one in learners(LISTS[name])):
        save_model(model, path)
        again = load_model(path)
        assert again.predict(X).tolist() == model.predict(X).tolist()
        assert again.answers_.tolist() == model.answers_.tolist()
        assert again.expected_cost_ == model.expected_cost_
        assert again.total_cost(X, y) == model.total_cost(X, y)
        assert again.to_text() == model.to_text()
        assert json.loads(path.read_text("utf-8"))["version"] == 3


def test_a_model_without_decisions_is_one_of_version_2(tmp_path):
    X, y = cases()
    save_model(DTMCClassifier(Costs([2, 1], errors=5)).fit(X, y), tmp_path / "model.json")
    saved = json.loads((tmp_path / "model.json").read_text("utf-8"))
    assert saved["version"] == 2
    assert "answers" not in saved["tree"]


DAMAGE = {
    "none": ([], "tree.answers must be one or more distinct answers"),
    "twice": (["ill", "well", "well"], "distinct answers"),
    "another": (["ill", "well", "wait"], "tree.answers must be the answers of its costs"),
    "another order": (["refer", "ill", "well"], "tree.answers must be the answers of its costs"),
    "no list": ("refer", "tree.answers must be a list"),
    "a list": (["ill", "well", ["refer"]], "must be text, a finite number or a boolean"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_answers_are_refused(name, tmp_path):
    X, y = cases()
    path, (answers, said) = tmp_path / "model.json", DAMAGE[name]
    save_model(DTMCClassifier(LISTS["beside"]).fit(X, y), path)
    saved = json.loads(path.read_text("utf-8"))
    saved["tree"]["answers"] = answers
    path.write_text(json.dumps(saved), "utf-8")
    with pytest.raises(InvalidModel, match=said):
        load_model(path)


@pytest.mark.parametrize("name", LISTS)
def test_other_forms_say_the_same(name):
    X, y = cases()
    model = FrugalTreeClassifier(LISTS[name], pessimism="none", random_state=0).fit(X, y)
    space: dict[str, object] = {}
    exec(to_python(model), space)
    told = [space["classify"]({"x0": a, "x1": b}) for a, b in X.tolist()]
    assert [str(one[0]) for one in told] == model.predict(X).tolist()
    import sqlite3

    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE TABLE t (i, x0, x1)")
        db.executemany(
            "INSERT INTO t VALUES (?, ?, ?)", [(i, *row) for i, row in enumerate(X.tolist())]
        )
        found = db.execute(to_sql(model, "t", key="i").rstrip(";\n") + " ORDER BY 1").fetchall()
    assert [answer for _, answer, _ in found] == model.predict(X).tolist()
    said = set(model.predict(X))
    for form in (to_dot, to_mermaid, to_rules):
        assert all(answer in form(model) for answer in said)
    assert said <= {line for box in tree_numbers(model).boxes for line in box.text.split("\n")}


def test_a_consultation_offers_decisions():
    X, y = cases()
    model = FrugalTreeClassifier(LISTS["beside"], pessimism="none", random_state=0).fit(X, y)
    talk = Consultation(model)
    while talk.question is not None:
        talk.tell(1.0 if talk.question.test == "x0" else 0.0)
    assert talk.decision == "refer"
    answer = talk.answer
    assert (answer.is_decision, answer.of, answer.share, answer.cost) == (True, "ill", 0.5, 20.0)
    assert str(answer).startswith("refer, because it costs 20.00 a case, ill 50.00; ill ")
    talk.undo()
    talk.override("refer", "unsure")
    assert not any("is not one of" in str(note) for note in talk.notes)
    with_class = Consultation(model)
    while with_class.question is not None:
        with_class.tell(1.0)
    assert (with_class.decision, with_class.answer.is_decision) == ("ill", False)


@pytest.mark.parametrize("name", LISTS)
def test_strategies_and_measures(name):
    X, y = np.repeat(cases()[0], 2, axis=0), np.repeat(cases()[1], 2)
    costs = LISTS[name]
    model = FrugalTreeClassifier(costs, pessimism="none", random_state=0).fit(X, y)
    found = {one.name: one for one in compare_with_baselines(model, X, y)}
    best = min(costs.answer_costs(["ill", "well"]).mean(axis=1))
    guess = next(one for label, one in found.items() if label.startswith("always answer"))
    assert guess.errors == pytest.approx(best)
    never = found["ask everything, never err"]
    assert never.errors == pytest.approx(costs.answer_costs(["ill", "well"]).min(axis=0).mean())
    assert ("C4.5, blind to costs" in found) == (name == "beside")
    assert found["this tree"].errors == pytest.approx(by_hand(costs, model.predict(X), y))
    for folds in (None, 4):
        told = measure(model, X, y, folds=folds)
        assert told.forecast.low <= told.forecast.cost <= told.forecast.high
        assert sum(count.right for _, count in told.decisions) + told.accuracy.of == len(y)
    assert measure(model, X, y).forecast.cost == pytest.approx(model.total_cost(X, y))


def test_searches_and_comparisons():
    X, y = np.repeat(cases()[0], 2, axis=0), np.repeat(cases()[1], 2)
    costs = LISTS["beside"]
    assert cross_val_score(DTMCClassifier(costs), X, y, cv=4).shape == (4,)
    grid = {"costs__decisions": [None, {"refer": 20}]}
    frugal = FrugalTreeClassifier(costs, pessimism="none", random_state=0)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    search = GridSearchCV(frugal, grid, cv=folds, scoring=cost_scorer(costs)).fit(X, y)
    assert search.best_params_ == {"costs__decisions": {"refer": 20}}
    found = compare(X, y, costs, {"dtmc": "dtmc", "eg2": "eg2"}, folds=4)
    assert found.guess == pytest.approx(20.0)


def test_the_guess_of_the_page_is_a_decision_where_that_is_cheapest():
    X, y = [[0], [1]] * 10, ["ill"] * 10 + ["well"] * 10
    model = DTMCClassifier(Costs([50], **BESIDE)).fit(X, y)
    assert model.predict([[0]]).tolist() == ["refer"]
    assert model.tree_.probabilities.tolist() == [[0.5, 0.5]]
