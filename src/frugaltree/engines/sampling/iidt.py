"""IIDT: improve, again and again, the subtree that promises most for the time it takes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.anytime.progress import Snapshot
from frugaltree.engines.pruning import free
from frugaltree.engines.sampling.finish import leaf_estimates, tree_of
from frugaltree.engines.sampling.frontier import OpenNode
from frugaltree.engines.sampling.schedules import Growth, greedy
from frugaltree.engines.sampling.search import SamplingSearch
from frugaltree.kernels.cost.charges import end_of
from frugaltree.kernels.cost.error_estimate import expected_by_weight
from frugaltree.kernels.cost.prices import context_price, is_paid_for, sure_price, take
from frugaltree.kernels.data.nodes import Nodes, lacking_branch, width
from frugaltree.kernels.sampling.cache import estimate_of
from frugaltree.kernels.sentinels import NONE

Route = tuple[tuple[int, int, int], ...]
"""The way to a node: each test above with the rank below its cut, and the branch taken."""


class Task(NamedTuple):
    """A subtree that could be grown anew with ``r`` samples, and what that promises a second."""

    utility: float
    node: int
    r: int


def iidt(
    growth: Growth,
    seed: int,
    largest: int | None,
    max_steps: int | None,
    granularity: float,
    n_jobs: int | None = None,
) -> Iterator[Snapshot]:
    """Start from the greedy tree and regrow subtrees, each time with twice the sample.

    The estimated cost never rises: a subtree is replaced only by a cheaper one. One that larger
    samples would not change is left alone.
    """
    search, stop = growth.search, growth.search.stop
    greedy(growth, seed)
    yield growth.snapshot("greedy tree", improved=True)
    last: dict[Route, int] = {}
    exhausted: set[Route] = set()
    steps = 0
    while not stop.requested:
        tree = growth.incumbent.found
        routes = routes_of(search, tree)
        task = choose(search, tree, routes, last, largest, granularity, exhausted)
        if task is None:
            return
        if steps == max_steps:
            stop.request("steps")
            return
        route, before = routes[task.node], search.samples
        improved = regrow(growth, seed, route, task, last, n_jobs)
        if search.is_exhausted(task.r, search.samples - before):
            exhausted.add(route)
        steps += 1
        yield growth.snapshot(f"r = {task.r}, node {task.node}", improved=improved)


def regrow(
    growth: Growth,
    seed: int,
    route: Route,
    task: Task,
    last: dict[Route, int],
    n_jobs: int | None,
) -> bool:
    """Grow a subtree anew and keep it if the tree gets cheaper; tell whether it did."""
    search, incumbent = growth.search, growth.incumbent
    *_, (piece, _) = search.grow(task.r, node_at(search, seed, route), n_jobs)
    bare = Nodes(*(array.copy() for array in incumbent.found))
    bare.test[task.node] = NONE
    nodes, cost = growth.prune(search, grafted(bare, task.node, piece))
    last[route] = task.r
    if not incumbent.offer(nodes, cost, f"r = {task.r}, node {task.node}"):
        return False
    for new in routes_of(search, nodes).values():
        if new[: len(route)] == route:
            last[new] = task.r
    return True


def grafted(tree: Nodes, leaf: int, piece: Nodes) -> Nodes:
    """Return the tree with a piece in place of a leaf."""
    offset, slots = tree.test.size - 1, tree.children.size
    parts = [
        np.concatenate([old, new[1:]]) for old, new in zip(tree[:-1], piece[:-1], strict=True)
    ]
    children = np.where(piece.children == NONE, NONE, piece.children + offset)
    parts.append(np.concatenate([tree.children, children]))
    new = Nodes(*parts)
    for name in ("test", "cut", "threshold"):
        getattr(new, name)[leaf] = getattr(piece, name)[0]
    new.first[leaf] = piece.first[0] + slots
    new.first[offset + 1 :] += slots
    parents = piece.parent[1:]
    new.parent[offset + 1 :] = np.where(parents == 0, leaf, parents + offset)
    return new


def choose(
    search: SamplingSearch,
    tree: Nodes,
    routes: dict[int, Route],
    last: dict[Route, int],
    largest: int | None,
    granularity: float,
    exhausted: Collection[Route] = (),
) -> Task | None:
    """Return the subtree whose regrowing promises most per unit of time, None if none does.

    Only subtrees count that take at least ``granularity`` of the time of the whole tree, and are
    not exhausted.
    """
    now, least = costs_now(search, tree), least_costs(search, tree, routes)
    weight = tree.counts.sum(axis=1)
    best: Task | None = None
    times = {}
    for node, route in routes.items():
        r = max(1, 2 * last.get(route, 0))
        tests = search.table.nominal.size - sum(search.table.nominal[a] for a, _, _ in route)
        times[node] = float(r * weight[node] * max(int(tests), 1) ** 3)
        if (largest is not None and r > largest) or times[node] < granularity * times[0]:
            continue
        if route in exhausted:
            continue
        utility = (now[node] - least[node]) / times[node]
        if utility > 1e-12 and (best is None or utility > best.utility):
            best = Task(utility, node, r)
    return best


def routes_of(search: SamplingSearch, tree: Nodes) -> dict[int, Route]:
    """Return the way to every node of a tree in preorder."""
    routes: dict[int, Route] = {0: ()}
    for node in range(tree.test.size):
        a = int(tree.test[node])
        if a == NONE:
            continue
        for b in range(width(a, search.table.domain, search.table.nominal)):
            child = int(tree.children[tree.first[node] + b])
            if child != NONE:
                routes[child] = (*routes[node], (a, int(tree.cut[node]), b))
    return routes


def node_at(search: SamplingSearch, seed: int, route: Route) -> OpenNode:
    """Return the open node that a route leads to."""
    node = search.root(seed)
    for a, cut, b in route:
        node = search.branch(node, a, cut, b)
    return node


def costs_now(search: SamplingSearch, tree: Nodes) -> npt.NDArray[np.float64]:
    """Return what each subtree costs over its cases."""
    prices = search.problem.prices if search.plan.charged else free(search.problem.prices)
    charges = tree_of(search.problem, tree).charges(prices)
    own = charges.charge * charges.paying
    leaf = tree.test == NONE
    own[leaf] = leaf_estimates(search, tree)[leaf]
    sums = np.concatenate([[0.0], np.cumsum(own)])
    ends = [end_of(tree, node) for node in range(tree.test.size)]
    return np.asarray(sums[ends] - sums[:-1])


def least_costs(
    search: SamplingSearch, tree: Nodes, routes: dict[int, Route]
) -> npt.NDArray[np.float64]:
    """Return what no subtree at a node can cost less than: a leaf, or a test and a pure leaf."""
    problem, plan = search.problem, search.plan
    least = leaf_estimates(search, tree)
    for node, route in routes.items():
        counts = tree.counts[node]
        if counts.max() == counts.sum():
            continue
        paid = np.zeros(problem.prices.full.size, np.uint8)
        opened = np.zeros(problem.prices.member.shape[1], np.uint8)
        for a, _, b in route:
            if is_paid_for(problem.prices, b == lacking_branch(search.table, a)):
                take(problem.prices, a, paid, opened)
        price = np.inf
        for a in np.flatnonzero(problem.prices.usable).tolist():
            here = context_price(problem.prices, a, paid, opened)
            price = min(price, sure_price(problem.prices, here, search.table.lacking[a]))
        price = price if plan.charged else 0.0
        m = float(counts.sum())
        wrong = expected_by_weight(m, 0.0, estimate_of(plan)) * plan.least_penalty
        least[node] = min(least[node], price * m + wrong)
    return least
