"""The slow and obvious twins: every plan to order the tests of a tree in batches, case by case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, product

from reference.basics import START, Node, Problem, Row, order
from reference.expected_cost import ordered_tests
from reference.routing import step

Plan = dict[int, frozenset[int]]
"""The tests ordered at each node, by its ``id``."""


@dataclass(frozen=True)
class Waits:
    """How long tests take, what orders and minutes cost, and the tests that need no order."""

    round_trip: float
    minutes: list[float]
    rates: list[tuple[float | None, float]]
    known: frozenset[int] = frozenset()


def price_of_minutes(rates: list[tuple[float | None, float]], minutes: float) -> float:
    """Return what waiting costs: each part of the time at the rate in force.

    >>> price_of_minutes([(60, 0.1), (None, 0.5)], 90)
    21.0
    """
    total, start = 0.0, 0.0
    for until, rate in rates:
        stop = minutes if until is None or until > minutes else until
        total += (stop - start) * rate
        start = stop
    return total


def subsets(tests: list[int]) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(tests, n) for n in range(len(tests) + 1))


def children_of(node: Node) -> list[Node]:
    """Return the children, each once: values may share one."""
    found: dict[int, Node] = {id(c): c for c in node["children"] if c is not None}
    return list(found.values())


def nodes_of(node: Node) -> list[Node]:
    return [node, *(below for child in children_of(node) for below in nodes_of(child))]


def is_allowed(
    node: Node, tests: frozenset[int], before: frozenset[int], problem: Problem
) -> bool:
    """Tell whether what is below each delayed test of an order is ordered, too."""
    return all(
        set(ordered_tests(at)) <= tests | before
        for at in nodes_of(node)
        if at["test"] in problem.delayed and at["test"] in tests
    )


def all_plans(
    node: Node, problem: Problem, waits: Waits, before: frozenset[int]
) -> Iterator[Plan]:
    """Yield every plan for a node and what is below it, with these tests ordered before."""
    if node["test"] is None:
        yield {}
        return
    if node["test"] in before:
        for parts in product(
            *(list(all_plans(c, problem, waits, before)) for c in children_of(node))
        ):
            yield {k: v for part in parts for k, v in part.items()}
        return
    others = [a for a in ordered_tests(node) if a not in before and a != node["test"]]
    for some in subsets(others):
        tests = frozenset(some) | {node["test"]}
        if is_allowed(node, tests, before, problem):
            below = [list(all_plans(c, problem, waits, before | tests)) for c in children_of(node)]
            for parts in product(*below):
                yield {id(node): tests} | {k: v for part in parts for k, v in part.items()}


def sequential(node: Node, problem: Problem, before: frozenset[int]) -> Plan:
    """Return the plan that orders one test at a time, and below a delayed one all."""
    plan: Plan = {}
    if node["test"] is None:
        return plan
    if node["test"] not in before:
        tests = frozenset([node["test"]])
        if node["test"] in problem.delayed:
            tests = frozenset(ordered_tests(node)) - before
        plan[id(node)], before = tests, before | tests
    for child in children_of(node):
        plan |= sequential(child, problem, before)
    return plan


def single_batch(node: Node, before: frozenset[int]) -> Plan:
    """Return the plan that orders all that may be needed with the first test that is."""
    if node["test"] is None:
        return {}
    if node["test"] not in before:
        return {id(node): frozenset(ordered_tests(node)) - before}
    return {k: v for child in children_of(node) for k, v in single_batch(child, before).items()}


def charge(
    tree: Node, row: Row, problem: Problem, waits: Waits, plan: Plan
) -> tuple[float, float]:
    """Return what a case is charged under a plan, and how many minutes it waits."""
    total, minutes, state, node = 0.0, 0.0, START, tree
    while node["test"] is not None:
        onward = step(node, row)
        nothing = row[node["test"]] is None and onward is None and not problem.charge_missing
        if id(node) in plan and not nothing:
            paid = [a for a in plan[id(node)] if problem.charge_missing or row[a] is not None]
            if paid:
                price, state = order(problem, paid, state)
                total += price + waits.round_trip
                minutes += max(waits.minutes[a] for a in paid)
        if onward is None:
            break
        node = onward
    return total + price_of_minutes(waits.rates, minutes), minutes


def mean_charge(tree: Node, problem: Problem, waits: Waits, plan: Plan) -> float:
    """Return what the cases of a problem are charged on average."""
    total = sum(
        weight * charge(tree, row, problem, waits, plan)[0]
        for row, weight in zip(problem.rows, problem.weights, strict=True)
    )
    return total / sum(problem.weights)
