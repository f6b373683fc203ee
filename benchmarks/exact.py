"""Speed of the exact search: how soon it proves a tree, how fast its gap closes, and STreeD.

Five figures, with bars that they should not miss; rivals alternate within one run, and medians are
shown. Whatever compiles does so before anything is measured. Processor time is shown beside the
clock's: where they differ, others were at work on the machine.

    python benchmarks/exact.py [--repeats 5] [--only proofs gaps depth threads streed] [--quick]
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from math import isclose
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from frugaltree import Costs, FrugalTreeClassifier, Group
from frugaltree.compare.peers.base import TrainingSet
from frugaltree.compare.peers.questions import Questions
from frugaltree.compare.peers.streed import STreeDModel, cost_specifier
from frugaltree.datasets import names

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the study lies beside

from study.problems import Problem, list_classes, load_table

LEVEL = "1000"
"""What an error costs."""

LARGE = "multiplexer-20"
SOON, LATE = 2.0, 60.0
"""Seconds in which all but the large one of the all-nominal tables should be proven, and it."""

LIMITS = (2.0, 10.0)
"""Seconds after which the gap is looked at."""

SHALLOW = ("iris", "wine", "bupa", "pima")
"""Numeric tables that should be proven up to depth 3, in at most PATIENCE seconds."""

PATIENCE = 120.0
ONE_HOT = ("car", "nursery", "breast-cancer", "tic-tac-toe")
DEPTHS = (3, 4)
SAME = 1e-6
"""Two optima are the same if they differ by less than this share."""

console = Console(width=100)


class Bar(NamedTuple):
    """A figure and the bar that it should not miss."""

    what: str
    figure: float
    bar: float
    unit: str = ""

    @property
    def met(self) -> bool:
        return self.figure <= self.bar

    @property
    def verdict(self) -> str:
        return "OK" if self.met else "MISSED"

    def __str__(self) -> str:
        return f"{self.verdict:6s} {self.what}: {self.figure:.3g}{self.unit} (<= {self.bar:g})"


class Took(NamedTuple):
    """Seconds by the clock and by the processor."""

    clock: float
    processor: float


class Counting(FrugalTreeClassifier):
    """Tells in ``states_`` how many states were expanded."""

    @property
    def states_(self) -> int:
        """The work done by the end of the search."""
        return self.history_[-1].steps


def took(action: Callable[[], Any]) -> Took:
    clock, processor = time.perf_counter(), time.process_time()
    action()
    return Took(time.perf_counter() - clock, time.process_time() - processor)


def medians(*actions: Callable[[], Any], repeats: int) -> list[Took]:
    """Return the median times of actions that take turns."""
    times = np.array([[took(action) for action in actions] for _ in range(repeats)])
    return [Took(*both) for both in np.median(times, axis=0).tolist()]


def frugal(name: str, limit: float | None = None, **how: Any) -> Counting:
    """Return a learner of a table under the paper's estimate, prices being those of draw 1."""
    costs = Problem(name, "1").costs(LEVEL)
    return Counting(costs, pessimism="paper", time_limit=limit, random_state=0, **how)


def is_nominal(name: str) -> bool:
    X, _ = load_table(name)
    return not any(dtype.is_numeric() for dtype in X.dtypes)


# ------------------------------------------------------------------------------ proofs


def proofs(repeats: int, quick: bool) -> list[Bar]:
    """See how long it takes to prove the best tree of any depth, of all-nominal tables."""
    shown = Table("to the proof", "cases", "tests", "states", "seconds", "processor", "bar", "")
    tables = [name for name in names() if is_nominal(name) and name != LARGE]
    bars = []
    for name in tables if quick else [*tables, LARGE]:
        once = name == LARGE
        bar, seconds, states = proven(name, 1 if once else min(repeats, 3), LATE if once else SOON)
        bars.append(bar)
        X, _ = load_table(name)
        size = (f"{X.height:,}", str(X.width), f"{states:,}")
        clock = (f"{seconds.clock:.3f}", f"{seconds.processor:.3f}")
        shown.add_row(name, *size, *clock, f"{bar.bar:g}", bar.verdict)
    console.print(shown)
    return bars


def proven(name: str, repeats: int, limit: float) -> tuple[Bar, Took, int]:
    """Return the time to the proof, beside its bar, and how many states it took."""
    X, y = load_table(name)
    learner = frugal(name)
    [seconds] = medians(lambda: learner.fit(X, y), repeats=repeats)
    if learner.termination_ != "optimal":
        raise RuntimeError(f"the search of {name} ended without a proof.")
    return Bar(f"proof of {name}", seconds.clock, limit, " s"), seconds, learner.states_


