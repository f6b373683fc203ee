"""The picture of what a larger budget is worth."""

from __future__ import annotations

import pytest

from frugaltree import Costs, EG2Classifier, Repertoire
from frugaltree.exceptions import FrugaltreeError
from frugaltree.plots import Budgets, budgets, budgets_numbers, draw_budgets

figure = pytest.importorskip("matplotlib.figure")

X, y = [[0, 0], [0, 1], [1, 1], [1, 1], [0, 0]] * 8, ["well", "ill", "ill", "ill", "well"] * 8
COSTS = Costs([1, 5], errors=50, unit="$")


def test_the_numbers_are_those_of_the_choices():
    fitted = Repertoire(COSTS, budgets=[0, 1, 5], settings=None, random_state=0).fit(X, y)
    numbers = budgets_numbers(fitted)
    assert numbers.budgets == [0, 1, 5]
    assert numbers.costs == [one.cost for one in fitted.choices_]
    assert numbers.bills == [0, 1, 5]
    assert numbers.accuracies == [0.6, 0.8, 1.0]
    assert numbers.unit == "$"
    axes = budgets(fitted, figure.Figure().subplots())
    assert len(axes.figure.axes) == 2


def test_lines_go_where_the_numbers_say():
    numbers = Budgets([0, 4], [9.0, 3.0], [1.0, 0.5], [0.0, 4.0], [0.5, 0.9], "$")
    axes = draw_budgets(numbers, figure.Figure().subplots())
    steps, _ = axes.lines
    assert steps.get_xydata().tolist() == [[0, 9], [4, 3]]
    assert axes.get_xlabel() == r"budget for the tests of a case, \$"
    [right] = axes.figure.axes[1].lines
    assert right.get_ydata().tolist() == [50, 90]


def test_what_has_no_budgets_is_refused():
    with pytest.raises(FrugaltreeError, match="has one tree, whatever the budget"):
        budgets_numbers(EG2Classifier(COSTS).fit(X, y))
    bare = Repertoire(COSTS, budgets=[1], settings=None, folds=0).fit(X, y)
    with pytest.raises(FrugaltreeError, match="no cases were held out"):
        budgets_numbers(bare)
