"""Trees within budgets: a repertoire on Spambase, on CUBE, and one tree that may be interrupted.

Spambase is split as in the study of GDFS (Covert et al., ICML 2023), with a price of 1 for each
test; its test part is looked at once, by the finished repertoire, after everything was learned and
chosen on the training part. CUBE is the usual synthetic task of that field. The last part holds
the tree of ``interruptible=True`` against the repertoire's own tree for each budget, on cases that
neither has seen.

    python benchmarks/budgets.py --spam FILE [--only spam cube prefixes]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from rich.console import Console
from rich.table import Table
from sklearn.model_selection import StratifiedKFold

from frugaltree import ACTClassifier, Costs, Repertoire
from frugaltree.datasets import load, load_costs
from frugaltree.metrics import error_cost, standard_cost

PUBLISHED = {1: 78.5, 2: 82.3, 3: 85.8, 4: 90.5, 5: 90.9, 6: 91.2, 8: 91.9, 10: 92.2, 15: 93.4}
"""GDFS's accuracy on Spambase by the number of tests, as printed in its notebook."""

MOST_TIMES = 3.0
"""So many times as long as the longest fit for one budget a repertoire may take."""

CUBE_BARS = {3: 0.82, 5: 0.88}
CUBE_BILL = 4.5
"""What CUBE must come to at these budgets, and the tests bought at the larger one, at most."""

STUDY_TABLES = ("heart", "bupa", "hepatitis", "pima", "thyroid")
REGRET = 2.0
"""Points of the standard cost by which the interruptible tree may be dearer."""

ERRORS = 500.0
console = Console(width=100)
Array = npt.NDArray[Any]


def spam(path: Path) -> None:
    """Print the accuracy of a repertoire on Spambase, budget by budget."""
    table = pl.read_csv(path)
    y, X = table["Outcome"].to_numpy(), table.drop("Outcome").to_numpy().astype(float)
    rows = np.arange(len(y))
    np.random.default_rng(0).shuffle(rows)
    fifth = int(0.2 * len(y))
    test, train = rows[:fifth], rows[2 * fifth :]
    costs = Costs([1.0] * X.shape[1], errors=100)
    began = time.process_time()
    repertoire = Repertoire(costs, budgets=[*PUBLISHED], random_state=0).fit(X[train], y[train])
    seconds = time.process_time() - began
    singles = {"n_samples=5": {}, "n_samples=1": {"n_samples": 1}}
    longest = {name: longest_fit(costs, X[train], y[train], how) for name, how in singles.items()}
    shown = Table("budget", "published", "repertoire", "bought", "held out", "learned for")
    for choice, published in zip(repertoire.choices_, PUBLISHED.values(), strict=True):
        budget = choice.budget
        right = 100 * (repertoire.predict(X[test], budget) == y[test]).mean()
        bills = repertoire.bill(X[test], budget=budget)
        assert bills.max() <= budget
        held_out = f"{100 * (choice.accuracy or 0.0):.2f}"
        mark = "" if right > published else " below"
        shown.add_row(
            f"{budget:g}", f"{published}", f"{right:.2f}{mark}", f"{bills.mean():.2f}", held_out,
            f"{choice.learned_for:g}",
        )  # fmt: skip
    console.print(shown)
    console.print(
        f"settings: {repertoire.settings_}; {seconds:.1f} s of the processor for all budgets"
    )
    for name, one in longest.items():
        console.print(
            f"longest fit for one budget, {name}: {one:.1f} s, {seconds / one:.1f} times"
        )


def longest_fit(costs: Costs, X: Array, y: Array, how: dict[str, Any]) -> float:
    """Return how long ACT takes for the budget for which it takes longest, in processor time."""
    seconds = []
    for budget in (10, 15):
        began = time.process_time()
        ACTClassifier(costs, max_test_cost=budget, min_cases=3, random_state=0, **how).fit(X, y)
        seconds.append(time.process_time() - began)
    return max(seconds)


