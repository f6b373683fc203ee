"""Cases with costs of their own: cost classes, levels of them, and a finished tree's own costs.

Cases of one class that cost the same, whatever the answer, are a cost class. Each is a class of
its own to a search, which so counts what every case costs, exactly. Where there are too many, the
cases of a class are put in levels, each with what its cases cost on average: the tree that is
found is then labelled, cut back and priced by what each case costs (:func:`with_true_costs`), and
has no bound.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.costs.decisions import mean_error
from frugaltree.costs.regrets import Penalties, regrets_of
from frugaltree.kernels.cost.cost_classes import NO_COST_CLASSES, CostClasses, is_error
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.routing import find_nodes, own_ways

if TYPE_CHECKING:
    from frugaltree.engines.problem import Problem

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

MOST_COST_CLASSES = 64
"""Above so many cost classes the cases of each class are put in levels, that many in all."""


class CostTable(NamedTuple):
    """What answers cost by cost class.

    Attributes
    ----------
    errors, base
        Regrets by answer and cost class, and what was taken off the costs of each.
    classes
        What kernels need to know of cost classes.
    codes
        The cost class of each case.
    """

    errors: Floats
    base: Floats
    classes: CostClasses
    codes: Codes


def cost_table(
    costs: Floats, codes: npt.NDArray[np.integer], weights: Floats, n_classes: int
) -> CostTable:
    """Return the cost classes of cases, given what each answer costs for each case.

    >>> costs = np.array([[9.0, 1], [2, 1], [9, 1]])
    >>> table = cost_table(costs, np.array([1, 1, 1]), np.ones(3), 2)
    >>> table.errors.tolist(), table.base.tolist(), table.codes.tolist()
    ([[1.0, 8.0], [0.0, 0.0]], [1.0, 1.0], [0, 1, 0])
    """
    regrets, base = regrets_of(np.ascontiguousarray(costs.T))
    keys = np.column_stack([codes, regrets.T])
    rows, which = np.unique(keys, axis=0, return_inverse=True)
    which = which.reshape(-1)
    return _table(rows[:, 0].astype(np.int64), rows[:, 1:], base, which, weights, n_classes)


def _table(
    class_of: npt.NDArray[np.int64],
    regrets: Floats,
    base: Floats,
    which: npt.NDArray[np.integer],
    weights: Floats,
    n_classes: int,
) -> CostTable:
    """Return a table of cost classes, given the regrets of each and the base of each case."""
    size = class_of.size
    weight = np.bincount(which, weights, size)
    total = np.bincount(class_of, weight, n_classes)
    errors = np.ascontiguousarray(regrets.T)
    serves = np.array([not row[class_of == a].any() for a, row in enumerate(errors)])
    classes = CostClasses(
        class_of=class_of,
        share=weight / total[class_of],
        own=np.where(serves, np.arange(len(errors)), NONE),
        least=np.where(serves, 0.0, errors.min(axis=1)),
    )
    means = np.bincount(which, weights * base, size) / weight
    return CostTable(errors, means, classes, which.astype(np.int32))


def in_levels(table: CostTable, weights: Floats, most: int, n_classes: int) -> CostTable:
    """Return a table of at most so many cost classes, cases of similar costs put together.

    Each class has as many levels, of about the same number of cases and share of the costs.

    >>> costs = np.column_stack([np.arange(10.0), np.zeros(10)])
    >>> table = cost_table(costs, np.ones(10, np.int64), np.ones(10), 2)
    >>> in_levels(table, np.ones(10), 4, 2).errors.tolist()
    [[2.5, 7.5], [0.0, 0.0]]
    """
    class_of, n_levels = table.classes.class_of, max(1, most // n_classes)
    weight = np.bincount(table.codes, weights, class_of.size)
    level = np.empty(class_of.size, np.int64)
    for c in range(n_classes):
        here = np.flatnonzero(class_of == c)
        size = table.errors[:, here].sum(axis=0)
        order = np.argsort(size, kind="stable")
        counted = weight[here] / max(weight[here].sum(), 1e-300)
        spent = weight[here] * size
        part = (counted + spent / max(spent.sum(), 1e-300))[order]
        middle = (np.cumsum(part) - part / 2.0) / max(part.sum(), 1e-300)
        level[here[order]] = np.minimum((middle * n_levels).astype(np.int64), n_levels - 1)
    used, place = np.unique(class_of * n_levels + level, return_inverse=True)
    place = place.reshape(-1)
    total = np.bincount(place, weight)
    sums = [np.bincount(place, weight * row) / total for row in table.errors]
    regrets, more = regrets_of(np.array(sums))
    which = place[table.codes]
    base = table.base[table.codes] + more[which]
    return _table(used // n_levels, regrets.T, base, which, weights, n_classes)


def with_costs(problem: Problem, costs: Floats) -> Problem:
    """Return a problem whose cases cost, for each answer, what is said."""
    cases, n_classes, most = problem.cases, problem.cases.n_classes, MOST_COST_CLASSES
    table = cost_table(costs, cases.classes, cases.weights, n_classes)
    problem = replace(problem, mean_errors=mean_errors(table))
    if table.classes.class_of.size == n_classes and (table.classes.own != NONE).all():
        base = table.base if table.base.any() else None
        return replace(problem, errors=table.errors, base=base)
    true_costs = None
    if table.classes.class_of.size > max(most, n_classes):
        true_costs = table
        table = in_levels(table, cases.weights, most, n_classes)
    return replace(
        problem,
        cases=cases._replace(classes=table.codes, n_classes=table.classes.class_of.size),
        errors=table.errors,
        base=table.base if table.base.any() else None,
        cost_classes=table.classes,
        true_costs=true_costs,
    )


def counted_by_class(problem: Problem) -> Problem:
    """Return a problem whose cases are counted by class, for what does not look at costs."""
    class_of = problem.cost_classes.class_of
    if class_of.size == 0:
        return problem
    n_classes = int(class_of[-1]) + 1
    cases = problem.cases._replace(classes=problem.true_classes, n_classes=n_classes)
    errors = 1.0 - np.eye(n_classes)
    return replace(
        problem,
        cases=cases,
        errors=errors,
        base=None,
        cost_classes=NO_COST_CLASSES,
        true_costs=None,
    )


def uncounted(nodes: Nodes, problem: Problem) -> Nodes:
    """Return a tree of :func:`counted_by_class` with room to be counted by cost class."""
    size = nodes.test.size, problem.cases.n_classes
    return nodes if nodes.counts.shape == size else nodes._replace(counts=np.zeros(size))


def with_true_costs(problem: Problem, nodes: Nodes) -> tuple[Problem, Nodes]:
    """Return a problem and its tree in preorder, counted by what cases cost, not by levels."""
    if problem.true_costs is None:
        return problem, nodes
    table = problem.true_costs
    cases, size = problem.cases, table.classes.class_of.size
    values = problem.table.rows(np.arange(cases.classes.size))
    ends = find_nodes(values, nodes, cases.domain, cases.nominal, own_ways(nodes))
    counts = np.zeros((nodes.test.size, size))
    np.add.at(counts, (ends, table.codes), cases.weights)
    for node in range(nodes.test.size - 1, 0, -1):
        counts[nodes.parent[node]] += counts[node]
    told = replace(
        problem,
        cases=cases._replace(classes=table.codes, n_classes=size),
        errors=table.errors,
        base=table.base if table.base.any() else None,
        cost_classes=table.classes,
        true_costs=None,
    )
    return told, nodes._replace(counts=counts)


def mean_errors(table: CostTable) -> Floats:
    """Return what answers cost on average, by class."""
    costs = (table.errors + table.base) * table.classes.share
    return np.array([np.bincount(table.classes.class_of, row) for row in costs])


def penalties_by_cost_class(errors: Floats, classes: CostClasses, by_class: Floats) -> Penalties:
    """Return what errors cost, given regrets by answer and cost class, and mean costs by class.

    ``least`` is the least of what any answer costs for the cases that are its errors; of one that
    makes none, what it costs.
    """
    class_of, least = classes.class_of, []
    for a, row in enumerate(errors):
        wrong = [is_error(errors, classes, a, c) for c in range(class_of.size)]
        least.append(float(row[wrong].min() if any(wrong) else row.min()))
    return Penalties(mean_error(by_class, len(by_class)), min(least), equal=False)


def without_costs(problem: Problem, nodes: Nodes) -> Nodes:
    """Return a tree counted by class, as it is kept."""
    class_of = problem.cost_classes.class_of
    return nodes if class_of.size == 0 else nodes._replace(counts=by_class(nodes.counts, class_of))


def by_class(counts: Floats, class_of: npt.NDArray[np.int64]) -> Floats:
    """Return counts by class, given those by cost class.

    >>> by_class(np.array([[1.0, 2, 4]]), np.array([0, 0, 1])).tolist()
    [[3.0, 4.0]]
    """
    first = np.flatnonzero(np.diff(class_of, prepend=-1))
    return np.ascontiguousarray(np.add.reduceat(counts, first, axis=1))
