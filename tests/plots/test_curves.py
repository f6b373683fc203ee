from __future__ import annotations

import builtins
import io

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import frugaltree
from frugaltree import ACTClassifier, Costs, EG2Classifier, FrugalTreeClassifier, plots
from frugaltree.anytime.progress import Progress
from frugaltree.exceptions import FrugaltreeError
from frugaltree.plots import Anytime, anytime_numbers, draw_anytime

figure = pytest.importorskip("matplotlib.figure")

X = np.random.default_rng(0).integers(0, 3, (60, 4)).astype(float)
y = (X[:, 0] + X[:, 2] > 2).astype(int)
COSTS = Costs([4, 1, 2, 3], errors=50, unit="CAD")


class Fitted(EG2Classifier):
    """A learner with whatever history a test wants."""


def fitted(*, costs=None, **attributes):
    """Return a fitted learner with these attributes."""
    estimator = Fitted(costs).fit(X, y)
    usual = {"expected_cost_": 8.0, "termination_": "time_limit"}
    vars(estimator).update({**usual, **attributes})
    return estimator


HISTORY = [Progress(0.01, 12.0, 0.0), Progress(0.2, 9.0, 4.0), Progress(3.0, 8.0, 6.0)]
NUMBERS = Anytime(
    "FrugalTreeClassifier",
    [0.01, 0.2, 3.0],
    [12.0, 9.0, 8.0],
    [0.0, 4.0, 6.0],
    "time limit reached",
    "CAD",
)


@pytest.fixture
def ax():
    return figure.Figure().add_subplot()


