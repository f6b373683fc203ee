"""What a test costs here, which answer is cheapest, and what a leaf will cost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.measures import TOLERANCE, TRAINING_ERROR, expected_error


class Prices(NamedTuple):
    """The price list as arrays over tests ``a`` and groups ``g``.

    Attributes
    ----------
    full : float64[a]
        Price of a test when none of its groups is open.
    discount : float64[a, g]
        What an open group takes off that price.
    member : uint8[a, g]
        1 where taking test ``a`` opens group ``g``.
    delayed : uint8[a]
        1 where the result comes later: everything below is ordered at once.
    usable : uint8[a]
        0 where the test must never be asked.
    """

    full: np.ndarray
    discount: np.ndarray
    member: np.ndarray
    delayed: np.ndarray
    usable: np.ndarray


@part
def context_price(prices, a, paid, opened):
    """Return the price of test ``a`` for a case with these tests paid and groups opened.

    Zero if already paid, else the full price less the discounts of open groups (section 2,
    grouped tests).
    """
    if paid[a]:
        return 0.0
    price = prices.full[a]
    for g in range(opened.size):
        if opened[g]:
            price -= prices.discount[a, g]
    return price if price > 0.0 else 0.0


@part
def take(prices, a, paid, opened):
    """Mark test ``a`` as paid and its groups as opened."""
    paid[a] = 1
    for g in range(opened.size):
        if prices.member[a, g]:
            opened[g] = 1


@part
def charge(prices, a, paid, opened):
    """Take test ``a`` and return what it costs in this context."""
    price = context_price(prices, a, paid, opened)
    take(prices, a, paid, opened)
    return price


ORDERED = 2
"""Mark, among the tests paid for, of one that is ordered but still to be charged."""


@part
def share_of_price(prices, a, g, paid, opened):
    """Return the part of a test's price that group ``g`` would take off it, were it open.

    For ``g`` beyond the last group, what is left: the test's own price.
    """
    left, share = context_price(prices, a, paid, opened), 0.0
    for h in range(min(g + 1, opened.size)):
        share = 0.0
        if prices.member[a, h] and not opened[h]:
            share = min(prices.discount[a, h], left)
            left -= share
    return left if g == opened.size else share


@part
def price_of_order(prices, paid, opened):
    """Return the price of all tests marked as ordered.

    Each pays its own price. What the members of a group share is paid once, by the one whose
    share is largest. So an order is a set, and never cheaper for a test more.
    """
    total = 0.0
    for g in range(opened.size + 1):
        largest = 0.0
        for a in range(paid.size):
            if paid[a] == ORDERED:
                paid[a] = 0
                share = share_of_price(prices, a, g, paid, opened)
                paid[a] = ORDERED
                if g == opened.size:
                    total += share
                elif share > largest:
                    largest = share
        total += largest
    return total


@part
def take_order(prices, paid, opened):
    """Mark the tests that are ordered as paid and their groups as opened."""
    for a in range(paid.size):
        if paid[a] == ORDERED:
            take(prices, a, paid, opened)


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
def leaf_cost(errors, counts, label, cf, form, multinomial):
    """Return the expected cost of errors of a leaf, over all its cases (section 3.2.2).

    The expected error times the average penalty, its weights by Laplace's law of succession; or,
    ``multinomial``, each kind of error at its own upper limit. The training form takes the errors
    seen at their own penalties.
    """
    if form == TRAINING_ERROR:
        return cost_of_answer(errors, counts, label)
    m = 0.0
    for j in range(counts.size):
        m += counts[j]
    if multinomial:
        cost = 0.0
        for i in range(counts.size):
            if i != label:
                cost += expected_error(m, counts[i], cf, form) * errors[label, i]
        return cost
    s = m - counts[label]
    if counts.size < 2:
        return 0.0
    penalty = 0.0
    for i in range(counts.size):
        if i != label:
            penalty += (counts[i] + 1.0) / (s + counts.size - 1.0) * errors[label, i]
    return expected_error(m, s, cf, form) * penalty


@kernel
def cheapest_labels(errors, counts, out):
    """Fill ``out`` with the cheapest answer of every node."""
    for node in range(out.size):
        out[node] = cheapest_label(errors, counts[node])
