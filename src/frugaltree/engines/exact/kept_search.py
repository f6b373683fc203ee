"""What every search of FrugalTree has, so that it can be put down and taken up again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from os import PathLike
from time import monotonic
from typing import Any, NamedTuple

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cluster import Cluster
from frugaltree.engines.cross_validation import Trial
from frugaltree.engines.exact.choice import Choice
from frugaltree.engines.exact.objective import Pessimism
from frugaltree.engines.exact.one_vs_rest import ValueTests
from frugaltree.engines.forecast import Forecast
from frugaltree.engines.problem import Problem
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.exact.objective import Objective


class Limits(NamedTuple):
    """What a search may take, and where it is kept; the next fit may change all of it.

    Attributes
    ----------
    memory
        Bytes of the table of states.
    jobs
        Threads.
    path, interval
        Where the search is written, None for nowhere, and after how many seconds again.
    cluster
        Where trials, parts and branch and bound are done, None for here.
    """

    memory: int
    jobs: int
    path: str | PathLike[str] | None
    interval: float
    cluster: Cluster | None = None


@dataclass(kw_only=True)
class KeptSearch(ABC):
    """A search, the setting it follows, and where it is kept.

    Attributes
    ----------
    problem
        What to learn, in terms of its own tests.
    tests
        The tests that the search may ask: these, and those of one value against the rest.
    settings, objectives
        What may be chosen from, the one to fall back on first.
    stop
        Asks the search to end.
    limits
        What it may take, and where it is written.
    seed
        Seed of all that is drawn.
    digest
        Fingerprints of all that the search depends on.
    is_kept
        Whether the estimator keeps it for a further fit.
    trials
        What the settings have cost on cases held out, None before the choice.
    forecast
        What new cases will cost by these, None before the choice or if nothing was held out.
    pick
        Which of the settings is followed.
    starts
        Trees from elsewhere, in terms of ``tests``, to be offered before all others.
    """

    problem: Problem
    tests: ValueTests
    settings: list[Pessimism]
    objectives: list[Objective]
    stop: Stop
    limits: Limits
    seed: int
    digest: dict[str, str]
    is_kept: bool = False
    trials: list[Trial] | None = None
    forecast: Forecast | None = None
    pick: int = 0
    starts: list[tuple[str, Nodes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._written = monotonic()

    @abstractmethod
    def write(self) -> None:
        """Write the search to its file, if it has one; a failure is no reason to lose the tree."""

    def write_if_due(self) -> None:
        """Write the search to its file if it is time."""
        if monotonic() - self._written >= self.limits.interval:
            self.write()

    def _fitted(self) -> dict[str, Any]:
        """Return the fitted attributes that come with the setting."""
        return self._choice.fitted(self.settings, self if self.is_kept else None)

    @property
    def _choice(self) -> Choice:
        return Choice(self.pick, self.trials, self.forecast)
