"""A tree beside other strategies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugaltree import ACTClassifier, Costs, EG2Classifier, save_model
from frugaltree.datasets import load, load_costs
from frugaltree.persist import read_model
from frugaltree.report import compare_with_baselines
from frugaltree.strategies import THIS, Strategy, expected_costs, price_range

amounts = st.floats(0.0, 100.0)
shares = st.floats(0.0, 1.0)


@given(
    st.tuples(amounts, shares),
    st.lists(st.tuples(amounts, shares), max_size=4),
    st.floats(0.0, 50.0),
    st.floats(0.0, 200.0),
)
def test_between_the_prices_and_nowhere_else_the_tree_is_the_cheapest(mine, others, price, tried):
    def strategy(cost, share):
        return Strategy("", 0.0, 0.0, 0.0, cost, {"t": share})

    between = price_range(strategy(*mine), [strategy(*one) for one in others], "t", price)
    cost = mine[0] + mine[1] * (tried - price)
    rest = [other + share * (tried - price) for other, share in others]
    margin = min(rest, default=math.inf) - cost
    if abs(margin) > 1e-6:
        assert (between is not None and between[0] <= tried <= between[1]) == (margin > 0)


def test_strategies_are_measured_as_the_tree_is():
    X, y = load("heart", return_X_y=True)
    costs = load_costs("heart", errors=500, delayed=False)
    model = ACTClassifier(costs, random_state=0).fit(X, y)
    found = {one.name: one for one in compare_with_baselines(model, X, y)}
    mine = found[THIS]
    assert mine.total == pytest.approx(model.total_cost(X, y))
    assert mine.tests == pytest.approx(model.bill(X).mean())
    # ACT minimises this very estimate.
    assert mine.expected == pytest.approx(model.expected_cost_)
    assert mine.asked == model.test_usage_
    eg2 = EG2Classifier(costs).fit(X, y)
    assert found["EG2, blind to errors"].expected == pytest.approx(sum(expected_costs(eg2)))
    sick = np.mean(y.to_numpy() == "sick")
    assert found["always answer healthy"].errors == pytest.approx(500 * sick)
    assert found["ask everything, never err"].expected is None


def test_they_are_kept_in_the_file_and_not_in_the_learner(tmp_path):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5, [0, 0, 1, 1] * 5
    model = EG2Classifier(Costs([9, 4], errors=50)).fit(X, y)
    before = dict(vars(model))
    strategies = compare_with_baselines(model, X, y)
    assert vars(model) == before
    save_model(model, tmp_path / "m.json", strategies=strategies)
    saved = read_model(tmp_path / "m.json")
    assert saved.strategies == strategies
    assert vars(saved.estimator).keys() == before.keys()
    save_model(model, tmp_path / "alone.json")
    assert read_model(tmp_path / "alone.json").strategies == []
