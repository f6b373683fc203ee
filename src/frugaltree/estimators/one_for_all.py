"""One tree for all budgets: good wherever it is cut short."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, cast

import numpy as np
from sklearn.base import clone

from frugaltree.anytime.stop import Stop
from frugaltree.engines.budgets import Choice, HeldOut, least_regret
from frugaltree.engines.cross_validation import Trial
from frugaltree.engines.extending import extended
from frugaltree.engines.prefixes import cut_short
from frugaltree.engines.problem import Problem
from frugaltree.estimators.anytime import AnytimeTree
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.estimators.budget_trials import Learned, Learning, Rows, Tried, chosen_by
from frugaltree.estimators.within_budget import without_bound
from frugaltree.kernels.data.nodes import Nodes


def learn_one_for_all(
    learning: Learning,
    budgets: Sequence[float],
    setting: Mapping[str, Any],
    tuning: list[Trial] | None,
    tried: Mapping[float, Tried],
) -> Learned:
    """Return the tree that is nowhere far above the best one for each budget.

    The trees to choose from: that of each budget, gone on with below its leaves for no, one, two
    larger budgets and so forth. By cases held out, the one is taken whose largest regret is least.
    """
    parts = learning.parts
    if not tried:
        [*_, learner] = _stages(learning, learning.learn(budgets[0], setting), budgets[1:], None)
        return Learned([Choice(b, b) for b in budgets], [learner], tuning, setting)
    found = [tried[budget].found for budget in budgets]
    chosen = chosen_by(learning, found)
    wanted = np.array([found[i].cost for i in chosen])
    cut: dict[tuple[int, int], list[HeldOut]] = {}
    for i, budget in enumerate(budgets):
        stages = [
            _stages(learning, learner, budgets[i + 1 :], rest)
            for learner, (rest, _) in zip(tried[budget].learners, parts, strict=True)
        ]
        for last, grown in enumerate(zip(*stages, strict=True), i):
            cut[i, last] = [_cut_at(learning, grown, b, parts) for b in budgets]
    best = least_regret(np.array([[one.cost for one in row] for row in cut.values()]), wanted)
    first, last = list(cut)[best]
    start = learning.learn(budgets[first], setting)
    [*_, learner] = _stages(learning, start, budgets[first + 1 : last + 1], None)
    choices = [Choice.of(b, one) for b, one in zip(budgets, cut[first, last], strict=True)]
    return Learned(choices, [learner], tuning, setting)


def _stages(
    learning: Learning, learner: Any, budgets: Sequence[float], rows: Rows | None
) -> list[CostSensitiveTree]:
    """Return a learner, then with a tree that goes on below its leaves, budget after budget."""
    stages: list[CostSensitiveTree] = [learner]
    if not budgets:
        return stages
    rows = np.arange(learning.codes.size) if rows is None else rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem = learning.problem_of(learner, rows)
    nodes = Nodes(*(array.copy() for array in learner.tree_.nodes))
    for budget in budgets:
        nodes = extended(problem, nodes, budget, lambda part, left: _search(learner, part, left))
        twin = copy(learner)
        twin._keep(problem, Nodes(*(array.copy() for array in nodes)))
        twin.max_test_cost = budget
        stages.append(without_bound(twin))
    return stages


def _search(learner: Any, problem: Problem, budget: float) -> Nodes:
    """Return the tree that a learner finds for a problem within a budget and its time limit."""
    searcher = clone(learner).set_params(max_test_cost=max(budget, 0.0))
    if not isinstance(searcher, AnytimeTree):
        return cast(Nodes, searcher._search(problem))
    stop = Stop()
    stop.start(searcher._limit())
    trees: list[Nodes] = []
    for snapshot in searcher._rounds_in_cases(problem, stop):
        trees = [snapshot.nodes]
        stop.check_time()
    return trees[0]


def _cut_at(
    learning: Learning,
    learners: Sequence[CostSensitiveTree],
    budget: float,
    parts: Sequence[tuple[Rows, Rows]],
) -> HeldOut:
    """Return what trees do with the parts held out, cut short at a budget."""
    return HeldOut.joined(
        [
            learning.held_out(_cut(learner, budget), budget, out)
            for learner, (_, out) in zip(learners, parts, strict=True)
        ]
    )


def _cut(learner: Any, budget: float) -> CostSensitiveTree:
    """Return a learner that answers and charges by its tree, cut short at a budget."""
    twin = copy(learner)
    twin.tree_ = cut_short(learner.tree_, learner._prices(), budget)
    return cast(CostSensitiveTree, twin)
