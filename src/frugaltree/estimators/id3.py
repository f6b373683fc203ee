"""ID3: the largest gain, until every leaf is pure."""

from __future__ import annotations

from typing import Any, ClassVar

from frugaltree._sklearn import one_of
from frugaltree.costs import Costs
from frugaltree.engines.greedy import grow, to_preorder
from frugaltree.engines.problem import Problem
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.kernels.criteria import GAIN
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.greedy.choose import Rules


class ID3Classifier(CostSensitiveTree):
    """ID3: takes the test of largest gain and stops only where nothing is left to tell apart.

    Blind to costs, except that of equally telling tests it takes the cheaper one. Numeric tests
    are cut halfway between neighbouring values. Nothing is pruned.

    Parameters
    ----------
    costs : Costs, default=None
        Prices of tests and errors; None means free tests and errors of cost 1.
    prices : {"context", "static"}, default="context"
        Prices by which ties are broken, see :class:`EG2Classifier`.
    cf : float, default=0.25
        Confidence of the expected error in ``expected_cost_``.
    expected_error : {"c45", "exact", "training"}, default="c45"
        Form of the expected error in ``expected_cost_``.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal: by their dtype, none, or these names, positions or mask.
    random_state, n_jobs, verbose
        Not used.

    Attributes
    ----------
    tree_, classes_, expected_cost_, test_usage_, termination_
        As in :class:`C45Classifier`.

    References
    ----------
    J. R. Quinlan, Induction of decision trees, Machine Learning 1 (1986).

    Examples
    --------
    >>> from frugaltree import ID3Classifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> ID3Classifier(categorical_features=[0, 1]).fit(X, y).predict(X)  # parity, no gain at first
    array([0, 1, 1, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CostSensitiveTree._parameter_constraints,
        "prices": [one_of("context", "static")],
    }

    def __init__(
        self,
        costs: Costs | None = None,
        *,
        prices: str = "context",
        cf: float = 0.25,
        expected_error: str = "c45",
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.costs = costs
        self.prices = prices
        self.cf = cf
        self.expected_error = expected_error
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _search(self, problem: Problem) -> Nodes:
        rules = Rules(
            criterion=GAIN,
            w=1.0,
            min_cases=1.0,
            c45=False,
            context=self.prices == "context",
            smooth=False,
        )
        return to_preorder(grow(problem, rules), problem.cases)
