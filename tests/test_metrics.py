from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from frugaltree import Costs, DTMCClassifier, EG2Classifier, Group, ID3Classifier, metrics
from frugaltree.exceptions import InvalidCosts, InvalidTable
from frugaltree.metrics import bills, cost_scorer
from support.tables import as_pandas, mixed_columns

# Ten cases: all pay for a, the four with a = 2 also for b. Prices 3 and 4, and 1 for their group.
X = pd.DataFrame({"a": [1] * 6 + [2] * 4, "b": [5, 6, 5, 6, 5, 6, 5, 6, 6, 6]})
Y = np.array(["no"] * 7 + ["yes"] * 3)
COSTS = Costs(
    {"a": 3, "b": 4},
    {"g": Group(["a", "b"], cost=1)},
    errors={("no", "yes"): 50, ("yes", "no"): 20},
)
ILL = Costs(errors={("well", "ill"): 1000, ("ill", "well"): 200})


@pytest.fixture
def fitted():
    return ID3Classifier(COSTS).fit(X, Y)


# Error cost


@pytest.mark.parametrize(
    ("y_true", "y_pred", "costs", "expected"),
    [
        (["ill", "well"], ["ill", "well"], ILL, 0),
        (["ill", "well"], ["well", "ill"], ILL, 600),  # (1000 + 200) / 2
        (["ill", "ill", "ill", "well"], ["well", "ill", "ill", "well"], ILL, 250),
        (["ill"], ["well"], ILL, 1000),
        (["well"], ["ill"], ILL, 200),
        ([0, 1, 1, 1], [1, 1, 0, 0], None, 0.75),
        ([0, 1, 1, 1], [1, 1, 0, 0], Costs(errors=8), 6),
        ([0, 1, 2], [1, 2, 2], Costs(errors=[[0, 1, 2], [4, 0, 8], [16, 32, 0]]), 12),
        (["1", "2"], ["2", "2"], Costs(errors=[[0, 3], [6, 0]], classes=[1, 2]), 3),
        ([True, False], [False, False], Costs(errors=10), 5),
    ],
)
def test_error_cost_by_hand(y_true, y_pred, costs, expected):
    assert metrics.error_cost(y_true, y_pred, costs) == pytest.approx(expected)
    as_series = metrics.error_cost(pd.Series(y_true), pl.Series(y_pred), costs)
    assert as_series == pytest.approx(expected)


def test_error_cost_by_weight():
    # 1000 once in four: the three others weigh one each, or nothing.
    y_true, y_pred = ["ill", "well", "well", "well"], ["well"] * 4
    assert metrics.error_cost(y_true, y_pred, ILL, sample_weight=[1, 1, 1, 1]) == 250
    assert metrics.error_cost(y_true, y_pred, ILL, sample_weight=[3, 1, 1, 1]) == 500
    assert metrics.error_cost(y_true, y_pred, ILL, sample_weight=[1, 0, 0, 0]) == 1000


def test_a_class_without_costs():
    with pytest.raises(InvalidCosts, match=r"class 'il' has no error costs.*Did you mean 'ill'\?"):
        metrics.error_cost(["ill", "il"], ["well", "well"], ILL)


@pytest.mark.parametrize(
    ("y_true", "y_pred", "weights", "message"),
    [
        (["ill"], ["ill", "well"], None, "inconsistent numbers of samples"),
        ([], [], None, "y_true is empty; give the class of at least one case"),
        (["ill"], [["ill", "well"]], None, "y should be a 1d array"),
        (["ill"], ["ill"], [1, 2], "sample_weight.shape"),
        (["ill"], ["ill"], [0], "0 for every case; give at least one"),
        (["ill"], ["ill"], [-1], "Negative values"),
    ],
)
def test_bad_answers(y_true, y_pred, weights, message):
    with pytest.raises(ValueError, match=message):
        metrics.error_cost(y_true, y_pred, ILL, sample_weight=weights)


MISSING = {
    "list of numbers": ([0, float("nan")], "the class of case 1 is missing"),
    "list of text": (["a", None], "the class of case 1 is missing"),
    "array": (np.array([0, np.nan]), "contains NaN: the class of case 1 is missing"),
    "objects": (np.array(["a", None], object), "the class of case 1 is missing"),
    "pandas": (pd.Series(["a", pd.NA]), "the class of case 1 is missing"),
    "pandas numbers": (pd.Series([0, pd.NA], dtype="Int64"), "the class of case 1 is missing"),
    "polars": (pl.Series([0, None]), "the class of case 1 is missing"),
    "arrow": (pa.array(["a", None]), "the class of case 1 is missing"),
}


