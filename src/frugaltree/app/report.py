"""``frugaltree report`` and ``frugaltree export``: a model for others to read, or to run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from frugaltree.app.tables import as_known
from frugaltree.exceptions import FrugaltreeError
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
    with told.status("Writing"):
        from frugaltree.persist import load_model
        from frugaltree.report import write_report

        estimator = load_model(model)
        X = y = None
        if data is not None and target is not None:
            X, y = _cases(estimator, data, target)
        write_report(estimator, out, X, y, title, folds)
    if as_json:
        print(json.dumps({"page": str(out)}))
        return
    told.print(
        f"The page is in [bold]{escape(str(out))}[/]; any browser opens it.",
        highlight=False,
        soft_wrap=True,
    )


def _cases(estimator: Any, data: Path, target: str) -> tuple[Any, list[Any]]:
    """Return the tests and the true classes of a table, as the model knows them."""
    import polars as pl

    from frugaltree.app.predict import ASIDE, pieces

    table = pl.concat(pieces(data, estimator, [target]))
    return table.drop(ASIDE + target), as_known(estimator, table[ASIDE + target])


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
