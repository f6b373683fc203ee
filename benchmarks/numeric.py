"""Speed of the exact search on numbers: against ConTree, and with prices and a pessimist's eye.

ConTree (PyPI's ``pycontree``) proves trees of numeric tests that make the fewest errors, the depth
being limited; so do we where tests are free. Both learn each table in turns, nominal columns as
numbers, and the least processor time of each is compared: other programs hardly change it. Where
one has no proof in time, the limit stands for it; where neither has, there is no ratio. As most
proofs take seconds, both get a short limit first, and only where neither meets it the whole one,
at the same time. The other figure is how long we take with prices and the paper's estimate, which
ConTree does not know.

    pip install pycontree
    python benchmarks/numeric.py [--depths 2 3 4] [--limit 300] [--repeats 3] [--tables iris wine]
"""

from __future__ import annotations

import argparse
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from exact import Bar, console, frugal, load_table, took
from rich.table import Table

from frugaltree import Costs, FrugalTreeClassifier

BUNDLED = ("iris", "wine", "bupa", "pima", "glass", "heart", "thyroid")
GENERATED = {"made 2000 x 8": (2000, 8), "made 6000 x 5": (6000, 5), "made 20000 x 6": (20000, 6)}
PRICED = ("pima", "bupa", "wine", "glass", "heart")
SOON = 10.0
"""Seconds in which tables with prices should be proven at depth 3."""

LONG = 2.0
"""What takes longer than so many seconds is not repeated."""

SHORT = 30.0
"""The short limit, in seconds."""

MOST_RATIO = 3.0
"""How many times as long as ConTree we may take on any table."""


class Numbers(NamedTuple):
    """A table of numbers."""

    X: np.ndarray
    y: np.ndarray

    @classmethod
    def of(cls, name: str) -> Numbers:
        if name in GENERATED:
            return cls.made(*GENERATED[name])
        X, y = load_table(name)
        values = X.select(pl.all().to_physical()).to_numpy().astype(float)
        return cls(values, y.to_physical().to_numpy().astype(np.intp))

    @classmethod
    def made(cls, n: int, n_tests: int) -> Numbers:
        """Return a table that no small tree explains: waves, a product, and 12 % of noise."""
        rng = np.random.default_rng(n)
        X = rng.normal(size=(n, n_tests))
        z = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] > 0.3
        return cls(X, (z ^ (rng.random(n) < 0.12)).astype(np.intp))


class Outcome(NamedTuple):
    """The errors of a tree, whether there is a proof, and the seconds that it took."""

    errors: int
    proven: bool
    seconds: float


def learn_ours(table: Numbers, depth: int, limit: float) -> Outcome:
    learner = FrugalTreeClassifier(
        Costs([0.0] * table.X.shape[1], errors=1.0),
        pessimism="none",
        max_depth=depth,
        time_limit=limit,
        n_jobs=1,
        random_state=0,
    )
    seconds = took(partial(learner.fit, table.X, table.y)).processor
    errors = round(learner.expected_cost_ * len(table.y))
    return Outcome(errors, learner.termination_ == "optimal", seconds)


def learn_theirs(table: Numbers, depth: int, limit: float) -> Outcome:
    from pycontree import ConTree

    learner = ConTree(max_depth=depth, time_limit=limit)
    seconds = took(partial(learner.fit, table.X, table.y)).processor
    errors = int((learner.predict(table.X) != table.y).sum())
    return Outcome(errors, bool(learner._config.is_within_time_limit()), seconds)


def compare(table: Numbers, depth: int, limit: float, repeats: int) -> tuple[Outcome, Outcome]:
    """Return the fastest outcome of both, who take turns; at the same time if it takes long."""
    short, ours, theirs = min(limit, SHORT), [], []
    for _ in range(repeats):
        ours.append(learn_ours(table, depth, short))
        theirs.append(learn_theirs(table, depth, limit if ours[0].proven else short))
        if max(ours[-1].seconds, theirs[-1].seconds) > LONG:
            break
    mine, other = (min(each, key=lambda one: one.seconds) for each in (ours, theirs))
    if mine.proven or short == limit:
        return mine, other
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        longer = pool.submit(learn_ours, table, depth, limit)
        if not other.proven:
            other = pool.submit(learn_theirs, table, depth, limit).result()
        return longer.result(), other


