"""``frugaltree paper``: run the study, see how far it is, and make its tables and figures."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from frugaltree.experiments.results import Results

paper = typer.Typer(
    name="paper",
    help="Run the study of the paper, and make its tables and figures.",
    no_args_is_help=True,
)

PACK_SECONDS = 600
"""How often the packed results are brought up to date during a run."""

Names = Annotated[
    list[str] | None,
    typer.Argument(help="Tables and figures, such as table-1 or figure-13; without, all."),
]
File = Annotated[Path, typer.Option("--results", "-r", help="The results file.")]
Packed = Annotated[
    Path | None,
    typer.Option("--packed", help="A packed copy of the results, read first and kept up to date."),
]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick/--full", help="One price list, two folds, no large table; or everything."
    ),
]
RESULTS = Path("study.sqlite")


@paper.command()
def run(
    names: Names = None,
    results: File = RESULTS,
    packed: Packed = None,
    quick: Quick = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1: one per core.")] = -1,
    backend: Annotated[str, typer.Option(help="processes, dask or ray.")] = "processes",
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler or of a Ray cluster.")
    ] = None,
) -> None:
    """Do what is missing; stop at any time and start again."""
    from frugaltree.experiments.plan import chosen
    from frugaltree.experiments.results import Results
    from frugaltree.experiments.runner import Report
    from frugaltree.experiments.runner import run as do

    console = Console(stderr=True)
    wanted = [e.quick() if quick else e for e in chosen(names or [])]
    with Results(results, create=True) as file:
        if packed is not None and packed.exists():
            taken = file.unpack(packed)
            console.print(f"{taken} outcomes taken up from {escape(str(packed))}")
        keep = _packer(packed)
        whole = Report()
        for experiment in wanted:
            console.print(f"[bold]{experiment.name}[/]: {', '.join(experiment.fills)}")
            report = do(
                experiment.units(),
                file,
                n_jobs=jobs,
                backend=backend,
                scheduler=scheduler,
                console=console,
                after=keep,
            )
            whole.done += report.done
            whole.failed += report.failed
        if packed is not None and not file.is_packed(packed):
            file.pack(packed)
    console.print(escape(str(whole)), soft_wrap=True)
    if whole.failed:
        raise typer.Exit(1)


def _packer(packed: Path | None) -> Callable[[Results], None] | None:
    """Return what packs the results now and then, None if nobody wants them packed."""
    if packed is None:
        return None
    last = time.monotonic()

    def keep(file: Results) -> None:
        nonlocal last
        if time.monotonic() - last > PACK_SECONDS:
            file.pack(packed)
            last = time.monotonic()

    return keep


@paper.command()
def status(names: Names = None, results: File = RESULTS, quick: Quick = False) -> None:
    """Say how much of the study is done."""
    from rich.table import Table

    from frugaltree.experiments.plan import chosen
    from frugaltree.experiments.results import Results
    from frugaltree.experiments.runner import missing, seconds_of

    shown = Table("experiment", "fills", "fits done", "of", "about left", box=None)
    with Results(results) as file:
        for experiment in chosen(names or []):
            units = (experiment.quick() if quick else experiment).units()
            todo = missing(units, file)
            left = sum(map(seconds_of, todo)) / 60
            shown.add_row(
                experiment.name,
                ", ".join(experiment.fills),
                str(len(units) - len(todo)),
                str(len(units)),
                f"{left:.0f} min of one core" if todo else "",
            )
    Console().print(shown)


@paper.command()
def tables(
    names: Names = None,
    results: File = RESULTS,
    quick: Quick = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for Markdown, CSV, JSON and pictures."),
    ] = None,
) -> None:
    """Print tables and figures as numbers beside the paper's, or write them to a folder."""
    from frugaltree.experiments.page import publish
    from frugaltree.experiments.results import Results

    with Results(results) as file:
        outcomes = file.frame()
    publish(outcomes, names or [], out, Console(), quick=quick)


@paper.command()
def claims(results: File = RESULTS, quick: Quick = False) -> None:
    """Print each claim of the paper with yes or no, by our own results."""
    from frugaltree.experiments.claims import judge
    from frugaltree.experiments.results import Results

    with Results(results) as file:
        outcomes = file.frame()
    console = Console()
    for claim in judge(outcomes, quick=quick):
        console.print(str(claim), markup=False, highlight=False, soft_wrap=True)


@paper.command()
def problem(
    name: Annotated[str, typer.Argument(help="A problem, such as heart/expert or car/1.")],
    errors: Annotated[
        str, typer.Option(help="What an error costs: 500, or 500:4000 for FP and FN.")
    ] = "1000",
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for both files.")] = Path(),
) -> None:
    """Write a problem of the study as a table (CSV) with its costs (TOML)."""
    from frugaltree.experiments.problems import Problem

    for path in Problem.named(name).write(out, errors):
        typer.echo(path)


@paper.command()
def problems() -> None:
    """List the names of all problems of the study."""
    from frugaltree.experiments.problems import all_problems

    for one in all_problems():
        typer.echo(one.name)
