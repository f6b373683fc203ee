"""``frugaltree compare``: which learner is cheapest on a table of one's own."""

from __future__ import annotations

import re
from pathlib import Path
from shlex import quote

from rich.console import Console
from rich.markup import escape

from frugaltree.app.notes import notes
from frugaltree.app.pictures import check_picture, save
from frugaltree.app.tables import read_cases
from frugaltree.exceptions import InvalidCosts, MissingFile


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
) -> None:
    """Read, compare, print, and draw if asked to."""
    told = Console(stderr=True)
    if plot is not None:
        check_picture(plot)
    costs = beside(data, target) if costs is None else costs
    with told.status("Loading"):
        from frugaltree.costs import Costs
        from frugaltree.experiments.compare import USUAL, compare

        X, y = read_cases(data, target)
        prices = Costs.from_toml(costs)
    names = learners_in(learners) if learners is not None else USUAL
    with notes(told):
        try:
            found = compare(
                X, y, prices, names, folds=folds, random_state=seed, n_jobs=jobs, console=told
            )
        except InvalidCosts as error:
            raise InvalidCosts(f"{costs} does not fit {data}: {error}") from None
    if as_json:
        print(found.to_json())
    else:
        Console().print(found)
    if plot is not None:
        save(found.plot(), plot)
        told.print(f"The picture is in [bold]{escape(str(plot))}[/].", highlight=False)


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
