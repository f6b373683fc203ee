"""Data set by data set: costs, distances to the thesis, and Turney's experiment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl

from frugaltree.compare.grid import Grid
from frugaltree.compare.statistics import mean_and_error
from study import published
from study.learners import get_title
from study.plan import Experiment
from study.problems import EXPERTS
from study.tables.cells import (
    ALL,
    NONE,
    REFERENCE,
    format_estimate,
    join_words,
    make_empty,
    make_frame,
    make_grid,
)
from study.tables.complete import CompleteScores, data_set_notes, split_by_data_set
from study.tables.result_table import ResultTable

UNSEEDED = "icet(seeded=False)"
"""ICET as Turney first reports it."""


def per_data_set(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Cost of each learner on each data set, with the paired error of its distance to ACT."""
    name = "per-data-set"
    heading = "Average cost in percent of the standard cost on each data set."
    complete = split_by_data_set(experiment, scores, experts_apart=True)
    if not complete:
        return make_empty(name, heading, experiment)
    rows = [
        (level, data, learner, *_distance(part, learner, level), len(part.problems))
        for level in experiment.levels
        for data, part in complete.items()
        for learner in part.learners
    ]
    numbers = make_frame(
        rows,
        *("errors", "data", "learner", "percent", "difference", "standard_error", "problems"),
    )
    grids = tuple(
        make_grid(
            part,
            "data",
            "learner",
            lambda row: format_estimate(row["percent"], row["standard_error"]),
            head="data set",
            caption=f"mc = {level}",
            order=experiment.shown,
            lowest="percent",
        )
        for (level,), part in numbers.group_by("errors", maintain_order=True)
    )
    notes = (
        *data_set_notes(experiment, complete, experts_apart=True),
        "± is the standard error of the difference to ACT, paired, over price lists and folds.",
        "Bold: the lowest in a row.",
    )
    return ResultTable(name, heading, numbers, grids, notes)


def _distance(
    complete: CompleteScores, learner: str, level: str
) -> tuple[float, float | None, float | None]:
    """Return the mean of a learner, its distance to ACT, and the standard error of that."""
    costs = complete.folds(learner, level)
    mean = float(costs.mean())
    if learner == REFERENCE or REFERENCE not in complete.learners:
        return mean, None, None
    return mean, *mean_and_error(costs - complete.folds(REFERENCE, level))


def thesis(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Ours beside the thesis's numbers for each data set, and how far apart they are."""
    name = "thesis"
    heading = "Cost on each data set beside that in Esmeir's thesis."
    part = _thesis_part(experiment)
    complete = split_by_data_set(part, scores)
    rows = []
    for level in part.levels:
        for data, one in complete.items():
            for learner in one.learners:
                theirs = published.thesis(data, learner, level)
                if theirs is not None:
                    ours = float(one.means(learner, level).mean())
                    judged = data not in published.GENERATED
                    rows.append((level, data, judged, learner, ours, theirs, ours - theirs))
    if not rows:
        return make_empty(name, heading, experiment)
    numbers = make_frame(
        rows, "errors", "data", "judged", "learner", "percent", "published", "difference"
    )
    grids = (_gaps(numbers), *_beside(numbers, experiment))
    notes = (
        *data_set_notes(part, complete),
        "Means over price lists drawn by the thesis's scheme, though not the same lists.",
        "In brackets: the thesis's number, tables 4.5 and 4.6.",
        f"Apart, since their cases were drawn anew: {join_words(published.GENERATED)}.",
    )
    return ResultTable(name, heading, numbers, grids, notes)


def _thesis_part(experiment: Experiment) -> Experiment:
    """Return what of an experiment the thesis tells about."""
    problems = tuple(
        p for p in experiment.problems if p.data in published.THESIS and p.prices != "expert"
    )
    levels = tuple(level for level in experiment.levels if level in published.THESIS_LEVELS)
    return replace(experiment, problems=problems, levels=levels)


def _gaps(numbers: pl.DataFrame) -> Grid:
    """Return how far each learner is from the thesis, in points."""
    rows = []
    for (learner,), part in numbers.group_by("learner", maintain_order=True):
        cells = [get_title(str(learner))]
        for judged in (True, False):
            gaps = part.filter(judged=judged)["difference"].to_numpy()
            if len(gaps):
                cells += [
                    f"{np.abs(gaps).mean():.1f}",
                    f"{gaps.mean().round(1) + 0.0:+.1f}",
                    str(len(gaps)),
                ]
            else:
                cells += [NONE, NONE, "0"]
        rows.append(tuple(cells))
    heads = ("absolute", "signed", "numbers")
    columns = ("learner", *heads, *(f"{head}, generated" for head in heads))
    return Grid(columns, tuple(rows), "Mean difference of ours to the thesis's, in points")


def _beside(numbers: pl.DataFrame, experiment: Experiment) -> Iterator[Grid]:
    """Yield a grid for each level, first of the judged data sets, then of the generated."""
    parts = numbers.sort("judged", descending=True, maintain_order=True)
    for (judged, level), part in parts.group_by("judged", "errors", maintain_order=True):
        yield make_grid(
            part,
            "data",
            "learner",
            lambda row: format_estimate(row["percent"], printed=row["published"]),
            head="data set",
            caption=f"mc = {level}" + ("" if judged else ", generated data sets"),
            order=experiment.learners,
        )


def turney(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """ICET by Turney's own protocol: what it costs on his five data sets."""
    name = "turney"
    heading = "ICET by Turney's protocol: cost in percent of the standard cost."
    complete = split_by_data_set(experiment, scores)
    if not complete:
        return make_empty(name, heading, experiment)
    rows = [
        (data, learner, np.mean([part.means(learner, level) for level in experiment.levels]))
        for data, part in complete.items()
        for learner in part.learners
    ]
    for learner in experiment.learners:
        means = [percent for _, name, percent in rows if name == learner]
        if means:
            rows.append((ALL, learner, np.mean(means)))
    numbers = make_frame(
        [(*row, published.TURNEY_BASIC if row[:2] == (ALL, UNSEEDED) else None) for row in rows],
        *("data", "learner", "percent", "published"),
    )
    grid = make_grid(
        numbers,
        "data",
        "learner",
        lambda row: format_estimate(row["percent"], printed=row["published"]),
        head="data set",
        order=experiment.learners,
    )
    notes = (
        *data_set_notes(experiment, complete),
        f"Means over {len(experiment.levels)} error costs and {len(experiment.folds)} random "
        "thirds set aside for testing; delayed tests as Turney has them.",
        f"In brackets: Turney's number for ICET without seeds over {len(EXPERTS)} data sets; the "
        f"paper's own implementation has {published.TURNEY_REIMPLEMENTED:g}.",
    )
    return ResultTable(name, heading, numbers, (grid,), notes)
