"""What a search says while it runs: a log like a solver's, or a progress bar."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from frugaltree.anytime.bar import Bar
from frugaltree.anytime.log import Journal
from frugaltree.anytime.report import Report

LOGGER = logging.getLogger("frugaltree")

READY = "Getting ready; once after installing that takes a minute or two."
"""What is said while kernels are compiled or loaded."""


class _Voice:
    """Lets the logger speak while at least one search wants it to."""

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


_voice = _Voice()


@contextmanager
def reporting(
    name: str, verbose: int, *, unit: str | None = None, limit: float | None = None
) -> Iterator[Report | None]:
    """Report as ``verbose`` wants it: 0 not at all, 1 with a bar, 2 or more with a log.

    The log goes to the logger "frugaltree", which is heard for as long; on stderr where nobody
    else listens to it.
    """
    if not verbose:
        yield None
    elif verbose == 1:
        with Bar(name, unit=unit, limit=limit) as bar:
            yield bar
    else:
        with _voice:
            yield Journal(LOGGER.info, unit=unit)


@contextmanager
def getting_ready(verbose: int) -> Iterator[None]:
    """Say, as ``verbose`` wants it, that a search is about to begin."""
    if verbose == 1:
        from rich.console import Console

        with Console(stderr=True).status(READY):
            yield
        return
    if verbose:
        with _voice:
            LOGGER.info(READY)
    yield
