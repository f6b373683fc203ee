"""ACT: budgets, what each parameter changes, tuning, bad parameters, scikit-learn."""

from __future__ import annotations

import pickle
import re
import sys
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from frugaltree import (
    ACTClassifier,
    Costs,
    Group,
    load_model,
    save_model,
)
from frugaltree.datasets import (
    load,
    make_multi_xor,
)
from frugaltree.engines.cross_validation import stratified_folds
from frugaltree.estimators.act import CF_GRID, W_GRID
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.cost import error_estimate
from frugaltree.kernels.cost.error_estimate import expected_error
from frugaltree.kernels.sampling.grow import grow_tree
from frugaltree.kernels.sentinels import NONE
from frugaltree.metrics import cost_scorer
from support.act import PLAIN, root
from support.examples import many
from support.given import as_given, bits, study
from support.problems import problems

NOMINAL = {"categorical_features": [0, 1, 2, 3]}


BUDGETS = (0.0, 0.25, 0.5, 0.75, 1.0)


def without(X, name):
    """Return a table without the values of a column."""
    return X.assign(**{name: X[name].where([False] * len(X))})


@many
@given(problems(**PLAIN), st.integers(0, 3), st.floats(0, 1.1))
def test_no_case_is_charged_more_than_the_budget(problem, r, share):
    (X, y, costs), weights = as_given(problem)
    budget = share * sum(problem.full)
    act = ACTClassifier(costs, n_samples=r, max_test_cost=budget, random_state=0)
    act.fit(X, y, weights)
    fresh = X.apply(lambda column: column.sample(frac=1, random_state=0).to_numpy())
    unknown = pd.DataFrame({name: [None] for name in X})
    for table in (X, fresh, unknown, *(without(X, name) for name in X)):
        assert act.bill(table).max() <= budget * (1 + 1e-9)
    assert act.expected_error_cost_ == pytest.approx(act.history_[-1].cost)


def test_the_cost_within_a_budget_is_that_of_the_tree_that_is_kept():
    """Both tests are delayed: one after the other they come to 2, as an order to 4."""
    X = pd.DataFrame({"a": [2, 2, 2, 1], "b": [None, None, 0, None]}).astype("category")
    y, weights = [0, 0, 1, 1], [1, 1, 1, 3]
    costs = Costs({"a": 2, "b": 2}, {"odd": Group({"a": 2, "b": 0})}, delayed=["a", "b"], errors=1)
    for r in range(3):
        act = ACTClassifier(costs, n_samples=r, max_test_cost=2, random_state=0)
        act.fit(X, y, weights)
        assert act.tree_.n_leaves > 1, "one test is within reach"
        assert act.bill(X).max() == 2
        assert act.expected_error_cost_ == pytest.approx(act.history_[-1].cost)


def test_a_budget_where_a_missing_value_opens_no_group():
    """Asking a makes b free; who lacks a would pay 10 for b, and is told an answer instead."""
    kinds = [(0, 0, 0, 20), (0, 1, 1, 19), (1, 0, 1, 2), (1, 1, 0, 3)]  # a, b, class, number
    a, b, y, numbers = zip(*kinds, strict=True)
    X = pd.DataFrame({"a": a, "b": b}).astype("category")
    costs = Costs({"a": 1, "b": 10}, {"odd": Group({"a": 1, "b": 10})}, errors=1000)
    unknown = without(X, "a")
    act = ACTClassifier(costs, n_samples=1, random_state=0).fit(X, y, numbers)
    assert act.bill(unknown).max() == 10
    act.set_params(max_test_cost=5).fit(X, y, numbers)
    assert root(act) == "a"
    assert (act.bill(X).max(), act.bill(unknown).max()) == (1, 0)


def test_a_budget_where_asking_less_costs_more():
    """With the delayed c, both a and b are ordered: 10 of the price of either are shared.

    But b does not pay where c is 0, and where c is 1 only a is asked.
    """
    kinds = [  # a, b, c, class, number
        *[(1, 0, 0, 0, 35), (1, 1, 0, 0, 4), (1, 1, 0, 1, 1)],
        *[(0, 0, 1, 0, 15), (0, 1, 1, 0, 5), (1, 1, 1, 1, 15), (1, 0, 1, 1, 5)],
    ]
    *columns, y, numbers = zip(*kinds, strict=True)
    X = pd.DataFrame(dict(zip("abc", columns, strict=True))).astype("category")
    costs = Costs(
        {"a": 10, "b": 1, "c": 1},
        {"odd": Group({"a": 10, "b": 1})},
        delayed=["c"],
        errors=100,
    )
    act = ACTClassifier(costs, n_samples=0, max_test_cost=20).fit(X, y, numbers)
    assert root(act) == "c"
    assert act.bill(X).max() == 11
    assert act.set_params(max_test_cost=10).fit(X, y, numbers).bill(X).max() <= 10


