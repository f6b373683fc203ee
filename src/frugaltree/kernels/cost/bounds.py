"""Lower bounds: what every tree for a set of cases must cost.

All of them are here, each with its proof, as functions of counts, prices and sizes; the searches
call them. Costs are over all cases of a set. Throughout, EE(m, s) are the errors that a leaf of m
cases expects where s were seen (section 3.2.2).

``objective`` is what an exact search minimises (``kernels.exact.objective``): a tree costs what
its tests charge, what its leaves expect to get wrong, and ``flat`` or more for each split. A split
needs two branches of ``min_cases`` each.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.discounts import opens, price_after
from frugaltree.kernels.cost.error_estimate import (
    EXACT_ERROR,
    TRAINING_ERROR,
    expected_error,
    normal_deviate,
)
from frugaltree.kernels.jit import atom, kernel, part

LEAST_CONFIDENCE = 1e-4
"""The least confidence for which EE grows with the errors seen, as the proofs take for granted.

C4.5's deviate ends at 4 while what it expects of a leaf without errors goes on to grow; below
0.00007654 that is more for three cases with no error than with one.
"""

LEAST_CONFIDENCE_OF_PARTS = 0.04
"""The same where weights are fractions: what the proofs need of EE is then EE(m, s) >= EE(m, 0).

