"""A tree beside other strategies: what each costs, and at which prices the tree is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from frugaltree.answer_costs import best_costs, mean_costs
from frugaltree.costs import Costs
from frugaltree.costs.regrets import regrets_of
from frugaltree.kernels.cost.cost_classes import NO_COST_CLASSES
from frugaltree.kernels.cost.error_estimate import C45_ERROR, LeafEstimate
from frugaltree.kernels.cost.leaf import cheapest_label, leaf_cost
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.sentinels import NONE
from frugaltree.metrics import check_has_error_costs, error_cost
from frugaltree.protocols import Estimator
from frugaltree.tree.answers import costs_in_force, costs_of_answers
from frugaltree.tree.charges import Charges
from frugaltree.tree.tree import Tree

Floats = npt.NDArray[np.float64]

THIS = "this tree"
"""The name of the strategy that others are compared with."""

ALWAYS, EVERYTHING = "always answer ", "ask everything, never err"
"""The names of a guess, before its answer, and of what no strategy can do better than."""


@dataclass(frozen=True)
class Strategy:
    """A way to answer and what it costs, per case of the table it was learned from.

    Attributes
    ----------
    name
        What it is called.
    tests, errors
        What the cases of the table cost.
    expected_tests, expected_errors
        What new cases cost by the paper's estimate; None where there is no tree.
    asked
        Share of the cases that pay for each test.
    """

    name: str
    tests: float
    errors: float
    expected_tests: float | None = None
    expected_errors: float | None = None
    asked: Mapping[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """Tests and errors together."""
        return self.tests + self.errors

    @property
    def expected(self) -> float | None:
        """What new cases are expected to cost."""
        return self.expected_at(1.0)

    def expected_at(self, factor: float) -> float | None:
        """Return what new cases are expected to cost if errors cost so many times as much."""
        if self.expected_tests is None or self.expected_errors is None:
            return None
        return self.expected_tests + factor * self.expected_errors

    def as_data(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {**asdict(self), "total": self.total, "expected": self.expected}


def compare_strategies(
    estimator: Estimator, others: Mapping[str, Estimator], X: Any, y: Any, error_costs: Any = None
) -> list[Strategy]:
    """Return a guess, other learners, the tree, and asking everything.

    Parameters
    ----------
    estimator
        A fitted learner.
    others
        Learners fitted to the same cases at the same costs, by what they are called.
    X, y
        Those cases.
    error_costs
        What these were given to ``fit`` with, where they have costs of their own.
    """
    check_has_error_costs(estimator, None, error_costs)
    costs, labels = estimator.costs or Costs(), list(y)
    seen = () if costs.decides_only else labels
    guesses = {
        label: float(error_cost(labels, [label] * len(labels), costs, error_costs=error_costs))
        for label in dict.fromkeys([*seen, *(costs.decisions or ())])
    }
    guess = min(guesses, key=lambda label: guesses[label])
    found = [_guess(estimator, f"{ALWAYS}{guess}", guesses[guess])]
    found += [_learner(name, other, X, labels, error_costs) for name, other in others.items()]
    names = [column.name for column in estimator.tree_.columns]
    best = 0.0 if costs.decisions is None else _best_answers(costs, labels)
    if error_costs is not None:
        best = float(best_costs(labels, costs, error_costs).mean())
    everything = Strategy(EVERYTHING, float(costs.total(names)), best)
    return [*found, _learner(THIS, estimator, X, labels, error_costs), everything]


def _best_answers(costs: Costs, labels: list[Any]) -> float:
    """Return what the best answer for each case costs on average, below 0 where it gains."""
    known = list(dict.fromkeys(labels))
    least = dict(zip(known, costs.answer_costs(known).min(axis=0).tolist(), strict=True))
    return float(np.mean([least[label] for label in labels]))


def _guess(estimator: Estimator, name: str, seen: float) -> Strategy:
    """Return what an answer without any test costs."""
    estimate = PaperEstimate.of(estimator)
    return Strategy(name, 0.0, seen, 0.0, estimate.errors_if_stopped(0) / estimate.cases)


def _learner(
    name: str, estimator: Estimator, X: Any, labels: list[Any], error_costs: Any
) -> Strategy:
    """Return what a learner's tree costs."""
    costs, mean = estimator.costs or Costs(), None
    if error_costs is not None:
        classes = estimator.classes_
        by_class = mean_costs(costs, labels, classes, error_costs).matrix(classes.tolist())
        mean = np.asarray(by_class)
    tests, errors = expected_costs(estimator, mean)
    wrong = float(error_cost(labels, estimator.predict(X), costs, error_costs=error_costs))
    bills = float(estimator.bill(X).mean())
    return Strategy(
        name,
        tests=bills,
        errors=wrong,
        expected_tests=tests,
        expected_errors=errors,
        asked=dict(estimator.test_usage_),
    )


