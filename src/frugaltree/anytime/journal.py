"""What a search says while it runs: a log like a solver's, or a progress bar."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from math import isclose
from typing import Any, NamedTuple, Protocol, Self

from frugaltree.anytime.drive import PULSE, Observer, Progress
from frugaltree.show import money

LOGGER = logging.getLogger("frugaltree")

SILENCE = 0.5
"""Seconds between two lines of the log, unless there is a better tree."""

REPEAT = 20
"""Lines after which the log repeats its header."""

BESIDES = 24
"""Columns of a terminal for the time that is left, a short bar, and blanks."""

SAME = 1e-9
"""Costs that differ by less than this share are the same."""

IN_WORDS = {
    "callback": "stopped by a callback",
    "gap": "as close to the best as wanted",
    "interrupted": "stopped by hand",
    "optimal": "optimal for this estimate on these cases",
    "steps": "all steps taken",
    "time_limit": "time limit reached",
}
"""What the reasons to end a search mean; others speak for themselves."""


class Report(Observer, Protocol):
    """What a search says while it runs, and before and after."""

    def open(self, *preamble: str) -> None:
        """Say what the search is about."""
        return

    def close(
        self,
        termination: str,
        test_cost: float,
        error_cost: float,
        seconds: float,
        notes: Mapping[str, str] | None = None,
    ) -> None:
        """Say what has come out, and what else there is to say of it."""
        return


class Journal(Report):
    """The log of a search: a line for each better tree, else one every half second.

    Where the search knows a bound, the log shows it, and the gap that is left, as a solver's does.

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
    >>> _ = journal.after(Progress(1, 2, None, 12.5, "EG2", 1, True), 0.1)
            Round  What                       Samples      Cost, EUR  vs first
    *         1/2  EG2                              1          12.50
    >>> _ = journal.after(Progress(2, 2, None, 10.0, "r = 1", 9, True), 0.2)
    *         2/2  r = 1                            9          10.00   -20.0 %
    >>> journal.close("completed", 4.0, 6.0, 0.2)
    Termination    completed
    Expected cost  EUR 10.00 per case (tests EUR 4.00 + errors EUR 6.00)
    Samples        9

    With a bound:

    >>> journal = Journal(print, unit="EUR", timeless=True)
    >>> _ = journal.after(Progress(1, None, None, 12.5, "greedy tree", 70, True, {}, 5.0), 0.1)
      Round  What                        States    Cost, EUR        Bound      Gap
    *     1  greedy tree                     70        12.50         5.00  60.00 %
    >>> _ = journal.after(Progress(2, None, None, 10.0, "sample 1", 900, True, {}, 10.0), 0.2)
    *     2  sample 1                       900        10.00        10.00   0.00 %
    >>> journal.close("optimal", 4.0, 6.0, 0.2)
    Termination    optimal for this estimate on these cases
    Expected cost  EUR 10.00 per case (tests EUR 4.00 + errors EUR 6.00)
    Lower bound    EUR 10.00, gap 0.00 %
    States         900
    """

    def __init__(
        self, say: Callable[[str], None], *, unit: str | None = None, timeless: bool = False
    ) -> None:
        self._say = say
        self._unit = unit
        self._timeless = timeless
        self._course = Course()
        self._lines = 0
        self._spoke = 0.0
        self._unsaid: tuple[Progress, float] | None = None

    def open(self, *preamble: str) -> None:
        """Write what the search is about."""
        for line in preamble:
            self._say(line)

    def after(self, progress: Progress, seconds: float) -> bool:
        """Write a line on a round that is worth one."""
        if self._course.add(progress, seconds):
            self._say("Costs from here on are by another estimate.")
        if progress.improved or self._timeless or seconds - self._spoke >= SILENCE:
            self._spoke = seconds
            self._round(progress, seconds)
            self._unsaid = None
        else:
            self._unsaid = progress, seconds
        return False

    def close(
        self,
        termination: str,
        test_cost: float,
        error_cost: float,
        seconds: float,
        notes: Mapping[str, str] | None = None,
    ) -> None:
        """Write what has come out."""
        if self._unsaid and self._course.has_bound:
            self._round(*self._unsaid)  # the round that closed the gap
        cost = test_cost + error_cost
        total, tests, errors = (money(one, self._unit) for one in (cost, test_cost, error_cost))
        proven = termination == "optimal"
        self._say(f"Termination    {in_words(termination) if proven else termination}")
        self._say(f"Expected cost  {total} per case (tests {tests} + errors {errors})")
        if self._course.has_bound:
            self._close_bound(cost)
        else:
            self._say(f"Samples        {self._course.samples:,}")
        for name, note in (notes or {}).items():
            self._say(f"{name:15s}{note}")
        if not self._timeless:
            self._say(f"Time           {duration(seconds)}")

    def _close_bound(self, expected: float) -> None:
        """Write how close to the best the tree is; not all that was minimised may be a cost."""
        course = self._course
        if not isclose(course.cost, expected, rel_tol=SAME):
            charged = "the expected cost, and charges that keep the tree simple"
            self._say(f"Objective      {money(course.cost, self._unit)}: {charged}")
        self._say(f"Lower bound    {money(course.bound, self._unit)}, gap {course.gap}")
        rate = f", {course.rate} per second" if course.rate and not self._timeless else ""
        self._say(f"States         {course.samples:,}{rate}")

    def _round(self, progress: Progress, seconds: float) -> None:
        if self._lines % REPEAT == 0:
            self._say(self._row(" ", [column.title for column in self._columns]))
        self._lines += 1
        cells = [column.cell(self._course, progress, seconds) for column in self._columns]
        self._say(self._row("*" if progress.improved else " ", cells))

    def _row(self, star: str, cells: Sequence[str]) -> str:
        pairs = zip(self._columns, cells, strict=True)
        return " ".join([star, *(column.filled(cell) for column, cell in pairs)]).rstrip()

    @cached_property
    def _columns(self) -> list[_Column]:
        """The columns; which ones is known only once there was a round."""
        cost = f"Cost, {self._unit}" if self._unit else "Cost"
        columns = _with_bound(cost) if self._course.has_bound else _without_bound(cost)
        return [column for column in columns if not (self._timeless and column.timed)]


class Course:
    """How a search goes, from its first round on.

    Examples
    --------
    >>> course = Course()
    >>> course.add(Progress(1, None, None, 10.0, "", 500, True, {}, 5.0), 0.5)
    False
    >>> course.add(Progress(2, None, None, 8.0, "", 2500, True, {}, 6.0), 1.5)
    False
    >>> course.change, course.gap, course.rate
    ('-20.0 %', '25.00 %', '2 k')

    A cost that rises is by another estimate:

    >>> course.add(Progress(3, None, None, 9.0, "", 3500, True, {}, 2.0), 2.0)
    True
    >>> course.change
    ''
    """

    def __init__(self) -> None:
        self._began: tuple[int, float] | None = None
        self._first = self.cost = self.bound = 0.0
        self._per_second = 0.0
        self.samples = 0
        self.has_bound = False

    def add(self, progress: Progress, seconds: float) -> bool:
        """Take note of a round; return whether costs are by another estimate from here on."""
        bound = progress.bound or 0.0
        anew = self.has_bound and (progress.cost > self.cost or bound < self.bound)
        if self._began is None or anew:
            self._first = progress.cost
        if self._began is None:
            self._began = progress.samples, seconds
        self.cost, self.bound, self.samples = progress.cost, bound, progress.samples
        self.has_bound = progress.bound is not None
        # Not since time 0: a search may go on from one that had looked at many states.
        samples, began = self._began
        if seconds > began:
            self._per_second = (progress.samples - samples) / (seconds - began)
        return anew

    @property
    def change(self) -> str:
        """How much the cost differs from the first one."""
        return change(self.cost, self._first)

    @property
    def gap(self) -> str:
        """How far the cost can be from the best."""
        return gap(self.cost, self.bound)

    @property
    def rate(self) -> str:
        """Samples per second since the first round, nothing where that is not known."""
        return short(self._per_second) if self._per_second else ""


class _Column(NamedTuple):
    """A column of the log.

    A negative width is that of words, which stand to the left and are cut where too long.
    """

    title: str
    width: int
    cell: Callable[[Course, Progress, float], str]
    timed: bool = False

    def filled(self, text: str) -> str:
        """Return the text of a cell in the column's width."""
        if self.width > 0:
            return f"{text:>{self.width}}"
        width = -self.width
        return f" {text if len(text) <= width else text[: width - 1] + '…':<{width}}"


