"""The ONNX model is run by onnxruntime, and answers and charges as the learner does."""

from __future__ import annotations

import numpy as np
import pytest

from frugaltree import Costs, ID3Classifier
from frugaltree.export.onnx import codes_of, input_names, to_onnx
from frugaltree.table.values import plain
from support import odd_trees as trees

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def run(estimator, rows):
    """Return (answers, bills, shares) of cases."""
    session = onnxruntime.InferenceSession(to_onnx(estimator))
    columns = estimator.tree_.columns
    asked = [columns[a] for a in np.unique(estimator.tree_.nodes.test) if a >= 0] or [columns[0]]
    fed = {}
    for column, name in zip(asked, input_names(asked), strict=True):
        values = [row[column.name] for row in rows]
        if column.kind == "numeric":
            told = np.array([np.nan if value is None else value for value in values], float)
        else:
            told = np.array(
                ["" if value is None else str(plain(value)) for value in values], object
            )
        fed[name] = told.reshape(-1, 1)
    return session.run(None, fed)


def is_fed(column, value):
    """Tell whether a value can be told from others: "" is a gap unless it is a category."""
    return not (
        value is None and column.kind != "numeric" and codes_of(column)[""] == codes_of(column)[""]
    )


@pytest.mark.parametrize("name", [*trees.SMALL, *trees.LARGE])
def test_it_answers_and_charges_as_the_learner(name):
    case = trees.get(name)
    columns = {column.name: column for column in case.estimator.tree_.columns}
    kept = [
        i
        for i, row in enumerate(case.rows)
        if all(is_fed(columns[key], value) for key, value in row.items())
    ]
    assert len(kept) > 0
    answers, bills, shares = run(case.estimator, [case.rows[i] for i in kept])
    assert answers.tolist() == [case.answers[i] for i in kept]
    assert bills.tolist() == [case.bills[i] for i in kept]
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_shares_are_probabilities_where_values_are_missing_too():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    y = np.where((X[:, 0] > 0) ^ (rng.random(200) < 0.2), "yes", "no")
    X[rng.random(X.shape) < 0.1] = np.nan
    learner = ID3Classifier(Costs([7, 2, 3])).fit(X, y)
    _, _, shares = run(learner, [dict(zip(("x0", "x1", "x2"), x, strict=True)) for x in X])
    np.testing.assert_array_equal(shares, learner.predict_proba(X))


def test_shares_are_those_of_the_learner():
    X, y = [[1.0], [2.0], [4.0], [4.0]], ["no", "no", "yes", "no"]
    learner = ID3Classifier(Costs([7])).fit(X, y)
    _, _, shares = run(learner, [{"x0": x[0]} for x in X])
    np.testing.assert_array_equal(shares, learner.predict_proba(X))


def test_the_c45_family_says_what_it_cannot():
    told = onnx.load_model_from_string(to_onnx(trees.get("heart-C45").estimator))
    assert "without missing values" in told.graph.doc_string
    assert not onnx.load_model_from_string(
        to_onnx(trees.get("heart-ACT").estimator)
    ).graph.doc_string
