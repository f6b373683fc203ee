"""The log of a search, like a solver's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import isclose
from typing import NamedTuple

from frugaltree.anytime.listener import Display
from frugaltree.anytime.progress import Progress, Snapshot
from frugaltree.anytime.statistics import Statistics
from frugaltree.anytime.wording import SAME, duration, in_words, round_number
from frugaltree.tree.text import money

INTERVAL = 0.5
"""Seconds between two lines of the log, unless there is a better tree."""

REPEAT = 20
"""Lines after which the log repeats its header."""


class SearchLog(Display):
    """The log of a search: a line for each better tree, else one every half second.

    Where the search knows a bound, the log shows it, and the gap that is left, as a solver's does.

    Parameters
    ----------
    say
        Takes each line.
    unit
        What the costs are in.
    steps
        What the steps of the search are.
    timeless
        Leave the clock out: a line for every round, and no times. Such logs can be compared.

    Examples
    --------
    >>> log = SearchLog(print, unit="EUR", timeless=True)
    >>> log.open("ACTClassifier: 8 cases, 2 tests, 2 classes")
    ACTClassifier: 8 cases, 2 tests, 2 classes
    >>> first = Progress(0.1, 12.5, steps=1, round=1, rounds=2, what="EG2")
    >>> _ = log.after(Snapshot(first, None))
            Round  What                       Samples      Cost, EUR  vs first
    *         1/2  EG2                              1          12.50
    >>> second = Progress(0.2, 10.0, steps=9, round=2, rounds=2, what="r = 1")
    >>> _ = log.after(Snapshot(second, None))
    *         2/2  r = 1                            9          10.00   -20.0 %
    >>> log.close("completed", 4.0, 6.0, 0.2)
    Termination    completed
    Expected cost  EUR 10.00 per case (tests EUR 4.00 + errors EUR 6.00)
    Samples        9

    With a bound:

    >>> log = SearchLog(print, unit="EUR", steps="states", timeless=True)
    >>> first = Progress(0.1, 12.5, 5.0, steps=70, round=1, what="greedy tree")
    >>> _ = log.after(Snapshot(first, None))
      Round  What                        States    Cost, EUR        Bound      Gap
    *     1  greedy tree                     70        12.50         5.00  60.00 %
    >>> second = Progress(0.2, 10.0, 10.0, steps=900, round=2, what="sample 1")
    >>> _ = log.after(Snapshot(second, None))
    *     2  sample 1                       900        10.00        10.00   0.00 %
    >>> log.close("optimal", 4.0, 6.0, 0.2)
    Termination    optimal for this estimate on these cases
    Expected cost  EUR 10.00 per case (tests EUR 4.00 + errors EUR 6.00)
    Lower bound    EUR 10.00, gap 0.00 %
    States         900
    """

    def __init__(
        self,
        say: Callable[[str], None],
        *,
        unit: str | None = None,
        steps: str = "samples",
        timeless: bool = False,
    ) -> None:
        self._say = say
        self._unit = unit
        self._steps = steps.capitalize()
        self._timeless = timeless
        self._statistics = Statistics()
        self._n_lines = 0
        self._last_line = 0.0
        self._unwritten: Progress | None = None

    def open(self, *preamble: str) -> None:
        """Write what the search is about."""
        for line in preamble:
            self._say(line)

    def after(self, snapshot: Snapshot) -> bool:
        """Write a line on a round that is worth one."""
        progress = snapshot.progress
        if self._statistics.add(progress):
            self._say("Costs from here on are by another estimate.")
        is_time = progress.seconds - self._last_line >= INTERVAL
        if progress.improved or self._timeless or is_time:
            self._last_line = progress.seconds
            self._write_round(progress)
            self._unwritten = None
        else:
            self._unwritten = progress
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
        if self._unwritten and self._statistics.has_bound:
            self._write_round(self._unwritten)  # the round that closed the gap
        cost = test_cost + error_cost
        total, tests, errors = (money(one, self._unit) for one in (cost, test_cost, error_cost))
        proven = termination == "optimal"
        self._say(f"Termination    {in_words(termination) if proven else termination}")
        self._say(f"Expected cost  {total} per case (tests {tests} + errors {errors})")
        if self._statistics.has_bound:
            self._close_bound(cost)
        else:
            self._say(f"{self._steps:15s}{self._statistics.steps:,}")
        for name, note in (notes or {}).items():
            self._say(f"{name:15s}{note}")
        if not self._timeless:
            self._say(f"Time           {duration(seconds)}")

    def _close_bound(self, expected: float) -> None:
        """Write how close to the best the tree is; not all that was minimised may be a cost."""
        statistics = self._statistics
        if not isclose(statistics.cost, expected, rel_tol=SAME):
            charged = "the expected cost, and charges that keep the tree simple"
            self._say(f"Objective      {money(statistics.cost, self._unit)}: {charged}")
        little = "" if statistics.possible else ", which says little of this tree"
        bound = f"{money(statistics.bound, self._unit)}, gap {statistics.gap}{little}"
        self._say(f"Lower bound    {bound}")
        rate = f", {statistics.rate} per second" if statistics.rate and not self._timeless else ""
        self._say(f"{self._steps:15s}{statistics.steps:,}{rate}")

    def _write_round(self, progress: Progress) -> None:
        if self._n_lines % REPEAT == 0:
            self._say(self._row(" ", [column.title for column in self._columns]))
        self._n_lines += 1
        cells = [column.cell(self._statistics, progress) for column in self._columns]
        self._say(self._row("*" if progress.improved else " ", cells))

    def _row(self, star: str, cells: Sequence[str]) -> str:
        pairs = zip(self._columns, cells, strict=True)
        return " ".join([star, *(column.filled(cell) for column, cell in pairs)]).rstrip()

    @cached_property
    def _columns(self) -> list[_Column]:
        """The columns; which ones is known only once there was a round."""
        cost = f"Cost, {self._unit}" if self._unit else "Cost"
        columns_of = _columns_with_bound if self._statistics.has_bound else _columns
        columns = columns_of(cost, self._steps)
        return [column for column in columns if not (self._timeless and column.timed)]


class _Column(NamedTuple):
    """A column of the log.

    A negative width is that of words, which stand to the left and are cut where too long.
    """

    title: str
    width: int
    cell: Callable[[Statistics, Progress], str]
    timed: bool = False

    def filled(self, text: str) -> str:
        """Return the text of a cell in the column's width."""
        if self.width > 0:
            return f"{text:>{self.width}}"
        width = -self.width
        return f" {text if len(text) <= width else text[: width - 1] + '…':<{width}}"