def _without_bound(cost: str) -> list[_Column]:
    return [
        _Column("Round", 11, lambda course, progress, seconds: round_number(progress)),
        _Column("What", -24, lambda course, progress, seconds: progress.what),
        _Column("Samples", 9, lambda course, progress, seconds: f"{progress.samples:,}"),
        _Column(cost, max(14, len(cost) + 1), lambda course, progress, s: money(progress.cost)),
        _Column("vs first", 9, lambda course, progress, seconds: course.change),
        _Column("Time", 11, lambda course, progress, seconds: duration(seconds), timed=True),
    ]


def _with_bound(cost: str) -> list[_Column]:
    return [
        _Column("Round", 5, lambda course, progress, seconds: round_number(progress)),
        _Column("What", -22, lambda course, progress, seconds: progress.what),
        _Column("States", 11, lambda course, progress, seconds: f"{progress.samples:,}"),
        _Column("States/s", 8, lambda course, progress, seconds: course.rate, timed=True),
        _Column(cost, max(12, len(cost) + 1), lambda course, progress, s: money(progress.cost)),
        _Column("Bound", 12, lambda course, progress, seconds: money(course.bound)),
        _Column("Gap", 8, lambda course, progress, seconds: course.gap),
        _Column("Time", 11, lambda course, progress, seconds: duration(seconds), timed=True),
    ]


