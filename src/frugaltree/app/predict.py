"""``frugaltree predict``: answers and bills for a table of any length, a piece at a time."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from rich.console import Console
from rich.markup import escape

from frugaltree.app.tables import (
    MISSING,
    as_known,
    check_column,
    check_file,
    first_line,
    read_table,
    separator_of,
    unquoted,
    unreadable,
)
from frugaltree.exceptions import InvalidTable, did_you_mean

if TYPE_CHECKING:
    import polars as pl

PIECE = 50_000
"""Cases that are held in memory at a time."""

ASIDE = "aside: "
"""Before the name of a column that the model does not read, but the answers are to have."""


class Tally:
    """What the cases cost so far."""

    def __init__(self, model: Any, target: str | None) -> None:
        self._model, self._target = model, target
        self.cases, self.bills, self.errors, self.right = 0, 0.0, 0.0, 0

    def add(self, piece: pl.DataFrame, answers: Any, bills: Any) -> None:
        """Count a piece in."""
        self.cases += len(piece)
        self.bills += float(bills.sum())
        if self._target is None:
            return
        from frugaltree.metrics import error_cost

        actual = as_known(self._model, piece[ASIDE + self._target])
        self.errors += float(error_cost(actual, answers, self._model.costs)) * len(piece)
        self.right += sum(a == b for a, b in zip(answers.tolist(), actual, strict=True))

    def facts(self) -> dict[str, Any]:
        """Return the means as plain values."""
        n = max(self.cases, 1)
        known: dict[str, Any] = {"cases": self.cases, "bill": self.bills / n}
        if self._target is not None:
            errors = self.errors / n
            known |= {"errors": errors, "total": self.bills / n + errors}
            known["accuracy"] = self.right / n
        return known


def run(
    model: Path,
    data: Path,
    *,
    target: str | None,
    keep: Sequence[str],
    shares: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Read, answer and write, piece by piece."""
    from frugaltree.persist import load_model

    told = Console(stderr=True)
    estimator = load_model(model)
    tally, began = Tally(estimator, target), time.perf_counter()
    with _opened(out) as file, told.status("Answering") as status:
        first = True
        for piece in pieces(data, estimator, [*keep, *([target] if target else [])]):
            file.write(answered(estimator, piece, keep, tally, shares=shares, header=first))
            first = False
            status.update(f"{tally.cases:,} cases answered")
        if first:
            raise InvalidTable(f"{data} has a header but no cases; add a line for each.")
    seconds = time.perf_counter() - began
    if as_json:
        print(json.dumps({**tally.facts(), "seconds": seconds, "out": out and str(out)}))
    elif out is not None or target is not None:
        told.print(_closing(tally, seconds, estimator, out), highlight=False, soft_wrap=True)


def pieces(data: Path, estimator: Any, more: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield a table piece by piece, each column read as at fit."""
    import polars as pl

    columns = estimator.tree_.columns
    check_file(data)
    try:
        table, is_text = _scanned(data)
        found = table.collect_schema().names()
        _check_columns(data, [column.name for column in columns], more, found)
        read = [as_at_fit(column) if is_text else pl.col(column.name) for column in columns]
        aside = [pl.col(name).alias(ASIDE + name) for name in dict.fromkeys(more)]
        for piece in table.select(*read, *aside).collect_batches(chunk_size=PIECE):
            if len(piece):
                yield piece
    except pl.exceptions.PolarsError as error:
        raise InvalidTable(
            f"{data} cannot be read as the table that the model was learned from "
            f"({first_line(error)}); give the same columns, of the same kinds."
        ) from None
    except OSError as error:
        raise unreadable(data, error) from None


def _scanned(data: Path) -> tuple[pl.LazyFrame, bool]:
    """Return a table that is read as it is needed, and whether everything in it is text yet."""
    import polars as pl

    suffix = data.suffix.lower()
    if suffix in (".parquet", ".pq"):
        return pl.scan_parquet(data), False
    if suffix == ".arff":
        return read_table(data).lazy(), False
    separator = separator_of(data)
    table = pl.scan_csv(data, separator=separator, null_values=MISSING, infer_schema=False)
    return table.rename(unquoted), True


def as_at_fit(column: Any) -> pl.Expr:
    """Return how a column of text is read, to hold the kind of values that were seen at fit."""
    import polars as pl

    text = pl.col(column.name)
    if column.kind == "numeric":
        return text.cast(pl.Float64)
    if column.categories and all(isinstance(value, bool) for value in column.categories):
        return text.str.to_lowercase().replace_strict({"true": True, "false": False})
    return text.cast(pl.Float64) if column.categories and column.holds_numbers else text


def _check_columns(
    data: Path, names: Sequence[str], more: Sequence[str], found: Sequence[str]
) -> None:
    """Refuse a table that lacks a column."""
    for name in names:
        if name not in found:
            raise InvalidTable(
                f"{data} has no column {name!r}, which the model knows; add it, empty where it is "
                f"not known.{did_you_mean(name, found)}"
            )
    for name in more:
        check_column(data, name, found)


def answered(
    estimator: Any,
    piece: pl.DataFrame,
    keep: Sequence[str],
    tally: Tally,
    *,
    shares: bool,
    header: bool,
) -> bytes:
    """Return the lines of a piece: what was to be kept, the answer, the bill."""
    import polars as pl

    X = piece.select(column.name for column in estimator.tree_.columns)
    answers, bills = estimator.predict(X), estimator.bill(X)
    tally.add(piece, answers, bills)
    lines = [piece[ASIDE + name].alias(name) for name in keep]
    lines += [pl.Series("answer", answers), pl.Series("bill", bills)]
    if shares:
        found = estimator.predict_proba(X)
        for c, label in enumerate(estimator.classes_.tolist()):
            lines.append(pl.Series(f"share of {label}", found[:, c]))
    return pl.DataFrame(lines).write_csv(include_header=header).encode()


@contextmanager
def _opened(out: Path | None) -> Iterator[BinaryIO]:
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from frugaltree.files import replacing

    with replacing(out, "the answers") as file:
        yield file


def _closing(tally: Tally, seconds: float, estimator: Any, out: Path | None) -> str:
    from frugaltree.show import money, percent

    unit = estimator.costs.unit if estimator.costs is not None else None
    known = tally.facts()
    text = (
        f"{known['cases']:,} cases in {seconds:.1f} s; a case pays "
        f"{money(known['bill'], unit)} for tests"
    )
    if "total" in known:
        text += (
            f", {money(known['errors'], unit)} for errors, {money(known['total'], unit)} in all; "
            f"{percent(known['accuracy'])} of the answers are right"
        )
    where = f" The answers are in [bold]{escape(str(out))}[/]." if out is not None else ""
    return f"{escape(text)}.{where}"
