"""Predictions need only the columns that the tree asks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_n_features_in_after_fitting

from frugaltree import Consultation, Costs, load_model, save_model
from frugaltree.exceptions import InvalidTable
from frugaltree.export import to_python
from support.learners import C45_FAMILY, LEARNERS, seeded

METHODS = ("predict", "predict_proba", "predict_log_proba", "bill", "apply")

N = 60
AGE = np.random.default_rng(3).integers(20, 90, N).astype(float)
FULL = pl.DataFrame(
    {
        "noise": np.random.default_rng(1).normal(size=N).round(2),
        "age": AGE,
        "name": [f"n{i % 7}" for i in range(N)],
        "sex": ["f", "m"] * (N // 2),
    }
)
Y = np.where(AGE > 50, "ill", "well")
COSTS = Costs({"noise": 50, "age": 1, "name": 50, "sex": 50}, errors=100)
ASKED = FULL.select("age")

LIBRARIES = {
    "polars": lambda frame: frame,
    "pandas": lambda frame: frame.to_pandas(),
    "pyarrow": lambda frame: frame.to_arrow(),
}


@pytest.fixture(params=LEARNERS, ids=lambda learner: learner.__name__)
def fitted(request):
    estimator = seeded(request.param)(COSTS).fit(FULL, Y)
    asked = [estimator.tree_.columns[test].name for test in estimator.tree_.asked_tests]
    assert asked == ["age"]
    return estimator


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_missing_unasked_column_is_no_error(fitted, library):
    convert = LIBRARIES[library]
    for few in (ASKED, FULL.select("noise", "age"), FULL.select("age", "sex")):
        for method in METHODS:
            got = getattr(fitted, method)(convert(few))
            np.testing.assert_array_equal(got, getattr(fitted, method)(FULL), method)
    np.testing.assert_array_equal(
        fitted.decision_path(convert(ASKED)).toarray(), fitted.decision_path(FULL).toarray()
    )
    assert fitted.score(convert(ASKED), Y) == fitted.score(FULL, Y)
    assert fitted.total_cost(convert(ASKED), Y) == fitted.total_cost(FULL, Y)
    assert fitted.path(convert(ASKED[:1])) == fitted.path(FULL[:1])


def test_a_missing_asked_column_is_named(fitted):
    with pytest.raises(InvalidTable) as raised:
        fitted.predict(FULL.select("noise", "sex"))
    assert str(raised.value) == (
        "the table has no column 'age', which the tree asks; add it, with missing values where "
        "it is not known."
    )
    filled = FULL.select("noise", pl.lit(None, pl.Float64).alias("age"), "sex")
    assert set(fitted.predict(filled)) <= {"ill", "well"}


def test_other_names_stay_an_error(fitted):
    for odd in (
        FULL.select("sex", "age"),  # in another order
        FULL.select("age").rename({"age": "Age"}),
        FULL.select("age", pl.lit(1).alias("new")),
        FULL.with_columns(pl.lit(1).alias("new")),
    ):
        with pytest.raises(ValueError, match="feature names should match those"):
            fitted.predict(odd)


def test_an_array_must_be_as_wide(fitted):
    narrow = pytest.raises(ValueError, match=r"X has 1 features, but .* is expecting 4")
    with narrow, pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted.predict(ASKED.to_numpy())


def test_a_leaf_asks_for_no_column():
    stump = seeded(LEARNERS[0])(Costs(default_test_cost=1e6)).fit(FULL, Y[::-1].copy())
    if stump.tree_.n_leaves == 1:
        assert len(stump.predict(FULL.select("sex"))) == N


def test_a_model_from_a_file_needs_no_more(fitted, tmp_path):
    save_model(fitted, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(ASKED), fitted.predict(FULL))
    np.testing.assert_array_equal(again.bill(ASKED), fitted.bill(FULL))


def test_exports_and_consultation_take_only_what_is_asked(fitted):
    namespace: dict = {}
    exec(to_python(fitted), namespace)
    function = next(v for k, v in namespace.items() if callable(v) and not k.startswith("_"))
    assert function({"age": 70.0})[0] == "ill"
    consultation = Consultation(fitted)
    for question in consultation:
        assert question.test == "age"
        consultation.tell(70.0)
    assert consultation.decision == "ill"


@pytest.mark.parametrize("learner", C45_FAMILY, ids=lambda learner: learner.__name__)
def test_what_is_not_asked_does_not_spread_cases(learner):
    """In the C4.5 family only a missing value that is asked is followed everywhere."""
    holes = FULL.with_columns(pl.lit(None, pl.String).alias("sex"))
    estimator = learner(COSTS).fit(FULL, Y)
    assert estimator._unknown(estimator._encoded(holes)).size == 0
    np.testing.assert_array_equal(estimator.predict(holes), estimator.predict(FULL))


def test_in_a_pipeline_that_keeps_names():
    X = FULL.select("noise", "age").to_pandas()
    piped = make_pipeline(
        StandardScaler().set_output(transform="pandas"),
        LEARNERS[0](Costs({"noise": 50, "age": 1}, errors=100)),
    )
    piped.fit(X, Y)
    learner, scaled = piped[-1], piped[:-1].transform(X)
    np.testing.assert_array_equal(learner.predict(scaled[["age"]]), piped.predict(X))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.__name__)
def test_the_rest_of_scikit_learns_check_of_names(learner):
    """What check_dataframe_column_names_consistency asks, but for columns that are missing."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 4)), columns=list("abcd"))
    estimator = seeded(learner)().fit(X, X["a"] > 0)
    assert estimator.feature_names_in_.tolist() == list("abcd")
    for names, message in (
        ("dcba", "Feature names must be in the same order as they were in fit"),
        ("wxyz", "Feature names unseen at fit time:\n- w\n- x\n"),
    ):
        for method in ("predict", "predict_proba", "predict_log_proba"):
            with pytest.raises(ValueError, match=message):
                getattr(estimator, method)(X.set_axis(list(names), axis=1))
    check_n_features_in_after_fitting(learner.__name__, seeded(learner)())
