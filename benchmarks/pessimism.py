"""How pessimistic to be: what was tried on development problems, and what it gave.

    python benchmarks/pessimism.py [--draws 11 12 13 14] [--levels 100 500 1000 5000 10000]
        [--data heart iris] [--jobs 2] [--out docs/study]

Development problems are the study's tables under cost draws that the study does not use, in five
folds that it does not use either; krk, nursery and thyroid are left out for their size. On each
training part, every setting is searched for a moment, and so tried on cases held out inside it;
then the paper's setting is searched longer and longer. Printed, and written as CSV and Markdown:

* what each setting costs on the test part, and each way to choose one inside the training part;
* what a tree is expected to cost and does cost as the search grows;
* what it gives to take the tree of a long search only where that is to save some share.

Costs are in percent of the standard cost. Differences are paired, and come with the standard
error over tables, which are the units: cost draws of one table are not independent.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track
from scipy.stats import wilcoxon
from sklearn.model_selection import StratifiedKFold

from frugaltree import ACTClassifier, DTMCClassifier, FrugalTreeClassifier
from frugaltree.anytime.stop import Stop
from frugaltree.compare.style import STYLE
from frugaltree.datasets import names
from frugaltree.engines.cells import coded
from frugaltree.engines.cross_validation import case_costs, part_of, sure_trial
from frugaltree.engines.exact.objective import Pessimism, make_objective
from frugaltree.engines.exact.pessimism import CrossValidation, candidates
from frugaltree.engines.exact.search import Search
from frugaltree.files import write_at_once

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the study lies beside

from study.learners import get_time_limit
from study.problems import LEVELS, Problem, load_table
from study.scores import compute_standard_cost

LARGE = ("krk", "nursery", "thyroid")
DRAWS = ("11", "12", "13", "14")
FOLDS, REPEATS = 5, 2
STAGES = (0.0, 0.01, 0.03, 0.1, 0.3)
"""Seconds of processor time after the samples, up to which the paper's setting is searched."""

SHARES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)
"""Shares of its cost that a long search is to save for its tree to be taken."""

ALL = (
    {"name": "paper"},
    {"name": "split 1", "split": 1.0},
    {"name": "split 2", "split": 2.0},
    {"name": "split 4", "split": 4.0},
    {"name": "log cut 0.25", "log_cut": 0.25},
    {"name": "log cut 0.5", "log_cut": 0.5},
    {"name": "log cut 1", "log_cut": 1.0},
    {"name": "split 1, log cut 0.5", "split": 1.0, "log_cut": 0.5},
    {"name": "min 5", "min_cases": 5},
    {"name": "min 10", "min_cases": 10},
    {"name": "min 20", "min_cases": 20},
    {"name": "cf 0.1", "cf": 0.1},
    {"name": "cf 0.03", "cf": 0.03},
    {"name": "cf 0.01", "cf": 0.01},
    {"name": "depth 1", "max_depth": 1},
    {"name": "depth 2", "max_depth": 2},
    {"name": "depth 3", "max_depth": 3},
    {"name": "leaf", "max_depth": 0},
    {"name": "errors seen, split 2", "cf": None, "split": 2.0},
    {"name": "errors seen, split 1, log cut 0.5", "cf": None, "split": 1.0, "log_cut": 0.5},
)
"""Settings; those of the design are among them."""

DESIGN = ("paper", "split 2", "log cut 1", "min 10", "leaf")

console = Console(width=100)


class Told(NamedTuple):
    """What was measured on one fold: costs in percent of the standard cost."""

    data: str
    level: str
    settings: dict[str, float]
    rules: dict[str, float]
    stages: list[tuple[float, float]]  # expected, on the test part; the first after the samples
    learners: dict[str, float]


def settings(cf: float) -> list[Pessimism]:
    """Return all settings, given the paper's confidence."""
    return [Pessimism(**{"cf": cf, **one}) for one in ALL]


def measure(data: str, draw: str, level: str) -> list[Told]:
    """Return what each fold of a problem has told."""
    warnings.simplefilter("ignore")
    problem = Problem(data, draw)
    X, y = load_table(data)
    costs, standard = problem.costs(level), compute_standard_cost(problem, level) / 100
    limit = get_time_limit("frugal", data)
    whole = FrugalTreeClassifier(costs)._read(X, y, None)
    cf = costs.cf(whole.table.names, whole.classes.tolist())
    classes = whole.cases.classes
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=777 + int(draw))
    found = []
    for fold, (train, test) in enumerate(folds.split(np.zeros(classes.size), classes)):
        part = part_of(whole, train)
        table, _ = coded(part)
        judged, values = classes[test], whole.table.rows(test)

        def cost(nodes, part=part, judged=judged, values=values):
            return float(case_costs(part, nodes, values, judged).mean()) / standard

        models = {
            "act": ACTClassifier(costs, random_state=fold),
            "dtmc": DTMCClassifier(costs),
            "frugal": FrugalTreeClassifier(costs, time_limit=limit, random_state=fold),
        }
        found.append(
            Told(
                data,
                level,
                fixed(part, table, settings(cf), cost),
                rules(part, table, cf, fold, cost),
                stages(part, table, cf, standard, cost),
                {
                    name: evaluated(model, X, y, train, test) / standard
                    for name, model in models.items()
                },
            )
        )
    return found


