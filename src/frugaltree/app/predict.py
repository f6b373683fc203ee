"""``frugaltree predict``: answers and bills for a table of any length, a piece at a time."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from rich.console import Console
from rich.markup import escape

from frugaltree.app import cells, delimited
from frugaltree.app.amounts import amounts_of, check_amount, check_has_amounts
from frugaltree.app.blank_lines import drop_blank_lines
from frugaltree.app.delimited import first_line
from frugaltree.app.encodings import not_text
from frugaltree.app.notes import notes, say_note
from frugaltree.app.parquet import is_parquet, parquet_files, scan_parquet, write_parquet
from frugaltree.app.spreadsheets import (
    check_sheet,
    check_writing,
    is_spreadsheet,
    read_sheet,
    write_sheet,
)
from frugaltree.app.tables import (
    as_known,
    check_column,
    check_file,
    is_text,
    read_table,
    unreadable,
)
from frugaltree.app.unseen import Unseen
from frugaltree.exceptions import InvalidTable, did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from frugaltree.protocols import Estimator

PIECE = 50_000
"""Cases that are held in memory at a time."""

ASIDE = "aside: "
"""Before the name of a column that the model does not read, but the answers are to have."""

ACTUAL = "actual: "
"""The column of true classes in a piece."""

AMOUNT = "amount: "
"""The column of amounts in a piece."""

ADDED = ("answer", "bill")
"""What the answers add to the columns that are kept."""


class Scanned(NamedTuple):
    """A table that is read as it is needed.

    Attributes
    ----------
    table
        Its columns, as text or as they are typed.
    is_text
        Whether all of them are text.
    commas
        Whether 4,05 may be a number in it.
    layout
        That of a delimited file.
    """

    table: pl.LazyFrame
    is_text: bool = False
    commas: bool = False
    layout: delimited.Layout | None = None


class Tally:
    """What the cases cost so far."""

    def __init__(self, model: Estimator, target: str | None, amount: str | None = None) -> None:
        self._model, self._target, self._amount = model, target, amount
        self.cases, self.bills, self.errors, self.right, self.decided = 0, 0.0, 0.0, 0, 0
        self.unseen = Unseen(model)

    def add(self, piece: pl.DataFrame, answers: Any, bills: Any) -> None:
        """Count a piece in."""
        self.cases += len(piece)
        self.bills += float(bills.sum())
        self.unseen.add(piece)
        if self._target is None:
            return
        from frugaltree.metrics import error_cost

        actual = as_known(self._model, piece[ACTUAL])
        own = None if self._amount is None else piece[AMOUNT].to_numpy()
        wrong = error_cost(actual, answers, self._model.costs, error_costs=own)
        self.errors += float(wrong) * len(piece)
        names = set(self._model.tree_.answer_names[self._model.tree_.first_decision :])
        self.decided += sum(answer in names for answer in answers.tolist() if names)
        self.right += sum(a == b for a, b in zip(answers.tolist(), actual, strict=True))

    def facts(self) -> dict[str, Any]:
        """Return the means as plain values."""
        n = max(self.cases, 1)
        known: dict[str, Any] = {"cases": self.cases, "bill": self.bills / n}
        known["unseen"] = self.unseen.counts
        known["outside"] = self.unseen.outside
        if self._target is not None:
            errors = self.errors / n
            known |= {"errors": errors, "total": self.bills / n + errors}
            told = self.cases - self.decided
            known["accuracy"] = self.right / max(told, 1) if told or not self.decided else None
            if self.decided:
                known["decided"] = self.decided / n
        return known


def run(
    model: Path,
    data: Path,
    *,
    target: str | None,
    amount: str | None = None,
    keep: Sequence[str],
    shares: bool,
    out: Path | None,
    as_json: bool,
    budget: float | None = None,
    sheet: str | None = None,
) -> None:
    """Read, answer and write, piece by piece; a repertoire answers within a budget."""
    from frugaltree.app.budgets import load_within

    console = Console(stderr=True)
    estimator = load_within(model, budget)
    if target is not None:
        check_amount(model, estimator, amount)
    elif amount is not None:
        raise InvalidTable("--amount counts errors, which needs --target; name the true classes.")
    keep = list(dict.fromkeys(keep))
    if out is not None:
        check_writing(out)
    _check_kept(estimator, keep, shares=shares)
    tally, began = Tally(estimator, target, amount), time.perf_counter()
    with notes(console), _open(out) as file, console.status("Answering") as status:

        def answers() -> Iterator[pl.DataFrame]:
            for piece in read_pieces(data, estimator, target, keep, sheet=sheet, amount=amount):
                yield answer_piece(estimator, piece, keep, tally, shares=shares)
                status.update(f"{tally.cases:,} cases answered")

        write_answers(answers(), file, out)
        if not tally.cases:
            raise InvalidTable(f"{data} has a header but no cases; add a line for each.")
    seconds = time.perf_counter() - began
    for note in tally.unseen.notes():
        say_note(console, note)
    if as_json:
        print(json.dumps({**tally.facts(), "seconds": seconds, "out": out and str(out)}))
    elif out is not None or target is not None:
        console.print(_closing(tally, seconds, estimator, out), highlight=False, soft_wrap=True)


def _check_kept(estimator: Estimator, keep: Sequence[str], *, shares: bool) -> None:
    """Refuse to keep a column that is called what the answers add."""
    added = [*ADDED, *(map(_share_of, estimator.classes_.tolist()) if shares else ())]
    taken = next((name for name in keep if name in added), None)
    if taken is not None:
        raise InvalidTable(
            f"--keep names {taken!r}, which is what a column of the answers is called; rename it "
            "in the table, or leave it out."
        )


def read_pieces(
    data: Path,
    estimator: Estimator,
    target: str | None = None,
    keep: Sequence[str] = (),
    *,
    drop_empty: bool = False,
    sheet: str | None = None,
    amount: str | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield a table piece by piece, each column that it has read as at fit.

    The true classes are in ACTUAL, amounts in AMOUNT, what is to be kept stands as it was written
    behind ASIDE. A
    line of separators without values is a case of which nothing is known, or with ``drop_empty``
    left out, as at fit; a blank line is no case.
    """
    import polars as pl

    from frugaltree.table import Column

    tree = estimator.tree_
    files = parquet_files(data)
    if not files:
        check_file(data)
    check_sheet(data, sheet)
    asked = [tree.columns[test].name for test in tree.asked_tests]
    try:
        names = [column.name for column in tree.columns]
        scanned = _scan(data, files, sheet, [*names, *keep, *([target] if target else [])])
        table, layout = scanned.table, scanned.layout
        if layout is not None and drop_empty:
            table = delimited.without_empty(table, layout)
        found = table.collect_schema().names()
        _check_columns(data, asked, target, keep, found)
        if amount is not None:
            check_has_amounts(data, amount, found)
        columns = [column for column in tree.columns if column.name in found]
        if not columns:  # a tree that asks nothing answers all the same
            columns = list(tree.columns[:1])
            kind = (
                pl.Float64 if not scanned.is_text and columns[0].kind == "numeric" else pl.String
            )
            table = table.with_columns(pl.lit(None, kind).alias(columns[0].name))
        aside = [cells.exactly(name).alias(ASIDE + name) for name in keep]
        truth = [cells.exactly(target).alias(ACTUAL)] if target else []
        paid = [cells.exactly(amount).alias(AMOUNT)] if amount else []
        named = (cells.exactly(column.name) for column in columns)
        table = table.select(*named, *truth, *paid, *aside)
        if scanned.is_text:
            known = [*columns, *([Column(AMOUNT, "numeric")] if amount else [])]
            table = _as_at_fit(table, known, commas=scanned.commas, has_truth=bool(truth))
        pieces: Iterable[pl.DataFrame] = table.collect_batches(chunk_size=PIECE)
        if layout is not None and not drop_empty:
            pieces = drop_blank_lines(pieces, data, layout)
        for piece in pieces:
            if target and piece[ACTUAL].null_count():
                raise InvalidTable(
                    f"{data} has cases without {target!r}, the true class; fill it in, or leave "
                    "such cases out."
                )
            if amount:
                amounts_of(data, amount, piece[AMOUNT])
            if len(piece):
                yield piece
    except pl.exceptions.PolarsError as error:
        if "utf-8" in str(error).lower():
            raise not_text(data, "it is not UTF-8") from None
        raise InvalidTable(
            f"{data} cannot be read as the table that the model was learned from "
            f"({first_line(error)}); give the same columns, of the same kinds."
        ) from None
    except OSError as error:
        raise unreadable(data, error) from None


