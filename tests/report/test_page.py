"""The page in a real browser: the consultation is Python's, nothing leaves, names stay text."""

from __future__ import annotations

from functools import cache, partial
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
from frugaltree.report import content_of
from frugaltree.tree.text import percent
from support.consulted import IN_THE_PAGE, OTHER, TOLD_IN_THE_PAGE, by_python, told_in_python

pytestmark = pytest.mark.xdist_group("browser")

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
                code = rng.randrange(len(column.categories) or 1)  # none of what is not asked
            how = rng.choice(("told", "told", "told", "known", "unmeasured"))
            case[test] = (None if how == "unmeasured" else code, how)
        cases.append(case)
    return cases


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
        assert ours["reason"] == theirs["reason"]
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
            page.get_by_role("button", name="yes, take 39.5").click()
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
    assert page.evaluate(clock, "view.closeAll()") < 1000
    assert page.locator(".box").count() == 1


# ---------------------------------------------------------------- notes and own answers

remembered = cache(fitted)


def odd_cases(model, seed, n):
    """Return cases with values that were never seen, and much that cannot be measured."""
    rng = Random(seed)
    cases = random_cases(model, seed)[:n]
    for case in cases:
        for test, (_, how) in case.items():
            column = model.tree_.columns[test]
            if how != "unmeasured" and column.kind != "numeric" and rng.random() < 0.2:
                case[test] = (-1 if column.kind == "nominal" else None, how)
            elif rng.random() < 0.2:
                case[test] = (None, "unmeasured")
    return cases


@pytest.mark.parametrize("name", MODELS)
def test_the_page_notes_what_python_notes(open_page, name):
    model = remembered(name)
    page = open_page(model)
    cases = odd_cases(model, name, 80)
    given = [[list(case[test]) for test in sorted(case)] for case in cases]
    seen = []
    for case, ours in zip(cases, page.evaluate(TOLD_IN_THE_PAGE, given), strict=True):
        consultation, to_come = told_in_python(model, case)
        assert ours["notes"] == list(consultation.notes)
        assert ours["toCome"] == [pytest.approx(span, abs=1e-9) for span in to_come]
        assert ours["share"] == pytest.approx(consultation.answer.share)
        for mine, other in zip(ours["answers"], consultation.record()["answers"], strict=True):
            assert (mine["name"], mine["how"]) == (other["test"], other["how"])
            assert mine["price"] == pytest.approx(other["price"])
            assert sorted(mine["paidFor"]) == sorted(other["paid_for"])
            if isinstance(other["value"], str) or other["value"] is None:
                assert mine["value"] == other["value"]
            else:
                assert float(mine["value"]) == other["value"]
        seen += consultation.notes
    said = "every branch is followed" if model.tree_.fractional else "so the answer is that of the"
    assert any(said in note for note in seen)
    assert any("was never seen at training" in note for note in seen)
    if name == "heart, groups and delayed":
        assert any("so the order costs CAD" in note for note in seen)


def test_the_page_notes_values_without_a_place(open_page):
    stage = pl.Series("stage", ["I", "II", "III"] * 8).to_pandas()
    stage = stage.astype("category").cat.as_ordered()
    model = EG2Classifier(Costs([1], errors=100)).fit(stage.to_frame(), [0, 0, 1] * 8)
    assert model.tree_.columns[0].kind == "ordinal"
    page = open_page(model)
    page.get_by_role("button", name=OTHER).click()
    consultation = Consultation(model)
    consultation.tell(OTHER)
    assert page.locator("#notes li").all_inner_texts() == list(consultation.notes)
    assert len(consultation.notes) == 2


def test_a_person_sees_notes_and_has_the_last_word(open_page):
    model = remembered("heart, immediate")
    page, consultation = open_page(model), Consultation(model)
    assert page.locator("#notes, #given").count() == 0
    name = consultation.question.test
    page.get_by_role("button", name="cannot be measured").click()
    consultation.cannot_measure()
    assert page.locator("#notes li").all_inner_texts() == list(consultation.notes)
    assert page.locator("#given li").all_inner_texts() == [f"{name}: cannot be measured"]
    least, most = consultation.still_to_come
    assert f"Still to come: CAD {least:.2f} to CAD {most:.2f}." in page.inner_text("#bill")
    answer = consultation.answer
    said = f"right for {percent(answer.share)} of 297 cases like this"
    assert f"{answer.label}{answer.because}, " in page.inner_text("#answer")
    assert said in page.inner_text("#answer")
    page.locator("#own summary").click()
    page.fill("#own-label", "<b>Refer")
    page.fill("#own-reason", "pale")
    page.press("#own-reason", "Enter")
    consultation.override("<b>Refer", "pale")
    assert page.locator("#consultation h3").inner_text() == "Answer: <b>Refer"
    assert page.locator("#notes li").all_inner_texts() == list(consultation.notes)
    assert "own answer; the tree's" in page.inner_text("#answer")
    page.locator("#own summary").click()
    page.fill("#own-label", answer.label.upper())
    page.press("#own-label", "Enter")
    consultation.override(answer.label)
    assert page.locator("#notes li").all_inner_texts() == list(consultation.notes)
    for _ in range(3):
        page.get_by_role("button", name="take back").click()
    assert page.locator("#notes, #given").count() == 0


def test_an_order_is_told_with_its_price(open_page):
    cough = ["no", "yes", "yes", "yes", "no", "no", "yes", "yes"]
    X = pl.DataFrame({"fever": [36, 36, 37, 37, 39, 39, 39, 39], "cough": cough})
    costs = Costs({"fever": 2, "cough": 3}, delayed=["fever"], errors=90, unit="EUR")
    model = EG2Classifier(costs).fit(X, ["well"] * 6 + ["ill"] * 2)
    page = open_page(model)
    root = page.locator('[data-node="0"]')
    assert "fever?" in root.text_content()
    assert "orders fever + cough now, EUR 5" in root.get_attribute("aria-label")
    assert "already ordered" in page.locator('[data-node="2"]').text_content()
    page.fill("#value", "41")
    page.press("#value", "Enter")
    page.get_by_role("button", name="yes, take 41").click()
    page.get_by_role("button", name="yes", exact=True).click()
    assert page.locator("#given li").all_inner_texts() == [
        "fever: 41, EUR 5.00 for fever + cough",
        "cough: yes, already paid",
    ]


def test_the_table_counts_what_is_ordered():
    X, y = load("heart", return_X_y=True)
    model = DTMCClassifier(load_costs("heart", errors=3000)).fit(X, y)
    rows = {row["test"]: row for row in content_of(model)["prices"]}
    assert (rows["thalach"]["asked"], rows["thalach"]["paid"]) == ("46 %", "CAD 47.12")
    paid = sum(float(row["paid"].removeprefix("CAD ")) for row in rows.values())
    assert paid == pytest.approx(model.bill(X).mean(), abs=0.05)
