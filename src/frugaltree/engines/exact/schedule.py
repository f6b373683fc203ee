"""The order of work of an exact search: a first tree, the choice of a setting, the search itself.

The time, or the steps, are shared out: the choice begins and ends after fixed shares of them, at
the latest, and the search has the rest.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np

from frugaltree.anytime.progress import Snapshot
from frugaltree.anytime.stop import Stop
from frugaltree.engines.cross_validation import Trial
from frugaltree.engines.exact.pessimism import CrossValidation
from frugaltree.engines.exact.search import SHALLOW, Search
from frugaltree.engines.exact.session import Session
from frugaltree.engines.exact.stopping import Monitor
from frugaltree.engines.problem import Problem

FIRST_SHARE, LAST_SHARE = 0.4, 0.8
"""Shares of the time after which the choice of the pessimism begins and ends, at the latest."""

SMALL_TABLE, SHALLOW_TABLE, MOMENT = 2**14, 2**17, 2**22
"""Tables of so few values are searched for a moment first, until some more were read.

The second number is that for trees of few tests on a path, of which nothing is sampled.
"""

LEAST_DEALS, MOST_DEALS, DEALT = 2, 6, 10_000
"""The cases are dealt into folds until so many were held out, but not less or more often."""


@dataclass(frozen=True)
class Schedule:
    """What a search may take in this fit.

    Attributes
    ----------
    seconds
        How long it may take in all, None where the clock does not count.
    max_steps
        How many states it may expand, None for as many as it takes.
    monitored
        Whether it ends when what it has saved lately makes waiting hardly worth it.
    jobs
        How many folds are tried at the same time.
    """

    seconds: float | None
    max_steps: int | None
    monitored: bool
    jobs: int

    def rounds(self, session: Session) -> Iterator[Snapshot]:
        """Choose a setting unless that is done, then search; yield after each round."""
        stop = session.stop
        try:
            reason = yield from self.search(session)
            if reason:
                stop.request(reason)
        finally:  # who is asked to stop is asked no further
            session.write()

    def search(self, session: Session) -> Generator[Snapshot, None, str | None]:
        """Do the same; return why the search need not go on, None if it was asked to stop."""
        acceptance, stop = session.acceptance, session.stop
        if session.has_tree:
            yield acceptance.snapshot("gone on from before", improved=True)
        if session.trials is None:
            yield from self._tune(session, TimeShares(stop, self.seconds))
        else:
            session.search.allow(self.max_steps)
        monitor = Monitor(stop.seconds) if self.monitored else None
        for what in session.search.rounds():
            snapshot = acceptance.update(what)
            yield snapshot
            session.write_if_due()
            if acceptance.is_close or (monitor and monitor.is_over(snapshot.progress)):
                break
        return acceptance.reason or (monitor.reason if monitor else None)

    def _tune(self, session: Session, clock: TimeShares) -> Iterator[Snapshot]:
        """Search under the setting to fall back on, then choose one; hold the best tree so far."""
        acceptance, search, steps = session.acceptance, session.search, self.max_steps
        several = len(session.settings) > 1
        search.allow(ceil(FIRST_SHARE * steps) if steps and several else steps)
        rounds, begun = search.rounds(), search.steps
        if not session.has_tree:
            what = None if several else _search_for_a_moment(search, rounds)
            if not search.proven:
                yield from session.first_rounds()
            yield acceptance.update(what or next(rounds, "greedy tree"))
        trials: list[Trial] = []
        all_held_out = False
        if several:
            while not (acceptance.is_close or clock.spent(FIRST_SHARE)):
                what = next(rounds, None)
                if what is None:
                    break
                yield acceptance.update(what)
                session.write_if_due()
                if search.goes_deep and (clock.is_endless or self.monitored):
                    break
            validation = session.cross_validation(self.jobs)
            for fold in _try_settings(validation, clock):
                yield acceptance.snapshot(f"held out, fold {fold}")
                session.write_if_due()
            trials = validation.trials([one.name for one in session.settings])
            session.forecast = validation.forecast()
            all_held_out = validation.all_held_out
        session.choose(trials, all_held_out=all_held_out)
        session.search.allow(None if steps is None else max(0, steps - search.steps + begun))
        if session.pick:  # by another objective
            yield from session.first_rounds()
        elif trials:  # the search may have nothing more to say
            yield acceptance.snapshot("setting chosen")


def is_small(problem: Problem, max_depth: int | None) -> bool:
    """Tell whether a table is searched for a moment first."""
    shallow = max_depth is not None and max_depth <= SHALLOW
    return problem.cases.codes.size <= (SHALLOW_TABLE if shallow else SMALL_TABLE)


def _search_for_a_moment(search: Search, rounds: Iterator[str]) -> str | None:
    """Search a small table before the trees to begin with: its proof may be sooner than these.

    Returns what was done last, None if nothing was.
    """
    done = None
    if is_small(search.problem, search.objective.max_depth):
        for what in rounds:
            done = what
            if search.work > MOMENT:
                break
    return done


def _try_settings(validation: CrossValidation, clock: TimeShares) -> Iterator[str]:
    """Try the settings as far as time allows; each tree gets a moment only."""
    validation.rehearse()
    if clock.spent(LAST_SHARE, validation.seconds):
        return
    deals = int(np.clip(DEALT // max(validation.cases, 1.0), LEAST_DEALS, MOST_DEALS))
    for _ in range(deals):
        for fold in validation.repeat():
            yield fold
            if clock.spent(LAST_SHARE, validation.seconds):
                return


class TimeShares:
    """Tells which share of the time is over."""

    def __init__(self, stop: Stop, limit: float | None) -> None:
        self._stop, self._began, self._limit = stop, stop.seconds, limit

    @property
    def is_endless(self) -> bool:
        """Whether there is no limit."""
        return self._limit is None

    def left(self, share: float) -> float:
        """Return how many seconds are left until a share of the time is over; there is a limit."""
        return max(0.0, share * (self._limit or 0.0) - self._stop.seconds + self._began)

    def spent(self, share: float, more: float = 0.0) -> bool:
        """Tell whether a share of the time is over, or would be after some more seconds."""
        seconds = self._stop.seconds - self._began + more
        return self._limit is not None and seconds > share * self._limit
