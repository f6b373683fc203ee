"""The tests behind the tables: functions over arrays of costs, of which the lower is the better.

The paper asks, problem by problem, for a paired t-test over folds and, over all problems, for
Wilcoxon's test. Both are kind to differences: folds share training cases, and price lists share
tables. Hence the stricter ones beside them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from frugaltree.compare.statistics import (
    ALPHA,
    NOISE,
    Verdict,
    differences,
    mean_and_error,
    paired_t,
)

Array = npt.NDArray[np.float64]

NORMAL_QUANTILE = 1.96
"""Half the width of a 95 % interval, in standard errors."""

ROPE = 1.0
"""Difference, in points of the standard cost, below which two learners are as good as equal."""

POSTERIOR_DRAWS = 20_000


class Wins(NamedTuple):
    """How many problems each of two learners wins."""

    first: int
    second: int


class Belief(NamedTuple):
    """Probabilities that one is lower by more than the rope, neither is, the other is."""

    first: float
    rope: float
    second: float


class Ranks(NamedTuple):
    """Average ranks of learners over tables, 1 for the lowest cost.

    Attributes
    ----------
    average
        One rank for each learner.
    critical_difference
        Ranks further apart than this differ significantly (Nemenyi).
    p
        Friedman's p: the chance of ranks as different as these among equals.
    """

    average: Array
    critical_difference: float
    p: float


def interval(values: npt.ArrayLike) -> tuple[float, float]:
    """Return a mean and its 95 % interval, 1.96 sd / sqrt(n) to either side.

    The interval of a single value is not known (NaN).

    >>> interval([0.0, 2.0])  # sd is the root of 2
    (1.0, 1.96)
    """
    mean, error = mean_and_error(values)
    return mean, NORMAL_QUANTILE * error


def wins(first: Array, second: Array, *, corrected: bool = False) -> Wins:
    """Count the problems on which each of two learners is significantly cheaper.

    Parameters
    ----------
    first, second
        Costs, a row for each problem, a column for each fold.
    corrected
        As in `paired_t`.

    >>> wins(np.array([[5, 5, 5], [1, 2, 3]]), np.array([[7, 7, 7], [3, 2, 1]]))
    Wins(first=1, second=0)
    """
    verdicts = [
        paired_t(a, b, corrected=corrected).winner() for a, b in zip(first, second, strict=True)
    ]
    return Wins(verdicts.count(-1), verdicts.count(1))


def wilcoxon(first: npt.ArrayLike, second: npt.ArrayLike) -> Verdict:
    """Return what Wilcoxon's signed-rank test says about two learners over many problems.

    Pairs without a difference are dropped, as Wilcoxon did (``zero_method="wilcox"``).

    References
    ----------
    J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006.

    Examples
    --------
    Five differences of one sign: 2 of the 32 ways to sign them are as one-sided.

    >>> wilcoxon([1, 1, 1, 1, 1], [2, 3, 4, 5, 6])
    Verdict(p=0.0625, lean=-1)
    """
    gaps = differences(first, second)
    gaps = gaps[gaps != 0]
    if not len(gaps):
        return Verdict(1.0, 0)
    lean = int(np.sign(np.sum(np.sign(gaps) * stats.rankdata(np.abs(gaps)))))
    return Verdict(float(stats.wilcoxon(gaps, zero_method="wilcox").pvalue), lean)


def holm(p: npt.ArrayLike) -> Array:
    """Return p values raised for being several, by Holm's steps.

    The smallest of n is multiplied by n, the next by n - 1, and none falls below the one before.

    References
    ----------
    S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6, 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    given = np.asarray(p, dtype=float)
    order = np.argsort(given, kind="stable")
    raised = np.empty_like(given)
    raised[order] = np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1))
    return raised.clip(max=1.0)


def signed_rank_belief(
    first: npt.ArrayLike, second: npt.ArrayLike, *, rope: float = ROPE
) -> Belief:
    """Return how probable it is that one learner is cheaper than the other on a further table.

    The Bayesian signed-rank test with a region of practical equivalence, by sampling from a
    fixed seed.

    References
    ----------
    A. Benavoli et al., Time for a change: a tutorial for comparing multiple classifiers through
    Bayesian analysis, JMLR 18, 2017; computed by the authors' package baycomp.

    Examples
    --------
    Ten points on each of ten tables leave no doubt, half a point on each none either.

    >>> signed_rank_belief([20.0] * 10, [30.0] * 10)
    Belief(first=1.0, rope=0.0, second=0.0)
    >>> signed_rank_belief([30.5] * 10, [30.0] * 10)
    Belief(first=0.0, rope=1.0, second=0.0)
    """
    from baycomp import SignedRankTest

    # Left is the side on which the first has the larger values.
    larger, same, smaller = SignedRankTest.probs(
        np.asarray(first, dtype=float),
        np.asarray(second, dtype=float),
        rope,
        nsamples=POSTERIOR_DRAWS,
        random_state=0,
    )
    return Belief(float(smaller), float(same), float(larger))


def ranks(costs: npt.ArrayLike) -> Ranks:
    """Rank learners on each table and return what Friedman's and Nemenyi's tests say.

    Parameters
    ----------
    costs
        A row for each table, a column for each of at least three learners.

    References
    ----------
    J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006,
    whose Table 5 has the quantile 2.343 for three learners.

    Examples
    --------
    Always in the same order: 2.343 times the root of 3 * 4 / (6 * 4).

    >>> found = ranks([[10, 20, 30]] * 4)
    >>> found.average
    array([1., 2., 3.])
    >>> round(found.critical_difference, 2), round(found.p, 3)
    (1.66, 0.018)
    """
    values = np.asarray(costs, dtype=float)
    rounded = np.round(values / NOISE) * NOISE
    n, k = values.shape
    quantile = stats.studentized_range.isf(ALPHA, k, np.inf) / np.sqrt(2)
    tied = not np.ptp(rounded, axis=1).any()
    p = 1.0 if tied else stats.friedmanchisquare(*rounded.T).pvalue
    return Ranks(
        stats.rankdata(rounded, axis=1).mean(axis=0),
        float(quantile * np.sqrt(k * (k + 1) / (6 * n))),
        float(p),
    )
