"""Learning the trees of a repertoire: settings and budgets are compared on the same cases."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import clone

from frugaltree.engines.budgets import (
    Choice,
    HeldOut,
    affordable,
    best_affordable,
    least_regret,
    trials_of,
)
from frugaltree.engines.cross_validation import Trial, stratified_folds
from frugaltree.engines.mixing import copies_for, mixed_places, recounted, take_values
from frugaltree.engines.prefixes import cut_short, dearest_path
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.estimators.reading import take_rows
from frugaltree.kernels.data.nodes import Nodes

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

MIXED = "mixed"
"""The setting that is not one of the estimator's."""


@dataclass(frozen=True)
class Learning:
    """The cases of a repertoire, and how its trees are learned and compared.

    Attributes
    ----------
    base
        Learns a tree; never fitted itself.
    X, classes, codes, weights
        The cases, the labels, the class of each case among them, and how many cases each row
        stands for.
    errors
        What errors cost.
    folds
        How many of the parts are held out in turn.
    judges_bills
        Whether bills count beside errors.
    """

    base: CostSensitiveTree
    X: Any
    classes: npt.NDArray[Any]
    codes: npt.NDArray[np.int32]
    weights: Floats | None
    errors: Floats
    seed: int
    folds: int
    judges_bills: bool
    n_jobs: int | None

    @property
    def parts(self) -> list[tuple[Rows, Rows]]:
        """Which cases to learn from and which are held out, turn by turn."""
        part = stratified_folds(self.codes, self.seed)
        turns = [(np.flatnonzero(part != i), np.flatnonzero(part == i)) for i in range(self.folds)]
        return [(rest, out) for rest, out in turns if rest.size and out.size]

    def learn(
        self, budget: float, setting: Mapping[str, Any], rows: Rows | None = None
    ) -> CostSensitiveTree:
        """Return a learner with a tree for a budget, from some of the cases or from all."""
        rows = np.arange(self.codes.size) if rows is None else rows
        X, codes = take_rows(self.X, rows), self.codes[rows]
        weights = None if self.weights is None else self.weights[rows]
        own = {name: value for name, value in setting.items() if name != MIXED}
        learner: Any = clone(self.base).set_params(max_test_cost=budget, **own)
        copies = copies_for(rows.size) if setting.get(MIXED) else 0
        if copies:
            self._fit_mixed(learner, X, codes, weights, copies, float(setting[MIXED]))
        else:
            learner.fit(X, self.classes[codes], weights)
        if learner.termination_ == "interrupted":
            raise KeyboardInterrupt(
                "fit was interrupted before there was a tree for each budget; the repertoire is "
                "as it was before."
            )
        return learner

    def _fit_mixed(
        self,
        learner: Any,
        X: Any,
        codes: npt.NDArray[np.int32],
        weights: Floats | None,
        copies: int,
        share: float,
    ) -> None:
        """Learn from mixed cases; count by the cases themselves."""
        places = mixed_places(codes, X.shape[1], copies, share, self.seed)
        y = self.classes[codes]
        least = learner.get_params(deep=False).get("min_cases", 1)
        many = None if weights is None else np.tile(weights, copies + 1)
        if "min_cases" in learner.get_params(deep=False):
            learner.set_params(min_cases=least * (copies + 1))
        learner.fit(take_values(X, places), np.tile(y, copies + 1), many)
        if "min_cases" in learner.get_params(deep=False):
            learner.set_params(min_cases=least)
        problem = learner._read(X, y, weights)
        nodes = Nodes(*(array.copy() for array in learner.tree_.nodes))
        learner._keep(problem, recounted(problem, nodes))

    def held_out(self, learner: CostSensitiveTree, budget: float, rows: Rows) -> HeldOut:
        """Return what a tree does with cases that it was not learned from."""
        X, codes = take_rows(self.X, rows), self.codes[rows]
        answers = np.searchsorted(self.classes, learner.predict(X))
        bills = learner.bill(X)
        wrong = self.errors[answers, codes]
        return HeldOut(
            budget=budget,
            errors=wrong + bills if self.judges_bills else wrong,
            bills=bills,
            right=answers == codes,
            weights=np.ones(rows.size) if self.weights is None else self.weights[rows],
        )


class Learned(NamedTuple):
    """The trees of a repertoire.

    Attributes
    ----------
    choices, estimators
        For each budget, what is known of its tree, and the learner that has it. An interruptible
        one has a single learner.
    tuning, settings
        What was tried for the largest budget, None for no choice, and what was chosen.
    """

    choices: list[Choice]
    estimators: list[CostSensitiveTree]
    tuning: list[Trial] | None
    settings: Mapping[str, Any]


class Tried(NamedTuple):
    """The trees for a budget, one for each part held out, and what they do there."""

    learners: list[CostSensitiveTree]
    found: HeldOut


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
        return _one_for_all(learning, budgets, setting, tuning, tried, parts)
    estimators: dict[float, CostSensitiveTree] = {}
    if parts:
        found = [tried[budget].found for budget in budgets]
        chosen = best_affordable([one.cost for one in found], [one.bill for one in found])
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
    """Return a tree for each budget from all cases; one that spends less serves as well."""
    found: dict[float, CostSensitiveTree] = {}
    latest: CostSensitiveTree | None = None
    for budget in reversed(budgets):
        if latest is None or dearest_path(latest.tree_, latest._prices()) > affordable(budget):
            latest = learning.learn(budget, setting)
        found[budget] = latest
    return found


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


# ------------------------------------------------------------------------- interruptible


def _one_for_all(
    learning: Learning,
    budgets: Sequence[float],
    setting: Mapping[str, Any],
    tuning: list[Trial] | None,
    tried: Mapping[float, Tried],
    parts: Sequence[tuple[Rows, Rows]],
) -> Learned:
    """Return the tree that is nowhere far above the best one for each budget."""
    if not parts:
        learner = learning.learn(budgets[-1], setting)
        return Learned([Choice(b, budgets[-1]) for b in budgets], [learner], tuning, setting)
    found = [tried[budget].found for budget in budgets]
    chosen = best_affordable([one.cost for one in found], [one.bill for one in found])
    wanted = np.array([found[i].cost for i in chosen])
    cut = [
        [_cut_at(learning, tried[learned_for], learned_for, b, parts) for b in budgets]
        for learned_for in budgets
    ]
    best = least_regret(np.array([[one.cost for one in row] for row in cut]), wanted)
    learner = learning.learn(budgets[best], setting)
    choices = [Choice.of(b, one) for b, one in zip(budgets, cut[best], strict=True)]
    return Learned(choices, [learner], tuning, setting)


def _cut_at(
    learning: Learning,
    tried: Tried,
    learned_for: float,
    budget: float,
    parts: Sequence[tuple[Rows, Rows]],
) -> HeldOut:
    """Return what trees do with the parts held out, cut short at a budget."""
    if budget >= learned_for:
        return tried.found
    return HeldOut.joined(
        [
            learning.held_out(_cut(learner, budget), learned_for, out)
            for learner, (_, out) in zip(tried.learners, parts, strict=True)
        ]
    )


def _cut(learner: Any, budget: float) -> CostSensitiveTree:
    """Return a learner that answers and charges by its tree, cut short at a budget."""
    twin = clone(learner)
    vars(twin).update(vars(learner), tree_=cut_short(learner.tree_, learner._prices(), budget))
    return twin