def _as_at_fit(
    table: pl.LazyFrame, columns: Sequence[Any], *, commas: bool, has_truth: bool
) -> pl.LazyFrame:
    """Return a table of text with the kinds of values that were seen at fit."""
    truth = [ACTUAL] if has_truth else []
    bare = [column.name for column in columns if not cells.is_padded(column)]
    table = table.with_columns(map(cells.stripped, [*bare, *truth]))
    found = _groupings(table, columns) if commas else {}
    return table.with_columns(
        *(
            cells.as_at_fit(column, commas=commas, grouping=found.get(column.name))
            for column in columns
        ),
        *(cells.known(name).alias(name) for name in truth),
    )


def _groupings(table: pl.LazyFrame, columns: Sequence[Any]) -> dict[str, cells.Grouping | None]:
    """Return how thousands are set apart, by column; all of it is looked at, as at fit."""
    import polars as pl

    doubtful = "|".join(grouping.beyond_doubt for grouping in cells.GROUPINGS)
    found: dict[str, cells.Grouping | None] = {}
    for column in columns:
        if cells.holds_numbers(column):
            known = table.select(cells.known(column.name))
            if known.select(pl.all().str.contains(doubtful).any()).collect().item():
                found[column.name] = cells.grouping_of(known.collect().to_series())
    return found


