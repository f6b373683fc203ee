"""The slow and obvious twins: problems, prices, information, answers, nodes and cases."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from reference.decisions import regrets

NOISE = 1e-10
"""A gain at or below this is nothing but rounding, hence 0."""


TOLERANCE = 1e-9
"""A candidate wins only by more than this part of the best so far."""


SLACK = 1e-9
"""Weights closer than this are equal (the C4.5 frame adds fractions of cases)."""


EPSILON = 1e-3
"""C4.5's own slack, for average gain, split information and training errors."""


PRUNE_SLACK = 1e-12
"""A leaf that costs the same as its subtree replaces it, rounding included."""


Node = dict[str, Any]


Row = list[float | None]


Case = tuple[int, float]
"""A row of the table and the weight with which it is here."""


Matrix = list[list[float]]


class PriceIf(NamedTuple):
    """The full prices of a test by the value of another, ``on``; None where it cannot be taken.

    A number has a price by spans: above the first, up to the second. Others have the usual one.
    """

    on: int
    values: dict[float, float | None]
    spans: list[tuple[float, float, float | None]] = []  # noqa: RUF012 - never changed


@dataclass
class Problem:
    """Cases, tests, classes and everything that costs."""

    rows: list[list[float | None]]  # number, or index of a nominal value; None is missing
    classes: list[int]
    weights: list[float]
    kinds: list[str]  # "nominal" or "numeric"
    domains: list[int]  # number of values of a nominal test, 0 for a numeric one
    n_classes: int
    full: list[float]  # price of a test while none of its groups is open
    groups: list[dict[int, float]]  # test -> what it saves once the group is open
    delayed: set[int]
    usable: set[int]  # tests that may be asked
    errors: list[list[float]]  # M[answer][actual]
    charge_missing: bool = False  # whether a test without a result is charged
    first_decision: int | None = None  # answers from here on are no classes
    known: set[int] = field(default_factory=set)  # at hand when a case arrives; free, in no group
    price_if: dict[int, PriceIf] = field(default_factory=dict)
    case_costs: Any = None  # for each case what each answer costs, where cases have their own
    first: tuple[int, ...] = ()  # tests asked before all others, in this order
    requires: dict[int, set[int]] = field(default_factory=dict)  # those asked above a test
    together: list[set[int]] = field(default_factory=list)  # bought as one, as far as usable
    waits: list[float] | None = None  # what waiting for a test costs; for an order, the longest

    def wait(self, tests: Iterable[int]) -> float:
        """Return what waiting for an order of tests costs."""
        return max((self.waits[a] for a in tests), default=0.0) if self.waits else 0.0


class State(NamedTuple):
    """What a path has paid for so far, and with rules of the house, what it has asked."""

    paid: frozenset[int] = frozenset()
    opened: frozenset[int] = frozenset()
    asked: frozenset[int] = frozenset()


START = State()


def bought(problem: Problem, a: int) -> frozenset[int]:
    """Return the tests that are bought by asking test ``a``: it and the rest of its panel."""
    panels = [panel & problem.usable for panel in problem.together if a in panel & problem.usable]
    return frozenset({a}.union(*panels))


def price(problem: Problem, a: int, state: State) -> float:
    """Return what test ``a`` costs after the tests and groups of ``state``: all of its panel."""
    return order(problem, {a}, state)[0] if problem.together else own_price(problem, a, state)


def own_price(problem: Problem, a: int, state: State) -> float:
    """Return what test ``a`` alone costs."""
    if a in state.paid:
        return 0.0
    cost = problem.full[a]
    for g, discounts in enumerate(problem.groups):
        if g in state.opened and a in discounts:
            cost -= discounts[a]
    return max(0.0, cost) + problem.wait([a])


def after(problem: Problem, a: int, state: State) -> State:
    """Return the state once test ``a`` is taken: it is paid and its groups are open."""
    tests = bought(problem, a)
    joined = {g for g, discounts in enumerate(problem.groups) if tests & discounts.keys()}
    return State(state.paid | tests, state.opened | joined, state.asked)


