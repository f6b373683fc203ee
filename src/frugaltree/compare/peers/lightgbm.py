"""LightGBM: boosted trees that weigh what their values cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.compare.peers.base import (
    CANDIDATES,
    Model,
    Peer,
    Setting,
    TrainingSet,
    choose_cheapest,
    not_installed,
)
from frugaltree.compare.peers.billing import AskedTests, Floats, Places
from frugaltree.costs import Costs
from frugaltree.kernels.sentinels import NONE

ROUNDS = 20

TRADE_OFFS = tuple(30.0 / 10 ** (i / 2) for i in range(CANDIDATES))
"""How much a price counts against an error: at 30 few tests are asked, at 0.3 nearly all."""

FIXED = {
    "learning_rate": 0.3,
    "lambda_l2": 1.0,
    "num_leaves": 16,
    "min_data_in_leaf": 5,
    "min_data_per_group": 5,
    "cat_smooth": 1.0,
    "cat_l2": 1.0,
    "feature_pre_filter": False,
    "deterministic": True,
    "force_col_wise": True,
    "num_threads": 1,
    "verbose": -1,
}
"""Settings for tables of hundreds of cases; LightGBM's own are for thousands."""


class LightGBMPeer(Peer):
    """Gradient boosting with on-demand costs of features, LightGBM's CEGB [1]_.

    ``cegb_penalty_feature_lazy``, the price of a value for each case that has not paid it yet,
    is the full price of the test: CEGB knows no groups, though bills do. ``cegb_tradeoff`` is
    tuned in units of one over the mean cost of an error. Nominal tests are split by LightGBM
    itself, into two sets of values. A case pays for each test that any tree asks on its path,
    tree after tree, and is given the class with the least expected cost under the predicted
    probabilities.

    Parameters
    ----------
    costs : Costs, default=None
        Prices and error costs; None for free tests and unit errors.
    rounds : int, default=20
        Rounds of boosting, each with a tree of at most 16 leaves for every class, or a single
        tree where there are two classes.
    random_state : int, RandomState or None, default=None
        Draws the inner folds, and seeds LightGBM.

    References
    ----------
    .. [1] S. Peter et al., Cost efficient gradient boosting, NIPS 2017.
    """

    def __init__(
        self, costs: Costs | None = None, *, rounds: int = ROUNDS, random_state: Any = None
    ):
        super().__init__(costs, random_state=random_state)
        self.rounds = rounds

    def _candidates(self, training: TrainingSet) -> Sequence[Setting]:
        return TRADE_OFFS

    def _learner(self, training: TrainingSet) -> Callable[[Setting], Model]:
        try:
            import lightgbm
        except ImportError:
            raise not_installed("LightGBM") from None
        tests = training.usable_tests
        settings = {**FIXED, **_settings(training)}
        nominal = np.flatnonzero(training.nominal[tests]).tolist()
        cases = lightgbm.Dataset(
            training.values[:, tests], training.codes, categorical_feature=nominal, params=settings
        )

        def learn(trade_off: Setting) -> Model:
            weighed = {**settings, "cegb_tradeoff": trade_off * _worth(training.errors)}
            booster = lightgbm.train(weighed, cases, self.rounds)
            return LightGBMModel(booster, tests, training.errors)

        return learn


def _settings(training: TrainingSet) -> dict[str, Any]:
    """Return LightGBM's settings that follow from the training set."""
    several = {"objective": "multiclass", "num_class": training.n_classes}
    return {
        **(several if training.n_classes > 2 else {"objective": "binary"}),
        "cegb_penalty_feature_lazy": training.prices.full[training.usable_tests].tolist(),
        "seed": training.seed,
    }


def _worth(errors: Floats) -> float:
    """Return one over the mean cost of an error, or nearly so where errors are free.

    >>> _worth(np.array([[0.0, 10.0], [30.0, 0.0]]))
    0.05
    """
    mean = errors.sum() / (errors.size - len(errors))
    return float(1.0 / max(mean, 1e-30))


class LightGBMModel(Model):
    """Boosted trees, what each of them asks, and the cheapest answer.

    Attributes
    ----------
    leaves : tuple of intp[leaf]
        The node of each leaf of each tree.
    """

    def __init__(self, booster: Any, tests: Places, errors: Floats):
        self.booster = booster
        self.tests = tests
        self.errors = errors
        described = booster.dump_model()["tree_info"]
        flat = [_flattened(tree["tree_structure"], tests) for tree in described]
        self.trees, self.leaves = zip(*flat, strict=True)

    def apply(self, values: Floats) -> tuple[Places, npt.NDArray[np.int32]]:
        """Return the leaf of each case in each tree, and its answer."""
        X = values[:, self.tests]
        ends = self.booster.predict(X, pred_leaf=True, num_threads=1)
        nodes = [leaves[column] for leaves, column in zip(self.leaves, ends.T, strict=True)]
        chances = self.booster.predict(X, num_threads=1)
        if chances.ndim == 1:
            chances = np.stack([1.0 - chances, chances], axis=1)
        return np.stack(nodes, axis=1), choose_cheapest(self.errors, chances)


def _flattened(root: dict[str, Any], tests: Places) -> tuple[AskedTests, Places]:
    """Return what a tree asks, in preorder, and the node of each of its leaves."""
    asked: list[int] = []
    parents: list[int] = []
    leaves: dict[int, int] = {}
    waiting = [(root, NONE)]
    while waiting:
        node, parent = waiting.pop()
        here = len(asked)
        parents.append(parent)
        if "split_feature" in node:
            asked.append(int(tests[node["split_feature"]]))
            waiting += [(node["right_child"], here), (node["left_child"], here)]
        else:
            asked.append(NONE)
            leaves[node.get("leaf_index", 0)] = here  # a bare root has no number
    ends = np.array([leaves[leaf] for leaf in range(len(leaves))], np.intp)
    return AskedTests(np.array(asked, np.intp), np.array(parents, np.intp)), ends
