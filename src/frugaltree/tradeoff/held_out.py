"""What the points of a frontier cost on cases that their trees have not seen.

The cases are dealt into folds, the same for all points. For each fold, trees are learned from the
other cases at the price of every point, and the cases of the fold are answered and charged by
them.

All intervals hold the true figure 95 times in a hundred, about. Shares have Wilson's. Costs have
those of :mod:`frugaltree.engines.forecast`: a few cases are added of which half are answered
wrongly, for rare and dear errors make standard errors too small just when none was seen. Folds
share their cases, so their trees err together: everything is widened as is done there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from frugaltree.consult.evidence import wilson
from frugaltree.engines.forecast import (
    LEVEL,
    WIDENED,
    Forecast,
    Penalty,
    make_forecast,
    moments_of,
    standard_error,
)

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.integer]


class Fold(NamedTuple):
    """The cases to learn from, and those left out."""

    train: npt.NDArray[np.intp]
    test: npt.NDArray[np.intp]


class Interval(NamedTuple):
    """A figure by cases held out, and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class HeldOut:
    """What a point costs on cases held out, and how often it is right.

    Attributes
    ----------
    cases
        How many there were.
    test_cost
        What a case is charged for tests.
    errors
        What its errors cost, counted in errors of the dearest kind.
    cost
        What it costs in all, at the price of the point.
    error_rate
        How often the answer is wrong.
    sensitivity, specificity
        How often a case of the class in question is found, and another one ruled out; None
        where no class is in question, or no such case was held out.
    """

    cases: int
    test_cost: Interval
    errors: Interval
    cost: Interval
    error_rate: Interval
    sensitivity: Interval | None
    specificity: Interval | None


@dataclass(frozen=True)
class Told:
    """Answers and bills of some cases, a row for each point.

    Attributes
    ----------
    answers
        The positions of the classes answered.
    bills
        What the cases were charged.
    """

    answers: npt.NDArray[np.int64]
    bills: Floats

    @classmethod
    def of(cls, asked: Sequence[tuple[npt.NDArray[Any], Floats]]) -> Self:
        """Return what each point says, given answers and bills of each.

        >>> Told.of([(np.array([0, 1]), np.array([2.0, 3.0]))]).bills.tolist()
        [[2.0, 3.0]]
        """
        answers = np.array([one for one, _ in asked], np.int64)
        return cls(answers, np.array([one for _, one in asked], np.float64))

    @classmethod
    def joined(cls, parts: Sequence[Told]) -> Told:
        """Return what was told of all cases, fold after fold."""
        answers = np.concatenate([one.answers for one in parts], axis=1)
        return cls(answers, np.concatenate([one.bills for one in parts], axis=1))


class Truth(NamedTuple):
    """What is true of cases held out, and what errors cost.

    Attributes
    ----------
    actual
        The class of each case.
    errors
        What each answer costs for each class, counted in the dearest error.
    case
        The position of the class in question, None for none.
    """

    actual: Codes
    errors: Floats
    case: int | None


def measure(told: Told, point: int, truth: Truth, price: float) -> HeldOut:
    """Return what a point costs on cases held out, at the price of its dearest error.

    Four cases, each charged 2 for tests, and one of the answers wrong:

    >>> told = Told(np.array([[0, 0, 1, 0]]), np.full((1, 4), 2.0))
    >>> truth = Truth(np.array([0, 0, 1, 1]), np.array([[0.0, 1.0], [0.5, 0.0]]), case=1)
    >>> found = measure(told, 0, truth, price=100.0)
    >>> found.test_cost.value, found.errors.value, found.cost.value
    (2.0, 0.25, 27.0)
    >>> found.error_rate.value, found.sensitivity.value, found.specificity.value
    (0.25, 0.5, 1.0)
    """
    actual, answers, bills = truth.actual, told.answers[point], told.bills[point]
    lost = truth.errors[answers, actual]
    frequencies = np.bincount(actual, minlength=len(truth.errors)) / actual.size
    wrong = answers != actual
    sensitivity = specificity = None
    if truth.case is not None:
        is_it = actual == truth.case
        found = answers == truth.case
        sensitivity, specificity = share_of(found[is_it]), share_of(~found[~is_it])
    penalty = Penalty.of(truth.errors, frequencies)
    dear = Penalty(price * penalty.mean, price**2 * penalty.square)
    none = np.zeros_like(bills)
    return HeldOut(
        cases=int(actual.size),
        test_cost=mean_of(bills),
        errors=as_interval(make_forecast(moments_of(lost, none, none), penalty)),
        cost=as_interval(make_forecast(moments_of(bills + price * lost, bills, none), dear)),
        error_rate=share_of(wrong) or Interval(0.0, 0.0, 1.0),
        sensitivity=sensitivity,
        specificity=specificity,
    )


def as_interval(told: Forecast) -> Interval:
    """Return the cost that a forecast tells, with its interval."""
    return Interval(told.cost, told.low, told.high)


def mean_of(costs: Floats) -> Interval:
    """Return the mean of costs of cases held out.

    >>> mean_of(np.array([2.0, 2.0]))
    Interval(value=2.0, low=2.0, high=2.0)
    """
    mean = float(costs.mean())
    error = float(standard_error(float((costs**2).mean()), mean, float(costs.size)))
    half = LEVEL * WIDENED * (error if error > 1e-9 * mean else 0.0)
    return Interval(mean, max(0.0, mean - half), mean + half)


def share_of(hits: npt.NDArray[np.bool_]) -> Interval | None:
    """Return how often something holds of cases held out; None without any.

    >>> one = share_of(np.array([True, False]))
    >>> one.value, round(one.low, 3), round(one.high, 3)
    (0.5, 0.088, 0.912)
    """
    if hits.size == 0:
        return None
    share = float(hits.mean())
    return Interval(share, *wilson(share, hits.size / WIDENED**2))
