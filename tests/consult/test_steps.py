"""The steps of a consultation: answering, undoing, stopping, and what is kept of it."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import frugaltree
from frugaltree import (
    C45Classifier,
    Consultation,
    Costs,
    ID3Classifier,
    load_model,
    save_model,
)
from frugaltree.exceptions import FrugaltreeError, MissingFile
from support.consultations import MAKERS, fitted


def standing(consultation):
    """Return everything that a person sees of a consultation, without the times."""
    record = consultation.record()
    for stamped in (record, *record["answers"], *record["overrides"]):
        for time in ("began", "recorded", "at"):
            stamped.pop(time, None)
    return (
        record,
        consultation.question,
        consultation.still_to_come,
        str(consultation),
        repr(consultation),
    )


class TestSteps:
    @pytest.fixture
    def model(self):
        X = pd.DataFrame(
            {
                "age": [30, 40, 50, 60] * 6,
                "sex": ["f", "m", "m"] * 8,
                "stage": pd.Categorical(["I", "II", "III"] * 8, ["I", "II", "III"], ordered=True),
            }
        )
        y = ["ill" if age > 45 else "well" for age in X["age"]]
        return ID3Classifier(Costs({"age": 3, "sex": 1, "stage": 2}, errors=9)).fit(X, y)

    @pytest.fixture
    def pain(self):
        """Make a tree that asks a nominal test of three values, one of which no case had."""
        X = pd.DataFrame({"pain": pd.Categorical(list("abab") * 5, ["a", "b", "c"])})
        return ID3Classifier(Costs({"pain": 3})).fit(X, [0, 1, 0, 1] * 5)

    def test_question_of_a_number(self, model):
        question = Consultation(model).question
        assert (question.test, question.kind, question.values) == ("age", "numeric", ())
        assert question.thresholds == (45.0,)

    def test_question_of_choices(self, pain):
        question = Consultation(pain).question
        assert (question.kind, question.values, question.threshold) == (
            "nominal",
            ("a", "b", "c"),
            None,
        )

    def test_question_of_an_order(self):
        stage = pd.Categorical(["I", "II", "III"] * 8, ["I", "II", "III"], ordered=True)
        model = ID3Classifier().fit(pd.DataFrame({"stage": stage}), [0, 0, 1] * 8)
        consultation = Consultation(model)
        assert (consultation.question.kind, consultation.question.threshold) == ("ordinal", "II")
        consultation.tell("IV")
        assert consultation.decision == model.predict(pd.DataFrame({"stage": ["IV"]}))[0]
        assert "no place in the order I, II, III" in consultation.notes[0]

    @pytest.mark.parametrize(
        ("value", "words"),
        [("c", "never seen by the cases that came this far"), ("z", "never seen at training")],
    )
    def test_a_value_never_seen_takes_the_nodes_own_answer(self, pain, value, words):
        consultation = Consultation(pain)
        consultation.tell(value)
        assert consultation.question is None
        assert consultation.decision == pain.predict(pd.DataFrame({"pain": [value]}))[0]
        assert (consultation.bill, consultation.answer.cases) == (3, 20)
        assert words in consultation.notes[0]

    def test_without_a_test_the_node_answers(self, pain):
        consultation = Consultation(pain)
        consultation.cannot_measure()
        assert consultation.bill == 0
        assert consultation.notes == (
            "pain is missing, so the answer is that of the 20 cases that came this far.",
        )
        again = Consultation(pain)
        again.tell(None)
        assert standing(again) == standing(consultation)

    def test_without_a_test_c45_mixes_the_branches(self):
        X, y = [[0], [0], [0], [1]] * 5, [0, 0, 0, 1] * 5
        consultation = Consultation(C45Classifier().fit(X, y))
        consultation.cannot_measure("x0")
        assert consultation.answer[:3] == (0, 0.75, pytest.approx(20))
        assert "every branch is followed" in consultation.notes[0]

    @pytest.mark.parametrize("learner", ["eg2", "dtmc"])
    def test_no_worth_where_several_branches_are_possible(self, learner):
        model, _ = fitted("heart", learner)
        consultation = Consultation(model)
        assert consultation.question.why is not None
        consultation.cannot_measure()
        assert consultation.question.why is None

    def test_what_is_missing_and_never_asked_leaves_the_worth(self, model):
        consultation = Consultation(model)
        before = consultation.question.why
        consultation.cannot_measure("sex")
        assert consultation.question.why == before

    def test_results_wait_until_they_are_asked_for(self, model):
        consultation = Consultation(model)
        consultation.tell(sex="f")
        assert (consultation.question.test, consultation.bill) == ("age", 0)
        consultation.tell(60)
        assert (consultation.decision, consultation.bill) == ("ill", 3)

    def test_known_values_are_free_and_none_is_no_value(self, model):
        consultation = Consultation(model)
        consultation.know(age=None)
        assert consultation.question.test == "age"
        with pytest.raises(FrugaltreeError, match="nothing to undo"):
            consultation.undo()
        consultation.know(age=60.0)
        consultation.know(sex="f")
        assert (consultation.decision, consultation.bill) == ("ill", 0)

    def test_stop_and_override(self, model):
        consultation = Consultation(model)
        before = standing(consultation)
        consultation.stop()
        assert consultation.stopped
        assert (consultation.question, consultation.decision) == (None, "ill")
        consultation.override("well", "seen often")
        consultation.override("refer")
        assert consultation.decision == "refer"
        assert consultation.answer.label == "ill"
        assert [o.label for o in consultation.overrides] == ["well", "refer"]
        assert "not one of the model's answers" in consultation.notes[-1]
        assert repr(consultation) == "<Consultation: refer by a person's override; bill 0.00>"
        for _ in range(3):
            consultation.undo()
        assert standing(consultation) == before

    def test_labels_are_those_of_the_model(self):
        consultation = Consultation(ID3Classifier().fit([[0], [1]] * 5, [3, 4] * 5))
        consultation.override("4")
        assert consultation.decision == 4
        assert len(consultation.notes) == 1

    def test_a_single_leaf_has_its_answer_at_once(self):
        consultation = Consultation(ID3Classifier().fit([[0], [0], [0]], [1, 1, 0]))
        assert (consultation.question, consultation.decision) == (None, 1)
        assert consultation.still_to_come == (0, 0)
        assert list(consultation) == []

    def test_in_words(self, model):
        consultation = Consultation(model)
        assert repr(consultation).startswith("<Consultation: asks age, 3.00; so far ill, 50 %")
        assert "still to come: 3.00" in str(consultation)
        consultation.tell(20)
        assert str(consultation).startswith("answer: well, 98 % likely, 100 % of 12 cases")

    @pytest.mark.parametrize(
        ("step", "words"),
        [
            (lambda c: c.tell(agee=3), "there is no test 'agee'.*Did you mean 'age'"),
            (lambda c: c.know(agee=None), "there is no test 'agee'"),
            (lambda c: c.doubt("agee", 3), "there is no test 'agee'"),
            (lambda c: c.cannot_measure("agee"), "there is no test 'agee'"),
            (lambda c: c.tell("old"), "age must be a number, but is 'old'; give a number"),
            (lambda c: c.tell(float("inf")), "age must be a finite number, but is inf"),
            (lambda c: c.tell(10**400), "age must be a finite number"),
            (lambda c: c.know(sex=["f"]), r"sex must be text or a number, but is \['f'\]"),
            (lambda c: c.tell(), "nothing was told"),
            (lambda c: c.tell(3, age=4), "age is given twice"),
            (lambda c: c.undo(), "nothing to undo"),
            (lambda c: (c.tell(sex="f"), c.know(sex="m")), "sex is 'f' already"),
            (lambda c: (c.tell(sex=None), c.know(sex="m")), "sex is unmeasured already"),
            (lambda c: (c.tell(3), c.tell(4)), "has ended with the answer 'well'"),
            (lambda c: (c.tell(3), c.cannot_measure()), "has ended"),
            (lambda c: (c.tell(3), c.stop()), "has ended"),
            (lambda c: (c.stop(), c.know(age=3)), "has ended"),
            (lambda c: c.override(None), "an answer must be text or a number, but is None"),
            (lambda c: list(c), "age was asked but not answered"),
        ],
    )
    def test_errors_are_one_sentence_and_change_nothing(self, model, step, words):
        consultation = Consultation(model)
        with pytest.raises(FrugaltreeError, match=words):
            step(consultation)
        assert consultation.bill in (0, 3)

    def test_a_number_out_of_range_is_doubted_and_noted(self, model):
        consultation = Consultation(model)
        least, greatest = model.test_ranges_["age"]
        assert consultation.doubt("age", least) is consultation.doubt("age", greatest) is None
        said = consultation.doubt("age", greatest + 1)
        assert said == (
            f"{greatest + 1:g} is above all 24 training cases ({least:g} to {greatest:g})"
        )
        consultation.tell(greatest + 1)
        assert consultation.notes == (f"age: {said}.",)
        consultation.undo()
        assert consultation.notes == ()

    def test_single_precision_is_inside(self):
        X = np.array([[0.1], [0.7]] * 5, np.float32)
        consultation = Consultation(ID3Classifier().fit(X, [0, 1] * 5))
        assert consultation.doubt("x0", 0.1) is consultation.doubt("x0", 0.7) is None
        assert consultation.doubt("x0", 0.71) is not None

    def test_one_wrong_value_takes_nothing(self, model):
        consultation = Consultation(model)
        before = standing(consultation)
        with pytest.raises(FrugaltreeError):
            consultation.tell(sex="f", age="old")
        assert standing(consultation) == before


@st.composite
def histories(draw):
    """Draw a few steps: what to do, with a number that picks the details."""
    kinds = ("tell", "tell", "tell", "know", "ahead", "skip", "undo", "stop", "override")
    return draw(st.lists(st.tuples(st.sampled_from(kinds), st.integers(0, 999)), max_size=14))


def do(consultation, kind, number, case):
    """Take a step; a step that is not possible is an error."""
    names = list(case)
    name = names[number % len(names)]
    question = consultation.question
    match kind:
        case "tell" if question:
            consultation.tell(case[question.test])
        case "know":
            consultation.know(**{n: case[n] for n in (name, names[(number * 7) % len(names)])})
        case "ahead":
            consultation.tell(**{name: case[name]})
        case "skip":
            consultation.cannot_measure(None if number % 2 else name)
        case "stop":
            consultation.stop()
        case "override":
            consultation.override(f"own {number}", "because")
        case _:
            raise FrugaltreeError("no step")


@pytest.mark.parametrize("learner", ["eg2", "dtmc", "act"])
@settings(max_examples=15, deadline=None)
@given(steps=histories(), row=st.integers(0, 296))
def test_undo_returns_exactly(learner, steps, row):
    model, X = fitted("heart", learner)
    case = X[row].to_dicts()[0]
    consultation = Consultation(model)
    past = [standing(consultation)]
    for kind, number in steps:
        if kind == "undo" and len(past) > 1:
            past.pop()
            consultation.undo()
        elif kind != "undo":
            try:
                do(consultation, kind, number, case)
            except FrugaltreeError:
                continue
            past.append(standing(consultation))
        assert standing(consultation) == past[-1]
    for before in reversed(past[:-1]):
        consultation.undo()
        assert standing(consultation) == before
    with pytest.raises(FrugaltreeError, match="nothing to undo"):
        consultation.undo()


@pytest.mark.parametrize("learner", ["eg2", "dtmc", "act"])
@settings(max_examples=15, deadline=None)
@given(data=st.data(), row=st.integers(0, 296))
def test_known_values_lead_to_the_same_answer_in_any_order(learner, data, row):
    model, X = fitted("heart", learner)
    case = X[row].to_dicts()[0]
    known = data.draw(st.lists(st.sampled_from(list(case)), unique=True))
    consultation = Consultation(model)
    for name in data.draw(st.permutations(known)):
        consultation.know(**{name: case[name]})
    at_once = Consultation(model)
    at_once.know(**{name: case[name] for name in known})
    for both in (consultation, at_once):
        for question in both:
            both.tell(case[question.test])
    assert consultation.decision == at_once.decision == model.predict(X[row : row + 1])[0]
    assert consultation.bill == at_once.bill <= model.bill(X[row : row + 1])[0] + 1e-9
    used = consultation.record()["answers"]
    assert all(answer["price"] == 0 for answer in used if answer["test"] in known)


def test_a_record_is_plain_and_complete(tmp_path):
    model, _ = fitted("heart", "dtmc")
    consultation = Consultation(model)
    consultation.know(sex="male")
    consultation.tell("typical angina")
    consultation.tell(np.float64(260.0))
    consultation.cannot_measure()
    consultation.override("healthy", "young")
    record = consultation.record()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert [(a["test"], a["value"], a["how"]) for a in record["answers"]] == [
        ("sex", "male", "known"),
        ("cp", "typical angina", "told"),
        ("chol", 260, "told"),
        (record["answers"][3]["test"], None, "unmeasured"),
    ]
    assert sum(answer["price"] for answer in record["answers"]) == record["bill"]
    assert set(record["answers"][2]["paid_for"]) >= {"chol"}
    assert record["prices"] == {
        "unit": "CAD",
        "source": model.costs.source,
        "date": "1992",
    }
    assert record["final_answer"] == "healthy"
    assert record["overrides"][0]["reason"] == "young"
    assert record["began"].endswith("+00:00")
    consultation.save_record(tmp_path / "record.json")
    saved = json.loads((tmp_path / "record.json").read_text("utf-8"))
    assert {**saved, "recorded": ""} == {**record, "recorded": ""}
    assert [path.name for path in tmp_path.iterdir()] == ["record.json"]
    with pytest.raises(MissingFile):
        consultation.save_record(tmp_path / "no" / "record.json")


@pytest.mark.parametrize("learner", MAKERS)
def test_a_model_from_a_file_has_the_same_digest(learner, tmp_path):
    model, _ = fitted("heart", learner)
    save_model(model, tmp_path / "model.json")
    ours = Consultation(model).record()["model"]
    assert Consultation(tmp_path / "model.json").record()["model"] == ours
    assert Consultation(load_model(tmp_path / "model.json")).record()["model"] == ours
    assert len(ours["digest"]) == len("sha256:") + 64
    other, _ = fitted("hepatitis", learner)
    assert Consultation(other).record()["model"]["digest"] != ours["digest"]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (ID3Classifier(), "this ID3Classifier has learned nothing yet; call fit first"),
        (SimpleNamespace(tree_=None), "needs a learner of frugaltree"),
        ("no-such-model.json", "does not exist"),
    ],
)
def test_what_is_no_model(model, words):
    with pytest.raises(FrugaltreeError, match=words):
        Consultation(model)


def test_odd_names_stay_text():
    names = ["<script>", "[red]", "self", "value", "max rate"]
    X = pd.DataFrame({name: [0, 1] * 10 for name in names})
    X["[red]"] = ["[/]", "\x1b[31m"] * 10
    model = ID3Classifier(Costs(dict.fromkeys(names, 1))).fit(X, [0, 1] * 10)
    consultation = Consultation(model)
    consultation.know(**{"self": 0, "value": 1, "max rate": 1})
    consultation.know(**{"[red]": "[/]"})
    assert json.loads(json.dumps(consultation.record()))["answers"][-1]["test"] == "[red]"


def test_public_name():
    assert "Consultation" in dir(frugaltree)
    assert frugaltree.Consultation is Consultation
