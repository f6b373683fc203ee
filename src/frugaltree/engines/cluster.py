"""Jobs on the workers of a Dask cluster, and what they come to, in their order.

What the jobs have in common goes to every worker once. A worker that dies loses its jobs only:
they are done by another one. Jobs must come to the same wherever they are done.
"""

from __future__ import annotations

import pickle
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from time import monotonic, sleep
from typing import Any, NamedTuple

import numpy as np
from joblib import cpu_count, effective_n_jobs
from joblib.parallel import get_active_backend

from frugaltree.anytime.stop import Stop
from frugaltree.exceptions import FrugaltreeError

PATIENCE = 10
"""Seconds to wait for a worker where there is none."""

PULSE = 0.005
"""Seconds between two looks at a job."""

LOOK_SECONDS = 0.25
"""Seconds between two looks at whether its worker is still there."""

MOST_LOSSES = 5
"""How often a job may be lost."""

LOST = ("cancelled", "lost")
"""What becomes of futures whose data is lost."""


class Packed:
    """Base of dataclasses that go to workers: without what they have worked out themselves.

    Arrays are packed so that they can be written to where they go, as kernels want them.
    """

    def __getstate__(self) -> bytes:
        given = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
        return pickle.dumps(given, pickle.HIGHEST_PROTOCOL)

    def __setstate__(self, packed: bytes) -> None:
        vars(self).update(pickle.loads(packed))
        self.__post_init__()

    def __post_init__(self) -> None:
        """Work out what is not given."""


class Job(NamedTuple):
    """A call of a method of what is shared.

    Attributes
    ----------
    method, given
        Its name and arguments.
    lane
        Jobs of a lane go to the same worker, as long as it is there.
    """

    method: str
    given: tuple[Any, ...]
    lane: int


class Sent(NamedTuple):
    """A job, the worker that it was sent to, and its future."""

    job: Job
    home: str
    future: Any


@dataclass(eq=False)
class Shared:
    """Something that all workers hold, and its future, by which they are asked about it."""

    value: Any
    future: Any


class ClusterGone(Exception):
    """The cluster does not answer, and why."""


