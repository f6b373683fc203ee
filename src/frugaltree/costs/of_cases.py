"""Costs of each case: an amount that the errors' costs are for, or what each answer costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from frugaltree.costs.checks import plain_label
from frugaltree.costs.errors import find_class
from frugaltree.exceptions import InvalidCosts

if TYPE_CHECKING:
    from frugaltree.costs.model import Costs

Floats = npt.NDArray[np.float64]

WANTED = "a number for each case, or a row of what each answer costs, or a matrix M[said][actual]"


def costs_of_cases(
    error_costs: Any, costs: Costs, classes: Sequence[Any], actual: npt.NDArray[np.integer[Any]]
) -> Floats:
    """Return what each answer costs for each case.

    Parameters
    ----------
    error_costs
        For each case: an amount, by which the costs of errors are multiplied; what each answer
        costs, in the order of the classes; or a matrix M[predicted][actual], of which the column
        of the actual class counts.
    costs
        The price list; it tells what errors cost, and may name more classes than the table has.
    classes
        The classes of the table.
    actual
        The class of each case, as a position among them.

    Examples
    --------
    Of two frauds of 900 and 20, the first missed costs 900 and the second 20; a false alarm costs
    what the price list says, for each unit of the amount.

    >>> from frugaltree import Costs
    >>> rates = Costs(errors=[[0, 1], [0.01, 0]], classes=["fine", "fraud"])
    >>> costs_of_cases([900, 20, 300], rates, ["fine", "fraud"], np.array([1, 1, 0])).tolist()
    [[900.0, 0.0], [20.0, 0.0], [0.0, 3.0]]

    A call costs 5, whoever is called:

    >>> costs_of_cases([[900, 5], [20, 5], [0, 5]], Costs(), ["fine", "fraud"], [1, 1, 0]).tolist()
    [[900.0, 5.0], [20.0, 5.0], [0.0, 5.0]]
    """
    if costs.decisions is not None:
        raise InvalidCosts(
            "error_costs tell what classes cost as answers, but these costs have decisions, too; "
            "leave decisions out, or give no error_costs."
        )
    given = _as_numbers(error_costs)
    n = len(actual)
    if len(given) != n:
        raise InvalidCosts(
            f"error_costs are for {len(given)} cases, but there are {n}; give one for each case."
        )
    if given.ndim == 1:
        by_class = costs.matrix(list(classes))
        return np.ascontiguousarray(given[:, None] * by_class.T[actual])
    known = costs.error_classes(classes)
    if given.shape[1:] not in ((len(known),), (len(known),) * 2):
        raise InvalidCosts(
            f"error_costs have the shape {given.shape}, but there are {len(known)} classes, "
            f"{list(known)!r}, and so as many answers; give {WANTED}."
        )
    where = [find_class(plain_label(label), known) for label in classes]
    found = given[:, where]
    if given.ndim == 3:
        found = np.take_along_axis(
            found, np.asarray(where)[np.asarray(actual)][:, None, None], axis=2
        )[:, :, 0]
    return np.ascontiguousarray(found)


def with_mean_errors(costs: Costs, mean: Floats, classes: Sequence[Any]) -> Costs:
    """Return a price list on which errors cost what they do on average.

    >>> from frugaltree import Costs
    >>> mean = np.array([[2.0, 90], [5, 2]])
    >>> with_mean_errors(Costs(unit="CAD"), mean, ["fine", "fraud"]).errors
    ((0.0, 90.0), (5.0, 0.0))
    """
    errors = np.where(np.eye(len(classes), dtype=bool), 0.0, mean)
    return replace(costs, errors=errors.tolist(), classes=tuple(classes))


def _as_numbers(error_costs: Any) -> Floats:
    """Return what was given as an array of at least one dimension, all finite, 0 or more."""
    try:
        given = np.asarray(error_costs)
        numbers = given.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidCosts(
            f"error_costs must be numbers, got a {type(error_costs).__name__}; give {WANTED}."
        ) from None
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim not in (1, 2, 3) or given.dtype.kind in "USM":
        raise InvalidCosts(
            f"error_costs have the shape {numbers.shape} and hold {given.dtype}; give {WANTED}."
        )
    odd = numbers[~((numbers >= 0.0) & (numbers < np.inf))]
    if odd.size:
        case = int(
            np.flatnonzero(
                ~((numbers >= 0.0) & (numbers < np.inf)).reshape(len(numbers), -1).all(axis=1)
            )[0]
        )
        raise InvalidCosts(
            f"error_costs have {odd[0]:g} for case {case}, but a cost must be a finite number, 0 "
            "or more; correct it, and take what every answer gains off all of a case's costs."
        )
    return numbers
