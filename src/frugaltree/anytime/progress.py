"""How a search has gone so far."""

from __future__ import annotations

from frugaltree.anytime.loop import Progress
from frugaltree.anytime.words import change, gap, short


class Course:
    """How a search goes, from its first round on.

    Examples
    --------
    >>> course = Course()
    >>> course.add(Progress(1, None, None, 10.0, "", 500, True, {}, 5.0), 0.5)
    False
    >>> course.add(Progress(2, None, None, 8.0, "", 2500, True, {}, 6.0), 1.5)
    False
    >>> course.change, course.gap, course.rate
    ('-20.0 %', '25.00 %', '2 k')

    A cost that rises is by another estimate:

    >>> course.add(Progress(3, None, None, 9.0, "", 3500, True, {}, 2.0), 2.0)
    True
    >>> course.change
    ''
    """

    def __init__(self) -> None:
        self._began: tuple[int, float] | None = None
        self._first = self.cost = self.bound = 0.0
        self._per_second = 0.0
        self.samples = 0
        self.has_bound = False

    def add(self, progress: Progress, seconds: float) -> bool:
        """Take note of a round; return whether costs are by another estimate from here on."""
        bound = progress.bound or 0.0
        anew = self.has_bound and (progress.cost > self.cost or bound < self.bound)
        if self._began is None or anew:
            self._first = progress.cost
        if self._began is None:
            self._began = progress.samples, seconds
        self.cost, self.bound, self.samples = progress.cost, bound, progress.samples
        self.has_bound = progress.bound is not None
        # Not since time 0: a search may go on from one that had looked at many states.
        samples, began = self._began
        if seconds > began:
            self._per_second = (progress.samples - samples) / (seconds - began)
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
    def rate(self) -> str:
        """Samples per second since the first round, nothing where that is not known."""
        return short(self._per_second) if self._per_second else ""
