"""The picture of a frontier."""

from __future__ import annotations

import pytest

from frugaltree import Costs, FrugalTreeClassifier, frontier
from frugaltree.exceptions import FrugaltreeError
from frugaltree.plots import frontier_numbers


@pytest.fixture(scope="module")
def found():
    X, y = [[0]] * 30 + [[1]] * 10, ["well"] * 30 + ["ill"] * 10
    costs = Costs([3], errors=100, unit="a$b$")
    return frontier(FrugalTreeClassifier(costs, pessimism="none", time_limit=None), X, y)


def test_both_pictures_have_their_points_and_intervals(found):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    for what in ("costs", "rates"):
        numbers = frontier_numbers(found, what)
        ax = found.plot(what=what)
        marks = ax.containers[0].lines[0]
        assert marks.get_xdata().tolist() == numbers.x
        assert marks.get_ydata().tolist() == numbers.y
        for low, value, high in zip(numbers.x_low, numbers.x, numbers.x_high, strict=True):
            assert low <= value <= high
        assert ax.get_legend() is not None
        ax.figure.canvas.draw()
        pyplot.close(ax.figure)
    rates = frontier_numbers(found, "rates")
    assert (rates.x, rates.y) == ([0.0, 0.0], [0.0, 1.0])


def test_without_cases_held_out_estimates_are_drawn():
    X, y = [[0]] * 30 + [[1]] * 10, ["well"] * 30 + ["ill"] * 10
    learner = FrugalTreeClassifier(Costs([3], errors=100), pessimism="none", time_limit=None)
    found = frontier(learner, X, y, folds=0)
    numbers = frontier_numbers(found)
    assert (numbers.y, numbers.y_low) == ([0.25, 0.0], [])
    with pytest.raises(FrugaltreeError, match="rates are those of a class on cases held out"):
        frontier_numbers(found, "rates")
    with pytest.raises(FrugaltreeError, match="Did you mean 'costs'"):
        frontier_numbers(found, "cost")
