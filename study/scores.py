"""From outcomes to costs: what a learner's tests and errors cost at each level, and its share.

An outcome holds the cost of tests and the confusion of classes, which are enough to tell the
cost of errors at any level.
"""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import polars as pl

from frugaltree.costs import Costs
from study.plan import Experiment
from study.problems import Problem, list_classes, load_table, parse_level
from study.units import Unit

SCORES = pl.Schema(
    {
        "learner": pl.String,
        "data": pl.String,
        "prices": pl.String,
        "errors": pl.String,
        "fold": pl.Int64,
        "test_cost": pl.Float64,
        "error_cost": pl.Float64,
        "total": pl.Float64,
        "percent": pl.Float64,
        "accuracy": pl.Float64,
        "leaves": pl.Int64,
        "seconds": pl.Float64,
    }
)


def compute_scores(experiment: Experiment, outcomes: pl.DataFrame) -> pl.DataFrame:
    """Return one row per learner, problem, level and fold of an experiment, as far as known.

    ``percent`` is the total cost as a percentage of the standard cost, which takes the class
    frequencies of the whole table.
    """
    known = {row[:5]: row for row in outcomes.iter_rows()}
    rows = []
    for problem in experiment.problems:
        for level in experiment.levels:
            standard = compute_standard_cost(problem, level)
            for learner in experiment.shown:
                for fold in experiment.folds:
                    unit = Unit.of(learner, problem, level, fold)
                    row = known.get((*unit[:2], problem.prices, unit.errors, fold))
                    if row is None:
                        continue
                    _, _, _, _, _, test_cost, confusion, cases, leaves, seconds = row
                    wrong, right = price_errors(confusion, problem.data, level)
                    total = test_cost + wrong / cases
                    rows.append(
                        (learner, problem.data, problem.prices, level, fold, test_cost,
                         wrong / cases, total, 100 * total / standard, 100 * right / cases,
                         leaves, seconds)
                    )  # fmt: skip
    return pl.DataFrame(rows, schema=SCORES, orient="row")


@cache
def compute_standard_cost(problem: Problem, level: str) -> float:
    """Return the cost of all tests plus that of the best blind guess (section 4.2.2)."""
    X, y = load_table(problem.data)
    classes = list(list_classes(problem.data))
    counts = dict(zip(*np.unique(y.to_numpy(), return_counts=True), strict=True))
    shares = np.array([counts.get(label, 0) for label in classes]) / len(y)
    return float(problem.costs(level).standard_cost(shares, X.columns, classes))


@cache
def _matrix(data: str, level: str) -> np.ndarray:
    classes = list_classes(data)
    return Costs(errors=parse_level(level, classes)).matrix(list(classes))


def price_errors(confusion: str, data: str, level: str) -> tuple[float, int]:
    """Return what the errors of a confusion cost, and the number of right answers."""
    matrix, cost, right = _matrix(data, level), 0.0, 0
    for predicted, actual, n in json.loads(confusion):
        cost += matrix[predicted, actual] * n
        right += n * (predicted == actual)
    return cost, right
