"""What a search says while it runs: a log like a solver's, or a progress bar."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, Self

from frugaltree.anytime.drive import PULSE, Observer, Progress
from frugaltree.show import money

LOGGER = logging.getLogger("frugaltree")

SILENCE = 0.5
"""Seconds between two lines of the log, unless there is a better tree."""

REPEAT = 20
"""Lines after which the log repeats its header."""

WHAT = 24
"""Width of the column that says what a round did."""


class Report(Observer, Protocol):
    """What a search says while it runs, and before and after."""

    def open(self, *preamble: str) -> None:
        """Say what the search is about."""
        return

    def close(self, termination: str, test_cost: float, error_cost: float, seconds: float) -> None:
        """Say what has come out."""
        return


class Journal(Report):
    """The log of a search: a line for each better tree, else one every half second.

    Parameters
    ----------
    say
        Takes each line.
    unit
        What the costs are in.
    timeless
        Leave the clock out: a line for every round, and no times. Such logs can be compared.

    Examples
    --------
    >>> journal = Journal(print, unit="EUR", timeless=True)
    >>> journal.open("ACTClassifier: 8 cases, 2 tests, 2 classes")
    ACTClassifier: 8 cases, 2 tests, 2 classes
            Round  What                       Samples      Cost, EUR  vs first
    >>> _ = journal.after(Progress(1, 2, None, 12.5, "EG2", 1, True), 0.1)
    *         1/2  EG2                              1          12.50
    >>> _ = journal.after(Progress(2, 2, None, 10.0, "r = 1", 9, True), 0.2)
    *         2/2  r = 1                            9          10.00   -20.0 %
    >>> journal.close("completed", 4.0, 6.0, 0.2)
    Termination    completed
    Expected cost  EUR 10.00 per case (tests EUR 4.00 + errors EUR 6.00)
    Samples        9
    """

    def __init__(
        self, say: Callable[[str], None], *, unit: str | None = None, timeless: bool = False
    ) -> None:
        self._say = say
        self._unit = unit
        self._timeless = timeless
        self._cost = f"Cost, {unit}" if unit else "Cost"
        self._lines = 0
        self._spoke = 0.0
        self._first: float | None = None
        self._samples = 0

    def open(self, *preamble: str) -> None:
        """Write what the search is about, and the header of the table."""
        for line in preamble:
            self._say(line)
        self._header()

    def after(self, progress: Progress, seconds: float) -> bool:
        """Write a line on a round that is worth one."""
        if self._first is None:
            self._first = progress.cost
        self._samples = progress.samples
        if progress.improved or self._timeless or seconds - self._spoke >= SILENCE:
            self._spoke = seconds
            self._round(progress, seconds)
        return False

    def close(self, termination: str, test_cost: float, error_cost: float, seconds: float) -> None:
        """Write what has come out."""
        total, tests, errors = (
            money(cost, self._unit) for cost in (test_cost + error_cost, test_cost, error_cost)
        )
        self._say(f"Termination    {termination}")
        self._say(f"Expected cost  {total} per case (tests {tests} + errors {errors})")
        self._say(f"Samples        {self._samples:,}")
        if not self._timeless:
            self._say(f"Time           {duration(seconds)}")

    def _header(self) -> None:
        self._row(" ", "Round", "What", "Samples", self._cost, "vs first", "Time")

    def _round(self, progress: Progress, seconds: float) -> None:
        if self._lines and self._lines % REPEAT == 0:
            self._header()
        self._lines += 1
        self._row(
            "*" if progress.improved else " ",
            round_number(progress),
            progress.what,
            f"{progress.samples:,}",
            money(progress.cost),
            change(progress.cost, self._first),
            duration(seconds),
        )

    def _row(
        self, star: str, step: str, what: str, samples: str, cost: str, change: str, time: str
    ) -> None:
        what = what if len(what) <= WHAT else what[: WHAT - 1] + "…"
        width = max(14, len(self._cost) + 1)
        cells = f"{star} {step:>11}  {what:<{WHAT}} {samples:>9} {cost:>{width}} {change:>9}"
        self._say((cells if self._timeless else f"{cells} {time:>11}").rstrip())


def round_number(progress: Progress) -> str:
    """Return the number of a round, and of how many."""
    of = "" if progress.steps is None else f"/{progress.steps}"
    return f"{progress.step}{of}"


def change(cost: float, first: float | None) -> str:
    """Return how much a cost differs from the first one, nothing where it does not.

    >>> change(9.5, 10), change(10, 10), change(1, 0)
    ('-5.0 %', '', '')
    """
    return f"{100 * (cost / first - 1):+.1f} %" if first and cost != first else ""


def duration(seconds: float) -> str:
    """Return a duration, as exactly as it matters.

    >>> duration(0.42), duration(75), duration(7500)
    ('0.4 s', '1 min 15 s', '2 h 5 min')
    """
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60:,} h {minutes % 60} min"


class _Voice:
    """Lets the logger speak while at least one search wants it to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._searches = 0
        self._level = LOGGER.level
        self._handler: logging.Handler | None = None

    def __enter__(self) -> Self:
        with self._lock:
            if not self._searches:
                self._level = LOGGER.level
                if not LOGGER.isEnabledFor(logging.INFO):
                    LOGGER.setLevel(logging.INFO)
                if not LOGGER.hasHandlers():
                    self._handler = logging.StreamHandler()
                    LOGGER.addHandler(self._handler)
            self._searches += 1
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._searches -= 1
            if not self._searches:
                LOGGER.setLevel(self._level)
                if self._handler is not None:
                    LOGGER.removeHandler(self._handler)
                    self._handler = None


