"""Reading what ``fit`` is given: a table, its classes, and how many cases each row stands for."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from reprlib import repr as shortened
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from frugaltree import table as tables
from frugaltree.exceptions import InvalidTable
from frugaltree.table.labels import as_labels

Floats = npt.NDArray[np.float64]

MOST_CASES = 2.0**53
"""Up to here every count of cases is exact, and its entropy finite."""


def read_classes(y: Any, n_cases: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """Return the sorted classes and each case's position among them."""
    y = as_labels(y)
    if len(y) != n_cases:
        raise InvalidTable(
            f"the table has {n_cases} cases but there are {len(y)} classes; give one class per "
            "case."
        )
    if y.dtype.kind not in "biuU":  # whole numbers, text and booleans are classes for sure
        check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes


def read_weights(sample_weight: Any, n_cases: int, *, whole_only: str | None) -> Floats:
    """Return how many cases each row stands for.

    Parameters
    ----------
    sample_weight
        As given to ``fit``; None counts every row once.
    n_cases
        How many rows there are.
    whole_only
        The name of a learner that cannot count parts of a case, None for one that can.
    """
    if sample_weight is None:
        return np.ones(n_cases)
    given = _as_weights(sample_weight)
    weights = np.array(
        _check_sample_weight(given, np.empty((n_cases, 0)), ensure_non_negative=True),
        np.float64,
    )
    with np.errstate(over="ignore"):
        total = weights.sum()
    if total > MOST_CASES:
        raise InvalidTable(
            f"sample_weight adds up to {total:g} cases, but at most {MOST_CASES:g} can be "
            "counted exactly; divide the weights by a common number."
        )
    odd = weights[weights != np.floor(weights)]
    if odd.size and whole_only is not None:
        raise InvalidTable(
            f"sample_weight has {odd[0]:g}, but {whole_only} counts whole cases; "
            "round the weights or use a learner of the C4.5 family."
        )
    return weights


def _as_weights(sample_weight: Any) -> Any:
    """Return weights as numbers, one at least not 0; a single number stands for all cases."""
    weights = np.asarray(tables.as_array(sample_weight))
    if weights.dtype.kind not in "biuf":
        numbers = [_as_weight(weight) for weight in weights.ravel().tolist()]
        weights = np.array(numbers).reshape(weights.shape)
    if weights.size and not weights.any():
        raise InvalidTable(
            "sample_weight is 0 for every case; give at least one case a non-zero weight."
        )
    return weights if weights.ndim else weights.item()


def _as_weight(weight: Any) -> float:
    if tables.is_missing(weight):
        return np.nan
    if not isinstance(weight, Real | Decimal):
        raise InvalidTable(
            f"sample_weight holds {shortened(weight)}, which is not a number; say for each case "
            "how many it stands for."
        )
    try:
        return float(weight)
    except OverflowError:  # an int beyond float's range
        return np.inf


def take_rows(X: Any, rows: npt.NDArray[np.intp]) -> Any:
    """Return some rows of an array or data frame."""
    if not tables.is_frame(X):
        return X[rows]
    import narwhals.stable.v2 as nw

    return nw.from_native(X, eager_only=True)[rows, :].to_native()
