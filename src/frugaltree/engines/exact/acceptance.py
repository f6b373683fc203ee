"""Which trees of an exact search become the incumbent, and when the search may end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from frugaltree.anytime.progress import Snapshot, gap_between
from frugaltree.engines.exact.search import CLOSE, Search
from frugaltree.engines.incumbent import Incumbent
from frugaltree.kernels.data.nodes import Nodes

Value = Callable[[Nodes], tuple[Nodes, float]]
"""What returns a tree as it counts, and its cost."""


class Acceptance:
    """Passes the trees of an exact search on to the incumbent, which never gets worse.

    The search may forget parts of its best tree. What counts is the tree that was read.

    Parameters
    ----------
    incumbent
        Where the best tree is.
    gap
        How close to the best is close enough.
    least_saving
        By which share of its cost a tree that samples have found must be undercut for one that
        takes branch and bound to find. Smaller savings tend to be chance.
    """

    def __init__(self, incumbent: Incumbent, gap: float, least_saving: float = 0.0) -> None:
        self.incumbent, self.gap_wanted, self._least_saving = incumbent, gap, least_saving

    def follow(
        self, search: Search, fitted: Mapping[str, Any], value: Value | None = None
    ) -> None:
        """Take trees from another search, under an objective of its own.

        ``value`` returns a tree and its cost with what the search has not looked at yet.
        """
        self._search, self._sampled, self._value = search, np.inf, value
        self.incumbent.fitted = fitted
        self.incumbent.forget_cost()
        self.incumbent.bound = 0.0

    def state(self) -> dict[str, Any]:
        """Return the tree and what is known of it, to go on from another day."""
        best = self.incumbent
        nodes = {f"tree_{name}": array for name, array in best.nodes._asdict().items()}
        return {**nodes, "best": np.array([best.cost, best.bound, self._sampled])}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a tree found another day."""
        nodes = Nodes(*(state[f"tree_{name}"] for name in Nodes._fields))
        cost, self.incumbent.bound, self._sampled = map(float, state["best"])
        self.incumbent.restore(nodes, cost)

    @property
    def gap(self) -> float:
        """How far the tree can be from the best."""
        return gap_between(self.incumbent.cost, self.incumbent.bound or 0.0)

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
            little = self._search.upper >= self._cost_to_undercut()
            return "completed" if little else "memory_limit"
        return self._search.reason

    def offer(self, nodes: Nodes, cost: float, what: str) -> Snapshot:
        """Take a tree from elsewhere if it is better; return where the search stands."""
        improved = cost < self.incumbent.cost * (1.0 - CLOSE)
        if improved:
            self.incumbent.take(nodes, cost, what)
        return self.snapshot(what, improved=improved)

    def update(self, what: str) -> Snapshot:
        """Take what the search has found; return where it stands after one more round."""
        search, best, improved = self._search, self.incumbent, False
        if search.upper < self._cost_to_undercut():
            nodes, cost = search.tree()
            if self._value is not None:
                nodes, cost = self._value(nodes)
            improved = cost < self._cost_to_undercut()
            if improved:
                best.take(nodes, cost, what)
        if not search.goes_deep:
            self._sampled = best.cost
        best.raise_bound(search.lower)
        return self.snapshot(what, improved=improved)

    def snapshot(self, what: str, *, improved: bool = False) -> Snapshot:
        """Return where the search stands after a round that looked for no tree."""
        return self.incumbent.snapshot(what, self._search.steps, improved=improved)

    def _cost_to_undercut(self) -> float:
        """Return the cost that a tree must undercut to be better."""
        saved = self._sampled * (1.0 - self._least_saving) if self._search.goes_deep else np.inf
        return min(saved, self.incumbent.cost * (1.0 - CLOSE))
