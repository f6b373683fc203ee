"""What a path has paid, step by step and back again.

A sampled tree asks for the price of every test at every node. Here the prices in force are kept
up to date instead: taking a test changes a few of them, and a log of the old ones takes the step
back. On random walks of four tests that takes 83 ns a node for 13 tests in 2 groups and 90 ns for
20 tests in 4, where working out all prices anew with
:func:`~frugaltree.kernels.cost.prices.context_price` takes 517 and 653 ns.
``tests/kernels/cost/test_path_state.py`` holds both equal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.prices import Prices, context_price
from frugaltree.kernels.criteria import price_factor
from frugaltree.kernels.jit import part
from frugaltree.kernels.records import empty_records, record_type

PATH_TEST = record_type(price=np.float64, shown=np.float64, factor=np.float64, worth=np.float64)
"""A test on a path: its price in context; the price that the criterion sees; the factor of the
criterion that follows from it; its worth at the node in hand, -1 if it is no candidate."""

PATH_NOW = record_type(left=np.float64, n_logged=np.int64, n_opened=np.int64, ordered=np.int64)
"""Where a path stands: what may still be charged, how long both logs are, 1 below a lab order."""

OLD_PRICE = record_type(test=np.int64, price=np.float64, shown=np.float64, factor=np.float64)
"""The prices of a test before they changed. ``test`` is -1 - a where test a itself was taken."""


class PathState(NamedTuple):
    """What a path has paid, the prices that follow, and how to undo the last steps."""

    paid: np.ndarray  # uint8[a]
    opened: np.ndarray  # uint8[g]
    allowed: np.ndarray  # uint8[a]: 0 where a lab order above leaves no money for the test
    asked: np.ndarray  # int64[a]: how often a test was asked, result or not
    waits: np.ndarray  # uint8[a]: 1 where the rules do not let a test be asked at the node in hand
    live: np.ndarray  # uint8[a]: of the tests that come first, those that differ there
    tests: np.recarray  # PATH_TEST[a]
    now: np.record  # PATH_NOW
    old_prices: np.recarray  # OLD_PRICE[step]
    old_groups: np.ndarray  # int64[step]: the groups opened

    @classmethod
    def empty(cls, prices: Prices) -> PathState:
        """Return room for paths under these prices."""
        n_tests, n_groups = prices.member.shape
        steps = n_tests + int(prices.member.sum())  # a test is taken once, a group opened once
        return cls(
            paid=np.zeros(n_tests, np.uint8),
            opened=np.zeros(n_groups, np.uint8),
            allowed=np.ones(n_tests, np.uint8),
            asked=np.zeros(n_tests, np.int64),
            waits=np.zeros(n_tests, np.uint8),
            live=np.zeros(n_tests, np.uint8),
            tests=empty_records(n_tests, PATH_TEST),
            now=empty_records(1, PATH_NOW)[0],
            old_prices=empty_records(steps, OLD_PRICE),
            old_groups=np.zeros(n_groups, np.int64),
        )


class PathMark(NamedTuple):
    """A place on a path to which :func:`return_to` returns."""

    left: float
    n_logged: int
    n_opened: int
    ordered: int


@part
def start_path(prices, plan, path):
    """Begin at the root: nothing is paid, no group is open.

    ``plan`` has the budget, and the criterion for which prices are made ready (``criterion``,
    ``w``, and whether it sees prices in ``context``).
    """
    path.now.left = plan.budget
    path.now.n_logged = 0
    path.now.n_opened = 0
    path.now.ordered = 0
    for g in range(path.opened.size):
        path.opened[g] = 0
    for a in range(path.paid.size):
        path.paid[a] = 0
        path.allowed[a] = 1
        update_price(prices, plan, path, a)


@part
def update_price(prices, plan, path, a):
    """Work out the price of a test in the state of the path."""
    price = context_price(prices, a, path.paid, path.opened)
    shown = price
    if not plan.context:
        shown = 0.0 if path.paid[a] else prices.full[a]
    test = path.tests[a]
    test.price = price
    test.shown = shown
    test.factor = price_factor(plan.criterion, shown, plan.w)


@part
def log_price(path, a, mark):
    """Note the prices of a test that are about to change."""
    old, test = path.old_prices[path.now.n_logged], path.tests[a]
    old.test = mark
    old.price = test.price
    old.shown = test.shown
    old.factor = test.factor
    path.now.n_logged += 1


@part
def take_on_path(prices, plan, path, a):
    """Take a test that is not yet paid for: it is then free, and its groups are open."""
    if path.paid[a]:
        return
    log_price(path, a, -1 - a)
    path.paid[a] = 1
    update_price(prices, plan, path, a)
    for g in range(path.opened.size):
        if not prices.member[a, g] or path.opened[g]:
            continue
        path.opened[g] = 1
        path.old_groups[path.now.n_opened] = g
        path.now.n_opened += 1
        for b in range(path.paid.size):
            if prices.member[b, g] and not path.paid[b]:
                log_price(path, b, b)
                update_price(prices, plan, path, b)


@part
def mark_path(path):
    """Return the place where a path stands."""
    return PathMark(path.now.left, path.now.n_logged, path.now.n_opened, path.now.ordered)


@part
def undo_tests(path, n_logged, n_opened):
    """Undo the tests taken since the logs were so long."""
    while path.now.n_logged > n_logged:
        path.now.n_logged -= 1
        old = path.old_prices[path.now.n_logged]
        a = old.test
        if a < 0:
            a = -1 - a
            path.paid[a] = 0
        test = path.tests[a]
        test.price = old.price
        test.shown = old.shown
        test.factor = old.factor
    while path.now.n_opened > n_opened:
        path.now.n_opened -= 1
        path.opened[path.old_groups[path.now.n_opened]] = 0


@part
def refund(path, mark):
    """Undo what was paid since a path was marked, for cases that lack a value of the test."""
    undo_tests(path, mark.n_logged, mark.n_opened)
    path.now.left = mark.left


@part
def return_to(path, mark):
    """Go back up a path to where it was marked, by a PathMark or a record with its fields."""
    refund(path, mark)
    path.now.ordered = mark.ordered
