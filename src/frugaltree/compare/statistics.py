"""The paired tests behind a comparison: functions over arrays of costs, the lower the better."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

Array = npt.NDArray[np.float64]

ALPHA = 0.05
"""Level of significance of every test."""

NOISE = 1e-9
"""Differences below this, in points, are rounding and count as none."""


class Verdict(NamedTuple):
    """What a paired test says: its two-sided p, and the side it leans to.

    Attributes
    ----------
    p
        Chance of a difference as large as this one between equals.
    lean
        -1 where the first is lower, 1 where the second is, 0 where neither.
    """

    p: float
    lean: int

    def winner(self, alpha: float = ALPHA) -> int:
        """Return the side that is significantly lower, -1 or 1, or 0 for none.

        >>> Verdict(0.03, -1).winner(), Verdict(0.06, -1).winner()
        (-1, 0)
        """
        return self.lean if self.p < alpha else 0


def mean_and_error(values: npt.ArrayLike) -> tuple[float, float]:
    """Return a mean and its standard error, sd / sqrt(n); NaN for that of a single value.

    >>> mean_and_error([0.0, 2.0])
    (1.0, 1.0)
    """
    x = np.asarray(values, dtype=float).ravel()
    if len(x) < 2:
        return float(x.mean()), float("nan")
    return float(x.mean()), float(stats.sem(x))


def differences(first: npt.ArrayLike, second: npt.ArrayLike) -> Array:
    """Return first minus second, mere rounding taken for zero.

    >>> differences([0.3, 1.0], [0.1 + 0.2, 3.0])
    array([ 0., -2.])
    """
    gaps: Array = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    gaps[np.abs(gaps) < NOISE] = 0.0
    return gaps


def paired_t(first: npt.ArrayLike, second: npt.ArrayLike, *, corrected: bool = False) -> Verdict:
    """Return what a paired t-test says about the costs of two learners on the same folds.

    Parameters
    ----------
    first, second
        One cost for each fold.
    corrected
        Raise the variance of the mean from 1/k to 1/k + 1/(k-1), the second being test cases by
        training cases: folds share training cases, so their costs are not independent [1]_.

    Notes
    -----
    No difference in any fold is no win; the same difference in all of them is a certain one.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52,
       2003.

    Examples
    --------
    Mean 2 and sd 1 over three folds: t is 2 times the root of 3, or 3.46, and corrected 2.19.

    >>> verdict = paired_t([1, 2, 3], [0, 0, 0])
    >>> round(verdict.p, 3), verdict.lean
    (0.074, 1)
    >>> round(paired_t([1, 2, 3], [0, 0, 0], corrected=True).p, 3)
    0.16
    >>> paired_t([5, 5, 5], [7, 7, 7])
    Verdict(p=0.0, lean=-1)
    """
    gaps = differences(first, second)
    k, mean, sd = len(gaps), float(gaps.mean()), float(np.ptp(gaps) and gaps.std(ddof=1))
    lean = int(np.sign(mean))
    if sd == 0:
        return Verdict(0.0 if lean else 1.0, lean)
    variance = 1 / k + (1 / (k - 1) if corrected else 0)
    t = mean / (sd * np.sqrt(variance))
    return Verdict(float(2 * stats.t.sf(abs(t), k - 1)), lean)
