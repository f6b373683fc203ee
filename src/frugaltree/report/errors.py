"""How often a model is right, class by class, on cases that it has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from frugaltree.consult.evidence import wilson
from frugaltree.costs import Costs
from frugaltree.engines.cross_validation import shuffled_splits
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.cost.leaf import cheapest_label
from frugaltree.report.baselines import learned
from frugaltree.rivals import THIS
from frugaltree.tree.text import money, percent

Floats = npt.NDArray[np.float64]


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
    told = asked(estimator, X, y) if folds is None else cross_validated(estimator, X, y, folds)
    costs = estimator.costs or Costs()
    (answers, bills), others = told.pop(THIS), told
    wrong = wrong_answers(y, answers, costs)
    said, actual = np.array([*map(str, answers)]), np.array([*map(str, y)])
    known = dict.fromkeys([*map(str, estimator.classes_), *actual.tolist()])
    return {
        "cases": f"{len(actual):,}",
        "folds": folds,
        "total": money(float((bills + wrong).mean()), costs.unit),
        "bill": money(float(bills.mean()), costs.unit),
        "accuracy": share((said == actual).sum(), len(actual)),
        "classes": [{"class": one, **rates(said == one, actual == one)} for one in known],
        "rivals": [
            compared(name, paid, wrong_answers(y, guesses, costs), bills + wrong, costs.unit)
            for name, (guesses, paid) in others.items()
        ],
    }


Told = dict[str, tuple[Any, Any]]
"""By name of who was asked, answers and bills of all cases."""


def wrong_answers(y: Any, answers: Any, costs: Costs) -> Floats:
    """Return what the answer to each case costs."""
    labels = [*y, *answers]
    known = list(dict.fromkeys(labels))
    place = {label: i for i, label in enumerate(known)}
    said, actual = ([place[label] for label in of] for of in (answers, y))
    return np.asarray(costs.matrix(known)[said, actual], np.float64)


def compared(name: str, paid: Floats, wrong: Floats, ours: Floats, unit: str | None) -> Any:
    """Return what somebody else costs, and what the tree saves against that."""
    saved = paid + wrong - ours
    error = float(saved.std(ddof=1)) / len(saved) ** 0.5 if len(saved) > 1 else 0.0
    return {
        "name": name,
        "tests": money(float(paid.mean()), unit),
        "errors": money(float(wrong.mean()), unit),
        "total": money(float((paid + wrong).mean()), unit),
        "saved": f"{saved.mean():+,.2f} ± {error:,.2f}",
    }


def guess_of(estimator: Any) -> Any:
    """Return the answer that costs least without any test."""
    _, errors = (estimator.costs or Costs()).resolve(
        [column.name for column in estimator.tree_.columns], estimator.classes_.tolist()
    )
    return estimator.classes_[int(cheapest_label(errors, estimator.tree_.nodes.counts[0]))]


def asked(estimator: Any, X: Any, y: Any) -> Told:
    """Return the answers and bills of a model, and of a guess without tests."""
    guess = guess_of(estimator)
    none = np.full(len(y), guess), np.zeros(len(y))
    return {THIS: (estimator.predict(X), estimator.bill(X)), f"always answer {guess}": none}


def cross_validated(estimator: Any, X: Any, y: Any, folds: int) -> Told:
    """Return answers and bills of a learner and its rivals, from trees that have not seen them."""
    labels = np.array(list(y))
    fewest = int(np.unique(labels, return_counts=True)[1].min())
    if fewest < folds:
        raise FrugaltreeError(
            f"a class has {fewest} cases, too few for {folds} folds; use fewer folds."
        )
    told: Told = {}
    for train, test in shuffled_splits(labels, folds, seed=0):
        tree = clone(estimator).fit(X[train], labels[train])
        guess = guess_of(tree)
        learners = {THIS: tree, **learned(tree, X[train], labels[train])}
        found = {name: (one.predict(X[test]), one.bill(X[test])) for name, one in learners.items()}
        found["the cheapest answer, no tests"] = np.full(len(test), guess), np.zeros(len(test))
        for name, (answers, bills) in found.items():
            all_answers, all_bills = told.setdefault(
                name, (np.empty(len(labels), labels.dtype), np.empty(len(labels)))
            )
            all_answers[test], all_bills[test] = answers, bills
    return told


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
