"""Choosing how pessimistic a search is to be, by what trees cost on cases that they have not seen.

A search that looks harder finds trees that fit the training cases better, by chance too. What
keeps it honest is the pessimism of its estimate. No setting suits every problem, so a few very
different ones are tried inside the training cases: each with trees searched under its own
objective, on the same folds. The one that costs least there is taken; where time was too short to
hold out every case once, the first is left only for a saving beyond its standard error.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from time import perf_counter

import numpy as np
import numpy.typing as npt

from frugaltree.engines.cluster import Cluster, Job, Shared
from frugaltree.engines.cross_validation import Trial, folds_of_weighed
from frugaltree.engines.exact.objective import Pessimism
from frugaltree.engines.exact.search import CLOSE
from frugaltree.engines.exact.trials import FoldTrials, TriedFold
from frugaltree.engines.forecast import Forecast, make_forecast, penalty_of
from frugaltree.engines.held_out import HeldOutSums

Counts = npt.NDArray[np.int64]

WORTH_SENDING = 0.2
"""Seconds that a fold must take for a cluster to be asked."""


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


def settings_named(name: float | str, cf: float, *, numeric: bool) -> list[Pessimism]:
    """Return the settings that a pessimism stands for; ``cf`` is the paper's confidence.

    >>> [one.name for one in settings_named("paper", 0.25, numeric=True)]
    ['paper']
    """
    if name == "none":
        return [Pessimism("none", None)]
    if name == "auto":
        return candidates(cf, numeric=numeric)
    if name == "paper":
        return [Pessimism("paper", cf)]
    return [Pessimism(f"cf {name:g}", float(name))]


class CrossValidation:
    """Tries several settings on cases held out, fold by fold.

    Parameters
    ----------
    fold_trials
        Grows the trees of a fold, and tries them.
    seed
        Deals the folds.
    jobs
        How many folds are tried at the same time, here.
    cluster
        Where folds are tried that take long enough, None for here.

    Attributes
    ----------
    cases
        How many there are.
    seconds
        How long the last fold has taken.
    """

    def __init__(
        self, fold_trials: FoldTrials, seed: int, jobs: int, cluster: Cluster | None = None
    ) -> None:
        self._fold_trials, self._jobs, self._cluster = fold_trials, jobs, cluster
        self._random = np.random.default_rng(seed)
        self._problem, self._table = fold_trials.problem, fold_trials.table
        self._shared: Shared | None = None
        self._case_weight = self._problem.case_weight
        self.cases = float(self._table.weights.sum()) / self._case_weight
        objectives = fold_trials.objectives
        charged = all(one.budget == np.inf for one in objectives)
        self._sums = HeldOutSums(len(objectives), self.cases, charged=charged)
        self.seconds = 0.0

    def rehearse(self) -> None:
        """Grow a tree as those of a fold are: ``seconds`` is about how long a fold takes then."""
        began = perf_counter()
        self._fold_trials.make_search().grow_quick_tree()
        self.seconds = (perf_counter() - began) * len(self._fold_trials.objectives)

    def repeat(self) -> Iterator[str]:
        """Deal the cases into folds and try all settings on each; yield after each fold."""
        weights, classes = self._table.weights, self._problem.classes_of(self._table.classes)
        dealt = folds_of_weighed(classes, weights, self._case_weight, self._random)
        folds = [out for out in dealt if out.any() and (weights - out).any()]
        with closing(self._try_all([weights - out for out in folds])) as found:
            for i, tried in enumerate(found):
                if tried is None:
                    break
                self.seconds = tried.seconds
                self._sums.add(tried.costs, tried.bills, folds[i] / self._case_weight)
                yield f"{i + 1} of {len(folds)}"

    def _try_all(self, grown: list[Counts]) -> Generator[TriedFold | None, None, None]:
        """Try folds side by side, in threads or in workers; yield what each comes to, in order."""
        stop = self._fold_trials.stop
        if self._cluster is not None and self._shared is None and self.seconds >= WORTH_SENDING:
            self._shared = self._cluster.share(self._fold_trials, stop)
        if self._cluster is not None and self._shared is not None:
            jobs = [Job("try_fold", (weights,), lane) for lane, weights in enumerate(grown)]
            yield from self._cluster.run(self._shared, jobs, stop)
            return
        threads = ThreadPoolExecutor(self._jobs)
        try:
            for one in [threads.submit(self._try_fold, weights) for weights in grown]:
                yield one.result()
        finally:
            threads.shutdown(cancel_futures=True)

    def _try_fold(self, grown: Counts) -> TriedFold | None:
        """Try the settings on a fold here; None if asked to stop."""
        return self._fold_trials.try_fold(grown)

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
        return make_forecast(moments, penalty_of(self._problem, seen / seen.sum()))