@pytest.mark.parametrize(("missing", "message"), MISSING.values(), ids=MISSING)
def test_a_missing_class_is_no_class(missing, message):
    whole = [missing[0], missing[0]] if not isinstance(missing, pa.Array) else ["a", "a"]
    with pytest.raises(InvalidTable, match=f"y_true .*{message}"):
        metrics.error_cost(missing, whole)
    with pytest.raises(InvalidTable, match=f"y_pred .*{message}"):
        metrics.error_cost(whole, missing)
    with pytest.raises(InvalidTable, match=f"y .*{message}"):
        metrics.standard_cost(Costs([3], errors=7), missing)


def test_classes_that_are_none():
    with pytest.raises(InvalidTable, match="requires y_true to be passed"):
        metrics.error_cost(None, ["a"])
    with pytest.raises(InvalidTable, match="in y_pred the class of case 1 is 2, but classes must"):
        metrics.error_cost(["a", "b"], ["a", 2])


def test_text_of_any_dtype_is_the_same_class():
    as_objects = np.array(["ill", "well", "ill"], object)
    assert metrics.error_cost(as_objects, ["ill", "ill", "well"], ILL) == pytest.approx(400)
    assert metrics.error_cost(["ill", "ill", "well"], as_objects, ILL) == pytest.approx(400)


# Test cost, total cost


def test_costs_by_hand(fitted):
    # a: 3 + 1; b, the group being open: 4, for four of ten.
    assert metrics.test_cost(fitted, X) == pytest.approx(5.6)
    assert metrics.total_cost(fitted, X, Y) == pytest.approx(5.6)
    wrong = np.where(np.arange(10) == 9, "no", Y)
    assert metrics.total_cost(fitted, X, wrong) == pytest.approx(5.6 + 2)  # one error of 20
    assert fitted.total_cost(X, wrong) == pytest.approx(7.6)
    # All tests cost 8, the best guess errs in three of ten cases, an error at most 50: 8 + 15.
    assert metrics.normalized_cost(fitted, X, wrong) == pytest.approx(7.6 / 23)
    assert fitted.score(X, wrong) == pytest.approx(-7.6 / 23)
    assert metrics.normalized_cost(fitted, X, Y, standard=56) == pytest.approx(0.1)


def test_costs_by_weight(fitted):
    weights = [1] + [0] * 8 + [1]  # one bill of 4, one of 8 and, if it is wrong, an error of 20
    wrong = np.where(np.arange(10) == 9, "no", Y)
    assert metrics.test_cost(fitted, X, sample_weight=weights) == pytest.approx(6)
    assert fitted.total_cost(X, wrong, sample_weight=weights) == pytest.approx(16)
    assert fitted.score(X, wrong, sample_weight=weights) == pytest.approx(-16 / 23)
    with pytest.raises(ValueError, match=r"sample_weight\.shape"):
        metrics.test_cost(fitted, X, sample_weight=[1])


def test_other_costs_than_those_of_the_fit(fitted):
    others = Costs({"a": 10, "b": 100}, errors=7)
    assert metrics.test_cost(fitted, X, others) == pytest.approx(10 + 40)
    assert metrics.total_cost(fitted, X, np.full(10, "no"), others) == pytest.approx(50 + 2.1)
    # The standard cost is of these costs too: 110 and three tenths of 7.
    assert metrics.normalized_cost(fitted, X, Y, others) == pytest.approx(50 / 112.1)
    assert metrics.cost_scorer(others)(fitted, X, Y) == pytest.approx(-50 / 112.1)
    assert metrics.cost_scorer()(fitted, X, Y) == pytest.approx(-5.6 / 23)


def test_no_costs_is_the_share_of_errors():
    free = ID3Classifier().fit(X, Y)
    wrong = np.where(np.arange(10) < 2, "yes", Y)
    assert free.total_cost(X, wrong) == pytest.approx(0.2)
    assert free.score(X, wrong) == pytest.approx(-0.2 / 0.3)


def test_standard_cost():
    costs = Costs({"a": 10, "b": 14}, errors=100)
    assert metrics.standard_cost(costs, [0, 0, 0, 1]) == 49
    assert metrics.standard_cost(Costs(errors=100), [0, 0, 0, 1], ["a", "b"]) == 25
    with pytest.raises(InvalidTable, match="y is empty"):
        metrics.standard_cost(costs, [])
    with pytest.raises(InvalidCosts, match="costs must be a Costs, got None; make one, such as"):
        metrics.standard_cost(None, [0, 1])


