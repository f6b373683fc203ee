"""ICET: a genetic search for the prices under which EG2 grows the cheapest trees."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from reprlib import repr as shortened
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from frugaltree._sklearn import between, whole
from frugaltree.anytime import Snapshot, Stop
from frugaltree.costs import Costs
from frugaltree.engines.genetic.algorithm import (
    Draws,
    Encoding,
    Range,
    Scale,
    Strings,
    lowest,
    next_generation,
)
from frugaltree.engines.genetic.evaluation import Trials, TrialSettings
from frugaltree.engines.genetic.workers import TrialRunner, worker_pool
from frugaltree.engines.incumbent import Incumbent
from frugaltree.engines.problem import Problem
from frugaltree.estimators.anytime import AnytimeTree
from frugaltree.exceptions import FrugaltreeError

Floats = npt.NDArray[np.float64]
SEED_W, SEED_CF = 1.0, 0.25
"""The bias of plain EG2, but for the prices, which are the true ones."""


class Bias(NamedTuple):
    """What EG2 is made to believe.

    Attributes
    ----------
    costs : dict
        The made-up price of each test.
    w : float
        Weight of the price.
    cf : float
        Confidence of pruning.
    fitness : float or None
        Mean total cost of the trial, the lower the better; None if there was none.
    """

    costs: dict[str, float]
    w: float
    cf: float
    fitness: float | None


class Generation(NamedTuple):
    """The lowest, mean and highest cost of the trials of a generation."""

    best: float
    mean: float
    worst: float

    @classmethod
    def of(cls, costs: Floats) -> Generation:
        """Sum up the costs of a generation.

        >>> Generation.of(np.array([4.0, 2.0, 9.0]))
        Generation(best=2.0, mean=5.0, worst=9.0)
        """
        return cls(float(costs.min()), float(costs.mean()), float(costs.max()))


class ICETClassifier(AnytimeTree):
    """ICET: breeds made-up prices until EG2 grows trees that are cheap under the true ones.

    A bias is a price for each test, the weight w of prices, and the confidence of pruning. A
    trial of it splits the training cases at random, lets EG2 grow a tree on one part, and takes
    the mean cost of tests and errors on the other. A genetic algorithm breeds biases of low
    cost, generation by generation; the tree of the best one, grown on all training cases, is the
    answer. EG2 sees the made-up prices only, static and without discounts; error costs, groups
    and delays act through the trials.

    Parameters
    ----------
    costs : Costs, default=None
        Prices of tests and errors; None means free tests and errors of cost 1.
    generations : int, default=20
        How many generations to breed.
    population : int, default=50
        Biases in a generation. Each one is a trial, a tree.
    seeded : bool, default=True
        Whether the first generation contains plain EG2: the full prices, w = 1, cf = 0.25. All
        others are random.
    crossover_rate : float, default=0.6
        Share of a generation that swaps a stretch of bits in pairs.
    mutation_rate : float, default=0.001
        Chance of a bit to be flipped.
    scaling_window : int, default=5
        The fitness of a bias is how far it is below the worst of so many generations.
    elitism : bool, default=True
        Whether the best bias of a generation lives on unchanged in the next, to be tried again.
    resplit : bool, default=True
        Whether each trial splits the cases anew; else all trials share one split, and a bias
        that comes up again is not tried again.
    train_fraction : float, default=0.5
        Share of the training cases that a trial's tree is grown on.
    cost_bits, w_bits, cf_bits : int, default=12, 8, 8
        Bits of each price, of w and of cf, in Gray code.
    cost_range : (low, high), default=(1, 10000)
        The prices that the bits spell, evenly spaced.
    unavailable_above : float, default=9000
        A test with a higher made-up price is not used at all.
    w_range : (low, high), default=(0, 1)
        The weights that the bits spell.
    cf_range : (low, high), default=(0.01, 1.0)
        The confidences that the bits spell; 1 is no pessimism at all.
    min_cases : float, default=2
        As in :class:`C45Classifier`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which those of their cases are multiplied, as in scikit-learn.
        They change how much the bills of these cases count, too, and how many cases the estimate
        of errors believes in; to say that one error is worse than another, use error costs.
    cf : float, default=0.25
        Confidence of the expected error in ``expected_cost_`` only.
    expected_error : {"c45", "exact", "training"}, default="c45"
        Form of the expected error, in pruning and in ``expected_cost_``.
    time_limit : float or str, default=None
        Stop after so many seconds, or after a time such as ``"5min"``.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal: by their dtype, none, or these names, positions or mask.
    max_bins : "auto", int or None, default="auto"
        How many bins the values of a numeric test may be put in, with about as many cases in each;
        thresholds lie between bins. None tells all values apart; ``"auto"`` does so up to 50,000
        rows, and makes 254 bins of longer tables. Nominal and ordered values stay as they are.
    random_state : int, RandomState instance or None, default=None
        Where randomness comes from; an int makes a fit repeatable.
    n_jobs : int, default=None
        How many workers share the trials of a generation: threads, or whatever
        ``joblib.parallel_config`` says. The tree does not depend on it. It pays on large tables.
    verbose : int, default=0
        1 shows a progress bar, 2 or more a log, with the best fitness after each generation.

    Attributes
    ----------
    bias_ : Bias
        The best bias: ``costs`` by test, ``w``, ``cf``, and its ``fitness``.
    generations_ : list of (best, mean, worst)
        What the trials of each generation have cost.
    history_ : list of Progress
        Each round that found a better bias, and the last: ``seconds``, expected ``cost`` of the
        tree, and how many trees were grown (``steps``).
    termination_ : str
        "completed", "time_limit", "callback" or "interrupted".
    tree_, classes_, expected_cost_, test_usage_
        As in :class:`C45Classifier`. What is minimised is the cost of trials, not
        ``expected_cost_``.

    Notes
    -----
    The genetic algorithm is that of GENESIS: selection in proportion to fitness by stochastic
    universal sampling, two-point crossover, mutation by flips. The seed's prices are rounded to
    the bits, within ``cost_range`` and at most ``unavailable_above``.

    References
    ----------
    P. D. Turney, Cost-sensitive classification: empirical evaluation of a hybrid genetic decision
    tree induction algorithm, JAIR 2 (1995).

    Examples
    --------
    Two tests that tell the same; that one of them is cheaper comes out in the trials.

    >>> import numpy as np
    >>> from frugaltree import Costs, ICETClassifier
    >>> X = np.repeat([[0, 0], [1, 1]], 10, axis=0)
    >>> y = X[:, 0]
    >>> tree = ICETClassifier(Costs([9, 4], errors=100), generations=3, random_state=0).fit(X, y)
    >>> tree.bias_.fitness, tree.bill(X[:1])
    (4.0, array([4.]))
    >>> len(tree.generations_)
    3
    """

    _fractional = True
    _keeps_rules = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AnytimeTree._parameter_constraints,
        "generations": [whole(1)],
        "population": [whole(2)],
        "seeded": ["boolean"],
        "crossover_rate": [between(0.0, 1.0)],
        "mutation_rate": [between(0.0, 1.0)],
        "scaling_window": [whole(1)],
        "elitism": ["boolean"],
        "resplit": ["boolean"],
        "train_fraction": [between(0.0, 1.0, closed="neither")],
        "cost_bits": [whole(1, 30)],
        "w_bits": [whole(1, 30)],
        "cf_bits": [whole(1, 30)],
        "cost_range": [tuple, list],
        "unavailable_above": [between(0.0, None, closed="left")],
        "w_range": [tuple, list],
        "cf_range": [tuple, list],
        "min_cases": [between(1, None, closed="left")],
    }

    def __init__(
        self,
        costs: Costs | None = None,
        *,
        generations: int = 20,
        population: int = 50,
        seeded: bool = True,
        crossover_rate: float = 0.6,
        mutation_rate: float = 0.001,
        scaling_window: int = 5,
        elitism: bool = True,
        resplit: bool = True,
        train_fraction: float = 0.5,
        cost_bits: int = 12,
        w_bits: int = 8,
        cf_bits: int = 8,
        cost_range: Range = (1, 10000),
        unavailable_above: float = 9000,
        w_range: Range = (0, 1),
        cf_range: Range = (0.01, 1.0),
        min_cases: float = 2,
        class_weight: Any = None,
        cf: float = 0.25,
        expected_error: str = "c45",
        time_limit: float | str | None = None,
        categorical_features: Any = "from_dtype",
        max_bins: str | int | None = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.costs = costs
        self.generations = generations
        self.population = population
        self.seeded = seeded
        self.crossover_rate = crossover_rate
        self.mutation_rate = mutation_rate
        self.scaling_window = scaling_window
        self.elitism = elitism
        self.resplit = resplit
        self.train_fraction = train_fraction
        self.cost_bits = cost_bits
        self.w_bits = w_bits
        self.cf_bits = cf_bits
        self.cost_range = cost_range
        self.unavailable_above = unavailable_above
        self.w_range = w_range
        self.cf_range = cf_range
        self.min_cases = min_cases
        self.class_weight = class_weight
        self.cf = cf
        self.expected_error = expected_error
        self.time_limit = time_limit
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _n_rounds(self, problem: Problem) -> int:
        return 1 + (self.generations if _has_trials(problem) else 0)

    def _rounds(self, problem: Problem, stop: Stop) -> Iterator[Snapshot]:
        """Yield plain EG2's tree, then after each generation that of the best bias so far."""
        encoding = self._encoding(problem)
        trials = Trials.of(problem, self._trial_settings(problem))
        seed = encoding.encode(problem.prices.full, SEED_W, SEED_CF, self.unavailable_above)
        best = Incumbent(stop, rounds=self._n_rounds(problem))
        bias, generations = self._take(best, problem, encoding, trials, seed), list[Generation]()
        best.fitted = {"bias_": bias, "generations_": generations}
        yield best.snapshot("EG2", 1, improved=True)
        if not _has_trials(problem):
            return
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31, size=4))
        with self._runner(encoding, trials, rng) as runner:
            for strings, costs in self._evolve(runner, seed, rng, stop):
                done = np.flatnonzero(~np.isnan(costs))
                if not done.size:
                    return
                first = done[lowest(costs[done])]
                improved = best.is_beaten_by(costs[first])
                if improved:
                    fitness = float(costs[first])
                    bias = self._take(best, problem, encoding, trials, strings[first], fitness)
                generations = [*generations, Generation.of(costs[done])]
                best.fitted = {"bias_": bias, "generations_": generations}
                what = f"generation {len(generations)}: {bias.fitness:.4g}"
                yield best.snapshot(what, runner.n_trees + 1, improved=improved)

    def _evolve(
        self, runner: TrialRunner, seed: Strings, rng: np.random.Generator, stop: Stop
    ) -> Iterator[tuple[Strings, Floats]]:
        """Yield generation after generation with its costs, nan for trials that a stop cut."""
        strings = rng.integers(0, 2, (self.population, seed.size), np.uint8)
        if self.seeded:
            strings[0] = seed
        worst: deque[float] = deque(maxlen=self.scaling_window)
        for _ in range(self.generations):
            costs = runner.costs(strings, stop)
            yield strings, costs
            if np.isnan(costs).any():
                return
            worst.append(costs.max())
            drawn = Draws.draw(rng, strings.shape, self.crossover_rate, self.mutation_rate)
            strings = next_generation(strings, costs, max(worst), drawn, elitism=self.elitism)

    def _encoding(self, problem: Problem) -> Encoding:
        """Return how strings spell biases."""
        return Encoding(
            problem.prices.full.size,
            Scale(_as_range("cost_range", self.cost_range), int(self.cost_bits)),
            Scale(_as_range("w_range", self.w_range), int(self.w_bits)),
            Scale(_as_range("cf_range", self.cf_range, 1.0), int(self.cf_bits)),
        )

    def _trial_settings(self, problem: Problem) -> TrialSettings:
        """Return what holds for every trial."""
        n = problem.cases.classes.size
        n_grown = min(max(int(self.train_fraction * n + 0.5), 1), max(n - 1, 1))
        return TrialSettings(n_grown, self.min_cases, self.unavailable_above, self.expected_error)

    @contextmanager
    def _runner(
        self, encoding: Encoding, trials: Trials, rng: np.random.Generator
    ) -> Iterator[TrialRunner]:
        """Lend what runs the trials of a generation."""
        runner = TrialRunner(encoding, trials, rng)
        if not self.resplit:
            runner.key, runner.memory = runner.keys(1)[0], {}
        with worker_pool(self.n_jobs) as (runner.n_jobs, runner.spread):
            yield runner

    def _take(
        self,
        best: Incumbent,
        problem: Problem,
        encoding: Encoding,
        trials: Trials,
        string: Strings,
        fitness: float | None = None,
    ) -> Bias:
        """Make the tree of a bias, on all training cases, the best one; return the bias."""
        prices, w, cf = (part[0] for part in encoding.decode(string[None]))
        nodes = trials.grow_tree(prices, w, cf)
        cost = self._expected_cost(problem, nodes)
        score = np.inf if fitness is None else fitness
        best.take(nodes, cost, "EG2" if fitness is None else "a bias", score=score)
        named = dict(zip(problem.table.names, prices.tolist(), strict=True))
        return Bias(named, float(w), float(cf), fitness)


def _has_trials(problem: Problem) -> bool:
    """Tell whether there is something to learn and something to judge it by."""
    return problem.classes.size > 1 and problem.cases.classes.size > 1


def _as_range(name: str, given: Any, high: float = np.inf) -> Range:
    """Check a pair of numbers, none below 0; with a finite ``high`` none equal to 0 either."""
    if len(given) == 2 and all(isinstance(number, Real) for number in given):
        least = 0.0 if high == np.inf else np.nextafter(0.0, 1.0)
        if least <= given[0] <= given[1] <= high and given[1] < np.inf:
            return float(given[0]), float(given[1])
    bounds = "0 <= low <= high" if high == np.inf else f"0 < low <= high <= {high:g}"
    raise FrugaltreeError(
        f"{name} must be two numbers with {bounds}, but is {shortened(given)}; give the least and "
        "the greatest value that the search may try."
    )
