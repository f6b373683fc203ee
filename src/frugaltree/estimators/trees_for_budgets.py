"""Learning the trees of a repertoire: settings and budgets are compared on the same cases."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from frugaltree.engines.budgets import Choice, HeldOut, best_affordable, trials_of
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.estimators.budget_trials import Learned, Learning, Rows, Tried, chosen_by
from frugaltree.estimators.one_for_all import learn_one_for_all


def learn_trees(
    learning: Learning,
    budgets: Sequence[float],
    settings: Sequence[Mapping[str, Any]],
    *,
    interruptible: bool,
) -> Learned:
    """Learn a tree for each of increasing budgets, or one that serves all."""
    tuning, setting, tried = None, settings[0], dict[float, Tried]()
    parts = learning.parts if learning.classes.size > 1 else []
    if parts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            largest = _try_all(learning, [(budgets[-1], one) for one in settings], parts)
            costs = [one.found.cost for one in largest]
            best = int(np.argmin(costs))
            setting = settings[best]
            others = _try_all(learning, [(one, setting) for one in budgets[:-1]], parts)
        tried = dict(zip(budgets, [*others, largest[best]], strict=True))
        if len(settings) > 1:
            tuning = trials_of(settings, [one.found for one in largest], best)
    if interruptible:
        return learn_one_for_all(learning, budgets, setting, tuning, tried)
    estimators: dict[float, CostSensitiveTree] = {}
    if parts:
        found = [tried[budget].found for budget in budgets]
        chosen = chosen_by(learning, found)
        choices = [Choice.of(b, found[i]) for b, i in zip(budgets, chosen, strict=True)]
    else:
        estimators = _learned(learning, budgets, setting)
        trees = [estimators[budget] for budget in budgets]
        costs = [_estimated(learning, one) for one in trees]
        chosen = best_affordable(costs, [one.expected_test_cost_ for one in trees])
        choices = [Choice(b, budgets[i]) for b, i in zip(budgets, chosen, strict=True)]
    wanted = sorted({budgets[i] for i in chosen} - estimators.keys())
    estimators |= _learned(learning, wanted, setting)
    return Learned(choices, [estimators[budgets[i]] for i in chosen], tuning, setting)


def _estimated(learning: Learning, learner: CostSensitiveTree) -> float:
    """Return what a tree costs by its own estimate."""
    bills = learner.expected_test_cost_ if learning.judges_bills else 0.0
    return bills + learner.expected_error_cost_


def _learned(
    learning: Learning, budgets: Sequence[float], setting: Mapping[str, Any]
) -> dict[float, CostSensitiveTree]:
    """Return a tree for each budget from all cases."""
    return {budget: learning.learn(budget, setting) for budget in budgets}


def _try_all(
    learning: Learning,
    tasks: Sequence[tuple[float, Mapping[str, Any]]],
    parts: Sequence[tuple[Rows, Rows]],
) -> list[Tried]:
    """Return what trees for a budget and a setting do with the parts held out."""

    def one(budget: float, setting: Mapping[str, Any], part: tuple[Rows, Rows]) -> Any:
        learner = learning.learn(budget, setting, part[0])
        return learner, learning.held_out(learner, budget, part[1])

    run = Parallel(n_jobs=learning.n_jobs, prefer="threads")
    results = run(delayed(one)(*task, part) for task in tasks for part in parts)
    n = len(parts)
    groups = [results[i * n : (i + 1) * n] for i in range(len(tasks))]
    return [
        Tried([learner for learner, _ in group], HeldOut.joined([found for _, found in group]))
        for group in groups
    ]