def evaluated(model, X, y, train, test):
    """Return what a learner costs per case of the test part."""
    model.fit(X[train], y[train])
    return model.total_cost(X[test], y[test])


def fixed(part, table, choices, cost):
    """Return what the tree of each setting costs, searched for a moment."""
    search = Search(part, table, make_objective(part, choices[0]), Stop())
    costs = {}
    for one in choices:
        search.begin(table.weights, make_objective(part, one))
        search.grow_quick_tree()
        costs[one.name] = cost(search.tree()[0])
    return costs


def rules(part, table, cf, seed, cost):
    """Return what it costs to choose a setting inside the training part, by several rules."""
    numeric = bool((part.cases.nominal == 0).any())
    quick_data = [one for one in settings(cf) if one.name in DESIGN]
    costs = {}
    for name, choices in (
        ("among the design's", quick_data),
        ("among ours", candidates(cf, numeric=numeric)),
    ):
        objectives = [make_objective(part, one) for one in choices]

        def search(objectives=objectives):
            return Search(part, table, objectives[0], Stop())

        validation = CrossValidation(search, objectives, seed)
        for _ in range(REPEATS):
            for _ in validation.repeat():
                pass
        tried = validation.trials([one.name for one in choices])
        own = fixed(part, table, choices, cost)
        for errors in (0.0, 1.0, 2.0):
            scaled = [replace(one, saving_error=errors * one.saving_error) for one in tried]
            costs[f"{name}, saving > {errors:g} SE"] = own[choices[sure_trial(scaled)].name]
    return costs


def stages(part, table, cf, standard, cost):
    """Return what the tree of the paper's setting is expected to cost, and does, as it grows."""
    objective = make_objective(part, Pessimism("paper", cf))
    search = Search(part, table, objective, Stop(), samples=5)
    rounds, found = search.rounds(), []
    for _ in range(6):  # the greedy tree and five samples
        next(rounds, "")
    began = time.process_time()
    for seconds in STAGES:
        while time.process_time() - began < seconds and next(rounds, ""):
            pass
        nodes, expected = search.tree()
        found.append((expected / search.weight / standard, cost(nodes)))
    return found


# ------------------------------------------------------------------------------ summaries


class Column(NamedTuple):
    """A way to learn, and what it cost on every fold."""

    name: str
    costs: np.ndarray


