"""Sheets from small made-up scores, whose numbers can be checked by hand."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import polars as pl
import pytest

from frugaltree.datasets import names
from frugaltree.exceptions import FrugaltreeError
from study import published
from study.learners import LEARNERS, PAPER
from study.plan import Experiment, plan_experiments
from study.problems import LEVELS, Problem, list_nonuniform_levels
from study.results import SCHEMA
from study.scores import SCORES
from study.tables import TABLES, ResultTable, make_tables
from study.tables.complete import CompleteScores, split_by_data_set

AWARE = ("dtmc", "icet", "act")


def problems(*named):
    return tuple(Problem(*name.split("/")) for name in named)


def experiment(
    name="main", learners=AWARE, on=("car/1", "iris/1"), levels=("100", "500"), folds=2
):
    return Experiment(name, (), tuple(learners), problems(*on), tuple(levels), tuple(range(folds)))


def made(study, cost, accuracy=80.0, seconds=0.5):
    """Return scores of an experiment whose costs a function gives; None leaves one out."""
    rows = []
    for learner in study.learners:
        for problem in study.problems:
            for level in study.levels:
                for fold in study.folds:
                    percent = cost(learner, problem.name, level, fold)
                    if percent is not None:
                        key = (learner, problem.data, problem.prices, level, fold)
                        rows.append((*key, 1.0, 1.0, 2.0, percent, accuracy, 3, seconds))
    return pl.DataFrame(rows, schema=SCORES, orient="row")


def make(name, study, cost, **more):
    return TABLES[name].make(study, made(study, cost, **more))


def only(table, **where):
    (row,) = table.numbers.filter(**where).to_dicts()
    return row


def by_learner(**costs):
    return lambda learner, problem, level, fold: costs[learner]


# ------------------------------------------------------------------------------ what is known


def test_a_problem_that_one_learner_lacks_is_left_out():
    study = experiment()

    def cost(learner, problem, level, fold):
        missing = (learner, problem, level, fold) == ("icet", "iris/1", "500", 1)
        return None if missing else 10.0

    known = CompleteScores.of(study, made(study, cost))
    assert known.learners == AWARE
    assert known.problems == problems("car/1")
    notes = " ".join(known.notes())
    assert "rests on 1 of 105 problems" in notes
    assert "problems of iris" in notes


def test_a_learner_that_is_nowhere_complete_is_left_out():
    study = experiment()
    known = CompleteScores.of(study, made(study, lambda who, *_: None if who == "icet" else 1.0))
    assert known.learners == ("dtmc", "act")
    assert len(known.problems) == 2
    assert "complete on no problem: ICET" in " ".join(known.notes())


def test_scores_of_other_experiments_do_no_harm():
    study = experiment()
    wide = experiment(learners=PAPER, levels=LEVELS, folds=10, on=("car/1", "car/2", "iris/1"))
    known = CompleteScores.of(study, made(wide, lambda *_: 1.0))
    assert known.scores.height == 3 * 2 * 2 * 2
    assert known.folds("act", "500").shape == (2, 2)


def test_scores_come_in_the_order_of_problems_and_folds():
    study = experiment(on=("iris/1", "car/1", "car/2"))
    order = {"car/1": 10.0, "car/2": 20.0, "iris/1": 30.0}
    scores = made(study, lambda who, problem, level, fold: order[problem] + fold)
    known = CompleteScores.of(study, scores.sample(fraction=1, shuffle=True, seed=0))
    assert known.folds("act", "100").tolist() == [[10, 11], [20, 21], [30, 31]]
    assert known.means("act", "100").tolist() == [10.5, 20.5, 30.5]
    assert known.data_means("act", "100").tolist() == [15.5, 30.5]


def test_data_sets_are_known_one_by_one():
    study = experiment()
    scores = made(study, lambda who, on, *_: None if (who, on) == ("icet", "iris/1") else 1.0)
    known = split_by_data_set(study, scores)
    assert known["car"].learners == AWARE
    assert known["iris"].learners == ("dtmc", "act")


def test_folds_cut_down_are_told():
    study = experiment()
    assert (
        "Cut down to 2 of 10 folds."
        in CompleteScores.of(study, made(study, lambda *_: 1.0)).notes()
    )


# ------------------------------------------------------------------------------ tables


def test_table_1_has_means_intervals_and_the_papers_numbers():
    costs = {"car/1": 10.0, "iris/1": 14.0}
    table = make("table-1", experiment(), lambda who, problem, level, fold: costs[problem] + fold)
    row = only(table, errors="500", learner="act")
    # Problem means 10.5 and 14.5: the root of 8 by the root of 2 is 2, times 1.96.
    assert row["percent"] == pytest.approx(12.5)
    assert row["interval"] == pytest.approx(3.92)
    assert (row["published"], row["published_interval"]) == (34.5, 3.2)
    assert row["problems"] == 2
    assert "12.5 ± 3.9 (34.5)" in table.markdown()


def test_the_lowest_of_a_row_is_bold():
    table = make("table-1", experiment(), by_learner(dtmc=30.0, icet=20.0, act=20.01))
    (grid,) = table.grids
    assert grid.strong == {(i, j) for i in (0, 1) for j in (2, 3)}


def test_one_problem_has_no_interval():
    table = make("table-1", experiment(on=("car/1",)), lambda *_: 10.0)
    assert only(table, errors="100", learner="act")["interval"] is None
    assert "| 10.0 (15.2)" in table.markdown().replace("**", "")
    json.loads(table.json())


def test_table_2_counts_wins_and_finds_the_winner():
    study = experiment(on=[f"{data}/1" for data in names()[:6]], folds=10)
    gap = {"car/1": 1.0, "bupa/1": 0.0}

    def cost(learner, problem, level, fold):
        if learner == "dtmc":  # loses on car, ties on bupa, wins four by a constant
            return 50.0 + gap.get(problem, -2.0)
        return 50.0 if learner == "act" else 60.0

    table = make("table-2", study, cost)
    dtmc = only(table, errors="500", other="dtmc")
    assert (dtmc["wins"], dtmc["wins_act"]) == (4, 1)
    # Ranks 3.5, 3.5, 3.5, 3.5 less 1 are too few to decide.
    assert dtmc["winner"] is None
    icet = only(table, errors="500", other="icet")
    assert (icet["wins"], icet["wins_act"], icet["winner"]) == (0, 6, "act")
    assert icet["wilcoxon_p"] == pytest.approx(2 / 64)
    assert "0 : 6 (5 : 23)" in table.markdown()
    assert "ACT, p = 0.031 (ACT)" in table.markdown()


def test_a_rival_may_be_further_than_another():
    study = experiment()
    table = make(
        "table-2", study, lambda who, on, *_: None if (who, on) == ("icet", "car/1") else 1
    )
    assert only(table, errors="100", other="dtmc")["problems"] == 2
    assert only(table, errors="100", other="icet")["problems"] == 1
    assert any(note.startswith("ICET: It rests on 1 of") for note in table.notes)


def test_table_3_shows_ratios_for_each_unit():
    levels = [level for gamma in (500, 5000) for level in list_nonuniform_levels(gamma)]
    study = experiment("nonuniform", ("c4.5", "eg2", *AWARE), levels=levels)
    table = make("table-3", study, by_learner(**{"c4.5": 40.0}, eg2=39, dtmc=3, icet=2, act=1.0))
    row = only(table, errors="500:4000", learner="act")
    assert (row["gamma"], row["ratio"], row["published"]) == (500, 0.125, 11.9)
    assert [grid.caption for grid in table.grids] == ["γ = 500", "γ = 5000"]
    assert table.grids[1].columns == ("FP:FN", "1:8", "1:4", "1:2", "1:1", "2:1", "4:1", "8:1")
    assert table.grids[1].rows[-1][1] == "1.0 (12.9)"
    assert table.grids[1].strong == {(4, column) for column in range(1, 8)}
    assert TABLES["figure-15"].make(study, made(study, lambda *_: 1.0)).name == "figure-15"


def test_table_4_has_the_papers_counts_beside_ours():
    levels = [level for gamma in (500, 5000) for level in list_nonuniform_levels(gamma)]
    study = experiment("nonuniform", AWARE, levels=levels)
    table = make("table-4", study, by_learner(dtmc=2.0, icet=1.0, act=1.0))
    assert table.grids[0].rows[0] == ("1:8", "0 : 2 (4 : 22)", "0 : 0 (11 : 52)")
    assert table.grids[1].rows[-1] == ("8:1", "0 : 2 (0 : 62)", "0 : 0 (0 : 67)")


def test_figure_11_has_a_point_for_each_problem():
    table = make("figure-11", experiment(), by_learner(dtmc=2.0, icet=0.5, act=1.0))
    assert table.numbers.height == 2 * 2 * 2
    row = only(table, errors="100", other="icet", data="car")
    assert (row["percent"], row["percent_act"]) == (0.5, 1.0)
    assert table.grids[0].rows[0] == ("100", "0 : 2, 0 equal", "2 : 0, 0 equal")


def test_figure_12_is_about_accuracy():
    study = experiment(learners=("lsid3", "act"))
    table = make("figure-12", study, lambda *_: 1.0, accuracy=77.0)
    assert only(table, errors="100", learner="act")["accuracy"] == 77
    assert table.notes[-1].endswith("at mc = 500: p = 1.000.")


def test_figure_13_has_settings_seconds_and_costs():
    learners = ("eg2", "act(n_samples=1)", "act(n_samples=2)")
    study = experiment("curves", learners, on=("xor-5/1", "xor-5/2"), levels=("5000",))
    table = make("figure-13", study, lambda who, on, *_: float(on[-1]), seconds=0.25)
    row = only(table, learner="act(n_samples=2)")
    assert (row["data"], row["setting"], row["seconds"]) == ("xor-5", 2, 0.25)
    assert row["percent"] == pytest.approx(1.5)
    assert only(table, learner="eg2")["setting"] is None
    assert table.grids[0].rows[0] == ("EG2", "1.5 in 0.25 s")


def test_figure_14_has_the_papers_numbers():
    table = make("figure-14", experiment("random", on=("car/random-1",)), lambda *_: 1.0)
    assert only(table, errors="500", learner="icet")["published"] == 31.8


def test_per_data_set_pairs_with_act_and_keeps_experts_apart():
    study = experiment(on=("heart/1", "heart/2", "heart/expert"), levels=("100",))

    def cost(learner, problem, level, fold):
        if problem == "heart/expert":
            return 5.0
        return {"act": 10.0, "dtmc": 12.0 + 2 * fold, "icet": 10.0}[learner]

    table = make("per-data-set", study, cost)
    row = only(table, data="heart", learner="dtmc")
    # Differences 2, 4, 2, 4: mean 3, sd 2 by the root of 3, over the root of 4.
    assert row["percent"] == pytest.approx(13)
    assert row["difference"] == pytest.approx(3)
    assert row["standard_error"] == pytest.approx(1 / 3**0.5)
    assert only(table, data="heart", learner="act")["standard_error"] is None
    assert only(table, data="heart (expert)", learner="act")["percent"] == 5
    assert "13.0 ± 0.6" in table.markdown()


def test_a_learner_missing_on_a_data_set_leaves_a_gap():
    study = experiment(learners=PAPER)
    table = make("per-data-set", study, lambda who, on, *_: None if who + on == "idxcar/1" else 1)
    grid = table.grids[0]
    assert grid.columns == ("data set", *(LEARNERS[name].title for name in PAPER))
    assert grid.rows[0][grid.columns.index("IDX")] == "–"


def test_significance_takes_data_sets_for_units():
    data = names()[:8]
    study = experiment(on=[f"{name}/{draw}" for name in data for draw in (1, 2)], folds=10)
    noise = [0.3, -0.3, 0.2, -0.2, 0.1, -0.1, 0.3, -0.3, 0.2, -0.2]

    def cost(learner, problem, level, fold):
        worse = {"act": 0.0, "dtmc": 5.0, "icet": 0.5}[learner]
        return 30.0 + worse + (noise[fold] if learner == "dtmc" else 0)

    table = make("significance", study, cost)
    dtmc, icet = (only(table, errors="100", other=other) for other in ("dtmc", "icet"))
    assert (dtmc["data_sets"], dtmc["problems"]) == (8, 16)
    assert (dtmc["wins"], dtmc["wins_act"]) == (0, 16)
    # Eight of eight: 2 of 256 ways, doubled for the two levels.
    assert dtmc["wilcoxon_p"] == pytest.approx(2 / 256)
    assert dtmc["holm_p"] == pytest.approx(4 / 256)
    assert dtmc["winner"] == "act"
    assert dtmc["p_act"] > 0.99
    assert icet["p_rope"] > 0.99
    assert [grid.caption for grid in table.grids] == ["DTMC against ACT", "ICET against ACT"]


def test_critical_difference_ranks_learners_on_data_sets():
    study = experiment(on=("car/1", "car/2", "iris/1", "wine/1"))
    table = make("critical-difference", study, by_learner(dtmc=2.0, icet=3.0, act=1.0))
    row = only(table, errors="100", learner="act")
    assert (row["rank"], row["data_sets"]) == (1, 3)
    # 2.343 times the root of 3 * 4 / (6 * 3).
    assert row["critical_difference"] == pytest.approx(2.343 * (2 / 3) ** 0.5, abs=1e-3)
    quick_data = make("critical-difference", experiment(on=("car/1",)), lambda *_: 1.0)
    assert quick_data.notes[0].startswith("Nothing is known yet")


def test_thesis_judges_data_sets_and_prints_the_generated_apart():
    on = ("heart/1", "heart/expert", "multi-xor/1", "wine/1")
    study = experiment(on=on, levels=LEVELS)
    table = make("thesis", study, lambda who, on, *_: 99.0 if "expert" in on else 33.0)
    row = only(table, data="heart", errors="500", learner="act")
    assert row["judged"]
    assert row["difference"] == pytest.approx(2.0)
    assert not only(table, data="multi-xor", errors="500", learner="act")["judged"]
    assert set(table.numbers["data"]) == {"heart", "multi-xor"}
    # Against 31.0 and 41.4, and against 32.5 and 21.3.
    gaps = dict(zip(table.grids[0].columns, table.grids[0].rows[-1], strict=True))
    assert gaps == {
        "learner": "ACT",
        "absolute": "5.2",
        "signed": "-3.2",
        "numbers": "2",
        "absolute, generated": "6.1",
        "signed, generated": "+6.1",
        "numbers, generated": "2",
    }
    captions = [grid.caption for grid in table.grids[1:]]
    assert captions[0] == "mc = 500"
    assert captions[-1] == "mc = 1000, generated data sets"


def test_times_end_with_all_problems():
    table = make("times", experiment(), lambda *_: 1.0, seconds=0.013)
    assert table.grids[0].rows[-1] == ("all", "0.013", "0.013", "0.013")
    assert only(table, data="car", learner="act")["seconds"] == pytest.approx(0.013)


def test_turney_averages_over_data_sets():
    learners = ("icet(seeded=False)", "icet")
    study = experiment("turney", learners, on=("bupa/turney", "heart/turney"), levels=("10", "50"))
    cost = {"bupa/turney": 60.0, "heart/turney": 40.0}
    table = make("turney", study, lambda who, on, level, fold: cost[on] + (level == "50") * 2)
    assert only(table, data="bupa", learner="icet")["percent"] == pytest.approx(61)
    assert only(table, data="all", learner="icet(seeded=False)")["percent"] == pytest.approx(51)
    assert table.grids[0].rows[-1] == ("all", "51.0 (50.0)", "51.0")
    assert "paper's own implementation has 50.8" in " ".join(table.notes)


@pytest.mark.parametrize("name", TABLES)
def test_nothing_known_is_a_sentence(name):
    study = {each.name: each for each in plan_experiments()}[TABLES[name].experiment]
    table = TABLES[name].make(study, pl.DataFrame(schema=SCORES))
    assert table.name == name
    assert table.notes[0].startswith("Nothing is known yet")
    assert f"python -m study run {study.name}" in table.markdown()
    assert table.numbers.is_empty()
    assert table.csv() == ""
    assert json.loads(table.json())["numbers"] == []


@pytest.mark.parametrize("name", TABLES)
def test_every_format_holds_the_same_numbers(name):
    whole = {each.name: each for each in plan_experiments()}[TABLES[name].experiment]
    study = replace(whole.quick(), problems=whole.problems[:12:4])
    table = make(name, study, lambda who, on, level, fold: 10.0 + len(who) + fold)
    rows = list(csv.DictReader(io.StringIO(table.csv())))
    assert len(rows) == len(json.loads(table.json())["numbers"]) == table.numbers.height > 0
    assert table.markdown().startswith(f"## {table.heading}\n\n")
    for grid in table.grids:
        assert all(len(row) == len(grid.columns) for row in grid.rows)


def test_peers_are_compared_with_act():
    study = experiment("peers", ("act", "cart", "streed"))
    table = make("peers", study, by_learner(act=10.0, cart=12.0, streed=9.0))
    assert only(table, errors="100", learner="cart")["published"] is None
    assert table.grids[1].rows[0] == ("100", "0 : 2", "2 : 0")


# ------------------------------------------------------------------------------ our own learner


def test_a_guest_is_shown_once_it_has_been_everywhere():
    study = replace(experiment(), also_shown=("frugal",))
    every = made(replace(study, learners=study.shown), by_learner(dtmc=3, icet=2, act=1, frugal=0))
    assert CompleteScores.of(study, every).learners == (*AWARE, "frugal")
    table = TABLES["table-1"].make(study, every)
    assert table.grids[0].columns == ("mc", "DTMC", "ICET", "ACT", "FrugalTree")
    assert table.grids[0].strong == {(0, 4), (1, 4)}
    assert only(table, errors="100", learner="frugal")["published"] is None


def test_a_guest_on_its_way_takes_nothing_away():
    study = replace(experiment(), also_shown=("frugal",))
    without = made(study, lambda *_: 1.0)
    some = made(replace(study, learners=study.shown), lambda *_: 1.0).filter(
        (pl.col("learner") != "frugal") | (pl.col("data") == "car")
    )
    table, partial = (TABLES["table-1"].make(study, scores) for scores in (without, some))
    assert table.numbers.equals(partial.numbers)
    assert "FrugalTree is not shown yet: it has been through 1 of them." in partial.notes
    assert not any("FrugalTree" in note for note in table.notes)
    pairs = TABLES["table-2"].make(study, some)
    assert only(pairs, errors="100", other="frugal")["problems"] == 1
    grid = TABLES["per-data-set"].make(study, some).grids[0]
    assert [row[-1] for row in grid.rows] == ["1.0 ± 0.0", "–"]


def test_the_ablation_tells_search_tuning_and_splits_apart():
    (whole,) = [each for each in plan_experiments() if each.name == "ablation"]
    study = replace(whole, problems=problems("car/1", "iris/1"), folds=(0, 1))
    costs = dict(zip(study.learners, (40, 38, 36, 35, 30, 27, 28, 25, 24), strict=True))
    bonus = {"car/1": 0.0, "iris/1": 2.0}

    def cost(learner, problem, level, fold):
        return costs[learner] + bonus[problem] * (learner == "frugal")

    table = make("ablation", study, cost)
    assert dict(zip(table.grids[1].columns, table.grids[1].rows[0], strict=True)) == {
        "mc": "500",
        "tuning of EG2": "-2.0 ± 0.0",
        "tuning of DTMC": "-1.0 ± 0.0",
        "tuning of ACT": "-3.0 ± 0.0",
        "tuning of the search": "-3.0 ± 0.0",
        "search, paper's estimate": "-2.0 ± 0.0",
        "search, tuned": "-2.0 ± 0.0",
        "values against the rest": "+0.0 ± 1.0",
        "all three": "-5.0 ± 1.0",
    }
    quick_data = make("ablation", study, lambda who, *_: None if "tuned" in who else 1.0)
    assert quick_data.grids[1].rows[0][1:4] == ("–", "–", "–")
    none = make("ablation", study, lambda who, *_: 1.0 if who in ("eg2", "dtmc", "act") else None)
    assert none.notes[0].startswith("Nothing is known yet")


# ------------------------------------------------------------------------------ from outcomes


def test_sheets_start_from_outcomes():
    outcomes = pl.DataFrame(
        [
            (learner, "iris", "1", level, fold, 0.0, "[[0,0,15]]", 15, 1, 0.1)
            for learner in AWARE
            for level in LEVELS
            for fold in range(2)
        ],
        schema=SCHEMA,
        orient="row",
    )
    table_2, figure_11 = make_tables(outcomes, ["table-2", "figure-11"], quick=True)
    assert isinstance(table_2, ResultTable)
    assert only(table_2, errors="100", other="icet")["problems"] == 1
    assert figure_11.numbers["percent"].to_list() == [0.0] * 10


def test_an_unknown_table_is_named_with_its_nearest():
    with pytest.raises(
        FrugaltreeError, match=r"no table or figure 'tabel-1'.*Did you mean 'table-1'\?"
    ):
        list(make_tables(pl.DataFrame(schema=SCHEMA), ["tabel-1"]))


def test_every_planned_table_has_a_sheet():
    planned = {each.name: each for each in plan_experiments()}
    for each in plan_experiments():
        for name in each.fills:
            assert set(each.learners) <= set(planned[TABLES[name].experiment].shown)


# ------------------------------------------------------------------------------ in print


def test_printed_numbers_are_about_what_the_study_knows():
    assert set(published.THESIS) <= set(names())
    assert set(published.TABLE_1) == set(LEVELS) == set(published.FIGURE_14)
    assert len(published.TABLE_3) == len(published.TABLE_4) == 14
    for level in ("500", "5000"):  # Table 3's middle column repeats Table 1
        for learner, estimate in published.TABLE_3[level].items():
            assert estimate.mean == published.TABLE_1[level][learner].mean
        for other, pair in published.TABLE_4[level].items():
            assert pair[:2] == published.TABLE_2[level][other][:2]
