"""Consultations taken up again from their records."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugaltree import Consultation, save_model
from frugaltree.exceptions import FrugaltreeError
from support.consultations import MAKERS, PRICES, answered, fitted


def standing(consultation):
    """Return everything that a person sees of a consultation, times included."""
    record = {**consultation.record(), "recorded": ""}
    return record, consultation.question, consultation.still_to_come, str(consultation)


def again(model, consultation):
    return Consultation.from_record(model, json.loads(json.dumps(consultation.record())))


@pytest.mark.parametrize("data", PRICES)
@pytest.mark.parametrize("learner", ["eg2", "c45"])
def test_whole_consultations(data, learner):
    model, X = fitted(data, learner)
    for case in X[:10].to_dicts():
        consultation = answered(model, case)
        assert standing(again(model, consultation)) == standing(consultation)


def test_to_dict_is_the_record_and_plain_json():
    model, X = fitted("heart", "eg2")
    consultation = answered(model, X[:1].to_dicts()[0])
    got = consultation.to_dict()
    assert json.loads(json.dumps(got)) == got
    assert {**got, "recorded": ""} == {**consultation.record(), "recorded": ""}
    assert standing(Consultation.from_record(model, got)) == standing(consultation)


@pytest.mark.parametrize("data", ["heart", "car"])
@pytest.mark.parametrize("learner", ["dtmc", "act"])
@settings(max_examples=25, deadline=None)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(("tell", "tell", "know", "both", "skip", "undo", "stop", "override")),
            st.integers(0, 999),
        ),
        max_size=10,
    ),
    row=st.integers(0, 200),
)
def test_every_standing(data, learner, steps, row):
    model, X = fitted(data, learner)
    case = X[row].to_dicts()[0]
    names = list(case)
    consultation = Consultation(model)
    for kind, number in steps:
        name, other = names[number % len(names)], names[number * 7 % len(names)]
        try:
            match kind:
                case "tell":
                    asked = consultation.question.test if consultation.question else name
                    consultation.tell(**{asked: case[asked]})
                case "know":
                    consultation.know(**{name: case[name]})
                case "both":
                    consultation.tell(**{name: case[name], other: None})
                case "skip":
                    consultation.cannot_measure()
                case "undo":
                    consultation.undo()
                case "stop":
                    consultation.stop()
                case "override":
                    consultation.override(f"own {number}", "because")
        except FrugaltreeError:
            continue
        assert standing(again(model, consultation)) == standing(consultation)


def test_goes_on_and_back():
    model, X = fitted("heart", "eg2")
    case = X[0].to_dicts()[0]
    consultation = Consultation(model)
    before = standing(consultation)[1:]
    consultation.tell(case[consultation.question.test])
    taken_up = again(model, consultation)
    for question in taken_up:
        taken_up.tell(case[question.test])
    assert taken_up.bill == answered(model, case).bill
    taken_up = again(model, consultation)
    taken_up.undo()
    assert standing(taken_up)[1:] == before


def test_a_model_from_its_file(tmp_path):
    model, X = fitted("heart", "eg2")
    save_model(model, tmp_path / "model.json")
    consultation = answered(model, X[0].to_dicts()[0])
    taken_up = Consultation.from_record(tmp_path / "model.json", consultation.record())
    assert standing(taken_up) == standing(consultation)


def test_a_record_that_does_not_tell_its_steps():
    model, X = fitted("heart", "eg2")
    consultation = answered(model, X[0].to_dicts()[0])
    record = consultation.record()
    for answer in record["answers"]:
        del answer["step"]
    assert Consultation.from_record(model, record).bill == consultation.bill


@pytest.mark.parametrize("learner", MAKERS)
def test_another_model_is_refused(learner):
    model, X = fitted("heart", learner)
    other, _ = fitted("hepatitis", learner)
    with pytest.raises(FrugaltreeError) as raised:
        again(other, answered(model, X[0].to_dicts()[0]))
    assert str(raised.value) == (
        "the record belongs to another model, whose digest is not that of this "
        f"{type(other).__name__}; load the model that it was made with."
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "frugaltree model"}, "not the record of a consultation; give what record"),
        ({"version": 2}, "the record has version 2, but this frugaltree reads version 1"),
        ({"model": None}, "belongs to another model"),
        ({"bill": 1.0}, "the record leads to a bill of .*, but says 1.0; it was changed"),
        ({"final_answer": "perhaps"}, "leads to an answer of .*, but says 'perhaps'"),
        ({"answers": None}, r"the record is damaged \(TypeError.*; give it as it was saved"),
        ({"answers": [{"test": "age"}]}, r"the record is damaged \(KeyError: 'how'\)"),
        ({"overrides": [{}]}, r"the record is damaged \(KeyError: 'label'\)"),
    ],
)
def test_what_is_no_record(change, words):
    model, X = fitted("heart", "eg2")
    record = {**answered(model, X[0].to_dicts()[0]).record(), **change}
    with pytest.raises(FrugaltreeError, match=words):
        Consultation.from_record(model, record)


def test_a_path_is_no_record():
    model, _ = fitted("heart", "eg2")
    with pytest.raises(FrugaltreeError, match="not the record of a consultation"):
        Consultation.from_record(model, "record.json")
