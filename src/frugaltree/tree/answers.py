"""What the leaves of a tree may say, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from frugaltree.costs.of_cases import with_mean_errors

if TYPE_CHECKING:
    from frugaltree.costs import Costs
    from frugaltree.tree.tree import Tree

Floats = npt.NDArray[np.float64]


def answer_array(names: Sequence[Any]) -> npt.NDArray[Any]:
    """Return answers as an array, of Python's own objects where their types differ.

    >>> answer_array(["ill", "well", "refer"]).tolist(), answer_array([0, 1, "refer"]).dtype
    (['ill', 'well', 'refer'], dtype('O'))
    """
    if all(isinstance(name, str) for name in names):
        return np.array(names)
    found = np.empty(len(names), object)
    found[:] = names
    return found


def costs_in_force(tree: Tree, costs: Costs) -> Costs:
    """Return the price list of a tree, with mean errors where cases had costs of their own."""
    if tree.mean_errors is None:
        return costs
    return with_mean_errors(costs, tree.mean_errors, tree.classes)


def costs_of_answers(tree: Tree, costs: Costs) -> Floats:
    """Return what each answer of a tree costs for each class, in the order of its labels.

    Where training cases had costs of their own, it is what these were on average.
    """
    if tree.mean_errors is not None:
        return np.array(tree.mean_errors)
    answers = tree.answer_names if tree.has_decisions else None
    if answers is None:
        return costs.matrix(list(tree.classes))
    return costs.answer_costs(list(tree.classes), answers)
