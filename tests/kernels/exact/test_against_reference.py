"""The exact solver against exhaustive search: proven optima are optima, and bounds are bounds."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugaltree import FrugalTreeClassifier
from frugaltree.engines.exact import spread
from frugaltree.estimators import frugal
from reference.basics import Problem
from reference.exact_trees import Options, best_cost, tree_cost
from support import bridge
from support.exact import (
    CFS,
    check_optimum,
    check_tree,
    fewer,
    fitted,
    immediate,
    late,
    options_of,
    same,
    tree_of,
    worth_asking,
)
from support.stand_ins import HereCluster

pytestmark = [
    pytest.mark.filterwarnings("ignore:group:UserWarning"),  # more tests may cost less
    pytest.mark.filterwarnings("ignore:all cases are of one class:UserWarning"),
    pytest.mark.filterwarnings("ignore:the weights of .* add up to:UserWarning"),
]

LIMITS = {"steps", "time_limit", "memory_limit"}


def check_bounds(problem: Problem, options: Options, **how: Any) -> FrugalTreeClassifier:
    """Check that the optimum lies between the bounds, wherever the search has ended."""
    got = fitted(problem, options, **how)
    ref = best_cost(problem, options)
    slack = 1e-9 * (1 + ref)
    assert got.lower_bound_ - slack <= ref <= got.expected_cost_ + slack
    if got.termination_ == "optimal":
        assert got.expected_cost_ == same(ref)
    check_tree(got, problem, options)
    return got


@fewer
@given(immediate, options_of)
def test_optimum(problem: Problem, options: Options) -> None:
    check_optimum(problem, options)


@fewer
@given(st.one_of(immediate, late), options_of)
def test_optimum_in_threads(problem: Problem, options: Options) -> None:
    check_optimum(problem, options, n_jobs=3)


@fewer
@given(st.one_of(immediate, late), options_of, st.booleans())
def test_optimum_in_shares(problem: Problem, options: Options, counted: bool) -> None:
    cluster = HereCluster(losses=0.1)
    with (
        mock.patch.object(frugal, "active_cluster", return_value=cluster),
        mock.patch.multiple(
            spread, HERE_FIRST=1, JOB_STEPS=20, SURVEY_STEPS=3, FIRST_EXCHANGE=100
        ),
    ):
        check_optimum(problem, options, max_steps=10**9 if counted else None)


@fewer
@given(worth_asking(12, 4), options_of, st.integers(1, 3), st.sampled_from((None, 2)))
def test_optimum_with_values_against_the_rest(
    problem: Problem, options: Options, min_cases: int, max_depth: int | None
) -> None:
    options = replace(options, rest=True, min_cases=min_cases, max_depth=max_depth)
    got = fitted(problem, options, splits="rest")
    assert got.termination_ == "optimal"
    assert got.expected_cost_ == same(best_cost(problem, options)) == same(got.objective_)
    check_leaves(got, problem)


def check_leaves(learner: FrugalTreeClassifier, problem: Problem) -> None:
    """Check that the cases go to the leaves that have counted them."""
    tree = learner.tree_
    counts = np.zeros_like(tree.nodes.counts)
    ends = tree.find(bridge.encoded(problem))
    np.add.at(counts, (ends, problem.classes), problem.weights)
    leaves = tree.nodes.test < 0
    np.testing.assert_allclose(counts[leaves], tree.nodes.counts[leaves])
    assert not counts[~leaves].any()


@fewer
@given(late, options_of)
def test_optimum_with_delays(problem: Problem, options: Options) -> None:
    check_optimum(problem, options)


@fewer
@given(worth_asking(10, 5, delays=True), st.sampled_from(CFS))
def test_optimum_where_all_tests_are_delayed(problem: Problem, cf: float) -> None:
    problem = replace(problem, delayed=set(range(len(problem.kinds))))
    check_optimum(problem, Options(cf=cf))


@fewer
@given(worth_asking(10, 5, delays=True), options_of, st.integers(0, 3), st.integers(1, 3))
def test_optimum_within_limits(
    problem: Problem, options: Options, max_depth: int, min_cases: int
) -> None:
    options = replace(options, max_depth=max_depth)
    check_optimum(problem, options)
    check_optimum(problem, replace(options, max_depth=None, min_cases=min_cases))


@fewer
@given(st.one_of(immediate, late), options_of, st.integers(2, 4), st.booleans())
def test_optimum_with_large_leaves(
    problem: Problem, options: Options, min_leaf: int, light: bool
) -> None:
    """Every branch has so many cases, a branch without a value too."""
    heaviest = max(problem.weights)
    weights = [1.0 + (w == heaviest) for w in problem.weights] if light else problem.weights
    problem = replace(
        problem, weights=weights, errors=[[20 * e for e in r] for r in problem.errors]
    )
    options = replace(options, form="training" if light else options.form, min_leaf=min_leaf)
    check_optimum(problem, options)
    rest = replace(options, rest=not problem.delayed)  # with delayed tests there is none
    got = fitted(problem, rest, splits="rest")
    assert got.termination_ == "optimal"
    assert got.expected_cost_ == same(best_cost(problem, rest))
    assert got.tree_.weights.min() >= min(min_leaf, sum(weights))


PARTS = {"dyadic": (0.25, 0.5, 1.5, 2.25), "tenths": (0.1, 0.7, 1.3), "odd": (0.37, 2**0.5, 1.9)}
"""Parts of cases: of a few steps, of ten to a case, and of no common step."""


@fewer
@given(worth_asking(10, 5, delays=True), st.sampled_from(CFS[3:]), st.integers(0, 9999))
@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("form", ["c45", "exact", "training"])
def test_optimum_with_fractions_of_cases(
    form: str, parts: str, problem: Problem, cf: float, seed: int
) -> None:
    random = Random(seed)
    weights = [w / 10 * random.choice(PARTS[parts]) for w in problem.weights]
    problem = replace(problem, weights=weights)
    options = Options(cf=cf, form=form, min_cases=0)
    got, ref = fitted(problem, options), best_cost(problem, options)
    assert got.termination_ == "optimal"
    assert got.expected_cost_ == same(ref) == same(got.lower_bound_)
    tree = tree_of(got, problem)
    assert tree_cost(tree, problem, options) == same(ref)
    np.testing.assert_allclose(tree["counts"], np.bincount(problem.classes, weights))


ALTERNATIVES = [
    {"form": "exact"},
    {"form": "training"},
    {"penalty": "multinomial"},
    {"form": "exact", "penalty": "multinomial"},
    {"form": "training", "max_depth": 2},
    {"form": "training", "min_cases": 2},
]


@fewer
@given(worth_asking(12, 5), options_of)
@pytest.mark.parametrize("other", ALTERNATIVES, ids=str)
def test_optimum_otherwise(other: dict[str, Any], problem: Problem, options: Options) -> None:
    check_optimum(problem, replace(options, **other))


@fewer
@given(late, options_of)
@pytest.mark.parametrize("other", ALTERNATIVES[:4], ids=str)
def test_optimum_otherwise_with_delays(
    other: dict[str, Any], problem: Problem, options: Options
) -> None:
    check_optimum(problem, replace(options, **other))


@fewer
@given(worth_asking(12, 5), st.integers(1, 3))
def test_optimum_of_free_tests(problem: Problem, max_depth: int) -> None:
    free = replace(problem, full=[0.0] * len(problem.full), groups=[])
    check_optimum(free, Options(form="training", max_depth=max_depth))


@fewer
@given(worth_asking(12, 5, delays=True), options_of, st.sampled_from((1, 3, 10, 40)))
def test_bounds_hold_at_any_time(problem: Problem, options: Options, max_steps: int) -> None:
    got = check_bounds(problem, options, max_steps=max_steps)
    assert got.termination_ in {"optimal", *LIMITS}


@fewer
@given(worth_asking(12, 5, delays=True), options_of, st.sampled_from((0.02, 0.1, 0.5)))
def test_a_gap_is_enough(problem: Problem, options: Options, gap: float) -> None:
    got = check_bounds(problem, options, gap=gap)
    assert got.termination_ in {"optimal", "gap"}
    assert got.gap_ <= gap + 1e-12


def two_tests(rows: list[list[int]], classes: list[int], **changes: Any) -> Problem:
    """Return a problem of two nominal tests; taken before it, the first makes the second free."""
    defaults: dict[str, Any] = {
        "rows": [[float(value) for value in row] for row in rows],
        "classes": classes,
        "weights": [20.0] * len(rows),
        "kinds": ["nominal", "nominal"],
        "domains": [max(row[a] for row in rows) + 1 for a in range(2)],
        "n_classes": 2,
        "full": [1.0, 4.0],
        "groups": [{0: 0.0, 1: 4.0}],
        "delayed": {0, 1},
        "usable": {0, 1},
        "errors": [[0.0, 100.0], [100.0, 0.0]],
    }
    return Problem(**defaults | changes)


def test_nothing_is_ordered_that_tells_nothing() -> None:
    """The second test tells all. Ordered with it, the first one is no help, asked before it is."""
    problem = two_tests([[0, 0], [1, 0], [0, 1], [1, 1]], [0, 0, 1, 1])
    assert best_cost(problem, Options(form="training")) == 4
    check_optimum(problem, Options(form="training"))
    check_optimum(problem, Options())
    at_once = replace(problem, delayed={1})
    assert best_cost(at_once, Options(form="training")) == 1
    check_optimum(at_once, Options(form="training"))
    check_optimum(at_once, Options())


def test_nothing_is_ordered_before_a_delayed_test_is_reached() -> None:
    """With the delayed test first, both cost 4 + 4.

    With the other one first, all pay 4 for it, and two cases in three, who go on, 4 more.
    """
    rows = [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [1, 2]]
    problem = two_tests(rows, [0, 1, 1, 0, 0, 0], full=[4.0, 4.0], delayed={0})
    assert best_cost(problem, Options(form="training")) == same(4 + 4 * 2 / 3)
    check_optimum(problem, Options(form="training"))
    check_optimum(problem, Options())


def test_what_is_cut_twice_is_paid_once() -> None:
    """All pay 1 for the number; two cuts leave half of them to the delayed test, for 1 more."""
    problem = two_tests(
        [[3, 0], [2, 1], [1, 0], [2, 0]],
        [0, 1, 1, 0],
        kinds=["numeric", "nominal"],
        domains=[0, 2],
        full=[1.0, 1.0],
        groups=[],
        delayed={1},
    )
    assert best_cost(problem, Options(form="training")) == 1.5
    check_optimum(problem, Options(form="training"))
    check_optimum(problem, Options())


def wide(n_tests: int) -> Problem:
    """Return a problem of two cases that any test tells apart, the last and delayed one for 1."""
    problem = two_tests([[0, 0], [1, 1]], [0, 1])
    return replace(
        problem,
        rows=[[float(i)] * n_tests for i in range(2)],
        kinds=["nominal"] * n_tests,
        domains=[2] * n_tests,
        full=[float(n_tests - a) for a in range(n_tests)],
        groups=[],
        delayed={0, n_tests - 1},
        usable=set(range(n_tests)),
    )


def test_more_tests_than_cases() -> None:
    assert best_cost(wide(6), Options(form="training")) == 1
    check_optimum(wide(6), Options(form="training"))


def test_a_delayed_test_among_many() -> None:
    """With so many tests not every order can be tried, but that of one test alone should be."""
    learner = fitted(wide(20), Options(form="training"), max_steps=1000)
    assert learner.expected_cost_ == same(1.0)
    assert learner.lower_bound_ <= 1.0
