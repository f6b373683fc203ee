"""The frontier of proven searches against that of all trees."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, settings
from hypothesis import given as drawing
from hypothesis import strategies as st

from frugaltree import FrugalTreeClassifier, frontier
from frugaltree.engines.exact.objective import Pessimism
from reference import basics
from reference.exact_trees import Options
from reference.frontier_trees import Pair, frontier_of
from support.examples import EXAMPLES, many
from support.given import as_given
from support.problems import problems

pytestmark = [
    pytest.mark.filterwarnings("ignore:group:UserWarning"),  # more tests may cost less
]

MOST = 50.0
"""The frontier is looked at up to so many times the costs of errors."""


def problem_of(drawn: basics.Problem, seed: int) -> basics.Problem:
    """Return a problem where it may pay to ask: each case stands for many, and errors are dear."""
    random = Random(seed)
    copies, dear = random.choice((1, 3, 30)), random.choice((1.0, 30.0))
    return replace(
        drawn,
        weights=[float(copies)] * len(drawn.rows),
        errors=[[dear * error for error in row] for row in drawn.errors],
    )


def options_of(problem: basics.Problem, seed: int) -> tuple[Options, Pessimism]:
    random = Random(f"options {seed}")
    form = random.choice(("c45", "c45", "exact", "training"))
    cf = random.choice((0.01, 0.25, 0.4))
    split, log_cut = random.choice(((0.0, 0.0), (0.0, 0.0), (0.5, 0.0), (0.2, 0.3)))
    errors = np.array(problem.errors)
    mean = errors.sum() / max(errors.size - len(errors), 1)
    options = Options(
        cf=cf,
        form=form,
        penalty=random.choice(("laplace", "multinomial")),
        max_depth=random.choice((None, None, 1, 2)),
        min_cases=random.choice((1, 1, 2)),
        flat=split * mean,
        per_log_cut=log_cut * mean,
    )
    setting = Pessimism("drawn", None if form == "training" else cf, split=split, log_cut=log_cut)
    return options, setting


def check(drawn: basics.Problem, seed: int) -> int:
    """Check a frontier; return how many points it has."""
    problem = problem_of(drawn, seed)
    errors = np.array(problem.errors)
    assume(len(errors) > 1 and errors.max() > 0.0)
    options, setting = options_of(problem, seed)
    given, weights = as_given(problem)
    rows = np.repeat(np.arange(len(weights)), weights.astype(int))
    learner = FrugalTreeClassifier(
        given.costs,
        time_limit=None,
        expected_error="c45" if options.form == "training" else options.form,
        penalty=options.penalty,
        max_depth=options.max_depth,
        min_cases=int(options.min_cases),
        splits="values",
        random_state=0,
    )
    own = errors.max()
    with mock.patch.object(FrugalTreeClassifier, "_pessimisms", return_value=[setting]):
        got = frontier(learner, given.X.iloc[rows], given.y[rows], folds=0, dearest=MOST * own)
    assert got.complete
    assert got.gap == 0.0
    compare(got, frontier_of(problem, options, MOST), float(own))
    return len(got.points)


def compare(got: Any, ref: list[tuple[float, Pair]], own: float) -> None:
    """Check that both have the same trees, in money, and the same prices of taking over."""
    assert len(got.points) == len(ref)
    for point, (start, (tests, errors)) in zip(got.points, ref, strict=True):
        assert point.price_from == pytest.approx(own * start, rel=1e-9, abs=1e-9)
        assert point.test_cost == pytest.approx(tests, rel=1e-9, abs=1e-9)
        assert own * point.errors == pytest.approx(errors, rel=1e-9, abs=1e-9)
        assert point.estimator.expected_test_cost_ == pytest.approx(tests, rel=1e-9, abs=1e-9)
        assert point.estimator.objective_ == pytest.approx(point.cost, rel=1e-9, abs=1e-9)
        assert point.estimator.gap_ == 0.0
        assert point.price_from <= point.price <= point.price_to
    ends = [point.price_to for point in got.points]
    assert ends == [*(point.price_from for point in got.points[1:]), pytest.approx(MOST * own)]


seeds = st.integers(0, 2**32 - 1)

more = settings(many, max_examples=max(500, EXAMPLES))


@more
@drawing(st.booleans().flatmap(lambda gaps: problems(9, 3, missing=gaps, every_class=True)), seeds)
def test_the_frontier_is_that_of_all_trees(drawn: basics.Problem, seed: int) -> None:
    check(drawn, seed)


@settings(many, max_examples=max(1, EXAMPLES // 3))
@drawing(problems(8, 3, missing=True, delays=True, every_class=True), seeds)
def test_the_frontier_is_that_of_all_trees_with_delays(drawn: basics.Problem, seed: int) -> None:
    check(drawn, seed)
