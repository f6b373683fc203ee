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
    without,
)
from frugaltree.engines.exact.threads import ALL_ACTIONS, FOREVER, Words
from frugaltree.engines.problem import Problem
from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.exact.objective import Objective

ROUND_JOBS = 8
"""Jobs of a round where steps are counted, each in a lane of its own."""

HERE_FIRST, JOB_STEPS = 10_000, 50_000
"""States to look at before a search leaves this process, and then in a job, at first."""

WEIGHT = 2
"""How many times the steps of the next share the more promising one gets."""

SURVEY_STEPS = 2_000
"""States to look at for what a share promises."""

FIRST_EXCHANGE, MOST_TOLD = 500_000, 2**16
"""States to look at before lanes tell each other what they know, and of how many states.

They do so again whenever as many have been looked at as at the last time.
"""


@dataclass
class Lot:
    """A share as it is known here.

    Attributes
    ----------
    actions
        Its first actions.
    lane
        The number of the lane in which it is searched.
    lower
        No tree of it costs less.
    promise
        The cost of a tree of it that was found soon, 0 before one was looked for.
    steps
        States expanded.
    """

    actions: Actions
    lane: int
    lower: float
    promise: float = 0.0
    steps: int = 0


def next_lots(lots: list[Lot], n_lanes: int) -> list[Lot]:
    """Return which shares to search next: of each lane one, by what they promise.

    The one that promises most gets twice the steps of the next, and so on. A lane that has none
    takes over the most promising but one from the lane that has most.

    >>> given = [(0, 9.0, 200), (0, 8.0, 500), (1, 7.0, 100)]
    >>> lots = [Lot(Actions(i, i), *one[:1], 0.0, *one[1:]) for i, one in enumerate(given)]
    >>> [lot.actions.least for lot in next_lots(lots, 2)], [lot.lane for lot in lots]
    ([0, 2], [0, 0, 1])
    """
    by_lane: list[list[Lot]] = [[] for _ in range(n_lanes)]
    for lot in sorted(lots, key=lambda lot: lot.promise):
        by_lane[lot.lane].append(lot)
    for lane, own in enumerate(by_lane):
        most = max(by_lane, key=len)
        if not own and len(most) > 1:
            own.append(most.pop(1))
            own[0].lane = lane
    return [
        own[min(range(len(own)), key=lambda rank: own[rank].steps * WEIGHT**rank)]
        for own in by_lane
        if own
    ]


