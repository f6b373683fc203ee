"""A summary formatted for the page: money, percent and sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from frugaltree._version import __version__
from frugaltree.anytime.progress import Progress
from frugaltree.consult.evidence import wilson
from frugaltree.protocols import Estimator
from frugaltree.report.forecast import Figure, show_forecast
from frugaltree.report.frontier import show_frontier
from frugaltree.report.measure import ClassRates, Count, Measured, Saving
from frugaltree.report.model import finite_values, model_of
from frugaltree.report.price_ranges import AskedTest
from frugaltree.report.search import say_outcome
from frugaltree.report.summary import Summary, summarize
from frugaltree.report.tuning import show_trials
from frugaltree.strategies import THIS, Strategy
from frugaltree.tradeoff import Frontier
from frugaltree.tree.text import cases, money, percent, say_bare_leaf

MOST_NAMED, LONGEST_HEADING = 4, 60
"""A heading names the classes if they are few and their names short."""


def content_of(
    estimator: Estimator,
    X: Any = None,
    y: Any = None,
    *,
    title: str | None = None,
    folds: int | None = None,
    strategies: Sequence[Strategy] = (),
    on_fold: Callable[[], None] | None = None,
    frontier: Frontier | None = None,
) -> dict[str, Any]:
    """Return everything that a page says about a model; parameters as in :func:`summarize`."""
    summary = summarize(
        estimator, X, y, title=title, folds=folds, strategies=strategies, on_fold=on_fold
    )
    shown = None if frontier is None else show_frontier(frontier)
    return {**show_summary(summary), "frontier": shown}


def show_summary(summary: Summary) -> dict[str, Any]:
    """Return a summary as the page's template and programs take it."""
    costs, unit, search = summary.costs, summary.costs.unit, summary.search
    content = {
        "title": summary.title or heading(summary.classes),
        "classes": all_classes(summary.classes),
        "version": __version__,
        "unit": unit,
        "model": model_of(summary.tree, costs, summary.ranges),
        "headline": headline(summary),
        "about": about(summary),
        "prices": [show_price(one, unit) for one in summary.prices],
        "discounted": bool(costs.groups),
        "sensitivity": summary.sensitivity._asdict(),
        "history": show_history(summary.history),
        "search": None if search is None else say_outcome(search),
        "tuning": show_trials(summary.trials),
        "strategies": [show_strategy(one, unit) for one in summary.strategies],
        "measured": None if summary.measured is None else show_measured(summary.measured, unit),
    }
    finite: dict[str, Any] = finite_values(content)
    return finite


# ------------------------------------------------------------------------------ headings


def heading(classes: Sequence[Any]) -> str:
    """Return what the model decides, as a question.

    >>> heading(["well", "ill"]), heading(range(24))
    ('well or ill?', 'Which of 24 classes?')
    """
    question = f"{' or '.join(map(str, classes))}?"
    short = len(classes) <= MOST_NAMED and len(question) <= LONGEST_HEADING
    return question if short else f"Which of {len(classes)} classes?"


def all_classes(classes: Sequence[Any]) -> str | None:
    """Return the names of the classes, None where the heading has them."""
    labels = [str(label) for label in classes]
    return None if heading(classes).startswith(" or ".join(labels)) else " · ".join(labels)


def headline(summary: Summary) -> list[dict[str, str]]:
    """Return the figures at the top of the page, each with what it is, the forecast first."""
    tree = summary.tree
    asked = f"{tree.depth} {'test' if tree.depth == 1 else 'tests'} at most"
    figures = [
        *forecast_figures(summary),
        Figure(f"{tree.n_leaves:,} {'leaf' if tree.n_leaves == 1 else 'leaves'}", asked),
        Figure(cases(float(tree.weights[0])), "it was learned from"),
    ]
    return [one._asdict() for one in figures]


def forecast_figures(summary: Summary) -> list[Figure]:
    """Return what new cases will cost, by the best evidence there is."""
    unit, measured = summary.costs.unit, summary.measured
    if measured is not None:
        n, folds = f"{measured.cases:,}", measured.folds
        by = f"cross-validated in {folds} folds" if folds else f"by {n} other cases"
        return show_forecast(measured.forecast, unit, by)
    if summary.forecast is not None:
        return show_forecast(summary.forecast, unit, "by cases held out in learning")
    return [
        Figure(
            money(summary.expected_cost, unit), "per new case, by a cautious estimate of errors"
        )
    ]


