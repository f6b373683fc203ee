"""Trees for several budgets, learned together, where the budget is known only with the case."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from frugaltree import table as tables
from frugaltree._sklearn import (
    any_but_zero,
    draw_seed,
    names_of,
    one_of,
    validate_parameters,
    whole,
)
from frugaltree.costs import Costs
from frugaltree.costs.conditions import refuse_price_if
from frugaltree.engines.budgets import Choice, affordable
from frugaltree.engines.cross_validation import FOLDS
from frugaltree.engines.mixing import copies_for
from frugaltree.engines.prefixes import spending_levels
from frugaltree.estimators.act import ACTClassifier
from frugaltree.estimators.answers import TreeAnswers
from frugaltree.estimators.base import CostSensitiveTree, all_or_nothing
from frugaltree.estimators.budget_checks import (
    check_budget,
    check_budgets,
    check_case_budgets,
    check_settings,
)
from frugaltree.estimators.budget_trials import Learned, Learning
from frugaltree.estimators.reading import read_classes, read_weights, take_rows
from frugaltree.estimators.trees_for_budgets import learn_trees
from frugaltree.estimators.within_budget import Budget, WithBudget, cut_learner, overview
from frugaltree.exceptions import FrugaltreeError, InvalidTable
from frugaltree.metrics import normalized_cost, total_cost
from frugaltree.tree.tree import Tree

Floats = npt.NDArray[np.float64]

AUTO_SHARES = (0.0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
"""``budgets="auto"`` are these shares of what all tests cost."""

AUTO_MIN_CASES = (5, 10)
"""What ``settings="auto"`` tries for ``min_cases``."""

MIXED_MIN_CASES = (3, 5)
"""What it tries for them with mixed cases."""

FOLDS_UP_TO = {1_000: FOLDS, 2_000: 2}
"""Up to so many cases ``folds="auto"`` holds so many parts out; beyond, one."""

MIXED_SHARE = 0.3
"""The share of values that ``settings="auto"`` mixes in small tables."""


def folds_in_force(folds: int | str, n_cases: int) -> int:
    """Return how many parts are held out in turn.

    >>> [folds_in_force("auto", n) for n in (300, 2000, 3000)], folds_in_force(3, 3000)
    ([5, 2, 1], 3)
    """
    if isinstance(folds, str):
        return next((n for most, n in FOLDS_UP_TO.items() if n_cases <= most), 1)
    return int(folds)


class Repertoire(TreeAnswers):
    """Trees for increasing budgets: with each case comes a budget, and with it the tree to use.

    A tree for a small budget is affordable with a larger one, too. So for each budget the best
    of all affordable trees is kept, by cases held out of the training cases; where only some were,
    a tree for a smaller budget must be better by more than chance. Settings are chosen once for
    all, for the largest budget.

    With ``interruptible=True`` it is one tree whose every node has an answer, and of which so much
    is asked as a budget allows: for a budget that nobody knows before it is spent.

    Parameters
    ----------
    costs : Costs, default=None
        Prices of tests and errors; None means free tests and errors of cost 1.
    budgets : "auto" or list of float, default="auto"
        The budgets, increasing. "auto" is nothing, a 16th, an 8th, a quarter and a half of what
        all tests cost, and all of it.
    estimator : estimator, default=None
        What learns a tree: a learner with ``max_test_cost``, without costs of its own. None is
        ``ACTClassifier(n_samples=1)``.
    settings : "auto", None or list of dict, default="auto"
        Parameters of the estimator to choose from by cases held out. "auto" tries a ``min_cases``
        of 5 and 10, ACT in small tables also 3 and 5 with ``mixed`` cases; None takes the
        estimator as it is.
        ``"mixed"`` is not one of the estimator's: of each case there are copies in which this
        share of the values is taken from others of its class.
    folds : "auto" or int, default="auto"
        Of five parts of the cases so many are held out in turn, 5 for all. "auto" is 5 up to 1,000
        cases, 2 up to 2,000, then 1. 0 holds none out: then the first setting counts, and trees
        are compared by their estimate.
    judge : {"errors", "total"}, default="errors"
        What trees are compared by: the cost of errors, for the budget is granted, or the bill,
        too.
    interruptible : bool, default=False
        Whether one tree is to serve all budgets, cut short where one ends.
    random_state : int, RandomState or None, default=None
        Seed of the parts and of the samples.
    n_jobs : int, default=None
        Threads that learn trees side by side.

    Attributes
    ----------
    budgets_ : ndarray
        The budgets.
    estimators_ : list of estimators
        The fitted learner for each budget; the same one may serve several.
    choices_ : list of Choice
        For each budget, which one the tree was ``learned_for``, and what it costs by cases held
        out.
    tuning_ : list of Trial or None
        What each setting costs for the largest budget; None where nothing was to be chosen.
    settings_ : dict
        The settings chosen.
    tree_, classes_, expected_cost_, test_usage_
        Those of the largest budget.

    See Also
    --------
    ACTClassifier : Learns a tree for one budget, ``max_test_cost``.

    Examples
    --------
    The first test is right for three quarters of the cases, the second, which is dear, for all.

    >>> from frugaltree import Costs, Repertoire
    >>> X = [[0, 0], [0, 0], [0, 0], [0, 1], [1, 0], [1, 1], [1, 1], [1, 1]] * 10
    >>> y = ["ill" if b else "well" for _, b in X]
    >>> costs = Costs([1, 5], errors=100)
    >>> doctor = Repertoire(costs, budgets=[0, 1, 5], random_state=0).fit(X, y)
    >>> print(doctor.overview())
    budget  learned for  held out: bill  right  errors cost
      0.00         0.00            0.00   50 %        50.00
      1.00         1.00            1.00   75 %        25.00
      5.00         5.00            5.00  100 %         0.00
    >>> doctor.predict([[0, 1], [0, 1]], budget=[1, 8]).tolist()
    ['well', 'ill']
    >>> doctor.bill([[0, 1], [0, 1]], budget=[1, 8]).tolist()
    [1.0, 5.0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "costs": [Costs, None],
        "budgets": ["array-like", one_of("auto")],
        "estimator": [CostSensitiveTree, None],
        "settings": [list, tuple, one_of("auto"), None],
        "folds": [whole(0, 5), one_of("auto")],
        "judge": [one_of("errors", "total")],
        "interruptible": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [*any_but_zero(), None],
    }

    def __init__(
        self,
        costs: Costs | None = None,
        *,
        budgets: Any = "auto",
        estimator: Any = None,
        settings: Any = "auto",
        folds: int | str = "auto",
        judge: str = "errors",
        interruptible: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.costs = costs
        self.budgets = budgets
        self.estimator = estimator
        self.settings = settings
        self.folds = folds
        self.judge = judge
        self.interruptible = interruptible
        self.random_state = random_state
        self.n_jobs = n_jobs

    # ----------------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a tree for each budget from labelled cases.

        Parameters
        ----------
        X : array or data frame of shape (n_cases, n_tests)
            The cases, at hand: cases are held out of them.
        y : array-like of shape (n_cases,)
            The classes.
        sample_weight : array-like of shape (n_cases,), default=None
            How many cases each row stands for.

        Returns
        -------
        self
        """
        validate_parameters(self)
        with all_or_nothing(self):
            base = self._base()
            refuse_price_if(self.costs, "a repertoire")
            if self.interruptible and self.folds == 0:
                raise FrugaltreeError(
                    "interruptible=True compares trees on cases held out; let folds be 1 or more."
                )
            if tables.stream_of(X) is not None:
                raise InvalidTable(
                    "a repertoire holds cases out, for which the table must be at hand; collect "
                    "it, or fit one learner with max_test_cost."
                )
            X = self._checked(X, reset=True)
            names = names_of(self, X.shape[1])
            classes, codes = read_classes(y, len(X))
            budgets = self._budgets_in_force(names)
            learning = Learning(
                base=base,
                X=X,
                classes=classes,
                codes=codes.astype(np.int32, copy=False),
                weights=None if sample_weight is None else read_weights(sample_weight, len(X)),
                seed=draw_seed(self.random_state),
                folds=folds_in_force(self.folds, len(X)),
                judges_bills=self.judge == "total",
                n_jobs=self.n_jobs,
            )
            self._keep(
                learn_trees(
                    learning,
                    budgets,
                    self._settings_in_force(base, len(X)),
                    interruptible=bool(self.interruptible),
                )
            )
        return self

    def _keep(self, found: Learned) -> None:
        """Set the fitted attributes."""
        self.budgets_ = np.array([one.budget for one in found.choices])
        self.choices_: list[Choice] = found.choices
        self.tuning_, self.settings_ = found.tuning, dict(found.settings)
        self._learned: list[CostSensitiveTree] = found.estimators
        last = found.estimators[-1]
        one = bool(self.interruptible)
        self._levels = spending_levels(last.tree_, last._prices()) if one else self.budgets_
        self._views: dict[int, CostSensitiveTree] = {}
        self.classes_ = found.estimators[-1].classes_
        self._take_over(self.for_budget(self.budgets_[-1]))

    def _take_over(self, one: CostSensitiveTree) -> None:
        """Show the tree of the largest budget as if it was the only one."""
        for name in (
            "tree_", "class_frequencies_", "test_usage_", "test_ranges_", "expected_test_cost_",
            "expected_error_cost_", "expected_cost_", "termination_",
        ):  # fmt: skip
            setattr(self, name, getattr(one, name))

    def _base(self) -> CostSensitiveTree:
        """Return the learner of one tree, not fitted."""
        base: Any = ACTClassifier(n_samples=1) if self.estimator is None else copy(self.estimator)
        parameters = base.get_params(deep=False)
        if "max_test_cost" not in parameters:
            raise FrugaltreeError(
                f"a {type(base).__name__} has no max_test_cost, so that it cannot learn for a "
                "budget; take one that has, such as ACTClassifier()."
            )
        if parameters["max_test_cost"] is not None:
            raise FrugaltreeError(
                f"the estimator has a max_test_cost of {parameters['max_test_cost']:g} of its "
                "own; leave it out, and give budgets."
            )
        if self.interruptible and parameters.get("monotone") is not None:
            raise FrugaltreeError(
                "interruptible=True learns what is below each leaf by itself, so that its answers "
                "cannot follow monotone; leave one of them out."
            )
        if parameters["costs"] not in (None, self.costs):
            raise FrugaltreeError(
                "the estimator has costs of its own; give them to the Repertoire, which hands "
                "them on."
            )
        return cast(
            CostSensitiveTree,
            clone(base).set_params(costs=self.costs, random_state=draw_seed(self.random_state)),
        )

    def _budgets_in_force(self, names: list[str]) -> list[float]:
        """Return the budgets, checked."""
        if isinstance(self.budgets, str):
            total = (self.costs or Costs()).total(names)
            return sorted({share * total for share in AUTO_SHARES})
        return check_budgets(self.budgets)

    def _settings_in_force(self, base: Any, n_cases: int) -> list[dict[str, Any]]:
        """Return the settings to choose from, checked."""
        known = [*base.get_params(deep=False), "mixed"]
        if self.settings is None or (self.settings == "auto" and "min_cases" not in known):
            return [{}]
        if isinstance(self.settings, str):
            plain: list[dict[str, Any]] = [{"min_cases": least} for least in AUTO_MIN_CASES]
            mixed = [{"min_cases": least, "mixed": MIXED_SHARE} for least in MIXED_MIN_CASES]
            mixes = isinstance(base, ACTClassifier) and copies_for(n_cases)
            return plain + (mixed if mixes else [])
        return check_settings(self.settings, known)

    # ------------------------------------------------------------------- budgets

    @property
    def estimators_(self) -> list[CostSensitiveTree]:
        """The fitted learner for each budget."""
        check_is_fitted(self, "tree_")
        return [self.for_budget(budget) for budget in self.budgets_]

    @property
    def trees_(self) -> list[Tree]:
        """The tree for each budget."""
        return [one.tree_ for one in self.estimators_]

    def for_budget(self, budget: float | None = None) -> CostSensitiveTree:
        """Return the fitted learner whose tree is used within a budget.

        It draws, exports, explains and consults as any other does.

        Parameters
        ----------
        budget
            What may be spent on a case; None is the largest budget.
        """
        if budget is None:
            budget = float(self.budgets_[-1])
        return self._view(int(self._places(np.atleast_1d(check_budget(budget)))[0]))

    def _places(self, budgets: Floats) -> npt.NDArray[np.intp]:
        """Return which of the trees each budget affords."""
        if not self.interruptible and budgets.size and budgets.min() < self._levels[0]:
            least = float(affordable(budgets.min()))
            if least < self._levels[0]:
                raise FrugaltreeError(
                    f"no tree was learned for a budget of {budgets.min():g} or less; give at "
                    f"least {self._levels[0]:g}, or fit with a smaller one among budgets."
                )
        return np.asarray(np.searchsorted(self._levels, affordable(budgets), side="right") - 1)

    def _view(self, place: int) -> CostSensitiveTree:
        """Return the fitted learner for a place among the trees."""
        if not self.interruptible:
            return self._learned[place]
        if place not in self._views:
            self._views[place] = cut_learner(self._learned[-1], float(self._levels[place]))
        return self._views[place]

    def _answered(
        self, X: Any, budget: Budget, ask: Callable[[CostSensitiveTree, Any], Any]
    ) -> Any:
        """Return what the trees say of cases, each within its budget."""
        check_is_fitted(self, "tree_")
        if budget is None or np.ndim(cast(Any, budget)) == 0:
            return ask(self.for_budget(cast(Any, budget)), X)
        if tables.stream_of(X) is not None:
            raise InvalidTable(
                "a budget for each case needs the table at hand; collect it, or give one budget."
            )
        X = X if tables.is_frame(X) else tables.as_array(X)
        places = self._places(check_case_budgets(budget, len(X)))
        if not places.size:
            return ask(self.for_budget(), X)
        answers: Any = None
        for place in np.unique(places).tolist():
            where = np.flatnonzero(places == place)
            found = ask(self._view(place), take_rows(X, where))
            if answers is None:
                answers = np.empty((len(X), *found.shape[1:]), found.dtype)
            answers[where] = found
        return answers

    def predict(self, X: Any, budget: Budget = None) -> npt.NDArray[Any]:
        """Return the answer for each case.

        Parameters
        ----------
        X
            The cases.
        budget
            What may be spent on each: one number for all, or one for each case. None is the
            largest budget.
        """
        return np.asarray(self._answered(X, budget, lambda one, rows: one.predict(rows)))

    def predict_proba(self, X: Any, budget: Budget = None) -> Floats:
        """Return the probability of each class, for each case, within its budget."""
        return np.asarray(self._answered(X, budget, lambda one, rows: one.predict_proba(rows)))

    def bill(self, X: Any, costs: Costs | None = None, *, budget: Budget = None) -> Floats:
        """Return what the tests of each case cost, by these prices or by others."""
        return np.asarray(self._answered(X, budget, lambda one, rows: one.bill(rows, costs)))

    def total_cost(  # type: ignore[override]  # trees for budgets know no costs of each case
        self, X: Any, y: Any, sample_weight: Any = None, *, budget: Budget = None
    ) -> float:
        """Return the mean cost of tests and errors per case."""
        return total_cost(WithBudget(self, budget), X, y, sample_weight=sample_weight)

    def score(  # type: ignore[override]
        self, X: Any, y: Any, sample_weight: Any = None, *, budget: Budget = None
    ) -> float:
        """Return minus the normalised total cost: 0 is free and perfect, greater is better."""
        return -normalized_cost(WithBudget(self, budget), X, y, sample_weight=sample_weight)

    # ---------------------------------------------------------------------- text

    def to_text(self, max_depth: int | None = None, *, budget: float | None = None) -> str:
        """Return the tree for a budget as text, with prices on its branches."""
        check_is_fitted(self, "tree_")
        return self.for_budget(budget).to_text(max_depth)

    def overview(self) -> str:
        """Return a line for each budget: which tree, and what it does by cases held out."""
        check_is_fitted(self, "tree_")
        return overview(self.choices_, None if self.costs is None else self.costs.unit)
