"""What answers to cases cost: by the price list or, if they have them, by costs of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length

from frugaltree.costs import Costs
from frugaltree.costs.of_cases import costs_of_cases, with_mean_errors
from frugaltree.exceptions import InvalidTable
from frugaltree.table.labels import as_labels

Floats = npt.NDArray[np.float64]

LEAST_WEIGHT = 1e-300
"""Keeps the mean of no cases at 0."""


def answer_costs(
    y_true: Any, y_pred: Any, costs: Costs, error_costs: Any = None, classes: Any = None
) -> Floats:
    """Return what the answer to each case costs, a class or a decision.

    ``classes`` may occur beside those that do.

    >>> from frugaltree import Costs
    >>> costs = Costs(errors=100, decisions={"refer": 60})
    >>> answer_costs(["ill", "well", "ill"], ["well", "well", "refer"], costs).tolist()
    [100.0, 0.0, 60.0]
    """
    if costs.decisions is not None and error_costs is None:
        return _costs_of_decisions(y_true, y_pred, costs, classes)
    y_true, y_pred = labels_of(y_true, "y_true"), labels_of(y_pred, "y_pred")
    check_consistent_length(y_true, y_pred)
    others = [] if classes is None else [labels_of(classes, "classes")]
    occurring = np.unique(np.concatenate([y_true, y_pred, *others]))
    said, actual = (np.searchsorted(occurring, labels) for labels in (y_pred, y_true))
    if error_costs is not None:
        own = costs_of_cases(error_costs, costs, occurring.tolist(), actual)
        return np.asarray(own[np.arange(len(said)), said])
    matrix = costs.matrix(occurring.tolist())
    return np.asarray(matrix[said, actual])


def _costs_of_decisions(y_true: Any, y_pred: Any, costs: Costs, classes: Any) -> Floats:
    """Return what each answer costs, where some may be no classes and of another type."""
    y_true = labels_of(y_true, "y_true")
    said = np.asarray(y_pred).tolist()
    check_consistent_length(y_true, said)
    decided = set(costs.decisions or ())
    named = [answer for answer in dict.fromkeys(said) if answer not in decided]
    others = [] if costs.decides_only else [labels_of(named, "y_pred")] if named else []
    others += [] if classes is None else [labels_of(classes, "classes")]
    occurring = np.unique(np.concatenate([y_true, *others]))
    answers = list(dict.fromkeys(said))
    table = costs.answer_costs(occurring.tolist(), answers)
    row = {answer: i for i, answer in enumerate(answers)}
    return np.asarray(table[[row[one] for one in said], np.searchsorted(occurring, y_true)])


def best_costs(y_true: Any, costs: Costs, error_costs: Any) -> Floats:
    """Return what the best answer to each case costs, by costs of each case.

    Classes are in order, ``fine`` before ``fraud``.

    >>> best_costs(["fraud", "fine"], Costs(), [[900, 5], [0, 5]]).tolist()
    [5.0, 0.0]
    """
    classes, actual = np.unique(labels_of(y_true, "y_true"), return_inverse=True)
    return np.asarray(costs_of_cases(error_costs, costs, classes.tolist(), actual).min(axis=1))


def mean_costs(
    costs: Costs, y: Any, classes: npt.NDArray[Any], error_costs: Any, sample_weight: Any = None
) -> Costs:
    """Return a price list with mean costs of errors, where cases have costs of their own."""
    if error_costs is None:
        return costs
    actual = np.searchsorted(classes, labels_of(y, "y"))
    own = costs_of_cases(error_costs, costs, classes.tolist(), actual)
    weights = np.ones(actual.size) if sample_weight is None else np.asarray(sample_weight, float)
    counts = np.maximum(np.bincount(actual, weights, classes.size), LEAST_WEIGHT)
    mean = [np.bincount(actual, weights * column, classes.size) / counts for column in own.T]
    return with_mean_errors(costs, np.array(mean), classes.tolist())


def labels_of(y: Any, what: str) -> npt.NDArray[Any]:
    """Return classes as an array of at least one case; text in a form that NumPy can sort."""
    labels = as_labels(y, what)
    if labels.size == 0:
        raise InvalidTable(f"{what} is empty; give the class of at least one case.")
    return labels.astype(str) if labels.dtype == object else labels
