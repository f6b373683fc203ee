"""The choice of the pessimism on cases held out."""

from __future__ import annotations

import numpy as np
import pytest

from frugaltree import Costs, FrugalTreeClassifier
from frugaltree.anytime.stop import Stop
from frugaltree.learners.coded import coded
from frugaltree.learners.objective import Pessimism, make_objective
from frugaltree.learners.pessimism import FOLDS, Trial
from frugaltree.learners.solver import Search

SETTINGS = [Pessimism("paper", 0.25), Pessimism("leaf", 0.25, max_depth=0)]


def trial():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (90, 4)).astype(float)
    y = (X[:, 0] + (rng.random(90) < 0.1)).astype(int) % 2
    learner = FrugalTreeClassifier(
        Costs([1.0] * 4, errors=50.0), categorical_features=[0, 1, 2, 3]
    )
    problem = learner._read(X, y, None)
    table, _ = coded(problem)
    objectives = [make_objective(problem, one) for one in SETTINGS]
    return Trial(lambda: Search(problem, table, objectives[0], Stop()), objectives, 7)


def test_a_deal_that_is_not_played_to_the_end_counts_for_nothing():
    one = trial()
    folds = one.repeat()
    for _ in range(FOLDS - 1):
        next(folds)
    folds.close()
    assert one.found(["paper", "leaf"]) == []


def test_whole_deals_count_every_case_once_each():
    one = trial()
    assert list(one.repeat()) == [f"{i + 1} of {FOLDS}" for i in range(FOLDS)]
    first = one.found(["paper", "leaf"])
    assert [candidate.name for candidate in first] == ["paper", "leaf"]
    # Always the same answer: wrong for the rarer class, and no test to pay.
    assert first[1].cost > first[0].cost
    assert first[0].saving == 0.0
    assert first[1].saving == pytest.approx(first[0].cost - first[1].cost)
    folds = one.repeat()
    next(folds)
    folds.close()
    assert one.found(["paper", "leaf"]) == first