def state_in(problem: Problem, a: int, state: State, lacking: bool) -> State:
    """Return the state in a branch of test ``a``, that of cases ``lacking`` a value or another.

    All were asked, but who lacks the value has not paid.
    """
    paid = after(problem, a, state) if problem.charge_missing or not lacking else state
    has_rules = bool(problem.first or problem.requires)
    return paid._replace(asked=state.asked | {a}) if has_rules else paid


def may_ask(
    problem: Problem, cases: Iterable[Case], state: State, a: int, *, none_is_value: bool = True
) -> bool:
    """Tell whether the rules of the house let a test be asked of some cases.

    Of the tests that come first, those with the same value for all cases are passed over; to have
    none is a value of a nominal test, but for C4.5.
    """
    if a not in state.asked and not problem.requires.get(a, set()) <= state.asked:
        return False
    for one in problem.first:
        values = {problem.rows[i][one] for i, _ in cases}
        if problem.kinds[one] == "numeric" or not none_is_value:
            values -= {None}
        if one not in state.asked and len(values) > 1:
            return a == one
    return True


def order(problem: Problem, tests: Iterable[int], state: State) -> tuple[float, State]:
    """Return the price of ordering a set of tests at once, and the state afterwards.

    Each unpaid test has its price here. A group that is not open yet could take a share off it,
    one group after the other; the rest is the test's own. The order pays all that is their own,
    and of each group the largest share. It takes as long as the test that takes longest.
    """
    total, after_all = 0.0, state
    shares: dict[int, float] = {}
    for a in frozenset().union(*(bought(problem, a) for a in tests)) - state.paid:
        left = own_price(problem, a, state) - problem.wait([a])
        for g, discounts in enumerate(problem.groups):
            if a in discounts and g not in state.opened:
                share = min(left, discounts[a])
                left -= share
                shares[g] = max(shares.get(g, 0.0), share)
        total += left
        after_all = after(problem, a, after_all)
    return total + sum(shares.values()) + problem.wait(set(tests) - state.paid), after_all


def chooser_price(problem: Problem, a: int, state: State, prices: str) -> float:
    """Return the price a chooser sees: in ``"context"``, or ``"static"`` (full until paid)."""
    if prices == "context":
        return price(problem, a, state)
    return 0.0 if a in state.paid else price(problem, a, START)


def beats(value: float, best: float) -> bool:
    """Tell whether ``value`` is larger than ``best`` by more than rounding.

    >>> beats(2.0, 1.0), beats(1.0 + 1e-12, 1.0), beats(0.0, 0.0)
    (True, False, False)
    """
    return value > best + TOLERANCE * abs(best)


def information(counts: Iterable[float]) -> float:
    """Return n times the entropy of the counts, in bits: n log2 n - sum of c log2 c.

    >>> information([4, 4]), information([8, 0]), information([])
    (8.0, 0.0, 0.0)
    """
    present = [c for c in counts if c > 0]
    n = sum(present)
    return n * math.log2(n) - sum(c * math.log2(c) for c in present) if present else 0.0


def quiet(gain: float) -> float:
    """Return the gain without its rounding noise."""
    return gain if gain > NOISE else 0.0


def gain_of(parent: list[float], branches: list[list[float]]) -> float:
    """Return the information gain per case, in bits, of counts split into branches.

    >>> gain_of([2, 2], [[2, 0], [0, 2]]), gain_of([2, 2], [[1, 1], [1, 1]])
    (1.0, 0.0)
    """
    rest = sum(information(branch) for branch in branches)
    return quiet((information(parent) - rest) / sum(parent))


def majority(counts: list[float]) -> int:
    """Return the class with the largest count, the lower index on ties.

    >>> majority([1, 3, 3])
    1
    """
    best = 0
    for c in range(1, len(counts)):
        if beats(counts[c], counts[best]):
            best = c
    return best


def answer_costs(counts: list[float], errors: Matrix) -> list[float]:
    """Return, for each class, what answering it costs over all the cases counted.

    >>> answer_costs([3, 1], [[0, 100], [10, 0]])
    [100, 30]
    """
    return [sum(m * e for m, e in zip(counts, row, strict=True)) for row in errors]


