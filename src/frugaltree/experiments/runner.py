"""Doing what is missing: units spread over processes or a cluster, outcomes written as they come.

One coordinator plans and writes; workers compute and return. Whatever the results file holds is
not done again.
"""

from __future__ import annotations

import socket
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

from joblib import Parallel, delayed, parallel_config
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
from frugaltree.exceptions import FrugaltreeError
from frugaltree.experiments.learners import limit_of, parsed
from frugaltree.experiments.problems import WIDENED
from frugaltree.experiments.results import Results
from frugaltree.experiments.units import ANY, Outcome, Unit, work

Job = list[Unit]
Done = tuple[list[Outcome], list[tuple[Unit, str]]]
Spread = Callable[[Sequence[Job]], Iterator[Done]]

BACKENDS = ("processes", "dask", "ray")

CONNECT_SECONDS = 10
"""How long a scheduler may take to answer."""

PACE = {
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

LEAST_PACE, START = 5e-7, 0.03
DEFAULTS = {"n_samples": 5, "generations": 20}

TOLD = 5
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
            for unit, why in self.failed[:TOLD]
        )
        more = "" if len(self.failed) <= TOLD else f"; and {len(self.failed) - TOLD} more"
        return f"{self.done} fits done, {len(self.failed)} failed: {told}{more}."


def jobs_of(units: Iterable[Unit]) -> list[Job]:
    """Return the units in jobs that share cases and prices, in the order given.

    >>> units = [Unit("act", "car", "1", errors, 0) for errors in ("100", "500")]
    >>> [len(job) for job in jobs_of(units)]
    [2]
    """
    return [list(job) for _, job in groupby(units, key=lambda unit: (*unit[:3], unit.fold))]


def seconds_of(unit: Unit) -> float:
    """Return about how long a unit takes."""
    limit = limit_of(unit.learner, unit.data)
    if limit is not None:
        return START + limit
    data = info("breast-cancer" if unit.data == WIDENED else unit.data)
    key, settings = parsed(unit.learner)
    pace = PACE.get(key, LEAST_PACE)
    for name, usual in DEFAULTS.items():
        pace *= settings.get(name, usual) / usual
    return START + pace * data.rows * len(data.tests)


def attempt(job: Sequence[Unit]) -> Done:
    """Do the units of a job; one that fails does not harm the others."""
    outcomes: list[Outcome] = []
    failed = []
    for unit in job:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                outcomes += work(unit)
        except Exception as error:
            failed.append((unit, _reason(error)))
    return outcomes, failed


def _reason(error: BaseException) -> str:
    """Return why a unit failed, to stand within a sentence."""
    return f"{type(error).__name__}: {error}".rstrip(".")


def missing(units: Iterable[Unit], results: Results) -> list[Unit]:
    """Return the units whose outcome the results file does not hold."""
    done = results.done()
    return [unit for unit in units if unit not in done]


def run(
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
    with results.alone():
        todo = missing(units, results)
        jobs = jobs_of(todo)
        if not jobs:
            return report
        with workers(backend, scheduler, n_jobs) as spread, _shown(console, todo) as advance:
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
def workers(backend: str, scheduler: str | None, n_jobs: int) -> Iterator[Spread]:
    """Start processes, or meet a cluster; yield what does jobs there as they come."""
    if backend not in BACKENDS:
        raise FrugaltreeError(
            f"there is no backend {backend!r}; choose among {', '.join(BACKENDS)}."
        )
    if backend == "processes" and scheduler is not None:
        raise FrugaltreeError(
            f"processes on this machine take no scheduler, but {scheduler!r} was given; add "
            "--backend dask or --backend ray."
        )
    if backend == "dask":
        with _dask_client(scheduler, n_jobs) as client:
            yield partial(_spread_by_dask, client)
    elif backend == "ray":
        with _ray_cluster(scheduler, n_jobs) as ray:
            yield partial(_spread_by_ray, ray)
    else:
        with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
            yield _spread_by_joblib


def _spread_by_joblib(jobs: Sequence[Job]) -> Iterator[Done]:
    """Do jobs where joblib is told to; yield what each came to, whichever is done first."""
    done = Parallel(return_as="generator_unordered", batch_size=1)(
        delayed(attempt)(job) for job in jobs
    )
    try:
        yield from done
    finally:
        done.close()


def _spread_by_dask(client: Any, jobs: Sequence[Job]) -> Iterator[Done]:
    """Do jobs on a Dask cluster, which repeats those of a worker that is lost.

    Dask is asked without joblib, whose Dask backend stalls when results are taken while jobs are
    still being sent.
    """
    from distributed import as_completed

    futures = client.map(attempt, jobs, pure=False)
    waiting = dict(zip(futures, jobs, strict=True))
    for future in as_completed(list(waiting)):
        job = waiting.pop(future)
        error = future.exception()
        if error is None:
            yield future.result()
        else:
            yield [], [(unit, _reason(error)) for unit in job]
        future.release()


def _dask_client(scheduler: str | None, n_jobs: int) -> Any:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise FrugaltreeError(
            "Dask is not installed; pip install 'frugaltree[dask]' brings it."
        ) from None
    if scheduler is None:
        size = {"n_workers": n_jobs} if n_jobs > 0 else {}
        return Client(LocalCluster(threads_per_worker=1, dashboard_address=None, **size))
    try:
        return Client(scheduler, timeout=CONNECT_SECONDS)
    except (OSError, TimeoutError, ValueError) as error:
        raise FrugaltreeError(
            f"no Dask scheduler answers at {scheduler} ({type(error).__name__}); start one with "
            "`dask scheduler`, or correct the address."
        ) from None


def _spread_by_ray(ray: Any, jobs: Sequence[Job]) -> Iterator[Done]:
    """Do jobs on a Ray cluster, which repeats those of a worker that is lost.

    Ray is asked without joblib, whose Ray backend gives results only when all are there.
    """
    remote = ray.remote(num_cpus=1)(attempt)
    waiting = {remote.remote(job): job for job in jobs}
    while waiting:
        (future,), _ = ray.wait(list(waiting), num_returns=1)
        job = waiting.pop(future)
        try:
            yield ray.get(future)
        except ray.exceptions.RayError as error:
            yield [], [(unit, _reason(error)) for unit in job]


def _knock(address: str | None) -> None:
    """Try whether someone answers at an address; Ray itself would wait for minutes."""
    host, _, port = (address or "").rpartition("://")[2].rpartition(":")
    if host:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()


@contextmanager
def _ray_cluster(scheduler: str | None, n_jobs: int) -> Iterator[Any]:
    try:
        import ray
    except ImportError:
        raise FrugaltreeError(
            "Ray is not installed; pip install 'frugaltree[ray]' brings it."
        ) from None
    size: dict[str, Any] = {"num_cpus": n_jobs} if scheduler is None and n_jobs > 0 else {}
    try:
        _knock(scheduler)
        ray.init(address=scheduler, ignore_reinit_error=True, log_to_driver=False, **size)
    except (OSError, ValueError, RuntimeError) as error:
        raise FrugaltreeError(
            f"no Ray cluster answers at {scheduler} ({type(error).__name__}); start one with "
            "`ray start --head`, or correct the address."
        ) from None
    try:
        yield ray
    finally:
        ray.shutdown()


@contextmanager
def _shown(
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
    total = sum(map(seconds_of, todo))
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
                advance=sum(map(seconds_of, finished)),
                count=f"{done}/{len(todo)}{rate}",
                description=finished[0].data if finished else "fits",
            )

        yield advance
