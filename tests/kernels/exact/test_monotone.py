"""Monotone tests: proven trees against enumeration, and what every learner's tree keeps to."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import pytest

from frugaltree import ACTClassifier, DTMCClassifier, FrugalTreeClassifier
from frugaltree.engines.exact import spread
from frugaltree.estimators import frugal
from reference.basics import Problem
from reference.exact_trees import Options, best_cost
from support import bridge
from support.exact import fitted, same
from support.given import as_given
from support.monotone import broken_at, draw_monotone, pairs_broken, parameter
from support.stand_ins import HereCluster

pytestmark = [
    pytest.mark.filterwarnings("ignore:group:UserWarning"),
    pytest.mark.filterwarnings("ignore:all cases are of one class:UserWarning"),
    pytest.mark.filterwarnings("ignore:the weights of .* add up to:UserWarning"),
]

N = max(1, int(os.environ.get("FRUGALTREE_EXAMPLES", "150")))


def searched(problem: Problem, options: Options, **how: Any) -> FrugalTreeClassifier:
    """Return a learner that has searched by these options."""
    how = {"time_limit": None, **how}
    return fitted(problem, options, monotone=parameter(options.monotone), **how)


def check_follows(learner: Any, problem: Problem, options: Options) -> None:
    """Check that a tree follows the monotone tests, node by node and case by case."""
    assert broken_at(learner.tree_, options.monotone) == []
    assert pairs_broken(learner.tree_, bridge.encoded(problem), options.monotone) == 0


def check_optimum(problem: Problem, options: Options, **how: Any) -> bool:
    """Check a proven tree against every tree there is; tell whether the rule costs something."""
    got, ref = searched(problem, options, **how), best_cost(problem, options)
    assert got.termination_ == "optimal"
    assert got.objective_ == same(ref)
    assert got.lower_bound_ == same(ref)
    check_follows(got, problem, options)
    free = best_cost(problem, replace(options, monotone={}))
    assert ref >= free - 1e-9 * (1.0 + free)
    return ref > free + 1e-9 * (1.0 + free)


def test_proven_trees_are_the_best_of_all_that_follow() -> None:
    costly = [check_optimum(*draw_monotone(seed)) for seed in range(N)]
    assert N < 100 or sum(costly) > 0.1 * N


def test_so_are_those_of_several_threads() -> None:
    for seed in range(N // 5):
        check_optimum(*draw_monotone(seed), n_jobs=3)


def test_so_are_those_of_a_cluster() -> None:
    small = {"HERE_FIRST": 1, "JOB_STEPS": 20, "SURVEY_STEPS": 3, "FIRST_EXCHANGE": 100}
    for seed in range(N // 5):
        cluster = HereCluster(losses=0.1)
        with (
            mock.patch.object(frugal, "active_cluster", return_value=cluster),
            mock.patch.multiple(spread, **small),
        ):
            check_optimum(*draw_monotone(seed))


def test_so_are_those_with_values_against_the_rest() -> None:
    for seed in range(N // 3):
        problem, options = draw_monotone(seed)
        options = replace(options, rest=not problem.delayed)
        check_optimum(problem, options, splits="rest")


def test_a_search_that_ends_early_has_a_bound_and_follows() -> None:
    for seed in range(N // 3):
        problem, options = draw_monotone(seed)
        got, ref = searched(problem, options, max_steps=1), best_cost(problem, options)
        slack = 1e-9 * (1.0 + ref)
        assert got.lower_bound_ - slack <= ref <= got.objective_ + slack
        check_follows(got, problem, options)


@pytest.mark.parametrize("learner", [ACTClassifier, DTMCClassifier])
def test_other_learners_follow(learner: Any) -> None:
    for seed in range(N):
        problem, options = draw_monotone(seed)
        table, weights = as_given(problem)
        how = {} if learner is DTMCClassifier else {"n_samples": 1, "random_state": 0}
        got = learner(table.costs, monotone=parameter(options.monotone), **how)
        got.fit(table.X, table.y, sample_weight=weights)
        check_follows(got, problem, options)


def test_a_table_searched_on_samples_follows() -> None:
    """Labels are chosen on all rows, parts are searched with the answers of their nodes."""
    random = np.random.default_rng(0)
    X = random.integers(0, 12, (1500, 4)).astype(float)
    level = X[:, 0] - X[:, 1] + 2.0 * np.sin(X[:, 0]) + random.normal(0.0, 3.0, 1500)
    y = np.digitize(level, [-3.0, 3.0])
    for monotone in ({0: 1}, {0: 1, 1: -1}, {0: -1}):
        how: dict[str, Any] = {"sample_rows": 150, "max_steps": 3000, "random_state": 0}
        got = FrugalTreeClassifier(monotone=monotone, pessimism="paper", **how).fit(X, y)
        assert broken_at(got.tree_, monotone) == []
        assert pairs_broken(got.tree_, X[:200], monotone) == 0
        act = ACTClassifier(monotone=monotone, n_samples=1, sample_rows=150, random_state=0)
        assert broken_at(act.fit(X, y).tree_, monotone) == []
