"""Parameters at their ends, and beyond, for all learners."""

from __future__ import annotations

import inspect
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tools.fuzz.drawing import ODD_VALUES, chance, draw_amount
from tools.fuzz.exports import check_exports
from tools.fuzz.invariants import check_consultation, check_fitted, check_kept
from tools.fuzz.judging import demand
from tools.fuzz.versions import CLASSES, learner, make_costs

CONFIDENCES = (
    0.25,
    0.5,
    1e-4,
    1e-3,
    0.0001,
    1e-9,
    1e-12,
    5e-324,
    0.9999999,
    1 - 2**-53,
    0,
    1,
    0.1,
)
TIMES = (0, 0.0, 1e-9, 0.001, 0.05, 0.3, "0s", "50ms", "0.1 s", "auto", "-1s", "1 parsec", None)
VALUES: dict[str, tuple[Any, ...]] = {
    "cf": (*CONFIDENCES, "auto", "grid", [0.1, 0.3], []),
    "pessimism": (*CONFIDENCES, "auto", "auto", "paper", "none"),
    "w": (0, 0.0, 1, 0.5, 2.0, 1e308, 1e-300, "auto", "grid", [0.0, 1.0], 50.0, 1000),
    "expected_error": ("c45", "exact", "training"),
    "penalty": ("laplace", "multinomial"),
    "prices": ("context", "static"),
    "splits": ("auto", "values", "rest"),
    "max_depth": (None, 0, 1, 2, 10**6, 2**31, 2**63 - 1),
    "min_cases": (1, 2, 3, 10**6, 2**31, 2**62),
    "min_samples_leaf": (1, 2, 10**6, 0.1, 0.5, 1.0, 1e-9),
    "class_weight": (None, "balanced", {0: 2, 1: 1}, {0: 0, 1: 1}, {}),
    "n_samples": (0, 1, 2, 7, None, None),
    "gap": (0, 0.0, 0.05, 0.5, 1, 1.0, 1e-300),
    "max_steps": (1, 2, 10, 100, None),
    "time_limit": TIMES,
    "memory_limit": (1, "1B", "1kB", "1MB", "2GB", 1.0, "0", "1 XB", 2**40),
    "checkpoint_interval": (0, 0.0, 0.001, "1s", "30s"),
    "warm_start": (True, False),
    "max_test_cost": (None, 0, 0.0, 1, 1e-300, 1e308),
    "validation_fraction": (1e-9, 0.25, 0.5, 0.999999),
    "estimate": ("expected_error", "validation"),
    "split_points": ("gain", "quantile"),
    "lookahead_stop": (None, 0, 1, 2, "reduction", 10**9),
    "schedule": ("doubling", "iidt"),
    "granularity": (0, 0.0, 0.1, 1.0),
    "prune": (True, False),
    "prune_samples": (True, False),
    "collapse": (True, False),
    "raise_subtrees": (True, False),
    "criterion": ("min", "expected"),
    "generations": (1, 2, 3),
    "population": (2, 3, 8),
    "seeded": (True, False),
    "elitism": (True, False),
    "resplit": (True, False),
    "crossover_rate": (0, 0.0, 0.6, 1.0),
    "mutation_rate": (0, 0.0, 0.001, 1.0),
    "scaling_window": (0, 1, 5, 1000),
    "train_fraction": (1e-6, 0.01, 0.5, 0.7, 0.999),
    "cost_bits": (1, 3, 12, 62),
    "cost_range": ((1, 10000), (1, 50), (0, 0), (1, 1), (0, 1e308), (1e-300, 1)),
    "unavailable_above": (0, 20, 9000, 1e308),
    "random_state": (0, 1, 2**32 - 1, None),
    "n_jobs": (1, 2, -1, None),
    "verbose": (0, 1, 2, 10),
    "categorical_features": ("from_dtype", None, [0]),
}
"""What parameters are drawn from, by their names."""

SLACK = 5.0
"""Seconds by which a search may be late, on a machine that does other things as well."""


def run(random: Random, folder: Path) -> str:
    """Fit a learner with a few odd parameters to a small problem."""
    names, X, y, rows = draw_table(random)
    costs = draw_costs(random, names)
    name = random.choice((*CLASSES, "ACT", "FrugalTree", "FrugalTree"))
    given = draw_parameters(random, name)
    model = learner(name, costs, **given)
    began = time.monotonic()
    model.fit(X, y)
    seconds = time.monotonic() - began
    limit = given.get("time_limit")
    if isinstance(limit, int | float) and not isinstance(limit, bool):
        demand(seconds <= limit + SLACK, "a time limit is kept", limit, round(seconds, 1))
    check_fitted(model, X, y)
    check_kept(model, X, folder)
    if chance(random, 0.3) and name != "ICET":
        check_exports(model, rows, model.predict(X).tolist(), model.bill(X).tolist())
    if chance(random, 0.2):
        check_consultation(model, rows, random)
    if given.get("warm_start"):
        before = model.expected_cost_, getattr(model, "objective_", None)
        model.fit(X, y)
        check_fitted(model, X, y)
        if before[1] is not None and given.get("pessimism") in ("paper", "none"):
            demand(model.objective_ <= before[1] * (1 + 1e-9), "a search that goes on is no worse")
    return str(model.termination_)


