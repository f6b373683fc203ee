"""Threads that grow one tree together, piece by piece.

Whoever has nothing to do takes the largest bud there is. Below a small one the subtree is grown
whole; the tests of a large one are weighed, and whoever finds no bud joins in. Who still finds
nothing to do for a moment asks for a share of a subtree that another is growing. So no thread
waits for long, and threads seldom look at the same cases: different buds have none in common.
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
from frugaltree.kernels.sentinels import NONE

if TYPE_CHECKING:
    from frugaltree.engines.sampling.frontier import Place, Weighed
    from frugaltree.engines.sampling.search import Lookahead

PATIENCE = 0.004
"""Seconds without work after which a thread asks for a share of another's."""


class Bud(NamedTuple):
    """A leaf of a piece below which a tree is still to be grown."""

    piece: int
    leaf: int
    place: Place


class Growth:
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

    def put(self, bud: Bud, nodes: Nodes, places: Mapping[int, Place]) -> list[Bud]:
        """Put a piece where a bud was; return the buds that it has itself."""
        number = len(self.pieces)
        self.pieces.append((bud.piece, bud.leaf, nodes))
        self.done += bud.place.rows.size - sum(place.rows.size for place in places.values())
        return [Bud(number, leaf, place) for leaf, place in places.items()]

    def tree(self) -> Nodes:
        """Return the pieces as one tree."""
        sizes = [nodes.test.size for _, _, nodes in self.pieces]
        n_slots = sum(nodes.children.size for _, _, nodes in self.pieces)
        n_classes = self.pieces[0][2].counts.shape[1]
        tree = Nodes.empty(sum(sizes) - len(sizes) + 1, n_slots, n_classes)
        tree.parent[0] = NONE
        where: list[npt.NDArray[np.int64]] = []
        end, slot = 1, 0
        for (piece, leaf, nodes), size in zip(self.pieces, sizes, strict=True):
            at = np.arange(end - 1, end - 1 + size)
            at[0] = where[piece][leaf] if where else 0
            for name in ("test", "cut", "threshold", "counts"):
                getattr(tree, name)[at] = getattr(nodes, name)
            tree.first[at] = nodes.first + slot
            tree.parent[at[1:]] = at[nodes.parent[1:]]
            slots = slice(slot, slot + nodes.children.size)
            tree.children[slots] = np.where(nodes.children == NONE, NONE, at[nodes.children])
            where.append(at)
            end, slot = end + size - 1, slots.stop
        return tree


class Claims(NamedTuple):
    """What threads that weigh the tests of a node together tell each other, as kernels read it."""

    claimed: npt.NDArray[np.uint8]
    least: npt.NDArray[np.float64]
    wanted: npt.NDArray[np.int64]

    @classmethod
    def open(cls, n_tests: int, wanted: npt.NDArray[np.int64] | None = None) -> Claims:
        """Return claims to no test so far."""
        nobody = np.zeros(1, np.int64)
        return cls(
            np.zeros(n_tests, np.uint8), np.full(1, np.inf), nobody if wanted is None else wanted
        )


@dataclass(eq=False)
class Weighing:
    """A bud whose tests are being weighed.

    Attributes
    ----------
    found
        What those threads have found that are done.
    hands
        How many threads are not.
    left
        False once a thread has come to the end of the tests.
    """

    bud: Bud
    claims: Claims
    found: list[Weighed] = field(default_factory=list)
    hands: int = 0
    left: bool = True

    @property
    def joinable(self) -> bool:
        """Whether there is a test for one more thread."""
        return self.left and not self.claims.claimed.all()


