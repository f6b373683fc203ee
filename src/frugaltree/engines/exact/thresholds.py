"""Thresholds that were chosen on a sample, moved to where all cases want them.

What follows below a node stays as it is. Then each of its cases costs so much if it goes left and
so much if it goes right, and one pass over the sorted cases finds the threshold of least cost.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frugaltree.engines.exact.regions import prices_at, subtree
from frugaltree.engines.exact.search import CLOSE
from frugaltree.engines.exact.valuation import Places, Region, Rows, Valuation
from frugaltree.kernels.cost.leaf import Allowed
from frugaltree.kernels.data.nodes import HIGH, LOW, Nodes
from frugaltree.kernels.data.thresholds import place_cut
from frugaltree.kernels.sentinels import NONE

Floats = npt.NDArray[np.float64]
Answers = npt.NDArray[np.int64]
"""The first and the last answer that each node may give."""


LOOKED_AT = 500_000
"""So many cases of a node tell where its threshold is best, at most."""


def move_thresholds(valuation: Valuation, nodes: Nodes, sizes: range) -> tuple[Nodes, float]:
    """Return a tree with better thresholds where a node has so many cases; its cost."""
    places, cases, allowed = (
        valuation.places(nodes),
        valuation.bare.cases,
        valuation.allowed(nodes),
    )
    moved = nodes._replace(cut=nodes.cut.copy(), threshold=nodes.threshold.copy())
    for node in np.flatnonzero(nodes.test != NONE).tolist():
        a = int(nodes.test[node])
        if int(places.stop[node] - places.start[node]) in sizes and not cases.nominal[a]:
            cut = best_cut(valuation, nodes, places, node, allowed)
            moved.cut[node], moved.threshold[node] = place_cut(cases, a, cut, cut + 1, False)
    return valuation.value(moved)


def best_cut(
    valuation: Valuation, nodes: Nodes, places: Places, node: int, allowed: Answers
) -> int:
    """Return the rank after which to cut, given what cases cost below either branch.

    Some rank always has one above it. Of ranks that cost the same it is the middle one: the first
    would be right above a case, although the next case may be many ranks away.
    """
    problem, first, a = valuation.problem, int(nodes.first[node]), int(nodes.test[node])
    codes, rows = problem.cases.codes[a], places.some_of(node, LOOKED_AT)
    rows = rows[codes[rows] != problem.cases.missing]
    low, high = (
        costs_below(valuation, nodes, int(nodes.children[first + side]), rows, allowed)
        for side in (LOW, HIGH)
    )
    weights = (low - high) * problem.cases.weights[rows]
    saved = np.bincount(codes[rows], weights, int(problem.cases.domain[a]))
    total = np.cumsum(np.asarray(saved, np.float64))
    return middle_of_least(total[:-1], float(np.abs(weights).sum()))


def middle_of_least(costs: Floats, scale: float) -> int:
    """Return the middle place of those that cost least, but for rounding of sums of this scale.

    >>> middle_of_least(np.array([3.0, 1.0, 1.0, 1.0, 2.0]), 10.0)
    2
    """
    least = np.flatnonzero(costs <= costs.min() + CLOSE * scale)
    return int(least[least.size // 2])


def costs_below(
    valuation: Valuation, nodes: Nodes, child: int, rows: Rows, allowed: Answers
) -> Floats:
    """Return what each of some cases costs below a node, whether they come there or not.

    With a budget, what errors cost.
    """
    below, prices = subtree(nodes, child), prices_at(valuation.everything.prices, nodes, child)
    left = valuation.everything.left
    region = Region(rows, prices, 0, left, Allowed(*allowed[child].tolist()))
    costs, bills = valuation.case_costs(below, region)
    return costs if left == np.inf else costs - bills
