"""Threads that search one problem together, over one table of what is known of its states.

Nothing is dealt out. Every thread searches the whole problem, but tries the ways to go on in an
order of its own, and whatever one of them finds out the others find in the table when they come
by. Chess programs do the same ("lazy SMP"). What is proven does not depend on who was faster;
which of several equally cheap trees is found does.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cells import random_words
from frugaltree.engines.problem import Problem, directions_of
from frugaltree.kernels.cost.ask_rules import has_rules
from frugaltree.kernels.cost.prices import NO_CONDITIONS, lowest_prices
from frugaltree.kernels.data.bits import Layout, lay_out
from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.exact.ahead_buffers import AheadBuffers
from frugaltree.kernels.exact.cut_buffers import CutBuffers
from frugaltree.kernels.exact.objective import Objective
from frugaltree.kernels.exact.pair_bound import words_for
from frugaltree.kernels.exact.purse import Purse, free_of_charge
from frugaltree.kernels.exact.queue import ENTRY
from frugaltree.kernels.exact.records import (
    BRANCH_AND_BOUND,
    SAMPLING,
    SEARCH_RUN,
    Context,
    ExpandBuffers,
    PairBuffers,
    Path,
    SearchCases,
    Solver,
    Stack,
)
from frugaltree.kernels.exact.search import solve
from frugaltree.kernels.exact.state_table import LINE, REACH, States, move_states
from frugaltree.kernels.records import Records, empty_records, zero_records
from frugaltree.kernels.sentinels import NONE

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

ALL_ACTIONS = -FOREVER, FOREVER
"""The actions between which all are."""


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
    table, states
        The cases as they are weighed now, and the table of states.
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
        self.table, self.states = table, States.empty(min(memory, FIRST_TABLE))
        self._all = [self._new_solver(problem, objective, stop) for _ in range(jobs)]
        # What each thread has done: its SEARCH_RUN record, which stays the same.
        self._runs: list[Any] = [one.context.run[0] for one in self._all]
        for i, run in enumerate(self._runs):
            run.thread = i
        self.choose_between(*ALL_ACTIONS)
        self._memory, self._kept = memory, 0

    def _new_solver(self, problem: Problem, objective: Objective, stop: Stop) -> Solver:
        """Return what one thread searches with; the table of states is that of all."""
        table, n_groups = self.table, len(problem.prices.member.T)
        n, n_tests = table.classes.size, table.nominal.size
        n_words = words_for(int(table.weights.sum()), table.n_classes)
        limit, prices = problem.tests_limit, lowest_prices(problem.prices)
        if limit is None:
            purse = Purse.of(problem.prices, objective.budget)
        else:  # what tests cost counts, as without a budget
            purse = Purse.of(limit.counted._replace(conditions=NO_CONDITIONS), limit.most)
        n_marks = 3 + 3 * n_tests if has_rules(prices.rules) else 2
        stack = Stack.empty(table, n + 3)
        stack.live[0] = table.usable
        if purse.limit < np.inf:
            stack.live[0] = purse.within_reach(table.usable)
            stack.live[0, prices.rules.first] = 1  # out of reach, it bars the way to others
            n_marks = max(n_marks, 3 + n_tests)
        if objective.budget < np.inf:
            prices = free_of_charge(prices)
        context = Context(
            cases=SearchCases.of_table(table),
            prices=prices,
            purse=purse,
            objective=objective,
            path=Path.empty(n_tests, n_groups),
            directions=directions_of(problem),
            lines=self.states.lines,
            marks=random_words(1, n_tests + n_groups + n_marks),
            rows=np.zeros(n, np.int32),
            run=zero_records(1, SEARCH_RUN),
        )
        return Solver(
            context=context,
            stack=stack,
            queue=empty_records(FIRST_QUEUE, ENTRY),
            buffers=ExpandBuffers.empty(table),
            layout=Layout.empty(table),
            pairs=PairBuffers.empty(table, n_words, n_groups),
            cuts=CutBuffers.empty(table),
            ahead=AheadBuffers.empty(table),
            stop=stop.flag,
        )

    @property
    def first(self) -> Solver:
        """What the first thread works with."""
        return self._all[0]

    @property
    def steps(self) -> int:
        """How many states were expanded."""
        return sum(int(run.steps) for run in self._runs)

    @property
    def work(self) -> int:
        """How much work was done, by each on average."""
        return sum(int(run.work) for run in self._runs) // len(self._all)

    @property
    def stopped(self) -> bool:
        """Whether the search was asked to end."""
        return bool(self.first.stop[0])

    def begin(self, weights: npt.NDArray[np.int64], objective: Objective) -> None:
        """Begin anew with other weights of the cases, some maybe 0, or another objective."""
        rows = np.flatnonzero(weights)
        self.n, self._kept = np.int64(rows.size), 0
        self.lower, self.upper = 0.0, np.inf
        self.table = self.table._replace(weights=np.ascontiguousarray(weights))
        cases = SearchCases.of_table(self.table)
        for i, one in enumerate(self._all):
            one.context.rows[: rows.size] = rows
            self._runs[i].stamp += 1
            lay_out(cases, one.layout)
            context = one.context._replace(cases=cases, objective=objective)
            self._all[i] = one._replace(context=context)

    def inherit(self, before: Workers, factor: float) -> None:
        """Go on from what was known when errors cost another sum: now so many times as much.

        Where errors cost more, no tree costs less, and where they cost less, that share at least:
        so what no tree undercuts is known again. Which tree is best is not, it may be another one.
        The table changes hands.
        """
        states, stamp = before.states, int(before._runs[0].stamp)
        lines = states.lines
        lines["lower"] *= min(1.0, factor)
        lines["upper"] = np.inf
        lines["action"] = NONE
        self._kept = before._kept
        for run in self._runs:
            run.stamp = stamp
        self._use(states)

    def choose_between(self, least: int, most: int, cap: float = np.inf) -> None:
        """Let the first state choose between two actions, for a tree that costs less than that."""
        for run in self._runs:
            run.least_first, run.most_first, run.cap = least, most, cap

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
        several = mode == BRANCH_AND_BOUND or (mode == SAMPLING and sample > 0)
        n = len(self._all) if several else 1
        for i, run in enumerate(self._runs[:n]):
            run.by_bound, run.cuts, run.sample = by_bound, cuts, sample and sample + i
        last = self.steps + steps
        while True:
            began = self.work
            done = self._work(n, mode, effort, last - self.steps)
            effort -= self.work - began
            crowded = self._take_stock(n)
            over = self.stopped or self.steps >= last or (mode == BRANCH_AND_BOUND and effort <= 0)
            if over or not crowded:
                return not done

    def _work(self, n: int, mode: int, effort: int, steps: int) -> bool:
        """Let so many threads work; tell whether all are done, or one where that is enough."""
        solvers, room = self._all[:n], max(0, self._most() - self._kept)
        for run in self._runs[:n]:
            run.queue_full = run.kept = 0
            run.most_kept = max(1, room // n)
            run.last_step = run.steps + max(1, steps // n)
        go = partial(self._search, solvers, mode, effort)
        if n == 1:
            return go(solvers[0])
        with ThreadPoolExecutor(n) as pool:
            done = list(pool.map(go, solvers))
        return any(done) if mode == BRANCH_AND_BOUND else all(done)

    def _search(self, solvers: list[Solver], mode: int, effort: int, one: Solver) -> bool:
        """Search in one thread; call back the others when there is nothing left for them."""
        run, depth = one.context.run[0], np.int64(one.context.objective.max_depth)
        with np.errstate(over="ignore"):  # keys are mixed by overflowing
            solve(one, self.n, depth, np.int64(effort), np.int64(mode))
        full, paused = run.kept >= run.most_kept, run.steps >= run.last_step
        done = not (full or paused or self.stopped)
        if mode == BRANCH_AND_BOUND or not done:
            for other in solvers:
                other.context.run[0].last_step = 0
        return done

    def _take_stock(self, n: int) -> bool:
        """Gather what was found, and make room; tell whether the table was too small to go on."""
        crowded = short = False
        for one in self._all[:n]:
            run, found = one.context.run[0], one.stack.branches[0]
            crowded |= bool(run.kept >= run.most_kept) and not self.stopped
            short |= bool(run.queue_full)
            self._kept += int(run.kept)
            self.lower = max(self.lower, float(found.lower))
            self.upper = min(self.upper, float(found.upper))
        if crowded and self._kept >= NEARLY * self._most():
            self._grow_table()
        if short:
            size = GROWTH * self.first.queue.size
            self._all = [one._replace(queue=empty_records(size, ENTRY)) for one in self._all]
        return crowded

    # --------------------------------------------------------------------- the table

    def _larger(self) -> int:
        """Return the size of a larger table, 0 if the memory does not suffice for both."""
        now = self.states.lines.nbytes
        fitting = [GROWTH * now, 2 * now]
        return next((size for size in fitting if size + now <= self._memory), 0)

    def _most(self) -> int:
        """Return how many states there may be before the table grows, if it can."""
        return int(len(self.states.lines) * CROWDED) if self._larger() else FOREVER

    def _grow_table(self) -> None:
        try:
            states = States.empty(self._larger())
        except MemoryError:  # the machine has less than we were allowed
            self._memory = self.states.lines.nbytes
            return
        moved = move_states(self.states, states, self._runs[0].stamp, self.first.stop)
        if not self.stopped:
            self._kept = int(moved)
            self._use(states)

    def _use(self, states: States) -> None:
        """Go on with another table."""
        self.states = states
        self._all = [
            one._replace(context=one.context._replace(lines=states.lines)) for one in self._all
        ]

    @property
    def root_key(self) -> tuple[int, int]:
        """The fingerprint of the first state; it is known once that was searched."""
        root = self.first.stack.frames[1]
        return int(root.key0), int(root.key1)

    def root(self, key: tuple[int, int]) -> Records:
        """Return the line of the first state, to be read or written."""
        stamp, n = int(self._runs[0].stamp), len(self.states.lines)
        for step in range(REACH):
            line: Records = self.states.lines[(key[0] + step) % n]
            if line.stamp == stamp and (int(line.key0), int(line.key1)) == key:
                return line
        known = zero_records(1, LINE)  # it was forgotten
        known[0].key0, known[0].key1 = key
        known[0].upper, known[0].action, known[0].stamp = np.inf, NONE, stamp
        self.learn(States(known).words(stamp))
        return self.root(key)

    def known(self) -> tuple[Words, npt.NDArray[np.int64]]:
        """Return what is known of the states, and what it took: work and steps."""
        words = self.states.words(int(self._runs[0].stamp))
        return words, np.array([self.work, self.steps])

    def learn(self, words: Words) -> None:
        """Take note of what the same search knows elsewhere of states."""
        while self._kept + len(words) > self._most():
            before = len(self.states.lines)
            self._grow_table()
            if len(self.states.lines) == before:
                break
        stamp, never = np.int64(self._runs[0].stamp), np.zeros(1, np.int64)
        self._kept += int(move_states(States.of_words(words), self.states, stamp, never))

    def restore(self, words: Words, counts: npt.NDArray[np.int64]) -> None:
        """Go on from what was known."""
        known = States.of_words(words)
        stamp = int(known.lines[0].stamp) if len(words) else 1
        for run in self._runs:
            run.stamp, run.work, run.steps = stamp, counts[0], 0
        self._runs[0].steps = counts[1]
        while len(words) > CROWDED * len(self.states.lines) and self._larger():
            self._use(States.empty(self._larger()))
        moved = move_states(known, self.states, np.int64(stamp), np.zeros(1, np.int64))
        self._kept = int(moved)
