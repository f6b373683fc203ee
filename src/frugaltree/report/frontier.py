"""A frontier as the page takes it: in words for its table, with its trees for the slider."""

from __future__ import annotations

from typing import Any

from frugaltree.consult.ranges import ranges_of
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
        "own_price": money(found.own_price, found.unit),
        "case": None if found.case is None else str(found.case),
        "told": found.points[0].held_out is not None,
        "columns": columns_of(found),
        "notes": notes_on(found),
    }
    shown: dict[str, Any] = finite_values(content)
    return shown


def columns_of(found: Frontier) -> list[list[str]]:
    """Return key, heading and kind of the columns of the table of all points."""
    columns = [
        ["prices", "an error costs", "money"],
        ["leaves", "leaves", "number"],
        ["tests", "tests, estimated", "money"],
        ["errors", "errors, estimated", "number"],
        ["saves", "one more unit of money saves", "number"],
    ]
    if found.points[0].held_out is None:
        return columns
    columns += [["told_tests", "tests, held out", "money"], ["told_wrong", "wrong, held out", ""]]
    if found.case is not None:
        columns += [["found", "sensitivity", ""], ["ruled_out", "specificity", ""]]
    return columns


def notes_on(found: Frontier) -> list[str]:
    """Return what the figures mean, a sentence each."""
    lines = [
        "Prices are those of the dearest error; all others cost in proportion to it. Each tree is "
        "the best one at its prices, by the learner's estimate; errors estimated are counted in "
        "the dearest, with what splits are charged lest the tree follow chance."
    ]
    told = found.points[0].held_out
    if told is not None:
        lines.append(
            f"Held out: {told.cases:,} cases in {found.folds} folds, answered by trees learned "
            "from the others at the same prices; in brackets 95 % intervals (of shares Wilson's). "
            "Of many trees, the one that looks best there looks better than it is."
        )
    if found.gap:
        lines.append(
            "The searches did not end in time: by what is proven, a tree may cost up to "
            f"{percent(found.gap)} less somewhere."
        )
    if not found.complete:
        lines.append("Not every price was looked at; there may be more trees between these.")
    return lines


def show_point(found: Frontier, point: Point) -> dict[str, Any]:
    """Return a point in words, and its tree."""
    unit, estimator, told = found.unit, point.estimator, point.held_out
    shown: dict[str, Any] = {
        "prices": f"{money(point.price_from)} to {money(point.price_to, unit)}",
        "from": money(point.price_from, unit),
        "to": money(point.price_to, unit),
        "leaves": f"{estimator.tree_.n_leaves:,}",
        "tests": money(point.test_cost, unit),
        "errors": errors_of(point.errors),
        "saves": "" if point.saves is None else f"{errors_of(point.saves)} errors",
        "x": point.test_cost if told is None else told.test_cost,
        "y": point.errors if told is None else told.error_rate.value,
        "low": None if told is None else told.error_rate.low,
        "high": None if told is None else told.error_rate.high,
        "model": model_of(estimator.tree_, estimator.costs, ranges_of(estimator)),
    }
    if told is not None:
        shown |= {
            "x": told.test_cost.value,
            "told_tests": amount_of(told.test_cost, unit),
            "told_wrong": rate_of(told.error_rate),
            "told_cost": f"{amount_of(told.cost, unit)} where an error costs "
            f"{money(point.price, unit)}",
            "found": rate_of(told.sensitivity),
            "ruled_out": rate_of(told.specificity),
        }
    return shown


def errors_of(errors: float) -> str:
    """Return a number of errors, mostly of less than one.

    >>> errors_of(0.25), errors_of(0.000643)
    ('0.25', '0.00064')
    """
    return f"{errors:.2g}"


def amount_of(one: Interval, unit: str | None) -> str:
    """Return an amount with its interval.

    >>> amount_of(Interval(12.0, 10.0, 15.0), "EUR")
    'EUR 12.00 (10.00 to 15.00)'
    """
    return f"{money(one.value, unit)} ({money(one.low)} to {money(one.high)})"


def rate_of(one: Interval | None) -> str:
    """Return a share with its interval.

    >>> rate_of(Interval(0.5, 0.25, 0.75)), rate_of(None)
    ('50 % (25 % to 75 %)', 'no such cases')
    """
    if one is None:
        return "no such cases"
    return f"{percent(one.value)} ({percent(one.low)} to {percent(one.high)})"
