"""What came of a comparison: how each learner stands, and who beats whom."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from frugaltree.compare.learners import get_title
from frugaltree.compare.statistics import ALPHA, mean_and_error, paired_t
from frugaltree.exceptions import FrugaltreeError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

SCHEMA = pl.Schema(
    {
        "learner": pl.String,
        "fold": pl.Int64,
        "cases": pl.Int64,
        "test_cost": pl.Float64,
        "error_cost": pl.Float64,
        "total": pl.Float64,
        "percent": pl.Float64,
        "accuracy": pl.Float64,
        "seconds": pl.Float64,
    }
)
"""Scores: costs per case, shares in percent, processor time of the training."""


class Standing(NamedTuple):
    """How a learner stands: means over folds, and the difference from the cheapest.

    Attributes
    ----------
    learner, title
        Its name, and the same for people.
    total, test_cost, error_cost
        Cost per case.
    error
        Standard error of the total.
    percent, accuracy
        The total in percent of the standard cost; right answers in percent.
    gap, gap_error
        How much more it costs than the cheapest, and the standard error of that, fold by fold.
    p, p_corrected
        Of the paired t-test against the cheapest: as in the paper, and by Nadeau and Bengio.
    seconds
        Processor time of a fit, the median.
    """

    learner: str
    title: str
    total: float
    error: float
    test_cost: float
    error_cost: float
    percent: float
    accuracy: float
    gap: float
    gap_error: float
    p: float
    p_corrected: float
    seconds: float

    @property
    def verdict(self) -> str:
        """What both tests say of the gap: the corrected one decides."""
        if self.gap == 0:
            return "cheapest"
        if self.p_corrected < ALPHA:
            return "dearer"
        if self.p < ALPHA:
            return "perhaps dearer"
        return "no clear difference"


class Pair(NamedTuple):
    """One learner against another: folds won and lost, and who is significantly cheaper.

    ``winner`` is -1 for the first, 1 for the second and 0 for neither, by the corrected test.
    """

    won: int
    lost: int
    winner: int


@dataclass(frozen=True, eq=False)
class Comparison:
    """What came of a comparison.

    Printed, it is a table; ``rich`` prints it in colour.

    Attributes
    ----------
    scores
        One row for each learner and fold, with the columns of `SCHEMA`.
    standard_cost
        What 100 % stands for: all tests, and the share of errors of the best guess, each at the
        dearest price.
    all_tests, guess
        Cost of all tests; and of the cheapest answer without any.
    cases, folds, seed
        Number of cases and folds, and the seed of the shuffling.
    unit
        Of the costs, if they have one.

    Examples
    --------
    >>> rows = [("act", 0, 5, 2.0, 1.0, 3.0, 30.0, 90.0, 0.1),
    ...         ("act", 1, 5, 2.0, 3.0, 5.0, 50.0, 70.0, 0.1),
    ...         ("c4.5", 0, 5, 6.0, 0.0, 6.0, 60.0, 99.0, 0.1),
    ...         ("c4.5", 1, 5, 6.0, 1.0, 7.0, 70.0, 90.0, 0.1)]
    >>> scores = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    >>> found = Comparison(scores, standard_cost=10, all_tests=8, guess=4, cases=10, folds=2)
    >>> cheapest, other = found.standings
    >>> cheapest.title, cheapest.total, other.gap  # 6.5 - 4
    ('ACT', 4.0, 2.5)
    >>> found.pairs["act", "c4.5"]
    Pair(won=2, lost=0, winner=0)
    """

    scores: pl.DataFrame
    standard_cost: float
    all_tests: float
    guess: float
    cases: int
    folds: int
    seed: int = 0
    unit: str | None = None

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """How each learner stands, the cheapest first."""
        means = self.scores.group_by("learner", maintain_order=True).agg(
            pl.col("total", "test_cost", "error_cost", "percent", "accuracy").mean(),
            pl.col("seconds").median(),
        )
        rows = means.sort("total", maintain_order=True).to_dicts()
        return tuple(self._standing(row, rows[0]["learner"]) for row in rows)

    def _standing(self, row: dict[str, Any], cheapest: str) -> Standing:
        ours, theirs = self._totals(row["learner"]), self._totals(cheapest)
        gap, gap_error = mean_and_error(ours - theirs)
        return Standing(
            **row,
            title=_title_or_name(row["learner"]),
            error=mean_and_error(ours)[1],
            gap=gap,
            gap_error=gap_error,
            p=self._p(row["learner"], cheapest),
            p_corrected=self._p(row["learner"], cheapest, corrected=True),
        )

    def _totals(self, learner: str, column: str = "total") -> npt.NDArray[np.float64]:
        return self.scores.filter(learner=learner)[column].to_numpy()

    def _p(self, first: str, second: str, *, corrected: bool = False) -> float:
        # In percent, for there rounding is told from a difference at a fixed size.
        ours, theirs = self._totals(first, "percent"), self._totals(second, "percent")
        return paired_t(ours, theirs, corrected=corrected).p

    @cached_property
    def pairs(self) -> dict[tuple[str, str], Pair]:
        """Each learner against each other, in the order of the standings."""
        names = [standing.learner for standing in self.standings]
        return {(a, b): self._make_pair(a, b) for a in names for b in names if a != b}

    def _make_pair(self, first: str, second: str) -> Pair:
        ours, theirs = self._totals(first, "percent"), self._totals(second, "percent")
        verdict = paired_t(ours, theirs, corrected=True)
        return Pair(int((ours < theirs).sum()), int((ours > theirs).sum()), verdict.winner())

    # ------------------------------------------------------------------- to be read

    def __rich__(self) -> RenderableType:
        from frugaltree.compare.showing import render

        return render(self)

    def __str__(self) -> str:
        from frugaltree.compare.showing import text

        return text(self)

    def to_markdown(self) -> str:
        """Return standings and duels as Markdown."""
        from frugaltree.compare.showing import markdown

        return markdown(self)

    def to_json(self) -> str:
        """Return standings, duels and the scores of every fold as JSON."""
        content = {
            "cases": self.cases,
            "folds": self.folds,
            "seed": self.seed,
            "unit": self.unit,
            "standard_cost": self.standard_cost,
            "all_tests": self.all_tests,
            "guess": self.guess,
            "learners": [
                {**standing._asdict(), "verdict": standing.verdict} for standing in self.standings
            ],
            "duels": [
                {"first": first, "second": second, **pair._asdict()}
                for (first, second), pair in self.pairs.items()
            ],
            "scores": self.scores.to_dicts(),
        }
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)

    def plot(self) -> Figure:
        """Return a matplotlib figure: what tests and errors cost with each learner."""
        from frugaltree.compare.showing import draw

        return draw(self)


def _title_or_name(learner: str) -> str:
    """Return the title of a learner, or the name that somebody gave to an estimator."""
    try:
        return get_title(learner)
    except FrugaltreeError:
        return learner
