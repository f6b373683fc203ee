"""How the choice of the pessimism might be made otherwise, on development problems.

    python benchmarks/tuning.py [--draws 11 12] [--levels 500 5000] [--jobs 2] [--out FOLDER]

The problems are those of benchmarks/pessimism.py: no price list, no fold of the study. Each
variant is the whole learner with one thing changed, in the time that ICET takes. Differences are
paired, with the standard error over tables.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import polars as pl
from joblib import Parallel, delayed
from pessimism import DRAWS, FOLDS, LARGE, Column, evaluated, markdown, summarise
from rich.console import Console
from rich.progress import track
from sklearn.model_selection import StratifiedKFold

from frugaltree import ACTClassifier, FrugalTreeClassifier
from frugaltree.datasets import names
from frugaltree.engines.cross_validation import (
    best_trial,
    part_of,
    stratified_folds,
    sure_trial,
)
from frugaltree.engines.exact import schedule, session
from frugaltree.engines.exact.objective import Pessimism
from frugaltree.engines.exact.pessimism import CrossValidation
from frugaltree.engines.sampling.finish import counts_of
from frugaltree.estimators import frugal
from frugaltree.estimators.base import Problem as Learning
from frugaltree.files import write_at_once
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree.tree import Tree

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the study lies beside

from study.learners import get_time_limit
from study.problems import Problem, load_table
from study.scores import compute_standard_cost

LEVELS = ("500", "1000", "5000", "10000")

console = Console(width=100)


class Place(NamedTuple):
    """Which table, at which cost of an error."""

    data: str
    level: str


@contextmanager
def constants(**values: float) -> Iterator[None]:
    """Change when the settings are tried, and how often."""
    with patch.multiple(schedule, **values):
        yield


@contextmanager
def any_saving() -> Iterator[None]:
    """Take the tree of a long search however little it saves."""
    with patch.object(frugal, "LEAST_SAVING", 0.0):
        yield


@contextmanager
def one_more(make: Callable[[float, bool], Pessimism]) -> Iterator[None]:
    """Add a setting to those to choose from."""
    known = frugal.candidates

    def more(cf: float, *, numeric: bool) -> list[Pessimism]:
        return [*known(cf, numeric=numeric), make(cf, numeric)]

    with patch.object(frugal, "candidates", more):
        yield


@contextmanager
def whole_deals() -> Iterator[None]:
    """Count nothing of the first deal unless it was played to the end."""
    found = CrossValidation.trials

    def whole(self, names):
        return found(self, names) if self._sums.weight >= self._table.weights.sum() else []

    with patch.object(CrossValidation, "trials", whole):
        yield


@contextmanager
def corrected() -> Iterator[None]:
    """Choose by what trees for all cases cost on these, and how much more new ones cost.

    The latter is what the trees of a trial cost on held-out cases beyond what they cost on their
    own. Trees of a trial see fewer cases than the tree that is wanted; its own cost is of all.
    """
    tried, found = CrossValidation._try_fold, CrossValidation.trials

    def noting(self, grown):
        fold = tried(self, grown)
        if fold is not None:
            self.own = [*getattr(self, "own", []), fold.costs @ grown / grown.sum()]
        return fold

    def adjusted(self, names):
        candidates, weights = found(self, names), self._table.weights
        whole = tried(self, weights) if candidates else None
        if whole is None:
            return candidates
        more = whole.costs @ weights / weights.sum() - np.mean(self.own, axis=0)
        return [
            replace(one, cost=one.cost + more[i], saving=one.saving + more[0] - more[i])
            for i, one in enumerate(candidates)
        ]

    with patch.multiple(CrossValidation, _try_fold=noting, trials=adjusted):
        yield


@contextmanager
def set_aside(folds: int) -> Iterator[None]:
    """Search on all but so many of five folds; these decide which subtrees stay."""
    learn = FrugalTreeClassifier._learn

    def honestly(self, problem, *given):
        aside = stratified_folds(problem.cases.classes, 0) < folds
        learn(self, part_of(problem, np.flatnonzero(~aside)), *given)
        self.tree_ = without_losses(self.tree_, problem, np.flatnonzero(aside))

    with patch.object(FrugalTreeClassifier, "_learn", honestly):
        yield


def without_losses(tree: Tree, problem: Learning, aside: np.ndarray) -> Tree:
    """Return a tree whose subtrees all pay for themselves on cases that it has not seen."""
    nodes = Nodes(*map(np.array, tree.nodes))
    charges, seen = tree.charges(problem.prices).charge, counts_of(problem, nodes, aside)
    leaf = (seen * problem.errors[tree.labels]).sum(axis=1)
    cost = leaf.copy()
    for node in reversed(range(tree.n_nodes)):
        below = [child for _, child in tree.branches(node)]
        if below:
            ended = seen[node] - seen[below].sum(axis=0)
            cost[node] = charges[node] * seen[node].sum() + cost[below].sum()
            cost[node] += ended @ problem.errors[tree.labels[node]]
            if leaf[node] <= cost[node]:
                nodes.test[node], cost[node] = NONE, leaf[node]
    nodes.counts[:] += seen
    return replace(tree, nodes=nodes, labels=problem.answers(nodes))


@contextmanager
def splits(kind: str) -> Iterator[None]:
    """Change what nominal tests may be asked."""
    tests = FrugalTreeClassifier._tests

    def others(self, problem):
        return tests(self.set_params(splits=kind), problem)

    with patch.object(FrugalTreeClassifier, "_tests", others):
        yield


@contextmanager
def sure_saving() -> Iterator[None]:
    """Leave the first of fewer settings only for a saving beyond its error, after two deals."""
    known = frugal.candidates

    def fewer(cf: float, *, numeric: bool) -> list[Pessimism]:
        kept = ("paper", "log cut 0.25", "split 2", "log cut 1", "leaf")
        return [one for one in known(cf, numeric=numeric) if one.name in kept]

    with (
        patch.object(frugal, "candidates", fewer),
        patch.object(session, "best_trial", lambda trials, **_: sure_trial(trials)),
        patch.object(schedule, "MOST_DEALS", 2),
    ):
        yield


@contextmanager
def cheapest() -> Iterator[None]:
    """Take the cheapest setting however few folds were tried."""

    def choose(trials, **_) -> int:
        return best_trial(trials, all_held_out=True)

    with patch.object(session, "best_trial", choose):
        yield


VARIANTS = {
    "as it is": nullcontext,
    "only a sure saving, of fewer settings": sure_saving,
    "the cheapest, however few folds were tried": cheapest,
    "a branch for each value only": lambda: splits("values"),
    "any saving of a long search": any_saving,
    "whole deals only": whole_deals,
    "corrected for optimism": corrected,
    "one fifth set aside": lambda: set_aside(1),
    "two fifths set aside": lambda: set_aside(2),
    "tried after a fifth of the time": lambda: constants(FIRST_SHARE=0.2, LAST_SHARE=0.85),
    "errors seen, split 1, log cut 0.5 as well": lambda: one_more(
        lambda cf, numeric: Pessimism("seen", None, split=1.0, log_cut=0.5 * numeric)
    ),
}
"""What is changed, by what it is called."""


def measure(data: str, draw: str, level: str, variants: list[str]) -> list[dict]:
    """Return what ACT and every variant cost on each fold."""
    warnings.simplefilter("ignore")
    problem = Problem(data, draw)
    X, y = load_table(data)
    costs, standard = problem.costs(level), compute_standard_cost(problem, level) / 100
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=777 + int(draw))
    rows = []
    for fold, (train, test) in enumerate(folds.split(np.zeros(len(y)), y.to_numpy())):
        act = ACTClassifier(costs, random_state=fold)
        found = {"ACT": evaluated(act, X, y, train, test) / standard}
        for name in variants:
            with VARIANTS[name]():
                learner = FrugalTreeClassifier(
                    costs, time_limit=get_time_limit("frugal", data), random_state=fold
                )
                found[name] = evaluated(learner, X, y, train, test) / standard
        rows.append({"data": data, "level": level, **found})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", nargs="+", default=DRAWS)
    parser.add_argument("--levels", nargs="+", default=LEVELS)
    parser.add_argument("--data", nargs="+", default=[n for n in names() if n not in LARGE])
    parser.add_argument("--only", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    variants = list(dict.fromkeys(["as it is", *given.only]))
    jobs = [(*job, variants) for job in product(given.data, given.draws, given.levels)]
    results = Parallel(given.jobs, return_as="generator")(delayed(measure)(*job) for job in jobs)
    bar = track(results, "development problems", len(jobs), console=console)
    told = pl.DataFrame([row for rows in bar for row in rows])
    columns = [Column(name, told[name].to_numpy()) for name in ("ACT", *variants)]
    places = [Place(*row) for row in told.select("data", "level").iter_rows()]
    frame = summarise(places, columns, told["as it is"].to_numpy())
    text = markdown(
        "Choosing otherwise",
        f"{len(given.data)} tables, cost draws {', '.join(given.draws)}, five folds of their own. "
        "Whole learners in the time that ICET takes, one thing changed in each; differences from "
        "the learner as it is. `python benchmarks/tuning.py` measures this.",
        frame,
    )
    print(text)
    if given.out:
        write_at_once(given.out / "tuning.md", ("#" + text[2:]).encode(), "the page")


if __name__ == "__main__":
    main()
