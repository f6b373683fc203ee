from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel

from frugaltree import Costs, FrugalTreeClassifier, Group, ID3Classifier
from frugaltree.datasets import load, load_costs
from frugaltree.metrics import error_cost
from support.tables import as_pandas, mixed_columns

PRICED = Costs([1, 7, 3, 2, 4], errors={("ill", "well"): 80, ("well", "ill"): 130})


def test_savings_add_up_to_what_the_tree_saves(learner):
    columns, y = mixed_columns(missing=False)
    X = as_pandas(columns)
    fitted = learner(PRICED).fit(X, y)
    at_root = [fitted.classes_[fitted.tree_.labels[0]]] * len(y)
    saved = error_cost(y, at_root, PRICED) - fitted.total_cost(X, y)
    assert fitted.feature_importances_.shape == (5,)
    assert fitted.feature_importances_.sum() == pytest.approx(saved)


def test_a_test_never_asked_saves_nothing(learner):
    columns, y = mixed_columns()
    fitted = learner(PRICED).fit(as_pandas(columns), y)
    for test, saved in zip(columns, fitted.feature_importances_, strict=True):
        if not fitted.test_usage_[test]:
            assert saved == 0


def test_two_tests_that_help_only_together_share(learner):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 9, [0, 1, 1, 0] * 9
    fitted = learner(Costs([1, 1], errors=50)).fit(X, y)
    if fitted.get_depth() == 2:  # greedy learners may not look that far
        assert fitted.feature_importances_.tolist() == pytest.approx([11.5, 11.5])


def test_by_hand():
    """Of eight, four are ill: those with x0, but for one of them, which x1 finds out.

    To guess costs 20 * 3/8 = 7.50. x0 leaves one error of 20/8 = 2.50, so it saves 5.00 alone;
    x1, asked of four in eight, saves these 2.50 and shares them. They cost 2 and 1 * 4/8.
    """
    X = [[0, 0]] * 4 + [[1, 0]] * 3 + [[1, 1]]
    y = ["well"] * 4 + ["ill"] * 3 + ["well"]
    fitted = ID3Classifier(Costs([2, 1], errors=20)).fit(X, y)
    assert fitted.feature_importances_.tolist() == [5 + 1.25 - 2, 1.25 - 0.5]


def test_each_test_bears_its_part_of_an_order():
    """Both are ordered at once: 1 + 2, and 3 that they share, borne by the first of them."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 9, [0, 1, 1, 0] * 9
    costs = Costs([1, 2], {"lab": Group([0, 1], cost=3)}, errors=50, delayed=[0, 1])
    fitted = FrugalTreeClassifier(costs, pessimism="none", random_state=0).fit(X, y)
    assert fitted.expected_test_cost_ == 6
    assert fitted.feature_importances_.tolist() == [12.5 - 4, 12.5 - 2]


@pytest.mark.parametrize("table", ["heart", "hepatitis"])
def test_orders_and_groups_add_up(table):
    X, y = load(table, return_X_y=True)
    costs = load_costs(table, errors=500)
    fitted = ID3Classifier(costs).fit(X, y)
    at_root = [fitted.classes_[fitted.tree_.labels[0]]] * len(y)
    saved = error_cost(y, at_root, costs) - fitted.total_cost(X, y)
    if X.null_count().sum_horizontal()[0]:  # who lacks a value pays less for an order than it says
        assert fitted.feature_importances_.sum() <= saved
    else:
        assert fitted.feature_importances_.sum() == pytest.approx(saved)


def test_tests_are_chosen_by_what_they_save():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 4)).astype(float)
    chosen = SelectFromModel(ID3Classifier(Costs(errors=50)), threshold=1.0).fit(X, X[:, 2])
    assert chosen.get_support().tolist() == [False, False, True, False]


def test_nothing_before_fit(learner):
    with pytest.raises(NotFittedError):
        _ = learner().feature_importances_
