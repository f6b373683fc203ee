"""The best tree of a search so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from frugaltree.anytime.progress import Progress, Snapshot
from frugaltree.anytime.stop import Stop
from frugaltree.engines.problem import Problem
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.ties import TOLERANCE


class Incumbent:
    """The best tree so far, what it costs, what no tree costs less than, and where it came from.

    A search offers its trees here, and everybody else reads the best one from here.

    Parameters
    ----------
    stop
        The request to end the search; its clock dates the rounds.
    weight
        How many cases ``cost`` and ``bound`` are over; 1 where they are per case.
    finish
        Turns a tree as the search has it into the one that is kept; None keeps it as it is.
    fitted
        Fitted attributes that go with every tree.
    rounds
        How many rounds there will be, None if that is not known.

    Attributes
    ----------
    found, nodes
        The best tree as the search has it, and as it is kept, in preorder.
    cost
        What it costs.
    score
        What trees are compared by: the cost, unless the search says otherwise.
    bound
        What no tree costs less than, None where that is not known.
    source
        The round that found the tree.
    problem
        The problem whose codes its cuts refer to, None for the one that was given.

    Examples
    --------
    >>> incumbent = Incumbent(Stop())
    >>> incumbent.offer("a tree", 12.0, "greedy tree"), incumbent.offer("another", 13.0, "r = 1")
    (True, False)
    >>> incumbent.nodes, incumbent.cost, incumbent.source
    ('a tree', 12.0, 'greedy tree')
    """

    found: Nodes
    nodes: Nodes

    def __init__(
        self,
        stop: Stop,
        *,
        weight: float = 1.0,
        finish: Callable[[Nodes], Nodes] | None = None,
        fitted: Mapping[str, Any] | None = None,
        rounds: int | None = None,
    ) -> None:
        self.stop, self.weight, self._finish = stop, weight, finish
        self.fitted: Mapping[str, Any] = fitted or {}
        self._round, self._rounds = 0, rounds
        self.bound: float | None = None
        self.problem: Problem | None = None
        self.forget_cost()

    def forget_cost(self) -> None:
        """Take whatever tree comes next: costs from here on are by another estimate."""
        self.cost = self.score = np.inf
        self.source = ""

    def is_beaten_by(self, score: float, tolerance: float = TOLERANCE) -> bool:
        """Tell whether a tree of this score is better, by more than rounding."""
        return score < self.score * (1.0 - tolerance)

    def offer(self, nodes: Nodes, cost: float, source: str) -> bool:
        """Take a tree if it is better; tell whether it was taken."""
        better = self.is_beaten_by(cost)
        if better:
            self.take(nodes, cost, source)
        return better

    def take(self, nodes: Nodes, cost: float, source: str, *, score: float | None = None) -> None:
        """Take a tree, whatever there was before."""
        self.found, self.source = nodes, source
        self.nodes = self._finish(nodes) if self._finish else nodes
        self.cost, self.score = cost, cost if score is None else score

    def restore(self, nodes: Nodes, cost: float) -> None:
        """Go on with a tree that was kept before."""
        self.found = self.nodes = nodes
        self.cost = self.score = cost
        self.source = "an earlier search"

    def raise_bound(self, bound: float) -> None:
        """Take note that no tree costs less; the tree here shows that the bound is no higher."""
        self.bound = max(self.bound or 0.0, min(bound, self.cost))

    def snapshot(
        self, what: str, steps: int, *, improved: bool, share: float | None = None
    ) -> Snapshot:
        """Return where the search stands after one more round.

        Parameters
        ----------
        what
            The round in a few words.
        steps
            The work done so far.
        improved
            Whether the round has found a better tree.
        share
            Which share of the work is done, if that tells how many rounds there will be.
        """
        self._round += 1
        rounds = max(self._round, round(self._round / share)) if share else self._rounds
        progress = Progress(
            self.stop.seconds,
            self.cost / self.weight,
            None if self.bound is None else self.bound / self.weight,
            steps=steps,
            round=self._round,
            rounds=rounds,
            what=what,
            improved=improved or self._round == 1,
        )
        return Snapshot(progress, self.nodes, self.fitted, self.problem)