def check_errors(what: str, ours: Outcome, theirs: Outcome) -> None:
    """Check that a tree with a proof makes no more errors than the other one's."""
    if (ours.proven and theirs.errors < ours.errors) or (
        theirs.proven and ours.errors < theirs.errors
    ):
        raise RuntimeError(f"{what}: {ours} of ours and {theirs} of ConTree cannot both be.")
    if ours.proven and theirs.proven and ours.errors != theirs.errors:
        raise RuntimeError(f"{what}: the optima {ours.errors} and {theirs.errors} differ.")


def against_contree(args: argparse.Namespace) -> list[Bar]:
    """Compare how long both take to the proof."""
    if find_spec("pycontree") is None:
        console.print(
            "ConTree is not installed, nothing is held against it: pip install pycontree"
        )
        return []
    shown = Table(
        "ours / ConTree", "depth", "cases", "tests", "errors", "ours", "ConTree", "ratio"
    )
    bars, ratios = [], []
    for depth in args.depths:
        for name in args.tables:
            table = Numbers.of(name)
            both = compare(table, depth, args.limit, args.repeats)
            check_errors(f"{name}, depth {depth}", *both)
            size = (f"{len(table.y):,}", str(table.X.shape[1]))
            seconds = (
                f"{1000 * one.seconds:.1f} ms" if one.proven else "no proof" for one in both
            )
            errors, ratio = " : ".join(str(one.errors) for one in both), "-"
            if any(one.proven for one in both):
                ours, theirs = (one.seconds if one.proven else args.limit for one in both)
                ratios.append(ours / theirs)
                ratio = f"{ratios[-1]:.3f}"
                what = f"ours / ConTree, {name}, depth {depth}"
                bars.append(Bar(what, ratios[-1], MOST_RATIO))
            shown.add_row(name, str(depth), *size, errors, *seconds, ratio)
            console.print(f"{name}, depth {depth}: {ratio}", style="dim")
    mean = float(np.exp(np.log(ratios).mean())) if ratios else np.nan
    worst = max(ratios, default=np.nan)
    shown.add_row("geometric mean", "", "", "", "", "", "", f"{mean:.3f}")
    shown.add_row("worst", "", "", "", "", "", "", f"{worst:.3f}")
    console.print(shown)
    summary = [
        Bar("ours / ConTree, worst", worst, MOST_RATIO),
        Bar("ours / ConTree, geometric mean", mean, 1.0),
    ]
    return [*bars, *summary]


def with_prices(args: argparse.Namespace) -> list[Bar]:
    """See how long proofs take with prices and the paper's estimate."""
    shown = Table("with prices, depth 3", "cases", "tests", "states", "processor", "cost per case")
    bars = []
    for name in PRICED:
        X, y = load_table(name)
        learner: Any = frugal(name, args.limit, max_depth=3, n_jobs=1)
        seconds = took(partial(learner.fit, X, y)).processor
        until = seconds if learner.termination_ == "optimal" else np.inf
        bars.append(Bar(f"proof of {name}, depth 3, with prices", until, SOON, " s"))
        size = (f"{X.height:,}", str(X.width), f"{learner.states_:,}")
        shown.add_row(name, *size, f"{until:.3f} s", f"{learner.expected_cost_:.3f}")
    console.print(shown)
    return bars


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 3, 4])
    parser.add_argument("--limit", type=float, default=300.0)
    parser.add_argument("--repeats", type=int, default=3)
    every = [*BUNDLED, *GENERATED]
    parser.add_argument("--tables", nargs="+", choices=every, default=every)
    args = parser.parse_args()
    warnings.filterwarnings("ignore", "Fitting exceeds time limit")
    learn_ours(Numbers.of("iris"), 2, 60.0)  # whatever compiles does so now
    bars = [*with_prices(args), *against_contree(args)]
    for bar in bars:
        print(bar)
    sys.exit(not all(bar.met for bar in bars))


if __name__ == "__main__":
    main()