# ------------------------------------------------------------------------------ estimates


def expected_costs(estimator: Estimator, mean_errors: Floats | None = None) -> tuple[float, float]:
    """Return what the tests and errors of a new case are expected to cost.

    Learners have estimates of their own; here all are measured by the paper's.
    """
    return PaperEstimate.of(estimator, mean_errors).expected_costs()


@dataclass(frozen=True, eq=False)
class PaperEstimate:
    """What a tree is expected to cost by the paper's estimate, node by node.

    Attributes
    ----------
    tree
        The tree.
    prices
        The prices of its tests.
    errors
        The cost of each answer for each class; with decisions, what it costs more than the best.
    cf
        The confidence of the expected error.
    base
        With decisions, the cost of the best answer for each class.
    """

    tree: Tree
    prices: Prices
    errors: Floats
    cf: float
    base: Floats | None = None

    @classmethod
    def of(cls, estimator: Estimator, mean_errors: Floats | None = None) -> Self:
        """Return the estimate for a fitted learner, by given mean costs of errors or its own."""
        tree = estimator.tree_
        if mean_errors is not None:
            tree = replace(tree, mean_errors=mean_errors)
        costs = costs_in_force(tree, estimator.costs or Costs())
        names, classes = [column.name for column in tree.columns], estimator.classes_.tolist()
        prices, errors, base = tree.prices(costs), costs_of_answers(tree, costs), None
        if tree.has_decisions or tree.mean_errors is not None:
            errors, base = regrets_of(errors)
        return cls(tree, prices, errors, costs.cf(names, classes), base)

    @property
    def conditional(self) -> set[int]:
        """The tests whose prices depend on another."""
        return set(np.flatnonzero(self.prices.conditions.on != NONE).tolist())

    @property
    def cases(self) -> float:
        """How many cases the tree was learned from."""
        return float(self.tree.weights[0])

    @cached_property
    def charges(self) -> Charges:
        """What is charged at each node."""
        return self.tree.charges(self.prices)

    def expected_costs(self) -> tuple[float, float]:
        """Return what the tests and errors of a new case are expected to cost."""
        tree, bills, tests, wrong = self.tree, self.charges.bill, 0.0, 0.0
        for node in range(tree.n_nodes):
            if tree.is_leaf(node):
                tests += float(bills[node] * tree.weights[node])
                wrong += self.errors_of_leaf(node)
        return tests / self.cases, wrong / self.cases

    def errors_of_leaf(self, node: int) -> float:
        """Return what the errors of a leaf's cases are expected to cost, all of them."""
        return self._errors(node, int(self.tree.labels[node]))

    @property
    def cheapest_answer(self) -> int:
        """The position of the answer that costs least without any test."""
        return self._cheapest_at(0)

    def errors_if_stopped(self, node: int) -> float:
        """Return what the cases of a node are expected to cost if it answers."""
        return self._errors(node, self._cheapest_at(node))

    def _cheapest_at(self, node: int) -> int:
        counts = self.tree.nodes.counts[node]
        return int(
            cheapest_label(self.errors, counts, self.tree.first_decision, NO_COST_CLASSES.class_of)
        )

    def _errors(self, node: int, label: int) -> float:
        counts = self.tree.nodes.counts[node]
        first = self.tree.first_decision
        estimate = LeafEstimate(self.cf, C45_ERROR, multinomial=False, first_decision=first)
        sure = 0.0 if self.base is None else float(self.base @ counts)
        return sure + float(leaf_cost(self.errors, counts, label, estimate, NO_COST_CLASSES))


# ------------------------------------------------------------------------------ prices


def price_range(
    mine: Strategy, others: Sequence[Strategy], test: str, price: float
) -> tuple[float, float] | None:
    """Return from which to which price of a test a tree is expected to cost no more than others.

    All other prices stay as they are. None where some other is better at any price.

    Examples
    --------
    The tree asks everybody and expects to cost 30; a guess, without the test, 45.

    >>> tree = Strategy("this tree", 10.0, 20.0, 10.0, 20.0, {"x-ray": 1.0})
    >>> price_range(tree, [Strategy("always answer no", 0.0, 45.0, 0.0, 45.0)], "x-ray", 10.0)
    (0.0, 25.0)
    """
    low, high = 0.0, float("inf")
    for one in others:
        if one.expected is None or mine.expected is None:
            continue
        lead = one.expected - mine.expected
        slope = one.asked.get(test, 0.0) - mine.asked.get(test, 0.0)
        if slope > 0.0:
            low = max(low, price - lead / slope)
        elif slope < 0.0:
            high = min(high, price - lead / slope)
        elif lead < 0.0:
            return None
    return (low, high) if low <= high else None
