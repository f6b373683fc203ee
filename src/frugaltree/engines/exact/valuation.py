"""What a tree costs by the objective of a search, on all cases, wherever the tree comes from.

A tree that was grown greedily, or found on a sample, is counted anew: every branch that a case may
take gets a node, splits that the search would not be allowed are made leaves, and then every
subtree that costs more than a leaf in its place. What is charged above a node does not depend on
what is below it, so doing that from the bottom up finds the cheapest pruning of all (delayed tests
excepted, where it goes on until no leaf is cheaper than its subtree).

A tree is cut back to where it keeps the rules of the house. With a budget, it is cut back to what
it can pay for, and then tests cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from frugaltree.engines.cross_validation import part_of
from frugaltree.engines.exact.affordable import cut_to_budget
from frugaltree.engines.exact.one_vs_rest import ValueTests
from frugaltree.engines.exact.ruled_trees import cut_to_rules
from frugaltree.engines.greedy import most_branches, to_preorder
from frugaltree.engines.problem import Problem, TestsLimit
from frugaltree.engines.pruning import free, pay_alike, payers_of, prune_to_leaves
from frugaltree.kernels.cost.ask_rules import has_rules
from frugaltree.kernels.cost.charges import charge_tree
from frugaltree.kernels.cost.error_estimate import LeafEstimate
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.cost.prune import leaf_costs
from frugaltree.kernels.data.cases import Cases
from frugaltree.kernels.data.nodes import LACKING, NUMERIC_BRANCHES, Nodes, set_leaf
from frugaltree.kernels.data.recount import (
    AskedTests,
    LegalTrees,
    RecountBuffers,
    RecountTask,
    drop_illegal,
    recount,
)
from frugaltree.kernels.exact.objective import Objective
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.bills import bills_of
from frugaltree.tree.routing import find_nodes, own_ways

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int32]


class Region(NamedTuple):
    """Cases that stand together in a tree, with what their path leaves to be paid.

    Attributes
    ----------
    rows
        The cases.
    prices
        The price list as it is there.
    max_depth
        How many tests may follow.
    left
        What each case may still be charged.
    tests_limit
        For how many tests it may still be charged, None for any.
    """

    rows: Rows
    prices: Prices
    max_depth: int
    left: float
    tests_limit: TestsLimit | None = None


class Places(NamedTuple):
    """Where the cases of each node stand: ``rows[start[node] : stop[node]]``."""

    rows: Rows
    start: npt.NDArray[np.int64]
    stop: npt.NDArray[np.int64]

    def of(self, node: int) -> Rows:
        """Return the cases of a node."""
        return self.rows[self.start[node] : self.stop[node]].copy()

    def some_of(self, node: int, most: int) -> Rows:
        """Return so many of the cases of a node at most, those of each leaf in proportion."""
        step = -(-int(self.stop[node] - self.start[node]) // most)
        return self.rows[self.start[node] : self.stop[node] : max(step, 1)].copy()


@dataclass
class Valuation:
    """Counts, prunes and prices trees for the cases of a problem.

    Parameters
    ----------
    problem
        What to learn; weights are whole.
    tests
        The tests of a tree: those of the problem, and of one value against the rest.
    objective
        What is minimised.
    """

    problem: Problem
    tests: ValueTests
    objective: Objective

    def __post_init__(self) -> None:
        # The added tests need no columns here: their results are read off those they are about.
        bare = part_of(self.problem, np.arange(0))
        self.bare = self.tests.extend(bare)
        cases = self.bare.cases
        last = np.where((cases.lacking & cases.nominal) == 1, self.tests.width[self.tests.test], 0)
        self._asked = AskedTests(
            about=self.tests.test,
            value=self.tests.value,
            nominal=cases.nominal,
            domain=cases.domain,
            last=last - 1,
        )
        rows = np.arange(self.problem.cases.classes.size, dtype=np.int32)
        depth, budget = int(self.objective.max_depth), float(self.objective.budget)
        limit = self.bare.tests_limit
        self.everything = Region(rows, self.bare.prices, depth, budget, limit)

    def leaf(self, region: Region) -> tuple[Nodes, float]:
        """Return the tree that asks nothing, and its cost over the cases of a region."""
        return self.value(empty_tree(self.problem.cases.n_classes), region)

    def value(self, nodes: Nodes, region: Region | None = None) -> tuple[Nodes, float]:
        """Return a tree counted on all cases, legal, pruned, in preorder; and its cost over all.

        It keeps the rules of the house, and within the budget, if there is one.

        Only the tests and thresholds of the tree given matter.
        """
        region = region or self.everything
        nodes = with_all_branches(nodes, self.bare.cases)
        nodes = to_preorder(nodes, self.bare.cases)
        rows = region.rows.copy()
        counted = self._recount(nodes, region.rows, rows)
        if has_rules(region.prices.rules):
            places = Places(rows, counted["start"], counted["stop"])
            cut_to_rules(region.prices.rules, nodes, self.problem.cases, places.of)
        cut_to_budget(region.prices, nodes, region.left)
        if region.tests_limit is not None:
            cut_to_budget(region.tests_limit.counted, nodes, region.tests_limit.most)
        rules = LegalTrees(region.max_depth, self.objective.min_cases, self.objective.min_leaf)
        depth = np.empty(nodes.test.size, np.int64)
        drop_illegal(nodes, self._asked, rules, depth)
        nodes = to_preorder(nodes, self.bare.cases)
        charges = self._split_charges(counted["n_cuts"][depth != NONE])
        leaf = on_first_branches(nodes, self._costs_as_leaves(nodes), charges)
        prices = region.prices if region.left == np.inf else free(region.prices)
        payers = payers_of(self.problem, nodes, prices, region.rows)
        return prune_to_leaves(self.bare, nodes, leaf, prices, payers)

    def places(self, nodes: Nodes, region: Region | None = None) -> Places:
        """Return where the cases of each node of a valued tree stand."""
        nodes = Nodes(*(array.copy() for array in nodes))
        rows = (region or self.everything).rows.copy()
        counted = self._recount(nodes, rows, rows)
        return Places(rows, counted["start"].copy(), counted["stop"].copy())

    def case_costs(self, nodes: Nodes, region: Region) -> tuple[Floats, Floats]:
        """Return what each case of a region costs by a valued tree, and what for tests.

        A case that has no branch to go ends with the answer of the node.
        """
        problem, places = self.problem, self.places(nodes, region)
        labels, charged = problem.answers(nodes), charge_tree(region.prices, nodes)
        classes = problem.cases.classes
        costs, bills = np.empty(classes.size), np.empty(classes.size)
        for node in range(nodes.test.size):
            here = places.rows[places.start[node] : places.stop[node]]
            bills[here] = charged.bills[node]
            costs[here] = charged.bills[node] + problem.errors[labels[node], classes[here]]
        return costs[region.rows], bills[region.rows]

    def parts(self, nodes: Nodes) -> tuple[float, float]:
        """Return what a valued tree costs for tests, and for errors and splits, over all cases.

        The first does not depend on what errors cost; the second is in proportion to it.
        """
        nodes = Nodes(*(array.copy() for array in nodes))
        n_cuts = self._recount(nodes, self.everything.rows)["n_cuts"]
        leaf = nodes.test == NONE
        errors = self._costs_as_leaves(nodes)[leaf].sum()
        errors += self._split_charges(n_cuts[~leaf]).sum()
        problem, prices = self.problem, self.bare.prices
        if pay_alike(problem, prices):
            bills = charge_tree(prices, nodes).bills
            return float(bills[leaf] @ nodes.counts[leaf].sum(axis=1)), float(errors)
        cases, values = problem.cases, problem.table.rows(self.everything.rows.astype(np.intp))
        ends = find_nodes(values, nodes, cases.domain, cases.nominal, own_ways(nodes))
        paid = bills_of(nodes, values, ends, prices)
        return float(paid @ cases.weights), float(errors)

    def _recount(self, nodes: Nodes, rows: Rows, out: Rows | None = None) -> npt.NDArray[Any]:
        """Count cases down a tree, in place; return the place of each node.

        ``out`` is filled with the cases in the order of the leaves.
        """
        cases = self.problem.cases
        codes = int(cases.domain[cases.nominal == 0].max(initial=0)) if self._counts_cuts else 0
        work = RecountBuffers.empty(
            rows.size, most_branches(self.bare.cases), codes, nodes.test.size
        )
        work.rows[:] = rows
        task = RecountTask(
            cases=cases,
            tests=self._asked,
            n_rows=rows.size,
            counts_cuts=self._counts_cuts,
            min_cases=float(self.objective.min_cases),
        )
        recount(task, nodes, work)
        if out is not None:
            out[:] = work.rows
        return work.places

    @property
    def _counts_cuts(self) -> bool:
        return bool(self.objective.per_log_cut > 0.0)

    def _split_charges(self, n_cuts: npt.NDArray[np.int64]) -> Floats:
        """Return what each node is charged for its split."""
        return self.objective.flat + self.objective.per_log_cut * np.log(n_cuts)

    def _costs_as_leaves(self, nodes: Nodes) -> Floats:
        """Return the expected cost of errors of every node, were it a leaf, over all its cases."""
        objective, out = self.objective, np.empty(nodes.test.size)
        estimate = LeafEstimate(
            cf=float(objective.cf),
            form=int(objective.form),
            multinomial=bool(objective.multinomial),
            case_weight=float(objective.case_weight),
            first_decision=int(objective.first_decision),
        )
        labels = self.problem.answers(nodes)
        problem = self.problem
        leaf_costs(nodes.counts, problem.errors, labels, estimate, problem.cost_classes, out)
        return out


def empty_tree(n_classes: int) -> Nodes:
    """Return a tree that asks nothing, not counted yet."""
    nodes = Nodes.empty(1, 1, n_classes)
    set_leaf(nodes, 0, NONE, np.zeros(n_classes))
    return nodes


def with_all_branches(nodes: Nodes, cases: Cases) -> Nodes:
    """Return a tree, children after their parents, in which every branch of a test has a node.

    They are numbered after all others.
    """
    asks = np.flatnonzero(nodes.test != NONE)
    tests = nodes.test[asks]
    widths = np.where(cases.nominal[tests] == 1, cases.domain[tests], NUMERIC_BRANCHES)
    parent = np.repeat(asks, widths)
    branch = np.arange(parent.size) - np.repeat(np.cumsum(widths) - widths, widths)
    slots = nodes.first[parent] + branch
    bare = nodes.children[slots] == NONE
    n, n_new = nodes.test.size, int(bare.sum())
    children = nodes.children.copy()
    children[slots[bare]] = np.arange(n, n + n_new)
    lacking = np.where(cases.nominal == 1, cases.domain - 1, LACKING)
    leaves = Nodes.empty(n_new, 0, nodes.counts.shape[1])
    leaves.test[:], leaves.cut[:], leaves.threshold[:], leaves.first[:] = NONE, NONE, np.nan, 0
    leaves.counts[:], leaves.parent[:] = 0.0, parent[bare]
    of = nodes.test[parent[bare]]
    leaves.lacking[:] = (cases.lacking[of] == 1) & (branch[bare] == lacking[of])
    both = {
        name: np.concatenate([getattr(nodes, name), getattr(leaves, name)])
        for name in Nodes._fields[:-1]
    }
    return Nodes(**both, children=children)


def on_first_branches(nodes: Nodes, leaf: Floats, charges: Floats) -> Floats:
    """Return what nodes cost as leaves with the charge of each split put on its first branch.

    So the leaves of a subtree add up to what it costs, charges above it included, however it is
    pruned. In preorder, the first branch of a node comes right after it.

    >>> nodes = Nodes.empty(3, 3, 1)
    >>> nodes.test[:] = [0, -1, -1]
    >>> on_first_branches(nodes, np.array([9.0, 2.0, 3.0]), np.array([0.5, 7.0, 7.0])).tolist()
    [9.0, 2.5, 3.0]
    """
    carried = np.zeros(leaf.size + 1)
    for node in np.flatnonzero(nodes.test != NONE).tolist():
        carried[node + 1] = carried[node] + charges[node]
    return leaf + carried[:-1]
