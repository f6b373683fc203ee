"""Shares of a search: each looks at the trees that begin with some of the first actions.

Together the shares look at all trees. They are searched in lanes, each with a table of states of
its own, on machines that have nothing in common but the problem. What a lane finds out depends on
the instructions that it was given, one after the other, and on nothing else. So a worker that has
kept a lane goes on with it, and one that has not follows all instructions from the first on: it
comes to the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cluster import Packed
from frugaltree.engines.exact.search import CLOSE, Search, Turns
from frugaltree.engines.exact.threads import ALL_ACTIONS, FOREVER, Words
from frugaltree.engines.problem import Problem
from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.exact.actions import FIRST_ORDER, action_of
from frugaltree.kernels.exact.objective import Objective
from frugaltree.kernels.exact.state_table import States
from frugaltree.kernels.sentinels import NONE

LEAST_SHARES = 32
"""Thresholds of a numeric test are dealt out, too, where there are fewer tests than this."""


class Actions(NamedTuple):
    """The actions from the least to the most, both included."""

    least: int
    most: int


class Instruction(NamedTuple):
    """Tells a lane how to go on.

    Attributes
    ----------
    actions
        The share to be searched.
    lower, upper
        No tree of the share costs less than ``lower``; there is one of cost ``upper`` elsewhere,
        infinity for any tree of the share to be wanted.
    steps
        How many states to expand, at most.
    told
        What is known of states from elsewhere, None for nothing new.
    """

    actions: Actions
    lower: float
    upper: float
    steps: int
    told: Words | None


class Report(NamedTuple):
    """What following an instruction has come to.

    Attributes
    ----------
    lower, upper
        No tree of the share costs less than ``lower``, and one costs ``upper``.
    steps, seconds
        States expanded, and how long it took.
    tree, cost
        A tree that costs less than the one known elsewhere, None if there is none.
    """

    lower: float
    upper: float
    steps: int
    seconds: float
    tree: Nodes | None
    cost: float


def deal_actions(problem: Problem) -> list[Actions]:
    """Return the shares: all first actions, dealt out.

    Each test is a share; of many tests several are, and of few numeric ones a part of the
    thresholds. All orders of delayed tests are one.
    """
    cases, usable = problem.cases, np.flatnonzero(problem.prices.usable)
    pieces = -(-LEAST_SHARES // max(1, usable.size))
    shares = []
    for tests in np.array_split(usable, LEAST_SHARES):
        if tests.size == 0:
            continue
        first, last = int(tests[0]), int(tests[-1])
        n = 1 if cases.nominal[first] or first != last else pieces
        cuts = np.linspace(0, int(cases.domain[first]), n + 1).astype(int).tolist()
        starts = [int(action_of(first, cut)) for cut in sorted(set(cuts[:-1]))]
        ends = [*(start - 1 for start in starts[1:]), int(action_of(last + 1, 0)) - 1]
        shares += [Actions(*ends_of) for ends_of in zip(starts, ends, strict=True)]
    if problem.prices.delayed[usable].any():
        shares.append(Actions(-FOREVER, FIRST_ORDER))
    return shares


def heaviest(words: Words, most: int) -> Words:
    """Return of some states, as words, so many that took most work, in the order given."""
    if len(words) <= most:
        return words
    work = np.asarray(States.of_words(words).lines.work)
    return words[np.sort(np.argsort(-work, kind="stable")[:most])]


def without(root: tuple[int, int], words: Words) -> Words:
    """Return states but the first, of which a share does not know all."""
    lines = States.of_words(words).lines
    key0, key1 = map(np.uint64, root)
    others: npt.NDArray[np.bool_] = (lines.key0 != key0) | (lines.key1 != key1)
    return words[others]


class KnownShare(NamedTuple):
    """What a lane knows of a share: bounds, the first action of its best tree, and the turns."""

    lower: float
    turns: Turns
    upper: float = np.inf
    action: int = NONE


class LaneSearch(Search):
    """The search of one share after the other, in a table of states of their own."""

    def start(self, state: Mapping[str, Any], root: tuple[int, int]) -> None:
        """Begin with what is known of all states; the first one is known by this key."""
        self._root, self._fresh = root, list(astuple(self._turns))
        self.restore(state)
        action = int(self._workers.root(root).action)
        whole = KnownShare(self.lower, self._turns, self.upper, action)
        self._known = {Actions(*ALL_ACTIONS): whole}

    def follow(self, given: Instruction) -> Report:
        """Search a share for some steps, or until no tree of it can be better."""
        began, first = perf_counter(), self.steps
        if given.told is not None:
            self._workers.learn(given.told)
        share = self._known.get(given.actions) or KnownShare(given.lower, Turns(*self._fresh))
        root, self._turns, self._cap = self._workers.root(self._root), share.turns, given.upper
        root.lower, root.upper, root.action = share.lower, share.upper, share.action
        self._workers.lower, self._workers.upper = share.lower, share.upper
        self._workers.choose_between(*given.actions, given.upper)
        self.allow(given.steps)
        for _ in self.rounds():
            pass
        action = int(self._workers.root(self._root).action)
        self._known[given.actions] = KnownShare(self.lower, self._turns, self.upper, action)
        better = self.upper < given.upper * (1.0 - CLOSE)
        tree, cost = self.tree() if better else (None, np.inf)
        return Report(
            lower=self.lower,
            upper=self.upper,
            steps=self.steps - first,
            seconds=perf_counter() - began,
            tree=tree,
            cost=cost,
        )

    @property
    def proven(self) -> bool:
        """Whether no tree of the share can be better than the one known here or elsewhere."""
        return self.lower >= min(self.upper, self._cap) * (1.0 - CLOSE)

    def tell(self, most: int) -> Words:
        """Return what is known of states: so many, those that took most work."""
        return heaviest(without(self._root, self._workers.known()[0]), most)


@dataclass
class KeptLane:
    """The search of a lane, and what the instructions have come to that it has followed."""

    search: LaneSearch
    followed: int = 0
    last: Report | None = None


@dataclass
class SharedSearch(Packed):
    """What every worker holds once: the problem, and what was known of it.

    Attributes
    ----------
    problem, table, objective
        As in :class:`Search`.
    memory
        Bytes that the table of a lane may take.
    seed
        Seed of the samples.
    state
        What the search knew when it was shared out, see ``Search.state``.
    root
        The fingerprint of the first state.
    """

    problem: Problem
    table: Table
    objective: Objective
    memory: int
    seed: int
    state: Mapping[str, Any]
    root: tuple[int, int]

    def __post_init__(self) -> None:
        self._lanes: dict[int, KeptLane] = {}
        self._locks: dict[int, Lock] = defaultdict(Lock)

    def advance(self, lane: int, followed: int, given: Sequence[Instruction]) -> Report | None:
        """Follow further instructions, after so many; None if the lane is not where it should be.

        After none, it begins anew.
        """
        with self._locks[lane]:  # one that nobody waits for may still be at work
            kept = self._keep(lane, followed, given)
            return None if kept is None else kept.last

    def tell(
        self, lane: int, followed: int, given: Sequence[Instruction], most: int
    ) -> Words | None:
        """Do the same; return so many states that the lane knows of."""
        with self._locks[lane]:
            kept = self._keep(lane, followed, given)
            return None if kept is None else kept.search.tell(most)

    def _keep(self, lane: int, followed: int, given: Sequence[Instruction]) -> KeptLane | None:
        kept = KeptLane(self._new_search()) if followed == 0 else self._lanes.get(lane)
        if kept is None or kept.followed != followed:
            return None
        self._lanes[lane] = kept
        for instruction in given:
            kept.last = kept.search.follow(instruction)
            kept.followed += 1
        return kept

    def _new_search(self) -> LaneSearch:
        search = LaneSearch(
            self.problem, self.table, self.objective, Stop(), memory=self.memory, seed=self.seed
        )
        search.start(self.state, self.root)
        return search
