"""STreeD: the optimal tree of a few levels under test and error costs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.compare.peers.base import (
    CANDIDATES,
    ConstantModel,
    Model,
    Peer,
    Setting,
    TrainingSet,
    not_installed,
)
from frugaltree.compare.peers.billing import AskedTests, Floats, Places
from frugaltree.compare.peers.questions import Questions
from frugaltree.costs import Costs
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.sentinels import NONE

THRESHOLDS = 9
"""Deciles."""

TIME_LIMIT = 0.15
"""Seconds for one tree, after which the best one so far counts."""

DEAREST = 1e4
"""What the dearest case may cost: STreeD takes a total of 2**31 for infinite."""


class STreeDPeer(Peer):
    """The tree of least training cost up to a depth, by dynamic programming [1]_.

    The depth is tuned, from 0 to 4. Tests are asked as questions with two answers: nominal ones
    value by value, numeric ones at quantiles of the training part. All questions about a test
    are one feature of STreeD's, so that it is paid once on a path; its ``discount_cost`` is the
    price of the test where another member of its group has been taken. STreeD knows one group
    for each test: of several, the one that saves most. It takes delayed tests as immediate.

    Parameters
    ----------
    costs : Costs, default=None
        Prices and error costs; None for free tests and unit errors.
    thresholds : int, default=9
        How many thresholds a numeric test has at most.
    time_limit : float, default=0.15
        Seconds for one tree; then the best one so far counts. Hundreds of cases allow for the
        optimum at depth 3, and at depth 4 unless many tests are numeric.
    random_state : int, RandomState or None, default=None
        Draws the inner folds.

    References
    ----------
    .. [1] J. van der Linden, M. de Weerdt and E. Demirović, Necessary and sufficient conditions
       for optimal decision trees using dynamic programming, NeurIPS 2023.
    """

    def __init__(
        self,
        costs: Costs | None = None,
        *,
        thresholds: int = THRESHOLDS,
        time_limit: float = TIME_LIMIT,
        random_state: Any = None,
    ):
        super().__init__(costs, random_state=random_state)
        self.thresholds = thresholds
        self.time_limit = time_limit

    def _candidates(self, training: TrainingSet) -> Sequence[Setting]:
        return range(CANDIDATES)

    def _learner(self, training: TrainingSet) -> Callable[[Setting], Model]:
        try:
            from pystreed import STreeDCostSensitiveClassifier
        except ImportError:
            raise not_installed("STreeD (pystreed)") from None
        # Of questions with the same answers STreeD keeps the first, whatever it costs.
        tests = sorted(training.usable_tests.tolist(), key=training.prices.full.__getitem__)
        questions = Questions.about(
            training.values, tests, nominal=training.nominal, thresholds=self.thresholds
        )
        X = questions.answers(training.values).astype(np.intc)
        costs = cost_specifier(questions, training.prices, training.errors)

        def learn(depth: Setting) -> Model:
            solver = STreeDCostSensitiveClassifier(int(depth), time_limit=self.time_limit)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "No feasible tree")
                solver.fit(X, training.codes, costs)
            if not solver.is_fitted():  # out of time before the first tree
                return ConstantModel(training)
            return STreeDModel(questions, solver.get_tree())

        return learn


def cost_specifier(questions: Questions, prices: Prices, errors: Floats) -> Any:
    """Return prices and error costs as STreeD takes them; its matrix is M[actual][predicted]."""
    from pystreed.data import CostSpecifier, FeatureCostSpecifier

    unit = (prices.full.sum() + errors.max()) / DEAREST or 1.0
    features = []
    for a, first, last in questions.spans():
        name, full, saved = f"test {a}", prices.full[a], 0.0
        if prices.member[a].any():
            group = int(prices.discount[a].argmax())
            name, saved = f"group {group}", min(prices.discount[a, group], full)
        features.append(
            FeatureCostSpecifier(full / unit, (full - saved) / unit, name, first, last)
        )
    return CostSpecifier((errors.T / unit).tolist(), features)


class STreeDModel(Model):
    """A tree of STreeD's in flat arrays, in preorder.

    Attributes
    ----------
    question : intp[node]
        What is asked, -1 at a leaf.
    label : int32[node]
        The answer, -1 where there is a question.
    children : intp[node, 2]
        Where no and yes lead.
    """

    def __init__(self, questions: Questions, root: Any):
        rows = _flattened(root)
        question, label, parent, side = (
            np.array(column, np.intp) for column in zip(*rows, strict=True)
        )
        self.questions = questions
        self.question = question
        self.label = label.astype(np.int32)
        self.children = np.full((len(rows), 2), NONE, np.intp)
        self.children[parent[1:], side[1:]] = np.arange(1, len(rows))
        test = np.append(questions.test, NONE)  # a leaf asks for -1, the last
        self.trees = (AskedTests(test[question], parent),)

    def apply(self, values: Floats) -> tuple[Places, npt.NDArray[np.int32]]:
        """Return the leaf of each case, and its answer."""
        answers = self.questions.answers(values).astype(np.intp)
        ends = np.zeros(len(values), np.intp)
        while (on := np.flatnonzero(self.question[ends] != NONE)).size:
            at = ends[on]
            ends[on] = self.children[at, answers[on, self.question[at]]]
        return ends[:, None], self.label[ends]


def _flattened(root: Any) -> list[tuple[int, int, int, int]]:
    """Return question, label, parent and side of each node, in preorder."""
    rows: list[tuple[int, int, int, int]] = []
    waiting = [(root, NONE, 0)]
    while waiting:
        node, parent, side = waiting.pop()
        if node.is_leaf_node():
            rows.append((NONE, node.label, parent, side))
            continue
        here = len(rows)
        rows.append((node.feature, NONE, parent, side))
        waiting += [(node.right_child, here, 1), (node.left_child, here, 0)]
    return rows
