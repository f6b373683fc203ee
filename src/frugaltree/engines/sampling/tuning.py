"""Choosing w and cf by cross-validation inside the training cases (section 3.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from frugaltree.anytime.stop import Stop
from frugaltree.engines.problem import Problem
from frugaltree.engines.sampling.finish import tree_of
from frugaltree.kernels.data.nodes import Nodes

FOLDS = 5


class Setting(NamedTuple):
    """A weight of prices and a confidence."""

    w: float
    cf: float


class Tried(NamedTuple):
    """A setting, its cross-validated cost per case and the standard error of that."""

    w: float
    cf: float
    cost: float
    error: float


Searcher = Callable[[Problem, Setting, int, Stop], Nodes]


def tune(
    search: Searcher,
    problem: Problem,
    settings: list[Setting],
    seed: int,
    stop: Stop,
    n_jobs: int | None,
) -> list[Tried]:
    """Return what each setting costs on cases held out, by 5-fold cross-validation.

    Asked to stop on the way, leave out the settings that were not tried to the end.
    """
    folds = deal(problem.cases.classes, seed)
    tasks = (
        delayed(held_out_costs)(search, problem, folds, fold, setting, seed, stop)
        for setting in settings
        for fold in range(FOLDS)
    )
    costs = Parallel(n_jobs=n_jobs, prefer="threads")(tasks)
    weights = np.concatenate([problem.cases.weights[folds == fold] for fold in range(FOLDS)])
    tried = []
    for i, setting in enumerate(settings):
        parts = costs[i * FOLDS : (i + 1) * FOLDS]
        if any(part is None for part in parts):
            continue
        each = np.concatenate(parts)
        mean = float(np.average(each, weights=weights))
        spread = float(np.average((each - mean) ** 2, weights=weights))
        tried.append(Tried(*setting, mean, (spread / max(weights.sum() - 1, 1)) ** 0.5))
    return tried


def deal(classes: npt.NDArray[np.int32], seed: int | np.random.Generator) -> npt.NDArray[np.intp]:
    """Return a fold for each case, the cases of each class spread evenly.

    >>> deal(np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]), seed=1).tolist()
    [2, 4, 0, 3, 1, 2, 4, 1, 3, 0]
    """
    order = np.lexsort((np.random.default_rng(seed).random(classes.size), classes))
    folds = np.empty(classes.size, np.intp)
    folds[order] = np.arange(classes.size) % FOLDS
    return folds


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
    tree = tree_of(problem, nodes)
    ends = tree.find(problem.table.rows(held_out))
    bills = tree.charges(problem.prices).bill[ends]
    wrong = problem.errors[tree.labels[ends], problem.cases.classes[held_out]]
    return np.asarray(bills + wrong)


def part_of(problem: Problem, where: npt.NDArray[np.intp]) -> Problem:
    """Return the problem of some of the cases."""
    cases, codes = problem.cases, np.ascontiguousarray(problem.table.codes[:, where])
    weights = np.ascontiguousarray(cases.weights[where])
    return replace(
        problem,
        table=replace(problem.table, codes=codes),
        cases=cases._replace(
            codes=codes,
            classes=np.ascontiguousarray(cases.classes[where]),
            weights=weights,
            unit=bool((weights == 1.0).all()),
        ),
    )
