"""The learners that a tree is held against, and what they cost on the same cases."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from frugaltree.estimators.c45 import C45Classifier
from frugaltree.estimators.dtmc import DTMCClassifier
from frugaltree.estimators.eg2 import EG2Classifier
from frugaltree.rivals import Rival, rivals_of

LEARNERS: dict[str, type[Any]] = {
    "C4.5, blind to costs": C45Classifier,
    "EG2, blind to errors": EG2Classifier,
    "DTMC, one step ahead": DTMCClassifier,
}
"""Who is at hand at once: greedy learners."""


on_fold: ContextVar[Callable[[], None] | None] = ContextVar("on_fold", default=None)
"""What to call when the learners are through with a fold, for who wants to show it."""


def learned(estimator: Any, X: Any, y: Any) -> dict[str, Any]:
    """Return what the greedy learners make of a fold, and tell that it is done."""
    found = fitted(estimator, X, y)
    tell = on_fold.get()
    if tell is not None:
        tell()
    return found


def fitted(estimator: Any, X: Any, y: Any) -> dict[str, Any]:
    """Return what the greedy learners make of the same cases at the same costs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            name: learner(estimator.costs).fit(X, y)
            for name, learner in LEARNERS.items()
            if learner is not type(estimator)
        }


def hold_against(estimator: Any, X: Any, y: Any) -> list[Rival]:
    """Hold a tree against other ways to answer; its model and its page then tell of them.

    Parameters
    ----------
    estimator
        A fitted learner; it gets the attribute ``rivals_``.
    X, y
        The cases that it was learned from.
    """
    estimator.rivals_ = rivals_of(estimator, fitted(estimator, X, y), X, y)
    found: list[Rival] = estimator.rivals_
    return found
