"""Learned trees with what waiting costs, drawn at random, for the twin and the package alike."""

from __future__ import annotations

import warnings
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import strategies as st

from frugaltree import Batches, ID3Classifier
from reference import batches as ref
from reference.basics import Node, Problem
from support import bridge
from support.given import as_given
from support.problems import make_group, problems


@st.composite
def asking_much(draw: st.DrawFn) -> Problem:
    """Draw a problem of four tests of two values, and classes that only all of them tell."""
    problem = draw(problems(max_cases=12, max_tests=4, missing=True, delays=draw(st.booleans())))
    random = Random(f"{draw(st.integers(0, 2**32 - 1))} classes")
    n_tests, n_cases = 4, 12
    cells = [[float(random.random() < 0.5) for _ in range(n_tests)] for _ in range(n_cases)]
    rate = random.choice((0.0, 0.0, 0.1))
    full = [float(random.choice((1, 2, 4, 8))) for _ in range(n_tests)]
    groups = [make_group(random, full) for _ in range(random.choice((0, 0, 1, 2)))]
    return replace(
        problem,
        rows=[[None if random.random() < rate else value for value in row] for row in cells],
        classes=[i % 2 for i in range(n_cases)],
        weights=[1.0] * n_cases,
        kinds=["nominal"] * n_tests,
        domains=[2] * n_tests,
        n_classes=2,
        full=full,
        groups=groups,
        delayed={a for a in problem.delayed if random.random() < 0.3},
        usable=set(range(n_tests)),
        errors=[[0.0, 9.0], [9.0, 0.0]],
    )


def make_waits(seed: int, problem: Problem) -> ref.Waits:
    """Draw what waiting costs: nothing, round trips, minutes, a price that grows."""
    random = Random(f"{seed} waits")
    minutes = [float(random.choice((0, 5, 30, 60, 240))) for _ in problem.full]
    first = random.choice((0.0, 0.05, 0.5))
    grown = first + random.choice((0.0, 0.1, 2.0))
    rates = [[(None, first)], [(40.0, first), (None, grown)], [(None, 0.0)]]
    known = [a for a in sorted(problem.usable) if random.random() < 0.15]
    return ref.Waits(
        round_trip=random.choice((0.0, 0.5, 3.0, 20.0)),
        minutes=minutes,
        rates=random.choice(rates),
        known=frozenset(known),
    )


def as_node(learner: ID3Classifier, problem: Problem) -> Node:
    """Return a learned tree as the twin has it, the ways of missing values included."""
    tree = learner.tree_
    whole = bridge.as_dict(tree.nodes, tree.labels, bridge.table_of(problem))

    def add_ways(node: Node, at: int) -> None:
        below = dict(zip(node_children(at), ref_children(node), strict=True))
        for place, child in below.items():
            add_ways(child, place)
        if tree.ways[at] in below and not tree.has_own_way(at):
            node["way"] = below[tree.ways[at]]

    def node_children(at: int) -> list[int]:
        return [child for _, child in tree.branches(at)]

    def ref_children(node: Node) -> list[Node]:
        return [child for child in node["children"] if child is not None]

    add_ways(whole, 0)
    return whole


def planned(problem: Problem, seed: int) -> tuple[Node, ref.Waits, Batches, Any]:
    """Return a learned tree with its twin, what waiting costs, and the package's batches."""
    waits = make_waits(seed, problem)
    for a in waits.known:  # free, in no group, at once
        problem.full[a] = 0.0
        problem.delayed.discard(a)
        for group in problem.groups:
            group.pop(a, None)
    problem.groups = [group for group in problem.groups if group]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table, weights = as_given(problem)
        learner = ID3Classifier(table.costs).fit(table.X, table.y, sample_weight=weights)
        costs = replace(table.costs, known=[f"a{a}" for a in sorted(waits.known)])
    batches = Batches(
        learner,
        costs,
        round_trip=waits.round_trip,
        minutes=waits.minutes,
        waiting=waits.rates,
        cases=table.X,
    )
    return as_node(learner, problem), waits, batches, table.X