def in_words(termination: str) -> str:
    """Return why a search ended, in words.

    >>> in_words("optimal"), in_words("completed")
    ('optimal for this estimate on these cases', 'completed')
    """
    return IN_WORDS.get(termination, termination)


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


def gap(cost: float, bound: float) -> str:
    """Return how far a cost can be from the best, in per cent, 0 only where it is the best.

    >>> gap(10, 8), gap(10, 9.9999), gap(10, 10), gap(10, 0)
    ('20.00 %', '<0.01 %', '0.00 %', '100.00 %')
    """
    share = (cost - bound) / cost if cost > bound else 0.0
    return "<0.01 %" if SAME < share < 0.00005 else f"{100 * share:.2f} %"


def short(number: float) -> str:
    """Return a number in three digits.

    >>> short(0.25), short(830), short(12345), short(2_500_000)
    ('0.25', '830', '12.3 k', '2.5 M')
    """
    if number < 999.5:
        return f"{number:.3g}"
    return f"{number / 1e3:.3g} k" if number < 999.5e3 else f"{number / 1e6:.3g} M"


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
        self._course = Course()
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
        self._course.add(progress, seconds)
        if progress.steps:
            self._share = progress.step / progress.steps
            by_rounds = seconds / self._share
            self._end = by_rounds if self._limit is None else min(by_rounds, self._limit)
        says = self._says_bound(progress) if self._course.has_bound else self._says(progress)
        self._display.update(self._task, **says)
        if seconds - self._drawn >= PULSE:
            self._draw(seconds)
        return False

    def _says(self, progress: Progress) -> dict[str, Any]:
        """Return what was done, and what it has come to."""
        best, less = money(progress.cost, self._unit), self._course.change
        return {
            "round": f"round {round_number(progress)}, {progress.what}",
            "cost": f"best {best} ({less})" if less else f"best {best}",
        }

    def _says_bound(self, progress: Progress) -> dict[str, Any]:
        """Return the same of a search that knows a bound, what matters least left out first."""
        course, name = self._course, self._name
        best = f"best {money(progress.cost, self._unit)}, bound {money(course.bound)}"
        best += f", gap {course.gap}"
        rate = f"{course.rate} states/s" if course.rate else ""
        done = f"{progress.what}, {rate}" if rate else progress.what
        room = self._display.console.width - len(best) - BESIDES
        if len(name) + len(done) > room:
            done = rate
        if len(name) + len(done) > room:
            name = ""
        return {"description": name, "round": done, "cost": best}

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
