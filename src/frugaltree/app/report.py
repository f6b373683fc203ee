"""``frugaltree report`` and ``frugaltree export``: a model for others to read, or to run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from frugaltree.app.amounts import check_amount
from frugaltree.app.frontier import Asked, make
from frugaltree.app.notes import notes
from frugaltree.app.tables import as_known, check_file, digest_of
from frugaltree.exceptions import FrugaltreeError, InvalidTable
from frugaltree.files import check_place, write_at_once

if TYPE_CHECKING:
    from frugaltree.protocols import Estimator

FOLDS = 5
"""In how many folds cases are held out for a frontier."""


def run(
    console: Console,
    model: Path,
    data: Path | None,
    target: str | None,
    *,
    title: str | None,
    folds: int | None,
    frontier: bool = False,
    amount: str | None = None,
    out: Path | None,
    as_json: bool,
    sheet: str | None = None,
) -> None:
    """Write the page about a model."""
    if (folds is not None or frontier) and data is None:
        raise FrugaltreeError(
            f"--{'frontier' if folds is None else 'folds'} needs --data; name the table the model "
            "was learned from."
        )
    if data is not None and target is None:
        raise FrugaltreeError("--data needs --target; name the column with the true classes.")
    out = model.with_suffix(".html") if out is None else out
    check_place(out, "the page")
    with notes(console), console.status("Writing") as status:
        from frugaltree.persist import read_model
        from frugaltree.report import write_report

        saved = read_model(model)
        estimator = saved.estimator.set_params(verbose=0)
        X = y = own = None
        if data is not None and target is not None:
            check_file(data)
            if (
                folds is None
                and not frontier
                and digest_of(data) == saved.provenance.get("data_digest")
            ):
                raise FrugaltreeError(
                    f"{data} is the table that {model} was learned from, on which it looks better "
                    "than it is; give other cases, or --folds 10 to cross-validate."
                )
            check_amount(model, estimator, amount)
            X, y, own = _cases(estimator, data, target, sheet, amount)
        found = None
        if frontier:
            status.stop()
            asked = Asked(FOLDS if folds is None else folds, None, None)
            found = make(console, estimator, X, y, asked, f"{model} does not fit {data}")
            status.start()
        tried = (X, y) if folds is not None or not frontier else (None, None)
        write_report(
            estimator,
            out,
            *tried,
            title=title,
            folds=folds,
            strategies=saved.strategies,
            on_fold=_fold_counter(status, y, folds),
            frontier=found,
            error_costs=own,
            provenance=saved.provenance,
        )
    if as_json:
        print(json.dumps({"page": str(out)}))
        return
    console.print(
        f"The page is in [bold]{escape(str(out))}[/]; any browser opens it.",
        highlight=False,
        soft_wrap=True,
    )


def _fold_counter(
    status: Status, y: list[Any] | None, folds: int | None
) -> Callable[[], None] | None:
    """Return what shows which fold is learned from; every class must have a case for each."""
    if folds is None or y is None:
        return None
    from frugaltree.tree.text import cases

    rare, fewest = min(Counter(y).items(), key=lambda item: item[1])
    if fewest < folds:
        raise FrugaltreeError(
            f"class {rare!r} has {cases(fewest)}, too few for {folds} folds; use fewer folds, "
            "or leave the class out."
        )
    numbers = count(1)

    def show() -> None:
        status.update(f"Learning anew, fold {min(next(numbers), folds)} of {folds}")

    show()
    return show


def _cases(
    estimator: Estimator,
    data: Path,
    target: str,
    sheet: str | None,
    amount: str | None = None,
) -> tuple[Any, list[Any], Any]:
    """Return the tests, the true classes and the amounts of a table, as the model knows them."""
    import polars as pl

    from frugaltree.app.predict import ACTUAL, AMOUNT, read_pieces

    pieces = read_pieces(data, estimator, target, drop_empty=True, sheet=sheet, amount=amount)
    found = list(pieces)
    if not found:
        raise InvalidTable(f"{data} has a header but no cases; add a line for each.")
    table = pl.concat(found)
    own = None if amount is None else table[AMOUNT].to_numpy()
    return table.drop(ACTUAL, AMOUNT, strict=False), as_known(estimator, table[ACTUAL]), own


def run_export(
    console: Console, model: Path, form: str, out: Path | None, *, as_json: bool
) -> None:
    """Write a tree in another form."""
    from frugaltree.export import export
    from frugaltree.persist import load_model

    made = export(load_model(model), form)
    if isinstance(made, bytes) and out is None:
        raise FrugaltreeError(f"{form} is no text to be printed; name a file with --out.")
    if out is not None:
        write_at_once(out, made.encode() if isinstance(made, str) else made, "the export")
    if as_json:
        found = {"text": made} if out is None else {"file": str(out)}
        print(json.dumps({"format": form, **found}))
        return
    if out is None:
        print(made)
        return
    console.print(f"The tree is in [bold]{escape(str(out))}[/].", highlight=False, soft_wrap=True)
