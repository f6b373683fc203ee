"""The learners, and one mixed table in the shape of every library that people bring."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from frugaltree import FrugalTreeClassifier, ICETClassifier
from frugaltree._registry import BY_CLASS
from frugaltree.estimators import load_class

LEARNERS = tuple(load_class(learner) for learner in BY_CLASS.values())
C45_FAMILY = tuple(learner for learner in LEARNERS if learner._fractional)

SHORT: dict[type, dict[str, Any]] = {
    ICETClassifier: {"generations": 2, "population": 6},
    FrugalTreeClassifier: {"max_steps": 300},
}
"""What keeps a learner from taking long."""

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


@pytest.fixture(params=LIBRARIES)
def make_table(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Turn named lists, None where a value is missing, into a table of each library."""
    return LIBRARIES[request.param]


def seeded(learner: type) -> Callable[..., Any]:
    """Make a learner with a seed: two of a kind learn the same tree; none takes long."""
    return partial(learner, random_state=0, **SHORT.get(learner, {}))


@pytest.fixture(params=LEARNERS, ids=lambda learner: learner.__name__)
def learner(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return seeded(request.param)


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
