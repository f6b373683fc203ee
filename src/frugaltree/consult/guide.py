"""A fitted tree as a guide for one case: where a value leads, and what a test costs there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from reprlib import repr as shortened
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from frugaltree.batches.batches import Batches, Known
from frugaltree.consult.ranges import Range, ranges_of, say_outside
from frugaltree.consult.values import branch_of
from frugaltree.costs import Costs
from frugaltree.costs.arrays import find_columns
from frugaltree.costs.by_condition import levels_of
from frugaltree.costs.path import PathPrices
from frugaltree.estimators.base import CostSensitiveTree
from frugaltree.estimators.repertoire import Repertoire
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.cost.prices import Prices, is_paid_for, prices_on_levels
from frugaltree.kernels.sentinels import NONE
from frugaltree.persist import load_model
from frugaltree.protocols import Estimator
from frugaltree.table import Column
from frugaltree.tree.answers import costs_of_answers
from frugaltree.tree.tree import Tree

Floats = npt.NDArray[np.float64]
How = Literal["told", "known", "unmeasured"]


class Fact(NamedTuple):
    """What a person has said of a test.

    Attributes
    ----------
    value
        As it was given; None where it cannot be measured.
    code
        As the tree knows it; NaN goes where missing values go.
    how
        ``"told"`` is charged when the tree asks for it; ``"known"`` was at hand and is free;
        ``"unmeasured"`` cannot be had.
    at
        When it was said.
    """

    value: Any
    code: float
    how: How
    at: str


Facts = Mapping[int, Fact]


class Location(NamedTuple):
    """A node where a case stands, and the share of the case that stands there."""

    node: int
    share: float


class Payment(NamedTuple):
    """What is charged at a node, for which tests, and the prices afterwards.

    Below an order, which pays for all that may be needed, nothing is charged. ``without`` is
    what those pay at the node that have no value of its test, where that is anything.
    """

    price: float
    tests: tuple[int, ...]
    path_prices: PathPrices
    is_order: bool = False
    without: Payment | None = None


@dataclass(frozen=True, eq=False)
class Guide:
    """A tree with its prices, its error costs and the ranges of its numeric tests."""

    tree: Tree
    prices: Prices
    errors: Floats
    unit: str | None
    ranges: Mapping[str, Range]
    at_hand: tuple[int, ...] = ()  # known tests that prices depend on
    batches: Batches | None = None

    @classmethod
    def of(cls, estimator: Estimator, batches: Batches | None = None) -> Guide:
        """Return the guide that a fitted estimator gives, its tests ordered in batches if so."""
        tree: Tree = estimator.tree_
        costs = estimator.costs or Costs()
        prices, errors = tree.prices(costs), costs_of_answers(tree, costs)
        names = [column.name for column in tree.columns]
        known = find_columns(costs, names) if tree.needed else {}
        at_hand = {known[key] for key in costs.known if key in known}
        if batches is not None:
            prices = batches.costs.prices(names)
        return cls(
            tree=tree,
            prices=prices,
            errors=errors,
            unit=costs.unit,
            ranges=ranges_of(estimator),
            at_hand=tuple(test for test in tree.needed if test in at_hand),
            batches=batches,
        )

    @cached_property
    def names(self) -> list[str]:
        """The names of the tests."""
        return [column.name for column in self.tree.columns]

    def test(self, node: int) -> int:
        """Return the test asked at a node, -1 at a leaf."""
        return int(self.tree.nodes.test[node])

    def column(self, node: int) -> Column:
        """Return the column asked at a node."""
        return self.tree.columns[self.test(node)]

    def say_outside(self, name: str, value: float) -> str | None:
        """Return how a value of a numeric test lies outside its range; None if not, or unknown."""
        return say_outside(value, self.ranges.get(name), float(self.tree.weights[0]))

    def error_cost(self, node: int) -> float:
        """Return the expected cost of errors when a node answers."""
        return float(self.errors[self.tree.labels[node]] @ self.tree.shares[node])

    # --------------------------------------------------------------------- ways

    def next_locations(self, node: int, fact: Fact | None) -> list[Location]:
        """Return where a case goes from a node, with shares; nowhere if it ends there.

        Without a fact these are all branches, by their training cases.
        """
        branches = self.tree.branches(node)
        if not branches:
            return []
        if fact is not None and fact.code == fact.code:
            branch = branch_of(
                fact.code, self.column(node), float(self.tree.nodes.threshold[node])
            )
            return [Location(child, 1.0) for answers, child in branches if branch in answers]
        if fact is not None and not self.tree.fractional:
            way = int(self.tree.ways[node])
            return [] if way == NONE else [Location(way, 1.0)]
        weights = self.tree.weights[[child for _, child in branches]]
        shares = (weights / weights.sum()).tolist()
        return [Location(child, share) for (_, child), share in zip(branches, shares, strict=True)]

    def possible_locations(self, facts: Facts) -> list[Location]:
        """Return, in preorder, all nodes where a case with these facts may stand, with shares.

        What is missing leaves every branch possible, by its training cases, whichever the tree
        goes on with; unless training cases without a value have a branch of their own.
        """
        found, stack = [], [Location(0, 1.0)]
        while stack:
            location = stack.pop()
            fact = facts.get(self.test(location.node))
            taken = fact if self.tree.has_own_way(location.node) else if_measured(fact)
            onward = self.next_locations(location.node, taken) if fact is not None else []
            if not onward:
                found.append(location)
            stack.extend(
                Location(child, share * location.share) for child, share in reversed(onward)
            )
        return found

    def reachable_nodes(self, node: int, facts: Facts) -> Iterator[int]:
        """Yield, in preorder, the nodes that a case with these facts can still reach."""
        stack = [node]
        while stack:
            yield (node := stack.pop())
            locations = self.next_locations(node, facts.get(self.test(node)))
            stack.extend(location.node for location in reversed(locations))

    # --------------------------------------------------------------- conditions

    def open_condition(self, facts: Facts) -> int:
        """Return a known test that prices depend on and that nothing is said of, -1 for none.

        Such tests are at hand when a case arrives, so they come before everything else.
        """
        return next((test for test in self.at_hand if test not in facts), NONE)

    def is_priced(self, facts: Facts) -> bool:
        """Tell whether all is said that prices depend on."""
        return all(test in facts for test in self.tree.needed)

    def asked_at(self, node: int, facts: Facts) -> int:
        """Return the test to ask a case for that stands at a node."""
        on = self.open_condition(facts)
        return self.test(node) if on == NONE else on

    def levels(self, facts: Facts) -> npt.NDArray[np.int64]:
        """Return the level of each test for a case, see ``Conditions`` in ``kernels.cost``."""
        X = np.full((1, len(self.tree.columns)), np.nan)
        for test in self.tree.needed:
            if test in facts:
                X[0, test] = facts[test].code
        found: npt.NDArray[np.int64] = levels_of(X, self.prices.conditions)[0]
        return found

    def prices_for(self, facts: Facts, unsaid: Prices | None = None) -> Prices:
        """Return the plain price list of a case.

        Prices that depend on what is not said yet are those of ``unsaid``, or the listed ones.
        """
        if not self.tree.needed:
            return self.prices
        found = prices_on_levels(self.prices, self.levels(facts))
        if unsaid is None:
            return found
        on = self.prices.conditions.on
        waits = np.array([test != NONE and test not in facts for test in on.tolist()])
        return found._replace(full=np.where(waits, unsaid.full, found.full))

    def never_taken(self, facts: Facts) -> dict[int, str]:
        """Return the tests of the tree that a case cannot take, and what that hangs on."""
        conditions = self.prices.conditions
        if not self.tree.needed:
            return {}
        levels = self.levels(facts)
        tests = [test for test in self.tree.asked_tests if conditions.on[test] != NONE]
        return {
            test: self.names[conditions.on[test]]
            for test in tests
            if np.isinf(conditions.price[test, levels[test]])
        }

    # ------------------------------------------------------------------- prices

    def pay(self, node: int, facts: Facts, path_prices: PathPrices) -> Payment:
        """Return what reaching a node's question costs.

        What is known or cannot be measured costs nothing and opens no group, unless tests
        without a result are charged. A delayed test pays for everything that it orders.
        """
        test = self.test(node)
        fact = facts.get(test)
        is_known = fact is not None and fact.how == "known"
        if test == NONE or is_known or self._is_passed_over(node, fact):
            return Payment(0.0, (), path_prices)
        if self.batches is not None:
            return self._pay_batch(self.batches, node, facts, path_prices)
        if self.prices.delayed[test] and not path_prices.is_paid(test):
            tests = self.tests_to_order(node, facts, path_prices)
            price, after = path_prices.take_order(tests)
            return Payment(price, tests, after, is_order=True)
        if path_prices.is_paid(test) or not self._is_charged(fact):
            return Payment(0.0, (), path_prices)
        price, after = path_prices.take(test)
        return Payment(price, (test,), after)

    def _pay_batch(
        self, batches: Batches, node: int, facts: Facts, path_prices: PathPrices
    ) -> Payment:
        """Return what is ordered at a node, if its test is not: its price, and that of waiting."""
        known = {test: fact for test, fact in facts.items() if fact.how == "known"}
        reached = frozenset(self.reachable_nodes(0, known)) if known else frozenset()
        tests = batches.order_now(
            node, path_prices.ordered, Known(frozenset(known), reached), path_prices.minutes
        )
        if not tests:
            return Payment(0.0, (), path_prices)
        asked = [self.test(below) for below in self.reachable_nodes(node, known)]
        order = tuple(test for test in dict.fromkeys(asked) if test in tests)
        charged = tuple(test for test in order if self._is_charged(facts.get(test)))
        whole = _batch(batches, charged, tests, path_prices)
        others = charged if self.prices.charge_missing else tuple(set(charged) - {order[0]})
        return whole._replace(without=_batch(batches, others, tests, path_prices))

    def tests_to_order(self, node: int, facts: Facts, path_prices: PathPrices) -> tuple[int, ...]:
        """Return the tests that a delayed one orders: all that may be needed and must be paid.

        What was told is no reason to order less: it is a result, and comes after the order. What
        cannot be measured is not ordered.
        """
        known = {test: fact for test, fact in facts.items() if fact.how == "known"}
        tests = dict.fromkeys(self.test(below) for below in self.reachable_nodes(node, known))
        return tuple(
            test
            for test in tests
            if test != NONE
            and test not in known
            and self._is_charged(facts.get(test))
            and not path_prices.is_paid(test)
        )

    def pays_above(self, node: int) -> bool:
        """Tell whether the cases of a node pay for the test above it, having a value or not."""
        return bool(is_paid_for(self.prices, self.tree.nodes.lacking[node]))

    def _is_passed_over(self, node: int, fact: Fact | None) -> bool:
        """Tell whether nothing is paid, or ordered, at a node for want of a value.

        A case ends there or, in the C4.5 family, follows every branch.
        """
        ends = int(self.tree.ways[node]) == NONE
        return not self._is_charged(fact) and (self.tree.fractional or ends)

    def _is_charged(self, fact: Fact | None) -> bool:
        """Tell whether a test is charged, given what is known of its result."""
        return fact is None or fact.how == "told" or bool(self.prices.charge_missing)


def _batch(
    batches: Batches, charged: tuple[int, ...], ordered: frozenset[int], before: PathPrices
) -> Payment:
    """Return the payment for the tests of an order that have a result, the wait included."""
    if not charged:
        return Payment(0.0, (), before._replace(ordered=before.ordered | ordered))
    price, after = before.take_order(sorted(charged))
    waiting, minutes = batches.wait_for(charged, before.minutes)
    after = after._replace(ordered=before.ordered | ordered, minutes=before.minutes + minutes)
    return Payment(price + waiting, charged, after)


def if_measured(fact: Fact | None) -> Fact | None:
    """Return a fact, None where its value is missing or has no place in an order."""
    return fact if fact is not None and fact.code == fact.code else None


def load_fitted(model: Any, budget: float | None = None) -> CostSensitiveTree:
    """Return a fitted estimator, from its file if need be; of a repertoire that for a budget."""
    if isinstance(model, str | os.PathLike):
        model = load_model(model)
    if not isinstance(model, CostSensitiveTree | Repertoire):
        raise FrugaltreeError(
            f"a consultation needs a learner of frugaltree or the path of a model file, but got "
            f"{shortened(model)}; pass one of these."
        )
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise FrugaltreeError(
            f"this {type(model).__name__} has learned nothing yet; call fit first."
        ) from None
    if isinstance(model, Repertoire):
        return model.for_budget(budget)
    if budget is not None:
        raise FrugaltreeError(
            f"a {type(model).__name__} has one tree, whatever the budget; leave the budget out, "
            "or learn a Repertoire."
        )
    return model
