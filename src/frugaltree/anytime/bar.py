"""A progress bar for a search."""

from __future__ import annotations

import threading
from typing import Any, Self

from frugaltree.anytime.loop import PULSE, Progress
from frugaltree.anytime.progress import Course
from frugaltree.anytime.report import Report
from frugaltree.anytime.words import duration, round_number
from frugaltree.tree.text import money

BESIDES = 24
"""Columns of a terminal for the time that is left, a short bar, and blanks."""

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
