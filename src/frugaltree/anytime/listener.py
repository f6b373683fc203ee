"""Who is told of a search while it runs: a log, a progress bar, callbacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from frugaltree.anytime.progress import Snapshot


class Listener(Protocol):
    """Someone who is told of every round of a search."""

    def before(self) -> None:
        """Take note that a round begins."""
        return

    def during(self, seconds: float) -> None:
        """Take note that a round still runs; called every so often."""
        return

    def after(self, snapshot: Snapshot) -> bool:
        """Take note that a round has ended; return True to stop the search."""
        return False


class Display(Listener, Protocol):
    """A listener that people read: it also says what comes before the first round and at the end.

    It reads the progress of a round only, not its tree.
    """

    def open(self, *preamble: str) -> None:
        """Say what the search is about."""
        return

    def close(
        self,
        termination: str,
        test_cost: float,
        error_cost: float,
        seconds: float,
        notes: Mapping[str, str] | None = None,
    ) -> None:
        """Say what has come out, and what else there is to say of it."""
        return
