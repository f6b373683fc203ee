"""Cross-validation inside the training cases: folds, and what settings cost on cases held out.

Every learner that chooses between settings does so with what is here. How the trees of a fold are
searched for is up to the learner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from frugaltree.costs.by_condition import able_to_take
from frugaltree.engines.problem import Problem
from frugaltree.kernels.cost.error_estimate import LeafEstimate
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.tree.bills import bills_of
from frugaltree.tree.routing import find_nodes, own_ways

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Cases = npt.NDArray[np.intp]

FOLDS = 5
"""Folds inside the training cases."""

MOST_DEALT = 10**7
"""About how many merged cases are dealt one by one, at most."""


@dataclass(frozen=True)
class Trial:
    """A setting that was tried on cases held out, and what it costs there.

    Attributes
    ----------
    name
        The setting in a few words.
    settings
        The parameters that it stands for, by name.
    cost, error
        Cost per case held out, and its standard error.
    saving, saving_error
        What a case costs less than with the first setting, and the standard error of that; the
        latter is None where costs were not compared case by case.
    chosen
        Whether the learner took it.
    """

    name: str
    settings: Mapping[str, Any]
    cost: float
    error: float
    saving: float = 0.0
    saving_error: float | None = None
    chosen: bool = False

    @property
    def w(self) -> Any:
        """How much prices are heeded, None where the setting does not say."""
        return self.settings.get("w")

    @property
    def cf(self) -> Any:
        """Confidence of the expected error, None where the setting does not say."""
        return self.settings.get("cf")


def mark_chosen(trials: Sequence[Trial], settings: Mapping[str, Any]) -> list[Trial]:
    """Return trials of which those of some settings are the chosen ones.

    >>> [one.chosen for one in mark_chosen([Trial("w 1", {"w": 1.0}, 9.0, 1.0)], {"w": 1.0})]
    [True]
    """
    return [replace(one, chosen=dict(one.settings) == dict(settings)) for one in trials]


def best_trial(trials: Sequence[Trial], *, all_held_out: bool) -> int:
    """Return which trial to follow: the cheapest one, the first of equal ones.

    Before all cases were held out once, that is too much chance, and a saving must be sure.

    >>> first, leaf = Trial("paper", {}, 9.0, 1.0, 0.0, 0.0), Trial("leaf", {}, 8.9, 1.0, 0.1, 0.2)
    >>> best_trial([first, leaf], all_held_out=True), best_trial([first, leaf], all_held_out=False)
    (1, 0)
    """
    if not all_held_out:
        return sure_trial(trials)
    return min(range(len(trials)), key=lambda i: trials[i].cost, default=0)


def sure_trial(trials: Sequence[Trial]) -> int:
    """Return which trial to follow: the one that saves most, if that is more than chance.

    The first one is left only for one that saves more than the standard error of the saving.

    >>> first = Trial("paper", {}, 10.0, 1.0, 0.0, 0.0)
    >>> sure_trial([first, Trial("a", {}, 9.0, 1.0, 1.0, 0.6), Trial("b", {}, 8.8, 1.0, 1.2, 1.3)])
    1
    """
    sure = [i for i, one in enumerate(trials) if one.saving > (one.saving_error or 0.0)]
    return max(sure, key=lambda i: trials[i].saving, default=0)


def make_trials(
    names: Sequence[str], settings: Sequence[Mapping[str, Any]], numbers: Floats
) -> list[Trial]:
    """Return trials from rows of costs, their errors, savings and theirs, a column for each."""
    return [
        Trial(name, setting, cost=cost, error=error, saving=saving, saving_error=saving_error)
        for name, setting, (cost, error, saving, saving_error) in zip(
            names, settings, numbers.T.tolist(), strict=True
        )
    ]


# --------------------------------------------------------------------------------- folds


def stratified_folds(
    classes: npt.NDArray[np.int32], seed: int | np.random.Generator
) -> npt.NDArray[np.intp]:
    """Return a fold for each case, the cases of each class spread evenly.

    >>> stratified_folds(np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]), seed=1).tolist()
    [2, 4, 0, 3, 1, 2, 4, 1, 3, 0]
    """
    order = np.lexsort((np.random.default_rng(seed).random(classes.size), classes))
    folds = np.empty(classes.size, np.intp)
    folds[order] = np.arange(classes.size) % FOLDS
    return folds


def folds_of_merged(
    classes: npt.NDArray[np.int32], weights: Counts, random: np.random.Generator
) -> list[Counts]:
    """Return how many cases of each kind every fold has, equal cases having been merged.

    Of a kind of many cases most are spread evenly, which chance would do as well.
    """
    even = np.maximum(weights - MOST_DEALT // weights.size, 0) // FOLDS
    kinds = np.repeat(np.arange(weights.size), weights - FOLDS * even)
    folds = stratified_folds(classes[kinds], random)
    return [even + np.bincount(kinds[folds == i], minlength=even.size) for i in range(FOLDS)]


def folds_of_weighed(
    classes: npt.NDArray[np.int32], weights: Counts, one: float, random: np.random.Generator
) -> list[Counts]:
    """Return the weight of each kind in every fold, where a case weighs ``one``.

    A kind is dealt in pieces of about the weight of a case.

    >>> random = np.random.default_rng(0)
    >>> dealt = folds_of_weighed(np.array([0, 1]), np.array([25, 7]), 10.0, random)
    >>> np.sum(dealt, axis=0).tolist()
    [25, 7]
    """
    if one == 1.0:
        return folds_of_merged(classes, weights, random)
    pieces = np.maximum(np.rint(weights / one).astype(np.int64), 1)
    dealt = np.cumsum(folds_of_merged(classes, pieces, random), axis=0)
    return list(np.diff(np.rint(weights * (dealt / pieces)).astype(np.int64), axis=0, prepend=0))


def shuffled_splits(labels: Any, n_folds: int, seed: int) -> Iterator[tuple[Cases, Cases]]:
    """Yield, for any number of folds, the cases to learn from and those held out.

    These are scikit-learn's folds, for those who try a learner from outside.
    """
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    yield from folds.split(np.zeros(len(labels)), labels)


def part_of(problem: Problem, where: Cases) -> Problem:
    """Return the problem of some of the cases."""
    cases = problem.cases
    weights = np.ascontiguousarray(cases.weights[where])
    return replace(
        problem,
        table=replace(
            problem.table,
            codes=np.ascontiguousarray(problem.table.codes[:, where]),
            numbers=None,
        ),
        cases=cases._replace(
            codes=np.ascontiguousarray(cases.codes[:, where]),
            classes=np.ascontiguousarray(cases.classes[where]),
            weights=weights,
            unit=bool((weights == 1.0).all()),
        ),
    )


# --------------------------------------------------------------------------------- costs


def case_costs(
    problem: Problem, nodes: Nodes, values: Floats, classes: npt.NDArray[np.int32]
) -> Floats:
    """Return what each case costs with a tree: its bill, and that of a wrong answer."""
    bills, errors = case_bills_and_errors(problem, nodes, values, classes)
    return np.asarray(bills + errors)


def case_bills_and_errors(
    problem: Problem,
    nodes: Nodes,
    values: Floats,
    classes: npt.NDArray[np.int32],
    estimate: LeafEstimate | None = None,
) -> tuple[Floats, Floats]:
    """Return what each case is charged by a tree, and what its answer costs.

    Where no training case of a node lacked a value, a case without it ends there.

    Parameters
    ----------
    problem
        Prices, costs of errors, and what the tests are.
    nodes
        The tree, in preorder.
    values, classes
        The cases, as a finished tree reads them, and their classes.
    estimate
        How errors of a leaf are estimated, where answers follow tests; None takes those seen.
    """
    labels, cases = problem.answers(nodes, estimate), problem.cases
    values = able_to_take(values, problem.prices)
    ends = find_nodes(values, nodes, cases.domain, cases.nominal, own_ways(nodes))
    bills = bills_of(nodes, values, ends, problem.prices)
    return bills, problem.errors[labels[ends], classes]


def mean_and_error(costs: Floats, weights: Floats) -> tuple[float, float]:
    """Return the mean of the costs of cases, all of them at hand, and its standard error.

    >>> mean_and_error(np.array([4.0, 6.0]), np.ones(2))
    (5.0, 1.0)
    """
    mean = float(np.average(costs, weights=weights))
    variance = float(np.average((costs - mean) ** 2, weights=weights))
    return mean, float((variance / max(weights.sum() - 1, 1)) ** 0.5)
