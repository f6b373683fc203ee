"""A search whose branch and bound is spread over a cluster, in rounds.

A round has a fixed number of jobs, whatever the number of workers: each goes on with one share
of the search, for as many steps. What they find is merged in their order. So where steps are
counted, the tree does not depend on how many workers there are, how fast they are, or whether
they die.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cluster import Cluster, Job, Shared
from frugaltree.engines.exact.search import CLOSE, LEAST_PIECE, PIECE_SECONDS, Search
from frugaltree.engines.exact.shares import (
    Actions,
    Instruction,
    Report,
    SharedSearch,
    deal_actions,
    heaviest,
)
from frugaltree.engines.exact.threads import FOREVER
from frugaltree.engines.problem import Problem
from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.exact.objective import Objective

ROUND_JOBS = 8
"""Jobs of a round."""

HERE_FIRST, JOB_STEPS = 10_000, 50_000
"""States to look at before a search leaves this process, and then in a job, at first."""


@dataclass
class Lot:
    """A share as it is known here.

    Attributes
    ----------
    actions
        Its first actions.
    lane
        Which of the jobs of a round may go on with it.
    lower
        No tree of it costs less.
    steps
        States expanded.
    instructions
        All that it was told.
    """

    actions: Actions
    lane: int
    lower: float
    steps: int = 0
    instructions: list[Instruction] = field(default_factory=list)

    @property
    def job(self) -> Job:
        """The job of following its instructions."""
        return Job("advance", (self.actions, tuple(self.instructions)), self.lane)


def next_lots(lots: list[Lot]) -> list[Lot]:
    """Return the lots of the next round: in each lane the one of fewest steps.

    A lane without any takes one over from the lane that has most.

    >>> lots = [Lot(Actions(a, a), lane, 0.0, steps=a) for a, lane in enumerate([0, 0, 1])]
    >>> [(lot.actions.least, lot.lane) for lot in next_lots(lots)]
    [(1, 0), (2, 1), (0, 2)]
    """
    by_lane: list[list[Lot]] = [[] for _ in range(ROUND_JOBS)]
    for lot in sorted(lots, key=lambda lot: lot.steps):
        by_lane[lot.lane].append(lot)
    for lane, own in enumerate(by_lane):
        most = max(by_lane, key=len)
        if not own and len(most) > 1:
            own.append(most.pop(0))
            own[0].lane = lane
    return [own[0] for own in by_lane if own]


class SpreadSearch(Search):
    """A search that begins here, as any other, and goes on in the workers of a cluster.

    Parameters
    ----------
    cluster
        Where shares are searched.
    problem, table, objective, stop, memory, seed, samples, jobs
        As in :class:`Search`; the memory is that of all shares, wherever they are.
    """

    def __init__(
        self,
        cluster: Cluster,
        problem: Problem,
        table: Table,
        objective: Objective,
        stop: Stop,
        memory: int,
        **how: int,
    ) -> None:
        self._cluster, self._stop, self._memory = cluster, stop, memory
        self._lots: list[Lot] = []
        self._shared: Shared | None = None
        self._found: tuple[Nodes, float] | None = None
        self._told, self._job_steps = np.inf, JOB_STEPS
        super().__init__(problem, table, objective, stop, memory, **how)
        self._piece = HERE_FIRST

    @property
    def steps(self) -> int:
        """How many states were expanded, wherever."""
        return super().steps + sum(lot.steps for lot in self._lots)

    @property
    def lower(self) -> float:
        """A cost that no tree undercuts, over all cases."""
        return max(super().lower, min((lot.lower for lot in self._lots), default=0.0))

    @property
    def upper(self) -> float:
        """The cost of a tree, over all cases."""
        return min(super().upper, self._told)

    def attach(self, stop: Stop, memory: int) -> None:
        """Let another request end the search, and the table of states here take other memory."""
        self._stop = stop
        super().attach(stop, memory)

    def tree(self) -> tuple[Nodes, float]:
        """Return the best tree known, in preorder, and its cost over all cases."""
        return self._found or super().tree()

    def state(self) -> dict[str, Any]:
        """Return what the search knows, here and in the workers, to go on from another day."""
        if self._shared is not None:
            jobs = [lot.job._replace(method="tell", given=(lot.actions,)) for lot in self._lots]
            for words in self._cluster.run(self._shared, jobs, Stop()):
                if words is not None:
                    self._workers.learn(words)
        state = super().state()
        return {**state, "counts": np.array([state["counts"][0], self.steps])}

    # ------------------------------------------------------------------------- rounds

    def rounds(self) -> Iterator[str]:
        """Search until the tree is proven; say after each round what was done."""
        if self._shared is None:
            for what in super().rounds():
                yield what
                if self.goes_deep and super().steps >= HERE_FIRST:
                    break
        while not (self.proven or self.stopped or self.reason):
            if self._shared is None:
                self._share()
            if self._shared is not None:
                self._run_jobs(self._shared)
            yield "branch and bound"

    def _share(self) -> None:
        """Give the problem, and what is known of it, to the workers."""
        dealt, state = deal_actions(self.problem), super().state()
        self._lots = [Lot(one, i % ROUND_JOBS, self.lower) for i, one in enumerate(dealt)]
        told = {
            **state,
            "states": heaviest(state["states"]),
            "counts": np.zeros(2, np.int64),
        }
        shared = SharedSearch(
            problem=self.problem,
            table=self.table,
            objective=self.objective,
            memory=self._memory // len(dealt),
            seed=self._seed,
            state=told,
            root=self._workers.root_key,
        )
        self._shared = self._cluster.share(shared, self._stop)

    def _run_jobs(self, shared: Shared) -> None:
        """Go on with some of the shares side by side; merge what they find in their order."""
        lots = next_lots([lot for lot in self._lots if lot.lower < self.upper * (1.0 - CLOSE)])
        left, upper, rates = self._last_step - self.steps, self.upper, list[float]()
        lots = lots[:left]
        for i, lot in enumerate(lots):
            steps = min(self._job_steps, (left + i) // len(lots))
            lot.instructions.append(Instruction(steps, upper))
        for lot, report in zip(
            lots, self._cluster.run(shared, [lot.job for lot in lots], self._stop), strict=False
        ):
            rates.append((report.steps - lot.steps) / max(report.seconds, 1e-9))
            self._merge(lot, report)
        if rates and self._last_step == FOREVER:
            self._job_steps = max(LEAST_PIECE, int(median(rates) * PIECE_SECONDS))

    def _merge(self, lot: Lot, report: Report) -> None:
        """Take note of what a share has found."""
        lot.lower, lot.steps = max(lot.lower, report.lower), report.steps
        best = np.inf if self._found is None else self._found[1]
        if report.tree is not None and report.cost < best * (1.0 - CLOSE):
            self._found = report.tree, report.cost
        self._told = min(self._told, report.upper)
