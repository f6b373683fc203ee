"""The exact solver under rules of the house against exhaustive search."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugaltree import Costs
from frugaltree.engines.exact import spread
from frugaltree.estimators import frugal
from reference import routing
from reference.basics import Problem
from reference.exact_trees import Options, best_cost
from reference.few_leaves import best_of_few_leaves
from reference.sampled_trees import PARITY
from support.exact import (
    check_optimum,
    check_tree,
    fewer,
    fitted,
    options_of,
    same,
    tree_of,
    worth_asking,
)
from support.examples import many
from support.given import as_given
from support.house_rules import KINDS, broken_rules, in_panels, ruled
from support.stand_ins import HereCluster

pytestmark = [
    pytest.mark.filterwarnings("ignore:group:UserWarning"),
    pytest.mark.filterwarnings("ignore:all cases are of one class:UserWarning"),
]

plain = worth_asking(12, 5)
immediate = ruled(plain, KINDS)


def check_ruled(problem: Problem, options: Options, **how: Any) -> None:
    """Check that the learner proves the optimum, by a tree that keeps the rules."""
    got = check_optimum(problem, options, **how)
    assert not list(broken_rules(tree_of(got, problem), problem))


def check_bills(learner: Any, problem: Problem) -> None:
    """Check what each case is charged against the twin."""
    tree, X = tree_of(learner, problem), as_given(problem)[0].X
    bills = [routing.bill(tree, row, problem, False) for row in problem.rows]
    np.testing.assert_allclose(learner.bill(X), bills, rtol=1e-9, atol=1e-9)


def check_charged(learner: Any, problem: Problem, most: int) -> None:
    """Check that no case is charged for more tests, whatever it lacks."""
    X = as_given(problem)[0].X
    panels = [[f"a{a}" for a in sorted(panel & problem.usable)] for panel in problem.together]
    counted = Costs(
        default_test_cost=1,
        together=[panel for panel in panels if len(panel) > 1],
        charge_missing=problem.charge_missing,
    )
    for name in [None, *X]:
        table = X.copy()
        if name is not None:
            table[name] = table[name].where([False] * len(X))
        assert learner.bill(table, counted).max() <= most


@many
@given(ruled(plain, ("requires",)), options_of)
def test_optimum_with_requires(problem: Problem, options: Options) -> None:
    check_ruled(problem, options)


@many
@given(ruled(plain, ("first",)), options_of)
def test_optimum_with_first(problem: Problem, options: Options) -> None:
    check_ruled(problem, options)


@many
@given(in_panels(plain), options_of)
def test_optimum_with_panels(problem: Problem, options: Options) -> None:
    check_bills(check_optimum(problem, options), problem)


@fewer
@given(in_panels(worth_asking(12, 5, delays=True)), options_of)
def test_optimum_with_panels_and_delays(problem: Problem, options: Options) -> None:
    check_bills(check_optimum(problem, options), problem)


@fewer
@given(in_panels(ruled(plain, KINDS)), options_of, st.sampled_from((0.3, 0.7)))
def test_optimum_with_all_rules(problem: Problem, options: Options, share: float) -> None:
    check_ruled(problem, options)
    check_ruled(problem, replace(options, max_test_cost=share * sum(problem.full)))


@fewer
@given(ruled(worth_asking(12, 5), KINDS), st.integers(2, 4), st.sampled_from(("c45", "training")))
def test_optimum_of_few_numbers(problem: Problem, depth: int, form: str) -> None:
    """All errors cost the same and no value is missing: passes find the last two tests."""
    rows = [[float(i % 5) if x is None else x for x in row] for i, row in enumerate(problem.rows)]
    n = problem.n_classes
    problem = replace(
        problem,
        rows=[list(row) for row in rows],
        kinds=["numeric"] * len(problem.kinds),
        domains=[0] * len(problem.kinds),
        errors=[[0.0 if i == j else 200.0 for i in range(n)] for j in range(n)],
    )
    check_ruled(problem, Options(form=form, max_depth=depth))


@fewer
@given(immediate, options_of, st.integers(0, 3), st.integers(1, 3))
def test_optimum_within_limits(
    problem: Problem, options: Options, max_depth: int, min_cases: int
) -> None:
    check_ruled(problem, replace(options, max_depth=max_depth))
    check_ruled(problem, replace(options, min_cases=min_cases))


@fewer
@given(immediate, options_of, st.sampled_from((0.15, 0.35, 0.65, 1.0)))
def test_optimum_within_a_budget(problem: Problem, options: Options, share: float) -> None:
    check_ruled(problem, replace(options, max_test_cost=share * sum(problem.full)))


@fewer
@given(ruled(worth_asking(12, 4), KINDS), options_of)
def test_optimum_with_values_against_the_rest(problem: Problem, options: Options) -> None:
    options = replace(options, rest=True)
    got = fitted(problem, options, splits="rest")
    assert got.termination_ == "optimal"
    assert got.objective_ == same(best_cost(problem, options))


@many
@given(plain, options_of, st.integers(0, 4))
def test_optimum_of_few_tests(problem: Problem, options: Options, most: int) -> None:
    got = check_optimum(problem, replace(options, max_tests=most))
    check_charged(got, problem, most)


@fewer
@given(in_panels(ruled(plain, KINDS)), options_of, st.integers(1, 5))
def test_optimum_of_few_tests_under_rules(problem: Problem, options: Options, most: int) -> None:
    options = replace(options, max_tests=max(most, len(problem.first)))
    check_ruled(problem, options)
    check_charged(fitted(problem, options), problem, options.max_tests)


@fewer
@given(worth_asking(12, 4), options_of, st.integers(1, 3))
def test_optimum_of_few_tests_with_values_against_the_rest(
    problem: Problem, options: Options, most: int
) -> None:
    options = replace(options, rest=True, max_tests=most)
    got = fitted(problem, options, splits="rest")
    assert got.termination_ == "optimal"
    assert got.objective_ == same(best_cost(problem, options))


@fewer
@given(worth_asking(8, 3), options_of, st.integers(1, 5))
def test_bounds_of_few_leaves(problem: Problem, options: Options, most: int) -> None:
    got, ref = (
        fitted(problem, options, max_leaves=most),
        best_of_few_leaves(problem, options, most),
    )
    slack = 1e-9 * (1 + ref)
    assert got.tree_.n_leaves <= most
    assert got.lower_bound_ - slack <= ref <= got.objective_ + slack
    assert got.termination_ != "optimal" or got.objective_ == same(ref)


@fewer
@given(immediate, options_of)
def test_optimum_in_threads(problem: Problem, options: Options) -> None:
    check_ruled(problem, options, n_jobs=3)


@fewer
@given(immediate, options_of)
def test_optimum_in_shares(problem: Problem, options: Options) -> None:
    with (
        mock.patch.object(frugal, "active_cluster", return_value=HereCluster(losses=0.1)),
        mock.patch.multiple(
            spread, HERE_FIRST=1, JOB_STEPS=20, SURVEY_STEPS=3, FIRST_EXCHANGE=100
        ),
    ):
        check_ruled(problem, options)


@fewer
@given(immediate, options_of, st.sampled_from((1, 3, 10, 40)))
def test_bounds_hold_at_any_time(problem: Problem, options: Options, max_steps: int) -> None:
    got, ref = fitted(problem, options, max_steps=max_steps), best_cost(problem, options)
    slack = 1e-9 * (1 + ref)
    assert got.lower_bound_ - slack <= ref <= got.objective_ + slack
    check_tree(got, problem, options)
    assert not list(broken_rules(tree_of(got, problem), problem))


FREE = Options(form="training")


def test_a_useless_test_is_asked_where_another_requires_it() -> None:
    """Either test of 10 tells nothing alone; the useless one, for 1, is to be asked above one."""
    problem = replace(PARITY, requires={2: {0}})
    assert check_optimum(problem, FREE).objective_ == 21


def test_what_does_not_vary_cannot_be_asked() -> None:
    """The third test tells the class, but requires one that is the same for all cases."""
    rows = [[float(a), 0.0, float(c)] for a, c in product((0, 1), repeat=2)]
    problem = replace(PARITY, rows=rows, classes=[int(row[2]) for row in rows], weights=[1.0] * 4)
    assert check_optimum(problem, FREE).objective_ == 10
    assert check_optimum(replace(problem, requires={2: {1}}), FREE).objective_ == 500
    assert check_optimum(replace(problem, first=(1,)), FREE).objective_ == 10


@pytest.mark.parametrize("depth", [2, 3, None])
def test_a_test_asked_above_counts_where_it_is_constant(depth: int | None) -> None:
    """Two tests tell the same; which was asked decides what may follow, for the same cases."""
    rows = [[float(a), float(a), float(b)] for a, b in product((0, 1), repeat=2)]
    problem = replace(
        PARITY,
        rows=rows,
        classes=[int(row[0]) ^ int(row[2]) for row in rows],
        weights=[1.0] * 4,
        full=[1.0, 5.0, 10.0],
        kinds=["nominal"] * 3,
        domains=[2] * 3,
    )
    how = replace(FREE, max_depth=depth)
    assert check_optimum(problem, how).objective_ == 11
    assert check_optimum(replace(problem, requires={2: {1}}), how).objective_ == 15
    assert check_optimum(replace(problem, first=(1,)), how).objective_ == 15
    assert check_optimum(replace(problem, first=(0, 1)), how).objective_ == 11
