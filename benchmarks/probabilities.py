"""Probabilities: what was tried on development problems, and what holds on the study's tables.

    python benchmarks/probabilities.py [--parts choose check spam] [--draws 11 12 13 14]
        [--levels 500 5000] [--data heart iris] [--spam FOLDER] [--jobs 2] [--out docs/study]

choose: development problems are those of benchmarks/pessimism.py: price lists and folds that the
study does not use. On each training part a tree is learned, and five more inside it, to choose by
cross-validation. Ways to make probabilities of counts are compared by log loss and AUROC on the
test part; averages over cost draws and levels are compared table by table.

check: ``predict_proba`` against the shares of training cases on the study's own two-class tables
and folds, under its first price list.

spam: the e-mails of Spambase in the split of GDFS, learned from its training part at a price of 1
for each test, within a budget. FOLDER has ``spam.csv`` in the row order of GDFS's repository, with
the class in the column ``Outcome``.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from joblib import Parallel, delayed
from pessimism import DRAWS, LARGE, markdown
from rich.console import Console
from rich.progress import track
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from frugaltree import ACTClassifier, Costs
from frugaltree.datasets import info, names
from frugaltree.files import write_at_once
from frugaltree.kernels.data.left_out import LEAST_SHARE
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.sentinels import NONE
from frugaltree.tree import shrinkage
from frugaltree.tree.shrinkage import (
    STRENGTHS,
    left_out_losses,
    probabilities_of,
    shrink_shares,
)

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the study lies beside

from study.learners import get_title, make
from study.problems import Problem, load_table

FOLDS = 5
LEARNERS = ("frugal", "act", "eg2", "c4.5")
BLIND = ("eg2", "c4.5")
"""Learners that do not see what errors cost: one level stands for all."""

WEIGHTS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
"""Strengths of hierarchical shrinkage, in cases."""

ALL = "all of these"

SAME = 1e-7
"""Differences up to this are none."""

console = Console(width=100, stderr=True)


class Grown(NamedTuple):
    """A tree, and where cases that it has not seen end: the node and the class of each."""

    nodes: Nodes
    ends: np.ndarray
    classes: np.ndarray


class Part(NamedTuple):
    """A training part: its tree, and those learned inside it."""

    learner: str
    data: str
    grown: Grown
    inside: list[Grown]


Shares = Callable[[Nodes], np.ndarray]


# --------------------------------------------------------------------- rivals of our own way


def raw(nodes: Nodes) -> np.ndarray:
    """Return the shares of training cases."""
    return nodes.counts / nodes.counts.sum(axis=1, keepdims=True)


def laplace(nodes: Nodes) -> np.ndarray:
    """Return the shares with one case more of each class."""
    more = nodes.counts + 1.0
    return more / more.sum(axis=1, keepdims=True)


def towards_root(nodes: Nodes, weight: float) -> np.ndarray:
    """Return the shares with so many cases more, spread as those of the root (m-estimate)."""
    more = nodes.counts + weight * raw(nodes)[0]
    return more / more.sum(axis=1, keepdims=True)


def towards_parent(nodes: Nodes, weight: float) -> np.ndarray:
    """Return the shares with so many cases more that are spread as the parent's, on each step."""
    shares = raw(nodes)
    for node in range(1, len(shares)):
        n = nodes.counts[node].sum()
        above = shares[nodes.parent[node]]
        shares[node] = (nodes.counts[node] + weight * above) / (n + weight)
    return shares


def by_evidence(nodes: Nodes, strength: float) -> np.ndarray:
    """Return shares as a tree does, given the strength."""
    return probabilities_of(nodes, raw(nodes).argmax(axis=1), strength)


