"""The page where prices depend on other tests: it asks, charges and answers as Python does."""

from __future__ import annotations

from functools import cache
from html import unescape
from random import Random

import polars as pl
import pytest

from frugaltree import Consultation, Costs, FrugalTreeClassifier, Group
from support.consulted import (
    IN_THE_PAGE,
    SAID,
    TOLD_IN_THE_PAGE,
    by_python,
    told_in_python,
    words_of,
)

pytestmark = pytest.mark.xdist_group("browser")

CASES = 60

LISTS = {
    "known values": {"known": ["shift"], "price_if": {"xray": {"shift": {"night": 80}}}},
    "never": {"known": ["shift"], "price_if": {"ct": {"shift": {"night": None, "late": 9}}}},
    "spans and values": {
        "known": ["shift", "age"],
        "price_if": {
            "ct": {"shift": {"late": None}},
            "xray": {"shift": {"night": 80, "late": 20}},
            "blood": {"age": {"<= 6": 45, "<= 30": 5.5, "> 60": 10}},
        },
    },
    "a test with a price": {"price_if": {"xray": {"blood": {"<= 4": 1, "> 8": None}}}},
    "groups": {
        "known": ["age"],
        "groups": {"pictures": Group(["xray", "ct"], cost=6)},
        "unit": "EUR",
        "price_if": {"ct": {"age": {"<= 6": 9}}, "xray": {"age": {"> 60": 3, "<= 6": 70}}},
    },
}


@cache
def learned(name):
    rng = Random(name)
    rows = [
        {
            "shift": rng.choice(("day", "late", "night", None)),
            "age": rng.choice((3.0, 20.0, 40.0, 70.0, None)),
            "xray": rng.choice(("clear", "shadow")),
            "blood": rng.choice((1.0, 3.0, 5.0, 7.0, 9.0, None)),
            "ct": rng.choice("abc"),
        }
        for _ in range(90)
    ]
    y = [
        "ill" if (row["xray"] == "shadow") + ((row["blood"] or 0) > 4) + (row["ct"] == "a") > 1
        else "well"
        for row in rows
    ]  # fmt: skip
    tests = {"xray": 40, "blood": 20, "ct": 15}
    more = {key: value for key, value in LISTS[name].items() if key != "known"}
    known = {"shift", "age"} | set(LISTS[name].get("known", ()))
    costs = Costs(tests, known=sorted(known), errors=1000, **more)
    model = FrugalTreeClassifier(costs, pessimism="none", max_steps=300)
    return model.fit(pl.DataFrame(rows), y), pl.DataFrame(rows)


def conditional_cases(model, seed):
    """Return cases as codes by test: some never seen, some missing, none that cannot be."""
    rng = Random(seed)
    cases = []
    for _ in range(CASES):
        case = {}
        for test, column in enumerate(model.tree_.columns):
            if column.kind == "numeric":
                code = rng.choice((1.0, 3.0, 6.0, 6.5, 20.0, 30.0, 50.0, 60.0, 75.0, -1.0))
            else:
                code = rng.randrange(len(column.categories) or 1)
            how = rng.choice(("told", "told", "told", "told", "known", "unmeasured"))
            case[test] = (None if how == "unmeasured" else code, how)
        cases.append(case)
    return cases


@pytest.mark.parametrize("name", LISTS)
def test_the_page_charges_each_case_its_own_price(open_page, name):
    model, _ = learned(name)
    assert model.tree_.needed
    page, cases = open_page(model), conditional_cases(model, name)
    given = [[list(case[test]) for test in sorted(case)] for case in cases]
    told = page.evaluate(TOLD_IN_THE_PAGE, given)
    for case, ours, said in zip(cases, page.evaluate(IN_THE_PAGE, given), told, strict=True):
        theirs = by_python(model, case)
        assert ours["answer"] == theirs["answer"]
        assert ours["bill"] == pytest.approx(theirs["bill"])
        assert ours["evidence"] == pytest.approx(theirs["evidence"])
        assert ours["reason"] == theirs["reason"]
        assert [one[0] for one in ours["asked"]] == [one[0] for one in theirs["asked"]]
        for mine, other in zip(ours["asked"], theirs["asked"], strict=True):
            assert mine[1] == pytest.approx(other[1])
            assert mine[2] == other[2]
            assert mine[3] == (None if other[3] is None else pytest.approx(other[3], abs=1e-9))
        consultation, to_come = told_in_python(model, case)
        assert said["notes"] == list(consultation.notes)
        assert said["toCome"] == [pytest.approx(span, abs=1e-9) for span in to_come]
        answers = {one["name"]: (one["how"], one["price"]) for one in said["answers"]}
        record = consultation.record()["answers"]
        assert answers == {one["test"]: (one["how"], one["price"]) for one in record}


