"""When the cases carry a tree: rules for the choice among settings, on development problems.

    python benchmarks/evidence.py measure FILE [--draws 11 12] [--data mroz heart] [--jobs 2]
    python benchmarks/evidence.py rules FILE [FILE ...]

``measure`` learns, for each training part of a development problem, the tree of each setting,
tries all settings on cases held out inside the training part, and writes what they cost there and
on the test part. ``rules`` reads that and tells what each rule of choosing would have cost. So a
rule more takes no more learning.

Development problems are the study's tables under price lists that the study does not use (krk,
nursery and thyroid are left out for their size), in folds that it does not use either, and noisy
tables of `benchmarks/noisy_tables.py`. Costs are in percent of the standard cost; standard errors
are over tables.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from joblib import Parallel, delayed
from noisy_tables import NOISY, load_noisy
from rich.console import Console
from rich.progress import track
from sklearn.model_selection import StratifiedKFold

from frugaltree import DTMCClassifier, FrugalTreeClassifier
from frugaltree.anytime.stop import Stop
from frugaltree.datasets import assign_costs, names
from frugaltree.engines.cells import coded
from frugaltree.engines.cross_validation import case_costs, part_of, stratified_folds
from frugaltree.engines.exact.objective import Pessimism, make_objective
from frugaltree.engines.exact.one_vs_rest import ValueTests
from frugaltree.engines.exact.search import Search
from frugaltree.estimators.frugal import LEAST_SAVING

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the study lies beside

from study.problems import load_table, parse_level, replace_errors

LARGE = ("krk", "nursery", "thyroid")
LEVELS = ("500", "1000", "5000", "10000", "500:4000", "4000:500", "5000:20000")
PER_DRAW = 2
"""How many of the levels each price list is tried with, in turn."""

FOLDS, DEALS = 5, 2
LONG = 0.1
"""Seconds of processor time for the tree of a longer search."""

SETTINGS = (
    {"name": "paper"},
    {"name": "log cut 0.25", "log_cut": 0.25},
    {"name": "log cut 1", "log_cut": 1.0},
    {"name": "split 1", "split": 1.0},
    {"name": "split 2", "split": 2.0},
    {"name": "depth 2", "max_depth": 2},
    {"name": "stump", "max_depth": 1},
    {"name": "leaf", "max_depth": 0},
)
LONG_SEARCHED = ("paper", "log cut 0.25", "log cut 1", "split 2")
MEMORY = 64_000_000
NAMES = (*(str(one["name"]) for one in SETTINGS), "DTMC")

console = Console(width=100)


def development_table(data: str):
    """Return tests and classes of a development table."""
    return load_noisy(data) if data in NOISY else load_table(data)


def levels_of(draw: int) -> list[str]:
    """Return the error costs that a price list is tried with."""
    return [LEVELS[(draw * PER_DRAW + i) % len(LEVELS)] for i in range(PER_DRAW)]


def trees_of(problem, settings) -> list:
    """Return the tree of each setting, found in a moment, and DTMC's."""
    tests = ValueTests.all_of(problem)
    extended = tests.extend(problem)
    table, _ = coded(extended)
    search = Search(extended, table, make_objective(extended, settings[0]), Stop(), memory=MEMORY)
    found = []
    for setting in settings:
        search.begin(table.weights, make_objective(extended, setting))
        search.grow_quick_tree()
        found.append(tests.translate(search.tree()[0]))
    return [*found, DTMCClassifier()._search(problem)]


def long_tree(problem, setting):
    """Return the tree of a longer search, if it saves enough; else that of a few samples."""
    tests = ValueTests.all_of(problem)
    extended = tests.extend(problem)
    table, _ = coded(extended)
    search = Search(
        extended, table, make_objective(extended, setting), Stop(), memory=MEMORY, samples=5
    )
    began, sampled, few = time.process_time(), np.inf, None
    for _ in search.rounds():
        if not search.goes_deep:
            few, sampled = search.tree()
        if time.process_time() - began > LONG:
            break
    nodes, cost = search.tree()
    return tests.translate(nodes if few is None or cost < sampled * (1 - LEAST_SAVING) else few)


def costs_of(problem, trees, values, classes) -> np.ndarray:
    """Return what each case costs with each tree."""
    return np.array([case_costs(problem, nodes, values, classes) for nodes in trees])


