"""Fitted learners seen from a budget: a tree cut short, a repertoire for metrics, its text."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from frugaltree.costs import Costs
from frugaltree.costs.regrets import regrets_of
from frugaltree.engines.budgets import Choice
from frugaltree.engines.estimate import costs_as_leaves
from frugaltree.engines.prefixes import cut_short
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.text import money, percent

Floats = npt.NDArray[np.float64]
Budget = float | Sequence[float] | Floats | None

HEAD = ("budget", "learned for", "held out: bill", "right", "errors cost")
"""The columns of an overview."""


class WithBudget:
    """A repertoire with a budget, as metrics see it."""

    def __init__(self, repertoire: Any, budget: Budget) -> None:
        self._repertoire, self._budget = repertoire, budget

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the answer for each case."""
        return np.asarray(self._repertoire.predict(X, self._budget))

    def bill(self, X: Any, costs: Costs | None = None) -> Floats:
        """Return what each case is charged."""
        return np.asarray(self._repertoire.bill(X, costs, budget=self._budget))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._repertoire, name)


def overview(choices: Sequence[Choice], unit: str | None) -> str:
    """Return a line for each budget, the columns one below the other.

    >>> print(overview([Choice(5.0, 3.0, 20.0, 1.0, 2.5, 0.9)], "EUR"))
      budget  learned for  held out: bill  right  errors cost
    EUR 5.00     EUR 3.00        EUR 2.50   90 %    EUR 20.00
    """
    lines = [HEAD, *(_line_of(one, unit) for one in choices)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )


def _line_of(one: Choice, unit: str | None) -> tuple[str, ...]:
    """Return the cells of a budget."""
    said = money(one.budget, unit), money(one.learned_for, unit)
    if one.cost is None or one.bill is None or one.accuracy is None:
        return *said, "", "", ""
    return *said, money(one.bill, unit), percent(one.accuracy), money(one.cost, unit)


def cut_learner(learner: CostSensitiveTree, budget: float) -> CostSensitiveTree:
    """Return a fitted learner whose tree is cut short at a budget, with what it then expects."""
    prices = learner._prices()
    tree = cut_short(learner.tree_, prices, budget)
    if tree is learner.tree_:
        return learner
    twin: Any = copy(learner)
    twin.tree_, charges = tree, tree.charges(prices)
    nodes, weight = tree.layout[0], float(tree.weights[0])
    names = [column.name for column in tree.columns]
    asked = {names[test] for test in tree.asked_tests}
    twin.test_usage_ = dict(zip(names, (charges.usage / weight).tolist(), strict=True))
    twin.test_ranges_ = {
        name: ends for name, ends in learner.test_ranges_.items() if name in asked
    }
    errors, offset = (learner.costs or Costs()).answer_costs(list(tree.classes)), 0.0
    if tree.has_decisions:
        errors, base = regrets_of(errors)
        offset = float(base @ tree.shares[0])
    how = learner._leaf_estimate(tree.first_decision)
    leaves = costs_as_leaves(nodes, errors, np.array(tree.labels), how)
    twin.expected_test_cost_ = float(charges.charge @ charges.paying) / weight
    twin.expected_error_cost_ = float(leaves[nodes.test == NONE].sum()) / weight + offset
    twin.expected_cost_ = twin.expected_test_cost_ + twin.expected_error_cost_
    return without_bound(twin)


def without_bound(learner: Any) -> CostSensitiveTree:
    """Return a learner whose tree has changed, so that no bound and no forecast is known of it."""
    if hasattr(learner, "gap_"):
        learner.objective_ = learner.expected_error_cost_
        learner.lower_bound_, learner.gap_, learner.forecast_ = 0.0, 1.0, None
    return cast(CostSensitiveTree, learner)
