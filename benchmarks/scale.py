"""How the learners do on tables of ten thousand rows to ten millions.

    python benchmarks/scale.py
    python benchmarks/scale.py --rows 10000 100000 --learners eg2 dtmc frugal --time 30s
    python benchmarks/scale.py --rows --parquet 10000000

The table has 10 numeric columns and 10 nominal ones, of which five tell the class, but for 8 % of
the rows; a tree that knows how costs 61.9 per new case. Printed are, for each size, the seconds by
the clock and of the processors, and the cost on 100,000 new cases of each learner, and then what
ought to hold: FrugalTree costs no more than the others, has a tree better than a leaf after at
most twice the time of EG2, and its objective never rises, so that it is never behind EG2 and DTMC
once their trees are grown; ACT's time grows with an exponent of at most 1.1; EG2 takes at most
half of the time of scikit-learn's tree, and twice that of one tree of its gradient boosting on one
thread, both with as many leaves.

The largest table is written to a folder of Parquet files, and learned from there by a process of
its own, whose memory is measured. Ratios are within one run; it takes about 12 minutes.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

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

MOST_MEGABYTES = 2560.0
"""What learning from Parquet files may take of memory, all in all."""

PIECE = 1_000_000
"""Rows of a Parquet file."""

LEARNERS = ("eg2", "dtmc", "act", "lsid3", "frugal", "cart", "boosting")
STREAMED = ("eg2", "dtmc", "frugal")
"""The learners that learn the largest table; ACT would take half an hour."""


class Watched(FrugalTreeClassifier):
    """FrugalTree that takes note of when there was a tree better than a leaf."""

    first_tree_ = float("inf")

    def _rounds(self, problem: Any, stop: Any) -> Iterator[Any]:
        for snapshot in super()._rounds(problem, stop):
            if snapshot.nodes.test.size > 1:
                self.first_tree_ = min(self.first_tree_, stop.seconds)
            yield snapshot


class Result(NamedTuple):
    """What a learner took, and what its tree costs.

    Attributes
    ----------
    rows, learner
        What was learned by whom.
    seconds, processor
        By the clock, and of all processors.
    cost, leaves
        Of the tree, per new case.
    first_tree, rise
        FrugalTree's seconds to the first tree better than a leaf, and by how much its objective
        rose from one moment to a later one.
    megabytes
        The most memory that the process took.
    """

    rows: int
    learner: str
    seconds: float
    processor: float
    cost: float
    leaves: int
    first_tree: float
    rise: float
    megabytes: float

    def show(self) -> None:
        """Print the result in a line."""
        print(
            f"{self.rows:>10,}  {self.learner:8s} {self.seconds:8.2f} s {self.processor:8.2f} s  "
            f"{self.cost:7.2f}  {self.leaves:6d} leaves  {self.megabytes:6.0f} MB",
            flush=True,
        )


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


def write_table(folder: Path, n: int) -> None:
    """Write a table of so many rows, with its classes, to Parquet files."""
    for i in range(-(-n // PIECE)):
        X, y = make_table(min(PIECE, n - i * PIECE), seed=101 + i)
        X.with_columns(pl.Series("class", y)).write_parquet(folder / f"part-{i:03d}.parquet")


def make_learner(name: str, time: str, leaves: int = 31) -> Any:
    """Return a learner as it is compared; scikit-learn's have so many leaves."""
    how = {"categorical_features": NOMINAL}
    if name == "cart":
        return DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    if name == "boosting":
        grown = {"max_iter": 1, "early_stopping": False, "min_samples_leaf": 2}
        return HistGradientBoostingClassifier(max_leaf_nodes=leaves, random_state=0, **grown)
    if name == "eg2":
        return EG2Classifier(COSTS, **how)
    if name == "dtmc":
        return DTMCClassifier(COSTS, **how)
    if name == "frugal":
        return Watched(COSTS, time_limit=time, n_jobs=2, random_state=0, **how)
    made = ACTClassifier if name == "act" else LSID3Classifier
    return made(COSTS, n_samples=5, n_jobs=2, random_state=0, **how)


