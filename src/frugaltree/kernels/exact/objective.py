"""What a tree is searched for: the least expected cost of tests, errors and splits.

The cost of a tree is what its tests charge, what its leaves are expected to get wrong (section
3.2.2), and a charge for each split that stands against overfitting: a flat one, and one for each
cut that a numeric test could choose from. All of it over all cases.

Expected errors and the cost of a leaf are those of ``kernels.cost``. Where errors all cost the
same, the cost of a leaf needs no label, and among few cases the expected errors are looked up:
without the table, tic-tac-toe takes 16 % longer to prove and voting 12 %.
``tests/kernels/cost/test_discounts.py`` holds both forms equal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.bounds import bound_tree, least_error_cost
from frugaltree.kernels.cost.cost_classes import CostClasses, ends_class
from frugaltree.kernels.cost.error_estimate import (
    TRAINING_ERROR,
    LeafEstimate,
    expected_by_weight,
    expected_error,
)
from frugaltree.kernels.cost.leaf import cheapest_label, leaf_cost
from frugaltree.kernels.jit import atom, kernel
from frugaltree.kernels.sentinels import NONE

TABLED = 128
"""Expected errors among up to so many cases are looked up."""

AS_LEAF, AS_SPLIT = range(2)
"""What :attr:`Objective.cells` holds: the cost of a leaf, and the least of a tree but its tests.

It is empty unless there are two classes and ``simple``.
"""


class Objective(NamedTuple):
    """The cost to be minimised, and which trees may be considered.

    ``simple`` is 1 where all errors cost the same, ``penalty``; ``least_penalty`` is the least
    cost of an error. ``flat`` and ``per_log_cut`` are charged for a split. Two branches of a split
    have a weight of ``min_cases`` at least, and all that have cases of ``min_leaf``. ``nested`` is
    1 where fewer cases never expect more errors, and ``steady`` where they never cost more in all,
    see ``bound_by_neighbours`` in ``kernels.cost.bounds``. ``step`` is the most that a case adds
    to the cost of errors, see ``bound_side`` there. ``case_weight`` is the weight of one case.
    ``budget`` is the most that a case may be charged, infinite for no limit; with one, what tests
    cost does not count (``kernels.exact.budget``). Answers from ``first_decision`` on are no
    classes; where there are any, ``simple`` is 0, and so it is where cases have costs of their
    own: then all counts are by cost class.
    """

    cf: float
    form: int
    multinomial: int
    simple: int
    penalty: float
    least_penalty: float
    flat: float
    per_log_cut: float
    min_cases: float
    min_leaf: float
    max_depth: int
    nested: int
    steady: int
    step: float
    case_weight: float
    budget: float
    first_decision: int
    errors: np.ndarray  # float64[answer, class]
    classes: CostClasses
    expected: np.ndarray  # float64[m, s]: expected errors, up to TABLED cases
    excess: np.ndarray  # float64[...]: see excess_table; empty where it gives no bound
    cells: np.ndarray  # float64[i, j, 2]: of i and j cases of two classes, see AS_LEAF


@kernel
def fill_expected(cf, form, out):
    """Fill a table of the expected errors.

    Parameters
    ----------
    cf : float
        Confidence of the expected error.
    form : int
        Its form.
    out : float64[m, s]
        Becomes the expected errors among m cases with s seen.
    """
    for m in range(out.shape[0]):
        for s in range(m + 1):
            out[m, s] = expected_error(np.float64(m), np.float64(s), cf, form)


@atom
def estimate_of_leaf(objective):
    """Return how the errors of a leaf are estimated."""
    return LeafEstimate(
        objective.cf,
        objective.form,
        objective.multinomial > 0,
        objective.case_weight,
        objective.first_decision,
    )


@atom
def errors_of(objective, m, s):
    """Return the errors to expect of ``m`` cases with ``s`` seen."""
    if objective.form == TRAINING_ERROR:
        return np.float64(s)
    if m < objective.expected.shape[0]:
        return objective.expected[np.int64(m), np.int64(s)]
    return expected_by_weight(np.float64(m), np.float64(s), estimate_of_leaf(objective))


@atom
def cost_as_leaf(objective, counts, m):
    """Return the expected cost of answering for ``m`` cases with these class counts."""
    if objective.simple:
        most = 0.0
        for c in range(counts.size):
            if counts[c] > most:
                most = counts[c]
        return errors_of(objective, m, m - most) * objective.penalty
    classes = objective.classes
    label = cheapest_label(objective.errors, counts, objective.first_decision, classes.class_of)
    return leaf_cost(objective.errors, counts, label, estimate_of_leaf(objective), classes)


@atom
def least_cost(objective, counts, m):
    """Return what the errors of every tree for these cases cost at least."""
    return least_error_cost(objective, counts, m, errors_of(objective, m, 0.0))


@atom
def is_pure(counts, m, classes):
    """Tell whether no test can gain anything: all cases are of one class.

    Where its cases have costs of their own, all must be best off with the class as their answer,
    or their costs be the same. Every leaf then has one answer, which costs the least for all of
    them: as EE(m, 0) is subadditive, several leaves cost no less than one.
    """
    if classes.class_of.size == 0:
        for c in range(counts.size):
            if counts[c] == m:
                return True
        return False
    one = 0.0
    for c in range(counts.size):
        one += counts[c]
        if counts[c] == m or (one == m and classes.own[classes.class_of[c]] != NONE):
            return True
        if ends_class(classes.class_of, c):
            one = 0.0
    return False


@atom
def least_for(objective, counts, m, leaf, price, splits):
    """Return the least that a tree for these cases costs, given the least price of a test.

    ``leaf`` is what they cost as a leaf, and ``splits`` tells whether a test may follow.
    """
    if (
        not splits
        or m < 2.0 * objective.min_cases
        or is_pure(counts, m, objective.classes)
        or price == np.inf
    ):
        return leaf
    return bound_tree(leaf, least_cost(objective, counts, m), price, m, objective.flat)


@atom
def disorder(objective, counts, m):
    """Return the errors to expect if answers were drawn at random among the cases."""
    squares, class_of = 0.0, objective.classes.class_of
    if class_of.size == 0:
        for c in range(counts.size):
            squares += counts[c] * counts[c]
        return m - squares / m
    one = 0.0
    for c in range(counts.size):
        one += counts[c]
        if ends_class(class_of, c):
            squares += one * one
            one = 0.0
    return m - squares / m


@atom
def split_charge(objective, n_cuts):
    """Return what a split is charged, given how many cuts its test could choose from."""
    return objective.flat + objective.per_log_cut * np.log(np.float64(n_cuts))
