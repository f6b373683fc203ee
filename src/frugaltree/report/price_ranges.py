"""What each test of a tree takes, and at which prices the tree is still the better choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from frugaltree.plots import spending_numbers
from frugaltree.protocols import Estimator
from frugaltree.strategies import THIS, PaperEstimate, Strategy, price_range
from frugaltree.tree.tree import Tree


@dataclass(frozen=True)
class AskedTest:
    """A test, and at which of its prices a tree is the better choice.

    Attributes
    ----------
    test
        The name of the test.
    price
        Its full price.
    share
        The share of the cases that pay for it.
    paid
        What an average case pays for it.
    range
        From which to which price the tree is expected to cost no more than others; None where
        some other is better at any price.
    """

    test: str
    price: float
    share: float
    paid: float
    range: tuple[float, float] | None

    @property
    def is_within(self) -> bool:
        """Whether the tree is the better choice at the price in force."""
        return self.range is not None and self.range[0] <= self.price <= self.range[1]


def price_ranges(estimator: Estimator, strategies: Sequence[Strategy]) -> list[AskedTest]:
    """Return at which prices of each test the tree is the better choice.

    It is compared with the same tree that stops wherever the test would be asked, and with other
    strategies. All are measured by the paper's estimate; other prices stay as they are. Tests
    whose price depends on another have no single one, and are left out.
    """
    estimate = PaperEstimate.of(estimator)
    names = [column.name for column in estimate.tree.columns]
    mine = Strategy(THIS, 0.0, 0.0, *estimate.expected_costs(), dict(estimator.test_usage_))
    others = [one for one in strategies if one.name != THIS]
    spending = spending_numbers(estimator)
    pays = dict(zip(spending.tests, zip(spending.share, spending.paid, strict=True), strict=True))
    asked_by_others = [name for name in names if any(one.asked.get(name) for one in others)]
    to_come = _costs_to_come(estimate)
    found = []
    for name in dict.fromkeys([*spending.tests, *asked_by_others]):
        test = names.index(name)
        if test in estimate.conditional:
            continue
        compared = [*others, _stopped(estimate, test, mine, to_come)] if name in pays else others
        price, (share, paid) = float(estimate.prices.full[test]), pays.get(name, (0.0, 0.0))
        found.append(AskedTest(name, price, share, paid, price_range(mine, compared, name, price)))
    return found


def _stopped(estimate: PaperEstimate, test: int, mine: Strategy, to_come: list[float]) -> Strategy:
    """Return the same tree, but that it answers wherever it would ask a test."""
    tops = _first_asked(estimate.tree, test)
    more = sum(estimate.errors_if_stopped(node) - to_come[node] for node in tops)
    name = estimate.tree.columns[test].name
    total = float(mine.expected or 0.0) + more / estimate.cases
    asked = {**mine.asked, name: 0.0}
    return replace(
        mine, name="stopping before it", expected_tests=0.0, expected_errors=total, asked=asked
    )


def _costs_to_come(estimate: PaperEstimate) -> list[float]:
    """Return what the cases of each node cost from there on, tests and errors, all of them."""
    tree, charges = estimate.tree, estimate.charges
    to_come = [0.0] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.is_leaf(node):
            to_come[node] = estimate.errors_of_leaf(node)
        else:
            below = sum(to_come[child] for _, child in tree.branches(node))
            to_come[node] = below + float(charges.charge[node] * charges.paying[node])
    return to_come


def _first_asked(tree: Tree, test: int) -> list[int]:
    """Return the nodes where a test is asked for the first time on their path."""
    tops, last = [], -1
    ends = _ends(tree)
    for node, asked in enumerate(tree.nodes.test.tolist()):
        if asked == test and node > last:
            tops.append(node)
            last = ends[node]
    return tops


def _ends(tree: Tree) -> list[int]:
    """Return the last node of each subtree, nodes being in preorder."""
    ends = list(range(tree.n_nodes))
    for node in range(tree.n_nodes - 1, 0, -1):
        parent = int(tree.nodes.parent[node])
        ends[parent] = max(ends[parent], ends[node])
    return ends
