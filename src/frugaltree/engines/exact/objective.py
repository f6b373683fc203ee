"""What a search minimises: expected costs, as pessimistic as wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from frugaltree.engines.cells import LARGEST_EXCESS
from frugaltree.engines.estimate import ERROR_FORMS
from frugaltree.engines.openers import may_rise_without
from frugaltree.engines.problem import Problem
from frugaltree.engines.sampling.plan import NO_LIMIT
from frugaltree.exceptions import FrugaltreeError
from frugaltree.kernels.cost.ask_rules import has_rules
from frugaltree.kernels.cost.bounds import (
    LEAST_CONFIDENCE_OF_PARTS,
    excess_table,
    most_errors_added,
)
from frugaltree.kernels.cost.error_estimate import C45_ERROR, EXACT_ERROR, LeafEstimate
from frugaltree.kernels.cost.leaf import Allowed
from frugaltree.kernels.data.bits import WORD
from frugaltree.kernels.exact.objective import AS_LEAF, AS_SPLIT, TABLED, Objective, fill_expected

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Pessimism:
    """How a tree is kept from following chance.

    Attributes
    ----------
    name
        What it is called.
    cf
        Confidence of the expected error; None takes the errors seen.
    split, log_cut
        Charges for a split, in errors: flat, and for the logarithm of the number of cuts.
    min_cases
        A split needs at least two branches of so many cases.
    max_depth
        Most tests on a path; None means no limit.
    """

    name: str
    cf: float | None
    split: float = 0.0
    log_cut: float = 0.0
    min_cases: int = 1
    max_depth: int | None = None


def check_confidences(settings: Sequence[Pessimism]) -> None:
    """Refuse confidences at which the bounds do not hold for fractions of cases.

    >>> check_confidences([Pessimism("cf 0.01", 0.01)])
    Traceback (most recent call last):
    frugaltree.exceptions.FrugaltreeError: pessimism is 0.01, but with fractions of cases bounds
    hold from 0.04 on; give whole weights, a larger number, or expected_error="exact".
    """
    for setting in settings:
        if setting.cf is not None and setting.cf < LEAST_CONFIDENCE_OF_PARTS:
            raise FrugaltreeError(
                f"pessimism is {setting.cf:g}, but with fractions of cases bounds hold from "
                f"{LEAST_CONFIDENCE_OF_PARTS:g} on; give whole weights, a larger number, or "
                'expected_error="exact".'
            )


@lru_cache(maxsize=8)
def expected_tables(cf: float, form: int, n_classes: int, n: int) -> tuple[Floats, Floats]:
    """Return the expected errors among few cases, and what telling classes apart takes.

    The settings that a search chooses from mostly share them. The latter is empty for no classes.
    """
    expected = np.zeros((min(n, TABLED) + 1,) * 2)
    fill_expected(cf, form, expected)
    excess = np.zeros(min(n, LARGEST_EXCESS) + 1 if n_classes else 0)
    if n_classes:
        excess_table(n_classes, cf, form, excess)
    return expected, excess


@lru_cache(maxsize=32)
def error_step(cf: float, form: int) -> float:
    """Return how many errors a case more adds to those expected of a leaf, at most.

    >>> error_step(0.25, ERROR_FORMS["training"])
    1.0
    >>> round(error_step(0.25, ERROR_FORMS["c45"]), 3)
    1.272
    """
    return float(most_errors_added(cf, form))


def make_objective(
    problem: Problem,
    pessimism: Pessimism,
    *,
    expected_error: str = "c45",
    penalty: str = "laplace",
    max_depth: int | None = None,
    min_cases: int = 1,
    min_leaf: float = 0.0,
    max_test_cost: float | None = None,
) -> Objective:
    """Return what is to be minimised over which trees."""
    n_classes, penalties = problem.errors.shape[1], problem.penalties
    mean, restricted = penalties.mean, problem.directions is not None
    form = ERROR_FORMS["training" if pessimism.cf is None else expected_error]
    cf = 0.25 if pessimism.cf is None else float(pessimism.cf)
    multinomial = penalty == "multinomial"
    equal = penalties.equal and not multinomial
    simple = equal and not restricted
    steady = form != EXACT_ERROR or cf <= 0.5  # fewer cases never expect more errors
    one = problem.case_weight
    tabled = int(problem.weight) if one == 1.0 else 0  # tables are of whole cases
    splits_classes = equal and form == C45_ERROR and tabled > 0
    tables = (cf, form, n_classes if splits_classes else 0, tabled)
    expected, excess = expected_tables(*tables)
    least = max(min_cases, pessimism.min_cases, min_leaf)
    flat = pessimism.split * mean * one
    nested = simple and steady and tabled > 0 and least == 1 and not problem.table.has_missing
    nested = nested and not problem.has_conditions
    ruled = has_rules(problem.prices.rules)  # a test left out may be one that others wait for
    steps = nested and pessimism.log_cut == 0.0  # a case more may be a threshold more
    depths = [d for d in (max_depth, pessimism.max_depth) if d is not None]
    return Objective(
        cf=cf,
        form=form,
        multinomial=int(multinomial),
        simple=int(simple),
        penalty=mean,
        least_penalty=penalties.least,
        flat=flat,
        per_log_cut=pessimism.log_cut * mean * one,
        min_cases=problem.weight_of(float(least)),
        min_leaf=min_leaf * one,
        max_depth=int(min(depths, default=NO_LIMIT)),
        nested=int(nested),
        steady=int(nested and not ruled and not may_rise_without(problem.prices)),
        step=mean * error_step(cf, form) if steps else np.inf,
        case_weight=one,
        first_decision=problem.first_decision,
        restricted=int(restricted),
        allowed=Allowed(0, len(problem.errors) - 1),
        budget=np.inf if max_test_cost is None else float(max_test_cost),
        errors=problem.errors,
        classes=problem.cost_classes,
        expected=expected,
        excess=excess,
        cells=cells_for(tables, mean, flat, least)
        if simple and n_classes == 2 and tabled > 0
        else np.zeros((0, 0, 2)),
    )


def leaf_estimate(objective: Objective) -> LeafEstimate:
    """Return how the errors of a leaf are estimated."""
    return LeafEstimate(
        cf=float(objective.cf),
        form=int(objective.form),
        multinomial=bool(objective.multinomial),
        case_weight=float(objective.case_weight),
        first_decision=int(objective.first_decision),
        restricted=bool(objective.restricted),
    )


@lru_cache(maxsize=32)
def cells_for(
    tables: tuple[float, int, int, int], penalty: float, flat: float, min_cases: float
) -> Floats:
    """Return :func:`cells_of_two` for these tables of :func:`expected_tables`, worked out once."""
    return cells_of_two(*expected_tables(*tables), penalty, flat, min_cases)


def cells_of_two(
    expected: Floats, excess: Floats, penalty: float, flat: float, min_cases: float
) -> Floats:
    """Return what few cases of two classes cost as a leaf, and at least if they are split.

    Of the latter without the tests' prices. Two of three cases that are alike, an error each:

    >>> seen = np.minimum.outer(np.arange(4.0), np.arange(4.0))
    >>> cells_of_two(seen, np.zeros(0), 10.0, 0.5, min_cases=1)[2, 1].tolist()
    [10.0, 0.5]
    """
    k = np.arange(min(WORD, len(expected) - 1) + 1)
    m = np.minimum(k[:, None] + k, len(expected) - 1)
    leaf = expected[m, np.minimum(k[:, None], k)]
    excess = excess if excess.size else np.zeros(1)
    told = excess[np.minimum(k, excess.size - 1)]
    apart = np.where(m < excess.size, told[:, None] + told, 0.0)
    least = np.maximum(expected[m, 0], apart) * penalty + flat
    cells = np.empty((*m.shape, 2))
    cells[..., AS_LEAF] = leaf * penalty
    cells[..., AS_SPLIT] = np.where(m < 2 * min_cases, np.inf, least)
    return cells