def learn(name: str, X: Any, y: Any, time: str, leaves: int = 31) -> Result:
    """Return how a learner does on a table."""
    learner, peer = make_learner(name, time, leaves), name in ("cart", "boosting")
    given = X.to_numpy() if peer else X
    clock, processor = perf_counter(), process_time()
    with threadpool_limits(1 if peer else None):
        learner.fit(given, y)
    seconds, busy = perf_counter() - clock, process_time() - processor
    new = make_table(NEW_CASES, seed=9)
    moments = getattr(learner, "history_", []) if name == "frugal" else []
    return Result(
        rows=len(X) if isinstance(X, pl.DataFrame) else int(X.select(pl.len()).collect().item()),
        learner=name,
        seconds=seconds,
        processor=busy,
        cost=float("nan") if peer else float(learner.total_cost(*new)),
        leaves=leaves if peer else int((learner.tree_.nodes.test < 0).sum()),
        first_tree=float(getattr(learner, "first_tree_", float("nan"))),
        rise=max((after.cost - before.cost for before, after in pairwise(moments)), default=0.0),
        megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def learn_apart(name: str, folder: Path, time: str) -> Result:
    """Return how a learner does on Parquet files, in a process of its own."""
    command = [sys.executable, __file__, "--folder", str(folder), "--learners", name]
    done = subprocess.run([*command, "--time", time], check=True, stdout=subprocess.PIPE)
    return Result(*json.loads(done.stdout.splitlines()[-1]))


def learn_files(name: str, folder: Path, time: str) -> Result:
    """Return how a learner does on Parquet files; nothing is compiled while its clock runs."""
    X, y = make_table(60_000, seed=3)
    make_learner(name, "5s").fit(X, y)
    table = pl.scan_parquet(folder / "*.parquet")
    return learn(name, table.drop("class"), table.select("class"), time)


def say(claim: str, value: float, most: float) -> None:
    """Print whether a value is as small as it ought to be."""
    print(f"  {'holds' if value <= most else 'FAILS':6s} {claim}: {value:.3g}, at most {most:.3g}")


def check_size(found: dict[str, Result], n: int) -> None:
    """Print what ought to hold at one size."""
    eg2 = found.get("eg2")
    for peer, most in (("cart", 0.5), ("boosting", 2.0)):
        if eg2 and peer in found and n >= 1_000_000:
            say(f"EG2's time over that of {peer}", eg2.seconds / found[peer].seconds, most)
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
    if eg2:
        ratio = frugal.first_tree / eg2.seconds
        say("first tree better than a leaf, over EG2's time", ratio, 2.0)
    say("rise of the objective from one moment to the next", frugal.rise, 1e-9)


def check_growth(found: list[Result]) -> None:
    """Print with which power of the rows ACT's time grows."""
    act = sorted((one for one in found if one.learner == "act"), key=lambda one: one.rows)
    if len(act) > 1:
        least, most = act[0], act[-1]
        power = log(most.processor / least.processor) / log(most.rows / least.rows)
        say(f"power of ACT's time from {least.rows:,} rows to {most.rows:,}", power, 1.1)


def check_files(n: int, learners: list[str], time: str) -> None:
    """Learn a table from Parquet files; print what ought to hold."""
    with TemporaryDirectory() as folder:
        write_table(Path(folder), n)
        found = {}
        for name in STREAMED:
            if name in learners:
                found[name] = learn_apart(name, Path(folder), time)
                found[name].show()
    check_size(found, n)
    for name, one in found.items():
        say(f"megabytes of {name}", one.megabytes, MOST_MEGABYTES)
    if "frugal" in found:
        limit = float(time.removesuffix("s"))
        say("FrugalTree's seconds", found["frugal"].seconds, max(1.02 * limit, limit + 0.5))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Learners on large tables.")
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--parquet", type=int, nargs="?", default=10_000_000, const=10_000_000)
    parser.add_argument("--no-parquet", dest="parquet", action="store_const", const=0)
    usual = [name for name in LEARNERS if name != "lsid3"]
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=usual)
    parser.add_argument("--time", help="time limit of FrugalTree; 60s, and 120s from Parquet")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.folder is not None:
        print(json.dumps(learn_files(options.learners[0], options.folder, options.time)))
        return
    if options.parquet:  # first: a process begins with the memory of the one that starts it
        check_files(options.parquet, options.learners, options.time or "120s")
    found = list[Result]()
    for name in options.learners:  # so that nothing is compiled while a clock runs
        make_learner(name, "5s").fit(*make_table(300, seed=3))
        if name not in ("act", "lsid3"):
            make_learner(name, "5s").fit(*make_table(60_000, seed=3))
    for n in options.rows:
        here, table = dict[str, Result](), make_table(n, seed=1)
        for name in options.learners:
            leaves = max(2, here["eg2"].leaves) if "eg2" in here else 31
            here[name] = learn(name, *table, options.time or "60s", leaves)
            here[name].show()
        check_size(here, n)
        found += here.values()
    check_growth(found)


if __name__ == "__main__":
    main()
