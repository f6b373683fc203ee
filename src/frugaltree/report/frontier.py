"""A frontier as the page takes it: in words for its table, with its trees for the slider."""

from __future__ import annotations

from typing import Any

from frugaltree.messages import Phrase, say
from frugaltree.report.model import finite_values, model_of
from frugaltree.tradeoff import Frontier, Interval, Point
from frugaltree.tree.text import money, percent


def show_frontier(found: Frontier) -> dict[str, Any]:
    """Return a frontier as the page's template and program take it."""
    own = next(
        (
            i
            for i, one in enumerate(found.points)
            if one.price_from <= found.own_price < one.price_to
        ),
        None,
    )
    content = {
        "points": [show_point(found, point) for point in found.points],
        "own": own,
        "start": len(found.points) - 1 if own is None else own,
        "about": about(found),
        "case": None if found.case is None else str(found.case),
        "told": found.points[0].held_out is not None,
        "columns": columns_of(found),
        "notes": notes_on(found),
    }
    shown: dict[str, Any] = finite_values(content)
    return shown


def about(found: Frontier) -> Phrase:
    """Return how many trees there are, and what the price list says."""
    n, price = len(found.points), money(found.own_price, found.unit)
    return say("frontier.about", n=n, price=price) if n > 1 else say("frontier.one", price=price)


def columns_of(found: Frontier) -> list[list[str]]:
    """Return key, heading and kind of the columns of the table of all points."""
    columns = [
        ["prices", say("frontier.price"), "money"],
        ["leaves", say("frontier.leaves"), "number"],
        ["tests", say("frontier.column-tests"), "money"],
        ["errors", say("frontier.column-errors"), "number"],
        ["saves", say("frontier.column-saves"), "number"],
    ]
    if found.points[0].held_out is None:
        return columns
    columns += [
        ["told_tests", say("frontier.told-tests"), "money"],
        ["told_wrong", say("frontier.told-wrong"), ""],
    ]
    if found.case is not None:
        columns += [
            ["found", say("measured.sensitivity"), ""],
            ["ruled_out", say("measured.specificity"), ""],
        ]
    return columns


def notes_on(found: Frontier) -> list[Phrase]:
    """Return what the figures mean, a sentence each."""
    lines = [say("frontier.how")]
    told = found.points[0].held_out
    if told is not None:
        n = say("number", value=told.cases)
        lines.append(say("frontier.held-out", n=n, folds=found.folds))
    if found.gap:
        lines.append(say("frontier.gap", share=percent(found.gap)))
    if not found.complete:
        lines.append(say("frontier.incomplete"))
    return lines


def show_point(found: Frontier, point: Point) -> dict[str, Any]:
    """Return a point in words, and its tree."""
    unit, estimator, told = found.unit, point.estimator, point.held_out
    shown: dict[str, Any] = {
        "prices": say("span", least=money(point.price_from), most=money(point.price_to, unit)),
        "from": money(point.price_from, unit),
        "to": money(point.price_to, unit),
        "leaves": say("number", value=estimator.tree_.n_leaves),
        "tests": money(point.test_cost, unit),
        "errors": errors_of(point.errors),
        "saves": "" if point.saves is None else say("frontier.errors", n=errors_of(point.saves)),
        "x": point.test_cost if told is None else told.test_cost,
        "y": point.errors if told is None else told.error_rate.value,
        "low": None if told is None else told.error_rate.low,
        "high": None if told is None else told.error_rate.high,
        "model": model_of(estimator),
    }
    if told is not None:
        shown |= {
            "x": told.test_cost.value,
            "told_tests": amount_of(told.test_cost, unit),
            "told_wrong": rate_of(told.error_rate),
            "found": rate_of(told.sensitivity),
            "ruled_out": rate_of(told.specificity),
        }
    return shown


def errors_of(errors: float) -> Phrase:
    """Return a number of errors, mostly of less than one.

    >>> errors_of(0.25), errors_of(0.000643)
    ('0.25', '0.00064')
    """
    return say("rough", value=errors)


def amount_of(one: Interval, unit: str | None) -> Phrase:
    """Return an amount with its interval.

    >>> amount_of(Interval(12.0, 10.0, 15.0), "EUR")
    'EUR 12.00 (10.00 to 15.00)'
    """
    low, high = money(one.low), money(one.high)
    return say("with-interval", value=money(one.value, unit), low=low, high=high)


def rate_of(one: Interval | None) -> Phrase:
    """Return a share with its interval.

    >>> rate_of(Interval(0.5, 0.25, 0.75)), rate_of(None)
    ('50 % (25 % to 75 %)', 'no such cases')
    """
    if one is None:
        return say("no-cases")
    low, high = percent(one.low), percent(one.high)
    return say("with-interval", value=percent(one.value), low=low, high=high)
