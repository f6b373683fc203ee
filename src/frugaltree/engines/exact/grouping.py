"""Values of a nominal test whose branches go on alike, put together in one branch.

A branch for each value spreads the cases thin, and each of several like subtrees is then fitted to
a part of the cases only. Here one group of values becomes the rest, below tests that set the other
values apart one by one (:mod:`frugaltree.engines.exact.one_vs_rest`); it has the subtree of one of
its values. What that subtree could be with all these cases is for a further search to find, so of
the groups that hardly cost anything the one is taken that leaves the smallest tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.engines.exact.regions import graft, region_at, region_of, subtree
from frugaltree.engines.exact.valuation import Places, Region, Valuation
from frugaltree.engines.greedy import to_preorder
from frugaltree.kernels.cost.charges import end_of
from frugaltree.kernels.data.nodes import Nodes, set_leaf
from frugaltree.kernels.sentinels import NONE

MOST_GROUPED = 16
"""Tests of more values are left as they are: every pair of values is looked at."""

LOOKED_AT = 200_000
"""So many cases of a node tell which values go on alike, at most."""

GRACE = 0.005
"""A group may cost this share more at first: its subtree was fitted to few of its cases."""


class Branch(NamedTuple):
    """One value of a test: the tree that follows, what its cases cost, and which they are."""

    value: int
    nodes: Nodes
    cost: float
    region: Region


def group_branches(valuation: Valuation, nodes: Nodes, least: int) -> tuple[Nodes, float]:
    """Return a tree with values put together where that hardly costs anything; and its cost.

    ``nodes`` is a valued tree. Nodes of fewer than ``least`` cases are left as they are, and so
    are tests that some case has no value of.
    """
    nodes, cost = valuation.value(nodes)
    while grafts := _groups(valuation, nodes, least):
        grown = to_preorder(graft(nodes, grafts), valuation.bare.cases)
        nodes, cost = valuation.value(grown)
    return nodes, cost


def _groups(valuation: Valuation, nodes: Nodes, least: int) -> dict[int, Nodes]:
    """Return what is to replace nodes of a tree, none below another."""
    places, grafts, end = valuation.places(nodes), dict[int, Nodes](), 0
    for node in range(nodes.test.size):
        n = int(places.stop[node] - places.start[node])
        if node < end or n < least or not _tells_values(valuation, nodes, node):
            continue
        found = _group_at(valuation, nodes, places, node)
        if found is not None:
            grafts[node] = found
            end = end_of(nodes, node)
    return grafts


def _about(valuation: Valuation, nodes: Nodes, node: int) -> int:
    """Return which test of the problem a node asks about, NONE for a leaf or no node."""
    a = NONE if node == NONE else int(nodes.test[node])
    return NONE if a == NONE else int(valuation.tests.test[a])


def _tells_values(valuation: Valuation, nodes: Nodes, node: int) -> bool:
    """Tell whether a node is the first to ask for a value, of those that can be set apart."""
    cases, tests, a = valuation.bare.cases, valuation.tests, _about(valuation, nodes, node)
    return bool(
        a != NONE
        and a != _about(valuation, nodes, int(nodes.parent[node]))
        and cases.nominal[a]
        and not cases.lacking[a]
        and cases.domain[a] <= MOST_GROUPED
        and ((tests.test == a) & (tests.value != NONE)).any()
    )


def _group_at(valuation: Valuation, nodes: Nodes, places: Places, node: int) -> Nodes | None:
    """Return a tree for a node in which a group of values goes on together, None if none may."""
    region = region_at(valuation.everything, nodes, places, node)
    region = region._replace(rows=places.some_of(node, LOOKED_AT))
    about, branches = _about(valuation, nodes, node), _branches(valuation, nodes, region, node)
    before, cost = valuation.value(subtree(nodes, node), region)
    best, size = None, before.test.size
    for one in branches:
        group = _like(valuation, branches, one)
        if len(group) > 1:
            made = _apart(valuation, about, branches, group)
            valued, found = valuation.value(made, region)
            if found < cost * (1.0 + GRACE) and valued.test.size < size:
                best, size = made, valued.test.size
    return None if best is None else to_preorder(best, valuation.bare.cases)


def _branches(valuation: Valuation, nodes: Nodes, region: Region, node: int) -> list[Branch]:
    """Return how the cases of each value go on, once a node and those below know the value."""
    a, rows, found = _about(valuation, nodes, node), region.rows, list[Branch]()
    codes = valuation.problem.cases.codes[a, rows]
    for value in np.unique(codes).tolist():
        below = node
        while below != NONE and _about(valuation, nodes, below) == a:
            apart = int(valuation.tests.value[nodes.test[below]])
            branch = value if apart == NONE else int(value != apart)
            below = int(nodes.children[nodes.first[below] + branch])
        if below == NONE:
            continue
        own, tree = rows[codes == value], subtree(nodes, below)
        here = region_of(valuation.everything, nodes, below, own, region.max_depth)
        found.append(Branch(value, tree, valuation.value(tree, here)[1], here))
    return found


def _like(valuation: Valuation, branches: list[Branch], one: Branch) -> list[Branch]:
    """Return the branches whose cases may as well go on as those of one do, itself first."""
    group = [one]
    for other in branches:
        if other is not one:
            both = np.concatenate([one.region.rows, other.region.rows])
            cost = valuation.value(one.nodes, one.region._replace(rows=both))[1]
            if cost < (one.cost + other.cost) * (1.0 + GRACE):
                group.append(other)
    return group


def _apart(valuation: Valuation, a: int, branches: list[Branch], group: list[Branch]) -> Nodes:
    """Return a tree that sets all values apart but those of a group, which has its first tree."""
    tests, grouped = valuation.tests, {one.value for one in group}
    others = [one for one in branches if one.value not in grouped]
    n_classes, n = valuation.problem.cases.n_classes, len(others)
    nodes = Nodes.empty(2 * n + 1, 2 * n + 1, n_classes)
    for node in range(2 * n + 1):
        set_leaf(nodes, node, NONE if node == 0 else 2 * ((node - 1) // 2), np.zeros(n_classes))
    for i, one in enumerate(others):
        split = 2 * i
        nodes.test[split] = np.flatnonzero((tests.test == a) & (tests.value == one.value))[0]
        nodes.first[split] = split
        nodes.children[split : split + 2] = split + 1, split + 2
    pieces = {2 * i + 1: one.nodes for i, one in enumerate(others)} | {2 * n: group[0].nodes}
    return graft(nodes, pieces)
