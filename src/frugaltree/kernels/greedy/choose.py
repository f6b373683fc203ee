"""Choosing the test of a node: by a criterion of gain and price, or by cost reduction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.prices import context_price
from frugaltree.kernels.criteria import worth
from frugaltree.kernels.data.counts import total_of
from frugaltree.kernels.greedy.split import (
    count_values,
    cut_gain,
    cut_reduction,
    loss,
    nominal_gain,
    nominal_reduction,
)
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.sentinels import NONE
from frugaltree.kernels.ties import TOLERANCE, beats

EPSILON = 1e-3
"""C4.5's slack on gains and errors."""


class Rules(NamedTuple):
    """How a one-look learner chooses.

    ``c45`` selects C4.5's frame, ``context`` prices tests in context, ``smooth`` is DTMC's second
    criterion.
    """

    criterion: int
    w: float
    min_cases: float
    c45: bool
    context: bool
    smooth: bool


class Look(NamedTuple):
    """What is known of each test at the node looked at."""

    gain: np.ndarray  # float64[a], -1 where the test cannot be used
    split_info: np.ndarray  # float64[a]
    below: np.ndarray  # int64[a]: the ranks on either side of the best cut
    above: np.ndarray  # int64[a]
    paid: np.ndarray  # uint8[a]
    opened: np.ndarray  # uint8[g]
    idle: np.ndarray  # uint8[a]: 1 where one value is left, here and in every node below

    @classmethod
    def empty(cls, n_tests: int, n_groups: int) -> Look:
        """Return room for so many tests and groups."""
        return cls(
            np.zeros(n_tests),
            np.zeros(n_tests),
            np.zeros(n_tests, np.int64),
            np.zeros(n_tests, np.int64),
            np.zeros(n_tests, np.uint8),
            np.zeros(n_groups, np.uint8),
            np.zeros(n_tests, np.uint8),
        )


@part
def chooser_price(prices, rules, a, look):
    """Return the price of a test as the chooser sees it: in context, or full until paid."""
    if rules.context:
        return context_price(prices, a, look.paid, look.opened)
    return 0.0 if look.paid[a] else prices.full[a]


@section
def look_at_gains(cases, prices, rules, weights, lists, slot, lo, hi, counts, look, s):
    """Fill ``look`` with the gain of every test over the cases ``lo:hi`` of the lists."""
    total = total_of(counts)
    for a in range(look.gain.size):
        look.gain[a] = -1.0
        if look.idle[a] or not prices.usable[a]:
            continue
        if cases.nominal[a]:
            codes, k = cases.codes[a], cases.domain[a]
            n_here = count_values(
                codes, k, cases.classes, weights, cases.unit, lists[0], lo, hi, s
            )
            look.idle[a] = n_here < 2
            look.gain[a], look.split_info[a] = nominal_gain(
                cases.xlogx, counts, total, n_here, rules.min_cases, rules.c45, s
            )
        else:
            rows = lists[slot[a]]
            look.idle[a] = cases.codes[a, rows[lo]] == cases.codes[a, rows[hi - 1]]
            look.gain[a], look.split_info[a], look.below[a], look.above[a] = cut_gain(
                cases, weights, a, rows, lo, hi, counts, total, rules.min_cases, rules.c45, s
            )


@section
def best_by_gain_ratio(cases, usable, n_cases, look):
    """Return C4.5's choice: the best gain ratio among tests of at least average gain.

    A nominal test with nearly as many values as there are cases does not count in the average.
    """
    many = 0.3 * n_cases
    all_many = True
    for a in range(look.gain.size):
        if usable[a] and (not cases.nominal[a] or cases.domain[a] < many):
            all_many = False
    total, possible = 0.0, 0
    for a in range(look.gain.size):
        few = not cases.nominal[a] or cases.domain[a] < many
        if look.gain[a] >= 0.0 and (few or all_many):
            total += look.gain[a]
            possible += 1
    if possible == 0:
        return NONE
    best, best_a = -1.0, NONE
    for a in range(look.gain.size):
        gain, split_info = look.gain[a], look.split_info[a]
        if gain < 0.0 or gain < total / possible - EPSILON or split_info <= EPSILON:
            continue
        ratio = gain / split_info
        if best_a < 0 or beats(ratio, best):
            best, best_a = ratio, a
    return best_a


@section
def best_by_worth(prices, rules, look):
    """Return the test of greatest worth; of equal ones the cheapest, then the first."""
    best, best_price, best_a = -1.0, 0.0, NONE
    for a in range(look.gain.size):
        if look.gain[a] < 0.0:
            continue
        price = chooser_price(prices, rules, a, look)
        value = worth(rules.criterion, look.gain[a], price, rules.w)
        cheaper = not beats(best, value) and price < best_price
        if best_a < 0 or beats(value, best) or cheaper:
            best, best_price, best_a = value, price, a
    return best_a


@part
def best_by_reduction(cases, prices, errors, rules, lists, slot, lo, hi, counts, look, s):
    """Return the test that lowers the total cost most (DTMC), NONE if no test lowers it.

    Equal reductions (up to rounding of the node's cost) are told apart by gain, then order.
    """
    total = total_of(counts)
    before = loss(errors, counts, rules.smooth)
    slack = TOLERANCE * before
    best, best_gain, best_a = 0.0, 0.0, NONE
    for a in range(look.paid.size):
        if look.idle[a] or not prices.usable[a]:
            continue
        charge = total * chooser_price(prices, rules, a, look)
        if cases.nominal[a]:
            codes, k = cases.codes[a], cases.domain[a]
            n_here = count_values(
                codes, k, cases.classes, cases.weights, cases.unit, lists[0], lo, hi, s
            )
            look.idle[a] = n_here < 2
            gain, _ = nominal_gain(cases.xlogx, counts, total, n_here, 0.0, False, s)
            if gain < 0.0:
                continue
            reduction = nominal_reduction(errors, before, charge, n_here, rules.smooth, s)
        else:
            rows = lists[slot[a]]
            reduction, gain, look.below[a], look.above[a] = cut_reduction(
                cases, a, rows, lo, hi, counts, errors, before, charge, rules.smooth, s
            )
            if look.below[a] < 0:
                continue
        if reduction <= slack:
            continue
        tie = reduction >= best - slack and beats(gain, best_gain)
        if best_a < 0 or reduction > best + slack or tie:
            best, best_gain, best_a = reduction, gain, a
    return best_a