def by_table(data: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Return the mean of each table."""
    return np.array([costs[data == name].mean() for name in np.unique(data)])


def chance(means: np.ndarray) -> float:
    """Return Wilcoxon's p of differences between tables."""
    return float(wilcoxon(means).pvalue) if means.any() else 1.0


def summarise(
    told: list[Told], columns: list[Column], against: np.ndarray, *, tested: bool = False
) -> pl.DataFrame:
    """Return means, and differences from a reference with their standard errors over tables."""
    data = np.array([one.data for one in told])
    level = np.array([one.level for one in told])
    rows: list[dict[str, Any]] = []
    for column in columns:
        difference = column.costs - against
        means = by_table(data, difference)
        row = {
            "what": column.name,
            "mean": column.costs.mean(),
            "difference": difference.mean(),
            "error": means.std(ddof=1) / means.size**0.5 if means.size > 1 else float("nan"),
            "better": int((means < -0.01).sum()),
            "worse": int((means > 0.01).sum()),
            "p": chance(means),
        }
        for one in dict.fromkeys(level.tolist()):
            here = level == one
            row[f"difference at {one}"] = difference[here].mean()
            if tested:
                row[f"p at {one}"] = chance(by_table(data[here], difference[here]))
        rows.append(row)
    return pl.DataFrame(rows)


def markdown(title: str, note: str, frame: pl.DataFrame) -> str:
    """Return a table in Markdown."""
    heads = [*frame.columns]
    lines = [f"## {title}", "", note, "", "| " + " | ".join(heads) + " |"]
    lines.append("|" + "|".join(" --- " if i == 0 else " ---: " for i in range(len(heads))) + "|")
    for row in frame.iter_rows():
        cells = [f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def column_of(told, of, name):
    """Return one way to learn."""
    return Column(name, np.array([getattr(one, of)[name] for one in told]))


def all_tables(told: list[Told]) -> dict[str, tuple[str, str, pl.DataFrame]]:
    """Return title, note and content of each table, by the name of its file."""
    paper = column_of(told, "settings", "paper").costs
    act = column_of(told, "learners", "act").costs
    names_of = {of: list(getattr(told[0], of)) for of in ("settings", "rules", "learners")}
    columns = {of: [column_of(told, of, name) for name in names_of[of]] for of in names_of}
    expected = np.array([[stage[0] for stage in one.stages] for one in told])
    tested = np.array([[stage[1] for stage in one.stages] for one in told])
    growth = [
        {
            "seconds after five samples": float(seconds),
            "expected cost": expected[:, i].mean(),
            "test cost": tested[:, i].mean(),
            "difference of test costs": (tested[:, i] - tested[:, 0]).mean(),
        }
        for i, seconds in enumerate(STAGES)
    ]
    worth = []
    for share in SHARES:
        take = expected[:, -1] < expected[:, 0] * (1.0 - share)
        taken = np.where(take, tested[:, -1], tested[:, 0])
        worth.append(Column(f"to save {share:.0%} or more", taken))
    return {
        "pessimism-settings": (
            "Settings",
            "Trees searched for a moment under one setting for all problems; differences from "
            "the paper's.",
            summarise(told, columns["settings"], paper),
        ),
        "pessimism-rules": (
            "Choosing inside the training part",
            "By the costs on cases held out, two deals of five folds; the first setting is left "
            "if another saves more than so many standard errors. Differences from the paper's.",
            summarise(told, columns["rules"], paper),
        ),
        "pessimism-growth": (
            "Estimated and test cost as the search grows",
            "Under the paper's setting. [The same as a picture](pessimism-growth.svg).",
            pl.DataFrame(growth),
        ),
        "pessimism-worth": (
            "When to take the tree of a long search",
            f"After {STAGES[-1]:g} s, if it is expected to save such a share of what the best "
            "tree of five samples costs, which is taken otherwise. Differences from that tree.",
            summarise(told, worth, tested[:, 0]),
        ),
        "pessimism-learners": (
            "Whole learners",
            "FrugalTreeClassifier with all of that, in the time that ICET takes. Differences "
            "from ACT.",
            summarise(told, columns["learners"], act, tested=True),
        ),
    }


def picture(growth: pl.DataFrame) -> bytes:
    """Return the curves of expected and of test cost as an SVG."""
    import matplotlib.pyplot as plt

    seconds = growth["seconds after five samples"].to_numpy()
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(6.0, 3.6))
        places = np.arange(seconds.size)
        axes.plot(places, growth["expected cost"], "-o", color="#0072b2", label="expected")
        axes.plot(places, growth["test cost"], "-s", color="#d55e00", label="on test cases")
        axes.set_xticks(places, [f"{one:g}" for one in seconds])
        axes.set_xlabel("seconds of search after five samples")
        axes.set_ylabel("cost, % of the standard cost")
        axes.legend(frameon=False)
        return as_svg(figure)


def as_svg(figure) -> bytes:
    """Return a figure as an SVG, and close it."""
    import matplotlib.pyplot as plt

    target = io.BytesIO()
    figure.savefig(target, format="svg", metadata={"Date": None})
    plt.close(figure)
    return target.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", nargs="+", default=DRAWS)
    parser.add_argument("--levels", nargs="+", default=LEVELS)
    parser.add_argument("--data", nargs="+", default=[n for n in names() if n not in LARGE])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    jobs = [(data, *of) for data in given.data for of in _pairs(given.draws, given.levels)]
    parallel = Parallel(given.jobs, return_as="generator")
    results = parallel(delayed(measure)(*job) for job in jobs)
    bar = track(results, "development problems", len(jobs), console=console)
    told = [one for found in bar for one in found]
    pages = []
    for file, (title, note, frame) in all_tables(told).items():
        pages.append(markdown(title, note, frame))
        if given.out:
            write_at_once(given.out / f"{file}.csv", frame.write_csv().encode(), "the table")
    head = (
        "# How pessimistic to be\n\n"
        f"{len(given.data)} tables, cost draws {', '.join(given.draws)}, five folds of their own: "
        f"{len(told)} training parts, none of them the study's. Costs are in percent of the "
        "standard cost; standard errors and Wilcoxon's p are over tables.\n"
        "`python benchmarks/pessimism.py` measures this.\n"
    )
    text = "\n".join([head, *pages])
    print(text)
    if given.out:
        write_at_once(given.out / "pessimism.md", text.encode(), "the page")
        growth = all_tables(told)["pessimism-growth"][2]
        write_at_once(given.out / "pessimism-growth.svg", picture(growth), "the picture")


def _pairs(draws, levels):
    return [(draw, level) for draw in draws for level in levels]


if __name__ == "__main__":
    main()
