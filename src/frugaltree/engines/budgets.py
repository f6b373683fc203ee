"""Which tree to use within which budget: the best affordable one, by cases held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.engines.cross_validation import Trial, mean_and_error
from frugaltree.kernels.ties import TOLERANCE

Floats = npt.NDArray[np.float64]


def affordable(budget: Any) -> Any:
    """Return what bills may come to within a budget, or within each, rounding allowed for."""
    return budget * (1.0 + TOLERANCE) + TOLERANCE


@dataclass(frozen=True)
class HeldOut:
    """What trees learned for a budget do with cases that they were not learned from.

    Attributes
    ----------
    budget
        What they were learned for.
    errors, bills
        What the answer of each case costs, and what its tests are charged.
    right
        Whether the answer is right.
    weights
        How many cases each one stands for.
    """

    budget: float
    errors: Floats
    bills: Floats
    right: npt.NDArray[np.bool_]
    weights: Floats

    @property
    def cost(self) -> float:
        """The mean cost of an answer."""
        return float(np.average(self.errors, weights=self.weights))

    @property
    def bill(self) -> float:
        """The mean bill."""
        return float(np.average(self.bills, weights=self.weights))

    @classmethod
    def joined(cls, parts: Sequence[HeldOut]) -> HeldOut:
        """Return the cases of several folds as one."""
        return cls(
            budget=parts[0].budget,
            errors=np.concatenate([one.errors for one in parts]),
            bills=np.concatenate([one.bills for one in parts]),
            right=np.concatenate([one.right for one in parts]),
            weights=np.concatenate([one.weights for one in parts]),
        )


@dataclass(frozen=True)
class Choice:
    """The tree for a budget, and what is known of it by cases held out.

    Attributes
    ----------
    budget
        What may be spent.
    learned_for
        The budget that the tree was learned for, at most that.
    cost, error
        The mean cost of an answer on cases held out, and its standard error; None where no cases
        were held out.
    bill, accuracy
        What tests are charged there, and the share of right answers; None likewise.
    """

    budget: float
    learned_for: float
    cost: float | None = None
    error: float | None = None
    bill: float | None = None
    accuracy: float | None = None

    @classmethod
    def of(cls, budget: float, found: HeldOut) -> Choice:
        """Return the choice of the trees that cases were held out from."""
        cost, error = mean_and_error(found.errors, found.weights)
        return cls(
            budget=budget,
            learned_for=found.budget,
            cost=cost,
            error=error,
            bill=found.bill,
            accuracy=float(np.average(found.right, weights=found.weights)),
        )


def best_affordable(costs: Sequence[float], bills: Sequence[float]) -> list[int]:
    """Return, for each of increasing budgets, which of the trees up to there is cheapest.

    Of equal ones it is the one that asks for less, then the one for the smaller budget. So no
    budget has a dearer tree than a smaller one.

    >>> best_affordable([9.0, 7.0, 8.0, 7.0, 5.0], [1.0, 2.0, 3.0, 1.5, 4.0])
    [0, 1, 1, 3, 4]
    """
    chosen: list[int] = []
    for place, (cost, bill) in enumerate(zip(costs, bills, strict=True)):
        before = chosen[-1] if chosen else place
        slack = TOLERANCE * abs(costs[before])
        saves = cost < costs[before] - slack
        as_good = cost <= costs[before] + slack and bill < bills[before] * (1.0 - TOLERANCE)
        chosen.append(place if saves or as_good else before)
    return chosen


def surely_affordable(found: Sequence[HeldOut]) -> list[int]:
    """Return, for each of increasing budgets, which tree to use where few cases were held out.

    That is too much chance to leave the tree of a budget for one of a smaller budget, unless it
    saves more than the standard error of the saving.
    """
    chosen: list[int] = []
    for place, own in enumerate(found):
        before = found[chosen[-1]] if chosen else own
        saving, error = mean_and_error(own.errors - before.errors, own.weights)
        chosen.append(chosen[-1] if saving > error else place)
    return chosen


def trials_of(
    settings: Sequence[Mapping[str, Any]], found: Sequence[HeldOut], chosen: int
) -> list[Trial]:
    """Return what each setting costs on cases held out, and what it saves against the first."""
    trials = []
    for setting, one in zip(settings, found, strict=True):
        cost, error = mean_and_error(one.errors, one.weights)
        saving, spread = mean_and_error(found[0].errors - one.errors, one.weights)
        name = ", ".join(f"{key}={value!r}" for key, value in setting.items()) or "as given"
        trials.append(
            Trial(name, dict(setting), cost=cost, error=error, saving=saving, saving_error=spread)
        )
    return [replace(one, chosen=i == chosen) for i, one in enumerate(trials)]


def least_regret(costs: Floats, wanted: Floats) -> int:
    """Return which row of costs is nowhere far above what is wanted, the first of equal ones.

    Parameters
    ----------
    costs : float64[tree, budget]
        What trees cost that are cut short at each budget.
    wanted : float64[budget]
        What the best tree for each budget costs.

    Examples
    --------
    >>> least_regret(np.array([[9.0, 4.0], [6.0, 6.0]]), np.array([5.0, 4.0]))
    1
    """
    return int((costs - wanted).max(axis=1).argmin())
