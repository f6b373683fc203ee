"""LSID3: judge every test by the smallest of a sample of trees below it (Figure 3).

The search is ACT's, see :mod:`frugaltree.estimators.act`, but trees are drawn in proportion to
their gain alone (SID3), and a tree costs as much as it has leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from frugaltree._sklearn import count_or_share, one_of, whole
from frugaltree.anytime.progress import Snapshot
from frugaltree.anytime.stop import Stop
from frugaltree.costs import Costs
from frugaltree.engines.greedy import cut_by_threshold, prune_by_errors, to_preorder
from frugaltree.engines.problem import Problem, weighed
from frugaltree.engines.sampling.on_samples import sample_of_rows
from frugaltree.engines.sampling.plan import make_plan
from frugaltree.engines.sampling.schedules import Growth, contract
from frugaltree.engines.sampling.search import SamplingSearch
from frugaltree.estimators.anytime import AnytimeTree
from frugaltree.kernels.criteria import GAIN
from frugaltree.kernels.data.nodes import Nodes


class LSID3Classifier(AnytimeTree):
    """LSID3: the smallest tree that a sample of trees points to.

    Each test of a node is judged by trees drawn at random below it, each test in proportion to
    its gain; the test with the fewest leaves below it is taken. Blind to costs. The finished tree
    is pruned by expected errors, as C4.5's is.

    Parameters
    ----------
    costs : Costs, default=None
        Prices of tests and errors; None means free tests and errors of cost 1.
    n_samples : int, default=5
        The paper's r: trees sampled for each branch of each test, and cuts tried for a numeric
        test. 0 is ID3, pruned.
    prune : bool, default=True
        Whether the finished tree is pruned by expected errors.
    raise_subtrees : bool, default=True
        Whether pruning may put a branch in its parent's place; not with a ``min_samples_leaf``
        above 1, for that can make smaller leaves.
    prices : {"context", "static"}, default="context"
        Prices by which ties are broken, see :class:`EG2Classifier`.
    cf : float, default=0.25
        Confidence of the expected error: the lower, the more is pruned.
    expected_error : {"c45", "exact", "training"}, default="c45"
        C4.5's approximation, the exact binomial limit, or the errors seen.
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
    time_limit : float or str, default=None
        Seconds, or text such as ``"60s"``, after which the rest of the tree is grown greedily.
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
        As in :class:`ACTClassifier`.
    verbose : int, default=0
        1 shows a progress bar, 2 a log.

    Attributes
    ----------
    tree_, classes_, expected_cost_, test_usage_, termination_, history_
        As in :class:`ACTClassifier`.

    References
    ----------
    S. Esmeir and S. Markovitch, Anytime learning of decision trees, Journal of Machine Learning
    Research 8 (2007).

    Examples
    --------
    Parity of two bits among five: ID3 sees no gain anywhere at first, and takes any test.

    >>> from itertools import product
    >>> from frugaltree import ID3Classifier, LSID3Classifier
    >>> X = [bits for bits in product([0, 1], repeat=5) for _ in range(3)]
    >>> y = [bits[3] ^ bits[4] for bits in X]
    >>> ID3Classifier().fit(X, y).tree_.n_leaves
    32
    >>> LSID3Classifier(random_state=0).fit(X, y).tree_.n_leaves
    4
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AnytimeTree._parameter_constraints,
        "n_samples": [whole(0)],
        "prune": ["boolean"],
        "raise_subtrees": ["boolean"],
        "prices": [one_of("context", "static")],
        "max_depth": [whole(0), None],
        "min_cases": [whole(1)],
        "sample_rows": [whole(100), one_of("auto"), None],
        "min_samples_leaf": count_or_share(),
    }

    def __init__(
        self,
        costs: Costs | None = None,
        *,
        n_samples: int = 5,
        prune: bool = True,
        raise_subtrees: bool = True,
        prices: str = "context",
        cf: float = 0.25,
        expected_error: str = "c45",
        max_depth: int | None = None,
        min_cases: int = 1,
        min_samples_leaf: float = 1,
        class_weight: Any = None,
        time_limit: float | str | None = None,
        sample_rows: int | str | None = "auto",
        categorical_features: Any = "from_dtype",
        max_bins: str | int | None = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.costs = costs
        self.n_samples = n_samples
        self.prune = prune
        self.raise_subtrees = raise_subtrees
        self.prices = prices
        self.cf = cf
        self.expected_error = expected_error
        self.max_depth = max_depth
        self.min_cases = min_cases
        self.min_samples_leaf = min_samples_leaf
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.sample_rows = sample_rows
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _rounds(self, problem: Problem, stop: Stop) -> Iterator[Snapshot]:
        random = check_random_state(self.random_state)
        seed = int(random.randint(2**63, dtype=np.int64))
        plan = make_plan(
            problem,
            criterion=GAIN,
            count_leaves=True,
            prices=self.prices,
            max_depth=self.max_depth,
            min_cases=self.min_cases,
            min_leaf=self._least_of_leaf(problem),
        )
        rows = sample_of_rows(self.sample_rows, problem)
        search = SamplingSearch(problem, plan, stop, sample_rows=rows)
        growth = Growth.of(search, prune=partial(self._cut_back, problem), complete=None)
        yield from contract(growth, seed, self.n_samples, self.n_jobs)

    def _cut_back(self, problem: Problem, _: SamplingSearch, nodes: Nodes) -> tuple[Nodes, float]:
        """Return a grown tree pruned by expected errors, and its expected cost per case."""
        in_cases, one = problem.in_cases(), problem.case_weight
        nodes = weighed(nodes, 1.0 / one)
        if self.prune:
            nodes = prune_by_errors(
                in_cases,
                cut_by_threshold(in_cases, nodes),
                self.cf,
                self.expected_error,
                collapsing=False,
                raising=self.raise_subtrees and self._least_of_leaf(problem) == 0.0,
                whole=True,
            )
        nodes = to_preorder(nodes, problem.cases)
        return weighed(nodes, one), self._expected_cost(in_cases, nodes)
