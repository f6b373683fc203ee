"""The slow and obvious twins: expected cost of a tree, and pruning by cost."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import NamedTuple

from reference.basics import (
    PRUNE_SLACK,
    START,
    Case,
    Matrix,
    Node,
    Problem,
    State,
    answer_costs,
    cheapest,
    cut_to_leaf,
    everything,
    is_lacking,
    is_leaf,
    order,
    price,
    size,
    sort_out,
    state_in,
    weigh,
)
from reference.c45_trees import expected_error
from reference.conditions import charged
from reference.costs_of_cases import leaf_cost_for
from reference.decisions import least_costs, names_class, regrets


def leaf_penalty(counts: list[float], label: int, errors: Matrix) -> float:
    """Return what one error at a leaf costs on average, each wrong class counted once more.

    >>> leaf_penalty([10, 3, 0], 0, [[0, 10, 100], [1, 0, 1], [1, 1, 0]])  # 4/5 * 10 + 1/5 * 100
    28.0
    """
    others = [i for i in range(len(counts)) if i != label]
    total = sum(counts[i] + 1 for i in others)
    return sum((counts[i] + 1) / total * errors[label][i] for i in others)


def leaf_cost(
    counts: list[float],
    label: int,
    errors: Matrix,
    cf: float = 0.25,
    form: str = "c45",
    penalty: str = "laplace",
    first_decision: int | None = None,
) -> float:
    """Return what the errors of a leaf will cost, over all its cases.

    What the best answers cost, or bring, is sure; the rest is expected.

    >>> leaf_cost([1, 1], 0, [[0, 7], [7, 0]], form="training")
    7
    """
    if form == "training":  # the errors seen, each at its own penalty
        return answer_costs(counts, errors)[label]
    first = len(counts) if first_decision is None else first_decision
    sure = sum(n * cost for n, cost in zip(counts, least_costs(errors), strict=True))
    errors = regrets(errors)
    if not names_class(label, errors[label], first):
        return sure + decided_cost(counts, errors[label], cf, form, penalty)
    return sure + class_cost(counts, label, errors, cf, form, penalty)


def class_cost(
    counts: list[float], label: int, errors: Matrix, cf: float, form: str, penalty: str
) -> float:
    """Return what the errors of a leaf will cost that answers with a class."""
    m = sum(counts)
    if penalty == "laplace":
        wrongs = expected_error(m, m - counts[label], cf, form)
        return wrongs * leaf_penalty(counts, label, errors)
    return sum(
        expected_error(m, m_i, cf, form) * errors[label][i]
        for i, m_i in enumerate(counts)
        if i != label
    )


def decided_cost(
    counts: list[float], row: list[float], cf: float, form: str, penalty: str
) -> float:
    """Return what the errors of a leaf will cost whose answer has these regrets by class.

    It is right for the classes where it costs least. To refer costs 60 whatever the case has:

    >>> decided_cost([10, 3], [60, 60], 0.25, "c45", "laplace")
    780.0

    To wait costs 2 for ten who are well and one who is not, and 50 more for him: so much for each
    of the EE(11, 1) errors to expect.

    >>> wrongs = expected_error(11, 1, 0.25, "c45")
    >>> decided_cost([10, 1], [2, 52], 0.25, "c45", "laplace") == 11 * 2 + wrongs * 50
    True

    With a third class, of which none was seen, and 20 more: of two kinds of error that were seen
    once and never, two thirds are the first.

    >>> wrongs = expected_error(11, 1, 0.25, "c45")
    >>> told = decided_cost([10, 1, 0], [2, 52, 22], 0.25, "c45", "laplace")
    >>> abs(told - (22 + wrongs * (2 / 3 * 50 + 1 / 3 * 20))) < 1e-9
    True
    """
    m, least = sum(counts), min(row)
    wrong = [j for j, cost in enumerate(row) if cost > least]
    if penalty == "multinomial":
        kinds = [expected_error(m, counts[j], cf, form) * (row[j] - least) for j in wrong]
        return m * least + sum(kinds)
    s, total = sum(counts[j] for j in wrong), sum(counts[j] + 1 for j in wrong)
    mean = sum((counts[j] + 1) / total * (row[j] - least) for j in wrong)
    return float(m * least + (expected_error(m, s, cf, form) * mean if wrong else 0.0))


class At(NamedTuple):
    """Where a node stands: what its path has paid, and the cases that come to it."""

    state: State
    cases: list[Case]

    @classmethod
    def root(cls, problem: Problem) -> At:
        return cls(START, everything(problem))

    def below(self, problem: Problem, node: Node, b: int) -> At:
        """Return where branch ``b`` of a node stands."""
        branches, missing = sort_out(problem, self.cases, node["test"], node["threshold"])
        lacking = is_lacking(node, b)
        state = state_in(problem, node["test"], self.state, lacking)
        return At(state, missing if lacking else branches[b])


@dataclass
class Estimator:
    """How the errors of a leaf are estimated, and what things cost."""

    problem: Problem
    cf: float = 0.25
    form: str = "c45"
    penalty: str = "laplace"

    def leaf_total(self, node: Node, cases: list[Case]) -> float:
        """Return the cost per case of answering at the node, where these cases stand."""
        if self.problem.case_costs is not None:
            own = self.cf, self.form, self.penalty
            return leaf_cost_for(self.problem, cases, node["label"], *own) / size(node)
        errors, first = self.problem.errors, self.problem.first_decision
        how = self.cf, self.form, self.penalty, first
        cost = leaf_cost(node["counts"], node["label"], errors, *how)
        return cost / size(node)

    def parts(self, node: Node, at: At, ordered: bool = False) -> tuple[float, float]:
        """Return the cost per case of the tests and of the errors of a subtree.

        ``ordered`` says that a delayed test above has paid for everything here.
        """
        if is_leaf(node):
            return 0.0, self.leaf_total(node, at.cases)
        ahead = node["test"] in self.problem.delayed
        by_case = node["test"] in self.problem.price_if
        charge = 0.0 if ordered else self.charge(node, at)
        tests, errors = charge, 0.0
        for b, child in enumerate(node["children"]):
            if child is not None:
                below = at.below(self.problem, node, b)
                child_tests, child_errors = self.parts(child, below, ordered or ahead)
                share = size(child) / size(node)
                pays = ahead or by_case or self.problem.charge_missing
                if is_lacking(node, b) and not pays:
                    tests -= share * charge
                tests += share * child_tests
                errors += share * child_errors
        return tests, errors

    def charge(self, node: Node, at: At) -> float:
        """Return what reaching the node costs: its test or, if delayed, all tests below."""
        if node["test"] in self.problem.delayed:
            return self.order_of(node, at)
        if node["test"] in self.problem.price_if:
            return charged(self.problem, at.cases, node["test"], at.state) / weigh(at.cases)
        return price(self.problem, node["test"], at.state)

    def order_of(self, node: Node, at: At, without: Node | None = None) -> float:
        """Return the mean price of all tests of a subtree, ``without`` a part of it.

        A case pays for those that it has a value of, unless results that are missing are charged.
        """
        tests = ordered_tests(node, without)
        if self.problem.charge_missing or not node.get("lacks"):
            return order(self.problem, tests, at.state)[0]
        charged = 0.0
        for i, weight in at.cases:
            known = [a for a in tests if self.problem.rows[i][a] is not None]
            charged += weight * order(self.problem, known, at.state)[0]
        return charged / weigh(at.cases)


def ordered_tests(node: Node, without: Node | None = None) -> list[int]:
    """Return the distinct tests of a subtree, ``without`` a part of it."""
    if is_leaf(node) or node is without:
        return []
    found = {node["test"]}
    for child in node["children"]:
        if child is not None:
            found.update(ordered_tests(child, without))
    return sorted(found)


def estimate(
    tree: Node, problem: Problem, cf: float = 0.25, form: str = "c45", penalty: str = "laplace"
) -> tuple[float, float]:
    """Return the expected cost of tests and of errors, per case."""
    return Estimator(problem, cf, form, penalty).parts(tree, At.root(problem))


def relabel(tree: Node, problem: Problem) -> Node:
    """Return the tree with the cheapest answer at every node."""
    children = [None if child is None else relabel(child, problem) for child in tree["children"]]
    counts = list(tree["counts"])
    return tree | {
        "counts": counts,
        "label": cheapest(counts, problem.errors, problem.first_decision),
        "children": children,
    }


def prune_costs(
    tree: Node, problem: Problem, cf: float = 0.25, form: str = "c45", penalty: str = "laplace"
) -> Node:
    """Return the tree without the subtrees that cost at least as much as a leaf in their place.

    Sweeps go bottom up, and on until one changes nothing: cutting one test out of a delayed
    order makes the order cheaper, which may save a subtree elsewhere or condemn it.
    """
    tree = relabel(deepcopy(tree), problem)
    estimator = Estimator(problem, cf, form, penalty)
    while sweep(tree, At.root(problem), estimator, None):
        pass
    return tree


def sweep(node: Node, at: At, estimator: Estimator, above: tuple[Node, At] | None) -> bool:
    """Prune a subtree in place, children first, and tell whether anything changed.

    ``above`` is the topmost delayed node of the path, and where it stands.
    """
    if is_leaf(node):
        return False
    problem = estimator.problem
    top = above
    if top is None and node["test"] in problem.delayed:
        top = node, at
    changed = False
    for b, child in enumerate(node["children"]):
        if child is not None and sweep(child, at.below(problem, node, b), estimator, top):
            changed = True
    if is_dear(node, at, estimator, above):
        cut_to_leaf(node)
        changed = True
    return changed


def is_dear(node: Node, at: At, estimator: Estimator, above: tuple[Node, At] | None) -> bool:
    """Tell whether a leaf in place of the subtree costs no more."""
    leaf_total = estimator.leaf_total(node, at.cases)
    if above is None:
        return leaf_total <= sum(estimator.parts(node, at)) * (1 + PRUNE_SLACK)
    top, start = above
    errors = estimator.parts(node, at, ordered=True)[1]
    saved = estimator.order_of(top, start) - estimator.order_of(top, start, without=node)
    limit = size(node) * errors + size(top) * saved
    return size(node) * leaf_total <= limit * (1 + PRUNE_SLACK)
