"""Figure 11, a point for each problem, and critical-difference diagrams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from frugaltree.compare.style import new_figure
from study.figures.style import LearnerStyle, get_style
from study.learners import get_title
from study.tables.cells import REFERENCE
from study.tables.result_table import ResultTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figure_11(table: ResultTable) -> Figure:
    """Draw each problem as a point: a row of panels per learner, a column per error cost."""
    levels = table.numbers["errors"].unique(maintain_order=True).to_list()
    others = table.numbers["other"].unique(maintain_order=True).to_list()
    figure = new_figure(height=0.45 + 2.05 * len(others))
    figure.set_layout_engine("compressed")
    panels = figure.subplots(len(others), len(levels), sharex=True, sharey=True, squeeze=False)
    top = 1.05 * max(100.0, table.numbers.select("percent", "percent_act").to_numpy().max())
    for row, other in zip(panels, others, strict=True):
        for ax, level in zip(row, levels, strict=True):
            points = table.numbers.filter(errors=level, other=other)
            _draw_points(ax, points, get_style(other), top)
        row[0].set_ylabel(f"cost under {get_title(REFERENCE)}")
        row[len(levels) // 2].set_xlabel(f"cost under {get_title(other)}, % of the standard cost")
    for ax, level in zip(panels[0], levels, strict=True):
        ax.set_title(f"mc = {level}")
    return figure


def _draw_points(ax: Axes, points: pl.DataFrame, of: LearnerStyle, top: float) -> None:
    """Draw problems, and the line on which two learners cost the same."""
    ax.plot([0, top], [0, top], color="#888888", linestyle="--", linewidth=1)
    ax.scatter(
        points["percent"].to_list(),
        points["percent_act"].to_list(),
        s=(of.size * 2 / 3) ** 2,
        alpha=0.6,
        color=of.colour,
        marker=of.marker,
        linewidths=0,
    )
    ax.set(xlim=(0, top), ylim=(0, top), aspect="equal", xticks=[0, 50, 100], yticks=[0, 50, 100])
    ax.tick_params(labelbottom=True)


def critical_difference(table: ResultTable) -> Figure:
    """Draw average ranks at each error cost; a bar joins those that do not differ."""
    from pandas import DataFrame
    from scikit_posthocs import critical_difference_diagram

    levels = table.numbers["errors"].unique(maintain_order=True).to_list()
    figure = new_figure(height=1.9 * len(levels))
    panels = figure.subplots(len(levels), 1, sharex=True, squeeze=False)[:, 0]
    for ax, level in zip(panels, levels, strict=True):
        part = table.numbers.filter(errors=level)
        names = [get_title(learner) for learner in part["learner"]]
        ranks, width = part["rank"].to_numpy(), part["critical_difference"][0]
        apart = np.abs(ranks[:, None] - ranks[None, :]) > width
        critical_difference_diagram(
            dict(zip(names, ranks, strict=True)),
            DataFrame(np.where(apart, 0.0, 1.0), index=names, columns=names),
            ax=ax,
            color_palette={get_title(one): get_style(one).colour for one in part["learner"]},
            label_fmt_left="{label} {rank:.1f} ",
            label_fmt_right=" {rank:.1f} {label}",
            text_h_margin=0.15,
            crossbar_props={"color": "#333333", "linewidth": 3, "solid_capstyle": "round"},
        )
        ax.spines["top"].set_visible(True)
        ax.set_title(f"an error costs {level}: critical difference {width:.2f}", loc="left")
        ax.grid(visible=False)
    figure.suptitle("mean rank over tables, 1 is the cheapest", fontsize=10)
    return figure
