"""How often a model is right, class by class, on cases that it has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from frugaltree.consult.evidence import wilson
from frugaltree.exceptions import FrugaltreeError
from frugaltree.metrics import error_cost
from frugaltree.show import money, percent


def measured(estimator: Any, X: Any, y: Any, folds: int | None) -> dict[str, Any]:
    """Return what a model costs on cases, and how often it is right, class by class.

    Parameters
    ----------
    estimator
        A fitted learner.
    X, y
        Cases that it has not seen or, with ``folds``, those that it was learned from.
    folds
        Learn anew in so many folds, and count only answers for cases left out; None asks the
        model itself.
    """
    told, bills = (
        (estimator.predict(X), estimator.bill(X))
        if folds is None
        else cross_validated(estimator, X, y, folds)
    )
    unit = estimator.costs.unit if estimator.costs is not None else None
    answers, actual = (
        np.array([str(label) for label in told]),
        np.array([str(label) for label in y]),
    )
    wrong = float(error_cost(list(y), told, estimator.costs))
    bill = float(bills.mean())
    known = dict.fromkeys([*map(str, estimator.classes_), *actual.tolist()])
    return {
        "cases": f"{len(actual):,}",
        "folds": folds,
        "total": money(bill + wrong, unit),
        "bill": money(bill, unit),
        "accuracy": share((answers == actual).sum(), len(actual)),
        "classes": [{"class": one, **rates(answers == one, actual == one)} for one in known],
    }


def cross_validated(estimator: Any, X: Any, y: Any, folds: int) -> tuple[Any, Any]:
    """Return an answer and a bill for every case, each from a tree that has not seen it."""
    labels = np.array(list(y))
    fewest = int(np.unique(labels, return_counts=True)[1].min())
    if fewest < folds:
        raise FrugaltreeError(
            f"a class has {fewest} cases, too few for {folds} folds; use fewer folds."
        )
    answers, bills = np.empty(len(labels), labels.dtype), np.empty(len(labels))
    deal = StratifiedKFold(folds, shuffle=True, random_state=0)
    for train, test in deal.split(np.zeros(len(labels)), labels):
        tree = clone(estimator).fit(X[train], labels[train])
        answers[test] = tree.predict(X[test])
        bills[test] = tree.bill(X[test])
    return answers, bills


def rates(said: Any, is_it: Any) -> dict[str, str]:
    """Return how often a class is found, ruled out, and rightly so."""
    pairs = {
        "sensitivity": (said & is_it, is_it),
        "specificity": (~said & ~is_it, ~is_it),
        "predictive": (said & is_it, said),
        "negative": (~said & ~is_it, ~said),
    }
    return {name: share(right.sum(), of.sum()) for name, (right, of) in pairs.items()}


def share(right: int, of: int) -> str:
    """Return a share with its 95 % interval.

    >>> share(9, 10), share(0, 0)
    ('90 % (60 % to 98 %), 9 of 10', 'no such cases')
    """
    if of == 0:
        return "no such cases"
    low, high = wilson(float(right) / float(of), float(of))
    return f"{percent(right / of)} ({percent(low)} to {percent(high)}), {right} of {of}"
