"""Choosing how pessimistic a search of a large table is to be, by parts of its own tree.

What a search does to the parts of a tree is what may follow chance. So each of some parts is dealt
in two, one half searched under every setting, and the trees are tried on the other half. A setting
that suits a small sample of all cases need not suit parts of a tree of all of them.

What new cases will cost is told by a greedy tree of most of the cases, improved but not searched,
on the others: a little more than the tree that is learned.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cross_validation import Trial, part_of
from frugaltree.engines.exact.first_trees import grow_first_trees
from frugaltree.engines.exact.grouping import group_branches
from frugaltree.engines.exact.parts import GROUPED_SHARE, Part
from frugaltree.engines.exact.regions import search_region
from frugaltree.engines.exact.thresholds import move_thresholds
from frugaltree.engines.exact.valuation import Region, Rows, Valuation
from frugaltree.engines.forecast import Forecast, Penalty, make_forecast, moments_of
from frugaltree.engines.held_out import HeldOutSums
from frugaltree.engines.problem import stratified_sample
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE

Floats = npt.NDArray[np.float64]

MOST_PARTS = 8
"""So many parts are tried: the dearest of those that are split, then as many leaves."""

HELD_OUT, HELD_OUT_SHARE, LEARNED = 100_000, 0.25, 1_000_000
"""Cases held out for the forecast, at most and as a share of all; those learned from, at most."""


@dataclass
class PartTrials:
    """Tries several settings on halves of parts of a tree.

    Attributes
    ----------
    valuations
        The settings, the one to fall back on first.
    stop
        Asks the search to end.
    sample_rows
        Cases of a part that are dealt in two, at most.
    seed
        Seed of the samples and halves.
    jobs
        How many settings are tried at the same time.
    steps
        How many states were expanded.
    """

    valuations: list[Valuation]
    stop: Stop
    sample_rows: int
    seed: int
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
                    threads.map(lambda one: self._try(one, grown, held_out), self.valuations)  # noqa: B023
                )
                if self.stop.requested:
                    return
                self._costs.append(np.array([costs for costs, _, _ in found]))
                self._bills.append(np.array([bills for _, bills, _ in found]))
                self.steps += sum(steps for _, _, steps in found)
                yield f"{i + 1} of {len(parts)}"
        finally:
            threads.shutdown(cancel_futures=True)

    def _halves(self, region: Region) -> tuple[Region, Region]:
        """Return a part, or a sample of it, as one to learn from and one to try."""
        classes = self.valuations[0].problem.cases.classes
        rows = stratified_sample(region.rows, classes, self.sample_rows, self.seed)
        half = stratified_sample(rows, classes, rows.size // 2, self.seed + 1)
        rest = np.setdiff1d(rows, half, assume_unique=True)
        return region._replace(rows=half), region._replace(rows=rest)

    def _try(
        self, valuation: Valuation, grown: Region, held_out: Region
    ) -> tuple[Floats, Floats, int]:
        """Return what cases cost and are charged by a tree of others, and the steps it took."""
        nodes, _, steps = search_region(
            valuation,
            grown,
            self.stop,
            size=self.sample_rows,
            seed=self.seed,
            effort=1,
            steps=None,
        )
        return *valuation.case_costs(nodes, held_out), steps

    @property
    def cases(self) -> float:
        """How many cases were held out."""
        return float(sum(costs.shape[1] for costs in self._costs))

    def trials(self, names: list[str]) -> list[Trial]:
        """Return what each setting has cost and saved so far, below the tests above a part."""
        sums = HeldOutSums(len(names), self.cases)
        for costs, bills in zip(self._costs, self._bills, strict=True):
            sums.add(costs, bills, np.ones(costs.shape[1]))
        return sums.trials(names, [{"pessimism": name} for name in names])


def _mixed(nodes: Nodes, parts: list[Part]) -> list[Part]:
    """Return parts that are split and leaves in turns, as long as there are both."""
    split = [part for part in parts if nodes.test[part.node] != NONE]
    leaves = [part for part in parts if nodes.test[part.node] == NONE]
    turns = [part for pair in zip(split, leaves, strict=False) for part in pair]
    return turns + split[len(leaves) :] + leaves[len(split) :]


def forecast_of(valuation: Valuation, stop: Stop, sample_rows: int, seed: int) -> Forecast | None:
    """Return what new cases will cost under a setting, None if asked to stop."""
    problem, rows = valuation.problem, valuation.everything.rows
    classes, weights = problem.cases.classes, problem.cases.weights
    size = min(int(HELD_OUT_SHARE * rows.size), HELD_OUT)
    held_out = stratified_sample(rows, classes, size, seed)
    rest = np.setdiff1d(rows, held_out, assume_unique=True)
    grown = stratified_sample(rest, classes, LEARNED, seed)
    nodes = _quick_tree(valuation, grown, stop, sample_rows)
    if nodes is None:
        return None
    tried = valuation.everything._replace(rows=held_out)
    costs, bills = valuation.case_costs(nodes, tried)
    seen = np.bincount(classes, weights, problem.cases.n_classes)
    guess = int(np.argmin(problem.errors @ seen))
    guesses = problem.errors[guess, classes[held_out]]
    moments = moments_of(costs, bills, guesses, weights[held_out] / problem.case_weight)
    return make_forecast(moments, Penalty.of(problem.errors, seen / seen.sum()), widened=1.0)


def _quick_tree(valuation: Valuation, rows: Rows, stop: Stop, sample_rows: int) -> Nodes | None:
    """Return the tree that EG2 grows from some cases, put in order; None if asked to stop."""
    objective = valuation.objective
    part = part_of(valuation.problem, rows.astype(np.intp))
    own = Valuation(part, valuation.tests, objective)
    least = {"min_cases": objective.min_cases, "min_leaf": objective.min_leaf}
    _, nodes = next(grow_first_trees(part, stop, **least))
    if stop.requested:
        return None
    nodes, _ = group_branches(own, own.value(nodes)[0], max(int(GROUPED_SHARE * sample_rows), 1))
    return move_thresholds(own, nodes, range(sample_rows, rows.size + 1))[0]
