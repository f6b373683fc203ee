"""What every export needs of a fitted learner: its tree, its bills, its words."""

from __future__ import annotations

from dataclasses import dataclass
from reprlib import repr as shortened

import numpy as np
import numpy.typing as npt

from frugaltree.costs import Costs
from frugaltree.costs.bill import Bill
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.exceptions import FrugaltreeError
from frugaltree.export.unfold import unfolded
from frugaltree.kernels.sentinels import NONE
from frugaltree.protocols import Estimator
from frugaltree.tree.answers import costs_of_answers
from frugaltree.tree.text import View, charges_of
from frugaltree.tree.tree import Tree

Floats = npt.NDArray[np.float64]

COMPLETE_ONLY = (
    "Exact for cases without missing values: where one is missing, the learner follows every",
    "branch in proportion.",
)
"""What the exports of the C4.5 family say of themselves."""

INSTEAD = "Here the branch of most training cases is followed instead."
"""What those say in addition that do follow a case with missing values."""


@dataclass(frozen=True)
class Model:
    """A fitted learner, as an export sees it.

    Attributes
    ----------
    tree
        The tree.
    bills
        What a case that ends at each node is charged in all.
    view
        The words for each node of the tree as it was learned.
    origins
        The node of the tree as it was learned that each node stands for.
    others
        Where a value never seen goes on: at nodes that ask what a price depends on, and no more.
    """

    tree: Tree
    bills: list[Bill]
    view: View
    origins: list[int]
    others: dict[int, int]

    @property
    def probabilities(self) -> Floats:
        """The probability of each class, for a case that ends at each node."""
        return np.asarray(self.view.tree.probabilities[self.origins])

    @property
    def is_priced(self) -> bool:
        """Whether anything is charged at all."""
        return self.view.charges is not None

    @property
    def asked(self) -> list[int]:
        """The columns that the tree asks for."""
        return [test for test in np.unique(self.tree.nodes.test).tolist() if test != NONE]

    def notes(self, *more: str) -> list[str]:
        """Return what an export must say of itself, line by line; mostly nothing."""
        return [*COMPLETE_ONLY, *more] if self.tree.fractional else []


def model_of(estimator: Estimator, *, as_learned: bool = False) -> Model:
    """Return what the exports need of a fitted learner.

    Unless the tree is wanted ``as_learned``, each of its nodes has one bill, whatever values are
    missing on the way (:mod:`~frugaltree.export.unfold`).

    Examples
    --------
    >>> from frugaltree import Costs, ID3Classifier
    >>> learner = ID3Classifier(Costs([7])).fit([[1], [2], [4]], ["no", "no", "yes"])
    >>> [bill.amount for bill in model_of(learner).bills]
    [7.0, 7.0, 7.0, 0.0]
    >>> [bill.amount for bill in model_of(learner, as_learned=True).bills]
    [7.0, 7.0, 7.0]
    >>> model_of("learner")
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: only a fitted learner of frugaltree can be exported, but
    got 'learner'; give one that fit or load_model has returned.
    """
    if not isinstance(estimator, CostSensitiveTree):
        raise FrugaltreeError(
            f"only a fitted learner of frugaltree can be exported, but got {shortened(estimator)};"
            " give one that fit or load_model has returned."
        )
    if not hasattr(estimator, "tree_"):
        raise FrugaltreeError(
            f"this {type(estimator).__name__} has learned no tree yet; call fit before exporting "
            "it."
        )
    tree, costs = estimator.tree_, estimator.costs or Costs()
    prices = tree.prices(costs)
    bills = [Bill(amount) for amount in tree.charges(prices).bill.tolist()]
    errors = costs_of_answers(tree, costs)
    view = View(tree, charges_of(tree, prices), costs.unit, None, errors)
    if as_learned or tree.fractional:
        return Model(tree, bills, view, list(range(tree.n_nodes)), {})
    copy = unfolded(tree, prices)
    return Model(copy.tree, copy.bills, view, copy.origins, copy.others)
