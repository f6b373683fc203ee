"""Which tests to order at which node: the cheapest plan for a finished tree.

A plan says, for each node where a test is needed that has not been ordered yet, which tests are
ordered there: that one, and others that may be needed below. What was ordered has given its
results before the next order. A case pays for an order as for one under a delayed test
(:func:`~frugaltree.kernels.cost.prices.price_of_order`): for the tests that it has a value of. An
order of which it has none is not placed for it, nor one at the node where it ends for want of a
value. An order with a delayed test has all tests that may be needed below a node that asks it.

The plans of several batches are all there are. Let ``V(node, ordered)`` be the least that the
cases which come to a node can still be charged in all, with these tests ordered before.

- Where nothing is asked, or the node's test has been ordered or is at hand, nothing is charged
  there, and ``V`` is the sum over the children.
- Else ``V`` is the least, over all sets T that may be ordered, of what T costs the cases at the
  node, plus the sum of ``V(child, ordered + T)``.

Proof. Where a case goes hangs on its values alone, so the cases at a node are the same under every
plan, and so are the tests of which they lack the value. What an order costs them hangs on what was
ordered before, which is one set for all cases of a node. So after T the parts of the plan below
different children can be chosen apart, each changes its own part of the cost only, and knows of
the past by its node and that set. By induction over the height of a node, the least cost is ``V``.
Where the price of waiting grows, an order's cost also hangs on how long a case has waited: that is
the same for the cases of a node that lack values of the same tests, and is part of the state.
Sequential and single batch are two of these plans, so several batches never cost more.

Not every T is looked at: only those that can still cost less than the best found. Another test
never makes an order cheaper: of each group the largest share is paid, each test pays its own part,
and the slowest counts. So all that contain T cost no less than T and, for each other test, the
least it can cost by itself to those who come to ask it, for they pay for it now or later.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from frugaltree.batches.order_prices import OrderPrices
from frugaltree.costs.waiting import SEQUENTIAL, SINGLE, Waiting
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.cost.prices import Prices
from frugaltree.tree.bills import path_to
from frugaltree.tree.tree import Tree

MOST_LOOKS = 500_000
"""So many orders are looked at before a plan is given up."""

SLACK = 1e-12
"""An order is better only by more than this part of the cost, so that rounding does not choose."""

Times = tuple[float, ...]
"""How long cases have waited, by the tests that they lack; of no length where it is all one."""


class Cases(NamedTuple):
    """Cases that end at one node and lack values of the same tests, which they do not pay for."""

    end: int
    lacking: frozenset[int]
    weight: float


class Move(NamedTuple):
    """An order at a node: the tests, and those that were ordered before."""

    tests: int
    before: int


class Planner:
    """The nodes of a tree with what orders cost, and the cases that a plan is for.

    Parameters
    ----------
    tree
        The tree.
    prices
        The prices of its tests, without waits.
    waiting
        What waiting costs.
    at_hand
        Tests that need no order.
    cases
        The cases.
    reached
        The nodes that cases can come to; None are all.
    """

    def __init__(
        self,
        tree: Tree,
        prices: Prices,
        waiting: Waiting,
        at_hand: frozenset[int],
        cases: Sequence[Cases],
        reached: frozenset[int] | None = None,
    ) -> None:
        tests = [test for test in tree.asked_tests if test not in at_hand]
        minutes = waiting.minutes_of([c.name for c in tree.columns], tests)
        self.tree, self.waiting, self.tests, self.cases = tree, waiting, tests, cases
        self.prices = OrderPrices(prices, tests, minutes)
        self.bits = [
            1 << tests.index(test) if test in tests and (reached is None or node in reached) else 0
            for node, test in enumerate(tree.nodes.test.tolist())
        ]
        self.children = [[child for _, child in tree.branches(n)] for n in range(tree.n_nodes)]
        self.below, self.ends = list(self.bits), list(range(1, tree.n_nodes + 1))
        for node in range(tree.n_nodes - 1, 0, -1):
            parent = int(tree.nodes.parent[node])
            self.below[parent] |= self.below[node]
            self.ends[parent] = max(self.ends[parent], self.ends[node])
        self.matters = [self.prices.with_mates(tests) for tests in self.below]
        delayed = [test for test in tests if prices.delayed[test]]
        self.delayed = sum(1 << tests.index(test) for test in delayed)
        self.lackings: list[int] = []
        self.here: list[defaultdict[int, float]] = [
            defaultdict(float) for _ in range(tree.n_nodes)
        ]
        self.need: list[defaultdict[int, float]] = [
            defaultdict(float) for _ in range(tree.n_nodes)
        ]
        for one in cases:
            self._add(one)
        self._found: dict[tuple[int, int, Times], tuple[float, int]] = {}
        self._looks = 0

    def _add(self, cases: Cases) -> None:
        """Count cases at each node that they pass, with the tests that they need below."""
        lacking = self.as_bits(cases.lacking)
        if lacking not in self.lackings:
            self.lackings.append(lacking)
        needed = 0
        for node in reversed(path_to(self.tree.nodes, cases.end)):
            if self.ends_without(node, cases.end, lacking):
                continue
            self.here[node][self.lackings.index(lacking)] += cases.weight
            needed |= self.bits[node] & ~lacking
            for bit in bits_of(needed):
                self.need[node][bit] += cases.weight

    def as_bits(self, tests: frozenset[int]) -> int:
        """Return a set of tests as bits; those at hand have none."""
        return sum(1 << i for i, test in enumerate(self.tests) if test in tests)

    def ends_without(self, node: int, end: int, lacking: int) -> bool:
        """Tell whether cases end at a node for want of the value that it asks."""
        return node == end and bool(self.bits[node] & lacking)

    # --------------------------------------------------------------------- plans

    def now(self, strategy: str, node: int, ordered: int, waited: float) -> int:
        """Return what to order at a node where its test is needed, after so many minutes."""
        times = (waited,) * (len(self.lackings) if self.waiting.grows else 0)
        return self._order(strategy, node, ordered, times)

    def _order(self, strategy: str, node: int, before: int, times: Times) -> int:
        """Return what a strategy orders at a node; one test at a time where no case comes."""
        if strategy == SINGLE:
            return self.below[node] & ~before
        planned = 0 if strategy == SEQUENTIAL else self.least(node, before, times)[1]
        return planned or self.closed(node, self.bits[node], before)

    def plan(self, strategy: str, ordered: int = 0) -> dict[int, Move]:
        """Return the orders of a strategy, by the nodes where they are placed.

        ``ordered`` has been ordered before.
        """
        plan: dict[int, Move] = {}
        never = (0.0,) * (len(self.lackings) if self.waiting.grows else 0)
        stack = [(0, ordered, never)]
        while stack:
            node, before, times = stack.pop()
            if self.bits[node] & ~before:
                tests = self._order(strategy, node, before, times)
                plan[node] = Move(tests, before)
                times = self.later(node, tests, times)
                before |= tests
            stack += [(child, before, times) for child in self.children[node]]
        return plan

    def closed(self, node: int, tests: int, before: int) -> int:
        """Return an order with all that its delayed tests order along with them."""
        while tests & self.delayed:
            found = tests
            for at in range(node, self.ends[node]):
                if self.bits[at] & tests & self.delayed:
                    found |= self.below[at] & ~before
            if found == tests:
                break
            tests = found
        return tests

    def least(self, node: int, before: int, times: Times) -> tuple[float, int]:
        """Return ``V(node, ordered)`` of the module's proof, and the tests to order there."""
        if not self.here[node] or not self.below[node] & ~before:
            return 0.0, 0
        if not self.bits[node] & ~before:
            return self._onward(node, before, times), 0
        before &= self.matters[node]
        key = node, before, times
        if key not in self._found:
            self._found[key] = self._search(node, before, times)
        return self._found[key]

    def _onward(self, node: int, before: int, times: Times) -> float:
        total = 0.0
        for child in self.children[node]:
            total += self.least(child, before, times)[0]
        return total

    def _search(self, node: int, before: int, times: Times) -> tuple[float, int]:
        """Return the least cost over all sets that can be ordered at a node, and the set."""
        bit = self.bits[node]
        others = list(bits_of(self.below[node] & ~before & ~bit))
        others.sort(key=lambda b: (-self.need[node][b], b))
        limit, best, chosen = math.inf, math.inf, 0
        stack = [(bit, 0)]
        while stack:
            tests, first = stack.pop()
            self._looks += 1
            if self._looks > MOST_LOOKS:
                raise FrugaltreeError(
                    f"the tree asks {len(self.tests)} tests, too many to plan several batches "
                    "exactly; take the strategy 'sequential' or 'single batch', or a smaller tree."
                )
            cost = self.cost(node, Move(tests, before), times)
            if cost + self._floor(node, before | tests) >= limit:
                continue
            if tests == self.closed(node, tests, before):
                after = self.later(node, tests, times)
                cost += self._onward(node, before | tests, after)
                if cost < limit:
                    limit, best, chosen = cost * (1 - SLACK), cost, tests
            rest = range(len(others) - 1, first - 1, -1)
            stack += [(tests | others[i], i + 1) for i in rest]
        return best, chosen

    def _floor(self, node: int, ordered: int) -> float:
        """Return the least that all other tests cost those who come to ask them."""
        return sum(
            weight * self.prices.least(bit)
            for bit, weight in self.need[node].items()
            if not bit & ordered
        )

    # --------------------------------------------------------------------- costs

    def cost(self, node: int, move: Move, times: Times) -> float:
        """Return what an order costs all cases at a node that it is placed for."""
        total = 0.0
        for group, weight in self.here[node].items():
            lacking = self.lackings[group]
            waited = times[group] if times else 0.0
            total += weight * sum(self.charge(move, lacking, waited)[:2])
        return total

    def charge(self, move: Move, lacking: int, waited: float) -> tuple[float, float, float]:
        """Return what an order costs a case, for tests and for waiting, and how long it takes."""
        tests = move.tests & ~lacking
        if not tests:
            return 0.0, 0.0, 0.0
        minutes, waiting = self.prices.minutes(tests), self.waiting
        more = waiting.charge(waited + minutes) - waiting.charge(waited)
        return self.prices.price(tests, move.before & ~lacking), waiting.round_trip + more, minutes

    def later(self, node: int, tests: int, times: Times) -> Times:
        """Return how long cases have waited after an order, where that matters."""
        if not times:
            return times
        return tuple(
            waited + self.prices.minutes(tests & ~lacking) if self.here[node][group] else 0.0
            for group, (waited, lacking) in enumerate(zip(times, self.lackings, strict=True))
        )


def bits_of(tests: int) -> Iterator[int]:
    """Yield the bits of a set.

    >>> list(bits_of(0b1101))
    [1, 4, 8]
    """
    while tests:
        yield tests & -tests
        tests &= tests - 1
