"""What a tree costs beside doing without one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Strategy:
    """What a way of answering costs, per case of the table it was learned from.

    ``expected`` is the paper's estimate for new cases, None where there is no tree.
    """

    name: str
    tests: float
    errors: float
    expected: float | None = None

    @property
    def total(self) -> float:
        """Tests and errors together."""
        return self.tests + self.errors


def strategies(tree: Any, others: Mapping[str, Any], X: Any, y: Any) -> list[Strategy]:
    """Return a guess, other learners, the tree, and asking everything."""
    from frugaltree.metrics import error_cost

    costs, labels = tree.costs, list(y)
    guesses = {
        label: float(error_cost(labels, [label] * len(labels), costs))
        for label in dict.fromkeys(labels)
    }
    guess = min(guesses, key=lambda label: guesses[label])
    found = [Strategy(f"always answer {guess}", 0.0, guesses[guess])]
    for name, learner in {**others, "this tree": tree}.items():
        found.append(
            Strategy(
                name,
                float(learner.bill(X).mean()),
                float(error_cost(labels, learner.predict(X), costs)),
                expected_cost(learner, X.columns),
            )
        )
    everything = float(costs.total(list(X.columns)))
    return [*found, Strategy("ask everything, never err", everything, 0.0)]


def expected_cost(learner: Any, names: list[str]) -> float:
    """Return what a tree is expected to cost a new case, by the estimate of the paper.

    Learners have estimates of their own; here all are measured by one.
    """
    from frugaltree.plots.sensitivity import expected_errors

    tree, costs, classes = learner.tree_, learner.costs, learner.classes_.tolist()
    prices, errors = costs.resolve(names, classes)
    bills, cf = tree.charges(prices).bill, costs.cf(names, classes)
    total = 0.0
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            total += float(bills[node] * tree.weights[node])
            total += expected_errors(tree, node, int(tree.labels[node]), errors, cf)
    return total / float(tree.weights[0])


def as_json(found: list[Strategy]) -> list[dict[str, Any]]:
    """Return the strategies as plain values."""
    return [{**asdict(one), "total": one.total} for one in found]
