"""What budgets and settings of a repertoire must be, and the sentence for those that are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from numbers import Real
from reprlib import repr as shortened
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.exceptions import FrugaltreeError, did_you_mean

Floats = npt.NDArray[np.float64]


def check_budget(budget: Any) -> float:
    """Return a budget as a number, 0 or more.

    >>> check_budget(-1)
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: a budget is a number, 0 or more, but is -1; correct it.
    """
    is_number = isinstance(budget, Real) and np.asarray(budget).dtype.kind != "b"
    if not is_number or not budget >= 0:
        raise FrugaltreeError(
            f"a budget is a number, 0 or more, but is {shortened(budget)}; correct it."
        )
    return float(budget)


def check_budgets(budgets: Any) -> list[float]:
    """Return budgets to learn for, provided that they increase.

    >>> check_budgets([5, 10, 10])
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: budgets must increase, but 10 comes after 10; put them
    in order and give each once.
    """
    if np.ndim(budgets) != 1 or not len(budgets):
        raise FrugaltreeError(
            f"budgets must be a list of one number or more, but is {shortened(budgets)}; give "
            "such as [5, 10, 20]."
        )
    found = [check_budget(one) for one in np.asarray(budgets, object).tolist()]
    for one in found:
        if one == np.inf:
            raise FrugaltreeError("budgets has an infinite one; give what all tests cost instead.")
    for before, after in pairwise(found):
        if after <= before:
            raise FrugaltreeError(
                f"budgets must increase, but {after:g} comes after {before:g}; put them in order "
                "and give each once."
            )
    return found


def check_case_budgets(budgets: Any, n_cases: int) -> Floats:
    """Return a budget for each case.

    >>> check_case_budgets([3, 5], 3)
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: there are 3 cases, but budgets for 2; give one number
    for all, or one for each case.
    """
    if np.ndim(budgets) != 1 or len(budgets) != n_cases:
        given = len(budgets) if np.ndim(budgets) == 1 else "a table"
        raise FrugaltreeError(
            f"there are {n_cases} cases, but budgets for {given}; give one number for all, or one "
            "for each case."
        )
    numbers = np.asarray(budgets)
    if numbers.dtype.kind not in "iuf":
        return np.array([check_budget(one) for one in budgets], np.float64)
    numbers = numbers.astype(np.float64)
    odd = np.flatnonzero(~(numbers >= 0))
    if odd.size:
        raise FrugaltreeError(
            f"the budget of case {odd[0]} is {numbers[odd[0]]:g}; give a number, 0 or more."
        )
    return numbers


def check_settings(settings: Any, known: Sequence[str]) -> list[dict[str, Any]]:
    """Return settings to choose from, provided that they are parameters of the estimator."""
    if not len(settings):
        raise FrugaltreeError("settings is an empty list; give one dict or more, or None.")
    for one in settings:
        if not isinstance(one, Mapping):
            raise FrugaltreeError(
                f"settings holds {shortened(one)}, which is not a dict; give parameters by name, "
                "as in [{'min_cases': 5}]."
            )
        for name in one:
            if name not in known or name in ("costs", "max_test_cost"):
                raise FrugaltreeError(
                    f"settings has {name!r}, which is no parameter to choose; take one of the "
                    f"estimator's, or 'mixed'.{did_you_mean(name, known)}"
                )
        mixed = one.get("mixed", 0.0)
        if mixed and "gap" in known:
            raise FrugaltreeError(
                "settings has mixed cases, of which the bound of this estimator would tell; leave "
                "'mixed' out, or take ACTClassifier."
            )
        is_number = isinstance(mixed, Real)
        if not is_number or not 0.0 <= mixed < 1.0:
            raise FrugaltreeError(
                f"settings has a mixed of {shortened(mixed)}; give a share from 0 up to, not "
                "including, 1."
            )
    return [dict(one) for one in settings]
