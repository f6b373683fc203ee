"""The search that LSID3 and ACT share: weigh each test of a node by trees sampled below it.

A learner's tree is grown from pieces. Near the root, where a node takes long, its tests are
weighed in parallel; the subtrees further down are grown whole, side by side. Draws depend on
where in the tree they are made and on nothing else, so the pieces make the same tree however
they are dealt out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, effective_n_jobs

from frugaltree.anytime.stop import Stop
from frugaltree.kernels.cases import Cases
from frugaltree.kernels.choose import NONE
from frugaltree.kernels.grow import FULL, Nodes
from frugaltree.kernels.lookahead import GROW, WEIGH, Ahead, Open, look_ahead, wins
from frugaltree.kernels.measures import C45_ERROR, EG2
from frugaltree.kernels.orders import Orders
from frugaltree.kernels.path import Path
from frugaltree.kernels.sampling import Bench, Frames
from frugaltree.kernels.subproblems import Desk, Memory, Plan, Table, excess_table
from frugaltree.learners.base import Problem
from frugaltree.learners.estimate import ERROR_FORMS
from frugaltree.learners.greedy import trimmed

MEMORY = 256 * 2**20
"""Bytes that one thread may spend on remembering subproblems."""

LARGEST_EXCESS = 256
"""Sets of up to this many cases have a bound on how well classes can be told apart."""

LARGE = 2_000_000
"""Samples times cases times tests squared from which on a piece is worth a task of its own."""

FLAGGED = 16
"""Nominal tests of up to this many values are counted by flags."""

NO_LIMIT = 2**40
"""A depth that no tree reaches."""

TASKS = 8
"""Into how many tasks per thread the lower part of a tree is dealt."""


@dataclass(frozen=True)
class Place:
    """A node yet to be decided: its cases, and the path that leads there.

    Attributes
    ----------
    rows
        The cases; from ``n_growing`` on they are set aside to estimate errors.
    depth, key
        Number of tests above; what random draws are derived from.
    above
        The tests above.
    left, ordered, allowed
        What a case may still be charged; whether a delayed test stands above; what its order
        may hold, under a budget.
    """

    rows: npt.NDArray[np.int32]
    n_growing: int
    depth: int
    key: np.uint64
    above: npt.NDArray[np.int64]
    left: float
    ordered: bool
    allowed: npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Weighed:
    """The estimated cost, over all cases, of each test of a node, with its worth and cut."""

    total: npt.NDArray[np.float64]
    worth: npt.NDArray[np.float64]
    below: npt.NDArray[np.int64]
    above: npt.NDArray[np.int64]
    samples: int

    @classmethod
    def merged(cls, found: Sequence[Weighed]) -> Weighed:
        """Return the tests of several ranges together."""
        pick = np.argmin([one.total for one in found], axis=0)
        names = ("total", "worth", "below", "above")
        merged = {name: np.choose(pick, [getattr(one, name) for one in found]) for name in names}
        return cls(**merged, samples=sum(one.samples for one in found))

    @property
    def best(self) -> int:
        """The test of least cost; of equal ones that of more worth, then the first."""
        best = NONE
        for a in np.flatnonzero(np.isfinite(self.total)).tolist():
            if best == NONE or wins(
                self.total[a], self.worth[a], self.total[best], self.worth[best]
            ):
                best = a
        return best


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
        try:
            bench = self._idle.pop()
        except IndexError:
            bench = self._make_bench()
        yield bench
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

    def _ahead(self, place: Place, r: int) -> Ahead:
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
            self.stop.flag,
        )

    def _room(self, place: Place) -> tuple[Nodes, Open]:
        """Return room for the subtree of a place, which stands on the stack."""
        table, n = self.table, place.rows.size
        size = self._scale * (2 * n + table.widest + 2)
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
        self, place: Place, r: int, task: int, tests: range, noted: tuple[int, int] | None = None
    ) -> tuple[Ahead, Nodes, Open, int]:
        """Do a task of the kernel at a place, with more and more room until it fits."""
        while True:
            ahead, used = self._ahead(place, r), np.array([1, 0])
            if noted is not None:
                ahead.below[task], ahead.above[task] = noted
            nodes, open_nodes = self._room(place)
            with self._bench() as bench, np.errstate(over="ignore"):
                top = look_ahead(
                    bench, ahead, nodes, open_nodes, place.above, int(r), used, int(task),
                    tests.start, tests.stop,
                )  # fmt: skip
            if top != FULL:
                return ahead, trimmed(nodes, *used), open_nodes, int(top)
            self._enlarge()

    def _enlarge(self) -> None:
        """Make more room for everything: some tree did not fit."""
        self._scale *= 2
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

        Weighing all of them, those that turn out too dear are not weighed to the end.
        """
        ahead, _, _, _ = self._look(place, r, WEIGH, self.tests if tests is None else tests)
        return Weighed(ahead.total, ahead.worth, ahead.below, ahead.above, int(ahead.samples[0]))

    def subtree(self, place: Place, r: int) -> tuple[Nodes, int]:
        """Grow the whole subtree of a place; return it and how many trees were sampled."""
        ahead, nodes, _, _ = self._look(place, r, GROW, self.tests)
        return nodes, int(ahead.samples[0])

    def split(
        self, place: Place, a: int, below: int, above: int
    ) -> tuple[Nodes, dict[int, Place]]:
        """Split a place by a test; return a tree of one test and the places of its leaves."""
        ahead, nodes, open_nodes, top = self._look(place, 0, a, self.tests, (below, above))
        budgeted = self.plan.budget < np.inf
        places = {}
        for i in range(top):
            node, lo, mid, hi, depth = open_nodes.stack[i].tolist()
            places[node] = Place(
                ahead.order[lo:hi].copy(),
                mid - lo,
                depth,
                open_nodes.key[i],
                np.append(place.above, a),
                float(open_nodes.left[node]),
                bool(open_nodes.ordered[node]),
                open_nodes.allowed[node if budgeted else 0].copy(),
            )
        return nodes, places

    def branch(self, place: Place, a: int, cut: int, b: int) -> Place:
        """Return the place of one branch of a test, given the rank below its cut."""
        nodes, places = self.split(place, a, cut, cut + 1)
        return places[int(nodes.children[nodes.first[0] + b])]

    # ---------------------------------------------------------------------- trees

    def grow(
        self, r: int, place: Place, n_jobs: int | None = None
    ) -> Iterator[tuple[Nodes, float]]:
        """Grow the tree below a place; yield it, whole at the end, with the share that is done.

        Once the search is asked to stop, what is left is grown greedily.
        """
        jobs = effective_n_jobs(n_jobs) if self._work(place, r) > LARGE else 1
        with Parallel(n_jobs=jobs, prefer="threads") as parallel:
            do = parallel if jobs > 1 else _one_by_one
            tree, todo, done = self._leaf(place), [(0, place)], 0
            share = max(LARGE, self._work(place, r) / (jobs * TASKS))
            while todo and self._work(todo[0][1], r) > share and not self.stop.requested:
                node, spot = todo.pop(0)
                tree, places = self._decide(tree, node, spot, r, jobs, do)
                done += spot.rows.size - sum(child.rows.size for _, child in places)
                todo = sorted(todo + places, key=lambda item: -item[1].rows.size)
                yield tree, done / place.rows.size
            for chunk in self._chunks(todo, r, share, jobs):
                pieces = do(delayed(self.subtree)(spot, r) for _, spot in chunk)
                for (node, spot), (piece, samples) in zip(chunk, pieces, strict=True):
                    tree, _ = grafted(tree, node, piece)
                    self.samples += samples
                    done += spot.rows.size
                yield tree, done / place.rows.size

    def _decide(
        self, tree: Nodes, node: int, place: Place, r: int, jobs: int, do: Any
    ) -> tuple[Nodes, list[tuple[int, Place]]]:
        """Weigh the tests of a place, and split it; return the tree and the new places."""
        ranges = [range(a, a + 1) for a in self.tests] if jobs > 1 else [self.tests]
        found = do(delayed(self.weigh)(place, r, tests) for tests in ranges)
        self.samples += sum(one.samples for one in found)
        if self.stop.requested:
            piece, _ = self.subtree(place, 0)
            return grafted(tree, node, piece)[0], []
        weighed = Weighed.merged(found)
        if weighed.best == NONE:
            return tree, []
        a = weighed.best
        piece, places = self.split(place, a, weighed.below[a], weighed.above[a])
        tree, offset = grafted(tree, node, piece)
        return tree, [(offset + child, spot) for child, spot in places.items()]

    def _chunks(
        self, todo: list[tuple[int, Place]], r: int, share: float, jobs: int
    ) -> Iterator[list[tuple[int, Place]]]:
        """Deal out what is left to do, so that each round keeps every job busy."""
        chunk: list[tuple[int, Place]] = []
        work = 0.0
        for node, place in todo:
            chunk.append((node, place))
            work += self._work(place, r)
            if work > 2 * jobs * share:
                yield chunk
                chunk, work = [], 0.0
        if chunk:
            yield chunk

    def _work(self, place: Place, r: int) -> float:
        """Return about how long a subtree takes."""
        return float(r * place.rows.size * self.table.nominal.size**2)

    def _leaf(self, place: Place) -> Nodes:
        """Return the tree without a test."""
        nodes, _ = self._room(place)
        return trimmed(nodes, 1, 0)


