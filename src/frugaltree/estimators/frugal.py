"""FrugalTreeClassifier: the cheapest tree, with a proof, as soon as time allows.

One search holds everything that is known about the states met so far, from both sides: the best
tree and a bound that no tree undercuts (kernels/exact). It alternates between two ways to learn
more: trees sampled below each test, as ACT does, and with numbers a tree that looks three tests
ahead, which find good trees early; and branch and bound, which rules out the rest. When bound and
cost meet, the tree is optimal for this estimate on these cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any, ClassVar

from frugaltree._sklearn import between, count_or_share, draw_seed, one_of, whole
from frugaltree.anytime.limits import bytes_in, seconds_in
from frugaltree.anytime.progress import History, Snapshot, gap_between
from frugaltree.anytime.stop import Stop
from frugaltree.costs import Costs
from frugaltree.engines.cluster import active_cluster, threads_here
from frugaltree.engines.exact.acceptance import Acceptance
from frugaltree.engines.exact.conditional import refuse_elsewhere
from frugaltree.engines.exact.kept_search import Limits
from frugaltree.engines.exact.large import LargeSession
from frugaltree.engines.exact.objective import Pessimism, check_confidences, make_objective
from frugaltree.engines.exact.one_vs_rest import ValueTests
from frugaltree.engines.exact.pessimism import settings_named
from frugaltree.engines.exact.schedule import Schedule, is_small
from frugaltree.engines.exact.search import CLOSE
from frugaltree.engines.exact.session import Session, digest_of_search
from frugaltree.engines.exact.wording import named_in_words
from frugaltree.engines.incumbent import Incumbent
from frugaltree.engines.problem import Problem
from frugaltree.estimators.anytime import AnytimeTree
from frugaltree.estimators.costs_of_cases import checked_sample_size, why_no_bound
from frugaltree.estimators.size_limits import limit_leaves, limit_tests
from frugaltree.kernels.cost.bounds import LEAST_CONFIDENCE
from frugaltree.kernels.exact.objective import Objective
from frugaltree.tree.text import money

LEAST_SAVING = 0.05
"""A search beyond a few samples must save this share, else what it finds is taken for chance."""

AUTO_SECONDS = 60.0
"""How long a search takes at most where nobody says how long."""

DIGESTED = (
    "pessimism", "splits", "max_depth", "min_cases", "expected_error", "penalty", "random_state",
)  # fmt: skip
"""The parameters on which a search depends: with others, it cannot go on from another day."""


LATER: dict[str, Any] = {"min_samples_leaf": 1, "max_test_cost": None, "max_tests": None}
"""Those that came later: at these values they are left out, as in older checkpoints."""


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
    time_limit : float or str, default="auto"
        Seconds, or text such as ``"60s"`` or ``"5 min"``, after which the best tree so far is
        returned, reading the table included; None for no limit. "auto" ends the search when what
        it has saved lately makes further waiting hardly worth it, see :class:`Monitor`, and after
        60 seconds at the latest; where ``max_steps`` is given, then only.
    memory_limit : int or str, default="2GB"
        Bytes, or text such as ``"2GB"``, that the search may take to remember what it knows.
    gap : float, default=0.0
        How far from the best a tree may be for the search to end, as a share of its cost.
    pessimism : {"auto", "paper", "none"} or float, default="auto"
        How the search is kept from following chance. "paper" estimates errors at the paper's
        confidence, a number of 0.0001 or more at that confidence, "none" takes the errors seen.
        "auto" tries a few very different settings on cases held out, from a small charge for
        choosing among many cuts to no tests at all, and takes the cheapest. And it prefers the
        best of a few samples to a tree that only a long search finds, unless that saves 5 %.
    splits : {"auto", "values", "rest"}, default="auto"
        What nominal tests of three values or more may do. "values": part the cases by value, a
        branch for each. "rest": that, or set one value against the rest, which then share a
        branch; a test asked again further down is not paid again. "auto" is "rest" with
        ``pessimism="auto"``, else, and where tests are delayed, "values" as in the paper.
    max_depth : int, default=None
        Most tests on a path; None means no limit.
    min_cases : int, default=1
        A split needs at least two branches of so many cases.
    min_samples_leaf : int or float, default=1
        Every branch of a split must have this many cases, a float being a share of all cases, as
        in scikit-learn; a row of weight 2 is two cases. Those that lack the value are a branch.
    monotone : dict or array-like, default=None
        Tests that answers follow, such as ``{"age": 1}``, see :class:`DTMCClassifier`; what is
        proven is the best of all trees that do. ``predict_proba`` need not.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which those of their cases are multiplied, as in scikit-learn.
        They change how much the bills of these cases count, too, and how many cases the estimate
        of errors believes in; to say that one error is worse than another, use error costs.
    max_test_cost : float, default=None
        Most that any case may be charged for tests, also one that lacks values. Errors are then
        made as cheap as can be; what is paid within the limit does not count.
    max_tests : int, default=None
        Most tests that any case may be charged for; ``max_depth`` counts splits.
    max_leaves : int, default=None
        Most leaves of the tree; ``lower_bound_`` holds, but need not meet it.
    max_steps : int, default=None
        Most states to look at, for results that do not depend on the clock; trials on cases held
        out come on top. With several settings to choose from, four tenths go before the choice.
    sample_rows : int, "auto" or None, default="auto"
        Where there are more different cases than this, tests and thresholds are judged on
        stratified samples of so many, of all cases and of those of each part of the tree; what is
        found is counted, labelled, pruned and priced on all cases; ``lower_bound_`` is 0 then.
        "auto" is 10,000, or 50,000 where no test is numeric; None searches with all cases.
    expected_error : {"c45", "exact", "training"}, default="c45"
        C4.5's approximation, the exact binomial limit, or the errors seen.
    penalty : {"laplace", "multinomial"}, default="laplace"
        Cost of an error where kinds of error differ, see :class:`ACTClassifier`.
    checkpoint : path, default=None
        File to which the search is written now and then. A fit with the same data, costs and
        parameters goes on from there; one that differs is refused.
    checkpoint_interval : float or str, default="30s"
        How often.
    warm_start : bool, default=False
        Whether a further fit with the same data goes on where the last one has ended.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal: by their dtype, none, or these names, positions or mask.
    max_bins : "auto", int or None, default="auto"
        How many bins the values of a numeric test may be put in, with about as many cases in each;
        thresholds lie between bins. None tells all values apart; ``"auto"`` does so up to 50,000
        rows, and makes 254 bins of longer tables, finer ones where the tree cuts. Nominal and
        ordered values stay as they are.
    random_state : int, RandomState or None, default=None
        Seed of the samples, and of how cases are held out.
    n_jobs : int, default=None
        Threads. They share what they find out: the cost that a search proves does not depend on
        their number, but the tree of a search that ends before may. With ``max_steps`` the search
        itself takes one thread, and the tree is the same for any number. The workers of a Dask
        cluster (``joblib.parallel_config("dask")``) share ``memory_limit``; with ``max_steps`` any
        number of them finds the same tree, which need not be that of a search without them.
    verbose : int, default=0
        1 shows a progress bar, 2 a log.

    Attributes
    ----------
    tree_, classes_, expected_cost_, test_usage_
        As in :class:`C45Classifier`.
    objective_ : float
        What was minimised, per case: the expected cost, and what the pessimism charges splits.
        With ``max_test_cost``, only errors and splits count.
    lower_bound_ : float
        No tree has a lower objective.
    gap_ : float
        How far the tree can be from the best, as a share of its objective (or of its regrets).
    termination_ : str
        "optimal", "gap", "time_limit", "memory_limit", "steps", "monitor", "callback",
        "interrupted", or "completed": the search is, but what it saves beyond a few samples is
        taken for chance; or all parts of a large table were searched on samples.
    history_ : list of Progress
        What was known when: after so many ``seconds`` and ``steps`` (states expanded), the
        objective of the best tree (``cost``) and its ``bound``.
    pessimism_ : str
        The setting in force.
    tuning_ : list of Trial or None
        What each setting (``name``) costs per case held out (``cost``, with its standard
        ``error``), what it saves against the first (``saving``, ``saving_error``), and whether it
        was ``chosen``. With ``max_test_cost``, these are costs of errors.
    forecast_ : Forecast or None
        The cost per case to expect of new cases (``cost``), by cases held out, with its 95 %
        interval (``low``, ``high``); what these cases cost without any test (``guess``), and what
        the tree saves against that (``saving``, ``saving_low``, ``saving_high``). Each fold is
        judged by the setting that the others would choose: the choice does not flatter it. Of
        large tables, cases are held out of every part of the tree, which is then searched anew.
    cv_cost_, cv_cost_error_ : float or None
        The cost of ``forecast_``, and its standard error.

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

    _looks_at_errors = _sees_conditions = True
    _steps = "states"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AnytimeTree._parameter_constraints,
        "memory_limit": [between(1.0, None), str],
        "gap": [between(0.0, 1.0)],
        "pessimism": [
            between(LEAST_CONFIDENCE, 1.0, closed="left"),
            one_of("auto", "paper", "none"),
        ],
        "splits": [one_of("auto", "values", "rest")],
        "max_depth": [whole(0), None],
        "min_cases": [whole(1)],
        "min_samples_leaf": count_or_share(),
        "monotone": [dict, "array-like", None],
        "max_test_cost": [between(0.0, None, closed="left"), None],
        "max_tests": [whole(0), None],
        "max_leaves": [whole(1), None],
        "max_steps": [whole(1), None],
        "sample_rows": [whole(100), one_of("auto"), None],
        "penalty": [one_of("laplace", "multinomial")],
        "checkpoint": [str, PathLike, None],
        "checkpoint_interval": [between(0.0, None, closed="left"), str],
        "warm_start": ["boolean"],
    }
    _parameter_constraints.pop("cf")

    def __init__(
        self,
        costs: Costs | None = None,
        *,
        time_limit: float | str | None = "auto",
        memory_limit: float | str = "2GB",
        gap: float = 0.0,
        pessimism: float | str = "auto",
        splits: str = "auto",
        max_depth: int | None = None,
        min_cases: int = 1,
        min_samples_leaf: float = 1,
        class_weight: Any = None,
        monotone: Any = None,
        max_test_cost: float | None = None,
        max_tests: int | None = None,
        max_leaves: int | None = None,
        max_steps: int | None = None,
        sample_rows: int | str | None = "auto",
        expected_error: str = "c45",
        penalty: str = "laplace",
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_interval: float | str = "30s",
        warm_start: bool = False,
        categorical_features: Any = "from_dtype",
        max_bins: str | int | None = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.costs = costs
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.gap = gap
        self.pessimism = pessimism
        self.splits = splits
        self.max_depth = max_depth
        self.min_cases = min_cases
        self.min_samples_leaf = min_samples_leaf
        self.class_weight = class_weight
        self.monotone = monotone
        self.max_test_cost = max_test_cost
        self.max_tests = max_tests
        self.max_leaves = max_leaves
        self.max_steps = max_steps
        self.sample_rows = sample_rows
        self.expected_error = expected_error
        self.penalty = penalty
        self.checkpoint = checkpoint
        self.checkpoint_interval = checkpoint_interval
        self.warm_start = warm_start
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # -------------------------------------------------------------------- search

    def _rounds(self, problem: Problem, stop: Stop) -> Iterator[Snapshot]:
        limits, clocked, limit = self._limits(), self.max_steps is None, self._limit()
        plan = Schedule(
            seconds=max(0.0, limit - stop.seconds) if clocked and limit is not None else None,
            max_steps=self.max_steps,
            monitored=clocked and self.time_limit == "auto",
            jobs=threads_here(self.n_jobs) if self.max_steps else limits.jobs,
        )
        session = self._session(problem, stop, limits)
        if self.max_leaves is not None:
            yield from limit_leaves(session, self._objective, stop, self.max_leaves).rounds(plan)
        elif isinstance(session, LargeSession):
            yield from session.rounds(plan)
        else:
            yield from plan.rounds(session)

    def _begins_soon(self, problem: Problem) -> bool:
        alone = self.pessimism != "auto" and active_cluster() is None
        return alone and is_small(problem, self.max_depth)

    def _session(self, problem: Problem, stop: Stop, limits: Limits) -> Session | LargeSession:
        """Return what the last fit or a checkpoint has left of a search, or a new one."""
        problem = limit_tests(problem, self.costs, self.max_tests, self.max_test_cost)
        digest = self._digest(problem)
        kept: Session | LargeSession | None = getattr(self, "_session_", None)
        if self.warm_start and kept is not None and kept.digest == digest:
            kept.resume(stop, self.gap, limits)
            return kept
        settings = self._pessimisms(problem)
        if problem.case_weight != 1.0 and self.expected_error == "c45":
            check_confidences(settings)
        objectives = [self._objective(problem, one) for one in settings]
        size = checked_sample_size(problem, objectives, self.sample_rows, limits.cluster)
        refuse_elsewhere(problem, self.splits, size, limits.cluster)
        tests = self._tests(problem, size)
        incumbent = Incumbent(stop, weight=problem.weight, finish=tests.translate)
        saving = LEAST_SAVING if self.pessimism == "auto" else 0.0
        common: dict[str, Any] = {
            "problem": problem,
            "tests": tests,
            "settings": settings,
            "objectives": objectives,
            "stop": stop,
            "limits": limits,
            "seed": draw_seed(self.random_state),
            "digest": digest,
            "is_kept": self.warm_start,
        }
        if size is None:
            return Session(**common, acceptance=Acceptance(incumbent, self.gap, saving)).load()
        return LargeSession(
            **common,
            incumbent=incumbent,
            sample_rows=size,
            gap=self.gap,
            least_saving=saving,
        ).load()

    def _digest(self, problem: Problem) -> dict[str, str]:
        """Return fingerprints of what the search depends on, none where nobody goes on from it."""
        if not self.warm_start and self.checkpoint is None:
            return {}
        parameters = {name: getattr(self, name) for name in DIGESTED}
        given = {name: (getattr(self, name), usual) for name, usual in LATER.items()}
        parameters |= {name: one for name, (one, usual) in given.items() if one != usual}
        return digest_of_search(problem, parameters)

    def _limits(self) -> Limits:
        """Return what the search may take; where steps are counted, a single thread."""
        cluster = active_cluster()  # before its cores are counted
        return Limits(
            memory=bytes_in(self.memory_limit),
            jobs=1 if self.max_steps else threads_here(self.n_jobs),
            path=self.checkpoint,
            interval=seconds_in(self.checkpoint_interval, "checkpoint_interval") or 0.0,
            cluster=cluster,
        )

    def _limit(self) -> float | None:
        return AUTO_SECONDS if self.time_limit == "auto" else seconds_in(self.time_limit)

    def _tests(self, problem: Problem, n_cases: int | None) -> ValueTests:
        """Return the tests, and those of one value against the rest if they are wanted."""
        wanted = self.splits == "rest" or self.splits == self.pessimism == "auto"
        return ValueTests.all_of(problem, n_cases) if wanted else ValueTests.of(problem)

    def _pessimisms(self, problem: Problem) -> list[Pessimism]:
        """Return the settings to choose from, the one to fall back on first."""
        cf = problem.costs_in_force(self.costs).cf(problem.table.names, problem.classes.tolist())
        numeric = bool((problem.cases.nominal == 0).any())
        return settings_named(self.pessimism, cf, numeric=numeric)

    def _objective(self, problem: Problem, pessimism: Pessimism) -> Objective:
        return make_objective(
            problem,
            pessimism,
            expected_error=self.expected_error,
            penalty=self.penalty,
            max_depth=self.max_depth,
            min_cases=self.min_cases,
            min_leaf=self._least_of_leaf(problem),
            max_test_cost=self.max_test_cost,
        )

    def _keep_snapshot(self, problem: Problem, snapshot: Snapshot, history: History) -> None:
        super()._keep_snapshot(problem, snapshot, history)
        progress, least = snapshot.progress, snapshot.progress.offset
        counted = self.expected_cost_ if self.max_test_cost is None else self.expected_error_cost_
        charged, own = progress.cost - counted, progress.cost - least
        # Sums of the same costs, in another order; or the search has looked at levels.
        exact = charged <= CLOSE * own or problem.true_costs is not None
        self.objective_ = counted if exact else progress.cost
        bound = least if progress.bound is None else float(progress.bound)
        self.lower_bound_ = min(bound, self.objective_)
        self.gap_ = gap_between(self.objective_ - least, self.lower_bound_ - least)

    def _reason(self, stop: Stop) -> str:
        return "optimal" if self.gap_ <= CLOSE else super()._reason(stop)

    def _notes(self) -> dict[str, str]:
        notes, unit = {"Pessimism": named_in_words(self.pessimism_)}, (self.costs or Costs()).unit
        if self.tuning_ is not None:
            notes["Chosen"] = f"of {len(self.tuning_)} settings, tried on cases kept aside"
        if self.forecast_ is not None:
            notes["Kept aside"] = f"{money(self.cv_cost_, unit)} ± {money(self.cv_cost_error_)}"
        if self.history_[-1].bound is None:
            notes["Bound"] = f"none: {why_no_bound(self.tree_)}"
        return notes

    def _confidence(self) -> float:
        return 0.25 if self.cf_ is None else float(self.cf_)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the search behind: the tree is what counts elsewhere."""
        return {name: one for name, one in super().__getstate__().items() if name != "_session_"}

    def _error_form(self) -> str:
        return "training" if self.cf_ is None else str(self.expected_error)
