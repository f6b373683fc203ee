"""How a sampling learner spends its time: one sample size, or larger and larger ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from frugaltree.anytime.loop import Progress
from frugaltree.engines.sampling.finish import completed, pruned
from frugaltree.engines.sampling.search import SamplingSearch
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.ties import TOLERANCE

Finish = Callable[[SamplingSearch, Nodes], tuple[Nodes, float]]


@dataclass
class Incumbent:
    """The best tree so far, and a count of the rounds that led to it.

    Attributes
    ----------
    search
        Where trees come from.
    fitted
        Fitted attributes that go with every tree.
    prune
        Cuts a grown tree back; returns it with its estimated cost per case.
    complete
        Makes a pruned tree ready to be kept.
    """

    search: SamplingSearch
    fitted: Mapping[str, Any] = field(default_factory=dict)
    prune: Finish = pruned
    complete: Callable[[SamplingSearch, Nodes], Nodes] = completed
    step: int = 0

    def take(self, nodes: Nodes, cost: float) -> None:
        """Keep a pruned tree."""
        self.pruned, self.cost = nodes, cost
        self.nodes = self.complete(self.search, nodes)

    def progress(self, what: str, share: float | None = None, *, improved: bool) -> Progress:
        """Return where the search stands after one more round."""
        self.step += 1
        steps = max(self.step, round(self.step / share)) if share else None
        return Progress(
            self.step,
            steps,
            self.nodes,
            self.cost,
            what,
            self.search.samples,
            improved or self.step == 1,
            self.fitted,
        )


def greedy(incumbent: Incumbent, seed: int) -> Nodes:
    """Grow the greedy tree (r = 0) and keep it, pruned; return it as it was grown."""
    search = incumbent.search
    nodes, _ = search.grow_subtree(search.root(seed), 0)
    incumbent.take(*incumbent.prune(search, nodes))
    return nodes


def contract(incumbent: Incumbent, seed: int, r: int, n_jobs: int | None) -> Iterator[Progress]:
    """Grow the greedy tree, then the one that samples of size ``r`` point to, and keep that.

    Asked to stop on the way, keep whichever is cheaper, the second one grown greedily from where
    it was.
    """
    greedy(incumbent, seed)
    yield incumbent.progress("greedy tree", 1.0 if r == 0 else None, improved=True)
    if r > 0:
        yield from _grow(incumbent, seed, r, n_jobs, contracted=True)


def doubling(
    incumbent: Incumbent,
    seed: int,
    largest: int | None,
    max_steps: int | None,
    n_jobs: int | None,
) -> Iterator[Progress]:
    """Grow trees with samples of 1, 2, 4, ... and keep the cheapest."""
    stop = incumbent.search.stop
    greedy(incumbent, seed)
    yield incumbent.progress("greedy tree", improved=True)
    r, trees = 0, 0
    while not stop.requested and (largest is None or r < largest):
        if trees == max_steps:
            stop.request("steps")
            return
        r = max(1, 2 * r) if largest is None else min(max(1, 2 * r), largest)
        yield from _grow(incumbent, seed, r, n_jobs, contracted=False)
        trees += 1


def _grow(
    incumbent: Incumbent, seed: int, r: int, n_jobs: int | None, *, contracted: bool
) -> Iterator[Progress]:
    """Grow one tree, and keep it if it is cheaper, or if it was contracted for and is whole."""
    search = incumbent.search
    latest: list[Nodes] = []
    for tree, share in search.grow(r, search.root(seed), n_jobs):
        latest = [tree]
        if share < 1.0 and not search.stop.requested:
            yield incumbent.progress(f"r = {r}, {share:.0%}", share, improved=False)
    nodes, cost = incumbent.prune(search, latest[0])
    improved = cost < incumbent.cost * (1.0 - TOLERANCE)
    if improved or (contracted and not search.stop.requested):
        incumbent.take(nodes, cost)
    yield incumbent.progress(f"r = {r}", 1.0 if contracted else None, improved=improved)
