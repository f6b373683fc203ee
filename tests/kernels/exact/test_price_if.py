"""Prices that depend on a known test: proven optima, bills and exports against the slow twin."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from frugaltree import Consultation, Costs, FrugalTreeClassifier, load_model, save_model
from frugaltree.export.python import to_python
from frugaltree.export.sql import to_sql
from reference.basics import START, Node, Problem, is_leaf, lacking_child, state_in
from reference.conditions import price_for
from reference.exact_trees import Options
from support.conditional import conditional
from support.exact import check_optimum, fewer, fitted, options_of, same, tree_of
from support.given import as_given

pytestmark = [
    pytest.mark.filterwarnings("ignore:group:UserWarning"),
    pytest.mark.filterwarnings("ignore:all cases are of one class:UserWarning"),
    pytest.mark.filterwarnings("ignore:the weights of .* add up to:UserWarning"),
]


@fewer
@given(conditional(), options_of)
def test_optimum(problem: Problem, options: Options) -> None:
    check_optimum(problem, options)


@fewer
@given(conditional(10, 4), options_of)
def test_optimum_within_a_budget(problem: Problem, options: Options) -> None:
    """What a test counts against a budget is the dearest that it may cost."""
    check_optimum(problem, replace(options, max_test_cost=sum(problem.full) / 2))


def bill_of(node: Node, problem: Problem, i: int) -> float:
    """Return what a case is charged by a tree, step by step."""
    state, bill = START, 0.0
    while not is_leaf(node):
        a, value = node["test"], problem.rows[i][node["test"]]
        price = price_for(problem, a, i, state)
        lacks = value is None or price is None
        if price is not None and (not lacks or problem.charge_missing):
            bill += price
        state = state_in(problem, a, state, lacks)
        if lacks:
            below = lacking_child(node)
        elif node["threshold"] is None:
            below = node["children"][int(value or 0)]
        else:
            below = node["children"][0 if (value or 0) <= node["threshold"] else 1]
        if below is None:
            break
        node = below
    return bill


def shuffled(X: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return cases that mix values of others, lack some, and have some never seen."""
    random, columns = np.random.default_rng(seed), {}
    for name, column in X.items():
        values = column.astype(object).to_numpy()[random.integers(0, len(X), 20)]
        values[random.random(20) < 0.2] = None
        if isinstance(column.dtype, pd.CategoricalDtype):
            values[random.random(20) < 0.1] = "never seen"
            columns[name] = pd.Categorical(values, [*column.cat.categories, "never seen"])
        else:
            columns[name] = values.astype(float)
    return pd.DataFrame(columns)


def plain(X: pd.DataFrame) -> list[dict[str, Any]]:
    """Return cases as dictionaries, None where a value is missing."""
    return [
        {name: None if pd.isna(value) else value for name, value in row.items()}
        for row in X.to_dict("records")
    ]


@fewer
@given(conditional(), options_of)
def test_bills(problem: Problem, options: Options) -> None:
    learner = fitted(problem, options)
    X, weights = as_given(problem)[0].X, np.array(problem.weights)
    bills, tree = learner.bill(X), tree_of(learner, problem)
    ref = [bill_of(tree, problem, i) for i in range(len(problem.rows))]
    np.testing.assert_allclose(bills, ref, rtol=1e-12, atol=1e-12)
    mean = float(np.average(bills, weights=weights))
    assert learner.expected_test_cost_ == same(mean)
    charges = learner.tree_.charges(learner._prices())
    assert charges.charge @ charges.paying / weights.sum() == same(mean)
    assert learner.costs is not None
    assert max(ref) <= learner.costs.dearest_total(list(X.columns)) * (1 + 1e-12)


