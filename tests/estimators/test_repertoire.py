"""Repertoires: trees for several budgets, what always holds of them, and mistakes."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from frugaltree import ACTClassifier, Costs, DTMCClassifier, Group, Repertoire
from frugaltree.exceptions import FrugaltreeError
from support.examples import many
from support.given import as_given
from support.problems import problems

pytestmark = [
    pytest.mark.filterwarnings("ignore:all cases are of one class"),
    pytest.mark.filterwarnings("ignore:group .* the discount"),
]


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@parametrize_with_checks(
    [
        Repertoire(settings=None, budgets=[0, 1], random_state=0),
        Repertoire(settings=None, interruptible=True, random_state=0),
    ],
)
def test_scikit_learn(estimator, check):
    check(estimator)


PRICED = Costs([1, 7, 3, 2], errors=80)


def noisy(n=120, seed=0):
    """Return cases of which four tests tell the class, one better than the other."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    X = np.column_stack([np.where(random.random(n) < p, y, 1 - y) for p in (0.7, 0.95, 0.8, 0.6)])
    return X + random.normal(0, 0.2, X.shape), y


@pytest.fixture(scope="module", params=[False, True], ids=["trees", "interruptible"])
def fitted(request):
    X, y = noisy()
    made = Repertoire(
        PRICED, budgets=[0, 2, 4, 8, 13], interruptible=request.param, random_state=0
    )
    return made.fit(X, y)


def test_bills_keep_to_each_budget(fitted):
    X, _ = noisy(400, seed=1)
    X[np.random.default_rng(2).random(X.shape) < 0.2] = np.nan
    for budget in (0, 1.9, 2, 3.5, 4, 8, 12, 13, 99):
        assert fitted.bill(X, budget=budget).max() <= budget
    budgets = np.random.default_rng(3).uniform(0, 14, len(X))
    assert (fitted.bill(X, budget=budgets) <= budgets).all()


def test_a_budget_for_each_case_is_as_one_by_one(fitted):
    X, _ = noisy(60, seed=1)
    budgets = np.random.default_rng(3).uniform(0, 14, len(X))
    for method in (fitted.predict, fitted.predict_proba):
        alone = np.concatenate([method(X[i : i + 1], budgets[i]) for i in range(len(X))])
        np.testing.assert_array_equal(method(X, budgets), alone)
    bills = [fitted.bill(X[i : i + 1], budget=budgets[i])[0] for i in range(len(X))]
    np.testing.assert_array_equal(fitted.bill(X, budget=budgets), bills)


def test_no_budget_is_the_largest(fitted):
    X, y = noisy(60, seed=1)
    assert fitted.predict(X).tolist() == fitted.predict(X, 13).tolist()
    assert fitted.score(X, y) == fitted.score(X, y, budget=13)
    assert fitted.total_cost(X, y, budget=13) == pytest.approx(
        fitted.bill(X).mean() + 80 * (fitted.predict(X) != y).mean()
    )
    assert fitted.tree_ is fitted.for_budget(13).tree_


def test_costs_held_out_never_rise_with_the_budget():
    X, y = noisy()
    fitted = Repertoire(PRICED, budgets=[0, 2, 4, 8, 13], random_state=0).fit(X, y)
    costs = [one.cost for one in fitted.choices_]
    assert costs == sorted(costs, reverse=True)
    assert all(one.learned_for <= one.budget for one in fitted.choices_)
    assert costs[0] > costs[-1]
    assert [one.chosen for one in fitted.tuning_].count(True) == 1


@many
@given(problem=problems())
def test_no_tree_is_above_that_of_its_budget_by_the_estimate(problem):
    (X, y, costs), weights = as_given(problem)
    total = costs.total([*X.columns])
    budgets = sorted({total * share for share in (0.0, 0.3, 0.6, 1.0)})
    fitted = Repertoire(costs, budgets=budgets, settings=None, folds=0, random_state=1)
    fitted.fit(X, y, weights)
    for budget, one in zip(budgets, fitted.estimators_, strict=True):
        single = clone(fitted._base()).set_params(max_test_cost=budget).fit(X, y, weights)
        assert one.expected_error_cost_ <= single.expected_error_cost_ * (1 + 1e-9)
        assert fitted.bill(X, budget=budget).max() <= budget * (1 + 1e-9) + 1e-9


