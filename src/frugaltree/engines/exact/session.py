"""A search with all that belongs to it, so that it can be put down and taken up again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from time import monotonic
from typing import Any

import numpy as np

from frugaltree.anytime.checkpoint import digest_of, read_checkpoint
from frugaltree.anytime.progress import Snapshot
from frugaltree.anytime.stop import Stop
from frugaltree.engines.cells import coded
from frugaltree.engines.cross_validation import Trial, best_trial, mark_chosen
from frugaltree.engines.exact.acceptance import Acceptance
from frugaltree.engines.exact.choice import Choice, write_search
from frugaltree.engines.exact.first_trees import grow_first_trees
from frugaltree.engines.exact.kept_search import KeptSearch, Limits
from frugaltree.engines.exact.pessimism import CrossValidation
from frugaltree.engines.exact.search import Search
from frugaltree.engines.exact.spread import SpreadSearch
from frugaltree.engines.exact.threads import FIRST_TABLE
from frugaltree.engines.exact.trials import FoldTrials
from frugaltree.engines.exact.valuation import Valuation
from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.ask_rules import has_rules
from frugaltree.kernels.data.nodes import Nodes

FIRST_SAMPLES = 5
"""Where a longer search must be worth it, samples to be drawn before it begins."""

AHEAD_SAVING = 0.05
"""Trees tried on cases held out look ahead where that has saved this share for all cases."""


@dataclass(kw_only=True)
class Session(KeptSearch):
    """A search that looks at all cases, and which of its trees count.

    Attributes
    ----------
    acceptance
        Passes trees on to the incumbent.
    """

    acceptance: Acceptance

    def __post_init__(self) -> None:
        super().__post_init__()
        self._extended = self.tests.extend(self.problem)
        self._table, _ = coded(self._extended)
        self._grown: list[tuple[str, Nodes]] = []
        self._follow(0)

    def _follow(self, pick: int) -> None:
        """Search under one of the settings."""
        self.pick = pick
        cluster = self.limits.cluster
        self.search = (Search if cluster is None else partial(SpreadSearch, cluster))(
            self._extended,
            self._table,
            self.objectives[pick],
            self.stop,
            memory=self.limits.memory,
            seed=self.seed,
            samples=FIRST_SAMPLES if len(self.settings) > 1 else 1,
            jobs=self.limits.jobs,
        )
        value = self._valuation.value if self.objectives[pick].restricted else None
        self.acceptance.follow(self.search, self._fitted(), value)

    def first_rounds(self) -> Iterator[Snapshot]:
        """Offer the best leaf, given trees, then what EG2 and DTMC grow, by what is minimised."""
        valuation = self._valuation
        yield self.acceptance.offer(*valuation.leaf(valuation.everything), "leaf")
        for name, nodes in chain(self.starts, self._first_trees()):
            yield self.acceptance.offer(*valuation.value(nodes), name)

    @property
    def _valuation(self) -> Valuation:
        """What tells the cost of trees from elsewhere."""
        return Valuation(self.problem, self.tests, self.objectives[self.pick])

    def _first_trees(self) -> Iterator[tuple[str, Nodes]]:
        """Yield what EG2 and DTMC grow; they are grown once, unless that was cut short.

        Where prices depend on other tests, none are.
        """
        if self.problem.has_conditions:
            return
        if self._grown:
            yield from self._grown
            return
        objective, grown = self.objectives[0], list[tuple[str, Nodes]]()
        least = {"min_cases": objective.min_cases, "min_leaf": objective.min_leaf}
        for one in grow_first_trees(self.problem, self.stop, **least):
            grown.append(one)
            yield one
        if not self.stop.requested:
            self._grown = grown

    def resume(self, stop: Stop, gap: float, limits: Limits) -> None:
        """Go on in a further fit: another request to end it, maybe another gap, other limits."""
        other_jobs = (self.limits.jobs, self.limits.cluster) != (limits.jobs, limits.cluster)
        self.stop, self.limits = stop, limits
        self.search.attach(stop, limits.memory)
        self.acceptance.gap_wanted = gap
        self.acceptance.incumbent.stop = stop
        if other_jobs:
            self._restore(self.pick, {**self.search.state(), **self.acceptance.state()})

    def cross_validation(self, jobs: int) -> CrossValidation:
        """Return what tries the settings on cases held out, with tables of its own."""
        memory = max(self.limits.memory // 8, min(self.limits.memory, FIRST_TABLE))
        fold_trials = FoldTrials(
            problem=self._extended,
            table=self._table,
            objectives=self.objectives,
            memory=memory,
            looks_ahead=self.search.saved_ahead >= AHEAD_SAVING,
            stop=self.stop,
        )
        return CrossValidation(fold_trials, self.seed, jobs, self.limits.cluster)

    def choose(self, trials: list[Trial], *, all_held_out: bool = False) -> None:
        """Go on under the setting that is best on cases held out."""
        pick = 0 if self.stop.requested else best_trial(trials, all_held_out=all_held_out)
        self.trials = self._marked(trials, pick)
        if pick:
            self._follow(pick)
        else:
            self.acceptance.incumbent.fitted = self._fitted()

    def _marked(self, trials: list[Trial], pick: int) -> list[Trial]:
        return mark_chosen(trials, {"pessimism": self.settings[pick].name})

    @property
    def has_tree(self) -> bool:
        """Whether there is a tree, of this fit or of one before."""
        return bool(self.acceptance.incumbent.cost < np.inf)

    # ------------------------------------------------------------------ checkpoints

    def write(self) -> None:
        """Write the search to its file, if it has one; a failure is no reason to lose the tree."""
        self._written = monotonic()
        if self.limits.path is None or not self.has_tree:
            return
        known = {**self.search.state(), **self.acceptance.state()}
        write_search(self.limits.path, self.digest, {**known, **self._choice.state()})

    def load(self) -> Session:
        """Go on from the file, if there is one."""
        path = self.limits.path
        state = None if path is None else read_checkpoint(path, self.digest)
        if state is not None:
            pick, self.trials, self.forecast = Choice.of(state, self.settings)
            self._restore(pick, state)
        return self

    def _restore(self, pick: int, state: Mapping[str, Any]) -> None:
        """Search under a setting from what was known."""
        self._follow(pick)
        self.search.restore(state)
        self.acceptance.restore(state)


def digest_of_search(problem: Problem, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return fingerprints of all that a search depends on."""
    cases, prices = problem.cases, problem.prices
    lacking = (cases.lacking,) if cases.lacking.any() else ()
    charged = ("charge_missing",) if prices.charge_missing else ()
    parts = (repr(problem.case_weight),) if problem.case_weight != 1.0 else ()
    conditions = prices.conditions if problem.has_conditions else ()
    ruled = prices.rules[:2] if has_rules(prices.rules) else ()
    decided = () if problem.base is None else (problem.base, repr(problem.first_decision))
    follows = () if problem.directions is None else (problem.directions,)
    return digest_of(
        {
            "data": (
                cases.codes, cases.values, cases.classes, cases.weights, cases.nominal, *lacking,
                *parts, *follows,
            ),
            "costs": (*prices[:5], problem.errors, *decided, *charged, *ruled, *conditions),
            "parameters": [f"{name}={_plain(value)!r}" for name, value in parameters.items()],
        }
    )  # fmt: skip


def _plain(parameter: Any) -> Any:
    """Return a parameter as it may be told apart in another process.

    >>> _plain(np.int64(2)), _plain(np.random.RandomState(0))
    (2, 'RandomState')
    """
    if isinstance(parameter, np.generic):
        return parameter.item()
    return type(parameter).__name__ if isinstance(parameter, np.random.RandomState) else parameter
