"""The slow and obvious truth about looking three tests ahead: every tree of a few thresholds.

A few thresholds of each test are given, with about as many cases between them. All trees of three
levels over these are looked at; the first test of the cheapest is taken, and its threshold is
looked for more and more closely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from reference.basics import (
    START,
    Case,
    Problem,
    State,
    after,
    cheapest,
    count,
    everything,
    price,
    weigh,
)
from reference.exact_trees import Options, legal_splits
from reference.expected_cost import leaf_cost
from reference.plain_trees import Split

CLOSED = 1.0 - 1e-12
"""Costs that differ by less than this factor are the same."""

LEVELS = 3


class Choice(NamedTuple):
    """A first test, the weight of the cases below its threshold, and what the tree costs."""

    test: int
    low: float
    cost: float


@dataclass
class Look:
    """A problem of tests with two branches and no gaps, and how many thresholds to look at."""

    problem: Problem
    options: Options
    wanted: int = 3

    def __post_init__(self) -> None:
        self.cases = everything(self.problem)
        self.weight = weigh(self.cases)
        self.all = {a: self.legal(a) for a in sorted(self.problem.usable)}
        placed = {a: self.place(a, 0.0, self.weight) for a in self.all}
        self.few = {a: splits for a, splits in placed.items() if splits}

    def legal(self, a: int) -> list[Split]:
        """Return all thresholds of a test; a nominal one has a single split."""
        return legal_splits(self.problem, self.cases, a, self.options)

    def place(self, a: int, least: float, most: float) -> list[Split]:
        """Return thresholds that part the cases between two weights about evenly."""
        placed: list[Split] = []
        for split in self.all[a]:
            low = weigh(split.branches[0])
            goal = least + (most - least) * (len(placed) + 1) / (self.wanted + 1)
            if len(placed) < self.wanted and goal <= low < most:
                placed.append(split)
        return placed

    def best(self, goal: float) -> Choice | None:
        """Return the best first test that comes to less than a goal, its threshold close by."""
        best = None
        for a in self.few:
            best = self.better(a, best, goal)
        if best is None:
            return None
        reach = self.weight
        while reach >= 2.0 and self.problem.kinds[best.test] == "numeric":
            reach *= 0.5
            self.few[best.test] = self.place(best.test, best.low - reach, best.low + reach)
            best = self.better(best.test, best, goal)
            assert best is not None
        return best

    def better(self, a: int, best: Choice | None, goal: float) -> Choice | None:
        """Return the better of a choice and a test, at the thresholds looked at."""
        for split in self.few[a]:
            cost = self.asking(self.cases, a, split, START, LEVELS, len(self.all[a]))
            if cost < (goal if best is None else best.cost) * CLOSED:
                best = Choice(a, weigh(split.branches[0]), cost)
        return best

    def asking(
        self, cases: list[Case], a: int, split: Split, state: State, levels: int, n_cuts: int
    ) -> float:
        """Return the cost of a test with the best tree in each branch."""
        below = {i for i, _ in split.branches[0]}
        low = [case for case in cases if case[0] in below]
        high = [case for case in cases if case[0] not in below]
        cost = price(self.problem, a, state) * weigh(cases)
        cost += self.options.split_charge(max(1, n_cuts))
        state = after(self.problem, a, state)
        return cost + sum(self.least(branch, state, levels - 1) for branch in (low, high))

    def least(self, cases: list[Case], state: State, levels: int) -> float:
        """Return the least cost of a tree of so many levels over the thresholds looked at.

        Its cases may all have different values.
        """
        costs = [self.leaf(cases)]
        if levels > 0:
            for a, splits in self.few.items():
                n_cuts = min(int(weigh(cases)) - 1, len(self.all[a]))
                costs += [self.asking(cases, a, split, state, levels, n_cuts) for split in splits]
        return min(costs)

    def leaf(self, cases: list[Case]) -> float:
        """Return the cost of asking nothing."""
        if not cases:
            return 0.0
        counts, errors, how = count(self.problem, cases), self.problem.errors, self.options
        first = self.problem.first_decision
        label = cheapest(counts, errors, first)
        return leaf_cost(counts, label, errors, how.cf, how.form, how.penalty, first)
