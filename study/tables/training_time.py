"""Training time: how long each learner takes, and what more time buys (Figure 13)."""

from __future__ import annotations

import polars as pl

from study.learners import parse
from study.plan import Experiment
from study.tables.cells import (
    ALL,
    format_estimate,
    format_seconds,
    join_words,
    make_empty,
    make_frame,
    make_grid,
)
from study.tables.complete import CompleteScores, data_set_notes, split_by_data_set
from study.tables.result_table import ResultTable


def times(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Mean seconds of training, for each learner and data set."""
    name = "times"
    heading = "Mean processor seconds of one training."
    complete = split_by_data_set(experiment, scores)
    if not complete:
        return make_empty(name, heading, experiment)
    whole = CompleteScores.of(experiment, scores)
    parts = complete | ({ALL: whole} if whole.problems else {})
    rows = [
        (data, learner, seconds)
        for data, part in parts.items()
        for learner, seconds, _ in _seconds_and_costs(part)
    ]
    numbers = make_frame(rows, "data", "learner", "seconds")
    grid = make_grid(
        numbers,
        "data",
        "learner",
        lambda row: format_seconds(row["seconds"]),
        head="data set",
        order=experiment.shown,
    )
    notes = [
        *data_set_notes(experiment, complete),
        "Means over folds, price lists and error costs, on one core.",
    ]
    if whole.problems:
        notes.append(
            f"The last row is over the {len(whole.problems)} problems that every learner has been "
            "through."
        )
    return ResultTable(name, heading, numbers, (grid,), tuple(notes))


def figure_13(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Cost over training time: ACT by samples, ICET by generations, ours by its limit (4.5)."""
    name = "figure-13"
    heading = "Average cost as a function of training time."
    complete = split_by_data_set(experiment, scores)
    if not complete:
        return make_empty(name, heading, experiment)
    rows = [
        (data, learner, _setting(learner), seconds, cost, len(part.problems))
        for data, part in complete.items()
        for learner, seconds, cost in _seconds_and_costs(part)
    ]
    numbers = make_frame(rows, "data", "learner", "setting", "seconds", "percent", "problems")
    grid = make_grid(
        numbers,
        "learner",
        "data",
        lambda row: f"{format_estimate(row['percent'])} in {format_seconds(row['seconds'])} s",
        head="learner",
    )
    notes = (
        *data_set_notes(experiment, complete),
        f"Cost in percent of the standard cost, errors costing {join_words(experiment.levels)}; "
        "processor seconds of one training.",
        "The paper does not say what Breast-cancer-20 is; ours has tests of no use added to "
        "breast cancer, up to twenty.",
    )
    return ResultTable(name, heading, numbers, (grid,), notes)


def _seconds_and_costs(complete: CompleteScores) -> list[tuple[str, float, float]]:
    """Return each learner's mean seconds and mean cost."""
    means = complete.scores.group_by("learner").agg(pl.col("seconds", "percent").mean())
    found = {learner: (learner, seconds, cost) for learner, seconds, cost in means.iter_rows()}
    return [found[learner] for learner in complete.learners]


def _setting(learner: str) -> float | None:
    """Return the one number that a learner was given, if any.

    >>> _setting("act(n_samples=16)"), _setting("dtmc")
    (16, None)
    """
    return next(iter(parse(learner)[1].values()), None)
