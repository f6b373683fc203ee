"""Values unlike those of training: a tree takes them, but they may be a mistake in the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from frugaltree.consult.ranges import Range, ranges_of, say_range, side_of
from frugaltree.table import UNSEEN, Column, encode
from frugaltree.table.values import plain
from frugaltree.tree.text import cases

if TYPE_CHECKING:
    import polars as pl

    from frugaltree.protocols import Estimator


class Unseen:
    """Counts cases with values of the tests that a tree asks unlike those at fit.

    ``counts`` are of nominal values never seen, ``outside`` of numbers out of range, by test.
    """

    def __init__(self, model: Estimator) -> None:
        tree = model.tree_
        asked = [tree.columns[test] for test in tree.asked_tests]
        self._columns = [column for column in asked if column.is_nominal]
        self._ranges = ranges_of(model)
        self.counts: dict[str, int] = {}
        self.outside: dict[str, int] = {}
        self._examples: dict[str, str] = {}

    def add(self, piece: pl.DataFrame) -> None:
        """Count a piece in."""
        for column in self._columns:
            odd = unseen_values(piece[column.name], column)
            if len(odd):
                self.counts[column.name] = self.counts.get(column.name, 0) + len(odd)
                self._examples.setdefault(column.name, str(odd[0]))
        for name, seen in self._ranges.items():
            count = count_outside(piece[name], seen)
            if count:
                self.outside[name] = self.outside.get(name, 0) + count

    def notes(self) -> Iterator[str]:
        """Yield a sentence for each test."""
        for name, count in self.counts.items():
            have = "has" if count == 1 else "have"
            yield (
                f"{cases(count)} {have} a value of {name!r} that was never seen at fit, such as "
                f"{self._examples[name]!r}; the tree answers them without it, so check how it is "
                "written."
            )
        for name, count in self.outside.items():
            have = "has" if count == 1 else "have"
            seen = say_range(self._ranges[name])
            yield f"{cases(count)} {have} {name} outside {seen}, as seen in training; check them."


def count_outside(values: pl.Series, seen: Range) -> int:
    """Return how many values lie outside a range; what is missing does not.

    >>> import polars as pl
    >>> count_outside(pl.Series([125, 54, None, 12]), (29, 77))
    2
    """
    numbers = encode(values.to_frame(), [Column(values.name, "numeric")])[:, 0]
    odd = numbers[(numbers < seen[0]) | (numbers > seen[1])]
    return sum(side_of(value, seen) is not None for value in odd.tolist())


def unseen_values(values: pl.Series, column: Column) -> pl.Series:
    """Return the values of a nominal column that it did not have at fit.

    >>> import polars as pl
    >>> unseen_values(pl.Series(["a", "b", None]), Column("x", "nominal", ("a",))).to_list()
    ['b']
    """
    import polars as pl

    if values.dtype == pl.Boolean and all(isinstance(one, bool) for one in column.categories):
        return values.clear()
    if values.dtype == pl.String:
        known = [str(plain(category)) for category in column.categories]
        return values.filter(~values.is_in(known))
    return values.filter(pl.Series(encode(values.to_frame(), [column])[:, 0] == UNSEEN))
