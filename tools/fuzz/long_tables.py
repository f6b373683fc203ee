"""Long tables: numbers in bins, codes of one byte, samples of rows, and tables read in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl

from tools.fuzz.drawing import NUMBERS, chance, draw_amount, draw_names
from tools.fuzz.invariants import check_answers, check_fitted, check_kept
from tools.fuzz.judging import demand, is_refusal
from tools.fuzz.versions import learner, make_costs

LEARNERS = ("EG2", "DTMC", "C45", "IDX", "CSID3", "ID3") * 2 + ("ACT", "LSID3", "FrugalTree") * 3
SEARCHES = ("ACT", "LSID3", "FrugalTree")
BINS = ("auto", "auto", "auto", 2, 3, 7, 254, 255, 300, 10**9, None)
FORMS = ("whole", "lazy", "lazy", "files", "files", "dask")
LONG = 50_001
"""From so many rows on a table is long without pretending."""


def run(random: Random, folder: Path) -> str:
    """Fit a learner to a long table in some form, and hold it against the table as a whole."""
    name = random.choice(LEARNERS)
    really_long = name not in SEARCHES and chance(random, 0.02)
    n = (
        LONG + random.randrange(9)
        if really_long
        else random.choice((1, 2, 64, 65, 300, 700, 1500))
    )
    X, y = draw_table(np.random.default_rng(random.randrange(2**32)), random, n)
    how = draw_parameters(random, name, X.columns)
    form = random.choice(FORMS)
    with short_is_long(pretended=chance(random, 0.7)):
        given, labels = in_form(random, folder, form, X, y)
        model = learner(name, draw_costs(random, X.columns), **how).fit(given, labels)
        check_fitted(model, X, y)
        check_kept(model, X, folder, twice=False)
        check_pieces(model, X, given)
        if form != "whole" and how.get("max_bins") is not None and "time_limit" not in how:
            whole = learner(name, model.costs, **how).fit(X, y)
            demand(model.to_text() == whole.to_text(), "in pieces it is the tree of the whole")
    return form


@contextmanager
def short_is_long(*, pretended: bool) -> Iterator[None]:
    """Read tables in small pieces and, if pretended, take a hundred rows for a long table."""
    from frugaltree.table import ranking, streams

    with patch.object(streams, "PIECE", 64):
        if not pretended:
            yield
            return
        with patch.object(ranking, "EXACT_ROWS", 100):
            yield


def check_pieces(model: Any, X: pl.DataFrame, given: Any) -> None:
    """Check that cases are answered the same in pieces and as a whole, and one by one."""
    answers, bills = check_answers(model, X)
    demand((model.predict(given) == answers).all(), "answers in pieces are those of the whole")
    demand((model.bill(given) == bills).all(), "bills in pieces are those of the whole")
    for i in {0, len(X) // 2, len(X) - 1}:
        demand(model.predict(X[i : i + 1])[0] == answers[i], "a case is answered alone the same")


# ------------------------------------------------------------------------------- drawing


def draw_table(rng: np.random.Generator, random: Random, n: int) -> tuple[pl.DataFrame, pl.Series]:
    """Return a table with columns of many kinds, and classes that follow some of them."""
    names = draw_names(random, random.randint(1, 5), random.choice((0.0, 0.0, 0.3)))
    names = [name for name in names if name != "y"] or ["t0"]
    columns = [draw_column(rng, random, n) for _ in names]
    sums = sum(column.rank().fill_null(0).to_numpy() for column in columns)
    n_classes = random.choice((2, 2, 2, 3, 5))
    classes = (sums * 3 // (n + 1)).astype(int) % n_classes
    classes[rng.random(n) < random.choice((0.0, 0.1, 0.5))] = 0
    if chance(random, 0.2):
        classes[-1] = n_classes  # a class that only the last row has
    named = [column.alias(name) for column, name in zip(columns, names, strict=True)]
    return pl.DataFrame(named), pl.Series("y", [f"c{k}" for k in classes.tolist()])


def draw_column(rng: np.random.Generator, random: Random, n: int) -> pl.Series:
    """Return the values of a test, some missing."""
    kind = random.choice(
        ("normal", "normal", "whole", "few", "odd", "text", "text", "truth", "one")
    )
    n_values = random.choice((1, 2, 5, 30, 253, 254, 255, 256, 300))
    if kind == "normal":
        values = pl.Series(rng.standard_normal(n) * 10.0 ** random.randint(-300, 300))
    elif kind == "odd":
        finite = [x for x in NUMBERS if np.isfinite(x)]
        values = pl.Series([random.choice(finite) for _ in range(n)], dtype=pl.Float64)
    elif kind == "truth":
        values = pl.Series(rng.random(n) < 0.5)
    elif kind == "text":
        values = pl.Series([f"v{k}" for k in rng.integers(0, n_values, n)])
    else:
        span = {"whole": 10**6, "few": n_values, "one": 1}[kind]
        values = pl.Series(rng.integers(0, span, n))
    rate = random.choice((0.0, 0.0, 0.0, 0.1, 0.9, 1.0))
    return values.to_frame("v").select(
        pl.when(pl.Series(rng.random(n) >= rate)).then(pl.col("v"))
    )["v"]


def draw_costs(random: Random, names: list[str]) -> Any:
    """Return costs, with odd amounts now and then."""
    odd = chance(random, 0.1)
    prices = {name: draw_amount(random) if odd else 1 + a for a, name in enumerate(names)}
    return make_costs(prices, errors=random.choice((5, 50, 500)))


def draw_parameters(random: Random, name: str, names: list[str]) -> dict[str, Any]:
    """Return parameters of a learner that have to do with size."""
    how: dict[str, Any] = {"random_state": random.randrange(100), "max_bins": random.choice(BINS)}
    if chance(random, 0.03):
        how["max_bins"] = random.choice((0, 1, -1, 1.5, "many"))
    if chance(random, 0.1):
        how["categorical_features"] = [random.choice(names)]
    if name in SEARCHES:
        how["sample_rows"] = random.choice((100, 100, 150, "auto", None))
    if name == "FrugalTree":
        how |= random.choice(({"max_steps": 60}, {"max_steps": 60}, {"time_limit": 0.5}))
        how["pessimism"] = random.choice(("auto", "paper", "none"))
    if name in ("ACT", "LSID3"):
        how["n_samples"] = 1
    return how


# ------------------------------------------------------------------------------- forms


def in_form(
    random: Random, folder: Path, form: str, X: pl.DataFrame, y: pl.Series
) -> tuple[Any, Any]:
    """Return a table and its classes as something that is read in pieces, or as it is."""
    if form == "whole":
        return X, y
    if form == "lazy":
        return X.lazy(), y if chance(random, 0.5) else y.to_frame().lazy()
    if form == "files":
        return in_files(random, folder, X.with_columns(y))
    import dask.dataframe as dd

    table = X.to_pandas()
    frame = dd.from_pandas(table, npartitions=random.choice((1, 2, 5)), sort=False)
    return frame, y.to_pandas()


def in_files(random: Random, folder: Path, table: pl.DataFrame) -> tuple[Any, Any]:
    """Write a table to several files, one perhaps without rows; check that an odd one is told."""
    cuts = sorted(random.randrange(len(table) + 1) for _ in range(random.choice((0, 1, 4))))
    for i, (first, last) in enumerate(zip([0, *cuts], [*cuts, len(table)], strict=True)):
        table[first:last].write_parquet(folder / f"{i}.parquet", row_group_size=50)
    lazy = pl.scan_parquet(folder / "*.parquet")
    if chance(random, 0.1):
        odd = random.choice(
            (table.rename({table.columns[0]: "other"}), pl.DataFrame(table.get_columns()[1:]))
        )
        odd.write_parquet(folder / "9.parquet")
        check_refused(lazy)
        (folder / "9.parquet").unlink()
        lazy = pl.scan_parquet(folder / "*.parquet")
    return lazy.select(pl.exclude("y")), lazy.select("y")


def check_refused(lazy: pl.LazyFrame) -> None:
    """Check that files with differing columns are refused in a sentence."""
    try:
        learner("EG2").fit(lazy.select(pl.exclude("y")), lazy.select("y"))
    except ValueError as error:
        if not is_refusal(error):
            raise
        return
    demand(False, "files with differing columns are refused")
