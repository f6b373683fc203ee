"""Random problems, and parameters for all learners, that tell versions of the package apart.

Everything is drawn by the number of the problem alone, and only public names are used, so that
two versions of the package are given the same. See ``same_results.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

NEW_ROWS = 5
"""Further rows of each problem, with values that are missing or were never seen."""

LEAST_WITH_GAPS = 16
"""Cases from which on values may be missing, so that no test is left without any value.

For a nominal test that has none among the cases of a fold, the sampling kernels of 380895e read
memory that nobody has written (`joined` in ``kernels/gains.py``), and now and then crash.
"""

# ------------------------------------------------------------- learners and their parameters

YES_NO = (True, False)
ESTIMATE = {"expected_error": ("c45", "c45", "exact", "training"), "cf": (0.25, 0.25, 0.1, 0.6)}
PRICES = {"prices": ("context", "context", "static")}
FRAME = {
    **ESTIMATE,
    "min_cases": (2, 2, 1, 4),
    "collapse": YES_NO,
    "prune": (True, True, False),
    "raise_subtrees": YES_NO,
}
SIZE = {"max_depth": (None,) * 16 + (0, 1, 2, 3), "min_cases": (1,) * 8 + (2, 4)}
PENALTY = {"penalty": ("laplace", "laplace", "multinomial")}

OPTIONS: dict[str, dict[str, tuple[Any, ...]]] = {
    "ID3": {**ESTIMATE, **PRICES},
    "C45": FRAME,
    "IDX": {**FRAME, **PRICES},
    "CSID3": {**FRAME, **PRICES},
    "EG2": {**FRAME, **PRICES, "w": (1.0, 1.0, 0.0, 0.5, 2.0)},
    "DTMC": {**ESTIMATE, **PRICES, "criterion": ("min", "expected")},
    "LSID3": {
        **ESTIMATE,
        **PRICES,
        **SIZE,
        "n_samples": (0, 1, 2, 3, 3),
        "prune": (True, True, False),
        "raise_subtrees": YES_NO,
        "n_jobs": (1, 1, 1, 2),
    },
    "ICET": {
        **ESTIMATE,
        "generations": (1, 2, 3),
        "population": (2, 5, 8),
        "seeded": YES_NO,
        "crossover_rate": (0.6, 1.0),
        "mutation_rate": (0.001, 0.1),
        "scaling_window": (5, 1),
        "elitism": YES_NO,
        "resplit": YES_NO,
        "train_fraction": (0.5, 0.7),
        "cost_bits": (12, 3),
        "cost_range": ((1, 10000), (1, 50)),
        "unavailable_above": (9000, 20),
        "min_cases": (2, 1),
        "n_jobs": (1, 1, 1, 1, 1, 2),
    },
    "ACT": {
        "expected_error": ESTIMATE["expected_error"],
        **PRICES,
        **SIZE,
        **PENALTY,
        "n_samples": (0, 1, 2, 3, 5, 5, 5, 5),
        "w": ("auto",) * 8 + (0.5, [0.0, 1.0]),
        "cf": ("auto",) * 8 + (0.2, [0.1, 0.3]),
        "prune_samples": (True, True, True, False),
        "estimate": ("expected_error",) * 6 + ("validation",),
        "split_points": ("gain", "gain", "quantile"),
        "lookahead_stop": (None,) * 12 + (1, 2, "reduction"),
        "max_test_cost": (None,) * 10 + (5.0, 20.0),
        "schedule": ("doubling", "iidt"),
        "max_steps": (None,) * 4 + (2, 5),
        "granularity": (0.1, 0.0),
        "n_jobs": (1, 1, 1, 2),
    },
    "FrugalTree": {
        "expected_error": ESTIMATE["expected_error"],
        **SIZE,
        **PENALTY,
        "pessimism": ("paper", "paper", "paper", "none", 0.1, "auto"),
        "splits": ("auto", "values", "rest"),
        "gap": (0.0,) * 5 + (0.05,),
        "max_steps": (1, 20, 100, 400, 400),
        "memory_limit": ("2GB", "2GB", "1MB"),
        "warm_start": (False, False, True),
        "n_jobs": (1, 1, 2),
    },
}
"""What each learner's parameters are drawn from; those that are usual stand several times."""


def draw_parameters(learner: str, number: int) -> dict[str, Any]:
    """Return parameters for a learner, by the number of the problem."""
    rng = np.random.default_rng([number, list(OPTIONS).index(learner)])
    return {name: pick(rng, values) for name, values in OPTIONS[learner].items()}


# --------------------------------------------------------------------------- random problems

NAMES = ("age", "blood pressure", "x_2", "Größe", "select", 'the "7th"', "x0")
VALUES = ("red", "it's", 'a "b"', "größe", "5")


