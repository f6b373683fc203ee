"""A summary formatted for the page: money, percent and sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from frugaltree._version import __version__
from frugaltree.anytime.progress import Progress
from frugaltree.consult.evidence import wilson
from frugaltree.costs import Costs
from frugaltree.kernels.sentinels import NONE
from frugaltree.messages import Phrase, say
from frugaltree.plots import Sensitivity
from frugaltree.protocols import Estimator
from frugaltree.report.forecast import Figure, show_forecast
from frugaltree.report.frontier import show_frontier
from frugaltree.report.measure import ClassRates, Count, Measured, Saving
from frugaltree.report.model import finite_values, model_of, record_of
from frugaltree.report.names import strategy_in_words
from frugaltree.report.price_ranges import AskedTest
from frugaltree.report.search import say_outcome
from frugaltree.report.summary import Summary, summarize
from frugaltree.report.tuning import show_trials
from frugaltree.report.waiting import show_way
from frugaltree.strategies import THIS, Strategy
from frugaltree.tradeoff import Frontier
from frugaltree.tree.text import cases, money, percent, say_bare_leaf
from frugaltree.tree.tree import Tree

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
    error_costs: Any = None,
    provenance: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return everything that a page says about a model.

    ``provenance`` is what its file says of where it comes from; other parameters are as in
    :func:`summarize`.
    """
    summary = summarize(
        estimator,
        X,
        y,
        title=title,
        folds=folds,
        strategies=strategies,
        on_fold=on_fold,
        error_costs=error_costs,
    )
    shown = None if frontier is None else show_frontier(frontier)
    return {
        **show_summary(summary),
        "model": finite_values(model_of(estimator)),
        "record": record_of(estimator),
        "made": made_from(summary.costs, provenance or {}),
        "frontier": shown,
    }


def show_summary(summary: Summary) -> dict[str, Any]:
    """Return a summary as the page's template and programs take it."""
    costs, unit, search = summary.costs, summary.costs.unit, summary.search
    content = {
        "title": summary.title or heading(summary.classes),
        "classes": all_classes(summary.classes),
        "unit": unit,
        "headline": headline(summary),
        "about": about(summary),
        "prices": [show_price(one, unit) for one in summary.prices],
        "discounted": bool(costs.groups or costs.together),
        "sensitivity": summary.sensitivity._asdict(),
        "worth": say_worth(summary.sensitivity),
        "names": {name: strategy_in_words(name) for name in summary.sensitivity.others},
        "history": show_history(summary.history),
        "search": None if search is None else say_outcome(search),
        "tuning": show_trials(summary.trials),
        "strategies": [show_strategy(one, unit) for one in summary.strategies],
        "orders": [show_way(one, costs) for one in summary.orders],
        "measured": None if summary.measured is None else show_measured(summary.measured, unit),
    }
    finite: dict[str, Any] = finite_values(content)
    return finite


# ------------------------------------------------------------------------------ headings


def heading(classes: Sequence[Any]) -> Phrase:
    """Return what the model decides, as a question.

    >>> heading(["well", "ill"]), heading(range(24))
    ('well or ill?', 'Which of 24 classes?')
    """
    question = say("page.question", classes=_either(classes))
    short = len(classes) <= MOST_NAMED and len(question) <= LONGEST_HEADING
    return question if short else say("page.which", n=len(classes))


def _either(classes: Sequence[Any]) -> Phrase:
    return say("joined", texts=[str(one) for one in classes], by=say("page.or"))


def all_classes(classes: Sequence[Any]) -> Phrase | None:
    """Return the names of the classes, None where the heading has them."""
    if heading(classes).key == "page.question":
        return None
    return say("page.classes", classes=" · ".join(str(one) for one in classes))


def headline(summary: Summary) -> dict[str, Phrase | None]:
    """Return the one figure at the top of the page, and what stands behind it.

    It is what a case costs less than deciding without tests, where that is known, and else what
    it costs.
    """
    tree, figures = summary.tree, forecast_figures(summary)
    first, more = figures[-1], None
    if len(figures) > 1:
        cost = figures[0]
        more = say("forecast.lead", figure=cost.figure, what=cost.what)
    facts = say(
        "page.facts",
        leaves=_count("page.leaves", tree.n_leaves),
        tests=_count("page.tests", tree.depth),
        cases=cases(float(tree.weights[0])),
    )
    return {"figure": first.figure, "what": first.what, "more": more, "facts": facts}


def _count(key: str, n: int) -> Phrase:
    return say(f"{key}.one" if n == 1 else f"{key}.many", n=say("number", value=n))


def forecast_figures(summary: Summary) -> list[Figure]:
    """Return what new cases will cost, by the best evidence there is."""
    unit, measured = summary.costs.unit, summary.measured
    if measured is not None:
        n, folds = say("number", value=measured.cases), measured.folds
        by = say("forecast.folds", folds=folds) if folds else say("forecast.others", n=n)
        return show_forecast(measured.forecast, unit, by)
    if summary.forecast is not None:
        return show_forecast(summary.forecast, unit, say("forecast.held-out"))
    return [Figure(money(summary.expected_cost, unit), say("forecast.estimate"))]


