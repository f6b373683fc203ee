"""Orders in batches on the command line, and on the report's page."""

from __future__ import annotations

import json

import pytest

from frugaltree import Batches, Consultation, Costs, ID3Classifier, Waiting, load_model, save_model
from frugaltree.report import content_of
from support.commands import one_sentence

X, Y = [[0, 0], [0, 9], [9, 0], [9, 9]], ["a", "a", "b", "c"]


def learned(**waits):
    costs = Costs([4, 6], errors=20, unit="EUR", waiting=Waiting(**waits) if waits else None)
    return ID3Classifier(costs).fit(X, Y)


@pytest.fixture(scope="module")
def model(folder):
    save_model(learned(), folder / "small.json")
    return folder / "small.json"


def test_the_strategies_stand_side_by_side(call, model):
    code, out, err = call("batches", model, "--round-trip", 8, "-m", "x0=10", "-m", "x1=30")
    assert code == 0, err
    rows = [" ".join(line.split()) for line in out.splitlines() if "EUR" in line]
    assert rows[0] == "sequential 1.50 EUR 7.00 EUR 12.00 EUR 19.00 25 40"
    assert rows[1] == "single batch 1.00 EUR 10.00 EUR 8.00 EUR 18.00 30 30"
    assert "at first: x0 + x1, EUR 10.00 and EUR 8.00 for waiting 30 minutes, 100 %" in out


def test_a_program_reads_the_same(call, model, tmp_path):
    times = tmp_path / "times.toml"
    times.write_text("[minutes]\nx0 = 10\nx1 = 30\n")
    how = ("--minutes", times, "-w", "20:0.1,1", "-s", "sequential", "--json")
    code, out, err = call("batches", model, *how)
    assert code == 0, err
    ref = Batches(
        load_model(model), minutes=[10, 30], waiting=[(20, 0.1), (None, 1)], strategy="sequential"
    )
    got = json.loads(out)
    assert got["compare"] == ref.compare().to_dicts()
    assert got["orders"] == ref.plan().to_dicts()
    assert got["expected_cost"] == ref.expected_cost == 4 + 1 + (6 + 10 * 0.1 + 20 * 1) / 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--round-trip", "-3"], "round_trip must be a finite number, 0 or more, but is -3.0"),
        (["-s", "sequentialX"], "there is no strategy 'sequentialX'.* Did you mean 'sequential'"),
        (["-m", "x0=1", "-m", "x11=3"], "minutes names the test 'x11'.* Did you mean 'x1'"),
        (["-m", "x0=1"], "minutes says nothing of test 'x1'"),
        (["-m", "x0=-1", "-m", "x1=1"], "the minutes of test 'x0' must be .* but is -1.0"),
        (["-m", "nowhere.toml"], "'nowhere.toml', which is no file"),
        (["-m", "heart.costs.toml"], "heart.costs.toml has no table of minutes"),
        (["-w", "much"], "--waiting has 'much', which is no price"),
        (["-w", "60:0.5,0.1"], "the price of waiting falls from 0.5 to 0.1"),
        (["-w", "0.1"], "waiting has a price, 0.1, but no minutes"),
    ],
)
@pytest.mark.parametrize("command", ["batches", "consult"])
def test_mistakes(call, model, command, options, said):
    code, _, err = call(command, model, *options)
    assert code == 1
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(one_sentence(err))


def test_a_consultation_orders_together(call, model, monkeypatch):
    lines = iter(["9", "?", "0", ""])
    monkeypatch.setattr("rich.console.Console.input", lambda *_: next(lines))
    code, out, err = call("consult", model, "--round-trip", 8)
    assert code == 0, err
    assert "EUR 18.00, result later: orders x1 along with it" in out
    assert "result of what was ordered, nothing more to pay" in out
    assert "Bill: EUR 18.00" in out


def test_the_page_tells_of_waiting_where_the_costs_do():
    waited = content_of(learned(round_trip=8))
    assert [one["total"] for one in waited["orders"]] == ["EUR 19.00", "EUR 18.00", "EUR 18.00"]
    assert [one["this"] for one in waited["orders"]] == [True, False, False]
    assert content_of(learned())["orders"] == []


def test_known_values_are_planned_for():
    model = ID3Classifier(Costs([4, 6], errors=20)).fit(X, Y)
    consultation = Consultation(model, batches=Batches(model, round_trip=8))
    assert consultation.question.orders == ("x0", "x1")
    consultation.know(x0=9)
    assert consultation.question.orders == ("x1",)
    assert consultation.question.price == 14
    consultation = Consultation(model, batches=Batches(model, round_trip=8))
    consultation.know(x0=0)
    assert consultation.bill == 0
    assert consultation.decision == "a"
