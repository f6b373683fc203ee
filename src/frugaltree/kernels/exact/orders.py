"""Orders: sets of tests that are asked for at once, as the result of one of them comes late.

Below an order only its own tests are asked, and none is paid for again.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.prices import ORDERED, is_paid_for, price_of_order
from frugaltree.kernels.exact.actions import FIRST_ORDER, ORDERABLE, is_ordered
from frugaltree.kernels.exact.candidates import TRUST, Candidate, lacks, offer, some_lack
from frugaltree.kernels.exact.objective import disorder, least_cost
from frugaltree.kernels.jit import part, section

MOST_ORDERED = 10
"""Of so many tests all sets are considered for an order."""


@part
def set_price(prices, path, order):
    """Return the price of a set of unpaid tests, given by its action."""
    for a in range(path.paid.size):
        path.marked[a] = path.paid[a] > 0
        if is_ordered(order, a):
            path.marked[a] = ORDERED
    return price_of_order(prices, path.marked, path.opened)


@part
def order_charge(context, start, stop, order, m):
    """Return what a set of unpaid tests costs ``m`` cases: each pays for those with a result."""
    cases, prices, path, total = context.cases, context.prices, context.path, 0.0
    some = False
    for a in range(path.paid.size):
        if is_ordered(order, a) and not is_paid_for(prices, cases.lacking[a]):
            some = some or some_lack(cases, context.rows, start, stop, a)
    if not some:
        return set_price(prices, path, order) * m
    for i in range(start, stop):
        row, had = np.int64(context.rows[i]), order
        for a in range(min(path.paid.size, ORDERABLE)):
            if is_ordered(order, a) and lacks(cases, row, a):
                had += np.int64(1) << a
        total += set_price(prices, path, had) * cases.weights[row]
    return total


@section
def list_unpaid(paid, live, buffers):
    """List the unpaid tests that may be ordered, the more promising first; return how many.

    Of more than MOST_ORDERED only so many need be in order.
    """
    unpaid, tests = buffers.unpaid, buffers.tests
    n = np.int64(0)
    for a in range(min(live.size, ORDERABLE)):
        if live[a] and not paid[a]:
            unpaid[n] = a
            n += 1
    for i in range(min(n, MOST_ORDERED)):
        best = i
        for k in range(i + 1, n):
            if tests[unpaid[k]].disorder < tests[unpaid[best]].disorder:
                best = k
        other = unpaid[i]
        unpaid[i] = unpaid[best]
        unpaid[best] = other
    return n


@part
def offer_orders(context, stack, queue, buffers, f):
    """Queue the sets of unpaid tests that can be ordered, with at least one that is delayed.

    Where there are too many, all sets of the promising tests are queued, and each of the others
    alone; the bound then stays below the sets left out, which pay for one test at least.
    """
    prices, path, objective = context.prices, context.path, context.objective
    tests, unpaid, frame = buffers.tests, buffers.unpaid, stack.frames[f]
    m, counts = frame.weight, stack.counts[frame.branch]
    least = least_cost(objective, counts, m) + objective.flat
    before = disorder(counts, m) * objective.penalty
    n = list_unpaid(path.paid, stack.live[f + 1], buffers)
    several = min(n, np.int64(MOST_ORDERED))
    sets = np.int64(1) << several
    for bits in range(1, sets + n - several):
        order, delayed, share = np.int64(FIRST_ORDER), False, 1.0
        for i in range(n):
            if bits - sets + several == i if bits >= sets else (bits >> i) & 1:
                a = unpaid[i]
                order -= np.int64(1) << a
                delayed = delayed or prices.delayed[a] > 0
                share *= min(tests[a].disorder, before) / before
        if delayed:
            charge = order_charge(context, frame.start, frame.stop, order, m)
            rank = charge + TRUST * share * before + (1 - TRUST) * least
            candidate = Candidate(
                action=order, charge=charge, least=least, left=0.0, rank=rank, upper=np.inf,
                low=0.0,
            )  # fmt: skip
            offer(stack, queue, context.run, f, candidate)
    if n > several:
        price = np.inf
        for i in range(n):
            price = min(price, tests[unpaid[i]].price)
        frame.lower = min(frame.lower, least + price * m)
