"""Choosing w and cf by cross-validation inside the training cases (section 3.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cross_validation import (
    FOLDS,
    Trial,
    case_costs,
    mean_and_error,
    part_of,
    stratified_folds,
)
from frugaltree.engines.problem import Problem
from frugaltree.kernels.data.nodes import Nodes


class Setting(NamedTuple):
    """A weight of prices and a confidence."""

    w: float
    cf: float

    def __str__(self) -> str:
        return f"w {self.w:g}, cf {self.cf:g}"


Searcher = Callable[[Problem, Setting, int, Stop], Nodes]


def tune(
    search: Searcher,
    problem: Problem,
    settings: list[Setting],
    seed: int,
    stop: Stop,
    n_jobs: int | None,
) -> list[Trial]:
    """Return what each setting costs on cases held out, by 5-fold cross-validation.

    Asked to stop on the way, leave out the settings that were not tried to the end.
    """
    folds = stratified_folds(problem.true_classes, seed)
    tasks = (
        delayed(held_out_costs)(search, problem, folds, fold, setting, seed, stop)
        for setting in settings
        for fold in range(FOLDS)
    )
    costs = Parallel(n_jobs=n_jobs, prefer="threads")(tasks)
    weights = np.concatenate([problem.cases.weights[folds == fold] for fold in range(FOLDS)])
    weights = weights / problem.case_weight
    found = []
    for i, setting in enumerate(settings):
        parts = costs[i * FOLDS : (i + 1) * FOLDS]
        if all(part is not None for part in parts):
            found.append((setting, *mean_and_error(np.concatenate(parts), weights)))
    return trials_of(found)


def trials_of(found: list[tuple[Setting, float, float]]) -> list[Trial]:
    """Return trials of settings, given what each costs and the standard error of that.

    >>> [one.saving for one in trials_of([(Setting(0.0, 0.2), 9.0, 1.0), (Setting(1, 0.2), 8, 1)])]
    [0.0, 1.0]
    """
    return [
        Trial(str(setting), setting._asdict(), cost, error, saving=found[0][1] - cost)
        for setting, cost, error in found
    ]


def held_out_costs(
    search: Searcher,
    problem: Problem,
    folds: npt.NDArray[np.intp],
    fold: int,
    setting: Setting,
    seed: int,
    stop: Stop,
) -> npt.NDArray[np.float64] | None:
    """Return what each case of a fold costs with a tree from the other folds, None if stopped."""
    train, held_out = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
    if not train.size:  # a single case
        train = held_out
    nodes = None if stop.requested else search(part_of(problem, train), setting, seed, stop)
    if nodes is None or stop.requested:
        return None
    classes = problem.cases.classes[held_out]
    return case_costs(problem, nodes, problem.table.rows(held_out), classes)
