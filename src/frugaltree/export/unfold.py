"""A tree for systems that know of one bill for each node.

A test without a result is not charged. So a case that goes on without a value may come to the same
node as others with another bill. Here such a way gets nodes of its own, and the answers are the
same. What an order costs depends on values that are never asked for, too: such amounts are *due*
at a node, on top of its bill.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.costs.bill import Bill
from frugaltree.costs.by_condition import levels_of
from frugaltree.costs.path import PathPrices
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.cost.charges import end_of
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.tree import Tree

MOST_NODES = 200_000
"""A larger tree is not written."""


class Part(NamedTuple):
    """Values of a condition for which prices are the same, and the levels of all tests.

    ``codes`` are those of a nominal one; of others, the part goes up to ``end``.
    """

    levels: npt.NDArray[np.int64]
    codes: tuple[int, ...] = ()
    end: float = np.inf


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
    settled: frozenset[int] = frozenset()  # tests whose price is that for the case's condition
    rest: tuple[Part, ...] = ()  # what is left of a condition that is being asked
    is_usual: bool = False  # whether the parent asks a condition, and the listed prices hold


class Unfolded(NamedTuple):
    """A tree of which each node has one bill; these; and the nodes that it was made from.

    ``others`` has, for nodes that only ask what a price depends on, the child of a value never
    seen; at other nodes such a case ends.
    """

    tree: Tree
    bills: list[Bill]
    origins: list[int]
    others: dict[int, int]


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
    nominal = [column.is_nominal for column in tree.columns]
    others = {node: child for node, child in copy.usual.items() if nominal[copy.asks[node]]}
    return Unfolded(copy.tree(), copy.bills, copy.node, others)


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
        self.asks: list[int] = []
        self.threshold: list[float] = []
        self.usual: dict[int, int] = {}  # of a condition, the child where the listed prices hold

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
        if visit.is_usual:
            self.usual[visit.parent] = number
            visit = visit._replace(is_usual=False)
        leaf = ends or source.is_leaf(node)
        on = NONE if leaf else self._open_condition(visit, int(nodes.test[node]))
        if on in visit.lacking:
            visit, on = self._settle(visit, on, np.zeros(len(source.columns), np.int64)), NONE
        self.asks.append(NONE if leaf else int(nodes.test[node]))
        self.threshold.append(np.nan if leaf else float(nodes.threshold[node]))
        self.node.append(node)
        self.wanted.append(visit.node)
        self.parent.append(visit.parent)
        self.is_leaf.append(leaf)
        self.shared.append(NONE)
        self.bills.append(visit.bill.settled(visit.known, visit.lacking))
        self.children.append([])
        if on != NONE:
            self._ask_condition(visit._replace(node=node, parent=number), on)
        elif not leaf:
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

    # ------------------------------------------------------------------ conditions

    def _open_condition(self, visit: Visit, test: int) -> int:
        """Return the test that the price of another hangs on; NONE if it is settled for a case."""
        conditions = self.prices.conditions
        if not conditions.on.size or test in visit.settled:
            return NONE
        return int(conditions.on[test])

    def _ask_condition(self, visit: Visit, on: int) -> None:
        """Ask what prices depend on, as a node of its own, before the test of a node."""
        number, column = visit.parent, self.source.columns[on]
        self.asks[number] = on
        unsaid = np.zeros(len(self.source.columns), np.int64)
        usual = self._settle(visit, on, unsaid)
        if column.is_nominal:
            parts = self._parts_by_value(on)
            self.children[number] = [NONE] * (len(column.categories) + 1)
            listed = [part.codes for part in parts if not part.levels.any()]
            for part in parts:
                if part.levels.any():
                    settled = self._settle(visit, on, part.levels)
                    self.todo.append(settled._replace(slots=part.codes))
            codes = tuple(code for codes in listed for code in codes)
            missing = () if codes else (len(column.categories),)
            self.todo.append(usual._replace(slots=(*codes, *missing), is_usual=True))
            return
        low, *rest = visit.rest or self._parts_by_number(on)
        self.children[number] = [NONE] * 3
        self.threshold[number] = low.end
        above = visit._replace(rest=tuple(rest), slots=(1,))
        if len(rest) == 1:
            above = self._settle(above, on, rest[0].levels)
        if not visit.rest:
            self.todo.append(usual._replace(slots=(2,), is_usual=True))
        self.todo.append(above)
        self.todo.append(self._settle(visit, on, low.levels)._replace(slots=(0,)))

    def _settle(self, visit: Visit, on: int, levels: npt.NDArray[np.int64]) -> Visit:
        """Return a visit of cases that are on these levels of the tests that hang on one."""
        conditions = self.prices.conditions
        tests = np.flatnonzero(conditions.on == on)
        found = conditions.price[tests, levels[tests]]
        never = frozenset(tests[np.isinf(found)].tolist())
        prices = visit.prices.prices
        full = prices.full.copy()
        full[tests] = np.where(np.isinf(found), 0.0, found)
        return visit._replace(
            prices=visit.prices._replace(prices=prices._replace(full=full)),
            settled=visit.settled | frozenset(tests.tolist()),
            lacking=visit.lacking | never,
            rest=(),
        )

    def _parts_by_value(self, on: int) -> list[Part]:
        """Return the values of a nominal condition, those together that have the same prices."""
        codes = range(len(self.source.columns[on].categories))
        parts: dict[bytes, Part] = {}
        for code, levels in zip(codes, self._levels_at(on, list(codes)), strict=True):
            part = parts.setdefault(levels.tobytes(), Part(levels))
            parts[levels.tobytes()] = part._replace(codes=(*part.codes, code))
        return list(parts.values())

    def _parts_by_number(self, on: int) -> tuple[Part, ...]:
        """Return the spans of another condition in which prices are the same, at least two."""
        conditions, column = self.prices.conditions, self.source.columns[on]
        if column.categories:
            ends = [code + 0.5 for code in range(len(column.categories) - 1)]
            levels = self._levels_at(on, list(range(len(column.categories))))
        else:
            given = conditions.ends[conditions.on == on]
            ends = np.unique(given[np.isfinite(given)]).tolist()
            levels = self._levels_at(on, [*ends, np.nextafter(ends[-1], np.inf)])
        found = [Part(one, end=end) for one, end in zip(levels, [*ends, np.inf], strict=True)]
        kept = [
            part
            for part, after in zip(found, [*found[1:], None], strict=True)
            if after is None or (part.levels != after.levels).any()
        ]
        return tuple(kept if len(kept) > 1 else [Part(levels[0], end=ends[0]), *kept])

    def _levels_at(self, on: int, values: Sequence[float]) -> npt.NDArray[np.int64]:
        """Return the levels of all tests for values of a condition."""
        X = np.full((len(values), len(self.source.columns)), np.nan)
        X[:, on] = values
        conditions = self.prices.conditions
        return np.asarray(levels_of(X, conditions) * (conditions.on == on))

    # ----------------------------------------------------------------------- bills

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
        nodes.test[:] = self.asks
        nodes.cut[:] = NONE
        nodes.threshold[:] = self.threshold
        nodes.first[:] = np.where(widths > 0, np.cumsum(widths) - widths, 0)
        nodes.parent[:] = self.parent
        nodes.counts[:] = source.nodes.counts[self.node]
        nodes.children[:] = [child for children in self.children for child in children]
        nodes.lacking[:] = 0
        ways = np.full(n, NONE, np.int64)
        copies = {(self.parent[i], self.wanted[i]): i for i in range(n - 1, 0, -1)}
        for number, children in enumerate(self.children):
            if number in self.usual:
                ways[number] = self.usual[number]
                nodes.lacking[ways[number]] = ways[number] not in children[:-1]
            elif children and children[-1] != NONE:
                ways[number] = children[-1]
                nodes.lacking[children[-1]] = 1
            elif children and self.asks[number] != source.nodes.test[self.node[number]]:
                ways[number] = children[0]  # nobody comes there without a value
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
