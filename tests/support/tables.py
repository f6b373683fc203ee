"""One mixed table in the shape of every library that people bring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

Columns = Mapping[str, Sequence[Any]]


def as_numpy(columns: Columns, categorical: Sequence[str] = ()) -> np.ndarray:
    return np.array([*zip(*columns.values(), strict=True)], dtype=object)


def as_pandas(columns: Columns, categorical: Sequence[str] = ()) -> pd.DataFrame:
    return pd.DataFrame(dict(columns)).astype(dict.fromkeys(categorical, "category"))


def as_polars(columns: Columns, categorical: Sequence[str] = ()) -> pl.DataFrame:
    return pl.DataFrame(dict(columns)).with_columns(
        pl.col(name).cast(pl.Categorical) for name in categorical
    )


def as_pyarrow(columns: Columns, categorical: Sequence[str] = ()) -> pa.Table:
    table = pa.table(dict(columns))
    for name in categorical:
        place = table.column_names.index(name)
        table = table.set_column(place, name, table[name].dictionary_encode())
    return table


LIBRARIES = {"numpy": as_numpy, "pandas": as_pandas, "polars": as_polars, "pyarrow": as_pyarrow}


def mixed_columns(n_cases: int = 80, *, missing: bool = True) -> tuple[dict[str, list[Any]], list]:
    """Return one column of each kind, with gaps, and classes that follow them but for noise."""
    random = Random(7)
    columns = {
        "age": [random.randint(20, 79) for _ in range(n_cases)],
        "chol": [round(random.gauss(200, 40), 1) for _ in range(n_cases)],
        "pain": [random.choice(["typical", "atypical", "none"]) for _ in range(n_cases)],
        "smoker": [random.random() < 0.4 for _ in range(n_cases)],
        "stage": [random.choice(["III", "I", "II"]) for _ in range(n_cases)],
    }
    y = [
        "ill" if (chol > 210) + (pain == "typical") + smoker + (stage == "III") >= 2 else "well"
        for _, chol, pain, smoker, stage in zip(*columns.values(), strict=True)
    ]
    for case in range(0, n_cases, 9):
        y[case] = random.choice(["ill", "well"])
        if missing:
            columns[random.choice(["chol", "pain", "smoker", "stage"])][case] = None
    return columns, y
