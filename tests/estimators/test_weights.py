"""min_samples_leaf, class_weight and fractions of cases: the same as in scikit-learn."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_sample_weight

import frugaltree
from frugaltree import Costs, FrugalTreeClassifier, ICETClassifier
from frugaltree.exceptions import InvalidTable
from support.learners import LEARNERS, seeded

HONOURING = [one for one in LEARNERS if "min_samples_leaf" in signature(one).parameters]

N = 150


def noisy_table(seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Return numbers, a rare value, missing values, and classes that are hard to tell."""
    rng = np.random.default_rng(seed)
    age, chol = rng.integers(0, 12, N).astype(float), rng.normal(size=N).round(1)
    site = rng.choice(["a", "b", "c", "rare"], N, p=[0.4, 0.35, 0.2, 0.05])
    y = np.where(age + 3 * chol + 4 * (site == "b") + rng.normal(size=N) > 7, "ill", "well")
    age[rng.random(N) < 0.03], chol[rng.random(N) < 0.2] = np.nan, np.nan
    return pd.DataFrame({"age": age, "chol": chol, "site": site}), y


COSTS = Costs({"age": 1, "chol": 2, "site": 1}, errors=90)


def all_learners_but(*left_out):
    return [one for one in LEARNERS if one not in left_out]


def test_all_but_icet_have_it():
    assert set(LEARNERS) - set(HONOURING) == {ICETClassifier}


def leaf_weights(estimator) -> np.ndarray:
    tree = estimator.tree_
    return tree.weights[tree.nodes.test < 0]


@pytest.mark.parametrize("learner", HONOURING, ids=lambda one: one.__name__)
@pytest.mark.parametrize("least", [2, 7, 20])
def test_every_leaf_has_so_many_cases(learner, least):
    X, y = noisy_table()
    estimator = seeded(learner)(COSTS, min_samples_leaf=least).fit(X, y)
    assert leaf_weights(estimator).min() >= least - 1e-9
    assert estimator.tree_.n_leaves > 1


@pytest.mark.parametrize("learner", HONOURING, ids=lambda one: one.__name__)
def test_one_is_no_limit_and_a_share_is_rounded_up(learner):
    X, y = noisy_table(1)
    trees = {
        least: seeded(learner)(COSTS, min_samples_leaf=least).fit(X, y).to_text()
        for least in (1, 8, 0.05, 0.001)
    }
    assert trees[0.05] == trees[8]  # 0.05 * 150 = 7.5
    usual = seeded(learner)(COSTS).fit(X, y)
    assert trees[1] == trees[0.001] == usual.to_text()
    assert leaf_weights(usual).min() < 8


