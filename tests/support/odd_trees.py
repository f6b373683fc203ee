"""Fitted learners, and cases whose answers and bills they are asked for."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from frugaltree import (
    ACTClassifier,
    C45Classifier,
    Costs,
    EG2Classifier,
    FrugalTreeClassifier,
    Group,
    ID3Classifier,
)
from frugaltree.datasets import load, load_costs
from support.tables import mixed_columns

LEARNERS = {
    "ACT": lambda costs, **options: ACTClassifier(costs, n_samples=2, random_state=0, **options),
    "C45": C45Classifier,
    "EG2": EG2Classifier,
    "Frugal": lambda costs, **options: FrugalTreeClassifier(
        costs, max_steps=300, pessimism="paper", splits="rest", **options
    ),
    "ID3": ID3Classifier,
}

SCRIPT = "<script>alert(1)</script>"
DROP = '"); DROP TABLE cases; --'
NASTY = [
    SCRIPT, DROP, "it's", "'; DROP TABLE cases; --", 'say "hi"', "back\\slash \\N \\n",
    "two\nlines", "tab\there", "ünïcode 😀", "100 %", "%%{init: {}}%%", "{braces}", "",
    "a AND b THEN c", "&lt;b&gt;", "#quot;", "`code`", "<b>bold</b>", "1. list", "c.*", "NULL",
    "or missing", "\u2028", "$$x$$", "fa:fa-ban", "ends with \\", "(x, y)", "ﬂ°lt¶ß", "*/ x /*",
    '"""', "end",
]  # fmt: skip


@dataclass(frozen=True)
class Tried:
    """A fitted learner with cases and what it makes of them."""

    estimator: Any
    rows: list[dict[str, Any]]
    answers: list[Any]
    bills: list[float]

    @property
    def outcomes(self) -> list[tuple[Any, float]]:
        return list(zip(self.answers, self.bills, strict=True))


def tried(estimator: Any, rows: list[dict[str, Any]]) -> Tried:
    """Ask a learner for its answers; of the C4.5 family for those of complete cases only."""
    if estimator.tree_.fractional:
        rows = [row for row in rows if None not in row.values()]
    names = [column.name for column in estimator.tree_.columns]
    columns = {name: np.empty(len(rows), object) for name in names}
    for name, values in columns.items():
        values[:] = [row[name] for row in rows]
    table = pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in columns.items()})
    if not hasattr(estimator, "feature_names_in_"):
        table = table.to_numpy()
    return Tried(
        estimator, rows, estimator.predict(table).tolist(), estimator.bill(table).tolist()
    )


def as_rows(X: Any) -> list[dict[str, Any]]:
    """Return the cases of a data frame, None where a value is missing."""
    return X.to_dicts() if hasattr(X, "to_dicts") else X.astype(object).to_dict("records")


def disturbed(rows: list[dict[str, Any]], share: float = 0.15) -> list[dict[str, Any]]:
    """Return cases with gaps and with text that nobody has seen."""
    random = Random(3)
    out = [dict(row) for row in rows]
    for row in out[::2]:
        for name, value in row.items():
            if random.random() < share:
                row[name] = "never seen" if isinstance(value, str) else None
            elif random.random() < share:
                row[name] = None
    for row in out[1::4]:
        for name, value in row.items():
            if isinstance(value, str) and random.random() < share:
                row[name] = "never seen"
    return out


@cache
def bundled(learner: str, data: str) -> Tried:
    """Learn from two of three cases of a data set with an expert's prices."""
    X, y = load(data, return_X_y=True)
    held_out = np.arange(len(X)) % 3 == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = LEARNERS[learner](load_costs(data, errors=600)).fit(
            X.filter(~held_out), y.filter(~held_out)
        )
    rows = as_rows(X.filter(held_out))
    return tried(estimator, [*rows, *disturbed(rows)])


@cache
def mixed(learner: str) -> Tried:
    """Learn from a table with a column of each kind, in a group, one of them delayed."""
    columns, y = mixed_columns(120)
    columns["grade"] = [(i * 7) % 4 for i in range(120)]
    X = pd.DataFrame(columns)
    X["stage"] = pd.Categorical(X["stage"], categories=["I", "II", "III"], ordered=True)
    costs = Costs(
        {"age": 1, "chol": 5.17, "pain": 2, "smoker": 0.1, "stage": 3.3, "grade": 1.7},
        groups={"visit": Group(["chol", "pain", "stage"], cost=2.1)},
        delayed=["stage"],
        errors=300,
    )
    estimator = LEARNERS[learner](costs, categorical_features=["grade"]).fit(X, y)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    odd = disturbed(rows)
    for row in odd:
        unplaced = row["stage"] == "never seen"
        if unplaced and estimator.tree_.fractional:  # it then counts as missing
            row["stage"] = "II"
    for row in odd[::5]:
        row["grade"] = 9
    return tried(estimator, [*rows, *odd])


