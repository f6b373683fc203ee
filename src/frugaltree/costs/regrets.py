"""What may be answered, and what it costs, as learners see it.

A row of the table of answers is a class or a decision. What is minimised are regrets: what an
answer costs more than the best one for the case's class. Taking the cheapest cost of each class
off takes the same from every tree, so it changes no choice; but no cost is negative then, and
cases of one class always have an answer that costs nothing, so that to split them gains nothing.
Without decisions right answers are the best ones and nothing is taken off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frugaltree.costs.decisions import mean_error
from frugaltree.kernels.cost.error_estimate import NO_DECISIONS

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Penalties:
    """What errors cost a search: on average, at least, and whether all cost the same.

    ``least`` is the ``least_penalty`` of ``kernels.cost.bounds``.
    """

    mean: float
    least: float
    equal: bool


def regrets_of(costs: Floats) -> tuple[Floats, Floats]:
    """Return the regrets of a table of answers by actual class, and what was taken off.

    >>> regrets, base = regrets_of(np.array([[0.0, 90.0], [40.0, 0.0], [25.0, -5.0]]))
    >>> regrets.tolist(), base.tolist()
    ([[0.0, 95.0], [40.0, 5.0], [25.0, 0.0]], [0.0, -5.0])
    """
    base = costs.min(axis=0)
    base[base == 0.0] = 0.0  # not -0.0
    return costs - base, base


def penalties_of(regrets: Floats, base: Floats, first_decision: int) -> Penalties:
    """Return what errors cost, given the regrets of all answers.

    With decisions, ``least`` is the least of what any answer costs for the classes where it is not
    at its cheapest; of one that costs the same whatever the class, what it costs.

    >>> errors = np.array([[0.0, 100.0], [40.0, 0.0], [60.0, 60.0]])
    >>> penalties_of(errors[:2], np.zeros(2), NO_DECISIONS)
    Penalties(mean=70.0, least=40.0, equal=False)
    >>> penalties_of(errors, np.zeros(2), 2)
    Penalties(mean=70.0, least=40.0, equal=False)
    >>> penalties_of(errors - [[0], [0], [55]], np.zeros(2), 2).least
    5.0
    """
    if first_decision == NO_DECISIONS:
        off = regrets[~np.eye(len(regrets), dtype=bool)]
        if not off.size:
            return Penalties(0.0, 0.0, equal=True)
        return Penalties(float(off.mean()), float(off.min()), bool(np.ptp(off) == 0.0))
    mean = mean_error(regrets + base, first_decision)
    least = min(_next_least(row, a < first_decision, a) for a, row in enumerate(regrets))
    return Penalties(mean, least, equal=False)


def _next_least(row: Floats, is_class: bool, a: int) -> float:
    """Return what an answer costs at least where it is not at its cheapest."""
    others = np.delete(row, a) if is_class and row[a] == 0.0 else row[row > row.min()]
    return float(others.min() if others.size else row.min())
