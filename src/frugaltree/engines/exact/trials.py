"""Trees of several settings for some of the cases, tried on the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.anytime.stop import Stop
from frugaltree.engines.cluster import Packed
from frugaltree.engines.cross_validation import case_bills_and_errors
from frugaltree.engines.exact.objective import leaf_estimate
from frugaltree.engines.exact.search import Search
from frugaltree.engines.problem import Problem
from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.exact.objective import Objective

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


class TriedFold(NamedTuple):
    """What each kind of case is charged and what its errors cost, by setting; how long it took."""

    bills: Floats
    errors: Floats
    seconds: float

    @property
    def costs(self) -> Floats:
        """What each kind of case costs, by setting."""
        return self.bills + self.errors


@dataclass
class FoldTrials(Packed):
    """Tries settings on folds of the cases.

    Attributes
    ----------
    problem, table
        The cases, and the same coded and merged.
    objectives
        The settings, the one to fall back on first.
    memory
        Bytes that the table of states of a search may take.
    looks_ahead
        Whether trees look several tests ahead.
    stop
        Asks a trial to end.
    """

    problem: Problem
    table: Table
    objectives: list[Objective]
    memory: int
    looks_ahead: bool
    stop: Stop = field(default_factory=Stop)

    def __post_init__(self) -> None:
        self.values = values_of(self.table)

    def make_search(self) -> Search:
        """Return a new search, under the setting to fall back on."""
        return Search(
            self.problem,
            self.table,
            self.objectives[0],
            self.stop,
            self.memory,
            looks_ahead=self.looks_ahead,
        )

    def try_fold(self, grown: Counts) -> TriedFold | None:
        """Grow a tree under each setting from cases of these weights; None if asked to stop.

        Every fold begins with a search of its own, so that it comes to the same wherever it is
        tried.
        """
        began, search = perf_counter(), self.make_search()
        bills = np.zeros((len(self.objectives), grown.size))
        errors = bills.copy()
        for i, objective in enumerate(self.objectives):
            search.begin(grown, objective)
            search.grow_quick_tree()
            if search.stopped:
                return None
            nodes, _ = search.tree()
            bills[i], errors[i] = case_bills_and_errors(
                self.problem, nodes, self.values, self.table.classes, leaf_estimate(objective)
            )
        return TriedFold(bills, errors, seconds=perf_counter() - began)


def values_of(table: Table) -> Floats:
    """Return the merged cases as a finished tree reads them."""
    codes = table.cells >> table.shift
    values = np.empty(codes.shape[::-1])
    for a in range(len(codes)):
        known = codes[a] < table.domain[a] - (table.nominal[a] & table.lacking[a])
        inside = np.where(known, codes[a], 0)
        x = (
            inside
            if table.nominal[a] or not known.any()
            else table.values[table.start[a] + inside]
        )
        values[:, a] = np.where(known, x, np.nan)
    return values
