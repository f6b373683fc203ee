"""The cases of a repertoire, and what a tree learned from some of them does with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from frugaltree.answer_costs import answer_costs
from frugaltree.costs import Costs
from frugaltree.engines.budgets import Choice, HeldOut, best_affordable, surely_affordable
from frugaltree.engines.cross_validation import FOLDS, Trial, stratified_folds
from frugaltree.engines.mixing import copies_for, mixed_places, recounted, take_values
from frugaltree.engines.problem import Problem
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
        return cast(CostSensitiveTree, learner)

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
        problem = learner._read(X, y, weights)  # the cases, no copies
        nodes = Nodes(*(array.copy() for array in learner.tree_.nodes))
        learner._keep(problem, recounted(problem, nodes))

    def problem_of(self, learner: Any, rows: Rows) -> Problem:
        """Return some of the cases as a problem, as the learner reads them."""
        weights = None if self.weights is None else self.weights[rows]
        found: Problem = learner._read(
            take_rows(self.X, rows), self.classes[self.codes[rows]], weights
        )
        return found

    def held_out(self, learner: CostSensitiveTree, budget: float, rows: Rows) -> HeldOut:
        """Return what a tree does with cases that it was not learned from."""
        X, codes = take_rows(self.X, rows), self.codes[rows]
        actual, answers = self.classes[codes], learner.predict(X)
        bills = learner.bill(X)
        wrong = answer_costs(actual, answers, learner.costs or Costs())
        return HeldOut(
            budget=budget,
            errors=wrong + bills if self.judges_bills else wrong,
            bills=bills,
            right=np.array(
                [a == b for a, b in zip(answers.tolist(), actual.tolist(), strict=True)]
            ),
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


def chosen_by(learning: Learning, found: Sequence[HeldOut]) -> list[int]:
    """Return which of the trees for increasing budgets is used within each, by cases held out."""
    if learning.folds < FOLDS:
        return surely_affordable(found)
    return best_affordable([one.cost for one in found], [one.bill for one in found])
