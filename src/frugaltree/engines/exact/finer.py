"""Finer bins where a tree cuts.

Numbers of a long table are in a few hundred bins, and a threshold between two of them may be off
by half a bin: with a million cases at a node, thousands go the wrong way. So the bins next to the
cuts of large nodes are parted into many, others are joined to make room for them, and the columns
are coded anew. What a tree is charged for choosing among cuts is by the bins that it has chosen
from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.engines.problem import Problem
from frugaltree.kernels.data.bins import code_by_bins, widen_bins
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.table.ranking import open_ended

Floats = npt.NDArray[np.float64]

LEAST_IN_BIN = 10
"""Cuts of nodes with fewer cases for each bin of the test are left as they are."""

MOST_CUTS = 16
"""Of each test, the bins next to so many cuts are made finer, at most."""

FINE_SHARE = 0.5
"""This share of the bins of a test may be new."""


class Bins(NamedTuple):
    """The smallest and the largest number of each bin of a test, and the code of each case."""

    floors: Floats
    values: Floats
    codes: npt.NDArray[np.int32]


def finer_problem(problem: Problem, trees: Sequence[Nodes]) -> Problem | None:
    """Return the problem with finer bins next to the cuts of large nodes; None if it stays as is.

    The trees are valued on the problem's cases.
    """
    numbers = problem.table.numbers
    if numbers is None:
        return None
    found = dict[int, Bins]()
    for a in np.flatnonzero(problem.cases.nominal == 0).tolist():
        cuts = _cuts_of_large_nodes(problem, trees, a)
        if cuts:
            found[a] = _finer_bins(problem, a, cuts, numbers(a))
    return _recoded(problem, found) if found else None


def _cuts_of_large_nodes(problem: Problem, trees: Sequence[Nodes], a: int) -> list[int]:
    """Return the cuts of a test between bins of several numbers, those of most cases first."""
    cases, weight = problem.cases, dict[int, float]()
    start, domain = int(cases.start[a]), int(cases.domain[a])
    least = LEAST_IN_BIN * domain * problem.case_weight
    for nodes in trees:
        for node in np.flatnonzero(nodes.test == a).tolist():
            cut, n = int(nodes.cut[node]), float(nodes.counts[node].sum())
            beside = slice(start + cut, start + cut + 2)
            if n >= least and (cases.floors[beside] < cases.values[beside]).any():
                weight[cut] = max(n, weight.get(cut, 0.0))
    return sorted(weight, key=lambda cut: -weight[cut])[:MOST_CUTS]


def _finer_bins(problem: Problem, a: int, cuts: list[int], column: Floats) -> Bins:
    """Return as many bins of a test as there are, more of them next to some cuts."""
    cases = problem.cases
    own = slice(cases.start[a], cases.start[a] + cases.domain[a])
    edges = finer_edges(cases.floors[own], cases.values[own], cuts, column)
    floors, values = np.full(edges.size, np.inf), np.full(edges.size, -np.inf)
    codes = np.empty(column.size, np.int32)
    code_by_bins(column, open_ended(edges), codes)
    widen_bins(column, codes, floors, values)
    return Bins(floors, values, codes)


def finer_edges(floors: Floats, values: Floats, cuts: Sequence[int], column: Floats) -> Floats:
    """Return the largest number of each bin, no more bins than before.

    Six bins of ten numbers, cut after the second: the second and third become finer, some others
    are joined.

    >>> column = np.arange(60.0)
    >>> finer_edges(column[::10], column[9::10], [1], column).tolist()
    [9.0, 14.0, 19.0, 24.0, 49.0, 59.0]
    """
    each = max(1, int(FINE_SHARE * values.size) // len(cuts))
    kept = [values[list(cuts)], values[-1:]]
    for cut in cuts:
        beside = column[(column >= floors[cut]) & (column <= values[cut + 1])]
        places = np.linspace(0.0, beside.size - 1.0, each + 2)[1:-1]
        kept.append(np.sort(beside)[places.astype(np.intp)])
    edges = np.unique(np.concatenate(kept))
    others = np.setdiff1d(values, edges)
    room = max(0, values.size - edges.size)
    places = np.linspace(0.0, others.size - 1.0, min(room, others.size)).astype(np.intp)
    return np.unique(np.concatenate([edges, others[places]]))[-values.size :]


def _recoded(problem: Problem, found: dict[int, Bins]) -> Problem:
    """Return the problem with other bins of some tests."""
    table, cases = problem.table, problem.cases
    codes, domain = table.codes.copy(), table.domain.copy()
    floors, values, start = list[Floats](), list[Floats](), list[int]()
    for a, column in enumerate(table.columns):
        first = table.start[a]
        own = slice(first, first + (0 if column.is_nominal else table.domain[a]))
        bins = found.get(a)
        if bins is not None:
            codes[a], domain[a] = bins.codes.astype(codes.dtype), bins.values.size
        start.append(sum(map(len, values)))
        floors.append(table.floors[own] if bins is None else bins.floors)
        values.append(table.values[own] if bins is None else bins.values)
    recoded = replace(
        table,
        codes=codes,
        domain=domain,
        start=np.array(start, np.int64),
        values=np.concatenate(values),
        floors=np.concatenate(floors),
    )
    own_codes = codes
    if cases.codes is not table.codes:  # nominal tests may have a code for cases without a value
        own_codes = np.where((cases.nominal == 1)[:, None], cases.codes, codes)
    return replace(
        problem,
        table=recoded,
        cases=cases._replace(
            codes=own_codes,
            domain=np.where(cases.nominal == 1, cases.domain, domain),
            start=recoded.start,
            values=recoded.values,
            floors=recoded.floors,
        ),
    )
