"""The baselines: greedy learners that a tree is compared with on the same cases."""

from __future__ import annotations

import warnings
from typing import Any

from frugaltree.estimators.c45 import C45Classifier
from frugaltree.estimators.dtmc import DTMCClassifier
from frugaltree.estimators.eg2 import EG2Classifier
from frugaltree.protocols import Estimator
from frugaltree.strategies import Strategy, compare_strategies

BASELINES: dict[str, type[Any]] = {
    "C4.5, blind to costs": C45Classifier,
    "EG2, blind to errors": EG2Classifier,
    "DTMC, one step ahead": DTMCClassifier,
}
"""The learners that are done at once."""


def fit_baselines(
    estimator: Estimator, X: Any, y: Any, error_costs: Any = None
) -> dict[str, Estimator]:
    """Return what the baselines learn from the same cases at the same costs.

    Where only decisions are answers, those that answer with classes are left out; where prices
    depend on other tests, those that do not see that. Costs of each
    case are for those that learn from them.
    """
    decides = estimator.costs is not None and estimator.costs.decides_only
    depends = estimator.costs is not None and bool(estimator.costs.price_if)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            name: learner(estimator.costs).fit(
                X, y, error_costs=error_costs if learner._looks_at_errors else None
            )
            for name, learner in BASELINES.items()
            if learner is not type(estimator)
            and (learner._looks_at_errors or not decides)
            and (learner._sees_conditions or not depends)
        }


def compare_with_baselines(
    estimator: Estimator, X: Any, y: Any, error_costs: Any = None
) -> list[Strategy]:
    """Return what a tree costs beside the baselines, a guess, and asking everything.

    Parameters
    ----------
    estimator
        A fitted learner.
    X, y
        The cases that it was learned from.
    error_costs
        Their own costs, where it was learned from these.
    """
    others = fit_baselines(estimator, X, y, error_costs)
    return compare_strategies(estimator, others, X, y, error_costs)
