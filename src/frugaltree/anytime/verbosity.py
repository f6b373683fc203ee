"""What ``verbose`` means: nothing, a progress bar, or a log like a solver's."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from frugaltree.anytime.bar import ProgressBar
from frugaltree.anytime.listener import Display
from frugaltree.anytime.log import SearchLog

LOGGER = logging.getLogger("frugaltree")


class _Logging:
    """Lets the logger write while at least one search wants it to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._searches = 0
        self._level = LOGGER.level
        self._handler: logging.Handler | None = None

    def __enter__(self) -> Self:
        with self._lock:
            if not self._searches:
                self._level = LOGGER.level
                if not LOGGER.isEnabledFor(logging.INFO):
                    LOGGER.setLevel(logging.INFO)
                if not LOGGER.hasHandlers():
                    self._handler = logging.StreamHandler()
                    LOGGER.addHandler(self._handler)
            self._searches += 1
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._searches -= 1
            if not self._searches:
                LOGGER.setLevel(self._level)
                if self._handler is not None:
                    LOGGER.removeHandler(self._handler)
                    self._handler = None


_logging = _Logging()


@contextmanager
def display(
    name: str,
    verbose: int,
    *,
    unit: str | None = None,
    limit: float | None = None,
    steps: str = "samples",
) -> Iterator[Display | None]:
    """Show a search as ``verbose`` wants it: 0 not at all, 1 with a bar, 2 or more with a log.

    The log goes to the logger "frugaltree", which is enabled for as long; to stderr where nobody
    else handles it.

    Parameters
    ----------
    name
        What is at work.
    verbose
        How much to show.
    unit
        What the costs are in.
    limit
        How many seconds the search may take, None if there is no limit.
    steps
        What the steps of the search are.
    """
    if not verbose:
        yield None
    elif verbose == 1:
        with ProgressBar(name, unit=unit, limit=limit, steps=steps) as bar:
            yield bar
    else:
        with _logging:
            yield SearchLog(LOGGER.info, unit=unit, steps=steps)
