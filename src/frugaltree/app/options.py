"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from frugaltree._registry import LEARNERS
from frugaltree.exceptions import InvalidCosts


def amount(text: str | float) -> float:
    """Return the amount that was given for an option; it may have a comma and a currency.

    >>> amount("12,50"), amount("EUR 5")
    (12.5, 5.0)
    """
    from frugaltree.costs.amounts import amount_in

    try:
        found = amount_in(str(text))
    except InvalidCosts as error:
        raise typer.BadParameter(str(error)) from None
    if found is None:
        raise typer.BadParameter(f"{text!r} is no amount; write such as 12.50 or 12,50.")
    if found.number < 0:
        raise typer.BadParameter(f"{text!r} is less than 0; give 0 or more.")
    return float(found.number)


TABLE = "A table: CSV, TSV, .xlsx, .ods, ARFF, Parquet or a folder of that."
"""What a command says of the table that it reads."""

Prices = Annotated[
    Path | None, typer.Option("--costs", "-c", help="The price list; else DATA with .costs.toml.")
]
Learner = Annotated[str, typer.Option("--learner", "-l", help=f"{', '.join(reversed(LEARNERS))}.")]
Depth = Annotated[
    int | None, typer.Option("--depth", min=0, help="At most so many tests for a case.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Another one shuffles and draws anew.")]
Sheet = Annotated[
    str | None, typer.Option("--sheet", help="Which sheet of a spreadsheet; else the first.")
]
Nominal = Annotated[
    str | None,
    typer.Option("--nominal", help="Columns of numbers that are names, as in zip,ward."),
]
Numeric = Annotated[
    str | None, typer.Option("--numeric", help="Columns of text that are amounts, as in age,crp.")
]
Amount = Annotated[
    str | None,
    typer.Option("--amount", help="A column of numbers: an error costs so many times its price."),
]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget",
        "-b",
        parser=amount,
        metavar="AMOUNT",
        help="What a case may be charged; the model must have trees for budgets.",
    ),
]
Budgets = Annotated[
    str | None,
    typer.Option("--budgets", help="Learn a tree for each budget, as in 5,10,20 or auto."),
]