@dataclass
class Lane:
    """A table of states in some worker, and what it was told.

    Attributes
    ----------
    number
        Its number.
    given
        All instructions.
    followed
        How many of them it is known to have followed.
    told
        What the next one is to tell of states.
    """

    number: int
    given: list[Instruction] = field(default_factory=list)
    followed: int = 0
    told: Words | None = None

    def instruct(self, lot: Lot, upper: float, steps: int) -> None:
        """Let it search a share."""
        self.given.append(Instruction(lot.actions, lot.lower, upper, steps, self.told))
        self.told = None

    def job(self, method: str, *more: int) -> Job:
        """Return the job of following what it has not followed yet, and of answering."""
        given = self.given[self.followed :]
        return Job(method, (self.number, self.followed, given, *more), self.number)


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
        **how: Any,
    ) -> None:
        self._cluster, self._stop, self._memory = cluster, stop, memory
        self._whole, self._lots = Lot(Actions(*ALL_ACTIONS), 0, 0.0), list[Lot]()
        self._lanes: list[Lane] = []
        self._shared: Shared | None = None
        self._found: tuple[Nodes, float] | None = None
        self._told, self._job_steps, self._exchanged = np.inf, JOB_STEPS, 0
        super().__init__(problem, table, objective, stop, memory, **how)
        self._piece = HERE_FIRST

    @property
    def steps(self) -> int:
        """How many states were expanded, wherever."""
        return super().steps + sum(lot.steps for lot in (self._whole, *self._lots))

    @property
    def lower(self) -> float:
        """A cost that no tree undercuts, over all cases."""
        least = min((lot.lower for lot in self._lots), default=0.0)
        return max(super().lower, self._whole.lower, least)

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
        self._collect(Stop())
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
            elif self.steps - self._exchanged >= max(FIRST_EXCHANGE, self._exchanged):
                self._exchange()
            self._run_jobs()
            yield "branch and bound"

    def _share(self) -> None:
        """Give the problem, and what is known of it, to the workers."""
        counted, state = self._last_step < FOREVER, super().state()
        self._lanes = [Lane(i) for i in range(ROUND_JOBS if counted else self._cluster.size)]
        self._whole = Lot(Actions(*ALL_ACTIONS), 0, self.lower, promise=self.upper)
        others = len(self._lanes) - 1
        dealt = deal_actions(self.problem) if others else []
        self._lots = [Lot(one, 1 + i % others, self.lower) for i, one in enumerate(dealt)]
        shared = SharedSearch(
            problem=self.problem,
            table=self.table,
            objective=self.objective,
            memory=self._memory // len(self._lanes),
            seed=self._seed,
            state={
                **state,
                "states": heaviest(state["states"], MOST_TOLD),
                "counts": np.zeros(2, np.int64),
            },
            root=self._workers.root_key,
        )
        self._exchanged = self.steps
        self._shared = self._cluster.share(shared, self._stop)

    def _ask(self, jobs: list[Job], stop: Stop) -> Iterator[Any]:
        """Yield what jobs come to, until asked to stop."""
        if self._shared is not None:
            yield from self._cluster.run(self._shared, jobs, stop)

    def _answers(
        self, lanes: list[Lane], stop: Stop, method: str, *more: int
    ) -> list[tuple[Lane, Any]]:
        """Return what lanes answer once they have followed their instructions, in order."""
        answers = list(self._ask([lane.job(method, *more) for lane in lanes], stop))
        lost = [lanes[i] for i, answer in enumerate(answers) if answer is None]
        for lane in lost:  # its worker has died
            lane.followed = 0
        again = self._ask([lane.job(method, *more) for lane in lost], stop)
        found = [
            (lane, answer if answer is not None else next(again, None))
            for lane, answer in zip(lanes, answers, strict=False)
        ]
        for lane, answer in found:
            lane.followed = len(lane.given) if answer is not None else 0
        return [(lane, answer) for lane, answer in found if answer is not None]

    def _collect(self, stop: Stop) -> None:
        """Take note here of what lanes know of states."""
        most = MOST_TOLD // max(1, len(self._lanes))
        begun = [lane for lane in self._lanes if lane.given]
        for _, words in self._answers(begun, stop, "tell", most):
            self._workers.learn(words)

    def _exchange(self) -> None:
        """Let all lanes know what each knows."""
        self._collect(self._stop)
        known, _ = self._workers.known()
        words = heaviest(without(self._workers.root_key, known), MOST_TOLD)
        for lane in self._lanes:
            lane.told = words
        self._exchanged = self.steps

    def _run_jobs(self) -> None:
        """Search some of the shares side by side; merge what is found in their order."""
        upper, left = self.upper, self._last_step - self.steps
        is_open = [lot for lot in self._lots if lot.lower < upper * (1.0 - CLOSE)]
        lots = next_lots([self._whole, *is_open], len(self._lanes))[:left]
        surveys = any(lot.promise == 0.0 for lot in lots)  # jobs of a round take about as long
        most = min(self._job_steps, SURVEY_STEPS) if surveys else self._job_steps
        for i, lot in enumerate(lots):
            wanted = upper if lot.promise > 0.0 else np.inf  # first a tree, whatever it costs
            self._lanes[lot.lane].instruct(lot, wanted, min(most, (left + i) // len(lots)))
        lanes, rates = [self._lanes[lot.lane] for lot in lots], list[float]()
        searched = {lot.lane: lot for lot in lots}
        for lane, report in self._answers(lanes, self._stop, "advance"):
            self._merge(searched[lane.number], report)
            rates.append(report.steps / max(report.seconds, 1e-9))
        if rates and not surveys and self._last_step == FOREVER:
            self._job_steps = max(LEAST_PIECE, int(median(rates) * PIECE_SECONDS))

    def _merge(self, lot: Lot, report: Report) -> None:
        """Take note of what was found in a share."""
        lot.lower, lot.steps = max(lot.lower, report.lower), lot.steps + report.steps
        lot.promise = lot.promise or report.upper
        if report.tree is not None and report.cost < self.upper * (1.0 - CLOSE):
            self._found = report.tree, report.cost
        self._told = min(self._told, report.upper)
