"""The last two tests: what a state costs at least where no third test may follow.

Every pair of tests is counted once, whichever of the two comes first. Cases are bits
(foresight.py); of the answers to each test the last needs no counting, it is what is left.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.data.bits import count_bits
from frugaltree.kernels.exact.objective import errors_of, split_charge
from frugaltree.kernels.jit import atom, part, section


@section
def count_singles(table, pairs, n_sharp, n_words):
    """Count the classes of each answer to each sharp test."""
    for turn in range(n_sharp):
        a = pairs.order[turn]
        for answer in range(a * table.widest, a * table.widest + table.domain[a]):
            pairs.second[answer] = np.inf
            for c in range(table.n_classes):
                k = np.int64(0)
                for word in range(pairs.words[c, 0], pairs.words[c, 1]):
                    cases = pairs.values[answer * n_words + word]
                    k += count_bits(cases & pairs.classes[c * n_words + word])
                pairs.singles[answer, c] = k


@atom
def price_after(prices, route, view, a, b):
    """Return the price of test ``b`` once test ``a`` is taken."""
    price = view.price[b]
    for g in range(route.opened.size):
        if prices.member[a, g] and not route.opened[g] and not route.ordered[0]:
            price = max(0.0, price - prices.discount[b, g])
    return price


@atom
def size_of(pairs, answer):
    """Return how many cases give an answer."""
    n = np.int64(0)
    for c in range(pairs.singles.shape[1]):
        n += pairs.singles[answer, c]
    return n


@atom
def note(pairs, answer, cost, splits):
    """Note what one more test costs the cases that give an answer, if it splits them."""
    if splits and cost < pairs.second[answer]:
        pairs.second[answer] = cost


@section
def pair_up(table, objective, pairs, a, b, n_words, first_price, second_price):
    """Count the classes of each pair of answers, and note what either test costs as the second.

    ``first_price`` is that of test ``a`` once ``b`` is taken, the other is that of ``b``.
    """
    charge = split_charge(objective, np.int64(1))
    first, second = a * table.widest, b * table.widest
    n_first, n_second = table.domain[a], table.domain[b]
    for w in range(n_second):
        pairs.column[w] = 0.0
        pairs.filled[w] = 0
        for c in range(table.n_classes):
            pairs.rest[w, c] = pairs.singles[second + w, c]
    for v in range(n_first):
        row, filled = 0.0, 0
        for c in range(table.n_classes):
            pairs.counts[c] = pairs.singles[first + v, c]
        for w in range(n_second):
            n, most = np.int64(0), np.int64(0)
            for c in range(table.n_classes):
                k = np.int64(0)
                if w == n_second - 1:
                    k = pairs.counts[c]
                elif v == n_first - 1:
                    k = pairs.rest[w, c]
                else:
                    here, there = (v * table.n_classes + c) * n_words, (second + w) * n_words
                    for word in range(pairs.words[c, 0], pairs.words[c, 1]):
                        k += count_bits(pairs.above[here + word] & pairs.values[there + word])
                pairs.counts[c] -= k
                pairs.rest[w, c] -= k
                n += k
                most = max(most, k)
            cost = errors_of(objective, n, n - most) * objective.penalty
            row += cost
            pairs.column[w] += cost
            filled += n > 0
            pairs.filled[w] += n > 0
        row += second_price * size_of(pairs, first + v) + charge
        note(pairs, first + v, row, filled > 1)
    for w in range(n_second):
        cost = pairs.column[w] + first_price * size_of(pairs, second + w) + charge
        note(pairs, second + w, cost, pairs.filled[w] > 1)


@section
def pair_up_bits(table, objective, pairs, a, b, n_words, first_price, second_price):
    """Do the same as :func:`pair_up` for two tests of two answers each, in registers."""
    charge, zero = split_charge(objective, np.int64(1)), np.int64(0)
    first, second = a * table.widest, b * table.widest
    n00, n01, n10, n11 = zero, zero, zero, zero
    most00, most01, most10, most11 = zero, zero, zero, zero
    for c in range(table.n_classes):
        k = zero
        for word in range(pairs.words[c, 0], pairs.words[c, 1]):
            cases = pairs.above[c * n_words + word] & pairs.values[second * n_words + word]
            k += count_bits(cases)
        k01, k10 = pairs.singles[first, c] - k, pairs.singles[second, c] - k
        k11 = pairs.singles[first + 1, c] - k10
        n00, n01, n10, n11 = n00 + k, n01 + k01, n10 + k10, n11 + k11
        most00, most01 = max(most00, k), max(most01, k01)
        most10, most11 = max(most10, k10), max(most11, k11)
    penalty = objective.penalty
    cost00 = errors_of(objective, n00, n00 - most00) * penalty
    cost01 = errors_of(objective, n01, n01 - most01) * penalty
    cost10 = errors_of(objective, n10, n10 - most10) * penalty
    cost11 = errors_of(objective, n11, n11 - most11) * penalty
    note(pairs, first, cost00 + cost01 + second_price * (n00 + n01) + charge, n00 * n01)
    note(pairs, first + 1, cost10 + cost11 + second_price * (n10 + n11) + charge, n10 * n11)
    note(pairs, second, cost00 + cost10 + first_price * (n00 + n10) + charge, n00 * n10)
    note(pairs, second + 1, cost01 + cost11 + first_price * (n01 + n11) + charge, n01 * n11)


@part
def weigh_last_two(solver, n_sharp, n_words):
    """Find the least that each answer leads to if one more sharp test is asked."""
    table, objective, pairs, view = solver.table, solver.objective, solver.pairs, solver.sight
    prices, route = solver.prices, solver.route
    count_singles(table, pairs, n_sharp, n_words)
    for i in range(n_sharp):
        a = pairs.order[i]
        for v in range(table.domain[a] - 1):
            for c in range(table.n_classes):
                here, there = (v * table.n_classes + c) * n_words, (a * table.widest + v) * n_words
                for word in range(pairs.words[c, 0], pairs.words[c, 1]):
                    cases = pairs.values[there + word] & pairs.classes[c * n_words + word]
                    pairs.above[here + word] = cases
        for j in range(i):
            b = pairs.order[j]
            if pairs.wanted[a] == 0 and pairs.wanted[b] == 0:
                continue
            first = price_after(prices, route, view, b, a)
            second = price_after(prices, route, view, a, b)
            if table.domain[a] == 2 and table.domain[b] == 2:
                pair_up_bits(table, objective, pairs, a, b, n_words, first, second)
            else:
                pair_up(table, objective, pairs, a, b, n_words, first, second)
