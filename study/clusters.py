"""Where units are run: processes on this machine, or a Dask or Ray cluster."""

from __future__ import annotations

import socket
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from joblib import Parallel, delayed, parallel_config

from frugaltree.exceptions import FrugaltreeError
from study.units import Outcome, Unit, run_unit

Job = list[Unit]
Done = tuple[list[Outcome], list[tuple[Unit, str]]]
"""Outcomes, and units that failed, each with the reason."""

Spread = Callable[[Sequence[Job]], Iterator[Done]]
"""What runs jobs and yields what comes of each, whichever is done first."""

BACKENDS = ("processes", "dask", "ray")

CONNECT_SECONDS = 10
"""How long a scheduler may take to answer."""


def run_job(job: Sequence[Unit]) -> Done:
    """Do the units of a job; one that fails does not harm the others."""
    outcomes: list[Outcome] = []
    failed = []
    for unit in job:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                outcomes += run_unit(unit)
        except Exception as error:
            failed.append((unit, _reason(error)))
    return outcomes, failed


def _reason(error: BaseException) -> str:
    """Return why a unit failed, to stand within a sentence."""
    return f"{type(error).__name__}: {error}".rstrip(".")


@contextmanager
def start_workers(backend: str, scheduler: str | None, n_jobs: int) -> Iterator[Spread]:
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
        delayed(run_job)(job) for job in jobs
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

    futures = client.map(run_job, jobs, pure=False)
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
    remote = ray.remote(num_cpus=1)(run_job)
    waiting = {remote.remote(job): job for job in jobs}
    while waiting:
        (future,), _ = ray.wait(list(waiting), num_returns=1)
        job = waiting.pop(future)
        try:
            yield ray.get(future)
        except ray.exceptions.RayError as error:
            yield [], [(unit, _reason(error)) for unit in job]


def _check_address(address: str | None) -> None:
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
        _check_address(scheduler)
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
