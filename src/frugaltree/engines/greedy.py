"""The shared frame of the one-look learners: grow, cut back, put in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from frugaltree.engines.estimate import ERROR_FORMS
from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.charges import in_preorder
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.greedy.choose import Look, Rules
from frugaltree.kernels.greedy.grow import Branches, Room, grow_by_gain, grow_by_reduction
from frugaltree.kernels.greedy.prune import Walk, collapse, prune_errors
from frugaltree.kernels.greedy.split import Scratch
from frugaltree.kernels.sentinels import FULL


def widest(cases: Cases) -> int:
    """Return the largest number of branches of any test."""
    return int(max(2, cases.domain[cases.nominal == 1].max(initial=0)))


def make_room(cases: Cases, prices: Prices, scale: int = 1) -> Room:
    """Return room for growing one tree; ``scale`` times as much as complete cases need."""
    n, k = cases.classes.size, widest(cases)
    sorts = ((cases.nominal == 0) & (prices.usable == 1)).astype(np.int64)
    return Room(
        np.empty((2, int(sorts.sum()) + 1, scale * n), np.int32),
        np.empty((2, 1 if cases.unit else scale * n)),
        np.where(sorts == 1, np.cumsum(sorts), 0),
        cases.weights.copy(),
        np.empty((scale * (n + k + 1), 5), np.int64),
        np.empty(int(cases.domain.max()) + 2, np.int64),
        np.empty((scale * (n + k + 1), cases.domain.size), np.uint8),
    )


def grow(problem: Problem, rules: Rules, *, reduce: bool = False) -> Nodes:
    """Grow a tree by gain, or by the reduction of total cost."""
    cases, prices = problem.cases, problem.prices
    n, k, n_classes = cases.classes.size, widest(cases), cases.n_classes
    scratch = (
        Look.empty(cases.domain.size, prices.member.shape[1]),
        Branches.empty(n, k, n_classes),
        Scratch.empty(k, n_classes),
    )
    scale = 1
    while True:
        room = make_room(cases, prices, scale)
        nodes = Nodes.empty(scale * 2 * n + k, scale * (4 * n + 64) + k, n_classes)
        if reduce:
            found = grow_by_reduction(cases, prices, problem.errors, rules, room, nodes, *scratch)
        else:
            found = grow_by_gain(cases, prices, rules, room, nodes, *scratch)
        if found[0] != FULL:
            return trimmed(nodes, *found)
        scale *= 2


def trimmed(nodes: Nodes, n_nodes: int, n_children: int) -> Nodes:
    """Return nodes without spare room."""
    short = {name: array[:n_nodes].copy() for name, array in nodes._asdict().items()}
    return Nodes(**{**short, "children": nodes.children[:n_children].copy()})


def ordered(nodes: Nodes, cases: Cases) -> Nodes:
    """Return the nodes still in use, in preorder."""
    n = nodes.test.size
    out = Nodes.empty(n, nodes.children.size, cases.n_classes)
    stack = np.empty((n + widest(cases), 3), np.int64)
    return trimmed(out, *in_preorder(nodes, cases.domain, cases.nominal, stack, out))


def collapsed(problem: Problem, nodes: Nodes) -> Nodes:
    """Make leaves, in place, of subtrees that make no fewer errors on the training cases."""
    collapse(nodes, problem.cases.domain, problem.cases.nominal, np.empty(nodes.test.size))
    return nodes


def pruned(
    problem: Problem,
    nodes: Nodes,
    cf: float,
    form: str,
    *,
    collapsing: bool = True,
    raising: bool = True,
    whole: bool = False,
) -> Nodes:
    """Return a tree pruned by C4.5's error estimate.

    Cases without a value are spread over branches or, ``whole``, sent down the heaviest.
    """
    cases, k, used = problem.cases, widest(problem.cases), nodes.test.size
    places, spare = cases.classes.size, nodes.children.size + 1
    while True:
        trial = Nodes.empty(used + spare, nodes.children.size, cases.n_classes)
        for new, old in zip(trial, nodes, strict=True):
            new[: len(old)] = old
        walk = Walk.empty(places, 2 * (used + spare + k), used + spare, cases.n_classes)
        walk.used[0] = used
        to = Branches.empty(0, k, cases.n_classes)
        form_code = ERROR_FORMS[form]
        found = prune_errors(cases, trial, cf, form_code, collapsing, raising, whole, walk, to)
        if found != FULL:
            return trimmed(trial, int(walk.used[0]), trial.children.size)
        places, spare = 2 * places, 2 * spare


def c45_frame(problem: Problem, criterion: int, learner: Any) -> Nodes:
    """Learn a tree in C4.5's frame with another criterion for choosing tests."""
    w = float(getattr(learner, "w", 1.0))
    context = getattr(learner, "prices", "context") == "context"
    rules = Rules(criterion, w, float(learner.min_cases), True, context, False)
    nodes = grow(problem, rules)
    if learner.prune:
        nodes = pruned(
            problem,
            nodes,
            float(learner.cf),
            learner.expected_error,
            collapsing=learner.collapse,
            raising=learner.raise_subtrees,
        )
    elif learner.collapse:
        nodes = collapsed(problem, nodes)
    return ordered(nodes, problem.cases)
