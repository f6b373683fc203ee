"""The thread in which a search runs, one round at a time.

A kernel in the main thread would hold up Ctrl-C until it ends. So the rounds run in a thread of
their own, where kernels release the GIL, and the calling thread waits.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Self

import joblib

from frugaltree.anytime.progress import Snapshot
from frugaltree.anytime.stop import Stop

Rounds = Generator[Snapshot, None, None]


class Worker:
    """A thread that runs one round at a time, when told to.

    It works under the settings of the thread that made it: numpy's error handling, joblib's
    backend.

    Parameters
    ----------
    rounds
        The search; it is closed in the thread at the end.
    stop
        Asked to end the search where the thread that waits gives up.
    """

    def __init__(self, rounds: Rounds, stop: Stop) -> None:
        self._rounds = rounds
        self._stop = stop
        self._busy = False
        self._found: Snapshot | BaseException | None = None
        self._orders: SimpleQueue[bool] = SimpleQueue()
        self._bell: SimpleQueue[None] = SimpleQueue()
        with joblib.parallel_config() as self._parallel:
            pass
        # A daemon: who gives up on a search that does not end can still leave.
        self._thread = Thread(
            target=copy_context().run, args=(self._work,), name="frugaltree", daemon=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._orders.put(False)
        if self._busy:
            self._stop.request("abandoned")
        elif self._thread.ident is not None:
            self._thread.join()

    def begin(self) -> None:
        """Begin a round."""
        self._busy = True
        self._orders.put(True)
        if self._thread.ident is None:
            self._thread.start()

    def is_done(self, timeout: float) -> bool:
        """Wait a moment; return whether the round is done."""
        with suppress(Empty):
            self._bell.get(timeout=timeout)
        return not self._busy

    def result(self) -> Snapshot | None:
        """Return where the round has come to, None if there was none left."""
        if isinstance(self._found, BaseException):
            raise self._found
        return self._found

    def _work(self) -> None:
        with joblib.parallel_config(**self._parallel):
            while self._orders.get():
                self._run_round()
                # In this order: an interrupt may make the other thread miss the bell.
                self._busy = False
                self._bell.put(None)
            self._rounds.close()

    def _run_round(self) -> None:
        try:
            self._found = next(self._rounds, None)
        except BaseException as error:
            self._found = error