@pytest.mark.parametrize("name", LISTS)
def test_a_case_told_on_the_page_costs_its_bill(open_page, name):
    """Against ``bill`` and ``predict``, which know nothing of consultations."""
    model, X = learned(name)
    columns = model.tree_.columns
    cases = []
    for row in X.rows(named=True):
        case = []
        for column in columns:
            value = row[column.name]
            code = value
            if value is not None and column.kind != "numeric":
                code = column.categories.index(value) if value in column.categories else -1
            case.append([code, "unmeasured" if value is None else "told"])
        cases.append(case)
    found = open_page(model).evaluate(IN_THE_PAGE, cases)
    assert [one["bill"] for one in found] == pytest.approx(model.bill(X).tolist())
    assert [one["answer"] for one in found] == model.predict(X).tolist()


@pytest.mark.parametrize("name", LISTS)
def test_nodes_are_worded_as_in_python(open_page, name):
    model, _ = learned(name)
    page, charges = open_page(model), model.tree_.charges(model._prices())
    said = page.evaluate(SAID)
    assert [(one["box"], one["line"]) for one in said] == words_of(model)
    assert [one["bill"] for one in said] == pytest.approx(charges.bill.tolist())
    assert [one["charge"] for one in said] == pytest.approx(charges.charge.tolist())


RECORDS = """(cases) => cases.map((given) => {
  const one = new Consultation(guide);
  for (let question = one.question; question; question = one.question) one.tell(question.test, ...given[question.test]);
  return recordOf(one);
})"""  # noqa: E501


def test_records_of_cases_that_cannot_take_a_test_go_both_ways(open_page):
    model, _ = learned("never")
    page, cases = open_page(model), conditional_cases(model, 1)[:20]
    given = [[list(case[test]) for test in sorted(case)] for case in cases]
    records = page.evaluate(RECORDS, given)
    for record in records:
        again = Consultation.from_record(model, record)
        assert (again.bill, again.decision) == (record["bill"], record["final_answer"])
        bill = page.evaluate("(record) => fromRecord(guide, record).bill", again.record())
        assert bill == record["bill"]
    never = [one for record in records for one in record["answers"] if one["test"] == "ct"]
    assert any(one["how"] == "unmeasured" for one in never)


def by_day_and_night():
    shift, xray = ["day", "day", "night", "night"] * 10, ["clear", "shadow"] * 20
    night = {"xray": {"shift": {"night": 80}}}
    costs = Costs({"xray": 40}, known=["shift"], price_if=night, errors=1000, unit="EUR")
    return FrugalTreeClassifier(costs).fit(
        pl.DataFrame({"shift": shift, "xray": xray}), ["well", "ill"] * 20
    )


def test_a_person_is_asked_first_what_prices_depend_on(open_page):
    page = open_page(by_day_and_night())
    box = page.locator("#consultation")
    assert "EUR 40 or EUR 80 by shift" in page.locator('[data-node="0"]').text_content()
    assert box.locator("h3").inner_text() == "shift? (free)"
    assert "A price depends on it: xray." in box.inner_text()
    assert "Still to come: EUR 40.00 to EUR 80.00" in box.inner_text()
    page.get_by_role("button", name="night", exact=True).click()
    assert box.locator("h3").inner_text() == "xray? (EUR 80.00)"
    page.get_by_role("button", name="shadow", exact=True).click()
    assert box.locator("h3").inner_text() == "Answer: ill"
    assert "EUR 80.00" in page.locator("#bill").inner_text()


def test_sliders_leave_out_prices_that_depend_on_another_test(open_page):
    model, _ = learned("known values")
    page = open_page(model)
    page.locator(".what-if summary").click()
    assert "as the price depends on another test: xray." in page.inner_text("#prices")
    names = page.locator("#prices .slider-row").all_inner_texts()
    assert any("ct costs" in name for name in names) or any("blood costs" in n for n in names)
    assert not any("xray costs" in name for name in names)
    assert "A price depends on another test: xray." in page.locator("body").text_content()
    expected = f"{model.expected_test_cost_:.2f} for tests"
    assert expected in page.inner_text("#prices-said")


def test_a_notebook_shows_all_prices_that_cases_pay():
    shown = unescape(by_day_and_night()._repr_html_())
    assert "asks xray, EUR 40 or EUR 80 by shift" in shown
