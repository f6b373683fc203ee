"""How a sampling learner spends its time: one sample size, or larger and larger ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from frugaltree.anytime.progress import Snapshot
from frugaltree.engines.incumbent import Incumbent
from frugaltree.engines.sampling.finish import completed, pruned
from frugaltree.engines.sampling.search import SamplingSearch
from frugaltree.kernels.data.nodes import Nodes

Prune = Callable[[SamplingSearch, Nodes], tuple[Nodes, float]]


@dataclass
class Growth:
    """A sampling search with the best of the trees it has grown.

    Attributes
    ----------
    search
        Where trees come from.
    incumbent
        The best one so far, pruned, at its estimated cost per case.
    prune
        Cuts a grown tree back; returns it with its estimated cost per case.
    """

    search: SamplingSearch
    incumbent: Incumbent
    prune: Prune

    @classmethod
    def of(
        cls,
        search: SamplingSearch,
        fitted: Mapping[str, Any] | None = None,
        *,
        prune: Prune = pruned,
        complete: Callable[[SamplingSearch, Nodes], Nodes] | None = completed,
    ) -> Growth:
        """Return a search that has grown nothing yet.

        ``fitted`` are attributes that go with every tree; ``complete`` makes a pruned tree ready
        to be kept.
        """
        finish = None if complete is None else partial(complete, search)
        return cls(search, Incumbent(search.stop, finish=finish, fitted=fitted), prune)

    def snapshot(self, what: str, share: float | None = None, *, improved: bool) -> Snapshot:
        """Return where the search stands after one more round."""
        return self.incumbent.snapshot(what, self.search.samples, improved=improved, share=share)


def greedy(growth: Growth, seed: int) -> Nodes:
    """Grow the greedy tree (r = 0) and keep it, pruned; return it as it was grown."""
    search = growth.search
    nodes, _ = search.grow_subtree(search.root(seed), 0)
    growth.incumbent.take(*growth.prune(search, nodes), "greedy tree")
    return nodes


def contract(growth: Growth, seed: int, r: int, n_jobs: int | None) -> Iterator[Snapshot]:
    """Grow the greedy tree, then the one that samples of size ``r`` point to, and keep that.

    Asked to stop on the way, keep whichever is cheaper, the second one grown greedily from where
    it was.
    """
    greedy(growth, seed)
    yield growth.snapshot("greedy tree", 1.0 if r == 0 else None, improved=True)
    if r > 0:
        yield from _grow(growth, seed, r, n_jobs, contracted=True)


def doubling(
    growth: Growth,
    seed: int,
    largest: int | None,
    max_steps: int | None,
    n_jobs: int | None,
) -> Iterator[Snapshot]:
    """Grow trees with samples of 1, 2, 4, ... and keep the cheapest.

    End where a larger sample would lead to the same tree again.
    """
    search, stop = growth.search, growth.search.stop
    greedy(growth, seed)
    yield growth.snapshot("greedy tree", improved=True)
    r, trees = 0, 0
    while not stop.requested and (largest is None or r < largest):
        if trees == max_steps:
            stop.request("steps")
            return
        r = max(1, 2 * r) if largest is None else min(max(1, 2 * r), largest)
        before = search.samples
        yield from _grow(growth, seed, r, n_jobs, contracted=False)
        if search.is_exhausted(r, search.samples - before):
            return
        trees += 1


def _grow(
    growth: Growth, seed: int, r: int, n_jobs: int | None, *, contracted: bool
) -> Iterator[Snapshot]:
    """Grow one tree, and keep it if it is cheaper, or if it was contracted for and is whole."""
    search, incumbent = growth.search, growth.incumbent
    latest: list[Nodes] = []
    for tree, share in search.grow(r, search.root(seed), n_jobs):
        latest = [tree]
        if share < 1.0 and not search.stop.requested:
            yield growth.snapshot(f"r = {r}, {share:.0%}", share, improved=False)
    nodes, cost = growth.prune(search, latest[0])
    improved = incumbent.is_beaten_by(cost)
    if improved or (contracted and not search.stop.requested):
        incumbent.take(nodes, cost, f"r = {r}")
    yield growth.snapshot(f"r = {r}", 1.0 if contracted else None, improved=improved)
