"""The exact solver within a budget against exhaustive search, ACT, and every kind of case."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugaltree import ACTClassifier, FrugalTreeClassifier
from reference.basics import Problem
from reference.exact_trees import Options, best_cost
from support.exact import (
    CFS,
    check_optimum,
    check_tree,
    fewer,
    fitted,
    options_of,
    same,
    worth_asking,
)
from support.examples import EXAMPLES, many
from support.given import as_given

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
    return table.astype({name: X[name].dtype for name in X})


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
