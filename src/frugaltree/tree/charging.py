"""What a price list makes of a finished tree, node by node, and of the way of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from frugaltree.costs.by_condition import levels_of
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.cost.charges import ChargeBuffers, charge_tree
from frugaltree.kernels.cost.prices import Prices, prices_on_levels
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.bills import paid_on_path, path_to
from frugaltree.tree.charges import MISSING, UNSEEN, Charges, Step
from frugaltree.tree.mix import mean_charges, prices_paid

if TYPE_CHECKING:
    from frugaltree.tree.tree import Tree

Floats = npt.NDArray[np.float64]


def charges_of_tree(tree: Tree, prices: Prices) -> Charges:
    """Return what each node charges; on average, where prices depend on other tests."""
    out = _charged(tree, prices)
    paying = tree.weights.copy()
    if not prices.charge_missing:
        for child in np.flatnonzero(tree.nodes.lacking).tolist():
            parent = tree.nodes.parent[child]
            paying[parent] -= tree.weights[child] if out.owner[parent] == NONE else 0.0
    return Charges(
        charge=out.charges,
        bill=out.bills,
        owner=out.owner,
        usage=out.usage,
        paying=paying,
        by=_prices_by(tree, prices),
    )


def _charged(tree: Tree, prices: Prices) -> ChargeBuffers:
    """Return what each node charges; on average, where prices depend on other tests."""
    if not prices.conditions.on.size or tree.mix is None:
        return charge_tree(prices, tree.layout[0])
    if tree.mix.shape[1] != prices.conditions.price.shape[1]:
        raise FrugaltreeError(
            "these costs have other prices that depend on tests than the costs at fit, and the "
            "tree does not know how many cases pay them; fit again, or bill cases."
        )
    return mean_charges(prices, tree.layout[0], tree.mix)


def _prices_by(tree: Tree, prices: Prices) -> dict[int, tuple[str, tuple[float, ...]]]:
    """Return what the price of a node's test depends on, and the prices that were paid."""
    if not prices.conditions.on.size or tree.mix is None:
        return {}
    return {
        node: (tree.columns[on].name, paid)
        for node, on, paid in prices_paid(prices, tree.layout[0], tree.mix)
    }


def steps_of(tree: Tree, case: Floats, prices: Prices) -> list[Step]:
    """Return the steps of a case, a table of one encoded row, each with its price."""
    end, x = int(tree.find(case)[0]), case[0]
    way = path_to(tree.nodes, end)
    lacking = set() if prices.charge_missing else set(np.flatnonzero(np.isnan(x)).tolist())
    if prices.conditions.on.size:
        prices = prices_on_levels(prices, levels_of(case, prices.conditions)[0])
    paid = paid_on_path(tree.layout[0], end, lacking, prices)
    steps = []
    for place, node in enumerate(way):
        if tree.is_leaf(node):
            break
        test = int(tree.nodes.test[node])
        answer = UNSEEN
        if place + 1 < len(way):
            answers = next(b for b, child in tree.branches(node) if child == way[place + 1])
            answer = tree.condition(node, answers)
        if np.isnan(x[test]):
            answer = MISSING
        steps.append(Step(node, tree.columns[test].name, paid[place], answer))
    return steps
