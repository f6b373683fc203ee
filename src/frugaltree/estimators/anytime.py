"""What learners that work in rounds share: they can be watched, limited in time, and stopped."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from inspect import signature
from reprlib import repr as shortened
from time import perf_counter
from typing import Any, ClassVar

from frugaltree._sklearn import Callbacks, between, callback_support, has_callbacks
from frugaltree.anytime.limits import seconds_in
from frugaltree.anytime.listener import Display
from frugaltree.anytime.loop import run_rounds
from frugaltree.anytime.progress import History, Snapshot
from frugaltree.anytime.stop import Stop, interruptible
from frugaltree.anytime.verbosity import display
from frugaltree.anytime.wording import duration
from frugaltree.compiling import prepare
from frugaltree.engines.forecast import shifted
from frugaltree.engines.problem import Problem, weighed
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.estimators.rehearsal import rehearsal_of
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.tree.text import cases

NOTICED = 1.0
"""Seconds of reading that the log speaks of."""

CallbackSupportMixin, with_callbacks = callback_support()


class AnytimeTree(CallbackSupportMixin, CostSensitiveTree):  # type: ignore[misc, valid-type]
    """Base of the learners that work in rounds and hold a whole tree after each.

    A learner says what its rounds are (:meth:`_rounds`). It may have the parameters
    ``time_limit``, as :func:`frugaltree.anytime.seconds_in` reads it, and ``verbose``: 1 shows a
    progress bar, 2 or more a log.

    Attributes
    ----------
    history_ : list of Progress
        Each round that improved the tree or its bound, and the last: ``seconds`` since the search
        began, expected ``cost`` per case, ``bound`` or None, and the work done, in ``steps``.
    termination_ : str
        Why the search ended: "completed", "time_limit", "callback", "interrupted", or a reason
        of the learner's own.
    """

    _steps: ClassVar[str] = "samples"
    """What the steps of the search are."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CostSensitiveTree._parameter_constraints,
        "time_limit": [between(0.0, None, closed="left"), str, None],
    }

    @abstractmethod
    def _rounds(self, problem: Problem, stop: Stop) -> Iterator[Snapshot]:
        """Yield after each round, soon after ``stop`` is requested, and at least once.

        The rounds run in a thread of their own and must not change the estimator; further fitted
        attributes go to :attr:`Snapshot.fitted`. A learner that stops early by itself requests
        so with a reason of its own, and ends. Weights of the problem's cases are whole numbers,
        ``problem.case_weight`` of them a case, unless cases are spread over branches.
        """

    def _limit(self) -> float | None:
        """Return how many seconds the search may take, None for no limit."""
        return seconds_in(getattr(self, "time_limit", None))

    def _n_rounds(self, problem: Problem) -> int | None:
        """Return how many rounds there will be at most, None if that is not known."""
        return None

    def _begins_soon(self, problem: Problem) -> bool:
        """Tell whether the first round takes a few milliseconds only."""
        return False

    def _search(self, problem: Problem) -> Nodes:
        """Return the tree after the last round, with nobody watching."""
        *_, last = self._rounds_in_cases(problem, Stop())
        return last.nodes

    def _rounds_in_cases(self, problem: Problem, stop: Stop) -> Iterator[Snapshot]:
        """Yield after each round, with trees that count cases, whatever the search counts by.

        Only the C4.5 family counts with fractions.
        """
        searched = problem if self._fractional else problem.in_whole_numbers()
        factor, offset = 1.0 / searched.case_weight, problem.offset
        for snapshot in self._rounds(searched, stop):
            given = snapshot.problem
            counted = None if given is None else given.in_cases()
            shown = snapshot.shifted(offset)
            if problem.true_costs is not None:  # a bound of what levels cost
                shown = shown.without_bound()
            yield replace(
                shown,
                nodes=weighed(snapshot.nodes, factor),
                problem=counted,
                fitted=_shifted(snapshot.fitted, offset),
            )

    def _read(self, X: Any, y: Any, sample_weight: Any, error_costs: Any = None) -> Problem:
        """Validate the input and code it; that counts as part of the time."""
        prepare(*rehearsal_of(type(self)))  # no clock runs, and no bar is shown, while it compiles
        began, name = perf_counter(), f"{type(self).__name__}, reading the table"
        with display(name, int(getattr(self, "verbose", 0) == 1)) as shown:
            if shown:
                shown.during(0.0)
            try:
                problem = super()._read(X, y, sample_weight, error_costs)
            except KeyboardInterrupt:
                raise KeyboardInterrupt(
                    "fit was interrupted while the table was read: there is no tree yet, and the "
                    "learner is as it was before."
                ) from None
        seconds = perf_counter() - began
        if problem.table.is_narrow:
            prepare(*rehearsal_of(type(self), long=True))
        return replace(problem, seconds=seconds)

    def _learn(self, problem: Problem, X: Any, y: Any, sample_weight: Any) -> None:
        limit = self._limit()
        self._learn_in_rounds(problem, (X, y, sample_weight), limit)
        if self.termination_ == "interrupted":
            warnings.warn(
                "fit was interrupted; the best tree so far is kept.", UserWarning, stacklevel=3
            )

    @with_callbacks  # type: ignore[untyped-decorator]
    def _learn_in_rounds(
        self, problem: Problem, given: tuple[Any, Any, Any], limit: float | None
    ) -> None:
        """Search, with whoever wants to listen, and keep the best tree."""
        stop, history = Stop(), History()
        callbacks = self._callbacks(problem, given, history)
        with self._display(problem, limit) as display:
            with interruptible(stop):
                snapshot = run_rounds(
                    self._rounds_in_cases(problem, stop),
                    stop,
                    history=history,
                    listeners=[one for one in (display, callbacks) if one],
                    limit=limit,
                    spent=problem.seconds,
                    soon=self._begins_soon(problem),
                )
                self._keep_snapshot(problem, snapshot, history)
            self.termination_ = self._reason(stop)
            if display:
                costs = self.expected_test_cost_, self.expected_error_cost_
                display.close(self.termination_, *costs, stop.seconds, self._notes())
        if callbacks:
            callbacks.close()

    def _reason(self, stop: Stop) -> str:
        """Return why the search has ended."""
        reason = stop.reason or "completed"
        proven = reason != "optimal" or self.history_[-1].bound is not None
        return reason if proven else "completed"

    def _keep_snapshot(self, problem: Problem, snapshot: Snapshot, history: History) -> None:
        """Set the fitted attributes."""
        for name, value in snapshot.fitted.items():
            setattr(self, name, value)
        self._keep(problem if snapshot.problem is None else snapshot.problem, snapshot.nodes)
        self.history_ = history.rounds

    # ------------------------------------------------------------------ listeners

    @contextmanager
    def _display(self, problem: Problem, limit: float | None) -> Iterator[Display | None]:
        """Show what goes on, as ``verbose`` wants it."""
        name, unit = type(self).__name__, self.costs.unit if self.costs is not None else None
        verbose = int(getattr(self, "verbose", 0))
        with display(name, verbose, unit=unit, limit=limit, steps=self._steps) as shown:
            if shown:
                shown.open(self._describe(problem), *self._settings(), *_reading(problem))
            yield shown

    def _callbacks(
        self, problem: Problem, given: tuple[Any, Any, Any], history: History
    ) -> Callbacks | None:
        """Return what tells the callbacks, None where there are none."""
        if not has_callbacks(self):
            return None

        def as_if_stopped(snapshot: Snapshot) -> dict[str, Any]:
            twin = copy(self)
            # A tree that is kept is frozen, but the search goes on with this one.
            nodes = Nodes(*(array.copy() for array in snapshot.nodes))
            twin._keep_snapshot(problem, replace(snapshot, nodes=nodes), history)
            twin.termination_ = "callback"
            return dict(vars(twin))

        return Callbacks(self, given, self._n_rounds(problem), as_if_stopped)

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


def _shifted(fitted: Mapping[str, Any], offset: float) -> Mapping[str, Any]:
    """Return fitted attributes that tell costs, given those that tell regrets."""
    if offset == 0.0:
        return fitted
    told: dict[str, Any] = dict(fitted)
    if told.get("tuning_"):
        told["tuning_"] = [replace(one, cost=one.cost + offset) for one in told["tuning_"]]
    if told.get("forecast_") is not None:
        told["forecast_"] = shifted(told["forecast_"], offset)
        told["cv_cost_"] = told["forecast_"].cost
    return told


def _reading(problem: Problem) -> list[str]:
    """Return how long reading took, in a line, where that was long enough to be noticed."""
    return [f"Read in {duration(problem.seconds)}"] if problem.seconds >= NOTICED else []


def _count(n: int, one: str, more: str) -> str:
    """Return a number of things, with the right word.

    >>> _count(1, "class", "classes"), _count(1200, "test", "tests")
    ('1 class', '1,200 tests')
    """
    return f"{n:,} {one if n == 1 else more}"