@pytest.mark.parametrize("standard", [-3, float("nan"), float("inf"), "23", True])
def test_a_standard_cost_that_is_none(fitted, standard):
    with pytest.raises(InvalidCosts, match="standard must be a finite number, 0 or more, but is"):
        metrics.normalized_cost(fitted, X, Y, standard=standard)


def test_a_standard_cost_of_zero_scores_zero(fitted):
    nothing = Costs([0, 0], errors=0)
    learned = ID3Classifier(nothing).fit(X, Y)
    assert learned.score(X, np.full(10, "yes")) == 0
    assert metrics.normalized_cost(fitted, X, Y, standard=0) == 0
    with pytest.warns(UserWarning, match="one class"):
        sure = ID3Classifier().fit(X, np.full(10, "no"))
    assert sure.score(X, Y) == 0


def test_the_standard_cost_takes_the_frequencies_of_the_fit(fitted):
    # Scored on cases of one class only, of which the fit saw seven tenths.
    assert fitted.score(X[:6], Y[:6]) == pytest.approx(-4 / 23)


# Classes that the fit did not see


def test_actual_classes_never_seen_in_training():
    matrix = [[0, 10, 60], [20, 0, 90], [30, 40, 0]]  # of predicted no, unsure, yes
    costs = Costs([3, 4], errors=matrix, classes=["no", "unsure", "yes"])
    fitted = ID3Classifier(costs).fit(X, Y)
    assert fitted.classes_.tolist() == ["no", "yes"]
    actual = np.where(np.arange(10) == 9, "unsure", Y)  # predicted yes: 40
    assert metrics.error_cost(actual, fitted.predict(X), costs) == pytest.approx(4)
    assert fitted.total_cost(X, actual) == pytest.approx(3 + 4 * 0.4 + 4)
    # The largest entry of the whole matrix normalises: 7 + 0.3 * 90.
    assert fitted.score(X, actual) == pytest.approx(-8.6 / 34)


def test_an_actual_class_that_no_cost_knows(fitted):
    with pytest.raises(InvalidCosts, match="class 'perhaps' has no error costs"):
        fitted.score(X, np.full(10, "perhaps"))


def test_a_nameless_matrix_fits_cases_of_fewer_classes():
    three = Costs([3, 4], errors=[[0, 1, 2], [4, 0, 8], [16, 32, 0]])
    y = np.array([0] * 5 + [1] * 2 + [2] * 3)
    fitted = ID3Classifier(three).fit(X, y)
    answers = fitted.predict(X[:1])
    assert answers.tolist() == [0]
    assert fitted.total_cost(X[:1], [2]) == pytest.approx(fitted.bill(X[:1])[0] + 2)


# Estimators that know nothing of bills


def test_estimators_without_bill_pay_for_all_tests():
    plain = DecisionTreeClassifier(random_state=0).fit(X, Y)
    assert metrics.test_cost(plain, X, COSTS) == 8
    assert metrics.total_cost(plain, X, Y, COSTS) == 8
    guess = DummyClassifier(strategy="most_frequent").fit(X, Y)
    assert metrics.total_cost(guess, X, Y, COSTS) == pytest.approx(8 + 15)
    # Neither does it remember class frequencies; those of the cases scored count.
    assert metrics.normalized_cost(guess, X, Y, COSTS) == 1
    assert metrics.cost_scorer(COSTS)(guess, X, Y) == -1


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas, pd.DataFrame])
def test_tests_are_found_by_name_in_every_library(convert):
    class Naysayer(ClassifierMixin, BaseEstimator):
        def predict(self, X):
            return np.full(X.shape[0], "no")

    assert metrics.total_cost(Naysayer(), convert(X), Y, COSTS) == pytest.approx(23)


def test_tests_are_found_by_position_in_arrays():
    by_place = Costs([3, 4], errors=50)
    plain = DecisionTreeClassifier(random_state=0).fit(X.to_numpy(), Y)
    assert metrics.test_cost(plain, X.to_numpy(), by_place) == 7
    assert metrics.test_cost(plain, X.to_numpy().tolist(), by_place) == 7
    numbered = X.set_axis([0, 1], axis=1)
    assert metrics.test_cost(plain, numbered, by_place) == 7


def test_a_pipeline_is_an_estimator_without_bill():
    piped = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)).fit(X, Y)
    assert metrics.total_cost(piped, X, Y, COSTS) == 8