def cube_cases(n: int, random: np.random.Generator) -> tuple[Array, Array]:
    """Return cases of CUBE: three bits of the label among twenty numbers."""
    labels = random.integers(0, 8, n)
    X = random.normal(0.5, 0.3, (n, 20))
    for bit in range(3):
        X[np.arange(n), labels + bit] = random.normal((labels >> bit) & 1, 0.1)
    return X, labels


def cube(draws: int) -> None:
    """Print the mean accuracy of a repertoire on CUBE."""
    costs, found = Costs([1.0] * 20, errors=100), []
    for draw in range(draws):
        random = np.random.default_rng(draw)
        X, y = cube_cases(600, random)
        Z, z = cube_cases(4000, random)
        repertoire = Repertoire(costs, budgets=[*CUBE_BARS], random_state=0).fit(X, y)
        right = [(repertoire.predict(Z, b) == z).mean() for b in CUBE_BARS]
        found.append([*right, repertoire.bill(Z, budget=5).mean()])
        assert repertoire.bill(Z, budget=3).max() <= 3
        assert repertoire.bill(Z, budget=5).max() <= 5
    means, spreads = np.mean(found, axis=0), np.std(found, axis=0)
    shown = Table("CUBE", "bar", "mean", "sd of a draw")
    for (budget, bar), mean, sd in zip(CUBE_BARS.items(), means, spreads, strict=False):
        shown.add_row(f"accuracy at {budget}", f"{bar}", f"{mean:.4f}", f"{sd:.4f}")
    shown.add_row("bought at 5", f"{CUBE_BILL}", f"{means[-1]:.2f}", f"{spreads[-1]:.2f}")
    console.print(shown)


def answer_costs(fitted: Repertoire, X: Any, labels: Array, costs: Costs) -> list[float]:
    """Return what answers cost within each budget, in per cent of the standard cost."""
    standard = standard_cost(costs, labels, list(X.columns))
    answers = [fitted.predict(X, budget) for budget in fitted.budgets_]
    return [100 * error_cost(labels, one, costs) / standard for one in answers]


def prefixes(folds: int) -> None:
    """Print by how much the interruptible tree is dearer than the tree for each budget."""
    shown = Table("table", "budgets", "regret at each, % of the standard cost", "worst")
    for name in STUDY_TABLES:
        X, y = load(name, return_X_y=True)
        costs = load_costs(name, errors=ERRORS, delayed=False)
        labels = np.asarray(y)
        one, many = [], []
        parts = StratifiedKFold(folds, shuffle=True, random_state=0)
        for rest, out in parts.split(np.zeros(len(labels)), labels):
            both = [
                Repertoire(costs, interruptible=how, random_state=0).fit(X[rest], labels[rest])
                for how in (True, False)
            ]
            for fitted, costs_found in zip(both, (one, many), strict=True):
                costs_found.append(answer_costs(fitted, X[out], labels[out], costs))
        regret = np.mean(one, axis=0) - np.mean(many, axis=0)
        budgets = ", ".join(f"{b:.4g}" for b in both[0].budgets_)
        words = ", ".join(f"{r:+.1f}" for r in regret)
        mark = "" if regret.max() <= REGRET else " above"
        shown.add_row(name, budgets, words, f"{regret.max():+.1f}{mark}")
        print(name, words, mark, flush=True)
    console.print(shown)


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spam", type=Path, help="spam.csv, in the row order of GDFS")
    parser.add_argument("--only", nargs="+", default=["spam", "cube", "prefixes"])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--folds", type=int, default=5)
    asked = parser.parse_args()
    if "spam" in asked.only and asked.spam is not None:
        spam(asked.spam)
    if "cube" in asked.only:
        cube(asked.draws)
    if "prefixes" in asked.only:
        prefixes(asked.folds)


if __name__ == "__main__":
    main()