def said(ax):
    """Return the words of the legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


class TestNumbers:
    def test_of_a_search_with_a_bound(self):
        numbers = anytime_numbers(fitted(history_=HISTORY, costs=COSTS))
        assert numbers == NUMBERS._replace(name="Fitted")

    def test_of_a_search_without(self):
        history = [Progress(0.5, 12.0, steps=1), Progress(0.9, 12.0, steps=7)]
        numbers = anytime_numbers(fitted(history_=history, termination_="completed"))
        assert numbers == Anytime("Fitted", [0.5, 0.9], [12.0, 12.0], None, "completed")

    @pytest.mark.parametrize(
        ("objective", "charged"), [(8.0, False), (8.0 + 1e-12, False), (9.0, True)]
    )
    def test_charges(self, objective, charged):
        bound = {"objective_": objective, "lower_bound_": 6.0, "gap_": 0.25}
        assert anytime_numbers(fitted(history_=HISTORY, **bound)).charged is charged

    @pytest.mark.parametrize(
        ("seconds", "wide"),
        [([0.01, 1.0], False), ([0.01, 1.01], True), ([0.0, 9.0], False), ([3.0], False)],
    )
    def test_wide_is_more_than_two_decades(self, seconds, wide):
        assert NUMBERS._replace(seconds=seconds).is_wide is wide

    def test_of_a_proven_tree(self):
        frugal = FrugalTreeClassifier(COSTS, pessimism="paper", random_state=0).fit(X, y)
        numbers = anytime_numbers(frugal)
        assert numbers.termination == "optimal for this estimate on these cases"
        assert numbers.costs[-1] == pytest.approx(frugal.objective_)
        assert numbers.bounds[-1] == pytest.approx(frugal.lower_bound_)
        assert not numbers.charged
        assert numbers.seconds == sorted(numbers.seconds)

    def test_of_act(self):
        act = ACTClassifier(COSTS, n_samples=2, random_state=0).fit(X, y)
        numbers = anytime_numbers(act)
        assert (numbers.bounds, numbers.unit, numbers.charged) == (None, "CAD", False)
        assert numbers.costs[-1] == pytest.approx(act.expected_cost_)

    def test_of_a_learner_without_rounds(self):
        with pytest.raises(FrugaltreeError, match="EG2Classifier has no history_"):
            anytime_numbers(EG2Classifier(COSTS).fit(X, y))

    def test_of_a_learner_that_is_not_fitted(self):
        with pytest.raises(NotFittedError):
            anytime_numbers(FrugalTreeClassifier())


class TestDrawing:
    def test_steps_and_gap(self, ax):
        assert draw_anytime(NUMBERS, ax) is ax
        cost, bound = ax.get_lines()
        assert cost.get_drawstyle() == bound.get_drawstyle() == "steps-post"
        assert cost.get_xydata().tolist() == [[0.01, 12.0], [0.2, 9.0], [3.0, 8.0]]
        assert bound.get_ydata().tolist() == [0.0, 4.0, 6.0]
        (shade,) = ax.collections
        corners = {tuple(corner) for corner in shade.get_paths()[0].vertices.tolist()}
        assert {(0.2, 12.0), (0.2, 9.0), (0.2, 4.0), (0.2, 0.0), (3.0, 8.0)} <= corners

    def test_words(self, ax):
        draw_anytime(NUMBERS, ax)
        assert ax.get_title(loc="left") == "FrugalTreeClassifier: time limit reached"
        assert ax.get_ylabel() == "expected cost per case, CAD"
        bound = "no tree costs less than CAD 6.00"
        assert said(ax) == ["best tree CAD 8.00", bound, "gap 25.00 %"]

    def test_charges_are_named(self, ax):
        draw_anytime(NUMBERS._replace(charged=True, unit=None), ax)
        assert ax.get_ylabel() == "expected cost, and what keeps the tree simple, per case"

    def test_without_a_bound(self, ax):
        draw_anytime(NUMBERS._replace(bounds=None), ax)
        assert (len(ax.get_lines()), len(ax.collections)) == (1, 0)
        assert said(ax) == ["best tree CAD 8.00"]

    def test_a_dot_where_something_is_new(self, ax):
        draw_anytime(NUMBERS._replace(costs=[9.0, 9.0, 8.0]), ax)
        cost, bound = ax.get_lines()
        assert (cost.get_markevery(), bound.get_markevery()) == ([0, 2], [0, 1, 2])

    def test_logarithmic_where_time_is_wide(self, ax):
        draw_anytime(NUMBERS, ax)
        assert ax.get_xscale() == "log"

    def test_linear_from_0_elsewhere(self, ax):
        draw_anytime(NUMBERS._replace(seconds=[0.1, 0.2, 3.0]), ax)
        assert (ax.get_xscale(), ax.get_xlim()[0]) == ("linear", 0.0)

    @pytest.mark.parametrize("bounds", [None, [0.0]])
    @pytest.mark.parametrize("seconds", [0.0, 0.004])
    def test_a_single_moment(self, ax, bounds, seconds, recwarn):
        draw_anytime(Anytime("ACT", [seconds], [0.0], bounds, "completed"), ax)
        ax.figure.savefig(io.BytesIO())
        assert not recwarn.list

    def test_beside_other_things(self, ax):
        ax.plot([0, 1], [5, 5], label="mine")
        assert plots.anytime(fitted(history_=HISTORY), ax) is ax
        assert said(ax)[0] == "mine"


class TestFigure:
    def test_a_new_one(self):
        pyplot = pytest.importorskip("matplotlib.pyplot")
        pyplot.switch_backend("agg")
        ax = frugaltree.plots.anytime(fitted(history_=HISTORY, costs=COSTS))
        assert ax is pyplot.gca()
        pyplot.close(ax.figure)

    def test_without_matplotlib(self, monkeypatch):
        usual = builtins.__import__

        def without(name, *args, **kwargs):
            if name.startswith("matplotlib"):
                raise ImportError(name)
            return usual(name, *args, **kwargs)

        monkeypatch.setattr(builtins, "__import__", without)
        with pytest.raises(FrugaltreeError, match=r"pip install 'frugaltree\[plot\]'"):
            plots.anytime(fitted(history_=HISTORY))
