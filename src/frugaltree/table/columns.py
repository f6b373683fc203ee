"""What a column was at fit, and a training table coded by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.data.cases import NARROW_MISSING, Cases
from frugaltree.kernels.data.entropy import xlogx_table
from frugaltree.kernels.sentinels import MISSING
from frugaltree.table.values import Floats, is_number

Kind = Literal["numeric", "nominal", "ordinal"]
Codes = npt.NDArray[np.integer[Any]]
"""Codes of values: of one byte where a long table has few of them, else of four."""


@dataclass(frozen=True)
class Column:
    """What a column of the table was at fit.

    Examples
    --------
    >>> Column("cp", "nominal", ("typical", "atypical")).describe(1)
    'atypical'
    """

    name: str
    kind: Kind
    categories: tuple[Any, ...] = ()

    @property
    def is_nominal(self) -> bool:
        """Whether the test is answered by one of some values, in no order."""
        return self.kind == "nominal"

    @cached_property
    def holds_numbers(self) -> bool:
        """Whether the categories are numbers, False and True being 0 and 1."""
        return all(is_number(category) for category in self.categories)

    def describe(self, code: float) -> str:
        """Return the value with this code as a person would write it."""
        value = self.categories[int(code)] if self.categories else code
        return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Table:
    """A training table, coded: what :class:`~frugaltree.kernels.data.cases.Cases` needs of it.

    A code of a numeric test stands for the numbers from that in ``floors`` to that in ``values``:
    for one number, unless numbers are in bins; then ``numbers`` reads a column once more, if bins
    may be made finer.
    """

    columns: tuple[Column, ...]
    codes: Codes
    domain: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    values: Floats
    floors: Floats
    numbers: Callable[[int], Floats] | None = field(default=None, compare=False, repr=False)

    @property
    def names(self) -> list[str]:
        """The names of the tests."""
        return [column.name for column in self.columns]

    @property
    def nominal(self) -> npt.NDArray[np.uint8]:
        """1 where a test is nominal."""
        return np.array([column.is_nominal for column in self.columns], np.uint8)

    def cases(
        self, classes: Codes, weights: Floats, n_classes: int, *, fractional: bool = False
    ) -> Cases:
        """Return the cases for the kernels.

        ``fractional`` cases are split among branches where a value is missing. To others that is
        an answer of its own, of a nominal test one more code.
        """
        whole = bool((weights == 1.0).all())
        nominal = self.nominal
        lacking = np.zeros(nominal.size, np.uint8) if fractional else self.lacking
        extra = (nominal & lacking).astype(np.int64)
        codes = self.codes.copy() if extra.any() else self.codes
        for a in np.flatnonzero(extra):
            codes[a, codes[a] == self.missing] = self.domain[a]
        return Cases(
            codes=codes,
            nominal=nominal,
            domain=self.domain + extra,
            lacking=lacking,
            start=self.start,
            values=self.values,
            floors=self.floors,
            classes=classes,
            weights=weights,
            xlogx=xlogx_table(min(int(weights.sum()), 10_000_000)),
            n_classes=n_classes,
            unit=whole and not (fractional and self.has_missing),
            missing=self.missing,
        )

    @property
    def is_narrow(self) -> bool:
        """Whether codes are of one byte."""
        return self.codes.dtype == np.uint8

    @property
    def missing(self) -> int:
        """The code of a missing value."""
        return NARROW_MISSING if self.is_narrow else MISSING

    @cached_property
    def lacking(self) -> npt.NDArray[np.uint8]:
        """1 where some case has no value of a test."""
        return np.array([(row == self.missing).any() for row in self.codes], np.uint8)

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return bool(self.lacking.any())

    def ranges(self, tests: Iterable[int]) -> dict[str, tuple[float, float]]:
        """Return the least and the greatest value of those tests that are numeric, by name."""
        found = {}
        for a in tests:
            first, last = self.start[a], self.start[a] + self.domain[a] - 1
            if self.columns[a].kind == "numeric" and first <= last:
                found[self.columns[a].name] = float(self.floors[first]), float(self.values[last])
        return found

    def rows(self, where: npt.NDArray[np.intp]) -> Floats:
        """Return some rows as :func:`encode` would, a number in a bin as the largest of it."""
        out = np.empty((where.size, len(self.columns)))
        for a, column in enumerate(self.columns):
            codes = self.codes[a, where]
            known = codes != self.missing
            out[~known, a] = np.nan
            codes = codes[known]
            out[known, a] = codes if column.is_nominal else self.values[self.start[a] + codes]
        return out