def hierarchical(
    nodes: Nodes,
    strength: float,
    counts: np.ndarray | None = None,
    cases: np.ndarray | None = None,
) -> np.ndarray:
    """Return shares by hierarchical shrinkage as it was published."""
    counts = nodes.counts if counts is None else counts
    cases = (
        np.repeat(counts.sum(axis=1, keepdims=True), counts.shape[1], 1)
        if cases is None
        else cases
    )
    shares = counts / np.where(cases > 0.0, cases, np.inf)
    found = shares.copy()
    for node in range(1, len(counts)):
        up = nodes.parent[node]
        part = cases[up] / (cases[up] + strength)
        step = part * (shares[node] - shares[up])
        found[node] = np.where(cases[node] > 0.0, found[up] + step, found[up])
    return np.clip(found, 0.0, 1.0)


def hierarchical_left_out(nodes: Nodes, strength: float, taken: float) -> float:
    """Return the log loss of training cases with some taken out, as shrinkage.left_out_losses."""
    most = np.minimum(taken, np.maximum(nodes.counts[0] - 1.0, 0.0))
    out = np.minimum(nodes.counts, most)
    left = nodes.counts.sum(axis=1, keepdims=True) - out
    told = hierarchical(nodes, strength, nodes.counts - out, np.where(left > 1e-9, left, 0.0))
    ended = nodes.counts * (nodes.test == NONE)[:, None] * (most > 0.0)
    return float((ended * -np.log(np.maximum(told, LEAST_SHARE))).sum())


# --------------------------------------------------------------------- choosing on development


def grow(
    learner: Any, X: pl.DataFrame, y: pl.Series, train: np.ndarray, test: np.ndarray
) -> Grown:
    """Learn a tree and send the test part down."""
    learner.fit(X[train], y[train])
    codes = {label: code for code, label in enumerate(learner.classes_.tolist())}
    classes = np.array([codes.get(label, NONE) for label in y[test].to_list()])
    ends = learner.apply(X[test])
    return Grown(Nodes(*map(np.array, learner.tree_.nodes)), ends, classes)


def learn_parts(learner: str, data: str, draw: str, level: str) -> list[Part]:
    """Learn the training parts of a development problem."""
    warnings.simplefilter("ignore")
    X, y = load_table(data)
    costs, codes = Problem(data, draw).costs(level), y.to_physical().to_numpy()
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=777 + int(draw))
    found = []
    for fold, (train, test) in enumerate(folds.split(np.zeros(len(y)), codes)):
        inner = StratifiedKFold(FOLDS, shuffle=True, random_state=fold)
        inside = [
            grow(make(learner, costs, fold, data), X, y, train[a], train[b])
            for a, b in inner.split(np.zeros(train.size), codes[train])
        ]
        whole = grow(make(learner, costs, fold, data), X, y, train, test)
        found.append(Part(learner, data, whole, inside))
    return found


def losses(grown: Grown, shares: np.ndarray) -> np.ndarray:
    """Return the log loss of each case; a class never seen in training does not count."""
    seen = grown.classes != NONE
    told = shares[grown.ends[seen], grown.classes[seen]]
    return -np.log(np.maximum(told, LEAST_SHARE))


def area(grown: Grown, shares: np.ndarray) -> float:
    """Return the AUROC of two classes, NaN for more."""
    if shares.shape[1] != 2:
        return float("nan")
    return float(roc_auc_score(grown.classes, shares[grown.ends, 1]))


def best(
    part: Part, shrink: Callable[[Nodes, float], np.ndarray], strengths: tuple[float, ...]
) -> float:
    """Return the strength of least log loss on the cases held out inside the training part."""

    def loss(strength: float) -> float:
        return sum(losses(one, shrink(one.nodes, strength)).sum() for one in part.inside)

    return min(strengths, key=loss)


def taken_out(nodes: Nodes, taken: float, strengths: tuple[float, ...]) -> float:
    """Return the strength that our own way would choose if it took so many cases out."""
    kept, shrinkage.TAKEN = shrinkage.TAKEN, taken
    try:
        return strengths[int(np.argmin(left_out_losses(nodes, strengths)))]
    finally:
        shrinkage.TAKEN = kept