def test_the_same_seed_makes_the_same_trees_for_any_number_of_threads():
    X, y = noisy()
    texts = [
        [
            tree.to_text()
            for tree in Repertoire(PRICED, budgets=[2, 8], random_state=5, n_jobs=n_jobs)
            .fit(X, y)
            .estimators_
        ]
        for n_jobs in (None, 2)
    ]
    assert texts[0] == texts[1]


def test_clone_pickle_and_parameters(fitted):
    X, _ = noisy(30, seed=1)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict(X, 4).tolist() == fitted.predict(X, 4).tolist()
    assert again.bill(X, budget=4).tolist() == fitted.bill(X, budget=4).tolist()
    made = clone(fitted)
    assert made.get_params()["costs"] == PRICED
    assert not hasattr(made, "budgets_")
    assert made.set_params(costs__errors=500).costs.errors == 500


def test_an_estimator_of_ones_own():
    X, y = noisy()
    base = ACTClassifier(n_samples=2, max_depth=1)
    fitted = Repertoire(PRICED, budgets=[2, 13], estimator=base, random_state=0).fit(X, y)
    assert all(tree.depth <= 1 for tree in fitted.trees_)
    assert {type(one) for one in fitted.estimators_} == {ACTClassifier}
    assert base.costs is None


def test_data_frames_with_words_and_mixed_cases():
    X, y = noisy(90)
    frame = pl.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0.5, "yes", "no"), "c": X[:, 2]})
    labels = np.where(y == 1, "ill", "well")
    costs = Costs({"a": 1, "b": 7, "c": 3}, errors={("ill", "well"): 50, ("well", "ill"): 90})
    how = [{"min_cases": 5, "mixed": 0.3}]
    fitted = Repertoire(costs, budgets=[1, 8], settings=how, random_state=0).fit(frame, labels)
    assert set(fitted.predict(frame, [1, 8] * 45)) <= {"ill", "well"}
    for one in fitted.estimators_:
        nodes = one.tree_.nodes
        assert nodes.counts[0].sum() == 90
        counted = np.zeros_like(nodes.counts)
        np.add.at(counted, one.apply(frame), np.eye(2)[np.searchsorted(["ill", "well"], labels)])
        for node in range(len(counted) - 1, 0, -1):
            counted[nodes.parent[node]] += counted[node]
        np.testing.assert_array_equal(nodes.counts, counted)
        assert (nodes.counts.sum(axis=1) > 0).all()


def test_groups_and_delayed_tests_keep_to_the_budget():
    X, y = noisy()
    groups = {"blood": Group([1, 2], cost=2.0)}
    costs = Costs([1, 5, 1, 2], groups, delayed=[2], errors=80)
    for interruptible in (False, True):
        fitted = Repertoire(
            costs, budgets=[1, 4, 8, 12], interruptible=interruptible, random_state=0
        ).fit(X, y)
        for budget in (1, 3, 4, 6, 8, 12):
            assert fitted.bill(X, budget=budget).max() <= budget


@pytest.mark.parametrize("interruptible", [False, True])
def test_decisions_are_answers(interruptible):
    X, y = noisy()
    labels = np.where(y == 1, "ill", "well")
    costs = Costs([1, 7, 3, 2], errors=80, decisions={"refer": 20})
    fitted = Repertoire(costs, budgets=[0, 4, 13], interruptible=interruptible, random_state=0)
    fitted.fit(X, labels)
    assert set(fitted.predict(X, 0)) == {"refer"}
    assert fitted.choices_[0].cost == 20
    assert fitted.total_cost(X, labels, budget=0) == 20
    assert fitted.for_budget(0).expected_cost_ == pytest.approx(20)
    assert fitted.total_cost(X, labels) < 20


