"""Options of several commands about budgets."""

from __future__ import annotations

from typing import Annotated

import typer

Budget = Annotated[
    float | None,
    typer.Option("--budget", "-b", help="What a case may be charged, of a repertoire."),
]
Budgets = Annotated[
    str | None,
    typer.Option("--budgets", help="A tree for each, as in 5,10,20 or auto; by act."),
]
