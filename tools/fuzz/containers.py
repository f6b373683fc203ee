"""Containers and types of columns and labels, given to the learners."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tools.fuzz.drawing import NUMBERS, chance, draw_amount, draw_names
from tools.fuzz.invariants import check_answers, check_fitted, check_kept
from tools.fuzz.judging import is_refusal
from tools.fuzz.versions import CLASSES, learner, make_costs

FORMS = ("numpy", "objects", "pandas", "pandas", "polars", "polars", "arrow", "list", "odd")
KINDS = (
    "number", "number", "integer", "text", "text", "boolean", "category", "ordered", "nothing",
    "constant", "nullable", "float32", "date", "decimal", "odd number", "mixed", "bytes", "small",
)  # fmt: skip


def run(random: Random, folder: Path) -> str:
    """Fit a learner to a table in some container, and use it on the same and on others."""
    n = random.choice((1, 2, 3, 12, 20, 20, 20, 30))
    names = draw_names(random, random.randint(1, 5), random.choice((0.0, 0.0, 0.3)))
    form = random.choice(FORMS)
    pool = KINDS if chance(random, 0.5) else KINDS[:10]
    kinds = [random.choice(pool) for _ in names]
    columns = {name: draw_values(random, kind, n) for name, kind in zip(names, kinds, strict=True)}
    X = make_table(random, form, columns, kinds)
    y = draw_labels(random, n)
    costs = None
    if chance(random, 0.7):
        named = form in ("pandas", "polars", "arrow")
        prices: Any = [
            draw_amount(random) if chance(random, 0.2) else 1 + a for a in range(len(names))
        ]
        if named:
            prices = dict(zip(names, prices, strict=True))
        costs = make_costs(prices, errors=random.choice((5, 50, 500, None)))
    how: dict[str, Any] = {"random_state": random.randrange(100)}
    if chance(random, 0.1):
        how["categorical_features"] = random.choice(
            (None, [0], names[:1], [True] * len(names), "x", [9], [[0]], [-1], [1.5])
        )
    weights = draw_weights(random, n)
    repeats = 1
    name = random.choice((*CLASSES, "ACT", "LSID3"))
    if name in ("ACT", "LSID3"):
        repeats = 4
    if name == "FrugalTree":
        how |= random.choice(({"max_steps": 50}, {"pessimism": "paper", "time_limit": 2}))
    for _ in range(repeats):
        model = learner(name, costs, **how).fit(X, y, sample_weight=weights)
        how["random_state"] += 1
    labels = y if weights is None else None
    if labels is not None:
        check_fitted(model, X, y)
    check_answers(model, X)
    check_kept(model, X, folder)
    other = make_table(random, random.choice(FORMS), columns, kinds)
    try:
        check_answers(model, other)
    except (ValueError, TypeError) as error:
        if not is_refusal(error):
            raise
    return form


# ------------------------------------------------------------------------------- drawing


def draw_values(random: Random, kind: str, n: int) -> list[Any]:
    """Return the values of a test, some missing."""
    words = ("red", "blue", "green", "", " ", "it's")[: random.randint(1, 6)]
    draws: dict[str, Any] = {
        "number": lambda: random.choice((random.gauss(0, 10), float(random.randint(0, 3)))),
        "float32": lambda: random.gauss(0, 10),
        "integer": lambda: random.randint(-2, 4),
        "nullable": lambda: random.randint(0, 3),
        "small": lambda: random.randint(0, 2),
        "text": lambda: random.choice(words),
        "category": lambda: random.choice(words),
        "ordered": lambda: random.choice(words),
        "boolean": lambda: chance(random, 0.5),
        "nothing": lambda: None,
        "constant": lambda: 3.0,
        "date": lambda: datetime.date(2024, 1, random.randint(1, 28)),
        "decimal": lambda: decimal.Decimal(random.randint(0, 9)) / 4,
        "odd number": lambda: random.choice(NUMBERS),
        "mixed": lambda: random.choice((1, "1", 2.5, None, True, "x", [1], float("nan"))),
        "bytes": lambda: random.choice((b"a", b"b")),
    }
    values = [draws[kind]() for _ in range(n)]
    rate = random.choice((0.0, 0.0, 0.2, 0.9, 1.0 if chance(random, 0.3) else 0.0))
    return [None if chance(random, rate) else value for value in values]


def draw_weights(random: Random, n: int) -> Any:
    """Return mostly no weights; else whole ones, or odd ones."""
    style = random.choice(("none",) * 8 + ("whole", "whole", "odd"))
    if style == "none":
        return None
    if style == "whole":
        return [random.randint(0, 3) for _ in range(n)]
    return random.choice(([0] * n, [-1] * n, [1] * (n + 1), ["x"] * n, [np.nan] * n, 5, [0.5] * n,
                          [1e308] * n, [1e-300] * n, [[1]] * n, [True] * n))  # fmt: skip


def draw_labels(random: Random, n: int) -> Any:
    """Return labels in some container."""
    pools: tuple[list[Any], ...] = (
        ["no", "yes"], ["a", "b", "c"], [0, 1], [True, False], [3, 7], [1.0, 2.0], ["", " "],
        [1.5, 2.5], [None, "a"], [b"a", b"b"], [0], ["x" * 200, "y"], [np.nan, 1.0], [2**70, 1],
        [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)], ["1", 1],
    )  # fmt: skip
    pool = random.choice(pools) if chance(random, 0.5) else random.choice(pools[:5])
    labels = [random.choice(pool) for _ in range(n)]
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    wraps = (list, np.array, pd.Series, pl.Series, pa.array, pd.Categorical, tuple,
             lambda v: np.array(v, object), lambda v: np.array(v).reshape(-1, 1),
             lambda v: pd.DataFrame({"y": v}), lambda v: v[:-1], lambda v: [v])  # fmt: skip
    wrap = random.choice(wraps) if chance(random, 0.4) else np.array
    try:
        return wrap(labels)
    except (TypeError, ValueError, OverflowError, pa.ArrowException):
        return labels


def make_table(random: Random, form: str, columns: dict[str, list[Any]], kinds: list[str]) -> Any:
    """Return the values in a container; what it cannot hold becomes objects."""
    makers = {
        "numpy": _as_numpy, "objects": _as_objects, "pandas": _as_pandas, "polars": _as_polars,
        "arrow": _as_arrow, "list": _as_lists, "odd": _as_odd,
    }  # fmt: skip
    return makers[form](random, columns, kinds)


def _as_numpy(random: Random, columns: dict[str, list[Any]], kinds: list[str]) -> Any:
    try:
        values = [[np.nan if v is None else v for v in column] for column in columns.values()]
        X = np.array(values, random.choice((float, float, np.float32, np.int8, bool, "U5"))).T
    except (TypeError, ValueError, OverflowError):
        return _as_objects(random, columns, kinds)
    way = random.choice(("plain", "plain", "fortran", "strided", "read-only"))
    if way == "fortran":
        X = np.asfortranarray(X)
    elif way == "strided":
        X = np.repeat(X, 2, axis=0)[::2]
    elif way == "read-only":
        X.flags.writeable = False
    return X


def _as_objects(random: Random, columns: dict[str, list[Any]], kinds: list[str]) -> Any:
    X = np.empty((len(next(iter(columns.values()))), len(columns)), object)
    for a, values in enumerate(columns.values()):
        for i, value in enumerate(values):
            X[i, a] = value
    return X


def _as_lists(random: Random, columns: dict[str, list[Any]], kinds: list[str]) -> Any:
    return [list(row) for row in zip(*columns.values(), strict=True)]


def _as_pandas(random: Random, columns: dict[str, list[Any]], kinds: list[str]) -> Any:
    import pandas as pd

    dtypes = {"nullable": "Int64", "boolean": "boolean", "float32": "float32", "small": "Int8",
              "decimal": object, "text": random.choice((object, "string", "str")),
              "category": "category", "bytes": object, "mixed": object}  # fmt: skip
    table = {}
    for (name, values), kind in zip(columns.items(), kinds, strict=True):
        try:
            if kind == "ordered":
                known = sorted({v for v in values if v is not None})
                table[name] = pd.Series(pd.Categorical(values, [*known, "never"], ordered=True))
            elif kind == "date":
                table[name] = pd.to_datetime(pd.Series(values))
            else:
                table[name] = pd.Series(values, dtype=dtypes.get(kind))
        except (TypeError, ValueError):
            table[name] = pd.Series(values, dtype=object)
    frame = pd.DataFrame(table)
    if chance(random, 0.1):
        frame.index = frame.index[::-1]
    if chance(random, 0.05):
        frame.columns = list(range(len(frame.columns)))
    if chance(random, 0.05):
        frame = pd.concat([frame, frame.iloc[:, :1]], axis=1)
    return frame


def _as_polars(random: Random, columns: dict[str, list[Any]], kinds: list[str]) -> Any:
    import polars as pl

    table = []
    for (name, values), kind in zip(columns.items(), kinds, strict=True):
        known = sorted({v for v in values if isinstance(v, str)})
        dtypes = {"text": pl.String, "category": pl.Categorical, "ordered": pl.Enum(known),
                  "nothing": random.choice((pl.String, pl.Null, pl.Float64, pl.Categorical,
                                            pl.Boolean, pl.Enum([]))),
                  "float32": pl.Float32, "small": pl.Int8, "boolean": pl.Boolean,
                  "decimal": pl.Decimal(10, 2), "mixed": pl.Object}  # fmt: skip
        try:
            table.append(pl.Series(name, values, dtype=dtypes.get(kind), strict=False))
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            table.append(pl.Series(name, [str(v) for v in values]))
    frame = pl.DataFrame(table)
    return frame.lazy() if chance(random, 0.03) else frame


def _as_arrow(random: Random, columns: dict[str, list[Any]], kinds: list[str]) -> Any:
    import pyarrow as pa

    table = {}
    for (name, values), kind in zip(columns.items(), kinds, strict=True):
        try:
            array = pa.array(values, pa.string() if kind in ("text", "nothing") else None)
        except (TypeError, ValueError, OverflowError, pa.ArrowException):
            array = pa.array([None if v is None else str(v) for v in values])
        if kind in ("category", "ordered"):
            array = array.dictionary_encode()
        table[name] = array
    return pa.table(table)


def _as_odd(random: Random, columns: dict[str, list[Any]], kinds: list[str]) -> Any:
    import scipy.sparse

    n = len(next(iter(columns.values())))
    values = np.array([[random.randint(0, 1) for _ in columns] for _ in range(n)], float)
    return random.choice((
        scipy.sparse.csr_matrix(values), scipy.sparse.coo_array(values), values[:, 0],
        values[None], values[:0], values[:, :0], np.matrix(values) if n else values, {"a": [1]},
        "abc", 5, None, values + 1j, np.ma.masked_equal(values, 1), values.astype("M8[s]"),
        np.rec.fromarrays(values.T), [[]], [], values.tolist(), values.astype(np.float16),
        values.astype(np.longdouble), values.astype(np.uint64), values.astype("S1"),
    ))  # fmt: skip
