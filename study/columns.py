"""The columns of the results: what each means, in which unit."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl


class Column(NamedTuple):
    """A column of the results file.

    Attributes
    ----------
    name, kind
        Its name, and the type of its values.
    unit
        What its numbers count, empty where it holds names.
    meaning
        A sentence or two.
    """

    name: str
    kind: Any
    unit: str
    meaning: str


COLUMNS = (
    Column(
        "learner",
        pl.String,
        "",
        "The learner, with settings other than its defaults, as in act(n_samples=16); one from "
        "elsewhere as module:Class.",
    ),
    Column(
        "data", pl.String, "", "The table, as `frugaltree datasets` names it, or breast-cancer-20."
    ),
    Column(
        "prices",
        pl.String,
        "",
        "The price list: 1 to 4 are drawn with regard to information, random-1 to random-4 "
        "without; expert has Turney's prices, turney the same with delayed tests.",
    ),
    Column(
        "errors",
        pl.String,
        "money",
        "What an error costs: one number, or two as in 500:4000 for false positives and false "
        "negatives; * where the learner does not see error costs, so that the row holds for all.",
    ),
    Column(
        "fold",
        pl.Int64,
        "number, from 0",
        "The fold whose cases are set aside for testing, one of ten; with the prices turney one "
        "of ten random thirds.",
    ),
    Column(
        "test_cost",
        pl.Float64,
        "money per case",
        "What the tests of a test case cost, on average, in the unit of the price list.",
    ),
    Column(
        "confusion",
        pl.String,
        "cases",
        "Triples [predicted, actual, cases] in JSON; classes by their position in the table's "
        "list of classes, from 0. With `errors` it gives the cost of errors.",
    ),
    Column("cases", pl.Int64, "cases", "The number of test cases."),
    Column(
        "leaves",
        pl.Int64,
        "leaves",
        "The size of the tree; 0 where the learner gives no tree of this package.",
    ),
    Column("seconds", pl.Float64, "processor seconds", "The time of the training, on one core."),
)

SCHEMA = pl.Schema({column.name: column.kind for column in COLUMNS})
"""Names and types, as the packed results have them."""

INTRODUCTION = """\
# Columns of the results

`results.parquet` has one row for each learner, table, price list, level of error costs and fold.
Written by `python -m study columns`.
"""


def describe_columns() -> str:
    """Return the columns as a table in Markdown.

    >>> print(describe_columns().splitlines()[0])
    | column    | type    | unit              | meaning ...|
    """
    rows = [("column", "type", "unit", "meaning")]
    rows += [(one.name, str(one.kind), one.unit, one.meaning) for one in COLUMNS]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |"
        for row in rows
    ]
    rule = f"|{'|'.join(':' + '-' * (width + 1) for width in widths)}|"
    return "\n".join([lines[0], rule, *lines[1:]])


def write_page() -> str:
    """Return the page that describes the columns."""
    return f"{INTRODUCTION}\n{describe_columns()}\n"
