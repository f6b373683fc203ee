"""``frugaltree costs``: a price list to start from, whether it fits, and one drawn at random."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from frugaltree.app import cells
from frugaltree.app.notes import say_note
from frugaltree.app.options import TABLE, Sheet, amount
from frugaltree.app.parquet import named_after
from frugaltree.app.program import propose, reading_options
from frugaltree.exceptions import FrugaltreeError, IdentifierWarning, InvalidCosts

if TYPE_CHECKING:
    import polars as pl

TEST, WRONG = 1, 100
"""What a test and an error cost in a price list to start from."""

FEW_CLASSES, MANY_CLASSES = 5, 50
"""Of so few classes every pair has an entry of its own; of more, a line in a matrix; of so many,
all errors cost the same."""

NEVER_ASK = "never_ask = []    # columns that are no tests, such as the number of a patient"

costs = typer.Typer(
    name="costs", help="Make and check price lists.", no_args_is_help=True, add_completion=False
)

Data = Annotated[Path, typer.Argument(help=TABLE)]
Target = Annotated[str, typer.Option("--target", "-t", help="The column to predict.")]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Where to; else DATA with .costs.toml.")
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", help="A column to leave out, as of names; may be given several times."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@costs.command("init")
def init(
    data: Data,
    target: Target,
    out: Out = None,
    case: Annotated[
        str | None, typer.Option("--case", help="Which of two classes must not be missed.")
    ] = None,
    worth: Annotated[
        float | None,
        typer.Option(
            "--worth",
            parser=amount,
            metavar="NUMBER",
            help="How many false alarms a missed case is worth.",
        ),
    ] = None,
    drop: Drop = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Write a price list for a table, to be edited; it can be used as it stands."""
    from frugaltree.app.tables import classes_of
    from frugaltree.costs.toml import parse

    X, y, doubted = _read_doubtful(data, target, drop, sheet)
    out = _place(data, out)
    classes = classes_of(data, target, y)
    if sys.stdin.isatty() and not as_json and worth is None and len(classes) == 2:
        case, worth = _ask(y, classes, case)
    text = starting_prices(X, classes, data.name, _errors(classes, case, worth), [*doubted])
    parse(tomllib.loads(text)).resolve(X.columns, classes)
    _write(text, out)
    tests = [name for name in X.columns if name not in doubted]
    if as_json:
        said = {"costs": str(out), "tests": tests, "classes": classes, "never_ask": [*doubted]}
        print(json.dumps(said))
        return
    for warning in doubted.values():
        say_note(
            Console(stderr=True),
            f"{warning.remark}; it is under never_ask in {out}, so that no tree asks it; take it "
            "out there, and give it a price, if it is a test.",
        )
    fit = propose("fit", data, "--target", target, *reading_options(drop or (), sheet))
    Console(stderr=True).print(
        f"{len(tests)} {'test' if len(tests) == 1 else 'tests'} and {len(classes)} classes are "
        f"priced "
        f"in [bold]{escape(str(out))}[/]: "
        f"{TEST} for each test, {WRONG} for each error"
        + (f", {WRONG * (worth or 1):g} for a missed case" if worth else "")
        + f".\nEdit it, then: {escape(fit)}",
        highlight=False,
        soft_wrap=True,
    )


