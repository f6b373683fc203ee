"""What reports on a search have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from frugaltree.anytime.loop import Observer


class Report(Observer, Protocol):
    """What a search says while it runs, and before and after."""

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
