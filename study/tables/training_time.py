"""Training time: how long each learner takes, and what more time buys (Figure 13)."""

from __future__ import annotations

import polars as pl

from study.learners import parse
from study.plan import Experiment
from study.tables.cells import (
    ALL,
    estimate,
    frame,
    listed,
    nothing,
    pivot,
    seconds_text,
)
from study.tables.complete import Known, by_data_set, data_set_notes
from study.tables.result_table import Sheet


def times(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Mean seconds of training, for each learner and data set."""
    name = "times"
    heading = "Mean processor seconds of one training."
    known = by_data_set(experiment, scores)
    if not known:
        return nothing(name, heading, experiment)
    whole = Known.of(experiment, scores)
    parts = known | ({ALL: whole} if whole.problems else {})
    rows = [
        (data, learner, seconds)
        for data, part in parts.items()
        for learner, seconds, _ in _seconds_and_costs(part)
    ]
    numbers = frame(rows, "data", "learner", "seconds")
    grid = pivot(
        numbers,
        "data",
        "learner",
        lambda row: seconds_text(row["seconds"]),
        head="data set",
        order=experiment.shown,
    )
    notes = [
        *data_set_notes(experiment, known),
        "Means over folds, price lists and error costs, on one core.",
    ]
    if whole.problems:
        notes.append(
            f"The last row is over the {len(whole.problems)} problems that every learner has been "
            "through."
        )
    return Sheet(name, heading, numbers, (grid,), tuple(notes))


def figure_13(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Cost over training time: ACT by samples, ICET by generations, ours by its limit (4.5)."""
    name = "figure-13"
    heading = "Average cost as a function of training time."
    known = by_data_set(experiment, scores)
    if not known:
        return nothing(name, heading, experiment)
    rows = [
        (data, learner, _setting(learner), seconds, cost, len(part.problems))
        for data, part in known.items()
        for learner, seconds, cost in _seconds_and_costs(part)
    ]
    numbers = frame(rows, "data", "learner", "setting", "seconds", "percent", "problems")
    grid = pivot(
        numbers,
        "learner",
        "data",
        lambda row: f"{estimate(row['percent'])} in {seconds_text(row['seconds'])} s",
        head="learner",
    )
    notes = (
        *data_set_notes(experiment, known),
        f"Cost in percent of the standard cost, errors costing {listed(experiment.levels)}; "
        "processor seconds of one training.",
        "The paper does not say what Breast-cancer-20 is; ours has tests of no use added to "
        "breast cancer, up to twenty.",
    )
    return Sheet(name, heading, numbers, (grid,), notes)


def _seconds_and_costs(known: Known) -> list[tuple[str, float, float]]:
    """Return each learner's mean seconds and mean cost."""
    means = known.scores.group_by("learner").agg(pl.col("seconds", "percent").mean())
    found = {learner: (learner, seconds, cost) for learner, seconds, cost in means.iter_rows()}
    return [found[learner] for learner in known.learners]


def _setting(learner: str) -> float | None:
    """Return the one number that a learner was given, if any.

    >>> _setting("act(n_samples=16)"), _setting("dtmc")
    (16, None)
    """
    return next(iter(parse(learner)[1].values()), None)
