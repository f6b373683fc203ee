from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from frugaltree import Costs, DTMCClassifier, EG2Classifier, Group, ID3Classifier, save_model
from frugaltree.app.consult import run
from frugaltree.datasets import load, load_costs
from frugaltree.exceptions import FrugaltreeError


@pytest.fixture(scope="module")
def heart(tmp_path_factory):
    X, y = load("heart", return_X_y=True)
    path = tmp_path_factory.mktemp("models") / "heart.json"
    save_model(DTMCClassifier(load_costs("heart", errors=500)).fit(X, y), path)
    return path


@pytest.fixture
def consult(monkeypatch):
    """Return what runs a dialogue on typed lines and returns what it shows."""

    def consult(
        model: Path, *lines: str, known=(), record=None, as_json=False, width=100, language="en"
    ) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        console = Console(file=io.StringIO(), width=width)
        run(console, model, known=list(known), record=record, as_json=as_json, language=language)
        return console.file.getvalue()

    return consult


def small(tmp_path, values, y=(0, 1), name="pain", **costs) -> Path:
    """Save a tree that asks one test, each of whose values has its own class."""
    model = ID3Classifier(Costs({name: 3}, errors=10, **costs))
    save_model(model.fit(pd.DataFrame({name: list(values) * 12}), list(y) * 12), tmp_path / "m")
    return tmp_path / "m"


def test_a_whole_dialogue(heart, consult, tmp_path):
    shown = consult(heart, "1", "?", "260", "150", "", record=tmp_path / "record.json")
    for text in (
        "1 typical angina   2 atypical angina",
        "Why: Going on saves CAD 131.24 on average.",
        "healthy, right for 54 % of 297 cases like this (95 % interval 48 % to 59 %)",
        "chol  CAD 9.27, result later: orders trestbps, age along with it",
        "To stop here costs CAD 152.17 in errors",
        "chol is told apart at 254, 282.5",
        "trestbps  result of what was ordered, nothing more to pay",
        "Bill so far: CAD 10.27 · still to come: CAD 0.00",
        "weak evidence",
        "Answer: sick",
        "Bill: CAD 10.27",
        "record.json",
    ):
        assert text in shown.replace("\n  evidence", " evidence"), text
    assert "your answer> 260\n" in shown
    record = json.loads((tmp_path / "record.json").read_text("utf-8"))
    assert [(a["test"], a["value"]) for a in record["answers"]] == [
        ("cp", "typical angina"),
        ("chol", 260),
        ("trestbps", 150),
    ]
    assert (record["final_answer"], record["bill"]) == ("sick", 10.27)


def test_values_by_text_in_any_case(heart, consult):
    assert "Answer: healthy" in consult(heart, "Non-Anginal Pain", "120", "")


def test_known_values_are_not_asked(heart, consult):
    shown = consult(heart, known=["cp=non-anginal pain", "trestbps=120"])
    assert "Answer: healthy" in shown
    assert "Bill: CAD 0.00" in shown
    assert "your answer>" not in shown


def test_undo_stop_and_override(heart, consult):
    shown = consult(heart, "u", "4", "u", "s", "u", "o Sick", "pale", "")
    assert "there is nothing to undo" in shown
    assert shown.count("cp  CAD 1.00") == 3
    assert "Answer: healthy" in shown
    assert "Note: A person answered sick instead of healthy: pale" in shown
    assert "Your own answer; the tree's: healthy" in shown


def test_what_cannot_be_measured(heart, consult):
    shown = " ".join(consult(heart, "-", "-", "-", "").split())
    assert "cp is missing, so the case goes on as if cp = atypical angina, which costs" in shown
    assert "Answer: healthy" in shown
    assert "Bill: CAD 0.00" in shown


@pytest.mark.parametrize("lines", [("q",), (), ("quit",)])
def test_leaving_early_is_no_answer(heart, consult, tmp_path, lines):
    shown = consult(heart, *lines, record=tmp_path / "r.json")
    assert "Ended without an answer." in shown
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))["final_answer"] is None


def test_a_value_that_no_case_had_is_doubted_first(heart, consult):
    shown = consult(heart, "atypical angin", "atypical angin", "")
    assert "Did you mean 'atypical angina'? Type it again" in shown.replace("\n", " ")
    assert "cp = atypical angin was never seen at training" in shown


