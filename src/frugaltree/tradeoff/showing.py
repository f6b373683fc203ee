"""A frontier as a table, for people and for programs."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from frugaltree.tradeoff.held_out import Interval
from frugaltree.tree.text import money, percent

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType
    from rich.table import Table

    from frugaltree.tradeoff.points import Frontier, Point

TEXT_WIDTH = 100


def frontier_frame(found: Frontier) -> pl.DataFrame:
    """Return a row for each point."""
    import polars as pl

    return pl.DataFrame([as_row(point) for point in found.points])


def as_row(point: Point) -> dict[str, Any]:
    """Return what is known of a point as plain values, without its tree."""
    row: dict[str, Any] = {
        "price_from": point.price_from,
        "price_to": point.price_to,
        "price": point.price,
        "leaves": int(point.estimator.tree_.n_leaves),
        "depth": int(point.estimator.tree_.depth),
        "test_cost": point.test_cost,
        "errors": point.errors,
        "cost": point.cost,
        "saves": point.saves,
    }
    told = point.held_out
    if told is None:
        return row
    row["held_out_cases"] = told.cases
    for name in ("test_cost", "errors", "cost", "error_rate", "sensitivity", "specificity"):
        one: Interval | None = getattr(told, name)
        row[f"held_out_{name}"] = None if one is None else one.value
        row[f"held_out_{name}_low"] = None if one is None else one.low
        row[f"held_out_{name}_high"] = None if one is None else one.high
    return row


def as_data(found: Frontier) -> dict[str, Any]:
    """Return everything but the trees as plain values."""
    return {
        "learner": found.learner,
        "unit": found.unit,
        "own_price": found.own_price,
        "case": None if found.case is None else str(found.case),
        "gap": found.gap,
        "complete": found.complete,
        "folds": found.folds,
        "points": [as_row(point) for point in found.points],
    }


def text(found: Frontier) -> str:
    """Return the points as plain text, with what the columns mean."""
    from rich.console import Console

    buffer = io.StringIO()
    Console(file=buffer, width=TEXT_WIDTH, color_system=None).print(render(found))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


def render(found: Frontier) -> RenderableType:
    """Return the points as tables for a terminal: what is estimated, and cases held out."""
    from rich.console import Group
    from rich.text import Text

    grids = [_grid(found, ESTIMATES, estimates_of)]
    if found.points[0].held_out is not None:
        grids.append(_grid(found, held_out_columns(found), held_out_of))
    return Group(*grids, *(Text(note, style="dim") for note in notes(found)))


def _grid(
    found: Frontier, columns: Sequence[str], cells: Callable[[Frontier, Point], list[str]]
) -> Table:
    """Return a table with a numbered row for each point, that of the price list in bold."""
    from rich import box
    from rich.table import Table

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for column in ("", *columns):
        grid.add_column(column, justify="right", no_wrap=True)
    for number, point in enumerate(found.points, 1):
        own = point.price_from <= found.own_price < point.price_to
        row = str(number), *cells(found, point)
        grid.add_row(*row, style="bold" if own else None)
    return grid


ESTIMATES = "an error costs", "leaves", "tests", "errors", "1 more saves"


def estimates_of(found: Frontier, point: Point) -> list[str]:
    """Return what is estimated of a point."""
    return [
        f"{money(point.price_from)} to {money(point.price_to)}",
        f"{point.estimator.tree_.n_leaves:,}",
        money(point.test_cost),
        share(point.errors),
        "" if point.saves is None else f"{point.saves:.3g}",
    ]


def held_out_columns(found: Frontier) -> list[str]:
    """Return the headings of what cases held out tell."""
    about = [] if found.case is None else ["sensitivity", "specificity"]
    return ["held out: tests", "wrong", *about]


def held_out_of(found: Frontier, point: Point) -> list[str]:
    """Return what cases held out tell of a point."""
    told = point.held_out
    assert told is not None
    about = [] if found.case is None else [shares(told.sensitivity), shares(told.specificity)]
    return [amounts(told.test_cost), shares(told.error_rate), *about]


def share(value: float) -> str:
    """Return a number of errors for each case.

    >>> share(0.0812), share(1.25)
    ('8.1 %', '125.0 %')
    """
    return f"{100.0 * value:.1f} %"


def shares(one: Interval | None) -> str:
    """Return a share with its interval.

    >>> shares(Interval(0.5, 0.25, 0.75)), shares(None)
    ('50 % (25 to 75)', '')
    """
    if one is None:
        return ""
    low, high = (f"{100.0 * end:.0f}" for end in (one.low, one.high))
    return f"{percent(one.value)} ({low} to {high})"


def amounts(one: Interval) -> str:
    """Return an amount with its interval.

    >>> amounts(Interval(12.0, 10.0, 15.0))
    '12.00 (10.00 to 15.00)'
    """
    return f"{money(one.value)} ({money(one.low)} to {money(one.high)})"


def notes(found: Frontier) -> list[str]:
    """Return how to read the table."""
    unit = f", in {found.unit}" if found.unit else ""
    own = money(found.own_price, found.unit)
    lines = [
        f"Per case{unit}. Each tree is the best one, by the learner's estimate, where an error "
        "costs what stands on its left (the dearest one, others in proportion; by the price list "
        f"{own}).",
        "errors: those estimated, in dearest errors, with what keeps trees simple. 1 more saves: "
        "errors saved by one more unit of money, spent on these tests, not on those of the line "
        "above.",
    ]
    told = found.points[0].held_out
    if told is not None:
        about = "" if found.case is None else f" Sensitivity: how often {found.case} is found."
        lines.append(
            f"held out: {told.cases:,} cases in {found.folds} folds, with 95 % intervals.{about}"
        )
    if found.gap:
        lines.append(
            f"The searches did not end in time: a tree may cost up to {percent(found.gap)} less "
            "somewhere, by what is proven."
        )
    if not found.complete:
        lines.append("Not every price was looked at; there may be more trees between these.")
    return lines
