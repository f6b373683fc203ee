"""What a model costs and how often it is right, class by class, on cases it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from frugaltree.answer_costs import answer_costs, best_costs, mean_costs
from frugaltree.costs import Costs
from frugaltree.costs.regrets import regrets_of
from frugaltree.engines.cross_validation import shuffled_splits
from frugaltree.engines.forecast import (
    WIDENED,
    Forecast,
    Penalty,
    make_forecast,
    moments_of,
    shifted,
)
from frugaltree.exceptions import FrugaltreeError
from frugaltree.metrics import check_has_error_costs
from frugaltree.protocols import Estimator
from frugaltree.report.baselines import fit_baselines
from frugaltree.strategies import THIS, PaperEstimate

Floats = npt.NDArray[np.float64]

GUESS = "the cheapest answer, no tests"
"""The strategy that a forecast is compared with."""


@dataclass(frozen=True)
class Count:
    """So many right, of so many."""

    right: int
    of: int


@dataclass(frozen=True)
class ClassRates:
    """How often a class is found, ruled out, and rightly so."""

    label: str
    sensitivity: Count
    specificity: Count
    predictive: Count
    negative: Count


@dataclass(frozen=True)
class Saving:
    """What another strategy costs per case, and what the tree saves against it.

    Attributes
    ----------
    name
        What it is called.
    tests, errors, total
        What it costs.
    saved, error
        What the tree saves on average, and the standard error of that.
    """

    name: str
    tests: float
    errors: float
    total: float
    saved: float
    error: float


@dataclass(frozen=True)
class Measured:
    """What a model costs on cases it has not seen, and how often it is right.

    Attributes
    ----------
    cases
        How many there were.
    folds
        In how many folds the learner was cross-validated; None where the model itself was asked.
    forecast
        What a new case costs by these.
    bill
        How much of that is for tests.
    accuracy
        How often the answer was right, of those that were classes.
    classes
        The same, class by class.
    savings
        What the tree saves against other strategies.
    decisions
        How often each decision was taken.
    """

    cases: int
    folds: int | None
    forecast: Forecast
    bill: float
    accuracy: Count
    classes: list[ClassRates]
    savings: list[Saving]
    decisions: list[tuple[str, Count]] = field(default_factory=list)


Predictions = dict[str, tuple[Any, Any]]
"""By the name of a strategy, answers and bills of all cases."""


def measure(
    estimator: Estimator,
    X: Any,
    y: Any,
    *,
    folds: int | None = None,
    on_fold: Callable[[], None] | None = None,
    error_costs: Any = None,
) -> Measured:
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
    on_fold
        Called after each fold.
    error_costs
        Costs of each of these cases, as ``fit`` takes them; an array.
    """
    check_has_error_costs(estimator, None, error_costs)
    if folds is None:
        found = predict(estimator, X, y)
    else:
        found = cross_validate(estimator, X, y, folds, on_fold, error_costs)
    costs = estimator.costs or Costs()
    answers, bills = found.pop(THIS)
    cases = Truth(y, costs, error_costs)
    wrong, base = cases.costs_of(answers), cases.best_costs
    said, actual = np.array([*map(str, answers)]), np.array([*map(str, y)])
    known = dict.fromkeys([*map(str, estimator.classes_), *actual.tolist()])
    decisions = costs.decisions or ()
    told = ~np.isin(said, list(decisions)) if decisions else np.ones(len(said), bool)
    right = (said == actual)[told]
    if costs.decides_only:
        known = {}
    guessed = cases.costs_of(found[GUESS][0])
    return Measured(
        cases=len(actual),
        folds=folds,
        forecast=shifted(
            make_forecast(
                moments_of(bills + wrong - base, bills, guessed - base),
                cases.penalty,
                widened=1.0 if folds is None else WIDENED,
            ),
            float(base.mean()),
        ),
        bill=float(bills.mean()),
        accuracy=Count(right.sum(), right.size),
        classes=[rates(one, said[told] == one, actual[told] == one) for one in known],
        decisions=[(one, Count((said == one).sum(), len(said))) for one in decisions],
        savings=[
            saving(name, paid, cases.costs_of(guesses), bills + wrong)
            for name, (guesses, paid) in found.items()
        ],
    )


