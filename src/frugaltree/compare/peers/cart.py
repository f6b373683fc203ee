"""CART: the usual tree, pruned by its size, with the cheapest answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.tree import DecisionTreeClassifier

from frugaltree.compare.peers.base import (
    CANDIDATES,
    Model,
    Peer,
    Setting,
    TrainingSet,
    choose_cheapest,
    count_classes,
)
from frugaltree.compare.peers.billing import AskedTests, Floats, Places
from frugaltree.compare.peers.questions import Questions
from frugaltree.kernels.sentinels import NONE


class CARTPeer(Peer):
    """Scikit-learn's tree under cost-complexity pruning, as most people would use it.

    It sees neither prices nor error costs while it grows. Its pruning, ``ccp_alpha``, is tuned on
    the total cost, from the bare root to the tree grown out, and each leaf gives the answer that
    is cheapest for its training cases. Nominal tests are asked value by value.

    Parameters
    ----------
    costs : Costs, default=None
        Prices and error costs; None for free tests and unit errors.
    random_state : int, RandomState or None, default=None
        Breaks ties between splits, and draws the inner folds.

    Examples
    --------
    >>> from frugaltree import Costs
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 6
    >>> peer = CARTPeer(Costs([1, 5], errors=100), random_state=0).fit(X, [0, 0, 1, 1] * 6)
    >>> peer.predict([[1, 5]]), peer.bill([[1, 5]])
    (array([1]), array([1.]))
    """

    def _candidates(self, training: TrainingSet) -> Sequence[Setting]:
        """Return penalties that leave about 1, k, k², k³ leaves, and all of them."""
        grown = DecisionTreeClassifier(random_state=training.seed)
        X = _questions(training).answers(training.values)
        alphas = grown.cost_complexity_pruning_path(X, training.codes).ccp_alphas.clip(min=0.0)
        # Each of the nested trees stands for the penalties from its own up to the next one's.
        between = np.sqrt(alphas * np.append(alphas[1:], 2 * alphas[-1]))
        from_root = np.geomspace(1, alphas.size, CANDIDATES).round().astype(int)
        return list(dict.fromkeys(between[-from_root].tolist()))

    def _learner(self, training: TrainingSet) -> Callable[[Setting], Model]:
        questions = _questions(training)
        X = questions.answers(training.values)

        def learn(alpha: Setting) -> Model:
            tree = DecisionTreeClassifier(ccp_alpha=alpha, random_state=training.seed)
            tree.fit(X, training.codes)
            n_nodes = tree.tree_.node_count
            counts = count_classes(training.codes, tree.apply(X), n_nodes, training.n_classes)
            return CARTModel(questions, tree, choose_cheapest(training.errors, counts))

        return learn


def _questions(training: TrainingSet) -> Questions:
    return Questions.about(
        training.values, training.usable_tests.tolist(), nominal=training.nominal, thresholds=None
    )


class CARTModel(Model):
    """A tree of scikit-learn's, with an answer for each of its nodes."""

    def __init__(
        self, questions: Questions, tree: DecisionTreeClassifier, labels: npt.NDArray[np.int32]
    ):
        self.questions = questions
        self.tree = tree
        self.labels = labels
        self.trees = (_asking(tree.tree_, questions),)

    def apply(self, values: Floats) -> tuple[Places, npt.NDArray[np.int32]]:
        """Return the leaf of each case, and its answer."""
        ends = self.tree.apply(self.questions.answers(values))
        return ends[:, None], self.labels[ends]


def _asking(tree: Any, questions: Questions) -> AskedTests:
    """Return what a tree asks; scikit-learn numbers nodes in preorder."""
    inner = np.flatnonzero(tree.children_left != NONE)
    test = np.full(tree.node_count, NONE, np.intp)
    test[inner] = questions.test[tree.feature[inner]]
    parent = np.full(tree.node_count, NONE, np.intp)
    parent[tree.children_left[inner]] = inner
    parent[tree.children_right[inner]] = inner
    return AskedTests(test, parent)
