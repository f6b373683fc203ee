"""Publishing the study: sheets and figures printed, or written to a folder with an index."""

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
from study.tables import Sheet, sheets

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
    """Print sheets as text, or write each as Markdown, CSV, JSON and, if it has one, a picture.

    Parameters
    ----------
    outcomes
        What the results file holds.
    names
        Which sheets; none for all.
    out
        Folder to write to; None prints.
    console
        Where to print, or to show progress.
    quick
        Take the small part of each experiment that ``--quick`` runs.
    learners
        Shown beside those of the study, once they have been run.
    """
    made = sheets(outcomes, names, quick=quick, learners=learners)
    if out is None:
        for sheet in made:
            console.print(sheet.markdown(), markup=False, highlight=False, soft_wrap=True)
            console.print()
        return
    folder = _folder(out)
    written = []
    for sheet in track(list(made), "writing", console=console, transient=True):
        write(sheet, folder)
        written.append(sheet)
    if not names:
        _write(folder / "tables.md", _page(written))
        claims = "\n".join(map(str, judge(outcomes, quick=quick)))
        _write(folder / "claims.txt", f"{claims}\n")
        _write(folder / "columns.md", write_page())
    console.print(f"{len(written)} sheets written to {folder}", soft_wrap=True)


def write(sheet: Sheet, folder: Path) -> None:
    """Write the numbers of a sheet, and its picture if it has one."""
    _write(folder / f"{sheet.name}.csv", sheet.csv())
    _write(folder / f"{sheet.name}.json", f"{sheet.json()}\n")
    _write(folder / f"{sheet.name}.md", f"{sheet.markdown()}\n")
    if sheet.name in FIGURES and sheet.numbers.height:
        _write(folder / f"{sheet.name}.svg", svg(sheet))


def _page(written: Sequence[Sheet]) -> str:
    """Return all sheets on one page, pictures among them."""
    parts = [INTRODUCTION]
    for sheet in written:
        parts.append(sheet.markdown())
        if sheet.name in FIGURES and sheet.numbers.height:
            parts.append(f"![{sheet.heading}]({sheet.name}.svg)")
        parts.append(f"Numbers: [CSV]({sheet.name}.csv), [JSON]({sheet.name}.json)")
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
