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
from study.tables.cells import NONE, REFERENCE, frame, nothing, p_text, pivot
from study.tables.complete import Known
from study.tables.pairwise import contenders, pair_notes, winner
from study.tables.result_table import Sheet


def significance(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Differences to ACT by three tests that ask for more than the paper's."""
    name = "significance"
    heading = "Differences to ACT by stricter tests than the paper's."
    pairs = contenders(experiment, scores)
    if not pairs:
        return nothing(name, heading, experiment)
    numbers = frame(
        [row for other, known in pairs.items() for row in _verdicts(other, known)],
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
    return Sheet(name, heading, numbers, grids, notes)


def _verdicts(other: str, known: Known) -> list[tuple[Any, ...]]:
    """Return what the tests say about one learner and ACT, level by level."""
    levels = known.experiment.levels
    costs = [
        (known.data_means(other, level), known.data_means(REFERENCE, level)) for level in levels
    ]
    verdicts = [wilcoxon(*pair) for pair in costs]
    raised = holm([verdict.p for verdict in verdicts]).tolist()
    rows = []
    for level, pair, verdict, p in zip(levels, costs, verdicts, raised, strict=True):
        won = wins(known.folds(other, level), known.folds(REFERENCE, level), corrected=True)
        counts = len(known.data_sets), len(known.problems), *won
        decided = winner(Verdict(p, verdict.lean), other)
        rows.append((other, level, *counts, verdict.p, p, decided, *signed_rank_belief(*pair)))
    return rows


def _verdict_grid(other: str, numbers: pl.DataFrame) -> Grid:
    ours, theirs = get_title(REFERENCE), get_title(other)
    rows = tuple(
        (
            row["errors"],
            f"{row['wins']} : {row['wins_act']}",
            p_text(row["wilcoxon_p"]),
            p_text(row["holm_p"]),
            get_title(row["winner"]) if row["winner"] else NONE,
            *(f"{row[column]:.2f}" for column in ("p_other", "p_rope", "p_act")),
        )
        for row in numbers.iter_rows(named=True)
    )
    columns = ("mc", f"wins {theirs} : {ours}", "Wilcoxon p", "Holm p", "winner")
    chances = (f"P({theirs} cheaper)", "P(neither)", f"P({ours} cheaper)")
    return Grid((*columns, *chances), rows, f"{theirs} against {ours}")


def critical_difference(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Average ranks over data sets, and how far apart they must be (Friedman, Nemenyi)."""
    name = "critical-difference"
    heading = "Average ranks of the learners over data sets, 1 for the cheapest."
    known = Known.of(experiment, scores)
    if len(known.data_sets) < 2 or len(known.learners) < 3:
        return nothing(name, heading, experiment)
    rows = []
    for level in experiment.levels:
        costs = np.array([known.data_means(learner, level) for learner in known.learners])
        found = ranks(costs.T)
        shared = found.critical_difference, found.p, len(known.data_sets)
        for learner, rank in zip(known.learners, found.average.tolist(), strict=True):
            rows.append((level, learner, rank, *shared))
    numbers = frame(
        rows, "errors", "learner", "rank", "critical_difference", "friedman_p", "data_sets"
    )
    grid = pivot(
        numbers, "errors", "learner", lambda row: f"{row['rank']:.1f}", head="mc", lowest="rank"
    )
    tests = numbers.unique("errors", keep="first", maintain_order=True)
    friedman = ", ".join(p_text(p) for p in tests["friedman_p"])
    notes = (
        *known.notes(),
        f"Costs are averaged over price lists first: {len(known.data_sets)} data sets.",
        f"Friedman's p, error cost by error cost: {friedman}.",
        f"Ranks further apart than {found.critical_difference:.2f} differ at 5 % (Nemenyi).",
    )
    return Sheet(name, heading, numbers, (grid,), notes)
