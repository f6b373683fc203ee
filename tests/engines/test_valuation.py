"""Trees that come from elsewhere, counted, pruned and priced by the objective of a search."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugaltree import FrugalTreeClassifier
from frugaltree.anytime.stop import Stop
from frugaltree.datasets import load
from frugaltree.engines.exact.first_trees import grow_first_trees
from frugaltree.engines.exact.objective import Pessimism, make_objective
from frugaltree.engines.exact.one_vs_rest import ValueTests
from frugaltree.engines.exact.valuation import Valuation
from frugaltree.engines.problem import Problem
from reference import basics
from reference.exact_trees import Options, tree_cost
from reference.valued_trees import cheapest_pruning
from support import bridge
from support.examples import many
from support.problems import problems


def valuation_of(problem: Problem, options: Options, flat: float, log_cut: float) -> Valuation:
    cf = None if options.form == "training" else options.cf
    objective = make_objective(
        problem,
        Pessimism("drawn", cf, split=flat, log_cut=log_cut),
        expected_error=options.form,
        penalty=options.penalty,
        max_depth=options.max_depth,
        min_cases=int(options.min_cases),
        min_leaf=float(options.min_leaf),
    )
    return Valuation(problem, ValueTests.of(problem), objective)


def dict_of(nodes: Any, problem: Problem) -> dict[str, Any]:
    return bridge.as_dict(nodes, problem.answers(nodes), problem.table)


@many
@given(
    st.booleans().flatmap(lambda gaps: problems(25, whole_weights=True, missing=gaps)),
    st.integers(0, 2**32 - 1),
)
def test_values_are_those_of_the_twin(drawn: basics.Problem, seed: int) -> None:
    random = Random(seed)
    copies, dear = random.choice((1, 20)), random.choice((1.0, 30.0))  # so that it pays to ask
    drawn = replace(
        drawn,
        delayed=set(),
        weights=[copies * weight for weight in drawn.weights],
        errors=[[dear * error for error in row] for row in drawn.errors],
    )
    problem = bridge.problem_of(drawn, fractional=False)
    flat, log_cut = random.choice((0.0, 0.3, 2.0)), random.choice((0.0, 0.25, 1.0))
    options = Options(
        cf=random.choice((0.01, 0.25, 0.4)),
        form=random.choice(("c45", "exact", "training")),
        penalty=random.choice(("laplace", "multinomial")),
        max_depth=random.choice((None, None, 0, 1, 2)),
        min_cases=random.choice((1, 1, 2, 4)),
        min_leaf=random.choice((0, 0, 2, 3)),
    )
    options = replace(options, min_cases=max(options.min_cases, options.min_leaf))
    valuation = valuation_of(problem, options, flat, log_cut)
    objective, options_drawn = valuation.objective, options
    options = replace(options, flat=objective.flat, per_log_cut=objective.per_log_cut)
    for name, grown in grow_first_trees(problem, Stop(), min_cases=1.0, min_leaf=0.0):
        nodes, cost = valuation.value(grown)
        ref_cost, ref = cheapest_pruning(dict_of(grown, problem), drawn, options)
        assert cost == pytest.approx(ref_cost, rel=1e-9, abs=1e-9), name
        got = dict_of(nodes, problem)
        assert tree_cost(got, drawn, options) * problem.weight == pytest.approx(cost, abs=1e-6)
        np.testing.assert_allclose(got["counts"], ref["counts"])
        tests, errors = valuation.parts(nodes)
        assert tests + errors == pytest.approx(cost, rel=1e-9, abs=1e-9), name
        dear = replace(problem, errors=problem.errors * 3.0)
        tripled = valuation_of(dear, options_drawn, flat, log_cut).parts(nodes)
        assert tripled == pytest.approx((tests, 3.0 * errors), rel=1e-9, abs=1e-9), name


def test_no_moment_is_behind_the_trees_that_came_first() -> None:
    X, y = load("heart", return_X_y=True)
    frugal = FrugalTreeClassifier(max_steps=300, pessimism="paper", random_state=0).fit(X, y)
    costs = [one.cost for one in frugal.history_]
    assert costs == sorted(costs, reverse=True)
    assert frugal.history_[0].what == "leaf"


def test_a_small_table_is_proven_before_other_trees_are_grown() -> None:
    X, y = load("titanic", return_X_y=True)
    frugal = FrugalTreeClassifier(pessimism="paper", random_state=0).fit(X, y)
    assert frugal.termination_ == "optimal"
    assert not {"leaf", "EG2", "DTMC"} & {one.what for one in frugal.history_}


def test_a_search_that_is_stopped_at_once_has_a_leaf() -> None:
    X, y = load("heart", return_X_y=True)
    assert FrugalTreeClassifier(time_limit=0).fit(X, y).tree_.n_leaves == 1
