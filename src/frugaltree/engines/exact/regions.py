"""Parts of a large problem: a node of a tree, its cases, and the search for a better subtree.

What a node's path has paid becomes a price list of its own, in which paid tests are free and open
groups have taken off their discounts. So the cases of a node are a problem like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cells import coded
from frugaltree.engines.cluster import Packed
from frugaltree.engines.cross_validation import part_of
from frugaltree.engines.exact.affordable import left_at
from frugaltree.engines.exact.first_trees import grow_first_trees
from frugaltree.engines.exact.one_vs_rest import ValueTests
from frugaltree.engines.exact.search import MOST_CUTS, Search
from frugaltree.engines.exact.valuation import Places, Region, Rows, Valuation, empty_tree
from frugaltree.engines.greedy import cut_by_threshold
from frugaltree.engines.problem import Problem, TestsLimit, stratified_sample
from frugaltree.kernels.cost.ask_rules import list_asked
from frugaltree.kernels.cost.charges import end_of, path_state
from frugaltree.kernels.cost.prices import Prices, context_price
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.exact.objective import Objective
from frugaltree.kernels.sentinels import MISSING, NONE

PRICED = ("full", "discount", "member", "delayed", "usable")
"""What a price list has for each test."""

REGION_MEMORY = 2**28
"""Bytes that the search of one region may take to remember what it knows."""


def compact(problem: Problem, rows: Rows) -> Problem:
    """Return the problem of some cases, numeric values ranked among these alone."""
    part = part_of(problem, rows.astype(np.intp))
    cases = part.cases
    codes = np.where(cases.codes == cases.missing, MISSING, cases.codes.astype(np.int32))
    start, domain, kept = cases.start.copy(), cases.domain.copy(), [np.zeros(0, np.int64)]
    for a in np.flatnonzero(cases.nominal == 0).tolist():
        present, ranks = np.unique(codes[a], return_inverse=True)
        missing = int(present.size > 0 and present[0] == MISSING)
        codes[a] = ranks - missing
        start[a], domain[a] = sum(map(len, kept)), present.size - missing
        kept.append(cases.start[a] + present[missing:])
    places = np.concatenate(kept)
    ranked = cases._replace(
        codes=codes,
        start=start,
        domain=domain,
        values=cases.values[places],
        floors=cases.floors[places],
        missing=MISSING,
    )
    return replace(part, cases=ranked)


def prices_at(prices: Prices, nodes: Nodes, node: int) -> Prices:
    """Return the price list as it is at a node of a tree, given what its path has paid."""
    n_tests, n_groups = prices.member.shape
    paid, opened = np.zeros(n_tests, np.uint8), np.zeros(n_groups, np.uint8)
    path_state(prices, nodes, node, paid, opened)
    full = np.array([context_price(prices, a, paid, opened) for a in range(n_tests)])
    asked = np.zeros(n_tests, np.int64)
    list_asked(prices.rules, nodes, node, asked)
    return prices._replace(
        full=full,
        discount=np.where(opened == 1, 0.0, prices.discount),
        rules=prices.rules.at(asked[: len(prices.rules.requires) or n_tests]),
    )


def region_at(whole: Region, nodes: Nodes, places: Places, node: int) -> Region:
    """Return the region of a node of a tree."""
    depth, above = 0, int(nodes.parent[node])
    while above != NONE:
        depth, above = depth + 1, int(nodes.parent[above])
    return region_of(whole, nodes, node, places.of(node), whole.max_depth - depth)


def region_of(whole: Region, nodes: Nodes, node: int, rows: Rows, max_depth: int) -> Region:
    """Return the region of some cases that come to a node of a tree."""
    prices = prices_at(whole.prices, nodes, node)
    left, limit = left_at(whole.prices, nodes, node, whole.left), whole.tests_limit
    if limit is not None:
        most = left_at(limit.counted, nodes, node, limit.most)
        limit = TestsLimit(prices_at(limit.counted, nodes, node), most)
    return Region(rows, prices, max_depth, left, limit)


def subtree(nodes: Nodes, node: int) -> Nodes:
    """Return the subtree of a node of a tree in preorder, as a tree of its own."""
    part = slice(node, end_of(nodes, node))
    own = {
        name: array[part].copy() for name, array in nodes._asdict().items() if name != "children"
    }
    own["parent"] = np.where(own["parent"] == NONE, NONE, own["parent"] - node)
    own["parent"][0], own["lacking"][0] = NONE, 0
    children = np.where(nodes.children == NONE, NONE, nodes.children - node)
    return Nodes(**{**own, "children": children})


def graft(nodes: Nodes, grafts: dict[int, Nodes]) -> Nodes:
    """Return a tree with other subtrees at some of its nodes, none below another; not counted."""
    pieces, children, n = [nodes], [nodes.children.copy()], nodes.test.size
    moved = Nodes(*(array.copy() for array in nodes))
    for node, piece in grafts.items():
        slots = sum(map(len, children))
        shifted = piece._replace(
            parent=np.where(piece.parent == NONE, NONE, piece.parent + n),
            first=piece.first + slots,
            children=np.where(piece.children == NONE, NONE, piece.children + n),
        )
        for name in ("test", "cut", "threshold", "first"):
            getattr(moved, name)[node] = getattr(shifted, name)[0]
        below = shifted.parent == n
        shifted.parent[below] = node
        pieces.append(shifted)
        children.append(shifted.children)
        n += piece.test.size
    pieces[0] = moved
    arrays = zip(*(piece[:-1] for piece in pieces), strict=True)
    return Nodes(*[*map(np.concatenate, arrays), np.concatenate(children)])


class FoundTree(NamedTuple):
    """A tree for the cases of a region, its cost over them, and how many states it took."""

    nodes: Nodes
    cost: float
    steps: int


@dataclass
class RegionSearch(Packed):
    """Searches for trees for the cases of regions.

    Attributes
    ----------
    problem, tests, objective
        As in :class:`Valuation`.
    size
        Cases of a sample, at most.
    seed
        Draws the samples.
    stop
        Asks a search to end.
    """

    problem: Problem
    tests: ValueTests
    objective: Objective
    size: int
    seed: int
    stop: Stop

    def __post_init__(self) -> None:
        self.valuation = Valuation(self.problem, self.tests, self.objective)

    def search(self, region: Region, effort: int, steps: int | None) -> FoundTree:
        """Search for a tree for the cases of a region, or for a sample of them.

        It is the best of as many trees as there is effort, each grown as ACT does, and of what
        EG2 and DTMC grow, counted, pruned and priced on all cases of the region.
        """
        valuation, objective, seed = self.valuation, self.objective, self.seed + effort
        if self.stop.requested or steps == 0:
            return FoundTree(empty_tree(self.problem.cases.n_classes), np.inf, 0)
        rows = stratified_sample(region.rows, self.problem.true_classes, self.size, seed)
        part = compact(self.problem, rows)
        extended = replace(
            self.tests.extend(part), prices=region.prices, tests_limit=region.tests_limit
        )
        search = Search(
            extended,
            coded(extended)[0],
            objective._replace(max_depth=region.max_depth, budget=region.left),
            self.stop,
            memory=REGION_MEMORY,
            seed=seed,
        )
        search.allow(steps)
        search.grow_quick_tree()
        for number in range(1, effort):
            if search.proven or search.stopped or search.reason:
                break
            search.sample(number, min(number + 1, MOST_CUTS))
        found = [search.tree()[0], *greedy_trees(part, region, objective, self.stop)]
        valued = [valuation.value(cut_by_threshold(valuation.bare, one), region) for one in found]
        nodes, cost = min(valued, key=itemgetter(1))
        return FoundTree(nodes, cost, search.steps)


def greedy_trees(part: Problem, region: Region, objective: Objective, stop: Stop) -> list[Nodes]:
    """Return what EG2 and DTMC grow for the cases of a region."""
    tests = np.arange(part.cases.domain.size)
    listed = {name: getattr(region.prices, name)[tests] for name in PRICED}
    rules = region.prices.rules
    prices = region.prices._replace(**listed, rules=rules._replace(about=rules.about[tests]))
    least = {"min_cases": float(objective.min_cases), "min_leaf": float(objective.min_leaf)}
    grown = grow_first_trees(replace(part, prices=prices), stop, **least)
    return [] if stop.requested else [nodes for _, nodes in grown]
