"""Trees of FrugalTree at several prices of an error, where what a search knows goes on."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from frugaltree.anytime.progress import Progress, gap_between
from frugaltree.costs import Costs
from frugaltree.costs.scaled import with_errors_times
from frugaltree.engines.cross_validation import part_of
from frugaltree.engines.exact.at_prices import INTERRUPTED, FoundTree, PricedSearches, Task
from frugaltree.engines.exact.large import LargeSession
from frugaltree.engines.exact.search import CLOSE, Search
from frugaltree.engines.problem import Problem
from frugaltree.estimators.frugal import FrugalTreeClassifier
from frugaltree.tradeoff.budget import Budget
from frugaltree.tradeoff.held_out import Fold, Told
from frugaltree.tradeoff.hull import Bounds, Line

AFTERWARDS, FOLDS_SHARE = 2.5, 1.1
"""How many times as long as one fit the other prices take at most, and the folds; with the fit
itself that stays below five."""

LEAST_SECONDS, LEAST_LOOK = 0.5, 0.01
"""Each of the two may take so long at least, and so long a search in it."""


class SearchedTrees:
    """Trees of FrugalTree, all by the setting that a fit at the prices as they are has chosen.

    Parameters
    ----------
    estimator
        The learner, not fitted.
    X, y
        The cases.
    with_folds
        Whether time is to be left for folds.

    Attributes
    ----------
    lines, proven
        As :class:`frugaltree.tradeoff.walk.Source` has them.
    interrupted
        Whether Ctrl-C has ended a search.
    """

    def __init__(
        self, estimator: FrugalTreeClassifier, X: Any, y: Any, *, with_folds: bool
    ) -> None:
        learner = clone(estimator).set_params(warm_start=True, checkpoint=None)
        self.fitted: FrugalTreeClassifier = learner.fit(X, y)
        session = learner._session_
        self._forget_search(estimator)
        self.costs = estimator.costs or Costs()
        large = isinstance(session, LargeSession)
        rules = {
            "expected_error": estimator.expected_error,
            "penalty": estimator.penalty,
            "max_depth": estimator.max_depth,
            "min_cases": estimator.min_cases,
            "min_leaf": learner._least_of_leaf(session.problem),
        }
        task = Task(
            tests=session.tests,
            setting=session.settings[session.pick],
            rules=rules,
            limits=session.limits._replace(path=None),
            gap=session.gap if large else session.acceptance.gap_wanted,
            sample_rows=session.sample_rows if large else None,
            seed=session.seed,
        )
        search = None if large else session.search
        self._searches = PricedSearches(session.problem, task, search)
        incumbent = session.incumbent if large else session.acceptance.incumbent
        self._searches.take(incumbent.found, session.problem)
        if type(search) is Search and np.isfinite(search.upper):  # what it has found may be better
            self._searches.take(search.tree()[0], session.problem)
        self.proven = Bounds()
        self.proven.note(1.0, self.fitted.lower_bound_)
        self.interrupted = self.fitted.termination_ == INTERRUPTED
        self._monitored = estimator.max_steps is None and estimator.time_limit == "auto"
        afterwards = AFTERWARDS if with_folds else AFTERWARDS + FOLDS_SHARE
        self._budget = self._part_of_fit(estimator, afterwards)
        self._folds_budget = self._part_of_fit(estimator, FOLDS_SHARE)

    def _forget_search(self, estimator: FrugalTreeClassifier) -> None:
        """Leave what the fit has kept to go on from to this object."""
        self.fitted._session_ = None
        self.fitted.set_params(warm_start=estimator.warm_start, checkpoint=estimator.checkpoint)

    def _part_of_fit(self, estimator: FrugalTreeClassifier, times: float) -> Budget:
        """Return so many times what the fit has taken; no limit where it had none."""
        steps = estimator.max_steps
        if steps is not None:
            return Budget(None, int(times * steps))
        if estimator.time_limit is None:
            return Budget(None, None)
        taken = self.fitted.history_[-1].seconds
        return Budget(max(times * taken, LEAST_SECONDS), None)

    @property
    def classes(self) -> list[Any]:
        """The classes, in the order of the codes of ``truth``."""
        found: list[Any] = self.fitted.classes_.tolist()
        return found

    @property
    def truth(self) -> npt.NDArray[np.int32]:
        """The class of each case."""
        return self._searches.problem.cases.classes

    @property
    def knows_bounds(self) -> bool:
        """Whether searches prove what no tree costs less than; those of samples do not."""
        return self._searches.task.sample_rows is None

    @property
    def lines(self) -> list[Line]:
        """What each tree costs."""
        return [Line(tree.tests, tree.errors) for tree in self._searches.trees]

    def look(self, factor: float, part: float) -> bool:
        """Search at a factor, with a part of what is left; tell whether there is time for more."""
        if self.interrupted or self._budget.is_spent:
            return False
        on, bound = self._search(self._searches, factor, self._budget, part)
        self.proven.note(factor, bound)
        return on

    def _search(
        self, searches: PricedSearches, factor: float, budget: Budget, part: float
    ) -> tuple[bool, float]:
        """Search; tell whether there is time for more, and what no tree costs less than."""
        limit = budget.part(part)
        seconds = None if limit.seconds is None else max(limit.seconds, LEAST_LOOK)
        found = searches.search(
            factor, seconds=seconds, max_steps=limit.steps, monitored=self._monitored
        )
        budget.spend(found.steps)
        self.interrupted = found.reason == INTERRUPTED
        return not (self.interrupted or budget.is_spent), found.bound

    # ------------------------------------------------------------------------ learners

    def learner(self, line: int, factor: float) -> FrugalTreeClassifier:
        """Return a fitted learner with a tree, at the costs of a factor."""
        searches, tree = self._searches, self._searches.trees[line]
        learner = self._with_tree(searches, tree, factor)
        learner.objective_ = tree.at(factor)
        charged = learner.objective_ - learner.expected_cost_
        if charged <= CLOSE * learner.objective_:
            learner.objective_ = learner.expected_cost_
        bound = self.proven.at(factor)
        proven = bound >= learner.objective_ * (1.0 - CLOSE)
        learner.lower_bound_ = learner.objective_ if proven else bound
        learner.gap_ = gap_between(learner.objective_, learner.lower_bound_)
        if proven:
            learner.termination_ = "optimal"
        known = learner.lower_bound_ if self.knows_bounds else None
        learner.history_ = [Progress(0.0, learner.objective_, known, what="frontier")]
        return learner

    def _with_tree(
        self, searches: PricedSearches, tree: FoundTree, factor: float
    ) -> FrugalTreeClassifier:
        """Return the fitted learner with another tree, at the costs of a factor."""
        learner = copy(self.fitted)
        learner.costs = with_errors_times(self.costs, factor)
        learner._keep(*searches.kept_tree(tree, factor))
        learner.termination_ = self.fitted.termination_
        learner.tuning_ = learner.forecast_ = learner.cv_cost_ = learner.cv_cost_error_ = None
        return learner

    # --------------------------------------------------------------------------- folds

    def tell(self, fold: Fold, factors: Sequence[float], part: float) -> Told | None:
        """Return what trees of a fold say of the cases left out; None if that was interrupted.

        ``part`` is the part of the time left for folds that this one may take.
        """
        problem = self._searches.problem
        searches = PricedSearches(part_of(problem, fold.train), self._searches.task)
        left = Budget(*self._folds_budget.part(part))
        for i, factor in enumerate(factors):
            self._search(searches, factor, left, 1.0 / (len(factors) - i))
            if self.interrupted:
                return None
        self._folds_budget.spend(left.taken)
        asked = [self._asked(searches, factor, problem, fold.test) for factor in factors]
        return Told.of(asked)

    def _asked(
        self, searches: PricedSearches, factor: float, problem: Problem, test: npt.NDArray[np.intp]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Return the answers and bills of the best tree of a fold for the cases left out."""
        learner = self._with_tree(searches, searches.best(factor), factor)
        tree, values = learner.tree_, problem.table.rows(test)
        answers = tree.labels[tree.find(values)]
        return np.asarray(answers), tree.bills(values, problem.prices)
