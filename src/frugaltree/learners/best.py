"""The best tree of a search so far, beside what the search knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from frugaltree.anytime.drive import Progress
from frugaltree.kernels.grow import Nodes
from frugaltree.learners.solver import CLOSE, Search


def gap_between(cost: float, bound: float) -> float:
    """Return how far a cost can be from the best, as a share of it.

    >>> gap_between(10.0, 8.0), gap_between(0.0, 0.0)
    (0.2, 0.0)
    """
    return (cost - bound) / cost if cost > bound else 0.0


class Best:
    """The best tree so far; it never gets worse under one objective.

    The search may forget parts of its best tree. What counts here is the tree that was read.

    Parameters
    ----------
    search
        Where trees come from.
    fitted
        Fitted attributes that go with every tree.
    gap
        How close to the best is close enough.
    """

    def __init__(self, search: Search, fitted: Mapping[str, Any], gap: float) -> None:
        self._search, self._gap = search, gap
        self._step = 0
        self.nodes: Nodes | None = None
        self.change(fitted, anew=True)

    def change(self, fitted: Mapping[str, Any], *, anew: bool) -> None:
        """Go on with other fitted attributes and, ``anew``, under another objective."""
        self._fitted = fitted
        if anew:
            self._cost, self._bound = np.inf, 0.0

    @property
    def gap(self) -> float:
        """How far the tree can be from the best."""
        return gap_between(self._cost, self._bound)

    @property
    def is_close(self) -> bool:
        """Whether the tree is as close to the best as wanted."""
        return self.gap <= max(self._gap, CLOSE)

    @property
    def reason(self) -> str | None:
        """Why the search need not go on, None if it should."""
        if self.gap <= CLOSE:
            return "optimal"
        return "gap" if self.is_close else self._search.reason

    def progress(self, what: str) -> Progress:
        """Take what the search has found; return where it stands after one more round."""
        search, improved = self._search, False
        if self.nodes is None or search.upper < self._cost * (1.0 - CLOSE):
            nodes, cost = search.tree()
            improved = self.nodes is None or cost < self._cost * (1.0 - CLOSE)
            if improved:
                self.nodes, self._cost = nodes, cost
        self._bound = max(self._bound, min(search.lower, self._cost))
        return self.still(what, improved=improved)

    def still(self, what: str, *, improved: bool = False) -> Progress:
        """Return where the search stands, with nothing new."""
        self._step += 1
        weight = self._search.problem.weight
        assert self.nodes is not None
        return Progress(
            self._step,
            None,
            self.nodes,
            self._cost / weight,
            what,
            self._search.steps,
            improved,
            self._fitted,
            self._bound / weight,
        )