# ------------------------------------------------------------------------------ gaps


def gaps(repeats: int, quick: bool) -> list[Bar]:
    """See how far from the best the tree of a numeric or mixed table can still be."""
    shown = Table("gap after", "cases", "tests", *(f"{limit:g} s" for limit in LIMITS), "ended")
    for name in names():
        if is_nominal(name):
            continue
        X, y = load_table(name)
        learners = [frugal(name, limit).fit(X, y) for limit in LIMITS]
        for learner in learners:
            check_monotone(name, learner)
        at = (f"{100 * learner.gap_:.1f} %" for learner in learners)
        shown.add_row(name, f"{X.height:,}", str(X.width), *at, ended(learners[-1]))
    console.print(shown)
    return []


def check_monotone(name: str, learner: FrugalTreeClassifier) -> None:
    """Check that cost only fell, and the bound below it only rose."""
    costs = np.array([moment.cost for moment in learner.history_])
    bounds = np.array([moment.bound for moment in learner.history_])
    if (np.diff(costs) > 0).any() or (np.diff(bounds) < 0).any() or (bounds > costs).any():
        raise RuntimeError(f"the gap of {name} widened while the search ran.")


def ended(learner: FrugalTreeClassifier) -> str:
    """Return why a search ended, and when if with a proof."""
    if learner.termination_ == "optimal":
        return f"optimal after {learner.history_[-1].seconds:.2f} s"
    return learner.termination_.replace("_", " ")


def depth(repeats: int, quick: bool) -> list[Bar]:
    """See how long it takes to prove the best tree of depth 3, of numeric tables."""
    shown = Table("depth 3", "cases", "tests", "states", "seconds", "processor", "gap", "ended")
    bars = []
    for name in SHALLOW:
        X, y = load_table(name)
        learner = frugal(name, PATIENCE, max_depth=3)
        seconds = took(partial(learner.fit, X, y))
        until = seconds.clock if learner.termination_ == "optimal" else np.inf
        bars.append(Bar(f"proof of {name}, depth 3", until, PATIENCE, " s"))
        size = (f"{X.height:,}", str(X.width), f"{learner.states_:,}")
        clock = (f"{seconds.clock:.3f}", f"{seconds.processor:.3f}")
        shown.add_row(name, *size, *clock, f"{100 * learner.gap_:.1f} %", ended(learner))
    console.print(shown)
    return bars


def threads(repeats: int, quick: bool) -> list[Bar]:
    """See how much sooner two threads come to the same proof."""
    problems = [("nursery", None), ("krk", None), ("wine", 3), ("pima", 3), (LARGE, None)]
    shown = Table("two threads / one", "depth", "one", "two", "ratio")
    ratios = []
    for name, depth in problems[:-1] if quick else problems:
        X, y = load_table(name)
        one, two = (frugal(name, max_depth=depth, n_jobs=n) for n in (1, 2))
        n = 1 if name == LARGE else min(repeats, 3)
        both = medians(partial(one.fit, X, y), partial(two.fit, X, y), repeats=n)
        if not isclose(one.objective_, two.objective_, rel_tol=SAME):
            raise RuntimeError(f"{name}: one and two threads have proven different costs.")
        ratios.append(both[1].clock / both[0].clock)
        seconds = (f"{each.clock:.3f} s" for each in both)
        shown.add_row(name, str(depth or "any"), *seconds, f"{ratios[-1]:.3f}")
    ratio = float(np.exp(np.log(ratios).mean()))
    shown.add_row("geometric mean", "", "", "", f"{ratio:.3f}")
    console.print(shown)
    return [Bar("two threads / one, geometric mean", ratio, 0.7)]


# ------------------------------------------------------------------------------ STreeD


class Binary(NamedTuple):
    """A table as questions with two answers, for both learners.

    Who has asked one question about a test asks the others for nothing. For STreeD all are one
    feature of its; for us each is a test, and those about one test are a group.
    """

    training: TrainingSet
    questions: Questions
    costs: Costs
    theirs: Any

    @classmethod
    def of(cls, name: str) -> Binary:
        X, y = load_table(name)
        costs = Problem(name, "1").costs(LEVEL)
        prices, errors = costs.resolve(X.columns, list_classes(name))
        values = X.select(pl.all().to_physical()).to_numpy().astype(float)
        codes = y.to_physical().to_numpy().astype(np.intp)
        training = TrainingSet(
            values=values,
            codes=codes,
            nominal=np.ones(X.width, bool),
            prices=prices,
            errors=errors,
            seed=0,
        )
        tests = sorted(training.usable_tests.tolist(), key=prices.full.__getitem__)
        questions = Questions.about(values, tests, nominal=training.nominal, thresholds=None)
        theirs = cost_specifier(questions, prices, errors)
        return cls(training, questions, costs_of(questions, training), theirs)

    @property
    def answers(self) -> np.ndarray:
        return self.questions.answers(self.training.values).astype(np.intc)


