"""Plans, charges and times held against enumeration of all plans, case by case."""

from __future__ import annotations

import warnings
from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from frugaltree import Batches, Consultation, ID3Classifier
from frugaltree.costs.waiting import STRATEGIES
from reference import batches as ref
from support.examples import EXAMPLES, many
from support.given import as_given
from support.problems import problems
from support.waits import asking_much, planned

MOST_PLANS = 4000

fewer = settings(many, max_examples=max(1, EXAMPLES // 5))


@many
@given(
    problem=st.one_of(
        problems(max_cases=12, max_tests=5, missing=True, delays=True, every_class=True),
        asking_much(),
    ),
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


@fewer
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


@fewer
@given(problem=problems(missing=True, delays=True, every_class=True))
def test_one_test_at_a_time_without_waiting_is_the_bill_of_the_tree(problem):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table, weights = as_given(problem)
        model = ID3Classifier(table.costs).fit(table.X, table.y, sample_weight=weights)
        got = Batches(model, strategy="sequential").bill(table.X)
        np.testing.assert_allclose(got, model.bill(table.X), 1e-9, 1e-9)


@fewer
@given(
    problem=problems(max_cases=8, max_tests=5, missing=True, delays=True, every_class=True),
    seed=st.integers(0, 2**32 - 1),
    strategy=st.sampled_from(STRATEGIES),
)
def test_a_consultation_charges_the_same(problem, seed, strategy):
    _, _, batches, X = planned(problem, seed)
    batches = batches.with_strategy(strategy)
    bills = batches.bill(X).tolist()
    for i, row in enumerate(X.to_dict("records")[:3]):
        consultation = Consultation(batches.model, batches=batches)
        for test in [test for test, value in row.items() if value != value]:
            if consultation.question is not None:
                consultation.cannot_measure(test)
        for question in consultation:
            consultation.tell(row[question.test])
        assert consultation.bill == pytest.approx(bills[i], rel=1e-9, abs=1e-9)
        again = Consultation.from_record(batches.model, consultation.to_dict(), batches=batches)
        assert again.bill == consultation.bill
