"""``frugaltree frontier``: the trees that are best somewhere, as errors grow dearer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.markup import escape

from frugaltree.app.costs import Drop
from frugaltree.app.options import (
    TABLE,
    Depth,
    Learner,
    Nominal,
    Numeric,
    Prices,
    Sheet,
    amount,
)

if TYPE_CHECKING:
    from frugaltree.tradeoff import Frontier

PAGES = (".html", ".htm")


class Asked(NamedTuple):
    """What a frontier is to be made of, beside the table and its learner."""

    folds: int
    dearest: float | None
    case: str | None


def frontier(
    data: Annotated[Path, typer.Argument(help=TABLE)],
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict.")],
    costs: Prices = None,
    learner: Learner = "frugal",
    time: Annotated[
        str | None,
        typer.Option("--time", help="How long one search may take; all take five times that."),
    ] = None,
    depth: Depth = None,
    dearest: Annotated[
        float | None,
        typer.Option(
            "--dearest",
            parser=amount,
            metavar="AMOUNT",
            help="The largest price of an error to look at.",
        ),
    ] = None,
    folds: Annotated[
        int,
        typer.Option(
            "--folds",
            "-k",
            min=0,
            help="In how many parts cases are dealt, each held out once; 0: none.",
        ),
    ] = 5,
    case: Annotated[
        str | None,
        typer.Option("--case", help="The class that must not be missed: how often it is found."),
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
    plot: Annotated[
        Path | None, typer.Option("--plot", "-p", help="Draw a picture: .svg or .png.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write a page with a slider: .html.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell what follows from each price of an error: which tree, at what cost, how often wrong."""
    from frugaltree.app.tables import listed

    options = {"time_limit": time, "max_depth": depth, "n_jobs": jobs, "random_state": seed}
    code = run(
        data,
        target,
        costs,
        learner=learner,
        options=options,
        asked=Asked(folds, dearest, case),
        nominal=listed(nominal),
        numeric=listed(numeric),
        drop=drop or (),
        sheet=sheet,
        plot=plot,
        out=out,
        as_json=as_json,
    )
    raise typer.Exit(code)


def run(
    data: Path,
    target: str,
    costs: Path | None,
    *,
    learner: str,
    options: dict[str, Any],
    asked: Asked,
    nominal: Sequence[str],
    numeric: Sequence[str],
    drop: Sequence[str],
    sheet: str | None = None,
    plot: Path | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Read, learn at many prices, tell, and write page and picture; return the exit code."""
    from frugaltree.app.pictures import check_picture, save

    console = Console(stderr=True)
    if plot is not None:
        check_picture(plot)
    if out is not None:
        check_page(out)
    with _notes(console) as unasked, console.status("Loading"):
        from frugaltree.app.compare import beside
        from frugaltree.app.fit import make_learner
        from frugaltree.app.parquet import named_after
        from frugaltree.app.training import read_training
        from frugaltree.costs import Costs
        from frugaltree.costs.leave_out import leave_out

        table = read_training(
            data, target, nominal=nominal, numeric=numeric, drop=drop, sheet=sheet
        )
        costs = beside(named_after(data), target, drop, sheet) if costs is None else costs
        listed = leave_out(Costs.from_toml(costs), drop)
        unasked.update(listed.never_ask)
    estimator = make_learner(learner, listed, options, quiet=True)
    found = make(console, estimator, table.X, table.y, asked, f"{costs} does not fit {data}")
    if as_json:
        from frugaltree.tradeoff.showing import as_data

        print(json.dumps(as_data(found)))
    else:
        Console().print(found)
    if plot is not None:
        figure = found.plot().get_figure(root=True)
        assert figure is not None
        save(figure, plot)
        _say_place(console, "picture", plot)
    if out is not None:
        write_page(found, out, table.rows if not table.is_long else None, table.classes)
        _say_place(console, "page", out)
    return 0


def make(console: Console, estimator: Any, X: Any, y: Any, asked: Asked, misfit: str) -> Frontier:
    """Return a frontier; progress and notes go to the console."""
    from frugaltree.exceptions import InvalidCosts
    from frugaltree.tradeoff import frontier as find_frontier

    with _notes(console, estimator.costs.never_ask if estimator.costs else ()):
        try:
            return find_frontier(
                estimator,
                X,
                y,
                dearest=asked.dearest,
                folds=asked.folds,
                case=asked.case,
                console=console,
            )
        except InvalidCosts as error:
            raise InvalidCosts(f"{misfit}: {error}") from None


def write_page(found: Frontier, out: Path, X: Any, y: Any) -> None:
    """Write the page about the tree at the prices as they are, with all others on a slider."""
    from frugaltree.report import compare_with_baselines, write_report

    own = min(found.own_price, found.points[-1].price_to)
    estimator = found.at(own).estimator
    strategies = [] if X is None else compare_with_baselines(estimator, X, y)
    write_report(estimator, out, strategies=strategies, frontier=found)


def check_page(out: Path) -> None:
    """Refuse, before any work is done, a page that could not be written in the end."""
    from frugaltree.exceptions import FrugaltreeError
    from frugaltree.files import check_place

    if out.suffix.lower() not in PAGES:
        raise FrugaltreeError(
            f"the page cannot be written as {out.name}; let the name end in .html."
        )
    check_place(out, "the page")


@contextmanager
def _notes(console: Console, unasked: Iterable[object] = ()) -> Iterator[set[object]]:
    from frugaltree.app.notes import notes

    with notes(console, unasked) as silent:
        yield silent


def _say_place(console: Console, what: str, place: Path) -> None:
    console.print(
        f"The {what} is in [bold]{escape(str(place))}[/].", highlight=False, soft_wrap=True
    )
