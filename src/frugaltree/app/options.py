"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Nominal = Annotated[
    str | None, typer.Option("--nominal", help="Numbers that are names, as in zip,ward.")
]
Numeric = Annotated[str | None, typer.Option("--numeric", help="Text that is numbers, as in age.")]
Amount = Annotated[
    str | None,
    typer.Option("--amount", help="A column of numbers: an error costs so many times its price."),
]
Budget = Annotated[
    float | None,
    typer.Option("--budget", "-b", help="What a case may be charged, of a repertoire."),
]
Budgets = Annotated[
    str | None,
    typer.Option("--budgets", help="A tree for each, as in 5,10,20 or auto; by act."),
]
