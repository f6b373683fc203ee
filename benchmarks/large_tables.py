"""Long tables: EG2 beside scikit-learn at a million rows, and the memory that a stream takes.

The table has ten numeric columns (standard normal) and ten nominal ones (five equally likely
values); the class is (n0 > 0) xor (c0 > 2), or (n1 + n2 > 1 and c1 = 3), flipped for 8 % of the
rows. Times are the least of some turns, in which all learners take part one after the other.
Memory is the peak of a process that scans Parquet files and learns from the lazy frame.

    python benchmarks/large_tables.py --rows 1_000_000 --memory-rows 10_000_000
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

from frugaltree import C45Classifier, Costs, DTMCClassifier, EG2Classifier

NOMINAL = list(range(10, 20))
NAMES = [f"n{i}" for i in range(10)] + [f"c{i}" for i in range(10)]
FILE_ROWS = 1_000_000


def draw(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the table as numbers, and the classes."""
    rng = np.random.default_rng(seed)
    numbers, codes = rng.standard_normal((n, 10)), rng.integers(0, 5, (n, 10))
    sure = (numbers[:, 0] > 0) ^ (codes[:, 0] > 2)
    sure |= (numbers[:, 1] + numbers[:, 2] > 1) & (codes[:, 1] == 3)
    return np.hstack([numbers, codes]), (sure ^ (rng.random(n) < 0.08)).astype(int)


def costs() -> Costs:
    """Return the prices of the tests and of an error."""
    prices = np.random.default_rng(2).uniform(1, 20, 20)
    return Costs(dict(zip(NAMES, prices.tolist(), strict=True)), errors=500)


def least_times(learners: dict[str, Callable[[], object]], turns: int) -> dict[str, float]:
    """Return the least time of each learner, in turns."""
    found = dict.fromkeys(learners, np.inf)
    for _ in range(turns):
        for name, learn in learners.items():
            began = time.perf_counter()
            learn()
            found[name] = min(found[name], time.perf_counter() - began)
    return found


def compare_times(rows: int, turns: int, *, cart: bool) -> Table:
    """Return how long learners take, beside scikit-learn's."""
    X, y = draw(rows, 0)
    frame = pl.DataFrame(X, schema=NAMES)
    frame = frame.with_columns(pl.col(NAMES[10:]).cast(pl.Int8).cast(pl.String).cast(FIVE))
    prices, arrays = costs(), Costs(list(costs().tests.values()), errors=500)
    made = {"categorical_features": NOMINAL}
    leaves = EG2Classifier(arrays, **made).fit(X, y).get_n_leaves()
    for learner in (DTMCClassifier, C45Classifier):
        learner(arrays, **made).fit(X[:60_000], y[:60_000])  # compiled before it is timed
    boosted = HistGradientBoostingClassifier(
        max_iter=1,
        max_leaf_nodes=leaves,
        min_samples_leaf=1,
        categorical_features=NOMINAL,
        early_stopping=False,
    )
    learners: dict[str, Callable[[], object]] = {
        "EG2": lambda: EG2Classifier(arrays, **made).fit(X, y),
        "EG2, a data frame": lambda: EG2Classifier(prices).fit(frame, y),
        "DTMC": lambda: DTMCClassifier(arrays, **made).fit(X, y),
        "C4.5": lambda: C45Classifier(arrays, **made).fit(X, y),
        "one tree of HistGradientBoosting": lambda: boosted.fit(X, y),
        "DecisionTree, as many leaves": lambda: DecisionTreeClassifier(max_leaf_nodes=leaves).fit(
            X, y
        ),
    }
    found = least_times(learners, turns)
    if cart:
        found |= least_times({"DecisionTree": lambda: DecisionTreeClassifier().fit(X, y)}, 1)
    shown = Table(f"{rows:,} rows, {leaves} leaves", "seconds", "EG2 / this")
    for name, seconds in found.items():
        shown.add_row(name, f"{seconds:.2f}", f"{found['EG2'] / seconds:.2f}")
    return shown


FIVE = pl.Enum([str(v) for v in range(5)])

LEARN = """
import resource, sys, time
import polars as pl
sys.path.insert(0, {here!r})
from large_tables import costs
from frugaltree import EG2Classifier
table = pl.scan_parquet({files!r})
began = time.perf_counter()
tree = EG2Classifier(costs()).fit(table.drop("y"), table.select("y"))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{{time.perf_counter() - began:.1f}} s, {{tree.get_n_leaves()}} leaves, {{peak:.0f}} MB")
"""


def measure_memory(rows: int) -> str:
    """Return what a process says that learns from Parquet files of so many rows."""
    with tempfile.TemporaryDirectory() as folder:
        for i, first in enumerate(range(0, rows, FILE_ROWS)):
            X, y = draw(min(FILE_ROWS, rows - first), i)
            frame = pl.DataFrame(X, schema=NAMES).with_columns(
                pl.col(NAMES[10:]).cast(pl.Int8).cast(pl.String).cast(FIVE), pl.Series("y", y)
            )
            frame.write_parquet(Path(folder) / f"{i:04}.parquet")
        code = LEARN.format(here=str(Path(__file__).parent), files=f"{folder}/*.parquet")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        return done.stdout.strip() or done.stderr.strip()


def main() -> None:
    """Print the times, then the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--cart", action="store_true", help="scikit-learn's full tree, too")
    parser.add_argument("--memory-rows", type=int, default=10_000_000)
    given = parser.parse_args()
    console = Console()
    if given.rows:
        console.print(compare_times(given.rows, given.turns, cart=given.cart))
    if given.memory_rows:
        said = measure_memory(given.memory_rows)
        console.print(f"{given.memory_rows:,} rows from Parquet, EG2: {said}", highlight=False)


if __name__ == "__main__":
    main()
