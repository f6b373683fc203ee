"""C4.5, Release 8: gain ratio, thresholds that pay for themselves, error-based pruning."""

from __future__ import annotations

from typing import Any, ClassVar

from frugaltree._sklearn import between, count_or_share
from frugaltree.costs import Costs
from frugaltree.engines.equal_rows import merge_rows
from frugaltree.engines.greedy import C45Settings, learn_c45
from frugaltree.engines.problem import Problem
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.kernels.criteria import GAIN_RATIO
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.greedy.choose import Rules


class C45Frame(CostSensitiveTree):
    """Base of the learners that are C4.5 but for how they choose a test."""

    _fractional = True
    _criterion: ClassVar[int]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CostSensitiveTree._parameter_constraints,
        "min_cases": [between(1, None, closed="left")],
        "min_samples_leaf": count_or_share(),
        "collapse": ["boolean"],
        "prune": ["boolean"],
        "raise_subtrees": ["boolean"],
    }

    def __init__(
        self,
        costs: Costs | None = None,
        *,
        cf: float = 0.25,
        min_cases: float = 2,
        min_samples_leaf: float = 1,
        class_weight: Any = None,
        collapse: bool = True,
        prune: bool = True,
        raise_subtrees: bool = True,
        expected_error: str = "c45",
        categorical_features: Any = "from_dtype",
        max_bins: str | int | None = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.costs = costs
        self.cf = cf
        self.min_cases = min_cases
        self.min_samples_leaf = min_samples_leaf
        self.class_weight = class_weight
        self.collapse = collapse
        self.prune = prune
        self.raise_subtrees = raise_subtrees
        self.expected_error = expected_error
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _search(self, problem: Problem) -> Nodes:
        rules, least = self._rules(), self._least_of_leaf(problem)
        settings = C45Settings(
            rules=rules._replace(min_leaf=least, min_cases=max(rules.min_cases, least)),
            collapse=self.collapse,
            prune=self.prune,
            raise_subtrees=self.raise_subtrees and least == 0.0,
            cf=float(self.cf),
            form=self.expected_error,
        )
        return learn_c45(merge_rows(problem), settings)

    def _rules(self) -> Rules:
        """Return how a test is chosen."""
        return Rules(
            criterion=self._criterion,
            w=1.0,
            min_cases=float(self.min_cases),
            c45=True,
            context=True,
            smooth=False,
        )


class C45Classifier(C45Frame):
    """C4.5, Release 8: blind to all costs.

    Chooses the test of best gain ratio among those of at least average gain. A numeric test pays
    for the number of its thresholds. Cases with a missing value go down all branches in
    proportion. The tree is then collapsed where it saves no errors on the training cases, and
    pruned where a leaf, or the node's largest branch in its place, promises fewer errors.

    Parameters
    ----------
    costs : Costs, default=None
        Prices of tests and errors, for bills and scores only; None means free tests and errors
        of cost 1.
    cf : float, default=0.25
        Confidence of the expected error, in pruning and in ``expected_cost_``: the smaller, the
        more is pruned.
    min_cases : float, default=2
        At least two branches of a split must have this many cases.
    min_samples_leaf : int or float, default=1
        Every branch of a split must have this many cases of known value, a float being a share of
        all cases, as in scikit-learn; a row of weight 2 is two cases. Above 1 no subtree is
        raised, for that can make smaller leaves.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which those of their cases are multiplied, as in scikit-learn.
        They change how much the bills of these cases count, too, and how many cases the estimate
        of errors believes in; to say that one error is worse than another, use error costs.
    collapse : bool, default=True
        Whether a split that saves no errors on the training cases becomes a leaf again.
    prune : bool, default=True
        Whether to prune by the expected error.
    raise_subtrees : bool, default=True
        Whether pruning may put a node's largest branch in its place.
    expected_error : {"c45", "exact", "training"}, default="c45"
        C4.5's approximate limit on errors, the exact binomial one, or the errors seen.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal: by their dtype, none, or these names, positions or mask.
    max_bins : "auto", int or None, default="auto"
        How many bins the values of a numeric test may be put in, with about as many cases in each;
        thresholds lie between bins. None tells all values apart; ``"auto"`` does so up to 50,000
        rows, and makes 254 bins of longer tables. Nominal and ordered values stay as they are.
    random_state : default=None
        Not used; C4.5 is deterministic.
    n_jobs : default=None
        Not used; a tree is grown in one thread.
    verbose : int, default=0
        Not used; C4.5 is done at once.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : array
        The class labels.
    expected_cost_ : float
        Expected total cost per case, the sum of ``expected_test_cost_`` and
        ``expected_error_cost_``.
    test_usage_ : dict
        Share of the training cases that pay for each test.
    test_ranges_ : dict
        Least and greatest value of each numeric test that the tree asks.
    shrinkage_ : float
        How strongly :meth:`predict_proba` leans on the nodes above a leaf.
    termination_ : str
        Always ``"completed"``.

    References
    ----------
    J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann, 1993; Improved use of
    continuous attributes in C4.5, JAIR 4 (1996).

    Examples
    --------
    >>> from frugaltree import C45Classifier
    >>> from frugaltree.datasets import load
    >>> X, y = load("iris", return_X_y=True)
    >>> C45Classifier().fit(X, y).tree_
    Tree(5 leaves, depth 4, 3 classes)
    """

    _criterion = GAIN_RATIO