def ways_of(part: Part) -> dict[str, np.ndarray]:
    """Return the shares of a tree's nodes by each way that was tried."""
    nodes = part.grown.nodes
    found = {"shares of training cases": raw(nodes), "Laplace": laplace(nodes)}
    for weight in (1.0, 3.0, 10.0):
        found[f"towards the root, weight {weight:g}"] = towards_root(nodes, weight)
        found[f"towards the parent, weight {weight:g}"] = towards_parent(nodes, weight)
    for strength in WEIGHTS:
        found[f"hierarchical, {strength:g}"] = hierarchical(nodes, strength)
    for taken in (1.0, 3.0, 5.0):
        strength = min(WEIGHTS, key=lambda one: hierarchical_left_out(nodes, one, taken))
        found[f"hierarchical, {taken:g} taken out"] = hierarchical(nodes, strength)
    chosen = best(part, hierarchical, WEIGHTS)
    found["hierarchical, cross-validated"] = hierarchical(nodes, chosen)
    for strength in STRENGTHS:
        found[f"by evidence, {strength:g}"] = by_evidence(nodes, strength)
    for taken in (1.0, 2.0, 3.0, 5.0, 8.0):
        strength = taken_out(nodes, taken, STRENGTHS)
        found[f"by evidence, {taken:g} taken out"] = by_evidence(nodes, strength)
    strength = taken_out(nodes, 5.0, (0.0, *STRENGTHS))
    found["by evidence, 5 taken out, or 0"] = by_evidence(nodes, strength)
    strength = taken_out(nodes, 5.0, STRENGTHS)
    found["by evidence, 5 taken out, largest class free"] = shrink_shares(nodes, strength)
    found["by evidence, cross-validated"] = by_evidence(nodes, best(part, by_evidence, STRENGTHS))
    return found


def judge(learner: str, data: str, draw: str, level: str) -> list[dict[str, Any]]:
    """Return log loss and AUROC of each way on each test part of a problem."""
    rows = []
    for part in learn_parts(learner, data, draw, level):
        for way, shares in ways_of(part).items():
            loss, found = losses(part.grown, shares).mean(), area(part.grown, shares)
            rows.append(
                {"learner": learner, "data": data, "way": way, "loss": loss, "area": found}
            )
    return rows


def compared(differences: np.ndarray) -> str:
    """Return how many tables are better, the same and worse, given what is gained on each."""
    better, worse = (differences > SAME).sum(), (differences < -SAME).sum()
    return f"{better} / {differences.size - better - worse} / {worse}"


def summary(told: pl.DataFrame) -> pl.DataFrame:
    """Return the means of each way, and on how many two-class tables it is better than raw."""
    by_table = told.group_by("way", "data", maintain_order=True).agg(pl.col("loss", "area").mean())
    first = by_table["way"][0]
    base = by_table.filter(pl.col("way") == first).drop("way")
    rows = []
    for (way,), own in by_table.group_by("way", maintain_order=True):
        both = own.join(base, on="data", suffix="_raw").filter(pl.col("area").is_not_nan())
        gained = (both["area"] - both["area_raw"]).to_numpy()
        saved = (both["loss_raw"] - both["loss"]).to_numpy()
        rows.append(
            {
                "way": way,
                "log loss": f"{own['loss'].mean():.3f}",
                "of two classes": f"{both['loss'].mean():.3f}",
                "AUROC": f"{100 * both['area'].mean():.2f}",
                "log loss better / same / worse": compared(saved),
                "AUROC better / same / worse": compared(gained),
            }
        )
    return pl.DataFrame(rows)


def choose(given: argparse.Namespace) -> str:
    """Return the section on what was tried."""
    jobs = [
        (learner, data, draw, level)
        for learner, data, draw in product(LEARNERS, given.data, given.draws)
        for level in (given.levels[:1] if learner in BLIND else given.levels)
    ]
    results = Parallel(given.jobs, return_as="generator")(delayed(judge)(*job) for job in jobs)
    bar = track(results, "development problems", len(jobs), console=console)
    told = pl.DataFrame([row for rows in bar for row in rows])
    pages = [
        markdown(
            "Tried on development problems",
            CHOICE.format(len(given.data), ", ".join(given.draws), " and ".join(given.levels)),
            summary(told),
        )
    ]
    for learner in LEARNERS:
        own = told.filter(pl.col("learner") == learner)
        pages.append(
            "#" + markdown(get_title(learner), "The same for this learner.", summary(own))
        )
    return "\n".join(pages)


