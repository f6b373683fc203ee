"""A learning problem: coded cases with their prices and error costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.costs import Costs
from frugaltree.costs.by_condition import levels_of
from frugaltree.costs.of_cases import with_mean_errors
from frugaltree.costs.regrets import Penalties, penalties_of
from frugaltree.engines.allowed_answers import (
    Leaves,
    all_allowed,
    allowed_answers,
    cheapest_between,
)
from frugaltree.engines.cost_classes import CostTable, penalties_by_cost_class
from frugaltree.kernels.cost.cost_classes import NO_COST_CLASSES, CostClasses
from frugaltree.kernels.cost.error_estimate import NO_DECISIONS, TRAINING_ERROR, LeafEstimate
from frugaltree.kernels.cost.leaf import Allowed
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.table import Table

Floats = npt.NDArray[np.float64]

MOST_PARTS = 100
"""Weights that are multiples of a fraction down to one over this are taken as they are."""

FINEST = 2.0**40
"""All weights together are about so many steps of the grid that others are put on."""


class TestsLimit(NamedTuple):
    """For how many tests a case may be charged, and a price list on which each counts as one."""

    counted: Prices
    most: float


@dataclass(frozen=True)
class Problem:
    """A learning problem: coded cases, prices, error costs.

    ``errors`` are regrets by answer and actual class; ``base`` is what was taken off the costs of
    each class, None for nothing, and answers from ``first_decision`` on are no classes, see
    :mod:`~frugaltree.costs.regrets`. ``decisions`` are these by name. ``directions`` say how
    answers follow each test, 1, -1 or 0, None where they follow none; ``order`` are the classes in
    the order of answers, None where that is their own. ``case_weight`` is the
    weight of one case, see :meth:`in_whole_numbers`; ``seconds`` is how long it took to read the
    table. ``tests_limit`` is for how many tests a case may be charged, None for any. Where cases
    have costs of their own, they are counted by cost class, and ``true_costs`` are what they cost
    where these are levels, see :mod:`~frugaltree.engines.cost_classes`; ``mean_errors`` are what
    answers cost on average, by class.
    """

    table: Table
    cases: Cases
    prices: Prices
    errors: Floats
    classes: npt.NDArray[Any]
    case_weight: float = 1.0
    seconds: float = 0.0
    base: Floats | None = None
    first_decision: int = NO_DECISIONS
    decisions: tuple[str, ...] = ()
    directions: npt.NDArray[np.int8] | None = None
    order: npt.NDArray[np.intp] | None = None
    tests_limit: TestsLimit | None = None
    cost_classes: CostClasses = NO_COST_CLASSES
    true_costs: CostTable | None = None
    mean_errors: Floats | None = None

    @cached_property
    def weight(self) -> float:
        """The number of cases, times ``case_weight``."""
        return float(self.cases.weights.sum())

    def answers(
        self, nodes: Nodes, estimate: LeafEstimate | None = None, whole: Allowed | None = None
    ) -> npt.NDArray[np.int32]:
        """Return the cheapest answer of every node of a tree that it may give, see `allowed`."""
        if self.order is not None:
            labels = self.in_order().answers(ordered(nodes, self.order), estimate)
            return self.order[labels].astype(np.int32)
        allowed = self.allowed(nodes, estimate, whole)
        class_of = self.cost_classes.class_of
        return cheapest_between(self.errors, nodes.counts, self.first_decision, allowed, class_of)

    def allowed(
        self, nodes: Nodes, estimate: LeafEstimate | None = None, whole: Allowed | None = None
    ) -> npt.NDArray[np.int64]:
        """Return the first and the last answer that each node of a tree may give.

        Where answers follow tests, they are those of the cheapest leaves: by how errors are
        estimated or, if that is not given, by those seen. ``whole`` are the answers of the tree.
        """
        if self.directions is None:
            return all_allowed(nodes.test.size, len(self.errors))
        how = estimate or LeafEstimate(0.25, TRAINING_ERROR, multinomial=False)
        leaves = Leaves(self.errors, how._replace(restricted=True))
        return allowed_answers(nodes, self.directions, leaves, whole)

    @property
    def has_conditions(self) -> bool:
        """Whether prices depend on the values of other tests."""
        return bool(self.prices.conditions.on.size)

    @cached_property
    def levels(self) -> npt.NDArray[np.uint8]:
        """The level of each case for each test, in columns; no rows where no price depends."""
        n = self.cases.classes.size
        if not self.has_conditions:
            return np.empty((0, n), np.uint8)
        X = self.table.rows(np.arange(n))
        return np.ascontiguousarray(levels_of(X, self.prices.conditions).T, np.uint8)

    @property
    def true_classes(self) -> npt.NDArray[np.int32]:
        """The class of each case, also where they are counted by cost class."""
        return self.classes_of(self.cases.classes)

    def classes_of(self, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the classes of cases, given their cost classes, if there are any."""
        class_of = self.cost_classes.class_of
        return class_of[codes].astype(np.int32) if class_of.size else codes

    @property
    def penalties(self) -> Penalties:
        """What errors cost."""
        if self.cost_classes.class_of.size:
            assert self.mean_errors is not None
            return penalties_by_cost_class(self.errors, self.cost_classes, self.mean_errors)
        return penalties_of(self.errors, self.base_costs, self.first_decision)

    @property
    def base_costs(self) -> Floats:
        """What was taken off the costs of each class."""
        return np.zeros(self.errors.shape[1]) if self.base is None else self.base

    @property
    def offset(self) -> float:
        """What the costs per case are more than the regrets, for these cases."""
        if self.base is None:
            return 0.0
        cases = self.cases
        seen = np.bincount(cases.classes, cases.weights, self.base.size)
        return float(self.base @ seen / seen.sum())

    def following(self, directions: npt.NDArray[np.int8], order: npt.NDArray[np.intp]) -> Problem:
        """Return the same problem with answers that follow tests, in an order of the classes."""
        own = (order == np.arange(order.size)).all()
        return replace(self, directions=directions, order=None if own else order)

    def in_order(self) -> Problem:
        """Return the same problem with the classes in the order of answers."""
        if self.order is None:
            return self
        classes = np.argsort(self.order).astype(np.int32)[self.cases.classes]
        return replace(
            self,
            cases=self.cases._replace(classes=np.ascontiguousarray(classes)),
            errors=np.ascontiguousarray(self.errors[np.ix_(self.order, self.order)]),
            classes=self.classes[self.order],
            order=None,
        )

    def costs_in_force(self, costs: Costs | None) -> Costs:
        """Return the price list, with mean errors where cases have costs of their own."""
        costs = costs or Costs()
        if self.mean_errors is None:
            return costs
        return with_mean_errors(costs, self.mean_errors, self.classes.tolist())

    def in_whole_numbers(self) -> Problem:
        """Return the same problem with weights that are whole, for kernels that count with such.

        They are multiplied by a number that makes them whole, which becomes ``case_weight``;
        where no small one does, by a power of two, and rounded: to a millionth of a millionth of
        all cases.
        """
        weights = self.cases.weights
        if (weights == np.floor(weights)).all():
            return self
        one = whole_weight(weights)
        whole = np.maximum(np.rint(weights * one), 1.0)
        return replace(self, cases=self.cases._replace(weights=whole), case_weight=one)

    def weight_of(self, n_cases: float) -> float:
        """Return the weight of some cases; any at all have that of one, whatever their number."""
        return n_cases * self.case_weight if n_cases > 1 else 1.0

    def in_cases(self) -> Problem:
        """Return the same problem with weights that count cases."""
        if self.case_weight == 1.0:
            return self
        weights = self.cases.weights / self.case_weight
        return replace(self, cases=self.cases._replace(weights=weights), case_weight=1.0)


