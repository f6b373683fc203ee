"""What a tree costs beside doing without one, as a table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from frugaltree.report.names import strategy_in_words
from frugaltree.strategies import Strategy


def strategy_table(strategies: Sequence[Strategy]) -> Table:
    """Return what strategies cost as a table for the terminal."""
    table = Table("strategy", "tests", "errors", "total", "expected", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for one in strategies:
        expected = "" if one.expected is None else f"{one.expected:.2f}"
        table.add_row(
            escape(strategy_in_words(one.name)),
            f"{one.tests:.2f}",
            f"{one.errors:.2f}",
            f"{one.total:.2f}",
            expected,
        )
    return table
