"""Growing a tree where nodes have too many cases to judge tests by all of them.

The tests of such a node are judged on a stratified sample of its cases, and the one that wins
splits all of them. In such a tree no node is split where the trees sampled below its tests promise
to cost no less than a leaf, unless its cases are few: chance would be followed down to single
cases, and pruned in the end.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from frugaltree.engines.cells import count_kinds
from frugaltree.engines.problem import Problem, stratified_sample
from frugaltree.engines.sampling.frontier import CostedTests, OpenNode
from frugaltree.engines.sampling.threads import OpenLeaf, PartialTree
from frugaltree.kernels.cost.ask_rules import may_ask
from frugaltree.kernels.cost.prune import leaf_costs
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sampling.cache import estimate_of
from frugaltree.kernels.sentinels import NONE

if TYPE_CHECKING:
    from frugaltree.engines.sampling.search import SamplingSearch

Piece = tuple[Nodes, dict[int, OpenNode], int]
"""A piece of a tree, its leaves to decide, and how many trees were sampled for it."""


LARGE_TABLE = 10_000
"""Different cases from which on tests are judged on samples, unless told otherwise."""

NODE_SAMPLE = 2_500
"""How many cases such a sample has."""

GROWN_WHOLE = 250
"""Nodes of so many cases are grown to the end, whatever that promises; pruning comes later."""


def sample_of_rows(given: int | str | None, problem: Problem) -> int | None:
    """Return how many cases of a node its tests are judged by; None for all of them."""
    if given != "auto":
        return None if given is None else int(given)
    return NODE_SAMPLE if count_kinds(problem, LARGE_TABLE) > LARGE_TABLE else None


def grow_on_samples(
    search: SamplingSearch, tree: PartialTree, r: int, node: OpenNode, jobs: int
) -> Generator[None, None, None]:
    """Grow the tree below an open node into ``tree``; yield after each piece.

    Draws depend on the node alone, so that the tree is the same for any number of threads.
    """
    threads = ThreadPoolExecutor(jobs)
    try:
        running = {threads.submit(_grow_piece, search, node, r): OpenLeaf(0, 0, node)}
        while running:
            for done in _finished(running):
                leaf = running.pop(done)
                nodes, open_nodes, samples = done.result()
                search.samples += samples
                for below in tree.put(leaf, nodes, open_nodes):
                    running[threads.submit(_grow_piece, search, below.node, r)] = below
                yield
    finally:
        threads.shutdown(cancel_futures=True)


def _finished(running: dict[Future[Piece], OpenLeaf]) -> Iterator[Future[Piece]]:
    """Yield the pieces that are done, once there is one."""
    yield from wait(running, return_when=FIRST_COMPLETED).done


def _grow_piece(search: SamplingSearch, node: OpenNode, r: int) -> Piece:
    """Grow the subtree of a node of few cases; of one of many, split it by the best test."""
    if search.stop.requested:
        return search.grow_subtree(node, 0)[0], {}, 0
    if node.rows.size <= GROWN_WHOLE or (
        search.plan.count_leaves and search.is_judged_whole(node)
    ):
        nodes, samples = search.grow_subtree(node, r)
        return nodes, {}, samples
    drawn = draw_cases(search, node)
    found = search.evaluate(drawn, r)
    leaf = cost_as_leaf(search, drawn)
    total = np.where(found.total < leaf, found.total, np.inf)
    return *split_by_best(search, node, replace(found, total=total)), found.samples


def draw_cases(search: SamplingSearch, node: OpenNode) -> OpenNode:
    """Return an open node with a sample of its cases, of those held out the same share."""
    size = search.sample_rows or node.rows.size
    classes = search.problem.classes_of(search.table.classes)
    n, seed = node.n_growing, int(node.key)
    share = size / node.rows.size
    growing, held_out = (
        stratified_sample(rows, classes, int(np.ceil(share * rows.size)), seed)
        for rows in (node.rows[:n], node.rows[n:])
    )
    rows = np.concatenate([growing, held_out])
    return replace(node, rows=rows, n_growing=growing.size)


def split_by_best(
    search: SamplingSearch, node: OpenNode, found: CostedTests
) -> tuple[Nodes, dict[int, OpenNode]]:
    """Split all cases of a node by the best test that is allowed; without one it is a leaf."""
    while True:
        a = found.best
        if a == NONE:
            return search.leaf(node), {}
        below = rank_below(search, a, int(found.below[a]), int(found.above[a]))
        nodes, open_nodes = search.split(node, a, below, below + 1)
        if is_allowed(search, nodes) and keeps_rules(search, node, a):
            return nodes, open_nodes
        found.total[a] = np.inf


def keeps_rules(search: SamplingSearch, node: OpenNode, a: int) -> bool:
    """Tell whether the rules let a test be asked of all cases of a node."""
    rules, table = search.problem.prices.rules, search.table
    asked, live = np.zeros(table.nominal.size, np.int64), np.zeros(table.nominal.size, np.uint8)
    np.add.at(asked, rules.about[node.asked_above], 1)
    for first in rules.first.tolist():
        codes = table.cells[first, node.rows] >> table.shift
        live[first] = np.unique(codes[codes < table.domain[first]]).size > 1
    return bool(may_ask(rules, asked, live, a))


def cost_as_leaf(search: SamplingSearch, node: OpenNode) -> float:
    """Return what the cases of a node cost as a leaf; infinity where costs do not count."""
    if search.plan.count_leaves or search.held_out is not None:
        return np.inf
    leaf, out = search.leaf(node), np.empty(1)
    labels = search.problem.answers(leaf)
    problem, estimate = search.problem, estimate_of(search.plan)
    leaf_costs(leaf.counts, problem.errors, labels, estimate, problem.cost_classes, out)
    return float(out[0])


def rank_below(search: SamplingSearch, a: int, below: int, above: int) -> int:
    """Return the last rank up to halfway between two ranks of a numeric test."""
    if search.table.nominal[a]:
        return below
    start = int(search.table.start[a])
    low, high = search.table.values[start + below], search.table.values[start + above]
    values = search.table.values[start + below : start + above]
    return below + int(np.searchsorted(values, low + (high - low) / 2.0, side="right")) - 1


def is_allowed(search: SamplingSearch, nodes: Nodes) -> bool:
    """Tell whether the branches of a split have as many cases as they must."""
    weights = nodes.counts[1:].sum(axis=1)
    plan = search.plan
    return bool((weights >= plan.min_cases).sum() >= 2 and (weights >= plan.min_leaf).all())
