"""Which answer is cheapest at a leaf, and what a leaf is expected to cost."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.cost_classes import ends_class, is_error
from frugaltree.kernels.cost.error_estimate import TRAINING_ERROR, expected_by_weight
from frugaltree.kernels.data.counts import total_of
from frugaltree.kernels.jit import atom, kernel, part
from frugaltree.kernels.ties import TOLERANCE


@part
def cost_of_answer(errors, counts, a):
    """Return what an answer costs over cases with these class counts."""
    cost = 0.0
    for j in range(counts.size):
        cost += counts[j] * errors[a, j]
    return cost


@atom
def right_cases(counts, a, first_decision, class_of):
    """Return the cases of the class that an answer names; a decision names none."""
    if a >= first_decision:
        return 0.0
    if class_of.size == 0:
        return counts[a]
    right = 0.0
    for c in range(counts.size):
        if class_of[c] == a:
            right += counts[c]
    return right


@part
def cheapest_label(errors, counts, first_decision, class_of):
    """Return the cheapest answer, of several the largest class, then the first.

    Rows of ``errors`` from ``first_decision`` on are decisions. Counts are by class, or by cost
    class, of the classes ``class_of``.
    """
    best = np.int64(0)
    lowest = cost_of_answer(errors, counts, best)
    most = right_cases(counts, best, first_decision, class_of)
    for a in range(1, errors.shape[0]):
        cost = cost_of_answer(errors, counts, a)
        right = right_cases(counts, a, first_decision, class_of)
        slack = TOLERANCE * lowest
        if cost < lowest - slack or (cost <= lowest + slack and right > most):
            best, lowest, most = a, cost, right
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
    for a in range(errors.shape[0]):
        cost = cost_of_answer(errors, counts, a)
        if cost < lowest:
            lowest = cost
    return lowest


@part
def smooth_cost(errors, counts):
    """Return the harmonic mean of the costs of all answers (DTMC, criterion ``"expected"``).

    With two classes this is 2 * C_P * C_N / (C_P + C_N) of Sheng et al. (2006).
    """
    total = 0.0
    for a in range(errors.shape[0]):
        cost = cost_of_answer(errors, counts, a)
        if cost <= 0.0:
            return 0.0
        total += 1.0 / cost
    return errors.shape[0] / total


@part
def leaf_cost(errors, counts, label, estimate, classes):
    """Return the expected cost of errors of a leaf, over all its cases (section 3.2.2).

    The expected error times the average penalty, its weights by Laplace's law of succession; or,
    ``multinomial``, each kind of error at its own upper limit. The training form takes the errors
    seen at their own penalties. ``counts`` are weights, ``case_weight`` for each case.
    ``classes`` are :class:`~frugaltree.kernels.cost.cost_classes.CostClasses`.
    """
    if estimate.form == TRAINING_ERROR:
        return cost_of_answer(errors, counts, label)
    if classes.class_of.size > 0:
        return cost_by_cost_class(errors, counts, label, estimate, classes)
    m = 0.0
    for j in range(counts.size):
        m += counts[j]
    if label >= estimate.first_decision or errors[label, label] > 0.0:
        return cost_of_decision(errors, counts, label, m, estimate)
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


@part
def cost_of_decision(errors, counts, label, m, estimate):
    """Return the expected cost of a leaf whose answer is right for any classes, or for none.

    Every case costs the least that the answer costs for a class. Those of classes for which it
    costs more are its errors; they are estimated as those of a class, at what they cost more.
    A class is answered for like this, too, where even its own cases would be better off with
    another answer.
    """
    least = errors[label, 0]
    for j in range(1, counts.size):
        least = min(least, errors[label, j])
    s, others = 0.0, 0.0
    for j in range(counts.size):
        if errors[label, j] > least:
            s += counts[j]
            others += 1.0
    cost, one = 0.0, estimate.case_weight
    wrong = 0.0 if estimate.multinomial else expected_by_weight(m, s, estimate)
    for j in range(counts.size):
        if errors[label, j] > least:
            if estimate.multinomial:
                wrong = expected_by_weight(m, counts[j], estimate)
                cost += wrong * (errors[label, j] - least)
            else:
                share = (counts[j] / one + 1.0) / (s / one + others)
                cost += wrong * share * (errors[label, j] - least)
    return m * least + cost


@part
def cost_by_cost_class(errors, counts, label, estimate, classes):
    """Return the expected cost of a leaf whose cases have costs of their own.

    Every case costs the least that the answer costs. Those of the answer's own class are right; or
    where these, too, may be better off with another answer, those that cost no more than that.
    The others are errors, estimated like any, at what they cost more: the average of those seen
    and of one more for each class, which costs what errors of its cases do in all the training.
    """
    least, one, m = classes.least[label], estimate.case_weight, total_of(counts)
    cost, s, total, penalty = m * least, 0.0, 0.0, 0.0
    for c in range(counts.size):
        if is_error(errors, classes, label, c):
            known = counts[c] / one + classes.share[c]
            s += counts[c]
            total += known
            penalty += known * (errors[label, c] - least)
        last = c + 1 == counts.size
        if total > 0.0 and (last or (estimate.multinomial and ends_class(classes.class_of, c))):
            cost += expected_by_weight(m, s, estimate) * penalty / total
            s, total, penalty = 0.0, 0.0, 0.0
    return cost


@kernel
def cheapest_labels(errors, counts, first_decision, class_of, out):
    """Find the cheapest answer of every node.

    Parameters
    ----------
    errors : float64[answer, class]
        What an answer costs where a class is right.
    counts : float64[node, class]
        Class counts.
    first_decision : int
        Answers from here on are no classes.
    class_of : int64[cost class]
        The class of each cost class; empty where classes are counted.
    out : int32[node]
        Filled with the answer.
    """
    for node in range(out.size):
        out[node] = cheapest_label(errors, counts[node], first_decision, class_of)
