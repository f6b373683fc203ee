"""The exact solver within a budget against exhaustive search, ACT, and every kind of case."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugaltree import ACTClassifier
from frugaltree.engines.exact import spread
from frugaltree.estimators import frugal
from reference.basics import Problem
from reference.exact_trees import Options, best_cost, tree_cost
from reference.sampled_trees import PARITY
from support import bridge
from support.exact import (
    check_optimum,
    check_tree,
    fewer,
    fitted,
    options_of,
    same,
    worth_asking,
)
from support.examples import many
from support.given import as_given
from support.stand_ins import HereCluster

pytestmark = [
    pytest.mark.filterwarnings("ignore:group:UserWarning"),
    pytest.mark.filterwarnings("ignore:all cases are of one class:UserWarning"),
]

SHARES = st.sampled_from((0.0, 0.05, 0.15, 0.25, 0.35, 0.5, 0.65, 0.8, 1.0, 3.0))
"""Budgets, as shares of what all tests cost together."""

immediate = worth_asking(12, 5)
late = worth_asking(12, 5, delays=True)


def within(problem: Problem, options: Options, share: float) -> Options:
    """Return the options with a budget of so much of the price of all tests."""
    return replace(options, max_test_cost=share * sum(problem.full))


def fresh_cases(X: pd.DataFrame) -> pd.DataFrame:
    """Return cases of all sorts of values, some of them missing: all of them, if there are few."""
    columns = {name: [*X[name].dropna().unique(), None] for name in X}
    n = int(np.prod([len(values) for values in columns.values()]))
    if n <= 3000:
        rows = list(product(*columns.values()))
    else:
        random = np.random.default_rng(0)
        picks = {name: random.integers(len(v), size=3000) for name, v in columns.items()}
        rows = list(
            zip(*([columns[name][i] for i in picks[name]] for name in columns), strict=True)
        )
    table = pd.DataFrame(rows, columns=list(X))
    whole = X.select_dtypes("integer").columns  # which cannot hold a missing value
    return table.astype({name: "float64" if name in whole else X[name].dtype for name in X})


def check_bills(learner: Any, problem: Problem, budget: float) -> None:
    """Check that nobody is charged more, whatever is missing."""
    X = as_given(problem)[0].X
    for table in (X, fresh_cases(X)):
        assert learner.bill(table).max() <= budget * (1 + 1e-9)


@many
@given(immediate, options_of, SHARES)
def test_optimum(problem: Problem, options: Options, share: float) -> None:
    options = within(problem, options, share)
    check_bills(check_optimum(problem, options), problem, options.max_test_cost)


@many
@given(late, options_of, SHARES)
def test_optimum_with_delays(problem: Problem, options: Options, share: float) -> None:
    options = within(problem, options, share)
    check_bills(check_optimum(problem, options), problem, options.max_test_cost)


@many
@given(worth_asking(12, 5), SHARES, st.integers(2, 4), st.sampled_from(("c45", "training")))
def test_optimum_of_few_numbers(problem: Problem, share: float, depth: int, form: str) -> None:
    """All errors cost the same and no value is missing: neighbours and passes tell bounds."""
    rows = [[float(i % 5) if x is None else x for x in row] for i, row in enumerate(problem.rows)]
    n = problem.n_classes
    problem = replace(
        problem,
        rows=[list(row) for row in rows],
        kinds=["numeric"] * len(problem.kinds),
        domains=[0] * len(problem.kinds),
        errors=[[0.0 if i == j else 200.0 for i in range(n)] for j in range(n)],
    )
    options = within(problem, Options(form=form, max_depth=depth), share)
    check_bills(check_optimum(problem, options), problem, options.max_test_cost)


@fewer
@given(st.one_of(immediate, late), options_of, SHARES, st.integers(0, 3), st.integers(1, 3))
def test_optimum_within_limits(
    problem: Problem, options: Options, share: float, max_depth: int, min_cases: int
) -> None:
    options = within(problem, options, share)
    check_optimum(problem, replace(options, max_depth=max_depth))
    check_optimum(problem, replace(options, min_cases=min_cases))


@fewer
@given(st.one_of(immediate, late), options_of, SHARES)
@pytest.mark.parametrize(
    "other", [{"form": "exact"}, {"penalty": "multinomial"}, {"form": "training"}], ids=str
)
def test_optimum_otherwise(
    other: dict[str, Any], problem: Problem, options: Options, share: float
) -> None:
    check_optimum(problem, within(problem, replace(options, **other), share))


@fewer
@given(worth_asking(12, 4), options_of, SHARES)
def test_optimum_with_values_against_the_rest(
    problem: Problem, options: Options, share: float
) -> None:
    """Who has paid for one of the values knows all of them."""
    options = within(problem, replace(options, rest=True), share)
    got = fitted(problem, options, splits="rest")
    assert got.termination_ == "optimal"
    assert got.objective_ == same(best_cost(problem, options)) == same(got.expected_error_cost_)
    check_bills(got, problem, options.max_test_cost)


@fewer
@given(st.one_of(immediate, late), options_of, SHARES)
def test_optimum_in_threads(problem: Problem, options: Options, share: float) -> None:
    check_optimum(problem, within(problem, options, share), n_jobs=3)


@fewer
@given(st.one_of(immediate, late), options_of, SHARES)
def test_optimum_in_shares(problem: Problem, options: Options, share: float) -> None:
    with (
        mock.patch.object(frugal, "active_cluster", return_value=HereCluster(losses=0.1)),
        mock.patch.multiple(
            spread, HERE_FIRST=1, JOB_STEPS=20, SURVEY_STEPS=3, FIRST_EXCHANGE=100
        ),
    ):
        options = within(problem, options, share)
        check_bills(check_optimum(problem, options), problem, options.max_test_cost)


@fewer
@given(st.one_of(immediate, late), options_of, SHARES, st.sampled_from((1, 3, 10, 40)))
def test_bounds_hold_at_any_time(
    problem: Problem, options: Options, share: float, max_steps: int
) -> None:
    options = within(problem, options, share)
    got, ref = fitted(problem, options, max_steps=max_steps), best_cost(problem, options)
    slack = 1e-9 * (1 + ref)
    assert got.lower_bound_ - slack <= ref <= got.objective_ + slack
    check_tree(got, problem, options)
    check_bills(got, problem, options.max_test_cost)


@fewer
@given(st.one_of(immediate, late), st.sampled_from((0.1, 0.25, 0.4)), SHARES, st.integers(0, 3))
def test_act_does_no_better(problem: Problem, cf: float, share: float, r: int) -> None:
    """By the same estimate, what is proven is no dearer than what ACT has found."""
    options = within(problem, Options(cf=cf), share)
    given, weights = as_given(problem)
    act = ACTClassifier(
        given.costs, n_samples=r, cf=cf, max_test_cost=options.max_test_cost, random_state=0
    ).fit(given.X, given.y, weights)
    got = fitted(problem, options)
    assert got.termination_ == "optimal"
    assert got.expected_error_cost_ <= act.expected_error_cost_ * (1 + 1e-9) + 1e-9
    tree = bridge.as_dict(act.tree_.nodes, act.tree_.labels, bridge.table_of(problem))
    assert got.objective_ <= tree_cost(tree, problem, options) * (1 + 1e-9) + 1e-9


@fewer
@given(st.one_of(immediate, late), options_of)
def test_more_money_never_costs_more(problem: Problem, options: Options) -> None:
    shares = (0.0, 0.2, 0.4, 0.7, 1.0, 2.0)
    costs = [fitted(problem, within(problem, options, one)).objective_ for one in shares]
    assert all(low <= high * (1 + 1e-9) + 1e-9 for high, low in pairwise(costs))
    ample = replace(problem, full=[0.0] * len(problem.full), groups=[], delayed=set())
    assert costs[-1] == same(best_cost(ample, options))


FREE = Options(form="training")


@pytest.mark.parametrize(("most", "cost"), [(0, 500), (19, 500), (19.99, 500), (20, 0), (1e9, 0)])
def test_a_parity(most: float, cost: float) -> None:
    """Both tests of 10 tell the class; alone, each is no help, and nor is the third, for 1."""
    got = check_optimum(PARITY, replace(FREE, max_test_cost=most))
    assert got.objective_ == cost == got.history_[-1].cost
    assert got.bill(as_given(PARITY)[0].X).max() <= most


def test_a_test_is_within_reach_once_its_group_is_open() -> None:
    """The useless test, 1, takes 9 off each of the others, which cost 10; either does so, too."""
    problem = replace(PARITY, groups=[{0: 0.0, 1: 9.0, 2: 9.0}])
    for most, cost in [(2.9, 500), (3, 0), (11, 0)]:
        assert check_optimum(problem, replace(FREE, max_test_cost=most)).objective_ == cost


@pytest.mark.parametrize("first", [0, 1])
def test_the_same_cases_with_more_left(first: int) -> None:
    """Two tests tell the same, for 5 and for 1: which of the others, for 6, tells the class.

    Only the cheaper one leaves enough of 7 for that.
    """
    rows = [[float(a), float(a), float(b), float(c)] for a, b, c in product((0, 1), repeat=3)]
    problem = replace(
        PARITY,
        rows=rows,
        classes=[int(row[3] if row[0] else row[2]) for row in rows],
        weights=[1.0] * 8,
        kinds=["nominal"] * 4,
        domains=[2] * 4,
        full=[5.0, 1.0, 6.0, 6.0] if first == 0 else [1.0, 5.0, 6.0, 6.0],
        usable={0, 1, 2, 3},
    )
    for most, cost in [(7, 0), (6.9, 250)]:
        for depth in (2, None):
            how = replace(FREE, max_test_cost=most, max_depth=depth)
            assert check_optimum(problem, how).objective_ == cost


def test_what_was_paid_on_the_way_counts() -> None:
    """The same cases are met with 10 left and with 5, on paths of other tests.

    Where the first result is 0 the second test tells the class, and where it is 1 the third does;
    a case can pay for two of the three.
    """
    rows = [[float(a), float(b), float(c)] for a, b, c in product((0, 1), repeat=3)]
    problem = replace(
        PARITY,
        rows=rows,
        classes=[int(row[1] if row[0] == 0 else row[2]) for row in rows],
        full=[5.0, 5.0, 10.0],
    )
    costs = [
        check_optimum(problem, replace(FREE, max_test_cost=most)).objective_
        for most in (4, 5, 10, 14, 15)
    ]
    assert costs == [500, 250, 250, 250, 0]


def test_many_delayed_tests_that_all_can_pay_for() -> None:
    """Twelve tests are more than all of whose sets are tried; together they are within reach."""
    rows = [[float(i >> a & 1) for a in range(12)] for i in (0, 1, 2, 4, 8, 16)]
    problem = replace(
        PARITY,
        rows=rows,
        classes=[0, 1, 0, 1, 0, 1],
        weights=[1.0] * 6,
        kinds=["nominal"] * 12,
        domains=[2] * 12,
        full=[2.0] * 12,
        delayed=set(range(12)),
        usable=set(range(12)),
    )
    got = fitted(problem, replace(FREE, max_test_cost=24))
    assert (got.termination_, got.objective_) == ("optimal", 0.0)
    poor = fitted(problem, replace(FREE, max_test_cost=4), max_steps=500)
    assert poor.bill(as_given(problem)[0].X).max() <= 4
    assert poor.lower_bound_ <= best_cost(problem, replace(FREE, max_test_cost=4)) + 1e-9


def cheap_openers(seed: int) -> tuple[Problem, Options]:
    """Return numbers, a parity of two, and groups that take off more than some tests cost."""
    r = Random(seed)
    n_cases, n_tests = r.choice((8, 10, 12)), r.choice((3, 4))
    rows = [[float(r.randint(0, 5)) for _ in range(n_tests)] for _ in range(n_cases)]
    i, j = r.sample(range(n_tests), 2)
    classes = [int((row[i] > 2) ^ (row[j] > 2) ^ (r.random() < 0.15)) for row in rows]
    classes[:2] = 0, 1
    full = [float(r.choice((1, 1, 2, 10, 20, 30))) for _ in range(n_tests)]
    groups = [{a: full[a] * r.choice((0.5, 0.8, 0.95, 1.0)) for a in range(n_tests)}]
    problem = Problem(
        rows=rows,
        classes=classes,
        weights=[float(r.choice((1, 2, 5))) for _ in rows],
        kinds=["numeric"] * n_tests,
        domains=[0] * n_tests,
        n_classes=2,
        full=full,
        groups=groups,
        delayed=set(),
        usable=set(range(n_tests)),
        errors=[[0.0, 60.0], [60.0, 0.0]],
    )
    return problem, Options(form="training", max_depth=r.choice((3, 4, None)))


@fewer
@given(st.integers(0, 10**6), st.sampled_from((None, 0.2, 0.4, 0.6)))
def test_fewer_cases_may_cost_more_where_a_test_makes_others_cheaper(
    seed: int, share: float | None
) -> None:
    """Left out where it no longer splits, it would make the others dearer."""
    problem, options = cheap_openers(seed)
    check_optimum(problem, options if share is None else within(problem, options, share))