def test_a_wrong_kind_is_one_sentence(heart, consult):
    shown = consult(heart, "1", "high", "", "o", "q")
    assert "chol must be a number, but is 'high'" in shown
    assert "Type an answer, or - if it cannot be measured." in shown
    assert "an own answer needs its label" in shown


def test_both_decimal_signs_mean_the_same(heart, consult, tmp_path):
    for typed in ("240,5", "240.5"):
        consult(heart, "1", typed, "q", record=tmp_path / "r.json")
        record = json.loads((tmp_path / "r.json").read_text("utf-8"))
        assert [a["value"] for a in record["answers"]] == ["typical angina", 240.5]
    consult(heart, "q", known=["chol=240,5"], record=tmp_path / "r.json")
    record = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert [(a["value"], a["how"]) for a in record["answers"]] == [(240.5, "known")]


@pytest.mark.parametrize("typed", ["1.240,5", "1,240.5", "high", "2 40", "240,", "2e2", "2_40"])
def test_what_is_no_number_is_refused(heart, consult, typed):
    shown = consult(heart, "1", typed, "q", width=200)
    assert (
        f"chol must be a number, but is {typed!r}; write digits with at most one decimal sign, "
        "such as 12.5 or 12,5, or type - if it cannot be measured." in shown
    )
    assert shown.count("chol  CAD") == 1
    assert "None" not in shown


def test_thousands_may_be_meant(heart, consult):
    shown = consult(heart, "1", "1,240", "q", width=200)
    assert "chol is '1,240', which can mean 1240 or 1.240; write it as one of these." in shown


def test_a_number_out_of_range_is_asked_back(heart, consult):
    said = "is above all 297 training cases (126 to 564). Is that right? Type it again"
    shown = consult(heart, "1", "2600", "260", "q", width=200)
    assert f"2600 {said}" in shown
    assert "Note:" not in shown
    shown = consult(heart, "1", "2600", "2500", "2500,0", "q", width=200)
    assert shown.count(said) == 2
    assert "Note: chol: 2500 is above all 297 training cases (126 to 564)." in shown
    shown = consult(heart, "1", "-5", "9" * 400, "q", width=2000)
    assert "-5 is below all 297 training cases" in shown
    assert "chol must be a finite number" in shown


def test_a_known_number_out_of_range_is_noted(heart, consult):
    shown = consult(heart, "q", known=["age=12", "chol=2600"], width=200)
    assert "Note: chol: 2600 is above all 297 training cases (126 to 564)." in shown


@pytest.mark.parametrize(("values", "number"), [(["+", "-"], "2"), (["-", "7"], '"-"')])
def test_a_minus_that_is_an_answer_is_asked_back(tmp_path, consult, values, number):
    model = small(tmp_path, values)
    place = values.index("-")
    shown = consult(model, "-", number, "", record=tmp_path / "r.json", width=200)
    assert "- is an answer here, and can also mean that it cannot be measured" in shown
    assert f"type {number}" in shown
    record = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert [(a["value"], a["how"]) for a in record["answers"]] == [("-", "told")]
    assert record["final_answer"] == place
    consult(model, "-", "unmeasured", "", record=tmp_path / "r.json")
    record = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert [a["how"] for a in record["answers"]] == ["unmeasured"]


def test_values_that_are_numbers_get_no_others(tmp_path, consult):
    shown = consult(small(tmp_path, ["2", "3"]), "2", "")
    assert "one of: 2 · 3" in shown
    assert "Answer: 0" in shown


def test_a_value_comes_before_a_command(tmp_path, consult):
    model = small(tmp_path, ["s", "u"])
    assert "Answer: 0" in consult(model, "s", "")
    stopped = consult(model, "stop", "undo", "2", "")
    assert stopped.count("your answer>") == 2
    assert "Answer: 1" in stopped


def test_after_the_end(tmp_path, consult):
    shown = consult(small(tmp_path, ["a", "b"]), "b", "b", "?", "s", "u", "1", "")
    assert "There is nothing more to ask" in shown
    assert "the consultation has ended with the answer 1" in shown
    assert shown.count("Answer: 0") == 1


