"""What new cases will cost, by cases that were held out, and how sure that is.

The mean cost of cases held out is an honest forecast but for three things, which are mended here.
A setting that was chosen because it did well on some cases looks better on these than it is: so
each fold is judged by the setting that the other folds would have chosen. Rare and dear errors
make the standard error too small just when none of them was seen: so, as Agresti and Coull do for
shares, a few cases are added of which half are answered wrongly. And the folds share their cases,
so their trees err together: standard errors are widened by a factor that was measured
(``python benchmarks/forecast.py``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.cost.error_estimate import NO_DECISIONS

if TYPE_CHECKING:
    from frugaltree.engines.problem import Problem

Floats = npt.NDArray[np.float64]

LEVEL = 1.959964
"""Standard errors on either side of a 95 % interval."""

ADDED = 4.0
"""Cases added before the interval is taken, half of them answered wrongly."""

WIDENED = 1.05
"""By how much standard errors of cross-validated costs are too small, about."""


@dataclass(frozen=True)
class Forecast:
    """What a new case costs, by cases held out, and what it costs without any test.

    Attributes
    ----------
    cost, error
        Cost per case, and its standard error.
    low, high
        The 95 % interval of the cost.
    guess
        What the same cases cost if all are given the cheapest answer, without tests.
    saving, saving_low, saving_high
        What a case costs less than that, and the 95 % interval.
    cases
        How many cases were held out, each counted once.
    """

    cost: float
    error: float
    low: float
    high: float
    guess: float
    saving: float
    saving_low: float
    saving_high: float
    cases: float


class Moments(NamedTuple):
    """Means over cases held out.

    Attributes
    ----------
    cases
        How many there were, each counted once.
    cost, squared_cost
        Of the cost of a case, and of its square.
    bill
        Of what a case is charged for tests.
    saving, squared_saving
        Of what a case costs less than without tests, and of its square.
    """

    cases: float
    cost: float
    squared_cost: float
    bill: float
    saving: float
    squared_saving: float


class Penalty(NamedTuple):
    """What a wrong answer costs on average, and the mean of its square."""

    mean: float
    square: float

    @classmethod
    def of(
        cls,
        errors: Floats,
        shares: Floats,
        first_decision: int = NO_DECISIONS,
        class_of: npt.NDArray[np.int64] | None = None,
    ) -> Penalty:
        """Return it for the costs of errors and the shares of the actual classes.

        With decisions, errors are regrets; they are those of the classes that are answered, and
        where none are, of the decisions that are not the best. Shares and errors may be by cost
        class, of the classes ``class_of``.

        >>> Penalty.of(np.array([[0.0, 10.0], [2.0, 0.0]]), np.array([0.5, 0.5]))
        Penalty(mean=6.0, square=52.0)
        """
        if first_decision == NO_DECISIONS:
            others: Any = max(len(errors) - 1, 1)
            columns = np.arange(errors.shape[1])
            own = errors[columns if class_of is None else class_of, columns]
            each = (errors.sum(axis=0) - own) / others
        else:
            wrong = errors[: first_decision or len(errors)]
            each = wrong.sum(axis=0) / np.maximum((wrong > 0.0).sum(axis=0), 1)
        return cls(float(each @ shares), float(each**2 @ shares))


def penalty_of(problem: Problem, shares: Floats) -> Penalty:
    """Return what a wrong answer costs in a problem, given the shares of its classes."""
    class_of = problem.cost_classes.class_of
    classes = class_of if class_of.size else None
    return Penalty.of(problem.errors, shares, problem.first_decision, classes)


def shifted(told: Forecast, offset: float) -> Forecast:
    """Return a forecast of costs, given that of regrets and how much more the costs are.

    >>> told = make_forecast(Moments(100, 0.4, 4.0, 0.0, 0.0, 0.0), Penalty(10.0, 100.0))
    >>> shifted(told, -5.0).cost, shifted(told, -5.0).saving == told.saving
    (-4.6, True)
    """
    moved = {name: getattr(told, name) + offset for name in ("cost", "low", "high", "guess")}
    return replace(told, **moved)


def make_forecast(moments: Moments, penalty: Penalty, *, widened: float = WIDENED) -> Forecast:
    """Return what new cases will cost.

    ``widened`` is 1 where a finished tree was tried on cases that it has not seen.

    Of 100 cases 4 were wrong, at 10 each: 0.4 a case. With 4 cases more, 2 of them wrong, that is
    60 / 104.

    >>> told = make_forecast(Moments(100, 0.4, 4.0, 0.0, 0.0, 0.0), Penalty(10.0, 100.0))
    >>> told.cost, round((told.low + told.high) / 2, 4) == round(60 / 104, 4)
    (0.4, True)
    """
    n = moments.cases
    wrong = ADDED / 2 * (moments.bill + penalty.mean)
    squared = ADDED / 2 * (moments.bill**2 + 2 * moments.bill * penalty.mean + penalty.square)
    mean = (n * moments.cost + ADDED / 2 * moments.bill + wrong) / (n + ADDED)
    square = (n * moments.squared_cost + ADDED / 2 * moments.bill**2 + squared) / (n + ADDED)
    half = LEVEL * widened * float(standard_error(square, mean, n + ADDED))
    error = standard_error(moments.squared_saving, moments.saving, n)
    saved = LEVEL * widened * float(error)
    return Forecast(
        cost=moments.cost,
        error=float(standard_error(moments.squared_cost, moments.cost, n)),
        low=max(0.0, min(mean - half, moments.cost)),
        high=max(mean + half, moments.cost),
        guess=moments.cost + moments.saving,
        saving=moments.saving,
        saving_low=moments.saving - saved,
        saving_high=moments.saving + saved,
        cases=n,
    )


def standard_error(square: Any, mean: Any, n: float) -> Any:
    """Return the standard error of means of ``n`` cases, given the means of the squares.

    >>> float(standard_error(26.0, 5.0, 2.0))
    1.0
    """
    return np.sqrt(np.maximum(square - mean**2, 0.0) / max(n - 1.0, 1.0))


def moments_of(
    costs: Floats, bills: Floats, guesses: Floats, weights: Floats | None = None
) -> Moments:
    """Return the means over cases, given what each costs, is charged, and costs without tests.

    ``weights`` tells how many cases each stands for, one if it is None.

    >>> moments_of(np.array([3.0, 1.0]), np.array([1.0, 1.0]), np.array([4.0, 0.0])).saving
    0.0
    >>> moments_of(np.array([3.0, 1.0]), np.zeros(2), np.zeros(2), np.array([3.0, 1.0])).cost
    2.5
    """
    saved = guesses - costs
    columns = np.array([costs, costs**2, bills, saved, saved**2])
    means = np.average(columns, axis=1, weights=weights)
    cases = float(costs.size if weights is None else weights.sum())
    return Moments(
        cases=cases,
        cost=float(means[0]),
        squared_cost=float(means[1]),
        bill=float(means[2]),
        saving=float(means[3]),
        squared_saving=float(means[4]),
    )
