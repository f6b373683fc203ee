"""Stricter tests than the paper's: shared training cases and shared data sets allowed for."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from frugaltree.compare.grid import Grid
from frugaltree.compare.statistics import Verdict
from study.learners import get_title
from study.plan import Experiment
from study.statistics import ROPE, holm, ranks, signed_rank_belief, wilcoxon, wins
from study.tables.cells import NONE, REFERENCE, format_p, make_empty, make_frame, make_grid
from study.tables.complete import CompleteScores
from study.tables.pairwise import find_pairs, pair_notes, winner
from study.tables.result_table import ResultTable


def significance(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Differences to ACT by three tests that ask for more than the paper's."""
    name = "significance"
    heading = "Differences to ACT by stricter tests than the paper's."
    pairs = find_pairs(experiment, scores)
    if not pairs:
        return make_empty(name, heading, experiment)
    numbers = make_frame(
        [row for other, complete in pairs.items() for row in _verdicts(other, complete)],
        *("other", "errors", "data_sets", "problems", "wins", "wins_act"),
        *("wilcoxon_p", "holm_p", "winner", "p_other", "p_rope", "p_act"),
    )
    grids = tuple(
        _verdict_grid(str(other), part)
        for (other,), part in numbers.group_by("other", maintain_order=True)
    )
    notes = (
        *pair_notes(pairs),
        "Wins are problems won by the corrected t-test of Nadeau and Bengio over folds.",
        "Wilcoxon's test and the probabilities take a data set, averaged over its price lists, "
        "for one observation; Holm's correction is over the error costs.",
        "Probabilities are those of the Bayesian signed-rank test: one is cheaper by more than "
        f"{ROPE:g} point of the standard cost, or neither is.",
    )
    return ResultTable(name, heading, numbers, grids, notes)


def _verdicts(other: str, complete: CompleteScores) -> list[tuple[Any, ...]]:
    """Return what the tests say about one learner and ACT, level by level."""
    levels = complete.experiment.levels
    costs = [
        (complete.data_means(other, level), complete.data_means(REFERENCE, level))
        for level in levels
    ]
    verdicts = [wilcoxon(*pair) for pair in costs]
    raised = holm([verdict.p for verdict in verdicts]).tolist()
    rows = []
    for level, pair, verdict, p in zip(levels, costs, verdicts, raised, strict=True):
        won = wins(complete.folds(other, level), complete.folds(REFERENCE, level), corrected=True)
        counts = len(complete.data_sets), len(complete.problems), *won
        decided = winner(Verdict(p, verdict.lean), other)
        rows.append((other, level, *counts, verdict.p, p, decided, *signed_rank_belief(*pair)))
    return rows


def _verdict_grid(other: str, numbers: pl.DataFrame) -> Grid:
    ours, theirs = get_title(REFERENCE), get_title(other)
    rows = tuple(
        (
            row["errors"],
            f"{row['wins']} : {row['wins_act']}",
            format_p(row["wilcoxon_p"]),
            format_p(row["holm_p"]),
            get_title(row["winner"]) if row["winner"] else NONE,
            *(f"{row[column]:.2f}" for column in ("p_other", "p_rope", "p_act")),
        )
        for row in numbers.iter_rows(named=True)
    )
    columns = ("mc", f"wins {theirs} : {ours}", "Wilcoxon p", "Holm p", "winner")
    chances = (f"P({theirs} cheaper)", "P(neither)", f"P({ours} cheaper)")
    return Grid((*columns, *chances), rows, f"{theirs} against {ours}")


def critical_difference(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Average ranks over data sets, and how far apart they must be (Friedman, Nemenyi)."""
    name = "critical-difference"
    heading = "Average ranks of the learners over data sets, 1 for the cheapest."
    complete = CompleteScores.of(experiment, scores)
    if len(complete.data_sets) < 2 or len(complete.learners) < 3:
        return make_empty(name, heading, experiment)
    rows = []
    for level in experiment.levels:
        costs = np.array([complete.data_means(learner, level) for learner in complete.learners])
        found = ranks(costs.T)
        shared = found.critical_difference, found.p, len(complete.data_sets)
        for learner, rank in zip(complete.learners, found.average.tolist(), strict=True):
            rows.append((level, learner, rank, *shared))
    numbers = make_frame(
        rows, "errors", "learner", "rank", "critical_difference", "friedman_p", "data_sets"
    )
    grid = make_grid(
        numbers, "errors", "learner", lambda row: f"{row['rank']:.1f}", head="mc", lowest="rank"
    )
    tests = numbers.unique("errors", keep="first", maintain_order=True)
    friedman = ", ".join(format_p(p) for p in tests["friedman_p"])
    notes = (
        *complete.notes(),
        f"Costs are averaged over price lists first: {len(complete.data_sets)} data sets.",
        f"Friedman's p, error cost by error cost: {friedman}.",
        f"Ranks further apart than {found.critical_difference:.2f} differ at 5 % (Nemenyi).",
    )
    return ResultTable(name, heading, numbers, (grid,), notes)
