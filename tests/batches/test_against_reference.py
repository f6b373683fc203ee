"""Plans, charges and times held against enumeration of all plans, case by case."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import islice
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from frugaltree import Batches, ID3Classifier
from frugaltree.costs.waiting import STRATEGIES
from reference import batches as ref
from reference.basics import Node, Problem
from support import bridge
from support.examples import many
from support.given import as_given
from support.problems import problems

MOST_PLANS = 4000


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


def planned(problem: Problem, seed: int):
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


@many
@given(
    problem=problems(max_cases=12, max_tests=5, missing=True, delays=True, every_class=True),
    seed=st.integers(0, 2**32 - 1),
)
def test_strategies_are_those_of_enumeration(problem, seed):
    problem.weights = [1.0] * len(problem.rows)
    tree, waits, batches, X = planned(problem, seed)
    plans = list(islice(ref.all_plans(tree, problem, waits, waits.known), MOST_PLANS + 1))
    assume(len(plans) <= MOST_PLANS)
    wanted = {
        "sequential": ref.sequential(tree, problem, waits.known),
        "single batch": ref.single_batch(tree, waits.known),
    }
    least = min(ref.mean_charge(tree, problem, waits, plan) for plan in plans)
    costs = {}
    for strategy in STRATEGIES:
        got = batches.with_strategy(strategy)
        costs[strategy] = got.expected_cost
        assert got.bill(X).mean() == pytest.approx(got.expected_cost, rel=1e-9, abs=1e-9)
        if strategy in wanted:
            expected = [
                ref.charge(tree, row, problem, waits, wanted[strategy]) for row in problem.rows
            ]
            np.testing.assert_allclose(got.bill(X), [b for b, _ in expected], 1e-9, 1e-9)
            np.testing.assert_allclose(got.minutes(X), [m for _, m in expected], 1e-9, 1e-9)
    assert costs["several batches"] == pytest.approx(least, rel=1e-9, abs=1e-9)
    assert costs["several batches"] <= min(costs.values()) * (1 + 1e-12)


@many
@given(
    problem=problems(max_cases=14, max_tests=5, delays=True, every_class=True),
    seed=st.integers(0, 999),
)
def test_a_tree_tells_of_the_cases_it_was_learned_from(problem, seed):
    _, _, batches, X = planned(problem, seed)
    own = Batches(
        batches.model,
        batches.costs,
        round_trip=batches.waiting.round_trip,
        minutes=batches.waiting.minutes,
        waiting=batches.waiting.price,
    )
    assert own.expected_cost == pytest.approx(own.bill(X) @ problem.weights / sum(problem.weights))


@many
@given(problem=problems(missing=True, delays=True, every_class=True))
def test_one_test_at_a_time_without_waiting_is_the_bill_of_the_tree(problem):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table, weights = as_given(problem)
        model = ID3Classifier(table.costs).fit(table.X, table.y, sample_weight=weights)
        got = Batches(model, strategy="sequential").bill(table.X)
        np.testing.assert_allclose(got, model.bill(table.X), 1e-9, 1e-9)
