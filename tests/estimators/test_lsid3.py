"""LSID3 as its users see it: small trees, found by sampling and blind to costs."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from frugaltree import Costs, ID3Classifier, LSID3Classifier
from frugaltree.datasets import load, make_multi_xor, make_xor
from frugaltree.engines.greedy import prune_by_errors, to_preorder
from frugaltree.kernels.sentinels import NONE
from support.examples import many
from support.given import as_given, bits, study
from support.problems import problems

pytestmark = [
    pytest.mark.filterwarnings("ignore:all cases are of one class"),
    pytest.mark.filterwarnings("ignore:group .* the discount"),
]

TABLES = ["heart", "hepatitis", "glass", "tae", "iris", "tic-tac-toe", "car", "voting", "thyroid"]


# --------------------------------------------------------------------------------------- LSID3(0)


@pytest.mark.parametrize("name", TABLES)
def test_lsid3_0_is_id3(name):
    X, y, costs = study(name)
    lsid3 = LSID3Classifier(costs, n_samples=0, prune=False).fit(X, y)
    id3 = ID3Classifier(costs).fit(X, y)
    assert lsid3.to_text() == id3.to_text()
    assert lsid3.expected_cost_ == pytest.approx(id3.expected_cost_)
    assert lsid3.history_[-1].samples == 0


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("raising", [True, False])
def test_lsid3_0_is_id3_pruned_by_expected_errors(name, raising):
    X, y, costs = study(name)
    lsid3 = LSID3Classifier(costs, n_samples=0, raise_subtrees=raising).fit(X, y)
    id3 = ID3Classifier(costs)
    problem = id3._read(X, y, None)
    nodes = prune_by_errors(
        problem, id3._search(problem), 0.25, "c45", collapsing=False, raising=raising, whole=True
    )
    id3._keep(problem, to_preorder(nodes, problem.cases))
    assert lsid3.to_text() == id3.to_text()


@many
@given(problems(missing=True, whole_weights=True))
def test_lsid3_0_is_id3_on_random_problems(problem):
    (X, y, costs), weights = as_given(problem)
    lsid3 = LSID3Classifier(costs, n_samples=0, prune=False).fit(X, y, weights)
    assert lsid3.to_text() == ID3Classifier(costs).fit(X, y, weights).to_text()


# ------------------------------------------------------------------------------------ small trees


def test_smaller_trees_with_larger_samples():
    """Mean number of leaves over concepts of which ID3 sees nothing at first."""
    leaves = []
    for seed in range(12):
        for make, n in ((lambda n, s: make_xor(n, 4, 14, s), 150), (make_multi_xor, 150)):
            X, y = bits(*make(n, seed))
            lsid3 = LSID3Classifier(
                prune=False, random_state=seed, categorical_features=range(X.shape[1])
            )
            leaves.append(
                [lsid3.set_params(n_samples=r).fit(X, y).tree_.n_leaves for r in (0, 1, 8)]
            )
    means = np.mean(leaves, axis=0)
    print(f"\nleaves at r = 0, 1, 8: {means}")
    steps = -np.diff(leaves, axis=1)
    assert (steps.mean(axis=0) > 3.5 * steps.std(axis=0, ddof=1) / len(leaves) ** 0.5).all()


def test_parity_is_found():
    X, y = bits(*make_xor(300, 3, 7, 0))
    fresh, truth = bits(*make_xor(500, 3, 7, 1))
    lsid3 = LSID3Classifier(random_state=0, categorical_features=range(10)).fit(X, y)
    assert lsid3.tree_.n_leaves == 8
    assert (lsid3.predict(fresh) == truth).all()


def test_blind_to_costs():
    X, y, costs = study("heart")
    texts = set()
    for given_costs in (
        Costs(costs.tests, errors=1),
        Costs(dict.fromkeys(X.columns, 7), errors=[[0, 900], [1, 0]]),
        None,
    ):
        lsid3 = LSID3Classifier(given_costs, random_state=0).fit(X, y)
        nodes = lsid3.tree_.nodes
        texts.add((nodes.test.tobytes(), nodes.threshold.tobytes(), lsid3.tree_.labels.tobytes()))
    assert len(texts) == 1


# ------------------------------------------------------------------------------------- parameters


def test_equal_seeds_equal_trees():
    X, y, _ = study("tae")
    one, same = (LSID3Classifier(random_state=3).fit(X, y).to_text() for _ in range(2))
    assert one == same
    texts = {LSID3Classifier(n_samples=2, random_state=s).fit(X, y).to_text() for s in range(8)}
    assert len(texts) > 1


def test_pruning_and_its_confidence():
    X, y, _ = study("heart")
    lsid3 = LSID3Classifier(random_state=0)
    whole = clone(lsid3).set_params(prune=False).fit(X, y).tree_.n_leaves
    sizes = [
        clone(lsid3).set_params(cf=cf).fit(X, y).tree_.n_leaves for cf in (0.5, 0.25, 0.01, 1e-9)
    ]
    assert whole > sizes[0] > sizes[1] > sizes[2] > sizes[3]
    seen = clone(lsid3).set_params(expected_error="training").fit(X, y)
    assert seen.tree_.n_leaves > sizes[1]


def test_depth_and_size_are_bounded():
    X, y, _ = study("heart")
    for depth in (0, 1, 3):
        lsid3 = LSID3Classifier(max_depth=depth, prune=False, random_state=0).fit(X, y)
        assert lsid3.tree_.depth == depth
    nodes = LSID3Classifier(min_cases=20, prune=False, random_state=0).fit(X, y).tree_.nodes
    sizes = nodes.counts.sum(axis=1)
    for node in np.flatnonzero(nodes.test != NONE):
        assert (sizes[nodes.parent == node] >= 20).sum() >= 2
    assert nodes.test[0] != NONE


@many
@given(problems(missing=True, whole_weights=True, delays=True), st.integers(0, 3))
def test_what_is_expected(problem, r):
    (X, y, costs), weights = as_given(problem)
    lsid3 = LSID3Classifier(costs, n_samples=r, random_state=0).fit(X, y, weights)
    assert lsid3.history_[-1].cost == pytest.approx(lsid3.expected_cost_)
    assert lsid3.expected_test_cost_ == pytest.approx(np.average(lsid3.bill(X), weights=weights))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": None}, "'n_samples' parameter of LSID3Classifier must be"),
        ({"n_samples": -1}, "'n_samples' parameter"),
        ({"cf": "auto"}, "'cf' parameter"),
        ({"prune": 2}, "'prune' parameter"),
        ({"min_cases": 0}, "'min_cases' parameter"),
        ({"time_limit": "5 parsec"}, "unit 'parsec'"),
    ],
    ids=str,
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        LSID3Classifier(**options).fit([[0], [1]], [0, 1])


def test_time_is_up():
    X, y, _ = study("krk")
    lsid3 = LSID3Classifier(n_samples=10**6, time_limit="300 ms", random_state=0).fit(X, y)
    assert lsid3.termination_ == "time_limit"
    assert (lsid3.predict(X) == y.to_numpy()).mean() > 0.6


# ------------------------------------------------------------------------- among scikit-learn's


def test_among_scikit_learns():
    X, y = bits(*make_xor(200, 4, 6, 0))
    lsid3 = LSID3Classifier(random_state=0, categorical_features=range(10))
    search = GridSearchCV(lsid3, {"n_samples": [0, 5]}, cv=3).fit(X, y)
    assert search.best_params_ == {"n_samples": 5}
    best = search.best_estimator_
    assert pickle.loads(pickle.dumps(best)).history_ == best.history_
    assert clone(best).fit(X, y).to_text() == best.to_text()


def test_data_frames():
    X, y, _ = study("hepatitis")
    table, labels = load("hepatitis", return_X_y=True, frame="pandas")
    one, other = LSID3Classifier(random_state=0), LSID3Classifier(random_state=0)
    assert one.fit(X, y).to_text() == other.fit(table, labels).to_text()
    assert one.predict(table).tolist() == other.predict(X).tolist()
