"""What a price list makes of a tree, and of the way of a case."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MISSING, UNSEEN = "(missing)", "(never seen)"
"""Answers of a step that are not values."""


class Charges(NamedTuple):
    """What a price list makes of a tree.

    Attributes
    ----------
    charge : float64[node]
        Charged when a case reaches the node: its test, or all tests that a delayed one orders.
    bill : float64[node]
        Charged in all to a case that ends at the node.
    owner : int64[node]
        The delayed node that has ordered the node's test, -1 outside any order.
    usage : float64[test]
        Weight of the training cases that pay for a test.
    paying : float64[node]
        Weight of the training cases that pay what the node charges.
    by : dict
        Where the price of a node's test depends on another, the name of that and the prices that
        training cases pay, ascending. ``charge`` and ``bill`` are then means.
    """

    charge: Floats
    bill: Floats
    owner: npt.NDArray[np.int64]
    usage: Floats
    paying: Floats
    by: dict[int, tuple[str, tuple[float, ...]]]


class Step(NamedTuple):
    """One test on the way of a case: what is asked, at what price, with which answer."""

    node: int
    test: str
    price: float
    answer: str
