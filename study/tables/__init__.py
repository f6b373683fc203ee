"""The tables of the study, each a function from scores to a sheet.

`known` sorts out what comparisons may rest on, `means`, `contests`, `strict`, `data_sets`,
`ablation` and `clock` compute, `cells` writes numbers down, and `sheet` is what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from frugaltree.compare.grid import Grid
from frugaltree.exceptions import FrugaltreeError, did_you_mean
from study.plan import Experiment, experiments
from study.scores import scores
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
from study.tables.result_table import Sheet
from study.tables.significance import critical_difference, significance
from study.tables.training_time import figure_13, times

__all__ = ["TABLES", "Sheet", "Table", "sheets"]


@dataclass(frozen=True)
class Table:
    """How a sheet is made: the function, and the experiment whose scores it takes."""

    make: Callable[[Experiment, pl.DataFrame], Sheet]
    experiment: str


TABLES: dict[str, Table] = {
    "table-1": Table(table_1, "main"),
    "table-2": Table(table_2, "main"),
    "table-3": Table(table_3, "nonuniform"),
    "table-4": Table(table_4, "nonuniform"),
    "figure-10": Table(figure_10, "main"),
    "figure-11": Table(figure_11, "main"),
    "figure-12": Table(figure_12, "main"),
    "figure-13": Table(figure_13, "curves"),
    "figure-14": Table(figure_14, "random"),
    "figure-15": Table(figure_15, "nonuniform"),
    "significance": Table(significance, "main"),
    "critical-difference": Table(critical_difference, "main"),
    "per-data-set": Table(per_data_set, "main"),
    "thesis": Table(thesis, "main"),
    "times": Table(times, "main"),
    "turney": Table(turney, "turney"),
    "ablation": Table(ablation, "ablation"),
    "peers": Table(peers, "peers"),
}
"""Every sheet of the study, by name."""


def sheets(
    outcomes: pl.DataFrame,
    names: Iterable[str] = (),
    *,
    quick: bool = False,
    learners: Sequence[str] = (),
) -> Iterator[Sheet]:
    """Yield sheets: those named, in this order, or all.

    Parameters
    ----------
    outcomes
        As `study.results.Results.frame` returns them.
    names
        Names of sheets, as in `TABLES`.
    quick
        Take the small part of each experiment for the whole.
    learners
        Shown beside those of each experiment, once they have been through its problems.

    Examples
    --------
    >>> from study.results import SCHEMA
    >>> (sheet,) = sheets(pl.DataFrame(schema=SCHEMA), ["turney"])
    >>> sheet.notes[0]
    'Nothing is known yet: ...; `python -m study run turney` does it.'
    """
    wanted = list(names) or list(TABLES)
    for name in wanted:
        if name not in TABLES:
            raise FrugaltreeError(
                f"there is no sheet {name!r}; choose among {', '.join(TABLES)}."
                f"{did_you_mean(name, TABLES)}"
            )
    planned = {each.name: each.show_beside(learners) for each in experiments()}
    planned = {name: each.quick() if quick else each for name, each in planned.items()}
    known: dict[str, pl.DataFrame] = {}
    for name in wanted:
        table = TABLES[name]
        experiment = planned[table.experiment]
        if table.experiment not in known:
            known[table.experiment] = scores(experiment, outcomes)
        yield table.make(experiment, known[table.experiment])
