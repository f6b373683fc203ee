"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

from frugaltree.costs.amounts import amount_in
from frugaltree.exceptions import InvalidCosts


def amount(text: str | float) -> float:
    """Return the amount that was given for an option; it may have a comma and a currency.

    >>> amount("12,50"), amount("EUR 5")
    (12.5, 5.0)
    """
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

Sheet = Annotated[
    str | None, typer.Option("--sheet", help="Which sheet of a spreadsheet; else the first.")
]
Nominal = Annotated[
    str | None, typer.Option("--nominal", help="Numbers that are names, as in zip,ward.")
]
Numeric = Annotated[str | None, typer.Option("--numeric", help="Text that is numbers, as in age.")]
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
    typer.Option("--budgets", help="A tree for each, as in 5,10,20 or auto; by act."),
]
