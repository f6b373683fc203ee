"""Choosing how pessimistic a search is to be, by what trees cost on cases that they have not seen.

A search that looks harder finds trees that fit the training cases better, by chance too. What
keeps it honest is the pessimism of its estimate. No setting suits every problem, so a few very
different ones are tried inside the training cases: each with trees searched under its own
objective, on the same folds. The first, which is close to the paper's, is left only for one that
saves more per case than the standard error of the saving.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.engines.exact.objective import Pessimism
from frugaltree.engines.exact.search import Search
from frugaltree.engines.problem import Problem
from frugaltree.engines.sampling.tuning import FOLDS, deal
from frugaltree.kernels.cost.charges import node_charges
from frugaltree.kernels.cost.route import find_nodes, largest_children
from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.exact.objective import Objective

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

MOST_DEALT = 10**7
"""About how many cases are dealt one by one, at most."""


def candidates(cf: float, *, numeric: bool) -> list[Pessimism]:
    """Return the settings to choose from, the one to fall back on first.

    That is the paper's, with confidence ``cf``, and a small charge for choosing among many cuts,
    which are so many chances to be lucky. Nominal tests have none.
    """
    if not numeric:
        return [
            Pessimism("paper", cf),
            Pessimism("split 2", cf, split=2.0),
            Pessimism("leaf", cf, max_depth=0),
        ]
    return [
        Pessimism("log cut 0.25", cf, log_cut=0.25),
        Pessimism("split 2", cf, split=2.0),
        Pessimism("log cut 1", cf, log_cut=1.0),
        Pessimism("leaf", cf, max_depth=0),
    ]


class Candidate(NamedTuple):
    """A setting tried, what it costs per case held out, and what it saves against the first."""

    name: str
    cost: float
    error: float
    saving: float
    saving_error: float


class Trial:
    """What several settings cost on held-out cases, fold by fold.

    Parameters
    ----------
    make_search
        Returns a new search, where trees are searched for.
    objectives
        The settings, the one to fall back on first.
    seed
        Deals the folds.
    jobs
        How many folds are tried at the same time. Every fold begins with a search of its own, so
        that it comes to the same in any number of threads.

    Attributes
    ----------
    seconds
        How long the last fold took.
    """

    def __init__(
        self,
        make_search: Callable[[], Search],
        objectives: list[Objective],
        seed: int,
        jobs: int = 1,
    ) -> None:
        self._make_search, self._objectives, self._jobs = make_search, objectives, jobs
        self._random = np.random.default_rng(seed)
        self._search = make_search()
        self._table, self._problem = self._search.table, self._search.problem
        self._values = values_of(self._table)
        n = len(objectives)
        self._sums, self._squares = np.zeros(n), np.zeros(n)
        self._differences, self._spread = np.zeros(n), np.zeros(n)
        self._weight = 0.0
        self.seconds = 0.0

    def rehearse(self) -> None:
        """Grow a tree as those of a trial are: ``seconds`` is about how long a fold takes then."""
        began = perf_counter()
        self._search.grow_quick_tree()
        self.seconds = (perf_counter() - began) * len(self._objectives)

    def repeat(self) -> Iterator[str]:
        """Deal the cases into folds and try all settings on each; yield after each fold."""
        weights = self._table.weights
        dealt = [out for out in self._folds(weights) if out.any() and (weights - out).any()]
        crew = ThreadPoolExecutor(self._jobs)
        try:
            trials = [crew.submit(self._try, weights - out) for out in dealt]
            for i, trial in enumerate(trials):
                costs = trial.result()
                if costs is None:
                    break
                self._count(costs, dealt[i])
                yield f"{i + 1} of {len(trials)}"
        finally:
            crew.shutdown(cancel_futures=True)

    def _folds(self, weights: Counts) -> list[Counts]:
        """Return how many cases of each kind every fold has, dealt at random.

        Of a kind of many cases most are spread evenly, which chance would do as well.
        """
        even = np.maximum(weights - MOST_DEALT // weights.size, 0) // FOLDS
        kinds = np.repeat(np.arange(weights.size), weights - FOLDS * even)
        folds = deal(self._table.classes[kinds], self._random)
        return [even + np.bincount(kinds[folds == i], minlength=even.size) for i in range(FOLDS)]

    def _try(self, grown: Counts) -> Floats | None:
        """Return what each kind of case costs under each setting; None if asked to stop."""
        began, search = perf_counter(), self._make_search()
        costs = np.zeros((len(self._objectives), grown.size))
        for i, objective in enumerate(self._objectives):
            search.begin(grown, objective)
            search.grow_quick_tree()
            if search.stopped:
                return None
            costs[i] = costs_of_kinds(self._problem, self._table, self._values, search.tree()[0])
        self.seconds = perf_counter() - began
        return costs

    def _count(self, costs: Floats, held_out: Counts) -> None:
        """Add what the cases held out have cost."""
        self._sums += costs @ held_out
        self._squares += costs**2 @ held_out
        self._differences += (costs[0] - costs) @ held_out
        self._spread += (costs[0] - costs) ** 2 @ held_out
        self._weight += held_out.sum()

    def found(self, names: list[str]) -> list[Candidate]:
        """Return what each setting costs and saves.

        Dealing the same cases again makes means steadier, not the cases more: standard errors
        are those of a single deal.
        """
        if not self._weight:
            return []
        n_cases = min(self._weight, float(self._table.weights.sum()))
        mean, saving = self._sums / self._weight, self._differences / self._weight
        error = spread(self._squares / self._weight, mean, n_cases)
        saving_error = spread(self._spread / self._weight, saving, n_cases)
        found = zip(names, mean, error, saving, saving_error, strict=True)
        return [Candidate(name, *map(float, numbers)) for name, *numbers in found]


def spread(squares: Floats, mean: Floats, n: float) -> Floats:
    """Return the standard errors of means of ``n`` cases, given the means of the squares."""
    return np.asarray(np.sqrt(np.maximum(squares - mean**2, 0.0) / max(n - 1.0, 1.0)))


def chosen(candidates: list[Candidate]) -> int:
    """Return the candidate to take: the one that saves most, if that is more than chance.

    >>> paper = Candidate("paper", 10.0, 1.0, 0.0, 0.0)
    >>> chosen([paper, Candidate("a", 9.0, 1.0, 1.0, 0.6), Candidate("b", 8.8, 1.0, 1.2, 1.3)])
    1
    """
    sure = [i for i, one in enumerate(candidates) if one.saving > one.saving_error]
    return max(sure, key=lambda i: candidates[i].saving, default=0)


def values_of(table: Table) -> Floats:
    """Return the merged cases as a finished tree reads them."""
    codes = table.cells >> table.shift
    values = np.empty(codes.shape[::-1])
    for a in range(len(codes)):
        known = codes[a] < table.domain[a]
        inside = np.where(known, codes[a], 0)
        x = (
            inside
            if table.nominal[a] or not known.any()
            else table.values[table.start[a] + inside]
        )
        values[:, a] = np.where(known, x, np.nan)
    return values


def costs_of_kinds(problem: Problem, table: Table, values: Floats, nodes: Nodes) -> Floats:
    """Return what each kind of case costs with a tree: its bill and that of a wrong answer."""
    n = nodes.test.size
    paid, opened = (np.empty(k, np.uint8) for k in problem.prices.member.shape)
    charges, bills, owner = np.empty(n), np.empty(n), np.empty(n, np.int64)
    node_charges(problem.prices, nodes, paid, opened, charges, bills, owner, np.empty(paid.size))
    labels, largest = problem.answers(nodes), np.empty(n, np.int32)
    largest_children(nodes, table.domain, table.nominal, largest)
    ends = np.empty(len(values), np.int32)
    find_nodes(values, nodes, table.domain, table.nominal, largest, ends)
    return np.asarray(bills[ends] + problem.errors[labels[ends], table.classes])
