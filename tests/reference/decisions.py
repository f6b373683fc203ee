"""The slow and obvious twin: answers that are no classes.

A table of answers has the costs of classes and, from ``first_decision`` on, of decisions. A gain
is a negative cost.
"""

from __future__ import annotations

Matrix = list[list[float]]


def least_costs(errors: Matrix) -> list[float]:
    """Return, for each class, what the best answer for it costs.

    >>> least_costs([[0, 90], [40, 0], [25, -5]])
    [0, -5]
    """
    return [min(column) for column in zip(*errors, strict=True)]


def regrets(errors: Matrix) -> Matrix:
    """Return what each answer costs more than the best one for the class.

    >>> regrets([[0, 90], [40, 0], [25, -5]])
    [[0, 95], [40, 5], [25, 0]]
    """
    least = least_costs(errors)
    return [[cost - off for cost, off in zip(row, least, strict=True)] for row in errors]


def names_class(label: int, row: list[float], first_decision: int) -> bool:
    """Tell whether an answer is a class whose own cases it serves best."""
    return label < first_decision and row[label] == 0
