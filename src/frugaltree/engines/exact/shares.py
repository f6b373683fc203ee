"""Shares of a search: each looks at the trees that begin with some of the first actions.

Together the shares look at all trees, and each has a table of states of its own, so they can be
searched side by side on machines that have nothing in common but the problem. What a share finds
out depends on the orders that it was given, one after the other, and on nothing else. So a
worker that has kept a share goes on with it, and one that has not carries out all orders from the
first on: it comes to the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cluster import Packed
from frugaltree.engines.exact.search import CLOSE, Search
from frugaltree.engines.exact.threads import FOREVER, Words
from frugaltree.engines.problem import Problem
from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.exact.actions import FIRST_ORDER, action_of
from frugaltree.kernels.exact.objective import Objective
from frugaltree.kernels.exact.state_table import States

LEAST_SHARES = 32
"""Thresholds of a numeric test are dealt out, too, where there are fewer tests than this."""

MOST_TOLD = 2**17
"""States that a share begins with or tells of, at most: those that took most work."""


class Actions(NamedTuple):
    """The actions from the least to the most, both included."""

    least: int
    most: int


class Instruction(NamedTuple):
    """Tells a share to go on for so many steps, knowing that a tree costs no more than this."""

    steps: int
    upper: float


class Report(NamedTuple):
    """What is known of a share.

    Attributes
    ----------
    lower, upper
        No tree of the share costs less than ``lower``, or than ``upper``, the cost of a tree.
    steps
        States expanded so far.
    seconds
        How long the last instruction took.
    tree, cost
        A tree that costs less than the one known when it was asked, None if there is none.
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


def heaviest(words: Words, most: int = MOST_TOLD) -> Words:
    """Return of some states, as words, those that took most work, in the order given."""
    if len(words) <= most:
        return words
    work = np.asarray(States.of_words(words).lines.work)
    return words[np.sort(np.argsort(-work, kind="stable")[:most])]


class Share(Search):
    """The search of a share; it can be told to go on at any time."""

    def follow(self, instruction: Instruction, root: tuple[int, int]) -> None:
        """Search for so many steps, or until no tree of the share can be better."""
        self._workers.learn_upper(root, instruction.upper)
        self.allow(instruction.steps)
        for _ in self.rounds():
            pass

    def start(self, state: Mapping[str, Any], actions: Actions) -> None:
        """Begin with what is known of all states, and look at trees that begin with these."""
        self.restore({**state, "plan": list(astuple(self._turns))})
        self._workers.choose_between(*actions)

    def known_below(self, root: tuple[int, int]) -> Words:
        """Return what is known of states, but the first: that is not about all trees."""
        words, _ = self._workers.known()
        lines = States.of_words(words).lines
        key0, key1 = map(np.uint64, root)
        return heaviest(words[(lines.key0 != key0) | (lines.key1 != key1)])


@dataclass
class KeptShare:
    """A share, and the instructions that it has followed."""

    search: Share
    followed: list[Instruction]
    lock: Lock


@dataclass
class SharedSearch(Packed):
    """What every worker holds once: the problem, and what is known of it so far.

    Attributes
    ----------
    problem, table, objective
        As in :class:`Search`.
    memory
        Bytes that the table of one share may take.
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
        self._kept: dict[Actions, KeptShare] = {}
        self._lock = Lock()

    def advance(self, actions: Actions, instructions: Sequence[Instruction]) -> Report:
        """Follow the instructions that a share has not followed yet; tell what is known then."""
        kept = self._keep(actions)
        with kept.lock:  # who was left to himself may still be at it
            began, n = perf_counter(), len(kept.followed)
            if kept.followed != list(instructions[:n]):
                kept.search, kept.followed, n = self._new_share(actions), [], 0
            for instruction in instructions[n:]:
                kept.search.follow(instruction, self.root)
                kept.followed.append(instruction)
            return self._report(kept.search, instructions[-1].upper, perf_counter() - began)

    def tell(self, actions: Actions) -> Words | None:
        """Return what a share knows of states, None if it is not here."""
        kept = self._kept.get(actions)
        if kept is None:
            return None
        with kept.lock:
            return kept.search.known_below(self.root)

    def _keep(self, actions: Actions) -> KeptShare:
        with self._lock:
            if actions not in self._kept:
                self._kept[actions] = KeptShare(self._new_share(actions), [], Lock())
            return self._kept[actions]

    def _new_share(self, actions: Actions) -> Share:
        share = Share(
            self.problem, self.table, self.objective, Stop(), memory=self.memory, seed=self.seed
        )
        share.start(self.state, actions)
        return share

    @staticmethod
    def _report(share: Share, upper: float, seconds: float) -> Report:
        tree, cost = None, np.inf
        if share.upper < upper * (1.0 - CLOSE):
            tree, cost = share.tree()
        return Report(
            lower=share.lower,
            upper=share.upper,
            steps=share.steps,
            seconds=seconds,
            tree=tree,
            cost=cost,
        )
