"""Learners of the paper under the tuning of our own, so that search and tuning are told apart.

Each chooses among few, very different settings as FrugalTreeClassifier did when the study was
first run: by what trees cost on cases held out, in five folds dealt twice, leaving the first
setting only for one that saves more per case than the standard error of the saving.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from frugaltree import table as tables
from frugaltree.costs import Costs
from frugaltree.engines.cross_validation import (
    FOLDS,
    Trial,
    make_trials,
    mark_chosen,
    stratified_folds,
    sure_trial,
)
from frugaltree.engines.forecast import standard_error
from frugaltree.estimators.act import ACTClassifier
from frugaltree.estimators.dtmc import DTMCClassifier
from frugaltree.table.labels import as_labels
from frugaltree.tree.tree import Tree

Floats = npt.NDArray[np.float64]

REPEATS = 2
"""How often the cases are dealt into folds."""
Cases = npt.NDArray[np.intp]
Settings = Mapping[str, Callable[..., Any]]
"""What makes a learner of costs and a seed, by the name of its setting."""

EG2 = partial(ACTClassifier, n_samples=0, w=1.0)
"""EG2, pruned where a leaf is expected to cost no more."""

LEAF = partial(ACTClassifier, n_samples=0, max_depth=0)
"""The cheapest answer without asking."""

CONFIDENCES = (0.1, 0.03, 0.01)
"""Of the expected error, each more pessimistic than the one before."""


class Tuned(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the tuned learners.

    Parameters
    ----------
    costs : Costs, default=None
        Prices of tests and errors; None means free tests and errors of cost 1.
    random_state : int, RandomState or None, default=None
        Deals the folds, and seeds the learner within.

    Attributes
    ----------
    setting_ : str
        The setting chosen.
    tuning_ : list of Trial
        What each setting costs per case held out, and saves against the first.
    tree_, classes_
        The tree learned from all cases under that setting, and the classes.
    """

    _settings: ClassVar[Settings]
    """The settings to choose from, the one to fall back on first."""

    _while_trying: ClassVar[Mapping[str, Any]] = {}
    """Parameters of the learner while settings are tried."""

    def __init__(self, costs: Costs | None = None, *, random_state: Any = None):
        self.costs = costs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose a setting and learn from labelled cases."""
        X, labels = tables.as_array(X), as_labels(y)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        trials = self._try_settings(X, labels, seed)
        self.setting_ = list(self._settings)[sure_trial(trials)]
        self.tuning_ = mark_chosen(trials, {"setting": self.setting_})
        self.model_ = self._settings[self.setting_](self.costs, random_state=seed).fit(X, labels)
        self.classes_ = self.model_.classes_
        return self

    def _try_settings(self, X: Any, labels: npt.NDArray[Any], seed: int) -> list[Trial]:
        """Return what each setting costs on cases held out."""
        random = np.random.default_rng(seed)
        _, codes = np.unique(labels, return_inverse=True)
        costs = np.zeros((REPEATS, len(self._settings), codes.size))
        for repeat in costs:
            folds = stratified_folds(codes.astype(np.int32), random)
            for fold in range(min(FOLDS, codes.size)):
                train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
                if train.size:
                    repeat[:, test] = self._score_fold(X, labels, train, test, seed)
        return summarise(list(self._settings), costs)

    def _score_fold(
        self, X: Any, labels: npt.NDArray[Any], train: Cases, test: Cases, seed: int
    ) -> Floats:
        """Return what each case of a fold costs under each setting: its bill and its error."""
        classes = np.unique(labels)
        matrix = (self.costs or Costs()).matrix(classes.tolist())
        actual = np.searchsorted(classes, labels[test])
        grown, held_out = _rows(X, train), _rows(X, test)
        costs = np.empty((len(self._settings), test.size))
        for i, make in enumerate(self._settings.values()):
            model = make(self.costs, random_state=seed).set_params(**self._while_trying)
            model.fit(grown, labels[train])
            answers = np.searchsorted(classes, model.predict(held_out))
            costs[i] = model.bill(held_out) + matrix[answers, actual]
        return costs

    @property
    def tree_(self) -> Tree:
        """The tree of the learner within."""
        check_is_fitted(self)
        tree: Tree = self.model_.tree_
        return tree

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the answer for each case."""
        check_is_fitted(self)
        return np.asarray(self.model_.predict(X))

    def bill(self, X: Any, costs: Costs | None = None) -> Floats:
        """Return what the tests of each case cost, by the learner's prices or by others."""
        check_is_fitted(self)
        return np.asarray(self.model_.bill(X, costs))


class TunedDTMC(Tuned):
    """DTMC by the cheapest answer or by the mean over answers, or no test at all.

    Examples
    --------
    >>> X, y = [[0], [1]] * 20, [0, 1] * 20
    >>> tuned = TunedDTMC(Costs([10], errors=100), random_state=0).fit(X, y)
    >>> tuned.setting_, [one.name for one in tuned.tuning_]
    ('min', ['min', 'expected', 'leaf'])
    """

    _settings: ClassVar[Settings] = {
        "min": DTMCClassifier,
        "expected": partial(DTMCClassifier, criterion="expected"),
        "leaf": LEAF,
    }


class TunedEG2(Tuned):
    """EG2 pruned by costs at the paper's confidence or a lower one, or no test at all."""

    _settings: ClassVar[Settings] = {
        "paper": EG2,
        **{f"cf {cf:g}": partial(EG2, cf=cf) for cf in CONFIDENCES},
        "leaf": LEAF,
    }


class TunedACT(Tuned):
    """ACT at the paper's confidence or a lower one, with larger branches, or no test at all.

    Settings are tried with a sample of one; the tree kept has ACT's usual five.
    """

    _settings: ClassVar[Settings] = {
        "paper": ACTClassifier,
        **{f"cf {cf:g}": partial(ACTClassifier, cf=cf) for cf in CONFIDENCES},
        "min cases 10": partial(ACTClassifier, min_cases=10),
        "leaf": LEAF,
    }
    _while_trying: ClassVar[Mapping[str, Any]] = {"n_samples": 1}


def summarise(names: list[str], costs: Floats) -> list[Trial]:
    """Return what settings cost and save, given the cost of each deal, setting and case.

    Dealing the same cases again makes means steadier, not the cases more: standard errors are
    those of a single deal.

    >>> _, leaf = summarise(["paper", "leaf"], np.array([[[4.0, 6.0], [3.0, 3.0]]]))
    >>> leaf.cost, leaf.error, leaf.saving, leaf.saving_error
    (3.0, 0.0, 2.0, 1.0)
    """
    numbers = np.array([*_mean_and_error(costs), *_mean_and_error(costs[:, :1] - costs)])
    return make_trials(names, [{"setting": name} for name in names], numbers)


def _mean_and_error(values: Floats) -> tuple[Floats, Floats]:
    """Return the mean over deals and cases, and its standard error, for each setting."""
    mean = values.mean(axis=(0, 2))
    return mean, standard_error((values**2).mean(axis=(0, 2)), mean, values.shape[2])


def _rows(X: Any, where: Cases) -> Any:
    frame = tables.frame_of(X)
    return X[where] if frame is None else frame[where, :].to_native()
