"""What a decision costs that is no class: one number, or a cost for each actual class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Real
from reprlib import repr as shortened
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from frugaltree.costs.checks import (
    DEAREST,
    Label,
    check_price,
    is_list,
    plain_label,
    position,
)
from frugaltree.exceptions import InvalidCosts, did_you_mean

Floats: TypeAlias = npt.NDArray[np.float64]

Decision: TypeAlias = float | tuple[float, ...] | dict[Label, float]
"""What a decision costs: whatever the class, by class in order, or by the class's name."""

Decisions: TypeAlias = dict[str, Decision]


def check_decisions(
    decisions: object, classes: tuple[Label, ...] | None, by_order: int | None
) -> Decisions | None:
    """Return decisions in plain Python.

    ``classes`` are those known already, ``by_order`` how many there are if only that is known.

    >>> check_decisions({"refer": 60, "watch": {"ill": 200, "well": -5}}, None, None)
    {'refer': 60, 'watch': {'ill': 200, 'well': -5}}
    >>> check_decisions({"refer": -60}, None, None)
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: the cost of decision 'refer' must be a finite number, 0 or
    more, but is -60; a gain is given by class, as in {'refer': {'ill': -60, 'well': 0}}.
    """
    if decisions is None:
        return None
    if not isinstance(decisions, Mapping):
        raise InvalidCosts(
            f"decisions must map each decision to its cost, but is {shortened(decisions)}; write "
            "a mapping such as {'refer': 60}."
        )
    if not decisions:
        raise InvalidCosts("decisions is empty; give each a cost, or leave it out.")
    checked = {_check_name(name): _check_decision(name, cost) for name, cost in decisions.items()}
    known = classes if classes is not None else classes_of_decisions(checked)
    for name, cost in checked.items():
        _check_together(name, cost, known, by_order)
        if known is not None:
            check_not_class(name, known)
    _check_lengths(checked, by_order if known is None else len(known))
    return checked