Below 0.0364 that fails for a case and a half with one error seen.
"""

# ------------------------------------------------------------------------------ errors


@part
def least_errors(excess, counts, size, pure):
    """Return errors that every tree for these cases must expect, given those of a pure leaf.

    Proof. Let the leaves have m_1, m_2, ... of the m cases. EE is least with no errors seen, so
    they expect at least EE(m_1, 0) + EE(m_2, 0) + ...; EE(m, 0) is concave and 0 at 0, hence
    subadditive, so that is at least EE(m, 0), ``pure``. And the classes must be told apart, which
    takes what :func:`excess_table` says. Both hold, so the larger does.
    """
    apart = 0.0
    if size < excess.size:
        for c in range(counts.size):
            apart += excess[np.int64(counts[c])]
    return max(pure, apart)


@kernel
def excess_table(n_classes, cf, form, out):
    """Fill ``out`` with the least excess of expected over seen errors, by a leaf's right answers.

    Let f(m) be the least EE(m, s) - s over the errors s of a majority leaf, and ``out`` the
    largest function with out(m) <= f(m') for m' >= m, out(m) <= out(m - 1) + 1 and out(m) <=
    out(k) + out(m - k). Then a tree for n_c cases of each class c expects at least the sum of
    out(n_c) errors.

    Proof. Of the class c let E_c cases end in leaves of another label. They are errors seen, and
    the other n_c - E_c, in leaves labelled c, give rise to an excess: a leaf with k right answers
    has at least k cases, so its excess is at least out(k), and over all leaves labelled c at
    least out(n_c - E_c), by the third property. By the second, E_c + out(n_c - E_c) is at least
    out(n_c).

    Parameters
    ----------
    n_classes : int
        How many classes there are.
    cf : float
        Confidence of the expected error.
    form : int
        Its form.
    out : float64[m]
        Filled for 0 to m - 1 right answers.
    """
    last = out.size - 1
    out[0] = 0.0
    for m in range(last, 0, -1):
        least = np.inf if m == last else out[m + 1]
        for s in range(m * (n_classes - 1) // n_classes + 1):
            excess = expected_error(np.float64(m), np.float64(s), cf, form) - s
            if excess < least:
                least = excess
        out[m] = least
    for m in range(1, out.size):
        if out[m - 1] + 1.0 < out[m]:
            out[m] = out[m - 1] + 1.0
        for k in range(1, m // 2 + 1):
            if out[k] + out[m - k] < out[m]:
                out[m] = out[k] + out[m - k]


@atom
def least_error_cost(objective, counts, m, pure):
    """Return what the errors of every tree for these cases cost at least.

    Proof. It expects at least :func:`least_errors`, and none costs less than ``least_penalty``.
    Where the errors seen are those expected, a tree may make none.

    With decisions, ``excess`` is empty, so the errors are EE(m, 0), ``pure``. A leaf of k cases
    whose answer costs lo at least, and lo + p or more for the classes where it does not, costs
    k lo + EE(k, s) p or more by ``cost_of_decision`` (by its multinomial form, too, where some
    EE(k, n_j) stands for EE(k, s)). As k and EE(k, s) are EE(k, 0) at least, that is
    EE(k, 0) (lo + p) or more; for an answer that costs lo whatever the class, p is 0.
    ``least_penalty`` is the least lo + p of any answer, and the EE(k, 0) of all leaves add up to
    EE(m, 0) or more.
    """
    if objective.form == TRAINING_ERROR:
        return 0.0
    return least_errors(objective.excess, counts, m, pure) * objective.least_penalty


# ------------------------------------------------------------------------------ trees


@atom
def bound_tree(leaf, errors, price, m, flat):
    """Return the least that a tree for ``m`` cases costs, given the least price of a test.

    Proof. It is a leaf, which costs ``leaf``; or it begins with a test, for which all cases pay
    ``price`` at least, its split is charged ``flat`` at least, and its leaves' errors cost at
    least ``errors`` (:func:`least_error_cost`).
    """
    least = price * m + flat + errors
    return least if least < leaf else leaf


@part
def least_price_after(prices, path, live, tests, a, others):
    """Return the least price of any other test once the nominal test ``a`` is taken.

    ``others`` is the least price of any other live test before. A nominal test splits no branch
    of its own again.

    Proof. Of the other tests, those with no discount in a group that ``a`` opens cost what they
    did before, ``others`` at least; the price of each of those with one is looked at.
    Further down a test may be cheaper still; but the first test asked in a branch is paid at the
    price after ``a``, by all cases of the branch.
    """
    least = others
    for g in range(path.opened.size):
        if opens(prices, path, a, g):
            for b in range(live.size):
                if live[b] and prices.discount[b, g] > 0.0 and b != a:
                    least = min(least, price_after(prices, path, tests[b].price, a, b))
    return least


@atom
def bound_by_neighbours(bound, charge, left, right):
    """Return the bound of a threshold, given what others of the same test have led to.

    ``left`` is the largest bound of the left branch of a threshold further left, or of its own,
    and ``right`` that of the right branch of one further right; ``charge`` is the test's own.

    Proof. A threshold further left has fewer cases on its left, and these never cost more: take
    the best tree for all of them; for fewer, its leaves expect no more errors if all errors cost
    the same, and its tests are paid for by fewer; a test that no longer splits is left out. That
    holds where any split is legal and no value is missing; and not for the exact form of EE at a
    confidence above 0.5, which may expect more errors of fewer cases (``objective.nested``). Nor
    does it where a test costs less than its groups take off others: left out, it would make these
    dearer. Where no test does, a path costs no more without one of its tests, and what a budget
    reaches for is within it still (``objective.steady``).
    """
    return max(bound, charge + left + right)


@atom
def bound_side(fewer, more, weight, step):
    """Return what some cases cost at least, given bounds of fewer of them, and of more.

    ``fewer`` is a bound of a part of the cases, ``more`` one of them and others of this
    ``weight``; a case of weight 1 adds ``step`` at most to what the best tree costs.

    Proof. A part never costs more than the whole (:func:`bound_by_neighbours`). And take the best
    tree for the cases in hand, and let the others go down it, one after the other: each adds at
    most ``step`` (:func:`most_errors_added`, and the price of the tests on its way). That is a
    tree for all, so the best one for all costs no more than it: ``more`` is at most what the
    cases in hand cost and ``weight * step``. All of it holds for the trees that begin with one
    test, or are a leaf, as well as for all trees.
    """
    return max(fewer, more - weight * step)


LOOKED_AT = 128
"""Leaves of up to so many cases are looked at by :func:`most_errors_added`."""


@part
def most_errors_added(cf, form):
    """Return how many more errors a leaf expects, at most, for one case more.

    It is 1 for the errors seen. For C4.5's form, see below; for the exact form no such number is
    worked out, so it is infinite.

    Proof. At worst the case is an error, seen or expected: with its label kept, a leaf with (m, s)
    expects EE(m + 1, s + 1) at most, as EE rises with s, and with the cheapest label no more. A
    leaf of that case alone expects EE(1, 0) < 1. For s = m, EE is m, and rises by 1. For s = 0, m
    up to LOOKED_AT is looked at; beyond, EE(m, 0) is no less than there, and EE(m + 1, 1) no more
    than what it tends to, as both rise with m. For others let p = s + 1/2, r = m - p and q the
    squared deviate, so that EE = m X / (m + q) with X = p + q/2 + sqrt(q (p r / m + q / 4)). Along
    (m + t, s + t) r is constant, and p r / m rises by (r / m)^2; so EE rises by

        q X / (m + q)^2 + m / (m + q) (1 + sqrt(q) (r / m)^2 / (2 sqrt(p r / m + q / 4))).

    As EE <= m, X <= m + q, and the first term and m / (m + q) add up to 1 at most. With x = r / m,
    x^2 / sqrt(p x + q / 4) rises in x, to 1 / sqrt(p + q / 4) at x = 1, and p >= 3/2. So EE rises
    by 1 + sqrt(q) / (2 sqrt(3/2 + q/4)) = 1 + 1 / sqrt(1 + 6/q) at most.
    """
    if form == TRAINING_ERROR:
        return 1.0
    if form == EXACT_ERROR:
        return np.inf
    deviate = normal_deviate(cf)
    most = 1.0 + deviate / np.sqrt(deviate * deviate + 6.0)
    none = 0.0
    for m in range(1, LOOKED_AT + 1):
        none = expected_error(np.float64(m), 0.0, cf, form)
        most = max(most, expected_error(m + 1.0, 1.0, cf, form) - none)
    q = deviate * deviate
    return max(most, 1.5 + q / 2.0 + np.sqrt(q * (1.5 + q / 4.0)) - none)


@atom
def raise_branch(known, best, other, least, m):
    """Return by how much the bound of a branch rises above ``known``, by a look at what follows.

    ``known`` is its :func:`bound_tree`, with ``least`` the least price of a test there, and
    below what it costs as a leaf. ``best`` is less or equal than it costs as a leaf or by a tree
    that begins with a test looked at; ``other`` is the least price of a test not looked at.

    Proof. A tree that begins with a test not looked at costs at least what ``known`` says, at
    the price ``other`` instead of ``least``: (other - least) * m more. Any other tree costs
    ``best`` or more. The bound is the smaller of both.
    """
    return min(best, known + (other - least) * m) - known
