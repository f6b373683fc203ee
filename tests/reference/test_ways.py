"""Where cases go on without a value: it never costs more than to end there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reference import plain_trees, routing, sampled_trees
from reference.basics import START, TOLERANCE, Node, Problem, State, is_lacking, state_in
from reference.expected_cost import ordered_tests
from reference.sampling_basics import Options
from support.problems import problems

GROW = {
    "id3": plain_trees.id3,
    "dtmc": plain_trees.dtmc,
    "act": lambda problem: sampled_trees.act(problem, Options(r=1)),
}


def arrivals(
    node: Node, problem: Problem, rows: list[int], state: State | None
) -> Iterator[tuple[Node, list[int], State | None]]:
    """Yield each node that asks, with its training cases and what they have paid.

    The state is None below an order.
    """
    if node["test"] is None:
        return
    yield node, rows, state
    is_order = state is None or node["test"] in problem.delayed
    for b, child in enumerate(node["children"]):
        there = [i for i in rows if routing.step(node, problem.rows[i]) is child]
        if child is not None and there:
            lacking = is_lacking(node, b)
            below = None if is_order else state_in(problem, node["test"], state, lacking)
            yield from arrivals(child, problem, there, below)


def cost_from(
    node: Node, problem: Problem, i: int, missing: set[int], state: State | None
) -> float:
    """Return what a case costs from a node on if the values of some tests are missing."""
    row = [None if a in missing else value for a, value in enumerate(problem.rows[i])]
    charge = 0.0 if state is None else routing.walk(node, row, problem, False, state)[0]
    return charge + problem.errors[routing.terminal(node, row)["label"]][problem.classes[i]]


@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    problems(max_cases=12, max_tests=4, missing=True, delays=True, whole_weights=True),
    st.sampled_from(sorted(GROW)),
)
def test_whichever_tests_are_missing(problem: Problem, learner: str) -> None:
    tree = routing.add_ways(GROW[learner](problem), problem)
    everyone = list(range(len(problem.rows)))
    for node, rows, state in arrivals(tree, problem, everyone, START):
        if node["children"][-1] is not None:
            continue  # those without a value have a branch, and were learned from
        stop = {**node, "way": None}
        others = sorted(set(ordered_tests(node)) - {node["test"]})
        for size in range(len(others) + 1):
            for more in combinations(others, size):
                missing = {node["test"], *more}
                costs = [
                    sum(
                        problem.weights[i] * cost_from(start, problem, i, missing, state)
                        for i in rows
                    )
                    for start in (node, stop)
                ]
                assert costs[0] <= costs[1] * (1 + 10 * TOLERANCE), (node["test"], missing)
