"""The search for a tree where there are too many cases to search with all of them.

A good tree is there first: what EG2 and DTMC grow from all cases. Then the whole search, choice of
the pessimism included, is done on a stratified sample, and what it finds is counted on all cases.
Then the tree is improved part by part: the cases of a node are a problem of their own, searched
with all of them where they are few enough, else with a sample; a subtree is replaced where the
other costs less on all its cases. A leaf of many cases is such a part, so the tree grows as
deep as the cases allow.

Every cost is one on all cases. There is no bound: what a sample shows to be no good may be good.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from frugaltree.anytime.checkpoint import read_checkpoint
from frugaltree.anytime.progress import Snapshot
from frugaltree.anytime.stop import Stop
from frugaltree.engines.cluster import Job, Shared
from frugaltree.engines.cross_validation import Trial
from frugaltree.engines.exact.acceptance import Acceptance
from frugaltree.engines.exact.choice import Choice, write_search
from frugaltree.engines.exact.first_trees import grow_first_trees
from frugaltree.engines.exact.objective import Pessimism
from frugaltree.engines.exact.one_vs_rest import ValueTests
from frugaltree.engines.exact.regions import (
    FoundTree,
    RegionSearch,
    compact,
    graft,
    region_at,
    subtree,
)
from frugaltree.engines.exact.schedule import Schedule
from frugaltree.engines.exact.search import CLOSE
from frugaltree.engines.exact.session import Limits, Session
from frugaltree.engines.exact.stopping import LEAST_PROMISE
from frugaltree.engines.exact.thresholds import move_thresholds
from frugaltree.engines.exact.valuation import Places, Region
from frugaltree.engines.forecast import Forecast
from frugaltree.engines.greedy import cut_by_threshold, to_preorder
from frugaltree.engines.incumbent import Incumbent
from frugaltree.engines.problem import Problem, stratified_sample
from frugaltree.kernels.cost.charges import end_of
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.exact.objective import Objective
from frugaltree.kernels.sentinels import NONE

SAMPLE_SHARE, FIRST_SHARE = 0.6, 0.2
"""Share of the time, or of the steps, for the search on a sample of all cases, and the share of
that after which a setting is chosen: trials on many cases take long."""


class Pass(NamedTuple):
    """How the parts of a tree are gone through.

    Attributes
    ----------
    effort
        Of how many trees the best is taken for a part.
    share
        How many cases a part has at most, as a share of a sample.
    """

    effort: int
    share: float


PASSES = (Pass(1, 1.0), Pass(4, 0.25), Pass(4, 0.06), Pass(3, 1.0))
"""One pass after the other: all parts at first, then small ones with more effort, then all."""


FEW_CASES = 50
"""Thresholds of nodes of fewer cases are left where they are."""


class Part(NamedTuple):
    """A node whose subtree may be replaced, and what that costs now, over all its cases."""

    node: int
    region: Region
    cost: float


@dataclass
class Line:
    """A tree that is improved part by part, and its cost over all cases."""

    nodes: Nodes
    cost: float


@dataclass
class LargeSession:
    """A search on samples and parts of the cases, and the setting that it follows.

    Attributes
    ----------
    problem, tests, settings, objectives, stop, limits, seed, digest, is_kept, trials,
    forecast
        As in :class:`Session`.
    incumbent
        Where the best tree is, with its cost over all cases.
    sample_rows
        Cases of a sample, at most.
    """

    problem: Problem
    tests: ValueTests
    settings: list[Pessimism]
    objectives: list[Objective]
    stop: Stop
    limits: Limits
    seed: int
    incumbent: Incumbent
    digest: dict[str, str]
    sample_rows: int
    gap: float = 0.0
    least_saving: float = 0.0
    is_kept: bool = False
    trials: list[Trial] | None = None
    forecast: Forecast | None = None
    pick: int = 0
    steps: int = 0
    _shared: Shared | None = None
    _shape: tuple[Nodes, float] | None = None
    _grown: list[tuple[str, Nodes]] = field(default_factory=list)
    _searched: set[tuple[int, int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._written = monotonic()
        self._follow(0)

    # ----------------------------------------------------------------------- setting

    def _follow(self, pick: int) -> None:
        """Value trees by the objective of one of the settings."""
        self.pick = pick
        self._regions = RegionSearch(
            problem=self.problem,
            tests=self.tests,
            objective=self.objectives[pick],
            size=self.sample_rows,
            seed=self.seed,
            stop=self.stop,
        )
        self.valuation, self._shared = self._regions.valuation, None
        self.incumbent.forget_cost()
        self.incumbent.fitted = self._fitted()

    def _fitted(self) -> dict[str, Any]:
        """Return the fitted attributes that come with the setting."""
        return self._choice.fitted(self.settings, self if self.is_kept else None)

    @property
    def _choice(self) -> Choice:
        return Choice(self.pick, self.trials, self.forecast)

    def resume(self, stop: Stop, gap: float, limits: Limits) -> None:
        """Go on in a further fit: another request to end it, other limits."""
        self.stop, self.gap, self.limits = stop, gap, limits
        self.incumbent.stop = self._regions.stop = stop
        self._shared = None
        self._searched.clear()

    # ------------------------------------------------------------------------ rounds

    def rounds(self, schedule: Schedule) -> Iterator[Snapshot]:
        """Search as long as the schedule and the stop allow; yield after each round."""
        try:
            self._began = self.stop.seconds
            if self.incumbent.cost < np.inf:
                yield self._snapshot("gone on from before", improved=True)
            else:
                yield from self._first_rounds()
            if self.trials is None and not self.stop.requested:
                yield from self._search_sample(schedule)
            yield from self._improve(schedule)
        finally:
            self.write()

    def _snapshot(self, what: str, *, improved: bool) -> Snapshot:
        return self.incumbent.snapshot(what, self.steps, improved=improved)

    def _offer(self, nodes: Nodes, cost: float, what: str) -> Snapshot:
        """Take a tree if it is better; return where the search stands."""
        improved = cost < self.incumbent.cost * (1.0 - CLOSE)
        if improved:
            self.incumbent.take(nodes, cost, what)
        return self._snapshot(what, improved=improved)

    def _first_rounds(self) -> Iterator[Snapshot]:
        """Offer the best leaf, and what EG2 and DTMC grow."""
        valuation, objective = self.valuation, self.objectives[0]
        yield self._offer(*valuation.leaf(valuation.everything), "leaf")
        least = {"min_cases": objective.min_cases, "min_leaf": objective.min_leaf}
        for name, nodes in grow_first_trees(self.problem, self.stop, **least):
            nodes, cost = valuation.value(nodes)
            self._grown.append((name, nodes))
            yield self._offer(nodes, cost, name)

    # ------------------------------------------------------------------------ sample

    def _search_sample(self, schedule: Schedule) -> Iterator[Snapshot]:
        """Search with a sample of all cases, and choose the setting there."""
        seconds = None if schedule.seconds is None else SAMPLE_SHARE * self._seconds_left(schedule)
        steps = None if schedule.max_steps is None else int(SAMPLE_SHARE * schedule.max_steps) + 1
        part = Schedule(
            seconds,
            steps,
            monitored=schedule.monitored,
            jobs=schedule.jobs,
            first_share=FIRST_SHARE,
        )
        with self.stop.part(seconds) as stop:
            session = self._sample_session(stop)
            best = np.inf
            for snapshot in part.search(session):
                stop.check_time()
                found = session.acceptance.incumbent
                if session.pick != self.pick:
                    self._change_setting(session.pick)
                    yield self._snapshot("setting chosen", improved=True)
                    best = np.inf
                if found.cost < best:
                    best = found.cost
                    nodes = cut_by_threshold(self.valuation.bare, found.found)
                    self._shape = self.valuation.value(nodes)
                    yield self._offer(*self._shape, snapshot.progress.what)
                else:
                    yield self._snapshot(snapshot.progress.what, improved=False)
                if stop.requested:
                    break
            self.steps += session.search.steps
        self.trials, self.forecast = session.trials or [], session.forecast
        self.incumbent.fitted = self._fitted()

    def _seconds_left(self, schedule: Schedule) -> float:
        return max(0.0, (schedule.seconds or 0.0) - (self.stop.seconds - self._began))

    def _sample_session(self, stop: Stop) -> Session:
        classes = self.problem.cases.classes
        everything = self.valuation.everything.rows
        rows = stratified_sample(everything, classes, self.sample_rows, self.seed)
        sample = compact(self.problem, rows)
        incumbent = Incumbent(stop, weight=sample.weight)
        return Session(
            problem=sample,
            tests=self.tests,
            settings=self.settings,
            objectives=self.objectives,
            stop=stop,
            limits=self.limits._replace(path=None),
            seed=self.seed,
            acceptance=Acceptance(incumbent, self.gap, self.least_saving),
            digest={},
        )

    def _change_setting(self, pick: int) -> None:
        """Go on under another setting, with the best of the trees so far by its objective."""
        trees = [("best so far", self.incumbent.found), *self._grown]
        self._follow(pick)
        self._offer(*self.valuation.leaf(self.valuation.everything), "leaf")
        for name, nodes in trees:
            self._offer(*self.valuation.value(nodes), name)

    # ------------------------------------------------------------------------- parts

    def _improve(self, schedule: Schedule) -> Iterator[Snapshot]:
        """Improve the tree that a sample has led to, then the best one, part by part."""
        if self._shape is not None and not self.stop.requested:
            yield from self._passes(Line(*self._shape), schedule)
        if not self.stop.requested:
            line = Line(self.incumbent.found, self.incumbent.cost)
            yield from self._passes(line, schedule)

    def _passes(self, line: Line, schedule: Schedule) -> Iterator[Snapshot]:
        """Go through the parts of a tree until there are no new ones, with growing effort.

        Where waiting must be worth it, a pass that saves next to nothing is the last.
        """
        for how in PASSES:
            before = line.cost
            while (parts := self._parts(line.nodes, how)) and not self.stop.requested:
                yield from self._pass(line, parts, how.effort, schedule)
            if self.stop.requested:
                return
            self._move_thresholds(line)
            yield self._offer(line.nodes, line.cost, "thresholds")
            self.write_if_due()
            if schedule.monitored and before - line.cost < LEAST_PROMISE * before:
                return

    def _move_thresholds(self, line: Line) -> None:
        """Move thresholds of nodes of many cases, then of fewer, as long as that helps."""
        least = self.sample_rows
        while least >= FEW_CASES and not self.stop.requested:
            nodes, cost = move_thresholds(self.valuation, line.nodes, least)
            if cost < line.cost * (1.0 - CLOSE):
                line.nodes, line.cost = nodes, cost
            else:
                least //= 4

    def _parts(self, nodes: Nodes, how: Pass) -> list[Part]:
        """Return the parts of the tree that were not searched yet, the dearest first.

        They are the largest subtrees of few enough cases, and leaves; what was once searched and
        is a leaf still is let be.
        """
        prices = self.problem.prices
        if (prices.delayed & prices.usable).any():  # what is ordered above has paid for a subtree
            return []
        valuation = self.valuation
        places, parts, end = valuation.places(nodes), list[Part](), 0
        most = how.share * self.sample_rows
        for node in range(nodes.test.size):
            n = int(places.stop[node] - places.start[node])
            is_leaf = nodes.test[node] == NONE
            if node < end or (n > most and not is_leaf):
                continue
            end = end_of(nodes, node)
            worth = how == PASSES[0] or not is_leaf
            mixed = (nodes.counts[node] > 0.0).sum() > 1
            if worth and mixed and self._is_new(places, node, how.effort):
                region = region_at(valuation.everything, nodes, places, node)
                cost = valuation.value(subtree(nodes, node), region)[1]
                parts.append(Part(node, region, cost))
        return sorted(parts, key=lambda part: -part.cost)

    def _is_new(self, places: Places, node: int, effort: int) -> bool:
        """Tell whether the cases of a node are still to be searched so; take note of them."""
        rows = places.rows[places.start[node] : places.stop[node]]
        key = effort, rows.size, int(rows.sum(dtype=np.int64))
        new = key not in self._searched
        self._searched.add(key)
        return new

    def _pass(
        self, line: Line, parts: list[Part], effort: int, schedule: Schedule
    ) -> Iterator[Snapshot]:
        """Search the parts of a tree side by side; replace subtrees in order."""
        base, grafts = line.nodes, dict[int, Nodes]()
        total = sum(part.region.rows.size for part in parts)
        left = None if schedule.max_steps is None else max(0, schedule.max_steps - self.steps)
        steps = [None if left is None else left * part.region.rows.size // total for part in parts]
        with closing(self._search_parts(parts, effort, steps, schedule.jobs)) as found:
            for i, (part, (nodes, better, taken)) in enumerate(zip(parts, found, strict=False)):
                self.steps += taken
                if better < part.cost * (1.0 - CLOSE):
                    grafts[part.node] = nodes
                    line.cost -= part.cost - better
                    line.nodes = to_preorder(graft(base, grafts), self.valuation.bare.cases)
                yield self._offer(line.nodes, line.cost, f"part {i + 1} of {len(parts)}")
                self.write_if_due()
                if self.stop.requested:
                    return

    def _search_parts(
        self, parts: list[Part], effort: int, steps: list[int | None], jobs: int
    ) -> Generator[FoundTree, None, None]:
        """Search parts in workers or in threads; yield what is found for each, in order."""
        tasks = [(part.region, effort, most) for part, most in zip(parts, steps, strict=True)]
        cluster = self.limits.cluster
        if cluster is not None and self._shared is None:
            self._shared = cluster.share(self._regions, self.stop)
        if cluster is not None and self._shared is not None:
            given = [Job("search", task, lane) for lane, task in enumerate(tasks)]
            yield from cluster.run(self._shared, given, self.stop)
            return
        threads = ThreadPoolExecutor(jobs)
        try:
            for one in [threads.submit(self._regions.search, *task) for task in tasks]:
                yield one.result()
        finally:
            threads.shutdown(cancel_futures=True)

    # ------------------------------------------------------------------ checkpoints

    def write_if_due(self) -> None:
        """Write the search to its file if it is time."""
        if monotonic() - self._written >= self.limits.interval:
            self.write()

    def write(self) -> None:
        """Write the tree to the file, if there is one; a failure is no reason to lose the tree."""
        self._written = monotonic()
        best = self.incumbent
        if self.limits.path is None or best.cost == np.inf:
            return
        nodes = {f"tree_{name}": array for name, array in best.found._asdict().items()}
        state = {**nodes, "cost": best.cost, **self._choice.state()}
        write_search(self.limits.path, self.digest, state)

    def load(self) -> LargeSession:
        """Go on from the file, if there is one."""
        path = self.limits.path
        state = None if path is None else read_checkpoint(path, self.digest)
        if state is not None:
            self._restore(state)
        return self

    def _restore(self, state: Mapping[str, Any]) -> None:
        pick, self.trials, self.forecast = Choice.of(state, self.settings)
        self._follow(pick)
        nodes = Nodes(*(state[f"tree_{name}"] for name in Nodes._fields))
        self.incumbent.take(nodes, float(state["cost"]), "an earlier search")
