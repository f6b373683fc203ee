"""How a search has gone so far, from its first round on: change, gap and rate."""

from __future__ import annotations

from frugaltree.anytime.progress import Progress
from frugaltree.anytime.wording import change, gap, possible, short


class Statistics:
    """Change of the cost, gap and rate of a search, as text.

    Examples
    --------
    >>> statistics = Statistics()
    >>> statistics.add(Progress(0.5, 10.0, 5.0, steps=500))
    False
    >>> statistics.add(Progress(1.5, 8.0, 6.0, steps=2500))
    False
    >>> statistics.change, statistics.gap, statistics.rate
    ('-20.0 %', '25.00 %', '2 k')

    A cost that rises is by another estimate:

    >>> statistics.add(Progress(2.0, 9.0, 2.0, steps=3500))
    True
    >>> statistics.change
    ''
    """

    def __init__(self) -> None:
        self._began: Progress | None = None
        self._first = self.cost = self.bound = 0.0
        self._per_second = 0.0
        self.steps = 0
        self.has_bound = False

    def add(self, progress: Progress) -> bool:
        """Take note of a round; return whether costs are by another estimate from here on."""
        bound = progress.bound or 0.0
        anew = self.has_bound and (progress.cost > self.cost or bound < self.bound)
        if self._began is None or anew:
            self._first = progress.cost
        if self._began is None:
            self._began = progress
        self.cost, self.bound, self.steps = progress.cost, bound, progress.steps
        self.has_bound = progress.bound is not None
        # Not since time 0: a search may go on from one that had expanded many states.
        seconds = progress.seconds - self._began.seconds
        if seconds > 0.0:
            self._per_second = (progress.steps - self._began.steps) / seconds
        return anew

    @property
    def change(self) -> str:
        """How much the cost differs from the first one."""
        return change(self.cost, self._first)

    @property
    def gap(self) -> str:
        """How far the cost can be from the best."""
        return gap(self.cost, self.bound)

    @property
    def possible(self) -> str:
        """How much less than the cost is possible, nothing where the bound says little of it."""
        return possible(self.cost, self.bound)

    @property
    def rate(self) -> str:
        """Steps per second since the first round, nothing where that is not known."""
        return short(self._per_second) if self._per_second else ""
