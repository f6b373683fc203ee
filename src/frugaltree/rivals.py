"""A tree beside other ways to answer: what each costs, and at which prices the tree is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from frugaltree.costs import Costs
from frugaltree.kernels.cost.error_estimate import C45_ERROR
from frugaltree.kernels.cost.leaf import cheapest_label, leaf_cost
from frugaltree.metrics import error_cost
from frugaltree.tree.tree import Tree

THIS = "this tree"


@dataclass(frozen=True)
class Rival:
    """What a way of answering costs, per case of the table it was learned from.

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


def rivals_of(tree: Any, others: Mapping[str, Any], X: Any, y: Any) -> list[Rival]:
    """Return a guess, other learners, the tree, and asking everything.

    Parameters
    ----------
    tree
        A fitted learner.
    others
        Learners fitted to the same cases at the same costs, by what they are called.
    X, y
        Those cases.
    """
    costs, labels = tree.costs or Costs(), list(y)
    guesses = {
        label: float(error_cost(labels, [label] * len(labels), costs))
        for label in dict.fromkeys(labels)
    }
    guess = min(guesses, key=lambda label: guesses[label])
    found = [_guess(tree, f"always answer {guess}", guesses[guess])]
    found += [_learner(name, learner, X, labels) for name, learner in others.items()]
    names = [column.name for column in tree.tree_.columns]
    everything = Rival("ask everything, never err", float(costs.total(names)), 0.0)
    return [*found, _learner(THIS, tree, X, labels), everything]


def _guess(tree: Any, name: str, seen: float) -> Rival:
    """Return what an answer without any test costs."""
    _, errors, cf = _terms(tree)
    whole = float(tree.tree_.weights[0])
    return Rival(name, 0.0, seen, 0.0, errors_if_stopped(tree.tree_, 0, errors, cf) / whole)


def _learner(name: str, learner: Any, X: Any, labels: list[Any]) -> Rival:
    """Return what a learner's tree costs."""
    tests, errors = expected_costs(learner)
    wrong = float(error_cost(labels, learner.predict(X), learner.costs))
    bills = float(learner.bill(X).mean())
    return Rival(name, bills, wrong, tests, errors, dict(learner.test_usage_))


def _terms(learner: Any) -> tuple[Any, Any, float]:
    """Return the prices, the costs of errors and the paper's confidence for a learner."""
    tree, costs = learner.tree_, learner.costs or Costs()
    names, classes = [column.name for column in tree.columns], learner.classes_.tolist()
    return *costs.resolve(names, classes), costs.cf(names, classes)


# ------------------------------------------------------------------------------ estimates


def expected_costs(learner: Any) -> tuple[float, float]:
    """Return what the tests and errors of a new case are expected to cost.

    Learners have estimates of their own; here all are measured by the paper's.
    """
    prices, errors, cf = _terms(learner)
    tree = learner.tree_
    bills, tests, wrong = tree.charges(prices).bill, 0.0, 0.0
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            tests += float(bills[node] * tree.weights[node])
            wrong += expected_errors(tree, node, int(tree.labels[node]), errors, cf)
    whole = float(tree.weights[0])
    return tests / whole, wrong / whole


def expected_errors(tree: Tree, node: int, label: int, errors: Any, cf: float) -> float:
    """Return what the errors of a node's cases are expected to cost, all of them."""
    return float(leaf_cost(errors, tree.nodes.counts[node], label, cf, C45_ERROR, False))


def errors_if_stopped(tree: Tree, node: int, errors: Any, cf: float) -> float:
    """Return what the cases of a node are expected to cost if it answers."""
    label = int(cheapest_label(errors, tree.nodes.counts[node]))
    return expected_errors(tree, node, label, errors, cf)


# ------------------------------------------------------------------------------ prices


def better_at(
    mine: Rival, rivals: Sequence[Rival], test: str, price: float
) -> tuple[float, float] | None:
    """Return from which to which price of a test a tree is expected to cost no more than others.

    All other prices stay as they are. None where some rival is better at any price.

    Examples
    --------
    The tree asks everybody and expects to cost 30; a guess, without the test, 45.

    >>> tree = Rival("this tree", 10.0, 20.0, 10.0, 20.0, {"x-ray": 1.0})
    >>> better_at(tree, [Rival("always answer no", 0.0, 45.0, 0.0, 45.0)], "x-ray", 10.0)
    (0.0, 25.0)
    """
    low, high = 0.0, float("inf")
    for one in rivals:
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