@costs.command("check")
def check(
    prices: Annotated[Path, typer.Argument(help="A price list, as costs init writes it.")],
    data: Annotated[
        Path | None, typer.Option("--data", "-d", help="A table that it must fit.")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Its column to predict.")
    ] = None,
    drop: Drop = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Say what a price list amounts to, and whether it fits a table."""
    from frugaltree.costs import Costs
    from frugaltree.costs.leave_out import leave_out

    listed = leave_out(Costs.from_toml(prices), drop or ())
    names, classes = None, None
    if data is not None:
        if target is None:
            raise FrugaltreeError("--data needs --target; name the column to predict.")
        from frugaltree.app.tables import classes_of

        X, y = _read(data, target, drop, sheet, listed.never_ask)
        names, classes = X.columns, classes_of(data, target, y)
        try:
            listed.resolve(names, classes)
            if listed.price_if:
                from frugaltree import table

                listed.prices_of(table.read(X, names).columns)
        except InvalidCosts as error:
            raise InvalidCosts(f"{prices} does not fit {data}: {error}") from None
    about = summary(listed, names, classes)
    if as_json:
        print(json.dumps(about))
        return
    for what, said in about.items():
        if said is not None:
            print(f"{what.replace('_', ' ')}: {said}")


@costs.command("assign")
def assign(
    data: Data,
    target: Target,
    out: Out = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another one draws anew.")] = 0,
    errors: Annotated[
        float,
        typer.Option("--errors", parser=amount, metavar="AMOUNT", help="What an error costs."),
    ] = WRONG,
    drop: Drop = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Draw prices from 1 to 100 as the paper does: who tells more tends to cost more."""
    from frugaltree.app.tables import classes_of
    from frugaltree.datasets import assign_costs

    X, y = _read(data, target, drop, sheet)
    classes_of(data, target, y)
    out = _place(data, out)
    drawn = assign_costs(X, y, seed, errors=errors)
    _write(drawn.to_toml(), out)
    if as_json:
        print(json.dumps({"costs": str(out), **summary(drawn, X.columns, None)}))
        return
    Console(stderr=True).print(
        f"Draw {seed} of prices is in [bold]{escape(str(out))}[/].", highlight=False
    )


def _read(
    data: Path,
    target: str,
    drop: list[str] | None,
    sheet: str | None,
    unasked: Sequence[object] = (),
) -> tuple[pl.DataFrame, pl.Series]:
    """Return the tests and the classes of a table, and say what looks odd in it."""
    from frugaltree.app.notes import notes
    from frugaltree.app.tables import read_cases

    with notes(Console(stderr=True), unasked):
        return read_cases(data, target, drop=drop or (), sheet=sheet)


def _read_doubtful(
    data: Path, target: str, drop: list[str] | None, sheet: str | None
) -> tuple[pl.DataFrame, pl.Series, dict[str, IdentifierWarning]]:
    """Return a table, and which of its columns are no tests: dates, and names of cases.

    If that are all of them, none of them is.
    """
    from frugaltree.app import hints
    from frugaltree.app.notes import notes
    from frugaltree.app.tables import read_cases

    with notes(Console(stderr=True)) as unasked:
        X, y = read_cases(data, target, drop=drop or (), sheet=sheet)
        found = [*hints.about(X), *map(_names_in, X)]
        doubted: dict[str, IdentifierWarning] = {}
        for one in found:
            if isinstance(one, IdentifierWarning):
                doubted.setdefault(one.column, one)
        doubted = {name: doubted[name] for name in X.columns if name in doubted}
        if len(doubted) == X.width:
            doubted = {}
        unasked.update(doubted)
    return X, y, doubted


def _names_in(values: pl.Series) -> IdentifierWarning | None:
    """Return a warning of a column that looks like names of cases."""
    from frugaltree.table.reading import doubt_names

    if values.dtype.is_numeric():
        return None
    known = cells.nameless(values).drop_nulls()
    return doubt_names(values.name, known.n_unique(), len(values))


def _place(data: Path, out: Path | None) -> Path:
    """Return where a price list goes; one that exists is somebody's work."""
    out = named_after(data).with_suffix(".costs.toml") if out is None else out
    if out.exists():
        raise FrugaltreeError(
            f"{out} exists already and is left as it is; edit it, or name another with --out."
        )
    return out


def _write(text: str, out: Path) -> None:
    from frugaltree.files import write_at_once

    write_at_once(out, text.encode(), "the costs")


def _ask(y: pl.Series, classes: list[Any], case: str | None) -> tuple[str, float]:
    """Ask what must not be missed, and how much worse that is than a false alarm."""
    rare = min(classes, key=lambda label: (y == label).sum())
    if case is None:
        case = typer.prompt(f"Which one must not be missed, {classes[0]} or {classes[1]}", rare)
    worth = typer.prompt("How many false alarms is one missed case worth", "1", value_proc=amount)
    return str(case), worth


def _errors(
    classes: list[Any], case: str | None, worth: float | None
) -> dict[tuple[Any, Any], float]:
    """Return what each error costs: as much as any other, but for missed cases."""
    if worth is not None and case is None:
        raise FrugaltreeError("--worth needs --case; name the class that must not be missed.")
    if case is not None and case not in map(str, classes):
        raise FrugaltreeError(
            f"--case is {case!r}, but the classes are {', '.join(map(str, classes))}; choose one."
        )
    missed = WRONG * (worth or 1)
    missed = int(missed) if float(missed).is_integer() else missed
    return {
        (predicted, actual): missed if str(actual) == case else WRONG
        for actual in classes
        for predicted in classes
        if predicted != actual
    }


def starting_prices(
    X: pl.DataFrame,
    classes: list[Any],
    source: str,
    errors: dict[tuple[Any, Any], float],
    never_ask: Sequence[str] = (),
) -> str:
    """Return a price list with a line, and a remark, for each test and each pair of classes."""
    import tomlkit

    document = tomlkit.document()
    for line in (
        f"Prices for {' '.join(source.split())}: what it costs to ask, and to be wrong.",
        "Use one unit for all of them, such as dollars or minutes.",
        "",
        'unit = "EUR"',
        "delayed = []      # tests whose results come later, as those of a laboratory",
        "known = []        # tests whose values are at hand anyway, free",
        "unavailable = []  # tests that cannot be taken here",
        *([] if never_ask else [NEVER_ASK]),
        "first = []        # tests asked before all others, in this order",
        'together = []     # panels bought as one, such as [["...", "..."]]',
        "",
        "Tests that share an overhead, such as drawing blood, which is paid once:",
        "[groups.blood]",
        "cost = 2.10",
        'tests = ["...", "..."]',
    ):
        document.add(tomlkit.comment(line) if line else tomlkit.nl())
    document.add(tomlkit.nl())
    if never_ask:
        document.add(
            "never_ask", tomlkit.item(list(never_ask)).comment("columns that are no tests")
        )
        document.add(tomlkit.nl())
    if len(classes) > MANY_CLASSES:
        document.add("errors", tomlkit.item(WRONG).comment("each, whatever the classes"))
        document.add(tomlkit.nl())
    tests = tomlkit.table()
    for name in [name for name in X.columns if name not in never_ask]:
        price = tomlkit.item(TEST)
        price.comment(_remark(X.get_column(name)))
        tests.add(name, price)
    document.add("tests", tests)
    if len(classes) <= MANY_CLASSES:
        document.add("errors", _error_items(classes, errors))
    return tomlkit.dumps(document)


def _remark(values: pl.Series) -> str:
    """Return what a column holds, for a remark on one line."""
    import polars as pl

    name, values = values.name, cells.nameless(values)
    if values.dtype.is_numeric():
        known = values.drop_nulls().to_numpy()
        text = f"numeric, {known.min():g} to {known.max():g}" if known.size else "numeric"
    else:
        distinct = values.drop_nulls().unique(maintain_order=True)
        found = cells.converted(distinct.alias(name), pl.String).to_list()
        shown = ", ".join(found[:4]) + (", ..." if len(found) > 4 else "")
        text = f"nominal: {shown}"
        if _names_in(values) is not None:
            text = f"nominal, {len(found)} values"  # as of a name, which is not for others to read
    missing = f", {values.null_count()} missing" if values.null_count() else ""
    return "".join(c if c.isprintable() else " " for c in text + missing)


def _error_items(classes: list[Any], errors: dict[tuple[Any, Any], float]) -> Any:
    """Return an entry for each pair of classes, or a matrix where these would be many."""
    import tomlkit

    if len(classes) <= FEW_CLASSES:
        entries = tomlkit.aot()
        for (predicted, actual), cost in errors.items():
            entry = tomlkit.table()
            entry.add("predicted", predicted)
            entry.add("actual", actual)
            entry.add("cost", cost)
            entries.append(entry)
        return entries
    table = tomlkit.table()
    table.add(tomlkit.comment("A line for each predicted class, a column for each actual one."))
    table.add("classes", classes)
    matrix = tomlkit.array()
    for predicted in classes:
        matrix.add_line([errors.get((predicted, actual), 0) for actual in classes])
    matrix.add_line(indent="")
    table.add("matrix", matrix)
    return table


def _decisions_in_words(listed: Any) -> str | None:
    """Return what decisions cost, in a line; None where there are none."""
    said = []
    for name, cost in (listed.decisions or {}).items():
        if isinstance(cost, dict):
            by_class = ", ".join(f"{label} {one:g}" for label, one in cost.items())
            said.append(f"{name} ({by_class})")
        elif isinstance(cost, tuple):
            said.append(f"{name} ({', '.join(f'{one:g}' for one in cost)})")
        else:
            said.append(f"{name} {cost:g}")
    return ", ".join(said) or None


def _conditions_in_words(listed: Any) -> str | None:
    """Return what prices depend on, in a line; None where none do."""
    said = []
    for test, table in listed.price_if.items():
        for on, prices in table.items():
            each = (
                f"{value} {'never' if cost is None else f'{cost:g}'}"
                for value, cost in prices.items()
            )
            said.append(f"{test} by {on} ({', '.join(each)})")
    return ", ".join(said) or None


def _requires_in_words(listed: Any) -> str | None:
    """Return which tests require which, in a line; None where there is no such rule."""
    said = [f"{a} after {', '.join(map(str, needed))}" for a, needed in listed.requires.items()]
    return "; ".join(said) or None


def summary(listed: Any, names: list[str] | None, classes: list[Any] | None) -> dict[str, Any]:
    """Return what a price list amounts to, as plain values."""
    try:
        off = listed.matrix(classes)
        dear = sorted(
            {float(off[i, j]) for i in range(len(off)) for j in range(len(off)) if i != j}
        )
        wrong = " to ".join(f"{cost:g}" for cost in dict.fromkeys((dear[0], dear[-1])))
    except InvalidCosts:  # the classes are left to the table
        is_number = isinstance(listed.errors, int | float)
        wrong = f"{listed.errors:g}" if is_number else "1"
    if listed.decides_only:
        wrong = ""
    return {
        "tests": len(listed.tests or ()) if names is None else len({*names} - {*listed.never_ask}),
        "all_tests_together": round(listed.total(names), 10),
        "an_error": wrong or None,
        "groups": ", ".join(listed.groups) or None,
        "decisions": _decisions_in_words(listed),
        "prices_that_depend": _conditions_in_words(listed),
        "delayed": ", ".join(map(str, listed.delayed)) or None,
        "asked_first": ", ".join(map(str, listed.first)) or None,
        "requires": _requires_in_words(listed),
        "bought_together": "; ".join(", ".join(map(str, one)) for one in listed.together) or None,
        "unit": listed.unit,
        "source": listed.source,
        "date": listed.date,
    }
