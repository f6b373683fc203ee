"""Trees of one problem at several costs of an error, each search beginning with what is known.

With a setting held fixed, a tree costs what its tests cost, and so many times what its errors and
splits cost by the price list as it is: a line over the factor. So a tree found at one factor has
a cost at every other, and is offered there; what is known of states goes over in part, see
:meth:`frugaltree.engines.exact.threads.Workers.inherit`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from frugaltree.anytime.loop import run_rounds
from frugaltree.anytime.progress import Snapshot
from frugaltree.anytime.stop import Stop, interruptible
from frugaltree.engines.exact.acceptance import Acceptance
from frugaltree.engines.exact.kept_search import Limits
from frugaltree.engines.exact.large import LargeSession
from frugaltree.engines.exact.objective import Pessimism, make_objective
from frugaltree.engines.exact.one_vs_rest import ValueTests
from frugaltree.engines.exact.schedule import Schedule
from frugaltree.engines.exact.search import Search
from frugaltree.engines.exact.session import Session
from frugaltree.engines.exact.valuation import Valuation
from frugaltree.engines.incumbent import Incumbent
from frugaltree.engines.problem import Problem, weighed
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.exact.objective import Objective

INTERRUPTED = "interrupted"


class FoundTree(NamedTuple):
    """A tree, and what it costs per case at the costs of errors as they are.

    Attributes
    ----------
    nodes
        The tree as the search has it.
    problem
        The problem whose codes its cuts refer to.
    tests
        What its tests cost.
    errors
        What its errors are expected to cost, with what the setting charges its splits.
    """

    nodes: Nodes
    problem: Problem
    tests: float
    errors: float

    def at(self, factor: float) -> float:
        """Return what the tree costs where errors cost so many times as much."""
        return self.tests + factor * self.errors


class Searched(NamedTuple):
    """What a search at a factor came to.

    Attributes
    ----------
    bound
        What no tree costs less than there, per case; 0 where nothing is known.
    steps
        States expanded.
    reason
        Why it ended.
    """

    bound: float
    steps: int
    reason: str | None


class Task(NamedTuple):
    """What does not depend on what errors cost, nor on which cases are looked at.

    Attributes
    ----------
    tests
        The tests that trees may ask.
    setting
        How pessimistic the search is.
    rules
        Further arguments of :func:`make_objective`.
    limits
        What a search may take.
    gap
        How close to the best a tree is to be.
    sample_rows
        Cases of a sample of a large table, None where all cases are searched.
    seed
        Seed of all that is drawn.
    """

    tests: ValueTests
    setting: Pessimism
    rules: dict[str, Any]
    limits: Limits
    gap: float
    sample_rows: int | None
    seed: int

    def objective(self, problem: Problem) -> Objective:
        """Return what is minimised."""
        return make_objective(problem, self.setting, **self.rules)


class PricedSearches:
    """Searches of some cases at several factors of the costs of errors.

    Parameters
    ----------
    problem
        The cases, with weights that are whole.
    task
        What all searches have in common.
    search
        One that was done at the factor 1 with these very cases, to go on from.

    Attributes
    ----------
    trees
        All trees found so far, the one that asks nothing first.
    """

    def __init__(self, problem: Problem, task: Task, search: Search | None = None) -> None:
        self.problem, self.task = problem, task
        self._valuation = Valuation(problem, task.tests, task.objective(problem))
        self._last, self._last_factor = search, 1.0
        leaf, _ = self._valuation.leaf(self._valuation.everything)
        self.trees: list[FoundTree] = []
        self.take(leaf, problem)

    def take(self, nodes: Nodes, problem: Problem) -> None:
        """Take a tree from elsewhere, counted and legal, in terms of the tests of the task."""
        valuation = self._valuation
        if problem is not self.problem:
            valuation = Valuation(problem, self.task.tests, self.task.objective(problem))
        tests, errors = valuation.parts(nodes)
        per_case = tests / problem.weight, errors / problem.weight
        if any((one.tests, one.errors) == per_case for one in self.trees):
            return
        self.trees.append(FoundTree(nodes, problem, *per_case))

    def best(self, factor: float) -> FoundTree:
        """Return the tree that costs least at a factor."""
        return min(self.trees, key=lambda tree: tree.at(factor))

    def search(
        self,
        factor: float,
        *,
        seconds: float | None = None,
        max_steps: int | None = None,
        monitored: bool = False,
    ) -> Searched:
        """Search for the best tree at a factor, within limits, and keep it."""
        stop = Stop()
        session = self._session(factor, stop)
        schedule = Schedule(seconds, max_steps, monitored=monitored, jobs=session.limits.jobs)
        rounds: Iterator[Snapshot] = (
            session.rounds(schedule)
            if isinstance(session, LargeSession)
            else schedule.rounds(session)
        )
        with interruptible(stop):
            last = run_rounds(rounds, stop, limit=seconds)
        if isinstance(session, LargeSession):
            best, steps = session.incumbent, session.steps
        else:
            best, steps = session.acceptance.incumbent, session.search.steps
            self._last, self._last_factor = session.search, factor
        found = best.problem
        self.take(best.found, self.problem if found is None else self._priced(found, 1 / factor))
        return Searched(float(last.progress.bound or 0.0), steps, stop.reason)

    def _priced(self, problem: Problem, factor: float) -> Problem:
        """Return a problem of the same cases, or finer bins of them, at another factor."""
        errors = self.problem.errors * factor if problem is self.problem else self.problem.errors
        return replace(problem, errors=errors)

    def _session(self, factor: float, stop: Stop) -> Session | LargeSession:
        """Return a search at a factor, to which all trees known are offered."""
        task, problem = self.task, self._priced(self.problem, factor)
        incumbent = Incumbent(stop, weight=problem.weight, finish=task.tests.translate)
        common: dict[str, Any] = {
            "problem": problem,
            "tests": task.tests,
            "settings": [task.setting],
            "objectives": [task.objective(problem)],
            "stop": stop,
            "limits": task.limits,
            "seed": task.seed,
            "digest": {},
            "starts": [(f"tree {i}", tree.nodes) for i, tree in enumerate(self.trees)],
        }
        if task.sample_rows is not None:
            rows = task.sample_rows
            return LargeSession(**common, incumbent=incumbent, sample_rows=rows, gap=task.gap)
        session = Session(**common, acceptance=Acceptance(incumbent, task.gap))
        if type(session.search) is type(self._last) is Search:
            session.search.inherit(self._last, factor / self._last_factor)
        return session

    def kept_tree(self, tree: FoundTree, factor: float) -> tuple[Problem, Nodes]:
        """Return the problem and the tree in its own tests at a factor, counting cases."""
        problem = replace(tree.problem, errors=self.problem.errors * factor)
        nodes = self.task.tests.translate(tree.nodes)
        copied = Nodes(*(np.array(array) for array in nodes))
        return problem.in_cases(), weighed(copied, 1.0 / problem.case_weight)
