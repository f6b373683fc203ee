"""The log of a search, like a solver's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import isclose
from typing import NamedTuple

from frugaltree.anytime.loop import Progress
from frugaltree.anytime.progress import Course
from frugaltree.anytime.report import Report
from frugaltree.anytime.words import SAME, duration, in_words, round_number
from frugaltree.tree.text import money

SILENCE = 0.5
"""Seconds between two lines of the log, unless there is a better tree."""

REPEAT = 20
"""Lines after which the log repeats its header."""


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
