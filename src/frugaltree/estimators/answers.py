"""What a learner does with its tree: answer, charge, explain itself, and be scored."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from frugaltree import table as tables
from frugaltree.costs import Costs
from frugaltree.estimators.notebook import tree_html
from frugaltree.exceptions import InvalidTable
from frugaltree.kernels.cost.prices import Prices
from frugaltree.metrics import check_costs, normalized_cost, total_cost
from frugaltree.tree.text import tree_text
from frugaltree.tree.tree import MISSING, Step, Tree, largest_classes

Floats = npt.NDArray[np.float64]


class TreeAnswers(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The half of a learner that uses a tree, whoever has learned it.

    ``_fractional`` says whether missing values are spread over branches.
    """

    _fractional: ClassVar[bool] = False

    costs: Costs | None
    classes_: npt.NDArray[Any]
    tree_: Tree

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Check shape and names; return a data frame as it is, anything else as an array."""
        tables.check_is_table(X)
        if tables.is_frame(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        X = tables.as_array(X)
        return validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")

    def _encoded(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        return tables.encode(X, self.tree_.columns)

    def _prices(self, costs: Costs | None = None) -> Prices:
        costs = check_costs(costs) if costs is not None else self.costs or Costs()
        return costs.prices([column.name for column in self.tree_.columns])

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the answer for each case."""
        values = self._encoded(X)
        unknown = self._unknown(values)
        labels = self.tree_.labels[self.tree_.find(values)]
        if unknown.size:
            shares, _, _ = self.tree_.answers(values[unknown], self._prices())
            labels[unknown] = largest_classes(shares)
        return np.asarray(self.classes_[labels])

    def predict_proba(self, X: Any) -> Floats:
        """Return the class shares, among training cases, of the leaf where each case ends."""
        values = self._encoded(X)
        unknown = self._unknown(values)
        shares = self.tree_.shares[self.tree_.find(values)]
        if unknown.size:
            shares[unknown] = self.tree_.answers(values[unknown], self._prices())[0]
        return shares

    def bill(self, X: Any, costs: Costs | None = None) -> Floats:
        """Return what the tests of each case cost, by the learner's prices or by others."""
        values = self._encoded(X)
        unknown = self._unknown(values)
        prices = self._prices(costs)
        bills = self.tree_.charges(prices).bill[self.tree_.find(values)]
        if unknown.size:
            bills[unknown] = self.tree_.answers(values[unknown], prices)[1]
        return bills

    def _unknown(self, values: Floats) -> npt.NDArray[np.intp]:
        """Return the cases that go down several branches."""
        if not self._fractional:
            return np.empty(0, np.intp)
        return np.flatnonzero(np.isnan(values).any(axis=1))

    def path(self, case: Any) -> list[Step]:
        """Return the tests that one case takes, each with its price and answer.

        Parameters
        ----------
        case : array or data frame with one row
            The case. A missing value is followed to where most training cases went, except in
            the C4.5 family, where it would have to be followed everywhere.

        Examples
        --------
        >>> from frugaltree import Costs, ID3Classifier
        >>> tree = ID3Classifier(Costs([3, 5])).fit([[0, 0], [0, 9], [8, 0], [8, 9]], [0, 1, 2, 2])
        >>> for step in tree.path([[0, 7]]):
        ...     print(step.test, step.price, step.answer)
        x0 3.0 x0 <= 4
        x1 5.0 x1 > 4.5
        """
        values = self._encoded(case)
        if len(values) != 1:
            raise InvalidTable(f"path follows one case, but got {len(values)}; give it one row.")
        steps = self.tree_.path(values[0], self._prices())
        missing = next((step.test for step in steps if step.answer == MISSING), None)
        if self._fractional and missing is not None:
            raise InvalidTable(
                f"the case has no value of {missing!r}, and {type(self).__name__} then follows "
                "every branch; bill says what that costs."
            )
        return steps

    def to_text(self, max_depth: int | None = None) -> str:
        """Return the tree as text, with prices on its branches."""
        check_is_fitted(self)
        unit = self.costs.unit if self.costs is not None else None
        return tree_text(self.tree_, self._prices(), unit=unit, max_depth=max_depth)

    def _repr_html_inner(self) -> str:
        return f"{super()._repr_html_inner()}{tree_html(self) if hasattr(self, 'tree_') else ''}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle and hasattr(self, "tree_"):
            bundle["text/html"] += tree_html(self)
        return bundle

    # ------------------------------------------------------------------- scoring

    def total_cost(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the mean cost of tests and errors per case."""
        return total_cost(self, X, y, sample_weight=sample_weight)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return minus the normalised total cost: 0 is free and perfect, greater is better.

        The standard cost that normalises it takes the class frequencies seen in ``fit``.
        """
        return -normalized_cost(self, X, y, sample_weight=sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
