"""Costs of each case: learners, scores, scikit-learn's tools, model files, the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_val_score
from typer.testing import CliRunner

from frugaltree import (
    ACTClassifier,
    Costs,
    DTMCClassifier,
    FrugalTreeClassifier,
    frontier,
    load_model,
    metrics,
    save_model,
)
from frugaltree.app.cli import app
from frugaltree.engines import cost_classes
from frugaltree.exceptions import FrugaltreeError, InvalidCosts
from frugaltree.metrics import cost_scorer
from frugaltree.report import compare_with_baselines
from frugaltree.report.measure import measure
from reference.basics import Case, Node, Problem, everything, is_leaf
from reference.costs_of_cases import cheapest_for
from reference.exact_trees import Options, tree_cost
from reference.plain_trees import plain_split
from support import bridge
from support.small_problems import table as make_problem

N_CASES = 60
COSTS = Costs([1, 2, 3], errors=[[0, 1], [0.25, 0]], classes=["fine", "fraud"])


def draw(seed: int = 0, n: int = N_CASES) -> tuple[Any, Any, Any]:
    """Return cases, classes and amounts; the first two tests tell a fraud, mostly."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, (n, 3)).astype(float)
    risk = np.where((X[:, 0] == 1) & (X[:, 1] == 1), 0.8, 0.1)
    y = np.where(random.random(n) < risk, "fraud", "fine")
    y[:2] = "fine", "fraud"
    return X, y, random.choice([5.0, 40.0, 300.0], n)


X, Y, AMOUNTS = draw()

LEARNERS = [
    DTMCClassifier(COSTS),
    ACTClassifier(COSTS, random_state=0, expected_error="c45", cf=0.25),
    FrugalTreeClassifier(COSTS, pessimism=0.25, random_state=0),
]


def costs_of(amounts: Any, y: Any) -> Any:
    """Return what each answer costs for each case, by the price list."""
    missed = np.where(y == "fraud", amounts, 0.0)
    return np.column_stack([missed, np.where(y == "fine", 0.25 * amounts, 0.0)])


def as_problem(X: Any, y: Any, case_costs: Any) -> Problem:
    """Return cases as the twin has them; their tests have two values, cut between."""
    return make_problem(
        X.tolist(),
        (y == "fraud").astype(int).tolist(),
        kinds=["numeric"] * 3,
        domains=[0] * 3,
        full=[1.0, 2.0, 3.0],
        case_costs=case_costs.tolist(),
    )


def check_labels(node: Node, problem: Problem, cases: list[Case]) -> None:
    """Check that every node has the answer that costs its cases least."""
    assert node["label"] == cheapest_for(problem, cases)
    if not is_leaf(node):
        split = plain_split(problem, cases, node["test"], node["threshold"])
        for child, branch in zip(node["children"], split.branches, strict=True):
            if child is not None:
                check_labels(child, problem, branch)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("most", [64, 4])
