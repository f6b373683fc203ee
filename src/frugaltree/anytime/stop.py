"""The request to end a search: a flag that kernels poll, the clock, and Ctrl-C."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, perf_counter

import numpy as np
import numpy.typing as npt

PULSE = 0.1
"""Seconds between two looks at the clock; Windows sees Ctrl-C only then."""

PATIENCE = 2.0
"""Seconds within which a second Ctrl-C means: give up."""


class Stop:
    """A request to end a search soon, why, and the clock that makes it when time is up.

    Attributes
    ----------
    flag : int64[1]
        0 while the search may go on. Kernels that run without the GIL poll it.

    Examples
    --------
    >>> stop = Stop()
    >>> stop.requested, stop.reason
    (False, None)
    >>> stop.start(limit=0.0)
    >>> stop.check_time()
    >>> stop.request("interrupted")  # the first reason stays
    >>> stop.requested, stop.reason, int(stop.flag[0])
    (True, 'time_limit', 1)
    """

    def __init__(self) -> None:
        self.flag: npt.NDArray[np.int64] = np.zeros(1, np.int64)
        # Appending is atomic, and safe within a signal handler, where a lock might be held.
        self._reasons: list[str] = []
        self._parts: list[Stop] = []
        self.start()

    def __repr__(self) -> str:
        return f"Stop({self.reason!r})" if self.requested else "Stop()"

    def request(self, reason: str) -> None:
        """Ask the search to end; a later reason does not replace the first."""
        if not self._reasons:
            self._reasons.append(reason)
        self.flag[0] = 1
        for part in self._parts:
            part.request(reason)

    @contextmanager
    def part(self, limit: float | None = None) -> Iterator[Stop]:
        """Give a request of its own to a part of the search, which may take so many seconds.

        It is made, too, where the whole search is to end.

        >>> whole = Stop()
        >>> with whole.part(limit=0.0) as part:
        ...     whole.check_time()
        ...     whole.requested, part.requested
        (False, True)
        """
        part = Stop()
        part.start(limit)
        self._parts.append(part)
        if self.reason is not None:
            part.request(self.reason)
        try:
            yield part
        finally:
            self._parts.remove(part)

    @property
    def requested(self) -> bool:
        """Whether the search is to end."""
        return bool(self._reasons)

    @property
    def reason(self) -> str | None:
        """The first reason given, None if there is none."""
        return self._reasons[0] if self._reasons else None

    # ------------------------------------------------------------------------- clock

    def start(self, limit: float | None = None, spent: float = 0.0) -> None:
        """Start the clock of the search, which may take so many seconds; some are spent."""
        self._started, self._limit = perf_counter() - spent, limit

    @property
    def seconds(self) -> float:
        """How long the search has run."""
        return perf_counter() - self._started

    @property
    def pulse(self) -> float:
        """How long to wait before the next look at the clock."""
        if self._limit is None or self.requested:
            return PULSE
        return min(PULSE, max(0.0, self._limit - self.seconds))

    def check_time(self) -> None:
        """Ask the search to end if its time is up."""
        if self._limit is not None and self.seconds >= self._limit:
            self.request("time_limit")
        for part in self._parts:
            part.check_time()


_last_interrupt = -math.inf


def interrupt(stop: Stop) -> None:
    """Take note of a Ctrl-C: the first stops a search, a second one soon after gives up.

    The time of the last one outlives a fit, for a search over many fits to be ended, too.
    """
    global _last_interrupt
    now = monotonic()
    again = now - _last_interrupt <= PATIENCE
    _last_interrupt = now
    stop.request("interrupted")
    if again:
        raise KeyboardInterrupt


@contextmanager
def interruptible(stop: Stop) -> Iterator[None]:
    """Turn Ctrl-C into a request to stop, where that is ours to decide.

    Python allows it in the main thread only, and a handler that someone else has set stays.
    """
    if not _ours_to_handle():
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: interrupt(stop))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _ours_to_handle() -> bool:
    if threading.current_thread() is not threading.main_thread():
        return False
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler
