"""ACT and LSID3 where the tests of a node are judged on a sample of its cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from frugaltree import ACTClassifier, Costs, LSID3Classifier
from frugaltree.engines.problem import stratified_sample

COSTS = Costs([4, 3, 2, 6], errors=200)
NOMINAL = [2, 3]


def make_table(n: int, seed: int = 0, gaps: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return a parity of a number and a value, with noise."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.standard_normal((n, 2)), rng.integers(0, 4, (n, 2))])
    y = (X[:, 0] > 0) ^ (X[:, 2] > 1) ^ (rng.random(n) < 0.1)
    X[rng.random(X.shape) < gaps] = np.nan
    return X, y.astype(int)


def learn(made: Any, table: tuple[np.ndarray, np.ndarray], **how: Any) -> Any:
    given = {"n_samples": 2, "sample_rows": 300, "random_state": 0} | how
    return made(COSTS, categorical_features=NOMINAL, **given).fit(*table)


def test_a_sample_has_its_share_of_each_class() -> None:
    classes = np.repeat([0, 1, 2], [600, 300, 100]).astype(np.int32)
    rows = np.arange(0, 1000, dtype=np.int32)
    drawn = stratified_sample(rows, classes, 50, seed=1)
    assert np.unique(drawn).size == 50
    assert np.bincount(classes[drawn]).tolist() == [30, 15, 5]
    assert drawn.tolist() == stratified_sample(rows, classes, 50, seed=1).tolist()
    assert drawn.tolist() != stratified_sample(rows, classes, 50, seed=2).tolist()


@pytest.mark.parametrize("made", [ACTClassifier, LSID3Classifier])
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_the_tree_counts_all_cases(made: Any, gaps: float) -> None:
    X, y = make_table(2000, gaps=gaps)
    learner = learn(made, (X, y))
    nodes = learner.tree_.nodes
    ends = np.bincount(learner.apply(X), minlength=nodes.test.size)
    leaves = nodes.test == -1
    np.testing.assert_array_equal(ends[leaves], nodes.counts.sum(axis=1)[leaves])
    assert learner.tree_.depth >= 2


@pytest.mark.parametrize("made", [ACTClassifier, LSID3Classifier])
def test_the_tree_does_not_depend_on_threads(made: Any) -> None:
    one, two = (learn(made, make_table(2000), n_jobs=n) for n in (1, 2))
    assert one.to_text() == two.to_text()


@pytest.mark.parametrize("made", [ACTClassifier, LSID3Classifier])
def test_small_tables_are_learned_to_the_letter(made: Any) -> None:
    auto, letter = (learn(made, make_table(700), sample_rows=n) for n in ("auto", None))
    assert auto.to_text() == letter.to_text()


def test_new_cases_cost_about_the_same() -> None:
    table, new = make_table(3000), make_table(20_000, seed=1)
    sampled, letter = (learn(ACTClassifier, table, sample_rows=n) for n in (300, None))
    assert sampled.total_cost(*new) <= 1.05 * letter.total_cost(*new)


def test_limits_of_trees_are_kept() -> None:
    act = learn(ACTClassifier, make_table(2000), min_samples_leaf=40, max_depth=3)
    assert act.tree_.depth <= 3
    assert act.tree_.nodes.counts.sum(axis=1).min() >= 40


def test_other_ways_to_estimate_and_to_stop_work_on_samples() -> None:
    X, y = make_table(2000)
    learn(ACTClassifier, (X, y), estimate="validation")
    budget = learn(ACTClassifier, (X, y), max_test_cost=6.0)
    assert budget.bill(X).max() <= 6.0
    assert learn(ACTClassifier, (X, y), time_limit=0.0).termination_ == "time_limit"