# Model selection


def cases():
    columns, y = mixed_columns()
    return as_pandas(columns, ["stage"]), np.array(y)


PRICED = Costs(
    {"age": 1, "chol": 7, "pain": 3, "smoker": 2, "stage": 4},
    errors={("well", "ill"): 90, ("ill", "well"): 40},
)


def test_cross_val_score_is_the_score_of_each_fold():
    X, y = cases()
    folds = StratifiedKFold(4)
    scores = cross_val_score(EG2Classifier(PRICED), X, y, cv=folds, scoring=metrics.cost_scorer())
    by_hand = [
        EG2Classifier(PRICED).fit(X.iloc[train], y[train]).score(X.iloc[test], y[test])
        for train, test in folds.split(X, y)
    ]
    assert scores.tolist() == by_hand
    assert (scores < 0).all()
    assert cross_val_score(EG2Classifier(PRICED), X, y, cv=folds).tolist() == by_hand


def test_grid_search_over_w_and_cf():
    X, y = cases()
    grid = {"w": [0.0, 0.5, 1.0], "cf": [0.05, 0.25]}
    search = GridSearchCV(EG2Classifier(PRICED), grid, scoring=metrics.cost_scorer(), cv=3)
    search.fit(X, y)
    assert set(search.best_params_) == {"w", "cf"}
    means = search.cv_results_["mean_test_score"]
    assert means.shape == (6,)
    assert np.isfinite(means).all()
    assert search.best_score_ == means.max()
    assert search.best_estimator_.w == search.best_params_["w"]
    assert search.score(X, y) == search.best_estimator_.score(X, y)


def test_grid_search_over_costs():
    X, y = cases()
    scorer = metrics.cost_scorer(PRICED)
    search = GridSearchCV(EG2Classifier(), {"costs": [PRICED, None]}, scoring=scorer, cv=3)
    blind = cross_val_score(EG2Classifier(), X, y, scoring=scorer, cv=3)
    aware = cross_val_score(EG2Classifier(PRICED), X, y, scoring=scorer, cv=3)
    means = search.fit(X, y).cv_results_["mean_test_score"]
    assert means.tolist() == pytest.approx([aware.mean(), blind.mean()])


def test_cross_validate_with_several_scorers():
    X, y = cases()
    scoring = {
        "own": metrics.cost_scorer(),
        "list": metrics.cost_scorer(PRICED),
        "hit": "accuracy",
    }
    found = cross_validate(DTMCClassifier(PRICED), X, y, scoring=scoring, cv=3)
    np.testing.assert_array_equal(found["test_own"], found["test_list"])
    assert (found["test_hit"] <= 1).all()


def test_scorers_travel():
    scorer = metrics.cost_scorer(COSTS)
    assert repr(metrics.cost_scorer()) == "cost_scorer()"
    assert repr(scorer) == f"cost_scorer({COSTS!r})"
    fitted = ID3Classifier(COSTS).fit(X, Y)
    assert pickle.loads(pickle.dumps(scorer))(fitted, X, Y) == scorer(fitted, X, Y)
    search = GridSearchCV(EG2Classifier(COSTS), {"w": [1.0]}, scoring=scorer)
    assert clone(search).scoring.costs == COSTS


def test_a_learner_is_billed_within_a_pipeline_and_a_search():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] > 0).astype(int)
    costs = Costs([5, 100, 100], errors=50)
    alone = EG2Classifier(costs).fit(X, y)
    pipe = make_pipeline(StandardScaler(), EG2Classifier(costs)).fit(X, y)
    search = GridSearchCV(
        pipe, {"eg2classifier__w": [0.5, 1.0]}, scoring=metrics.cost_scorer(), cv=3
    )
    search.fit(X, y)
    assert metrics.test_cost(alone, X) == 5
    assert metrics.test_cost(pipe, X) == 5
    assert metrics.test_cost(search, X) == 5
    assert metrics.total_cost(pipe, X, y) == pytest.approx(alone.total_cost(X, y))
    assert search.best_score_ > -0.2


def noisy_cases():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    return X, (X[:, 0] > 0).astype(int)


def test_a_learner_is_billed_in_a_search_within_a_pipeline():
    X, y = noisy_cases()
    costs = Costs([5, 100, 100], errors=50)
    search = GridSearchCV(DTMCClassifier(costs), {"cf": [0.1, 0.25]}, cv=3)
    pipe = make_pipeline(SimpleImputer(), clone(search)).fit(X, y)
    nested = make_pipeline(SimpleImputer(), clone(pipe)).fit(X, y)
    alone = search.fit(X, y).score(X, y)
    for wrapped in (pipe, nested):
        assert metrics.test_cost(wrapped, X) == 5
        assert metrics.cost_scorer()(wrapped, X, y) == pytest.approx(alone)


