"""Learners that weigh what waiting costs, held against enumeration."""

from __future__ import annotations

import warnings
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from frugaltree import ACTClassifier, Batches, DTMCClassifier, FrugalTreeClassifier
from frugaltree.costs.waiting import SEQUENTIAL, SINGLE, Waiting
from reference.basics import Problem
from reference.exact_trees import best_cost
from support.exact import fewer, immediate, options_of, same
from support.given import as_given

GROWING = [(40.0, 0.002), (None, 0.02)]


def with_waits(problem: Problem, seed: int, strategy: str) -> tuple[Problem, Waiting]:
    """Return a problem in which waiting costs something, and what it costs."""
    random = Random(f"{seed} waits")
    minutes = [random.choice((0, 5, 30, 60)) for _ in problem.full]
    scale = random.choice((0.02, 0.1)) * max(max(row) for row in problem.errors)
    price = random.choice((0.0, 0.001, 0.01)) * scale
    if strategy == SINGLE and random.random() < 0.3:
        price = [(until, rate * scale) for until, rate in GROWING]
    waiting = Waiting(
        round_trip=random.choice((0.0, 0.2, 1.0)) * scale,
        minutes=minutes,
        price=price,
        strategy=strategy,
    )
    waits = [waiting.round_trip + waiting.charge(m) for m in minutes]
    delayed = set(range(len(minutes))) if strategy == SINGLE else set()
    cheap = random.choice((0.0, 0.05, 0.3)) * scale / (max(problem.full) or 1.0)
    full = [cheap * price for price in problem.full]  # so that it pays to ask several tests
    groups = [{a: cheap * off for a, off in group.items()} for group in problem.groups]
    return replace(problem, full=full, groups=groups, waits=waits, delayed=delayed), waiting


def can_wait_for_each(problem: Problem) -> bool:
    """Tell whether no test's discounts exceed its price where there are several of them."""
    off = [[g[a] for g in problem.groups if g.get(a)] for a in range(len(problem.full))]
    return all(
        len(each) < 2 or sum(each) <= price for each, price in zip(off, problem.full, strict=True)
    )


def learned(problem: Problem, waiting: Waiting, learner):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table, weights = as_given(replace(problem, waits=None, delayed=set()))
        costs = replace(table.costs, waiting=waiting)
        return learner(costs).fit(table.X, table.y, sample_weight=weights), table.X


@pytest.mark.parametrize("strategy", [SEQUENTIAL, SINGLE])
@fewer
@given(problem=immediate, options=options_of, seed=st.integers(0, 2**32 - 1))
def test_the_optimum_is_that_of_enumeration(strategy, problem, options, seed):
    assume(strategy == SINGLE or can_wait_for_each(problem))
    problem, waiting = with_waits(problem, seed, strategy)

    def frugal(costs):
        return FrugalTreeClassifier(
            costs, pessimism=options.cf, min_cases=1, random_state=0, time_limit="60s"
        )

    got, X = learned(problem, waiting, frugal)
    best = best_cost(problem, options)
    assert got.termination_ == "optimal"
    assert got.expected_cost_ == same(best)
    assert got.lower_bound_ == same(best)
    check_charges(got, X, strategy)


@pytest.mark.parametrize("strategy", [SEQUENTIAL, SINGLE])
@pytest.mark.parametrize("learner", [ACTClassifier, DTMCClassifier])
@fewer
@given(problem=immediate, seed=st.integers(0, 2**32 - 1))
def test_others_minimise_the_same(learner, strategy, problem, seed):
    assume(strategy == SINGLE or can_wait_for_each(problem))
    problem, waiting = with_waits(problem, seed, strategy)
    got, X = learned(problem, waiting, learner)
    check_charges(got, X, strategy)


def check_charges(learner, X, strategy):
    """Check that a learner charges what its strategy does with its tree."""
    batches = Batches(learner, strategy=strategy, cases=X)
    np.testing.assert_allclose(batches.bill(X), learner.bill(X), 1e-9, 1e-9)
    assert batches.with_strategy("several").expected_cost <= batches.expected_cost * (1 + 1e-12)
