"""What all learners share: reading a problem, and keeping the tree that was learned."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from frugaltree import table as tables
from frugaltree._sklearn import any_but_zero, between, names_of, one_of, validate_parameters, whole
from frugaltree.compiling import prepared_on_demand
from frugaltree.costs import Costs
from frugaltree.costs.conditions import refuse_price_if
from frugaltree.costs.regrets import regrets_of
from frugaltree.engines.cost_classes import with_costs, with_true_costs, without_costs
from frugaltree.engines.estimate import ERROR_FORMS, costs_as_leaves
from frugaltree.engines.problem import Problem
from frugaltree.engines.pruning import free, prune_to_leaves
from frugaltree.engines.ways import may_rise, ways_of
from frugaltree.estimators.answers import TreeAnswers
from frugaltree.estimators.costs_of_cases import check_takes_costs, read_costs
from frugaltree.estimators.monotone import read_directions
from frugaltree.estimators.reading import (
    ReadingRules,
    least_of_leaf,
    read_classes,
    read_table,
    read_weights,
    take_rows,
    warn_of_few_cases,
    weigh_classes,
)
from frugaltree.estimators.rehearsal import rehearsal_of
from frugaltree.exceptions import InvalidCosts
from frugaltree.kernels.cost.error_estimate import LeafEstimate
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.mix import mix_of, needed_by
from frugaltree.tree.routing import Ways, find_nodes, heaviest_ways, own_ways
from frugaltree.tree.shrinkage import choose_strength
from frugaltree.tree.tree import Tree, forget_unasked, largest_classes

Floats = npt.NDArray[np.float64]

PIECE = 100_000
"""So many cases are sent down the finished tree at a time."""


class CostSensitiveTree(TreeAnswers, metaclass=ABCMeta):
    """Base of all learners.

    A learner says how it searches (:meth:`_search`), whether its answers look at error costs
    (``_looks_at_errors``), whether it keeps rules on what is asked first (``_keeps_rules``),
    whether prices may depend on other tests (``_sees_conditions``) and
    whether missing values are spread over branches (``_fractional``).
    """

    _looks_at_errors: ClassVar[bool] = False
    _sees_conditions: ClassVar[bool] = False
    _keeps_rules: ClassVar[bool] = True

    max_bins: int | str | None = "auto"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "costs": [Costs, None],
        "categorical_features": ["array-like", one_of("from_dtype"), None],
        "max_bins": [whole(2), one_of("auto"), None],
        "class_weight": [dict, one_of("balanced"), None],
        "cf": [between(0.0, 1.0, closed="neither")],
        "expected_error": [one_of(*ERROR_FORMS)],
        "random_state": ["random_state"],
        "n_jobs": [*any_but_zero(), None],
        "verbose": ["verbose"],
    }

    @abstractmethod
    def _search(self, problem: Problem) -> Nodes:
        """Return the tree learned for a problem, in preorder."""

    # ----------------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None, error_costs: Any = None) -> Self:
        """Learn a tree from labelled cases.

        Parameters
        ----------
        X : array or data frame of shape (n_cases, n_tests)
            The cases. Categorical, text and boolean columns are nominal; numbers are numeric
            unless ``categorical_features`` says otherwise. Missing values are allowed. A
            LazyFrame of polars or a data frame of Dask is read twice, a piece at a time, and never
            held as a whole, unless all its numbers are to be told apart, see ``max_bins``.
        y : array-like of shape (n_cases,)
            The classes; also a LazyFrame of one column, or a column of Dask.
        sample_weight : array-like of shape (n_cases,), default=None
            How many cases each row stands for; fractions are parts of a case. Estimates of errors
            take them for counts: weights that add up to 1 tell of one case.
        error_costs : array-like of shape (n_cases,), (n_cases, n_answers) or \
                (n_cases, n_answers, n_classes), default=None
            Costs of each case: an amount, by which the price list's costs of errors are
            multiplied; or what each answer costs, in the order of ``classes_``; or a matrix
            M[predicted][actual], of which the column of the case's class counts. FrugalTree, ACT
            and DTMC learn from them.

        Returns
        -------
        self
        """
        validate_parameters(self)
        usual, long = (rehearsal_of(type(self), long=long) for long in (False, True))
        with prepared_on_demand(usual, long), all_or_nothing(self):
            problem = self._read(X, y, sample_weight, error_costs)
            self._learn(problem, X, y, sample_weight)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any, error_costs: Any = None) -> Problem:
        """Validate the input and code it."""
        X = tables.opened(X, self.categorical_features, self.max_bins)
        X = self._checked(X, reset=True)
        names = names_of(self, X.shape[1])
        classes, codes = read_classes(y, len(X))
        check_takes_costs(self, error_costs)
        told = read_costs(error_costs, self.costs, classes, codes)
        weights = read_weights(sample_weight, len(X))
        if getattr(self, "class_weight", None) is not None:
            weights = weigh_classes(weights, self.class_weight, classes[codes])
        warn_of_few_cases(weights)
        if not weights.all():
            keep = np.flatnonzero(weights)
            X, codes, weights = take_rows(X, keep), codes[keep], weights[keep]
            told = None if told is None else told[keep]
            present, codes = np.unique(codes, return_inverse=True)
            classes = classes[present]
            told = None if told is None else np.ascontiguousarray(told[:, present])
        if classes.size == 1:
            warnings.warn(
                f"all cases are of one class, {classes.tolist()[0]!r}; the tree is a single leaf.",
                UserWarning,
                stacklevel=3,
            )
        costs = self.costs or Costs()
        if costs.decides_only and not self._looks_at_errors:
            raise InvalidCosts(
                f"{type(self).__name__} answers with classes, but these costs have decisions "
                "only; give costs of errors, too, or take a learner that sees them, such as "
                "FrugalTreeClassifier."
            )
        if not self._keeps_rules and (costs.first or costs.requires):
            raise InvalidCosts(
                f"{type(self).__name__} keeps no rules on what is asked first, but the costs have "
                f"{'first' if costs.first else 'requires'}; drop it, or take another learner, "
                "such as FrugalTreeClassifier."
            )
        prices, errors = costs.resolve(names, classes.tolist())
        how = ReadingRules(self.categorical_features, self.max_bins, prices.usable)
        table = read_table(X, names, how, weights)
        if told is not None:
            refuse_price_if(costs, "error costs of each case")
        if getattr(self, "monotone", None) is not None:
            refuse_price_if(costs, "monotone trees")
        if costs.price_if:
            prices = self._conditional(costs, table)
        cases = table.cases(
            codes.astype(np.int32, copy=False), weights, classes.size, fractional=self._fractional
        )
        problem = Problem(table, cases, prices, errors, classes)
        if getattr(self, "monotone", None) is not None:
            problem = read_directions(self.monotone, problem, costs, by_case=told is not None)
        if told is not None:
            return with_costs(problem, told)
        if costs.decisions is None:
            return problem
        if not self._looks_at_errors:
            return replace(problem, errors=errors[: classes.size])
        regrets, base = regrets_of(errors)
        return replace(
            problem,
            errors=regrets,
            base=base,
            first_decision=0 if costs.decides_only else classes.size,
            decisions=tuple(costs.decisions),
        )

    def _conditional(self, costs: Costs, table: tables.Table) -> Prices:
        """Return prices with those that depend on other tests, where this learner sees them."""
        if not self._sees_conditions:
            refuse_price_if(costs, type(self).__name__)
        prices = costs.prices_of(table.columns)
        for a in np.unique(prices.conditions.on[prices.conditions.on != NONE]).tolist():
            span = slice(table.start[a], table.start[a] + table.domain[a])
            if (table.floors[span] != table.values[span]).any():
                raise InvalidCosts(
                    f"price_if goes by the numbers of {table.names[a]!r}, which are in bins; give "
                    "max_bins=None."
                )
        return prices

    def _learn(self, problem: Problem, X: Any, y: Any, sample_weight: Any) -> None:
        """Search for a tree and keep it; X, y and sample_weight are what ``fit`` was given."""
        self._keep(problem, self._search(problem))

    def _keep(self, problem: Problem, nodes: Nodes) -> None:
        """Set the fitted attributes."""
        self.classes_ = problem.classes
        if problem.true_costs is not None:
            problem, nodes = with_true_costs(problem, nodes)
            nodes = self._cut_by_true_costs(problem, nodes)
        counted = self._as_tree(problem, nodes)
        tree = replace(counted, nodes=without_costs(problem, nodes))
        self.tree_ = replace(
            tree,
            ways=self._ways(problem, counted),
            shrinkage=choose_strength(tree.layout[0]),
            mean_errors=problem.mean_errors,
        )
        self.class_frequencies_ = self.tree_.shares[0].copy()
        test_cost, usage = self._test_cost(problem, self.tree_)
        self.test_usage_ = dict(zip(problem.table.names, usage.tolist(), strict=True))
        self.test_ranges_ = problem.table.ranges(self.tree_.asked_tests)
        self.expected_test_cost_ = test_cost
        self.expected_error_cost_ = self._error_cost(problem, counted)
        self.expected_cost_ = self.expected_test_cost_ + self.expected_error_cost_
        self.termination_ = "completed"

    def _cut_by_true_costs(self, problem: Problem, nodes: Nodes) -> Nodes:
        """Return a tree without subtrees that do not pay by what each case costs."""
        bounded = getattr(self, "max_test_cost", None) is not None
        prices = free(problem.prices) if bounded else problem.prices
        leaf = self._costs_as_leaves(problem, nodes, problem.answers(nodes))
        return prune_to_leaves(problem, nodes, leaf, prices)[0]

    def _as_tree(self, problem: Problem, nodes: Nodes) -> Tree:
        """Return nodes in preorder as a tree with answers; it freezes them."""
        seen = self._looks_at_errors
        labels = largest_classes(nodes.counts)
        if seen:
            how = None
            if problem.directions is not None:
                how = self._leaf_estimate(problem.first_decision)
            labels = problem.answers(nodes, how)
        classes = tuple(problem.classes.tolist())
        named = () if problem.first_decision == 0 else classes
        needed = needed_by(nodes, problem.prices)
        columns = forget_unasked(problem.table.columns, nodes, needed)
        ways = heaviest_ways(nodes) if self._fractional else own_ways(nodes)
        return Tree(
            columns=columns,
            classes=classes,
            answer_names=(*named, *problem.decisions),
            nodes=nodes,
            labels=labels,
            ways=ways,
            fractional=self._fractional,
            needed=needed,
            mix=self._mix(problem, nodes) if needed else None,
        )

    def _mix(self, problem: Problem, nodes: Nodes) -> Floats:
        """Return the shares of the training cases that pay each price of the test of a node."""
        cases = problem.cases
        X = problem.table.rows(np.arange(cases.classes.size))
        ends = find_nodes(X, nodes, cases.domain, cases.nominal, own_ways(nodes))
        return mix_of(nodes, X, ends, cases.weights, problem.prices)

    def _ways(self, problem: Problem, tree: Tree) -> Ways:
        """Return where a case goes on from each node without a value of its test."""
        # Within a budget, nobody goes where no training case went and may be charged more.
        bounded = getattr(self, "max_test_cost", None) is not None
        if self._fractional or (bounded and may_rise(problem.prices)):
            return tree.ways
        if problem.has_conditions:  # what a case would pay further down depends on the case
            return tree.ways
        return ways_of(problem, tree)

    def _test_cost(self, problem: Problem, tree: Tree) -> tuple[float, Floats]:
        """Return the mean bill of the training cases and the share that pays for each test."""
        prices = problem.prices
        charges = tree.charges(prices)
        total, weights = problem.weight, problem.cases.weights
        ordered = bool((charges.owner != NONE).any())
        differ = problem.table.has_missing and (self._fractional or ordered)
        if not (differ or problem.has_conditions):
            return float(charges.charge @ charges.paying) / total, charges.usage / total
        cost, usage = 0.0, np.zeros(len(problem.table.columns))
        for first in range(0, weights.size, PIECE):
            where = np.arange(first, min(first + PIECE, weights.size))
            rows, counted = problem.table.rows(where), weights[where]
            if self._fractional:
                _, bills, asked = tree.answers(rows, prices)
                usage += counted @ asked
            else:
                bills = tree.bills(rows, prices)
            cost += float(bills @ counted)
        return cost / total, (usage if self._fractional else charges.usage) / total

    def _error_cost(self, problem: Problem, tree: Tree) -> float:
        """Return the expected cost of errors per case."""
        nodes = tree.layout[0]
        costs = self._costs_as_leaves(problem, nodes, np.array(tree.labels))
        return float(costs[nodes.test == NONE].sum()) / problem.weight + problem.offset

    def _costs_as_leaves(
        self, problem: Problem, nodes: Nodes, labels: npt.NDArray[np.int32]
    ) -> Floats:
        """Return the expected cost of errors of every node, were it a leaf, over all its cases."""
        how = self._leaf_estimate(problem.first_decision)
        return costs_as_leaves(nodes, problem.errors, labels, how, problem.cost_classes)

    def _leaf_estimate(self, first_decision: int) -> LeafEstimate:
        """Return how the errors of a leaf are estimated."""
        return LeafEstimate(
            cf=self._confidence(),
            form=ERROR_FORMS[self._error_form()],
            multinomial=getattr(self, "penalty", "laplace") == "multinomial",
            first_decision=first_decision,
            restricted=getattr(self, "monotone", None) is not None,
        )

    def _confidence(self) -> float:
        """Return the confidence of the expected error in force."""
        return float(self.cf)

    def _error_form(self) -> str:
        """Return the form of the expected error in force."""
        return str(self.expected_error)

    def _least_of_leaf(self, problem: Problem) -> float:
        """Return how many cases every branch must have at least, 0 if any number will do."""
        n_cases = problem.weight / problem.case_weight
        return least_of_leaf(getattr(self, "min_samples_leaf", 1), n_cases)

    def _expected_cost(self, problem: Problem, nodes: Nodes) -> float:
        """Return the expected cost per case of a tree in preorder, as searches count it."""
        tree = self._as_tree(problem, Nodes(*(array.copy() for array in nodes)))
        costs = self._test_cost(problem, tree)[0] + self._error_cost(problem, tree)
        return costs - problem.offset


@contextmanager
def all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Leave an estimator as it was when a fit fails: an older tree stays whole."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
