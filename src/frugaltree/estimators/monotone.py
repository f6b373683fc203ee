"""``monotone``: tests along which answers may only come later, or only earlier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from reprlib import repr as shortened
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.costs import Costs
from frugaltree.costs.errors import find_class
from frugaltree.engines.problem import Problem
from frugaltree.exceptions import FrugaltreeError, did_you_mean

MOST_CLASSES = 100
"""Among more classes answers are not kept in order: their pairs are too many to be looked at."""


def read_directions(
    monotone: Any, problem: Problem, costs: Costs, *, by_case: bool = False
) -> Problem:
    """Return the problem with the tests that answers follow, as ``monotone`` names them.

    ``by_case`` tells whether each case has error costs of its own.
    """
    names = problem.table.names
    directions = np.zeros(len(names), np.int8)
    for name, direction in _pairs(monotone, names):
        a = _column(name, names)
        directions[a] = _direction(direction, names[a])
        if directions[a] and problem.cases.nominal[a]:
            raise FrugaltreeError(
                f"monotone names {names[a]!r}, a nominal test, whose values have no order; leave "
                "it out, or give an ordered categorical column or numbers."
            )
    if not directions.any():
        return problem
    if costs.decisions is not None:
        raise FrugaltreeError(
            "monotone puts answers in the order of the classes, but these costs have decisions "
            f"({', '.join(costs.decisions)}), which have no place in it; leave one of them out."
        )
    if by_case:
        raise FrugaltreeError(
            "monotone is given beside error costs of each case, with which it is not searched; "
            "leave one of them out."
        )
    if problem.classes.size > MOST_CLASSES:
        raise FrugaltreeError(
            f"monotone keeps the answers of at most {MOST_CLASSES} classes in order, but there "
            f"are {problem.classes.size}; put classes together or leave it out."
        )
    return problem.following(directions, _order(problem.classes.tolist(), costs))


def followed_tests(monotone: Any, names: Sequence[str]) -> dict[str, int]:
    """Return the directions of the tests that answers follow.

    >>> followed_tests([0, -1], ["age", "pulse"])
    {'pulse': -1}
    """
    pairs = [(names[_column(one, names)], direction) for one, direction in _pairs(monotone, names)]
    return {name: int(direction) for name, direction in pairs if direction}


def ordered_classes(classes: Sequence[Any], costs: Costs) -> list[Any]:
    """Return the classes in the order of answers.

    >>> ordered_classes(["high", "low"], Costs(classes=["low", "mid", "high"]))
    ['low', 'high']
    """
    return [classes[c] for c in _order(classes, costs)]


def _order(classes: Sequence[Any], costs: Costs) -> npt.NDArray[np.intp]:
    """Return the classes of a table in the order of those of the costs, if these have one.

    >>> _order(["high", "low"], Costs(classes=["low", "mid", "high"])).tolist()
    [1, 0]
    """
    if costs.classes is None:
        return np.arange(len(classes))
    return np.argsort([find_class(label, costs.classes) for label in classes], kind="stable")


def _pairs(monotone: Any, names: Sequence[str]) -> Iterator[tuple[Any, Any]]:
    """Yield tests and directions: those of a mapping, or of a sequence one for each test."""
    if isinstance(monotone, Mapping):
        yield from monotone.items()
        return
    given = np.asarray(monotone, object).ravel().tolist()
    if len(given) != len(names):
        raise FrugaltreeError(
            f"monotone has {len(given)} directions for {len(names)} tests; give one for each, or "
            'name some, as in {"age": 1}.'
        )
    yield from enumerate(given)


def _column(name: Any, names: Sequence[str]) -> int:
    """Return the position of a test, given by its name or position."""
    if isinstance(name, str) and name in names:
        return list(names).index(name)
    is_position = isinstance(name, Integral) and not isinstance(name, bool)
    if is_position and 0 <= int(name) < len(names):
        return int(name)
    raise FrugaltreeError(
        f"monotone names {shortened(name)}, which is no test of this table; give the name of a "
        f"column, or its position from 0 to {len(names) - 1}.{did_you_mean(name, names)}"
    )


def _direction(direction: Any, name: str) -> int:
    """Return a direction as a number."""
    fits = isinstance(direction, Integral | float | np.floating) and not isinstance(
        direction, bool
    )
    if not fits or direction not in (-1, 0, 1):
        raise FrugaltreeError(
            f"monotone is {shortened(direction)} for {name!r}, but must be 1 (answers come later "
            "as it rises), -1 (earlier) or 0 (either)."
        )
    return int(direction)
