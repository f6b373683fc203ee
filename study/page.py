"""Publishing the study: tables and figures printed, or written to a folder with an index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.progress import track

from frugaltree.exceptions import FrugaltreeError
from frugaltree.files import write_at_once
from study.claims import judge
from study.columns import write_page
from study.figures import FIGURES, svg
from study.tables import ResultTable, make_tables

INTRODUCTION = """\
# Tables and figures

Made by `python -m study tables` from the outcomes in `results.parquet`; [the study](README.md)
says what they mean. Costs are percentages of the standard cost, the lower the better.
"""


def publish(
    outcomes: pl.DataFrame,
    names: Sequence[str],
    out: Path | None,
    console: Console,
    *,
    quick: bool = False,
    learners: Sequence[str] = (),
) -> None:
    """Print tables as text, or write each as Markdown, CSV, JSON and, if it has one, a picture.

    Parameters
    ----------
    outcomes
        What the results file holds.
    names
        Which tables; none for all.
    out
        Folder to write to; None prints.
    console
        Where to print, or to show progress.
    quick
        Take the small part of each experiment that ``--quick`` runs.
    learners
        Shown beside those of the study, once they have been run.
    """
    made = make_tables(outcomes, names, quick=quick, learners=learners)
    if out is None:
        for table in made:
            console.print(table.markdown(), markup=False, highlight=False, soft_wrap=True)
            console.print()
        return
    folder = _folder(out)
    written = []
    for table in track(list(made), "writing", console=console, transient=True):
        write(table, folder)
        written.append(table)
    if not names:
        _write(folder / "tables.md", _page(written))
        claims = "\n".join(map(str, judge(outcomes, quick=quick)))
        _write(folder / "claims.txt", f"{claims}\n")
        _write(folder / "columns.md", write_page())
    console.print(f"{len(written)} tables written to {folder}", soft_wrap=True)


def write(table: ResultTable, folder: Path) -> None:
    """Write the numbers of a table, and its picture if it has one."""
    _write(folder / f"{table.name}.csv", table.csv())
    _write(folder / f"{table.name}.json", f"{table.json()}\n")
    _write(folder / f"{table.name}.md", f"{table.markdown()}\n")
    if table.name in FIGURES and table.numbers.height:
        _write(folder / f"{table.name}.svg", svg(table))


def _page(written: Sequence[ResultTable]) -> str:
    """Return all tables on one page, pictures among them."""
    parts = [INTRODUCTION]
    for table in written:
        parts.append(table.markdown())
        if table.name in FIGURES and table.numbers.height:
            parts.append(f"![{table.heading}]({table.name}.svg)")
        parts.append(f"Numbers: [CSV]({table.name}.csv), [JSON]({table.name}.json)")
    return "\n\n".join(parts) + "\n"


def _write(path: Path, text: str) -> None:
    write_at_once(path, text.encode(), path.name)


def _folder(out: Path) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FrugaltreeError(
            f"the folder {out} cannot be made ({error.strerror}); choose another."
        ) from error
    return out
