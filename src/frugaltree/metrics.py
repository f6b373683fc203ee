"""Test cost, error cost, and their sum as a share of the standard cost.

Functions of an estimator charge each case for the tests it took, by the estimator's own ``bill``,
also within a pipeline or a search; an estimator that has none, such as any of scikit-learn's, is
charged for all tests. Where no costs are given, those of the learner count.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import deepcopy
from reprlib import repr as shortened
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.validation import _check_sample_weight

from frugaltree._sklearn import names_of
from frugaltree.answer_costs import answer_costs, labels_of, mean_costs
from frugaltree.costs import Costs
from frugaltree.costs.checks import check_price
from frugaltree.exceptions import InvalidCosts
from frugaltree.table import frame_of

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
    y_true: Any,
    y_pred: Any,
    costs: Costs | None = None,
    *,
    sample_weight: Any = None,
    error_costs: Any = None,
) -> float:
    """Return the mean cost of wrong answers, and of decisions, per case.

    ``error_costs`` are costs of each case, as ``fit`` takes them; rows of answers are in the order
    of the classes that ``costs`` names, or else of those that occur.

    Examples
    --------
    >>> from frugaltree import Costs
    >>> costs = Costs(errors={("well", "ill"): 1000, ("ill", "well"): 200})
    >>> error_cost(["ill", "well", "well", "well"], ["well", "ill", "well", "well"], costs)
    300.0

    A missed fraud costs its amount, a false alarm a hundredth of it:

    >>> costs = Costs(errors={("fine", "fraud"): 1, ("fraud", "fine"): 0.01})
    >>> said = ["fine", "fraud", "fine"]
    >>> error_cost(["fraud", "fine", "fine"], said, costs, error_costs=[900, 600, 50])
    302.0
    """
    costs = Costs() if costs is None else check_costs(costs)
    return _mean(answer_costs(y_true, y_pred, costs, error_costs), sample_weight)


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
    estimator: Any,
    X: Any,
    y: Any,
    costs: Costs | None = None,
    *,
    sample_weight: Any = None,
    error_costs: Any = None,
) -> float:
    """Return the mean cost of tests and of wrong answers per case.

    ``error_costs`` are costs of each case, as in ``fit``. A learner that was fitted with them
    needs them here, too, unless other ``costs`` are given.

    Examples
    --------
    >>> from frugaltree import Costs, EG2Classifier
    >>> X, y = [[0], [0], [0], [1], [1], [1]], ["no", "no", "no", "yes", "yes", "yes"]
    >>> learner = EG2Classifier(Costs([4], errors=100)).fit(X, y)
    >>> total_cost(learner, [[0], [1]], ["no", "no"])  # 4 for the test, 100 for one of two
    54.0
    """
    estimator, X = _unwrap(estimator, X, costs)
    check_has_error_costs(estimator, costs, error_costs)
    costs = _costs_of(estimator, costs)
    classes = getattr(estimator, "classes_", None)
    per_case = answer_costs(y, estimator.predict(X), costs, error_costs, classes)
    wrong = _mean(per_case, sample_weight)
    return wrong + test_cost(estimator, X, costs, sample_weight=sample_weight)


def check_has_error_costs(estimator: Any, costs: Costs | None, error_costs: Any) -> None:
    """Refuse to score a learner of costs of each case by the price list alone."""
    tree = getattr(estimator, "tree_", None)
    if error_costs is None and costs is None and getattr(tree, "mean_errors", None) is not None:
        raise InvalidCosts(
            f"this {type(estimator).__name__} was fitted with error_costs, and no price list says "
            "what an error costs; give error_costs of these cases, too (in scikit-learn's tools "
            "by set_score_request(error_costs=True), with enable_metadata_routing on), or costs "
            "to score it by."
        )


def standard_cost(
    costs: Costs, y: Any, tests: list[str] | None = None, *, error_costs: Any = None
) -> float:
    """Return the cost of all tests plus that of the best blind guess (section 4.2.2).

    Parameters
    ----------
    costs : Costs
        Prices and error costs.
    y : array-like
        Classes of the whole data set, whose frequencies count.
    tests : list of str, default=None
        The columns of the table, where the price list does not name them all.
    error_costs : array-like, default=None
        Costs of each case, as in ``fit``; an error then costs what it does on average.

    Examples
    --------
    >>> from frugaltree import Costs
    >>> standard_cost(Costs({"a": 10, "b": 14}, errors=100), ["no", "no", "no", "yes"])
    49.0
    """
    costs = check_costs(costs)
    classes, counts = np.unique(labels_of(y, "y"), return_counts=True)
    costs = mean_costs(costs, y, classes, error_costs)
    return float(costs.standard_cost(counts / counts.sum(), tests, classes.tolist()))


def normalized_cost(
    estimator: Any,
    X: Any,
    y: Any,
    costs: Costs | None = None,
    *,
    standard: float | None = None,
    sample_weight: Any = None,
    error_costs: Any = None,
) -> float:
    """Return the mean total cost as a fraction of the standard cost.

    ``standard`` is the standard cost; by default it takes the class frequencies that the
    estimator saw in ``fit``, or those of ``y``. A standard cost of zero gives zero.
    ``error_costs`` are as in :func:`total_cost`; the standard cost takes what errors cost on
    average among the cases scored.

    Examples
    --------
    >>> from frugaltree import Costs, EG2Classifier
    >>> X, y = [[0], [0], [0], [1], [1], [1]], ["no", "no", "no", "yes", "yes", "yes"]
    >>> learner = EG2Classifier(Costs([4], errors=100)).fit(X, y)
    >>> normalized_cost(learner, [[0], [1]], ["no", "no"])  # 54 of 4 + 100 / 2
    1.0
    """
    estimator, X = _unwrap(estimator, X, costs)
    check_has_error_costs(estimator, costs, error_costs)
    own = _costs_of(estimator, costs)
    if standard is None:
        mean = _on_average(estimator, y, own, error_costs, sample_weight)
        standard = _standard_cost_of(estimator, X, y, mean)
    if check_price(standard, "standard") == 0:
        return 0.0
    weighed = {"sample_weight": sample_weight, "error_costs": error_costs}
    return total_cost(estimator, X, y, own, **weighed) / standard


def cost_scorer(costs: Costs | None = None) -> CostScorer:
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
    return CostScorer(costs)


class CostScorer:
    """A scorer that can be pickled and cloned, and asks for sample_weight or error_costs."""

    def __init__(self, costs: Costs | None):
        self.costs = None if costs is None else check_costs(costs)
        self._request = MetadataRequest(owner=self)

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None, error_costs: Any = None
    ) -> float:
        weighed = {"sample_weight": sample_weight, "error_costs": error_costs}
        return -normalized_cost(estimator, X, y, self.costs, **weighed)

    def __repr__(self) -> str:
        return f"cost_scorer({self.costs!r})" if self.costs is not None else "cost_scorer()"

    def set_score_request(self, **requests: Any) -> Self:
        """Say which metadata is wanted: sample_weight, error_costs, each True, False or a name."""
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request does nothing while metadata routing is off; call "
                "sklearn.set_config(enable_metadata_routing=True) first."
            )
        self._request = MetadataRequest(owner=self)
        for name, wanted in requests.items():
            self._request.score.add_request(param=name, alias=wanted)
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return which metadata is wanted, as scikit-learn asks for it."""
        return deepcopy(self._request)


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


def _on_average(
    estimator: Any, y: Any, costs: Costs, error_costs: Any, sample_weight: Any
) -> Costs:
    """Return the price list, with mean costs of errors where cases have costs of their own."""
    if error_costs is None:
        return costs
    classes = np.union1d(labels_of(y, "y"), getattr(estimator, "classes_", labels_of(y, "y")))
    return mean_costs(costs, y, classes, error_costs, sample_weight)


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


def _mean(per_case: npt.NDArray[np.float64], sample_weight: Any) -> float:
    if sample_weight is None:
        return float(per_case.mean())
    if not np.any(sample_weight):
        raise ValueError(
            "sample_weight is 0 for every case; give at least one case a non-zero weight."
        )
    weights = _check_sample_weight(sample_weight, per_case, ensure_non_negative=True)
    return float(np.average(per_case, weights=weights))
