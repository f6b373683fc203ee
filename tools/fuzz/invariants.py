"""What holds of every fitted learner, whatever it was given."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from sklearn.utils import compute_sample_weight

from tools.fuzz.judging import demand
from tools.fuzz.versions import total_is_one_order

MOST_TESTS = 10
"""Up to so many tests, all orders of them are looked at."""

CLOSE = 1e-9
"""Sums of the same amounts in another order differ by no more than this share."""


def close(a: float, b: float) -> bool:
    """Tell whether two amounts are the same but for rounding."""
    return a == b or math.isclose(a, b, rel_tol=CLOSE, abs_tol=1e-300)


def check_fitted(model: Any, X: Any, y: Any, weights: Any = None) -> None:
    """Hold a fitted learner against what is true of every one, on its training cases."""
    check_figures(model)
    answers, bills = check_answers(model, X)
    check_total(model, X, y, answers, bills)
    total = np.ones(len(bills)) if weights is None else np.asarray(weights, float)
    if (by_class := getattr(model, "class_weight", None)) is not None:
        total = total * compute_sample_weight(by_class, _labels(y))
    with np.errstate(all="ignore"):
        mean = float(bills @ total) / float(total.sum())
    demand(
        close(mean, model.expected_test_cost_) or abs(mean - model.expected_test_cost_) < 1e-9,
        "the expected bill is the mean bill of the training cases",
        model.expected_test_cost_,
        mean,
    )


def check_figures(model: Any) -> None:
    """Check what a learner says of its tree."""
    cost = model.expected_cost_
    parts = model.expected_test_cost_ + model.expected_error_cost_
    gains = getattr(model.costs, "decisions", None) is not None
    fits = math.isfinite(cost) and (gains or cost >= 0)
    demand(fits, "the expected cost is a finite amount", cost)
    demand(close(cost, parts), "the expected cost is that of tests and errors", cost, parts)
    bound = getattr(model, "lower_bound_", None)
    if bound is not None:
        objective = model.objective_
        demand(bound <= objective, "no objective is below its bound", objective, bound)
        within = getattr(model, "max_test_cost", None) is not None
        counted = model.expected_error_cost_ if within else cost
        least = counted - CLOSE * abs(counted)
        demand(objective >= least, "splits are charged, not paid for", objective, cost)
        demand(0 <= model.gap_ <= 1, "a gap is a share", model.gap_)
    told = getattr(model, "forecast_", None)
    if told is not None and math.isfinite(told.high):
        inside = told.low <= told.cost <= told.high
        demand(inside and (gains or told.low >= 0), "a forecast lies in its interval", told)
        saved = told.saving_low <= told.saving <= told.saving_high
        demand(saved, "a saving lies in its interval", told)
    shares = list(model.test_usage_.values())
    demand(
        all(-CLOSE <= share <= 1 + CLOSE for share in shares), "usage is a share of cases", shares
    )
    depth = getattr(model, "max_depth", None)
    if depth is not None:
        demand(model.tree_.depth <= depth, "a tree is no deeper than it may be", depth)


def check_answers(model: Any, X: Any) -> tuple[Any, Any]:
    """Check answers, shares and bills of any cases; return answers and bills."""
    answers, shares, bills = model.predict(X), model.predict_proba(X), model.bill(X)
    known = set(_answers_of(model))
    demand(set(answers.tolist()) <= known, "answers are classes or decisions", answers)
    demand(shares.shape == (len(answers), len(model.classes_)), "a share for each class")
    demand(np.allclose(shares.sum(axis=1), 1.0), "shares sum to 1", shares)
    demand(((shares >= 0) & (shares <= 1 + 1e-12)).all(), "shares lie between 0 and 1", shares)
    check_bills(model, bills)
    return answers, bills


def check_bills(model: Any, bills: Any) -> None:
    """Check that no bill is above that of all tests in their dearest order."""
    demand(np.isfinite(bills).all() and (bills >= 0).all(), "a bill is a finite amount", bills)
    if model.costs is None:
        demand((bills == 0).all(), "without prices nothing is charged", bills)
        return
    names = [column.name for column in model.tree_.columns]
    most = dearest(model.costs, names) * (1 + CLOSE)
    demand((bills <= most).all(), "no bill is above the dearest order of all tests", bills, most)
    if not total_is_one_order() and not model.costs.delayed:
        most = model.costs.total(names) * (1 + CLOSE)
        demand((bills <= most).all(), "no bill is above Costs.total", bills, most)


def dearest(costs: Any, names: list[str]) -> float:
    """Return what all tests cost in the order that costs most.

    What a test costs depends on the set of tests before it, so the dearest order of a set ends
    with one of its tests after the dearest order of the others. An order that is placed at once
    is charged otherwise; then no discount is counted.
    """
    prices = costs.prices(names)
    tests = [a for a in range(len(names)) if prices.usable[a]]
    full = np.maximum(np.asarray(prices.full, float), 0)
    if len(tests) > MOST_TESTS or not prices.discount.size or costs.delayed:
        return float(sum(full[a] for a in tests))
    most = {0: 0.0}
    for chosen in range(1, 1 << len(tests)):
        most[chosen] = max(
            most[chosen & ~(1 << i)] + _price(prices, tests, i, chosen & ~(1 << i))
            for i in range(len(tests))
            if chosen >> i & 1
        )
    return most[(1 << len(tests)) - 1]


def _price(prices: Any, tests: list[int], i: int, before: int) -> float:
    """Return what a test costs after a set of others."""
    a = tests[i]
    cost = float(prices.full[a])
    for g in range(prices.discount.shape[1]):
        opened = any(prices.member[b, g] for j, b in enumerate(tests) if before >> j & 1)
        if opened and prices.member[a, g]:
            cost -= float(prices.discount[a, g])
    return max(cost, 0.0)


def check_total(model: Any, X: Any, y: Any, answers: Any, bills: Any) -> None:
    """Check that the total cost is the mean bill and the mean cost of errors."""
    actual = _labels(y)
    known, said = model.classes_.tolist(), _answers_of(model)
    if not set(actual) <= set(known):
        return
    if model.costs is None:
        M = 1.0 - np.eye(len(known))
    elif said != known:
        M = model.costs.answer_costs(known, said)
    else:
        M = model.costs.matrix(known)
    row, place = ({label: i for i, label in enumerate(names)} for names in (said, known))
    errors = [M[row[a], place[b]] for a, b in zip(answers.tolist(), actual, strict=True)]
    with np.errstate(all="ignore"):
        want = float(np.mean(bills) + np.mean(errors))
    got = model.total_cost(X, y)
    demand(close(got, want), "the total cost is that of tests and errors", got, want)


def _answers_of(model: Any) -> list[Any]:
    """Return what a model may answer: its classes and, if its version knows them, decisions."""
    return list(getattr(model, "answers_", model.classes_).tolist())


def _labels(y: Any) -> list[Any]:
    """Return labels as a list, whatever holds them."""
    nested = isinstance(y, list) and any(isinstance(label, list) for label in y)
    if nested or getattr(y, "ndim", 1) == 2:
        y = np.asarray(y).ravel()
    for way in ("to_pylist", "to_list", "tolist"):
        if hasattr(y, way):
            return list(getattr(y, way)())
    return list(y)


def check_kept(model: Any, X: Any, folder: Path, *, twice: bool = True) -> None:
    """Check that a model comes back from its file as it was, and goes there again the same."""
    from frugaltree import load_model, save_model

    path = folder / "kept.model.json"
    try:
        save_model(model, path)
    except ValueError as error:
        demand("class labels" in str(error), "whatever can be fitted can be saved", error)
        return
    copy = load_model(path)
    for what in ("predict", "predict_proba", "bill"):
        got, want = getattr(copy, what)(X), getattr(model, what)(X)
        demand(np.array_equal(got, want), f"a loaded model's {what} is that of the saved one")
    for what in ("expected_cost_", "lower_bound_", "termination_"):
        got, want = getattr(copy, what, None), getattr(model, what, None)
        demand(got == want, f"a loaded model's {what} is that of the saved one", got, want)
    demand(copy.to_text() == model.to_text(), "a loaded tree reads as the saved one")
    again = folder / "again.model.json"
    save_model(copy, again)
    if not twice:
        return
    demand(_without_date(path) == _without_date(again), "a model saved twice is the same file")


def _without_date(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if '"created"' not in line]


def check_consultation(model: Any, rows: list[dict[str, Any]], random: Random) -> None:
    """Check that consulting the tree about a case ends with its answer and its bill."""
    from frugaltree import Consultation
    from frugaltree.exceptions import FrugaltreeError

    row = random.choice(rows)
    consultation = Consultation(model)
    told = {}
    if consultation.question is not None:
        try:
            consultation.tell()
        except FrugaltreeError:
            pass
        else:
            demand(False, "telling nothing is refused")
    for question in consultation:
        told[question.test] = row[question.test]
        if row[question.test] is None:
            consultation.cannot_measure()
        else:
            consultation.tell(row[question.test])
        demand(len(told) <= len(row), "every test is asked once")
    record = consultation.record()
    _check_counts(record)
    import json

    json.dumps(record, allow_nan=False)
    repr(consultation), str(consultation)
    # Whoever lacks a value does not pay for it in an order, which a consultation cannot know.
    if not any(value is None for value in row.values()):
        import pandas as pd

        frame = pd.DataFrame({name: [value] for name, value in row.items()})
        try:
            answer, bill = model.predict(frame)[0], model.bill(frame)[0]
        except FrugaltreeError:
            return
        demand(consultation.answer.label == answer, "a consultation ends with the tree's answer")
        demand(close(consultation.bill, bill), "a consultation charges the bill", bill)


def _check_counts(value: Any, key: str = "") -> None:
    """Check that numbers of cases have no noise of rounding."""
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_counts(inner, name)
    elif isinstance(value, list):
        for inner in value:
            _check_counts(inner, key)
    elif key == "cases" and isinstance(value, float):
        near = round(value)
        noise = value != near and abs(value - near) < 1e-6 * max(1.0, value)
        demand(not noise, "a record counts cases without the noise of rounding", repr(value))
