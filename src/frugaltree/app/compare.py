"""``frugaltree compare``: which learner is cheapest on a table of one's own."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import join

import typer
from rich.console import Console
from rich.markup import escape

from frugaltree.app.notes import notes
from frugaltree.app.pictures import check_picture, save
from frugaltree.app.program import reading_options
from frugaltree.app.tables import read_cases
from frugaltree.exceptions import InvalidCosts, MissingFile

INTERRUPTED = 130
"""What a command that was interrupted returns."""


def run(
    data: Path,
    target: str,
    costs: Path | None,
    learners: str | None,
    *,
    folds: int,
    seed: int,
    jobs: int,
    as_json: bool,
    plot: Path | None,
    limit: str = "2s",
    nominal: Sequence[str] = (),
    numeric: Sequence[str] = (),
    drop: Sequence[str] = (),
    sheet: str | None = None,
) -> None:
    """Read, compare, print, and draw if asked to."""
    console = Console(stderr=True)
    if plot is not None:
        check_picture(plot)
    costs = beside(data, target, drop, sheet) if costs is None else costs
    with notes(console) as unasked, console.status("Loading"):
        from frugaltree.compare import DEFAULT_LEARNERS, compare
        from frugaltree.compare.learners import FRUGAL, limit_time, split_names
        from frugaltree.costs import Costs
        from frugaltree.costs.leave_out import leave_out

        X, y = read_cases(data, target, nominal=nominal, numeric=numeric, drop=drop, sheet=sheet)
        prices = leave_out(Costs.from_toml(costs), drop)
        unasked.update(prices.never_ask)
    names = split_names(learners) if learners is not None else [FRUGAL, *DEFAULT_LEARNERS]
    with notes(console, unasked), _ended_by_one_interrupt(console):
        try:
            found = compare(
                X,
                y,
                prices,
                {name: limit_time(name, limit) for name in names},
                folds=folds,
                random_state=seed,
                n_jobs=jobs,
                console=console,
            )
        except InvalidCosts as error:
            raise InvalidCosts(f"{costs} does not fit {data}: {error}") from None
    if as_json:
        print(found.to_json())
    else:
        Console().print(found)
    if plot is not None:
        save(found.plot(), plot)
        console.print(f"The picture is in [bold]{escape(str(plot))}[/].", highlight=False)


@contextmanager
def _ended_by_one_interrupt(console: Console) -> Iterator[None]:
    """Let one Ctrl-C end all fits, where a learner would end its own and go on with the next."""
    from frugaltree.anytime.stop import Stop, interrupt

    def give_up(number: int, frame: object) -> None:
        interrupt(Stop())  # whatever search is running takes the next one for the second
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, give_up)
    try:
        yield
    except KeyboardInterrupt:
        console.print("Stopped before all fits were done; nothing is written.", highlight=False)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGINT, before)


def beside(data: Path, target: str, drop: Sequence[str] = (), sheet: str | None = None) -> Path:
    """Return the costs that lie beside a table."""
    costs = data.with_suffix(".costs.toml")
    if data.exists() and not costs.is_file():
        words = ("costs", "init", str(data), "--target", target, *reading_options(drop, sheet))
        init = f"frugaltree {join(words)}"
        raise MissingFile(
            f"there is no {costs} with the costs of {data}; name another with --costs, or let "
            f"'{init}' write one."
        )
    return costs
