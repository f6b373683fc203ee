"""The engine of the greedy learners: grow a tree, cut it back, put its nodes in order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.anytime.stop import Stop
from frugaltree.engines.estimate import ERROR_FORMS
from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.ask_rules import has_rules
from frugaltree.kernels.cost.charges import PREORDER_FRAME, in_preorder
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.nodes import NUMERIC_BRANCHES, TREE_SIZE, Nodes
from frugaltree.kernels.data.partition import Branches
from frugaltree.kernels.data.thresholds import halfway
from frugaltree.kernels.greedy.choose import NodeEvaluation, Rules
from frugaltree.kernels.greedy.grow import (
    GROW_FRAME,
    GrowBuffers,
    grow_by_gain,
    grow_by_reduction,
)
from frugaltree.kernels.greedy.prune import PruneBuffers, PruneRules, collapse, prune_errors
from frugaltree.kernels.greedy.split import COUNTED, SplitBuffers
from frugaltree.kernels.records import plain_records
from frugaltree.kernels.sentinels import FULL, NONE


def most_branches(cases: Cases) -> int:
    """Return the largest number of branches of any test."""
    return int(max(NUMERIC_BRANCHES, cases.domain[cases.nominal == 1].max(initial=0)))


def grow_buffers(
    cases: Cases, prices: Prices, scale: int = 1, stop: Stop | None = None
) -> GrowBuffers:
    """Return room for growing one tree; ``scale`` times as much as complete cases need."""
    n, k, n_tests = cases.classes.size, most_branches(cases), cases.domain.size
    height = scale * (n + k + 1)
    numeric = (cases.nominal == 0) & (prices.usable == 1)
    sorts = (numeric & (cases.domain > COUNTED)).astype(np.int64)
    counted = max(k, int(cases.domain[numeric & (sorts == 0)].max(initial=0)))
    return GrowBuffers(
        lists=np.empty((2, int(sorts.sum()) + 1, scale * n), np.int32),
        list_weights=np.empty((2, 1 if cases.unit else scale * n)),
        list_of=np.where(sorts == 1, np.cumsum(sorts), 0),
        weights=cases.weights.copy(),
        classes=np.empty(scale * n, np.int32),
        stack=plain_records(height, GROW_FRAME),
        constant=np.empty((height, n_tests), np.uint8),
        code_starts=np.empty(int(cases.domain.max()) + 2, np.int64),
        size=plain_records(1, TREE_SIZE),
        evaluation=NodeEvaluation.empty(n_tests, prices.member.shape[1]),
        branches=Branches.empty(n, k, cases.n_classes),
        split=SplitBuffers.empty(counted, cases.n_classes),
        stop=np.zeros(1, np.int64) if stop is None else stop.flag,
    )


def grow(
    problem: Problem, rules: Rules, *, reduce: bool = False, stop: Stop | None = None
) -> Nodes:
    """Grow a tree by gain, or by the reduction of total cost.

    Asked to stop, it leaves nodes that are not yet split as leaves.
    """
    cases, prices = problem.cases, problem.prices
    n, k = cases.classes.size, most_branches(cases)
    scale = 1
    while True:
        work = grow_buffers(cases, prices, scale, stop)
        nodes = Nodes.empty(scale * 2 * n + k, scale * (4 * n + 64) + k, cases.n_classes)
        if reduce:
            found = grow_by_reduction(cases, prices, problem.errors, rules, nodes, work)
        else:
            found = grow_by_gain(cases, prices, rules, nodes, work)
        if found != FULL:
            return trim(nodes, *work.size[0])
        scale *= 2


def trim(nodes: Nodes, n_nodes: int, n_slots: int) -> Nodes:
    """Return nodes without spare room."""
    short = {name: array[:n_nodes].copy() for name, array in nodes._asdict().items()}
    return Nodes(**{**short, "children": nodes.children[:n_slots].copy()})


def to_preorder(nodes: Nodes, cases: Cases) -> Nodes:
    """Return the nodes still in use, in preorder."""
    n = nodes.test.size
    out = Nodes.empty(n, nodes.children.size, cases.n_classes)
    stack = plain_records(n + most_branches(cases), PREORDER_FRAME)
    return trim(out, *in_preorder(nodes, cases.domain, cases.nominal, stack, out))


def collapse_tree(problem: Problem, nodes: Nodes) -> Nodes:
    """Make leaves, in place, of subtrees that make no fewer errors on the training cases."""
    collapse(nodes, problem.cases.domain, problem.cases.nominal, np.empty(nodes.test.size))
    return nodes


def prune_by_errors(
    problem: Problem,
    nodes: Nodes,
    cf: float,
    form: str,
    *,
    collapsing: bool = True,
    raising: bool = True,
    whole: bool = False,
) -> Nodes:
    """Return a tree pruned by C4.5's error estimate, in preorder.

    Cases without a value are spread over branches or, ``whole``, have one of their own. No branch
    is raised where there are rules on what is asked above it.
    """
    raising = raising and not has_rules(problem.prices.rules)
    cases, k, n_nodes = problem.cases, most_branches(problem.cases), nodes.test.size
    places, spare = cases.classes.size, nodes.children.size + 1
    rules = PruneRules(
        cf=cf, form=ERROR_FORMS[form], collapsing=collapsing, raising=raising, whole=whole
    )
    while True:
        copy, tree = (
            Nodes.empty(n_nodes + spare, nodes.children.size, cases.n_classes) for _ in range(2)
        )
        for new, old in zip(copy, nodes, strict=True):
            new[: len(old)] = old
        work = PruneBuffers.empty(
            places=places, height=2 * (n_nodes + spare + k), widest=k, tree=tree
        )
        work.size[0].n_nodes = n_nodes
        if prune_errors(cases, copy, rules, work) != FULL:
            return trim(tree, *work.size[0])
        places, spare = 2 * places, 2 * spare


def cut_by_threshold(problem: Problem, nodes: Nodes) -> Nodes:
    """Return the tree with ranks that part all cases, not only a node's own, by its threshold."""
    cases, cut, threshold = problem.cases, nodes.cut.copy(), nodes.threshold.copy()
    for node in np.flatnonzero(nodes.test != NONE):
        a = nodes.test[node]
        if not cases.nominal[a]:
            own = slice(cases.start[a], cases.start[a] + cases.domain[a])
            values, floors = cases.values[own], cases.floors[own]
            at = int(np.searchsorted(values, threshold[node], side="right")) - 1
            if 0 <= at < values.size - 1 and floors[at + 1] <= threshold[node]:  # within a bin
                threshold[node] = halfway(values[at], floors[at + 1])
            cut[node] = at
    return nodes._replace(cut=cut, threshold=threshold)


class C45Settings(NamedTuple):
    """How a learner in C4.5's frame grows a tree and cuts it back."""

    rules: Rules
    collapse: bool
    prune: bool
    raise_subtrees: bool
    cf: float
    form: str  # of the expected error


def learn_c45(problem: Problem, settings: C45Settings) -> Nodes:
    """Learn a tree in C4.5's frame, by any criterion for choosing tests."""
    nodes = grow(problem, settings.rules)
    if settings.prune:
        return prune_by_errors(
            problem,
            nodes,
            settings.cf,
            settings.form,
            collapsing=settings.collapse,
            raising=settings.raise_subtrees,
        )
    if settings.collapse:
        nodes = collapse_tree(problem, nodes)
    return to_preorder(nodes, problem.cases)