def costs_of(questions: Questions, training: TrainingSet) -> Costs:
    """Return the costs of questions: the first about a test is paid, the others are free."""
    prices, asked = training.prices, questions.test.tolist()
    full = prices.full[questions.test].tolist()
    groups = {
        f"test {a}": Group({i: full[i] for i in range(first, last + 1)})
        for a, first, last in questions.spans()
        if last > first
    }
    for g in range(prices.member.shape[1]):
        saved = prices.discount[:, g].tolist()
        members = {i: min(saved[a], full[i]) for i, a in enumerate(asked) if prices.member[a, g]}
        groups[f"group {g}"] = Group(members)
    return Costs(full, groups, errors=training.errors.tolist())


def ours(table: Binary, X: np.ndarray, depth: int) -> float:
    """Return what the best tree costs, over all cases."""
    learner = FrugalTreeClassifier(
        table.costs,
        pessimism="none",
        max_depth=depth,
        time_limit=None,
        categorical_features=list(range(X.shape[1])),
        random_state=0,
    ).fit(X, table.training.codes)
    if learner.termination_ != "optimal":
        raise RuntimeError("the search ended without a proof.")
    return float(learner.expected_cost_) * len(X)


def theirs(table: Binary, X: np.ndarray, depth: int) -> float:
    from pystreed import STreeDCostSensitiveClassifier

    solver = STreeDCostSensitiveClassifier(depth).fit(X, table.training.codes, table.theirs)
    if not solver.fit_result.is_optimal():
        raise RuntimeError("STreeD ended without a proof.")
    return STreeDModel(table.questions, solver.get_tree()).total(table.training)


def streed(repeats: int, quick: bool) -> list[Bar]:
    """See how long both take to the same optimum: bits, errors as seen, a limit of depth."""
    if find_spec("pystreed") is None:
        console.print(
            "STreeD is not installed, so nothing is held against it: pip install pystreed"
        )
        return []
    columns = ("ours", "STreeD", "clock", "processor")
    shown = Table("ours / STreeD", "depth", "bits", "cost per case", *columns)
    bars, ratios = [], []
    for name in ONE_HOT:
        table = Binary.of(name)
        X = table.answers
        for depth in DEPTHS:
            both = [partial(learn, table, X, depth) for learn in (ours, theirs)]
            optima = [learn() for learn in both]
            if not isclose(*optima, rel_tol=SAME):
                raise RuntimeError(f"{name}, depth {depth}: the optima {optima} differ.")
            a, b = medians(*both, repeats=repeats)
            ratios.append((a.clock / b.clock, a.processor / b.processor))
            bars.append(Bar(f"ours / STreeD, {name}, depth {depth}", ratios[-1][1], 1.0))
            seconds = (f"{1000 * one.clock:.1f} ms" for one in (a, b))
            shares = (f"{ratio:.3f}" for ratio in ratios[-1])
            cost = f"{optima[0] / len(X):.4f}"
            shown.add_row(name, str(depth), str(X.shape[1]), cost, *seconds, *shares)
    clock, processor = np.exp(np.log(ratios).mean(axis=0)).tolist()
    shown.add_row("geometric mean", "", "", "", "", "", f"{clock:.3f}", f"{processor:.3f}")
    console.print(shown)
    return [*bars, Bar("ours / STreeD, geometric mean", processor, 1.0)]


FIGURES: dict[str, Callable[[int, bool], list[Bar]]] = {
    "gaps": gaps,
    "depth": depth,
    "threads": threads,
    "streed": streed,
    "proofs": proofs,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=FIGURES, default=list(FIGURES))
    parser.add_argument("--quick", action="store_true", help=f"leave out {LARGE}")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", "group", UserWarning)  # more tests may cost less
    X, y = load_table("titanic")
    frugal("titanic").fit(X, y)
    bars = [bar for name in args.only for bar in FIGURES[name](args.repeats, args.quick)]
    for bar in bars:
        print(bar)
    sys.exit(not all(bar.met for bar in bars))


if __name__ == "__main__":
    main()
