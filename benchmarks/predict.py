"""Speed of answers: an estimator in memory, the command, and how much memory the command takes.

The heart tree answers a million cases. In memory that is `predict` on a polars table; the command
reads CSV and writes CSV, and is run on a tenth of the table too: memory should hardly differ.

    python benchmarks/predict.py [--rows 1000000] [--repeats 3]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from frugaltree import FrugalTreeClassifier, save_model
from frugaltree.datasets import load, load_costs

FAST = 500_000
"""Rows a second that an estimator in memory should answer."""

FLAT = 1.25
"""How many times the memory of a tenth of the table the whole may take."""

console = Console(width=100)


def command(model: Path, data: Path, out: Path) -> tuple[float, float]:
    """Return seconds and megabytes of the command."""
    began = time.perf_counter()
    args = [
        sys.executable,
        "-m",
        "frugaltree",
        "predict",
        *map(str, (model, data)),
        "--out",
        str(out),
    ]
    child = subprocess.Popen(args, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise RuntimeError("the command failed.")
    return time.perf_counter() - began, usage.ru_maxrss / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    X, y = load("heart", return_X_y=True)
    costs = load_costs("heart", errors=500, delayed=False)
    tree = FrugalTreeClassifier(costs, max_steps=2000, random_state=0).fit(X, y)
    rows = np.random.default_rng(0).integers(0, len(X), options.rows)
    table = X[rows]
    tree.predict(table[:10])
    seconds = []
    for _ in range(options.repeats):
        began = time.perf_counter()
        tree.predict(table)
        seconds.append(time.perf_counter() - began)
    in_memory = options.rows / float(np.median(seconds))
    shown = Table("heart tree", "rows", "rows a second", "peak memory")
    shown.add_row("predict, in memory", f"{options.rows:,}", f"{in_memory:,.0f}", "")
    peaks = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_model(tree, folder / "model.json")
        for n in (options.rows // 10, options.rows):
            table[:n].write_csv(folder / "cases.csv")
            took, peak = command(folder / "model.json", folder / "cases.csv", folder / "out.csv")
            assert pl.scan_csv(folder / "out.csv").select(pl.len()).collect().item() == n
            peaks.append(peak)
            shown.add_row("the command", f"{n:,}", f"{n / took:,.0f}", f"{peak:.0f} MB")
    console.print(shown)
    fast, flat = in_memory >= FAST, peaks[1] <= FLAT * peaks[0]
    console.print(
        f"{'OK' if fast else 'MISSED':6s} in memory: {in_memory:,.0f} rows/s (>= {FAST:,})"
    )
    ratio = peaks[1] / peaks[0]
    console.print(
        f"{'OK' if flat else 'MISSED':6s} memory, ten times the table: {ratio:.2f} (<= {FLAT})"
    )
    return 0 if fast and flat else 1


if __name__ == "__main__":
    sys.exit(main())
