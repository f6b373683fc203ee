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
    IN_PRINT,
    REFERENCE,
    Row,
    estimate,
    frame,
    nothing,
    pivot,
    ratios,
)
from study.tables.complete import Known
from study.tables.result_table import Sheet

Printed = Mapping[str, Mapping[str, published.Estimate]]
"""What is in print for a level and a learner."""

INTERVALS = "± is 1.96 standard deviations over problems by the root of their number."


def table_1(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Average cost of each learner at each error cost (section 4.3)."""
    return costs(
        "table-1",
        "Average cost in percent of the standard cost, by what an error costs (mc).",
        Known.of(experiment, scores),
        published.TABLE_1,
    )


def figure_10(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Average cost over error costs: the means of Table 1 as curves."""
    return replace(
        table_1(experiment, scores),
        name="figure-10",
        title="Average cost in percent of the standard cost as a function of what errors cost.",
    )


def figure_12(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Average accuracy over error costs (section 4.4)."""
    name = "figure-12"
    heading = "Average accuracy in percent as a function of what errors cost (mc)."
    known = Known.of(experiment, scores)
    if not known.problems:
        return nothing(name, heading, experiment)
    numbers = means(known, "accuracy", {})
    grid = pivot(
        numbers,
        "errors",
        "learner",
        lambda row: estimate(row["accuracy"], row["interval"]),
        head="mc",
    )
    notes = [*known.notes(), INTERVALS]
    if {"lsid3", REFERENCE} <= set(known.learners):
        top = experiment.levels[-1]
        p = wilcoxon(*(known.means(who, top, "accuracy") for who in ("lsid3", REFERENCE))).p
        notes.append(
            f"Wilcoxon's test of LSID3's accuracy against ACT's at mc = {top}: p = {p:.3f}."
        )
    return Sheet(name, heading, numbers, (grid,), tuple(notes))


def figure_14(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Average cost when prices are drawn without regard to information (section 4.6)."""
    sheet = costs(
        "figure-14",
        "Average cost in percent of the standard cost when prices are drawn uniformly.",
        Known.of(experiment, scores),
        published.FIGURE_14,
    )
    note = "Experts' prices are not drawn, so that there are 100 problems instead of 105."
    return replace(sheet, notes=(*sheet.notes, note))


def table_3(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Average cost when false positives and false negatives cost differently (section 4.7)."""
    name = "table-3"
    heading = "Average cost in percent of the standard cost when error costs are nonuniform."
    known = Known.of(experiment, scores)
    if not known.problems:
        return nothing(name, heading, experiment)
    numbers = ratios(means(known, "percent", published.TABLE_3))
    grids = tuple(
        pivot(
            numbers.filter(gamma=gamma),
            "learner",
            "penalties",
            lambda row: estimate(row["percent"], printed=row["published"]),
            head="FP:FN",
            caption=f"γ = {gamma}",
            lowest="percent",
            among="penalties",
        )
        for gamma in GAMMAS
    )
    notes = (
        *known.notes(),
        "FP and FN are what false positives and negatives cost, in units of γ.",
        f"{IN_PRINT} Bold: the lowest of ours in a column.",
    )
    return Sheet(name, heading, numbers, grids, notes)


def figure_15(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Average cost over the ratio of error costs: the means of Table 3 as curves."""
    return replace(
        table_3(experiment, scores),
        name="figure-15",
        title="Average cost as a function of the ratio of false positives to negatives.",
    )


def costs(name: str, heading: str, known: Known, printed: Printed) -> Sheet:
    """Return a sheet of mean costs: a row for each level, a column for each learner."""
    if not known.problems:
        return nothing(name, heading, known.experiment)
    numbers = means(known, "percent", printed)
    grid = pivot(numbers, "errors", "learner", _cost, head="mc", lowest="percent")
    reading = f"{IN_PRINT} Bold: the lowest of ours in a row." if printed else "Bold: the lowest."
    return Sheet(name, heading, numbers, (grid,), (*known.notes(), INTERVALS, reading))


def _cost(row: Row) -> str:
    return estimate(row["percent"], row["interval"], row["published"])


def means(known: Known, column: str, printed: Printed) -> pl.DataFrame:
    """Return mean and interval of each learner at each level, with those in print."""
    rows = []
    for level in known.experiment.levels:
        for learner in known.learners:
            found = interval(known.means(learner, level, column))
            paper = printed.get(level, {}).get(learner, (None, None))
            rows.append((level, learner, *found, len(known.problems), *paper))
    return frame(
        rows,
        *("errors", "learner", column, "interval", "problems"),
        *("published", "published_interval"),
    )
