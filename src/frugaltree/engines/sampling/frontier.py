"""A node yet to be decided, and what its tests were found to cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.sampling.evaluate import Evaluation, is_better_test
from frugaltree.kernels.sentinels import NONE


@dataclass(frozen=True)
class OpenNode:
    """A node yet to be decided: its cases, and the path that leads there.

    Attributes
    ----------
    rows
        The cases; from ``n_growing`` on they are held out to estimate errors.
    depth, key
        Number of tests above; what random draws are derived from.
    above, asked_above
        The tests above that are paid for; all of them, where there are rules on them.
    left, ordered, allowed
        What a case may still be charged; whether a delayed test stands above; what its lab order
        may hold, under a budget.
    """

    rows: npt.NDArray[np.int32]
    n_growing: int
    depth: int
    key: np.uint64
    above: npt.NDArray[np.int64]
    asked_above: npt.NDArray[np.int64]
    left: float
    ordered: bool
    allowed: npt.NDArray[np.uint8]


@dataclass(frozen=True)
class CostedTests:
    """The estimated cost, over all cases, of each test of a node, with its worth and cut."""

    total: npt.NDArray[np.float64]
    worth: npt.NDArray[np.float64]
    below: npt.NDArray[np.int64]
    above: npt.NDArray[np.int64]
    samples: int

    @classmethod
    def noted(cls, evaluation: Evaluation) -> CostedTests:
        """Return what a kernel noted."""
        tests = evaluation.tests
        return cls(
            total=np.array(tests.total),
            worth=np.array(tests.worth),
            below=np.array(tests.below),
            above=np.array(tests.above),
            samples=int(evaluation.n_samples[0]),
        )

    @classmethod
    def merged(cls, found: Sequence[CostedTests]) -> CostedTests:
        """Return the tests of several ranges together."""
        pick = np.argmin([one.total for one in found], axis=0)
        tests = np.arange(pick.size)
        names = ("total", "worth", "below", "above")
        merged = {n: np.array([getattr(one, n) for one in found])[pick, tests] for n in names}
        return cls(**merged, samples=sum(one.samples for one in found))

    @property
    def best(self) -> int:
        """The test of least cost; of equal ones that of more worth, then the first."""
        best = NONE
        for a in np.flatnonzero(np.isfinite(self.total)).tolist():
            if best == NONE or is_better_test(
                self.total[a], self.worth[a], self.total[best], self.worth[best]
            ):
                best = a
        return best
