"""What is known so far: the scores that comparisons may rest on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from study.learners import get_title
from study.plan import Experiment, plan_experiments
from study.problems import Problem
from study.tables.cells import join_words

Array = npt.NDArray[np.float64]

MAX_LISTED = 8
"""How many names a sentence lists."""

ORDER = ("learner", "errors", "data", "prices", "fold")


@dataclass(frozen=True, eq=False)
class CompleteScores:
    """The scores of an experiment on problems that all its learners have been through.

    A learner is complete on a problem when every fold at every level is known. Learners that
    are complete on none are left out, and then the problems on which another one is not, so
    that all means rest on the same problems. A learner that is shown beside them is waited for
    until it has been through all of them, and takes none away.

    Attributes
    ----------
    experiment
        What is to be known.
    learners, problems
        Those left, in the order of the experiment.
    scores
        Their scores, as `study.scores` computes them.
    awaited
        Guests that are on their way, and how many of the problems they have been through.
    """

    experiment: Experiment
    learners: tuple[str, ...]
    problems: tuple[Problem, ...]
    scores: pl.DataFrame
    unfinished: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, experiment: Experiment, scores: pl.DataFrame) -> CompleteScores:
        """Return what is known for an experiment; scores of others may be among them."""
        mine = scores.filter(
            pl.col("learner").is_in(experiment.shown),
            pl.col("errors").is_in(experiment.levels),
            pl.col("fold").is_in(experiment.folds),
        )
        runs = len(experiment.levels) * len(experiment.folds)
        counts = mine.group_by("learner", "data", "prices").len().filter(pl.col("len") == runs)
        done = {(name, Problem(data, prices)) for name, data, prices, _ in counts.iter_rows()}
        wanted = set(experiment.problems)
        seen = {name for name, problem in done if problem in wanted}
        learners = tuple(name for name in experiment.learners if name in seen)
        problems = tuple(
            problem
            for problem in sorted(wanted)
            if learners and all((name, problem) in done for name in learners)
        )
        been = {
            name: sum((name, one) in done for one in problems) for name in experiment.also_shown
        }
        learners += tuple(name for name, n in been.items() if 0 < n == len(problems))
        unfinished = tuple((name, n) for name, n in been.items() if 0 < n < len(problems))
        names = pl.DataFrame(problems, schema={"data": pl.String, "prices": pl.String})
        kept = mine.filter(pl.col("learner").is_in(learners))
        kept = kept.join(names, on=["data", "prices"], how="semi").sort(ORDER)
        return cls(experiment, learners, problems, kept, unfinished)

    @cached_property
    def _parts(self) -> dict[tuple[object, ...], pl.DataFrame]:
        return self.scores.partition_by("learner", "errors", as_dict=True)

    def folds(self, learner: str, level: str, column: str = "percent") -> Array:
        """Return the scores of a learner at a level: a row per problem, a column per fold."""
        values = self._parts[learner, level][column].to_numpy().astype(float)
        return values.reshape(len(self.problems), len(self.experiment.folds))

    def means(self, learner: str, level: str, column: str = "percent") -> Array:
        """Return its mean on each problem."""
        means: Array = self.folds(learner, level, column).mean(axis=1)
        return means

    def data_means(self, learner: str, level: str, column: str = "percent") -> Array:
        """Return its mean on each data set, over price lists."""
        means = self.means(learner, level, column)
        data_sets = np.array([problem.data for problem in self.problems])
        return np.array([means[data_sets == data].mean() for data in self.data_sets])

    @property
    def data_sets(self) -> tuple[str, ...]:
        """The data sets among the problems."""
        return tuple(dict.fromkeys(problem.data for problem in self.problems))

    def notes(self) -> list[str]:
        """Return sentences on what all this rests on."""
        given = self.experiment
        planned = len(_find_planned(given).problems)
        notes = [f"It rests on {len(self.problems)} of {planned} problems."]
        missing = sorted({p.data for p in set(given.problems) - set(self.problems)})
        if missing:
            notes.append(
                "Left out, since not every learner has been through them: problems of "
                f"{join_words(missing, MAX_LISTED)}."
            )
        absent = [get_title(name) for name in given.learners if name not in self.learners]
        if absent:
            notes.append(f"Left out, since complete on no problem: {join_words(absent)}.")
        notes += [
            f"{get_title(name)} is not shown yet: it has been through {n} of them."
            for name, n in self.unfinished
        ]
        return notes + _note_cuts(given)


def split_by_data_set(
    experiment: Experiment, scores: pl.DataFrame, *, experts_apart: bool = False
) -> dict[str, CompleteScores]:
    """Return what is known data set by data set, where something is known.

    The learners share problems within each data set only, so that one may be missing here and
    another there. Experts' prices make a data set of their own if they are to be apart.
    """
    parts = scores.partition_by("data", as_dict=True)
    complete = {}
    for name, problems in _group_problems(experiment, experts_apart).items():
        mine = parts.get((problems[0].data,))
        if mine is not None:
            complete[name] = CompleteScores.of(replace(experiment, problems=problems), mine)
    return {name: part for name, part in complete.items() if part.problems}


def data_set_notes(
    experiment: Experiment, complete: Mapping[str, CompleteScores], *, experts_apart: bool = False
) -> list[str]:
    """Return sentences on what a table rests on that goes data set by data set."""
    planned = _group_problems(experiment, experts_apart)
    apart = ", those with experts' prices being counted apart" if experts_apart else ""
    notes = [f"It rests on {len(complete)} of {len(planned)} data sets{apart}."]
    quick_data = [
        f"{name} ({len(part.problems)} of {len(planned[name])})"
        for name, part in complete.items()
        if len(part.problems) < len(planned[name])
    ]
    if quick_data:
        notes.append(f"Fewer price lists than planned: {join_words(quick_data, MAX_LISTED)}.")
    return notes + _note_cuts(experiment)


def _group_problems(experiment: Experiment, experts_apart: bool) -> dict[str, tuple[Problem, ...]]:
    """Return the problems of each data set, those of experts last if apart."""
    groups: dict[str, list[Problem]] = {}
    experts: dict[str, list[Problem]] = {}
    for problem in sorted(experiment.problems):
        if experts_apart and problem.prices == "expert":
            experts[f"{problem.data} (expert)"] = [problem]
        else:
            groups.setdefault(problem.data, []).append(problem)
    return {name: tuple(problems) for name, problems in (groups | experts).items()}


def _find_planned(experiment: Experiment) -> Experiment:
    """Return the experiment as planned, of which one may be a part."""
    planned = {each.name: each for each in plan_experiments()}
    return planned.get(experiment.name, experiment)


def _note_cuts(experiment: Experiment) -> list[str]:
    """Return sentences on what was cut down from the plan."""
    folds, planned = len(experiment.folds), len(_find_planned(experiment).folds)
    return [f"Cut down to {folds} of {planned} folds."] if folds < planned else []
