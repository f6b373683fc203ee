"""The bound of two tests against enumeration, in interpreted kernels.

    NUMBA_DISABLE_JIT=1 python -m support.two_tests PROBLEMS FACTOR

Prints, as JSON, how many bounds were raised at the root of a search, and how many of them, times
the factor, exceed what the cheapest tree costs that begins with the test.
"""

from __future__ import annotations

import json
import sys
import warnings
from random import Random
from typing import Any

import numpy as np

from frugaltree import FrugalTreeClassifier
from frugaltree.kernels.exact import expand, pair_bound
from reference.basics import START, Problem, everything
from reference.exact_trees import Options, Search
from support.given import as_given
from support.problems import make_group

CLOSE = 1e-9


class Raised:
    """Notes the bounds that are raised at the root, by test."""

    def __init__(self) -> None:
        self.total = 0.0
        self.at_root = False
        self.bounds: list[tuple[int, float]] = []
        self.raise_bounds = pair_bound.raise_bounds
        for name in ("raise_by_two", "raise_by_last_two"):
            setattr(pair_bound, name, self.noting(getattr(pair_bound, name)))
        expand.raise_bounds = self.raise_noting

    def raise_noting(self, solver: Any, f: int, chosen: bool) -> None:
        """Raise the bounds of a state, and note them if it has all cases."""
        self.at_root = solver.stack.frames[f].weight == self.total
        self.raise_bounds(solver, f, chosen)

    def noting(self, raised: Any) -> Any:
        """Return what raises the bound of a test, and notes it."""

        def note(context: Any, two: Any, a: int, bound: float, *more: Any) -> float:
            found = float(raised(context, two, a, bound, *more))
            if self.at_root and found > bound:
                self.bounds.append((int(a), found))
            return found

        return note


def draw_problem(seed: int) -> tuple[Problem, Options]:
    """Return a problem in which tests help together, and hardly any alone."""
    random = Random(f"{seed} two tests")
    n_tests, n_classes = random.randint(2, 4), random.choice((2, 2, 3))
    domains = [random.choice((2, 2, 3)) for _ in range(n_tests)]
    rows = [[float(random.randrange(k)) for k in domains] for _ in range(random.randint(4, 12))]
    noise = random.choice((0.0, 0.1))
    classes = [int(sum(row[:2]) + (random.random() < noise)) % n_classes for row in rows]
    present = sorted(set(classes))
    full = [float(random.choice((0, 1, 5, 20))) for _ in range(n_tests)]
    error = random.choice((30.0, 200.0))
    problem = Problem(
        rows=rows,
        classes=[present.index(c) for c in classes],
        weights=[float(random.choice((1, 1, 3, 20))) for _ in rows],
        kinds=["nominal"] * n_tests,
        domains=domains,
        n_classes=len(present),
        full=full,
        groups=[make_group(random, full) for _ in range(random.randint(0, 2))],
        delayed=set(),
        usable=set(range(n_tests)),
        errors=[[error * (i != j) for j in present] for i in present],
    )
    max_depth = random.choice((None, 2))
    return problem, Options(cf=random.choice((0.01, 0.25)), max_depth=max_depth)


def count_wrong(n: int, factor: float) -> dict[str, int]:
    """Return how many bounds were raised on so many problems, and how many are too large."""
    raised, checked, wrong = Raised(), 0, 0
    for seed in range(n):
        problem, options = draw_problem(seed)
        (X, y, costs), weights = as_given(problem)
        raised.total, raised.bounds = sum(problem.weights), []
        FrugalTreeClassifier(
            costs,
            pessimism=options.cf,
            max_depth=options.max_depth,
            splits="values",
            max_steps=30,
            random_state=0,
        ).fit(X, y, weights)
        search, cases = Search(problem, options), everything(problem)
        depth = np.inf if options.max_depth is None else options.max_depth
        cheapest = {
            split.test: search.asking(cases, split, charge, START, depth, np.inf).cost
            for split, charge in search.legal(cases, depth)
        }
        for a, bound in raised.bounds:
            checked += 1
            wrong += factor * bound > cheapest[a] * (1.0 + CLOSE) + CLOSE
    return {"checked": checked, "wrong": wrong}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(count_wrong(int(sys.argv[1]), float(sys.argv[2]))))
