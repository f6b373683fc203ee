"""``frugaltree batches``: tests ordered one at a time, all at once, or in several batches."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from frugaltree.app.options import Budget
from frugaltree.exceptions import FrugaltreeError, MissingFile

if TYPE_CHECKING:
    from frugaltree.batches import Batches


RoundTrip = Annotated[
    float, typer.Option("--round-trip", help="What each order costs, whatever is in it.")
]
Minutes = Annotated[
    list[str] | None,
    typer.Option("--minutes", "-m", help="How long a test takes, as in chol=90; or a TOML."),
]
Price = Annotated[
    str, typer.Option("--waiting", "-w", help="Of a minute, as in 0.1, or 60:0.1,0.5.")
]


def batches(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    round_trip: RoundTrip = 0.0,
    minutes: Minutes = None,
    waiting: Price = "0",
    strategy: Annotated[
        str, typer.Option("--strategy", "-s", help="sequential, single or several (batches).")
    ] = "several",
    budget: Budget = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell which tests to order together, what cases are charged and how long they wait."""
    from frugaltree.app.budgets import load_within

    planned = planned_for(
        load_within(model, budget),
        round_trip=round_trip,
        minutes=minutes,
        waiting=waiting,
        strategy=strategy,
    )
    if as_json:
        print(json.dumps(_as_data(planned)))
        return
    show(Console(), planned)


def planned_for(
    learner: Any, *, round_trip: float, minutes: list[str] | None, waiting: str, strategy: str
) -> Batches:
    """Return the batches of a model by what the command line says of waiting."""
    from frugaltree.batches import Batches

    return Batches(
        learner,
        round_trip=round_trip,
        minutes=minutes_given(minutes),
        waiting=waiting_given(waiting),
        strategy=strategy,
    )


def minutes_given(words: list[str] | None) -> dict[Any, float] | None:
    """Return ``--minutes`` by test; a word without an equals sign is a file.

    >>> minutes_given(["chol=90", "age=0"])
    {'chol': 90.0, 'age': 0.0}
    >>> minutes_given(["chol=long"])
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: --minutes has 'chol=long', whose time is no number;
    write such as chol=90.
    """
    if not words:
        return None
    found: dict[Any, float] = {}
    for word in words:
        name, sign, number = word.rpartition("=")
        if not sign:
            found |= _read_minutes(Path(word))
            continue
        try:
            found[name] = float(number)
        except ValueError:
            raise FrugaltreeError(
                f"--minutes has {word!r}, whose time is no number; write such as chol=90."
            ) from None
    return found


def _read_minutes(path: Path) -> dict[str, Any]:
    """Return the minutes in a TOML file: a table ``minutes``, there or in ``waiting``."""
    if not path.is_file():
        raise MissingFile(
            f"--minutes has {str(path)!r}, which is no file; name one, or write such as chol=90."
        )
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FrugaltreeError(f"{path} is not valid TOML: {error}; correct that.") from None
    within = data.get("waiting", data)
    found = within.get("minutes") if isinstance(within, dict) else None
    if not isinstance(found, dict):
        raise FrugaltreeError(
            f"{path} has no table of minutes; write [minutes] and below it such as chol = 90."
        )
    return found


def waiting_given(text: str) -> Any:
    """Return ``--waiting`` as the parameter that it stands for.

    >>> waiting_given("0.1"), waiting_given("60:0.1, 0.5")
    (0.1, [(60.0, 0.1), (None, 0.5)])
    """
    rates: list[tuple[float | None, float]] = []
    for word in text.split(","):
        until, sign, rate = word.rpartition(":")
        try:
            rates.append((float(until) if sign else None, float(rate)))
        except ValueError:
            raise FrugaltreeError(
                f"--waiting has {word.strip()!r}, which is no price; write such as 0.1, or "
                "60:0.1,0.5 for 0.1 a minute up to 60 minutes and 0.5 after that."
            ) from None
    return rates[0][1] if len(rates) == 1 and rates[0][0] is None else rates


def _as_data(planned: Batches) -> dict[str, Any]:
    return {
        "strategy": planned.strategy,
        "expected_cost": planned.expected_cost,
        "orders": planned.plan().to_dicts(),
        "compare": planned.compare().to_dicts(),
    }


def show(console: Console, planned: Batches) -> None:
    """Print the three strategies side by side, and the orders of the one that is asked for."""
    from frugaltree.tree.text import money, percent

    unit = planned.costs.unit
    table = Table(box=None, pad_edge=False)
    for name in planned.compare().columns:
        table.add_column(name, justify="left" if name == "strategy" else "right")
    for name, orders, tests, waiting, total, *times in planned.compare().rows():
        amounts = [money(amount, unit) for amount in (tests, waiting, total)]
        table.add_row(name, f"{orders:.2f}", *amounts, *(f"{time:.0f}" for time in times))
    console.print(table, highlight=False, soft_wrap=True)
    console.print(f"\nOrders, {planned.strategy}:", highlight=False)
    for one in planned.plan().to_dicts():
        where = one["where"] or "at first"
        line = (
            f"  {where}: {' + '.join(one['orders'])}, {money(one['price'], unit)} and "
            f"{money(one['waiting'], unit)} for waiting {one['minutes']:.0f} minutes, "
            f"{percent(one['cases'])} of the cases"
        )
        console.print(escape(line), highlight=False, soft_wrap=True)
