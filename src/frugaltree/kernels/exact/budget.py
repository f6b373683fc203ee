"""A budget: the most that any case may be charged for tests.

With one, what is within it costs nothing, so the prices that a search minimises are all 0. Beside
them it has the real ones, and at every state what is left. A test may be asked, and a set of tests
ordered, if what is left reaches for it. A case that lacks a value does not pay, and keeps what it
has; who goes on has been charged no more than the budget, whichever branches were taken.

Amounts are whole *grains*, of which a budget has GRAINS: sums of whole numbers do not depend on
their order, so what is left can tell states apart.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.discounts import price_after, price_here, price_with_all_open
from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.cells import varies
from frugaltree.kernels.jit import atom, part, section
from frugaltree.kernels.ties import TOLERANCE

BELOW_NOTHING = 2**20
"""More grains than may be overdrawn, rounding aside."""


# ------------------------------------------------------------------------------ amounts


@atom
def is_limited(context):
    """Tell whether there is a budget that what is to be asked counts against.

    Under an order everything is paid for.
    """
    return context.purse.limit < np.inf and not context.path.ordered[0]


@atom
def prices_in_grains(context):
    """Return the real price list, in grains."""
    prices, purse = context.prices, context.purse
    return Prices(
        full=purse.full,
        discount=purse.discount,
        member=prices.member,
        delayed=prices.delayed,
        usable=prices.usable,
        charge_missing=prices.charge_missing,
        conditions=prices.conditions,
        rules=prices.rules,
    )


@atom
def grains_of(context, a):
    """Return what a test takes of the budget at the end of the path."""
    return price_here(prices_in_grains(context), context.path, a)


@atom
def reaches(purse, left, grains):
    """Tell whether what is left covers an amount, rounding aside."""
    return grains <= left + TOLERANCE * purse.limit


@part
def can_pay_for(context, left, a):
    """Tell whether what is left reaches for a test."""
    return reaches(context.purse, left, grains_of(context, a))


@part
def binds(context, live, left):
    """Tell whether what is left may not reach for all live tests of a state.

    If it does, it reaches for any tree: no path asks a test twice for money, prices only fall on
    the way, and an order costs no more than its tests do.
    """
    total = 0.0
    for a in range(live.size):
        if live[a]:
            total += grains_of(context, a)
    return not reaches(context.purse, left, total)


@part
def list_seconds(context, live, seconds, a, left):
    """List, of the live tests, those that can be paid for right after test ``a``."""
    prices, path = prices_in_grains(context), context.path
    left -= grains_of(context, a)
    for b in range(live.size):
        price = 0.0
        if live[b] and b != a:
            price = price_after(prices, path, grains_of(context, b), a, b)
        seconds[b] = live[b] and reaches(context.purse, left, price)


# ------------------------------------------------------------------------------ keys


@section
def budget_key(context, live, branch):
    """Return whether the budget binds at a state, and what it adds to its fingerprint.

    Some tests that can split the cases are out of reach, whatever is asked before them: which
    ones these are is part of the key. If what is left reaches for all others together, any tree
    of these can be paid for (:func:`binds`), and what is left does not matter, nor do prices.
    Else it is part of the key, and so are the groups that are open.
    """
    cases, purse, path, marks = context.cases, context.purse, context.path, context.marks
    prices, total, own = prices_in_grains(context), 0.0, path.paid.size + path.opened.size + 2
    key0, key1 = np.uint64(0), np.uint64(0)
    for a in range(live.size):
        if live[a] and varies(cases, context.rows, branch.start, branch.stop, a):
            price = grains_of(context, a)
            if reaches(purse, branch.left, price_with_all_open(prices, path, price, a)):
                total += price
            else:
                key0 ^= marks[own + 1 + a, 0]
                key1 ^= marks[own + 1 + a, 1]
    binding = not reaches(purse, branch.left, total)
    if binding:
        left = np.uint64(np.int64(np.floor(branch.left)) + BELOW_NOTHING)
        key0 ^= marks[own, 0] * left
        key1 ^= marks[own, 1] * left
    return binding, key0, key1