def test_trees_are_labelled_and_priced_by_what_each_case_costs(
    learner: Any, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the search has looked at levels."""
    monkeypatch.setattr(cost_classes, "MOST_COST_CLASSES", most)
    for seed in range(3):
        cases, y, amounts = draw(seed)
        learner = sklearn.base.clone(learner).fit(cases, y, error_costs=amounts)
        costs = costs_of(amounts, y)
        problem = as_problem(cases, y, costs)
        tree = bridge.as_dict(learner.tree_.nodes, learner.tree_.labels, bridge.table_of(problem))
        check_labels(tree, problem, everything(problem))
        assert learner.expected_cost_ == pytest.approx(tree_cost(tree, problem, Options()))
        said = learner.predict(cases)
        wrong = costs[np.arange(len(y)), (said == "fraud").astype(int)]
        total = float((learner.bill(cases) + wrong).mean())
        for given in (amounts, costs, np.stack([costs, costs], axis=2)):
            assert learner.total_cost(cases, y, error_costs=given) == pytest.approx(total)
        assert metrics.error_cost(y, said, COSTS, error_costs=amounts) == pytest.approx(
            wrong.mean()
        )


def test_levels_have_no_bound_and_rows_that_are_few_have_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cost_classes, "MOST_COST_CLASSES", 4)
    learner = FrugalTreeClassifier(COSTS, pessimism="paper", random_state=0)
    learner.fit(X, Y, error_costs=AMOUNTS)
    assert learner.history_[-1].bound is None
    assert (learner.lower_bound_, learner.termination_) == (0.0, "completed")
    assert learner.objective_ == learner.expected_cost_
    assert "similar costs" in learner._notes()["Bound"]
    monkeypatch.undo()
    exact = FrugalTreeClassifier(COSTS, pessimism="paper", random_state=0)
    exact.fit(X, Y, error_costs=AMOUNTS)
    assert exact.termination_ == "optimal"
    assert exact.expected_cost_ <= learner.expected_cost_ * (1 + 1e-9)


def test_samples_see_classes_and_not_costs() -> None:
    """ACT's gains are those of the classes: amounts that do not matter change no sample."""
    how: dict[str, Any] = {"random_state": 3, "w": 1.0, "cf": 0.25}
    plain = ACTClassifier(COSTS, **how).fit(X, Y)
    odd = np.where(np.arange(N_CASES) % 2, 1.0, 1.0 + 1e-9)
    learner = ACTClassifier(COSTS, **how).fit(X, Y, error_costs=odd)
    assert learner.tree_.to_dict()["test"] == plain.tree_.to_dict()["test"]
    assert learner.expected_cost_ == pytest.approx(plain.expected_cost_, rel=1e-6)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_the_same_amount_for_all_is_a_factor(learner: Any) -> None:
    ours = sklearn.base.clone(learner).fit(X, Y, error_costs=np.full(N_CASES, 40.0))
    dear = COSTS.errors
    theirs = sklearn.base.clone(learner)
    theirs.set_params(costs__errors=[[40 * cost for cost in row] for row in dear])  # type: ignore[union-attr]
    theirs.fit(X, Y)
    assert ours.expected_cost_ == theirs.expected_cost_
    assert ours.to_text() == theirs.to_text()


def test_weights_count_cases() -> None:
    weights = np.random.default_rng(1).integers(0, 4, N_CASES)
    learner = FrugalTreeClassifier(COSTS, pessimism=0.1, random_state=0)
    ours = sklearn.base.clone(learner).fit(X, Y, weights, AMOUNTS)
    rows = np.repeat(np.arange(N_CASES), weights)
    theirs = learner.fit(X[rows], Y[rows], error_costs=AMOUNTS[rows])
    assert ours.expected_cost_ == pytest.approx(theirs.expected_cost_)
    assert ours.score(X, Y, weights, AMOUNTS) == pytest.approx(
        theirs.score(X[rows], Y[rows], error_costs=AMOUNTS[rows])
    )


BAD: list[tuple[Any, str]] = [
    (AMOUNTS[:5], "for 5 cases, but there are 60"),
    (-AMOUNTS, "a finite number, 0 or more"),
    (AMOUNTS * np.nan, "have nan for case 0"),
    (AMOUNTS * np.inf, "have inf for case 0"),
    (np.ones((N_CASES, 3)), r"the shape \(60, 3\), but there are 2 classes"),
    (np.ones((N_CASES, 2, 3)), r"the shape \(60, 2, 3\)"),
    (7.0, r"the shape \(\)"),
    (["much"] * N_CASES, "must be numbers"),
]


@pytest.mark.parametrize(("given", "said"), BAD)
def test_bad_input_gets_a_sentence(given: Any, said: str) -> None:
    with pytest.raises(InvalidCosts, match=said):
        DTMCClassifier(COSTS).fit(X, Y, error_costs=given)
    fitted = DTMCClassifier(COSTS).fit(X, Y, error_costs=AMOUNTS)
    with pytest.raises(InvalidCosts, match=said):
        fitted.score(X, Y, error_costs=given)


def test_what_is_not_built_is_refused() -> None:
    from frugaltree import C45Classifier, ICETClassifier

    for learner in (C45Classifier(COSTS), ICETClassifier(COSTS)):
        with pytest.raises(FrugaltreeError, match="does not learn from error_costs"):
            learner.fit(X, Y, error_costs=AMOUNTS)
    decided = Costs([1, 2, 3], errors=5, decisions={"refer": 2})
    with pytest.raises(InvalidCosts, match="decisions, too"):
        DTMCClassifier(decided).fit(X, Y, error_costs=AMOUNTS)
    with pytest.raises(FrugaltreeError, match="on samples"):
        ACTClassifier(COSTS, sample_rows=100).fit(*[np.tile(part, 4) if part.ndim == 1 else
            np.random.default_rng(0).random((240, 3)) for part in (X, Y)],
            error_costs=np.tile(AMOUNTS, 4))  # fmt: skip
    fitted = DTMCClassifier(COSTS).fit(X, Y, error_costs=AMOUNTS)
    for score in (fitted.score, fitted.total_cost):
        with pytest.raises(InvalidCosts, match="was fitted with error_costs"):
            score(X, Y)
    assert fitted.set_params().fit(X, Y).score(X, Y) < 0.0  # a new fit is by the price list
    with pytest.raises(FrugaltreeError, match="error_costs of each case"):
        frontier(DTMCClassifier(COSTS).fit(X, Y, error_costs=AMOUNTS), X, Y)
    with pytest.raises(RuntimeError, match="routing is off"):
        cost_scorer().set_score_request(error_costs=True)


def test_scikit_learn_routes_them() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        learner = DTMCClassifier(COSTS).set_fit_request(error_costs=True)
        learner.set_score_request(error_costs=True)
        own = cross_val_score(learner, X, Y, cv=3, params={"error_costs": AMOUNTS})
        scorer = cost_scorer().set_score_request(error_costs=True)
        scored = cross_val_score(
            learner, X, Y, cv=3, scoring=scorer, params={"error_costs": AMOUNTS}
        )
        np.testing.assert_array_equal(own, scored)
        search = GridSearchCV(learner, {"criterion": ["min", "expected"]}, scoring=scorer, cv=3)
        search.fit(X, Y, error_costs=AMOUNTS)
        assert np.isfinite(search.best_score_)
    assert (own < 0.0).all()


def test_models_strategies_and_reports(tmp_path: Any) -> None:
    learner = DTMCClassifier(COSTS).fit(X, Y, error_costs=AMOUNTS)
    path = tmp_path / "model.json"
    found = compare_with_baselines(learner, X, Y, AMOUNTS)
    save_model(learner, path, strategies=found)
    stored = json.loads(path.read_text())
    assert stored["version"] == 4
    assert np.shape(stored["tree"]["mean_errors"]) == (2, 2)
    assert len(path.read_text()) < 5000
    back = load_model(path)
    assert back.to_text() == learner.to_text()
    assert back.total_cost(X, Y, error_costs=AMOUNTS) == learner.total_cost(
        X, Y, error_costs=AMOUNTS
    )
    with pytest.raises(InvalidCosts, match="was fitted with error_costs"):
        back.total_cost(X, Y)
    ours = next(one for one in found if one.name == "this tree")
    assert ours.total == pytest.approx(learner.total_cost(X, Y, error_costs=AMOUNTS))
    costs = costs_of(AMOUNTS, Y).mean(axis=0)
    assert found[0].errors == pytest.approx(costs.min())
    measured = measure(learner, X, Y, error_costs=AMOUNTS)
    assert measured.forecast.cost == pytest.approx(ours.total)
    assert measure(learner, X, Y, folds=3, error_costs=AMOUNTS).cases == N_CASES
    plain = DTMCClassifier(COSTS).fit(X, Y)
    save_model(plain, path)
    assert json.loads(path.read_text())["version"] == 2


def test_the_command_line_takes_amounts(tmp_path: Any) -> None:
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "amount": AMOUNTS, "state": Y}).write_csv(
        tmp_path / "paid.csv"
    )
    Costs({"a": 1, "b": 2}, errors={("fine", "fraud"): 1, ("fraud", "fine"): 0.25}).to_toml(
        tmp_path / "paid.costs.toml"
    )
    table, model = str(tmp_path / "paid.csv"), str(tmp_path / "paid.model.json")
    run = CliRunner().invoke
    fit = ["fit", table, "--target", "state", "--learner", "dtmc", "--out", model]
    assert run(app, [*fit, "--amount", "amount", "--json"]).exit_code == 0
    assert "amount" not in [one["name"] for one in json.loads(Path(model).read_text())["columns"]]
    told = ["predict", model, table, "--target", "state", "--out", str(tmp_path / "a.csv")]
    learner = load_model(model)
    said = run(app, [*told, "--amount", "amount", "--json"])
    cases = pl.read_csv(table)
    total = learner.total_cost(cases.select("a", "b"), Y, error_costs=AMOUNTS)
    assert json.loads(said.stdout)["total"] == pytest.approx(total)
    for words, sentence in (
        (told, "--amount"),
        ([*fit, "--amount", "sum"], "--amount names 'sum'"),
        ([*fit, "--ask-amount"], "needs --amount"),
        ([*fit, "--amount", "amount", "--budgets", "1,2"], "leave one out"),
    ):
        failed = run(app, words)
        assert failed.exit_code != 0
        assert sentence in str(failed.exception) + failed.output
