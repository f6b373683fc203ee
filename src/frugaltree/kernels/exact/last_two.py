"""The last two tests: what a state costs at least where no third test may follow.

For every answer to every whole test (pair_bound.py), the least that the cases with this answer
cost if one more whole test is asked of them. Where all cases pay for their tests that is no bound
but the cost itself: the branches of the last test are leaves, whose cost is known from the classes
of each pair of answers. Every pair
of tests is counted once, whichever of the two comes first. Cases are bits; of the answers to each
test the last needs no counting, it is what is left.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.discounts import groups_of, price_after_in
from frugaltree.kernels.data.bits import count_bits
from frugaltree.kernels.exact.objective import errors_of, split_charge
from frugaltree.kernels.jit import atom, part, section


@section
def count_singles(cases, two):
    """Count the classes of each answer to each whole test."""
    pairs, n_words = two.pairs, two.n_words
    for turn in range(two.n_whole):
        a = pairs.order[turn]
        for answer in range(a * cases.widest, a * cases.widest + cases.domain[a]):
            pairs.second[answer] = np.inf
            for c in range(cases.n_classes):
                k = np.int64(0)
                for word in range(pairs.words[c].first, pairs.words[c].stop):
                    chosen = pairs.values[answer * n_words + word]
                    k += count_bits(chosen & pairs.classes[c * n_words + word])
                pairs.singles[answer, c] = k


@atom
def size_of(singles, answer):
    """Return how many cases give an answer."""
    n = np.int64(0)
    for c in range(singles.shape[1]):
        n += singles[answer, c]
    return n


@atom
def note(second, answer, cost, splits):
    """Note what one more test costs the cases that give an answer, if it splits them."""
    if splits and cost < second[answer]:
        second[answer] = cost


@section
def cost_pair(cases, objective, two, a, b, both):
    """Count the classes of each pair of answers, and note what either test costs as the second.

    ``both`` are the prices of test ``a`` once ``b`` is taken, and of ``b`` once ``a`` is.
    """
    pairs, n_words, n_classes = two.pairs, two.n_words, cases.n_classes
    charge = split_charge(objective, np.int64(1))
    first, second = a * cases.widest, b * cases.widest
    n_first, n_second = cases.domain[a], cases.domain[b]
    for w in range(n_second):
        pairs.columns[w].cost = 0.0
        pairs.columns[w].filled = 0
        for c in range(n_classes):
            pairs.rest[w, c] = pairs.singles[second + w, c]
    for v in range(n_first):
        row, filled = 0.0, 0
        for c in range(n_classes):
            pairs.words[c].left = pairs.singles[first + v, c]
        for w in range(n_second):
            n, most = np.int64(0), np.int64(0)
            for c in range(n_classes):
                k = np.int64(0)
                if w == n_second - 1:
                    k = pairs.words[c].left
                elif v == n_first - 1:
                    k = pairs.rest[w, c]
                else:
                    here, there = (v * n_classes + c) * n_words, (second + w) * n_words
                    for word in range(pairs.words[c].first, pairs.words[c].stop):
                        k += count_bits(pairs.above[here + word] & pairs.values[there + word])
                pairs.words[c].left -= k
                pairs.rest[w, c] -= k
                n += k
                most = max(most, k)
            cost = errors_of(objective, n, n - most) * objective.penalty
            row += cost
            pairs.columns[w].cost += cost
            filled += n > 0
            pairs.columns[w].filled += n > 0
        row += both[1] * size_of(pairs.singles, first + v) + charge
        note(pairs.second, first + v, row, filled > 1)
    for w in range(n_second):
        column = pairs.columns[w]
        cost = column.cost + both[0] * size_of(pairs.singles, second + w) + charge
        note(pairs.second, second + w, cost, column.filled > 1)


@section
def cost_binary_pair(cases, objective, two, a, b, both):
    """Do the same as :func:`cost_pair` for two tests of two answers each, in registers."""
    pairs, n_words, singles = two.pairs, two.n_words, two.pairs.singles
    charge, zero = split_charge(objective, np.int64(1)), np.int64(0)
    first, second = a * cases.widest, b * cases.widest
    n00, n01, n10, n11 = zero, zero, zero, zero
    most00, most01, most10, most11 = zero, zero, zero, zero
    for c in range(cases.n_classes):
        k = zero
        for word in range(pairs.words[c].first, pairs.words[c].stop):
            chosen = pairs.above[c * n_words + word] & pairs.values[second * n_words + word]
            k += count_bits(chosen)
        k01, k10 = singles[first, c] - k, singles[second, c] - k
        k11 = singles[first + 1, c] - k10
        n00, n01, n10, n11 = n00 + k, n01 + k01, n10 + k10, n11 + k11
        most00, most01 = max(most00, k), max(most01, k01)
        most10, most11 = max(most10, k10), max(most11, k11)
    penalty, price_a, price_b = objective.penalty, both[0], both[1]
    cost00 = errors_of(objective, n00, n00 - most00) * penalty
    cost01 = errors_of(objective, n01, n01 - most01) * penalty
    cost10 = errors_of(objective, n10, n10 - most10) * penalty
    cost11 = errors_of(objective, n11, n11 - most11) * penalty
    note(pairs.second, first, cost00 + cost01 + price_b * (n00 + n01) + charge, n00 * n01)
    note(pairs.second, first + 1, cost10 + cost11 + price_b * (n10 + n11) + charge, n10 * n11)
    note(pairs.second, second, cost00 + cost10 + price_a * (n00 + n10) + charge, n00 * n10)
    note(pairs.second, second + 1, cost01 + cost11 + price_a * (n01 + n11) + charge, n01 * n11)


@part
def cost_last_two(context, two):
    """Find the least that each answer leads to if one more whole test is asked."""
    cases, objective, pairs, tests = context.cases, context.objective, two.pairs, two.tests
    prices, path, n_words, n_classes = context.prices, context.path, two.n_words, cases.n_classes
    count_singles(cases, two)
    for i in range(two.n_whole):
        a = pairs.order[i]
        n_groups = groups_of(prices, path, a, pairs.groups)
        for v in range(cases.domain[a] - 1):
            for c in range(n_classes):
                here, there = (v * n_classes + c) * n_words, (a * cases.widest + v) * n_words
                for word in range(pairs.words[c].first, pairs.words[c].stop):
                    chosen = pairs.values[there + word] & pairs.classes[c * n_words + word]
                    pairs.above[here + word] = chosen
        for j in range(i):
            b = pairs.order[j]
            if tests[a].wanted == 0 and tests[b].wanted == 0:
                continue
            both = (
                price_after_in(prices, pairs.groups, n_groups, tests[a].price, b, a),
                price_after_in(prices, pairs.groups, n_groups, tests[b].price, a, b),
            )
            if cases.domain[a] == 2 and cases.domain[b] == 2:
                cost_binary_pair(cases, objective, two, a, b, both)
            else:
                cost_pair(cases, objective, two, a, b, both)
