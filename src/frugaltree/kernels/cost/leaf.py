"""Which answer is cheapest at a leaf, and what a leaf is expected to cost."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.error_estimate import TRAINING_ERROR, expected_by_weight
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.ties import TOLERANCE


@part
def cost_of_answer(errors, counts, c):
    """Return what answering class ``c`` costs over cases with these class counts."""
    cost = 0.0
    for j in range(counts.size):
        cost += counts[j] * errors[c, j]
    return cost


@part
def cheapest_label(errors, counts):
    """Return the class that is cheapest to answer, then the largest, then the first."""
    best = 0
    lowest = cost_of_answer(errors, counts, 0)
    for c in range(1, counts.size):
        cost = cost_of_answer(errors, counts, c)
        slack = TOLERANCE * lowest
        if cost < lowest - slack or (cost <= lowest + slack and counts[c] > counts[best]):
            best, lowest = c, cost
    return best


@part
def majority_label(counts):
    """Return the largest class, the first of several."""
    best = 0
    for c in range(1, counts.size):
        if counts[c] > counts[best]:
            best = c
    return best


@part
def cheapest_cost(errors, counts):
    """Return the cost of the cheapest answer (DTMC, criterion ``"min"``)."""
    lowest = np.inf
    for c in range(counts.size):
        cost = cost_of_answer(errors, counts, c)
        if cost < lowest:
            lowest = cost
    return lowest


@part
def smooth_cost(errors, counts):
    """Return the harmonic mean of the costs of all answers (DTMC, criterion ``"expected"``).

    With two classes this is 2 * C_P * C_N / (C_P + C_N) of Sheng et al. (2006).
    """
    total = 0.0
    for c in range(counts.size):
        cost = cost_of_answer(errors, counts, c)
        if cost <= 0.0:
            return 0.0
        total += 1.0 / cost
    return counts.size / total


@part
def leaf_cost(errors, counts, label, estimate):
    """Return the expected cost of errors of a leaf, over all its cases (section 3.2.2).

    The expected error times the average penalty, its weights by Laplace's law of succession; or,
    ``multinomial``, each kind of error at its own upper limit. The training form takes the errors
    seen at their own penalties. ``counts`` are weights, ``case_weight`` for each case.
    """
    if estimate.form == TRAINING_ERROR:
        return cost_of_answer(errors, counts, label)
    m = 0.0
    for j in range(counts.size):
        m += counts[j]
    if estimate.multinomial:
        cost = 0.0
        for i in range(counts.size):
            if i != label:
                cost += expected_by_weight(m, counts[i], estimate) * errors[label, i]
        return cost
    s = m - counts[label]
    if counts.size < 2:
        return 0.0
    penalty, one = 0.0, estimate.case_weight
    for i in range(counts.size):
        if i != label:
            share = (counts[i] / one + 1.0) / (s / one + counts.size - 1.0)
            penalty += share * errors[label, i]
    return expected_by_weight(m, s, estimate) * penalty


@kernel
def cheapest_labels(errors, counts, out):
    """Find the cheapest answer of every node.

    Parameters
    ----------
    errors : float64[answer, class]
        What answering one class costs where another is right.
    counts : float64[node, class]
        Class counts.
    out : int32[node]
        Filled with the answer.
    """
    for node in range(out.size):
        out[node] = cheapest_label(errors, counts[node])