def cheapest(
    counts: list[float],
    errors: Matrix,
    first_decision: int | None = None,
    allowed: Sequence[int] | None = None,
) -> int:
    """Return the answer that costs least; on ties the larger class, then the lower index.

    Of those that are allowed, if some are not:

    >>> cheapest([3, 1], [[0, 1], [1, 0]], allowed=[1])
    1

    >>> cheapest([3, 1], [[0, 100], [10, 0]]), cheapest([1, 2], [[0, 2], [4, 0]])
    (1, 1)

    A decision, here the third answer, names no class and so no cases of one:

    >>> cheapest([3, 2], [[0, 12], [8, 0], [5, 5]], first_decision=2)
    0
    >>> cheapest([3, 2], [[0, 12], [8, 0], [4, 5]], first_decision=2)
    2
    """
    costs = answer_costs(counts, regrets(errors))
    if first_decision is not None:
        named = counts[:first_decision]
        counts = [*named, *[0.0] * (len(errors) - len(named))]
    first, *others = range(len(costs)) if allowed is None else allowed
    best = first
    for c in others:
        slack = TOLERANCE * abs(costs[best])
        tied = abs(costs[c] - costs[best]) <= slack
        if costs[c] < costs[best] - slack or (tied and beats(counts[c], counts[best])):
            best = c
    return best


def leaf(counts: list[float], label: int) -> Node:
    """Return a node that asks nothing.

    One that asks has a child for each branch. If it ``lacks``, the last is for the cases without a
    value of its test; ``way`` is the child where one goes on if no training case lacked it.
    """
    return {"counts": counts, "label": label, "test": None, "threshold": None, "children": []}


def is_lacking(node: Node, b: int) -> bool:
    """Tell whether branch ``b`` of a node is for the cases without a value."""
    return bool(node.get("lacks")) and b == len(node["children"]) - 1


def lacking_child(node: Node) -> Node | None:
    """Return the child of the cases without a value, if there is one."""
    child: Node | None = node["children"][-1] if node.get("lacks") else None
    return child


def is_leaf(node: Node) -> bool:
    return node["test"] is None


def cut_to_leaf(node: Node) -> None:
    """Turn the node into a leaf, in place."""
    node.update(test=None, threshold=None, children=[])


def size(node: Node) -> float:
    """Return the weight of the training cases at the node."""
    return float(sum(node["counts"]))


def heaviest(children: list[Node | None]) -> Node | None:
    """Return the child with the most training weight, the first on ties."""
    best = None
    for child in children:
        if child is not None and (best is None or beats(size(child), size(best))):
            best = child
    return best


def count(problem: Problem, cases: list[Case]) -> list[float]:
    """Return the weight of each class among the cases."""
    counts = [0.0] * problem.n_classes
    for i, weight in cases:
        counts[problem.classes[i]] += weight
    return counts


def weigh(cases: list[Case]) -> float:
    return sum(weight for _, weight in cases)


def everything(problem: Problem) -> list[Case]:
    """Return all the training cases with their own weights."""
    return list(enumerate(problem.weights))


def branch_of(value: float | None, threshold: float | None) -> int | None:
    """Return the branch a value takes, ``None`` if it is missing.

    >>> branch_of(2, None), branch_of(2.0, 2.0), branch_of(2.5, 2.0), branch_of(None, 2.0)
    (2, 0, 1, None)
    """
    if value is None:
        return None
    if threshold is None:
        return int(value)
    return 0 if value <= threshold else 1


def sort_out(
    problem: Problem, cases: list[Case], a: int, threshold: float | None
) -> tuple[list[list[Case]], list[Case]]:
    """Return the cases by the branch their value takes, and those whose value is missing."""
    branches: list[list[Case]] = [[] for _ in range(width(problem, a))]
    missing: list[Case] = []
    for i, weight in cases:
        branch = branch_of(problem.rows[i][a], threshold)
        (missing if branch is None else branches[branch]).append((i, weight))
    return branches, missing


def width(problem: Problem, a: int) -> int:
    """Return the number of branches of test ``a``."""
    return problem.domains[a] if problem.kinds[a] == "nominal" else 2
