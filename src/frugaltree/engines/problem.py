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
from frugaltree.engines.cost_classes import CostTable, penalties_by_cost_class
from frugaltree.kernels.cost.cost_classes import NO_COST_CLASSES, CostClasses
from frugaltree.kernels.cost.error_estimate import NO_DECISIONS
from frugaltree.kernels.cost.leaf import cheapest_labels
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
    :mod:`~frugaltree.costs.regrets`. ``decisions`` are these by name. ``case_weight`` is the
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
    tests_limit: TestsLimit | None = None
    cost_classes: CostClasses = NO_COST_CLASSES
    true_costs: CostTable | None = None
    mean_errors: Floats | None = None

    @cached_property
    def weight(self) -> float:
        """The number of cases, times ``case_weight``."""
        return float(self.cases.weights.sum())

    def answers(self, nodes: Nodes) -> npt.NDArray[np.int32]:
        """Return the cheapest answer of every node of a tree."""
        labels = np.empty(nodes.test.size, np.int32)
        counts = np.require(nodes.counts, requirements="W")
        class_of = self.cost_classes.class_of
        cheapest_labels(self.errors, counts, self.first_decision, class_of, labels)
        return labels

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
