"""The price of a test in context, of taking it, and of an order of several tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.ask_rules import AskRules
from frugaltree.kernels.jit import atom, part
from frugaltree.kernels.sentinels import NONE


class Conditions(NamedTuple):
    """Prices that depend on the value of another test, as arrays over tests ``a``.

    All arrays are empty where no price does. A case is on a *level* of each test: on level 0 it
    pays what the list says, on others what was given for its value of the condition.

    Attributes
    ----------
    price : float64[a, level]
        Price of a test when none of its groups is open; infinite where it cannot be taken.
    on : int64[a]
        The test that it depends on, NONE for none.
    level : int64[a, place]
        The level of each value of the condition.
    ends : float64[a, place]
        The upper ends of the spans of a numeric condition, ascending; NaN where values are codes.
    """

    price: np.ndarray
    on: np.ndarray
    level: np.ndarray
    ends: np.ndarray


NO_CONDITIONS = Conditions(
    price=np.empty((0, 0)),
    on=np.empty(0, np.int64),
    level=np.empty((0, 0), np.int64),
    ends=np.empty((0, 0)),
)


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
    charge_missing : bool
        Whether a test without a result is charged all the same.
    rules : AskRules
        Which tests are asked before others.
    conditions : Conditions
        Prices that depend on the value of another test.
    """

    full: np.ndarray
    discount: np.ndarray
    member: np.ndarray
    delayed: np.ndarray
    usable: np.ndarray
    charge_missing: bool
    rules: AskRules
    conditions: Conditions = NO_CONDITIONS


@part
def context_price(prices, a, paid, opened):
    """Return the price of test ``a`` for a case with these tests paid and groups opened.

    Zero if already paid, else the full price less the discounts of open groups (section 2,
    grouped tests).
    """
    return reduced_price(prices, prices.full[a], a, paid, opened)


@part
def reduced_price(prices, full, a, paid, opened):
    """Return what is left of a full price of test ``a`` with these tests paid, groups opened."""
    if paid[a]:
        return 0.0
    price = full
    for g in range(opened.size):
        if opened[g]:
            price -= prices.discount[a, g]
    return price if price > 0.0 else 0.0


# ------------------------------------------------------------------------------ conditions


@atom
def depends(prices, a):
    """Tell whether the price of a test depends on the value of another."""
    return prices.conditions.on.size > 0 and prices.conditions.on[a] != NONE


def prices_on_levels(prices: Prices, levels: np.ndarray) -> Prices:
    """Return the plain price list of cases that are on these levels, one for each test.

    A test that they cannot take costs nothing: they go on as those without a value of it.
    """
    full = prices.conditions.price[np.arange(prices.full.size), levels]
    full = np.where(np.isinf(full), 0.0, full)
    return prices._replace(full=full, conditions=NO_CONDITIONS)


def lowest_prices(prices: Prices) -> Prices:
    """Return a price list whose full prices are the lowest that some case may pay.

    Groups take the same off every price of a test, so no case ever pays less in any context.
    """
    if not prices.conditions.on.size:
        return prices
    return prices._replace(full=prices.conditions.price.min(axis=1))


def dearest_prices(prices: Prices) -> Prices:
    """Return a price list whose full prices are the dearest that some case may pay."""
    if not prices.conditions.on.size:
        return prices
    price = prices.conditions.price
    return prices._replace(full=np.where(np.isinf(price), -np.inf, price).max(axis=1))


@part
def visible_price(prices, context, a, paid, opened):
    """Return the price of test ``a`` by which it is chosen: in context, or full until paid."""
    if context:
        return context_price(prices, a, paid, opened)
    return 0.0 if paid[a] else prices.full[a]


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


@atom
def is_paid_for(prices, lacking):
    """Tell whether cases pay for a test, given whether they lack a value of it."""
    return prices.charge_missing or not lacking


@atom
def sure_price(prices, price, lacking):
    """Return what every case pays for a test at least, given whether some lack a value of it."""
    return price if is_paid_for(prices, lacking) else 0.0


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