@dataclass
class Problem:
    """A table with classes, weights and costs; and all its rows together with new ones."""

    X: Any
    y: Any
    rows: Any
    costs: Any = None
    weights: Any = None
    nominal: Any = "from_dtype"


@dataclass
class Column:
    """The values of a test, those of the new rows last; None is missing."""

    kind: str
    values: list[Any]
    categories: tuple[str, ...] = ()

    def codes(self) -> np.ndarray:
        """Return small whole numbers, numbers by the side of the median they are on."""
        known = [v for v in self.values if v is not None]
        if self.kind == "numeric":
            middle = float(np.median(known)) if known else 0.0
            return np.array([v is not None and v > middle for v in self.values], int)
        order = {value: i for i, value in enumerate(sorted(set(known), key=str))}
        return np.array([order.get(v, 0) for v in self.values])


def pick(rng: np.random.Generator, options: Any) -> Any:
    """Return one of several options; NumPy's own choice would change their types."""
    return options[int(rng.integers(len(options)))]


def draw_problem(number: int) -> Problem:
    """Return a random problem; the same number gives the same one."""
    from frugaltree.exceptions import FrugaltreeError

    rng = np.random.default_rng(number)
    hard = rng.random() < 0.35
    n = int(rng.integers(60, 201) if hard else rng.integers(2, 61))
    columns = [draw_column(rng, n) for _ in range(int(rng.integers(5 if hard else 1, 8)))]
    form = pick(rng, ("array",) * 6 + ("objects",) * 2 + ("pandas",) * 2 + ("polars",))
    labels = pick(rng, (("no", "yes", "maybe", "it's"), (0, 1, 2, 3), (10, 7, 8, 2)))
    labels = labels[: pick(rng, (2, 2, 2, 3, 4))]
    y = np.array([labels[c] for c in draw_classes(rng, columns, n, len(labels), hard)])
    named = form in ("pandas", "polars")
    tests: list[Any] = list(NAMES[: len(columns)] if named else range(len(columns)))
    X, rows = make_table(columns, form, n), make_table(columns, form, n + NEW_ROWS)
    problem = Problem(X, y, rows, weights=draw_weights(rng, n))
    if form == "array":
        problem.nominal = [a for a, column in enumerate(columns) if column.categories]
    try:
        problem.costs = draw_costs(rng, tests, sorted(labels), hard)
    except FrugaltreeError as error:
        problem.costs = error
    return problem


def draw_column(rng: np.random.Generator, n: int) -> Column:
    """Return a test with values for n cases and for the new rows, where some are unseen."""
    kind = pick(rng, ("nominal", "nominal", "text", "numeric", "numeric", "ordered", "boolean"))
    categories: tuple[str, ...] = ()
    if kind == "numeric":
        top = pick(rng, (1, 3, 10, 1000))
        drawn = rng.normal(0, 10, n + NEW_ROWS) if top == 1 else rng.integers(0, top, n + NEW_ROWS)
        values = (drawn / pick(rng, (1, 2, 3))).tolist()
    elif kind == "boolean":
        values = (rng.random(n + NEW_ROWS) < 0.5).tolist()
    else:
        categories = VALUES[: pick(rng, (2, 3, 3, 4, 5))]
        values = [pick(rng, categories) for _ in range(n + NEW_ROWS)]
    if rng.random() < 0.3 and n >= LEAST_WITH_GAPS:
        rate = pick(rng, (0.05, 0.2, 0.5 if n >= 2 * LEAST_WITH_GAPS else 0.3))
        values = [None if rng.random() < rate else v for v in values]
    for i in range(n, n + NEW_ROWS):
        if rng.random() < 0.2:
            odd = {"numeric": 1e6, "boolean": None}.get(kind, "unseen")
            values[i] = pick(rng, (None, odd))
    return Column(kind, values, categories)


def draw_classes(
    rng: np.random.Generator, columns: list[Column], n: int, k: int, hard: bool
) -> np.ndarray:
    """Return classes that up to three tests tell, in hard problems only together; and noise."""
    relevant = rng.permutation(len(columns))[: pick(rng, (3, 3, 2) if hard else (1, 2, 2, 3))]
    total = sum((columns[a].codes()[:n] for a in relevant), np.zeros(n, int))
    told = total % k if hard else pick(rng, (total % k, np.minimum(total, k - 1)))
    noise = rng.random(n) < pick(rng, (0.0, 0.1) if hard else (0.0, 0.0, 0.0, 0.1, 0.3, 1.0))
    return np.where(noise, rng.integers(0, k, n), told)


def draw_weights(rng: np.random.Generator, n: int) -> Any:
    """Return None, how many cases each row stands for, or now and then fractions."""
    style = pick(rng, ("none",) * 16 + ("whole",) * 7 + ("fractions",))
    if style == "none":
        return None
    weights = rng.integers(0, 4, n).astype(float)
    weights[0] = 1.0
    return weights if style == "whole" else weights / 2


