"""When the cases carry a tree: rules for the choice among settings, on development problems.

    python benchmarks/evidence.py measure FILE [--draws 11 12] [--data mroz heart] [--all]
    python benchmarks/evidence.py rules FILE [FILE ...] [--trees long] [--only simplest]

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

FOLDS = 5
DEALS = (1, 2, 4, 6)
"""After how many deals of the inner folds what is known is written down."""

LONG = 0.1
"""Seconds of processor time for the tree of a longer search."""

SETTINGS = (
    {"name": "paper"},
    {"name": "log cut 0.25", "log_cut": 0.25},
    {"name": "log cut 1", "log_cut": 1.0},
    {"name": "split 1", "split": 1.0},
    {"name": "split 2", "split": 2.0},
    {"name": "split 4", "split": 4.0},
    {"name": "split 2, log cut 1", "split": 2.0, "log_cut": 1.0},
    {"name": "depth 2", "max_depth": 2},
    {"name": "stump", "max_depth": 1},
    {"name": "leaf", "max_depth": 0},
)
FEW = {
    True: ("log cut 0.25", "log cut 1", "split 2", "split 2, log cut 1", "leaf"),
    False: ("paper", "split 1", "split 2", "split 4", "leaf"),
}
"""Settings tried without ``--all``, for tables with numeric tests and for those without."""

MEMORY = 64_000_000

console = Console(width=100)


def development_table(data: str):
    """Return tests and classes of a development table."""
    return load_noisy(data) if data in NOISY else load_table(data)


def levels_of(draw: int) -> list[str]:
    """Return the error costs that a price list is tried with."""
    return [LEVELS[(draw * PER_DRAW + i) % len(LEVELS)] for i in range(PER_DRAW)]


def tried(*, numeric: bool, everything: bool) -> list[dict]:
    """Return the settings to try on a table."""
    return [one for one in SETTINGS if everything or one["name"] in FEW[numeric]]


def trees_of(problem, settings, *, dtmc: bool) -> list:
    """Return the tree of each setting, found in a moment, and maybe DTMC's."""
    tests = ValueTests.all_of(problem)
    extended = tests.extend(problem)
    table, _ = coded(extended)
    search = Search(extended, table, make_objective(extended, settings[0]), Stop(), memory=MEMORY)
    found = []
    for setting in settings:
        search.begin(table.weights, make_objective(extended, setting))
        search.grow_quick_tree()
        found.append(tests.translate(search.tree()[0]))
    return [*found, DTMCClassifier()._search(problem)] if dtmc else found


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


def measure(data: str, draw: int, level: str, everything: bool) -> list[dict]:
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
    numeric = bool((whole.cases.nominal == 0).any())
    settings = [
        Pessimism(**{"cf": cf, **one}) for one in tried(numeric=numeric, everything=everything)
    ]
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=777 + draw)
    rows = []
    for fold, (train, test) in enumerate(folds.split(np.zeros(classes.size), classes)):
        part = part_of(whole, train)
        values, judged = whole.table.rows(test), classes[test]
        quick = costs_of(part, trees_of(part, settings, dtmc=everything), values, judged)
        longer = costs_of(part, [long_tree(part, one) for one in settings], values, judged)
        rows.append(
            {
                "data": data,
                "draw": draw,
                "level": level,
                "fold": fold,
                "noisy": data in NOISY,
                "numeric": numeric,
                "cases": train.size,
                "names": [one.name for one in settings] + ["DTMC"] * everything,
                "quick": (quick.mean(axis=1) / standard).tolist(),
                "long": (longer.mean(axis=1) / standard).tolist(),
                "deals": held_out(part, settings, standard, seed=fold, dtmc=everything),
            }
        )
    return rows


