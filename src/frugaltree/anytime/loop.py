"""The loop that every learner in rounds runs in: one thread searches, the other keeps watch.

A kernel in the main thread would hold up Ctrl-C until it ends. So the rounds run in a thread of
their own, where kernels release the GIL, and the calling thread waits: it owns the clock and the
signals, and sets the flag that kernels poll. Rounds and those who watch them take turns, so that
a search goes the same way whoever is watching.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import joblib

from frugaltree.anytime.stop import Stop, interrupt
from frugaltree.kernels.data.nodes import Nodes

PULSE = 0.1
"""Seconds between two looks at the clock; Windows sees Ctrl-C only then."""


@dataclass(frozen=True, eq=False)
class Progress:
    """Where a search stands after a round.

    Attributes
    ----------
    step
        Number of the round, from 1.
    steps
        How many rounds there will be at most, None if that is not known.
    nodes
        The best tree so far, in preorder. The search must not write to it any more.
    cost
        Its expected cost per case.
    what
        The round in a few words, such as ``"r = 4"``.
    samples
        How many trees were grown so far.
    improved
        Whether the tree is better than after the round before; the first one always is.
    fitted
        Further fitted attributes that belong to this tree, by name.
    bound
        What no tree costs less than, per case; None where the search has no such bound.
    """

    step: int
    steps: int | None
    nodes: Nodes
    cost: float
    what: str
    samples: int
    improved: bool
    fitted: Mapping[str, Any] = field(default_factory=dict)
    bound: float | None = None


Rounds = Generator[Progress, None, None]


class Observer(Protocol):
    """Someone who watches the rounds of a search."""

    def before(self) -> None:
        """Take note that a round begins."""
        return

    def during(self, seconds: float) -> None:
        """Take note that a round still runs; called every so often."""
        return

    def after(self, progress: Progress, seconds: float) -> bool:
        """Take note that a round has ended; return True to stop the search."""
        return False


class Moment(NamedTuple):
    """What was known at a moment of a search."""

    seconds: float
    cost: float
    samples: int


class Bounded(NamedTuple):
    """What was known at a moment of a search that knows a bound."""

    seconds: float
    cost: float
    bound: float


class History:
    """Remembers the rounds that improved the tree or its bound, and the last."""

    def __init__(self) -> None:
        self._improved: list[Any] = []
        self._last: list[Any] = []

    @property
    def moments(self) -> list[Any]:
        """The rounds to remember so far."""
        return self._improved + self._last

    def add(self, progress: Progress, seconds: float) -> None:
        """Take note of a round."""
        moment: Moment | Bounded = Moment(seconds, progress.cost, progress.samples)
        if progress.bound is not None:
            moment = Bounded(seconds, progress.cost, progress.bound)
        before: Any = self._improved[-1] if self._improved else moment
        rose = isinstance(moment, Bounded) and moment.bound > before.bound
        if progress.improved and moment.cost > before.cost:
            self._improved = []  # costs from here on are by another estimate
        if progress.improved or rose:
            self._improved.append(moment)
        self._last = [] if progress.improved or rose else [moment]


def drive(
    rounds: Iterator[Progress],
    stop: Stop,
    *,
    history: History | None = None,
    observers: Sequence[Observer] = (),
    limit: float | None = None,
) -> Progress:
    """Run rounds until they end or someone asks them to stop; return where they have come to.

    Parameters
    ----------
    rounds
        The search. It yields at least once, however early it is stopped. Once ``stop`` is
        requested it yields or ends soon, and is then asked no further.
    stop
        The request to stop. Afterwards it holds the reason, none if the rounds ended by
        themselves.
    history
        Takes note of the rounds.
    observers
        Told of every round, in this order and in this thread.
    limit
        How many seconds the search may take.

    Examples
    --------
    >>> rounds = (Progress(step, 3, None, 9.0 - step, "", step, True) for step in (1, 2, 3))
    >>> drive(rounds, Stop()).cost
    6.0
    """
    clock = _Clock(stop, perf_counter(), limit)
    noted = _noted(rounds, stop, clock, history or History())
    last: Progress | None = None
    clock.check()
    with _Worker(noted if observers else _last(noted), stop) as worker:
        while last is None or (observers and not stop.requested):
            for observer in observers:
                observer.before()
            worker.begin(last=not observers)
            progress = _wait(worker, clock, observers)
            if progress is None:
                break
            last, seconds = progress, clock.check()
            answers = [observer.after(progress, seconds) for observer in observers]
            if any(answers):
                stop.request("callback")
    if last is None:
        raise RuntimeError("the search ended without a tree, but must yield at least once.")
    return last


def _noted(rounds: Iterator[Progress], stop: Stop, clock: _Clock, history: History) -> Rounds:
    """Yield the rounds until they are to stop, and take note of each."""
    try:
        for progress in rounds:
            history.add(progress, clock.seconds)
            yield progress
            if stop.requested:
                break
    finally:
        if isinstance(rounds, Generator):
            rounds.close()


def _last(rounds: Rounds) -> Rounds:
    """Yield the last round only: with nobody watching, threads need not take turns."""
    yield from deque(rounds, maxlen=1)


def _wait(worker: _Worker, clock: _Clock, observers: Sequence[Observer]) -> Progress | None:
    """Return where a round has come to, None if there was none left."""
    while True:
        try:
            while not worker.is_done(clock.patience):
                seconds = clock.check()
                for observer in observers:
                    observer.during(seconds)
            return worker.result()
        except KeyboardInterrupt:  # by a handler that is not ours, or the second one by ours
            interrupt(clock.stop)


@dataclass(frozen=True)
class _Clock:
    """Stops a search when its time is over."""

    stop: Stop
    started: float
    limit: float | None

    @property
    def seconds(self) -> float:
        """How long the search has run."""
        return perf_counter() - self.started

    @property
    def patience(self) -> float:
        """How long to wait before the next look."""
        if self.limit is None or self.stop.requested:
            return PULSE
        return min(PULSE, max(0.0, self.limit - self.seconds))

    def check(self) -> float:
        """Return how long the search has run, and stop it if that is long enough."""
        seconds = self.seconds
        if self.limit is not None and seconds >= self.limit:
            self.stop.request("time_limit")
        return seconds


class _Worker:
    """A thread that runs one round at a time, when told to.

    It works under the settings of the thread that made it: numpy's error handling, joblib's
    backend.
    """

    def __init__(self, rounds: Rounds, stop: Stop) -> None:
        self._rounds = rounds
        self._stop = stop
        self._busy = False
        self._found: Progress | BaseException | None = None
        self._orders: SimpleQueue[bool] = SimpleQueue()
        self._bell: SimpleQueue[None] = SimpleQueue()
        with joblib.parallel_config() as self._parallel:
            pass
        # A daemon: who gives up on a search that does not end can still leave.
        self._thread = Thread(
            target=copy_context().run, args=(self._work,), name="frugaltree", daemon=True
        )

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self._orders.put(False)
        if self._busy:
            self._stop.request("abandoned")
        elif self._thread.ident is not None:
            self._thread.join()

    def begin(self, *, last: bool) -> None:
        """Begin a round, maybe the last."""
        self._busy = True
        self._orders.put(True)
        if last:
            self._orders.put(False)
        if self._thread.ident is None:
            self._thread.start()

    def is_done(self, timeout: float) -> bool:
        """Wait a moment; return whether the round is done."""
        with suppress(Empty):
            self._bell.get(timeout=timeout)
        return not self._busy

    def result(self) -> Progress | None:
        """Return where the round has come to, None if there was none left."""
        if isinstance(self._found, BaseException):
            raise self._found
        return self._found

    def _work(self) -> None:
        with joblib.parallel_config(**self._parallel):
            while self._orders.get():
                self._round()
                # In this order: an interrupt may make the other thread miss the bell.
                self._busy = False
                self._bell.put(None)
            self._rounds.close()

    def _round(self) -> None:
        try:
            self._found = next(self._rounds, None)
        except BaseException as error:
            self._found = error
