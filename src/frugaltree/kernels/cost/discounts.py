"""Prices further down a path, from the prices here.

The first form of all of them is :func:`~frugaltree.kernels.cost.prices.context_price`, with the
groups of one test more opened, for which it needs a copy of those that are. A search that asks for
the price of every test after every other, at every state, begins instead with the price here and
takes off what one test opens: 3.4 ns a price for 13 tests in 2 groups and 3.6 ns for 20 tests in
4, where the first form takes 3.6 and 6.2 ns. ``tests/kernels/cost/test_discounts.py`` holds both
equal.

``path`` has ``paid`` and ``opened``, and ``ordered[0]``, which tells whether all tests of the path
were ordered at once, and paid for.
"""

from __future__ import annotations

from frugaltree.kernels.cost.prices import context_price
from frugaltree.kernels.jit import atom


@atom
def price_here(prices, path, a):
    """Return the price of a test; nothing once it is part of an order."""
    return 0.0 if path.ordered[0] else context_price(prices, a, path.paid, path.opened)


@atom
def opens(prices, path, a, g):
    """Tell whether taking test ``a`` opens a group, and so makes others cheaper."""
    return prices.member[a, g] and not path.opened[g] and not path.ordered[0]


@atom
def price_after(prices, path, price, a, b):
    """Return the price of test ``b``, now ``price``, once test ``a`` is taken."""
    for g in range(path.opened.size):
        if opens(prices, path, a, g):
            price = max(0.0, price - prices.discount[b, g])
    return price


@atom
def groups_of(prices, path, a, out):
    """List the groups by which test ``a`` and another change each other's price.

    Returns how many there are: those not open that it opens, or that would make it cheaper.
    """
    n = 0
    for g in range(path.opened.size):
        if path.opened[g] or path.ordered[0]:
            continue
        if prices.member[a, g] or prices.discount[a, g] > 0.0:
            out[n] = g
            n += 1
    return n


@atom
def price_after_in(prices, groups, n, price, a, b):
    """Do the same as :func:`price_after`, given the groups of either test.

    Where every pair of tests is looked at, most share none of a dozen groups.
    """
    for i in range(n):
        if prices.member[a, groups[i]]:
            price = max(0.0, price - prices.discount[b, groups[i]])
    return price


@atom
def price_with_all_open(prices, path, price, b):
    """Return the price of test ``b``, now ``price``, once all groups are open."""
    for g in range(path.opened.size):
        if not path.opened[g]:
            price -= prices.discount[b, g]
    return max(price, 0.0)
