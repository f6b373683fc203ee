"""Choosing how pessimistic a search of a large table is to be, by parts of its own tree.

What a search does to the parts of a tree is what may follow chance. So each of some parts is dealt
in two, one half searched under every setting, and the trees are tried on the other half. A setting
that suits a small sample of all cases need not suit parts of a tree of all of them.

What new cases will cost is told in the same way, by all parts of the tree that was found in the
end, searched anew with three quarters of the cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from frugaltree.engines.cross_validation import Trial
from frugaltree.engines.exact.parts import PASSES, Part, PartSearch
from frugaltree.engines.exact.regions import RegionSearch, graft
from frugaltree.engines.exact.valuation import Region
from frugaltree.engines.forecast import Forecast, make_forecast, moments_of, penalty_of
from frugaltree.engines.greedy import to_preorder
from frugaltree.engines.held_out import HeldOutSums
from frugaltree.engines.problem import stratified_sample
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE

Floats = npt.NDArray[np.float64]

MOST_PARTS = 8
"""So many parts are tried: the dearest of those that are split, then as many leaves."""

HELD_OUT, HELD_OUT_SHARE = 100_000, 0.25
"""Cases held out for the forecast, at most, and as a share of all."""


@dataclass
class PartTrials:
    """Tries several settings on halves of parts of a tree.

    Attributes
    ----------
    searches
        Search under the settings, the one to fall back on first; as many cases of a part are
        dealt in two as they have in a sample.
    jobs
        How many settings are tried at the same time.
    steps
        How many states were expanded.
    """

    searches: list[RegionSearch]
    jobs: int
    steps: int = 0
    _costs: list[Floats] = field(default_factory=list)
    _bills: list[Floats] = field(default_factory=list)

    def try_parts(self, nodes: Nodes, parts: list[Part]) -> Iterator[str]:
        """Try all settings on parts of a tree; say after each which it was.

        ``parts`` has the dearest first.
        """
        parts = _mixed(nodes, parts)[:MOST_PARTS]
        threads = ThreadPoolExecutor(self.jobs)
        try:
            for i, part in enumerate(parts):
                grown, held_out = self._halves(part.region)
                found = list(
                    threads.map(lambda one: self._try(one, grown, held_out), self.searches)  # noqa: B023
                )
                if self.searches[0].stop.requested:
                    return
                self._costs.append(np.array([costs for costs, _, _ in found]))
                self._bills.append(np.array([bills for _, bills, _ in found]))
                self.steps += sum(steps for _, _, steps in found)
                yield f"{i + 1} of {len(parts)}"
        finally:
            threads.shutdown(cancel_futures=True)

    def _halves(self, region: Region) -> tuple[Region, Region]:
        """Return a part, or a sample of it, as one to learn from and one to try."""
        first = self.searches[0]
        classes = first.problem.true_classes
        rows = stratified_sample(region.rows, classes, first.size, first.seed)
        half = stratified_sample(rows, classes, rows.size // 2, first.seed + 1)
        rest = np.setdiff1d(rows, half, assume_unique=True)
        return region._replace(rows=half), region._replace(rows=rest)

    def _try(
        self, search: RegionSearch, grown: Region, held_out: Region
    ) -> tuple[Floats, Floats, int]:
        """Return what cases cost and are charged by a tree of others, and the steps it took."""
        found = search.search(grown, effort=1, steps=None)
        return *search.valuation.case_costs(found.nodes, held_out), found.steps

    @property
    def cases(self) -> float:
        """How many cases were held out."""
        return float(sum(costs.shape[1] for costs in self._costs))

    def trials(self, names: list[str]) -> list[Trial]:
        """Return what each setting has cost and saved so far, below the tests above a part."""
        charged = all(one.objective.budget == np.inf for one in self.searches)
        sums = HeldOutSums(len(names), self.cases, charged=charged)
        for costs, bills in zip(self._costs, self._bills, strict=True):
            sums.add(costs, bills, np.ones(costs.shape[1]))
        return sums.trials(names, [{"pessimism": name} for name in names])


def _mixed(nodes: Nodes, parts: list[Part]) -> list[Part]:
    """Return parts that are split and leaves in turns, as long as there are both."""
    split = [part for part in parts if nodes.test[part.node] != NONE]
    leaves = [part for part in parts if nodes.test[part.node] == NONE]
    turns = [part for pair in zip(split, leaves, strict=False) for part in pair]
    return turns + split[len(leaves) :] + leaves[len(split) :]


def forecast_of(search: PartSearch, nodes: Nodes) -> Forecast | None:
    """Return what new cases will cost by a tree such as this one, None if there is no time.

    Cases of each part are held out, and the part is searched anew with the others. What is above
    has so many cases that it hardly follows chance.
    """
    valuation, whole = search.valuation, search.valuation.everything
    problem, classes = valuation.problem, valuation.problem.cases.classes
    held_out = np.zeros(classes.size, np.bool_)
    size = min(int(HELD_OUT_SHARE * classes.size), HELD_OUT)
    held_out[stratified_sample(whole.rows, problem.true_classes, size, search.regions.seed)] = True
    parts = search.parts(nodes, PASSES[0])
    grown = list(search.search_parts([_of_rows(part, ~held_out) for part in parts], effort=1))
    if search.stop.requested or len(grown) < len(parts):
        return None
    grafts = {part.node: one.nodes for part, one in zip(parts, grown, strict=True)}
    tried = to_preorder(graft(nodes, grafts), valuation.bare.cases)
    rows = np.flatnonzero(held_out).astype(np.int32)
    costs, bills = valuation.case_costs(tried, whole._replace(rows=rows))
    weights = problem.cases.weights
    seen = np.bincount(classes, weights, problem.cases.n_classes)
    guesses = problem.errors[int(np.argmin(problem.errors @ seen)), classes[rows]]
    moments = moments_of(costs, bills, guesses, weights[rows] / problem.case_weight)
    penalty = penalty_of(problem, seen / seen.sum())
    return make_forecast(moments, penalty, widened=1.0)


def _of_rows(part: Part, kept: npt.NDArray[np.bool_]) -> Part:
    """Return the same part with those of its cases that are kept."""
    rows = part.region.rows
    return part._replace(region=part.region._replace(rows=rows[kept[rows]]))
