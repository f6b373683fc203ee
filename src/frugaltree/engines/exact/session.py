"""A search with all that belongs to it, so that it can be put down and taken up again."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from time import monotonic
from typing import Any, NamedTuple

from frugaltree.anytime.checkpoint import read_checkpoint, write_checkpoint
from frugaltree.anytime.stop import Stop
from frugaltree.engines.cells import coded
from frugaltree.engines.exact.objective import Pessimism
from frugaltree.engines.exact.pessimism import Candidate, Trial, chosen
from frugaltree.engines.exact.search import Search
from frugaltree.engines.exact.threads import FIRST_TABLE
from frugaltree.engines.incumbent import Best
from frugaltree.engines.problem import Problem
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.exact.objective import Objective

FIRST_SAMPLES = 5
"""Where a longer search must be worth it, samples to be drawn before it begins."""


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
    """

    memory: int
    jobs: int
    path: str | PathLike[str] | None
    interval: float


@dataclass
class Session:
    """A search, the setting it follows, its best tree, and where it is kept.

    Attributes
    ----------
    settings, objectives
        What may be chosen from, the one to fall back on first.
    digest
        Fingerprints of all that the search depends on.
    limits
        What it may take, and where it is written.
    is_kept
        Whether the estimator keeps it for a further fit.
    tuned
        What the settings have cost on cases held out, None before the choice.
    """

    problem: Problem
    settings: list[Pessimism]
    objectives: list[Objective]
    stop: Stop
    limits: Limits
    seed: int
    best: Best
    digest: dict[str, str]
    is_kept: bool = False
    tuned: list[Candidate] | None = None

    def __post_init__(self) -> None:
        self._table, _ = coded(self.problem)
        self._kept = monotonic()
        self._follow(0)

    def _follow(self, pick: int) -> None:
        """Search under one of the settings."""
        self.pick = pick
        self.search = Search(
            self.problem,
            self._table,
            self.objectives[pick],
            self.stop,
            self.limits.memory,
            self.seed,
            FIRST_SAMPLES if len(self.settings) > 1 else 1,
            self.limits.jobs,
        )
        self.best.follow(self.search, self._fitted())

    def take_up(self, stop: Stop, gap: float, limits: Limits) -> None:
        """Go on in a further fit: another request to end it, maybe another gap, other limits."""
        others, self.stop, self.limits = self.limits.jobs != limits.jobs, stop, limits
        self.search.attach(stop, limits.memory)
        self.best.gap_wanted = gap
        if others:
            self._restore(self.pick, {**self.search.state(), **self.best.state()})

    def trial(self, jobs: int) -> Trial:
        """Return a trial of the settings, with tables of its own."""
        memory = max(self.limits.memory // 8, min(self.limits.memory, FIRST_TABLE))

        def make_search() -> Search:
            return Search(self.problem, self._table, self.objectives[0], self.stop, memory)

        return Trial(make_search, self.objectives, self.seed, jobs)

    def choose(self, found: list[Candidate]) -> None:
        """Go on under the setting that is best on cases held out."""
        self.tuned = found
        pick = 0 if self.stop.requested else chosen(found)
        if pick:
            self._follow(pick)
        else:
            self.best.change(self._fitted())

    def _fitted(self) -> dict[str, Any]:
        """Return the fitted attributes that come with the setting."""
        setting = self.settings[self.pick]
        tried = [one for one in self.tuned or [] if one.name == setting.name]
        return {
            "pessimism_": setting.name,
            "cf_": setting.cf,
            "tuning_": self.tuned or None,
            "cv_cost_": tried[0].cost if tried else None,
            "cv_cost_error_": tried[0].error if tried else None,
            "_session_": self if self.is_kept else None,
        }

    # --------------------------------------------------------------------- keeping

    def keep_now_and_then(self) -> None:
        """Write the search to its file if it is time."""
        if monotonic() - self._kept >= self.limits.interval:
            self.keep()

    def keep(self) -> None:
        """Write the search to its file, if it has one; a failure is no reason to lose the tree."""
        self._kept = monotonic()
        if self.limits.path is None or self.tuned is None:
            return
        tuned = [[one.name, *map(float, one[1:])] for one in self.tuned]
        state = {**self.search.state(), **self.best.state(), "pick": self.pick, "tuned": tuned}
        try:
            write_checkpoint(self.limits.path, self.digest, state)
        except FrugaltreeError as error:
            warnings.warn(f"the search goes on, but {error}", UserWarning, stacklevel=2)

    def resumed(self) -> Session:
        """Go on from the file, if there is one."""
        path = self.limits.path
        state = None if path is None else read_checkpoint(path, self.digest)
        if state is not None:
            self.tuned = [Candidate(*one) for one in state["tuned"]]
            self._restore(int(state["pick"]), state)
        return self

    def _restore(self, pick: int, state: Mapping[str, Any]) -> None:
        """Search under a setting from what was known."""
        self._follow(pick)
        self.search.restore(state)
        self.best.restore(state)
