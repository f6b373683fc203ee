"""``python -m study``: run the study, see how far it is, and make its tables and figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from study.plan import Experiment
    from study.results import Results

app = typer.Typer(
    name="python -m study",
    help="Run the study of the paper, and make its tables and figures.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

OPTIONAL = dict.fromkeys(
    ("baycomp", "filelock", "matplotlib", "pandas", "scikit_posthocs"),
    "'pip install --group study' in the checkout",
)
"""Modules that the study needs beyond those of the package, and what brings them."""

PACK_SECONDS = 600
"""How often the packed results are brought up to date during a run."""

Names = Annotated[
    list[str] | None,
    typer.Argument(help="Tables and figures, such as table-1 or figure-13; without, all."),
]
File = Annotated[
    Path, typer.Option("--results", "-r", help="The results file: SQLite, or packed (.parquet).")
]
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
Problems = Annotated[
    list[str] | None,
    typer.Option("--problem", "-p", help="Only this problem, such as heart/expert; or several."),
]
Learners = Annotated[
    list[str] | None,
    typer.Option(
        "--learner", "-l", help="Only this learner, such as act or module:Class; or several."
    ),
]
RESULTS = Path("study.sqlite")


@app.command()
def run(
    names: Names = None,
    results: File = RESULTS,
    into: Annotated[
        Path | None,
        typer.Option("--into", help="Where new outcomes go if the results are packed."),
    ] = None,
    packed: Packed = None,
    quick: Quick = False,
    problem: Problems = None,
    learner: Learners = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1: one per core.")] = -1,
    backend: Annotated[str, typer.Option(help="processes, dask or ray.")] = "processes",
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler or of a Ray cluster.")
    ] = None,
) -> None:
    """Do what is missing; stop at any time and start again."""
    from study.results import Results, choose_file
    from study.runner import Report, run_units

    console = Console(stderr=True)
    wanted = _select(names, problem, learner, quick=quick)
    path, source = choose_file(results, into)
    with Results(path, create=True) as file:
        for given in (source, packed):
            if given is not None and given.exists():
                taken = file.unpack(given)
                console.print(
                    f"{taken} outcomes taken up from {escape(str(given))}", soft_wrap=True
                )
        if source is not None:
            console.print(f"new outcomes go to {escape(str(path))}", soft_wrap=True)
        keep = _packer(packed)
        whole = Report()
        for experiment in wanted:
            console.print(f"[bold]{experiment.name}[/]: {', '.join(experiment.fills)}")
            report = run_units(
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


def _select(
    names: Sequence[str] | None,
    problems: Sequence[str] | None,
    learners: Sequence[str] | None,
    *,
    quick: bool,
) -> list[Experiment]:
    """Return the experiments, or the parts of them, that a command is about."""
    from frugaltree.compare.learners import split_names
    from study.plan import choose, restrict
    from study.problems import Problem

    found = choose(names or [])
    asked = [Problem.named(name) for text in problems or [] for name in split_names(text)]
    whom = [name for text in learners or [] for name in split_names(text)]
    if asked or whom:
        found = restrict(found, asked, whom)
    return [one.quick() if quick else one for one in found]


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


@app.command()
def status(
    names: Names = None,
    results: File = RESULTS,
    quick: Quick = False,
    problem: Problems = None,
    learner: Learners = None,
) -> None:
    """Say how much of the study is done."""
    from rich.table import Table

    from study.results import KEY, find_done, read_outcomes
    from study.runner import estimate_seconds, find_missing

    shown = Table("experiment", "fills", "fits done", "of", "about left", box=None)
    wanted = _select(names, problem, learner, quick=quick)
    done = find_done(read_outcomes(results).select(KEY).iter_rows())
    for experiment in wanted:
        units = experiment.units()
        todo = find_missing(units, done)
        left = sum(map(estimate_seconds, todo)) / 60
        shown.add_row(
            experiment.name,
            ", ".join(experiment.fills),
            str(len(units) - len(todo)),
            str(len(units)),
            f"{left:.0f} min of one core" if todo else "",
        )
    Console().print(shown)


@app.command()
def tables(
    names: Names = None,
    results: File = RESULTS,
    quick: Quick = False,
    learner: Annotated[
        list[str] | None,
        typer.Option("--learner", "-l", help="Show this learner too, once it has been run."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for Markdown, CSV, JSON and pictures."),
    ] = None,
) -> None:
    """Print tables and figures as numbers beside the paper's, or write them to a folder."""
    from frugaltree.compare.learners import split_names
    from study.page import publish
    from study.results import read_outcomes

    beside = [name for text in learner or [] for name in split_names(text)]
    outcomes = read_outcomes(results)
    publish(outcomes, names or [], out, Console(), quick=quick, learners=beside)


@app.command()
def claims(results: File = RESULTS, quick: Quick = False) -> None:
    """Print each claim of the paper with yes or no, by our own results."""
    from study.claims import judge
    from study.results import read_outcomes

    outcomes = read_outcomes(results)
    console = Console()
    for claim in judge(outcomes, quick=quick):
        console.print(str(claim), markup=False, highlight=False, soft_wrap=True)


@app.command()
def columns() -> None:
    """Print each column of the results, with its meaning and unit."""
    from study.columns import describe_columns

    typer.echo(describe_columns())


@app.command()
def problem(
    name: Annotated[str, typer.Argument(help="A problem, such as heart/expert or car/1.")],
    errors: Annotated[
        str, typer.Option(help="What an error costs: 500, or 500:4000 for FP and FN.")
    ] = "1000",
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for both files.")] = Path(),
) -> None:
    """Write a problem of the study as a table (CSV) with its costs (TOML)."""
    from study.problems import Problem

    for path in Problem.named(name).write(out, errors):
        typer.echo(path)


@app.command()
def problems() -> None:
    """List the names of all problems of the study."""
    from study.problems import list_all_problems

    for one in list_all_problems():
        typer.echo(one.name)


def main() -> None:
    """Run the command line of the study."""
    from frugaltree.app.running import run_app

    run_app(app, OPTIONAL)