_voice = _Voice()
_bar_shown = threading.Lock()


class Bar(Report):
    """A progress bar on stderr, gone when the search ends; nothing where that is no terminal.

    Of several searches at a time, one in each thread, only the first has a bar.

    Parameters
    ----------
    name
        What is at work.
    unit
        What the costs are in.
    limit
        How many seconds the search may take, None if there is no limit.
    """

    def __init__(self, name: str, *, unit: str | None = None, limit: float | None = None) -> None:
        self._name = name
        self._unit = unit
        self._limit = limit
        self._first: float | None = None
        self._share: float | None = None
        self._end = limit
        self._drawn = -PULSE

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Display

        console = Console(stderr=True)
        self._display = Display(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[round]}", markup=False),
            TextColumn("{task.fields[cost]}", style="bold", markup=False),
            TextColumn("{task.fields[time]}", style="cyan", markup=False),
            console=console,
            transient=True,
            auto_refresh=False,
        )
        self._task = self._display.add_task(self._name, total=None, round="", cost="", time="")
        self._mine = _bar_shown.acquire(blocking=False)
        self._display.disable = not (self._mine and (console.is_terminal or console.is_jupyter))
        self._display.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._display.stop()
        if self._mine:
            _bar_shown.release()

    def during(self, seconds: float) -> None:
        """Show how the time passes."""
        self._draw(seconds)

    def after(self, progress: Progress, seconds: float) -> bool:
        """Show what a round has come to."""
        if self._first is None:
            self._first = progress.cost
        if progress.steps:
            self._share = progress.step / progress.steps
            by_rounds = seconds / self._share
            self._end = by_rounds if self._limit is None else min(by_rounds, self._limit)
        best, less = money(progress.cost, self._unit), change(progress.cost, self._first)
        self._display.update(
            self._task,
            round=f"round {round_number(progress)}, {progress.what}",
            cost=f"best {best} ({less})" if less else f"best {best}",
        )
        if seconds - self._drawn >= PULSE:
            self._draw(seconds)
        return False

    def _draw(self, seconds: float) -> None:
        self._drawn = seconds
        by_time = seconds / self._limit if self._limit else None
        shares = [share for share in (self._share, by_time) if share is not None]
        left = self._end - seconds if self._end is not None else 0.0
        self._display.update(
            self._task,
            total=1.0 if shares else None,
            completed=max(shares, default=0.0),
            time=f"{duration(left)} left" if left > 0 else duration(seconds),
            refresh=True,
        )


@contextmanager
def reporting(
    name: str, verbose: int, *, unit: str | None = None, limit: float | None = None
) -> Iterator[Report | None]:
    """Report as ``verbose`` wants it: 0 not at all, 1 with a bar, 2 or more with a log.

    The log goes to the logger "frugaltree", which is heard for as long; on stderr where nobody
    else listens to it.
    """
    if not verbose:
        yield None
    elif verbose == 1:
        with Bar(name, unit=unit, limit=limit) as bar:
            yield bar
    else:
        with _voice:
            yield Journal(LOGGER.info, unit=unit)
