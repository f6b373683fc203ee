"""Pictures of a tree, of what cases pay, and of when that is worth it."""

from __future__ import annotations

import io

import numpy as np
import polars as pl
import pytest

from frugaltree import (
    ACTClassifier,
    C45Classifier,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    Group,
    ID3Classifier,
    plots,
)
from frugaltree.datasets import load, load_costs
from frugaltree.exceptions import FrugaltreeError
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

    def test_an_order_reads_as_in_the_text(self, ax):
        costs = Costs({"fever": 2, "cough": 3}, delayed=["fever"], errors=90, unit="EUR")
        cough = ["no", "yes", "yes", "yes", "no", "no", "yes", "yes"]
        X = pl.DataFrame({"fever": [36, 36, 37, 37, 39, 39, 39, 39], "cough": cough})
        slow = ID3Classifier(costs).fit(X, ["well"] * 6 + ["ill"] * 2)
        said = words(plots.tree(slow, ax=ax))
        assert "fever?\norders fever + cough now, EUR 5" in said
        assert "cough?\nalready ordered" in said
        assert not any("free" in text for text in said)

    def test_long_names_stay_apart(self, ax):
        names = [f"building windows, processed as {kind} glass" for kind in ("float", "plain")]
        X = pl.DataFrame({"kind": names * 5})
        said = words(plots.tree(EG2Classifier(Costs([1], errors=9)).fit(X, names * 5), ax=ax))
        assert set(names) <= set(said)
        assert {f"{name}\n5 cases, 100 %" for name in names} <= set(said)

    @pytest.mark.parametrize("depth", [0, 2, None])
    def test_nothing_is_written_over_anything_else(self, model, depth):
        pyplot = pytest.importorskip("matplotlib.pyplot")
        pyplot.switch_backend("agg")
        ax = plots.tree(model, max_depth=depth)
        ax.figure.draw_without_rendering()
        boxes = [text.get_bbox_patch() or text for text in ax.texts]
        extents = [one.get_window_extent() for one in [*boxes, ax.get_legend()]]
        for place, one in enumerate(extents):
            assert not any(one.overlaps(other) for other in extents[:place])
        assert ax.figure.bbox.x0 <= min(e.x0 for e in extents)
        assert ax.figure.bbox.x1 >= max(e.x1 for e in extents)
        pyplot.close(ax.figure)

    def test_values_in_natural_order(self):
        ages = ["12-14", "15-19", "3-5", "6-8"]
        X = pl.DataFrame({"age": ages * 3})
        drawing = plots.tree_numbers(ID3Classifier().fit(X, ages * 3))
        row = {box.node: box.row for box in drawing.boxes}
        assert [edge.text for edge in drawing.edges] == ["3-5", "6-8", "12-14", "15-19"]
        assert [row[edge.below] for edge in drawing.edges] == [0, 1, 2, 3]
        given = pl.DataFrame({"age": ages * 3}, schema={"age": pl.Enum(["6-8", *ages[:3]])})
        drawing = plots.tree_numbers(ID3Classifier().fit(given, ages * 3))
        assert [edge.text for edge in drawing.edges] == ["6-8", "12-14", "15-19", "3-5"]

    def test_as_deep_as_fits(self):
        X = np.arange(200).reshape(-1, 1)
        chain = ID3Classifier().fit(X, np.arange(200) % 2)
        depth = plots.fitting_depth(chain.tree_)
        assert plots.tree_numbers(chain, depth).rows <= 60
        assert plots.tree_numbers(chain, depth + 1).rows > 60
        names = [f"value {n}" for n in range(90)] * 3
        wide = ID3Classifier().fit(pl.DataFrame({"name": names}), names)
        assert plots.fitting_depth(wide.tree_) == 1
        assert plots.fitting_depth(EG2Classifier().fit([[1.0], [1.0]], ["a", "b"]).tree_) == 0

    def test_a_tree_that_matplotlib_cannot_draw(self):
        X = np.arange(700).reshape(-1, 1)
        chain = ID3Classifier().fit(X, np.arange(700) % 2)
        with pytest.raises(FrugaltreeError, match=r"700 answers would be 385 inches high.*fewer"):
            plots.tree(chain)


class TestSpending:
    def test_an_order_is_paid_for_by_its_tests(self):
        X, y = load("heart", return_X_y=True)
        model = DTMCClassifier(load_costs("heart", errors=3000)).fit(X, y)
        numbers = plots.spending_numbers(model)
        assert sum(numbers.paid) == pytest.approx(model.bill(X).mean())
        used = {name: share for name, share in model.test_usage_.items() if share}
        assert dict(zip(numbers.tests, numbers.share, strict=True)) == pytest.approx(used)
        full = dict(zip(X.columns, model.costs.prices(X.columns).full, strict=True))
        for name, paid, share in zip(numbers.tests, numbers.paid, numbers.share, strict=True):
            assert 0 < paid <= full[name] * share + 1e-9

    def test_what_a_group_shares_is_paid_once(self):
        X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["a", "a", "b", "c"]
        costs = Costs([6, 8], {"blood": Group({0: 2, 1: 5})}, delayed=[0])
        model = ID3Classifier(costs).fit(X, y)
        numbers = plots.spending_numbers(model)
        assert numbers[:3] == (["x1", "x0"], [3 + 5, 6 - 2], [1, 1])
        assert sum(numbers.paid) == model.bill(X).mean()

    def test_labels_stand_before_the_grid(self, model):
        pyplot = pytest.importorskip("matplotlib.pyplot")
        pyplot.switch_backend("agg")
        ax = plots.spending(model)
        assert all(text.get_bbox_patch().get_facecolor() == (1, 1, 1, 1) for text in ax.texts)
        assert not any(line.get_visible() for line in ax.get_ygridlines())
        pyplot.close(ax.figure)

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