def about(summary: Summary) -> list[str]:
    """Return what the figures mean and do not mean, a sentence each."""
    bare, unit = say_bare_leaf(summary.tree), summary.costs.unit
    lines = [*([bare] if bare else []), *summary.rules]
    conditional = conditional_tests(summary.tree, summary.costs)
    if conditional:
        lines.append(say("about.depends", tests=say("both", texts=conditional)))
    if summary.measured is not None or summary.forecast is not None:
        lines.append(say("about.forecast"))
    paid, wrong = money(summary.expected_tests, unit), money(summary.expected_errors, unit)
    return [*lines, say("about.estimate", tests=paid, errors=wrong), say("about.prices-slider")]


def conditional_tests(tree: Tree, costs: Costs) -> list[str]:
    """Return the names of the tests of a tree whose price depends on another."""
    on = tree.prices(costs).conditions.on
    return [tree.columns[test].name for test, by in enumerate(on.tolist()) if by != NONE]


def made_from(costs: Costs, provenance: Mapping[str, Any]) -> list[Phrase]:
    """Return where a page and its figures come from, for its foot."""
    lines = [say("page.made", version=__version__)]
    if provenance.get("created"):
        lines.append(say("page.learned", date=str(provenance["created"])))
    if provenance.get("data_file"):
        lines.append(say("page.data-file", file=str(provenance["data_file"])))
    if costs.source:
        lines.append(say("about.source", source=costs.source))
    if costs.date:
        lines.append(say("about.date", date=costs.date))
    return lines


def say_worth(numbers: Sensitivity) -> list[Phrase]:
    """Return over which costs of errors the tree is worth its tests."""
    lines = []
    if numbers.worth is not None:
        between = _times(numbers, numbers.worth)
        lines.append(say("sensitivity.worth", answer=numbers.answer, times=between))
        if numbers.others and numbers.best is not None:
            lines.append(say("sensitivity.best", times=_times(numbers, numbers.best)))
    return lines


def _times(numbers: Sensitivity, between: tuple[float, float]) -> Phrase:
    if between[0] <= numbers.factors[0] and between[1] >= numbers.factors[-1]:
        return say("sensitivity.whole")
    low, high = (say("rough", value=end) for end in between)
    return say("sensitivity.times", low=low, high=high)


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


def prices_in_words(between: tuple[float, float] | None, unit: str | None) -> Phrase:
    """Return a range of prices as people say it.

    >>> prices_in_words((0.0, 12.5), "CAD"), prices_in_words((3.0, math.inf), None)
    ('up to CAD 12.50', 'from 3.00 on')
    """
    if between is None:
        return say("spending.none")
    low, high = between
    if low <= 0.0:
        return (
            say("spending.any")
            if math.isinf(high)
            else say("spending.up-to", price=money(high, unit))
        )
    if math.isinf(high):
        return say("spending.from", price=money(low, unit))
    return say("span", least=money(low), most=money(high))


def show_strategy(one: Strategy, unit: str | None) -> dict[str, Any]:
    """Return what a strategy costs."""
    return {
        "name": strategy_in_words(one.name),
        "tests": money(one.tests, unit),
        "errors": money(one.errors, unit),
        "total": money(one.total, unit),
        "expected": "" if one.expected is None else money(one.expected, unit),
        "this": one.name == THIS,
    }


def show_measured(measured: Measured, unit: str | None) -> dict[str, Any]:
    """Return what the model costs on cases it has not seen, and how often it is right."""
    n, folds, right = say("number", value=measured.cases), measured.folds, None
    total, bill = money(measured.forecast.cost, unit), money(measured.bill, unit)
    lines = [say("measured.costs", total=total, bill=bill)]
    decisions = [
        say("measured.decision", name=name, count=show_count(count))
        for name, count in measured.decisions
    ]
    if decisions:
        lines.append(say("measured.decided", decisions=say("joined", texts=decisions, by="; ")))
    if measured.classes:
        right = show_count(measured.accuracy)
        key = "measured.right-where" if decisions else "measured.right"
        lines.append(say(key, count=right))
    return {
        "cases": n,
        "folds": folds,
        "total": total,
        "bill": bill,
        "accuracy": right,
        "title": say("measured.title-folds" if folds else "measured.title", n=n),
        "how": say("measured.how", folds=folds) if folds else None,
        "lines": lines,
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


def show_count(count: Count) -> Phrase:
    """Return a share with its 95 % interval.

    >>> show_count(Count(9, 10)), show_count(Count(0, 0))
    ('90 % (60 % to 98 %), 9 of 10', 'no such cases')
    """
    right, of = count.right, count.of
    if of == 0:
        return say("no-cases")
    low, high = (percent(end) for end in wilson(float(right) / float(of), float(of)))
    share = percent(float(right) / float(of))
    return say("count", share=share, low=low, high=high, right=int(right), of=int(of))


def show_saving(one: Saving, unit: str | None) -> dict[str, Any]:
    """Return what another strategy costs, and what the tree saves against it."""
    return {
        "name": strategy_in_words(one.name),
        "tests": money(one.tests, unit),
        "errors": money(one.errors, unit),
        "total": money(one.total, unit),
        "saved": say(
            "plus-minus", amount=say("signed", amount=float(one.saved)), error=money(one.error)
        ),
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
