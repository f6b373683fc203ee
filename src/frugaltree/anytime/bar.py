"""A progress bar for a search."""

from __future__ import annotations

import sys
import threading
from typing import Any, Self

from frugaltree.anytime.listener import Display
from frugaltree.anytime.progress import Progress, Snapshot
from frugaltree.anytime.statistics import Statistics
from frugaltree.anytime.stop import PULSE
from frugaltree.anytime.wording import duration, round_number
from frugaltree.compiling.progress import can_redraw
from frugaltree.tree.text import money

BESIDES = 24
"""Columns of a terminal for the time that is left, a short bar, and blanks."""

_bar_shown = threading.Lock()


class ProgressBar(Display):
    """A progress bar on stderr, gone when the search ends; nothing where that is no terminal.

    A notebook without ipywidgets cannot draw a bar over: it gets one line at the end.

    Of several searches at a time, one in each thread, only the first has a bar.

    Parameters
    ----------
    name
        What is at work.
    unit
        What the costs are in.
    limit
        How many seconds the search may take, None if there is no limit.
    steps
        What the steps of the search are.
    """

    def __init__(
        self,
        name: str,
        *,
        unit: str | None = None,
        limit: float | None = None,
        steps: str = "samples",
    ) -> None:
        self._name = name
        self._unit = unit
        self._limit = limit
        self._steps = steps
        self._statistics = Statistics()
        self._share: float | None = None
        self._end = limit
        self._drawn = -PULSE
        self._last = ""
        self._seconds = 0.0

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars

        console = Console(stderr=True)
        self._display = Bars(
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
        self._display.disable = not (self._mine and can_redraw(console))
        self._ends_in_a_line = self._mine and console.is_jupyter and self._display.disable
        self._display.start()
        return self

    def __exit__(self, *error: object) -> None:
        if not self._display.disable:  # rich < 14.3 would end it with a newline
            self._display.stop()
        if self._ends_in_a_line and self._last:
            sys.stderr.write(f"{self._name}: {self._last}, {duration(self._seconds)}\n")
        if self._mine:
            _bar_shown.release()

    def during(self, seconds: float) -> None:
        """Show how the time passes."""
        self._seconds = seconds
        self._draw(seconds)

    def after(self, snapshot: Snapshot) -> bool:
        """Show what a round has come to."""
        progress, seconds = snapshot.progress, snapshot.progress.seconds
        self._statistics.add(progress)
        if progress.rounds:
            self._share = progress.round / progress.rounds
            by_rounds = seconds / self._share
            self._end = by_rounds if self._limit is None else min(by_rounds, self._limit)
        with_bound = self._statistics.has_bound
        texts = self._texts_with_bound(progress) if with_bound else self._texts(progress)
        self._last = ", ".join(text for text in (texts["round"], texts["cost"]) if text)
        self._seconds = seconds
        self._display.update(self._task, **texts)
        if seconds - self._drawn >= PULSE:
            self._draw(seconds)
        return False

    def _texts(self, progress: Progress) -> dict[str, Any]:
        """Return what was done, and what it has come to."""
        best, less = money(progress.cost, self._unit), self._statistics.change
        return {
            "round": f"round {round_number(progress)}, {progress.what}",
            "cost": f"best {best} ({less})" if less else f"best {best}",
        }

    def _texts_with_bound(self, progress: Progress) -> dict[str, Any]:
        """Return the same of a search that knows a bound, what matters least left out first."""
        statistics, name = self._statistics, self._name
        best = f"best {money(progress.cost, self._unit)}"
        best += f", {statistics.possible}" if statistics.possible else ""
        rate = f"{statistics.rate} {self._steps}/s" if statistics.rate else ""
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
