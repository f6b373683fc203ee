"""Test cost, error cost, and their sum as a share of the standard cost.

Functions of an estimator charge each case for the tests it took, by the estimator's own ``bill``,
also within a pipeline or a search; an estimator that has none, such as any of scikit-learn's, is
charged for all tests. Where no costs are given, those of the learner count.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from reprlib import repr as shortened
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import _check_sample_weight, check_consistent_length

from frugaltree._sklearn import names_of
from frugaltree.costs import Costs
from frugaltree.costs.checks import check_price
from frugaltree.exceptions import InvalidCosts, InvalidTable
from frugaltree.table import frame_of
from frugaltree.table.labels import as_labels

__all__ = [
    "bills",
    "cost_scorer",
    "error_cost",
    "normalized_cost",
    "standard_cost",
    "test_cost",
    "total_cost",
]

Floats = npt.NDArray[np.float64]


def error_cost(
    y_true: Any, y_pred: Any, costs: Costs | None = None, *, sample_weight: Any = None
) -> float:
    """Return the mean cost of wrong answers, and of decisions, per case.

    Examples
    --------
    >>> from frugaltree import Costs
    >>> costs = Costs(errors={("well", "ill"): 1000, ("ill", "well"): 200})
    >>> error_cost(["ill", "well", "well", "well"], ["well", "ill", "well", "well"], costs)
    300.0
    """
    costs = Costs() if costs is None else check_costs(costs)
    return _error_cost(y_true, y_pred, costs, None, sample_weight)


def _error_cost(y_true: Any, y_pred: Any, costs: Costs, classes: Any, sample_weight: Any) -> float:
    """Return the mean cost of wrong answers; ``classes`` may occur beside those that do."""
    per_case = _costs_of_answers(y_true, y_pred, costs, classes)
    return _mean(per_case, sample_weight)


def answer_costs(y_true: Any, y_pred: Any, costs: Costs) -> Floats:
    """Return what the answer to each case costs, a class or a decision.

    >>> from frugaltree import Costs
    >>> costs = Costs(errors=100, decisions={"refer": 60})
    >>> answer_costs(["ill", "well", "ill"], ["well", "well", "refer"], costs).tolist()
    [100.0, 0.0, 60.0]
    """
    return _costs_of_answers(y_true, y_pred, check_costs(costs), None)


def _costs_of_answers(y_true: Any, y_pred: Any, costs: Costs, classes: Any) -> Floats:
    if costs.decisions is not None:
        return _costs_of_decisions(y_true, y_pred, costs, classes)
    y_true, y_pred = _labels(y_true, "y_true"), _labels(y_pred, "y_pred")
    check_consistent_length(y_true, y_pred)
    others = [] if classes is None else [_labels(classes, "classes")]
    occurring = np.unique(np.concatenate([y_true, y_pred, *others]))
    matrix = costs.matrix(occurring.tolist())
    said, actual = (np.searchsorted(occurring, labels) for labels in (y_pred, y_true))
    return np.asarray(matrix[said, actual])


def _costs_of_decisions(y_true: Any, y_pred: Any, costs: Costs, classes: Any) -> Floats:
    """Return what each answer costs, where some may be no classes and of another type."""
    y_true = _labels(y_true, "y_true")
    said = np.asarray(y_pred).tolist()
    check_consistent_length(y_true, said)
    decided = set(costs.decisions or ())
    named = [answer for answer in dict.fromkeys(said) if answer not in decided]
    others = [] if costs.decides_only else [_labels(named, "y_pred")] if named else []
    others += [] if classes is None else [_labels(classes, "classes")]
    occurring = np.unique(np.concatenate([y_true, *others]))
    answers = list(dict.fromkeys(said))
    table = costs.answer_costs(occurring.tolist(), answers)
    row = {answer: i for i, answer in enumerate(answers)}
    return np.asarray(table[[row[one] for one in said], np.searchsorted(occurring, y_true)])


def test_cost(
    estimator: Any,
    X: Any,
    costs: Costs | None = None,  # noqa: PT028
    *,
    sample_weight: Any = None,  # noqa: PT028
) -> float:
    """Return the mean cost of tests per case.

    Examples
    --------
    >>> from frugaltree import Costs, EG2Classifier
    >>> X, y = [[0], [0], [0], [1], [1], [1]], ["no", "no", "no", "yes", "yes", "yes"]
    >>> learner = EG2Classifier(Costs([4], errors=100)).fit(X, y)
    >>> test_cost(learner, X)
    4.0
    """
    estimator, X = _unwrap(estimator, X, costs)
    costs = _costs_of(estimator, costs)
    if hasattr(estimator, "bill"):
        return _mean(estimator.bill(X, costs), sample_weight)
    return costs.total(_names(estimator, X))


test_cost.__test__ = False  # type: ignore[attr-defined]  # not a test for pytest


def bills(estimator: Any, X: Any, costs: Costs | None = None) -> npt.NDArray[np.float64]:
    """Return what the tests of each case cost, also through a pipeline or a search.

    An estimator without ``bill`` is charged for all tests.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from frugaltree import Costs, ID3Classifier
    >>> piped = make_pipeline(StandardScaler(), ID3Classifier(Costs([3, 5])))
    >>> piped = piped.fit([[0, 0], [0, 9], [8, 0]], [0, 1, 2])
    >>> bills(piped, [[0, 9], [8, 9]])
    array([8., 3.])
    """
    estimator, X = _unwrap(estimator, X, costs)
    costs = _costs_of(estimator, costs)
    if hasattr(estimator, "bill"):
        return np.asarray(estimator.bill(X, costs))
    n_cases = len(X) if hasattr(X, "__len__") else np.shape(X)[0]
    return np.full(n_cases, costs.total(_names(estimator, X)))


def total_cost(
    estimator: Any, X: Any, y: Any, costs: Costs | None = None, *, sample_weight: Any = None
) -> float:
    """Return the mean cost of tests and of wrong answers per case.

    Examples
    --------
    >>> from frugaltree import Costs, EG2Classifier
    >>> X, y = [[0], [0], [0], [1], [1], [1]], ["no", "no", "no", "yes", "yes", "yes"]
    >>> learner = EG2Classifier(Costs([4], errors=100)).fit(X, y)
    >>> total_cost(learner, [[0], [1]], ["no", "no"])  # 4 for the test, 100 for one of two
    54.0
    """
    estimator, X = _unwrap(estimator, X, costs)
    costs = _costs_of(estimator, costs)
    classes = getattr(estimator, "classes_", None)
    wrong = _error_cost(y, estimator.predict(X), costs, classes, sample_weight)
    return wrong + test_cost(estimator, X, costs, sample_weight=sample_weight)


def standard_cost(costs: Costs, y: Any, tests: list[str] | None = None) -> float:
    """Return the cost of all tests plus that of the best blind guess (section 4.2.2).

    Parameters
    ----------
    costs : Costs
        Prices and error costs.
    y : array-like
        Classes of the whole data set, whose frequencies count.
    tests : list of str, default=None
        The columns of the table, where the price list does not name them all.

    Examples
    --------
    >>> from frugaltree import Costs
    >>> standard_cost(Costs({"a": 10, "b": 14}, errors=100), ["no", "no", "no", "yes"])
    49.0
    """
    costs = check_costs(costs)
    classes, counts = np.unique(_labels(y, "y"), return_counts=True)
    return float(costs.standard_cost(counts / counts.sum(), tests, classes.tolist()))


def normalized_cost(
    estimator: Any,
    X: Any,
    y: Any,
    costs: Costs | None = None,
    *,
    standard: float | None = None,
    sample_weight: Any = None,
) -> float:
    """Return the mean total cost as a fraction of the standard cost.

    ``standard`` is the standard cost; by default it takes the class frequencies that the
    estimator saw in ``fit``, or those of ``y``. A standard cost of zero gives zero.

    Examples
    --------
    >>> from frugaltree import Costs, EG2Classifier
    >>> X, y = [[0], [0], [0], [1], [1], [1]], ["no", "no", "no", "yes", "yes", "yes"]
    >>> learner = EG2Classifier(Costs([4], errors=100)).fit(X, y)
    >>> normalized_cost(learner, [[0], [1]], ["no", "no"])  # 54 of 4 + 100 / 2
    1.0
    """
    estimator, X = _unwrap(estimator, X, costs)
    own = _costs_of(estimator, costs)
    if standard is None:
        standard = _standard_cost_of(estimator, X, y, own)
    if check_price(standard, "standard") == 0:
        return 0.0
    return total_cost(estimator, X, y, own, sample_weight=sample_weight) / standard


def cost_scorer(costs: Costs | None = None) -> Callable[[Any, Any, Any], float]:
    """Return a scorer for model selection: minus the normalised total cost.

    ``costs=None`` takes each learner's own costs, also within a pipeline, a search or an ensemble;
    an estimator that has none cannot be scored without. In a search over costs, such as one over
    ``costs__errors``, give the costs that all are to be judged by: scores by costs of their own
    cannot be compared.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from frugaltree import Costs, EG2Classifier
    >>> from frugaltree.datasets import load
    >>> X, y = load("iris", return_X_y=True)
    >>> costs = Costs([1, 1, 5, 5], errors=50)
    >>> scores = cross_val_score(EG2Classifier(costs), X, y, scoring=cost_scorer())
    >>> bool((scores > -1).all())
    True
    """
    return _CostScorer(costs)


class _CostScorer:
    """A scorer that can be pickled and cloned."""

    def __init__(self, costs: Costs | None):
        self.costs = None if costs is None else check_costs(costs)

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        return -normalized_cost(estimator, X, y, self.costs, sample_weight=sample_weight)

    def __repr__(self) -> str:
        return f"cost_scorer({self.costs!r})" if self.costs is not None else "cost_scorer()"


def check_costs(costs: object) -> Costs:
    """Return costs, provided that they are some.

    >>> check_costs({"age": 1})
    Traceback (most recent call last):
    frugaltree.exceptions.InvalidCosts: costs must be a Costs, got a dict; write Costs({...}) for
    prices alone, or Costs(**{...}) for prices, groups, errors and the like.
    """
    if isinstance(costs, Costs):
        return costs
    if isinstance(costs, Mapping):
        raise InvalidCosts(
            f"costs must be a Costs, got a {type(costs).__name__}; write Costs({{...}}) for "
            "prices alone, or Costs(**{...}) for prices, groups, errors and the like."
        )
    raise InvalidCosts(
        f"costs must be a Costs, got {shortened(costs)}; make one, such as "
        "Costs({'age': 1, 'chol': 5.17}, errors=100)."
    )


def _unwrap(estimator: Any, X: Any, costs: Costs | None) -> tuple[Any, Any]:
    """Return the learner at the end of pipelines and searches, and the table it is given.

    A pipeline that ends in an estimator without bill is returned as it is.
    """
    if hasattr(estimator, "best_estimator_"):
        return _unwrap(estimator.best_estimator_, X, costs)
    steps = getattr(estimator, "steps", None)
    if not steps or not _has_bill_inside(steps[-1][1]):
        return estimator, X
    last = steps[-1][1]
    if len(steps) == 1:
        return _unwrap(last, X, costs)
    if any(isinstance(test, int) for test in _costs_of(last, costs).tests or ()):
        _warn_of_other_columns(estimator[:-1], last)
    return _unwrap(last, estimator[:-1].transform(X), costs)


def _warn_of_other_columns(transformer: Any, last: Any) -> None:
    """Warn that positions mean other columns after the steps before the learner."""
    try:
        before = names_of(transformer, transformer.n_features_in_)
        after = [str(name) for name in transformer.get_feature_names_out()]
    except (AttributeError, ValueError, NotImplementedError):  # a step that does not tell
        return
    if before != after:
        warnings.warn(
            f"prices are given by position, but the steps before {type(last).__name__} make of "
            f"the columns {shortened(before)} the columns {shortened(after)}, whose positions "
            "count; give prices by name and set_output(transform='pandas') to be sure.",
            UserWarning,
            stacklevel=4,
        )


def _has_bill_inside(estimator: Any) -> bool:
    """Tell whether a learner with ``bill`` is at the end of pipelines and searches."""
    inner = _inner_estimator(estimator)
    return hasattr(estimator, "bill") or (inner is not None and _has_bill_inside(inner))


def _inner_estimator(estimator: Any) -> Any:
    """Return what a pipeline ends in or a search has found, and None for anything else."""
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if steps else getattr(estimator, "best_estimator_", None)


def _costs_of(estimator: Any, costs: Costs | None) -> Costs:
    """Return the costs to score by: those given, or else those of the learner within."""
    if costs is not None:
        return check_costs(costs)
    owner = estimator
    while not hasattr(owner, "costs"):
        inner = _inner_estimator(owner)
        # An ensemble, such as bagging, keeps what it was made of under this name.
        owner = inner if inner is not None else getattr(owner, "estimator", None)
        if owner is None:
            raise InvalidCosts(
                f"{type(estimator).__name__} has no costs of its own to be scored by; give some, "
                "as in cost_scorer(costs)."
            )
    return check_costs(owner.costs) if owner.costs is not None else Costs()


def _standard_cost_of(estimator: Any, X: Any, y: Any, costs: Costs) -> float:
    frequencies = getattr(estimator, "class_frequencies_", None)
    if frequencies is None:
        return standard_cost(costs, y, _names(estimator, X))
    names = _names(estimator, X)
    return float(costs.standard_cost(frequencies, names, estimator.classes_.tolist()))


def _names(estimator: Any, X: Any) -> list[str]:
    """Return the tests by the names under which the estimator, or else the table, knows them."""
    if hasattr(estimator, "bill"):
        return names_of(estimator, estimator.n_features_in_)
    frame = frame_of(X)
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return names_of(estimator, np.shape(X)[1])
    return frame.columns


def _labels(y: Any, what: str) -> npt.NDArray[Any]:
    """Return classes as an array of at least one case; text in a form that NumPy can sort."""
    labels = as_labels(y, what)
    if labels.size == 0:
        raise InvalidTable(f"{what} is empty; give the class of at least one case.")
    return labels.astype(str) if labels.dtype == object else labels


def _mean(per_case: npt.NDArray[np.float64], sample_weight: Any) -> float:
    if sample_weight is None:
        return float(per_case.mean())
    if not np.any(sample_weight):
        raise ValueError(
            "sample_weight is 0 for every case; give at least one case a non-zero weight."
        )
    weights = _check_sample_weight(sample_weight, per_case, ensure_non_negative=True)
    return float(np.average(per_case, weights=weights))
