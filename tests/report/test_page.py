"""The page in a real browser: the consultation is Python's, nothing leaves, names stay text."""

from __future__ import annotations

import shutil
from functools import partial
from random import Random

import numpy as np
import polars as pl
import pytest

from frugaltree import (
    ACTClassifier,
    C45Classifier,
    Consultation,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    FrugalTreeClassifier,
)
from frugaltree.datasets import load, load_costs
from frugaltree.report import write_report

BROWSER = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no Chromium here: apt-get install chromium"),
    pytest.mark.xdist_group("browser"),
]

CASES = 200

MODELS = {
    "heart, groups and delayed": ("heart", ACTClassifier, {"errors": 500}),
    "heart, immediate": ("heart", DTMCClassifier, {"errors": 500, "delayed": False}),
    "hepatitis, missing": ("hepatitis", ACTClassifier, {"errors": 100}),
    "hepatitis, fractional": ("hepatitis", C45Classifier, {"errors": 100}),
    "heart, values against the rest": (
        "heart",
        partial(FrugalTreeClassifier, splits="rest", max_steps=500),
        {"errors": 2000, "delayed": False},
    ),
}


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Return what opens a page; whatever goes wrong in it, or leaves it, fails the test."""
    troubles = []
    context = browser.new_context(viewport={"width": 1200, "height": 900})

    def show(model, *data, **more):
        write_report(model, tmp_path / "page.html", *data, **more)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: r.url.startswith("file:") or troubles.append(r.url))
        page.goto((tmp_path / "page.html").as_uri())
        return page

    yield show
    context.close()
    assert troubles == []


def fitted(name):
    data, learner, prices = MODELS[name]
    X, y = load(data, return_X_y=True)
    seeded = learner is ACTClassifier or isinstance(learner, partial)
    more = {"random_state": 0} if seeded else {}
    return learner(load_costs(data, **prices), **more).fit(X, y)


def random_cases(model, seed):
    """Return cases as codes by test: values seen or never seen, known, or not to be measured."""
    rng = Random(seed)
    cases = []
    for _ in range(CASES):
        case = {}
        for test, column in enumerate(model.tree_.columns):
            if column.kind == "numeric":
                cuts = [t for t in model.tree_.nodes.threshold.tolist() if t == t] or [0.0]
                code = rng.choice(cuts) + rng.choice((-1, 0, 1)) * rng.random() * 5
            else:
                code = rng.randrange(len(column.categories))
            how = rng.choice(("told", "told", "told", "known", "unmeasured"))
            case[test] = (None if how == "unmeasured" else code, how)
        cases.append(case)
    return cases


def by_python(model, case):
    """Return questions, prices, answer and bill of a case, as Python asks it."""
    consultation, asked = Consultation(model), []
    names = [column.name for column in model.tree_.columns]
    for question in consultation:
        test = names.index(question.test)
        code, how = case[test]
        column = model.tree_.columns[test]
        why = None if question.why is None else question.why.saving
        asked.append([question.test, question.price, list(question.orders), why])
        if how == "unmeasured":
            consultation.cannot_measure()
            continue
        value = code if column.kind == "numeric" else column.categories[code]
        if how == "known":
            consultation.know(**{question.test: value})
        else:
            consultation.tell(value)
    answer = consultation.answer
    return {
        "asked": asked,
        "answer": str(answer.label),
        "bill": consultation.bill,
        "evidence": [answer.probability, answer.cases, answer.low, answer.high, answer.cost],
    }


IN_THE_PAGE = """(cases) => cases.map((given) => {
  const one = new Consultation(guide), asked = [];
  for (let question = one.question; question; question = one.question) {
    const { why } = question;
    const saving = why && why.stopping - why.tests - why.errors;
    asked.push([question.name, question.price, question.orders, saving]);
    one.tell(question.test, ...given[question.test]);
  }
  const { label, share, cases, low, high, cost } = one.answer;
  return { asked, answer: label, bill: one.bill, evidence: [share, cases, low, high, cost] };
})"""


@pytest.mark.parametrize("name", MODELS)
def test_the_page_consults_as_python_does(open_page, name):
    model = fitted(name)
    page = open_page(model)
    cases = random_cases(model, name)
    given = [[list(case[test]) for test in sorted(case)] for case in cases]
    for case, ours in zip(cases, page.evaluate(IN_THE_PAGE, given), strict=True):
        theirs = by_python(model, case)
        assert ours["answer"] == theirs["answer"]
        assert ours["bill"] == pytest.approx(theirs["bill"])
        assert ours["evidence"] == pytest.approx(theirs["evidence"])
        assert len(ours["asked"]) == len(theirs["asked"])
        for mine, other in zip(ours["asked"], theirs["asked"], strict=True):
            assert (mine[0], sorted(mine[2])) == (other[0], sorted(other[2]))
            assert mine[1] == pytest.approx(other[1])
            assert mine[3] == (None if other[3] is None else pytest.approx(other[3], abs=1e-9))


def test_a_person_clicks_through_a_case(open_page):
    X = pl.DataFrame(
        {
            "fever": [36, 36, 37, 37, 39, 39, 39, 39],
            "cough": ["no", "yes", "yes", "yes", "no", "no", "yes", "yes"],
        }
    )
    y = ["well"] * 6 + ["ill"] * 2
    model = EG2Classifier(Costs({"fever": 2, "cough": 0.5}, errors=100, unit="EUR")).fit(X, y)
    page = open_page(model)
    consultation, last = Consultation(model), ""
    while consultation.question is not None:
        box = page.locator("#consultation")
        last = box.locator("h3").inner_text()
        assert consultation.question.test in last
        if consultation.question.kind == "numeric":
            page.fill("#value", "39.5")
            page.press("#value", "Enter")
            consultation.tell(39.5)
        else:
            box.get_by_role("button", name="yes", exact=True).press("Enter")
            consultation.tell("yes")
        assert f"EUR {consultation.bill:.2f}" in page.locator("#bill").inner_text()
    assert page.locator("#consultation h3").inner_text() == f"Answer: {consultation.decision}"
    assert page.locator(".box.answer.onway").count() == 1
    page.get_by_role("button", name="take back").click()
    assert page.locator("#consultation h3").inner_text() == last
    page.get_by_role("button", name="start again").click()
    assert page.locator("#bill").inner_text().startswith("Bill so far: EUR 0.00")


def test_names_stay_text_in_the_page(open_page):
    nasty = ["<script>alert(1)</script>", '"); DROP TABLE x; --', "<img src=x onerror=alert(2)>"]
    X = pl.DataFrame(dict.fromkeys(nasty, (nasty[:2] * 4)[:8]))
    y = [nasty[2], nasty[0]] * 4
    model = EG2Classifier(Costs(dict.fromkeys(nasty, 1.0), errors=100, unit="<u>")).fit(X, y)
    page = open_page(model, X, y, title=nasty[2])
    assert page.locator("h1").inner_text() == nasty[2]
    page.get_by_role("button", name=nasty[0], exact=True).click()
    assert page.locator("#consultation h3").inner_text().startswith("Answer: <")
    assert page.locator("img, #tree script, #consultation script").count() == 0


def test_a_tree_of_thousands_is_drawn_and_searched_within_a_second(open_page):
    X, y = load("krk", return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:14_000]
    model = EG2Classifier(Costs(dict.fromkeys(X.columns, 1.0), errors=100)).fit(X[rows], y[rows])
    assert model.tree_.n_nodes > 3000
    page = open_page(model)
    assert page.locator(".box").count() < 100
    clock = "(act) => { const t = performance.now(); eval(act); return performance.now() - t; }"
    assert page.evaluate(clock, "view.openAll()") < 1000
    assert page.evaluate("view.places.size") == model.tree_.n_nodes
    assert 0 < page.locator(".box").count() < 200
    assert page.evaluate(clock, "view.search('zero')") < 1000
    assert page.locator(".box.found").first.is_visible()
    last = model.tree_.n_nodes - 1
    page.evaluate("document.getElementById('tree').scrollTop = 1e9")
    page.locator(f'[data-node="{last}"]').wait_for()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".box").count() == model.tree_.n_nodes
    assert page.evaluate(clock, "view.closeAll()") < 1000
    assert page.locator(".box").count() == 1


def test_by_keyboard_and_for_readers(open_page):
    page = open_page(fitted("heart, immediate"))
    root = page.locator('[data-node="0"]')
    assert root.get_attribute("aria-expanded") == "true"
    assert root.get_attribute("aria-label").startswith("asks ")
    root.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.node") == "1"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert page.locator('[data-node="0"]').get_attribute("aria-expanded") == "false"
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