CHOICE = (
    "{} tables, cost draws {}, errors {}, five folds; mean over four learners. *By evidence* is "
    "what the package does, with 5 taken out. *Taken out*: the strength is chosen by training "
    "cases told without so many of their class, from the counts of the tree; *cross-validated*: "
    "by five more trees. Two-class tables on which a way is better than the shares of training "
    "cases, the same, or worse, by their means. A table whose cases are all told for sure, and "
    "rightly, cannot get better."
)


# --------------------------------------------------------------------- what holds on the study's


def check_fold(learner: str, data: str, level: str, fold: int) -> dict[str, Any]:
    """Return log loss and AUROC of predict_proba and of raw shares on one fold of the study."""
    warnings.simplefilter("ignore")
    problem = Problem(data, "1")
    X, y = load_table(data)
    train, test = problem.folds()[fold]
    model = make(learner, problem.costs(level), fold, data).fit(X[train], y[train])
    classes = (y[test] == model.classes_[1]).to_numpy().astype(int)
    found: dict[str, Any] = {"learner": learner, "data": data, "level": level}
    ends = model.apply(X[test])
    for name, told in (("raw", model.tree_.shares[ends]), ("ours", model.predict_proba(X[test]))):
        right = np.maximum(told[np.arange(classes.size), classes], LEAST_SHARE)
        found[f"loss {name}"] = float(-np.log(right).mean())
        found[f"area {name}"] = float(roc_auc_score(classes, told[:, 1]))
    return found


def check(given: argparse.Namespace) -> str:
    """Return the section on the study's two-class tables."""
    tables = [data for data in names() if len(info(data).classes) == 2 and data in given.data]
    jobs = [
        (learner, data, level, fold)
        for learner, data, fold in product(LEARNERS, tables, range(10))
        for level in (("500",) if learner in BLIND else ("500", "5000"))
    ]
    results = Parallel(given.jobs, return_as="generator")(
        delayed(check_fold)(*job) for job in jobs
    )
    told = pl.DataFrame(list(track(results, "the study's tables", len(jobs), console=console)))
    told = pl.concat([told, told.with_columns(learner=pl.lit(ALL), level=pl.lit("any"))])
    pages = []
    rows = []
    for (learner, level), own in told.group_by("learner", "level", maintain_order=True):
        means = own.group_by("data", maintain_order=True).agg(
            pl.exclude("learner", "level").mean()
        )
        saved = (means["loss raw"] - means["loss ours"]).to_numpy()
        gained = (means["area ours"] - means["area raw"]).to_numpy()
        errors = "any" if learner in BLIND else level
        title = ALL if learner == ALL else get_title(str(learner))
        rows.append(
            {
                "learner": title,
                "errors": errors,
                "log loss, raw": means["loss raw"].mean(),
                "log loss": means["loss ours"].mean(),
                "AUROC, raw": 100 * means["area raw"].mean(),
                "AUROC": 100 * means["area ours"].mean(),
                "log loss better / same / worse": compared(saved),
                "AUROC better / same / worse": compared(gained),
            }
        )
        shown = means.select(
            pl.col("data").alias("table"),
            pl.col("loss raw").round(3).cast(pl.String).alias("log loss, raw"),
            pl.col("loss ours").round(3).cast(pl.String).alias("log loss"),
            (100 * pl.col("area raw")).alias("AUROC, raw"),
            (100 * pl.col("area ours")).alias("AUROC"),
        )
        pages.append("#" + markdown(f"{title}, errors {errors}", "Means of ten folds.", shown))
    note = (
        f"{len(tables)} tables, price list 1, ten folds of the study, after the choice was made. "
        "EG2 and C4.5 do not look at the cost of errors. FrugalTree ends by the clock: its rows "
        "move a little from run to run. A tree that is a bare leaf, or always right, stays the "
        "same or can only get worse."
    )
    return "\n".join(
        [markdown("On the study's two-class tables", note, pl.DataFrame(rows)), *pages]
    )