def _check_name(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise InvalidCosts(
            f"decisions names {shortened(name)}, which is no text; give each decision a name such "
            "as 'refer'."
        )
    return str(name)


def _check_decision(name: str, cost: object) -> Decision:
    what = f"the cost of decision {name!r}"
    if isinstance(cost, np.ndarray) and cost.ndim:
        cost = cost.tolist()
    if isinstance(cost, Mapping):
        found = {plain_label(label): value for label, value in cost.items()}
        if not found:
            raise InvalidCosts(f"decision {name!r} has no cost; give one for each class.")
        return {
            label: check_gain(value, f"{what} for class {label!r}")
            for label, value in found.items()
        }
    if is_list(cost):
        costs = tuple(check_gain(value, f"{what} for class {i}") for i, value in enumerate(cost))
        if not costs:
            raise InvalidCosts(f"decision {name!r} has no cost; give one for each class.")
        return costs
    if cost is None:
        raise InvalidCosts(f"decision {name!r} has no cost; give a number, or one for each class.")
    if isinstance(cost, int | float | np.integer | np.floating) and -math.inf < cost < 0:
        raise InvalidCosts(
            f"{what} must be a finite number, 0 or more, but is {shortened(cost)}; a gain is "
            f"given by class, as in {{{name!r}: {{'ill': {shortened(cost)}, 'well': 0}}}}."
        )
    return check_price(cost, what)


def check_gain(value: object, what: str) -> float:
    """Return ``value`` as a plain number, which may be negative: a gain.

    >>> check_gain(-20, "the cost of decision 'treat' for class 'ill'")
    -20
    >>> check_gain(float("nan"), "the cost of decision 'treat' for class 'ill'")
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: the cost of decision 'treat' for class 'ill' must be a
    finite number, but is nan; write a plain number such as 5.17, or -20 for a gain.
    """
    is_number = not isinstance(value, bool) and isinstance(value, Real | Decimal)
    try:
        number = float(value) if is_number else math.nan  # type: ignore[arg-type]
    except (OverflowError, ValueError):  # an int beyond float's range, a signalling NaN
        number = math.inf
    if not math.isfinite(number) and (number != number or not isinstance(value, int)):
        raise InvalidCosts(
            f"{what} must be a finite number, but is {shortened(value)}; write a plain number "
            "such as 5.17, or -20 for a gain."
        )
    if abs(number) > DEAREST:
        raise InvalidCosts(
            f"{what} is {shortened(value)}, too large to be added up over many cases; give all "
            f"costs in a larger unit, so that none is beyond {DEAREST:g}."
        )
    if number < 0:
        return -check_price(-value, what)  # type: ignore[operator]
    return check_price(value, what)


def _check_together(
    name: str, cost: Decision, known: Sequence[Label] | None, by_order: int | None
) -> None:
    """Refuse classes that are left out or unknown."""
    if not isinstance(cost, dict):
        return
    if by_order is not None and len(cost) != by_order:
        raise InvalidCosts(
            f"decision {name!r} has costs for {len(cost)} classes, but the error matrix has "
            f"{by_order}; give one for each class."
        )
    for label in cost:
        if known is not None and position(label, known) is None:
            raise InvalidCosts(
                f"decision {name!r} names the class {label!r}, but the classes are "
                f"{shortened(list(known))}; correct the name.{did_you_mean(label, known)}"
            )
    for label in known or ():
        if position(label, list(cost)) is None:
            raise InvalidCosts(
                f"decision {name!r} has no cost for class {label!r}; add it, with 0 if it costs "
                "nothing."
            )


def _check_lengths(decisions: Decisions, n_classes: int | None) -> None:
    """Refuse lists of costs of which some are longer than others, or than there are classes."""
    wanted = n_classes
    for name, cost in decisions.items():
        if isinstance(cost, tuple):
            wanted = len(cost) if wanted is None else wanted
            if len(cost) != wanted:
                raise InvalidCosts(
                    f"decision {name!r} has {len(cost)} costs for {wanted} classes; give one for "
                    "each class, in their order."
                )


def check_not_class(name: str, classes: Sequence[Label]) -> None:
    """Refuse a decision with the name of a class.

    >>> check_not_class("ill", ["ill", "well"])
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: the decision 'ill' has the name of a class; give it another
    name, or its costs under errors.
    """
    if position(name, classes) is not None:
        raise InvalidCosts(
            f"the decision {name!r} has the name of a class; give it another name, or its costs "
            "under errors."
        )


def classes_of_decisions(decisions: Decisions | None) -> tuple[Label, ...] | None:
    """Return the classes that decisions name, None where they name none.

    >>> classes_of_decisions({"refer": 60, "watch": {"well": 5, "ill": 200}})
    ('ill', 'well')
    """
    from frugaltree.costs.errors import in_order

    named = [cost for cost in (decisions or {}).values() if isinstance(cost, dict)]
    return in_order(label for cost in named for label in cost) if named else None


def are_all_answers(errors: object, decisions: Decisions | None) -> bool:
    """Tell whether decisions are a table of all answers: no errors, and some have costs by class.

    >>> are_all_answers(None, {"refer": 60}), are_all_answers(None, {"watch": (200, 5)})
    (False, True)
    """
    by_class = any(isinstance(cost, dict | tuple) for cost in (decisions or {}).values())
    return errors is None and by_class


def check_alone(errors: object, decisions: Decisions | None) -> None:
    """Refuse a table of answers that leaves nothing to decide."""
    if decisions is not None and are_all_answers(errors, decisions) and len(decisions) == 1:
        (name,) = decisions
        raise InvalidCosts(
            f"{name!r} is the only answer there is; add other decisions, or errors, so that "
            "classes are answers, too."
        )


def decision_costs(decisions: Decisions, known: Sequence[Label]) -> Floats:
    """Return the cost of each decision for each of the classes ``known``.

    >>> decision_costs({"refer": 60, "watch": {"well": 5, "ill": 200}}, ["ill", "well"])
    array([[ 60.,  60.],
           [200.,   5.]])
    """
    rows = np.empty((len(decisions), len(known)))
    for row, cost in zip(rows, decisions.values(), strict=True):
        if isinstance(cost, dict):
            labels = list(cost)
            where = [position(label, labels) for label in known]
            row[:] = [cost[labels[i]] if i is not None else np.nan for i in where]
        else:
            row[:] = cost
    return rows


def mean_error(costs: Floats, first_decision: int) -> float:
    """Return what a wrong answer costs on average, given a table of answers by actual class.

    It is that of the classes where they are answers. Of decisions alone, it is what one costs more
    than the best, where it does.

    >>> mean_error(np.array([[0.0, 100.0], [40.0, 0.0], [60.0, 60.0]]), 2)
    70.0
    >>> mean_error(np.array([[10.0, 110.0], [50.0, 10.0]]), 0)
    70.0
    """
    wrong = _wrong(costs, first_decision)
    return float(wrong.mean()) if wrong.size else 0.0


def largest_error(costs: Floats, first_decision: int) -> float:
    """Return what the dearest wrong answer costs, counted as in :func:`mean_error`."""
    return float(_wrong(costs, first_decision).max(initial=0.0))


def _wrong(costs: Floats, first_decision: int) -> Floats:
    if first_decision > 0:
        square = costs[:first_decision]
        return np.asarray(square[~np.eye(len(square), dtype=bool)])
    regrets = costs - costs.min(axis=0)
    return np.asarray(regrets[regrets > 0.0])