@pytest.mark.parametrize("name", ["heart", "hepatitis", "glass", "tae"])
def test_a_budget_on_real_cases(name):
    X, y, costs = study(name, 3)
    everything = costs.total(X.columns)
    half = X.sample(fraction=0.5, seed=0)
    labels = y.sample(fraction=0.5, seed=0)
    for share in BUDGETS:
        budget = share * everything
        act = ACTClassifier(costs, n_samples=2, max_test_cost=budget, random_state=0)
        assert act.fit(half, labels).bill(X).max() <= budget * (1 + 1e-9)
        assert act.w_ == 0  # prices bound what is asked, but do not choose
    assert ACTClassifier(costs, max_test_cost=0).fit(X, y).tree_.n_leaves == 1


def test_a_larger_budget_buys_fewer_errors():
    """On average over tables and price lists; a single search may be unlucky."""
    found = []
    for name in ("heart", "hepatitis", "tae", "voting"):
        for draw in (1, 2, 3):
            X, y, costs = study(name, draw)
            everything = costs.total(X.columns)
            act = ACTClassifier(costs, n_samples=2, random_state=draw)
            found.append(
                [
                    act.set_params(max_test_cost=share * everything).fit(X, y).expected_error_cost_
                    for share in BUDGETS
                ]
            )
    means = np.mean(found, axis=0)
    assert (np.diff(means) < 0).all(), means


def test_within_a_budget_only_errors_count():
    X, y, costs = study("heart")
    plain = ACTClassifier(costs, cf=0.25, random_state=0).fit(X, y)
    bounded = ACTClassifier(costs, max_test_cost=costs.total(X.columns), cf=0.25, random_state=0)
    bounded.fit(X, y)
    assert bounded.expected_error_cost_ < plain.expected_error_cost_
    assert bounded.expected_cost_ > plain.expected_cost_


