"""FrugalTreeClassifier: the cheapest tree, with a proof, as soon as time allows.

One search holds everything that is known about the states met so far, from both sides: the best
tree and a bound that no tree undercuts (kernels/solve.py). It alternates between two ways to
learn more: trees sampled below each test, as ACT does, which find good trees early, and branch and
bound, which rules out the rest. When bound and cost meet, the tree is optimal for this estimate on
these cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from frugaltree._sklearn import between, one_of, whole
from frugaltree.anytime.drive import History, Progress
from frugaltree.anytime.journal import LOGGER
from frugaltree.anytime.stop import Stop, bytes_in, seconds_in
from frugaltree.costs import Costs
from frugaltree.kernels.objective import Objective
from frugaltree.learners.anytime import AnytimeTree
from frugaltree.learners.base import Problem
from frugaltree.learners.best import Best, gap_between
from frugaltree.learners.lookahead import coded, make_plan
from frugaltree.learners.pessimism import (
    Candidate,
    Trial,
    candidates,
    chosen,
    costs_of_kinds,
    values_of,
)
from frugaltree.learners.solver import CLOSE, Pessimism, Search, is_compiled, make_objective

TUNING_SHARE = 0.4
"""Share of the time that goes into choosing the pessimism, at most."""

REPEATS = 2
"""How often the cases are dealt into folds, at most."""


class FrugalTreeClassifier(AnytimeTree):
    """The tree of lowest expected total cost, and how close to the best it is.

    Searches all trees: whatever tests, in whatever order, every cut of a numeric test. The best
    tree so far is there from the start and never gets worse; a bound says what no tree can cost
    less than. When the two meet, ``termination_`` is "optimal": optimal for this estimate on
    these cases.

    Parameters
    ----------
    costs : Costs, default=None
        Prices of tests and errors; None means free tests and errors of cost 1.
    time_limit : float or str, default="60s"
        Seconds, or text such as ``"60s"`` or ``"5 min"``, after which the best tree so far is
        returned; None for no limit.
    memory_limit : int or str, default="2GB"
        Bytes, or text such as ``"2GB"``, that the search may take to remember what it knows.
    gap : float, default=0.0
        How far from the best a tree may be for the search to end, as a share of its cost.
    pessimism : {"auto", "paper", "none"} or float, default="auto"
        How the search is kept from following chance. "paper" estimates errors at the paper's
        confidence, a number at that confidence, "none" takes the errors seen. "auto" tries a few
        very different settings on cases held out, and leaves the paper's only for one that saves
        more than chance would explain.
    max_depth : int, default=None
        Most tests on a path; None means no limit.
    min_cases : int, default=1
        A split needs at least two branches of so many cases.
    max_steps : int, default=None
        Most states to look at, for results that do not depend on the clock.
    expected_error : {"c45", "exact", "training"}, default="c45"
        C4.5's approximation, the exact binomial limit, or the errors seen.
    penalty : {"laplace", "multinomial"}, default="laplace"
        Cost of an error where kinds of error differ, see :class:`ACTClassifier`.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal: by their dtype, none, or these names, positions or mask.
    random_state : int, RandomState or None, default=None
        Seed of the samples, and of how cases are held out.
    n_jobs : int, default=None
        Not used.
    verbose : int, default=0
        1 shows a progress bar, 2 a log.

    Attributes
    ----------
    tree_, classes_, expected_cost_, test_usage_
        As in :class:`C45Classifier`.
    objective_ : float
        What was minimised, per case: the expected cost, and what the pessimism charges splits.
    lower_bound_ : float
        No tree has a lower objective.
    gap_ : float
        How far the tree can be from the best, as a share of its objective.
    termination_ : str
        "optimal", "gap", "time_limit", "steps", "callback" or "interrupted".
    history_ : list of (seconds, cost, bound)
        What was known when.
    pessimism_ : str
        The setting in force.
    tuning_ : list of (name, cost, error, saving, saving_error) or None
        What each setting costs per case held out, and saves against the paper's.
    cv_cost_, cv_cost_error_ : float or None
        The cost per case to expect of new cases, by the trial of the setting in force, and its
        standard error.

    See Also
    --------
    ACTClassifier : The paper's learner, which this one goes on from.

    Examples
    --------
    Whether two bits differ: neither helps alone, and the third test is cheap and useless.

    >>> from itertools import product
    >>> from frugaltree import Costs, FrugalTreeClassifier
    >>> X = [bits for bits in product([0, 1], repeat=3) for _ in range(5)]
    >>> y = [a ^ b for a, b, _ in X]
    >>> frugal = FrugalTreeClassifier(Costs([10, 10, 1], errors=100), pessimism="paper").fit(X, y)
    >>> print(frugal.to_text())
    asks x0, price 10
    ├─ x0 <= 0.5: asks x1, price 10
    │  ├─ x1 <= 0.5: 0  10 cases, 100 %
    │  └─ x1 > 0.5:  1  10 cases, 100 %
    └─ x0 > 0.5:  asks x1, price 10
       ├─ x1 <= 0.5: 1  10 cases, 100 %
       └─ x1 > 0.5:  0  10 cases, 100 %
    >>> frugal.termination_
    'optimal'
    """

    _looks_at_errors = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AnytimeTree._parameter_constraints,
        "memory_limit": [between(1.0, None), str],
        "gap": [between(0.0, 1.0)],
        "pessimism": [between(0.0, 1.0, closed="neither"), one_of("auto", "paper", "none")],
        "max_depth": [whole(0), None],
        "min_cases": [whole(1)],
        "max_steps": [whole(1), None],
        "penalty": [one_of("laplace", "multinomial")],
    }
    _parameter_constraints.pop("cf")

    def __init__(
        self,
        costs: Costs | None = None,
        *,
        time_limit: float | str | None = "60s",
        memory_limit: float | str = "2GB",
        gap: float = 0.0,
        pessimism: float | str = "auto",
        max_depth: int | None = None,
        min_cases: int = 1,
        max_steps: int | None = None,
        expected_error: str = "c45",
        penalty: str = "laplace",
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.costs = costs
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.gap = gap
        self.pessimism = pessimism
        self.max_depth = max_depth
        self.min_cases = min_cases
        self.max_steps = max_steps
        self.expected_error = expected_error
        self.penalty = penalty
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # -------------------------------------------------------------------- search

    def _prepare(self, problem: Problem) -> None:
        if is_compiled():
            return
        LOGGER.info("Compiling, about a minute; once after installing.")
        stop = Stop()
        stop.request("prepared")
        table, _ = coded(problem, make_plan(problem))
        objective = self._objective(problem, Pessimism("none", None))
        search = Search(problem, table, objective, stop)
        search.improve(0)
        costs_of_kinds(problem, table, values_of(table), search.tree()[0])

    def _rounds(self, problem: Problem, stop: Stop) -> Iterator[Progress]:
        began = perf_counter()
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        table, _ = coded(problem, make_plan(problem))
        settings = self._pessimisms(problem)
        objectives = [self._objective(problem, one) for one in settings]
        search = Search(problem, table, objectives[0], stop, bytes_in(self.memory_limit), seed)
        best = Best(search, self._fitted(settings[0]), self.gap)
        search.improve(0)
        yield best.progress("greedy tree")
        if len(settings) > 1:
            search.weigh()
            yield best.progress("sample 1")
            trial = Trial(search, objectives, seed)
            for what in self._tried(trial, perf_counter() - began, stop):
                yield best.still(what)
            found = trial.found([one.name for one in settings], problem.weight)
            pick = 0 if stop.requested else chosen(found)
            search.begin(table.weights, objectives[pick])
            best.change(self._fitted(settings[pick], found), anew=pick > 0)
        for what in search.rounds(self.max_steps):
            yield best.progress(what)
            if best.is_close:
                break
        if reason := best.reason:
            stop.request(reason)

    def _tried(self, trial: Trial, seconds: float, stop: Stop) -> Iterator[str]:
        """Try the settings as far as time allows, given how long one tree took."""
        limit = seconds_in(self.time_limit)
        left = np.inf if limit is None or self.max_steps is not None else TUNING_SHARE * limit
        began, expected = perf_counter(), trial.trees * seconds
        repeats = REPEATS
        while repeats and perf_counter() - began + expected <= left and not stop.requested:
            start = perf_counter()
            for fold in trial.repeat():
                yield f"held out, fold {fold}"
            expected, repeats = perf_counter() - start, repeats - 1

    def _pessimisms(self, problem: Problem) -> list[Pessimism]:
        """Return the settings to choose from, the one to fall back on first."""
        costs = self.costs or Costs()
        cf = costs.cf(problem.table.names, problem.classes.tolist())
        if self.pessimism == "auto":
            return candidates(cf)
        if self.pessimism == "paper":
            return [Pessimism("paper", cf)]
        if self.pessimism == "none":
            return [Pessimism("none", None)]
        return [Pessimism(f"cf {self.pessimism:g}", float(self.pessimism))]

    def _objective(self, problem: Problem, pessimism: Pessimism) -> Objective:
        return make_objective(
            problem,
            pessimism,
            expected_error=self.expected_error,
            penalty=self.penalty,
            max_depth=self.max_depth,
            min_cases=self.min_cases,
        )

    def _fitted(
        self, pessimism: Pessimism, found: list[Candidate] | None = None
    ) -> dict[str, Any]:
        """Return the fitted attributes that come with a setting."""
        tried = [one for one in found or [] if one.name == pessimism.name]
        return {
            "pessimism_": pessimism.name,
            "cf_": pessimism.cf,
            "tuning_": found or None,
            "cv_cost_": tried[0].cost if tried else None,
            "cv_cost_error_": tried[0].error if tried else None,
        }

    def _keep_progress(self, problem: Problem, progress: Progress, history: History) -> None:
        super()._keep_progress(problem, progress, history)
        charged = progress.cost - self.expected_cost_
        exact = charged <= CLOSE * progress.cost  # sums of the same costs, in another order
        self.objective_ = self.expected_cost_ if exact else progress.cost
        self.lower_bound_ = min(float(progress.bound or 0.0), self.objective_)
        self.gap_ = gap_between(self.objective_, self.lower_bound_)

    def _confidence(self) -> float:
        return 0.25 if self.cf_ is None else float(self.cf_)

    def _error_form(self) -> str:
        return "training" if self.cf_ is None else str(self.expected_error)
