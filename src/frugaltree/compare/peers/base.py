"""What peers share: reading a table, tuning one setting, answering, charging."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from frugaltree import table as tables
from frugaltree._sklearn import names_of
from frugaltree.compare.peers.billing import (
    AskedTests,
    Flags,
    Floats,
    Places,
    bill_orders,
    rank_tests,
)
from frugaltree.costs import Costs
from frugaltree.costs.conditions import refuse_price_if
from frugaltree.engines.allowed_answers import all_allowed, cheapest_between
from frugaltree.engines.cross_validation import shuffled_splits
from frugaltree.exceptions import FrugaltreeError, InvalidCosts
from frugaltree.kernels.cost.error_estimate import NO_DECISIONS
from frugaltree.kernels.cost.prices import Prices
from frugaltree.metrics import check_costs
from frugaltree.table.labels import as_labels

CANDIDATES = 5
"""How many values of its setting every peer may try."""

INNER_FOLDS = 3
"""Folds of the training part on which every peer tries them."""

TUNING_CASES = 2000
"""Cases that every peer tries them on at most; the final model learns from all."""

Setting = float


@dataclass(frozen=True, kw_only=True)
class TrainingSet:
    """What a peer learns from.

    Attributes
    ----------
    values : float64[case, test]
        Numbers, or positions of nominal values; NaN where missing.
    codes : intp[case]
        Classes by their position.
    nominal : bool[test]
        Whether a test is nominal.
    prices, errors
        The price list, and the cost of errors M[predicted, actual].
    seed
        For what is drawn.
    """

    values: Floats
    codes: Places
    nominal: Flags
    prices: Prices
    errors: Floats
    seed: int

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.errors)

    @property
    def usable_tests(self) -> Places:
        """The tests that may be used and have two values at least."""
        spread = np.fmax.reduce(self.values) > np.fmin.reduce(self.values)
        return np.flatnonzero(spread & self.prices.usable.astype(bool))

    def take(self, cases: Places) -> TrainingSet:
        """Return the training set of some cases only."""
        return replace(self, values=self.values[cases], codes=self.codes[cases])


class Model(metaclass=ABCMeta):
    """What a peer has learned: trees over the original tests, and an answer.

    Attributes
    ----------
    trees
        What the trees ask, in the order in which they are asked.
    """

    trees: Sequence[AskedTests]

    @abstractmethod
    def apply(self, values: Floats) -> tuple[Places, npt.NDArray[np.int32]]:
        """Return the node where each case ends in each tree, and its class."""

    def bill(self, leaves: Places, prices: Prices) -> Floats:
        """Return the bill of cases that end at these nodes."""
        return bill_orders(prices, rank_tests(self.trees, leaves, prices.delayed))

    def total(self, training: TrainingSet) -> float:
        """Return what these cases cost in all, tests and errors."""
        leaves, answers = self.apply(training.values)
        wrong = training.errors[answers, training.codes].sum()
        return float(wrong + self.bill(leaves, training.prices).sum())


class ConstantModel(Model):
    """The cheapest answer without asking, where there is nothing to learn."""

    def __init__(self, training: TrainingSet):
        counts = np.bincount(training.codes, minlength=training.n_classes)
        self.trees = ()
        self.label = choose_cheapest(training.errors, counts[None])[0]

    def apply(self, values: Floats) -> tuple[Places, npt.NDArray[np.int32]]:
        """Return no nodes, and the same answer for each case."""
        return np.empty((len(values), 0), np.intp), np.full(len(values), self.label)


class Peer(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base of the peers.

    A peer says which settings it tries (:meth:`_candidates`) and how it learns under one of them
    (:meth:`_learner`). Once fitted, ``setting_`` is the one chosen and ``tuning_`` maps each one
    tried to its cost per case.
    """

    def __init__(self, costs: Costs | None = None, *, random_state: Any = None):
        self.costs = costs
        self.random_state = random_state

    @abstractmethod
    def _candidates(self, training: TrainingSet) -> Sequence[Setting]:
        """Return the settings to try, the simplest model first; there is a test to ask."""

    @abstractmethod
    def _learner(self, training: TrainingSet) -> Callable[[Setting], Model]:
        """Return what learns under a setting; there is a test to ask."""

    def fit(self, X: Any, y: Any) -> Self:
        """Choose a setting and learn from labelled cases."""
        training = self._read(X, y)
        candidates = self._candidates(training) if training.usable_tests.size else [0.0]
        self.tuning_ = _cross_validate(self._make_learner, training, candidates)
        self.setting_ = min(candidates, key=self.tuning_.__getitem__)
        self.model_ = self._make_learner(training)(self.setting_)
        return self

    def _make_learner(self, training: TrainingSet) -> Callable[[Setting], Model]:
        """Return what learns under a setting, whatever there is to ask."""
        if training.usable_tests.size and np.ptp(training.codes):
            return self._learner(training)
        return lambda setting: ConstantModel(training)

    def _read(self, X: Any, y: Any) -> TrainingSet:
        X = self._check(X, reset=True)
        names = names_of(self, self.n_features_in_)
        labels = as_labels(y)
        check_consistent_length(X, labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        costs, classes = self._get_costs(), self.classes_.tolist()
        refuse_price_if(costs, "learners of other packages")
        if costs.first or costs.requires:
            raise InvalidCosts(
                f"{type(self).__name__} keeps no rules on what is asked first, but the costs have "
                f"{'first' if costs.first else 'requires'}; leave it out, or compare it at costs "
                "without."
            )
        prices, errors = costs.prices(names), costs.matrix(classes)  # a peer answers with classes
        table = tables.read(X, names)
        self.columns_ = table.columns
        return TrainingSet(
            values=table.rows(np.arange(codes.size)),
            codes=codes,
            nominal=table.nominal.astype(bool),
            prices=prices,
            errors=errors,
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
        )

    def _check(self, X: Any, *, reset: bool) -> Any:
        tables.checked_frame(X)
        X = tables.as_array(X)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return X

    def _get_costs(self, costs: Costs | None = None) -> Costs:
        costs = self.costs if costs is None else costs
        return Costs() if costs is None else check_costs(costs)

    def _values(self, X: Any) -> Floats:
        check_is_fitted(self)
        return tables.encode(self._check(X, reset=False), self.columns_)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the answer for each case."""
        _, answers = self.model_.apply(self._values(X))
        return np.asarray(self.classes_[answers])

    def bill(self, X: Any, costs: Costs | None = None) -> Floats:
        """Return what the tests of each case cost, by the peer's prices or by others."""
        leaves, _ = self.model_.apply(self._values(X))
        refuse_price_if(costs, "learners of other packages")
        names = [column.name for column in self.columns_]
        return self.model_.bill(leaves, self._get_costs(costs).prices(names))


def _cross_validate(
    learner: Callable[[TrainingSet], Callable[[Setting], Model]],
    training: TrainingSet,
    candidates: Sequence[Setting],
) -> dict[Setting, float]:
    """Return the cost per case of each setting on cases that were not learned from."""
    cases = np.arange(training.codes.size)
    if cases.size > TUNING_CASES:
        drawn = np.random.default_rng(training.seed).choice(cases, TUNING_CASES, replace=False)
        training = training.take(np.sort(drawn))
    costs = dict.fromkeys(candidates, 0.0)
    for train, test in _inner_folds(training):
        learn, held_out = learner(training.take(train)), training.take(test)
        for setting in candidates:
            costs[setting] += learn(setting).total(held_out) / training.codes.size
    return costs


def _inner_folds(training: TrainingSet) -> Iterator[tuple[Places, Places]]:
    """Yield training and test cases; none where no class has two cases."""
    n_folds = min(INNER_FOLDS, int(np.bincount(training.codes).max()))
    if n_folds < 2:
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")
        yield from shuffled_splits(training.codes, n_folds, training.seed)


def choose_cheapest(errors: Floats, weights: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Return the cheapest answer for each row of class counts, or of probabilities.

    >>> M = np.array([[0.0, 9.0], [1.0, 0.0]])  # taking the second class for the first costs 9
    >>> choose_cheapest(M, np.array([[0.95, 0.05], [0.8, 0.2]]))
    array([0, 1], dtype=int32)
    """
    counts = np.ascontiguousarray(weights, np.float64)
    allowed = all_allowed(len(counts), len(errors))
    return cheapest_between(errors, counts, NO_DECISIONS, allowed)


def count_classes(codes: Places, groups: Places, n_groups: int, n_classes: int) -> Floats:
    """Return the class counts of groups of cases.

    >>> count_classes(np.array([0, 1, 1]), np.array([0, 1, 1]), 2, 2)
    array([[1., 0.],
           [0., 2.]])
    """
    counts = np.zeros((n_groups, n_classes))
    np.add.at(counts, (groups, codes), 1.0)
    return counts


def not_installed(library: str) -> FrugaltreeError:
    """Return the error for a peer whose library is not there."""
    return FrugaltreeError(
        f"{library} is not installed; pip install 'frugaltree[peers]' brings it."
    )
