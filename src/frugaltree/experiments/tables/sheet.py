"""Sheets: what every table and figure of the study is given as."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Grid:
    """Text in rows and columns.

    Parameters
    ----------
    columns, rows
        Headings and cells; the first cell of a row names it.
    caption
        What the grid shows, where a sheet has several.
    strong
        Places (row, column) of cells to be set in bold.

    Examples
    --------
    >>> print(Grid(("mc", "ACT"), (("100", "15.2"),), strong=frozenset({(0, 1)})).markdown())
    | mc  |      ACT |
    |:----|---------:|
    | 100 | **15.2** |
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    strong: frozenset[tuple[int, int]] = frozenset()

    def markdown(self) -> str:
        """Return the grid in Markdown, columns aligned in its source too."""
        cells = [
            [f"**{cell}**" if (i, j) in self.strong else cell for j, cell in enumerate(row)]
            for i, row in enumerate(self.rows)
        ]
        widths = [max(map(len, column)) for column in zip(self.columns, *cells, strict=True)]
        rule = [f":{'-' * (widths[0] + 1)}", *(f"{'-' * (width + 1)}:" for width in widths[1:])]
        lines = [_line(self.columns, widths), f"|{'|'.join(rule)}|"]
        lines += [_line(row, widths) for row in cells]
        return "\n".join([f"**{self.caption}**\n", *lines] if self.caption else lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return a row of Markdown: names to the left, numbers to the right."""
    first, *others = (
        cell.rjust(width) if column else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return f"| {' | '.join([first, *others])} |"


@dataclass(frozen=True, eq=False)
class Sheet:
    r"""A table, or the numbers behind a figure.

    Parameters
    ----------
    name, title
        As in ``table-1``, and a sentence.
    numbers
        Every number, one observation in a row.
    grids
        The same for people, with the numbers in print beside ours.
    notes
        Sentences on what it rests on, what was cut down, and what was chosen.

    Examples
    --------
    >>> sheet = Sheet("table-1", "Costs.", pl.DataFrame({"learner": ["act"], "percent": [15.2]}))
    >>> sheet.csv()
    'learner,percent\nact,15.2\n'
    >>> print(sheet.markdown())
    ## Table 1. Costs.
    """

    name: str
    title: str
    numbers: pl.DataFrame
    grids: tuple[Grid, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """Name and title in one line."""
        return f"{self.name.replace('-', ' ').capitalize()}. {self.title}"

    def markdown(self) -> str:
        """Return heading, grids and notes."""
        notes = "\n".join(f"- {note}" for note in self.notes)
        parts = [f"## {self.heading}", *(grid.markdown() for grid in self.grids), notes]
        return "\n\n".join(part for part in parts if part)

    def csv(self) -> str:
        """Return the numbers as CSV."""
        return self.numbers.write_csv() if self.numbers.width else ""

    def json(self) -> str:
        """Return name, title, notes and numbers as JSON."""
        content = {
            "name": self.name,
            "title": self.title,
            "notes": self.notes,
            "numbers": self.numbers.to_dicts(),
        }
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
