"""Why a node takes a decision that is no class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.ties import TOLERANCE
from frugaltree.messages import say
from frugaltree.tree.text import money, on_one_line

Floats = npt.NDArray[np.float64]


def reason_for_decision(
    label: int, shares: Floats, errors: Floats, names: Sequence[Any], unit: str | None = None
) -> str:
    """Return why a decision is taken: what it costs, and the next answer; empty if that is less.

    Parameters
    ----------
    label
        The decision, as a position among the answers.
    shares
        The share of each class.
    errors
        What each answer costs, by actual class.
    names, unit
        What the answers are called, and what costs are in.

    Examples
    --------
    >>> errors = np.array([[0.0, 100.0], [400.0, 0.0], [20.0, 20.0], [-5.0, 90.0]])
    >>> names = ("ill", "well", "refer", "treat")
    >>> reason_for_decision(2, np.array([0.5, 0.5]), errors, names)
    'it costs 20.00 a case, treat 42.50'
    >>> reason_for_decision(3, np.array([1.0, 0.0]), errors, names, "EUR")
    'it brings EUR 5.00 a case, ill costs EUR 0.00'
    """
    expected = errors @ shares
    others = [a for a in range(len(names)) if a != label]
    if not others or expected[label] > expected[others].min() + TOLERANCE * abs(expected[label]):
        return ""
    next_best = min(others, key=lambda a: expected[a])
    own, cost = float(expected[label]), float(expected[next_best])
    kinds = "-".join("costs" if amount >= 0.0 else "brings" for amount in (own, cost))
    return say(
        f"reason.{kinds}",
        own=money(abs(own), unit),
        other=on_one_line(str(names[next_best])),
        cost=money(abs(cost), unit),
    )
