"""From rows of numbers to grids of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from frugaltree.compare.grid import Grid
from study.learners import get_title
from study.plan import Experiment
from study.problems import GAMMAS, RATIOS, list_nonuniform_levels
from study.tables.result_table import ResultTable

Row = Mapping[str, Any]

REFERENCE = "act"
"""The learner that others are compared with."""

ALL = "all"
"""Stands for every data set."""

NONE = "–"
"""Stands where nothing is known."""

IN_BRACKETS = "In brackets: the paper's number."

KINDS: dict[str, Any] = {
    **dict.fromkeys(("errors", "learner", "other", "data", "prices"), pl.String),
    **dict.fromkeys(("winner", "published_winner"), pl.String),
    **dict.fromkeys(("problems", "data_sets", "gamma", "ties"), pl.Int64),
    **dict.fromkeys(("wins", "wins_act", "published_wins", "published_wins_act"), pl.Int64),
    "judged": pl.Boolean,
}
"""What the columns of tables hold; those not named here hold numbers with a fraction."""


def make_frame(rows: Sequence[Sequence[Any]], *names: str) -> pl.DataFrame:
    """Return rows as a frame, null where a number is not known.

    >>> make_frame([("act", float("nan"))], "learner", "percent").to_dicts()
    [{'learner': 'act', 'percent': None}]
    """
    kinds = {name: KINDS.get(name, pl.Float64) for name in names}
    numbers = pl.DataFrame(rows, schema=kinds, orient="row")
    return numbers.with_columns(pl.selectors.float().fill_nan(None))


def make_grid(
    numbers: pl.DataFrame,
    rows: str,
    columns: str,
    text: Callable[[Row], str],
    *,
    head: str,
    caption: str = "",
    order: Sequence[str] = (),
    lowest: str | None = None,
    among: str = "",
) -> Grid:
    """Return numbers as a grid, rows and columns in the order of their first appearance.

    Parameters
    ----------
    numbers
        One row for each cell.
    rows, columns
        Columns of ``numbers`` that tell where a cell stands.
    text
        Makes the text of a cell.
    head, caption
        Heading of the first column, and of the grid.
    order
        Another order of the columns.
    lowest, among
        The number whose lowest cells are set in bold, and the column that tells among which;
        without, among those of a row.

    Examples
    --------
    >>> numbers = make_frame([("1", "act", 5.24), ("1", "dtmc", 4.6)], "errors", "learner", "cost")
    >>> def text(row):
    ...     return f"{row['cost']:.1f}"
    >>> grid = make_grid(numbers, "errors", "learner", text, head="mc", lowest="cost")
    >>> print(grid.markdown())
    | mc | ACT |    DTMC |
    |:---|----:|--------:|
    | 1  | 5.2 | **4.6** |
    """
    cells = {(row[rows], row[columns]): row for row in numbers.iter_rows(named=True)}
    names = numbers[rows].unique(maintain_order=True).to_list()
    heads = numbers[columns].unique(maintain_order=True).to_list()
    heads.sort(key=lambda head: order.index(head) if head in order else len(order))
    best = {} if lowest is None else _lowest(numbers, lowest, among or rows)
    lines, strong = [], set()
    for i, name in enumerate(names):
        line = [_name(rows, name)]
        for j, other in enumerate(heads, start=1):
            row = cells.get((name, other))
            line.append(NONE if row is None else text(row))
            if row and lowest and _printed(row[lowest]) == best[row[among or rows]]:
                strong.add((i, j))
        lines.append(tuple(line))
    columns_shown = (head, *(_name(columns, other) for other in heads))
    return Grid(columns_shown, tuple(lines), caption, frozenset(strong))


def _lowest(numbers: pl.DataFrame, column: str, among: str) -> dict[Any, str]:
    lows = numbers.group_by(among).agg(pl.col(column).min())
    return {group: _printed(low) for group, low in lows.iter_rows()}


def _printed(value: float) -> str:
    """Return a number as it is compared: equal in print is equal."""
    return f"{value:.1f}"


def _name(column: str, value: Any) -> str:
    """Return how a row or column is headed."""
    if column == "other":
        return f"{get_title(value)} : {get_title(REFERENCE)}"
    return get_title(value) if column == "learner" else str(value)


def make_empty(name: str, heading: str, experiment: Experiment) -> ResultTable:
    """Return a table for which no problem is complete."""
    note = (
        "Nothing is known yet: no problem has been gone through by the learners compared; "
        f"`python -m study run {experiment.name}` does it."
    )
    return ResultTable(name, heading, pl.DataFrame(), notes=(note,))


# ------------------------------------------------------------------------------ texts


def format_estimate(value: float, error: float | None = None, printed: float | None = None) -> str:
    """Return a number, what it may be off by, and the one in print.

    >>> format_estimate(34.12, 3.04, 34.5), format_estimate(34.12)
    ('34.1 ± 3.0 (34.5)', '34.1')
    """
    off = "" if error is None else f" ± {error:.1f}"
    return f"{value:.1f}{off}" + ("" if printed is None else f" ({printed:.1f})")


def format_p(value: float) -> str:
    """Return a p value as readers expect it.

    >>> format_p(0.0123), format_p(1e-9)
    ('0.012', '< 0.001')
    """
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def format_seconds(value: float) -> str:
    """Return seconds, with two digits that count below ten.

    >>> format_seconds(0.01234), format_seconds(3.14), format_seconds(1234.5)
    ('0.012', '3.1', '1234')
    """
    return f"{value:.0f}" if value >= 10 else f"{float(f'{value:.2g}'):g}"


def join_words(words: Iterable[str], most: int | None = None) -> str:
    """Return words as a list in a sentence, the first of them if they are too many.

    >>> join_words(["car", "iris", "wine"]), join_words(["car", "iris", "wine"], 1)
    ('car, iris and wine', 'car and 2 more')
    """
    shown = list(words)
    if most is not None and len(shown) > most:
        shown = [*shown[:most], f"{len(shown) - most} more"]
    *first, last = shown
    return f"{', '.join(first)} and {last}" if first else last


# ------------------------------------------------------------------------------ levels


def add_ratios(numbers: pl.DataFrame) -> pl.DataFrame:
    """Add the unit and the ratio of false positives to negatives behind the levels of Table 3."""
    complete = {
        level: (gamma, fp, fn)
        for gamma in GAMMAS
        for level, (fp, fn) in zip(list_nonuniform_levels(gamma), RATIOS, strict=True)
    }
    behind = [complete[level] for level in numbers["errors"]]
    return numbers.with_columns(
        pl.Series("gamma", [gamma for gamma, _, _ in behind], dtype=pl.Int64),
        pl.Series("ratio", [fp / fn for _, fp, fn in behind], dtype=pl.Float64),
        pl.Series("penalties", [f"{fp}:{fn}" for _, fp, fn in behind], dtype=pl.String),
    )