class Crew:
    """Threads that grow the tree below a place.

    Parameters
    ----------
    search
        Does the work.
    place, r
        Where, and with how many samples.
    jobs
        Number of threads, the caller's included.
    large
        Number of cases from which on the tests of a bud are weighed together.
    """

    def __init__(self, search: Lookahead, place: Place, r: int, jobs: int, large: float) -> None:
        self.search, self.r, self.jobs, self.large = search, r, jobs, large
        self.growth = Growth()
        self._buds: list[tuple[int, int, Bud]] = []
        self._weighings: list[Weighing] = []
        self._wanted = np.zeros(1, np.int64)
        self._changed = Condition()
        self._idle, self._busy = 0, 0
        self._errors: list[BaseException] = []
        self._numbers = count()
        self._add([Bud(0, 0, place)])

    def work(self) -> Generator[None, None, None]:
        """Work until the tree is whole; pause whenever this thread has done something."""
        crew = [
            Thread(target=self._help, name=f"frugaltree-{i}", daemon=True)
            for i in range(1, self.jobs)
        ]
        try:
            for thread in crew:
                thread.start()
            while self._step():
                yield
        except BaseException as error:
            self._give_up(error)
            raise
        finally:
            for thread in crew:
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
        if isinstance(task, Weighing):
            self._weigh(task)
        elif task is not None:
            self._grow(task)
        return task is not None

    def _next(self) -> Bud | Weighing | None:
        """Return what to do next, once there is something; None at the end."""
        with self._changed:
            self._idle += 1
            task = self._take()
            while task is None and self._busy and not self._errors:
                if not self._changed.wait(PATIENCE):
                    self._wanted[0] = 1
                task = self._take()
            self._idle -= 1
            if self._idle == 0:
                self._wanted[0] = 0
            if task is None:
                self._changed.notify_all()
            else:
                self._busy += 1
            return task

    def _take(self) -> Bud | Weighing | None:
        """Return the largest bud, or else the largest weighing that can be joined."""
        if self._errors:
            return None
        if self._buds:
            _, _, bud = heappop(self._buds)
            if bud.place.rows.size <= self.large:
                return bud
            return self._join(self._open(bud))
        joinable = [one for one in self._weighings if one.joinable]
        if not joinable:
            return None
        return self._join(max(joinable, key=lambda one: one.bud.place.rows.size))

    def _open(self, bud: Bud, claims: Claims | None = None) -> Weighing:
        """Let the tests of a bud be weighed."""
        claims = self._claims() if claims is None else claims
        self._weighings.append(Weighing(bud, claims))
        self._changed.notify_all()
        return self._weighings[-1]

    def _join(self, weighing: Weighing) -> Weighing:
        weighing.hands += 1
        return weighing

    def _claims(self) -> Claims:
        return Claims.open(self.search.table.nominal.size, self._wanted)

    def _add(self, buds: Iterable[Bud]) -> None:
        for bud in buds:
            heappush(self._buds, (-bud.place.rows.size, next(self._numbers), bud))

    # ---------------------------------------------------------------------- work

    def _weigh(self, weighing: Weighing) -> None:
        """Weigh tests that nobody else does; who is the last to finish splits the node."""
        search, bud = self.search, weighing.bud
        weighed = search.weigh_unclaimed(bud.place, self.r, weighing.claims)
        with self._changed:
            search.samples += weighed.samples
            weighing.found.append(weighed)
            weighing.left = False
            weighing.hands -= 1
            if weighing.hands:
                self._busy -= 1
                return
            self._weighings.remove(weighing)
        nodes, places = search.decide(bud.place, weighing.found)
        with self._changed:
            self._put(bud, nodes, places)

    def _grow(self, bud: Bud) -> None:
        """Grow a subtree, or as much of it as others leave."""
        search, claims = self.search, self._claims()
        nodes, places, weighed = search.grow_until_wanted(bud.place, self.r, claims)
        with self._changed:
            search.samples += weighed.samples
            self._put(bud, nodes, places, claims, weighed)

    def _put(
        self,
        bud: Bud,
        nodes: Nodes,
        places: Mapping[int, Place],
        claims: Claims | None = None,
        weighed: Weighed | None = None,
    ) -> None:
        """Put a piece where a bud was; the tests of its last bud may have been weighed in part."""
        buds = self.growth.put(bud, nodes, places)
        if buds and claims is not None and weighed is not None and claims.claimed.any():
            self._open(buds.pop(), claims).found.append(weighed)
        self._add(buds)
        self._wanted[0] = 0
        self._busy -= 1
        self._changed.notify_all()
