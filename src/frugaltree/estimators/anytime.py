"""What learners that work in rounds share: they can be watched, limited in time, and stopped."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from inspect import signature
from reprlib import repr as shortened
from time import perf_counter
from typing import Any, ClassVar

from frugaltree._sklearn import Watch, between, callback_support, has_callbacks
from frugaltree.anytime.loop import History, Progress, drive
from frugaltree.anytime.report import Report
from frugaltree.anytime.reporting import getting_ready, reporting
from frugaltree.anytime.stop import Stop, interruptible, seconds_in
from frugaltree.engines.problem import Problem
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.tree.text import cases

CallbackSupportMixin, with_callbacks = callback_support()

_PREPARED: set[type] = set()
"""The learners whose kernels are compiled, or loaded, in this process."""


class AnytimeTree(CallbackSupportMixin, CostSensitiveTree):  # type: ignore[misc, valid-type]
    """Base of the learners that work in rounds and hold a whole tree after each.

    A learner says what its rounds are (:meth:`_rounds`). It may have the parameters
    ``time_limit``, as :func:`frugaltree.anytime.seconds_in` reads it, and ``verbose``: 1 shows a
    progress bar, 2 or more a log.

    Attributes
    ----------
    history_ : list of (seconds, cost, samples)
        Each round that improved the tree, and the last: seconds since the search began, expected
        cost per case, how many trees had been grown.
    termination_ : str
        Why the search ended: "completed", "time_limit", "callback", "interrupted", or a reason
        of the learner's own.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CostSensitiveTree._parameter_constraints,
        "time_limit": [between(0.0, None, closed="left"), str, None],
    }

    @abstractmethod
    def _rounds(self, problem: Problem, stop: Stop) -> Iterator[Progress]:
        """Yield after each round, soon after ``stop`` is requested, and at least once.

        The rounds run in a thread of their own and must not change the estimator; further fitted
        attributes go to :attr:`Progress.fitted`. A learner that stops early by itself requests
        so with a reason of its own, and ends.
        """

    def _limit(self) -> float | None:
        """Return how many seconds the search may take, None for no limit."""
        return seconds_in(getattr(self, "time_limit", None))

    def _prepare(self, problem: Problem) -> None:
        """Compile or load the kernels before the clock starts, once in a process."""
        if type(self) not in _PREPARED and getattr(self, "time_limit", None) is not None:
            with getting_ready(int(getattr(self, "verbose", 0))):
                self._rehearse(problem)
            _PREPARED.add(type(self))

    def _rehearse(self, problem: Problem) -> None:
        """Go through a search with as little work as can be."""
        stop, twin = Stop(), copy(self)
        stop.request("rehearsed")
        if "random_state" in self.get_params(deep=False):
            twin.random_state = 0  # a live one must not be drawn from
        for _ in twin._rounds(problem, stop):
            pass

    def _n_rounds(self, problem: Problem) -> int | None:
        """Return how many rounds there will be at most, None if that is not known."""
        return None

    def _search(self, problem: Problem) -> Nodes:
        """Return the tree after the last round, with nobody watching."""
        *_, last = self._rounds(problem, Stop())
        return last.nodes

    def _learn(self, problem: Problem, X: Any, y: Any, sample_weight: Any) -> None:
        limit = self._limit()
        self._prepare(problem)
        self._learn_in_rounds(problem, (X, y, sample_weight), limit)
        if self.termination_ == "interrupted":
            warnings.warn(
                "fit was interrupted; the best tree so far is kept.", UserWarning, stacklevel=3
            )

    @with_callbacks  # type: ignore[untyped-decorator]
    def _learn_in_rounds(
        self, problem: Problem, given: tuple[Any, Any, Any], limit: float | None
    ) -> None:
        """Search, watched by whoever wants to, and keep the best tree."""
        stop, history, began = Stop(), History(), perf_counter()
        watch = self._watch(problem, given, history)
        with self._report(problem, limit) as report:
            with interruptible(stop):
                progress = drive(
                    self._rounds(problem, stop),
                    stop,
                    history=history,
                    observers=[observer for observer in (report, watch) if observer],
                    limit=limit,
                )
                self._keep_progress(problem, progress, history)
            self.termination_ = self._reason(stop)
            if report:
                costs = self.expected_test_cost_, self.expected_error_cost_
                seconds = perf_counter() - began
                report.close(self.termination_, *costs, seconds, self._notes())
        if watch:
            watch.close()

    def _reason(self, stop: Stop) -> str:
        """Return why the search has ended."""
        return stop.reason or "completed"

    def _keep_progress(self, problem: Problem, progress: Progress, history: History) -> None:
        """Set the fitted attributes."""
        for name, value in progress.fitted.items():
            setattr(self, name, value)
        self._keep(problem, progress.nodes)
        self.history_ = history.moments

    # ------------------------------------------------------------------ watching

    @contextmanager
    def _report(self, problem: Problem, limit: float | None) -> Iterator[Report | None]:
        """Say what goes on, as ``verbose`` wants it."""
        name, unit = type(self).__name__, self.costs.unit if self.costs is not None else None
        verbose = int(getattr(self, "verbose", 0))
        with reporting(name, verbose, unit=unit, limit=limit) as report:
            if report:
                report.open(self._describe(problem), *self._settings())
            yield report

    def _watch(
        self, problem: Problem, given: tuple[Any, Any, Any], history: History
    ) -> Watch | None:
        """Return what tells the callbacks, None where there are none."""
        if not has_callbacks(self):
            return None

        def as_if_stopped(progress: Progress) -> dict[str, Any]:
            twin = copy(self)
            # A tree that is kept is frozen, but the search goes on with this one.
            nodes = Nodes(*(array.copy() for array in progress.nodes))
            twin._keep_progress(problem, replace(progress, nodes=nodes), history)
            twin.termination_ = "callback"
            return dict(vars(twin))

        return Watch(self, given, self._n_rounds(problem), as_if_stopped)

    def _describe(self, problem: Problem) -> str:
        """Return the first line of the log: the learner, and the size of its problem."""
        member, delayed = problem.prices.member, int(problem.prices.delayed.sum())
        grouped, n_groups = int(member.any(axis=1).sum()), member.shape[1]
        notes = [f"{grouped} in {_count(n_groups, 'group', 'groups')}"] if n_groups else []
        notes += [f"{delayed} delayed"] if delayed else []
        tests = _count(len(problem.table.columns), "test", "tests")
        tests += f" ({', '.join(notes)})" if notes else ""
        classes = _count(len(problem.classes), "class", "classes")
        return f"{type(self).__name__}: {cases(problem.weight)}, {tests}, {classes}"

    def _notes(self) -> dict[str, str]:
        """Return what else the end of the log says, by name."""
        return {}

    def _settings(self) -> list[str]:
        """Return the parameters that are not at their default, in a line."""
        usual = signature(type(self)).parameters
        settings = ", ".join(
            f"{name}={shortened(value)}"
            for name, value in self.get_params(deep=False).items()
            if name not in ("costs", "verbose") and repr(value) != repr(usual[name].default)
        )
        return [f"Parameters: {settings}"] if settings else []


def _count(n: int, one: str, more: str) -> str:
    """Return a number of things, with the right word.

    >>> _count(1, "class", "classes"), _count(1200, "test", "tests")
    ('1 class', '1,200 tests')
    """
    return f"{n:,} {one if n == 1 else more}"
