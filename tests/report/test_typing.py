"""What a person types into the page never changes its meaning without a word."""

from __future__ import annotations

import json

import polars as pl
import pytest

from frugaltree import Consultation, Costs, EG2Classifier, load_model, save_model
from frugaltree.consult.values import parse_typed
from frugaltree.table import Column
from support.models import document

pytestmark = pytest.mark.xdist_group("browser")

ACCEPTED = "digits with at most one decimal sign, such as 12.5 or 12,5"

REFUSED = [
    "1.234,5", "1,234.5", "1,234,567", "12,5 mg", "high", "1 250", "12,", "1e3", "--5", "٣", "",
    " ", "0x10", "Infinity", "1_000", "9" * 400,
]  # fmt: skip


@pytest.fixture(scope="module")
def model():
    """Return a tree that asks a dose, cut at 40, and then a rash."""
    X = pl.DataFrame(
        {"dose": [5.0, 12.5, 20.0, 60.0, 80.0, 100.0] * 4, "rash": ["no"] * 12 + ["yes"] * 12}
    )
    y = ["a" if dose < 40 or rash == "no" else "b" for dose, rash in X.rows()]
    return EG2Classifier(Costs({"dose": 1, "rash": 1.5}, errors=100)).fit(X, y)


def asked(page):
    return page.locator("#consultation h3").inner_text()


def tell(page, text):
    page.fill("#value", text)
    page.press("#value", "Enter")


@pytest.fixture
def page(open_page, model):
    page = open_page(model)
    if "dose" not in asked(page):
        page.get_by_role("button", name="yes", exact=True).click()
    assert "dose" in asked(page)
    return page


def given(page):
    return page.locator("#given li").all_inner_texts()


def test_both_decimal_signs_mean_the_same(page):
    ends = []
    for text in ("12,5", "12.5", " 12,50 "):
        page.fill("#value", "")
        page.locator("#value").press_sequentially(text)
        page.press("#value", "Enter")
        ends.append((asked(page), given(page)))
        page.get_by_role("button", name="take back").click()
    assert ends[0] == ends[1] == ends[2]
    assert any(line.startswith("dose: 12.5,") for line in ends[0][1])
    tell(page, "100")
    assert asked(page) != ends[0][0]


@pytest.mark.parametrize("text", REFUSED)
def test_anything_else_is_refused_and_stays(page, text):
    before, told = asked(page), given(page)
    tell(page, text)
    assert ACCEPTED in page.inner_text("#doubt")
    assert page.locator("#doubt").is_visible()
    assert page.input_value("#value") == text
    assert (asked(page), given(page)) == (before, told)
    assert isinstance(parse_typed(text, Column("dose", "numeric")), str) or len(text) == 400
    page.locator("#value").press_sequentially("1")
    assert page.inner_text("#doubt") == ""


def test_thousands_may_be_meant(page):
    tell(page, "1,234")
    assert page.inner_text("#doubt") == "1,234 can mean 1234 or 1.234; type it as one of these."


def test_a_value_out_of_range_is_asked_back(page, model):
    before, told = asked(page), given(page)
    for text, side in (("125", "above"), ("4,9", "below"), ("-1", "below")):
        tell(page, text)
        number = text.replace(",", ".")
        said = f"{number} is {side} all 24 training cases (5 to 100). Is that right?"
        assert page.inner_text("#doubt p") == said
        assert (asked(page), given(page)) == (before, told)
    page.get_by_role("button", name="correct it").click()
    assert page.inner_text("#doubt") == ""
    assert page.evaluate("document.activeElement.id") == "value"
    tell(page, "125")
    page.get_by_role("button", name="yes, take 125").click()
    assert asked(page) != before
    consultation = Consultation(model)
    consultation.tell(dose=125)
    assert page.locator("#notes li").all_inner_texts() == list(consultation.notes)
    assert list(consultation.notes) == ["dose: 125 is above all 24 training cases (5 to 100)."]


def test_the_ends_of_the_range_are_inside(page):
    for text in ("5", "100"):
        before = asked(page)
        tell(page, text)
        assert asked(page) != before
        page.get_by_role("button", name="take back").click()


def test_a_model_of_old_asks_nothing_back(open_page, model, tmp_path):
    save_model(model, tmp_path / "model.json")
    data = document(tmp_path)
    assert data["training"].pop("test_ranges") == {"dose": [5.0, 100.0]}
    (tmp_path / "model.json").write_text(json.dumps(data))
    old = load_model(tmp_path / "model.json")
    page = open_page(old)
    if "dose" not in asked(page):
        page.get_by_role("button", name="yes", exact=True).click()
    before = asked(page)
    tell(page, "125")
    assert asked(page) != before
    assert page.locator("#notes").count() == 0


@pytest.mark.parametrize(("least", "keys"), [(-3.5, "text"), (0.0, "decimal")])
def test_phones_show_keys_that_can_type_it(open_page, least, keys):
    X = pl.DataFrame({"excess": [least, 4.0] * 6})
    page = open_page(EG2Classifier(Costs([1], errors=100)).fit(X, ["a", "b"] * 6))
    field = page.locator("#value")
    assert (field.get_attribute("type"), field.get_attribute("inputmode")) == ("text", keys)