def noisy(n=400, seed=0):
    """Return a table whose first test tells the class but for a quarter of the cases."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    return X, (X[:, 0] > 0) ^ (random.random(n) < 0.25)


def test_errors_estimated_from_cases_set_aside():
    X, y = noisy()
    fresh, truth = noisy(seed=1)
    costs = Costs([0.01] * 4, errors=100)
    options = {"expected_error": "training", "random_state": 0}
    trusting = ACTClassifier(costs, **options).fit(X, y)
    checked = ACTClassifier(costs, estimate="validation", **options).fit(X, y)
    assert checked.tree_.n_leaves < 0.8 * trusting.tree_.n_leaves
    assert checked.total_cost(fresh, truth) < trusting.total_cost(fresh, truth)
    assert checked.tree_.weights[0] == len(y)  # those set aside are counted in the end
    other = ACTClassifier(costs, estimate="validation", validation_fraction=0.6, **options)
    assert other.fit(X, y).to_text() != checked.to_text()


def test_cases_set_aside_are_of_every_class():
    from frugaltree.estimators.act import hold_out

    X, y, costs = study("glass")
    act = ACTClassifier(costs)
    problem = act._read(X, y, None)
    aside = hold_out(problem, 0.25, 7)
    classes = problem.cases.classes
    for c, n in enumerate(np.bincount(classes)):
        assert aside[classes == c].sum() == round(0.25 * n)
    assert (aside == hold_out(problem, 0.25, 7)).all()
    assert (aside != hold_out(problem, 0.25, 8)).any()


@pytest.mark.filterwarnings("ignore:all cases are of one class")
@pytest.mark.parametrize("fraction", [0.25, 0.5, 0.75, 0.99])
def test_of_a_handful_of_cases_some_are_never_set_aside(fraction):
    X, y = [[1.0], [2.0], [3.0], [3.0]], [0, 0, 0, 1]
    act = ACTClassifier(estimate="validation", validation_fraction=fraction, random_state=0)
    for n in range(1, 5):
        act.fit(X[-n:], y[-n:])
        assert act.termination_ == "completed"
        assert act.predict(X).shape == (4,)


def test_split_points():
    X, y = np.arange(100.0)[:, None], np.arange(100) >= 60
    costs = Costs([1], errors=1000)

    def first_cut(**options):
        act = ACTClassifier(costs, max_depth=1, **options).fit(X, y)
        return act.tree_.nodes.threshold[0]

    assert first_cut(n_samples=1) == 59.5
    assert first_cut(n_samples=1, split_points="quantile") == 49.5  # the median
    assert first_cut(n_samples=3, split_points="quantile") == 49.5  # of the quartiles
    assert first_cut(n_samples=4, split_points="quantile") == 59.5  # a fifth that hits it


@pytest.mark.parametrize(
    ("stop", "parity", "solved"),
    [
        (0, 2, False),
        (1, 2, True),
        (1, 3, False),
        (2, 3, True),
        (None, 3, True),
        ("reduction", 2, True),
        ("reduction", 3, False),
    ],
)
def test_lookahead_stop(stop, parity, solved):
    """Parity of k bits takes k - 1 further levels to be seen; none of them pays at once."""
    X = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T.repeat(10, axis=0)
    y = X[:, 4 - parity :].sum(axis=1) % 2
    act = ACTClassifier(Costs([10] * 4, errors=1000), lookahead_stop=stop, n_samples=3, **NOMINAL)
    act.set_params(random_state=0).fit(X, y)
    assert (act.tree_.n_leaves == 2**parity) == solved
    assert act.set_params(lookahead_stop=stop and np.array([stop])[0]).fit(X, y)
    assert (act.tree_.n_leaves == 2**parity) == solved


def test_pruned_samples_and_whole_ones():
    """Where tests are dear, samples that are not pruned make all of them look bad."""
    X, y, costs = study("heart", errors=200)
    pruned, whole = (
        ACTClassifier(costs, prune_samples=p, n_samples=3, random_state=0).fit(X, y)
        for p in (True, False)
    )
    assert pruned.to_text() != whole.to_text()
    assert pruned.expected_cost_ < whole.expected_cost_


FORMS = {"c45": error_estimate.C45_ERROR, "exact": error_estimate.EXACT_ERROR, "training": None}


@pytest.mark.parametrize("form", FORMS)
def test_expected_error_forms(form):
    X, y, costs = study("heart")
    act = ACTClassifier(costs, expected_error=form, random_state=0).fit(X, y)
    tree = act.tree_
    leaves = tree.nodes.counts[tree.nodes.test == NONE]
    expected = sum(
        m - most if form == "training" else expected_error(m, m - most, act.cf_, FORMS[form])
        for m, most in zip(leaves.sum(axis=1), leaves.max(axis=1), strict=True)
    )
    assert act.expected_error_cost_ == pytest.approx(1000 * expected / len(y))


def test_no_pessimism_grows_more():
    X, y, costs = study("heart")
    sizes = [
        ACTClassifier(costs, random_state=0, **options).fit(X, y).tree_.n_leaves
        for options in ({"expected_error": "training"}, {"cf": 0.4}, {"cf": 0.001})
    ]
    assert sizes[0] > sizes[1] > sizes[2]


def test_penalty():
    """A leaf of 10, 3 and 1 cases, by hand."""
    y = ["a"] * 10 + ["b"] * 3 + ["c"]
    classes = ["a", "b", "c"]
    matrix = [[0, 10, 50], [1000, 0, 1000], [1000, 1000, 0]]
    act = ACTClassifier(Costs([1], errors=matrix, classes=classes), cf=0.25)
    X = np.zeros((14, 1))
    laplace = expected_error(14.0, 4.0, 0.25, error_estimate.C45_ERROR) * (4 / 6 * 10 + 2 / 6 * 50)
    assert act.fit(X, y).expected_cost_ == pytest.approx(laplace / 14)
    kinds = (3.0, 10), (1.0, 50)
    each = sum(expected_error(14.0, s, 0.25, error_estimate.C45_ERROR) * cost for s, cost in kinds)
    assert act.set_params(penalty="multinomial").fit(X, y).expected_cost_ == pytest.approx(
        each / 14
    )


def test_penalty_chooses_trees():
    X, y, costs = study("glass")
    n = len(set(y))
    matrix = np.random.default_rng(0).integers(100, 3000, (n, n)) * (1 - np.eye(n))
    costs = Costs(costs.tests, costs.groups, errors=matrix.tolist())
    one, other = (
        ACTClassifier(costs, penalty=penalty, random_state=0).fit(X, y)
        for penalty in ("laplace", "multinomial")
    )
    assert one.to_text() != other.to_text()
    assert other.history_[-1].cost == pytest.approx(other.expected_cost_)


def test_prices_in_context_and_static():
    """Once the desk is paid, more of its tests are cheap; static prices do not see that."""
    X, y, _ = study("heart")
    costs = Costs(dict.fromkeys(X.columns, 1), {"desk": Group([*X.columns], cost=50)}, errors=1000)
    for r in (0, 3):
        context, static = (
            ACTClassifier(costs, n_samples=r, w=1.0, prices=prices, random_state=0).fit(X, y)
            for prices in ("context", "static")
        )
        assert context.to_text() != static.to_text()
        for act in (context, static):
            assert act.expected_test_cost_ == pytest.approx(act.bill(X).mean())


def test_depth_and_size_are_bounded():
    X, y, costs = study("car", errors=5000)
    depths = [
        ACTClassifier(costs, max_depth=depth, n_samples=2, random_state=0).fit(X, y).tree_.depth
        for depth in (0, 1, 3, None)
    ]
    assert depths[:2] <= [0, 1]
    assert depths[2] == 3 < depths[3]
    nodes = ACTClassifier(costs, min_cases=60, n_samples=2, random_state=0).fit(X, y).tree_.nodes
    sizes = nodes.counts.sum(axis=1)
    split = np.flatnonzero(nodes.test != NONE)
    assert split.size > 1
    for node in split:
        assert (sizes[nodes.parent == node] >= 60).sum() >= 2


def test_a_grid_chooses_the_cheapest_setting():
    X, y, costs = study("tae")
    act = ACTClassifier(costs, n_samples=1, w="grid", cf="grid", random_state=0).fit(X, y)
    assert [(tried.w, tried.cf) for tried in act.tuning_] == [
        (w, cf) for w in W_GRID for cf in CF_GRID
    ]
    least = min(act.tuning_, key=lambda tried: tried.cost)
    assert (act.w_, act.cf_) == (least.w, least.cf)
    assert [tried.name for tried in act.tuning_ if tried.chosen] == [least.name]
    assert least.saving == act.tuning_[0].cost - least.cost
    assert len({tried.cost for tried in act.tuning_}) > 5
    plain = ACTClassifier(costs, n_samples=1, w=act.w_, cf=act.cf_, random_state=0).fit(X, y)
    assert act.to_text() == plain.to_text()
    assert plain.tuning_ is None


@pytest.mark.parametrize("name", ["tae", "heart"])
def test_the_cost_of_a_setting_is_that_of_learners_without_a_fold(name):
    X, y, costs = study(name)
    act = ACTClassifier(costs, n_samples=1, w=[0.0, 1.0], cf=[0.2], random_state=5).fit(X, y)
    seed = int(np.random.RandomState(5).randint(2**63, dtype=np.int64))
    folds = stratified_folds(act._read(X, y, None).cases.classes, seed)
    for tried in act.tuning_:
        each = np.empty(len(y))
        for fold in range(5):
            inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            one = clone(act).set_params(w=tried.w, cf=tried.cf).fit(X[inside], y[inside])
            wrong = one.predict(X[outside]) != y[outside].to_numpy()
            each[outside] = one.bill(X[outside]) + 1000 * wrong
        assert tried.cost == pytest.approx(each.mean())
        assert tried.error == pytest.approx(each.std(ddof=1) / len(y) ** 0.5)


def test_tuning_counts_weights_as_cases():
    """Where no test pays, every fold is told the larger class, and the others are errors."""
    X, y, costs = study("heart", errors=1)
    weights = np.where(y == "healthy", 3, np.arange(len(y)) % 3)
    act = ACTClassifier(costs, n_samples=0, w=[0.0, 1.0], random_state=0).fit(X, y, weights)
    wrong = weights[y != "healthy"].sum() / weights.sum()
    error = (wrong * (1 - wrong) / (weights.sum() - 1)) ** 0.5
    assert act.tree_.n_leaves == 1
    for tried in act.tuning_:
        assert (tried.cost, tried.error) == pytest.approx((wrong, error))


@pytest.mark.parametrize("values", [[0.25], np.array([0.25]), (0.25,), 0.25])
def test_a_single_setting_is_not_compared(values):
    X, y, costs = study("tae")
    act = ACTClassifier(costs, n_samples=0, cf=values).fit(X, y)
    assert act.cf_ == 0.25
    assert act.tuning_ is None


def test_a_handful_of_cases_can_be_tuned_with():
    act = ACTClassifier(Costs([1], errors=9), cf=[0.1, 0.3]).fit([[0], [1]], ["a", "b"])
    assert len(act.tuning_) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": -1}, "'n_samples' parameter of ACTClassifier must be"),
        ({"n_samples": 2.5}, "'n_samples' parameter"),
        ({"w": -1}, "'w' parameter"),
        ({"w": "big"}, "'w' parameter .* Got 'big' instead"),
        ({"cf": 1.0}, "'cf' parameter"),
        ({"estimate": "guess"}, "'estimate' parameter"),
        ({"validation_fraction": 1}, "'validation_fraction' parameter"),
        ({"split_points": "all"}, "'split_points' parameter"),
        ({"lookahead_stop": "soon"}, "'lookahead_stop' parameter"),
        ({"lookahead_stop": -1}, "'lookahead_stop' parameter"),
        ({"penalty": "none"}, "'penalty' parameter"),
        ({"schedule": "tripling"}, "'schedule' parameter"),
        ({"max_steps": 0}, "'max_steps' parameter"),
        ({"max_test_cost": -1}, "'max_test_cost' parameter"),
        ({"max_test_cost": float("nan")}, "'max_test_cost' parameter"),
        ({"granularity": 2}, "'granularity' parameter"),
        ({"time_limit": "soon"}, "time_limit must be a number of seconds"),
    ],
    ids=str,
)
def test_bad_parameters(options, message):
    act = ACTClassifier(n_samples=1).fit([[0], [1]], [0, 1])
    tree = act.tree_
    with pytest.raises(ValueError, match=message):
        act.set_params(**options).fit([[0], [1]], [0, 1])
    assert act.tree_ is tree


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"w": []}, "w is an empty list; give it one value or more, or 'auto'."),
        ({"cf": np.array([])}, "cf is an empty list; give it one value or more, or 'auto'."),
        ({"w": [0.5, -1]}, "w has -1, which is not a finite number, 0 or more; correct it."),
        ({"w": [np.inf]}, "w has inf, which is not a finite number, 0 or more; correct it."),
        ({"cf": [0.1, 1]}, "cf has 1, which is not a number between 0 and 1; correct it."),
        ({"cf": [0.1, np.nan]}, "cf has nan, which is not a number between 0 and 1; correct it."),
        ({"cf": ["low"]}, "cf has 'low', which is not a number between 0 and 1; correct it."),
        ({"w": [[0.5], [1]]}, "w has [0.5], which is not a finite number, 0 or more; correct it."),
    ],
    ids=str,
)
def test_bad_lists_of_settings(options, message):
    with pytest.raises(FrugaltreeError) as caught:
        ACTClassifier(**options).fit([[0], [1]], [0, 1])
    assert str(caught.value) == message


def test_samples_without_end_need_one():
    message = (
        "n_samples is None, which means no limit, but neither time_limit nor max_steps says when "
        "to stop; set one of the three."
    )
    for options in ({}, {"w": "grid"}):
        with pytest.raises(FrugaltreeError) as caught:
            ACTClassifier(n_samples=None, **options).fit([[0], [1]], [0, 1])
        assert str(caught.value) == message
    act = ACTClassifier(n_samples=None, max_steps=1).fit([[0], [1]], [0, 1])
    assert act.predict([[1]]).tolist() == [1]


def test_a_search_for_the_sample_size():
    X, y = bits(*make_multi_xor(200, 0))
    costs = Costs([10] * 11, errors=2000)
    act = ACTClassifier(costs, random_state=0, categorical_features=range(11))
    search = GridSearchCV(act, {"n_samples": [0, 1, 8]}, scoring=cost_scorer(), cv=3).fit(X, y)
    assert search.best_params_ == {"n_samples": 8}
    scores = search.cv_results_["mean_test_score"]
    assert scores[2] > scores[0]
    by_own_score = GridSearchCV(act, {"n_samples": [0, 8]}, cv=3).fit(X, y)
    assert by_own_score.best_params_ == {"n_samples": 8}


def test_clone_pickle_and_parameters():
    X, y, costs = study("heart")
    options = {"w": [0.5, 1.0], "cf": 0.2, "time_limit": "1h", "n_samples": 2, "random_state": 0}
    act = ACTClassifier(costs, **options).fit(X, y)
    assert act.termination_ == "completed"
    assert {name: act.get_params()[name] for name in options} == options
    copy = pickle.loads(pickle.dumps(act))
    assert vars(copy).keys() == vars(act).keys()
    assert (copy.history_, copy.tuning_) == (act.history_, act.tuning_)
    assert copy.bill(X).tolist() == act.bill(X).tolist()
    again = clone(act).fit(X, y)
    assert again.to_text() == act.to_text()
    assert again.set_params(n_samples=0).get_params()["n_samples"] == 0


def test_a_model_file_keeps_everything(tmp_path):
    X, y, costs = study("heart")
    options = {
        "w": [0.5, 1.0],
        "cf": (0.2, 0.3),
        "n_samples": None,
        "max_steps": 2,
        "time_limit": "1h 30min",
        "lookahead_stop": "reduction",
        "max_test_cost": 120.5,
        "random_state": 0,
    }
    act = ACTClassifier(costs, **options).fit(X, y)
    save_model(act, tmp_path / "model.json")
    got = load_model(tmp_path / "model.json")
    assert got.get_params() == {**act.get_params(), "cf": [0.2, 0.3]}
    assert vars(got).keys() == vars(act).keys()
    for name in ("w_", "cf_", "tuning_", "history_", "termination_", "expected_cost_"):
        assert getattr(got, name) == getattr(act, name)
    assert type(got.history_[0]) is type(act.history_[0])
    assert type(got.history_[0].samples) is int
    assert type(got.tuning_[0]) is type(act.tuning_[0])
    assert got.to_text() == act.to_text()
    assert got.bill(X).tolist() == act.bill(X).tolist()
    assert clone(got).fit(X, y).to_text() == act.to_text()


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_whatever_the_parameters_the_kernel_is_compiled_once():
    X, y, costs = study("iris")
    delayed = Costs(costs.tests, costs.groups, delayed=X.columns[:1], errors=50)
    for options in (
        {"n_samples": np.int32(2), "max_depth": np.int64(3), "w": 1, "cf": np.float32(0.25)},
        {"min_cases": np.int16(2), "lookahead_stop": np.int8(1), "random_state": np.int64(3)},
        {"max_test_cost": 5, "estimate": "validation", "split_points": "quantile"},
        {"costs": delayed, "prune_samples": np.bool_(False), "penalty": "multinomial"},
        {"max_steps": np.int64(2), "schedule": "iidt", "granularity": 0, "costs": None},
    ):
        ACTClassifier(costs).set_params(**options).fit(X, y)
    assert len(grow_tree.signatures) == 1


def test_data_frames():
    X, y, costs = study("heart")
    act = ACTClassifier(costs, random_state=0).fit(X, y)
    table, labels = load("heart", return_X_y=True, frame="pandas")
    assert clone(act).fit(table, labels).to_text() == act.to_text()
    assert act.predict(table).tolist() == act.predict(X).tolist()
    nominal = [i for i, name in enumerate(X.columns) if not X[name].dtype.is_numeric()]
    array = X.select(pl.all().to_physical()).to_numpy()
    by_position = Costs([costs.tests[name] for name in X.columns], errors=1000)
    act = ACTClassifier(by_position, random_state=0, categorical_features=nominal).fit(array, y)
    named = ACTClassifier(Costs(costs.tests, errors=1000), random_state=0).fit(X, y)
    assert act.predict(array).tolist() == named.predict(X).tolist()
    assert act.expected_cost_ == named.expected_cost_


def test_the_map_of_the_figure_leads_somewhere() -> None:
    """Each function that the head of act.py names is in the file named last before it."""
    head = sys.modules[ACTClassifier.__module__]
    kernels, here = Path(head.__file__).parents[1] / "kernels", ""
    right = "\n".join(line[50:] for line in head.__doc__.splitlines())
    found = re.findall(r"(sampling/\w+\.py)|\b([a-z]+(?:_[a-z]+)+)\b", right)
    assert len(found) > 8
    for file, name in found:
        here = (kernels / file).read_text() if file else here
        assert not name or f"def {name}(" in here, name
