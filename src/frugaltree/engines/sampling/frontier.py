"""A node yet to be decided, and what its tests were found to cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.sampling.evaluate import Ahead, wins
from frugaltree.kernels.sentinels import NONE


@dataclass(frozen=True)
class Place:
    """A node yet to be decided: its cases, and the path that leads there.

    Attributes
    ----------
    rows
        The cases; from ``n_growing`` on they are set aside to estimate errors.
    depth, key
        Number of tests above; what random draws are derived from.
    above
        The tests above.
    left, ordered, allowed
        What a case may still be charged; whether a delayed test stands above; what its order
        may hold, under a budget.
    """

    rows: npt.NDArray[np.int32]
    n_growing: int
    depth: int
    key: np.uint64
    above: npt.NDArray[np.int64]
    left: float
    ordered: bool
    allowed: npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Weighed:
    """The estimated cost, over all cases, of each test of a node, with its worth and cut."""

    total: npt.NDArray[np.float64]
    worth: npt.NDArray[np.float64]
    below: npt.NDArray[np.int64]
    above: npt.NDArray[np.int64]
    samples: int

    @classmethod
    def noted(cls, ahead: Ahead) -> Weighed:
        """Return what a kernel noted."""
        return cls(ahead.total, ahead.worth, ahead.below, ahead.above, int(ahead.samples[0]))

    @classmethod
    def merged(cls, found: Sequence[Weighed]) -> Weighed:
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
            if best == NONE or wins(
                self.total[a], self.worth[a], self.total[best], self.worth[best]
            ):
                best = a
        return best
