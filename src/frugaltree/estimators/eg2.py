"""EG2: information against price."""

from __future__ import annotations

from typing import Any, ClassVar

from frugaltree._sklearn import between, one_of
from frugaltree.costs import Costs
from frugaltree.estimators.c45 import C45Frame
from frugaltree.kernels.criteria import EG2
from frugaltree.kernels.greedy.choose import Rules


class PricedC45Frame(C45Frame):
    """Base of the learners that weigh gain against price in C4.5's frame."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **C45Frame._parameter_constraints,
        "prices": [one_of("context", "static")],
    }

    def __init__(
        self,
        costs: Costs | None = None,
        *,
        prices: str = "context",
        cf: float = 0.25,
        min_cases: float = 2,
        min_samples_leaf: float = 1,
        class_weight: Any = None,
        collapse: bool = True,
        prune: bool = True,
        raise_subtrees: bool = True,
        expected_error: str = "c45",
        categorical_features: Any = "from_dtype",
        max_bins: str | int | None = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        super().__init__(
            costs,
            cf=cf,
            min_cases=min_cases,
            min_samples_leaf=min_samples_leaf,
            class_weight=class_weight,
            collapse=collapse,
            prune=prune,
            raise_subtrees=raise_subtrees,
            expected_error=expected_error,
            categorical_features=categorical_features,
            max_bins=max_bins,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.prices = prices

    def _rules(self) -> Rules:
        return super()._rules()._replace(context=self.prices == "context")


class EG2Classifier(PricedC45Frame):
    """EG2: C4.5's frame with the criterion (2^ΔI - 1) / (price + 1)^w.

    Sees prices of tests but not of errors. Ties go to the cheaper test.

    Parameters
    ----------
    costs : Costs, default=None
        Prices of tests and errors; None means free tests and errors of cost 1.
    w : float, default=1.0
        Weight of the price; 0 ignores it.
    prices : {"context", "static"}, default="context"
        Whether a test is chosen by its price in context, after group discounts, or by its full
        price until it is paid. Bills are always in context.
    cf, min_cases, min_samples_leaf, class_weight, collapse, prune, raise_subtrees, \
    expected_error, categorical_features, max_bins
        As in :class:`C45Classifier`.
    random_state, n_jobs, verbose
        Not used.

    Attributes
    ----------
    tree_, classes_, expected_cost_, test_usage_, termination_
        As in :class:`C45Classifier`.

    References
    ----------
    M. Núñez, The use of background knowledge in decision tree induction, Machine Learning 6
    (1991).

    Examples
    --------
    >>> import numpy as np
    >>> from frugaltree import Costs, EG2Classifier
    >>> X = np.array([[0, 0], [0, 0], [0, 0], [1, 1], [1, 1], [1, 1]])  # equally telling tests
    >>> tree = EG2Classifier(Costs([9, 4])).fit(X, [0, 0, 0, 1, 1, 1])
    >>> tree.bill(X[:1])  # asks the cheaper one
    array([4.])
    """

    _criterion = EG2

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PricedC45Frame._parameter_constraints,
        "w": [between(0.0, None, closed="left")],
    }

    def __init__(
        self,
        costs: Costs | None = None,
        *,
        w: float = 1.0,
        prices: str = "context",
        cf: float = 0.25,
        min_cases: float = 2,
        min_samples_leaf: float = 1,
        class_weight: Any = None,
        collapse: bool = True,
        prune: bool = True,
        raise_subtrees: bool = True,
        expected_error: str = "c45",
        categorical_features: Any = "from_dtype",
        max_bins: str | int | None = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        super().__init__(
            costs,
            prices=prices,
            cf=cf,
            min_cases=min_cases,
            min_samples_leaf=min_samples_leaf,
            class_weight=class_weight,
            collapse=collapse,
            prune=prune,
            raise_subtrees=raise_subtrees,
            expected_error=expected_error,
            categorical_features=categorical_features,
            max_bins=max_bins,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.w = w

    def _rules(self) -> Rules:
        return super()._rules()._replace(w=float(self.w))
