"""Problems where it pays to ask, and the exact learner held against exhaustive search on them."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from frugaltree import FrugalTreeClassifier
from reference.basics import Node, Problem
from reference.exact_trees import Options, best_cost, tree_cost
from support import bridge
from support.examples import EXAMPLES, many
from support.given import as_given
from support.problems import (
    PRICES,
    make_columns,
    make_concept,
    make_delayed,
    make_errors,
    make_group,
    make_noise,
    make_prices,
    make_usable,
    make_weights,
)

fewer = settings(many, max_examples=max(1, EXAMPLES // 5))
"""The slow twin is slow."""

CFS = (0.0001, 0.001, 0.01, 0.1, 0.25, 0.4, 0.9)


@st.composite
def worth_asking(draw: st.DrawFn, max_cases: int, max_tests: int, delays: bool = False) -> Problem:
    """Draw a problem with gaps, groups and weights, mostly one where it pays to ask.

    With a few cases a pessimist expects errors wherever he looks, and asks nothing; so each case
    stands for many, no two are the same on purpose, and errors are dear.
    """
    seed = draw(st.integers(0, 2**32 - 1))
    n_tests = draw(st.integers(1, max_tests))
    n_classes = draw(st.sampled_from((2, 2, 3)))
    columns = make_columns(seed, n_tests, max_cases, missing=draw(st.booleans()))
    least = draw(st.sampled_from((1, max_cases // 2, max_cases - 3, max_cases - 1)))
    picks = draw(st.lists(st.integers(0, max_cases - 1), min_size=least, unique=True))
    concept = make_concept(seed, columns, n_classes)
    noise = draw(st.sampled_from((0, 0.1, 0.3, 1)))
    classes = make_noise(seed, [concept[i] for i in picks], n_classes, noise)
    present = sorted(set(classes))
    copies = draw(st.sampled_from((1, 20, 200)))
    dear = draw(st.sampled_from((1.0, 30.0, 900.0)))
    style = draw(st.sampled_from(("uniform", "nonuniform", "nonuniform", "partly free", "unit")))
    full = make_prices(seed, n_tests, draw(st.sampled_from(PRICES)))
    groups = [
        make_group(Random(f"{seed} group {g}"), full) for g in range(draw(st.integers(0, 3)))
    ]
    errors = make_errors(seed, len(present), style)
    return Problem(
        rows=[[column.values[i] for column in columns] for i in picks],
        classes=[present.index(c) for c in classes],
        weights=[copies * weight for weight in make_weights(seed, len(picks), True, False)],
        kinds=[column.kind for column in columns],
        domains=[column.domain for column in columns],
        n_classes=len(present),
        full=full,
        groups=groups,
        delayed=make_delayed(seed, n_tests) if delays else set(),
        usable=make_usable(seed, n_tests),
        errors=[[dear * error for error in row] for row in errors],
        charge_missing=Random(f"{seed} charge").random() < 0.3,
    )


immediate = worth_asking(12, 6)
late = worth_asking(12, 5, delays=True)
options_of = st.builds(Options, cf=st.sampled_from(CFS))


def fitted(problem: Problem, options: Options, **how: Any) -> FrugalTreeClassifier:
    """Return a learner that has searched by these options, and by nothing else."""
    table, weights = as_given(problem)
    pessimism: dict[str, Any] = {"pessimism": options.cf, "expected_error": options.form}
    if options.form == "training":
        pessimism = {"pessimism": "none"}
    learner = FrugalTreeClassifier(
        table.costs,
        **pessimism,
        penalty=options.penalty,
        max_depth=options.max_depth,
        max_test_cost=options.max_test_cost,
        max_tests=options.max_tests,
        min_cases=max(1, options.min_cases),
        min_samples_leaf=max(1, options.min_leaf),
        random_state=0,
        **{"time_limit": "60s"} | how,
    )
    return learner.fit(table.X, table.y, sample_weight=weights)


def tree_of(learner: FrugalTreeClassifier, problem: Problem) -> Node:
    tree = learner.tree_
    return bridge.as_dict(tree.nodes, tree.labels, bridge.table_of(problem))


def same(cost: float) -> Any:
    return pytest.approx(cost, rel=1e-9, abs=1e-9)


def check_tree(learner: FrugalTreeClassifier, problem: Problem, options: Options) -> None:
    """Check that the tree costs what the learner says, and keeps to the limits."""
    tree = tree_of(learner, problem)
    counted = learner.expected_error_cost_ if options.has_budget else learner.expected_cost_
    assert counted == same(tree_cost(tree, problem, options))
    if options.max_depth is not None:
        assert learner.tree_.depth <= options.max_depth
    np.testing.assert_array_equal(tree["counts"], np.bincount(problem.classes, problem.weights))


def check_optimum(problem: Problem, options: Options, **how: Any) -> FrugalTreeClassifier:
    """Check that the learner proves the optimum, and that it is one; return it."""
    got = fitted(problem, options, **how)
    ref = best_cost(problem, options)
    assert got.termination_ == "optimal"
    assert got.objective_ == same(ref)
    assert options.has_budget or got.expected_cost_ == same(ref)
    assert got.lower_bound_ == same(ref)
    assert got.lower_bound_ <= got.objective_ * (1 + 1e-12)
    assert got.gap_ == same(0.0)
    check_tree(got, problem, options)
    return got
