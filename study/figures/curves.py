"""Figures 10, 12 to 15 and the ablation: curves over error costs, ratios and time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from frugaltree.compare.style import new_figure
from study.figures.style import (
    SIGHT,
    add_legend,
    draw_curve,
    explain,
    get_style,
    iterate_learners,
    label_ends,
    set_log_ticks,
    write_note,
)
from study.learners import FRUGAL, TUNED, find, parse
from study.plan import MULTIWAY
from study.tables.cells import REFERENCE
from study.tables.result_table import ResultTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figure_10(table: ResultTable) -> Figure:
    """Draw average cost over error costs."""
    return _by_level(table, "percent", "average cost, % of the standard cost")


def figure_12(table: ResultTable) -> Figure:
    """Draw average accuracy over error costs."""
    return _by_level(table, "accuracy", "average accuracy, %")


def figure_14(table: ResultTable) -> Figure:
    """Draw average cost over error costs, prices drawn uniformly, with the paper's beside it."""
    return _by_level(table, "percent", "average cost, % of the standard cost", beside=True)


def ablation(table: ResultTable) -> Figure:
    """Draw average cost over error costs, learners that are not tuned pale."""
    figure, ax = _over_levels(table, "average cost, % of the standard cost")
    own = table.numbers.filter(pl.col("percent").is_not_null())
    ends = []
    for learner, part in iterate_learners(own):
        x = part["errors"].cast(pl.Float64).to_list()
        ends.append(
            draw_curve(ax, learner, x, part["percent"].to_list(), faint=not tuned(learner))
        )
    ax.set_ylim(bottom=0)
    label_ends(ax, ends)
    explain(figure, "pale: the same learner without tuning")
    return figure


def tuned(learner: str) -> bool:
    """Tell whether a learner tunes itself inside its training cases.

    >>> tuned("act-tuned"), tuned("frugal"), tuned("frugal(pessimism=paper)"), tuned("act")
    (True, True, False, False)
    """
    return learner in (*TUNED, MULTIWAY, FRUGAL)


def _over_levels(table: ResultTable, label: str) -> tuple[Figure, Axes]:
    """Return a figure with one panel, error costs on its x axis."""
    figure = new_figure(height=5.2)
    ax = figure.add_subplot()
    levels = [float(level) for level in table.numbers["errors"].unique(maintain_order=True)]
    set_log_ticks(ax, levels, [f"{level:g}" for level in levels])
    ax.set_xlabel("cost of an error (mc)")
    ax.set_ylabel(label)
    return figure, ax


def _by_level(table: ResultTable, column: str, label: str, *, beside: bool = False) -> Figure:
    figure, ax = _over_levels(table, label)
    ends = []
    for learner, part in iterate_learners(table.numbers):
        x = part["errors"].cast(pl.Float64).to_list()
        ends.append(draw_curve(ax, learner, x, part[column].to_list()))
        if beside:
            draw_curve(ax, learner, x, part["published"].to_list(), faint=True)
    if column == "percent":
        ax.set_ylim(bottom=0)
    label_ends(ax, ends)
    explain(figure, "pale: the paper's" if beside else SIGHT)
    return figure


def figure_15(table: ResultTable) -> Figure:
    """Draw average cost over the ratio of false positives to negatives, a panel per unit."""
    figure = new_figure(height=4.6)
    gammas = table.numbers["gamma"].unique(maintain_order=True).to_list()
    panels = figure.subplots(1, len(gammas), sharey=True, squeeze=False)[0]
    for ax, gamma in zip(panels, gammas, strict=True):
        part = table.numbers.filter(gamma=gamma)
        names = part.unique("ratio", maintain_order=True)
        set_log_ticks(ax, names["ratio"].to_list(), names["penalties"].to_list())
        curves = [
            draw_curve(ax, learner, one["ratio"].to_list(), one["percent"].to_list())
            for learner, one in iterate_learners(part)
        ]
        ax.set_title(f"γ = {gamma}")
        ax.set_xlabel("false positives : false negatives")
    panels[-1].set_ylim(bottom=0)
    label_ends(panels[-1], curves)
    panels[0].set_ylabel("average cost, % of the standard cost")
    explain(figure, SIGHT)
    return figure


def figure_13(table: ResultTable) -> Figure:
    """Draw cost over training time, a panel per data set."""
    figure = new_figure(height=6.8)
    data_sets = table.numbers["data"].unique(maintain_order=True).to_list()
    rows = -(-len(data_sets) // 2)
    panels = figure.subplots(rows, 2, squeeze=False).ravel().tolist()
    for ax, data in zip(panels, data_sets, strict=False):
        _over_time(ax, table.numbers.filter(data=data))
        ax.set_title(data)
    for ax in panels[len(data_sets) :]:
        ax.set_axis_off()
    figure.supxlabel("seconds of training", fontsize=10)
    figure.supylabel("average cost, % of the standard cost", fontsize=10)
    add_legend(figure, panels[: len(data_sets)])
    return figure


def _over_time(ax: Axes, numbers: pl.DataFrame) -> None:
    """Draw the curve of each learner that was given more and more time, a point for others."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    keys = [parse(learner)[0] for learner in numbers["learner"]]
    keyed = numbers.with_columns(pl.Series("learner", keys))
    for learner, part in iterate_learners(keyed):
        x, y = part["seconds"].to_list(), part["percent"].to_list()
        draw_curve(ax, learner, x, y)
        if len(x) > 1 and not find(learner).timed:  # whose setting is the time itself
            for i in (0, -1):
                given, below = f"{part['setting'][i]:g}", learner != REFERENCE
                write_note(ax, given, (x[i], y[i]), get_style(learner).colour, below=below)
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_ylim(0, 1.12 * max(numbers["percent"]))
