"""Choosing how pessimistic a search is to be, by what trees cost on cases that they have not seen.

A search that looks harder finds trees that fit the training cases better, by chance too. What
keeps it honest is the pessimism of its estimate. No setting suits every problem, so a few very
different ones are tried inside the training cases: each with trees searched under its own
objective, on the same folds. The one that costs least there is taken; where time was too short to
hold out every case once, the first is left only for a saving beyond its standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import numpy as np
import numpy.typing as npt

from frugaltree.engines.cross_validation import Trial, case_bills_and_errors, folds_of_weighed
from frugaltree.engines.exact.objective import Pessimism
from frugaltree.engines.exact.search import CLOSE, Search
from frugaltree.engines.forecast import Forecast, Penalty, make_forecast
from frugaltree.engines.held_out import HeldOutSums
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.cost.bounds import LEAST_CONFIDENCE_OF_PARTS
from frugaltree.kernels.data.cells import Table
from frugaltree.kernels.exact.objective import Objective

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


def candidates(cf: float, *, numeric: bool) -> list[Pessimism]:
    """Return the settings to choose from, the one to fall back on first.

    That is the paper's, with confidence ``cf``, and a small charge for choosing among many cuts,
    which are so many chances to be lucky. Nominal tests have none. The last asks nothing.
    """
    if not numeric:
        charged = [
            Pessimism("paper", cf),
            Pessimism("split 1", cf, split=1.0),
            Pessimism("split 2", cf, split=2.0),
            Pessimism("split 4", cf, split=4.0),
        ]
    else:
        charged = [
            Pessimism("log cut 0.25", cf, log_cut=0.25),
            Pessimism("log cut 1", cf, log_cut=1.0),
            Pessimism("split 2", cf, split=2.0),
            Pessimism("split 2, log cut 1", cf, split=2.0, log_cut=1.0),
        ]
    return [*charged, Pessimism("leaf", cf, max_depth=0)]


def check_confidences(settings: Sequence[Pessimism]) -> None:
    """Refuse confidences at which the bounds do not hold for fractions of cases.

    >>> check_confidences([Pessimism("cf 0.01", 0.01)])
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: pessimism is 0.01, but with fractions of cases bounds
    hold from 0.04 on; give whole weights, a larger number, or expected_error="exact".
    """
    for setting in settings:
        if setting.cf is not None and setting.cf < LEAST_CONFIDENCE_OF_PARTS:
            raise FrugaltreeError(
                f"pessimism is {setting.cf:g}, but with fractions of cases bounds hold from "
                f"{LEAST_CONFIDENCE_OF_PARTS:g} on; give whole weights, a larger number, or "
                'expected_error="exact".'
            )


class CrossValidation:
    """Tries several settings on cases held out, fold by fold.

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
    cases
        How many cases there are.
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
        self._case_weight = self._problem.case_weight
        self.cases = float(self._table.weights.sum()) / self._case_weight
        self._sums = HeldOutSums(len(objectives), self.cases)
        self.seconds = 0.0

    def rehearse(self) -> None:
        """Grow a tree as those of a fold are: ``seconds`` is about how long a fold takes then."""
        began = perf_counter()
        self._search.grow_quick_tree()
        self.seconds = (perf_counter() - began) * len(self._objectives)

    def repeat(self) -> Iterator[str]:
        """Deal the cases into folds and try all settings on each; yield after each fold."""
        weights = self._table.weights
        dealt = folds_of_weighed(self._table.classes, weights, self._case_weight, self._random)
        folds = [out for out in dealt if out.any() and (weights - out).any()]
        threads = ThreadPoolExecutor(self._jobs)
        try:
            found = [threads.submit(self._try_fold, weights - out) for out in folds]
            for i, held_out in enumerate(folds):
                tried = found[i].result()
                if tried is None:
                    break
                bills, errors = tried
                self._sums.add(bills + errors, bills, held_out / self._case_weight)
                yield f"{i + 1} of {len(folds)}"
        finally:
            threads.shutdown(cancel_futures=True)

    def _try_fold(self, grown: Counts) -> Floats | None:
        """Return bills, and costs of errors, of each kind of case under each setting.

        None if asked to stop.
        """
        began, search = perf_counter(), self._make_search()
        found = np.zeros((2, len(self._objectives), grown.size))
        for i, objective in enumerate(self._objectives):
            search.begin(grown, objective)
            search.grow_quick_tree()
            if search.stopped:
                return None
            nodes, _ = search.tree()
            found[:, i] = case_bills_and_errors(
                self._problem, nodes, self._values, self._table.classes
            )
        self.seconds = perf_counter() - began
        return found

    @property
    def all_held_out(self) -> bool:
        """Whether every case was held out at least once."""
        return self._sums.weight >= self.cases * (1.0 - CLOSE)

    def trials(self, names: list[str]) -> list[Trial]:
        """Return what each setting has cost and saved so far."""
        return self._sums.trials(names, [{"pessimism": name} for name in names])

    def forecast(self) -> Forecast | None:
        """Return what new cases will cost, None if no fold was tried to its end."""
        moments = self._sums.moments()
        if moments is None:
            return None
        seen = np.bincount(self._table.classes, self._table.weights, self._table.n_classes)
        return make_forecast(moments, Penalty.of(self._problem.errors, seen / seen.sum()))


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
