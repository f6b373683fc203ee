"""Threads that grow one tree together, piece by piece.

A thread with nothing to do takes the largest open leaf. Below a small one the subtree is grown
whole; the tests of a large one are evaluated, and a thread that finds no open leaf joins in. One
that still finds nothing to do for a moment asks for a share of a subtree that another is growing.
So no thread waits for long, and threads seldom work on the same cases: open leaves have none in
common.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from threading import Condition, Thread
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sampling.evaluate import Claims
from frugaltree.kernels.sentinels import NONE

if TYPE_CHECKING:
    from frugaltree.engines.sampling.frontier import CostedTests, OpenNode
    from frugaltree.engines.sampling.search import SamplingSearch

PATIENCE = 0.004
"""Seconds without work after which a thread asks for a share of another's."""


class OpenLeaf(NamedTuple):
    """A leaf of a piece below which a tree is still to be grown."""

    piece: int
    leaf: int
    node: OpenNode


class PartialTree:
    """A tree in the making.

    Attributes
    ----------
    pieces
        Each piece of the tree, after the piece and the leaf where it belongs.
    done
        Cases that have come to a leaf.
    """

    def __init__(self) -> None:
        self.pieces: list[tuple[int, int, Nodes]] = []
        self.done = 0

    def put(
        self, leaf: OpenLeaf, nodes: Nodes, open_nodes: Mapping[int, OpenNode]
    ) -> list[OpenLeaf]:
        """Put a piece where an open leaf was; return the open leaves that it has itself."""
        number = len(self.pieces)
        self.pieces.append((leaf.piece, leaf.leaf, nodes))
        self.done += leaf.node.rows.size - sum(node.rows.size for node in open_nodes.values())
        return [OpenLeaf(number, at, node) for at, node in open_nodes.items()]

    def joined(self) -> Nodes:
        """Return the pieces as one tree."""
        sizes = [nodes.test.size for _, _, nodes in self.pieces]
        n_slots = sum(nodes.children.size for _, _, nodes in self.pieces)
        n_classes = self.pieces[0][2].counts.shape[1]
        tree = Nodes.empty(sum(sizes) - len(sizes) + 1, n_slots, n_classes)
        tree.parent[0], tree.lacking[0] = NONE, 0
        where: list[npt.NDArray[np.int64]] = []
        end, slot = 1, 0
        for (piece, leaf, nodes), size in zip(self.pieces, sizes, strict=True):
            at = np.arange(end - 1, end - 1 + size)
            at[0] = where[piece][leaf] if where else 0
            for name in ("test", "cut", "threshold", "counts"):
                getattr(tree, name)[at] = getattr(nodes, name)
            tree.lacking[at[1:]] = nodes.lacking[1:]  # where the leaf comes from, it knows itself
            tree.first[at] = nodes.first + slot
            tree.parent[at[1:]] = at[nodes.parent[1:]]
            slots = slice(slot, slot + nodes.children.size)
            tree.children[slots] = np.where(nodes.children == NONE, NONE, at[nodes.children])
            where.append(at)
            end, slot = end + size - 1, slots.stop
        return tree


@dataclass(eq=False)
class SharedEvaluation:
    """An open leaf whose tests are being evaluated, by one thread or several.

    Attributes
    ----------
    found
        What those threads have found that are done.
    n_threads
        How many threads are not.
    tests_left
        False once a thread has come to the end of the tests.
    """

    leaf: OpenLeaf
    claims: Claims
    found: list[CostedTests] = field(default_factory=list)
    n_threads: int = 0
    tests_left: bool = True

    @property
    def joinable(self) -> bool:
        """Whether there is a test for one more thread."""
        return self.tests_left and not self.claims.claimed.all()