def about(summary: Summary) -> list[str]:
    """Return what the figures mean and do not mean, a sentence each."""
    bare, unit = say_bare_leaf(summary.tree), summary.costs.unit
    lines = [said for said in (bare, summary.rule) if said]
    if summary.measured is not None or summary.forecast is not None:
        lines.append(
            "The cost per new case is what cases cost that no tree had seen; the interval holds "
            "the true mean 95 times in a hundred. The same cases were given the cheapest single "
            "answer to tell what deciding without tests costs."
        )
    paid, wrong = money(summary.expected_tests, unit), money(summary.expected_errors, unit)
    lines.append(
        f"Other figures on this page go by an estimate on the training cases: {paid} for tests, "
        f"as these paid them, and {wrong} for errors, of which more are expected than were seen. "
        "It serves to compare trees, not to say what new cases will cost."
    )
    dated = [
        f"{word}: {text}"
        for word, text in (("Prices", summary.costs.source), ("as of", summary.costs.date))
        if text
    ]
    return [*lines, ". ".join(dated) + "."] if dated else lines


# ------------------------------------------------------------------------------ tables


def show_price(one: AskedTest, unit: str | None) -> dict[str, Any]:
    """Return what a test takes, and at which prices the tree is the better choice."""
    return {
        "test": one.test,
        "price": money(one.price, unit),
        "asked": percent(one.share),
        "paid": money(one.paid, unit),
        "between": prices_in_words(one.range, unit),
        "here": one.is_within,
    }


def prices_in_words(between: tuple[float, float] | None, unit: str | None) -> str:
    """Return a range of prices as people say it.

    >>> prices_in_words((0.0, 12.5), "CAD"), prices_in_words((3.0, math.inf), None)
    ('up to CAD 12.50', 'from 3.00 on')
    """
    if between is None:
        return "none"
    low, high = between
    if low <= 0.0:
        return "any" if math.isinf(high) else f"up to {money(high, unit)}"
    if math.isinf(high):
        return f"from {money(low, unit)} on"
    return f"{money(low)} to {money(high, unit)}"


def show_strategy(one: Strategy, unit: str | None) -> dict[str, Any]:
    """Return what a strategy costs."""
    return {
        "name": one.name,
        "tests": money(one.tests, unit),
        "errors": money(one.errors, unit),
        "total": money(one.total, unit),
        "expected": "" if one.expected is None else money(one.expected, unit),
        "this": one.name == THIS,
    }


def show_measured(measured: Measured, unit: str | None) -> dict[str, Any]:
    """Return what the model costs on cases it has not seen, and how often it is right."""
    return {
        "cases": f"{measured.cases:,}",
        "folds": measured.folds,
        "total": money(measured.forecast.cost, unit),
        "bill": money(measured.bill, unit),
        "accuracy": show_count(measured.accuracy),
        "decisions": [f"{name} {show_count(count)}" for name, count in measured.decisions],
        "classes": [show_rates(one) for one in measured.classes],
        "savings": [show_saving(one, unit) for one in measured.savings],
    }


def show_rates(one: ClassRates) -> dict[str, str]:
    """Return how often a class is found, ruled out, and rightly so."""
    return {
        "class": one.label,
        "sensitivity": show_count(one.sensitivity),
        "specificity": show_count(one.specificity),
        "predictive": show_count(one.predictive),
        "negative": show_count(one.negative),
    }


def show_count(count: Count) -> str:
    """Return a share with its 95 % interval.

    >>> show_count(Count(9, 10)), show_count(Count(0, 0))
    ('90 % (60 % to 98 %), 9 of 10', 'no such cases')
    """
    right, of = count.right, count.of
    if of == 0:
        return "no such cases"
    low, high = wilson(float(right) / float(of), float(of))
    return f"{percent(right / of)} ({percent(low)} to {percent(high)}), {right} of {of}"


def show_saving(one: Saving, unit: str | None) -> dict[str, str]:
    """Return what another strategy costs, and what the tree saves against it."""
    return {
        "name": one.name,
        "tests": money(one.tests, unit),
        "errors": money(one.errors, unit),
        "total": money(one.total, unit),
        "saved": f"{one.saved:+,.2f} ± {one.error:,.2f}",
    }


def show_history(history: Sequence[Progress]) -> dict[str, Any] | None:
    """Return how the search went, None where there was none."""
    if not history:
        return None
    bounds = [float(one.bound) for one in history if one.bound is not None]
    return {
        "seconds": [float(one.seconds) for one in history],
        "costs": [float(one.cost) for one in history],
        "bounds": bounds or None,
    }
