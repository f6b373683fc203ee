"""Parity of numbers (XOR-3D): fresh tables, of which no single test tells anything.

    python benchmarks/parity.py [--first 101] [--draws 20] [--level 5000] [--jobs 1] [--long 1]

Each draw is a table of the study's size with prices of its own, learned in the study's folds.
FrugalTree has the study's time, which is that of ICET, and once more some seconds (``--long``).
Costs are in percent of the standard cost, their standard errors over draws. Close other programs
first: the study's time is a few hundredths of a second.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track
from sklearn.model_selection import StratifiedKFold

from frugaltree.datasets import assign_costs, make_xor_3d
from frugaltree.metrics import standard_cost

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the study lies beside

from study.learners import get_time_limit, make
from study.problems import N_FOLDS, replace_errors

DATA = "xor-3d"
RIVAL, OURS = "lsid3", "frugal"

console = Console(width=100)


def measure(seed: int, level: float, learners: list[str]) -> np.ndarray:
    """Return what each learner costs on a draw, in percent, and the processor time of a fit."""
    warnings.simplefilter("ignore")
    X, y = make_xor_3d(random_state=seed)
    costs = replace_errors(assign_costs(X, y, seed), level)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    told = np.zeros((len(learners), 2))
    for train, test in folds.split(np.zeros(len(y)), y.to_numpy()):
        for i, name in enumerate(learners):
            learner = make(name, costs, seed, DATA)
            began = time.process_time()
            learner.fit(X[train], y[train])
            seconds = time.process_time() - began
            wrong = learner.predict(X[test]) != y[test].to_numpy()
            told[i] += learner.bill(X[test]).sum() + level * wrong.sum(), seconds / N_FOLDS
    told[:, 0] /= len(y) * standard_cost(costs, y, X.columns) / 100
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--first", type=int, default=101, help="seed of the first draw")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--level", type=float, default=5000.0, help="what an error costs")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--long", type=float, default=1.0, help="seconds of the longer search")
    given = parser.parse_args()
    learners = [RIVAL, "act", OURS, f"{OURS}(time_limit={given.long:g})"]
    seeds = range(given.first, given.first + given.draws)
    found = Parallel(given.jobs, return_as="generator")(
        delayed(measure)(seed, given.level, learners) for seed in seeds
    )
    told = np.array(list(track(found, "draws", len(seeds), console=console, transient=True)))
    means, costs = told.mean(axis=0), told[..., 0]
    errors = costs.std(axis=0, ddof=1) / len(seeds) ** 0.5
    print(f"{'learner':<24}{'cost %':>8}{'±':>6}{'- LSID3':>9}{'±':>6}{'ms a fit':>10}  limit")
    for i, name in enumerate(learners):
        less = costs[:, i] - costs[:, 0]
        limit = get_time_limit(name, DATA)
        print(
            f"{name:<24}{means[i, 0]:8.2f}{errors[i]:6.2f}{less.mean():9.2f}"
            f"{less.std(ddof=1) / len(seeds) ** 0.5:6.2f}{1e3 * means[i, 1]:10.1f}"
            f"  {'none' if limit is None else f'{limit:g} s'}"
        )
    for i, name in enumerate(learners[2:], start=2):
        verdict = "holds" if means[i, 0] < means[0, 0] else "does NOT hold"
        print(f"{name} below {RIVAL}: {verdict}")


if __name__ == "__main__":
    main()
