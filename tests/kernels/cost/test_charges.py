"""What a tree charges without delayed tests is what it charges in general."""

from __future__ import annotations

import numpy as np
import pytest

from frugaltree.kernels.cost.ask_rules import AskRules
from frugaltree.kernels.cost.charges import ChargeBuffers, node_charges, undelayed_charges
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.nodes import Nodes, set_leaf


def random_tree(rng, n_tests, n_nodes):
    """Return a tree of two branches a test, in preorder; tests may repeat on a path."""
    nodes = Nodes.empty(2 * n_nodes + 1, 2 * n_nodes, 2)
    n = n_slots = 0
    left = n_nodes
    waiting = [(-1, -1)]
    while waiting:
        parent, slot = waiting.pop()
        set_leaf(nodes, n, parent, rng.integers(1, 9, 2).astype(np.float64))
        if slot >= 0:
            nodes.children[slot] = n
        if left > 0 and (n == 0 or rng.random() < 0.7):
            nodes.test[n], nodes.first[n] = rng.integers(n_tests), n_slots
            waiting += [(n, n_slots + 1), (n, n_slots)]
            n_slots += 2
            left -= 1
        n += 1
    return Nodes(*(array[:n] for array in nodes[:-1]), nodes.children[:n_slots])


def random_prices(rng, n_tests, n_groups):
    member = rng.integers(0, 2, (n_tests, n_groups)).astype(np.uint8)
    return Prices(
        full=rng.random(n_tests) * 10,
        discount=member * rng.random((n_tests, n_groups)) * 6,
        member=member,
        delayed=np.zeros(n_tests, np.uint8),
        usable=np.ones(n_tests, np.uint8),
        charge_missing=False,
        rules=AskRules.none(n_tests),
    )


@pytest.mark.parametrize("seed", range(100))
def test_both_kernels_charge_the_same(seed):
    rng = np.random.default_rng(seed)
    n_tests, n_groups = int(rng.integers(1, 6)), int(rng.integers(0, 3))
    nodes = random_tree(rng, n_tests, int(rng.integers(1, 12)))
    prices, n = random_prices(rng, n_tests, n_groups), nodes.test.size
    found = []
    for fill in (node_charges, undelayed_charges):
        out = ChargeBuffers.empty(n, n_tests, n_groups)
        fill.py_func(prices, nodes, out)
        found.append((out.charges, out.bills, out.owner, out.usage))
    for ref, got in zip(*found, strict=True):
        np.testing.assert_array_equal(got, ref)
