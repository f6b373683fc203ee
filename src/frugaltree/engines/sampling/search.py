"""The search that LSID3 and ACT share: judge each test of a node by trees sampled below it.

A learner's tree is grown from pieces. Near the root, where a node takes long, its tests are
evaluated in parallel; the subtrees further down are grown whole, side by side. Draws depend on
where in the tree they are made and on nothing else, so the pieces make the same tree however they
are shared out: among threads by :mod:`frugaltree.engines.sampling.threads`, among processes and
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
from frugaltree.engines.greedy import trim
from frugaltree.engines.problem import Problem
from frugaltree.engines.pruning import pay_alike
from frugaltree.engines.sampling.frontier import CostedTests, OpenNode
from frugaltree.engines.sampling.on_samples import grow_on_samples
from frugaltree.engines.sampling.threads import OpenLeaf, PartialTree, ThreadPool
from frugaltree.kernels.cost.path_state import PathState
from frugaltree.kernels.cost.prices import is_paid_for
from frugaltree.kernels.data.nodes import NUMERIC_BRANCHES, Nodes, set_leaf
from frugaltree.kernels.records import empty_records
from frugaltree.kernels.sampling.cache import SetCache
from frugaltree.kernels.sampling.delayed import WrittenTrees
from frugaltree.kernels.sampling.evaluate import (
    EVALUATE,
    GROW,
    OPEN_NODE,
    TEST_COST,
    TRIED_CUT,
    Claims,
    Evaluation,
)
from frugaltree.kernels.sampling.grow import TREE_USED, GrowingTree, grow_tree
from frugaltree.kernels.sampling.plan import Plan
from frugaltree.kernels.sampling.workspace import SAMPLE_FRAME, SetBuffers, Sets, Workspace
from frugaltree.kernels.sentinels import FULL, NONE

CACHE_BYTES = 256 * 2**20
"""Bytes that one thread may spend on its cache of sets."""

LARGE = 200_000
"""Samples times cases times tests squared from which on a piece is worth a task of its own."""

TASKS = 8
"""Into how many tasks per thread the lower part of a tree is divided."""


@dataclass
class SamplingSearch:
    """A problem made ready for sampling under a plan.

    Parameters
    ----------
    problem, plan
        What to learn, and how.
    stop
        Asks the search to finish greedily.
    held_out
        Which cases are held out to estimate errors, none by default.
    sample_rows
        How many cases of a node its tests are judged by, at most; None for all of them.
    """

    problem: Problem
    plan: Plan
    stop: Stop = field(default_factory=Stop)
    held_out: npt.NDArray[np.bool_] | None = None
    sample_rows: int | None = None
    cache_bytes: int = CACHE_BYTES
    samples: int = 0

    def __post_init__(self) -> None:
        self.table, self._held_out = coded(self.problem, self.plan, self.held_out)
        numeric = self.table.domain[self.table.nominal == 0]
        self._most_cuts = int(numeric.max(initial=0))
        self._alike = not self.plan.delays or pay_alike(self.problem, self.problem.prices)
        self._idle: list[Workspace] = []
        self._scale = 1

    def __getstate__(self) -> dict[str, Any]:
        """Leave the workspaces behind: they are made anew where the search goes."""
        return {**vars(self), "_idle": []}

    # ---------------------------------------------------------------------- room

    @contextmanager
    def _workspace(self) -> Iterator[Workspace]:
        """Lend a workspace to one thread."""
        scale = self._scale
        try:
            work = self._idle.pop()
        except IndexError:
            work = self._make_workspace()
        yield work
        if scale == self._scale:
            self._idle.append(work)

    def _make_workspace(self) -> Workspace:
        table, prices, n = self.table, self.problem.prices, self._scale * self.table.classes.size
        delays = self.plan.delays
        n_bytes = self._scale * min(max(self.cache_bytes, 16 * n), 2000 * n * table.nominal.size)
        sets = Sets(
            table=table,
            errors=self.problem.errors,
            classes=self.problem.cost_classes,
            plan=self.plan,
            cache=SetCache.empty(table, n_bytes),
            buffers=SetBuffers.empty(table),
        )
        return Workspace(
            sets=sets,
            prices=prices,
            path=PathState.empty(prices),
            frames=empty_records(n + 2, SAMPLE_FRAME),
            written=WrittenTrees.empty(prices, table, n if delays else 0, self._alike),
        )

    def _make_evaluation(self, node: OpenNode, r: int, claims: Claims) -> Evaluation:
        tests = empty_records(self.table.nominal.size, TEST_COST)
        tests.total, tests.worth, tests.below, tests.above = np.inf, -1.0, 0, 0
        return Evaluation(
            order=node.rows.copy(),
            spare=np.empty_like(node.rows),
            tests=tests,
            cuts=empty_records(min(r, self._most_cuts) + 1, TRIED_CUT),
            children=np.zeros(self.table.widest, np.int64),
            n_samples=np.zeros(1, np.int64),
            claims=claims,
            stop=self.stop.flag,
        )

    def _make_tree(self, node: OpenNode, n_leaves: int) -> GrowingTree:
        """Return room for the subtree of an open node, which stands on the stack."""
        table = self.table
        size = self._scale * (2 * n_leaves + table.widest + 2)
        nodes = Nodes.empty(size, NUMERIC_BRANCHES * size, table.n_classes)
        growing = node.rows[: node.n_growing]
        counts = np.bincount(table.classes[growing], table.weights[growing], table.n_classes)
        set_leaf(nodes, 0, NONE, counts)
        used, stack = empty_records(1, TREE_USED)[0], empty_records(size, OPEN_NODE)
        used.nodes, used.slots = 1, 0
        bottom = stack[0]
        bottom.node, bottom.depth, bottom.key = 0, node.depth, node.key
        bottom.lo, bottom.mid, bottom.hi = 0, node.n_growing, node.rows.size
        bottom.left, bottom.ordered = node.left, node.ordered
        return GrowingTree(
            nodes=nodes,
            used=used,
            stack=stack,
            allowed=np.tile(node.allowed, (size if self._has_budget else 1, 1)),
            above=node.above,
            asked_above=node.asked_above,
        )

    def _run(
        self,
        node: OpenNode,
        r: int,
        task: int,
        claims: Claims | None = None,
        cut: tuple[int, int] | None = None,
    ) -> tuple[Evaluation, Nodes, dict[int, OpenNode]]:
        """Do a task of the kernel at an open node, with more and more room until it fits.

        Returns what the kernel noted, the tree, and its nodes that are still to be decided.
        """
        claims = Claims.none(self.table.nominal.size) if claims is None else claims
        evaluation = self._make_evaluation(node, r, claims)
        if cut is not None:
            evaluation.tests[task].below, evaluation.tests[task].above = cut
        while True:
            scale = self._scale
            evaluation.order[:] = node.rows
            tree = self._make_tree(node, node.rows.size if task == GROW else 1)
            with self._workspace() as work, np.errstate(over="ignore"):
                top = grow_tree(work, evaluation, tree, int(r), int(task))
            if top != FULL:
                nodes = trim(tree.nodes, int(tree.used.nodes), int(tree.used.slots))
                return evaluation, nodes, self._open_nodes(evaluation, tree, int(top))
            self._enlarge(scale)

    def _open_nodes(
        self, evaluation: Evaluation, tree: GrowingTree, top: int
    ) -> dict[int, OpenNode]:
        """Return the nodes on the stack, by their numbers in the tree."""
        open_nodes = {}
        for entry in tree.stack[:top]:
            number = int(entry.node)
            open_nodes[number] = OpenNode(
                rows=evaluation.order[entry.lo : entry.hi].copy(),
                n_growing=int(entry.mid - entry.lo),
                depth=int(entry.depth),
                key=entry.key,
                above=np.append(tree.above, self._paid_above(tree.nodes, number)),
                asked_above=np.append(tree.asked_above, self._asked_above(tree.nodes, number)),
                left=float(entry.left),
                ordered=bool(entry.ordered),
                allowed=tree.allowed[number if self._has_budget else 0].copy(),
            )
        return open_nodes

    def _enlarge(self, scale: int) -> None:
        """Make more room for everything than at this scale, at which some tree did not fit."""
        if scale == self._scale:
            self._scale = 2 * scale
            self._idle.clear()

    @property
    def growing(self) -> npt.NDArray[np.intp]:
        """The cases of the problem that trees are grown from: those not held out."""
        held_out = self.held_out
        if held_out is None:
            return np.arange(self.problem.cases.classes.size)
        return np.flatnonzero(~held_out)

    @property
    def _has_budget(self) -> bool:
        return self.plan.budget < np.inf

    @property
    def tests(self) -> range:
        """All tests."""
        return range(self.table.nominal.size)

    # --------------------------------------------------------------------- pieces

    def root(self, seed: int) -> OpenNode:
        """Return the root of the tree."""
        return OpenNode(
            rows=np.argsort(self._held_out, kind="stable").astype(np.int32),
            n_growing=int((self._held_out == 0).sum()),
            depth=0,
            key=np.uint64(seed),
            above=np.empty(0, np.int64),
            asked_above=np.empty(0, np.int64),
            left=self.plan.budget,
            ordered=False,
            allowed=np.ones(self.table.nominal.size, np.uint8),
        )

    def evaluate(self, node: OpenNode, r: int, tests: range | None = None) -> CostedTests:
        """Estimate the cost of the tests of an open node, or of a range of them.

        Tests that turn out too dear, compared with others of the range, are not evaluated to the
        end.
        """
        claims = Claims.none(self.table.nominal.size)
        if tests is not None:
            claims.claimed[:] = 1
            claims.claimed[tests] = 0
        return self.evaluate_unclaimed(node, r, claims)

    def evaluate_unclaimed(self, node: OpenNode, r: int, claims: Claims) -> CostedTests:
        """Estimate the cost of those tests of an open node that no other thread has claimed."""
        evaluation, _, _ = self._run(node, r, EVALUATE, claims)
        return CostedTests.noted(evaluation)

    def grow_subtree(self, node: OpenNode, r: int) -> tuple[Nodes, int]:
        """Grow the whole subtree of an open node; return it and how many trees were sampled."""
        evaluation, nodes, _ = self._run(node, r, GROW)
        return nodes, int(evaluation.n_samples[0])

    def grow_until_shared(
        self, node: OpenNode, r: int, claims: Claims
    ) -> tuple[Nodes, dict[int, OpenNode], CostedTests]:
        """Grow the subtree of an open node until another thread wants a share of the work.

        Returns also the nodes that are still to be decided, and how far tests of the last were
        evaluated.
        """
        evaluation, nodes, open_nodes = self._run(node, r, GROW, claims)
        return nodes, open_nodes, CostedTests.noted(evaluation)

    def split(
        self, node: OpenNode, a: int, below: int, above: int
    ) -> tuple[Nodes, dict[int, OpenNode]]:
        """Split an open node by a test; return a tree of one test, and its leaves to decide."""
        _, nodes, open_nodes = self._run(node, 0, a, cut=(below, above))
        return nodes, open_nodes

    def decide(
        self, node: OpenNode, found: Sequence[CostedTests]
    ) -> tuple[Nodes, dict[int, OpenNode]]:
        """Split a node by the best of its tests; asked to stop, grow its subtree greedily."""
        if self.stop.requested:
            return self.grow_subtree(node, 0)[0], {}
        costed = CostedTests.merged(found)
        a = costed.best
        if a == NONE:
            return self.leaf(node), {}
        return self.split(node, a, int(costed.below[a]), int(costed.above[a]))

    def branch(self, node: OpenNode, a: int, cut: int, b: int) -> OpenNode:
        """Return the open node of one branch of a test, given the rank below its cut."""
        nodes, open_nodes = self.split(node, a, cut, cut + 1)
        return open_nodes[int(nodes.children[nodes.first[0] + b])]

    # ---------------------------------------------------------------------- trees

    def grow(
        self, r: int, node: OpenNode, n_jobs: int | None = None
    ) -> Iterator[tuple[Nodes, float]]:
        """Grow the tree below an open node; yield it at the end, and a leaf now and then before.

        Each comes with the share that is done. Once the search is asked to stop, what is left is
        grown greedily.
        """
        leaf, n, work = self.leaf(node), node.rows.size, self._work(node, r)
        jobs = effective_n_jobs(n_jobs) if work > LARGE else 1
        large = n * max(LARGE / max(work, 1.0), 1 / (jobs * TASKS))
        if r > 0 and not self.is_judged_whole(node):
            tree = PartialTree()
            rounds = grow_on_samples(self, tree, r, node, jobs)
        elif jobs == 1 or getattr(
            get_active_backend(prefer="threads")[0], "supports_sharedmem", False
        ):
            pool = ThreadPool(self, node, r, jobs, large)
            tree, rounds = pool.tree, pool.work()
        else:
            tree = PartialTree()
            rounds = self._spread(tree, r, node, jobs, large)
        with closing(rounds):
            for _ in rounds:
                if tree.done < n:
                    yield leaf, tree.done / n
        yield tree.joined(), 1.0

    def is_exhausted(self, r: int, drawn: int) -> bool:
        """Tell whether larger samples than ``r``, of which so many were drawn, change nothing.

        A branch of a nominal test has ``r`` samples or none, so fewer were drawn for cuts alone;
        and with all cuts tried, these no longer depend on ``r``.
        """
        n_cases = self.table.weights.sum() / self.plan.case_weight
        all_cuts = n_cases if self.plan.quantile else self._most_cuts
        return bool(drawn < r and r >= all_cuts)

    def _spread(
        self, tree: PartialTree, r: int, node: OpenNode, jobs: int, large: float
    ) -> Generator[None, None, None]:
        """Grow a tree in processes, or whatever joblib is set to use, round by round."""
        todo = [OpenLeaf(0, 0, node)]
        with Parallel(n_jobs=jobs, max_nbytes=None) as do:
            while todo:
                if todo[0].node.rows.size > large and not self.stop.requested:
                    leaf = todo.pop(0)
                    found = do(
                        delayed(self.evaluate)(leaf.node, r, range(a, a + 1)) for a in self.tests
                    )
                    self.samples += sum(one.samples for one in found)
                    todo += tree.put(leaf, *self.decide(leaf.node, found))
                    todo.sort(key=lambda leaf: -leaf.node.rows.size)
                else:
                    chunk, todo = chunked(todo, 2 * jobs * large)
                    pieces = do(delayed(self.grow_subtree)(leaf.node, r) for leaf in chunk)
                    for leaf, (piece, samples) in zip(chunk, pieces, strict=True):
                        tree.put(leaf, piece, {})
                        self.samples += samples
                yield

    def _work(self, node: OpenNode, r: int) -> float:
        """Return about how long a subtree takes."""
        return float(r * node.rows.size * self.table.nominal.size**2)

    def is_judged_whole(self, node: OpenNode) -> bool:
        """Tell whether the tests of a node are judged by all its cases."""
        return self.sample_rows is None or node.rows.size <= self.sample_rows

    def leaf(self, node: OpenNode) -> Nodes:
        """Return the tree without a test."""
        return trim(self._make_tree(node, 1).nodes, 1, 0)

    def _asked_above(self, nodes: Nodes, node: int) -> npt.NDArray[np.int64]:
        """Return the tests asked above a node, where there are rules on them."""
        tests: list[int] = []
        while self.plan.ruled and (node := int(nodes.parent[node])) != NONE:
            tests.append(int(nodes.test[node]))
        return np.array(tests, np.int64)

    def _paid_above(self, nodes: Nodes, node: int) -> npt.NDArray[np.int64]:
        """Return the tests that are paid for above a node, from the root on."""
        tests: list[int] = []
        while (parent := int(nodes.parent[node])) != NONE:
            if is_paid_for(self.problem.prices, nodes.lacking[node]):
                tests.insert(0, int(nodes.test[parent]))
            node = parent
        return np.array(tests, np.int64)


def chunked(leaves: list[OpenLeaf], n_cases: float) -> tuple[list[OpenLeaf], list[OpenLeaf]]:
    """Return the first open leaves that have so many cases, and the others."""
    ends = np.cumsum([leaf.node.rows.size for leaf in leaves])
    n = int(np.searchsorted(ends, n_cases)) + 1
    return leaves[:n], leaves[n:]
