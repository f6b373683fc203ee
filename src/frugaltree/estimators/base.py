"""What all learners share: reading a problem, keeping a tree, answering, charging, scoring."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from numbers import Real
from reprlib import repr as shortened
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from frugaltree import table as tables
from frugaltree._sklearn import between, names_of, one_of, validate_parameters
from frugaltree.costs import Costs
from frugaltree.engines.estimate import ERROR_FORMS, costs_as_leaves
from frugaltree.engines.problem import Problem
from frugaltree.estimators.notebook import tree_html
from frugaltree.exceptions import InvalidTable
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.metrics import check_costs, normalized_cost, total_cost
from frugaltree.table.labels import as_labels
from frugaltree.tree.text import tree_text
from frugaltree.tree.tree import MISSING, Step, Tree, largest_classes

Floats = npt.NDArray[np.float64]

MOST_CASES = 2.0**53
"""Up to here every count of cases is exact, and its entropy finite."""


class CostSensitiveTree(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base of all learners.

    A learner says how it searches (:meth:`_search`), whether its answers look at error costs
    (``_looks_at_errors``) and whether missing values are spread over branches (``_fractional``).
    """

    _fractional: ClassVar[bool] = False
    _looks_at_errors: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "costs": [Costs, None],
        "categorical_features": ["array-like", one_of("from_dtype"), None],
        "cf": [between(0.0, 1.0, closed="neither")],
        "expected_error": [one_of(*ERROR_FORMS)],
        "random_state": ["random_state"],
        "n_jobs": [int, np.integer, None],
        "verbose": ["verbose"],
    }

    @abstractmethod
    def _search(self, problem: Problem) -> Nodes:
        """Return the tree learned for a problem, in preorder."""

    # ----------------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a tree from labelled cases.

        Parameters
        ----------
        X : array or data frame of shape (n_cases, n_tests)
            The cases. Categorical, text and boolean columns are nominal; numbers are numeric
            unless ``categorical_features`` says otherwise. Missing values are allowed.
        y : array-like of shape (n_cases,)
            The classes.
        sample_weight : array-like of shape (n_cases,), default=None
            How many cases each row stands for: whole numbers, and fractions too where the
            learner spreads cases over branches (the C4.5 family).

        Returns
        -------
        self
        """
        validate_parameters(self)
        with all_or_nothing(self):
            problem = self._read(X, y, sample_weight)
            self._learn(problem, X, y, sample_weight)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        """Validate the input and code it."""
        X = self._checked(X, reset=True)
        names = names_of(self, X.shape[1])
        classes, codes = _read_classes(y, len(X))
        weights = self._read_weights(sample_weight, X)
        if not weights.all():
            keep = np.flatnonzero(weights)
            X, codes, weights = _take(X, keep), codes[keep], weights[keep]
            present, codes = np.unique(codes, return_inverse=True)
            classes = classes[present]
        if classes.size == 1:
            warnings.warn(
                f"all cases are of one class, {classes.tolist()[0]!r}; the tree is a single leaf.",
                UserWarning,
                stacklevel=3,
            )
        prices, errors = (self.costs or Costs()).resolve(names, classes.tolist())
        table = tables.read(X, names, self.categorical_features)
        cases = table.cases(
            codes.astype(np.int32), weights, classes.size, fractional=self._fractional
        )
        return Problem(table, cases, prices, errors, classes)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Check shape and names; return a data frame as it is, anything else as an array."""
        tables.check_is_table(X)
        if tables.is_frame(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        X = tables.as_array(X)
        return validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")

    def _read_weights(self, sample_weight: Any, X: Any) -> Floats:
        if sample_weight is None:
            return np.ones(len(X))
        given = _as_weights(sample_weight)
        weights = np.array(
            _check_sample_weight(given, np.empty((len(X), 0)), ensure_non_negative=True),
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
        if odd.size and not self._fractional:
            raise InvalidTable(
                f"sample_weight has {odd[0]:g}, but {type(self).__name__} counts whole cases; "
                "round the weights or use a learner of the C4.5 family."
            )
        return weights

    def _learn(self, problem: Problem, X: Any, y: Any, sample_weight: Any) -> None:
        """Search for a tree and keep it; X, y and sample_weight are what ``fit`` was given."""
        self._keep(problem, self._search(problem))

    def _keep(self, problem: Problem, nodes: Nodes) -> None:
        """Set the fitted attributes."""
        self.classes_ = problem.classes
        self.tree_ = self._as_tree(problem, nodes)
        self.class_frequencies_ = self.tree_.shares[0].copy()
        test_cost, usage = self._test_cost(problem, self.tree_)
        self.test_usage_ = dict(zip(problem.table.names, usage.tolist(), strict=True))
        self.expected_test_cost_ = test_cost
        self.expected_error_cost_ = self._error_cost(problem, self.tree_)
        self.expected_cost_ = self.expected_test_cost_ + self.expected_error_cost_
        self.termination_ = "completed"
        if hasattr(self, "rivals_"):  # an earlier tree was held against them
            del self.rivals_

    def _as_tree(self, problem: Problem, nodes: Nodes) -> Tree:
        """Return nodes in preorder as a tree with answers; it freezes them."""
        seen = self._looks_at_errors
        labels = problem.answers(nodes) if seen else largest_classes(nodes.counts)
        classes = tuple(problem.classes.tolist())
        return Tree(problem.table.columns, classes, nodes, labels, self._fractional)

    def _test_cost(self, problem: Problem, tree: Tree) -> tuple[float, Floats]:
        """Return the mean bill of the training cases and the share that pays for each test."""
        charges = tree.charges(problem.prices)
        total = problem.weight
        if not (self._fractional and problem.table.has_missing):
            return float(charges.charge @ tree.weights) / total, charges.usage / total
        rows = problem.table.rows(np.arange(problem.cases.classes.size))
        _, bills, usage = tree.answers(rows, problem.prices)
        weights = problem.cases.weights
        return float(bills @ weights) / total, np.asarray(weights @ usage) / total

    def _error_cost(self, problem: Problem, tree: Tree) -> float:
        """Return the expected cost of errors per case."""
        nodes, labels = tree.layout[0], np.array(tree.labels)
        costs = costs_as_leaves(
            nodes,
            problem.errors,
            labels,
            self._confidence(),
            self._error_form(),
            getattr(self, "penalty", "laplace"),
        )
        return float(costs[nodes.test == NONE].sum()) / problem.weight

    def _confidence(self) -> float:
        """Return the confidence of the expected error in force."""
        return float(self.cf)

    def _error_form(self) -> str:
        """Return the form of the expected error in force."""
        return str(self.expected_error)

    def _expected_cost(self, problem: Problem, nodes: Nodes) -> float:
        """Return the expected cost per case of a tree in preorder."""
        tree = self._as_tree(problem, Nodes(*(array.copy() for array in nodes)))
        return self._test_cost(problem, tree)[0] + self._error_cost(problem, tree)

    # ------------------------------------------------------------------- answers

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


@contextmanager
def all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Leave an estimator as it was when a fit fails: an older tree stays whole."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _read_classes(y: Any, n_cases: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
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


def _take(X: Any, rows: npt.NDArray[np.intp]) -> Any:
    """Return some rows of an array or data frame."""
    if not tables.is_frame(X):
        return X[rows]
    import narwhals.stable.v2 as nw

    return nw.from_native(X, eager_only=True)[rows, :].to_native()
