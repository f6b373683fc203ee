"""The table to learn from: in memory, or if it is long and in Parquet a piece at a time."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from frugaltree.app import cells, hints
from frugaltree.app.parquet import not_parquet, parquet_files, scan_parquet
from frugaltree.app.spreadsheets import check_sheet
from frugaltree.app.tables import (
    check_class_values,
    check_classes,
    check_table,
    classes_of,
    columns_kept,
    read_cases,
    recast,
    unreadable,
)

if TYPE_CHECKING:
    import polars as pl

COUNT = "\0count"
"""A column for the time of reading."""

SHOWN = 50_000
"""Of a longer table, about so many rows at even distances are looked at as a whole."""


class Training(NamedTuple):
    """A table to learn from.

    ``X`` and ``y`` are all its tests and classes, of a long table not read yet; ``rows`` and
    ``classes`` are those in memory, of a long table some of them.
    """

    X: Any
    y: Any
    rows: pl.DataFrame
    classes: pl.Series
    n_cases: int
    n_classes: int

    @property
    def is_long(self) -> bool:
        """Whether only some of the rows are in memory."""
        return self.n_cases > len(self.rows)


def read_training(
    data: Path,
    target: str,
    *,
    nominal: Sequence[str] = (),
    numeric: Sequence[str] = (),
    drop: Sequence[str] = (),
    sheet: str | None = None,
) -> Training:
    """Return the table to learn from; what may be a mistake is warned of.

    Columns to be dropped are as if they were not in the table.
    """
    files = parquet_files(data)
    if files:
        import polars as pl

        check_sheet(data, sheet)
        try:
            table = scan_parquet(files)
            n = int(table.select(pl.len()).collect().item())
            if n > SHOWN:
                kept = columns_kept(data, target, table.collect_schema().names(), drop)
                table = table.select(map(cells.exactly, kept))
                nominal = [name for name in nominal if name not in drop]
                numeric = [name for name in numeric if name not in drop]
                return _read_long(data, target, table, n, nominal, numeric)
        except pl.exceptions.PolarsError as error:
            raise not_parquet(data, error) from None
        except OSError as error:
            raise unreadable(data, error) from None
    X, y = read_cases(data, target, nominal=nominal, numeric=numeric, drop=drop, sheet=sheet)
    n_classes = len(classes_of(data, target, y))
    return Training(X=X, y=y, rows=X, classes=y, n_cases=len(X), n_classes=n_classes)


def _read_long(
    data: Path,
    target: str,
    table: pl.LazyFrame,
    n: int,
    nominal: Sequence[str],
    numeric: Sequence[str],
) -> Training:
    """Return a long table, of which some rows are read."""
    import polars as pl

    step = -(-n // SHOWN)
    parts = table.collect_batches(chunk_size=SHOWN)
    at, kept = 0, []
    for part in parts:
        kept.append(part.gather_every(step, offset=-at % step))
        at += len(part)
    shown = pl.concat(kept)
    check_table(data, target, shown, ())
    tests = [name for name in shown.columns if name != target]
    rows = recast(data, shown[tests], nominal, numeric)
    classes = cells.nameless(shown.get_column(target))
    check_classes(data, target, classes)
    for hint in hints.about(rows, nominal):
        warnings.warn(hint, UserWarning, stacklevel=3)
    truth = table.select(cells.exactly(target))
    by_class = truth.group_by(cells.exactly(target)).agg(pl.len().alias(COUNT))
    found = by_class.collect(engine="streaming")
    missing = found.filter(found.to_series(0).is_null())[COUNT].sum()
    known = found.to_series(0).drop_nulls().unique().sort().to_list()
    check_class_values(data, target, int(missing), known)
    X = table.select(map(cells.exactly, tests)).with_columns(
        *(cells.exactly(name).cast(pl.String) for name in nominal),
        *(cells.exactly(name).cast(pl.Float64) for name in numeric),
    )
    return Training(X=X, y=truth, rows=rows, classes=classes, n_cases=n, n_classes=len(known))