def named_cases():
    X, y = noisy_cases()
    return pd.DataFrame(X, columns=["age", "chol", "bp"]), y


@pytest.mark.filterwarnings("error")
def test_a_pipeline_that_keeps_columns_is_billed_by_name_and_by_position():
    X, y = named_cases()
    by_name, by_position = Costs({"age": 5, "chol": 9, "bp": 9}, errors=50), Costs([5, 9, 9])
    keeping = make_pipeline(StandardScaler(), EG2Classifier(by_name))
    keeping.set_output(transform="pandas").fit(X, y)
    assert metrics.test_cost(keeping, X) == 5
    assert metrics.test_cost(keeping, X, by_position) == 5
    losing = make_pipeline(StandardScaler(), EG2Classifier(by_name))
    with pytest.raises(InvalidCosts, match=r"keeps its names after set_output\(transform='pand"):
        losing.fit(X, y)


def test_a_pipeline_that_changes_columns_is_warned_of_positions():
    X, y = named_cases()
    piped = make_pipeline(PCA(3), EG2Classifier(Costs([5, 9, 9], errors=50))).fit(X, y)
    with pytest.warns(UserWarning, match="by position") as warned:
        metrics.cost_scorer()(piped, X, y)
    assert [str(warning.message) for warning in warned] == [
        "prices are given by position, but the steps before EG2Classifier make of the columns "
        "['age', 'chol', 'bp'] the columns ['pca0', 'pca1', 'pca2'], whose positions count; give "
        "prices by name and set_output(transform='pandas') to be sure."
    ]


@pytest.mark.filterwarnings("error")
def test_a_pipeline_that_changes_columns_is_billed_by_their_new_names():
    X, y = named_cases()
    costs = Costs({"pca0": 1, "pca1": 2}, errors=50)
    piped = make_pipeline(PCA(2), EG2Classifier(costs)).set_output(transform="pandas").fit(X, y)
    assert 1 <= metrics.test_cost(piped, X) <= 3


def test_an_ensemble_of_learners_pays_for_all_tests():
    X, y = noisy_cases()
    costs = Costs([5, 100, 100], errors=50)
    bag = BaggingClassifier(DTMCClassifier(costs), n_estimators=2, random_state=0).fit(X, y)
    assert metrics.test_cost(bag, X) == 205
    assert metrics.test_cost(make_pipeline(StandardScaler(), bag).fit(X, y), X) == 205
    assert metrics.cost_scorer()(bag, X, y) == metrics.cost_scorer(costs)(bag, X, y) < -0.8
    free = BaggingClassifier(ID3Classifier(), n_estimators=2, random_state=0).fit(X, y)
    assert metrics.test_cost(free, X) == 0


@pytest.mark.parametrize(
    "foreign",
    [
        DecisionTreeClassifier(),
        RandomForestClassifier(2),
        make_pipeline(StandardScaler(), DecisionTreeClassifier()),
        BaggingClassifier(DecisionTreeClassifier(), 2),
        GridSearchCV(DummyClassifier(), {"strategy": ["prior"]}, cv=2),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_an_estimator_without_costs_cannot_be_scored_without(foreign):
    foreign.fit(X, Y)
    message = r"has no costs of its own to be scored by; give some, as in cost_scorer\(costs\)"
    for score in (metrics.cost_scorer(), metrics.total_cost):
        with pytest.raises(InvalidCosts, match=message):
            score(foreign, X, Y)
    with pytest.raises(InvalidCosts, match=message):
        metrics.test_cost(foreign, X)
    assert metrics.test_cost(foreign, X, COSTS) == 8


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (
            {"a": 3, "b": 4},
            r"costs must be a Costs, got a dict; write Costs\(\{...\}\) for prices",
        ),
        ([3, 4], r"costs must be a Costs, got \[3, 4\]; make one, such as Costs"),
    ],
)
def test_costs_that_are_none(fitted, costs, message):
    plain = DecisionTreeClassifier(random_state=0).fit(X, Y)
    for call in (
        lambda: metrics.cost_scorer(costs),
        lambda: metrics.error_cost(Y, Y, costs),
        lambda: metrics.standard_cost(costs, Y),
        lambda: metrics.test_cost(fitted, X, costs),
        lambda: metrics.total_cost(plain, X, Y, costs),
        lambda: metrics.normalized_cost(fitted, X, Y, costs),
        lambda: fitted.bill(X, costs),
    ):
        with pytest.raises(InvalidCosts, match=message):
            call()