def measure(data: str, draw: int, level: str) -> list[dict]:
    """Return what each training part of a problem has told."""
    warnings.simplefilter("ignore")
    X, y = development_table(data)
    prices = assign_costs(X, y, draw)
    costs = replace_errors(prices, parse_level(level, sorted(set(y.to_list()))))
    whole = FrugalTreeClassifier(costs)._read(X, y, None)
    classes = whole.cases.classes
    labels = whole.classes.tolist()
    frequencies = np.bincount(classes) / classes.size
    standard = costs.standard_cost(frequencies, X.columns, labels) / 100
    cf = costs.cf(whole.table.names, labels)
    settings = [Pessimism(**{"cf": cf, **one}) for one in SETTINGS]
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=777 + draw)
    rows = []
    for fold, (train, test) in enumerate(folds.split(np.zeros(classes.size), classes)):
        part = part_of(whole, train)
        values, judged = whole.table.rows(test), classes[test]
        quick = costs_of(part, trees_of(part, settings), values, judged)
        longer = [long_tree(part, one) for one in settings if one.name in LONG_SEARCHED]
        longer = costs_of(part, longer, values, judged)
        first, second, n = held_out_sums(part, settings, fold)
        rows.append(
            {
                "data": data,
                "noisy": data in NOISY,
                "numeric": bool((whole.cases.nominal == 0).any()),
                "draw": draw,
                "level": level,
                "fold": fold,
                "cases": train.size,
                "quick": (quick.mean(axis=1) / standard).tolist(),
                "long": (longer.mean(axis=1) / standard).tolist(),
                "held_out": (first / n / standard).tolist(),
                "products": (second / n / standard**2).ravel().tolist(),
            }
        )
    return rows


