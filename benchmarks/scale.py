"""How the learners do on tables of ten thousand rows to millions.

    python benchmarks/scale.py
    python benchmarks/scale.py --rows 10000 100000 --learners eg2 dtmc frugal --time 30s

The table has 10 numeric columns and 10 nominal ones, of which five tell the class, but for 8 % of
the rows; a tree that knows how costs 61.9 per new case. Printed are, for each size, the seconds
and the cost on 100,000 new cases of each learner, the seconds of scikit-learn's tree, and then
what ought to hold: FrugalTree costs no more than the others, has a tree better than a leaf after
at most twice the time of EG2, and is never behind EG2 and DTMC by its own objective once their
trees are grown; ACT's time grows with an exponent of at most 1.1; EG2 takes at most half of the
time of scikit-learn. Ratios are within one run.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from math import log
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sklearn.tree import DecisionTreeClassifier

from frugaltree import (
    ACTClassifier,
    Costs,
    DTMCClassifier,
    EG2Classifier,
    FrugalTreeClassifier,
    LSID3Classifier,
)

NUMERIC, NOMINAL = [f"n{i}" for i in range(10)], [f"c{i}" for i in range(10)]
PRICES = np.random.default_rng(2).uniform(1, 20, 20)
COSTS = Costs(dict(zip(NUMERIC + NOMINAL, PRICES.tolist(), strict=True)), errors=500)
NEW_CASES = 100_000
BEST = 62.4
"""What FrugalTree is to cost at most from 100,000 rows on."""

LEARNERS = ("eg2", "dtmc", "act", "lsid3", "frugal", "sklearn")


class Result(NamedTuple):
    """What a learner took, and what its tree costs."""

    rows: int
    learner: str
    seconds: float
    cost: float
    fitted: Any


def make_table(n: int, seed: int) -> tuple[pl.DataFrame, np.ndarray]:
    """Return a table of so many rows and their classes."""
    rng = np.random.default_rng(seed)
    numbers, values = rng.standard_normal((n, 10)), rng.integers(0, 5, (n, 10))
    parity = (numbers[:, 0] > 0) ^ (values[:, 0] > 2)
    corner = (numbers[:, 1] + numbers[:, 2] > 1) & (values[:, 1] == 3)
    flipped = rng.random(n) < 0.08
    columns = dict(zip(NUMERIC, numbers.T, strict=True)) | dict(
        zip(NOMINAL, values.T, strict=True)
    )
    return pl.DataFrame(columns), ((parity | corner) ^ flipped).astype(int)


def make_learner(name: str, time: str) -> Any:
    """Return a learner as it is compared; scikit-learn's reads the same numbers."""
    how = {"categorical_features": NOMINAL}
    if name == "sklearn":
        return DecisionTreeClassifier(random_state=0)
    if name == "eg2":
        return EG2Classifier(COSTS, **how)
    if name == "dtmc":
        return DTMCClassifier(COSTS, **how)
    if name == "frugal":
        return FrugalTreeClassifier(COSTS, time_limit=time, n_jobs=2, random_state=0, **how)
    made = ACTClassifier if name == "act" else LSID3Classifier
    return made(COSTS, n_samples=5, n_jobs=2, random_state=0, **how)


def measure(name: str, n: int, time: str, new: tuple[pl.DataFrame, np.ndarray]) -> Result:
    """Learn a table of so many rows; print and return how that went."""
    X, y = make_table(n, seed=1)
    learner = make_learner(name, time)
    given = X.to_numpy() if name == "sklearn" else X
    began = perf_counter()
    learner.fit(given, y)
    seconds = perf_counter() - began
    cost = float("nan") if name == "sklearn" else float(learner.total_cost(*new))
    print(f"{n:>10,}  {name:8s} {seconds:8.2f} s  {cost:7.2f}", flush=True)
    return Result(n, name, seconds, cost, learner)


def say(claim: str, value: float, most: float) -> None:
    """Print whether a value is as small as it ought to be."""
    print(f"  {'holds' if value <= most else 'FAILS':6s} {claim}: {value:.3g}, at most {most:.3g}")


def check_size(found: dict[str, Result], n: int) -> None:
    """Print what ought to hold at one size."""
    if "eg2" in found and "sklearn" in found and n >= 1_000_000:
        say("EG2's time over scikit-learn's", found["eg2"].seconds / found["sklearn"].seconds, 0.5)
    if "act" in found and n == 100_000:
        say("seconds of ACT(5)", found["act"].seconds, 20.0)
    if "frugal" not in found:
        return
    frugal = found["frugal"]
    for rival in ("eg2", "dtmc", "act"):
        if rival in found:
            say(f"FrugalTree's cost, {rival}'s being", frugal.cost, found[rival].cost)
    if n >= 100_000:
        say("FrugalTree's cost", frugal.cost, BEST)
    check_history(frugal.fitted.history_, found["eg2"].seconds if "eg2" in found else None)


def check_history(history: list[Any], eg2: float | None) -> None:
    """Print how soon there was a tree, and whether the tree in hand ever got worse."""
    leaf = history[0].cost
    first = next((one.seconds for one in history if one.cost < leaf), float("inf"))
    if eg2 is not None:
        say("first tree better than a leaf, over EG2's time", first / eg2, 2.0)
    worst = max(
        (after.cost - before.cost for before, after in pairwise(history)),
        default=0.0,
    )
    say("rise of the objective from one moment to the next", worst, 1e-9)


def check_growth(found: list[Result]) -> None:
    """Print with which power of the rows ACT's time grows."""
    act = sorted((one for one in found if one.learner == "act"), key=lambda one: one.rows)
    if len(act) > 1:
        least, most = act[0], act[-1]
        power = log(most.seconds / least.seconds) / log(most.rows / least.rows)
        say(f"power of ACT's time from {least.rows:,} rows to {most.rows:,}", power, 1.1)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Learners on large tables.")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    parser.add_argument("--time", default="60s", help="time limit of FrugalTree")
    options = parser.parse_args()
    new, found = make_table(NEW_CASES, seed=9), list[Result]()
    for name in options.learners:  # so that nothing is compiled while a clock runs
        if name != "sklearn":
            make_learner(name, "1s").fit(*make_table(300, seed=3))
    for n in options.rows:
        here = {name: measure(name, n, options.time, new) for name in options.learners}
        check_size(here, n)
        found += here.values()
    check_growth(found)


if __name__ == "__main__":
    main()