# --------------------------------------------------------------------- spam


def spam(given: argparse.Namespace) -> str:
    """Return the section on spam, at budgets of 5 and 10 tests."""
    table = pl.read_csv(given.spam / "spam.csv")
    X, y = table.drop("Outcome").to_numpy().astype(float), table["Outcome"].to_numpy()
    order, n = np.arange(len(y)), int(0.2 * len(y))
    np.random.default_rng(0).shuffle(order)
    test, train = order[:n], order[2 * n :]
    rows = []
    for budget, least in product((5, 10), (1, 3, 10, 20)):
        learner = ACTClassifier(
            Costs([1.0] * X.shape[1]),
            max_test_cost=budget,
            n_samples=5,
            min_cases=least,
            random_state=0,
        ).fit(X[train], y[train])
        tree, ends = learner.tree_, learner.apply(X[test])
        told = learner.predict_proba(X[test])
        published = hierarchical(
            tree.nodes,
            min(WEIGHTS, key=lambda one: hierarchical_left_out(tree.nodes, one, 5.0)),
        )
        rows.append(
            {
                "budget": budget,
                "least cases": least,
                "leaves": tree.n_leaves,
                "accuracy": 100 * float((learner.predict(X[test]) == y[test]).mean()),
                "AUROC, raw": 100 * roc_auc_score(y[test], tree.shares[ends, 1]),
                "AUROC": 100 * roc_auc_score(y[test], told[:, 1]),
                "AUROC, hierarchical": 100 * roc_auc_score(y[test], published[ends, 1]),
                "strength": learner.shrinkage_,
                "mean tests": float(learner.bill(X[test]).mean()),
            }
        )
    note = (
        "ACT within a budget, five samples, the split of GDFS, on its test part. *Least cases* is "
        "`min_cases`. *Hierarchical* is shrinkage as published, its strength chosen in the same "
        "way. The test part had been looked at while this was worked out; the choice was made by "
        "the development problems."
    )
    return markdown("Spam", note, pl.DataFrame(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--parts", nargs="+", choices=("choose", "check", "spam"))
    parser.add_argument("--draws", nargs="+", default=DRAWS)
    parser.add_argument("--levels", nargs="+", default=("500", "5000"))
    parser.add_argument("--data", nargs="+", default=[n for n in names() if n not in LARGE])
    parser.add_argument("--spam", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    parts = given.parts or ["choose", "check", *(["spam"] if given.spam else [])]
    if "spam" in parts and given.spam is None:
        parser.error("the part spam needs --spam FOLDER")
    made = {"choose": choose, "check": check, "spam": spam}
    page = given.out / "probabilities.md" if given.out else None
    text = page.read_text("utf-8") if page and page.exists() else HEAD
    head, known = text.partition("<!-- ")[0].rstrip() + "\n", dict(PART.findall(text))
    for part in parts:
        known[part] = made[part](given)
        print(known[part])
        if page:
            told = (f"<!-- {part} -->\n{known[part].strip()}\n" for part in made if part in known)
            write_at_once(page, "\n".join([head, *told]).encode(), "the page")


PART = re.compile(r"<!-- (\w+) -->\n(.*?)\n(?=<!-- |\Z)", re.DOTALL)
"""A part of the page; those that are not run anew stay, and so does what is written above them."""

HEAD = """# Probabilities

The shares of the classes in a leaf are those of few cases, which a search has put together
because they are alike. `predict_proba` shrinks them towards the shares of the nodes above: the
step to a node is taken to the part e / (e + strength), where e is chi-square of the split over its
degrees of freedom; the most frequent class of a node stays the most probable. Hierarchical
shrinkage as published takes n / (n + strength), n being the cases of the node that is split,
whether the split tells much or little; where the classes are parted only far down, as in parity,
it shrinks just the steps that tell. Answers do not change: they follow the costs and the cases
counted. `python benchmarks/probabilities.py` measures this.
"""


if __name__ == "__main__":
    main()
