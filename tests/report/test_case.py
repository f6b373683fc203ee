"""A case on the page is kept, saved, loaded and printed; its record is Python's."""

from __future__ import annotations

import json

import polars as pl
import pytest

from frugaltree import Consultation, Costs, DTMCClassifier, EG2Classifier
from frugaltree.datasets import load, load_costs

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def heart():
    X, y = load("heart", return_X_y=True)
    return DTMCClassifier(load_costs("heart", errors=500)).fit(X, y)


@pytest.fixture(scope="module")
def numbered():
    """Return a tree whose values and classes are no text."""
    X = pl.DataFrame({"site": [1, 2, 3] * 8, "smokes": [True, False] * 12})
    y = [int(smokes and site > 1) for site, smokes in X.rows()]
    costs = Costs({"site": 1, "smokes": 2}, errors=100)
    return EG2Classifier(costs, categorical_features=["site"]).fit(X, y)


def answer_all(page):
    """Answer until the tree does; the first value is not to be measured."""
    page.get_by_role("button", name="cannot be measured").click()
    for _ in range(20):
        if not page.evaluate("caseView.consultation.isOpen"):
            break
        if page.locator("#value").count():
            page.fill("#value", "54,5")
            page.press("#value", "Enter")
            if page.locator("#doubt button").count():
                page.locator("#doubt button").first.click()
        else:
            page.locator("#consultation .choices button").first.click()


def saved(page):
    """Return the record that the page saves."""
    with page.expect_download() as download:
        page.locator("#case-save").click()
    assert download.value.suggested_filename.endswith(".json")
    with open(download.value.path(), encoding="utf-8") as file:
        return json.load(file)


def standing(page):
    ids = ("#consultation .big", "#answer", "#bill", "#notes", "#given")
    return [page.inner_text(one) for one in ids if page.locator(one).count()]


@pytest.mark.parametrize("name", ["heart", "numbered"])
def test_a_saved_record_is_taken_up_in_python(open_page, name, request):
    model = request.getfixturevalue(name)
    page = open_page(model)
    answer_all(page)
    record = saved(page)
    consultation = Consultation.from_record(model, record)
    again = consultation.record()
    for key in ("answers", "final_answer", "notes", "prices", "model", "began", "stopped"):
        assert record[key] == again[key], key
    assert record["bill"] == pytest.approx(again["bill"])
    assert record.keys() == again.keys()
    ours, theirs = record["model_answer"], again["model_answer"]
    assert ours.keys() == theirs.keys()
    for key, value in theirs.items():
        is_figure = isinstance(value, float)
        assert ours[key] == (pytest.approx(value) if is_figure else value), key
    page.locator("#own summary").click()
    page.fill("#own-label", "refer")
    page.fill("#own-reason", "pale")
    page.press("#own-reason", "Enter")
    own = Consultation.from_record(model, saved(page))
    assert (own.decision, own.overrides[0].reason) == ("refer", "pale")


def test_a_record_of_python_is_taken_up_in_the_page(open_page, heart, tmp_path):
    consultation = Consultation(heart)
    consultation.know(trestbps=120, age=61)
    while (question := consultation.question) is not None:
        value = "never heard of" if question.kind == "nominal" else question.threshold + 1
        consultation.tell(value)
    consultation.save_record(tmp_path / "case.json")
    page = open_page(heart)
    page.locator("#case-file").set_input_files(tmp_path / "case.json")
    page.wait_for_function("caseView.consultation.states.length > 1")
    assert page.inner_text("#consultation h3") == f"Answer: {consultation.decision}"
    assert page.inner_text("#case-said") == "Loaded from case.json."
    assert page.locator("#notes li").all_inner_texts() == list(consultation.notes)
    record = saved(page)
    by_test = [
        sorted(one["answers"], key=lambda told: (told["step"], told["test"]))
        for one in (record, consultation.record())
    ]
    assert by_test[0] == by_test[1]
    assert record["began"] == consultation.record()["began"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda record: "no JSON", "This is not the record of a consultation"),
        (lambda record: json.dumps({"format": "else"}), "This is not the record"),
        (lambda record: json.dumps({**record, "version": 9}), "The record has version 9"),
        (lambda record: json.dumps({**record, "bill": 99.0}), "does not lead to the bill"),
        (lambda record: json.dumps({**record, "answers": [{}]}), "does not lead to the bill"),
        (
            lambda record: json.dumps({**record, "model": {"digest": "sha256:0"}}),
            "belongs to another model",
        ),
    ],
)
def test_what_is_no_record_of_this_model_is_refused(open_page, heart, tmp_path, spoil, said):
    page = open_page(heart)
    before = standing(page)
    (tmp_path / "case.json").write_text(spoil(Consultation(heart).record()))
    page.locator("#case-file").set_input_files(tmp_path / "case.json")
    page.wait_for_function("document.getElementById('case-said').textContent !== ''")
    assert said in page.inner_text("#case-said")
    assert standing(page) == before


def test_a_case_survives_reloading(open_page, heart):
    page = open_page(heart)
    answer_all(page)
    before = standing(page)
    page.reload()
    assert standing(page) == before
    page.get_by_role("button", name="take back").click()
    assert standing(page) != before
    page.get_by_role("button", name="start again").click()
    page.reload()
    assert page.locator("#given").count() == 0


def test_a_case_is_printed_alone(open_page, heart):
    page = open_page(heart)
    page.evaluate("window.print = () => { window.printed = document.body.className; }")
    answer_all(page)
    shown = standing(page)
    page.locator("#case-print").click()
    assert page.evaluate("window.printed") == "case"
    page.emulate_media(media="print")
    sheet = page.inner_text("#sheet")
    assert page.locator("#sheet").is_visible()
    assert not page.locator("#tree").is_visible()
    for text in shown:
        assert text.split("\n")[-1] in sheet
    digest = Consultation(heart).record()["model"]["digest"]
    assert digest.removeprefix("sha256:")[:16] in sheet
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#tree").is_visible()
    assert not page.locator("#sheet").is_visible()


def test_the_answer_is_the_largest(open_page, heart):
    page = open_page(heart)
    size = "(all) => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    for act in (lambda page: None, answer_all):
        act(page)
        rest = page.locator("#consultation *:not(.big):not(.big *)").evaluate_all(size)
        [largest] = page.locator("#consultation .big").evaluate_all(size)
        assert largest > 1.5 * max(rest)
