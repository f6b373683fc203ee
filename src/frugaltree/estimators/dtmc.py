"""DTMC: split while the next test pays for itself at once."""

from __future__ import annotations

from typing import Any, ClassVar

from frugaltree._sklearn import count_or_share, one_of
from frugaltree.costs import Costs
from frugaltree.engines.equal_rows import merge_rows
from frugaltree.engines.greedy import grow, to_preorder
from frugaltree.engines.problem import Problem
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.kernels.criteria import GAIN
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.greedy.choose import Rules


class DTMCClassifier(CostSensitiveTree):
    """DTMC: takes the test that lowers the total cost on the training cases most.

    A split must save more in errors than its test costs, at once; where none does, it stops.
    Looking one step ahead only, it gives up on tests that help together. Nothing is pruned.

    Parameters
    ----------
    costs : Costs, default=None
        Prices of tests and errors; None means free tests and errors of cost 1.
    criterion : {"min", "expected"}, default="min"
        The cost of answering at a node: that of the cheapest answer, or the harmonic mean over
        all answers, which with two classes is 2 * C_P * C_N / (C_P + C_N).
    prices : {"context", "static"}, default="context"
        As in :class:`EG2Classifier`.
    min_samples_leaf : int or float, default=1
        Every branch of a split must have this many cases, a float being a share of all cases, as
        in scikit-learn; a row of weight 2 is two cases. A branch of those that lack the value
        counts like any other.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which those of their cases are multiplied, as in scikit-learn.
        They change how much the bills of these cases count, too, and how many cases the estimate
        of errors believes in; to say that one error is worse than another, use error costs.
    cf : float, default=0.25
        Confidence of the expected error in ``expected_cost_``.
    expected_error : {"c45", "exact", "training"}, default="c45"
        Form of the expected error in ``expected_cost_``.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal: by their dtype, none, or these names, positions or mask.
    max_bins : "auto", int or None, default="auto"
        How many bins the values of a numeric test may be put in, with about as many cases in each;
        thresholds lie between bins. None tells all values apart; ``"auto"`` does so up to 50,000
        rows, and makes 254 bins of longer tables. Nominal and ordered values stay as they are.
    random_state, n_jobs, verbose
        Not used.

    Attributes
    ----------
    tree_, classes_, expected_cost_, test_usage_, termination_
        As in :class:`C45Classifier`.

    References
    ----------
    C. X. Ling, Q. Yang, J. Wang and S. Zhang, Decision trees with minimal costs, ICML 2004.
    S. Sheng, C. X. Ling, A. Ni and S. Zhang, Cost-sensitive test strategies, AAAI 2006.

    Examples
    --------
    A test that tells four ill from four healthy is worth 10 if an error costs 100, not if 15:
    four errors of 15 cost less than eight tests.

    >>> from frugaltree import Costs, DTMCClassifier
    >>> X, y = [[0], [0], [0], [0], [1], [1], [1], [1]], [0, 0, 0, 0, 1, 1, 1, 1]
    >>> DTMCClassifier(Costs([10], errors=100)).fit(X, y).tree_.n_leaves
    2
    >>> DTMCClassifier(Costs([10], errors=15)).fit(X, y).tree_.n_leaves
    1
    """

    _looks_at_errors = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CostSensitiveTree._parameter_constraints,
        "criterion": [one_of("min", "expected")],
        "prices": [one_of("context", "static")],
        "min_samples_leaf": count_or_share(),
    }

    def __init__(
        self,
        costs: Costs | None = None,
        *,
        criterion: str = "min",
        prices: str = "context",
        min_samples_leaf: float = 1,
        class_weight: Any = None,
        cf: float = 0.25,
        expected_error: str = "c45",
        categorical_features: Any = "from_dtype",
        max_bins: str | int | None = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.costs = costs
        self.criterion = criterion
        self.prices = prices
        self.min_samples_leaf = min_samples_leaf
        self.class_weight = class_weight
        self.cf = cf
        self.expected_error = expected_error
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _cut_by_true_costs(self, problem: Problem, nodes: Nodes) -> Nodes:
        """Return the tree as it is: nothing is pruned."""
        return nodes

    def _search(self, problem: Problem) -> Nodes:
        least = self._least_of_leaf(problem)
        rules = Rules(
            criterion=GAIN,
            w=1.0,
            min_cases=least,
            c45=False,
            context=self.prices == "context",
            smooth=self.criterion == "expected",
            min_leaf=least,
        )
        return to_preorder(grow(merge_rows(problem), rules, reduce=True), problem.cases)
