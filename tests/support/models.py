"""Small models to save, and ways to spoil their files."""

from __future__ import annotations

import functools
import json

import numpy as np
import pandas as pd

from frugaltree import (
    Costs,
    FrugalTreeClassifier,
    Group,
    ID3Classifier,
    Waiting,
)

LABELS = {
    "str": ["well", "ill", "dead"],
    "int": [3, 1, 2],
    "bool": [True, False],
    "float": [1.0, 0.0],
    "object": np.array(["yes", "no"], dtype=object),
    "small": np.array([7, 200], np.uint8),
}


COSTS = {
    "none": None,
    "number": Costs(default_test_cost=3, errors=40),
    "everything": Costs(
        tests={"age": 1, "sex": 2.5, "size": 4, "smokes": 0.1},
        groups={"desk": Group(["age", "sex"], cost=0.3), "dis": Group({"size": 1, "smokes": 0.1})},
        delayed=["size"],
        errors=30,
        default_test_cost=7,
        known=["age"],
        never_ask=["smokes"],
        unit="CAD",
        source="a price list",
        date="1992-01-31",
    ),
    "waiting": Costs(
        default_test_cost=3,
        errors=40,
        waiting=Waiting(
            round_trip=2,
            minutes={"age": 0, "sex": 1, "size": 90, "smokes": 0, "site": 5},
            price=[(60, 0.1), (None, 0.5)],
            strategy="single batch",
        ),
    ),
}


def table(n=80, seed=0):
    """Numeric, text, ordinal and boolean columns; some values missing."""
    rng = np.random.default_rng(seed)
    sizes = pd.CategoricalDtype(["S", "M", "L", "XL"], ordered=True)
    X = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n),
            "sex": rng.choice(["f", "m"], n),
            "size": pd.Series(rng.choice(["S", "M", "L"], n)).astype(sizes),
            "smokes": rng.random(n) < 0.3,
            "site": pd.Categorical(rng.choice([1, 2, 3], n), categories=[1, 2, 3, 4]),
        }
    )
    X.loc[rng.random(n) < 0.15, "age"] = np.nan
    X.loc[rng.random(n) < 0.1, "size"] = None
    X.loc[rng.random(n) < 0.1, "sex"] = None
    score = X["age"].fillna(50) + 8 * X["smokes"] + 5 * (X["sex"] == "f") + rng.normal(0, 3, n)
    return X, score.to_numpy()


def classes(score, labels):
    ranks = score.argsort().argsort() * len(labels) // len(score)
    return np.asarray(labels)[ranks]


def small_model():
    X = pd.DataFrame(
        {
            "fever": [36, 36, 37, 37, 39, 39, 39, 39],
            "cough": ["no", "yes", "yes", "yes", "no", "no", "yes", "yes"],
            "size": pd.Categorical(["S"] * 8, categories=["S", "M"], ordered=True),
        }
    )
    y = ["well", "well", "well", "well", "well", "well", "ill", "ill"]
    return ID3Classifier(Costs({"fever": 2, "cough": 3, "size": 1}, unit="CAD")).fit(X, y)


def document(folder):
    return json.loads((folder / "model.json").read_text("utf-8"))


def searched(**parameters):
    X, score = table()
    learner = FrugalTreeClassifier(COSTS["number"], **{"max_steps": 500, **parameters})
    return learner.fit(X, classes(score, LABELS["str"]))


searched_once = functools.cache(searched)