def test_weights_count():
    X, y = noisy()
    heavy = np.where(y == 1, 5.0, 1.0)
    made = Repertoire(PRICED, budgets=[0, 13], settings=None, random_state=0)
    assert made.fit(X, y, heavy).predict(X[:1], 0).tolist() == [1]
    assert made.fit(X, y, 6 - heavy).predict(X[:1], 0).tolist() == [0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"budgets": [5, 2]}, "budgets must increase, but 2 comes after 5; put them in order and"),
        ({"budgets": [5, 5]}, "budgets must increase, but 5 comes after 5;"),
        ({"budgets": []}, "budgets must be a list of one number or more, but is []"),
        ({"budgets": [[1, 2]]}, "budgets must be a list of one number or more"),
        ({"budgets": [-1, 2]}, "a budget is a number, 0 or more, but is -1; correct it."),
        ({"budgets": [float("nan")]}, "a budget is a number, 0 or more, but is nan; correct it."),
        ({"budgets": ["5"]}, "a budget is a number, 0 or more, but is '5'; correct it."),
        ({"budgets": [1, float("inf")]}, "budgets has an infinite one; give what all tests cost"),
        ({"estimator": DTMCClassifier()}, "a DTMCClassifier has no max_test_cost, so that it"),
        ({"estimator": ACTClassifier(max_test_cost=3)}, "the estimator has a max_test_cost of 3"),
        ({"estimator": ACTClassifier(Costs([1]))}, "the estimator has costs of its own; give"),
        ({"settings": []}, "settings is an empty list; give one dict or more, or None."),
        ({"settings": [3]}, "settings holds 3, which is not a dict; give parameters by name"),
        ({"settings": [{"min_case": 3}]}, "settings has 'min_case', which is no parameter to"),
        ({"settings": [{"mixed": 1}]}, "settings has a mixed of 1; give a share from 0 up to"),
        ({"folds": 0, "interruptible": True}, "interruptible=True compares trees on cases held"),
    ],
)
def test_mistakes_at_fit(changes, message):
    X, y = noisy(20)
    with pytest.raises(FrugaltreeError) as raised:
        Repertoire(PRICED, **changes).fit(X, y)
    assert str(raised.value).startswith(message)
    assert str(raised.value).count(". ") <= ("Did you mean" in str(raised.value))


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (-1, "a budget is a number, 0 or more, but is -1; correct it."),
        (float("nan"), "a budget is a number, 0 or more, but is nan; correct it."),
        ("much", "a budget is a number, 0 or more, but is 'much'; correct it."),
        (1, "no tree was learned for a budget of 1 or less; give at least 2, or fit with a"),
        ([3, 3], "there are 3 cases, but budgets for 2; give one number for all, or one for each"),
        ([[3]], "there are 3 cases, but budgets for a table;"),
        ([3, -2, 3], "the budget of case 1 is -2; give a number, 0 or more."),
        ([3, 3, float("nan")], "the budget of case 2 is nan; give a number, 0 or more."),
        ([3, "x", 3], "a budget is a number, 0 or more, but is 'x'; correct it."),
        ([3, 1, 3], "no tree was learned for a budget of 1 or less; give at least 2"),
    ],
)
def test_mistakes_with_a_budget(budget, message):
    X, y = noisy(40)
    fitted = Repertoire(PRICED, budgets=[2, 8], settings=None, random_state=0).fit(X, y)
    for method in (fitted.predict, fitted.predict_proba):
        with pytest.raises(FrugaltreeError) as raised:
            method(X[:3], budget)
        assert str(raised.value).startswith(message)


def test_what_is_not_at_hand_is_refused():
    X, y = noisy(40)
    lazy = pl.DataFrame(X, schema=["a", "b", "c", "d"]).lazy()
    with pytest.raises(FrugaltreeError, match="a repertoire holds cases out, for which the table"):
        Repertoire(PRICED).fit(lazy, y)
    fitted = Repertoire(PRICED, settings=None, random_state=0).fit(lazy.collect(), y)
    assert fitted.predict(lazy, 4).tolist() == fitted.predict(lazy.collect(), 4).tolist()
    with pytest.raises(FrugaltreeError, match="a budget for each case needs the table at hand"):
        fitted.predict(lazy, [4] * 40)
