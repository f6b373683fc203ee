"""Speed of the greedy learners against scikit-learn's CART, interleaved in one run.

Warm, single-threaded ``fit`` of EG2 and C4.5 beside ``DecisionTreeClassifier().fit`` on the same
ordinal-encoded table; ours is told which columns are nominal, and its encoding belongs to the
fit. Prints medians, ratios, memory, and last ``worst ratio: X``.

    python benchmarks/greedy.py [--repeats 7] [--memory]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from frugaltree import C45Classifier, Costs, EG2Classifier
from frugaltree.datasets import load

STUDY = ("pima", "nursery", "krk", "thyroid")


def study_table(name: str) -> tuple[np.ndarray, np.ndarray, list[int]]:
    X, y = load(name, return_X_y=True, frame="pandas")
    nominal = [a for a, name in enumerate(X.columns) if X[name].dtype == "category"]
    values = X.to_numpy(dtype=object)
    out = np.empty(values.shape)
    for a in range(values.shape[1]):
        if a in nominal:
            out[:, a] = OrdinalEncoder().fit_transform(values[:, [a]].astype(str))[:, 0]
        else:
            out[:, a] = values[:, a].astype(float)
    return out, y.to_numpy().astype(str), nominal


def mixed_table(n: int = 200_000, seed: int = 0) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Ten numeric and ten nominal columns; the class hangs on a few of them, with noise."""
    rng = np.random.default_rng(seed)
    X = np.empty((n, 20))
    X[:, :10] = rng.normal(size=(n, 10))
    X[:, 10:] = rng.integers(0, 6, size=(n, 10))
    signal = X[:, 0] + X[:, 1] * X[:, 2] + (X[:, 10] > 2) - (X[:, 11] == X[:, 12])
    y = (signal + rng.normal(size=n) > 0.5).astype(int)
    return X, y, list(range(10, 20))


def tables() -> dict[str, tuple[np.ndarray, np.ndarray, list[int]]]:
    found = {name: study_table(name) for name in STUDY}
    found["mixed 200,000 x 20"] = mixed_table()
    return found


def seconds(fit) -> float:
    start = time.perf_counter()
    fit()
    return time.perf_counter() - start


def compare(X, y, nominal, repeats: int) -> dict[str, float]:
    costs = Costs(list(range(1, X.shape[1] + 1)), errors=100)
    fits = {
        "CART": lambda: DecisionTreeClassifier(random_state=0).fit(X, y),
        "EG2": lambda: EG2Classifier(costs, categorical_features=nominal).fit(X, y),
        "C4.5": lambda: C45Classifier(costs, categorical_features=nominal).fit(X, y),
    }
    times: dict[str, list[float]] = {name: [] for name in fits}
    for fit in fits.values():
        fit()
    for _ in range(repeats):
        for name, fit in fits.items():
            times[name].append(seconds(fit))
    return {name: statistics.median(values) for name, values in times.items()}


PEAK = """
import re, sys
sys.path.insert(0, {folder!r})
from greedy import mixed_table, study_table
from frugaltree import Costs, EG2Classifier, C45Classifier
import numpy as np
small = np.random.default_rng(0).normal(size=(50, 20))
EG2Classifier(categorical_features=[19]).fit(np.floor(small), np.arange(50) % 2)
C45Classifier(categorical_features=[19]).fit(small, np.arange(50) % 2)
X, y, nominal = mixed_table()
def peak():
    return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = peak()
{learner}(categorical_features=nominal).fit(X, y)
print((peak() - before) / (X.size * 8))
"""


def memory(learner: str) -> float:
    """Return how far peak memory grows in a fit, in tables of 8 bytes a cell (Linux)."""
    folder = __file__.rpartition("/")[0] or "."
    code = PEAK.format(folder=folder, learner=learner)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout.strip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    shown = Table("table", "CART", "EG2", "C4.5", "EG2 / CART", "C4.5 / CART")
    worst = 0.0
    for name, (X, y, nominal) in tables().items():
        took = compare(X, y, nominal, args.repeats)
        ratios = [took[learner] / took["CART"] for learner in ("EG2", "C4.5")]
        worst = max(worst, *ratios)
        shown.add_row(
            name,
            *(f"{1000 * took[learner]:.2f} ms" for learner in ("CART", "EG2", "C4.5")),
            *(f"{ratio:.2f}" for ratio in ratios),
        )
    console = Console(width=100)
    console.print(shown)
    for learner in ("EG2Classifier", "C45Classifier"):
        grew = memory(learner)
        console.print(f"{learner}: peak memory grows by {grew:.1f} tables of 8 bytes a cell")
    print(f"worst ratio: {worst:.2f}")


if __name__ == "__main__":
    main()