def held_out(part, settings, standard: float, *, seed: int, dtmc: bool) -> dict[str, dict]:
    """Return, after so many deals, the mean costs of cases held out and their covariances.

    A case's cost is its mean over the deals, so that variances are those of cases alone.
    """
    random = np.random.default_rng(seed)
    classes, n = part.cases.classes, part.cases.classes.size
    sums, told = np.zeros((len(settings) + dtmc, n)), {}
    for deal in range(max(DEALS)):
        dealt = stratified_folds(classes, random)
        for fold in range(dealt.max() + 1):
            out, within = np.flatnonzero(dealt == fold), np.flatnonzero(dealt != fold)
            inner = part_of(part, within)
            trees = trees_of(inner, settings, dtmc=dtmc)
            sums[:, out] += costs_of(inner, trees, part.table.rows(out), classes[out])
        if deal + 1 in DEALS:
            costs = sums / (deal + 1) / standard
            told[str(deal + 1)] = {
                "means": costs.mean(axis=1).tolist(),
                "covariances": np.cov(costs).ravel().tolist(),
            }
    return told


# ------------------------------------------------------------------------------ rules


class HeldOut:
    """What some settings cost on cases held out, after so many deals."""

    def __init__(self, row, deals: int, names: list[str]) -> None:
        where = [row["names"].index(name) for name in names]
        told, size = row["deals"][str(deals)], len(row["names"])
        self.names, self.means = names, np.array(told["means"])[where]
        self._cases = row["cases"]
        self._one, self._all = (
            np.array(one["covariances"]).reshape(size, size)[np.ix_(where, where)]
            for one in (row["deals"]["1"], told)
        )

    def savings(self, first: int, *, of_one_deal: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Return what settings save against one of them, and the standard errors of that."""
        covariances = self._one if of_one_deal else self._all
        own = np.diag(covariances)
        variances = own[first] - 2 * covariances[first] + own
        return self.means[first] - self.means, np.sqrt(np.maximum(variances, 0) / self._cases)


def sure(told: HeldOut) -> int:
    """Leave the first setting only for one that saves more than the error of the saving.

    So it was until these rules were compared; errors are those of a single deal.
    """
    saving, error = told.savings(0, of_one_deal=True)
    found = [i for i in range(1, len(saving)) if saving[i] > error[i]]
    return max(found, key=saving.__getitem__, default=0)


def best(told: HeldOut) -> int:
    """Take the setting that costs least."""
    return int(np.argmin(told.means))


def simplest(share: float):
    """Return the rule that takes the simplest setting within some standard errors of the best."""

    def rule(told: HeldOut) -> int:
        first = best(told)
        saving, error = told.savings(first)
        order = sorted(range(len(saving)), key=lambda i: SIMPLEST.index(told.names[i]))
        return next(i for i in order if -saving[i] <= share * error[i] or i == first)

    return rule


def guarded(rule, share: float):
    """Return a rule that takes a bare leaf unless the setting chosen beats it by some errors."""

    def guard(told: HeldOut) -> int:
        pick, leaf = rule(told), told.names.index("leaf")
        saving, error = told.savings(leaf)
        return pick if saving[pick] > share * error[pick] else leaf

    return guard


SIMPLEST = (
    "leaf", "stump", "depth 2", "DTMC", "split 2, log cut 1", "split 4", "split 2", "log cut 1",
    "split 1", "log cut 0.25", "paper",
)  # fmt: skip
"""Settings, the one of the smallest trees first."""

FORMER = {
    True: ["log cut 0.25", "split 2", "log cut 1", "leaf"],
    False: ["paper", "split 2", "leaf"],
}
"""The candidates before, the one to fall back on first."""

CHOICES = {
    "a sure saving": sure,
    "the cheapest": best,
    **{f"simplest within {s:g}": simplest(s) for s in (0.25, 0.5, 0.75, 1.0)},
    **{
        f"{name}, leaf unless {g:g} better": guarded(rule, g)
        for name, rule in (
            ("a sure saving", sure),
            ("the cheapest", best),
            ("simplest within 0.25", simplest(0.25)),
            ("simplest within 0.5", simplest(0.5)),
        )
        for g in (0.5, 1.0, 1.5, 2.0)
    },
}


def rules_of(row, *, everything: bool) -> dict[str, tuple]:
    """Return each rule as a choice, the number of deals it sees, and its candidates."""
    former = FORMER[row["numeric"]]
    five = [*former, *(name for name in FEW[row["numeric"]] if name not in former)]
    sets = {"": former, "of five: ": five}
    if everything:
        sets |= {f"with {x}: ": [*former, x] for x in ("stump", "depth 2", "DTMC")}
    return {
        f"{kind}{name}; {deals}": (choice, deals, names)
        for kind, names in sets.items()
        for name, choice in CHOICES.items()
        for deals in DEALS
    }


def compare_rules(rows: list[dict], column: str) -> pl.DataFrame:
    """Return what each rule costs on noisy tables and on others, and where a guess is better."""
    everything = all("stump" in row["names"] for row in rows)
    table = np.array([row["data"] for row in rows])
    noisy = np.array([row["noisy"] for row in rows])
    cell = np.array([f"{row['data']} {row['draw']} {row['level']}" for row in rows])
    leaf = np.array([row["quick"][row["names"].index("leaf")] for row in rows])
    costs: dict[str, list[float]] = {}
    for row in rows:
        for rule, (choice, deals, few) in rules_of(row, everything=everything).items():
            pick = few[choice(HeldOut(row, deals, few))]
            costs.setdefault(rule, []).append(row[column][row["names"].index(pick)])
    first = np.array(costs["a sure saving; 2"])
    told = []
    for name, found in costs.items():
        cost, line = np.array(found), {"rule; deals": name}
        for kind, where in (("noisy", noisy), ("others", ~noisy)):
            if not where.any():
                continue
            difference = (cost - first)[where]
            means = np.array(
                [difference[table[where] == t].mean() for t in np.unique(table[where])]
            )
            line[kind] = cost[where].mean()
            line[f"{kind} -"] = means.mean()
            line[f"{kind} ±"] = means.std(ddof=1) / means.size**0.5
            line[f"{kind} <"] = int((means < -0.01).sum())
            line[f"{kind} >"] = int((means > 0.01).sum())
        worse = [(cost - leaf)[cell == c].mean() for c in np.unique(cell)]
        line["> guess %"] = 100 * float(np.mean(np.array(worse) > 0.5))
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
    measuring.add_argument("--all", action="store_true", help="try more settings, and DTMC")
    judging = commands.add_parser("rules")
    judging.add_argument("files", nargs="+", type=Path)
    judging.add_argument("--trees", choices=("quick", "long"), default="long")
    judging.add_argument("--only", default="", help="only rules with this in their name")
    given = parser.parse_args()
    if given.command == "measure":
        run(given.file, given.draws, given.data, given.jobs, everything=given.all)
        return
    rows = [json.loads(line) for file in given.files for line in file.open(encoding="utf-8")]
    frame = compare_rules(rows, given.trees)
    frame = frame.filter(pl.col("rule; deals").str.contains(given.only, literal=True))
    with pl.Config(
        tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, float_precision=2, fmt_str_lengths=60
    ):
        print(f"{len({(r['data'], r['draw'], r['level']) for r in rows})} problems")
        print(frame)


def run(
    file: Path, draws: list[int], data: list[str] | None, jobs: int, *, everything: bool
) -> None:
    """Measure problems and add what they have told to a file; those in it are done."""
    done = set()
    if file.exists():
        told = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        done = {(row["data"], row["draw"], row["level"]) for row in told}
    tables = data or [*NOISY, *(name for name in names() if name not in LARGE)]
    todo = [(t, draw, level) for draw in draws for t in tables for level in levels_of(draw)]
    todo = [one for one in todo if one not in done]
    results = Parallel(jobs, return_as="generator_unordered")(
        delayed(measure)(*job, everything) for job in todo
    )
    with file.open("a", encoding="utf-8") as target:
        for rows in track(results, "problems", len(todo), console=console):
            target.write("".join(json.dumps(row) + "\n" for row in rows))
            target.flush()


if __name__ == "__main__":
    main()
