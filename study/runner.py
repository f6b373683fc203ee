"""Doing what is missing: units spread over processes or a cluster, outcomes written as they come.

One coordinator plans and writes; workers compute and return. Whatever the results file holds is
not done again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from frugaltree.datasets import info
from study.clusters import Job, start_workers
from study.learners import get_time_limit, parse
from study.problems import WIDENED
from study.results import Results
from study.units import ANY, Outcome, Unit

SECONDS_PER_CELL = {
    "icet": 2e-5,
    "act": 1e-5,
    "lsid3": 5e-5,
    "cart": 4e-6,
    "streed": 1e-5,
    "lightgbm": 2e-5,
    "eg2-tuned": 1e-4,
    "dtmc-tuned": 5e-5,
    "act-tuned": 2e-4,
}
"""About how many seconds a fit takes per case and test; others take next to nothing."""

LEAST_SECONDS_PER_CELL, START_SECONDS = 5e-7, 0.03
DEFAULTS = {"n_samples": 5, "generations": 20}

MAX_SHOWN = 5
"""How many failures are told in full."""


@dataclass
class Report:
    """What a run did: units done, and those that failed, each with the reason."""

    done: int = 0
    failed: list[tuple[Unit, str]] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.failed:
            return f"{self.done} fits done."
        told = "; ".join(
            f"{unit.learner} on {unit.data}/{unit.prices}, errors {unit.errors}, fold "
            f"{unit.fold}: {why}"
            for unit, why in self.failed[:MAX_SHOWN]
        )
        hidden = len(self.failed) - MAX_SHOWN
        more = f"; and {hidden} more" if hidden > 0 else ""
        return f"{self.done} fits done, {len(self.failed)} failed: {told}{more}."


def group_units(units: Iterable[Unit]) -> list[Job]:
    """Return the units in jobs that share cases and prices, in the order given.

    >>> units = [Unit("act", "car", "1", errors, 0) for errors in ("100", "500")]
    >>> [len(job) for job in group_units(units)]
    [2]
    """
    return [list(job) for _, job in groupby(units, key=lambda unit: (*unit[:3], unit.fold))]


def estimate_seconds(unit: Unit) -> float:
    """Return about how long a unit takes."""
    limit = get_time_limit(unit.learner, unit.data)
    if limit is not None:
        return START_SECONDS + limit
    data = info("breast-cancer" if unit.data == WIDENED else unit.data)
    key, settings = parse(unit.learner)
    pace = SECONDS_PER_CELL.get(key, LEAST_SECONDS_PER_CELL)
    for name, usual in DEFAULTS.items():
        pace *= settings.get(name, usual) / usual
    return START_SECONDS + pace * data.rows * len(data.tests)


def find_missing(units: Iterable[Unit], done: Collection[Unit]) -> list[Unit]:
    """Return the units that are not among those done."""
    return [unit for unit in units if unit not in done]


def run_units(
    units: Iterable[Unit],
    results: Results,
    *,
    n_jobs: int = -1,
    backend: str = "processes",
    scheduler: str | None = None,
    console: Console | None = None,
    after: Callable[[Results], None] | None = None,
) -> Report:
    """Do all units that are missing and write their outcomes.

    Parameters
    ----------
    units, results
        What to do, and where outcomes go.
    n_jobs
        Number of processes; -1 for one per core. On a cluster, its size counts.
    backend, scheduler
        ``"processes"``; or ``"dask"`` or ``"ray"``, with the address of a scheduler, or without
        for a cluster on this machine.
    console
        Where progress is shown, if anywhere.
    after
        Called with the results now and then, and at the end.
    """
    report = Report()
    with results.lock():
        todo = find_missing(units, results.done())
        jobs = group_units(todo)
        if not jobs:
            return report
        with (
            start_workers(backend, scheduler, n_jobs) as spread,
            _show_progress(console, todo) as advance,
        ):
            for outcomes, failed in spread(jobs):
                results.add(outcomes)
                report.failed += failed
                finished = _units_of(outcomes)
                report.done += len(finished)
                advance([*finished, *(unit for unit, _ in failed)])
                if after is not None:
                    after(results)
    return report


def _units_of(outcomes: Iterable[Outcome]) -> list[Unit]:
    """Return the units behind outcomes, those blind to prices once."""
    blind: dict[tuple[Any, ...], list[Unit]] = {}
    for outcome in outcomes:
        unit = Unit(*outcome.key)
        blind.setdefault((unit.learner, unit.data, unit.errors, unit.fold), []).append(unit)
    return [
        units[0] if len(units) == 1 else units[0]._replace(prices=ANY) for units in blind.values()
    ]


@contextmanager
def _show_progress(
    console: Console | None, todo: Sequence[Unit]
) -> Iterator[Callable[[Sequence[Unit]], None]]:
    """Show progress, rate and time left; yield what takes note of finished units."""
    if console is None:
        yield lambda finished: None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=console,
    )
    total = sum(map(estimate_seconds, todo))
    done = 0
    with bar:
        task = bar.add_task("fits", total=total, count=f"0/{len(todo)}")

        def advance(finished: Sequence[Unit]) -> None:
            nonlocal done
            done += len(finished)
            passed = bar.tasks[0].elapsed or 0.0
            rate = f", {done / passed:.1f}/s" if passed > 1 else ""
            bar.update(
                task,
                advance=sum(map(estimate_seconds, finished)),
                count=f"{done}/{len(todo)}{rate}",
                description=finished[0].data if finished else "fits",
            )

        yield advance
