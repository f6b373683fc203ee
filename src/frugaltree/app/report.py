"""``frugaltree report`` and ``frugaltree export``: a model for others to read, or to run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from frugaltree.app.notes import notes
from frugaltree.app.tables import as_known, check_file, digest_of
from frugaltree.exceptions import FrugaltreeError, InvalidTable
from frugaltree.files import check_place, write_at_once


def run(
    told: Console,
    model: Path,
    data: Path | None,
    target: str | None,
    *,
    title: str | None,
    folds: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Write the page about a model."""
    if folds is not None and data is None:
        raise FrugaltreeError("--folds needs --data; name the table the model was learned from.")
    if data is not None and target is None:
        raise FrugaltreeError("--data needs --target; name the column with the true classes.")
    out = model.with_suffix(".html") if out is None else out
    check_place(out, "the page")
    with notes(told), told.status("Writing") as status:
        from frugaltree.persist import load_model
        from frugaltree.report import write_report

        estimator = load_model(model).set_params(verbose=0)
        X = y = None
        if data is not None and target is not None:
            if folds is None:
                _check_unseen(model, data)
            X, y = _cases(estimator, data, target)
        with _folds_shown(status, y, folds):
            write_report(estimator, out, X, y, title, folds)
    if as_json:
        print(json.dumps({"page": str(out)}))
        return
    told.print(
        f"The page is in [bold]{escape(str(out))}[/]; any browser opens it.",
        highlight=False,
        soft_wrap=True,
    )


def _check_unseen(model: Path, data: Path) -> None:
    """Refuse to call the training cases new ones."""
    check_file(data)
    learned_from = json.loads(model.read_text("utf-8-sig"))["provenance"].get("data_digest")
    if digest_of(data) == learned_from:
        raise FrugaltreeError(
            f"{data} is the table that {model} was learned from, on which it looks better than it "
            "is; give other cases, or --folds 10 to cross-validate."
        )


@contextmanager
def _folds_shown(status: Status, y: list[Any] | None, folds: int | None) -> Iterator[None]:
    """Show which fold is learned from; every class must have a case for each."""
    if folds is None or y is None:
        yield
        return
    from frugaltree.report.baselines import on_fold
    from frugaltree.tree.text import cases

    rare, fewest = min(Counter(y).items(), key=lambda item: item[1])
    if fewest < folds:
        raise FrugaltreeError(
            f"class {rare!r} has {cases(fewest)}, too few for {folds} folds; use fewer folds, "
            "or leave the class out."
        )
    done = count(1)

    def tell() -> None:
        status.update(f"Learning anew, fold {min(next(done), folds)} of {folds}")

    tell()
    token = on_fold.set(tell)
    try:
        yield
    finally:
        on_fold.reset(token)


def _cases(estimator: Any, data: Path, target: str) -> tuple[Any, list[Any]]:
    """Return the tests and the true classes of a table, as the model knows them."""
    import polars as pl

    from frugaltree.app.predict import ACTUAL, pieces

    found = list(pieces(data, estimator, target))
    if not found:
        raise InvalidTable(f"{data} has a header but no cases; add a line for each.")
    table = pl.concat(found)
    return table.drop(ACTUAL), as_known(estimator, table[ACTUAL])


def run_export(told: Console, model: Path, form: str, out: Path | None, *, as_json: bool) -> None:
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
    told.print(f"The tree is in [bold]{escape(str(out))}[/].", highlight=False, soft_wrap=True)
