"""A comparison for people: as text, Markdown and a picture."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from frugaltree.compare.comparison import Comparison, Pair
from frugaltree.compare.grid import Grid
from frugaltree.compare.style import new_figure, use_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TEXT_WIDTH = 100

MANY = 9
"""Columns that stand closer together when there are more."""

TEST_COLOUR, ERROR_COLOUR = "#56b4e9", "#d55e00"

COLOURS = {"cheapest": "bold green", "perhaps dearer": "yellow", "dearer": "red"}
"""Of a row, by a word in it."""


def render(found: Comparison) -> RenderableType:
    """Return all grids as `rich` prints them."""
    parts: list[RenderableType] = []
    for grid in grids(found):
        parts += [Text(grid.caption, style="bold"), _table(grid), Text()]
    return Group(*parts, *(Text(note, style="dim") for note in notes(found)))


def _table(grid: Grid) -> Table:
    """Return a grid whose headings fold before a number is cut off."""
    gap = 1 if len(grid.columns) > MANY else 2
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="italic")
    for place, column in enumerate(grid.columns):
        widest = max(len(row[place]) for row in grid.rows)
        table.add_column(
            column,
            justify="left" if place == 0 or column == "verdict" else "right",
            min_width=widest,
            no_wrap=widest >= len(column),
            overflow="fold",
        )
    for i, row in enumerate(grid.rows):
        strong = "bold green" if (i, 0) in grid.strong else ""
        cells = [Text(cell, no_wrap=True, overflow="ellipsis") for cell in row]
        table.add_row(*cells, style=COLOURS.get(row[-1], strong))
    return table


def text(found: Comparison) -> str:
    """Return standings and duels as plain text."""
    buffer = io.StringIO()
    Console(file=buffer, width=TEXT_WIDTH, color_system=None).print(render(found))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


def markdown(found: Comparison) -> str:
    """Return all grids as Markdown."""
    explained = "\n".join(f"- {note}" for note in notes(found))
    return "\n\n".join([*(grid.markdown() for grid in grids(found)), explained])


def grids(found: Comparison) -> list[Grid]:
    """Return what is shown: one learner alone is compared with none."""
    several = [gaps_grid(found), pairs_grid(found)]
    return [costs_grid(found), *(several if len(found.standings) > 1 else [])]


def costs_grid(found: Comparison) -> Grid:
    """Return what each learner costs, the cheapest first."""
    money = _money(found)
    columns = (
        "learner", "total", "±", "tests", "errors", "% of standard", "% right", "seconds",
    )  # fmt: skip
    rows = tuple(
        (
            one.title,
            money(one.total),
            money(one.error),
            money(one.test_cost),
            money(one.error_cost),
            f"{one.percent:.1f}",
            f"{one.accuracy:.1f}",
            f"{one.seconds:.3f}",
        )
        for one in found.standings
    )
    unit = f" in {found.unit}" if found.unit else ""
    caption = f"Cost per case{unit}: mean of {found.folds} folds of {found.cases} cases"
    return Grid(columns, rows, caption, strong=frozenset({(0, 0), (0, 1)}))


def gaps_grid(found: Comparison) -> Grid:
    """Return how much more each learner costs than the cheapest, and how sure that is."""
    money = _money(found)
    rows = tuple(
        (
            one.title,
            f"+{money(one.gap)}",
            money(one.gap_error),
            format_p(one.p),
            format_p(one.p_corrected),
            one.verdict,
        )
        for one in found.standings[1:]
    )
    caption = f"More than the cheapest, {found.standings[0].title}, fold by fold"
    return Grid(("learner", "more", "±", "p", "p corrected", "verdict"), rows, caption)


def pairs_grid(found: Comparison) -> Grid:
    """Return the folds that each learner (row) wins and loses against each other (column)."""
    names = {standing.learner: standing.title for standing in found.standings}
    rows = tuple(
        (names[first], *(_score(found.pairs.get((first, second))) for second in names))
        for first in names
    )
    return Grid(("", *names.values()), rows, "Folds won:lost by the learner of the row")


def notes(found: Comparison) -> list[str]:
    """Return how to read the numbers."""
    money = _money(found)
    return [
        f"100 % is the standard cost, {money(found.standard_cost)}; all tests cost "
        f"{money(found.all_tests)}, the cheapest guess without a test {money(found.guess)}.",
        "±: one standard error over folds. p: paired t-test; corrected for the training cases "
        "that folds share (Nadeau and Bengio), it decides. *: significantly cheaper by it.",
    ]


def _score(pair: Pair | None) -> str:
    """Return the folds of a duel; none with oneself."""
    return f"{pair.won}:{pair.lost}{'*' if pair.winner == -1 else ' '}" if pair else ""


def format_p(p: float) -> str:
    """Return a p value to three digits.

    >>> format_p(0.0421), format_p(0.00004)
    ('0.042', '<0.001')
    """
    return f"{p:.3f}" if p >= 0.0005 else "<0.001"


def _money(found: Comparison) -> Callable[[float], str]:
    """Return what writes costs, four digits of the standard cost."""
    size = math.floor(math.log10(found.standard_cost)) if found.standard_cost > 0 else 0
    digits = min(max(3 - size, 1), 6)
    return lambda cost: f"{cost:,.{digits}f}"


def draw(found: Comparison) -> Figure:
    """Return a picture: bars of test cost and error cost, and the standard cost as a line."""
    with use_style():
        figure = new_figure(height=0.45 * len(found.standings) + 1.3)
        ax = figure.subplots()
        bars = _draw_bars(ax, found)
        guess = ax.axvline(found.guess, color="#555555", linestyle=":")
        standard = ax.axvline(found.standard_cost, color="#555555", linestyle="--")
        unit = f" in {found.unit}" if found.unit else ""
        ax.set_xlabel(f"cost per case{unit}, ± one standard error (and % of the standard cost)")
        ax.grid(visible=False, axis="y")
        figure.legend(
            [*bars, guess, standard],
            ["tests", "errors", "guessing without a test", "standard cost"],
            loc="outside upper left",
            ncols=4,
            frameon=False,
        )
    return figure


def _draw_bars(ax: Axes, found: Comparison) -> tuple[Any, Any]:
    """Draw a bar for each learner, the cheapest on top, with its total behind it."""
    standings, money = found.standings, _money(found)
    names = [one.title for one in standings]
    tests = [one.test_cost for one in standings]
    paid = ax.barh(names, tests, color=TEST_COLOUR, height=0.66)
    lost = ax.barh(
        names,
        [one.error_cost for one in standings],
        left=tests,
        xerr=[one.error for one in standings],
        color=ERROR_COLOUR,
        ecolor="#333333",
        capsize=3,
        height=0.66,
    )
    for name, one in zip(names, standings, strict=True):
        ax.annotate(
            f"{money(one.total)} ({one.percent:.1f} %)",
            (one.total + one.error, name),
            (6, 0),
            textcoords="offset points",
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1},
        )
    dearest = max(one.total + one.error for one in standings)
    ax.set_xlim(0, max(1.3 * dearest, 1.05 * found.standard_cost) or 1.0)
    ax.invert_yaxis()
    return paid, lost
