"""ACT: judge every test by the cheapest of a sample of trees below it (Figure 5).

The procedure of the figure, and where each of its lines is found in ``kernels``:

    ACT-Choose-Attribute(E, A, r)                  sampling/grow.py, choose_test
      if r = 0: return EG2-Choose-Attribute(E, A)    choose_greedily
      for each a in A                                sampling/evaluate.py, estimate_tests
        for each value v of a                        estimate_test, for each cut: estimate_split
          T <- EG2(E_v, A - {a})                       cheapest_sample: the first one, greedy
          repeat r - 1 times
            T <- SEG2(E_v, A - {a})                    the others, drawn (Figure 4):
                                                       sampling/sample.py, draw_scored
          min_v <- least Total-Cost(T, E_v)            sample_tree
        total_a <- Cost(a) + sum of |E_v|/|E| min_v  sampling/evaluate.py, estimate_split
      return the a of least total_a                  is_better_test
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from reprlib import repr as shortened
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from frugaltree._sklearn import between, count_or_share, one_of, whole
from frugaltree.anytime.progress import Snapshot
from frugaltree.anytime.stop import Stop
from frugaltree.costs import Costs
from frugaltree.engines.cross_validation import Trial, mark_chosen
from frugaltree.engines.problem import Problem
from frugaltree.engines.sampling.iidt import iidt
from frugaltree.engines.sampling.on_samples import sample_of_rows
from frugaltree.engines.sampling.plan import make_plan
from frugaltree.engines.sampling.schedules import Growth, contract, doubling
from frugaltree.engines.sampling.search import SamplingSearch
from frugaltree.engines.sampling.tuning import Setting, tune
from frugaltree.estimators.anytime import AnytimeTree
from frugaltree.estimators.costs_of_cases import check_can_search
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.data.nodes import Nodes

W_GRID = (0.0, 0.25, 0.5, 0.75, 1.0)
CF_GRID = (0.1, 0.2, 0.25, 0.3, 0.4)
"""What ``w="grid"`` and ``cf="grid"`` try: five values each, as the paper suggests."""

TUNING_SAMPLES = 5
"""Samples with which settings are compared if ``n_samples`` sets no limit."""


class ACTClassifier(AnytimeTree):
    """ACT: the tree of lowest expected total cost that a sample of trees points to.

    Each test of a node is judged by trees sampled below it, one grown by EG2 and others drawn at
    random in proportion to EG2's criterion. A sampled tree is pruned and priced: what its tests
    charge in context, and what its leaves are expected to get wrong. Tests that help only
    together are found this way, and a larger sample finds more. The tree so grown is pruned where
    a leaf costs no more.

    Parameters
    ----------
    costs : Costs, default=None
        Prices of tests and errors; None means free tests and errors of cost 1.
    n_samples : int or None, default=5
        The paper's r: trees sampled for each branch of each test, and cuts tried for a numeric
        test. 0 is EG2 with cost-sensitive pruning. With a schedule it is the largest sample;
        None then means no limit.
    w : "auto", "grid", float or list of float, default="auto"
        How much the sampled trees heed prices. "auto" is the paper's 0.5 + exp(-x), x being the
        mean cost of an error over that of all tests; 0 under ``max_test_cost``. Of several
        values, and with "grid" of 0, 0.25 ... 1, the best is found by 5-fold cross-validation;
        if time is up before any could be tried, it is the first, or with "grid" the paper's.
    cf : "auto", "grid", float or list of float, default="auto"
        Confidence of the expected error: the lower, the more pessimistic. "auto" is the paper's
        0.2 + 0.05 (1 + (x - 1) / (x + 1)); "grid" is 0.1, 0.2, 0.25, 0.3, 0.4.
    prune_samples : bool, default=True
        Whether sampled trees are pruned before they are priced.
    estimate : {"expected_error", "validation"}, default="expected_error"
        How the errors of a sampled tree are estimated: from its own cases, or from cases held
        out (where at least five come by).
    validation_fraction : float, default=0.25
        Share of the cases that is held out for "validation".
    split_points : {"gain", "quantile"}, default="gain"
        Which cuts of a numeric test are tried: those of largest gain, or quantiles of the node's
        values.
    lookahead_stop : None, int or "reduction", default=None
        Where sampled trees stop early: after so many levels of tests, or where the next test
        does not pay for itself at once.
    expected_error : {"c45", "exact", "training"}, default="c45"
        C4.5's approximation, the exact binomial limit, or the errors seen.
    penalty : {"laplace", "multinomial"}, default="laplace"
        Cost of an error where kinds of error differ: weighed by Laplace's law of succession, or
        each kind at its own upper limit.
    prices : {"context", "static"}, default="context"
        Prices by which EG2 chooses, see :class:`EG2Classifier`. Estimates are always in context.
    max_depth : int, default=None
        Most tests on a path; None means no limit.
    min_cases : int, default=1
        A split needs at least two branches of so many cases.
    min_samples_leaf : int or float, default=1
        Every branch of a split must have this many cases, a float being a share of all cases, as
        in scikit-learn; a row of weight 2 is two cases. A branch of those that lack the value
        counts like any other.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which those of their cases are multiplied, as in scikit-learn.
        They change how much the bills of these cases count, too, and how many cases the estimate
        of errors believes in; to say that one error is worse than another, use error costs.
    max_test_cost : float, default=None
        Most that any case may be charged for tests. The cost of errors alone is then minimised.
    time_limit : float or str, default=None
        Seconds, or text such as ``"60s"`` or ``"5 min"``, after which the best tree so far is
        returned. With a time limit the search follows the ``schedule``.
    schedule : {"doubling", "iidt"}, default="doubling"
        Under a time limit (or ``max_steps``): sample 1, 2, 4, ... trees and keep the cheapest
        result; or improve, again and again, the subtree that promises most for the time.
    max_steps : int, default=None
        Most trees ("doubling") or subtrees ("iidt") to grow, for results that do not depend on
        the clock.
    granularity : float, default=0.1
        "iidt" leaves subtrees alone that take less than this share of the whole tree's time.
    sample_rows : int, "auto" or None, default="auto"
        How many cases of a node its tests are judged by, at most: a stratified sample of them;
        all are split by the one that wins. "auto" is 2,500 where there are more than 10,000
        different cases, else all; None is the paper's algorithm to the letter.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal: by their dtype, none, or these names, positions or mask.
    max_bins : "auto", int or None, default="auto"
        How many bins the values of a numeric test may be put in, with about as many cases in each;
        thresholds lie between bins. None tells all values apart; ``"auto"`` does so up to 50,000
        rows, and makes 254 bins of longer tables. Nominal and ordered values stay as they are.
    random_state : int, RandomState or None, default=None
        Seed of the samples.
    n_jobs : int, default=None
        Threads, or workers of the backend that ``joblib.parallel_config`` sets. The tree is the
        same whatever their number.
    verbose : int, default=0
        1 shows a progress bar, 2 a log.

    Attributes
    ----------
    tree_, classes_, expected_cost_, test_usage_
        As in :class:`C45Classifier`.
    termination_ : str
        "completed", "time_limit", "steps", "callback" or "interrupted".
    history_ : list of Progress
        When the tree got better (``seconds``), at what expected ``cost``, after how many sampled
        trees (``steps``).
    w_, cf_ : float
        The values in force.
    tuning_ : list of Trial or None
        Every setting tried: its ``settings`` w and cf, its cross-validated ``cost`` per case, the
        standard ``error`` of that, what it saves against the first, whether it is the one chosen.

    See Also
    --------
    EG2Classifier : The greedy learner within.
    LSID3Classifier : The same search for the smallest tree.

    References
    ----------
    S. Esmeir and S. Markovitch, Anytime induction of low-cost, low-error classifiers: a
    sampling-based approach, Journal of Artificial Intelligence Research 33 (2008).
    S. Esmeir and S. Markovitch, Anytime learning of decision trees, Journal of Machine Learning
    Research 8 (2007), for the schedule "iidt".

    Examples
    --------
    Whether two bits differ: neither helps alone, and the third test is cheap and useless.

    >>> from itertools import product
    >>> from frugaltree import ACTClassifier, Costs, DTMCClassifier
    >>> X = [bits for bits in product([0, 1], repeat=3) for _ in range(5)]
    >>> y = [a ^ b for a, b, _ in X]
    >>> costs = Costs([10, 10, 1], errors=100)
    >>> DTMCClassifier(costs).fit(X, y).tree_.n_leaves
    1
    >>> act = ACTClassifier(costs, random_state=0).fit(X, y)
    >>> print(act.to_text())
    asks x0, price 10
    ├─ x0 <= 0.5: asks x1, price 10
    │  ├─ x1 <= 0.5: 0  10 cases, 100 %
    │  └─ x1 > 0.5:  1  10 cases, 100 %
    └─ x0 > 0.5:  asks x1, price 10
       ├─ x1 <= 0.5: 1  10 cases, 100 %
       └─ x1 > 0.5:  0  10 cases, 100 %
    """

    _looks_at_errors = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AnytimeTree._parameter_constraints,
        "n_samples": [whole(0), None],
        "w": [between(0.0, None, closed="left"), one_of("auto", "grid"), "array-like"],
        "cf": [between(0.0, 1.0, closed="neither"), one_of("auto", "grid"), "array-like"],
        "prune_samples": ["boolean"],
        "estimate": [one_of("expected_error", "validation")],
        "validation_fraction": [between(0.0, 1.0, closed="neither")],
        "split_points": [one_of("gain", "quantile")],
        "lookahead_stop": [whole(0), one_of("reduction"), None],
        "penalty": [one_of("laplace", "multinomial")],
        "prices": [one_of("context", "static")],
        "max_depth": [whole(0), None],
        "min_cases": [whole(1)],
        "sample_rows": [whole(100), one_of("auto"), None],
        "min_samples_leaf": count_or_share(),
        "max_test_cost": [between(0.0, None, closed="left"), None],
        "schedule": [one_of("doubling", "iidt")],
        "max_steps": [whole(1), None],
        "granularity": [between(0.0, 1.0)],
    }

    def __init__(
        self,
        costs: Costs | None = None,
        *,
        n_samples: int | None = 5,
        w: Any = "auto",
        cf: Any = "auto",
        prune_samples: bool = True,
        estimate: str = "expected_error",
        validation_fraction: float = 0.25,
        split_points: str = "gain",
        lookahead_stop: int | str | None = None,
        expected_error: str = "c45",
        penalty: str = "laplace",
        prices: str = "context",
        max_depth: int | None = None,
        min_cases: int = 1,
        min_samples_leaf: float = 1,
        class_weight: Any = None,
        max_test_cost: float | None = None,
        time_limit: float | str | None = None,
        schedule: str = "doubling",
        max_steps: int | None = None,
        granularity: float = 0.1,
        sample_rows: int | str | None = "auto",
        categorical_features: Any = "from_dtype",
        max_bins: str | int | None = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.costs = costs
        self.n_samples = n_samples
        self.w = w
        self.cf = cf
        self.prune_samples = prune_samples
        self.estimate = estimate
        self.validation_fraction = validation_fraction
        self.split_points = split_points
        self.lookahead_stop = lookahead_stop
        self.expected_error = expected_error
        self.penalty = penalty
        self.prices = prices
        self.max_depth = max_depth
        self.min_cases = min_cases
        self.min_samples_leaf = min_samples_leaf
        self.class_weight = class_weight
        self.max_test_cost = max_test_cost
        self.time_limit = time_limit
        self.schedule = schedule
        self.max_steps = max_steps
        self.granularity = granularity
        self.sample_rows = sample_rows
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # -------------------------------------------------------------------- search

    def _rounds(self, problem: Problem, stop: Stop) -> Iterator[Snapshot]:
        contracted = self._contracted_sample()
        random = check_random_state(self.random_state)
        seed = int(random.randint(2**63, dtype=np.int64))
        setting, tuning = self._tuned(problem, seed, stop)
        search = self._prepared_search(problem, setting, seed, stop)
        chosen = {"w_": setting.w, "cf_": setting.cf, "tuning_": tuning}
        growth = Growth.of(search, chosen)
        limits = self.n_samples, self.max_steps
        if contracted is not None:
            yield from contract(growth, seed, contracted, self.n_jobs)
        elif self.schedule == "doubling":
            yield from doubling(growth, seed, *limits, self.n_jobs)
        else:
            yield from iidt(growth, seed, *limits, self.granularity, self.n_jobs)

    def _contracted_sample(self) -> int | None:
        """Return the sample that alone is to be drawn, None where there is a schedule."""
        if self.time_limit is not None or self.max_steps is not None:
            return None
        if self.n_samples is None:
            raise FrugaltreeError(
                "n_samples is None, which means no limit, but neither time_limit nor max_steps "
                "says when to stop; set one of the three."
            )
        return self.n_samples

    def _tuned(
        self, problem: Problem, seed: int, stop: Stop
    ) -> tuple[Setting, list[Trial] | None]:
        """Return the setting to search under and, where there is a choice, what each costs."""
        setting, settings = self._candidates(problem)
        if len(settings) == 1:
            return settings[0], None
        trials = tune(self._searched, problem, settings, seed, stop, self.n_jobs)
        if not trials:
            return setting, None
        setting = Setting(**min(trials, key=lambda trial: trial.cost).settings)
        return setting, mark_chosen(trials, setting._asdict())

    def _candidates(self, problem: Problem) -> tuple[Setting, list[Setting]]:
        """Return the setting to take untried, and those to choose from."""
        costs = problem.costs_in_force(self.costs)
        names, classes = problem.table.names, problem.classes.tolist()
        w = costs.w(names, classes) if self.max_test_cost is None else 0.0
        cf = costs.cf(names, classes)
        untried = Setting(*_values("w", self.w, w)[:1], *_values("cf", self.cf, cf)[:1])
        ws, cfs = _values("w", self.w, w, W_GRID), _values("cf", self.cf, cf, CF_GRID)
        return untried, [Setting(w, cf) for w in ws for cf in cfs]

    def _prepared_search(
        self, problem: Problem, setting: Setting, seed: int, stop: Stop
    ) -> SamplingSearch:
        """Return the problem made ready for sampling."""
        validation = self.estimate == "validation"
        plan = make_plan(
            problem,
            w=setting.w,
            cf=setting.cf,
            expected_error=self.expected_error,
            penalty=self.penalty,
            prices=self.prices,
            prune_samples=self.prune_samples,
            split_points=self.split_points,
            lookahead_stop=self.lookahead_stop,
            max_depth=self.max_depth,
            min_cases=self.min_cases,
            min_leaf=self._least_of_leaf(problem),
            max_test_cost=self.max_test_cost,
            validation=validation,
        )
        held_out = hold_out(problem, self.validation_fraction, seed) if validation else None
        rows = sample_of_rows(self.sample_rows, problem)
        check_can_search(problem, rows)
        return SamplingSearch(problem, plan, stop, held_out, sample_rows=rows)

    def _searched(self, problem: Problem, setting: Setting, seed: int, stop: Stop) -> Nodes:
        """Return the tree for one setting, within the sample that ``n_samples`` allows."""
        search = self._prepared_search(problem, setting, seed, stop)
        r = TUNING_SAMPLES if self.n_samples is None else self.n_samples
        growth = Growth.of(search)
        for _ in contract(growth, seed, r, None):
            if stop.requested:
                break
        return growth.incumbent.nodes

    def _confidence(self) -> float:
        return float(self.cf_)


def _values(
    name: str, given: Any, auto: float, grid: tuple[float, ...] | None = None
) -> list[float]:
    """Return the values that ``w`` or ``cf`` stands for; without a grid, the usual one for it."""
    if isinstance(given, str):
        return [auto] if given == "auto" or grid is None else list(grid)
    values = np.atleast_1d(np.asarray(given, object)).tolist()
    if not values:
        raise FrugaltreeError(f"{name} is an empty list; give it one value or more, or 'auto'.")
    for value in values:
        _check_value(name, value)
    return [float(value) for value in values]


def _check_value(name: str, value: Any) -> None:
    number = isinstance(value, Real)
    if name == "w":
        fits, wanted = number and 0.0 <= value < np.inf, "a finite number, 0 or more"
    else:
        fits, wanted = number and 0.0 < value < 1.0, "a number between 0 and 1"
    if not fits:
        raise FrugaltreeError(f"{name} has {shortened(value)}, which is not {wanted}; correct it.")


def hold_out(problem: Problem, fraction: float, seed: int) -> npt.NDArray[np.bool_]:
    """Return which cases are held out, about the same share of each class but never all of it."""
    classes = problem.true_classes
    draws = np.random.default_rng(seed).random(classes.size)
    held_out = np.zeros(classes.size, bool)
    for c in range(problem.classes.size):
        members = np.flatnonzero(classes == c)
        n = min(round(fraction * members.size), max(members.size - 1, 0))
        first = np.argsort(draws[members])[:n]
        held_out[members[first]] = True
    return held_out
