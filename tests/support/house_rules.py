"""Random rules of the house, and trees held against them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from reference.basics import START, Case, Node, Problem, State, everything, may_ask, state_in
from reference.plain_trees import plain_split, with_last

KINDS = ("requires", "first", "both")


@st.composite
def ruled(
    draw: st.DrawFn, problems: st.SearchStrategy[Problem], kinds: tuple[str, ...]
) -> Problem:
    """Draw a problem with rules of some kinds."""
    problem, seed = draw(problems), draw(st.integers(0, 2**16))
    return with_rules(problem, seed, draw(st.sampled_from(kinds)))


def with_rules(problem: Problem, seed: int, kind: str) -> Problem:
    """Return the problem with random rules that do not contradict each other."""
    random = Random(f"{seed} rules")
    tests = sorted(problem.usable)
    random.shuffle(tests)
    rate = random.choice((0.3, 0.5, 0.8))
    requires, first = dict[int, set[int]](), list[int]()
    if kind != "first":
        drawn = {a: {b for b in tests[:i] if random.random() < rate} for i, a in enumerate(tests)}
        requires = {a: needed for a, needed in drawn.items() if needed}
        if len(problem.usable) < len(problem.kinds) and tests and random.random() < 0.5:
            rest = [a for a in range(len(problem.kinds)) if a not in problem.usable]
            requires[rest[0]] = {tests[0]}
    if kind != "requires":
        first = tests[: random.randint(1, 3)]
    return replace(problem, requires=requires, first=tuple(first))


@st.composite
def in_panels(draw: st.DrawFn, problems: st.SearchStrategy[Problem]) -> Problem:
    """Draw a problem of which some tests are bought together; discounts are within prices."""
    problem, random = draw(problems), Random(f"{draw(st.integers(0, 2**16))} panels")
    tests = list(range(len(problem.kinds)))
    random.shuffle(tests)
    panels = list[set[int]]()
    while len(tests) > 1 and (not panels or random.random() < 0.6):
        n = random.randint(2, min(3, len(tests)))
        panels.append({*tests[:n]})
        del tests[:n]
    off = [sum(group.get(a, 0.0) for group in problem.groups) for a in range(len(problem.full))]
    full = [max(price, least) for price, least in zip(problem.full, off, strict=True)]
    return replace(problem, together=panels, full=full)


def broken_rules(tree: Node, problem: Problem) -> Iterator[tuple[Node, State]]:
    """Yield the nodes of a tree that ask against the rules."""

    def go(node: Node | None, cases: list[Case], state: State) -> Iterator[tuple[Node, State]]:
        if node is None or node["test"] is None:
            return
        a = node["test"]
        if not may_ask(problem, cases, state, a):
            yield node, state
        split = plain_split(problem, cases, a, node["threshold"])
        for child, (branch, is_last) in zip(
            node["children"], with_last(split.branches), strict=True
        ):
            yield from go(child, branch, state_in(problem, a, state, is_last))

    return go(tree, everything(problem), START)
