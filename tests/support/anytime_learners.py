"""Learners whose rounds are as quick, as slow and as deaf as a test wants them."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter, sleep
from typing import Any

import numba
import numpy as np

from frugaltree.anytime import Progress, Snapshot, Stop
from frugaltree.engines.greedy import grow, to_preorder
from frugaltree.engines.problem import Problem
from frugaltree.estimators.anytime import AnytimeTree
from frugaltree.kernels.criteria import GAIN
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.greedy.choose import Rules

X = np.random.default_rng(0).integers(0, 3, (60, 4)).astype(float)
y = (X[:, 0] + X[:, 2] > 2).astype(int)


class Rounds(AnytimeTree):
    """Answers at once in round 1 and asks everything from round 2 on; pauses before each.

    The cost of round k is said to be 100 / k; every third round is no better than the one before.
    """

    def __init__(
        self,
        costs: Any = None,
        *,
        n_rounds: int = 3,
        pause: float = 0.0,
        open_ended: bool = False,
        time_limit: Any = None,
        cf: float = 0.25,
        expected_error: str = "training",
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.costs = costs
        self.n_rounds = n_rounds
        self.pause = pause
        self.open_ended = open_ended
        self.time_limit = time_limit
        self.cf = cf
        self.expected_error = expected_error
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _n_rounds(self, problem: Problem) -> int | None:
        return None if self.open_ended else self.n_rounds

    def _rounds(self, problem: Problem, stop: Stop) -> Iterator[Snapshot]:
        nodes = leaf(problem)
        for step in range(1, self.n_rounds + 1):
            if step > 1 and not self._pause(stop):
                return
            if step == 2:
                nodes = full_tree(problem)
            progress = Progress(
                stop.seconds,
                cost=100.0 / step,
                steps=10 * step,
                round=step,
                rounds=self._n_rounds(problem),
                what=f"r = {step - 1}",
                improved=step % 3 != 0,
            )
            yield Snapshot(progress, nodes, {"last_round_": step})

    def _pause(self, stop: Stop) -> bool:
        """Wait; return whether that was not cut short."""
        end = perf_counter() + self.pause
        while perf_counter() < end and not stop.requested:
            sleep(min(0.005, self.pause))
        return not stop.requested


class Spinning(Rounds):
    """Pauses in a kernel that polls the flag."""

    def _pause(self, stop: Stop) -> bool:
        return spin(int(1e9 * self.pause), stop.flag) >= 0


class Deaf(Rounds):
    """Pauses without looking at the flag."""

    def _pause(self, stop: Stop) -> bool:
        sleep(self.pause)
        return True


@numba.njit(nogil=True)
def spin(steps, flag):
    """Count up; return -1 if told to stop before."""
    x = 1
    for step in range(steps):
        x = x * 48271 % 2147483647
        if step & 1023 == 0 and flag[0]:
            return -1
    return x


def leaf(problem: Problem) -> Nodes:
    nodes = Nodes.empty(1, 0, problem.cases.n_classes)
    nodes.test[0], nodes.cut[0], nodes.threshold[0] = -1, -1, np.nan
    nodes.first[0], nodes.parent[0] = 0, -1
    nodes.counts[0] = np.bincount(
        problem.cases.classes, problem.cases.weights, problem.cases.n_classes
    )
    return nodes


def full_tree(problem: Problem) -> Nodes:
    return to_preorder(grow(problem, Rules(GAIN, 1.0, 1.0, False, True, False)), problem.cases)


def after(round: int, cost: float, seconds: float = 0.0, **known: Any) -> Snapshot:
    """Return where a search stands after a round, without a tree."""
    nodes: Any = None
    return Snapshot(Progress(seconds, cost, round=round, **known), nodes)
