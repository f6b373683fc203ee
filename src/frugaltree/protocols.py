"""What the rest of the package asks of a fitted learner: attributes and methods, no base class.

Reports, plots, exports, consultations and model files take any object with these names, so they
need not import a learner to say what they work with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from frugaltree.costs import Costs
from frugaltree.tree.charges import Step
from frugaltree.tree.tree import Tree

if TYPE_CHECKING:
    from frugaltree.anytime.progress import Progress
    from frugaltree.engines.cross_validation import Trial
    from frugaltree.engines.forecast import Forecast

Floats = npt.NDArray[np.float64]


class Learner(Protocol):
    """A learner, fitted or not."""

    costs: Costs | None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a tree from labelled cases."""
        ...

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        ...


class Estimator(Learner, Protocol):
    """A fitted learner: a tree that answers and charges, and what it is expected to cost.

    Attributes
    ----------
    costs
        Prices of tests and errors; None means free tests and errors of cost 1.
    n_features_in_
        How many columns the table has. Their names are those of ``tree_.columns``.
    classes_
        The labels of the classes.
    tree_
        The tree.
    class_frequencies_
        The share of each class among the training cases.
    test_usage_
        The share of the training cases that pays for each test, by name.
    test_ranges_
        The least and the greatest value of each numeric test that the tree asks, by name; a
        model from an older file lacks it.
    expected_test_cost_, expected_error_cost_, expected_cost_
        What a case is expected to cost: for tests, for errors, and in all.
    termination_
        Why the search ended.
    """

    n_features_in_: int
    classes_: npt.NDArray[Any]
    tree_: Tree
    class_frequencies_: Floats
    test_usage_: dict[str, float]
    test_ranges_: dict[str, tuple[float, float]]
    expected_test_cost_: float
    expected_error_cost_: float
    expected_cost_: float
    termination_: str

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the answer for each case."""
        ...

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, for each case."""
        ...

    def bill(self, X: Any, costs: Costs | None = None) -> Floats:
        """Return what the tests of each case cost, by the learner's prices or by others."""
        ...

    def path(self, case: Any) -> list[Step]:
        """Return the tests that one case takes, each with its price and answer."""
        ...

    def to_text(self, max_depth: int | None = None) -> str:
        """Return the tree as text, with prices on its branches."""
        ...


@runtime_checkable
class SearchedEstimator(Estimator, Protocol):
    """A fitted learner that works in rounds.

    Attributes
    ----------
    history_
        Each round that improved the tree or its bound, and the last.
    """

    history_: list[Progress]


@runtime_checkable
class TunedEstimator(Estimator, Protocol):
    """A fitted learner that may choose its settings on cases held out.

    Attributes
    ----------
    tuning_
        What was tried; None where there was nothing to choose.
    """

    tuning_: list[Trial] | None


@runtime_checkable
class BoundedEstimator(SearchedEstimator, Protocol):
    """A fitted learner that knows how close to the best its tree is.

    Attributes
    ----------
    objective_
        What was minimised, per case: the expected cost, and what splits are charged.
    lower_bound_
        No tree has a lower objective.
    gap_
        How far the tree can be from the best, as a share of its objective.
    """

    objective_: float
    lower_bound_: float
    gap_: float


@runtime_checkable
class CrossValidatedEstimator(Estimator, Protocol):
    """A fitted learner that says what new cases will cost, by cases held out in training.

    Attributes
    ----------
    forecast_
        That; None where no cases were held out.
    """

    forecast_: Forecast | None