def make_table(columns: list[Column], form: str, n: int) -> Any:
    """Return n rows as a table of pandas or polars, or as an array of numbers or of objects."""
    if form == "array":
        return np.array([[_as_float(c, v) for v in c.values[:n]] for c in columns], float).T
    if form == "objects":
        return np.array([c.values[:n] for c in columns], object).T
    import pandas as pd
    import polars as pl

    series = _pandas_series if form == "pandas" else _polars_series
    table = {name: series(c, c.values[:n]) for name, c in zip(NAMES, columns, strict=False)}
    return pd.DataFrame(table) if form == "pandas" else pl.DataFrame(table)


def _as_float(column: Column, value: Any) -> float:
    if value is None:
        return np.nan
    return float((*column.categories, "unseen").index(value) if column.categories else value)


def _categories(column: Column, values: list[Any]) -> list[str]:
    return [*column.categories, *(["unseen"] if "unseen" in values else [])]


def _pandas_series(column: Column, values: list[Any]) -> Any:
    import pandas as pd

    if column.kind in ("nominal", "ordered"):
        categories, ordered = _categories(column, values), column.kind == "ordered"
        return pd.Categorical(values, categories=categories, ordered=ordered)
    dtypes = {"numeric": "float64", "boolean": "boolean", "text": "object"}
    return pd.Series(values, dtype=dtypes[column.kind])


def _polars_series(column: Column, values: list[Any]) -> Any:
    import polars as pl

    dtypes = {"numeric": pl.Float64, "boolean": pl.Boolean, "text": pl.String}
    dtype = dtypes.get(column.kind) or pl.Enum(_categories(column, values))
    return pl.Series(values, dtype=dtype)


def draw_costs(rng: np.random.Generator, tests: list[Any], labels: list[Any], hard: bool) -> Any:
    """Return random costs of every kind that `Costs` knows, now and then None.

    In hard problems errors are dear, so that it pays to look for a tree.
    """
    from frugaltree import Costs

    if rng.random() < 0.06:
        return None
    scale = pick(rng, (0.0, 1.0, 1.0, 1.0, 10.0)[: 4 if hard else 5])
    drawn = rng.integers(0, 8, len(tests)) if rng.random() < 0.5 else rng.random(len(tests)) * 8
    own = dict(zip(tests, np.round(drawn * scale, 2).tolist(), strict=True))
    more: dict[str, Any] = {
        "groups": {f"g{i}": draw_group(rng, own) for i in range(pick(rng, (0, 0, 1, 2, 3)))},
        "errors": draw_errors(rng, labels, 5000.0 if hard else pick(rng, (50.0, 500.0, 5000.0))),
        "unit": pick(rng, (None, "EUR")),
    }
    if rng.random() < 0.25:
        more["delayed"] = [test for test in tests if rng.random() < 0.4]
    order = rng.permutation(len(tests)).tolist()
    for a, name in zip(order, ("known", "unavailable", "never_ask"), strict=False):
        if rng.random() < 0.1:
            more[name] = [tests[a]]
    if rng.random() < 0.9:
        more["classes"] = labels
    form = pick(rng, ("mapping",) * 8 + ("sequence", "default"))
    if form == "default":
        more["default_test_cost"] = own.pop(tests[0])
    return Costs(list(own.values()) if form == "sequence" else own, **more)


def draw_group(rng: np.random.Generator, own: dict[Any, float]) -> Any:
    """Return tests that share a price, or discounts for each; a few are larger than prices."""
    from frugaltree import Group

    members = [test for test in own if rng.random() < 0.6] or list(own)[:1]
    most = min(own[test] for test in members)
    if rng.random() < 0.6:
        return Group(members, cost=float(rng.integers(0, 5)) * pick(rng, (1.0, 10.0)))
    if rng.random() < 0.2:
        most = 4 * most + 1
    return Group({test: round(float(rng.random()) * most, 2) for test in members})


def draw_errors(rng: np.random.Generator, labels: list[Any], most: float) -> Any:
    """Return the costs of errors: a number, a matrix or pairs, some of them 0; or None."""
    style = pick(rng, ("number",) * 6 + ("matrix",) * 4 + ("pairs",) * 3 + ("none",))
    if style == "none":
        return None
    if style == "number":
        return most * pick(rng, (0.0,) + (0.2, 0.5, 0.7, 1.0, 1.0) * 2)
    k = len(labels)
    free = rng.random((k, k)) < pick(rng, (0.0, 0.0, 0.3))
    matrix = np.where(free, 0.0, np.round(rng.random((k, k)), 2) * most)
    np.fill_diagonal(matrix, 0.0)
    if style == "matrix":
        return matrix.tolist()
    pairs = [(i, j) for i in range(k) for j in range(k) if i != j]
    return {(labels[i], labels[j]): float(matrix[i, j]) for i, j in pairs}
