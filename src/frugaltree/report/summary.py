"""What a page tells about a model, as raw values: built once, formatted later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from frugaltree.anytime.progress import Progress
from frugaltree.costs import Costs
from frugaltree.engines.cross_validation import Trial
from frugaltree.engines.forecast import Forecast
from frugaltree.estimators.monotone import followed_tests, ordered_classes
from frugaltree.messages import Phrase, say
from frugaltree.plots import Sensitivity, sensitivity_numbers
from frugaltree.protocols import Estimator, SearchedEstimator, TunedEstimator
from frugaltree.report.baselines import compare_with_baselines
from frugaltree.report.forecast import forecast_of
from frugaltree.report.measure import Measured, measure
from frugaltree.report.price_ranges import AskedTest, price_ranges
from frugaltree.report.search import SearchOutcome, outcome_of
from frugaltree.report.waiting import ways_to_order
from frugaltree.strategies import Strategy
from frugaltree.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Summary:
    """Everything that a page tells about a model.

    Attributes
    ----------
    title
        The heading; None for a question that names the classes.
    tree, costs
        The tree, and the prices of its tests and errors.
    rules
        How answers follow tests, a sentence each.
    classes
        The labels of the classes.
    expected_tests, expected_errors, expected_cost
        What a case is expected to cost: for tests, for errors, and in all.
    forecast
        What new cases will cost by cases held out in training, None where none were.
    search
        What the search has proven, None where it knows no bound.
    history
        How the search went, round by round; empty where there were no rounds.
    trials
        The settings that were tried on cases held out; empty if none were.
    strategies
        What other strategies cost beside the tree; empty where it was not compared.
    orders
        What the ways to order tests cost; empty where the costs say nothing of waiting.
    prices
        What each test takes, and at which prices the tree is the better choice.
    sensitivity
        What a case is expected to cost if errors cost more or less.
    measured
        What the model costs on cases it has not seen, None if there are none.
    """

    title: str | None
    tree: Tree
    costs: Costs
    rules: list[Phrase]
    classes: list[Any]
    expected_tests: float
    expected_errors: float
    expected_cost: float
    forecast: Forecast | None
    search: SearchOutcome | None
    history: list[Progress]
    trials: list[Trial]
    strategies: list[Strategy]
    orders: list[dict[str, Any]]
    prices: list[AskedTest]
    sensitivity: Sensitivity
    measured: Measured | None


def summarize(
    estimator: Estimator,
    X: Any = None,
    y: Any = None,
    *,
    title: str | None = None,
    folds: int | None = None,
    strategies: Sequence[Strategy] = (),
    on_fold: Callable[[], None] | None = None,
    error_costs: Any = None,
) -> Summary:
    """Return everything that a page tells about a model.

    Parameters
    ----------
    estimator
        A fitted learner.
    X, y
        Cases that the model has not seen, to count its errors; None leaves that out.
    title
        The heading of the page.
    folds
        Where X and y are the training cases: in how many folds to learn anew, to count errors.
    strategies
        What other strategies cost on the training cases. Where none are given but the training
        cases are, the tree is compared with the baselines.
    on_fold
        Called after each fold.
    error_costs
        Costs of each of the cases X, as ``fit`` takes them; an array.
    """
    check_is_fitted(estimator)
    how: dict[str, Any] = {"folds": folds, "on_fold": on_fold, "error_costs": error_costs}
    if X is not None and folds is not None and not strategies:
        strategies = compare_with_baselines(estimator, X, y, error_costs)
    return Summary(
        title=title,
        tree=estimator.tree_,
        costs=estimator.costs or Costs(),
        rules=rules_of(estimator),
        classes=estimator.classes_.tolist(),
        expected_tests=estimator.expected_test_cost_,
        expected_errors=estimator.expected_error_cost_,
        expected_cost=estimator.expected_cost_,
        forecast=forecast_of(estimator),
        search=outcome_of(estimator),
        history=estimator.history_ if isinstance(estimator, SearchedEstimator) else [],
        trials=(estimator.tuning_ or []) if isinstance(estimator, TunedEstimator) else [],
        strategies=list(strategies),
        orders=ways_to_order(estimator),
        prices=price_ranges(estimator, strategies),
        sensitivity=sensitivity_numbers(estimator, strategies),
        measured=None if X is None else measure(estimator, X, y, **how),
    )


def rules_of(estimator: Estimator) -> list[Phrase]:
    """Return how answers follow tests, a sentence each."""
    monotone = getattr(estimator, "monotone", None)
    if monotone is None:
        return []
    names = [column.name for column in estimator.tree_.columns]
    classes, costs = estimator.classes_.tolist(), estimator.costs or Costs()
    order = ", ".join(map(str, ordered_classes(classes, costs)))
    return [
        say("about.rising" if direction > 0 else "about.falling", order=order, test=name)
        for name, direction in followed_tests(monotone, names).items()
    ]
