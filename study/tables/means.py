"""Average costs and accuracies: Tables 1 and 3, Figures 10, 12, 14 and 15."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from study import published
from study.plan import Experiment
from study.problems import GAMMAS
from study.statistics import interval, wilcoxon
from study.tables.cells import (
    IN_BRACKETS,
    REFERENCE,
    Row,
    add_ratios,
    format_estimate,
    make_empty,
    make_frame,
    make_grid,
)
from study.tables.complete import CompleteScores
from study.tables.result_table import ResultTable

Printed = Mapping[str, Mapping[str, published.Estimate]]
"""What is in print for a level and a learner."""

INTERVALS = "± is 1.96 standard deviations over problems by the root of their number."


def table_1(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Average cost of each learner at each error cost (section 4.3)."""
    return costs(
        "table-1",
        "Average cost in percent of the standard cost, by what an error costs (mc).",
        CompleteScores.of(experiment, scores),
        published.TABLE_1,
    )


def figure_10(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Average cost over error costs: the means of Table 1 as curves."""
    return replace(
        table_1(experiment, scores),
        name="figure-10",
        title="Average cost in percent of the standard cost as a function of what errors cost.",
    )


def figure_12(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Average accuracy over error costs (section 4.4)."""
    name = "figure-12"
    heading = "Average accuracy in percent as a function of what errors cost (mc)."
    complete = CompleteScores.of(experiment, scores)
    if not complete.problems:
        return make_empty(name, heading, experiment)
    numbers = means(complete, "accuracy", {})
    grid = make_grid(
        numbers,
        "errors",
        "learner",
        lambda row: format_estimate(row["accuracy"], row["interval"]),
        head="mc",
    )
    notes = [*complete.notes(), INTERVALS]
    if {"lsid3", REFERENCE} <= set(complete.learners):
        top = experiment.levels[-1]
        p = wilcoxon(*(complete.means(who, top, "accuracy") for who in ("lsid3", REFERENCE))).p
        notes.append(
            f"Wilcoxon's test of LSID3's accuracy against ACT's at mc = {top}: p = {p:.3f}."
        )
    return ResultTable(name, heading, numbers, (grid,), tuple(notes))


def figure_14(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Average cost when prices are drawn without regard to information (section 4.6)."""
    table = costs(
        "figure-14",
        "Average cost in percent of the standard cost when prices are drawn uniformly.",
        CompleteScores.of(experiment, scores),
        published.FIGURE_14,
    )
    note = "Experts' prices are not drawn, so that there are 100 problems instead of 105."
    return replace(table, notes=(*table.notes, note))


def table_3(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Average cost when false positives and false negatives cost differently (section 4.7)."""
    name = "table-3"
    heading = "Average cost in percent of the standard cost when error costs are nonuniform."
    complete = CompleteScores.of(experiment, scores)
    if not complete.problems:
        return make_empty(name, heading, experiment)
    numbers = add_ratios(means(complete, "percent", published.TABLE_3))
    grids = tuple(
        make_grid(
            numbers.filter(gamma=gamma),
            "learner",
            "penalties",
            lambda row: format_estimate(row["percent"], printed=row["published"]),
            head="FP:FN",
            caption=f"γ = {gamma}",
            lowest="percent",
            among="penalties",
        )
        for gamma in GAMMAS
    )
    notes = (
        *complete.notes(),
        "FP and FN are what false positives and negatives cost, in units of γ.",
        f"{IN_BRACKETS} Bold: the lowest of ours in a column.",
    )
    return ResultTable(name, heading, numbers, grids, notes)


def figure_15(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Average cost over the ratio of error costs: the means of Table 3 as curves."""
    return replace(
        table_3(experiment, scores),
        name="figure-15",
        title="Average cost as a function of the ratio of false positives to negatives.",
    )


def costs(name: str, heading: str, complete: CompleteScores, printed: Printed) -> ResultTable:
    """Return a table of mean costs: a row for each level, a column for each learner."""
    if not complete.problems:
        return make_empty(name, heading, complete.experiment)
    numbers = means(complete, "percent", printed)
    grid = make_grid(numbers, "errors", "learner", _cost, head="mc", lowest="percent")
    reading = (
        f"{IN_BRACKETS} Bold: the lowest of ours in a row." if printed else "Bold: the lowest."
    )
    return ResultTable(name, heading, numbers, (grid,), (*complete.notes(), INTERVALS, reading))


def _cost(row: Row) -> str:
    return format_estimate(row["percent"], row["interval"], row["published"])


def means(complete: CompleteScores, column: str, printed: Printed) -> pl.DataFrame:
    """Return mean and interval of each learner at each level, with those in print."""
    rows = []
    for level in complete.experiment.levels:
        for learner in complete.learners:
            found = interval(complete.means(learner, level, column))
            paper = printed.get(level, {}).get(learner, (None, None))
            rows.append((level, learner, *found, len(complete.problems), *paper))
    return make_frame(
        rows,
        *("errors", "learner", column, "interval", "problems"),
        *("published", "published_interval"),
    )
