"""The search for a provably cheapest tree, in rounds of growing effort."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.anytime.stop import Stop
from frugaltree.kernels.bits import WORD, Layout, lay_out
from frugaltree.kernels.candidates import Queue, View
from frugaltree.kernels.foresight import words_for
from frugaltree.kernels.frames import (
    C_LOWER,
    C_UPPER,
    DIVE,
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
    W_WORK,
    WEIGH,
    Frames,
    Pairs,
    Route,
    Solver,
)
from frugaltree.kernels.grow import Nodes
from frugaltree.kernels.objective import Objective
from frugaltree.kernels.read_tree import read_tree
from frugaltree.kernels.solve import solve
from frugaltree.kernels.states import STAMP, States, move_states
from frugaltree.kernels.subproblems import Desk, Table
from frugaltree.learners.base import Problem
from frugaltree.learners.greedy import ordered, trimmed

CLOSE = 1e-9
"""Costs that differ by less than this share are the same."""

MOST_CUTS = 5
"""Cuts of a numeric test that are weighed, at most."""

LEAST_SHARE = 1 / 16
"""The least work that goes into sampling, for each that goes into branch and bound."""

FOREVER = 2**62
"""A number that no count reaches."""

FIRST_PIECE, LEAST_PIECE, PIECE_SECONDS = 50_000, 2_000, 0.5
"""States of the first piece of work and of the smallest, and how long others are to take."""

FIRST_TABLE = 2**20
"""Bytes of the first table; it grows by the factor GROWTH as it fills up."""

GROWTH = 4
CROWDED = 0.5
"""The share of its places from which on a table is crowded."""

SHALLOW = 3
"""Trees of so many tests on a path are searched to the end before anything is sampled."""

FIRST_QUEUE = 2**14
"""Candidates that the first queue has room for."""


@dataclass
class Plan:
    """How the rounds of a search take turns.

    Attributes
    ----------
    samples
        How many were drawn.
    sampled, bounded
        Work done by sampling, and by branch and bound.
    share
        How much of the one there may be for each of the other.
    effort, turns
        What is left to do of the round of branch and bound in hand, and its number.
    """

    samples: int = 0
    sampled: int = 0
    bounded: int = 0
    effort: int = 0
    turns: int = 0
    share: float = 1.0


def is_compiled() -> bool:
    """Tell whether the kernels are compiled, or loaded, in this process."""
    return getattr(read_tree, "signatures", None) != []


class Search:
    """A search of one problem under one objective; it can be asked to go on at any time.

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
    seed
        Seed of the samples.
    samples
        How many to draw before the first branch and bound.

    Attributes
    ----------
    lower, upper
        Bounds of the least cost, over all cases.
    goes_deep
        Whether branch and bound has begun.
    """

    def __init__(
        self,
        problem: Problem,
        table: Table,
        objective: Objective,
        stop: Stop,
        memory: int = 2**30,
        seed: int = 0,
        samples: int = 1,
    ) -> None:
        n, n_tests, n_groups = table.classes.size, table.nominal.size, len(problem.prices.member.T)
        self.problem, self.objective, self.memory = problem, objective, memory
        self._seed, self._samples = seed, samples
        marks = np.random.default_rng(1).integers(0, 2**64, (n_tests + n_groups + 2, 2), np.uint64)
        frames = Frames.empty(table, n + 3)
        frames.live[0] = table.usable
        self._solver = Solver(
            table,
            problem.prices,
            objective,
            States.empty(min(memory, FIRST_TABLE)),
            Desk.empty(table),
            View.empty(table),
            Layout.empty(table),
            Pairs.empty(table, words_for(int(table.weights.sum()), table.n_classes)),
            Queue(np.zeros((FIRST_QUEUE, 4)), np.zeros(FIRST_QUEUE, np.int64)),
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
        self._last_step, self._piece, self._clocked = FOREVER, FIRST_PIECE, False
        self.begin(table.weights)

    def begin(self, weights: npt.NDArray[np.int64], objective: Objective | None = None) -> None:
        """Begin anew with other weights of the cases, some maybe 0, or another objective."""
        rows = np.flatnonzero(weights)
        self._n = np.int64(rows.size)
        self._solver.rows[: rows.size] = rows
        table = self._solver.table._replace(weights=np.ascontiguousarray(weights))
        self._solver = self._solver._replace(table=table, objective=objective or self.objective)
        self.objective = self._solver.objective
        self.weight = float(weights.sum())
        lay_out(table, self._solver.layout)
        used = self._solver.frames.used
        used[W_STAMP] += 1
        used[W_KEPT] = 0
        self._set_most()
        self.lower, self.upper = 0.0, np.inf
        self._cut = self.goes_deep = False
        self._plan = Plan(effort=FOREVER if self._is_shallow else 0)

    @property
    def _is_shallow(self) -> bool:
        """Whether most of a tree is looked through at once, so that samples come too late."""
        table, objective = self._solver.table, self.objective
        nominal = bool(table.nominal[table.usable > 0].all())
        fits = self.weight <= WORD * self._solver.pairs.n_words
        return bool(objective.simple and nominal and fits and objective.max_depth <= SHALLOW)

    @property
    def steps(self) -> int:
        """How many states were looked at."""
        return int(self._solver.frames.used[W_STEPS])

    @property
    def work(self) -> int:
        """How much work was done."""
        return int(self._solver.frames.used[W_WORK])

    @property
    def proven(self) -> bool:
        """Whether the tree is known to be the cheapest."""
        return self.lower >= self.upper * (1.0 - CLOSE)

    @property
    def reason(self) -> str | None:
        """Why the search cannot go on, None if it can."""
        return "steps" if self.steps >= self._last_step else None

    @property
    def stopped(self) -> bool:
        """Whether the search was asked to end."""
        return bool(self._solver.stop[0])

    @property
    def table(self) -> Table:
        """The cases, as they are weighed now."""
        return self._solver.table

    def hurry(self) -> None:
        """Find a good tree soon: grow one greedily, then weigh every test once."""
        self.dive()
        if not self.proven and not self.stopped:
            self.weigh()

    def rounds(self, max_steps: int | None = None) -> Iterator[str]:
        """Search until the tree is proven; say after each round what was done.

        Sampling and branch and bound take turns by the work each has done. What sampling may do
        falls as it stops helping. A round of branch and bound that takes long is done in pieces.
        """
        self._last_step = FOREVER if max_steps is None else self.steps + max_steps
        self._clocked = max_steps is None
        if self.upper == np.inf:
            self.dive()
            yield "greedy tree"
        while not (self.proven or self.stopped or self.reason):
            plan, upper, began = self._plan, self.upper, self.work
            if plan.effort > 0:
                self.goes_deep = True
                self.improve(plan.effort, by_bound=plan.turns % 2 == 1)
                plan.bounded += self.work - began
                plan.effort = max(0, plan.effort - (self.work - began)) if self._cut else 0
                yield "branch and bound"
            elif plan.samples < self._samples or plan.sampled <= plan.share * plan.bounded:
                self.weigh(plan.samples, min(plan.samples + 1, MOST_CUTS))
                plan.samples += 0 if self._cut else 1
                plan.sampled += self.work - began
                if self.upper >= upper * (1.0 - CLOSE):
                    plan.share = max(plan.share / 2.0, LEAST_SHARE)
                yield f"sample {plan.samples}"
            else:
                plan.effort = max(2 * plan.bounded, plan.sampled, 1)
                plan.turns += 1

    def dive(self) -> None:
        """Grow a tree greedily."""
        self._run(0, DIVE)

    def weigh(self, sample: int = 0, cuts: int = 1) -> None:
        """Grow a tree as ACT does, one sample below each test; what it finds is kept."""
        used = self._solver.frames.used
        used[W_SAMPLE], used[W_CUTS] = sample and sample + self._seed, cuts
        self._run(0, WEIGH)
        used[W_SAMPLE] = 0

    def improve(self, effort: int, *, by_bound: bool = False) -> None:
        """Search with this much effort, and narrow the bounds of the cost over all cases.

        Either what promises most comes first, which finds better trees, or the least bound, which
        raises it.
        """
        self._solver.frames.used[W_BY_BOUND] = by_bound
        self._run(effort, SEARCH)

    def _run(self, effort: int, mode: int) -> None:
        """Search in a way, for as long as a piece may take; ``_cut`` tells if it was cut short."""
        used, started, first = self._solver.frames.used, perf_counter(), self.steps
        used[W_PAUSE] = min(self._last_step, first + self._piece)
        while True:
            used[W_SHORT] = 0
            began = self.work
            with np.errstate(over="ignore"):
                depth = np.int64(self.objective.max_depth)
                solve(self._solver, self._n, depth, np.int64(effort), np.int64(mode))
            crowded = used[W_KEPT] >= used[W_MOST] and not self.stopped
            if crowded:
                self._grow_table()
            if used[W_SHORT]:
                self._grow_queue()
            effort -= self.work - began
            self._cut = self.stopped or self.steps >= used[W_PAUSE]
            if self._cut or not crowded or (effort <= 0 and mode == SEARCH):
                break
        if self._clocked and self.steps - first > LEAST_PIECE:
            rate = (self.steps - first) / (perf_counter() - started)
            self._piece = max(LEAST_PIECE, int(rate * PIECE_SECONDS))
        bounds = self._solver.frames.bounds[0]
        self.lower = max(self.lower, float(bounds[C_LOWER]))
        self.upper = min(self.upper, float(bounds[C_UPPER]))

    # --------------------------------------------------------------------- keeping

    def state(self) -> dict[str, Any]:
        """Return what the search knows, to go on from another day."""
        states, used = self._solver.states, self._solver.frames.used
        known = states.words[states.facts[:, STAMP] == used[W_STAMP]]
        return {
            "states": known,
            "counts": used[[W_WORK, W_STEPS]],
            "bounds": np.array([self.lower, self.upper]),
            "deep": self.goes_deep,
            "plan": list(astuple(self._plan)),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what was known."""
        used, words = self._solver.frames.used, np.ascontiguousarray(state["states"])
        if len(words):
            used[W_STAMP] = int(words.view(np.int64)[0, STAMP])
        used[[W_WORK, W_STEPS]] = state["counts"]
        self.lower, self.upper = map(float, state["bounds"])
        self.goes_deep = bool(state["deep"])
        self._plan = Plan(*state["plan"])
        while len(words) > CROWDED * len(self._solver.states.words) and self._larger():
            self._solver = self._solver._replace(states=States.empty(self._larger()))
        known = States(words, words.view(np.float64), words.view(np.int64))
        solver = self._solver
        used[W_KEPT] = move_states(known, solver.states, used[W_STAMP], np.zeros(1, np.int64))
        self._set_most()

    def attach(self, stop: Stop) -> None:
        """Let another request end the search."""
        self._solver = self._solver._replace(stop=stop.flag)

    def tree(self) -> tuple[Nodes, float]:
        """Return the best tree known, in preorder, and its cost over all cases."""
        table, n = self._solver.table, int(self._n)
        nodes = Nodes.empty(2 * n + 2, (n + 1) * table.widest, table.n_classes)
        used, stack = np.zeros(2, np.int64), np.zeros((2 * n + table.widest + 2, 5), np.int64)
        depth = np.int64(self.objective.max_depth)
        with np.errstate(over="ignore"):
            cost = read_tree(self._solver, self._n, depth, nodes, stack, used)
        return ordered(trimmed(nodes, *used), self.problem.cases), float(cost)

    def _larger(self) -> int:
        """Return the size of a larger table, 0 if the memory does not suffice for both."""
        now = self._solver.states.words.nbytes
        fitting = [GROWTH * now, 2 * now]
        return next((size for size in fitting if size + now <= self.memory), 0)

    def _set_most(self) -> None:
        """Let the search pause when the table is crowded, unless it is as large as may be."""
        n_places, used = len(self._solver.states.words), self._solver.frames.used
        used[W_MOST] = int(n_places * CROWDED) if self._larger() else FOREVER

    def _grow_table(self) -> None:
        solver, used = self._solver, self._solver.frames.used
        states = States.empty(self._larger())
        n_moved = move_states(solver.states, states, used[W_STAMP], solver.stop)
        if not self.stopped:
            used[W_KEPT] = n_moved
            self._solver = solver._replace(states=states)
            self._set_most()

    def _grow_queue(self) -> None:
        size = GROWTH * self._solver.queue.action.size
        queue = Queue(np.zeros((size, 4)), np.zeros(size, np.int64))
        self._solver = self._solver._replace(queue=queue)
