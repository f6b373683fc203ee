"""Comparing learners on a table: the arithmetic, the statistics, and what people read."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from rich.console import Console
from sklearn.model_selection import StratifiedKFold

from frugaltree import ACTClassifier, Costs, DTMCClassifier
from frugaltree.compare import DEFAULT_LEARNERS, Comparison, Pair, compare
from frugaltree.compare.comparison import SCHEMA
from frugaltree.compare.learners import LEARNERS, make
from frugaltree.compare.showing import gaps_grid
from frugaltree.datasets import load, load_costs
from frugaltree.exceptions import FrugaltreeError, InvalidCosts, InvalidTable
from frugaltree.metrics import error_cost, standard_cost


@pytest.fixture(scope="module")
def heart():
    X, y = load("heart", return_X_y=True)
    return X, y, load_costs("heart", errors=500, delayed=False)


@pytest.fixture(scope="module")
def found(heart):
    return compare(*heart, ["c4.5", "dtmc", "act"], folds=4, random_state=3)


def scores_of(**totals):
    """Scores in which only totals matter; the standard cost is 100."""
    rows = [
        (learner, fold, 10, 1.0, total - 1.0, float(total), float(total), 90.0, 0.1)
        for learner, values in totals.items()
        for fold, total in enumerate(values)
    ]
    scores = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    return Comparison(scores, 100.0, 50.0, 30.0, cases=40, folds=len(rows) // len(totals))


# ------------------------------------------------------------------------------ numbers


def test_scores_are_those_of_the_learners(found, heart):
    X, y, costs = heart
    folds = list(StratifiedKFold(4, shuffle=True, random_state=3).split(X, y.to_numpy()))
    train, test = folds[1]
    dtmc = DTMCClassifier(costs).fit(X[train], y[train])
    row = found.scores.row(by_predicate=(pl.col("learner") == "dtmc") & (pl.col("fold") == 1))
    score = dict(zip(SCHEMA, row, strict=True))
    assert score["cases"] == len(test)
    assert score["test_cost"] == pytest.approx(dtmc.bill(X[test]).mean())
    assert score["error_cost"] == pytest.approx(error_cost(y[test], dtmc.predict(X[test]), costs))
    assert score["total"] == pytest.approx(dtmc.total_cost(X[test], y[test]))
    right = (dtmc.predict(X[test]) == y[test].to_numpy()).mean()
    assert score["accuracy"] == pytest.approx(100 * right)
    act = ACTClassifier(costs, random_state=3 + 1).fit(X[train], y[train])
    row = found.scores.row(by_predicate=(pl.col("learner") == "act") & (pl.col("fold") == 1))
    assert row[5] == pytest.approx(act.total_cost(X[test], y[test]))


def test_the_whole_table_says_what_100_percent_is(found, heart):
    X, y, costs = heart
    assert found.standard_cost == pytest.approx(standard_cost(costs, y, X.columns))
    assert found.all_tests == pytest.approx(costs.total(X.columns))
    assert found.guess == pytest.approx(error_cost(y, ["healthy"] * len(y), costs))
    percent = 100 * found.scores["total"] / found.standard_cost
    assert found.scores["percent"].to_list() == pytest.approx(percent.to_list())
    assert (found.cases, found.folds, found.seed, found.unit) == (297, 4, 3, "CAD")


def test_standings_by_hand():
    first, second, third = scores_of(
        act=[10, 12, 14], eg2=[40, 40, 40], dtmc=[11, 14, 17]
    ).standings
    assert [one.learner for one in (first, second, third)] == ["act", "dtmc", "eg2"]
    assert (first.total, first.gap, first.p, first.verdict) == (12, 0, 1, "cheapest")
    # Gaps 1, 2, 3: their mean 2 has the standard error 1 / sqrt(3); t is 3.46, corrected 2.19.
    assert (second.gap, second.gap_error) == (2, pytest.approx(3**-0.5))
    assert second.p == pytest.approx(0.0742, abs=1e-4)
    assert second.p_corrected == pytest.approx(0.1597, abs=1e-3)
    assert second.verdict == "no clear difference"
    assert third.verdict == "dearer"
    assert third.p < third.p_corrected < 0.05


def test_a_difference_that_only_the_plain_test_sees():
    _, other = scores_of(act=[10, 10, 10, 10], eg2=[11, 12, 14, 12]).standings
    assert other.p < 0.05 < other.p_corrected
    assert other.verdict == "perhaps dearer"


def test_duels_count_folds():
    pairs = scores_of(act=[1, 5, 3], eg2=[2, 4, 3]).pairs
    assert pairs == {("act", "eg2"): Pair(1, 1, 0), ("eg2", "act"): Pair(1, 1, 0)}
    clear = scores_of(act=[1, 2, 3], eg2=[31, 32, 34]).pairs
    assert clear["act", "eg2"] == Pair(3, 0, -1)
    assert clear["eg2", "act"] == Pair(0, 3, 1)


def test_learners_of_equal_cost_share_the_first_place():
    first, second = scores_of(act=[1, 2], dtmc=[1, 2]).standings
    assert first.verdict == second.verdict == "cheapest"


def test_same_seed_same_scores(heart):
    again = [compare(*heart, ["act", "icet(generations=1)"], folds=2, n_jobs=n) for n in (1, 2)]
    first, second = (one.scores.drop("seconds") for one in again)
    assert first.equals(second)
    other = compare(*heart, ["act"], folds=2, random_state=1).scores
    assert not other["total"].equals(first.filter(learner="act")["total"])


@pytest.mark.parametrize("key", ["c4.5", "lsid3"])
def test_blind_learners_stay_blind(heart, key):
    X, y, costs = heart
    with_costs, without = make(key, costs, 0).fit(X, y), make(key, None, 0).fit(X, y)
    trees = [learner.tree_.to_dict() for learner in (with_costs, without)]
    for tree in trees:
        tree.pop("missing")  # where a case goes on without a value depends on what that costs
    assert trees[0] == trees[1]


def test_every_form_of_table(heart):
    X, y, _ = heart
    X = X.select("age", "chol", "thalach")
    costs = Costs([1, 2, 3], errors=[[0, 50], [90, 0]])
    frames = [X, X.to_pandas(), X.to_numpy(), X.to_arrow(), X.to_numpy().tolist()]
    labels = [y, pd.Series(y.to_list()), y.to_list(), y.to_numpy(), np.array(y.to_list())]
    costs_by = Costs({"age": 1, "chol": 2, "thalach": 3}, errors=[[0, 50], [90, 0]])
    got = [
        compare(one, labels[i], costs_by if hasattr(one, "columns") else costs, ["dtmc"], folds=2)
        for i, one in enumerate(frames)
    ]
    assert len({one.standings[0].total for one in got}) == 1


def test_a_matrix_of_costs_survives_a_fold_without_a_class():
    X = pl.DataFrame({"a": list(range(24))})
    y = [0] * 11 + [1] * 11 + [2] * 2
    costs = Costs({"a": 1}, errors=[[0, 5, 9], [5, 0, 9], [7, 7, 0]])
    assert compare(X, y, costs, ["dtmc"], folds=2).standings[0].total > 0


def test_free_tests_and_errors_cost_nothing():
    X = pl.DataFrame({"a": [0, 1] * 10})
    got = compare(X, [0, 1] * 10, Costs(errors=0), ["dtmc", "c4.5"], folds=2)
    assert [one.percent for one in got.standings] == [0, 0]
    assert "0.0" in str(got)


def test_what_cannot_be_measured_is_never_charged(heart):
    X, y, costs = heart
    without = Costs(
        costs.tests, costs.groups, errors=500, unavailable=[c for c in X.columns if c != "age"]
    )
    got = compare(X, y, without, ["c4.5", "act", "cart"], folds=2)
    assert got.scores["test_cost"].max() <= costs.tests["age"]


def test_usual_learners_exist():
    assert set(DEFAULT_LEARNERS) <= set(LEARNERS)


# ----------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"learners": ["akt"]}, FrugaltreeError, "Did you mean 'act'"),
        ({"learners": []}, FrugaltreeError, "no learner to compare"),
        ({"learners": ["dtmc(speed=3)"]}, FrugaltreeError, "DTMC does not take"),
        ({"folds": 1}, FrugaltreeError, "at least 2, not 1"),
        ({"folds": 2.5}, FrugaltreeError, "at least 2, not 2.5"),
        ({"folds": 200}, InvalidTable, "'sick' has 137 of 297 cases, too few for 200 folds"),
        ({"costs": {"age": 1}}, InvalidCosts, "must be a Costs"),
        ({"costs": Costs({"agee": 1})}, InvalidCosts, "Did you mean 'age'"),
        ({"costs": Costs({"age": 1})}, InvalidCosts, "'sex' has no price"),
        ({"y": ["sick"] * 297}, InvalidTable, "all cases are of the class 'sick'"),
        ({"y": ["sick", "well"]}, InvalidTable, "297 cases but there are 2 classes"),
        ({"y": np.linspace(0, 1, 297)}, InvalidTable, "numbers with fractions"),
        ({"X": [1, 2, 3]}, InvalidTable, "must be a table"),
        ({"X": "heart.csv"}, InvalidTable, "read a file"),
    ],
)
def test_mistakes_are_told_before_anything_is_learned(heart, change, error, match):
    X, y, costs = heart
    given = {"X": X, "y": y, "costs": costs, "learners": ["dtmc"], **change}
    with pytest.raises(error, match=match):
        compare(given.pop("X"), given.pop("y"), given.pop("costs"), **given)


def test_a_class_of_one_case():
    with pytest.raises(InvalidTable, match="has 1 of 9 cases, too few for 2 folds; merge"):
        compare(pl.DataFrame({"a": range(9)}), [0] * 8 + [1], Costs(), ["dtmc"], folds=2)


def test_a_column_of_names_is_pointed_out():
    X = pl.DataFrame({"name": [f"n{i}" for i in range(40)], "a": [0, 1] * 20})
    with pytest.warns(UserWarning, match="identifier"):
        compare(X, [0, 1] * 20, Costs(errors=9), ["dtmc"], folds=2)


# --------------------------------------------------------------------------- to be read


def test_text(found):
    text = str(found)
    assert text.splitlines()[0] == "Cost per case in CAD: mean of 4 folds of 297 cases"
    for word in ("ACT", "DTMC", "C4.5", "Folds won:lost", "100 % is the standard cost, 554.6"):
        assert word in text
    assert max(map(len, text.splitlines())) <= 100
    assert "\x1b" not in text


def test_no_number_is_cut_off(capsys):
    names = [f"icet(generations={g})" for g in (4, 16)] + list(LEARNERS)
    long = scores_of(**{name: [1000 + i, 2000 + i] for i, name in enumerate(names[:3])})
    many = scores_of(**{name: [1000 + i, 2000 + i] for i, name in enumerate(names[2:])})
    for one in (long, many):
        Console(width=80, color_system=None).print(one)
        shown = capsys.readouterr().out
        assert "…" not in shown
        assert shown.count(" 0.100") == len(one.standings)
        assert shown.count("2:0*") == len(one.standings) * (len(one.standings) - 1) / 2


def test_one_learner_is_compared_with_none(heart):
    alone = compare(*heart, ["dtmc"], folds=2)
    assert "Folds won" not in str(alone)
    assert "Folds won" not in alone.to_markdown()


def test_markdown(found):
    lines = found.to_markdown().splitlines()
    assert lines[0].startswith("**Cost per case in CAD")
    table = [line for line in lines if line.startswith("|")]
    widths = {line.count("|") for line in table[:5]}
    assert widths == {9}
    assert gaps_grid(found).rows[0][0] in found.to_markdown()


def test_json(found):
    content = json.loads(found.to_json())
    assert content["folds"] == 4
    assert [one["learner"] for one in content["learners"]] == [
        one.learner for one in found.standings
    ]
    assert content["learners"][0]["verdict"] == "cheapest"
    assert len(content["scores"]) == 12
    assert len(content["duels"]) == 6


def test_the_picture_has_the_numbers(found):
    pytest.importorskip("matplotlib")
    figure = found.plot()
    (ax,) = figure.axes
    widths = [bar.get_width() for bar in ax.patches]
    tests = [one.test_cost for one in found.standings]
    errors = [one.error_cost for one in found.standings]
    assert widths == pytest.approx(tests + errors)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [one.title for one in found.standings]
    lines = [line.get_xdata()[0] for line in ax.lines if len(set(line.get_xdata())) == 1]
    assert found.standard_cost in lines
    assert ax.get_xlim()[1] > found.standard_cost
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    assert shown == ["tests", "errors", "guessing without a test", "standard cost"]
