"""A large tree improved part by part.

The cases of a node are a problem of their own, searched with all of them where they are few
enough, else with a sample; a subtree is replaced where the other costs less on all its cases. A
leaf of many cases is such a part, so the tree grows as deep as the cases allow. Before that,
values whose branches go on alike are put together, and thresholds are moved where all cases want
them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cluster import Cluster, Job, Shared
from frugaltree.engines.exact.grouping import group_branches
from frugaltree.engines.exact.regions import FoundTree, RegionSearch, graft, region_at, subtree
from frugaltree.engines.exact.schedule import Schedule
from frugaltree.engines.exact.search import CLOSE
from frugaltree.engines.exact.stopping import LEAST_PROMISE
from frugaltree.engines.exact.thresholds import move_thresholds
from frugaltree.engines.exact.valuation import Places, Region, Valuation
from frugaltree.engines.greedy import to_preorder
from frugaltree.kernels.cost.charges import end_of
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE


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

WORTH_REPEATING = 1e-5
"""Thresholds are moved once more where that has saved this share."""

GROUPED_SHARE = 0.1
"""Values are put together at nodes of at least this share of a sample."""


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
class PartSearch:
    """Improves trees part by part.

    Attributes
    ----------
    regions
        Searches for trees for the cases of parts.
    schedule
        What the search may take.
    cluster
        Where parts are searched, None for here.
    steps
        How many states were expanded.
    """

    regions: RegionSearch
    schedule: Schedule
    cluster: Cluster | None = None
    steps: int = 0
    _shared: Shared | None = None
    _searched: set[tuple[int, int, int]] = field(default_factory=set)

    @property
    def valuation(self) -> Valuation:
        """What trees cost on all cases."""
        return self.regions.valuation

    @property
    def stop(self) -> Stop:
        """Asks the search to end."""
        return self.regions.stop

    @property
    def sample_rows(self) -> int:
        """Cases of a sample, at most."""
        return self.regions.size

    def prepare(self, nodes: Nodes) -> Line:
        """Return a tree with values put together and thresholds moved, before its parts."""
        line = self.group(nodes)
        self.move_thresholds(line)
        return line

    def group(self, nodes: Nodes) -> Line:
        """Return a tree with values put together."""
        least = max(int(GROUPED_SHARE * self.sample_rows), 1)
        return Line(*group_branches(self.valuation, nodes, least))

    def passes(self, line: Line) -> Iterator[str]:
        """Go through the parts of a tree until there are no new ones, with growing effort.

        Say after each step what was done. Where waiting must be worth it, a pass that saves next
        to nothing is the last.
        """
        for how in PASSES:
            before = line.cost
            while (parts := self.parts(line.nodes, how)) and not self.stop.requested:
                yield from self._pass(line, parts, how.effort)
            if self.stop.requested:
                return
            self.move_thresholds(line)
            yield "thresholds"
            if self.schedule.monitored and before - line.cost < LEAST_PROMISE * before:
                return

    def move_thresholds(self, line: Line) -> None:
        """Move thresholds of nodes of many cases, then of fewer, as long as that helps."""
        least, most = self.sample_rows, self.valuation.everything.rows.size
        while least >= FEW_CASES and not self.stop.requested:
            nodes, cost = move_thresholds(self.valuation, line.nodes, range(least, most + 1))
            helped = cost < line.cost * (1.0 - WORTH_REPEATING)
            if cost < line.cost * (1.0 - CLOSE):
                line.nodes, line.cost = nodes, cost
            if not helped:
                least, most = least // 4, least

    def parts(self, nodes: Nodes, how: Pass) -> list[Part]:
        """Return the parts of the tree that were not searched yet, the dearest first.

        They are the largest subtrees of few enough cases, and leaves; what was once searched and
        is a leaf still is let be.
        """
        valuation = self.valuation
        prices = valuation.problem.prices
        if (prices.delayed & prices.usable).any():  # what is ordered above has paid for a subtree
            return []
        places, parts, end = valuation.places(nodes), list[Part](), 0
        allowed = valuation.allowed(nodes)
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
                region = region_at(valuation.everything, nodes, places, node, allowed)
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

    def _pass(self, line: Line, parts: list[Part], effort: int) -> Iterator[str]:
        """Search the parts of a tree side by side; replace subtrees in order."""
        base, grafts = line.nodes, dict[int, Nodes]()
        with closing(self.search_parts(parts, effort)) as all_found:
            for i, (part, found) in enumerate(zip(parts, all_found, strict=False)):
                self.steps += found.steps
                if found.cost < part.cost * (1.0 - CLOSE):
                    grafts[part.node] = found.nodes
                    line.cost -= part.cost - found.cost
                    line.nodes = to_preorder(graft(base, grafts), self.valuation.bare.cases)
                yield f"part {i + 1} of {len(parts)}"
                if self.stop.requested:
                    return

    def search_parts(self, parts: list[Part], effort: int) -> Generator[FoundTree, None, None]:
        """Search parts side by side, in workers or in threads; yield what is found, in order."""
        tasks = [(part.region, effort, self._steps_of(part, parts)) for part in parts]
        if self.cluster is not None and self._shared is None:
            self._shared = self.cluster.share(self.regions, self.stop)
        if self.cluster is not None and self._shared is not None:
            jobs = [Job("search", task, lane) for lane, task in enumerate(tasks)]
            yield from self.cluster.run(self._shared, jobs, self.stop)
            return
        threads = ThreadPoolExecutor(self.schedule.jobs)
        try:
            for one in [threads.submit(self.regions.search, *task) for task in tasks]:
                yield one.result()
        finally:
            threads.shutdown(cancel_futures=True)

    def _steps_of(self, part: Part, parts: list[Part]) -> int | None:
        """Return the share of a part in the steps that are left, None where nobody counts them."""
        if self.schedule.max_steps is None:
            return None
        left = max(0, self.schedule.max_steps - self.steps)
        return left * part.region.rows.size // sum(one.region.rows.size for one in parts)