def held_out_sums(part, settings, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the sums of costs held out, and of products of two settings' costs of a case."""
    random = np.random.default_rng(seed)
    classes, n = part.cases.classes, part.cases.classes.size
    first, second = np.zeros(len(NAMES)), np.zeros((len(NAMES), len(NAMES)))
    for _ in range(DEALS):
        dealt = stratified_folds(classes, random)
        for fold in range(dealt.max() + 1):
            out, within = np.flatnonzero(dealt == fold), np.flatnonzero(dealt != fold)
            inner = part_of(part, within)
            trees = trees_of(inner, settings)
            costs = costs_of(inner, trees, part.table.rows(out), classes[out])
            first += costs.sum(axis=1)
            second += costs @ costs.T
    return first, second, float(DEALS * n)


# ------------------------------------------------------------------------------ rules


def today(row, names: list[str]) -> int:
    """Leave the first setting only for one that saves more than the error of the saving."""
    saving, error = savings(row, names, 0)
    sure = [i for i in range(1, len(names)) if saving[i] > error[i]]
    return max(sure, key=saving.__getitem__, default=0)


def best(row, names: list[str]) -> int:
    """Take the setting that costs least."""
    return int(np.argmin(held_out(row, names)))


def simplest(share: float):
    """Return the rule that takes the simplest setting within some standard errors of the best."""

    def rule(row, names: list[str]) -> int:
        first = best(row, names)
        saving, error = savings(row, names, first)
        order = sorted(range(len(names)), key=lambda i: SIMPLEST.index(names[i]))
        return next(i for i in order if -saving[i] <= share * error[i] or i == first)

    return rule


def guarded(rule, share: float):
    """Return a rule that takes a bare leaf unless the setting chosen beats it by some errors."""

    def guard(row, names: list[str]) -> int:
        pick, leaf = rule(row, names), names.index("leaf")
        saving, error = savings(row, names, leaf)
        return pick if saving[pick] > share * error[pick] else leaf

    return guard


SIMPLEST = (
    "leaf", "stump", "depth 2", "DTMC", "split 2", "log cut 1", "split 1", "log cut 0.25", "paper",
)  # fmt: skip
"""Settings, the one of the smallest trees first."""


def held_out(row, names: list[str]) -> np.ndarray:
    """Return what settings cost on cases held out."""
    return np.array(row["held_out"])[[NAMES.index(name) for name in names]]


def savings(row, names: list[str], first: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what settings save against one of them per case held out, and the errors of that."""
    where = [NAMES.index(name) for name in names]
    mean = np.array(row["held_out"])[where]
    products = np.array(row["products"]).reshape(len(NAMES), -1)[np.ix_(where, where)]
    own = np.diag(products)
    squares = own[first] - 2 * products[first] + own
    saving = mean[first] - mean
    variance = np.maximum(squares - saving**2, 0.0) / max(row["cases"] - 1, 1)
    return saving, np.sqrt(variance)


def candidates_of(row, more: tuple[str, ...] = ()) -> list[str]:
    """Return today's settings for a table, the first one first, and more."""
    few = ["log cut 0.25", "split 2", "log cut 1", "leaf"] if row["numeric"] else [
        "paper", "split 2", "leaf"]  # fmt: skip
    return [*few, *(name for name in more if name not in few)]


RULES = {
    "today": (today, ()),
    "best": (best, ()),
    **{f"simplest within {s:g}": (simplest(s), ()) for s in (0.25, 0.5, 0.75, 1.0)},
    "best, leaf unless 0.5 better": (guarded(best, 0.5), ()),
    "today, leaf unless 0.5 better": (guarded(today, 0.5), ()),
    "today, leaf unless 1 better": (guarded(today, 1.0), ()),
    **{
        f"simplest within {s:g}, leaf unless {g:g} better": (guarded(simplest(s), g), ())
        for s in (0.25, 0.5)
        for g in (0.5, 1.0, 1.5, 2.0)
    },
    **{
        f"simplest with a stump within {s:g}, leaf unless {g:g} better": (
            guarded(simplest(s), g),
            ("stump",),
        )
        for s in (0.25, 0.5)
        for g in (1.0, 1.5)
    },
    "best of more": (best, ("stump", "depth 2", "DTMC")),
    "best with a stump": (best, ("stump",)),
    "best with DTMC": (best, ("DTMC",)),
    **{
        f"simplest of more within {s:g}": (simplest(s), ("stump", "depth 2", "DTMC"))
        for s in (0.25, 0.5, 1.0)
    },
    **{f"simplest with a stump within {s:g}": (simplest(s), ("stump",)) for s in (0.25, 0.5, 1.0)},
    "best of all": (best, NAMES),
    "simplest of all within 0.5": (simplest(0.5), NAMES),
}


def compare_rules(frame: pl.DataFrame) -> pl.DataFrame:
    """Return what each rule costs on noisy tables and on others, and where a guess is better."""
    rows = frame.to_dicts()
    table = np.array([row["data"] for row in rows])
    noisy = np.array([row["noisy"] for row in rows])
    cell = np.array([f"{row['data']} {row['draw']} {row['level']}" for row in rows])
    leaf = np.array([row["quick"][NAMES.index("leaf")] for row in rows])
    costs = {}
    for name, (rule, more) in RULES.items():
        found = []
        for row in rows:
            names = candidates_of(row, more)
            found.append(row["quick"][NAMES.index(names[rule(row, names)])])
        costs[name] = np.array(found)
    costs |= {name: np.array([row["quick"][i] for row in rows]) for i, name in enumerate(NAMES)}
    told = []
    for name, cost in costs.items():
        line = {"rule": name}
        for kind, where in (("noisy", noisy), ("others", ~noisy)):
            difference = (cost - costs["today"])[where]
            means = np.array(
                [difference[table[where] == t].mean() for t in np.unique(table[where])]
            )
            line[kind] = cost[where].mean()
            line[f"{kind}: difference"] = means.mean()
            line[f"{kind}: error"] = means.std(ddof=1) / means.size**0.5
            line[f"{kind}: better"] = int((means < -0.01).sum())
            line[f"{kind}: worse"] = int((means > 0.01).sum())
        worse = [(cost - leaf)[cell == c].mean() for c in np.unique(cell)]
        line["cells worse than a guess, %"] = 100 * float(np.mean(np.array(worse) > 0.5))
        told.append(line)
    return pl.DataFrame(told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("file", type=Path)
    measuring.add_argument("--draws", nargs="+", type=int, default=[11, 12, 13, 14])
    measuring.add_argument("--data", nargs="+", default=None)
    measuring.add_argument("--jobs", type=int, default=2)
    judging = commands.add_parser("rules")
    judging.add_argument("files", nargs="+", type=Path)
    given = parser.parse_args()
    if given.command == "measure":
        run(given.file, given.draws, given.data, given.jobs)
        return
    frame = compare_rules(pl.concat(pl.read_ndjson(file) for file in given.files))
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, float_precision=2):
        print(frame)


def run(file: Path, draws: list[int], data: list[str] | None, jobs: int) -> None:
    """Measure problems and add what they have told to a file; those in it are done."""
    done = set()
    if file.exists():
        told = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        done = {(row["data"], row["draw"], row["level"]) for row in told}
    tables = data or [*NOISY, *(name for name in names() if name not in LARGE)]
    todo = [(t, draw, level) for draw in draws for t in tables for level in levels_of(draw)]
    todo = [one for one in todo if one not in done]
    results = Parallel(jobs, return_as="generator_unordered")(delayed(measure)(*j) for j in todo)
    with file.open("a", encoding="utf-8") as target:
        for rows in track(results, "problems", len(todo), console=console):
            target.write("".join(json.dumps(row) + "\n" for row in rows))
            target.flush()


if __name__ == "__main__":
    main()
