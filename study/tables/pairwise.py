"""ACT against each other learner that sees error costs: Tables 2 and 4, Figure 11."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from frugaltree.compare.statistics import Verdict, differences
from study import published
from study.learners import find, get_title
from study.plan import Experiment
from study.statistics import wilcoxon, wins
from study.tables.cells import (
    IN_BRACKETS,
    NONE,
    REFERENCE,
    Row,
    add_ratios,
    format_p,
    make_empty,
    make_frame,
    make_grid,
)
from study.tables.complete import CompleteScores
from study.tables.means import costs
from study.tables.result_table import ResultTable

Printed = Mapping[str, Mapping[str, published.PairedWins]]
"""What is in print for a level and a learner other than ACT."""

T_TEST = "Two-sided, at 5 %; equal in all folds is no win, the same difference in all is one."
COUNTS = f"{IN_BRACKETS} Its counts are out of {published.N_PROBLEMS} problems."


def table_2(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Significant differences to ACT, by t-tests and by Wilcoxon's test (section 4.2.3)."""
    name = "table-2"
    heading = "Problems won by paired t-tests over folds, and the winner by Wilcoxon's test."
    pairs = find_pairs(experiment, scores)
    if not pairs:
        return make_empty(name, heading, experiment)
    numbers = _compare_pairs(pairs, published.TABLE_2)
    grids = (
        make_grid(numbers, "errors", "other", _won, head="mc", caption="Problems won by t-tests"),
        make_grid(
            numbers, "errors", "other", _winner, head="mc", caption="Winner by Wilcoxon's test"
        ),
    )
    notes = (
        *pair_notes(pairs),
        T_TEST,
        "Wilcoxon's test is over the means of problems; those without a difference are dropped.",
        COUNTS,
    )
    return ResultTable(name, heading, numbers, grids, notes)


