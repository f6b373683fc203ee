"""The tables of the study, each a function from scores to a table.

`complete` sorts out what comparisons may rest on; `means`, `pairwise`, `significance`,
`data_sets`, `ablation` and `training_time` compute; `cells` writes numbers down, and
`result_table` is what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from frugaltree.exceptions import FrugaltreeError, did_you_mean
from study.plan import Experiment, plan_experiments
from study.scores import compute_scores
from study.tables.ablation import ablation
from study.tables.data_sets import per_data_set, thesis, turney
from study.tables.means import (
    figure_10,
    figure_12,
    figure_14,
    figure_15,
    table_1,
    table_3,
)
from study.tables.pairwise import figure_11, peers, table_2, table_4
from study.tables.result_table import ResultTable
from study.tables.significance import critical_difference, significance
from study.tables.training_time import figure_13, times

__all__ = ["TABLES", "ResultTable", "TableMaker", "make_tables"]


@dataclass(frozen=True)
class TableMaker:
    """How a table is made: the function, and the experiment whose scores it takes."""

    make: Callable[[Experiment, pl.DataFrame], ResultTable]
    experiment: str


TABLES: dict[str, TableMaker] = {
    "table-1": TableMaker(table_1, "main"),
    "table-2": TableMaker(table_2, "main"),
    "table-3": TableMaker(table_3, "nonuniform"),
    "table-4": TableMaker(table_4, "nonuniform"),
    "figure-10": TableMaker(figure_10, "main"),
    "figure-11": TableMaker(figure_11, "main"),
    "figure-12": TableMaker(figure_12, "main"),
    "figure-13": TableMaker(figure_13, "curves"),
    "figure-14": TableMaker(figure_14, "random"),
    "figure-15": TableMaker(figure_15, "nonuniform"),
    "significance": TableMaker(significance, "main"),
    "critical-difference": TableMaker(critical_difference, "main"),
    "per-data-set": TableMaker(per_data_set, "main"),
    "thesis": TableMaker(thesis, "main"),
    "times": TableMaker(times, "main"),
    "turney": TableMaker(turney, "turney"),
    "ablation": TableMaker(ablation, "ablation"),
    "peers": TableMaker(peers, "peers"),
}
"""Every table of the study, by name."""


def make_tables(
    outcomes: pl.DataFrame,
    names: Iterable[str] = (),
    *,
    quick: bool = False,
    learners: Sequence[str] = (),
) -> Iterator[ResultTable]:
    """Yield tables: those named, in this order, or all.

    Parameters
    ----------
    outcomes
        As `study.results.Results.frame` returns them.
    names
        Names of tables, as in `TABLES`.
    quick
        Take the small part of each experiment for the whole.
    learners
        Shown beside those of each experiment, once they have been through its problems.

    Examples
    --------
    >>> from study.results import SCHEMA
    >>> (table,) = make_tables(pl.DataFrame(schema=SCHEMA), ["turney"])
    >>> table.notes[0]
    'Nothing is known yet: ...; `python -m study run turney` does it.'
    """
    wanted = list(names) or list(TABLES)
    for name in wanted:
        if name not in TABLES:
            raise FrugaltreeError(
                f"there is no table or figure {name!r}; choose among {', '.join(TABLES)}."
                f"{did_you_mean(name, TABLES)}"
            )
    planned = {each.name: each.show_beside(learners) for each in plan_experiments()}
    planned = {name: each.quick() if quick else each for name, each in planned.items()}
    complete: dict[str, pl.DataFrame] = {}
    for name in wanted:
        maker = TABLES[name]
        experiment = planned[maker.experiment]
        if maker.experiment not in complete:
            complete[maker.experiment] = compute_scores(experiment, outcomes)
        yield maker.make(experiment, complete[maker.experiment])
