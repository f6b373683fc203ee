"""The search that LSID3 and ACT share: weigh each test of a node by trees sampled below it.

A learner's tree is grown from pieces. Near the root, where a node takes long, its tests are
weighed in parallel; the subtrees further down are grown whole, side by side. Draws depend on
where in the tree they are made and on nothing else, so the pieces make the same tree however
they are dealt out: among threads by engines/sampling/threads.py, among processes and
machines by joblib.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cells import coded
from frugaltree.engines.greedy import trimmed
from frugaltree.engines.problem import Problem
from frugaltree.engines.sampling.frontier import Place, Weighed
from frugaltree.engines.sampling.threads import Bud, Claims, Crew, Growth
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sampling.cache import Desk, Memory, Plan
from frugaltree.kernels.sampling.delayed import Orders
from frugaltree.kernels.sampling.evaluate import GROW, WEIGH, Ahead
from frugaltree.kernels.sampling.grow import Open, look_ahead
from frugaltree.kernels.sampling.path import Path
from frugaltree.kernels.sampling.sample import Bench, Frames
from frugaltree.kernels.sentinels import FULL, NONE

MEMORY = 256 * 2**20
"""Bytes that one thread may spend on remembering subproblems."""

LARGE = 200_000
"""Samples times cases times tests squared from which on a piece is worth a task of its own."""

TASKS = 8
"""Into how many tasks per thread the lower part of a tree is dealt."""


@dataclass
class Lookahead:
    """A problem made ready for sampling under a plan.

    Parameters
    ----------
    problem, plan
        What to learn, and how.
    stop
        Asks the search to finish greedily.
    aside
        Which cases are set aside to estimate errors, none by default.
    """

    problem: Problem
    plan: Plan
    stop: Stop = field(default_factory=Stop)
    aside: npt.NDArray[np.bool_] | None = None
    memory: int = MEMORY
    samples: int = 0

    def __post_init__(self) -> None:
        self.table, self._apart = coded(self.problem, self.plan, self.aside)
        self._idle: list[Bench] = []
        self._scale = 1

    def __getstate__(self) -> dict[str, Any]:
        """Leave the working memory behind: it is made anew where the search goes."""
        return {**vars(self), "_idle": []}

    # ---------------------------------------------------------------------- room

    @contextmanager
    def _bench(self) -> Iterator[Bench]:
        """Lend working memory to one thread."""
        scale = self._scale
        try:
            bench = self._idle.pop()
        except IndexError:
            bench = self._make_bench()
        yield bench
        if scale == self._scale:
            self._idle.append(bench)

    def _make_bench(self) -> Bench:
        table, prices, n = self.table, self.problem.prices, self._scale * self.table.classes.size
        delays = self.plan.delays
        n_bytes = self._scale * min(max(self.memory, 16 * n), 2000 * n * table.nominal.size)
        return Bench(
            table,
            prices,
            self.problem.errors,
            self.plan,
            Memory.empty(table, n_bytes),
            Desk.empty(table),
            Path.empty(prices),
            Frames.empty(n + 2),
            Orders.empty(prices, n if delays else 0, table.widest, table.n_classes),
        )

    def _ahead(self, place: Place, r: int, claims: Claims) -> Ahead:
        n_tests = self.table.nominal.size
        return Ahead(
            place.rows.copy(),
            np.empty_like(place.rows),
            np.full(n_tests, np.inf),
            np.full(n_tests, -1.0),
            np.zeros(n_tests, np.int64),
            np.zeros(n_tests, np.int64),
            np.zeros((r + 1, 2), np.int64),
            np.zeros(self.table.widest, np.int64),
            np.zeros(1, np.int64),
            *claims,
            self.stop.flag,
        )

    def _room(self, place: Place, n_leaves: int) -> tuple[Nodes, Open]:
        """Return room for the subtree of a place, which stands on the stack."""
        table, n = self.table, place.rows.size
        size = self._scale * (2 * n_leaves + table.widest + 2)
        nodes = Nodes.empty(size, 2 * size, table.n_classes)
        for array, value in zip(nodes, (NONE, NONE, np.nan, 0, NONE), strict=False):
            array[0] = value
        growing = place.rows[: place.n_growing]
        nodes.counts[0] = np.bincount(
            table.classes[growing], table.weights[growing], table.n_classes
        )
        budgeted = self.plan.budget < np.inf
        open_nodes = Open(
            np.empty((size, 5), np.int64),
            np.empty(size, np.uint64),
            np.full(size, place.left),
            np.full(size, place.ordered, np.uint8),
            np.tile(place.allowed, (size if budgeted else 1, 1)),
        )
        open_nodes.stack[0] = 0, 0, place.n_growing, n, place.depth
        open_nodes.key[0] = place.key
        return nodes, open_nodes

    def _look(
        self,
        place: Place,
        r: int,
        task: int,
        claims: Claims | None = None,
        noted: tuple[int, int] | None = None,
    ) -> tuple[Ahead, Nodes, Open, int]:
        """Do a task of the kernel at a place, with more and more room until it fits."""
        claims = Claims.open(self.table.nominal.size) if claims is None else claims
        ahead = self._ahead(place, r, claims)
        if noted is not None:
            ahead.below[task], ahead.above[task] = noted
        while True:
            scale, used = self._scale, np.array([1, 0])
            ahead.order[:] = place.rows
            nodes, open_nodes = self._room(place, place.rows.size if task == GROW else 1)
            with self._bench() as bench, np.errstate(over="ignore"):
                top = look_ahead(
                    bench, ahead, nodes, open_nodes, place.above, int(r), used, int(task)
                )
            if top != FULL:
                return ahead, trimmed(nodes, *used), open_nodes, int(top)
            self._enlarge(scale)

    def _enlarge(self, scale: int) -> None:
        """Make more room for everything than at this scale, at which some tree did not fit."""
        if scale == self._scale:
            self._scale = 2 * scale
            self._idle.clear()

    @property
    def tests(self) -> range:
        """All tests."""
        return range(self.table.nominal.size)

    # --------------------------------------------------------------------- pieces

    def root(self, seed: int) -> Place:
        """Return the root of the tree."""
        order = np.argsort(self._apart, kind="stable").astype(np.int32)
        return Place(
            order,
            int((self._apart == 0).sum()),
            0,
            np.uint64(seed),
            np.empty(0, np.int64),
            self.plan.budget,
            False,
            np.ones(self.table.nominal.size, np.uint8),
        )

    def weigh(self, place: Place, r: int, tests: range | None = None) -> Weighed:
        """Weigh the tests of a place, or a range of them.

        Tests that turn out too dear, compared with others of the range, are not weighed to the
        end.
        """
        claims = Claims.open(self.table.nominal.size)
        if tests is not None:
            claims.claimed[:] = 1
            claims.claimed[tests] = 0
        return self.weigh_unclaimed(place, r, claims)

    def weigh_unclaimed(self, place: Place, r: int, claims: Claims) -> Weighed:
        """Weigh those tests of a place that no other thread has claimed."""
        ahead, _, _, _ = self._look(place, r, WEIGH, claims)
        return Weighed.noted(ahead)

    def subtree(self, place: Place, r: int) -> tuple[Nodes, int]:
        """Grow the whole subtree of a place; return it and how many trees were sampled."""
        ahead, nodes, _, _ = self._look(place, r, GROW)
        return nodes, int(ahead.samples[0])

    def grow_until_wanted(
        self, place: Place, r: int, claims: Claims
    ) -> tuple[Nodes, dict[int, Place], Weighed]:
        """Grow the subtree of a place until another thread wants a share of the work.

        Returns also the places that are still to be decided, and how far tests of the last were
        weighed.
        """
        ahead, nodes, open_nodes, top = self._look(place, r, GROW, claims)
        return nodes, self._places(place, ahead, nodes, open_nodes, top), Weighed.noted(ahead)

    def split(
        self, place: Place, a: int, below: int, above: int
    ) -> tuple[Nodes, dict[int, Place]]:
        """Split a place by a test; return a tree of one test and the places of its leaves."""
        ahead, nodes, open_nodes, top = self._look(place, 0, a, noted=(below, above))
        return nodes, self._places(place, ahead, nodes, open_nodes, top)

    def _places(
        self, place: Place, ahead: Ahead, nodes: Nodes, open_nodes: Open, top: int
    ) -> dict[int, Place]:
        """Return the places on the stack, by their nodes in the tree below ``place``."""
        budgeted = self.plan.budget < np.inf
        places = {}
        for i in range(top):
            node, lo, mid, hi, depth = open_nodes.stack[i].tolist()
            places[node] = Place(
                ahead.order[lo:hi].copy(),
                mid - lo,
                depth,
                open_nodes.key[i],
                np.append(place.above, tests_above(nodes, node)),
                float(open_nodes.left[node]),
                bool(open_nodes.ordered[node]),
                open_nodes.allowed[node if budgeted else 0].copy(),
            )
        return places

    def decide(self, place: Place, found: Sequence[Weighed]) -> tuple[Nodes, dict[int, Place]]:
        """Split a place by the best of its tests; asked to stop, grow its subtree greedily."""
        if self.stop.requested:
            return self.subtree(place, 0)[0], {}
        weighed = Weighed.merged(found)
        a = weighed.best
        if a == NONE:
            return self._leaf(place), {}
        return self.split(place, a, int(weighed.below[a]), int(weighed.above[a]))

    def branch(self, place: Place, a: int, cut: int, b: int) -> Place:
        """Return the place of one branch of a test, given the rank below its cut."""
        nodes, places = self.split(place, a, cut, cut + 1)
        return places[int(nodes.children[nodes.first[0] + b])]

    # ---------------------------------------------------------------------- trees

    def grow(
        self, r: int, place: Place, n_jobs: int | None = None
    ) -> Iterator[tuple[Nodes, float]]:
        """Grow the tree below a place; yield it at the end, and a leaf now and then until there.

        Each comes with the share that is done. Once the search is asked to stop, what is left is
        grown greedily.
        """
        leaf, n, work = self._leaf(place), place.rows.size, self._work(place, r)
        jobs = effective_n_jobs(n_jobs) if work > LARGE else 1
        large = n * max(LARGE / max(work, 1.0), 1 / (jobs * TASKS))
        if jobs == 1 or getattr(
            get_active_backend(prefer="threads")[0], "supports_sharedmem", False
        ):
            crew = Crew(self, place, r, jobs, large)
            growth, rounds = crew.growth, crew.work()
        else:
            growth = Growth()
            rounds = self._spread(growth, r, place, jobs, large)
        with closing(rounds):
            for _ in rounds:
                if growth.done < n:
                    yield leaf, growth.done / n
        yield growth.tree(), 1.0

    def _spread(
        self, growth: Growth, r: int, place: Place, jobs: int, large: float
    ) -> Generator[None, None, None]:
        """Grow a tree in processes, or whatever joblib is set to use, round by round."""
        todo = [Bud(0, 0, place)]
        with Parallel(n_jobs=jobs, max_nbytes=None) as do:
            while todo:
                if todo[0].place.rows.size > large and not self.stop.requested:
                    bud = todo.pop(0)
                    found = do(
                        delayed(self.weigh)(bud.place, r, range(a, a + 1)) for a in self.tests
                    )
                    self.samples += sum(one.samples for one in found)
                    todo += growth.put(bud, *self.decide(bud.place, found))
                    todo.sort(key=lambda bud: -bud.place.rows.size)
                else:
                    chunk, todo = chunked(todo, 2 * jobs * large)
                    pieces = do(delayed(self.subtree)(bud.place, r) for bud in chunk)
                    for bud, (piece, samples) in zip(chunk, pieces, strict=True):
                        growth.put(bud, piece, {})
                        self.samples += samples
                yield

    def _work(self, place: Place, r: int) -> float:
        """Return about how long a subtree takes."""
        return float(r * place.rows.size * self.table.nominal.size**2)

    def _leaf(self, place: Place) -> Nodes:
        """Return the tree without a test."""
        nodes, _ = self._room(place, 1)
        return trimmed(nodes, 1, 0)


def tests_above(nodes: Nodes, node: int) -> npt.NDArray[np.int64]:
    """Return the tests above a node, from the root on."""
    tests: list[int] = []
    while (node := int(nodes.parent[node])) != NONE:
        tests.insert(0, int(nodes.test[node]))
    return np.array(tests, np.int64)


def chunked(buds: list[Bud], n_cases: float) -> tuple[list[Bud], list[Bud]]:
    """Return the first buds that have so many cases, and the others."""
    ends = np.cumsum([bud.place.rows.size for bud in buds])
    n = int(np.searchsorted(ends, n_cases)) + 1
    return buds[:n], buds[n:]
