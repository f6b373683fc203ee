"""The loop that every learner in rounds runs in: one thread searches, the other keeps watch.

The calling thread owns the clock and the signals, and sets the flag that kernels poll. Rounds and
those who listen to them take turns, so that a search goes the same way whoever is listening.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence

from frugaltree.anytime.listener import Listener
from frugaltree.anytime.progress import History, Snapshot
from frugaltree.anytime.stop import Stop, interrupt
from frugaltree.anytime.worker import Rounds, Worker
from frugaltree.kernels.ties import TOLERANCE


def run_rounds(
    rounds: Iterator[Snapshot],
    stop: Stop,
    *,
    history: History | None = None,
    listeners: Sequence[Listener] = (),
    limit: float | None = None,
    spent: float = 0.0,
    soon: bool = False,
) -> Snapshot:
    """Run rounds until they end or someone asks them to stop; return where they have come to.

    Parameters
    ----------
    rounds
        The search. It yields at least once, however early it is stopped. Once ``stop`` is
        requested it yields or ends soon, and is then asked no further.
    stop
        The request to stop; its clock starts now. Afterwards it holds the reason, none if the
        rounds ended by themselves.
    history
        Takes note of the rounds.
    listeners
        Told of every round, in this order and in this thread.
    limit
        How many seconds the search may take.
    spent
        How many of them were spent before, on reading the table.
    soon
        Whether the first round takes a moment only. With nobody listening it is run in this
        thread, and the search is over if it has proven its tree: a small one takes no longer than
        another thread takes to start.

    Examples
    --------
    >>> from frugaltree.anytime.progress import Progress
    >>> rounds = (Snapshot(Progress(0.0, 9.0 - k, round=k), None) for k in (1, 2, 3))
    >>> run_rounds(rounds, Stop()).progress.cost
    6.0
    """
    stop.start(limit, spent)
    stop.check_time()  # with no time at all there still is a first round
    noted = _noted(rounds, stop, history or History())
    last = next(noted, None) if soon and not listeners else None
    if last is not None and _is_proven(last):
        return deque([last, *noted]).pop()
    with Worker(noted if listeners else _last(noted), stop) as worker:
        while True:
            snapshot = _run_round(worker, stop, listeners)
            if snapshot is None:  # the search has ended by itself
                break
            last = snapshot
            stop.check_time()
            wishes = [listener.after(snapshot) for listener in listeners]
            if any(wishes):
                stop.request("callback")
            if stop.requested:  # by the clock, by Ctrl-C, by a listener, or by the search
                break
    if last is None:
        raise RuntimeError("the search ended without a tree, but must yield at least once.")
    return last


def _run_round(worker: Worker, stop: Stop, listeners: Sequence[Listener]) -> Snapshot | None:
    """Return where one more round has come to, None if there was none left."""
    for listener in listeners:
        listener.before()
    worker.begin()
    while True:
        try:
            while not worker.is_done(stop.pulse):
                stop.check_time()
                for listener in listeners:
                    listener.during(stop.seconds)
            return worker.result()
        except KeyboardInterrupt:  # by a handler that is not ours, or the second one by ours
            interrupt(stop)


def _noted(rounds: Iterator[Snapshot], stop: Stop, history: History) -> Rounds:
    """Yield the rounds until they are to stop, and take note of each."""
    try:
        for snapshot in rounds:
            history.add(snapshot.progress)
            yield snapshot
            if stop.requested:
                break
    finally:
        if isinstance(rounds, Generator):
            rounds.close()


def _is_proven(snapshot: Snapshot) -> bool:
    """Tell whether no tree costs less."""
    gap = snapshot.progress.gap
    return gap is not None and gap <= TOLERANCE


def _last(rounds: Rounds) -> Rounds:
    """Yield the last round only: with nobody listening, threads need not take turns."""
    yield from deque(rounds, maxlen=1)
