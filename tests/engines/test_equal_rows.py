"""Equal rows merged: the same tree from fewer of them."""

from __future__ import annotations

import numpy as np
import pytest

from frugaltree import C45Classifier, Costs, DTMCClassifier, EG2Classifier, ID3Classifier
from frugaltree.engines import equal_rows
from frugaltree.engines.equal_rows import estimate_kinds, merge_rows

COSTS = Costs([3, 1, 4], errors=60)


def drawn(missing):
    rng = np.random.default_rng(7)
    X = rng.integers(0, 3, (900, 3)).astype(float)
    y = ((X[:, 0] == 1) ^ (X[:, 1] > 0) ^ (rng.random(900) < 0.1)).astype(int)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y, rng.integers(1, 3, 900).astype(float)


@pytest.mark.parametrize("learner", [C45Classifier, EG2Classifier, ID3Classifier, DTMCClassifier])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_merged_rows_give_the_same_tree(learner, missing, monkeypatch):
    X, y, weights = drawn(missing)
    made = learner(COSTS, categorical_features=[0, 1])
    plain = made.fit(X, y, weights).to_text()
    monkeypatch.setattr(equal_rows, "LEAST_ROWS", 1)
    problem = made._read(X, y, weights)
    merged = merge_rows(problem)
    kinds = np.unique(np.column_stack([np.nan_to_num(X, nan=-1.0), y]), axis=0)
    assert merged.cases.classes.size == len(kinds) < 900
    assert merged.weight == problem.weight
    assert made.fit(X, y, weights).to_text() == plain


def test_rows_that_hardly_repeat_stay_as_they_are(monkeypatch):
    monkeypatch.setattr(equal_rows, "LEAST_ROWS", 1)
    rng = np.random.default_rng(0)
    problem = EG2Classifier()._read(rng.standard_normal((300, 2)), rng.integers(0, 2, 300), None)
    assert merge_rows(problem) is problem


def test_the_number_of_kinds_is_about_right():
    marks = np.random.default_rng(0).integers(0, 500, 40_000).astype(np.uint64)
    assert estimate_kinds(marks) == pytest.approx(500, rel=0.1)
