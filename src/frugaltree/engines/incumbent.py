"""The best tree of a search so far, beside what the search knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from frugaltree.anytime.loop import Progress
from frugaltree.engines.exact.search import CLOSE, Search
from frugaltree.kernels.data.nodes import Nodes


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
    gap
        How close to the best is close enough.
    told
        Returns a tree that was searched for in terms of the tests given.
    worth
        By which share of its cost a tree that samples have found must be undercut for one that
        takes a search to find. Smaller savings tend to be chance.
    """

    def __init__(self, gap: float, told: Callable[[Nodes], Nodes], worth: float = 0.0) -> None:
        self.gap_wanted, self._told, self._worth = gap, told, worth
        self._step = 0
        self.nodes: Nodes | None = None

    def change(self, fitted: Mapping[str, Any]) -> None:
        """Go on with other fitted attributes."""
        self._fitted = fitted

    def follow(self, search: Search, fitted: Mapping[str, Any]) -> None:
        """Take trees from another search, under an objective of its own."""
        self._fitted = fitted
        self._search, self._cost, self._bound, self._sampled = search, np.inf, 0.0, np.inf

    def state(self) -> dict[str, Any]:
        """Return the tree and what is known of it, to go on from another day."""
        assert self.nodes is not None
        nodes = {f"tree_{name}": array for name, array in self.nodes._asdict().items()}
        return {**nodes, "best": np.array([self._cost, self._bound, self._sampled])}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a tree found another day."""
        self.nodes = Nodes(*(state[f"tree_{name}"] for name in Nodes._fields))
        self._cost, self._bound, self._sampled = map(float, state["best"])

    @property
    def cost(self) -> float:
        """What the tree costs, over all cases."""
        return self._cost

    @property
    def gap(self) -> float:
        """How far the tree can be from the best."""
        return gap_between(self._cost, self._bound)

    @property
    def is_close(self) -> bool:
        """Whether the tree is as close to the best as wanted."""
        return self.gap <= max(self.gap_wanted, CLOSE)

    @property
    def reason(self) -> str | None:
        """Why the search need not go on, None if it should."""
        if self.gap <= CLOSE:
            return "optimal"
        if self.is_close:
            return "gap"
        if self._search.proven:  # the best tree saves too little, or parts of it are forgotten
            little = self._search.upper >= self._least_saving()
            return "completed" if little else "memory_limit"
        return self._search.reason

    def progress(self, what: str) -> Progress:
        """Take what the search has found; return where it stands after one more round."""
        search, improved = self._search, False
        if search.upper < self._least_saving():
            nodes, cost = search.tree()
            improved = cost < self._least_saving()
            if improved:
                self.nodes, self._cost = self._told(nodes), cost
            if not search.goes_deep:
                self._sampled = self._cost
        self._bound = max(self._bound, min(search.lower, self._cost))
        return self.still(what, improved=improved)

    def _least_saving(self) -> float:
        """Return the cost that a tree must undercut to be better."""
        worth = self._sampled * (1.0 - self._worth) if self._search.goes_deep else np.inf
        return min(worth, self._cost * (1.0 - CLOSE))

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