# ---------------------------------------------------------------------- costs in a grid


def hard_to_tell():
    """Return cases that nobody can tell apart for sure, three of four of them well."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(240, 2))
    y = np.where(X[:, 0] + rng.normal(size=240) > 1.1, "ill", "well")
    return X, y


def test_costs_in_a_grid_are_judged_by_the_same_costs():
    X, y = hard_to_tell()
    truth = Costs([1, 1], errors={("well", "ill"): 200, ("ill", "well"): 10})
    grid = {"costs__errors": [truth.errors, 1, 0.001]}
    search = GridSearchCV(DTMCClassifier(truth), grid, scoring=cost_scorer(truth), cv=3)
    search.fit(X, y)
    assert search.best_params_["costs__errors"] == truth.errors
    assert search.best_estimator_.costs == truth
    scores = search.cv_results_["mean_test_score"]
    for point, score in zip(grid["costs__errors"], scores, strict=True):
        learner = DTMCClassifier(Costs([1, 1], errors=point))
        ref = cross_val_score(learner, X, y, scoring=cost_scorer(truth), cv=3).mean()
        assert score == pytest.approx(ref)


def test_without_a_scorer_each_point_of_a_grid_is_judged_by_its_own_costs():
    """The two searches differ: where errors cost next to nothing, being wrong is no matter."""
    X, y = hard_to_tell()
    truth = Costs([1, 1], errors={("well", "ill"): 200, ("ill", "well"): 10})
    grid = {"costs__errors": [truth.errors, 0.001]}
    own = GridSearchCV(DTMCClassifier(truth), grid, cv=3).fit(X, y)
    same = GridSearchCV(DTMCClassifier(truth), grid, scoring=cost_scorer(truth), cv=3).fit(X, y)
    assert own.best_params_["costs__errors"] == 0.001
    assert same.best_params_["costs__errors"] == truth.errors


def test_setting_a_part_of_the_costs():
    truth = Costs([1, 1], errors=10, unit="EUR")
    learner = EG2Classifier(truth)
    copy = clone(learner).set_params(costs__errors=500, costs__unit="CAD", w=0.5)
    assert (copy.costs.errors, copy.costs.unit, copy.w) == (500, "CAD", 0.5)
    assert copy.costs.tests == truth.tests
    assert learner.costs is truth
    assert truth.errors == 10
    assert EG2Classifier().set_params(costs__errors=3).costs == Costs(errors=3)
    both = EG2Classifier().set_params(costs=truth, costs__errors=4)
    assert both.costs == Costs([1, 1], errors=4, unit="EUR")
    again = EG2Classifier().set_params(**learner.get_params())
    assert again.costs == truth
    piped = make_pipeline(StandardScaler(), learner)
    piped.set_params(eg2classifier__costs__errors=7)
    assert learner.costs.errors == 7
    with pytest.raises(ValueError, match=r"costs have no 'error'; set one of .* mean 'errors'\?"):
        learner.set_params(costs__error=3)
    with pytest.raises(ValueError, match="Invalid parameter 'cost'"):
        learner.set_params(cost__errors=3)
    with pytest.raises(InvalidCosts, match="the cost of an error"):
        learner.set_params(costs__errors=-1)
    assert learner.costs.errors == 7


def test_bills_through_a_pipeline_and_a_search():
    X, y = hard_to_tell()
    costs = Costs([3, 5], errors=100)
    plain = EG2Classifier(costs).fit(X, y)
    assert bills(plain, X).tolist() == plain.bill(X).tolist()
    piped = make_pipeline(StandardScaler(), EG2Classifier(costs)).fit(X, y)
    got = bills(piped, X)
    assert got.tolist() == piped[-1].bill(piped[:-1].transform(X)).tolist()
    assert got.mean() == pytest.approx(metrics.test_cost(piped, X))
    dear = Costs([30, 50], errors=100)
    assert bills(piped, X, dear).tolist() == pytest.approx((10 * got).tolist())
    search = GridSearchCV(piped, {"eg2classifier__w": [0.5, 1]}, cv=3).fit(X, y)
    assert len(bills(search, X)) == len(X)
    foreign = DecisionTreeClassifier().fit(X, y)
    assert bills(foreign, X, costs).tolist() == [8.0] * len(X)
