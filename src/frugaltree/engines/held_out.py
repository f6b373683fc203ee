"""What several settings cost on cases held out, added up fold by fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.engines.cross_validation import Trial, make_trials
from frugaltree.engines.forecast import Moments, standard_error

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


class FoldSums(NamedTuple):
    """Sums over the cases of a fold, a number for each setting.

    Attributes
    ----------
    weight
        How many cases there were.
    cost, squared_cost, bill
        What they cost, its squares, and how much of it is for tests.
    judged, squared_judged
        What a setting is judged by, and its squares.
    saving, squared_saving
        What they cost less than with the first setting.
    gain, squared_gain
        What they cost less than with the last one, which asks nothing.
    """

    weight: Floats
    cost: Floats
    squared_cost: Floats
    bill: Floats
    judged: Floats
    squared_judged: Floats
    saving: Floats
    squared_saving: Floats
    gain: Floats
    squared_gain: Floats


class HeldOutSums:
    """Adds up, fold by fold, what several settings cost on cases held out.

    For a search that may be stopped after any fold, and deals the cases more than once.

    Parameters
    ----------
    n_settings
        How many settings are tried, the one to fall back on first, the one without tests last.
    n_cases
        How many cases there are. Dealing the same cases again makes means steadier, not the
        cases more: standard errors are those of a single deal.
    charged
        Whether settings are judged by the whole cost, not by that of errors alone.

    Attributes
    ----------
    weight
        How many cases were held out so far.

    Examples
    --------
    >>> sums = HeldOutSums(2, n_cases=2)
    >>> costs = np.array([[4.0, 6.0], [3.0, 3.0]])
    >>> sums.add(costs, np.zeros_like(costs), np.array([1, 1]))
    >>> _, leaf = sums.trials(["paper", "leaf"], [{}, {}])
    >>> leaf.cost, leaf.error, leaf.saving, leaf.saving_error
    (3.0, 0.0, 2.0, 1.0)
    """

    def __init__(self, n_settings: int, n_cases: float, *, charged: bool = True) -> None:
        self._n_settings, self._n_cases, self._charged = n_settings, n_cases, charged
        self._folds: list[FoldSums] = []

    def add(self, costs: Floats, bills: Floats, held_out: Counts | Floats) -> None:
        """Add a fold: costs and bills of each kind of case by setting, and how many there are."""
        judged = costs if self._charged else costs - bills
        self._folds.append(
            FoldSums(
                weight=np.full(self._n_settings, float(held_out.sum())),
                cost=costs @ held_out,
                squared_cost=costs**2 @ held_out,
                bill=bills @ held_out,
                judged=judged @ held_out,
                squared_judged=judged**2 @ held_out,
                saving=(judged[0] - judged) @ held_out,
                squared_saving=(judged[0] - judged) ** 2 @ held_out,
                gain=(costs[-1] - costs) @ held_out,
                squared_gain=(costs[-1] - costs) ** 2 @ held_out,
            )
        )

    @property
    def weight(self) -> float:
        """How many cases were held out so far."""
        return float(sum(fold.weight[0] for fold in self._folds))

    def trials(self, names: Sequence[str], settings: Sequence[Mapping[str, Any]]) -> list[Trial]:
        """Return what each setting costs and saves, none if no fold was tried to its end."""
        if not self.weight:
            return []
        n, total = min(self.weight, self._n_cases), FoldSums(*np.sum(self._folds, axis=0))
        cost, saving = total.judged / total.weight, total.saving / total.weight
        error = standard_error(total.squared_judged / total.weight, cost, n)
        saving_error = standard_error(total.squared_saving / total.weight, saving, n)
        numbers = np.array([cost, error, saving, saving_error])
        return make_trials(names, settings, numbers)

    def moments(self) -> Moments | None:
        """Return what cases cost, each fold under the setting that the others would choose.

        None if no fold was tried to its end.

        >>> sums = HeldOutSums(2, n_cases=4)
        >>> for costs in ([[1.0], [2.0]], [[9.0], [4.0]], [[9.0], [5.0]], [[9.0], [6.0]]):
        ...     sums.add(np.array(costs), np.zeros((2, 1)), np.array([1]))
        >>> sums.moments().cost == (2 + 4 + 5 + 6) / 4
        True
        """
        if not self.weight:
            return None
        folds = np.array(self._folds)
        place = FoldSums._fields.index("judged")
        total = folds[:, place].sum(axis=0)
        others = total - folds[:, place] if len(folds) > 1 else total[None, :]
        picks = others.argmin(axis=1)
        own = FoldSums(*folds[np.arange(len(folds)), :, picks].sum(axis=0))
        return Moments(
            cases=min(self.weight, self._n_cases),
            cost=float(own.cost / own.weight),
            squared_cost=float(own.squared_cost / own.weight),
            bill=float(own.bill / own.weight),
            saving=float(own.gain / own.weight),
            squared_saving=float(own.squared_gain / own.weight),
        )
