"""Choosing the test of a node: by a criterion of gain and price, or by cost reduction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.ask_rules import has_rules, may_ask
from frugaltree.kernels.cost.prices import visible_price
from frugaltree.kernels.criteria import criterion_value
from frugaltree.kernels.data.cases import code_of
from frugaltree.kernels.data.nodes import lacking_branch
from frugaltree.kernels.greedy.split import (
    SCORE,
    count_values,
    cut_gain,
    cut_reduction,
    nominal_gain,
    nominal_reduction,
)
from frugaltree.kernels.jit import atom, part, section
from frugaltree.kernels.records import plain_records
from frugaltree.kernels.sentinels import MISSING, NONE
from frugaltree.kernels.ties import TOLERANCE, beats

EPSILON = 1e-3
"""C4.5's slack on gains and errors."""


class Rules(NamedTuple):
    """How a greedy learner chooses.

    Attributes
    ----------
    criterion : int
        See :mod:`frugaltree.kernels.criteria`.
    w : float
        Weight of the price in EG2's criterion.
    min_cases : float
        At least two branches of a split must have this many cases.
    c45 : bool
        C4.5's frame: missing values go down every branch, cuts pay for their number.
    context : bool
        Whether tests are priced in context, or at their full price until they are paid.
    smooth : bool
        DTMC's second criterion.
    min_leaf : float
        Every branch of a split must have this many cases, or none.
    """

    criterion: int
    w: float
    min_cases: float
    c45: bool
    context: bool
    smooth: bool
    min_leaf: float = 0.0


class NodeEvaluation(NamedTuple):
    """What is known of each test at the node that is evaluated."""

    scores: np.ndarray  # SCORE[a]
    paid: np.ndarray  # uint8[a]
    opened: np.ndarray  # uint8[g]
    constant: np.ndarray  # uint8[a]: 1 where one value is left, here and in every node below
    asked: np.ndarray  # int64[a]: how often a test was asked above
    live: np.ndarray  # uint8[a]: of the tests that come first, those that differ here

    @classmethod
    def empty(cls, n_tests: int, n_groups: int) -> NodeEvaluation:
        """Return room for so many tests and groups."""
        return cls(
            scores=plain_records(n_tests, SCORE),
            paid=np.zeros(n_tests, np.uint8),
            opened=np.zeros(n_groups, np.uint8),
            constant=np.zeros(n_tests, np.uint8),
            asked=np.zeros(n_tests, np.int64),
            live=np.zeros(n_tests, np.uint8),
        )


@part
def differ(cases, a, node):
    """Tell whether two cases of a node have different values of a test."""
    seen, rows = np.int64(NONE), node.lists[0]
    for i in range(node.lo, node.hi):
        code = code_of(cases, a, rows[i])
        if code != MISSING and seen != NONE and code != seen:
            return True
        if code != MISSING:
            seen = code
    return False


@section
def note_first(cases, prices, node, evaluation):
    """Note which of the tests that come first differ at a node; tell whether there are rules."""
    first = prices.rules.first
    for i in range(first.size):
        evaluation.live[first[i]] = differ(cases, first[i], node)
    return has_rules(prices.rules)


@atom
def may_be_asked(prices, evaluation, ruled, a):
    """Tell whether a test may be asked at the node that is evaluated."""
    if evaluation.constant[a] or not prices.usable[a]:
        return False
    return not ruled or may_ask(prices.rules, evaluation.asked, evaluation.live, a)


@section
def evaluate_gains(cases, prices, rules, node, evaluation, s):
    """Score every test by its gain over the cases of a node."""
    ruled = note_first(cases, prices, node, evaluation)
    for a in range(evaluation.constant.size):
        score = evaluation.scores[a]
        score.gain = -1.0
        if not may_be_asked(prices, evaluation, ruled, a):
            continue
        if cases.nominal[a]:
            n_present = count_values(cases, a, node, s)
            evaluation.constant[a] = n_present < 2
            nominal_gain(cases.xlogx, rules, node, n_present, s, score)
        else:
            evaluation.constant[a] = cut_gain(cases, a, rules, node, s, score)


@section
def best_by_gain_ratio(cases, usable, n_cases, scores):
    """Return C4.5's choice: the best gain ratio among tests of at least average gain.

    A nominal test with nearly as many values as there are cases does not count in the average.
    """
    many = 0.3 * n_cases
    all_many = True
    for a in range(scores.size):
        if usable[a] and (not cases.nominal[a] or cases.domain[a] < many):
            all_many = False
    total, possible = 0.0, 0
    for a in range(scores.size):
        few = not cases.nominal[a] or cases.domain[a] < many
        if scores[a].gain >= 0.0 and (few or all_many):
            total += scores[a].gain
            possible += 1
    if possible == 0:
        return np.int64(NONE)
    best, best_a = -1.0, np.int64(NONE)
    for a in range(scores.size):
        gain, split_info = scores[a].gain, scores[a].split_info
        if gain < 0.0 or gain < total / possible - EPSILON or split_info <= EPSILON:
            continue
        ratio = gain / split_info
        if best_a < 0 or beats(ratio, best):
            best, best_a = ratio, a
    return best_a


@section
def best_by_criterion(prices, rules, evaluation):
    """Return the test of the greatest value; of equal ones the cheapest, then the first."""
    best, best_price, best_a = -1.0, 0.0, np.int64(NONE)
    for a in range(evaluation.paid.size):
        gain = evaluation.scores[a].gain
        if gain < 0.0:
            continue
        price = visible_price(prices, rules.context, a, evaluation.paid, evaluation.opened)
        value = criterion_value(rules.criterion, gain, price, rules.w)
        cheaper = not beats(best, value) and price < best_price
        if best_a < 0 or beats(value, best) or cheaper:
            best, best_price, best_a = value, price, a
    return best_a


@section
def best_by_reduction(cases, prices, rules, costs, node, work):
    """Return the test that lowers the total cost most (DTMC), NONE if no test lowers it.

    Equal reductions (up to rounding of the node's cost) are told apart by gain, then order.
    """
    evaluation, s = work.evaluation, work.split
    ruled = note_first(cases, prices, node, evaluation)
    slack = TOLERANCE * costs.before
    best, best_gain, best_a = 0.0, 0.0, np.int64(NONE)
    for a in range(evaluation.constant.size):
        if not may_be_asked(prices, evaluation, ruled, a):
            continue
        score = evaluation.scores[a]
        price = visible_price(prices, rules.context, a, evaluation.paid, evaluation.opened)
        score.price = price
        if cases.nominal[a]:
            n_present = count_values(cases, a, node, s)
            evaluation.constant[a] = n_present < 2
            nominal_gain(cases.xlogx, rules, node, n_present, s, score)
            if score.gain < 0.0:
                continue
            lacking = lacking_branch(cases, a)
            reduction = nominal_reduction(costs, node, lacking, n_present, s, score)
        else:
            reduction = cut_reduction(cases, a, costs, node, s, score)
            if score.below < 0:
                continue
        if reduction <= slack:
            continue
        tie = reduction >= best - slack and beats(score.gain, best_gain)
        if best_a < 0 or reduction > best + slack or tie:
            best, best_gain, best_a = reduction, score.gain, a
    return best_a