@dataclass(frozen=True)
class Cluster:
    """The workers of a Dask client; two are equal if they are of the same client."""

    client: Any
    address: str = ""
    _homes: dict[int, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def size(self) -> int:
        """How many threads its workers have, 1 at least."""
        return max(1, sum(self._threads().values()))

    def share(self, value: Any, stop: Stop) -> Shared | None:
        """Give something to every worker; None, and a request to stop, if there is none left."""
        future = None
        with self._kept_alive(stop):
            future = self._scatter(value)
        return None if future is None else Shared(value, future)

    def run(self, shared: Shared, jobs: Sequence[Job], stop: Stop) -> Iterator[Any]:
        """Do jobs; yield what each comes to, in their order, until asked to stop.

        Where the cluster is gone, the search is asked to stop.
        """
        sent: list[Sent] = []
        try:
            with self._kept_alive(stop):
                sent += self._send(shared, jobs)
                for i in range(len(jobs)):
                    answer = self._fetch(shared, sent, i, stop)
                    if stop.requested:
                        break
                    yield answer
        finally:
            with suppress(Exception):  # nobody waits for them any more
                self.client.cancel([one.future for one in sent if not one.future.done()])

    # ------------------------------------------------------------------------- asking

    def _scatter(self, value: Any) -> Any:
        with asking():
            return self.client.scatter(value, broadcast=True, hash=False, timeout=PATIENCE)

    def _send(self, shared: Shared, jobs: Sequence[Job]) -> list[Sent]:
        """Send jobs to the workers of their lanes, and to no others."""
        with asking():
            self._settle({job.lane for job in jobs})
            homes = [self._homes[job.lane] for job in jobs]
            futures = [
                self.client.submit(
                    call_method,
                    shared.future,
                    job.method,
                    pickle.dumps(job.given, pickle.HIGHEST_PROTOCOL),
                    workers=[home],
                    pure=False,
                )
                for job, home in zip(jobs, homes, strict=True)
            ]
        return [Sent(*one) for one in zip(jobs, homes, futures, strict=True)]

    def _fetch(self, shared: Shared, sent: list[Sent], i: int, stop: Stop) -> Any:
        """Wait for a job, and send it again if it is lost; return what it comes to."""
        losses = 0
        while losses <= MOST_LOSSES:
            is_lost = self._is_lost(sent[i], stop)
            if stop.requested:
                return None
            try:
                if not is_lost:
                    return sent[i].future.result(timeout=LOOK_SECONDS)
            except TimeoutError:  # its worker may have died with what it came to
                continue
            except CancelledError:  # it has
                pass
            losses += 1
            self._send_again(shared, sent, i)
        raise ClusterGone("workers are lost again and again")

    def _send_again(self, shared: Shared, sent: list[Sent], at: int) -> None:
        """Send a job again, with others that were lost, and what is shared if that is lost."""
        with asking():
            there = self._threads()
        if any(one.future.status in LOST for one in sent):
            shared.future = self._scatter(shared.value)
        lost = [
            i
            for i, one in enumerate(sent)
            if i == at
            or one.future.status in LOST
            or (one.home not in there and not one.future.done())
        ]
        for i, one in zip(lost, self._send(shared, [sent[i].job for i in lost]), strict=True):
            sent[i] = one

    def _settle(self, lanes: set[int]) -> None:
        """Give every lane a worker: the one it had, if it is still there and not too busy."""
        threads = self._threads()
        if not threads:
            raise ClusterGone("it has no workers")
        settled = settle({lane: self._homes.get(lane) for lane in sorted(lanes)}, threads)
        self._homes.update(settled)

    def _threads(self) -> dict[str, int]:
        """Return how many threads each worker has."""
        try:
            return dict(self.client.nthreads())
        except AttributeError:  # a client that has lost its scheduler holds None in its place
            raise ClusterGone("its scheduler is gone") from None

    def _is_lost(self, sent: Sent, stop: Stop) -> bool:
        """Wait for a job, or a request to stop; tell whether it was lost with its worker."""
        future, looked = sent.future, monotonic()
        while not (future.done() or stop.requested):
            self._check()
            if monotonic() - looked > LOOK_SECONDS:
                with asking():
                    if sent.home not in self._threads():
                        return not future.done()
                looked = monotonic()
            sleep(PULSE)
        if not future.done():
            return False
        self._check()
        if future.status == "error":
            error = future.exception()
            if type(error).__name__ == "KilledWorker":
                raise ClusterGone("its workers die of a job")
            raise error
        return future.status in LOST

    def _check(self) -> None:
        if self.client.status != "running":
            raise ClusterGone("its scheduler does not answer")

    @contextmanager
    def _kept_alive(self, stop: Stop) -> Iterator[None]:
        """Where the cluster is gone, say so, and ask the search to stop with what it has."""
        try:
            yield
        except ClusterGone as why:
            warnings.warn(f"{gone(self.address, why)}", UserWarning, stacklevel=4)
            stop.request("interrupted")


def call_method(shared: Any, method: str, packed: bytes) -> Any:
    """Do a job, in a worker; arguments are packed as :class:`Packed` is."""
    return getattr(shared, method)(*pickle.loads(packed))


def settle(homes: Mapping[int, str | None], threads: Mapping[str, int]) -> dict[int, str]:
    """Return a worker for each lane: where it was, unless that is gone or has too many lanes.

    >>> settle({0: "a", 1: "a", 2: "a", 3: None}, {"a": 1, "b": 1})
    {0: 'a', 1: 'a', 2: 'b', 3: 'b'}
    >>> settle({0: "a", 1: "b"}, {"b": 2})
    {0: 'b', 1: 'b'}
    """
    most = -(-len(homes) // sum(threads.values()))
    load, settled = Counter[str](), dict[int, str]()
    for lane, home in homes.items():
        if home is not None and load[home] < most * threads.get(home, 0):
            settled[lane] = home
            load[home] += 1
    for lane in homes:
        if lane not in settled:
            settled[lane] = min(sorted(threads), key=lambda one: load[one] / threads[one])
            load[settled[lane]] += 1
    return dict(sorted(settled.items()))


@contextmanager
def asking() -> Iterator[None]:
    """Tell of a cluster that does not answer by :class:`ClusterGone`."""
    try:
        yield
    except (OSError, CancelledError, RuntimeError) as error:
        raise ClusterGone(type(error).__name__) from None


def gone(address: str, why: object) -> FrugaltreeError:
    """Return the sentence about a cluster that is gone.

    >>> print(gone("tcp://10.0.0.1:8786", "it has no workers"))
    the Dask cluster at tcp://10.0.0.1:8786 is gone (it has no workers); start one, give joblib its
    client, and fit again.
    """
    where = f" at {address}" if address else ""
    return FrugaltreeError(
        f"the Dask cluster{where} is gone ({why}); start one, give joblib its client, and fit "
        "again."
    )


def active_cluster() -> Cluster | None:
    """Return the Dask cluster that joblib is set to use, None where that is another backend.

    A worker of a cluster works by itself.
    """
    backend, _ = get_active_backend(prefer="threads")
    client = getattr(backend, "client", None)
    if client is None or not hasattr(client, "scatter") or _is_in_worker():
        return None
    address = getattr(client.scheduler, "address", "")
    if client.status != "running":
        raise gone(address, f"its client is {client.status}")
    try:
        with asking():
            backend.effective_n_jobs(-1)  # waits for a worker, if there is none
    except ClusterGone as why:
        raise gone(address, why) from None
    return Cluster(client, address)


def _is_in_worker() -> bool:
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


def threads_here(n_jobs: int | None) -> int:
    """Return how many threads there may be; those of a cluster would all work here."""
    backend, _ = get_active_backend(prefer="threads")
    most = np.inf if getattr(backend, "supports_sharedmem", False) else cpu_count()
    return int(min(effective_n_jobs(n_jobs), most))