def make_plan(
    problem: Problem,
    *,
    criterion: int = EG2,
    sized: bool = False,
    w: float = 1.0,
    cf: float = 0.25,
    expected_error: str = "c45",
    penalty: str = "laplace",
    prices: str = "context",
    prune_samples: bool = True,
    split_points: str = "gain",
    lookahead_stop: int | str | None = None,
    max_depth: int | None = None,
    min_cases: int = 1,
    max_test_cost: float | None = None,
    validation: bool = False,
) -> Plan:
    """Return the plan of a search, see :class:`frugaltree.ACTClassifier`.

    ``sized`` counts leaves instead of costs and samples nothing but random trees (LSID3).
    """
    penalties = problem.errors[~np.eye(len(problem.errors), dtype=bool)]
    budget = np.inf if max_test_cost is None else float(max_test_cost)
    charged = not sized and max_test_cost is None
    asked = problem.prices.delayed & problem.prices.usable
    return Plan(
        criterion=criterion,
        w=float(w),
        context=prices == "context",
        min_cases=float(min_cases),
        max_depth=NO_LIMIT if max_depth is None else int(max_depth),
        levels=int(lookahead_stop) if isinstance(lookahead_stop, Integral) else NO_LIMIT,
        budget=budget,
        reduction=lookahead_stop == "reduction",
        quantile=split_points == "quantile",
        greedy=not sized,
        charged=charged,
        sized=sized,
        prune=prune_samples and not sized,
        delays=bool(charged and asked.any()),
        aside=validation,
        cf=float(cf),
        form=ERROR_FORMS[expected_error],
        multinomial=penalty == "multinomial",
        uniform=bool(penalties.size == 0 or np.ptp(penalties) == 0.0),
        least_penalty=float(penalties.min(initial=np.inf)) if penalties.size else 0.0,
    )