def draw_table(random: Random) -> tuple[list[str], Any, Any, list[dict[str, Any]]]:
    """Return names, cases and classes: small, and now and then with nothing to split."""
    import pandas as pd

    n = random.choice((1, 2, 3, 5, 8, 8, 12, 20, 30, 30))
    names = [f"t{a}" for a in range(random.randint(1, 5))]
    nothing = chance(random, 0.15)
    columns: dict[str, list[Any]] = {}
    for name in names:
        kind = (
            "constant" if nothing else random.choice(("rank", "few", "real", "text", "constant"))
        )
        draws: dict[str, list[Any]] = {
            "constant": [1.0] * n,
            "rank": [float(i + 1) for i in range(n)],
            "few": [float(random.randint(0, 2)) for _ in range(n)],
            "real": [random.gauss(0, 1) * 10.0 ** random.choice((0, 0, 3, -5)) for _ in range(n)],
            "text": [random.choice(("red", "blue", "it's")) for _ in range(n)],
        }
        columns[name] = draws[kind]
    k = random.choice((2, 2, 2, 3))
    first = [0 if isinstance(v, str) else v for v in columns[names[0]]]
    middle = float(np.median(first))
    y = np.array([int(v > middle) if chance(random, 0.7) else random.randrange(k) for v in first])
    table = pd.DataFrame(columns)
    rows = [
        dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    return names, table, y, rows


def draw_costs(random: Random, names: list[str]) -> Any:
    """Return costs of all sizes, or none."""
    if chance(random, 0.1):
        return None
    scale = random.choice((1.0,) * 6 + (0.0, 1e-300, 1e300))
    if scale in (0.0, 1.0):
        tests = {name: draw_amount(random) * scale for name in names}
    else:
        tests = {name: random.choice((0, 1, 5.9)) * scale for name in names}
    given: dict[str, Any] = {"errors": draw_amount(random)}
    if chance(random, 0.3):
        given["errors"] = random.choice((10, 100.0, 1e4)) * (scale or 1.0)
    if chance(random, 0.2):
        k = 3
        given["errors"] = [
            [0 if i == j else draw_amount(random) for j in range(k)] for i in range(k)
        ]
        given["classes"] = [0, 1, 2]
    if chance(random, 0.3):
        from frugaltree import Group

        members = random.sample(names, random.randint(1, len(names)))
        given["groups"] = {
            "g": Group({m: tests[m] * random.choice((0.0, 0.5, 0.9, 1.0)) for m in members})
        }
    if chance(random, 0.15):
        given["never_ask"] = names if chance(random, 0.5) else names[:1]
    if chance(random, 0.15):
        given["delayed"] = random.sample(names, random.randint(1, len(names)))
    return make_costs(tests, **given)


def draw_parameters(random: Random, name: str) -> dict[str, Any]:
    """Return a few parameters; a search that could go on for ever gets a limit."""
    import frugaltree

    known = list(inspect.signature(getattr(frugaltree, f"{name}Classifier")).parameters)
    settable = [key for key in known if key not in ("costs", "checkpoint")]
    chosen = random.sample(settable, min(len(settable), random.choice((1, 2, 3, 5))))
    given = {}
    for key in chosen:
        pool = VALUES.get(key, ODD_VALUES)
        given[key] = random.choice(ODD_VALUES if chance(random, 0.05) else pool)
    if name == "ACT" and chance(random, 0.2):
        given["estimate"] = "validation"
        given["validation_fraction"] = random.choice((0.25, 0.5, 0.9, 0.999))
    if name == "FrugalTree":
        given.setdefault("time_limit", random.choice((0.3, 1.0)))
        if given["time_limit"] in (None, "auto"):
            given.setdefault("max_steps", 100)
    if name in ("ACT", "LSID3") and given.get("n_samples", 5) is None:
        given.setdefault("time_limit", random.choice((0.05, 0.2)))
        given["time_limit"] = given["time_limit"] or 0.1
    if name == "ICET":
        given.setdefault("generations", 3)
        given.setdefault("population", 5)
        for key, most in (("generations", 5), ("population", 20)):
            if isinstance(given[key], int) and given[key] > most:
                given[key] = most
    return given
