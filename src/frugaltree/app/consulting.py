"""The options of ``frugaltree consult``; :mod:`~frugaltree.app.consult` is the dialogue."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from frugaltree.app.batches import Minutes, Price, RoundTrip
from frugaltree.app.options import Budget


def consult(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    known: Annotated[
        list[str] | None,
        typer.Option("--known", "-k", help="A value at hand, as in age=54; it is free."),
    ] = None,
    budget: Budget = None,
    strategy: Annotated[
        str | None,
        typer.Option("--strategy", "-s", help="Order in batches: sequential, single, several."),
    ] = None,
    round_trip: RoundTrip = 0.0,
    minutes: Minutes = None,
    waiting: Price = "0",
    record: Annotated[
        Path | None, typer.Option("--record", "-r", help="Save the record as JSON.")
    ] = None,
    language: Annotated[
        str | None,
        typer.Option("--language", help="en, de, fr or es; else that of the terminal."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the record; the dialogue goes to stderr.")
    ] = False,
) -> None:
    """Go through one case: which test next, at what price, when to stop."""
    with Console(stderr=True).status("Loading"):
        from frugaltree.app.consult import run

    batches = {"round_trip": round_trip, "minutes": minutes, "waiting": waiting}
    asked = strategy or round_trip or minutes or waiting != "0"
    run(
        Console(),
        model,
        known=known or [],
        record=record,
        as_json=as_json,
        budget=budget,
        language=language,
        batches={**batches, "strategy": strategy or "several"} if asked else None,
    )
