"""Grids: text in rows and columns, as tables show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Grid:
    """Text in rows and columns.

    Parameters
    ----------
    columns, rows
        Headings and cells; the first cell of a row names it.
    caption
        What the grid shows, where a table has several.
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
