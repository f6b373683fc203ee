"""Pictures of a tree, of what cases pay, and of when that is worth it."""

from __future__ import annotations

import io

import numpy as np
import polars as pl
import pytest

from frugaltree import ACTClassifier, C45Classifier, Costs, EG2Classifier, plots
from frugaltree.datasets import load, load_costs
from frugaltree.metrics import error_cost

figure = pytest.importorskip("matplotlib.figure")


@pytest.fixture(scope="module", params=[EG2Classifier, ACTClassifier, C45Classifier])
def model(request):
    X, y = load("heart", return_X_y=True)
    return request.param(load_costs("heart", errors=500), random_state=0).fit(X, y)


@pytest.fixture
def ax():
    return figure.Figure().add_subplot()


def words(ax):
    """Return everything that is written in a picture, once it is drawn."""
    buffer = io.StringIO()
    ax.figure.savefig(buffer, format="svg")
    return [text.get_text() for text in ax.texts]


class TestTree:
    def test_every_node_has_its_place(self, model):
        drawing, tree = plots.tree_numbers(model), model.tree_
        assert [box.node for box in drawing.boxes] == list(range(tree.n_nodes))
        assert drawing.rows == tree.n_leaves
        rows = sorted(box.row for box in drawing.boxes if box.is_answer)
        assert rows == list(range(tree.n_leaves))
        assert len(drawing.edges) == tree.n_nodes - 1
        places = {box.node: box for box in drawing.boxes}
        for edge in drawing.edges:
            assert places[edge.below].depth == places[edge.above].depth + 1

    def test_no_deeper_than_told(self, model):
        drawing = plots.tree_numbers(model, max_depth=1)
        assert {box.depth for box in drawing.boxes} == {0, 1}
        assert any("…" in box.text for box in drawing.boxes)

    def test_a_leaf_alone(self, ax):
        leaf = EG2Classifier().fit([[1.0], [1.0]], ["a", "b"])
        assert words(plots.tree(leaf, ax=ax)) == ["a\n2 cases, 50 %"]

    def test_prices_and_evidence_are_written(self, ax):
        costs = Costs({"fever": 2.5}, errors=9, unit="EUR")
        X = pl.DataFrame({"fever": [36, 37, 39, 40]})
        fever = EG2Classifier(costs).fit(X, ["well", "well", "ill", "ill"])
        assert sorted(words(plots.tree(fever, ax=ax))) == sorted(
            ["<= 37", "> 37", "fever?\nEUR 2.50", "well\n2 cases, 100 %", "ill\n2 cases, 100 %"]
        )

    def test_names_are_text_and_nothing_else(self, ax):
        X = pl.DataFrame({r"$\frac{1}$ <b>": ["$x$", "$x$", "_y^", "_y^"]})
        odd = EG2Classifier(Costs([1], errors=9)).fit(X, ["$a$", "$a$", "b$", "b$"])
        assert any(r"\$a\$" in text for text in words(plots.tree(odd, ax=ax)))


class TestSpending:
    def test_the_parts_add_up(self, model):
        numbers = plots.spending_numbers(model)
        X, _ = load("heart", return_X_y=True)
        assert sum(numbers.paid) == pytest.approx(model.bill(X).mean())
        assert numbers.total == pytest.approx(model.expected_cost_)
        assert numbers.paid == sorted(numbers.paid, reverse=True)
        assert all(0 < share <= 1 + 1e-9 for share in numbers.share)

    def test_a_bar_for_each_test_and_one_for_errors(self, model, ax):
        assert (
            len(words(plots.spending(model, ax))) == len(plots.spending_numbers(model).tests) + 1
        )


class TestSensitivity:
    def test_at_the_prices_of_the_list(self, model):
        numbers = plots.sensitivity_numbers(model)
        at = numbers.factors.index(min(numbers.factors, key=lambda factor: abs(factor - 1)))
        X, y = load("heart", return_X_y=True)
        assert numbers.answer == "healthy"
        guess = error_cost(y, ["healthy"] * len(y), model.costs)
        assert guess < numbers.guess[at] < 1.2 * guess  # a cautious estimate
        assert numbers.tree[at] > model.total_cost(X, y)
        assert numbers.everything[0] == pytest.approx(model.costs.total(X.columns))

    def test_where_the_tree_is_worth_it(self, model, ax):
        numbers = plots.sensitivity_numbers(model)
        low, high = numbers.worth
        for factor, tree, guess in zip(numbers.factors, numbers.tree, numbers.guess, strict=True):
            assert (tree <= guess) == (low <= factor <= high)
        plots.sensitivity(model, ax)
        assert "worth its tests" in ax.get_title("left")

    @pytest.mark.parametrize(
        ("worth", "said"),
        [
            (None, "not worth its tests"),
            ((0.1, 10.0), "at all these"),
            ((0.5, 10.0), "from 0.5 times"),
            ((0.5, 2.0), "0.5 to 2 times"),
        ],
    )
    def test_the_verdict(self, ax, worth, said):
        line = [1.0] * 3
        numbers = plots.Sensitivity(
            [0.1, 1.0, 10.0], line, line, line, {"EG2": line}, worth, worth, "a"
        )
        assert said in plots.draw_sensitivity(numbers, ax).get_title("left")


def test_a_picture_of_all_answers(model, ax):
    plots.tree(model, ax=ax)
    assert len(ax.get_legend().get_texts()) == len(np.unique(model.tree_.labels))
