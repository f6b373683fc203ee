"""What figures hold: axes, curves and names; not their pixels."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest

pytest.importorskip("matplotlib")

from frugaltree.exceptions import FrugaltreeError
from study.figures import FIGURES, draw, png, save, svg
from study.figures.style import LEARNER_STYLES, OTHER, get_style, spread
from study.learners import LEARNERS, PAPER, TUNED
from study.plan import plan_experiments
from study.scores import SCORES
from study.tables import TABLES, ResultTable


@pytest.fixture(scope="module")
def made():
    """Return the table behind each figure, from made-up scores of all but guests."""
    return tables_of(lambda study: study.learners)


@pytest.fixture(scope="module")
def joined():
    """Return the tables once our own learner has been through everything."""
    return tables_of(lambda study: study.shown)


def tables_of(learners):
    found = {}
    planned = {each.name: each.quick() for each in plan_experiments()}
    for name in FIGURES:
        study = planned[TABLES[name].experiment]
        rows = [
            (learner, on.data, on.prices, level, fold, 1.0, 1.0, 2.0,
             20.0 + 3 * i + len(on.data) + fold, 70.0 + i, 3, 0.1 * (i + 1))
            for i, learner in enumerate(learners(study))
            for on in study.problems
            for level in study.levels
            for fold in study.folds
        ]  # fmt: skip
        scores = pl.DataFrame(rows, schema=SCORES, orient="row")
        found[name] = TABLES[name].make(study, scores)
    return found


def words(ax):
    return {text.get_text() for text in ax.texts}


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_drawn_the_same_each_time(made, name):
    first, second = svg(made[name]), svg(made[name])
    assert first == second
    assert "<dc:date>" not in first


@pytest.mark.parametrize("name", ["figure-10", "figure-12"])
def test_every_learner_has_a_named_curve(made, name):
    (ax,) = draw(made[name]).axes
    assert len(ax.lines) == len(PAPER)
    assert {"ACT", "ICET", "DTMC", "C4.5"} <= words(ax)
    ticks = [tick.get_text() for tick in ax.get_xticklabels()]
    assert ticks == ["100", "500", "1000", "5000", "10000"]


def test_curves_show_the_numbers_of_the_sheet(made):
    table = made["figure-10"]
    (ax,) = draw(table).axes
    act = next(line for line in ax.lines if line.get_label() == "ACT")
    assert list(act.get_ydata()) == table.numbers.filter(learner="act")["percent"].to_list()
    assert act.get_color() == LEARNER_STYLES["act"].colour
    assert act.get_marker() == LEARNER_STYLES["act"].marker


def test_figure_11_has_a_panel_for_each_rival_and_level(made):
    figure = draw(made["figure-11"])
    assert len(figure.axes) == 2 * 5
    points = figure.axes[0].collections[0].get_offsets()
    assert len(points) == made["figure-11"].numbers.filter(errors="100", other="dtmc").height
    assert [ax.get_title() for ax in figure.axes[:2]] == ["mc = 100", "mc = 500"]


def test_figure_13_has_four_panels_over_time(made):
    figure = draw(made["figure-13"])
    assert [ax.get_title() for ax in figure.axes] == [
        "breast-cancer-20", "monks-1", "multi-xor", "xor-5",
    ]  # fmt: skip
    for ax in figure.axes:
        assert ax.get_xscale() == "log"
        assert sorted(len(line.get_xdata()) for line in ax.lines) == [1, 1, 7, 7]
        assert {"1", "64", "2", "128"} <= words(ax)
    (legend,) = figure.legends
    assert {text.get_text() for text in legend.get_texts()} == {"EG2", "DTMC", "ACT", "ICET"}


def test_our_own_learner_has_a_curve(joined):
    (ax,) = draw(joined["figure-10"]).axes
    assert len(ax.lines) == len(PAPER) + 1
    assert "FrugalTree" in words(ax)
    assert all(len(ax.lines) == 6 for ax in draw(joined["figure-15"]).axes)
    assert len(draw(joined["figure-11"]).axes) == 3 * 5


def test_our_own_learner_joins_figure_13(joined):
    for ax in draw(joined["figure-13"]).axes:
        assert sorted(len(line.get_xdata()) for line in ax.lines) == [1, 1, 5, 7, 7]
        assert words(ax) == {"1", "64", "2", "128"}


def test_the_ablation_draws_who_is_not_tuned_pale(made):
    (ax,) = draw(made["ablation"]).axes
    assert [line.get_alpha() for line in ax.lines] == [0.3, 1, 0.3, 1, 0.3, 1, 0.3, 1, 1]
    assert {"ACT", "tuned ACT", "FrugalTree", "FrugalTree (pessimism=paper)"} <= words(ax)


def test_figure_14_has_the_papers_curves_beside_ours(made):
    (ax,) = draw(made["figure-14"]).axes
    assert len(ax.lines) == 2 * 3
    assert sum(line.get_alpha() == 1 for line in ax.lines) == 3


def test_figure_15_has_a_panel_for_each_unit(made):
    figure = draw(made["figure-15"])
    assert [ax.get_title() for ax in figure.axes] == ["γ = 500", "γ = 5000"]
    assert all(len(ax.lines) == 5 for ax in figure.axes)


def test_critical_differences_have_a_panel_for_each_level(made):
    figure = draw(made["critical-difference"])
    assert len(figure.axes) == 5
    assert any(word.strip().startswith("C4.5") for word in words(figure.axes[0]))
    title = figure.axes[0].get_title(loc="left")
    assert title.startswith("an error costs 100: critical difference")
    assert "1 is the cheapest" in figure.get_suptitle()


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_known_is_a_picture_with_a_sentence(name):
    figure = draw(ResultTable(name, "A title.", pl.DataFrame(), notes=("Nothing is known yet.",)))
    assert [text.get_text() for text in figure.texts] == ["Nothing is known yet."]


def test_files_are_named_by_their_kind(made, tmp_path):
    save(made["figure-14"], tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").read_bytes().startswith(b"<?xml")
    save(made["figure-14"], tmp_path / "figure.PNG")
    assert (tmp_path / "figure.PNG").read_bytes() == png(made["figure-14"])
    with pytest.raises(FrugaltreeError, match=r"as figure.gif; let the name end in .svg or .png"):
        save(made["figure-14"], tmp_path / "figure.gif")


def test_a_sheet_without_a_picture_is_told():
    with pytest.raises(FrugaltreeError, match="'table-1' has no picture"):
        draw(ResultTable("table-1", "A title.", pl.DataFrame()))


def test_every_learner_looks_different():
    assert set(LEARNER_STYLES) == set(LEARNERS) - set(TUNED)
    looks = [*LEARNER_STYLES.values(), OTHER]
    assert len({one.colour for one in looks}) == len({one.marker for one in looks}) == len(looks)
    assert get_style("act(n_samples=4)") == get_style("act-tuned") == LEARNER_STYLES["act"]


def test_names_at_the_ends_of_curves_keep_apart():
    assert spread([1.0, 10.0], 2.0) == [1.0, 10.0]
    assert spread([5.0, 5.0, 5.0], 2.0) == [3.0, 5.0, 7.0]
    places = spread([1.0, 1.1, 2.9, 3.0, 9.0], 1.0)
    assert all(b - a >= 1 - 1e-9 for a, b in pairwise(places))


def test_drawing_leaves_no_global_state(made):
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw(made["figure-10"])
    assert dict(matplotlib.rcParams) == before