@dataclass(frozen=True)
class Truth:
    """The true classes of cases, and what answers to them cost.

    Attributes
    ----------
    labels, costs
        The classes, and the price list.
    own
        Costs of each case, None where they have none.
    """

    labels: Any
    costs: Costs
    own: Any = None

    def costs_of(self, answers: Any) -> Floats:
        """Return what the answer to each case costs."""
        if self.own is None:
            return error_costs(self.labels, answers, self.costs)
        return answer_costs(list(self.labels), list(answers), self.costs, self.own)

    @property
    def penalty(self) -> Penalty:
        """What a wrong answer costs on average."""
        labels, costs = list(self.labels), self.costs
        known, counts = np.unique(np.array(labels), return_counts=True)
        if costs.decisions is None:
            costs = mean_costs(costs, labels, known, self.own)
            return Penalty.of(costs.matrix(known.tolist()), counts / counts.sum())
        regrets, _ = regrets_of(costs.answer_costs(known.tolist()))
        first = 0 if costs.decides_only else known.size
        return Penalty.of(regrets, counts / counts.sum(), first)

    @property
    def best_costs(self) -> Floats:
        """What the best answer to each case costs: mostly nothing, or a gain of decisions."""
        if self.own is not None:
            return best_costs(list(self.labels), self.costs, self.own)
        if self.costs.decisions is None:
            return np.zeros(len(self.labels))
        known = list(dict.fromkeys(self.labels))
        by_class = self.costs.answer_costs(known).min(axis=0).tolist()
        least = dict(zip(known, by_class, strict=True))
        return np.array([least[label] for label in self.labels])


def error_costs(y: Any, answers: Any, costs: Costs) -> Floats:
    """Return what the answer to each case costs."""
    if costs.decisions is not None:
        return answer_costs(list(y), list(answers), costs)
    known = list(dict.fromkeys([*y, *answers]))
    place = {label: i for i, label in enumerate(known)}
    said, actual = ([place[label] for label in of] for of in (answers, y))
    return np.asarray(costs.matrix(known)[said, actual], np.float64)


def saving(name: str, paid: Floats, wrong: Floats, ours: Floats) -> Saving:
    """Return what another strategy costs, and what the tree saves against that."""
    total = paid + wrong
    saved = total - ours
    error = float(saved.std(ddof=1)) / len(saved) ** 0.5 if len(saved) > 1 else 0.0
    return Saving(
        name,
        tests=float(paid.mean()),
        errors=float(wrong.mean()),
        total=float(total.mean()),
        saved=saved.mean(),
        error=error,
    )


def rates(label: str, said: Any, is_it: Any) -> ClassRates:
    """Return how often a class is found, ruled out, and rightly so."""
    return ClassRates(
        label,
        sensitivity=Count((said & is_it).sum(), is_it.sum()),
        specificity=Count((~said & ~is_it).sum(), (~is_it).sum()),
        predictive=Count((said & is_it).sum(), said.sum()),
        negative=Count((~said & ~is_it).sum(), (~said).sum()),
    )


def cheapest_guess(estimator: Estimator) -> Any:
    """Return the answer that costs least without any test."""
    estimate = PaperEstimate.of(estimator)
    if not estimate.tree.has_decisions:
        return estimator.classes_[estimate.cheapest_answer]
    return estimate.tree.answer_names[estimate.cheapest_answer]


def predict(estimator: Estimator, X: Any, y: Any) -> Predictions:
    """Return the answers and bills of a model, and of a guess without tests."""
    guess = cheapest_guess(estimator)
    none = np.full(len(y), guess), np.zeros(len(y))
    return {THIS: (estimator.predict(X), estimator.bill(X)), GUESS: none}


def cross_validate(
    estimator: Estimator,
    X: Any,
    y: Any,
    folds: int,
    on_fold: Callable[[], None] | None = None,
    error_costs: Any = None,
) -> Predictions:
    """Return answers and bills of a learner and the baselines, by trees that never saw a case."""
    labels = np.array(list(y))
    fewest = int(np.unique(labels, return_counts=True)[1].min())
    if fewest < folds:
        raise FrugaltreeError(
            f"a class has {fewest} cases, too few for {folds} folds; use fewer folds."
        )
    decides = estimator.costs is not None and estimator.costs.decisions is not None
    kind = np.dtype(object) if decides else labels.dtype
    found: Predictions = {}
    for train, test in shuffled_splits(labels, folds, seed=0):
        own = None if error_costs is None else np.asarray(error_costs)[train]
        given = {} if own is None else {"error_costs": own}
        tree = clone(estimator).fit(X[train], labels[train], **given)
        learners = {THIS: tree, **fit_baselines(tree, X[train], labels[train], own)}
        told = {name: (one.predict(X[test]), one.bill(X[test])) for name, one in learners.items()}
        guess = np.full(len(test), cheapest_guess(tree))
        told[GUESS] = guess, np.zeros(len(test))
        for name, (answers, bills) in told.items():
            all_answers, all_bills = found.setdefault(
                name, (np.empty(len(labels), kind), np.empty(len(labels)))
            )
            all_answers[test], all_bills[test] = answers, bills
        if on_fold is not None:
            on_fold()
    return found