def directions_of(problem: Problem) -> npt.NDArray[np.int8]:
    """Return how answers follow each test, 0 for anyhow."""
    if problem.directions is None:
        return np.zeros(problem.cases.domain.size, np.int8)
    return problem.directions


def ordered(nodes: Nodes, order: npt.NDArray[np.intp] | None) -> Nodes:
    """Return a tree whose counts are of the classes in this order, None for that they have.

    >>> nodes = Nodes.empty(1, 0, 3)
    >>> nodes.counts[:] = [5, 6, 7]
    >>> ordered(nodes, np.array([2, 0, 1])).counts.tolist()
    [[7.0, 5.0, 6.0]]
    """
    if order is None:
        return nodes
    return nodes._replace(counts=np.ascontiguousarray(nodes.counts[:, order]))


def weighed(nodes: Nodes, factor: float) -> Nodes:
    """Return a tree whose cases weigh so many times as much."""
    return nodes if factor == 1.0 else nodes._replace(counts=nodes.counts * factor)


def whole_weight(weights: Floats) -> float:
    """Return what to multiply weights by, so that they are whole or nearly so.

    >>> whole_weight(np.array([0.5, 1.25])), whole_weight(np.array([0.1, 0.3]))
    (4.0, 10.0)
    >>> whole_weight(np.array([1.0, 2.0**0.5])) == 2.0**38
    True
    """
    for parts in range(1, MOST_PARTS + 1):
        whole = weights * parts
        if (np.abs(whole - np.rint(whole)) <= 1e-12 * whole).all():
            return float(parts)
    return float(2.0 ** np.floor(np.log2(FINEST / weights.sum())))


def stratified_sample(
    rows: npt.NDArray[np.int32], classes: npt.NDArray[np.int32], size: int, seed: int
) -> npt.NDArray[np.int32]:
    """Return so many of some cases, of each class its share; all where there are no more.

    >>> rows, classes = np.arange(9, dtype=np.int32), np.array([0, 0, 0, 0, 0, 0, 1, 1, 1])
    >>> drawn = stratified_sample(rows, classes, 3, seed=0)
    >>> classes[drawn].tolist()
    [0, 0, 1]
    """
    if rows.size <= size:
        return rows
    chance = np.random.default_rng(seed).random(rows.size)
    order = np.lexsort((chance, classes[rows]))
    evenly = ((np.arange(size) + 0.5) * rows.size / size).astype(np.int64)
    return np.sort(rows[order[evenly]])
