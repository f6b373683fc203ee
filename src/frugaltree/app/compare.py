"""``frugaltree compare``: which learner is cheapest on a table of one's own."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shlex import quote

import typer
from rich.console import Console
from rich.markup import escape

from frugaltree.app.notes import notes
from frugaltree.app.pictures import check_picture, save
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
) -> None:
    """Read, compare, print, and draw if asked to."""
    told = Console(stderr=True)
    if plot is not None:
        check_picture(plot)
    costs = beside(data, target) if costs is None else costs
    with notes(told), told.status("Loading"):
        import polars as pl

        from frugaltree.costs import Costs
        from frugaltree.experiments.compare import USUAL, compare
        from frugaltree.experiments.learners import NINTH

        X, y = read_cases(data, target, nominal=nominal, numeric=numeric)
        prices = Costs.from_toml(costs)
    names = learners_in(learners) if learners is not None else [NINTH, *USUAL]
    timed = {within(limit, name): name for name in names}
    with notes(told), _ended_by_one_interrupt(told):
        try:
            found = compare(
                X,
                y,
                prices,
                list(timed),
                folds=folds,
                random_state=seed,
                n_jobs=jobs,
                console=told,
            )
        except InvalidCosts as error:
            raise InvalidCosts(f"{costs} does not fit {data}: {error}") from None
    found = replace(found, scores=found.scores.with_columns(pl.col("learner").replace(timed)))
    if as_json:
        print(found.to_json())
    else:
        Console().print(found)
    if plot is not None:
        save(found.plot(), plot)
        told.print(f"The picture is in [bold]{escape(str(plot))}[/].", highlight=False)


@contextmanager
def _ended_by_one_interrupt(told: Console) -> Iterator[None]:
    """Let one Ctrl-C end all fits, where a learner would end its own and go on with the next."""
    from frugaltree.anytime.stop import Stop, interrupt

    def give_up(number: int, frame: object) -> None:
        interrupt(Stop())  # whatever search is running takes the next one for the second
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, give_up)
    try:
        yield
    except KeyboardInterrupt:
        told.print("Stopped before all fits were done; nothing is written.", highlight=False)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGINT, before)


def beside(data: Path, target: str) -> Path:
    """Return the costs that lie beside a table."""
    costs = data.with_suffix(".costs.toml")
    if data.is_file() and not costs.is_file():
        raise MissingFile(
            f"there is no {costs} with the costs of {data}; name another with --costs, or let "
            f"'frugaltree costs init {quote(str(data))} --target {quote(target)}' write one."
        )
    return costs


def learners_in(names: str) -> list[str]:
    """Return the learners in a list such as ``act,icet(generations=4,seeded=False)``.

    >>> learners_in("act, icet(generations=4,seeded=False)")
    ['act', 'icet(generations=4,seeded=False)']
    """
    parts = re.split(r",(?![^(]*\))", names)
    return [name.strip() for name in parts if name.strip()]


def within(limit: str, name: str) -> str:
    """Return a learner with a limit of its time, where it takes all it is given and has none.

    >>> within("2s", "frugal"), within("2s", "frugal(time_limit=5)"), within("2s", "act")
    ("frugal(time_limit='2s')", 'frugal(time_limit=5)', 'act')
    """
    from frugaltree.experiments.learners import LEARNERS, parsed

    key, settings = parsed(name)
    if not LEARNERS[key].timed or "time_limit" in settings:
        return name
    inner = name.partition("(")[2].rpartition(")")[0]
    given = [inner] if inner.strip() else []
    return f"{key}({','.join([*given, f'time_limit={limit!r}'])})"
