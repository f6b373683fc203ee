"""What a learner does with its tree: answer, charge, explain itself, and be scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from frugaltree import table as tables
from frugaltree._sklearn import validated_array
from frugaltree.costs import Costs
from frugaltree.costs.by_condition import able_to_take
from frugaltree.estimators.importances import savings_by_test
from frugaltree.estimators.notebook import tree_html
from frugaltree.exceptions import FrugaltreeError, InvalidTable, did_you_mean
from frugaltree.kernels.cost.prices import Prices
from frugaltree.metrics import check_costs, normalized_cost, total_cost
from frugaltree.tree.answers import answer_array, costs_of_answers
from frugaltree.tree.charges import MISSING, Step
from frugaltree.tree.passing import passed_nodes
from frugaltree.tree.text import tree_text
from frugaltree.tree.tree import Tree, largest_classes

if TYPE_CHECKING:
    import polars as pl

Floats = npt.NDArray[np.float64]

Answer = TypeVar("Answer", bound=Callable[..., Any])

COSTS = "costs__"
"""Before the name of a parameter of the costs, as in a grid."""


def in_pieces(method: Answer) -> Answer:
    """Let a method that answers case by case take tables that are read a piece at a time."""

    @wraps(method)
    def answer(self: Any, X: Any, *args: Any, **named: Any) -> Any:
        stream = tables.stream_of(X)
        if stream is None:
            return method(self, X, *args, **named)
        found = [method(self, piece, *args, **named) for piece in stream.pieces()]
        return np.concatenate(found) if found else method(self, stream.head, *args, **named)

    return cast(Answer, answer)


class TreeAnswers(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The half of a learner that uses a tree, whoever has learned it.

    ``_fractional`` says whether missing values are spread over branches.

    A data frame needs only the columns that the tree asks; an array must be as wide as at fit. A
    LazyFrame of polars or a data frame of Dask is answered a piece at a time.
    """

    _fractional: ClassVar[bool] = False

    costs: Costs | None
    classes_: npt.NDArray[Any]
    tree_: Tree

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Check shape and names; return a data frame as it is, anything else as an array.

        A data frame may lack columns that the tree does not ask.
        """
        if isinstance(X, tables.Survey):
            validate_data(self, X.stream.head, reset=reset, skip_check_array=True)
            return X
        if tables.checked_frame(X) is not None:
            if reset or not self._lacks_unasked(X):
                validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        return validated_array(self, tables.as_array(X), reset=reset)

    def _lacks_unasked(self, X: Any) -> bool:
        """Tell whether a data frame is that of the fit but for columns that the tree does not ask.

        One that lacks a column that the tree asks is refused, unless its names differ otherwise,
        too: then scikit-learn has a message.
        """
        known, found = getattr(self, "feature_names_in_", ()), tables.names_in(X)
        if len(found) >= len(known) or found != [name for name in known if name in set(found)]:
            return False
        for test in self.tree_.read_tests:
            if known[test] not in found:
                raise InvalidTable(
                    f"the table has no column {known[test]!r}, which the tree asks; add it, with "
                    "missing values where it is not known."
                )
        return True

    def _encoded(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        return able_to_take(tables.encode(X, self.tree_.columns), self._prices())

    def _prices(self, costs: Costs | None = None) -> Prices:
        costs = check_costs(costs) if costs is not None else self.costs or Costs()
        return self.tree_.prices(costs)

    def _answer_costs(self, costs: Costs) -> Floats:
        """Return what the tree's answers cost, by actual class."""
        return costs_of_answers(self.tree_, costs)

    @in_pieces
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the answer for each case."""
        values = self._encoded(X)
        unknown = self._unknown(values)
        labels = self.tree_.labels[self.tree_.find(values)]
        if unknown.size:
            shares, _, _ = self.tree_.answers(values[unknown], self._prices())
            labels[unknown] = largest_classes(shares)
        return np.asarray(self.answers_[labels])

    @property
    def answers_(self) -> npt.NDArray[Any]:
        """What may be answered: the classes, and the decisions of the costs."""
        check_is_fitted(self)
        if not self.tree_.has_decisions:
            return self.classes_
        return answer_array(self.tree_.answer_names)

    @in_pieces
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, for each case.

        They are the class shares among the training cases of the node where the case ends, shrunk
        towards those of the nodes above it by the strength ``shrinkage_``, as
        :mod:`frugaltree.tree.shrinkage` says; the most frequent class stays the most probable.
        Answers do not depend on them: :meth:`predict` follows the costs and the cases counted.

        Examples
        --------
        Half of twenty cases are of each class, and a test parts them cleanly. Chi-square is 20,
        so that with a strength of 1 it is 20/21 of the way from 1/2 to 1.

        >>> from frugaltree import ID3Classifier
        >>> tree = ID3Classifier().fit([[0]] * 10 + [[1]] * 10, [0] * 10 + [1] * 10)
        >>> tree.shrinkage_, tree.predict_proba([[0]]).round(4).tolist()
        (1.0, [[0.9762, 0.0238]])
        """
        values = self._encoded(X)
        unknown = self._unknown(values)
        found = self.tree_.probabilities[self.tree_.find(values)]
        if unknown.size:
            found[unknown] = self.tree_.answers(values[unknown], self._prices(), shrunk=True)[0]
        return found

    @property
    def shrinkage_(self) -> float:
        """How strongly probabilities lean on the nodes above a leaf; 0: shares of training cases.

        It is chosen so that training cases are told best by the others. Models of files of
        version 1 have 0.
        """
        check_is_fitted(self)
        return self.tree_.shrinkage

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of :meth:`predict_proba`, minus infinity for a share of 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    @in_pieces
    def bill(self, X: Any, costs: Costs | None = None) -> Floats:
        """Return what the tests of each case cost, by the learner's prices or by others."""
        values = self._encoded(X)
        unknown = self._unknown(values)
        prices = self._prices(costs)
        if not self._fractional:
            return self.tree_.bills(values, prices)
        bills = self.tree_.charges(prices).bill[self.tree_.find(values)]
        if unknown.size:
            bills[unknown] = self.tree_.answers(values[unknown], prices)[1]
        return bills

    def _unknown(self, values: Floats) -> npt.NDArray[np.intp]:
        """Return the cases that go down several branches."""
        if not self._fractional:
            return np.empty(0, np.intp)
        return np.flatnonzero(np.isnan(values[:, self.tree_.asked_tests]).any(axis=1))

    # -------------------------------------------------------------- ways through

    @in_pieces
    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the number of the node where each case ends, as ``tree_`` counts them.

        It is a leaf, or the node where it ends for want of a value or a branch. In the C4.5 family
        :meth:`predict` and :meth:`bill` follow every branch of a missing value; the node is then
        one of those where the case ends.

        Examples
        --------
        >>> from frugaltree import ID3Classifier
        >>> tree = ID3Classifier().fit([[1], [2], [4]], ["no", "no", "yes"])
        >>> tree.apply([[0], [9], [float("nan")]]).tolist()
        [1, 2, 0]
        """
        values = self._encoded(X)
        return self.tree_.find(values).astype(np.int64)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return a sparse matrix of cases by nodes: 1 where a case passes a node.

        In the C4.5 family a missing value is followed down every branch, so that a case may pass
        several leaves.

        Examples
        --------
        >>> from frugaltree import ID3Classifier
        >>> tree = ID3Classifier().fit([[1], [2], [4]], ["no", "no", "yes"])
        >>> tree.decision_path([[0], [9]]).toarray().tolist()
        [[1, 1, 0], [1, 0, 1]]
        """
        values = self._encoded(X)
        return passed_nodes(self.tree_, values)

    def get_depth(self) -> int:
        """Return how many tests the longest path has."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return how many leaves the tree has."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> Floats:
        """What each test saves, in money per training case.

        It is the test's share of the errors saved, minus its price. These add up
        to what the tree saves against its root as a leaf, not to 1; a test that costs more than it
        saves is below 0. :func:`~frugaltree.estimators.importances.savings_by_test` says how they
        are counted.
        """
        check_is_fitted(self)
        errors = self._answer_costs(self.costs or Costs())
        return savings_by_test(self.tree_, self._prices(), errors)

    def path(self, case: Any) -> list[Step]:
        """Return the tests that one case takes, each with its price and answer.

        Parameters
        ----------
        case : array or data frame with one row
            The case. No value may be missing that the tree asks in the C4.5 family, where it
            would have to be followed everywhere.

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
        costs = self.costs or Costs()
        return tree_text(
            self.tree_,
            self._prices(),
            unit=costs.unit,
            max_depth=max_depth,
            errors=self._answer_costs(costs),
        )

    def to_frame(self, costs: Costs | None = None) -> pl.DataFrame:
        """Return the tree as a table of polars, a row for each node.

        See :func:`~frugaltree.tree.frame.tree_frame` for its columns.

        Parameters
        ----------
        costs : Costs, default=None
            Prices for the column ``charge``; None takes the learner's.

        Examples
        --------
        >>> from frugaltree import Costs, ID3Classifier
        >>> tree = ID3Classifier(Costs([3])).fit([[1], [2], [4]], ["no", "no", "yes"])
        >>> tree.to_frame().select("branch", "test", "charge", "answer").rows()
        [(None, 'x0', 3.0, 'no'), ('x0 <= 3', None, 0.0, 'no'), ('x0 > 3', None, 0.0, 'yes')]
        """
        check_is_fitted(self)
        return self.tree_.to_frame(self._prices(costs))

    def _repr_html_inner(self) -> str:
        return f"{tree_html(self) if hasattr(self, 'tree_') else ''}{super()._repr_html_inner()}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle and hasattr(self, "tree_"):
            bundle["text/html"] = tree_html(self) + bundle["text/html"]
        return bundle

    # ---------------------------------------------------------------- parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; if ``deep``, those of the costs, too, as ``costs__errors``."""
        params: dict[str, Any] = super().get_params(deep=deep)
        costs = params.get("costs")
        if deep and isinstance(costs, Costs):
            params |= {
                f"{COSTS}{field.name}": getattr(costs, field.name) for field in fields(costs)
            }
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of the costs as in ``costs__errors=500``.

        Costs never change: the learner gets others, and whoever shares the old ones keeps them.

        Examples
        --------
        >>> from frugaltree import Costs, EG2Classifier
        >>> EG2Classifier(Costs([3], errors=100)).set_params(costs__errors=500).costs
        Costs(tests={0: 3}, errors=500)
        """
        own = {name: value for name, value in params.items() if not name.startswith(COSTS)}
        super().set_params(**own)
        changes = {name.removeprefix(COSTS): params[name] for name in params.keys() - own.keys()}
        if changes:
            costs = Costs() if self.costs is None else check_costs(self.costs)
            known = [field.name for field in fields(costs)]
            for name in changes:
                if name not in known:
                    raise FrugaltreeError(
                        f"costs have no {name!r}; set one of {', '.join(known)}."
                        f"{did_you_mean(name, known)}"
                    )
            self.costs = replace(costs, **changes)
        return self

    # ------------------------------------------------------------------- scoring

    def total_cost(
        self, X: Any, y: Any, sample_weight: Any = None, error_costs: Any = None
    ) -> float:
        """Return the mean cost of tests and errors per case, these by ``error_costs`` if given."""
        return total_cost(self, X, y, sample_weight=sample_weight, error_costs=error_costs)

    def score(self, X: Any, y: Any, sample_weight: Any = None, error_costs: Any = None) -> float:
        """Return minus the normalised total cost: 0 is free and perfect, greater is better.

        The standard cost that normalises it takes the class frequencies seen in ``fit``. It is by
        the learner's own costs, so that learners of different costs, such as those of a search
        over ``costs__errors``, are each judged by other errors and prices: pass such a search
        ``scoring=cost_scorer(costs)``, which judges all by the same. ``error_costs`` are costs of
        each case, as in ``fit``.
        """
        weighed = {"sample_weight": sample_weight, "error_costs": error_costs}
        return -normalized_cost(self, X, y, **weighed)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
