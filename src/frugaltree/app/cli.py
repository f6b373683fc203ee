"""``frugaltree``: the command line.

Nothing heavy is imported here, so that ``--help`` answers at once; a command imports what it
needs when it runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from frugaltree._version import __version__
from frugaltree.app.batches import batches
from frugaltree.app.comparison import compare
from frugaltree.app.consulting import consult
from frugaltree.app.costs import Drop, costs
from frugaltree.app.frontier import frontier
from frugaltree.app.options import (
    TABLE,
    Amount,
    Budget,
    Budgets,
    Depth,
    Learner,
    Nominal,
    Numeric,
    Prices,
    Sheet,
    amount,
)
from frugaltree.app.running import InOrder, run_app
from frugaltree.exceptions import FrugaltreeError

OPTIONAL = {"matplotlib": "pip install 'frugaltree[plot]'"}
"""Modules that only some commands need, and what brings each."""

app = typer.Typer(
    name="frugaltree",
    cls=InOrder,
    help="Decision trees that weigh the price of asking against the price of being wrong.",
    epilog=(
        "Begin with 'frugaltree costs init TABLE --target COLUMN', then 'fit' with the same; or "
        "look at 'frugaltree demo'."
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


app.add_typer(costs)


def _say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"frugaltree {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    """Hold the options of the command as a whole."""


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to put the model file.")] = Path(
        "heart.model.json"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn a tree for heart disease from 297 patients and Turney's expert prices."""
    from frugaltree.app.demo import run

    run(Console(), out, as_json=as_json)