def _scan(data: Path, files: list[Path], sheet: str | None, names: list[str]) -> Scanned:
    """Return a table that is read as it is needed.

    ``files`` are those of a table in Parquet, ``names`` columns that a header may have.
    """
    if files:
        return Scanned(scan_parquet(files))
    if is_spreadsheet(data):
        return Scanned(
            read_sheet(data, sheet, names, drop_unnamed=True).lazy(), is_text=True, commas=True
        )
    if is_text(data):
        layout = delimited.layout_of(data)
        table = delimited.scan(data, layout)
        return Scanned(table, is_text=True, commas=layout.decimal_commas, layout=layout)
    return Scanned(read_table(data).lazy())


def _check_columns(
    data: Path,
    asked: Sequence[str],
    target: str | None,
    keep: Sequence[str],
    found: Sequence[str],
) -> None:
    """Refuse a table that lacks a column that is asked or named."""
    for name in asked:
        if name not in found:
            raise InvalidTable(
                f"{data} has no column {name!r}, which the tree asks; add it, empty where it is "
                f"not known.{did_you_mean(name, found)}"
            )
    if target is not None:
        check_column(data, target, found)
    for name in keep:
        if name not in found:
            raise InvalidTable(
                f"--keep names {name!r}, but {data} has no such column; correct the name or drop "
                f"it.{did_you_mean(name, found)}"
            )


def _share_of(label: Any) -> str:
    return f"share of {label}"


def answer_piece(
    estimator: Estimator,
    piece: pl.DataFrame,
    keep: Sequence[str],
    tally: Tally,
    *,
    shares: bool,
) -> pl.DataFrame:
    """Return the answers for a piece: what was to be kept, the answer, the bill."""
    import polars as pl

    X = tests_of(piece, estimator)
    answers, bills = estimator.predict(X), estimator.bill(X)
    tally.add(piece, answers, bills)
    lines = [piece[ASIDE + name].alias(name) for name in keep]
    said = answers if answers.dtype != object else [str(answer) for answer in answers]
    lines += [pl.Series("answer", said), pl.Series("bill", bills)]
    if shares:
        found = estimator.predict_proba(X)
        for c, label in enumerate(estimator.classes_.tolist()):
            lines.append(pl.Series(_share_of(label), found[:, c]))
    return pl.DataFrame(lines)


def write_answers(answers: Iterator[pl.DataFrame], file: BinaryIO, out: Path | None) -> None:
    """Write answers as they come, in the form that the name of their file tells."""
    if out is not None and is_parquet(out):
        write_parquet(answers, file)
        return
    if out is not None and is_spreadsheet(out):
        write_sheet(list(answers), file)
        return
    for i, piece in enumerate(answers):
        file.write(piece.write_csv(include_header=i == 0).encode())


def tests_of(piece: pl.DataFrame, estimator: Estimator) -> pl.DataFrame:
    """Return the columns of a piece that the model knows."""
    return piece[[c.name for c in estimator.tree_.columns if c.name in piece.columns]]


@contextmanager
def _open(out: Path | None) -> Iterator[BinaryIO]:
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from frugaltree.files import replacing

    with replacing(out, "the answers") as file:
        yield file


def _closing(tally: Tally, seconds: float, estimator: Estimator, out: Path | None) -> str:
    from frugaltree.tree.text import cases, money, percent

    unit = estimator.costs.unit if estimator.costs is not None else None
    known = tally.facts()
    text = (
        f"{cases(known['cases'])} in {seconds:.1f} s; a case pays "
        f"{money(known['bill'], unit)} for tests"
    )
    if "total" in known:
        text += (
            f", {money(known['errors'], unit)} for errors, {money(known['total'], unit)} in all; "
        )
        right = None if known["accuracy"] is None else percent(known["accuracy"])
        if "decided" not in known:
            text += f"{right} of the answers are right"
        else:
            text += f"{percent(known['decided'])} of the answers are decisions"
            text += "" if right is None else f", {right} of the others right"
    where = f" The answers are in [bold]{escape(str(out))}[/]." if out is not None else ""
    return f"{escape(text)}.{where}"
