"""What the training cases of a node pay, where prices depend on the values of other tests."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from frugaltree.costs.by_condition import levels_of
from frugaltree.kernels.cost.charges import ChargeBuffers, charge_tree
from frugaltree.kernels.cost.prices import Prices, prices_on_levels
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE

Floats = npt.NDArray[np.float64]


def needed_by(nodes: Nodes, prices: Prices) -> tuple[int, ...]:
    """Return the tests that the prices of those in a tree depend on, in order."""
    if not prices.conditions.on.size:
        return ()
    asked = np.unique(nodes.test[nodes.test != NONE])
    needed = np.unique(prices.conditions.on[asked]).tolist()
    return tuple(test for test in needed if test != NONE)


def mix_of(
    nodes: Nodes, X: Floats, ends: npt.NDArray[np.int32], weights: Floats, prices: Prices
) -> Floats:
    """Return, for each node and level, the share of the cases that pay for its test on that level.

    ``ends`` are the nodes where the encoded cases end. Shares add up to 1 where anybody pays.
    """
    n_levels = prices.conditions.price.shape[1]
    mix, levels = np.zeros((nodes.test.size, n_levels)), levels_of(X, prices.conditions)
    for node in range(nodes.test.size - 1, -1, -1):
        test = nodes.test[node]
        if test == NONE:
            continue
        here = is_below(nodes, node)[ends]
        if not prices.charge_missing:
            here &= ~np.isnan(X[:, test])
        mix[node] = np.bincount(levels[here, test], weights[here], n_levels)
    total = mix.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(mix, total, out=np.zeros_like(mix), where=total > 0.0))


def is_below(nodes: Nodes, top: int) -> npt.NDArray[np.bool_]:
    """Return which nodes are in the subtree of one; a tree is in preorder."""
    below = np.zeros(nodes.test.size, bool)
    below[top] = True
    for node in range(top + 1, below.size):
        below[node] = below[nodes.parent[node]]
    return below


def mean_charges(prices: Prices, nodes: Nodes, mix: Floats) -> ChargeBuffers:
    """Return what each node of a tree charges on average, by the shares on each level.

    Nothing but the node's own test hangs on its level: which groups are open does not.
    """
    charges, n_tests = np.zeros(nodes.test.size), prices.full.size
    for level in range(mix.shape[1]):
        plain = prices_on_levels(prices, np.full(n_tests, level))
        out = charge_tree(plain, nodes)
        charges += mix[:, level] * out.charges
    out.charges[:] = charges
    for node in range(nodes.test.size):
        above = nodes.parent[node]
        before = 0.0
        if above != NONE:
            pays = prices.charge_missing or not nodes.lacking[node]
            before = out.bills[above] if pays else out.bills[above] - charges[above]
        out.bills[node] = before + charges[node]
    return out


def prices_paid(
    prices: Prices, nodes: Nodes, mix: Floats
) -> Iterator[tuple[int, int, tuple[float, ...]]]:
    """Yield, for each node whose price depends on a test, it, that test, and the prices paid."""
    n_tests = prices.full.size
    lists = [prices_on_levels(prices, np.full(n_tests, level)) for level in range(mix.shape[1])]
    charges = [charge_tree(plain, nodes).charges for plain in lists]
    for node in np.flatnonzero(nodes.test != NONE).tolist():
        on = int(prices.conditions.on[nodes.test[node]])
        if on != NONE:
            levels = np.flatnonzero(mix[node]).tolist()
            yield node, on, tuple(sorted({float(charges[level][node]) for level in levels}))