@pytest.mark.parametrize("least", [1, 5, 0.1])
def test_the_same_leaves_as_scikit_learns(least):
    """One numeric test of gain, no ties: the same rule leaves the same cuts to choose from."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 1))
    y = (X[:, 0] + 0.7 * rng.normal(size=80) > 0).astype(int)
    ours = next(one for one in LEARNERS if one.__name__ == "ID3Classifier")
    got = ours(min_samples_leaf=least).fit(X, y)
    ref = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=least).fit(X, y)
    sizes = ref.tree_.n_node_samples[ref.tree_.children_left < 0]
    assert sorted(leaf_weights(got)) == sorted(sizes)


@pytest.mark.parametrize("learner", HONOURING, ids=lambda one: one.__name__)
def test_a_row_of_weight_two_is_two_cases_for_it(learner):
    X, y = noisy_table(2)
    twice = seeded(learner)(COSTS, min_samples_leaf=10).fit(X, y, np.full(N, 2))
    assert leaf_weights(twice).min() >= 10


# ------------------------------------------------------------------------------ fractions


@pytest.mark.parametrize("learner", all_learners_but(ICETClassifier), ids=lambda one: one.__name__)
@pytest.mark.parametrize("parts", [2, 4, 10])
def test_parts_that_add_up_to_cases_are_cases(learner, parts):
    X, y = noisy_table(3)
    X, y = X.dropna().reset_index(drop=True), y[X.notna().all(axis=1)]
    whole = seeded(learner)(COSTS).fit(X, y)
    several = np.repeat(np.arange(len(X)), parts)
    if learner is FrugalTreeClassifier:  # folds are dealt by rows
        whole = seeded(learner)(COSTS, pessimism="paper").fit(X, y)
        got = seeded(learner)(COSTS, pessimism="paper")
    else:
        got = seeded(learner)(COSTS)
    got.fit(X.iloc[several], y[several], np.full(several.size, 1 / parts))
    assert got.expected_cost_ == pytest.approx(whole.expected_cost_, rel=1e-9)
    assert got.tree_.weights.tolist() == pytest.approx(whole.tree_.weights.tolist())
    np.testing.assert_array_equal(got.predict(X), whole.predict(X))
    np.testing.assert_allclose(got.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: one.__name__)
def test_odd_fractions(learner):
    X, y = noisy_table(5)
    weights = np.random.default_rng(5).random(N) * 3
    got = seeded(learner)(COSTS).fit(X, y, weights)
    assert got.tree_.weights[0] == pytest.approx(weights.sum(), rel=1e-9)
    ends = np.bincount(got.apply(X), weights, got.tree_.n_nodes)
    if not got._fractional:
        leaves = got.tree_.nodes.test < 0
        np.testing.assert_allclose(ends[leaves], got.tree_.weights[leaves], rtol=1e-9)
    frequencies = [weights[y == label].sum() / weights.sum() for label in got.classes_]
    np.testing.assert_allclose(got.class_frequencies_, frequencies)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: one.__name__)
def test_whole_weights_are_not_touched(learner):
    X, y = noisy_table(6)
    ones = seeded(learner)(COSTS).fit(X, y, np.ones(N))
    assert ones.to_text() == seeded(learner)(COSTS).fit(X, y).to_text()


def test_weights_that_add_up_to_one_are_warned_of(learner):
    X, y = noisy_table(6)
    with pytest.warns(
        UserWarning, match="the weights of 150 rows add up to 1 cases, and estimates"
    ):
        learner(COSTS).fit(X, y, np.full(N, 1 / N))


def test_a_choice_among_settings_with_fractions():
    X, y = noisy_table(7)
    weights = np.random.default_rng(7).random(N) + 0.5
    got = FrugalTreeClassifier(COSTS, max_steps=300, random_state=0).fit(X, y, weights)
    assert got.tuning_ is not None
    assert 0 < got.cv_cost_ < 90
    assert 0 < got.cv_cost_error_ < 10  # of about 150 cases, not of what the search counts by
    assert got.lower_bound_ <= got.objective_


# -------------------------------------------------------------------------- class_weight


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("class_weight", ["balanced", {"ill": 3}, {"ill": 0.5, "well": 2}])
def test_class_weights_multiply_those_of_cases(learner, class_weight):
    X, y = noisy_table(8)
    rows = np.random.default_rng(8).integers(1, 4, N)
    got = seeded(learner)(COSTS, class_weight=class_weight).fit(X, y, rows)
    ref = seeded(learner)(COSTS).fit(X, y, rows * compute_sample_weight(class_weight, y))
    assert got.to_text() == ref.to_text()
    assert got.expected_cost_ == ref.expected_cost_
    if class_weight == "balanced":
        even = seeded(learner)(COSTS, class_weight=class_weight).fit(X, y)
        assert even.class_frequencies_.tolist() == pytest.approx([0.5, 0.5])


def test_a_class_of_weight_zero_is_left_out(learner):
    X, y = noisy_table(9)
    with pytest.warns(UserWarning, match="all cases are of one class, 'well'"):
        got = seeded(learner)(COSTS, class_weight={"ill": 0}).fit(X, y)
    assert got.classes_.tolist() == ["well"]


def test_weights_are_not_error_costs():
    """Three times the weight is three bills; three times the error cost is one."""
    X, y = [[0]] * 4 + [[1]] * 4, [0] * 4 + [1] * 4
    dtmc = next(one for one in LEARNERS if one.__name__ == "DTMCClassifier")
    # Asked: 8 cases pay 10 each. Not asked: 4 errors of 15.
    assert dtmc(Costs([10], errors=15)).fit(X, y).tree_.n_leaves == 1
    # Errors of class 1 cost 45: the cheaper answer still errs at 4 * 15.
    dear = Costs([10], errors=[[0, 45], [15, 0]])
    assert dtmc(dear).fit(X, y).tree_.n_leaves == 1
    # With the weight 3, 4 + 12 cases pay 160 for the test, and 4 errors of 15 are still 60.
    heavy = dtmc(Costs([10], errors=15), class_weight={1: 3}).fit(X, y)
    assert heavy.tree_.n_leaves == 1
    assert heavy.tree_.weights[0] == 16


@pytest.mark.parametrize("name", ["ID3Classifier", "ACTClassifier", "C45Classifier"])
def test_weights_of_hardly_a_case_are_refused(name):
    """Counts of such cases came to nought, and shares to no number."""
    learner = getattr(frugaltree, name)()
    with pytest.raises(InvalidTable, match="adds up to 2e-300 cases, which is hardly any"):
        learner.fit([[0], [1]], [0, 1], sample_weight=[1e-300, 1e-300])
