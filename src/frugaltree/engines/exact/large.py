"""The search for a tree where there are too many cases to search with all of them.

A good tree is there first: what EG2 and DTMC grow from all cases. Parts of it tell how pessimistic
the search is to be (:mod:`frugaltree.engines.exact.part_trials`). Then the whole search is done on
a stratified sample, and what it finds is counted on all cases. Then the tree is improved part by
part (:mod:`frugaltree.engines.exact.parts`), with thresholds between finer bins where it cuts.

Every cost is one on all cases. There is no bound: what a sample shows to be no good may be good.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np

from frugaltree.anytime.checkpoint import read_checkpoint
from frugaltree.anytime.progress import Snapshot
from frugaltree.anytime.stop import Stop
from frugaltree.engines.cross_validation import best_trial, mark_chosen
from frugaltree.engines.exact.acceptance import Acceptance
from frugaltree.engines.exact.choice import Choice, write_search
from frugaltree.engines.exact.finer import finer_problem
from frugaltree.engines.exact.first_trees import grow_first_trees
from frugaltree.engines.exact.kept_search import KeptSearch, Limits
from frugaltree.engines.exact.part_trials import PartTrials, forecast_of
from frugaltree.engines.exact.parts import PASSES, Line, PartSearch
from frugaltree.engines.exact.regions import RegionSearch, compact
from frugaltree.engines.exact.schedule import Schedule, TimeShares
from frugaltree.engines.exact.search import CLOSE
from frugaltree.engines.exact.session import Session
from frugaltree.engines.exact.valuation import Valuation
from frugaltree.engines.greedy import cut_by_threshold
from frugaltree.engines.incumbent import Incumbent
from frugaltree.engines.problem import stratified_sample
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE

CHOICE_SHARE, SAMPLE_SHARE, IMPROVED_SHARE = 0.25, 0.4, 0.8
"""Shares of the time after which the choice of a setting, the search on a sample of all cases and
that of parts end at the latest; of the steps, the sample has its share."""


@dataclass(kw_only=True)
class LargeSession(KeptSearch):
    """A search on samples and parts of the cases.

    Attributes
    ----------
    incumbent
        Where the best tree is, with its cost over all cases.
    sample_rows
        Cases of a sample, at most.
    gap, least_saving
        As :class:`Acceptance` has them, for the search on a sample.
    """

    incumbent: Incumbent
    sample_rows: int
    gap: float = 0.0
    least_saving: float = 0.0
    steps: int = 0
    _shape: Nodes | None = None
    _grown: list[tuple[str, Nodes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._follow(0)

    # ----------------------------------------------------------------------- setting

    def _follow(self, pick: int) -> None:
        """Value trees by the objective of one of the settings."""
        self.pick = pick
        self.valuation = Valuation(self.problem, self.tests, self.objectives[pick])
        self.incumbent.forget_cost()
        self.incumbent.fitted = self._fitted()

    def resume(self, stop: Stop, gap: float, limits: Limits) -> None:
        """Go on in a further fit: another request to end it, other limits."""
        self.stop, self.gap, self.limits = stop, gap, limits
        self.incumbent.stop = stop

    # ------------------------------------------------------------------------ rounds

    def rounds(self, schedule: Schedule) -> Iterator[Snapshot]:
        """Search as long as the schedule and the stop allow; yield after each round."""
        try:
            self._clock = TimeShares(self.stop, schedule.seconds)
            if self.incumbent.cost < np.inf:
                yield self._snapshot("gone on from before", improved=True)
            else:
                yield from self._first_rounds()
            if self.trials is None and not self.stop.requested:
                yield from self._choose(schedule)
                yield from self._search_sample(schedule)
            yield from self._improve_in_time(schedule)
        finally:
            self.write()

    def _snapshot(self, what: str, *, improved: bool) -> Snapshot:
        return self.incumbent.snapshot(what, self.steps, improved=improved)

    def _offer(self, nodes: Nodes, cost: float, what: str) -> Snapshot:
        """Take a tree if it is better; return where the search stands."""
        improved = cost < self.incumbent.cost * (1.0 - CLOSE)
        if improved:
            self.incumbent.take(nodes, cost, what)
            self.incumbent.problem = self.problem
        return self._snapshot(what, improved=improved)

    def _first_rounds(self) -> Iterator[Snapshot]:
        """Offer the best leaf, given trees, and what EG2 and DTMC grow."""
        valuation, objective = self.valuation, self.objectives[0]
        yield self._offer(*valuation.leaf(valuation.everything), "leaf")
        for name, nodes in self.starts:
            yield self._offer(*self._valued(nodes), name)
        least = {"min_cases": objective.min_cases, "min_leaf": objective.min_leaf}
        for name, nodes in grow_first_trees(self.problem, self.stop, **least):
            self._grown.append((name, nodes))
            yield self._offer(*valuation.value(nodes), name)

    # ------------------------------------------------------------------------ choice

    def _choose(self, schedule: Schedule) -> Iterator[Snapshot]:
        """Try the settings on parts of the best tree so far, and follow the best of them."""
        self.trials = []
        line = self._part_search(schedule, self.stop).group(self.incumbent.found)
        yield self._offer(line.nodes, line.cost, "values put together")
        self._refine_bins(line.nodes)
        search = self._part_search(schedule, self.stop)
        line = Line(*self._valued(line.nodes))
        search.move_thresholds(line)
        yield self._offer(line.nodes, line.cost, "finer thresholds")
        asks = line.nodes.test[0] != NONE
        tried = [i for i, one in enumerate(self.settings) if one.max_depth != 0 or not asks]
        parts = search.parts(line.nodes, PASSES[0])
        if len(tried) > 1 and parts:
            searches = [self._region_search(self.stop, i) for i in tried]
            held = PartTrials(searches, schedule.jobs)
            for part in held.try_parts(line.nodes, parts):
                yield self._snapshot(f"held out, part {part}", improved=False)
                if self._clock.spent(CHOICE_SHARE):
                    break
            trials = held.trials([self.settings[i].name for i in tried])
            pick = tried[best_trial(trials, all_held_out=held.cases >= self.sample_rows)]
            if pick != self.pick and not self.stop.requested:
                self._change_setting(pick)
            self.trials = mark_chosen(trials, {"pessimism": self.settings[self.pick].name})
            self.incumbent.fitted = self._fitted()
            yield self._snapshot("setting chosen", improved=True)

    def _change_setting(self, pick: int) -> None:
        """Go on under another setting, with the best of the trees so far by its objective."""
        trees = [("best so far", self.incumbent.found), *self._grown]
        self._follow(pick)
        self._offer(*self.valuation.leaf(self.valuation.everything), "leaf")
        for name, nodes in trees:
            self._offer(*self._valued(nodes), name)

    def _valued(self, nodes: Nodes) -> tuple[Nodes, float]:
        """Return a tree whose cuts may be between other bins, valued; and its cost."""
        return self.valuation.value(cut_by_threshold(self.valuation.bare, nodes))

    # ------------------------------------------------------------------------ sample

    def _search_sample(self, schedule: Schedule) -> Iterator[Snapshot]:
        """Search with a sample of all cases."""
        seconds = None if schedule.seconds is None else self._clock.left(SAMPLE_SHARE)
        steps = None if schedule.max_steps is None else int(SAMPLE_SHARE * schedule.max_steps) + 1
        part = Schedule(seconds, steps, monitored=schedule.monitored, jobs=schedule.jobs)
        with self.stop.part(seconds) as stop:
            session = self._sample_session(stop)
            best = np.inf
            for snapshot in part.search(session):
                stop.check_time()
                found = session.acceptance.incumbent
                if found.cost < best:
                    best = found.cost
                    self._shape, cost = self._valued(found.found)
                    yield self._offer(self._shape, cost, snapshot.progress.what)
                else:
                    yield self._snapshot(snapshot.progress.what, improved=False)
                if stop.requested:
                    break
            self.steps += session.search.steps

    def _sample_session(self, stop: Stop) -> Session:
        """Return a search on a sample, under the setting in force."""
        classes = self.problem.true_classes
        everything = self.valuation.everything.rows
        rows = stratified_sample(everything, classes, self.sample_rows, self.seed)
        sample = compact(self.problem, rows)
        incumbent = Incumbent(stop, weight=sample.weight)
        return Session(
            problem=sample,
            tests=self.tests,
            settings=[self.settings[self.pick]],
            objectives=[self.objectives[self.pick]],
            stop=stop,
            limits=self.limits._replace(path=None),
            seed=self.seed,
            acceptance=Acceptance(incumbent, self.gap, self.least_saving),
            digest={},
        )

    # ------------------------------------------------------------------------- parts

    def _part_search(self, schedule: Schedule, stop: Stop) -> PartSearch:
        regions = self._region_search(stop, self.pick)
        return PartSearch(regions, schedule, self.limits.cluster, self.steps)

    def _region_search(self, stop: Stop, pick: int) -> RegionSearch:
        """Return what searches for trees of parts, under one of the settings."""
        return RegionSearch(
            problem=self.problem,
            tests=self.tests,
            objective=self.objectives[pick],
            size=self.sample_rows,
            seed=self.seed,
            stop=stop,
        )

    def _improve_in_time(self, schedule: Schedule) -> Iterator[Snapshot]:
        """Improve the tree as long as there is time, but for what a forecast takes."""
        seconds = None if schedule.seconds is None else self._clock.left(IMPROVED_SHARE)
        with self.stop.part(seconds) as stop:
            yield from self._improve(schedule, stop)
        if self.trials and not self.stop.requested:
            search = self._part_search(schedule, self.stop)
            self.forecast = forecast_of(search, self._valued(self.incumbent.found)[0])
            self.incumbent.fitted = self._fitted()
            yield self._snapshot("forecast", improved=False)
        if stop.reason is not None:
            self.stop.request(stop.reason)

    def _improve(self, schedule: Schedule, stop: Stop) -> Iterator[Snapshot]:
        """Improve the best tree part by part, then the one that a sample has led to."""
        if self._shape is not None and not stop.requested:
            self._refine_bins(self._shape)
        search = self._part_search(schedule, stop)
        for nodes in (self.incumbent.found, self._shape):
            if nodes is not None and not stop.requested:
                yield from self._improve_line(search, nodes)

    def _refine_bins(self, nodes: Nodes) -> None:
        """Go on with finer bins where a tree and the best one so far cut."""
        trees, bare = (nodes, self.incumbent.found), self.valuation.bare
        finer = finer_problem(self.problem, [cut_by_threshold(bare, one) for one in trees])
        if finer is not None:
            self.problem = finer
            self.valuation = Valuation(finer, self.tests, self.objectives[self.pick])

    def _improve_line(self, search: PartSearch, nodes: Nodes) -> Iterator[Snapshot]:
        """Improve one tree."""
        line = search.prepare(self._valued(nodes)[0])
        yield self._offer(line.nodes, line.cost, "values put together")
        for what in search.passes(line):
            self.steps = search.steps
            yield self._offer(line.nodes, line.cost, what)
            self.write_if_due()

    # ------------------------------------------------------------------ checkpoints

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
        nodes = nodes._replace(cut=cut_by_threshold(self.valuation.bare, nodes).cut)
        self.incumbent.take(nodes, float(state["cost"]), "an earlier search")
