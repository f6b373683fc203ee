"""The paper's learners under the tuning of our own."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from frugaltree import ACTClassifier, Costs
from frugaltree.engines.cross_validation import sure_trial
from study.learners import TUNED, get_title, make
from study.problems import Problem
from study.tuned import LEAF, TunedACT, TunedDTMC, TunedEG2, summarise


def noise(n=80, seed=0):
    """Return cases whose classes no test tells."""
    random = np.random.default_rng(seed)
    return random.random((n, 3)), random.integers(0, 2, n)


@pytest.fixture(scope="module")
def heart():
    problem = Problem("heart", "1")
    X, y = problem.table()
    return X[:120], y[:120], problem.costs("500")


@pytest.mark.parametrize("key", TUNED)
def test_they_answer_and_charge_as_other_learners(key, heart):
    X, y, costs = heart
    tuned = make(key, costs, 0).fit(X, y)
    assert set(tuned.predict(X)) <= set(tuned.classes_) == set(y)
    assert tuned.bill(X).shape == (len(X),)
    assert tuned.bill(X, costs).tolist() == tuned.bill(X).tolist()
    assert tuned.tree_.n_leaves >= 1
    assert tuned.setting_ in [one.name for one in tuned.tuning_]


@pytest.mark.parametrize("key", TUNED)
def test_the_same_seed_gives_the_same_tree(key, heart):
    X, y, costs = heart
    first, second = (clone(make(key, costs, 3)).fit(X, y) for _ in range(2))
    assert first.tuning_ == second.tuning_
    assert first.tree_.to_dict() == second.tree_.to_dict()


@pytest.mark.parametrize("cls", [TunedACT, TunedDTMC, TunedEG2])
def test_where_nothing_can_be_learned_no_test_is_asked(cls):
    X, y = noise()
    tuned = cls(Costs([20, 20, 20], errors=100), random_state=0).fit(X, y)
    by_name = {one.name: one for one in tuned.tuning_}
    assert by_name["leaf"].cost == pytest.approx(100 * np.bincount(y).min() / y.size, rel=0.2)
    assert tuned.bill(X).mean() <= 20


@pytest.mark.parametrize("cls", [TunedACT, TunedEG2])
def test_what_is_clear_is_left_as_the_paper_has_it(cls):
    X = [[a, b] for a in (0, 1) for b in (0, 1)] * 15
    y = [a for a, _ in X]
    tuned = cls(Costs([5, 5], errors=100), random_state=0).fit(X, y)
    assert tuned.setting_ == "paper"
    assert tuned.bill(X).tolist() == [5.0] * len(X)


def test_the_tree_of_act_has_the_usual_sample(heart):
    X, y, costs = heart
    tuned = TunedACT(costs, random_state=0).fit(X, y)
    assert tuned.model_.n_samples == (0 if tuned.setting_ == "leaf" else 5)


def test_a_bare_leaf_asks_nothing():
    X, y = [[0], [1]] * 10, [0, 1] * 10
    leaf = LEAF(Costs([1], errors=100)).fit(X, y)
    assert isinstance(leaf, ACTClassifier)
    assert leaf.tree_.n_leaves == 1


def test_savings_are_paired_and_errors_those_of_one_deal():
    deal = np.array([[10.0, 10.0, 10.0, 10.0], [9.0, 9.0, 9.0, 9.0], [2.0, 2.0, 20.0, 10.0]])
    once, twice = (summarise(["paper", "a", "b"], np.stack([deal] * n)) for n in (1, 2))
    assert once == twice
    assert once[1].saving_error == 0
    assert once[2].saving == pytest.approx(1.5)
    assert once[2].saving_error > 1.5
    assert sure_trial(once) == 1
    assert sure_trial([once[0], once[2]]) == 0
    assert sure_trial([]) == 0


@pytest.mark.filterwarnings("ignore:all cases are of one class")
def test_fewer_cases_than_folds():
    tuned = TunedDTMC(Costs([1], errors=10), random_state=0).fit([[0], [1], [1]], ["a", "b", "b"])
    assert set(tuned.predict([[0], [1]])) <= {"a", "b"}


def test_titles_tell_them_apart():
    assert [get_title(key) for key in TUNED] == ["tuned EG2", "tuned DTMC", "tuned ACT"]