@fewer
@given(conditional(), options_of)
def test_exports_and_files_charge_the_same(
    tmp_path_factory: pytest.TempPathFactory, problem: Problem, options: Options
) -> None:
    learner, folder = fitted(problem, options), tmp_path_factory.mktemp("model")
    X = shuffled(as_given(problem)[0].X, 0)
    answers, bills = learner.predict(X).tolist(), learner.bill(X).tolist()
    module: dict[str, Any] = {}
    exec(to_python(learner), module)
    assert [module["classify"](case) for case in plain(X)] == list(
        zip(answers, bills, strict=True)
    )
    database = sqlite3.connect(":memory:")
    table = X.astype(object).where(X.notna(), None)
    table.reset_index().to_sql("cases", database, index=False)
    found = database.execute(to_sql(learner, key="index")).fetchall()
    database.close()
    assert found == list(zip(range(len(X)), answers, bills, strict=True))
    save_model(learner, folder / "model.json")
    copy = load_model(folder / "model.json")
    assert (copy.predict(X).tolist(), copy.bill(X).tolist()) == (answers, bills)
    assert (copy.to_text(), copy.costs) == (learner.to_text(), learner.costs)
    assert learner.costs is not None
    learner.costs.to_toml(folder / "costs.toml")
    assert Costs.from_toml(folder / "costs.toml") == learner.costs
    for case, answer, bill in zip(plain(X)[:5], answers, bills, strict=False):
        consultation = Consultation(learner)
        _, most = consultation.still_to_come
        for question in consultation:
            consultation.tell(case[question.test])
        assert consultation.decision == answer
        assert math.isclose(consultation.bill, bill, abs_tol=1e-9)
        assert consultation.bill <= most * (1 + 1e-9) + 1e-9


def test_exported_to_onnx() -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    from frugaltree.export.onnx import to_onnx

    learner, _ = night_and_day()
    session = onnxruntime.InferenceSession(to_onnx(learner))
    cases = pd.DataFrame(
        {"shift": ["day", "night", "dusk", None], "xray": [1.0, 1.0, 1.0, 0.0]}, index=range(4)
    )
    feed = {
        "shift": cases[["shift"]].fillna("").to_numpy(object),
        "xray": cases[["xray"]].to_numpy(float),
    }
    answers, bills, _ = session.run(None, feed)
    assert bills.tolist() == learner.bill(cases).tolist() == [40.0, 80.0, 40.0, 40.0]
    assert answers.tolist() == learner.predict(cases).tolist()


def night_and_day() -> tuple[FrugalTreeClassifier, pd.DataFrame]:
    """Return a tree that asks for an X-ray, whatever the hour, and its cases."""
    X = pd.DataFrame({"shift": ["day", "night"] * 20, "xray": [0.0, 0.0, 1.0, 1.0] * 10})
    costs = Costs(
        {"xray": 40}, known=["shift"], price_if={"xray": {"shift": {"night": 80}}}, errors=1000
    )
    y = ["ill" if xray else "well" for xray in X["xray"]]
    return FrugalTreeClassifier(costs, pessimism="none").fit(X, y), X


def test_words() -> None:
    learner, X = night_and_day()
    assert learner.to_text().splitlines()[0] == "asks xray, price 40 or 80 by shift"
    assert learner.expected_test_cost_ == 60.0
    assert [step.price for step in learner.path(X[1:2])] == [80.0]
    consultation = Consultation(learner)
    assert consultation.question is not None
    assert consultation.question.test == "shift"
    assert consultation.still_to_come == (40.0, 80.0)
    consultation.tell("night")
    assert consultation.question.price == 80.0
    consultation.undo()
    consultation.know(shift="day")
    assert consultation.question.price == 40.0


def test_a_test_that_a_case_cannot_take_goes_the_way_of_those_without_a_value() -> None:
    X = pd.DataFrame({"pregnant": ["no"] * 20 + ["yes"] * 10, "ct": [0.0, 1.0] * 15})
    costs = Costs(
        {"ct": 10}, known=["pregnant"], price_if={"ct": {"pregnant": {"yes": None}}}, errors=1000
    )
    y = ["ill" if ct and pregnant == "no" else "well" for pregnant, ct in X.to_numpy()]
    learner = FrugalTreeClassifier(costs, pessimism="none").fit(X, y)
    assert learner.tree_.columns[learner.tree_.nodes.test[0]].name == "pregnant"
    assert learner.bill(X).tolist() == [10.0] * 20 + [0.0] * 10
    consultation = Consultation(learner)
    consultation.tell("yes")
    assert (consultation.question, consultation.decision) == (None, "well")
