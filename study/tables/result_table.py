"""Sheets: what every table and figure of the study is given as."""

from __future__ import annotations

import json
from dataclasses import dataclass

import polars as pl

from frugaltree.compare.grid import Grid


@dataclass(frozen=True, eq=False)
class ResultTable:
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
    >>> numbers = pl.DataFrame({"learner": ["act"], "percent": [15.2]})
    >>> table = ResultTable("table-1", "Costs.", numbers)
    >>> table.csv()
    'learner,percent\nact,15.2\n'
    >>> print(table.markdown())
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
