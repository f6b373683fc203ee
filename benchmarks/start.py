"""How long the first fit on a machine compiles, and how soon later processes have fitted.

Each figure is a fresh process. Cold: an empty cache of compiled kernels. Warm: the same cache
again. The time to import scikit-learn, measured in the same process first, is left out.

    python benchmarks/start.py [--repeats 3]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

FIT = """
import time
import sklearn.tree
start = time.perf_counter()
from frugaltree import EG2Classifier
from frugaltree.datasets import load
X, y = load("iris", return_X_y=True, frame="polars")
EG2Classifier().fit(X.to_numpy(), y.to_numpy().astype(str))
print(time.perf_counter() - start)
"""


def seconds(cache: str) -> float:
    env = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", FIT], env=env, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    cold, warm = [], []
    for _ in range(args.repeats):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(seconds(cache))
            warm.append(seconds(cache))
    print("cold:", ", ".join(f"{t:.1f} s" for t in cold))
    print("warm:", ", ".join(f"{t:.2f} s" for t in warm))
    print(f"compiling: {statistics.median(cold) - statistics.median(warm):.1f} s")
    print(f"warm start: {statistics.median(warm):.2f} s")


if __name__ == "__main__":
    main()