@cache
def orders(seed: int) -> Tried:
    """Learn from gaps where tests are ordered whose prices and shares are no sums of halves."""
    rng = np.random.default_rng(seed)
    names = [f"x{a}" for a in range(6)]
    values = rng.integers(0, 4, (60, len(names))).astype(float)
    y = (values @ rng.integers(-3, 4, len(names)) + rng.normal(size=60) > 0).tolist()
    full = np.round(rng.uniform(3, 9, len(names)), 2)
    groups = {}
    for group in range(3):
        chosen = rng.choice(len(names), 4, replace=False)
        groups[f"g{group}"] = Group(
            {names[a]: round(float(full[a] * rng.uniform(0.05, 0.33)), 3) for a in chosen}
        )
    costs = Costs(
        dict(zip(names, full.tolist(), strict=True)), groups, delayed=names[:2], errors=500
    )
    values[rng.random(values.shape) < 0.1] = np.nan
    estimator = ID3Classifier(costs).fit(pd.DataFrame(values, columns=names), y)
    known = rng.integers(0, 4, (400, len(names)))
    gaps = rng.random(known.shape) < rng.choice([0.1, 0.5], (400, 1))
    rows = [
        {
            name: None if gap else float(x)
            for name, x, gap in zip(names, row, lost, strict=True)
        }
        for row, lost in zip(known, gaps, strict=True)
    ]  # fmt: skip
    return tried(estimator, rows)


@cache
def nasty(learner: str) -> Tried:
    """Learn from a table whose columns, values and classes are hostile."""
    random = Random(5)
    names = [SCRIPT, DROP, *NASTY[3:7], "%(x)s {} %s", "Größe 😀"]
    n = 16 * len(NASTY)
    X = pd.DataFrame({name: [random.choice(NASTY) for _ in range(n)] for name in names[:3]})
    for name in names[3:]:
        X[name] = [random.choice([0.1 + 0.2, 0.7, random.random()]) for _ in range(n)]
    keys = zip(X[names[0]], X[names[1]], X[names[4]], strict=True)
    y = [NASTY[(NASTY.index(a) + NASTY.index(b) % 2 * (z > 0.3)) % len(NASTY)] for a, b, z in keys]
    costs = Costs({name: 0.1 * (i + 1) for i, name in enumerate(names)}, unit='<b>"$\\"')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = LEARNERS[learner](costs).fit(X[::2], y[::2])
    rows = as_rows(X[1::2])[:150]
    return tried(estimator, [*rows, *disturbed(rows)])


@cache
def large() -> Tried:
    """Learn a tree of thousands of nodes."""
    X, y = load("krk", return_X_y=True)
    return tried(EG2Classifier(Costs([1, 2, 3, 4, 5, 6])).fit(X, y), as_rows(X[::97]))


@cache
def chain(n: int = 1100) -> Tried:
    """Learn a tree that is deeper than any stack."""
    values = [i + 0.1 for i in range(n)]
    estimator = ID3Classifier(Costs([2.5])).fit(np.reshape(values, (-1, 1)), np.arange(n) % 2)
    return tried(estimator, [{"x0": x} for x in [*values[::7], -1.0, 1e9, None]])


def leaf(costs: Costs | None = None) -> Tried:
    """Learn from one class only."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tried(ID3Classifier(costs).fit([[1], [2]], [True, True]), [{"x0": 3}])


SMALL = {
    **{f"{data}-{learner}": (bundled, learner, data)
       for data in ("heart", "hepatitis") for learner in ("ACT", "C45", "EG2")},
    "heart-Frugal": (bundled, "Frugal", "heart"),
    **{f"mixed-{learner}": (mixed, learner) for learner in ("ACT", "C45", "Frugal", "ID3")},
    **{f"orders-{seed}": (orders, seed) for seed in (0, 1, 2, 4)},
    **{f"nasty-{learner}": (nasty, learner) for learner in ("EG2", "ID3")},
    "leaf": (leaf,),
}  # fmt: skip
LARGE = {"krk": (large,), "chain": (chain,)}


def get(name: str) -> Tried:
    function, *arguments = {**SMALL, **LARGE}[name]
    return function(*arguments)