def _columns(cost: str, steps: str) -> list[_Column]:
    return [
        _Column("Round", 11, lambda _, progress: round_number(progress)),
        _Column("What", -24, lambda _, progress: progress.what),
        _Column(steps, 9, lambda _, progress: f"{progress.steps:,}"),
        _Column(cost, max(14, len(cost) + 1), lambda _, progress: money(progress.cost)),
        _Column("vs first", 9, lambda statistics, _: statistics.change),
        _Column("Time", 11, lambda _, progress: duration(progress.seconds), timed=True),
    ]


def _columns_with_bound(cost: str, steps: str) -> list[_Column]:
    return [
        _Column("Round", 5, lambda _, progress: round_number(progress)),
        _Column("What", -22, lambda _, progress: progress.what),
        _Column(steps, 11, lambda _, progress: f"{progress.steps:,}"),
        _Column(f"{steps}/s", 8, lambda statistics, _: statistics.rate, timed=True),
        _Column(cost, max(12, len(cost) + 1), lambda _, progress: money(progress.cost)),
        _Column("Bound", 12, lambda statistics, _: money(statistics.bound)),
        _Column("Gap", 8, lambda statistics, _: statistics.gap),
        _Column("Time", 11, lambda _, progress: duration(progress.seconds), timed=True),
    ]
