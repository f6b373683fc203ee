"""The search for a provably cheapest tree, in rounds of growing effort."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.anytime.stop import Stop
from frugaltree.engines.exact.threads import FOREVER, Workers
from frugaltree.engines.greedy import to_preorder, trim
from frugaltree.engines.problem import Problem
from frugaltree.kernels.data.bits import WORD
from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.exact.extract import empty_pending, read_tree
from frugaltree.kernels.exact.objective import Objective
from frugaltree.kernels.exact.records import (
    BRANCH_AND_BOUND,
    GREEDY,
    LOOKING_AHEAD,
    SAMPLING,
)

CLOSE = 1e-9
"""Costs that differ by less than this share are the same."""

MOST_CUTS = 5
"""Thresholds of a numeric test that a sample tries, at most."""

LOOKED_CUTS, LOOKED_EFFORT = 3, 64
"""Thresholds of a test that are looked at three tests ahead, and the work it may take.

For each case and pair of tests: about as much as five samples.
"""

LEAST_SHARE = 1 / 16
"""The least work that goes into sampling, for each that goes into branch and bound."""

FIRST_PIECE, NEXT_PIECE, LEAST_PIECE, PIECE_SECONDS = 2_000, 50_000, 2_000, 0.5
"""States of the first piece of work, of the next and of the smallest, and how long others take."""

FIRST_WORK = 2**24
"""Values read in the first piece of work, about: some ten milliseconds."""

SHALLOW = 4
"""Trees of so many tests on a path are searched to the end before anything is sampled."""

MOST_CELLS = {2: 2**20, 3: 2**17, 4: 2**17}
"""The same where a test is numeric, by the depth: if there are no more values than these."""


def is_soon_expanded(problem: Problem, objective: Objective, n_cases: int) -> bool:
    """Tell whether trees of numeric tests are searched to the end at once, given their depth.

    Their last two tests are then found in passes over all cases (``kernels.exact.last_cuts``).
    """
    asked = problem.prices.usable > 0
    waits = bool(problem.prices.delayed[asked].any())
    n_cells = n_cases * int(asked.sum())
    few = n_cells <= MOST_CELLS.get(objective.max_depth, 0)
    return bool(objective.nested) and not waits and few


@dataclass
class Turns:
    """How the rounds of a search take turns.

    Attributes
    ----------
    samples
        How many were drawn.
    sampled, bounded
        Work done by sampling, and by branch and bound.
    share
        How much of the one there may be for each of the other.
    effort, number
        What is left to do of the round of branch and bound in hand, and its number.
    looked
        Whether a tree was grown by looking ahead.
    """

    samples: int = 0
    sampled: int = 0
    bounded: int = 0
    effort: int = 0
    number: int = 0
    share: float = 1.0
    looked: bool = False


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
    jobs
        Threads.
    looks_ahead
        Whether a quick tree looks three tests ahead, where a test is numeric.

    Attributes
    ----------
    goes_deep
        Whether branch and bound has begun.
    saved_ahead
        The share of its cost that looking ahead has saved the first tree.
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
        jobs: int = 1,
        looks_ahead: bool = True,
    ) -> None:
        self.problem, self.objective, self.jobs = problem, objective, jobs
        numeric = bool((table.usable > table.nominal).any())
        plain = not objective.restricted and not problem.has_conditions
        self._looks_ahead = looks_ahead and numeric and plain
        self._seed, self._samples = seed, samples
        self._workers = Workers(problem, table, objective, stop, memory=memory, jobs=jobs)
        self._last_step = FOREVER
        self._piece = min(FIRST_PIECE, 1 + FIRST_WORK // max(1, table.cells.size))
        self.begin(table.weights)

    def begin(self, weights: npt.NDArray[np.int64], objective: Objective | None = None) -> None:
        """Begin anew with other weights of the cases, some maybe 0, or another objective."""
        self.objective = objective or self.objective
        self._workers.begin(weights, self.objective)
        self.weight = float(weights.sum())
        self._cut, self.goes_deep, self.saved_ahead = False, False, 0.0
        self._turns = Turns(effort=FOREVER if self._is_shallow else 0)

    @property
    def _is_shallow(self) -> bool:
        """Whether most of a tree is expanded at once, so that samples come too late."""
        table, objective, depth = self.table, self.objective, self.objective.max_depth
        asked = table.usable > 0
        if bool(table.nominal[asked].all()):
            fits = self.weight <= WORD * self._workers.first.pairs.n_words
            return bool(objective.simple and fits and depth <= SHALLOW)
        return is_soon_expanded(self.problem, objective, int(self._workers.n))

    @property
    def steps(self) -> int:
        """How many states were expanded."""
        return self._workers.steps

    @property
    def work(self) -> int:
        """How much work was done, by each thread on average."""
        return self._workers.work

    @property
    def lower(self) -> float:
        """A cost that no tree undercuts, over all cases."""
        return self._workers.lower

    @property
    def upper(self) -> float:
        """The cost of a tree, over all cases."""
        return self._workers.upper

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
        return self._workers.stopped

    @property
    def table(self) -> Table:
        """The cases, as they are weighed now."""
        return self._workers.table

    def grow_quick_tree(self) -> None:
        """Find a good tree soon: grow one greedily, then as ACT does, then looking ahead."""
        self.grow_greedily()
        if not self.proven and not self.stopped:
            self.sample()
        if self._looks_ahead and not self.proven and not self.stopped:
            self.look_ahead()
            if self.saved_ahead > 0.0 and not self.proven and not self.stopped:
                self.sample()

    def allow(self, steps: int | None) -> None:
        """Set how many more states may be expanded, None for as many as it takes."""
        self._last_step = FOREVER if steps is None else self.steps + steps

    def rounds(self) -> Iterator[str]:
        """Search until the tree is proven; say after each round what was done.

        Sampling and branch and bound take turns by the work each has done. What sampling may do
        falls as it stops helping. A round of branch and bound that takes long is done in pieces.
        A greedy tree comes first, unless branch and bound is to go to the end at once.
        """
        if self.upper == np.inf and (self._turns.effort == 0 or self.stopped):
            self.grow_greedily()
            yield "greedy tree"
        while not (self.proven or self.stopped or self.reason):
            turns, upper, began = self._turns, self.upper, self.work
            if turns.effort > 0:
                self.goes_deep = True
                self.branch_and_bound(turns.effort, by_bound=turns.number % 2 == 1)
                turns.bounded += self.work - began
                turns.effort = max(0, turns.effort - (self.work - began)) if self._cut else 0
                yield "branch and bound"
            elif self._looks_ahead and turns.samples > 0 and not turns.looked:
                self.look_ahead()
                turns.looked = not self._cut
                turns.samples = 0 if self.saved_ahead > 0.0 else turns.samples
                turns.sampled += self.work - began
                yield "look ahead"
            elif turns.samples < self._samples or turns.sampled <= turns.share * turns.bounded:
                self.sample(turns.samples, min(turns.samples + 1, MOST_CUTS))
                turns.samples += 0 if self._cut else self.jobs if turns.samples else 1
                turns.sampled += self.work - began
                if self.upper >= upper * (1.0 - CLOSE):
                    turns.share = max(turns.share / 2.0, LEAST_SHARE)
                yield f"sample {turns.samples}"
            else:
                turns.effort = max(2 * turns.bounded, turns.sampled, 1)
                turns.number += 1

    def grow_greedily(self) -> None:
        """Grow a tree greedily."""
        self._run(GREEDY)

    def look_ahead(self) -> None:
        """Grow a tree whose tests are the best ones three tests ahead, by a few thresholds."""
        n, n_tests, before = int(self._workers.n), int(self.table.usable.sum()), self.upper
        self._run(LOOKING_AHEAD, effort=LOOKED_EFFORT * n * n_tests**2, cuts=LOOKED_CUTS)
        self.saved_ahead = 1.0 - self.upper / before

    def sample(self, number: int = 0, cuts: int = 1) -> None:
        """Grow a tree as ACT does, one sample below each test; what it finds is kept."""
        self._run(SAMPLING, sample=number and number + self._seed, cuts=cuts)

    def branch_and_bound(self, effort: int, *, by_bound: bool = False) -> None:
        """Search with this much effort, and narrow the bounds of the cost over all cases.

        Either what promises most comes first, which finds better trees, or the least bound, which
        raises it.
        """
        self._run(BRANCH_AND_BOUND, effort=effort, by_bound=by_bound)

    def _run(self, mode: int, **how: Any) -> None:
        """Search in a way; ``_cut`` tells if it was cut short.

        With bounds it goes on later from where it was, so a piece at a time will do. A sample
        would begin anew.
        """
        started, first = perf_counter(), self.steps
        steps = self._last_step - first
        if mode == BRANCH_AND_BOUND:
            steps = min(steps, self._piece)
            self._piece = max(self._piece, NEXT_PIECE)
        self._cut = self._workers.run(mode, steps, **how)
        if self._last_step == FOREVER and self.steps - first >= LEAST_PIECE:
            rate = (self.steps - first) / (perf_counter() - started)
            self._piece = max(LEAST_PIECE, int(rate * PIECE_SECONDS))

    # --------------------------------------------------------------------- keeping

    def state(self) -> dict[str, Any]:
        """Return what the search knows, to go on from another day."""
        known, counts = self._workers.known()
        return {
            "states": known,
            "counts": counts,
            "bounds": np.array([self.lower, self.upper]),
            "deep": self.goes_deep,
            "plan": list(astuple(self._turns)),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what was known."""
        self._workers.restore(np.ascontiguousarray(state["states"]), state["counts"])
        self._workers.lower, self._workers.upper = map(float, state["bounds"])
        self.goes_deep = bool(state["deep"])
        self._turns = Turns(*state["plan"])

    def inherit(self, before: Search, factor: float) -> None:
        """Go on from what a search of the same cases knew, where errors cost so much less.

        They cost ``factor`` times as much now; the other search cannot go on.
        """
        self._workers.inherit(before._workers, factor)

    def attach(self, stop: Stop, memory: int) -> None:
        """Let another request end the search, and the table of states take other memory."""
        self._workers.attach(stop, memory)

    def tree(self) -> tuple[Nodes, float]:
        """Return the best tree known, in preorder, and its cost over all cases."""
        first, table, n = self._workers.first, self.table, int(self._workers.n)
        nodes = Nodes.empty(2 * n + 2, (n + 1) * table.widest, table.n_classes)
        root = first.stack.frames[0]
        root.start, root.stop, root.depth = 0, n, self.objective.max_depth
        pending = empty_pending(n, table.widest)
        with np.errstate(over="ignore"):
            cost, *used = read_tree(
                first.context, first.stack, first.buffers, table, pending, nodes
            )
        return to_preorder(trim(nodes, *used), self.problem.cases), float(cost)
