"""The ways to go on from a state: every test and cut, with bounds on what it leads to.

A look at the cases of a state counts the classes of every branch of every test. That gives, for
each, what it costs if the branches become leaves, an upper bound; and what it costs at least: a
branch is a leaf, or pays for the cheapest test that is left and makes the fewest errors possible.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.prices import context_price
from frugaltree.kernels.data.bits import count_answers
from frugaltree.kernels.data.cells import LEFT, RIGHT, WITHOUT, Table
from frugaltree.kernels.exact.objective import cost_as_leaf, is_pure, least_cost
from frugaltree.kernels.jit import atom, part, section
from frugaltree.kernels.sentinels import NONE

LEAF, LEAST, GUESS = range(3)
"""What :attr:`View.sums` adds up over the branches of a split.

Their costs as leaves, the least that trees for them cost, and what they may turn out to cost.
"""

RANK, BOUND, LEFT_BOUND, BASE = range(4)
"""What :attr:`Queue.costs` holds of a candidate.

What the queue is sorted by; the bound, the part of the left branch in it, and that of the test.
"""

CUT_BITS = 32
"""An action is a test, shifted by so many bits, plus a cut."""

LAST = -2
"""Actions from here down order a set of tests: -2 - its bits."""

TRUST = 0.5
"""How much a guess counts, beside the bound, for the order of candidates."""


class View(NamedTuple):
    """Buffers for a look at a state."""

    price: np.ndarray  # float64[a]: of the tests here
    least: np.ndarray  # float64[a]: the least price of any test after each
    sums: np.ndarray  # float64[3]
    counts: np.ndarray  # float64[3, class]: of a branch; left, right and missing
    branch: np.ndarray  # int32[case]
    scratch: np.ndarray  # int32[case]
    size: np.ndarray  # float64[branch]
    number: np.ndarray  # int64[branch]
    left_over: np.ndarray  # float64[a]: cost of the disorder that is left after each test
    unpaid: np.ndarray  # int64[a]

    @classmethod
    def empty(cls, table: Table) -> View:
        """Return buffers for a table."""
        n, n_tests = table.classes.size, table.nominal.size
        return cls(
            np.zeros(n_tests),
            np.zeros(n_tests),
            np.zeros(3),
            np.zeros((3, table.n_classes)),
            np.zeros(n, np.int32),
            np.zeros(n, np.int32),
            np.zeros(table.widest),
            np.zeros(table.widest + 1, np.int64),
            np.zeros(n_tests),
            np.zeros(n_tests, np.int64),
        )


class Queue(NamedTuple):
    """The candidates of all states in hand, those of each one after the other in a heap."""

    costs: np.ndarray  # float64[place, 4]
    action: np.ndarray  # int64[place]


@atom
def varies(table, rows, lo, hi, a):
    """Tell whether two cases have different values of a test."""
    shift, domain = table.shift, table.domain[a]
    seen = np.int64(NONE)
    for i in range(lo, hi):
        code = np.int64(table.cells[a, rows[i]] >> shift)
        if code < domain:
            if seen == NONE:
                seen = code
            elif code != seen:
                return True
    return False


@atom
def price_here(prices, route, a):
    """Return the price of a test; nothing once it is part of an order."""
    return 0.0 if route.ordered[0] else context_price(prices, a, route.paid, route.opened)


@part
def least_after(prices, route, live, view, table, a, others):
    """Return the least price of any test once test ``a`` is taken.

    ``others`` is the least price of any other test before. Numeric tests are then free, at
    another cut; members of the groups that test ``a`` opens get cheaper.
    """
    if not table.nominal[a]:
        return 0.0
    least = others
    if route.ordered[0]:
        return least
    for g in range(route.opened.size):
        if prices.member[a, g] and not route.opened[g]:
            for b in range(live.size):
                if live[b] and prices.discount[b, g] > 0.0 and b != a:
                    price = view.price[b]
                    for h in range(route.opened.size):
                        if prices.member[a, h] and not route.opened[h]:
                            price -= prices.discount[b, h]
                    least = min(least, price)
    return least if least > 0.0 else 0.0


@section
def price_tests(table, prices, route, rows, lo, hi, live, view, deep):
    """Keep the live tests that can still split the cases, find their prices; return how many."""
    n = np.int64(0)
    low, second, lowest = np.inf, np.inf, np.int64(NONE)
    for a in range(live.size):
        live[a] = live[a] and varies(table, rows, lo, hi, a)
        if live[a]:
            n += 1
            price = price_here(prices, route, a)
            view.price[a] = price
            if price < low:
                low, second, lowest = price, low, np.int64(a)
            elif price < second:
                second = price
    for a in range(live.size):
        if live[a] and deep:
            others = second if a == lowest else low
            view.least[a] = least_after(prices, route, live, view, table, a, others)
    return n


@atom
def least_for(objective, counts, m, leaf, price, splits):
    """Return the least that a tree for these cases costs, given the least price of a test."""
    if not splits or m < 2.0 * objective.min_cases or is_pure(counts, m) or price == np.inf:
        return leaf
    least = price * m + objective.flat + least_cost(objective, counts, m)
    return least if least < leaf else leaf


@atom
def add_branch(objective, sums, counts, m, price, splits):
    """Add a branch to the sums; return the least that it costs."""
    leaf = cost_as_leaf(objective, counts, m)
    least = least_for(objective, counts, m, leaf, price, splits)
    sums[LEAF] += leaf
    sums[LEAST] += least
    sums[GUESS] += disorder(counts, m) * objective.penalty
    return least


@atom
def disorder(counts, m):
    """Return the errors to expect if answers were drawn at random among the cases."""
    squares = 0.0
    for c in range(counts.size):
        squares += counts[c] * counts[c]
    return m - squares / m


@section
def weigh_nominal(table, objective, layout, chosen, sorter, view, rows, lo, hi, a, splits, deep):
    """Sum up the branches of a nominal test; return whether it may split the cases.

    Unless ``deep``, only what they may turn out to cost is summed up. Cases that are ``chosen``
    in the layout are counted there.
    """
    cells, shift, domain, n_classes = table.cells, table.shift, table.domain[a], table.n_classes
    if chosen and layout.whole[a]:
        count_answers(table, layout, sorter.hist, a)
    else:
        for i in range(lo, hi):
            row = rows[i]
            sorter.hist[cells[a, row]] += table.weights[row]
    values, large, heaviest, most = 0, 0, np.int64(0), np.int64(0)
    for v in range(domain):
        m = np.int64(0)
        for c in range(n_classes):
            m += sorter.hist[(v << shift) + c]
        values += m > 0
        large += m >= objective.min_cases
        if m > most:
            heaviest, most = np.int64(v), m
    for c in range(n_classes):  # missing values go with the heaviest branch
        sorter.hist[(heaviest << shift) + c] += sorter.hist[(domain << shift) + c]
        sorter.hist[(domain << shift) + c] = 0
    view.sums[LEAF], view.sums[LEAST], view.sums[GUESS] = 0.0, 0.0, 0.0
    for v in range(domain):
        m = 0.0
        for c in range(n_classes):
            k = np.float64(sorter.hist[(v << shift) + c])
            sorter.hist[(v << shift) + c] = 0
            view.counts[0, c] = k
            m += k
        if m > 0.0 and deep:
            add_branch(objective, view.sums, view.counts[0], m, view.least[a], splits)
        elif m > 0.0:
            view.sums[GUESS] += disorder(view.counts[0], m) * objective.penalty
    return values >= 2 and large >= 2


@section
def start_cuts(table, sorter, view, counts, n, a):
    """Put all cases of known value on the right; return (how many cells, weight, missing)."""
    shift, domain, n_classes = table.shift, table.domain[a], table.n_classes
    missing, known = 0.0, 0.0
    for c in range(n_classes):
        view.counts[LEFT, c] = 0.0
        view.counts[WITHOUT, c] = 0.0
    while n > 0 and sorter.cells[n - 1, 0] >> shift == domain:
        n -= 1
        view.counts[WITHOUT, sorter.cells[n, 0] - (domain << shift)] += sorter.cells[n, 1]
        missing += sorter.cells[n, 1]
    for c in range(n_classes):
        view.counts[RIGHT, c] = counts[c] - view.counts[WITHOUT, c]
        known += view.counts[RIGHT, c]
    return n, known, missing


@section
def count_cuts(table, objective, sorter, n, known):
    """Return how many cuts a numeric test may choose from."""
    cuts, low = np.int64(0), 0.0
    for i in range(n - 1):
        low += sorter.cells[i, 1]
        if sorter.cells[i, 0] >> table.shift < sorter.cells[i + 1, 0] >> table.shift:
            cuts += (low >= objective.min_cases) & (known - low >= objective.min_cases)
    return cuts


@part
def move_missing(view, side, sign):
    """Add the cases without a value to one side of a cut, or take them away again."""
    for c in range(view.counts.shape[1]):
        view.counts[side, c] += sign * view.counts[WITHOUT, c]


# ------------------------------------------------------------------------------ the queue


@part
def sink(queue, first, n, i):
    """Restore the order of a heap below its entry ``i``."""
    costs, action = queue.costs, queue.action
    while True:
        child = 2 * i + 1
        if child >= n:
            break
        if child + 1 < n and costs[first + child + 1, RANK] < costs[first + child, RANK]:
            child += 1
        if costs[first + i, RANK] <= costs[first + child, RANK]:
            break
        for j in range(costs.shape[1]):
            old = costs[first + i, j]
            costs[first + i, j] = costs[first + child, j]
            costs[first + child, j] = old
        other = action[first + i]
        action[first + i] = action[first + child]
        action[first + child] = other
        i = child


@part
def heapify(queue, first, n):
    """Turn candidates into a heap."""
    for i in range(n // 2 - 1, -1, -1):
        sink(queue, first, n, np.int64(i))


@part
def remove_first(queue, first, n):
    """Take the first candidate off a heap; return how many are left."""
    n -= 1
    for j in range(queue.costs.shape[1]):
        queue.costs[first, j] = queue.costs[first + n, j]
    queue.action[first] = queue.action[first + n]
    sink(queue, first, n, np.int64(0))
    return n
