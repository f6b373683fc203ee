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
    IN_PRINT,
    NONE,
    REFERENCE,
    Row,
    frame,
    nothing,
    p_text,
    pivot,
    ratios,
)
from study.tables.complete import Known
from study.tables.means import costs
from study.tables.result_table import Sheet

Printed = Mapping[str, Mapping[str, published.Contest]]
"""What is in print for a level and a rival of ACT."""

T_TEST = "Two-sided, at 5 %; equal in all folds is no win, the same difference in all is one."
COUNTS = f"{IN_PRINT} Its counts are out of {published.N_PROBLEMS} problems."


def table_2(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Significant differences to ACT, by t-tests and by Wilcoxon's test (section 4.2.3)."""
    name = "table-2"
    heading = "Problems won by paired t-tests over folds, and the winner by Wilcoxon's test."
    pairs = contenders(experiment, scores)
    if not pairs:
        return nothing(name, heading, experiment)
    numbers = _contests(pairs, published.TABLE_2)
    grids = (
        pivot(numbers, "errors", "other", _won, head="mc", caption="Problems won by t-tests"),
        pivot(numbers, "errors", "other", _winner, head="mc", caption="Winner by Wilcoxon's test"),
    )
    notes = (
        *pair_notes(pairs),
        T_TEST,
        "Wilcoxon's test is over the means of problems; those without a difference are dropped.",
        COUNTS,
    )
    return Sheet(name, heading, numbers, grids, notes)


def table_4(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Significant differences to ACT when error costs are nonuniform (section 4.7)."""
    name = "table-4"
    heading = "Problems won by paired t-tests over folds when error costs are nonuniform."
    pairs = contenders(experiment, scores)
    if not pairs:
        return nothing(name, heading, experiment)
    numbers = ratios(_contests(pairs, published.TABLE_4))
    grids = tuple(
        pivot(part, "penalties", "other", _won, head="FP:FN", caption=f"γ = {gamma}")
        for (gamma,), part in numbers.group_by("gamma", maintain_order=True)
    )
    notes = (
        *pair_notes(pairs),
        "FP and FN are what false positives and negatives cost, in units of γ.",
        T_TEST,
        COUNTS,
    )
    return Sheet(name, heading, numbers, grids, notes)


def peers(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Average cost of ACT and of today's learners, and significant differences between them."""
    name = "peers"
    heading = (
        "Average cost in percent of the standard cost: ACT, FrugalTree and learners of today."
    )
    sheet = costs(name, heading, Known.of(experiment, scores), {})
    pairs = contenders(experiment, scores)
    if sheet.numbers.is_empty() or not pairs:
        return sheet
    numbers = _contests(pairs, {})
    grids = (
        pivot(numbers, "errors", "other", _won, head="mc", caption="Problems won by t-tests"),
        pivot(numbers, "errors", "other", _winner, head="mc", caption="Winner by Wilcoxon's test"),
    )
    notes = [f"Tests: {' '.join(pair_notes(pairs))}", T_TEST]
    return replace(sheet, grids=(*sheet.grids, *grids), notes=(*sheet.notes, *notes))


def figure_11(experiment: Experiment, scores: pl.DataFrame) -> Sheet:
    """Every problem as a point: its cost under ACT against that under another learner."""
    name = "figure-11"
    heading = "Cost of each problem under ACT against that under another learner."
    pairs = contenders(experiment, scores)
    if not pairs:
        return nothing(name, heading, experiment)
    rows = [
        (level, other, problem.data, problem.prices, theirs, ours)
        for level in experiment.levels
        for other, known in pairs.items()
        for problem, theirs, ours in zip(
            known.problems, known.means(other, level), known.means(REFERENCE, level), strict=True
        )
    ]
    numbers = frame(rows, "errors", "other", "data", "prices", "percent", "percent_act")
    sides = [
        (level, other, *_sides(known, other, level))
        for level in experiment.levels
        for other, known in pairs.items()
    ]
    grid = pivot(
        frame(sides, "errors", "other", "wins", "ties", "wins_act"),
        "errors",
        "other",
        lambda row: f"{row['wins']} : {row['wins_act']}, {row['ties']} equal",
        head="mc",
        caption="Problems on which each is cheaper, by however little",
    )
    return Sheet(name, heading, numbers, (grid,), tuple(pair_notes(pairs)))


def contenders(experiment: Experiment, scores: pl.DataFrame) -> dict[str, Known]:
    """Return each learner that sees error costs, with what it and ACT have both been through."""
    rivals = [name for name in experiment.shown if find(name).sees == "all" and name != REFERENCE]
    pairs = {
        other: Known.of(replace(experiment, learners=(other, REFERENCE), guests=()), scores)
        for other in rivals
    }
    return {
        other: known
        for other, known in pairs.items()
        if known.problems and len(known.learners) > 1
    }


def pair_notes(pairs: Mapping[str, Known]) -> list[str]:
    """Return sentences on what comparisons rest on, once where it is the same for all."""
    if len({known.problems for known in pairs.values()}) == 1:
        return next(iter(pairs.values())).notes()
    return [f"{get_title(other)}: {' '.join(known.notes())}" for other, known in pairs.items()]


def winner(verdict: Verdict, other: str) -> str | None:
    """Return who wins by a test, if any."""
    return {-1: other, 0: None, 1: REFERENCE}[verdict.winner()]


def _contests(pairs: Mapping[str, Known], printed: Printed) -> pl.DataFrame:
    """Return wins and Wilcoxon's verdict for each level and rival, with those in print."""
    rows = []
    for level in next(iter(pairs.values())).experiment.levels:
        for other, known in pairs.items():
            won = wins(known.folds(other, level), known.folds(REFERENCE, level))
            verdict = wilcoxon(known.means(other, level), known.means(REFERENCE, level))
            paper = printed.get(level, {}).get(other, (None, None, None))
            ours = (*won, verdict.p, winner(verdict, other), len(known.problems))
            rows.append((level, other, *ours, *paper))
    return frame(
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
    text = p_text(p)
    return text if text.startswith("<") else f"= {text}"


def _sides(known: Known, other: str, level: str) -> tuple[int, int, int]:
    """Return on how many problems the other, neither, and ACT is cheaper."""
    gaps = differences(known.means(other, level), known.means(REFERENCE, level))
    return int(np.sum(gaps < 0)), int(np.sum(gaps == 0)), int(np.sum(gaps > 0))