def table_4(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Significant differences to ACT when error costs are nonuniform (section 4.7)."""
    name = "table-4"
    heading = "Problems won by paired t-tests over folds when error costs are nonuniform."
    pairs = find_pairs(experiment, scores)
    if not pairs:
        return make_empty(name, heading, experiment)
    numbers = add_ratios(_compare_pairs(pairs, published.TABLE_4))
    grids = tuple(
        make_grid(part, "penalties", "other", _won, head="FP:FN", caption=f"γ = {gamma}")
        for (gamma,), part in numbers.group_by("gamma", maintain_order=True)
    )
    notes = (
        *pair_notes(pairs),
        "FP and FN are what false positives and negatives cost, in units of γ.",
        T_TEST,
        COUNTS,
    )
    return ResultTable(name, heading, numbers, grids, notes)


def peers(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Average cost of ACT and of today's learners, and significant differences between them."""
    name = "peers"
    heading = (
        "Average cost in percent of the standard cost: ACT, FrugalTree and learners of today."
    )
    table = costs(name, heading, CompleteScores.of(experiment, scores), {})
    pairs = find_pairs(experiment, scores)
    if table.numbers.is_empty() or not pairs:
        return table
    numbers = _compare_pairs(pairs, {})
    grids = (
        make_grid(numbers, "errors", "other", _won, head="mc", caption="Problems won by t-tests"),
        make_grid(
            numbers, "errors", "other", _winner, head="mc", caption="Winner by Wilcoxon's test"
        ),
    )
    notes = [f"Tests: {' '.join(pair_notes(pairs))}", T_TEST]
    return replace(table, grids=(*table.grids, *grids), notes=(*table.notes, *notes))


def figure_11(experiment: Experiment, scores: pl.DataFrame) -> ResultTable:
    """Every problem as a point: its cost under ACT against that under another learner."""
    name = "figure-11"
    heading = "Cost of each problem under ACT against that under another learner."
    pairs = find_pairs(experiment, scores)
    if not pairs:
        return make_empty(name, heading, experiment)
    rows = [
        (level, other, problem.data, problem.prices, theirs, ours)
        for level in experiment.levels
        for other, complete in pairs.items()
        for problem, theirs, ours in zip(
            complete.problems,
            complete.means(other, level),
            complete.means(REFERENCE, level),
            strict=True,
        )
    ]
    numbers = make_frame(rows, "errors", "other", "data", "prices", "percent", "percent_act")
    sides = [
        (level, other, *_sides(complete, other, level))
        for level in experiment.levels
        for other, complete in pairs.items()
    ]
    grid = make_grid(
        make_frame(sides, "errors", "other", "wins", "ties", "wins_act"),
        "errors",
        "other",
        lambda row: f"{row['wins']} : {row['wins_act']}, {row['ties']} equal",
        head="mc",
        caption="Problems on which each is cheaper, by however little",
    )
    return ResultTable(name, heading, numbers, (grid,), tuple(pair_notes(pairs)))


def find_pairs(experiment: Experiment, scores: pl.DataFrame) -> dict[str, CompleteScores]:
    """Return each learner that sees error costs, with what it and ACT have both been through."""
    others = [name for name in experiment.shown if find(name).sees == "all" and name != REFERENCE]
    pairs = {
        other: CompleteScores.of(
            replace(experiment, learners=(other, REFERENCE), also_shown=()), scores
        )
        for other in others
    }
    return {
        other: complete
        for other, complete in pairs.items()
        if complete.problems and len(complete.learners) > 1
    }


def pair_notes(pairs: Mapping[str, CompleteScores]) -> list[str]:
    """Return sentences on what comparisons rest on, once where it is the same for all."""
    if len({complete.problems for complete in pairs.values()}) == 1:
        return next(iter(pairs.values())).notes()
    return [
        f"{get_title(other)}: {' '.join(complete.notes())}" for other, complete in pairs.items()
    ]


def winner(verdict: Verdict, other: str) -> str | None:
    """Return who wins by a test, if any."""
    return {-1: other, 0: None, 1: REFERENCE}[verdict.winner()]


def _compare_pairs(pairs: Mapping[str, CompleteScores], printed: Printed) -> pl.DataFrame:
    """Return wins and Wilcoxon's verdict for each pair and level, with those in print."""
    rows = []
    for level in next(iter(pairs.values())).experiment.levels:
        for other, complete in pairs.items():
            won = wins(complete.folds(other, level), complete.folds(REFERENCE, level))
            verdict = wilcoxon(complete.means(other, level), complete.means(REFERENCE, level))
            paper = printed.get(level, {}).get(other, (None, None, None))
            ours = (*won, verdict.p, winner(verdict, other), len(complete.problems))
            rows.append((level, other, *ours, *paper))
    return make_frame(
        rows,
        *("errors", "other", "wins", "wins_act", "wilcoxon_p", "winner", "problems"),
        *("published_wins", "published_wins_act", "published_winner"),
    )


def _won(row: Row) -> str:
    """Return the problems won by each side."""
    text = f"{row['wins']} : {row['wins_act']}"
    if row["published_wins"] is None:
        return text
    return f"{text} ({row['published_wins']} : {row['published_wins_act']})"


def _winner(row: Row) -> str:
    """Return Wilcoxon's winner and p."""
    ours, theirs = (
        get_title(name) if name else NONE for name in (row["winner"], row["published_winner"])
    )
    text = f"{ours}, p {_equals(row['wilcoxon_p'])}"
    return text if row["published_wins"] is None else f"{text} ({theirs})"


def _equals(p: float) -> str:
    text = format_p(p)
    return text if text.startswith("<") else f"= {text}"


def _sides(complete: CompleteScores, other: str, level: str) -> tuple[int, int, int]:
    """Return on how many problems the other, neither, and ACT is cheaper."""
    gaps = differences(complete.means(other, level), complete.means(REFERENCE, level))
    return int(np.sum(gaps < 0)), int(np.sum(gaps == 0)), int(np.sum(gaps > 0))
