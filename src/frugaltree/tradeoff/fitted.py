"""Trees of any learner at several prices of an error: one fit for each."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from frugaltree import table as tables
from frugaltree.anytime.progress import Progress
from frugaltree.costs import Costs
from frugaltree.costs.scaled import with_errors_times
from frugaltree.estimators.anytime import AnytimeTree
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.estimators.reading import take_rows
from frugaltree.exceptions import InvalidTable
from frugaltree.tradeoff.held_out import Fold, Told
from frugaltree.tradeoff.hull import Bounds, Line

MOST_FITS = 24
"""How many fits at other prices there are at most."""

AFTERWARDS, FOLDS_SHARE = 2.5, 1.1
"""As those of :mod:`frugaltree.tradeoff.searched`, where a learner has a limit of time."""

NEXT_TO_NOTHING = 1e-9
"""The factor that stands for errors that are free."""

INTERRUPTED = "interrupted"


class FittedTrees:
    """Trees of a learner, each from a fit at a price of its own.

    Parameters
    ----------
    estimator
        The learner, not fitted.
    X, y
        The cases.
    with_folds
        Whether time is to be left for folds.

    Attributes
    ----------
    lines, proven
        As :class:`frugaltree.tradeoff.walk.Source` has them.
    interrupted
        Whether Ctrl-C has ended a fit.
    """

    knows_bounds = False

    def __init__(self, estimator: CostSensitiveTree, X: Any, y: Any, *, with_folds: bool) -> None:
        if tables.stream_of(X) is not None:
            raise InvalidTable(
                f"the table is a {type(X).__name__}, which {type(estimator).__name__} cannot deal "
                "into folds; collect it first, or take FrugalTreeClassifier."
            )
        self._learner, self._X, self._y = clone(estimator), tables.as_array(X), y
        self.costs = estimator.costs or Costs()
        self.lines: list[Line] = []
        self.proven, self.interrupted = Bounds(), False
        self._found: list[tuple[CostSensitiveTree, float]] = []
        self._fits, self._seconds = 0, self._limit()
        self._with_folds = with_folds
        self.fitted = self._fit(X, y, 1.0, self._seconds)
        self._hold_settings()
        self._take(self.fitted, 1.0)
        if not self.interrupted:
            self.look(NEXT_TO_NOTHING, 1.0)

    def _limit(self) -> float | None:
        """Return how many seconds a fit may take, None where it is not limited."""
        if not isinstance(self._learner, AnytimeTree):
            return None
        limited = getattr(self._learner, "time_limit", None) is not None
        return self._learner._limit() if limited else None

    def _hold_settings(self) -> None:
        """Go on with the settings that the first fit has chosen; estimates depend on them."""
        for name in ("w", "cf"):
            given = self._learner.get_params(deep=False).get(name)
            if given == "auto" and name == "w":  # how samples heed prices is no estimate
                continue
            if given is not None and not isinstance(given, int | float):
                self._learner.set_params(**{name: getattr(self.fitted, f"{name}_")})

    def _fit(self, X: Any, y: Any, factor: float, seconds: float | None) -> CostSensitiveTree:
        """Return a learner fitted at a factor."""
        learner: CostSensitiveTree = clone(self._learner)
        learner.set_params(costs=with_errors_times(self.costs, factor))
        if seconds is not None:
            learner.set_params(time_limit=seconds)
        learner.fit(X, y)
        self.interrupted = learner.termination_ == INTERRUPTED
        return learner

    def _take(self, learner: CostSensitiveTree, factor: float) -> None:
        self.lines.append(line_of(learner, factor))
        self._found.append((learner, factor))

    @property
    def classes(self) -> list[Any]:
        """The classes, in the order of the codes of ``truth``."""
        found: list[Any] = self.fitted.classes_.tolist()
        return found

    @property
    def truth(self) -> npt.NDArray[np.int64]:
        """The class of each case."""
        place = {label: i for i, label in enumerate(self.classes)}
        return np.array([place[label] for label in np.asarray(self._y).tolist()], np.int64)

    def look(self, factor: float, part: float) -> bool:
        """Fit at a factor; tell whether there may be another fit."""
        if self.interrupted or self._fits >= MOST_FITS:
            return False
        self._fits += 1
        times = AFTERWARDS if self._with_folds else AFTERWARDS + FOLDS_SHARE
        seconds = None if self._seconds is None else self._seconds * times / MOST_FITS
        self._take(self._fit(self._X, self._y, factor, seconds), factor)
        return not self.interrupted and self._fits < MOST_FITS

    def learner(self, line: int, factor: float) -> CostSensitiveTree:
        """Return a fitted learner with a tree, at the costs of a factor."""
        found, own = self._found[line]
        learner = copy(found)
        learner.costs = with_errors_times(self.costs, factor)
        learner.expected_error_cost_ = found.expected_error_cost_ * (factor / own)
        learner.expected_cost_ = learner.expected_test_cost_ + learner.expected_error_cost_
        if hasattr(learner, "history_"):
            learner.history_ = [Progress(0.0, learner.expected_cost_, what="frontier")]
        return learner

    def tell(self, fold: Fold, factors: Sequence[float], part: float) -> Told | None:
        """Return what trees of a fold say of the cases left out; None if that was interrupted."""
        X, y = take_rows(self._X, fold.train), np.asarray(self._y)[fold.train]
        seconds = None
        if self._seconds is not None:
            seconds = self._seconds * FOLDS_SHARE * fold.test.size / len(self._y) / len(factors)
        found = []
        for factor in factors:
            found.append((self._fit(X, y, factor, seconds), factor))
            if self.interrupted:
                return None
        lines, test = [line_of(*one) for one in found], take_rows(self._X, fold.test)
        asked = []
        for factor in factors:
            best = min(range(len(lines)), key=lambda i: lines[i].at(factor))
            learner = found[best][0]
            codes = np.searchsorted(self.fitted.classes_, learner.predict(test))
            asked.append((codes, learner.bill(test)))
        return Told.of(asked)


def line_of(learner: CostSensitiveTree, factor: float) -> Line:
    """Return what the tree of a learner fitted at a factor costs at any."""
    return Line(learner.expected_test_cost_, learner.expected_error_cost_ / factor)
