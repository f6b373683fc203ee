"""The slow and obvious truth about a frontier: what every tree costs for tests, and for errors.

All trees are looked at, as in exact_trees.py, but nothing is added up: a tree is a pair of what
its tests cost and what its errors and splits do. A tree is forgotten only if another one costs no
more of either. Which of the pairs are best somewhere is then found by going from each to the next.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from reference.basics import START, Case, Problem, State, everything, price, state_in
from reference.exact_trees import Options, Search
from reference.plain_trees import Split, paying, with_last

Pair = tuple[float, float]  # tests, and errors with what splits are charged, over all cases

TOLERANCE = 1e-9
"""A tree is best somewhere only if it undercuts the others by more than this share."""


@dataclass
class AllTrees:
    """The trees for all sets of cases of a problem, as far as they are known."""

    problem: Problem
    options: Options
    known: dict[tuple[frozenset[Case], State, float], list[Pair]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.search = Search(self.problem, self.options)

    def pairs(self, cases: list[Case], state: State, depth: float) -> list[Pair]:
        """Return what the trees for some cases cost, of at most so many levels of tests."""
        key = frozenset(cases), state, depth
        if key not in self.known:
            found = [(0.0, self.search.leaf(cases).cost)]
            for split, charge in self.search.legal(cases, depth):
                if split.test in self.problem.delayed:
                    found += self.ordering(cases, split, charge, state, depth)
                else:
                    found += self.asking(split, charge, state, depth)
            self.known[key] = undominated(found)
        return self.known[key]

    def asking(self, split: Split, charge: float, state: State, depth: float) -> list[Pair]:
        """Return what the trees cost that ask a test and wait for its result."""
        first = price(self.problem, split.test, state) * paying(self.problem, split)
        found = [(first, charge)]
        for branch, is_last in with_last(split.branches):
            if branch:
                below = state_in(self.problem, split.test, state, is_last)
                parts = self.pairs(branch, below, depth - 1)
                found = undominated([(a + c, b + d) for a, b in found for c, d in parts])
        return found

    def ordering(
        self, cases: list[Case], split: Split, charge: float, state: State, depth: float
    ) -> list[Pair]:
        """Return what the trees cost that order all their tests at once."""
        by_tests = self.search.under(cases, split, charge, state.paid, depth)
        return [
            (self.search.price_of_order(cases, tests, state), plan.cost)
            for tests, plan in by_tests.items()
        ]


def undominated(pairs: list[Pair]) -> list[Pair]:
    """Return the pairs than which no other costs less of one and no more of the other.

    >>> undominated([(3.0, 1.0), (0.0, 5.0), (3.0, 2.0), (4.0, 1.0)])
    [(0.0, 5.0), (3.0, 1.0)]
    """
    kept: list[Pair] = []
    for pair in sorted(set(pairs)):
        if not kept or pair[1] < kept[-1][1]:
            kept.append(pair)
    return kept


def best_somewhere(pairs: list[Pair], most: float) -> list[tuple[float, Pair]]:
    """Return the pairs that are least where the second counts 0 to ``most`` times, from where on.

    Of three trees, the second is nowhere the best, although no other is better in both:

    >>> best_somewhere([(0.0, 50.0), (10.0, 35.0), (20.0, 10.0)], most=9.0)
    [(0.0, (0.0, 50.0)), (0.5, (20.0, 10.0))]

    Nor is one that is as good as both its neighbours where these cross:

    >>> best_somewhere([(0.0, 50.0), (10.0, 30.0), (20.0, 10.0)], most=9.0)
    [(0.0, (0.0, 50.0)), (0.5, (20.0, 10.0))]
    """
    found = one_after_another(pairs)
    for i in range(1, len(found) - 1):
        (a, b), (c, d), (e, f) = (pair for _, pair in found[i - 1 : i + 2])
        crossing = (e - a) / (b - f)
        if c + crossing * d >= (a + crossing * b) * (1 - TOLERANCE):
            return best_somewhere([pair for pair in pairs if pair != (c, d)], most)
    return [one for one in found if one[0] < most]


def one_after_another(pairs: list[Pair]) -> list[tuple[float, Pair]]:
    """Return which pair takes over from which, and where, until none has less of the second."""
    now, found = min(pairs), [(0.0, min(pairs))]
    while True:
        takes_over = [
            ((pair[0] - now[0]) / (now[1] - pair[1]), pair[1], pair)
            for pair in pairs
            if pair[1] < now[1] * (1 - TOLERANCE)
        ]
        start, _, pair = min(takes_over, default=(math.inf, 0.0, now))
        if start == math.inf:
            return found
        now = pair
        found.append((start, pair))


def frontier_of(problem: Problem, options: Options, most: float) -> list[tuple[float, Pair]]:
    """Return the trees that are best somewhere, and from which factor on, their costs per case.

    The parity of two tests at 10 each is the class, an error costs 1000: half of 8 cases are wrong
    without tests, none with both. One test alone is worth nothing.

    >>> from reference.sampled_trees import PARITY
    >>> frontier_of(PARITY, Options(form="training"), most=9.0)
    [(0.0, (0.0, 500.0)), (0.04, (20.0, 0.0))]
    """
    depth = math.inf if options.max_depth is None else options.max_depth
    total = sum(problem.weights)
    pairs = AllTrees(problem, options).pairs(everything(problem), START, depth)
    return best_somewhere([(a / total, b / total) for a, b in pairs], most)