@app.command("warm-up")
def warm_up(
    learners: Annotated[
        str | None, typer.Option("--learners", help="Those wanted, as in act,eg2; else all.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes; else one per core.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compile everything now, so that no first fit has to wait; wheels need it seldom."""
    from frugaltree.app.warm_up import run

    run(Console(), learners, jobs, as_json=as_json)


@app.command()
def datasets(
    name: Annotated[
        str | None, typer.Argument(help="A data set to describe; without, all are listed.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the bundled data sets, or describe one."""
    from frugaltree.app.datasets import describe, list_all

    if name is None:
        list_all(Console(), as_json=as_json)
    else:
        describe(Console(), name, as_json=as_json)


@app.command()
def fit(
    data: Annotated[Path, typer.Argument(help=TABLE)],
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict.")],
    costs: Prices = None,
    learner: Learner = "frugal",
    time: Annotated[
        str | None, typer.Option("--time", help="How long to search, as in 60s, 5m or auto.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option("--memory", help="How much memory the search may take, as in 2GB."),
    ] = None,
    depth: Depth = None,
    max_test_cost: Annotated[
        float | None,
        typer.Option(
            parser=amount, metavar="AMOUNT", help="What a case may be charged for tests, at most."
        ),
    ] = None,
    max_tests: Annotated[
        int | None, typer.Option("--max-tests", min=0, help="Tests that a case pays for, at most.")
    ] = None,
    max_leaves: Annotated[
        int | None, typer.Option("--max-leaves", min=1, help="Leaves of the tree, at most.")
    ] = None,
    budgets: Budgets = None,
    amount: Amount = None,
    ask_amount: Annotated[
        bool, typer.Option("--ask-amount", help="Let the column of --amount be a test, too.")
    ] = False,
    max_bins: Annotated[
        str | None,
        typer.Option("--max-bins", help="In how many bins numbers are put: 64, auto or none."),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint", help="A file to keep the search in; the same command goes on."
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Threads; -1: one per core.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Another one shuffles and draws anew.")
    ] = 0,
    nominal: Nominal = None,
    numeric: Numeric = None,
    drop: Drop = None,
    sheet: Sheet = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The model file; else DATA.model.json.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn the tree with the lowest expected cost, and save it."""
    from frugaltree.app.fit import run
    from frugaltree.app.tables import listed

    options = {
        "time_limit": time,
        "memory_limit": memory,
        "max_depth": depth,
        "max_test_cost": max_test_cost,
        "max_tests": max_tests,
        "max_leaves": max_leaves,
        "max_bins": max_bins,
        "checkpoint": checkpoint,
        "n_jobs": jobs,
        "random_state": seed,
    }
    if budgets is not None and amount is not None:
        raise FrugaltreeError(
            "--budgets learns several trees, which --amount is not built for; leave one out."
        )
    if ask_amount and amount is None:
        raise FrugaltreeError("--ask-amount needs --amount; name the column of the amounts.")
    if budgets is not None:
        from frugaltree.app.budgets import run_fit

        given = {**options, "learner": learner}
        read: dict[str, Any] = {"nominal": listed(nominal), "numeric": listed(numeric)}
        read |= {"drop": drop or (), "sheet": sheet}
        code = run_fit(data, target, costs, budgets, given, read, out=out, as_json=as_json)
        raise typer.Exit(code)
    code = run(
        data,
        target,
        costs,
        learner=learner,
        options=options,
        nominal=listed(nominal),
        numeric=listed(numeric),
        drop=drop or (),
        sheet=sheet,
        out=out,
        as_json=as_json,
        amount=amount,
        ask_amount=ask_amount,
    )
    raise typer.Exit(code)


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    data: Annotated[Path, typer.Argument(help="A table with the columns of the training table.")],
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="The column of true classes, to count errors."),
    ] = None,
    amount: Amount = None,
    keep: Annotated[
        str | None,
        typer.Option("--keep", "-k", help="Columns to put beside the answers, as in id,name."),
    ] = None,
    budget: Budget = None,
    sheet: Sheet = None,
    shares: Annotated[
        bool, typer.Option("--shares", help="Add how likely each class is.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to: .csv, .xlsx or .parquet; else printed."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Sum up in JSON; needs --out.")] = False,
) -> None:
    """Answer for every case of a table, and say what its tests cost."""
    from frugaltree.app.predict import run
    from frugaltree.app.tables import listed

    if as_json and out is None:
        raise FrugaltreeError("--json needs --out, for the answers are CSV; name a file for them.")
    run(
        model,
        data,
        target=target,
        amount=amount,
        keep=listed(keep),
        shares=shares,
        out=out,
        as_json=as_json,
        budget=budget,
        sheet=sheet,
    )


@app.command()
def show(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth", "-d", min=0, help="So many tests deep, below the first, it is shown."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the tree of a model, its prices, and where it comes from."""
    from frugaltree.app.show import run

    run(Console(), model, depth, as_json=as_json)


@app.command()
def plot(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    what: Annotated[
        str, typer.Option("--what", "-w", help="tree, spending, sensitivity, anytime, budgets.")
    ] = "tree",
    depth: Annotated[
        int | None,
        typer.Option("--depth", "-d", min=0, help="So many tests deep a tree is drawn."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to: .svg or .png; else MODEL.WHAT.svg."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Draw a model: its tree, what cases pay, when it is worth it, how it was found."""
    from frugaltree.app.plot import run

    run(Console(stderr=True), model, what, depth, out, as_json=as_json)


@app.command()
def report(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", "-d", help="A table of cases that the model has not seen, to try it on."
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The column of their true classes.")
    ] = None,
    amount: Amount = None,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            "-k",
            min=2,
            help="DATA are the training cases: learn and try in so many parts of them.",
        ),
    ] = None,
    frontier: Annotated[
        bool,
        typer.Option(
            "--frontier",
            help="Add what follows if errors cost more or less; DATA are the training cases.",
        ),
    ] = False,
    sheet: Sheet = None,
    title: Annotated[str | None, typer.Option("--title", help="The heading of the page.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to; else MODEL.html.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write a page about a model, with its tree and a consultation; it needs no network."""
    from frugaltree.app.report import run

    run(
        Console(stderr=True),
        model,
        data,
        target,
        amount=amount,
        title=title,
        folds=folds,
        frontier=frontier,
        out=out,
        as_json=as_json,
        sheet=sheet,
    )


@app.command()
def export(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    form: Annotated[
        str, typer.Option("--format", "-f", help="dot, mermaid, onnx, python, rules or sql.")
    ] = "rules",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to; else it is printed.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write a tree as a diagram, rules, a Python function, SQL or an ONNX model."""
    from frugaltree.app.report import run_export

    run_export(Console(stderr=True), model, form, out, as_json=as_json)


app.command()(consult)


app.command()(compare)
app.command()(frontier)
app.command()(batches)


@app.command(
    hidden=True,
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def paper() -> None:
    """Say where the study of the paper has gone."""
    from frugaltree.app.paper import run

    run()


def main() -> None:
    """Run the command line."""
    run_app(app, OPTIONAL)


if __name__ == "__main__":
    main()
