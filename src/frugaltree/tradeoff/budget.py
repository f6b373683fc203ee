"""How much of the time, or of the steps, is left."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

LEAST_SHARE = 0.01
"""With so little left of it, a budget is spent."""


class Limit(NamedTuple):
    """What a search may take: seconds and steps, None for as many as it needs."""

    seconds: float | None
    steps: int | None


@dataclass
class Budget:
    """What several searches may take together.

    Attributes
    ----------
    seconds, steps
        The limits, None for none.
    taken
        Steps that were taken.

    Examples
    --------
    >>> budget = Budget(None, 1000)
    >>> budget.part(0.25)
    Limit(seconds=None, steps=250)
    >>> budget.spend(600)
    >>> budget.part(0.25), budget.is_spent
    (Limit(seconds=None, steps=100), False)
    """

    seconds: float | None
    steps: int | None
    taken: int = 0
    _began: float | None = None

    def spend(self, steps: int) -> None:
        """Take note of steps that were taken; seconds pass by themselves."""
        self.taken += steps

    def part(self, share: float) -> Limit:
        """Return a share of what is left."""
        seconds = None if self.seconds is None else share * self._seconds_left()
        steps = None if self.steps is None else max(1, int(share * (self.steps - self.taken)))
        return Limit(seconds, steps)

    @property
    def is_spent(self) -> bool:
        """Whether next to nothing is left."""
        if self.seconds is not None and self._seconds_left() <= LEAST_SHARE * self.seconds:
            return True
        return self.steps is not None and self.steps - self.taken <= LEAST_SHARE * self.steps

    def _seconds_left(self) -> float:
        """Return how long there is still; the clock starts when that is first asked."""
        if self._began is None:
            self._began = perf_counter()
        return max(0.0, (self.seconds or 0.0) - (perf_counter() - self._began))
