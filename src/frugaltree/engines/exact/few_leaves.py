"""The search for a tree of few leaves: each split is charged, and the charge is raised or lowered.

A tree of at most K leaves has at most K - 1 splits, for each splits a branch off. So if no tree
costs less than L where every split is charged c more, none of K leaves costs less than
L - c (K - 1) without that charge: it pays c (K - 1) more at most. That is a bound at any charge.
The best of them is found as one finds the corners of a convex hull: at the charge at which the
best trees of more and of fewer splits cost the same, another tree is better, or there is no other.

Where tests have three branches or more, splits are not leaves, and between the corners there may
be better trees: bound and tree need not meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from frugaltree.anytime.progress import Snapshot
from frugaltree.engines.exact.schedule import Schedule
from frugaltree.engines.exact.search import CLOSE
from frugaltree.engines.exact.session import Session
from frugaltree.engines.exact.valuation import Valuation
from frugaltree.engines.incumbent import Incumbent
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.exact.objective import Objective
from frugaltree.kernels.sentinels import NONE

FIRST_SHARE = 0.5
"""Of the steps, the share of the search without a limit."""

MOST_CHARGES, CUTS_BACK = 40, 24
"""So many charges are tried at most; a tree of too many leaves is cut back with so many."""


class Corner(NamedTuple):
    """A tree: what it costs without the charge, and its splits."""

    cost: float
    splits: int


def leaves_of(nodes: Nodes) -> int:
    """Return how many leaves a tree in preorder has."""
    return int((nodes.test == NONE).sum())


@dataclass
class FewLeaves:
    """Searches for a tree of so many leaves at most.

    Attributes
    ----------
    session
        The search without a limit of the leaves, begun or not.
    charged
        Returns the objective of a setting, given by its number, with a charge for each split.
    most
        The most leaves.
    incumbent
        Where the best tree of few leaves is.
    """

    session: Session
    charged: Callable[[int, float], Objective]
    most: int
    incumbent: Incumbent
    _pick: int | None = None

    def rounds(self, schedule: Schedule) -> Iterator[Snapshot]:
        """Search without a limit, then at one charge after the other; yield after each round."""
        session, stop = self.session, self.session.stop
        steps = schedule.max_steps
        first = None if steps is None else max(1, int(FIRST_SHARE * steps))
        seconds = None if schedule.seconds is None else FIRST_SHARE * schedule.seconds
        with stop.part(seconds) as part:
            session.resume(part, session.acceptance.gap_wanted, session.limits)
            unlimited = Schedule(seconds, first, schedule.monitored, schedule.jobs)
            for snapshot in unlimited.search(session):
                part.check_time()
                yield self._follow(snapshot)
        search = session.search
        search.attach(stop, session.limits.memory)
        search.allow(None if steps is None else max(1, steps - search.steps))
        if not stop.requested:
            yield from self._raise_charges()
        if self.incumbent.cost <= (self.incumbent.bound or 0.0) * (1.0 + CLOSE):
            stop.request("optimal")

    # ------------------------------------------------------------------------- trees

    def _follow(self, snapshot: Snapshot) -> Snapshot:
        """Take what the search without a limit has found and proven."""
        session, found = self.session, self.session.acceptance.incumbent
        self.incumbent.fitted = snapshot.fitted
        if self._pick != session.pick:
            self._pick = session.pick
            self._value = Valuation(session.problem, session.tests, session.objectives[self._pick])
            self.incumbent.forget_cost()
            self.incumbent.bound = 0.0
            self._offer(*self._value.leaf(self._value.everything), "leaf")
            self._leaf = self.incumbent.cost
        improved = self._take(found.found, snapshot.progress.what)
        self.incumbent.raise_bound(found.bound or 0.0)
        return self._snapshot(snapshot.progress.what, improved=improved)

    def _snapshot(self, what: str, *, improved: bool) -> Snapshot:
        return self.incumbent.snapshot(what, self.session.search.steps, improved=improved)

    def _offer(self, nodes: Nodes, cost: float, what: str) -> bool:
        """Take a tree of few leaves if it is better; tell whether it was."""
        better = leaves_of(nodes) <= self.most and cost < self.incumbent.cost * (1.0 - CLOSE)
        if better:
            self.incumbent.take(nodes, cost, what)
        return better

    def _take(self, nodes: Nodes, what: str) -> bool:
        """Take a tree, or what is left of it once it is cut back; tell whether it was better."""
        valued, cost = self._value.value(nodes)
        if leaves_of(valued) <= self.most:
            return self._offer(valued, cost, what)
        better, low, high = False, 0.0, self._leaf
        for _ in range(CUTS_BACK):
            charge = (low + high) / 2.0
            cut, _ = self._at(charge).value(nodes)
            few = leaves_of(cut) <= self.most
            low, high = (low, charge) if few else (charge, high)
            if few:
                better |= self._offer(*self._value.value(cut), what)
        return better

    def _at(self, charge: float) -> Valuation:
        """Return what values trees where each split is charged."""
        objective = self.charged(self._pick or 0, charge)
        return Valuation(self.session.problem, self.session.tests, objective)

    # ----------------------------------------------------------------------- charges

    def _raise_charges(self) -> Iterator[Snapshot]:
        """Search at one charge after the other, as long as that may raise the bound."""
        search, room = self.session.search, self.most - 1
        many, few = self._corner(0.0), Corner(self._leaf, 0)
        for number in range(1, MOST_CHARGES + 1):
            if many.splits <= room or few.splits >= many.splits or self._is_done:
                return
            charge = (few.cost - many.cost) / (many.splits - few.splits)
            if charge <= 0.0:
                return
            for _ in self._searched(charge):
                yield self._snapshot(f"charge {number}", improved=False)
            better = self._take(search.tree()[0], f"charge {number}")
            self.incumbent.raise_bound(search.lower - charge * room)
            yield self._snapshot(f"charge {number}", improved=better)
            if not search.proven:
                return
            found = self._corner(charge)
            at_many = many.cost + charge * many.splits
            if found.cost + charge * found.splits >= at_many * (1.0 - CLOSE):
                return
            many, few = (found, few) if found.splits > room else (many, found)

    @property
    def _is_done(self) -> bool:
        best = self.incumbent
        return self.session.stop.requested or best.cost <= (best.bound or 0.0) * (1.0 + CLOSE)

    def _searched(self, charge: float) -> Iterator[str]:
        """Search at a charge, round by round."""
        search = self.session.search
        search.begin(search.table.weights, self.charged(self._pick or 0, charge))
        yield from search.rounds()

    def _corner(self, charge: float) -> Corner:
        """Return the best tree of the search at a charge: its cost without it, and its splits."""
        nodes, cost = self.session.search.tree()
        splits = int((nodes.test != NONE).sum())
        return Corner(cost - charge * splits, splits)