def test_names_stay_text(tmp_path, consult):
    model = small(tmp_path, ["[/]", "<b>"], ["[red]x", "\x1b[31m"], "<script>[bold]", unit="[i]")
    for width in (100, 30):
        shown = consult(model, "?", "[/]", "o [red]y", "[/red]", "", width=width)
        assert "\x1b" not in shown
        for text in ("<script>[bold]", "2 [/]", "[red]x", "[red]y", "[/red]", "[i]"):
            assert text in shown


def test_several_branches_have_no_worth(tmp_path, consult):
    X, y = load("heart", return_X_y=True)
    save_model(EG2Classifier(load_costs("heart", errors=500)).fit(X, y), tmp_path / "m")
    shown = consult(tmp_path / "m", "-", "?")
    assert "every branch is followed" in shown
    assert "is not known where several branches are followed" in shown


def test_an_open_group_shows_in_the_price(tmp_path, consult):
    X = pd.DataFrame({"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5})
    costs = Costs({"a": 2, "b": 2}, {"g": Group(["a", "b"], cost=5)}, unit="EUR")
    save_model(ID3Classifier(costs).fit(X, [0, 1, 1, 0] * 5), tmp_path / "m")
    shown = consult(tmp_path / "m", "0", "1", "")
    assert "a  EUR 7.00\n" in shown
    assert "b  EUR 2.00 (alone EUR 7.00; what it shares with others is paid)" in shown
    assert "Bill: EUR 9.00" in shown


def test_json_goes_alone(heart, consult, capsys):
    shown = consult(heart, "3", "120", as_json=True)
    assert json.loads(shown)["final_answer"] == "healthy"
    assert "Answer: healthy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (["cp"], "'cp' is no known value; write it as test=value"),
        (["cpp=1"], "there is no test 'cpp'.*Did you mean 'cp'"),
        (["age=1", "age=2"], "age is given twice"),
        (["age=old"], "age must be a number, but is 'old'"),
        (["age=1.054,5"], "such as 12.5 or 12,5, or leave it out if it cannot be measured"),
        (["age=1,054"], "age is '1,054', which can mean 1054 or 1.054"),
    ],
)
def test_wrong_known_values(heart, consult, known, words):
    with pytest.raises(FrugaltreeError, match=words):
        consult(heart, known=known)


# --------------------------------------------------------------------------- languages

WHAT_IS_SAID = ("1", "?", "high", "260,5", "-", "9999", "o Sick", "pale", "")


def test_a_dialogue_in_german(heart, consult):
    shown = " ".join(consult(heart, *WHAT_IS_SAID, width=200, language="de").split())
    for text in (
        "? warum · - nicht messbar",
        "Antwort bisher: healthy, richtig bei 54 % der ähnlichen Fälle (297 Fälle, 95-%-Intervall",
        "Ergebnis später: fordert trestbps, age mit an",
        "Hier aufzuhören kostet CAD 152,17 an Fehlern",
        "Von hier an wird chol bei 254, 282,5 unterschieden.",
        "Hinweis: ",
        "Ihre eigene Antwort; die des Baums: ",
        "Antwort: sick",
        "Rechnung: CAD ",
    ):
        assert text in shown, text
    for english in ("Why:", "Bill", "Evidence", "still to come", "Note:", "your answer"):
        assert english not in shown


@pytest.mark.parametrize("language", ["fr", "es"])
def test_other_languages(heart, consult, language):
    shown = consult(heart, *WHAT_IS_SAID, width=200, language=language)
    assert "54 %" in shown
    for english in ("Why:", "Answer", "Bill", "Evidence", "still to come", "Note:"):
        assert english not in shown


def test_the_locale_says_which_language(heart, consult, monkeypatch):
    monkeypatch.setenv("LC_ALL", "de_CH.UTF-8")
    assert "Antwort bisher" in consult(heart, "q", language=None)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert "Answer so far" in consult(heart, "q", language=None)
    with pytest.raises(FrugaltreeError, match="no language 'it'; choose one of en, de, fr, es"):
        consult(heart, "q", language="it")


def test_a_record_is_the_same_in_every_language(heart, consult, tmp_path):
    records = []
    for language in ("en", "de", "fr", "es"):
        consult(heart, "1", "-", "", record=tmp_path / "r.json", language=language)
        record = json.loads((tmp_path / "r.json").read_text("utf-8"))
        for answer in record["answers"]:
            del answer["at"]
        records.append({**record, "began": "", "recorded": ""})
    assert records[1:] == records[:-1]