class ThreadPool:
    """Threads that grow the tree below an open node.

    Parameters
    ----------
    search
        Does the work.
    node, r
        Where, and with how many samples.
    jobs
        Number of threads, the caller's included.
    large
        Number of cases from which on the tests of an open leaf are evaluated together.
    """

    def __init__(
        self, search: SamplingSearch, node: OpenNode, r: int, jobs: int, large: float
    ) -> None:
        self.search, self.r, self.jobs, self.large = search, r, jobs, large
        self.tree = PartialTree()
        self._leaves: list[tuple[int, int, OpenLeaf]] = []
        self._evaluations: list[SharedEvaluation] = []
        self._share_wanted = np.zeros(1, np.int64)
        self._changed = Condition()
        self._idle, self._busy = 0, 0
        self._errors: list[BaseException] = []
        self._numbers = count()
        self._add([OpenLeaf(0, 0, node)])

    def work(self) -> Generator[None, None, None]:
        """Work until the tree is whole; pause whenever this thread has done something."""
        helpers = [
            Thread(target=self._help, name=f"frugaltree-{i}", daemon=True)
            for i in range(1, self.jobs)
        ]
        try:
            for thread in helpers:
                thread.start()
            while self._step():
                yield
        except BaseException as error:
            self._give_up(error)
            raise
        finally:
            for thread in helpers:
                if thread.ident is not None:
                    thread.join()
        if self._errors:
            raise self._errors[0]

    def _help(self) -> None:
        try:
            while self._step():
                pass
        except BaseException as error:
            self._give_up(error)

    def _give_up(self, error: BaseException) -> None:
        self.search.stop.request("abandoned")
        with self._changed:
            self._errors.append(error)
            self._changed.notify_all()

    # ---------------------------------------------------------------------- taking turns

    def _step(self) -> bool:
        """Do one thing; return False if nothing is left to do."""
        task = self._next()
        if isinstance(task, SharedEvaluation):
            self._evaluate(task)
        elif task is not None:
            self._grow(task)
        return task is not None

    def _next(self) -> OpenLeaf | SharedEvaluation | None:
        """Return what to do next, once there is something; None at the end."""
        with self._changed:
            self._idle += 1
            task = self._take()
            while task is None and self._busy and not self._errors:
                if not self._changed.wait(PATIENCE):
                    self._share_wanted[0] = 1
                task = self._take()
            self._idle -= 1
            if self._idle == 0:
                self._share_wanted[0] = 0
            if task is None:
                self._changed.notify_all()
            else:
                self._busy += 1
            return task

    def _take(self) -> OpenLeaf | SharedEvaluation | None:
        """Return the largest open leaf, or else the largest evaluation that can be joined."""
        if self._errors:
            return None
        if self._leaves:
            _, _, leaf = heappop(self._leaves)
            if leaf.node.rows.size <= self.large:
                return leaf
            return self._join(self._open(leaf))
        joinable = [one for one in self._evaluations if one.joinable]
        if not joinable:
            return None
        return self._join(max(joinable, key=lambda one: one.leaf.node.rows.size))

    def _open(self, leaf: OpenLeaf, claims: Claims | None = None) -> SharedEvaluation:
        """Let the tests of an open leaf be evaluated."""
        claims = self._claims() if claims is None else claims
        self._evaluations.append(SharedEvaluation(leaf, claims))
        self._changed.notify_all()
        return self._evaluations[-1]

    def _join(self, evaluation: SharedEvaluation) -> SharedEvaluation:
        evaluation.n_threads += 1
        return evaluation

    def _claims(self) -> Claims:
        return Claims.none(self.search.table.nominal.size, self._share_wanted)

    def _add(self, leaves: Iterable[OpenLeaf]) -> None:
        for leaf in leaves:
            heappush(self._leaves, (-leaf.node.rows.size, next(self._numbers), leaf))

    # ---------------------------------------------------------------------- work

    def _evaluate(self, evaluation: SharedEvaluation) -> None:
        """Evaluate tests that nobody else does; who is the last to finish splits the node."""
        search, leaf = self.search, evaluation.leaf
        costed = search.evaluate_unclaimed(leaf.node, self.r, evaluation.claims)
        with self._changed:
            search.samples += costed.samples
            evaluation.found.append(costed)
            evaluation.tests_left = False
            evaluation.n_threads -= 1
            if evaluation.n_threads:
                self._busy -= 1
                return
            self._evaluations.remove(evaluation)
        nodes, open_nodes = search.decide(leaf.node, evaluation.found)
        with self._changed:
            self._put(leaf, nodes, open_nodes)

    def _grow(self, leaf: OpenLeaf) -> None:
        """Grow a subtree, or as much of it as others leave."""
        search, claims = self.search, self._claims()
        nodes, open_nodes, costed = search.grow_until_shared(leaf.node, self.r, claims)
        with self._changed:
            search.samples += costed.samples
            self._put(leaf, nodes, open_nodes, claims, costed)

    def _put(
        self,
        leaf: OpenLeaf,
        nodes: Nodes,
        open_nodes: Mapping[int, OpenNode],
        claims: Claims | None = None,
        costed: CostedTests | None = None,
    ) -> None:
        """Put a piece where an open leaf was.

        The tests of the piece's last open leaf may have been evaluated in part.
        """
        leaves = self.tree.put(leaf, nodes, open_nodes)
        if leaves and claims is not None and costed is not None and claims.claimed.any():
            self._open(leaves.pop(), claims).found.append(costed)
        self._add(leaves)
        self._share_wanted[0] = 0
        self._busy -= 1
        self._changed.notify_all()
