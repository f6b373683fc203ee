"""Every text of the page and of the terminal is there in four languages."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import polars as pl
import pytest

from frugaltree import Consultation, Costs, EG2Classifier, FrugalTreeClassifier, frontier
from frugaltree.anytime.wording import IN_WORDS
from frugaltree.datasets import load, load_costs
from frugaltree.messages import LANGUAGES, messages_of, translated
from frugaltree.messages.phrases import FORMS
from frugaltree.report.page import PARTS
from frugaltree.tree.text import money

SOURCE = files("frugaltree")

SAME = {
    "language", "number.point", "number.comma", "plus-minus", "condition.is", "condition.below",
    "condition.above", "measured.decision", "forecast.lead",
}  # fmt: skip
"""Messages without a word, or that are each language's own."""


def said_in_code():
    """Return the keys that the package's programs name, ends that are put together left out."""
    found = set()
    known = messages_of("en")
    for path in [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.js"), *SOURCE.rglob("*.html")]:
        text = path.read_text("utf-8")
        found |= set(re.findall(r"\b(?:say|text|t|line)\(\s*[\"']([a-z][\w.-]*)[\"']", text))
        found |= set(re.findall(r"\[\"([a-z][a-z-]*\.[\w.-]+)\",", text))
        found |= {one for one in re.findall(r"\"([a-z][\w.-]*)\"", text) if one in known}
    return found


def named(text):
    return sorted(set(re.findall(r"\{(\w+)\}", text)))


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_no_message_is_missing(language):
    english, other = messages_of("en"), messages_of(language)
    assert list(other) == list(english)
    for key, text in english.items():
        assert other[key], key
        assert named(other[key]) == named(text), key


def test_every_text_has_a_message():
    known = set(messages_of("en")) | set(FORMS)
    assert said_in_code() <= known


def test_every_end_of_a_search_is_worded():
    for reason in {*IN_WORDS, "memory_limit"} - {"optimal"}:
        assert f"search.by-{reason}" in messages_of("en")


def test_no_message_is_left_over():
    """Some keys are put together, such as ``search.by-`` and why it ended."""
    joined = (
        "note.", "reason.", "search.by-", "outside.", "page.leaves.", "page.tests.", "tuning.",
        "cases.", "and", "or", "number.", "language",
    )  # fmt: skip
    left = set(messages_of("en")) - said_in_code()
    assert {key for key in left if not key.startswith(joined)} == set()


def test_no_text_stands_in_the_page_itself():
    """What people read comes from messages: neither tags nor labels hold words."""
    html = PARTS.joinpath("page.html").read_text("utf-8")
    body = html[html.index("<body>") :]
    bare = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<[^>]*>", "", body, flags=re.S)
    assert re.findall(r"[A-Za-z]{2,}", bare) == []
    assert re.findall(r"(?:aria-label|title|placeholder|alt)=\"[^\"{]", body) == []
    for part in PARTS.iterdir():
        if part.name.endswith(".js"):
            code = re.sub(r"/\*.*?\*/|//[^\n]*", "", part.read_text("utf-8"), flags=re.S)
            texts = re.findall(r"\"([^\"\n]*)\"", code)
            assert [one for one in texts if re.search(r"[a-z]+ [a-z]+ [a-z]+", one)] == [], part


# ---------------------------------------------------------------------------- in a browser

browser = pytest.mark.xdist_group("browser")

SPOKEN = """() => [...document.querySelectorAll("main *")].flatMap((one) => [
  ...[...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent),
  one.getAttribute("aria-label") ?? "",
]).map((text) => text.trim()).filter(Boolean)"""


@pytest.fixture(scope="module")
def found():
    X, y = load("heart", return_X_y=True)
    costs = load_costs("heart", errors=500, delayed=False)
    learner = FrugalTreeClassifier(costs, max_steps=60, max_depth=2, random_state=0)
    return frontier(learner, X, y, folds=2), X, y


@browser
def test_the_page_rounds_as_python_does(open_page, found):
    """44.735 is a little less than it looks, 0.125 a half."""
    numbers = [44.735, 22.765, 2.675, 0.125, 0.375, 0.004, 1234567.885, 5e20, 0.0]
    page = open_page(found[0].at(500).estimator, language="en")
    told = page.evaluate("(numbers) => numbers.map((one) => words.money(one, 2, false))", numbers)
    assert told == [str(money(one)) for one in numbers]


@browser
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_page_speaks(open_page, found, language):
    front, X, y = found
    model = front.at(500).estimator
    page = open_page(model, X, y, folds=2, frontier=front, language=language)
    page.get_by_role("combobox").wait_for()
    assert page.evaluate("document.documentElement.lang") == language
    page.locator("#consultation .choices button").first.click()
    spoken = set(page.evaluate(SPOKEN))
    page.locator("#language").select_option("en" if language != "en" else "de")
    other = set(page.evaluate(SPOKEN))
    users = {str(value) for column in X.get_columns() for value in column.unique()}
    users |= {
        *X.columns,
        *map(str, model.classes_),
        "CAD",
        *(messages_of(one)["language"] for one in LANGUAGES),
    }
    both = {
        text for text in spoken & other if re.search(r"[^\W\d_]{2,}", text) and text not in users
    }
    names = "|".join(map(re.escape, sorted(users, key=len, reverse=True)))
    both = {t for t in both if re.search(r"[^\W\d_]{3,}", re.sub(names, "", t))}
    known = set(messages_of(language).values()) & set(messages_of("en").values())
    assert {text for text in both if text not in known} == set()


@browser
def test_a_language_is_chosen_and_kept(open_page, found):
    page = open_page(found[0].at(500).estimator)
    assert page.evaluate("document.documentElement.lang") == "en"
    page.locator("#language").select_option("fr")
    assert page.inner_text("#tree-title") == "L’arbre"
    page.reload()
    assert page.inner_text("#tree-title") == "L’arbre"
    assert page.locator("#language").input_value() == "fr"


@browser
def test_names_are_never_translated(open_page):
    X = pl.DataFrame({"free": ["or", "and"] * 8, "tests": ["The tree", "errors"] * 8})
    model = EG2Classifier(Costs({"free": 1, "tests": 2}, errors=100)).fit(
        X, ["errors", "leaf"] * 8
    )
    page = open_page(model, language="de")
    assert page.inner_text("h1") == f"errors {messages_of('de')['or']} leaf?"
    assert "free?" in page.inner_text("#consultation h3")
    assert page.locator("#tree .branch").all_text_contents() == ["and", "or"]
    assert sorted(t.strip() for t in page.locator("#tree .answer .title").all_text_contents()) == [
        "errors",
        "leaf",
    ]


TAKE_UP = """(text) => caseView.step(() => {
  caseView.consultation = fromRecord(guide, JSON.parse(text));
})"""


@browser
def test_notes_are_the_same_in_every_language(open_page):
    X, y = load("heart", return_X_y=True)
    model = EG2Classifier(load_costs("heart", errors=500)).fit(X, y)
    consultation = Consultation(model)
    while (question := consultation.question) is not None:
        if question.kind == "numeric":
            consultation.tell(9999.5)
        else:
            consultation.cannot_measure()
    assert consultation.notes
    record = json.dumps(consultation.record())
    for language in LANGUAGES:
        page = open_page(model, language=language)
        page.evaluate(TAKE_UP, record)
        ours = [translated(note, language) for note in consultation.notes]
        assert page.locator("#notes li").all_inner_texts() == ours
