"""A tree for systems that know of one bill for each node.

A test without a result is not charged. So a case that goes on without a value may come to the same
node as others with another bill. Here such a way gets nodes of its own, and the answers are the
same. What an order costs depends on values that are never asked for, too: such amounts are *due*
at a node, on top of its bill.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.costs.bill import Bill
from frugaltree.costs.path import PathPrices
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.cost.charges import end_of
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.tree import Tree

MOST_NODES = 200_000
"""A larger tree is not written."""


class Visit(NamedTuple):
    """A node of the tree to be copied: for whom, and as which child of which node of the copy."""

    node: int
    ends: bool  # whether the cases end there for want of a value
    prices: PathPrices
    bill: Bill
    ordered: bool
    known: frozenset[int]
    lacking: frozenset[int]
    parent: int
    slots: tuple[int, ...]  # of the parent; the last is that of the cases without a value


class Unfolded(NamedTuple):
    """A tree of which each node has one bill; these; and the nodes that it was made from."""

    tree: Tree
    bills: list[Bill]
    origins: list[int]


def unfolded(tree: Tree, prices: Prices) -> Unfolded:
    """Return a tree of which each node has one bill, and these bills.

    Examples
    --------
    Without a value of the first test a case goes on to the second, and pays for that alone:

    >>> from frugaltree import Costs, ID3Classifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> costs = Costs([3, 5])
    >>> tree = ID3Classifier(costs).fit(X, y).tree_
    >>> copy = unfolded(tree, costs.prices(["x0", "x1"]))
    >>> tree.n_nodes, copy.tree.n_nodes, [bill.amount for bill in copy.bills]
    (5, 7, [3.0, 8.0, 8.0, 8.0, 3.0, 3.0, 0.0])
    """
    copy = _Copy(tree, prices)
    copy.todo.append(
        Visit(
            node=0, ends=False, prices=PathPrices.at_start(prices), bill=Bill(0.0), ordered=False,
            known=frozenset(), lacking=frozenset(), parent=NONE, slots=(),
        )
    )  # fmt: skip
    while copy.todo:
        copy.take(copy.todo.pop())
    return Unfolded(copy.tree(), copy.bills, copy.node)


class _Copy:
    """The copy, as far as it is made."""

    def __init__(self, tree: Tree, prices: Prices) -> None:
        self.source, self.prices = tree, prices
        self.todo: list[Visit] = []
        self.bills: list[Bill] = []
        self.node: list[int] = []
        self.wanted: list[int] = []  # the node that was to be copied, before values were missing
        self.is_leaf: list[bool] = []
        self.parent: list[int] = []
        self.children: list[list[int]] = []
        self.shared: list[int] = []  # the child of the source that missing values share

    def take(self, visit: Visit) -> None:
        """Copy a node, and note its children for later."""
        source, nodes = self.source, self.source.nodes
        node, ends = visit.node, visit.ends
        while not ends and not source.is_leaf(node) and nodes.test[node] in visit.lacking:
            way = int(source.ways[node])
            node, ends = (node, True) if way == NONE else (way, False)
        number = len(self.node)
        if number >= MOST_NODES:
            raise FrugaltreeError(
                f"with a way for every missing value the tree has more than {MOST_NODES:,} nodes; "
                "export a smaller tree, or one with Costs(charge_missing=True)."
            )
        for slot in visit.slots:
            self.children[visit.parent][slot] = number
        leaf = ends or source.is_leaf(node)
        self.node.append(node)
        self.wanted.append(visit.node)
        self.parent.append(visit.parent)
        self.is_leaf.append(leaf)
        self.shared.append(NONE)
        self.bills.append(visit.bill.settled(visit.known, visit.lacking))
        self.children.append([])
        if not leaf:
            self._branch(visit, node, number)

    def _branch(self, visit: Visit, node: int, number: int) -> None:
        """Charge for the test of a node and note its branches, the last one first."""
        source, test = self.source, int(self.source.nodes.test[node])
        known, lacking = visit.known, visit.lacking | {test}
        paid = self._pay(visit, node, test)._replace(known=known | {test}, parent=number)
        self.bills[number] = paid.bill.settled(paid.known, paid.lacking)
        column = source.columns[test]
        width = len(column.categories) if column.is_nominal else 2
        self.children[number] = [NONE] * (width + 1)
        way, without = int(source.ways[node]), self._without(visit, paid, node)
        if test in visit.known:
            self.shared[number] = source.branches(node)[0][1]  # no case comes without a value
        elif self._goes_along(visit, paid, node, test):
            self.shared[number] = way
        elif way != NONE or without.bill.settled(known, lacking) != self.bills[number]:
            self.todo.append(
                without._replace(
                    node=node if way == NONE else way, ends=way == NONE, parent=number,
                    lacking=lacking, known=known, slots=(width,),
                )
            )  # fmt: skip
        for answers, child in reversed(source.branches(node)):
            if answers:
                self.todo.append(paid._replace(node=child, ends=False, slots=answers))

    def _goes_along(self, visit: Visit, paid: Visit, node: int, test: int) -> bool:
        """Tell whether a case without a value goes on as others do, with the same bill."""
        nodes, way = self.source.nodes, int(self.source.ways[node])
        if way == NONE or self.source.has_own_way(node):
            return False
        is_free = paid.bill == visit.bill and not visit.bill.hangs_on(test)
        same_prices = visit.ordered or not self._opens(test, visit.prices)
        return is_free and same_prices and test not in nodes.test[way : end_of(nodes, way)]

    def _without(self, visit: Visit, paid: Visit, node: int) -> Visit:
        """Return what is paid by a case that lacks a value of a node's test."""
        if self.prices.charge_missing:
            return paid
        orders = paid.ordered and not visit.ordered
        return paid if orders and int(self.source.ways[node]) != NONE else visit

    def _pay(self, visit: Visit, node: int, test: int) -> Visit:
        """Return a visit after paying for what a node asks."""
        if visit.ordered:
            return visit
        if not self.prices.delayed[test]:
            price, after = visit.prices.take(test)
            return visit._replace(prices=after, bill=Bill(visit.bill.amount + price))
        nodes = self.source.nodes
        below = set(nodes.test[node : end_of(nodes, node)].tolist()) - {NONE} - visit.lacking
        tests = [a for a in sorted(below) if not visit.prices.is_paid(a)]
        price, after = visit.prices.take_order(tests)
        if self.prices.charge_missing:
            bill = Bill(visit.bill.amount + price)
        else:
            bill = Bill(visit.bill.amount, visit.prices.dues_of_order(tests))
        return visit._replace(prices=after, bill=bill, ordered=True)

    def _opens(self, test: int, prices: PathPrices) -> bool:
        """Tell whether taking a test makes others cheaper, or what it costs depends on it."""
        opens = self.prices.member[test] & ~prices.opened.astype(bool)
        return bool((opens != 0).any()) and not self.prices.charge_missing

    def tree(self) -> Tree:
        """Return the copy as a tree."""
        n, source = len(self.node), self.source
        widths = np.array([len(children) for children in self.children])
        nodes = Nodes.empty(n, int(widths.sum()), len(source.classes))
        nodes.test[:] = np.where(self.is_leaf, NONE, source.nodes.test[self.node])
        nodes.cut[:] = NONE
        nodes.threshold[:] = np.where(self.is_leaf, np.nan, source.nodes.threshold[self.node])
        nodes.first[:] = np.where(widths > 0, np.cumsum(widths) - widths, 0)
        nodes.parent[:] = self.parent
        nodes.counts[:] = source.nodes.counts[self.node]
        nodes.children[:] = [child for children in self.children for child in children]
        nodes.lacking[:] = 0
        ways = np.full(n, NONE, np.int64)
        copies = {(self.parent[i], self.wanted[i]): i for i in range(n - 1, 0, -1)}
        for number, children in enumerate(self.children):
            if children and children[-1] != NONE:
                ways[number] = children[-1]
                nodes.lacking[children[-1]] = 1
            elif self.shared[number] != NONE:
                ways[number] = copies[number, self.shared[number]]
        labels = source.labels[self.node]
        return Tree(
            source.columns,
            source.classes,
            nodes,
            labels,
            ways,
            answer_names=source.answer_names,
        )
