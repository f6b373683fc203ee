"""Problems with monotone tests, and what tells whether a tree follows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.tree import Tree
from reference.basics import Problem
from reference.exact_trees import Options
from support.bound_problems import draw_confidence, draw_problem
from support.problems import make_delayed, make_errors


def draw_monotone(seed: int) -> tuple[Problem, Options]:
    """Return a small problem, most of whose numeric tests are monotone, one at least.

    Values may be missing, tests be delayed and in groups, and depth, cases of a split and the
    budget be limited. In half of the problems tests are nearly free, so that trees are deep.
    """
    random = Random(f"{seed} monotone")
    numeric: list[int] = []
    while not numeric:
        seed += 10**6
        problem, options = draw_deep(seed) if random.random() < 0.5 else draw_problem(seed)
        numeric = [a for a, kind in enumerate(problem.kinds) if kind == "numeric"]
    if random.random() < 0.2:
        problem = replace(problem, delayed=make_delayed(seed, len(problem.kinds)))
    first, *others = random.sample(numeric, len(numeric))
    monotone = {a: random.choice((1, -1)) for a in others if random.random() < 0.7}
    dearest = sum(problem.full)
    return problem, replace(
        options,
        flat=0.0,
        form=random.choice(("c45", "training", "exact", "training")),
        penalty=random.choice(("laplace", "laplace", "multinomial")),
        max_depth=random.choice((None, None, None, 2, 3)),
        min_cases=random.choice((1, 1, 1, 2)),
        max_test_cost=random.choice((None, None, None, dearest / 2)),
        monotone={first: random.choice((1, -1)), **monotone},
    )


def draw_deep(seed: int) -> tuple[Problem, Options]:
    """Return a problem of few numbers, nearly free tests, and classes that follow them roughly."""
    random = Random(f"{seed} deep")
    n_tests, n_classes, n = random.randint(1, 3), random.choice((2, 3, 3)), random.randint(5, 9)
    rows = [[float(random.randint(0, 4)) for _ in range(n_tests)] for _ in range(n)]
    levels = [sum(row) / (4.0 * n_tests) * n_classes for row in rows]
    classes = [
        random.randrange(n_classes) if random.random() < 0.4 else min(n_classes - 1, int(level))
        for level in levels
    ]
    if random.random() < 0.3:
        for row in rows:
            row[random.randrange(n_tests)] = None if random.random() < 0.3 else row[0]
    present = sorted(set(classes))
    full = [random.choice((0.0, 0.01, 0.1)) for _ in range(n_tests)]
    style = random.choice(("uniform", "nonuniform", "partly free"))
    problem = Problem(
        rows=[list(row) for row in rows],
        classes=[present.index(c) for c in classes],
        weights=[float(random.choice((1, 1, 3, 20))) for _ in range(n)],
        kinds=["numeric"] * n_tests,
        domains=[0] * n_tests,
        n_classes=len(present),
        full=full,
        groups=[],
        delayed=set(),
        usable=set(range(n_tests)),
        errors=make_errors(seed, len(present), style),
    )
    return problem, Options(cf=draw_confidence(random))


def parameter(monotone: Mapping[int, int]) -> dict[str, int]:
    """Return ``monotone`` as a learner takes it."""
    return {f"a{a}": direction for a, direction in monotone.items()}


def broken_at(tree: Tree, monotone: Mapping[int, int]) -> list[int]:
    """Return the nodes at which a tree does not follow a monotone test.

    Below a split on it, no answer of the lower branch comes later than one of the upper, or
    earlier in the other direction: neither of leaves nor of nodes where a case may end for want of
    a value.
    """
    return [
        node
        for node in np.flatnonzero(tree.nodes.test != NONE).tolist()
        if not _follows(tree, node, monotone.get(int(tree.nodes.test[node]), 0))
    ]


def _follows(tree: Tree, node: int, direction: int) -> bool:
    first = int(tree.nodes.first[node])
    low, high = (answers_below(tree, int(child)) for child in tree.nodes.children[first:][:2])
    return direction == 0 or bool(
        low.max() <= high.min() if direction > 0 else high.max() <= low.min()
    )


def answers_below(tree: Tree, node: int) -> Any:
    """Return the answers of a node and of all below it."""
    below = [node]
    for one in below:
        below += np.flatnonzero(tree.nodes.parent == one).tolist()
    return np.array(tree.labels)[below]


def pairs_broken(tree: Tree, values: np.ndarray, monotone: Mapping[int, int]) -> int:
    """Return in how many pairs of cases that differ in one monotone test alone answers do not.

    Every case is given every value that the test takes in the table.
    """
    broken = 0
    for a, direction in monotone.items():
        ladder = np.unique(values[:, a][~np.isnan(values[:, a])])
        for row in values:
            twins = np.repeat(row[None, :], ladder.size, axis=0)
            twins[:, a] = ladder
            answers = np.array(tree.labels)[tree.find(twins)].astype(int)
            broken += int((np.diff(answers) * direction < 0).sum())
    return broken