def _one_by_one(tasks: Any) -> list[Any]:
    """Do tasks in this thread, as ``Parallel`` would in several."""
    return [function(*args, **kwargs) for function, args, kwargs in tasks]


def coded(
    problem: Problem, plan: Plan, aside: npt.NDArray[np.bool_] | None = None
) -> tuple[Table, npt.NDArray[np.uint8]]:
    """Return the cases as the sampling kernels read them, equal ones merged; and who is aside."""
    cases = problem.cases
    n_classes = cases.n_classes
    apart = np.zeros(cases.classes.size, np.uint8) if aside is None else aside.astype(np.uint8)
    shift = (n_classes - 1).bit_length()
    known = np.where(cases.codes < 0, cases.domain[:, None], cases.codes).astype(np.int64)
    cells = np.ascontiguousarray((known << shift) + cases.classes, np.int32)
    first, weights = _merged(np.vstack([cells, cases.classes, apart]), cases.weights)
    excess = np.zeros(0)
    if plan.uniform and plan.form == C45_ERROR:
        excess = np.empty(min(int(weights.sum()), LARGEST_EXCESS) + 1)
        excess_table(n_classes, plan.cf, plan.form, excess)
    cells = np.ascontiguousarray(cells[:, first])
    table = Table(
        cells,
        *flagged(cells >> shift, cases),
        np.ascontiguousarray(cases.classes[first]),
        weights,
        np.random.default_rng(0).integers(0, 2**64, (first.size, 2), np.uint64),
        cases.nominal,
        cases.domain,
        problem.prices.usable,
        cases.start,
        cases.values,
        cases.xlogx,
        np.diff(cases.xlogx),
        excess,
        n_classes,
        shift,
        int(max(2, cases.domain[cases.nominal == 1].max(initial=0))),
    )
    return table, apart[first]


def flagged(
    codes: npt.NDArray[np.int32], cases: Cases
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
    """Return flags for the values of all nominal tests of few values, and where each begins."""
    few = (cases.nominal == 1) & (cases.domain <= FLAGGED)
    width = np.where(few, cases.domain, 0)
    column = np.where(few, width.cumsum() - width, NONE)
    flags = np.zeros((codes.shape[1], width.sum()), np.int8)
    for a in np.flatnonzero(few):
        known = np.flatnonzero(codes[a] < cases.domain[a])
        flags[known, column[a] + codes[a, known]] = -1
    return flags, column


def _merged(
    columns: npt.NDArray[np.int32], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """Return one case of each kind, in the order of their first, and how many there are of it."""
    factors = np.random.default_rng(1).integers(1, 2**63, len(columns), np.uint64) * 2 + 1
    with np.errstate(over="ignore"):
        marks = (columns.astype(np.uint64) * factors[:, None]).sum(axis=0, dtype=np.uint64)
    _, first, which = np.unique(marks, return_index=True, return_inverse=True)
    if not (columns == columns[:, first[which]]).all():  # two kinds with one mark
        return np.arange(weights.size), weights.astype(np.int64)
    order = np.argsort(first)
    total = np.bincount(which, weights).astype(np.int64)
    return first[order], total[order]


def grafted(tree: Nodes, leaf: int, piece: Nodes) -> tuple[Nodes, int]:
    """Return the tree with a piece in place of a leaf, and what its other nodes count from."""
    offset, slots = tree.test.size - 1, tree.children.size
    parts = [
        np.concatenate([old, new[1:]]) for old, new in zip(tree[:-1], piece[:-1], strict=True)
    ]
    children = np.where(piece.children == NONE, NONE, piece.children + offset)
    parts.append(np.concatenate([tree.children, children]))
    new = Nodes(*parts)
    for name in ("test", "cut", "threshold"):
        getattr(new, name)[leaf] = getattr(piece, name)[0]
    new.first[leaf] = piece.first[0] + slots
    new.first[offset + 1 :] += slots
    parents = piece.parent[1:]
    new.parent[offset + 1 :] = np.where(parents == 0, leaf, parents + offset)
    return new, offset
