"""A learning problem: coded cases with their prices and error costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.cost.leaf import cheapest_labels
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.table import Table

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """A learning problem: coded cases, prices, error costs."""

    table: Table
    cases: Cases
    prices: Prices
    errors: Floats
    classes: npt.NDArray[Any]

    @property
    def weight(self) -> float:
        """The number of cases."""
        return float(self.cases.weights.sum())

    def answers(self, nodes: Nodes) -> npt.NDArray[np.int32]:
        """Return the cheapest answer of every node of a tree."""
        labels = np.empty(nodes.test.size, np.int32)
        cheapest_labels(self.errors, np.require(nodes.counts, requirements="W"), labels)
        return labels
