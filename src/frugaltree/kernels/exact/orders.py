"""Orders: sets of tests that are asked for at once, as the result of one of them comes late.

Below an order only its own tests are asked, and none is paid for again.

With a budget, what is left must reach for the whole order, as a case that lacks nothing is charged
all of it. Orders then cost nothing that counts, so one that has room for a test more is never
better than the larger one: below that, the same may be asked. Only orders without room are tried.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.prices import ORDERED, is_paid_for, price_of_order
from frugaltree.kernels.exact.actions import FIRST_ORDER, ORDERABLE, is_ordered
from frugaltree.kernels.exact.budget import (
    can_pay_for,
    is_limited,
    prices_in_grains,
    reaches,
)
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
def list_unpaid(context, live, buffers, left):
    """List the unpaid tests that may be ordered, the more promising first; return how many.

    Of more than MOST_ORDERED only so many need be in order. An order costs no less than any of its
    tests does alone.
    """
    unpaid, tests, paid = buffers.unpaid, buffers.tests, context.path.paid
    n, limited = np.int64(0), is_limited(context)
    for a in range(min(live.size, ORDERABLE)):
        if live[a] and not paid[a]:
            if limited and not can_pay_for(context, left, np.int64(a)):
                continue
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
def is_within(context, order, left):
    """Tell whether what is left of a budget reaches for a set of tests."""
    grains = set_price(prices_in_grains(context), context.path, order)
    return reaches(context.purse, left, grains)


@section
def has_room(context, unpaid, several, order, left):
    """Tell whether what is left reaches for one more of the promising tests."""
    for i in range(several):
        more = order - (np.int64(1) << unpaid[i])
        if not is_ordered(order, unpaid[i]) and is_within(context, more, left):
            return True
    return False


@section
def fill_order(context, unpaid, n, left):
    """Return an order of a delayed test and of all others, in turn, that there is room for.

    Also whether there is room for all.
    """
    order, delayed, whole = np.int64(FIRST_ORDER), context.prices.delayed, True
    for i in range(n):
        if order == FIRST_ORDER and delayed[unpaid[i]] > 0:
            order -= np.int64(1) << unpaid[i]
    for i in range(n):
        more = order - (np.int64(1) << unpaid[i])
        if not is_ordered(order, unpaid[i]):
            if is_within(context, more, left):
                order = more
            else:
                whole = False
    return order, whole


@section
def offer_filled(context, stack, queue, buffers, f, n):
    """Queue the order that :func:`fill_order` returns; return the same."""
    frame, unpaid, share = stack.frames[f], buffers.unpaid, 1.0
    counts = stack.counts[frame.branch]
    least = least_cost(context.objective, counts, frame.weight) + context.objective.flat
    before = disorder(context.objective, counts, frame.weight) * context.objective.penalty
    order, whole = fill_order(context, unpaid, n, frame.left)
    for i in range(n):
        if is_ordered(order, unpaid[i]):
            share *= min(buffers.tests[unpaid[i]].disorder, before) / before
    rank = TRUST * share * before + (1 - TRUST) * least
    candidate = Candidate(
        action=order, charge=0.0, least=least, left=0.0, rank=rank, upper=np.inf, low=0.0
    )
    offer(stack, queue, context.run, f, candidate)
    return order, whole


@part
def offer_orders(context, stack, queue, buffers, f):
    """Queue the sets of unpaid tests that can be ordered, with at least one that is delayed.

    Where there are too many, all sets of the promising tests are queued, and each of the others
    alone; the bound then stays below the sets left out, which pay for one test at least.
    """
    prices, objective = context.prices, context.objective
    tests, unpaid, frame = buffers.tests, buffers.unpaid, stack.frames[f]
    m, counts = frame.weight, stack.counts[frame.branch]
    least = least_cost(objective, counts, m) + objective.flat
    before = disorder(objective, counts, m) * objective.penalty
    n = list_unpaid(context, stack.live[f + 1], buffers, frame.left)
    several, limited, filled = min(n, np.int64(MOST_ORDERED)), is_limited(context), np.int64(0)
    if limited:
        filled, whole = offer_filled(context, stack, queue, buffers, f, n)
        if whole:
            return
    sets = np.int64(1) << several
    for bits in range(1, sets + n - several):
        order, delayed, share = np.int64(FIRST_ORDER), False, 1.0
        for i in range(n):
            if bits - sets + several == i if bits >= sets else (bits >> i) & 1:
                a = unpaid[i]
                order -= np.int64(1) << a
                delayed = delayed or prices.delayed[a] > 0
                share *= min(tests[a].disorder, before) / before
        if delayed and limited:
            delayed = order != filled and is_within(context, order, frame.left)
            if delayed and bits < sets:
                delayed = not has_room(context, unpaid, several, order, frame.left)
        if delayed:
            charge = 0.0
            if not limited:
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
