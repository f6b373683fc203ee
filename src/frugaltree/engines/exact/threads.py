"""Threads that search one problem together, over one table of what is known of its states.

Nothing is dealt out. Every thread searches the whole problem, but tries the ways to go on in an
order of its own, and whatever one of them finds out the others find in the table when they come
by. Chess programs do the same ("lazy SMP"). What is proven does not depend on who was faster;
which of several equally cheap trees is found does.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import numpy.typing as npt

from frugaltree.anytime.stop import Stop
from frugaltree.engines.problem import Problem
from frugaltree.kernels.data.bits import Layout, lay_out
from frugaltree.kernels.data.cells import CellSorter, Table
from frugaltree.kernels.exact.candidates import Queue, View
from frugaltree.kernels.exact.frame import (
    C_LOWER,
    C_UPPER,
    SEARCH,
    W_BY_BOUND,
    W_CUTS,
    W_KEPT,
    W_MOST,
    W_PAUSE,
    W_SAMPLE,
    W_SHORT,
    W_STAMP,
    W_STEPS,
    W_THREAD,
    W_WORK,
    WEIGH,
    Frames,
    Pairs,
    Route,
    Solver,
)
from frugaltree.kernels.exact.objective import Objective
from frugaltree.kernels.exact.pair_bound import words_for
from frugaltree.kernels.exact.search import solve
from frugaltree.kernels.exact.state_table import STAMP, States, move_states

Words = npt.NDArray[np.uint64]

FIRST_TABLE = 2**20
"""Bytes of the first table; it grows by the factor GROWTH as it fills up."""

GROWTH = 4
CROWDED, NEARLY = 0.5, 0.75
"""The share of its places from which on a table is crowded, and of that what calls for more."""

FIRST_QUEUE = 2**14
"""Candidates that the first queue has room for."""

FOREVER = 2**62
"""A number that no count reaches."""


class Workers:
    """A search in one or several threads; it can be asked to go on at any time.

    Parameters
    ----------
    problem
        What to learn.
    table
        Its cases, coded and merged.
    objective
        What to minimise.
    stop
        Asks the search to end.
    memory
        Bytes that the table of states may take.
    jobs
        How many threads there are.

    Attributes
    ----------
    n
        How many kinds of cases there are.
    lower, upper
        Bounds of the least cost, over all cases.
    """

    def __init__(
        self,
        problem: Problem,
        table: Table,
        objective: Objective,
        stop: Stop,
        memory: int,
        jobs: int = 1,
    ) -> None:
        states = States.empty(min(memory, FIRST_TABLE))
        self._all = [room_for(problem, table, objective, states, stop) for _ in range(jobs)]
        for i, one in enumerate(self._all):
            one.frames.used[W_THREAD] = i
        self._memory, self._kept = memory, 0

    @property
    def first(self) -> Solver:
        """The room that the first thread works in."""
        return self._all[0]

    @property
    def steps(self) -> int:
        """How many states were looked at."""
        return sum(int(one.frames.used[W_STEPS]) for one in self._all)

    @property
    def work(self) -> int:
        """How much work was done, by each on average."""
        return sum(int(one.frames.used[W_WORK]) for one in self._all) // len(self._all)

    @property
    def stopped(self) -> bool:
        """Whether the search was asked to end."""
        return bool(self.first.stop[0])

    def begin(self, weights: npt.NDArray[np.int64], objective: Objective) -> None:
        """Begin anew with other weights of the cases, some maybe 0, or another objective."""
        rows = np.flatnonzero(weights)
        self.n, self._kept = np.int64(rows.size), 0
        self.lower, self.upper = 0.0, np.inf
        table = self.first.table._replace(weights=np.ascontiguousarray(weights))
        for i, one in enumerate(self._all):
            one.rows[: rows.size] = rows
            one.frames.used[W_STAMP] += 1
            lay_out(table, one.layout)
            self._all[i] = one._replace(table=table, objective=objective)

    def attach(self, stop: Stop, memory: int) -> None:
        """Let another request end the search, and the table take other memory."""
        self._all = [one._replace(stop=stop.flag) for one in self._all]
        self._memory = memory
        if self._kept >= NEARLY * self._most():
            self._grow_table()

    # --------------------------------------------------------------------- searching

    def run(
        self,
        mode: int,
        steps: int,
        *,
        effort: int = 0,
        by_bound: bool = False,
        sample: int = 0,
        cuts: int = 1,
    ) -> bool:
        """Search in a way, for as many states at most; tell whether that has cut it short.

        Samples are numbered from ``sample`` on, 0 for the greedy tree that all have in common.
        """
        several = mode == SEARCH or (mode == WEIGH and sample > 0)
        n = len(self._all) if several else 1
        for i, one in enumerate(self._all[:n]):
            used = one.frames.used
            used[W_BY_BOUND], used[W_CUTS], used[W_SAMPLE] = by_bound, cuts, sample and sample + i
        last = self.steps + steps
        while True:
            began = self.work
            done = self._work(n, mode, effort, last - self.steps)
            effort -= self.work - began
            crowded = self._take_stock(n)
            over = self.stopped or self.steps >= last or (mode == SEARCH and effort <= 0)
            if over or not crowded:
                return not done

    def _work(self, n: int, mode: int, effort: int, steps: int) -> bool:
        """Let so many threads work; tell whether all are done, or one where that is enough."""
        crew, room = self._all[:n], max(0, self._most() - self._kept)
        for one in crew:
            used = one.frames.used
            used[W_SHORT] = used[W_KEPT] = 0
            used[W_MOST] = max(1, room // n)
            used[W_PAUSE] = used[W_STEPS] + max(1, steps // n)
        go = partial(self._search, crew, mode, effort)
        if n == 1:
            return go(crew[0])
        with ThreadPoolExecutor(n) as pool:
            done = list(pool.map(go, crew))
        return any(done) if mode == SEARCH else all(done)

    def _search(self, crew: list[Solver], mode: int, effort: int, one: Solver) -> bool:
        """Search in one thread; call back the others when there is nothing left for them."""
        used, depth = one.frames.used, np.int64(one.objective.max_depth)
        with np.errstate(over="ignore"):  # keys are mixed by overflowing
            solve(one, self.n, depth, np.int64(effort), np.int64(mode))
        full, paused = used[W_KEPT] >= used[W_MOST], used[W_STEPS] >= used[W_PAUSE]
        done = not (full or paused or self.stopped)
        if mode == SEARCH or not done:
            for other in crew:
                other.frames.used[W_PAUSE] = 0
        return done

    def _take_stock(self, n: int) -> bool:
        """Gather what was found, and make room; tell whether the table was too small to go on."""
        crowded = short = False
        for one in self._all[:n]:
            used, bounds = one.frames.used, one.frames.bounds[0]
            crowded |= bool(used[W_KEPT] >= used[W_MOST]) and not self.stopped
            short |= bool(used[W_SHORT])
            self._kept += int(used[W_KEPT])
            self.lower = max(self.lower, float(bounds[C_LOWER]))
            self.upper = min(self.upper, float(bounds[C_UPPER]))
        if crowded and self._kept >= NEARLY * self._most():
            self._grow_table()
        if short:
            size = GROWTH * self.first.queue.action.size
            self._all = [one._replace(queue=empty_queue(size)) for one in self._all]
        return crowded

    # --------------------------------------------------------------------- the table

    def _larger(self) -> int:
        """Return the size of a larger table, 0 if the memory does not suffice for both."""
        now = self.first.states.words.nbytes
        fitting = [GROWTH * now, 2 * now]
        return next((size for size in fitting if size + now <= self._memory), 0)

    def _most(self) -> int:
        """Return how many states there may be before the table grows, if it can."""
        return int(len(self.first.states.words) * CROWDED) if self._larger() else FOREVER

    def _grow_table(self) -> None:
        first = self.first
        try:
            states = States.empty(self._larger())
        except MemoryError:  # the machine has less than we were allowed
            self._memory = first.states.words.nbytes
            return
        moved = move_states(first.states, states, first.frames.used[W_STAMP], first.stop)
        if not self.stopped:
            self._kept = int(moved)
            self._use(states)

    def _use(self, states: States) -> None:
        """Go on with another table."""
        self._all = [one._replace(states=states) for one in self._all]

    def known(self) -> tuple[Words, npt.NDArray[np.int64]]:
        """Return what is known of the states, and what it took: work and steps."""
        states, used = self.first.states, self.first.frames.used
        ours = states.facts[:, STAMP] == used[W_STAMP]
        return states.words[ours], np.array([self.work, self.steps])

    def restore(self, words: Words, counts: npt.NDArray[np.int64]) -> None:
        """Go on from what was known."""
        stamp = int(words.view(np.int64)[0, STAMP]) if len(words) else 1
        for one in self._all:
            one.frames.used[W_STAMP], one.frames.used[W_WORK] = stamp, counts[0]
            one.frames.used[W_STEPS] = 0
        self.first.frames.used[W_STEPS] = counts[1]
        while len(words) > CROWDED * len(self.first.states.words) and self._larger():
            self._use(States.empty(self._larger()))
        known = States(words, words.view(np.float64), words.view(np.int64))
        moved = move_states(known, self.first.states, np.int64(stamp), np.zeros(1, np.int64))
        self._kept = int(moved)


def room_for(
    problem: Problem, table: Table, objective: Objective, states: States, stop: Stop
) -> Solver:
    """Return room for one thread to search in; the table of states may be that of others."""
    n, n_tests, n_groups = table.classes.size, table.nominal.size, len(problem.prices.member.T)
    marks = np.random.default_rng(1).integers(0, 2**64, (n_tests + n_groups + 2, 2), np.uint64)
    frames = Frames.empty(table, n + 3)
    frames.live[0] = table.usable
    return Solver(
        table,
        problem.prices,
        objective,
        states,
        CellSorter.empty(table),
        View.empty(table),
        Layout.empty(table),
        Pairs.empty(table, words_for(int(table.weights.sum()), table.n_classes)),
        empty_queue(FIRST_QUEUE),
        frames,
        Route(
            np.zeros(n_tests, np.int64),
            np.zeros(n_groups, np.int64),
            np.zeros(n_tests, np.uint8),
            np.zeros(1, np.int64),
        ),
        marks,
        np.zeros(n, np.int32),
        stop.flag,
    )


def empty_queue(size: int) -> Queue:
    """Return room for so many candidates."""
    return Queue(np.zeros((size, 4)), np.zeros(size, np.int64))
