"""When waiting for a better tree is no longer worth it."""

from __future__ import annotations

from frugaltree.anytime.progress import Progress

LEAST_SECONDS = 1.0
"""Before this, no search is given up."""

LEAST_PROMISE = 0.002
"""The share of the cost that the next doubling of the time must promise to save."""


class Monitor:
    """Ends a search by its performance so far (the paper's section 6, monitoring).

    A search saves less and less: what the last doubling of its time has saved is about the most
    that the next can be expected to. When that is less than 0.2 % of the cost, the search ends.

    Parameters
    ----------
    began
        At which second of the search monitoring begins.

    Examples
    --------
    >>> monitor = Monitor()
    >>> round(monitor.promises([(1.0, 100.0), (2.0, 90.0), (4.0, 80.0)]), 3)
    0.125
    """

    def __init__(self, began: float = 0.0) -> None:
        self._began = began
        self._seen: list[tuple[float, float]] = []
        self.reason: str | None = None

    def is_over(self, progress: Progress) -> bool:
        """Take note of where a search stands; tell whether it is to end."""
        seconds = progress.seconds - self._began
        self._seen.append((seconds, progress.cost))
        if seconds >= LEAST_SECONDS and self.promises(self._seen) < LEAST_PROMISE:
            self.reason = "monitor"
        return self.reason is not None

    @staticmethod
    def promises(seen: list[tuple[float, float]]) -> float:
        """Return the share of the cost that the last doubling of the time has saved."""
        last, cost = seen[-1]
        before = [old for seconds, old in seen if seconds <= last / 2] or [seen[0][1]]
        return (before[-1] - cost) / cost if cost > 0.0 else 0.0
