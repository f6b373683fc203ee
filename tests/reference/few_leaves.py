"""The slow and obvious truth about the cheapest tree of few leaves: every tree is looked at."""

from __future__ import annotations

import math
from itertools import product

from reference.basics import START, Case, Problem, State, everything, price, state_in
from reference.exact_trees import Options, Search
from reference.plain_trees import paying, with_last


def best_of_few_leaves(problem: Problem, options: Options, most: int) -> float:
    """Return the least cost per case of a tree with so many leaves at most, tests immediate.

    The parity of two tests takes four leaves; three leave a quarter of the answers wrong, and
    some cases with a single test to pay:

    >>> from reference.sampled_trees import PARITY
    >>> how = Options(form="training")
    >>> [best_of_few_leaves(PARITY, how, most) for most in (1, 3, 4)]
    [500.0, 265.0, 20.0]
    """
    search = Search(problem, options)
    depth = math.inf if options.max_depth is None else options.max_depth
    return least(search, everything(problem), START, depth, most) / sum(problem.weights)


def least(search: Search, cases: list[Case], state: State, depth: float, most: int) -> float:
    """Return what the cheapest tree for some cases costs over all of them."""
    best = search.leaf(cases).cost
    for split, charge in search.legal(cases, depth):
        branches = [(branch, last) for branch, last in with_last(split.branches) if branch]
        own = charge + price(search.problem, split.test, state) * paying(search.problem, split)
        costs = [
            [
                least(
                    search, branch, state_in(search.problem, split.test, state, last), depth - 1, k
                )
                for k in range(1, most - len(branches) + 2)
            ]
            for branch, last in branches
        ]
        for shares in product(*(range(1, len(one) + 1) for one in costs)):
            if sum(shares) <= most:
                total = own + sum(one[k - 1] for one, k in zip(costs, shares, strict=True))
                best = min(best, total)
    return best
