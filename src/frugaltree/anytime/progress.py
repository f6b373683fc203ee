"""What is known of a search at a moment, and the moments worth remembering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from frugaltree.kernels.data.nodes import Nodes


@dataclass(frozen=True)
class Progress:
    """Where a search stands after a round.

    Logs, progress bars, ``history_``, plots and whoever decides to stop read this and nothing
    else. Two are equal if the same was known at the same time.

    Attributes
    ----------
    seconds
        How long the search has run.
    cost
        Expected cost per case of the best tree so far.
    bound
        What no tree costs less than, per case; None where the search has no such bound.
    steps
        The work done: how many trees were sampled or tried or, by a search with a bound, how many
        states were expanded. A model file does not keep the latter, it is 0 then.
    round, rounds
        Number of the round, from 1, and of how many at most; None if that is not known.
    what
        The round in a few words, such as ``"r = 4"``.
    improved
        Whether the tree is better than after the round before; the first one always is.
    offset
        What every tree costs, so that ``gap`` is a share of the rest: with decisions, the cost of
        the best answer for each case, negative where it is a gain.

    Examples
    --------
    >>> progress = Progress(1.5, cost=10.0, bound=8.0, steps=2500)
    >>> progress.gap, progress.samples
    (0.2, 2500)
    """

    seconds: float
    cost: float
    bound: float | None = None
    steps: int = field(default=0, compare=False)
    round: int = field(default=1, compare=False)
    rounds: int | None = field(default=None, compare=False)
    what: str = field(default="", compare=False)
    improved: bool = field(default=True, compare=False)
    offset: float = field(default=0.0, compare=False)

    @property
    def samples(self) -> int:
        """The work done, by its older name."""
        return self.steps

    @property
    def gap(self) -> float | None:
        """How far the cost can be from the best, as a share of it; None without a bound."""
        return (
            None
            if self.bound is None
            else gap_between(self.cost - self.offset, self.bound - self.offset)
        )


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What a search hands over after a round: where it stands, and its best tree.

    Attributes
    ----------
    progress
        Where it stands.
    nodes
        The best tree so far, in preorder. The search must not write to it any more.
    fitted
        Further fitted attributes that belong to this tree, by name.
    problem
        The problem whose codes the tree's cuts refer to, None for the one that was given.
    """

    progress: Progress
    nodes: Nodes
    fitted: Mapping[str, Any] = field(default_factory=dict)
    problem: Any = None

    def shifted(self, offset: float) -> Snapshot:
        """Return it with costs, given one with regrets and how much more the costs are."""
        if offset == 0.0:
            return self
        progress = self.progress
        bound = None if progress.bound is None else progress.bound + offset
        moved = replace(progress, cost=progress.cost + offset, bound=bound, offset=offset)
        return replace(self, progress=moved)

    def without_bound(self) -> Snapshot:
        """Return it with nothing known of what trees cost at least."""
        return replace(self, progress=replace(self.progress, bound=None))


class History:
    """Remembers the rounds that improved the tree or its bound, and the last.

    Examples
    --------
    >>> history = History()
    >>> for seconds, cost, improved in [(0.1, 9.0, True), (0.2, 9.0, False), (0.3, 9.0, False)]:
    ...     history.add(Progress(seconds, cost, improved=improved))
    >>> [progress.seconds for progress in history.rounds]
    [0.1, 0.3]
    """

    def __init__(self) -> None:
        self._improved: list[Progress] = []
        self._last: list[Progress] = []

    @property
    def rounds(self) -> list[Progress]:
        """The rounds to remember so far."""
        return self._improved + self._last

    def add(self, progress: Progress) -> None:
        """Take note of a round."""
        before = self._improved[-1] if self._improved else progress
        least = progress.offset
        rose = (progress.bound or least) > (before.bound or least)
        if progress.improved and progress.cost > before.cost:
            self._improved = []  # costs from here on are by another estimate
        if progress.improved or rose:
            self._improved.append(progress)
        self._last = [] if progress.improved or rose else [progress]


def gap_between(cost: float, bound: float) -> float:
    """Return how far a cost can be from the best, as a share of it.

    >>> gap_between(10.0, 8.0), gap_between(0.0, 0.0)
    (0.2, 0.0)
    """
    return (cost - bound) / cost if cost > bound else 0.0
