"""Search, tuning and splits told apart: what each changes by itself, and all together."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from frugaltree.compare.grid import Grid
from frugaltree.compare.statistics import differences, mean_and_error
from study.learners import FRUGAL, get_title
from study.plan import MULTIWAY, PROVEN, Experiment
from study.statistics import wilcoxon
from study.tables.cells import NONE, format_estimate, make_empty, make_frame, make_grid
from study.tables.complete import CompleteScores
from study.tables.means import INTERVALS, means
from study.tables.result_table import ResultTable


class Step(NamedTuple):
    """What changes from one learner to another."""

    what: str
    learner: str
    other: str


STEPS = (
    Step("tuning of EG2", "eg2-tuned", "eg2"),
    Step("tuning of DTMC", "dtmc-tuned", "dtmc"),
    Step("tuning of ACT", "act-tuned", "act"),
    Step("tuning of the search", MULTIWAY, PROVEN),
    Step("search, paper's estimate", PROVEN, "act"),
    Step("search, tuned", MULTIWAY, "act-tuned"),
    Step("values against the rest", FRUGAL, MULTIWAY),
    Step("all three", FRUGAL, "act"),
)


def ablation(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Average costs with and without the search, the tuning and the splits of our own."""
    name = "ablation"
    heading = "Search, tuning, splits told apart: average cost in percent of the standard cost."
    complete = CompleteScores.of(experiment, scores)
    steps = _steps(complete)
    if steps.is_empty():
        return make_empty(name, heading, experiment)
    costs = means(complete, "percent", {}).select("errors", "learner", "percent", "interval")
    grid = make_grid(
        costs,
        "errors",
        "learner",
        lambda row: format_estimate(row["percent"], row["interval"]),
        head="mc",
        lowest="percent",
    )
    notes = (
        *complete.notes(),
        INTERVALS,
        "Bold: the lowest.",
        "Tuned learners choose among a few settings by cross-validation inside the training "
        "cases, all by the same rule.",
        f"{get_title(PROVEN)} is the search with its bounds under the paper's estimate; "
        f"{get_title(MULTIWAY)} is tuned, and has a branch for each value as the others have.",
        "Changes are in points, below zero where they pay; ± is the standard error of the paired "
        "difference over problems.",
    )
    numbers = pl.concat([costs, steps], how="diagonal")
    return ResultTable(name, heading, numbers, (grid, _changes(steps)), notes)


def _steps(complete: CompleteScores) -> pl.DataFrame:
    """Return what each step changes at each level, where both learners are known."""
    rows = []
    for level in complete.experiment.levels if complete.problems else ():
        for _, learner, other in STEPS:
            if {learner, other} <= set(complete.learners):
                pair = complete.means(learner, level), complete.means(other, level)
                change = mean_and_error(differences(*pair))
                rows.append((level, learner, other, *change, wilcoxon(*pair).p))
    return make_frame(
        rows, "errors", "learner", "other", "difference", "standard_error", "wilcoxon_p"
    )


def _changes(steps: pl.DataFrame) -> Grid:
    """Return the changes as text: a row for each level, a column for each step."""
    cells = {(row["errors"], row["learner"], row["other"]): row for row in steps.to_dicts()}
    levels = steps["errors"].unique(maintain_order=True).to_list()
    rows = tuple(
        (level, *(_change(cells.get((level, step.learner, step.other))) for step in STEPS))
        for level in levels
    )
    return Grid(("mc", *(step.what for step in STEPS)), rows, "What each changes")


def _change(row: dict[str, float | None] | None) -> str:
    if row is None:
        return NONE
    text = f"{row['difference']:+.1f}"
    if row["standard_error"] is None:
        return text
    return f"{text} ± {row['standard_error']:.1f}"
