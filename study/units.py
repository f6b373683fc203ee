"""Units of work: one learner trained on one fold of one problem, and what came of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from frugaltree.compare.custom import bill_cases, is_custom
from frugaltree.costs import Costs
from study.learners import find, make, parse
from study.problems import Problem, list_all_problems, list_classes

ANY = "*"
"""Stands for every price list, or every level, where a learner is blind to them."""

WARM_CASES = 40
"""Cases of a fit whose time does not count."""


class Unit(NamedTuple):
    """What is trained at once; ``prices`` and ``errors`` are ANY for who does not see them."""

    learner: str
    data: str
    prices: str
    errors: str
    fold: int

    @classmethod
    def of(cls, learner: str, problem: Problem, errors: str, fold: int) -> Unit:
        """Return the unit whose outcome tells how a learner does on a problem at a level.

        >>> Unit.of("eg2", Problem("car", "1"), "500", 0)
        Unit(learner='eg2', data='car', prices='1', errors='*', fold=0)
        """
        sees = find(learner).sees
        own_folds = problem.prices == "turney"
        prices = ANY if sees == "nothing" and not own_folds else problem.prices
        return cls(learner, problem.data, prices, errors if sees == "all" else ANY, fold)


class Outcome(NamedTuple):
    """How a trained learner did on the test cases of a fold.

    Attributes
    ----------
    test_cost
        Mean cost of tests per case.
    confusion
        Triples (predicted, actual, cases) in JSON, classes by their number.
    cases, leaves
        Number of test cases, and of leaves of the tree.
    seconds
        Processor time of the training.
    """

    learner: str
    data: str
    prices: str
    errors: str
    fold: int
    test_cost: float
    confusion: str
    cases: int
    leaves: int
    seconds: float

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What it is the outcome of."""
        return self[:5]


def run_unit(unit: Unit) -> list[Outcome]:
    """Do a unit; return its outcome under each price list that it serves."""
    problems = _find_problems(unit)
    X, y = problems[0].table()
    train, test = problems[0].folds()[unit.fold]
    sees = find(unit.learner).sees
    costs = None
    if sees != "nothing":
        costs = problems[0].costs(None if unit.errors == ANY else unit.errors)
    warm_up(parse(unit.learner)[0])
    model = make(unit.learner, costs, unit.fold, unit.data)
    start = time.process_time()
    model.fit(X[train], y[train])
    seconds = time.process_time() - start
    confusion = count_confusion(model.predict(X[test]), y[test].to_list(), list_classes(unit.data))
    return [
        Outcome(
            *unit._replace(prices=problem.prices),
            test_cost=compute_mean_bill(model, X[test], problem.costs()),
            confusion=confusion,
            cases=len(test),
            leaves=_count_leaves(model),
            seconds=seconds,
        )
        for problem in problems
    ]


@cache
def warm_up(key: str) -> None:
    """Let a process load and compile what a learner needs, so that times are those of learning.

    A learner of one's own may not be able to read these tables, and is taken as it comes.
    """
    if is_custom(key):
        return
    for data in ("heart", "monks-1"):
        problem = Problem(data, "1")
        X, y = problem.table()
        costs = None if find(key).sees == "nothing" else problem.costs("500")
        make(key, costs, 0, data).fit(X[:WARM_CASES], y[:WARM_CASES])


def _find_problems(unit: Unit) -> list[Problem]:
    """Return the problems that a unit tells about."""
    if unit.prices != ANY:
        return [Problem(unit.data, unit.prices)]
    return [
        problem
        for problem in list_all_problems()
        if problem.data == unit.data and problem.prices != "turney"
    ]


def compute_mean_bill(model: Any, X: Any, costs: Costs) -> float:
    """Return the mean cost of the tests that a model asks for; all, if it does not tell."""
    return float(np.mean(bill_cases(model, X, costs, X.columns)))


def _count_leaves(model: Any) -> int:
    """Return the size of a model, 0 if it is no tree of ours."""
    tree = getattr(model, "tree_", None)
    return int(tree.n_leaves) if tree is not None else 0


def count_confusion(
    predicted: Iterable[Any], actual: Iterable[Any], classes: Iterable[Any]
) -> str:
    """Return how often each class was taken for each other, or itself, as JSON.

    >>> count_confusion(["b", "a", "b"], ["a", "a", "a"], ["a", "b"])
    '[[0,0,1],[1,0,2]]'
    """
    number = {label: i for i, label in enumerate(classes)}
    codes = [(number[p], number[a]) for p, a in zip(predicted, actual, strict=True)]
    pairs, counts = np.unique(np.array(codes), axis=0, return_counts=True)
    triples = [[*pair, n] for pair, n in zip(pairs.tolist(), counts.tolist(), strict=True)]
    return json.dumps(triples, separators=(",", ":"))
