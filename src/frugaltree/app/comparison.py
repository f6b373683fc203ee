"""``frugaltree compare``: what can be asked of it; how it is done is in `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from frugaltree.app.costs import Drop
from frugaltree.app.options import TABLE, Nominal, Numeric, Prices, Sheet


def compare(
    data: Annotated[Path, typer.Argument(help=TABLE)],
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict.")],
    costs: Prices = None,
    learners: Annotated[
        str | None,
        typer.Option("--learners", "-l", help="As in act,icet(generations=4),module:Class."),
    ] = None,
    time: Annotated[
        str,
        typer.Option(
            "--time", help="How long each fit may search, where the learner would search on."
        ),
    ] = "2s",
    folds: Annotated[
        int,
        typer.Option(
            "--folds", "-k", min=2, help="In how many parts cases are dealt, each held out once."
        ),
    ] = 10,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Another one shuffles and draws anew.")
    ] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1: one per core.")] = -1,
    nominal: Nominal = None,
    numeric: Numeric = None,
    drop: Drop = None,
    sheet: Sheet = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", "-p", help="Draw a picture: .svg or .png.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the learner that costs least on a table of your own, by cross-validation."""
    from frugaltree.app.compare import run
    from frugaltree.app.tables import listed

    run(
        data,
        target,
        costs,
        learners,
        folds=folds,
        seed=seed,
        jobs=jobs,
        as_json=as_json,
        plot=plot,
        limit=time,
        nominal=listed(nominal),
        numeric=listed(numeric),
        drop=drop or (),
        sheet=sheet,
    )
