"""What trees cost on hepatitis with its gaps, held out: for one version of the package or another.

    python benchmarks/missing_values.py [--deals 3] [--levels 100 500 1000 5000]

Ten folds, dealt several times. To compare versions, set PYTHONPATH to another's ``src``.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold

from frugaltree import ACTClassifier, DTMCClassifier, FrugalTreeClassifier
from frugaltree.datasets import load, load_costs

LEARNERS = {
    "FrugalTree": lambda costs: FrugalTreeClassifier(costs, max_steps=2000, random_state=0),
    "FrugalTree, the paper's setting": lambda costs: FrugalTreeClassifier(
        costs, pessimism="paper", max_steps=2000, random_state=0
    ),
    "ACT": lambda costs: ACTClassifier(costs, random_state=0),
    "DTMC": DTMCClassifier,
}


def held_out_cost(make, costs, X, y, deals: int) -> float:
    """Return the mean cost of a case held out."""
    found = []
    for seed in range(deals):
        for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y):
            found.append(make(costs).fit(X[train], y[train]).total_cost(X[test], y[test]))
    return float(np.mean(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--deals", type=int, default=3)
    parser.add_argument("--levels", type=int, nargs="+", default=[100, 500, 1000, 5000])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = load("hepatitis", return_X_y=True)
    for level in given.levels:
        costs = load_costs("hepatitis", errors=level)
        for name, make in LEARNERS.items():
            cost = held_out_cost(make, costs, X, y, given.deals)
            print(f"errors {level:>5}  {name:<32} {cost:8.2f}", flush=True)


if __name__ == "__main__":
    main()
