"""Prices that depend on other tests, as people write them: what is read, and what is refused."""

from __future__ import annotations

import pandas as pd
import pytest

from frugaltree import Costs, EG2Classifier, FrugalTreeClassifier, Group, Repertoire, Waiting
from frugaltree.costs.leave_out import leave_out
from frugaltree.exceptions import InvalidCosts
from frugaltree.table import Column

TESTS = {"xray": 40, "ct": 100}
NIGHT = {"xray": {"shift": {"night": 80}}}


def costs(price_if, known=("shift",), **more):
    return Costs(TESTS, known=known, price_if=price_if, **more)


BAD = {
    "a test that does not exist": (
        lambda: costs({"xrey": {"shift": {"night": 80}}}),
        r"price_if names 'xrey', which has no price; .* Did you mean 'xray'\?",
    ),
    "itself": (lambda: costs({"xray": {"xray": {"a": 1}}}), "depend on its own value"),
    "what is never at hand": (
        lambda: costs({"xray": {"ct": {"a": 1}}}, unavailable=["ct"]),
        "depend on 'ct', which is under unavailable, so that its value is never at hand",
    ),
    "a test that is asked later": (
        lambda: costs({"xray": {"ct": {"a": 1}}}, first=["xray", "ct"]),
        "first asks 'xray' before 'ct', which requires says it needs",
    ),
    "a test that needs it": (
        lambda: costs({"xray": {"ct": {"a": 1}}}, requires={"ct": ["xray"]}),
        "requires goes in a circle, 'xray' needs 'ct' needs 'xray'|'ct' needs 'xray' needs 'ct'",
    ),
    "circular": (
        lambda: costs({"xray": {"ct": {"a": 1}}, "ct": {"xray": {"a": 1}}}),
        "whose price depends on another test in turn",
    ),
    "negative": (
        lambda: costs({"xray": {"shift": {"night": -80}}}),
        "the price of test 'xray' if 'shift' is 'night' must be a finite number, 0 or more",
    ),
    "no number": (lambda: costs({"xray": {"shift": {"night": "dear"}}}), "but is 'dear'"),
    "a known test": (
        lambda: costs({"shift": {"week": {"a": 1}}}, ("shift", "week")),
        "a price of 'shift', which is known, and so free",
    ),
    "two conditions": (
        lambda: costs({"xray": {"shift": {"a": 1}, "week": {"b": 1}}}, ("shift", "week")),
        "price_if of 'xray' names 2 tests",
    ),
    "no table": (lambda: costs({"xray": 80}), "must say what prices depend on, but is 80"),
    "spans and values": (
        lambda: costs({"xray": {"age": {"<= 6": 80, "old": 40}}}, ("age",)),
        "mixes spans with the value 'old'",
    ),
    "spans that overlap": (
        lambda: costs({"xray": {"age": {"<= 6": 80, "> 3": 40}}}, ("age",)),
        "has spans that overlap, '<= 6', '> 3'",
    ),
    "two prices up to a number": (
        lambda: costs({"xray": {"age": {"<= 6": 80, "<= 6.0": 40}}}, ("age",)),
        "has two prices up to 6",
    ),
    "delayed": (lambda: costs(NIGHT, delayed=["ct"]), "stands beside delayed tests, 'ct'"),
    "panels": (
        lambda: costs(NIGHT, together=[["xray", "ct"]]),
        "price_if stands beside together, which adds to every price",
    ),
    "waiting": (lambda: costs(NIGHT, waiting=Waiting(2)), "price_if stands beside waiting"),
    "never, and charged all the same": (
        lambda: costs({"xray": {"shift": {"night": None}}}, charge_missing=True),
        "but charge_missing charges tests without a result",
    ),
    "a condition that is left out": (
        lambda: leave_out(costs(NIGHT), ["shift"]),
        "'shift' is left out, but price_if makes the price of 'xray' depend on it",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_prices(what):
    make, sentence = BAD[what]
    with pytest.raises(InvalidCosts, match=sentence) as raised:
        make()
    assert str(raised.value).count(". ") <= 1


TABLE = pd.DataFrame(
    {"shift": ["day", "night"] * 4, "age": [1.0, 2.0] * 4, "xray": [0, 1] * 4, "ct": [0, 1] * 4}
)

UNFIT = {
    "a value that it does not have": (
        costs({"xray": {"shift": {"nihgt": 80}}}, ("shift", "age")),
        r"the value 'nihgt', which 'shift' does not have in the table; .* Did you mean 'night'\?",
    ),
    "a number with text": (
        costs({"xray": {"age": {"old": 80}}}, ("shift", "age")),
        "whose values are numbers in the table; give spans such as '<= 6'",
    ),
    "text with spans": (
        costs({"xray": {"shift": {"<= 6": 80}}}, ("shift", "age")),
        "gives spans of 'shift', which is nominal in the table; give its values",
    ),
    "a condition that is no column": (
        costs({"xray": {"shifts": {"night": 80}}}, ("shifts", "age", "shift")),
        r"but the table has no such column; .* Did you mean 'shift'\?",
    ),
}


@pytest.mark.parametrize("what", UNFIT)
def test_prices_that_do_not_fit_a_table(what):
    prices, sentence = UNFIT[what]
    with pytest.raises(InvalidCosts, match=sentence):
        FrugalTreeClassifier(prices).fit(TABLE, [0, 1] * 4)


def test_numbers_in_bins_are_refused():
    X = pd.DataFrame({"age": range(60), "xray": [0, 1] * 30, "ct": [0] * 60})
    prices = costs({"xray": {"age": {"<= 6": 80}}}, ("age",))
    with pytest.raises(InvalidCosts, match="the numbers of 'age', which are in bins"):
        FrugalTreeClassifier(prices, max_bins=5).fit(X, [0, 1] * 30)


@pytest.mark.parametrize("learner", [EG2Classifier(), Repertoire(budgets=[5])], ids=str)
def test_learners_that_do_not_see_it_say_so(learner):
    learner.set_params(costs=costs(NIGHT, ("shift", "age")))
    with pytest.raises(InvalidCosts, match=r"of 'xray', which is not built for .*; use Frugal"):
        learner.fit(TABLE, [0, 1] * 4)


@pytest.mark.parametrize(
    ("how", "told", "who"),
    [
        ({}, [1.0] * 8, "error costs of each case"),
        ({"monotone": {"ct": 1}}, None, "monotone trees"),
    ],
    ids=["costs of each case", "monotone"],
)
def test_what_does_not_go_with_it_says_so(how, told, who):
    learner = FrugalTreeClassifier(costs(NIGHT, ("shift", "age")), **how)
    with pytest.raises(InvalidCosts, match=f"of 'xray', which is not built for {who}"):
        learner.fit(TABLE, [0, 1] * 4, error_costs=told)


def test_totals_and_levels():
    """TC goes by the prices under tests, the dearest bill by the dearest, groups included."""
    prices = Costs(
        TESTS,
        {"radiology": Group(["xray", "ct"], cost=5)},
        known=["shift", "age"],
        price_if={"xray": {"shift": {"night": 80, "dusk": None}}, "ct": {"age": {"<= 6": 30}}},
        errors=9,
    )
    assert prices.total() == 40 + 5 + 100
    assert prices.dearest_total() == 80 + 5 + 100
    assert prices.standard_cost([0.5, 0.5], classes=[0, 1]) == 145 + 4.5
    columns = [
        Column("xray", "nominal", ("0", "1")),
        Column("ct", "numeric"),
        Column("shift", "nominal", ("day", "dusk", "night")),
        Column("age", "numeric"),
    ]
    found = prices.prices_of(columns).conditions
    assert found.price[0].tolist() == [45.0, 85.0, float("inf")]
    assert found.price[1, :2].tolist() == [105.0, 35.0]
    assert found.level[0].tolist() == [0, 2, 1]
    assert (found.ends[1, 0], found.on.tolist()) == (6.0, [2, 3, -1, -1])


def test_toml(tmp_path):
    text = """\
known = ["shift", "pregnant", "ward"]

[tests]
xray = 40
ct = 100

[price_if.xray.shift]
night = 80

[price_if.ct.pregnant]
yes = "never"
"""
    (tmp_path / "costs.toml").write_text(text)
    read = Costs.from_toml(tmp_path / "costs.toml")
    assert read.price_if == {"xray": {"shift": {"night": 80}}, "ct": {"pregnant": {"yes": None}}}
    assert read.to_toml() == text
    by_number = Costs(TESTS, known=["ward"], price_if={"ct": {"ward": {3: 80, 4: None}}})
    by_number.to_toml(tmp_path / "numbers.toml")
    assert "[[price_if]]" in (tmp_path / "numbers.toml").read_text()
    assert Costs.from_toml(tmp_path / "numbers.toml") == by_number
