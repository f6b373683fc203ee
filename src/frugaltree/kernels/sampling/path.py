"""What a path has paid, step by step and back again.

A walk down a sampled tree asks for the price of every test at every node. Here the prices in
force are kept up to date instead: taking a test changes a few of them, and a log of the old ones
takes the step back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.prices import Prices, context_price
from frugaltree.kernels.criteria import dampening
from frugaltree.kernels.jit import part

PRICE, SHOWN, FACTOR, WORTH = range(4)
"""What :attr:`Path.facts` holds of each test.

Its price in context; as the chooser sees it; what that makes of the test's use; and its worth at
the node in hand, -1 if it is no candidate.
"""

TESTS, GROUPS, ORDERED = range(3)
"""What :attr:`Path.state` holds: the heights of both logs, and 1 beneath an order."""


class Path(NamedTuple):
    """The state of a path, the prices that follow from it, and how to undo the last steps."""

    paid: np.ndarray  # uint8[a]
    opened: np.ndarray  # uint8[g]
    allowed: np.ndarray  # uint8[a]: 0 where an order above leaves no money for the test
    facts: np.ndarray  # float64[a, 4]
    left: np.ndarray  # float64[1]: what may still be charged
    state: np.ndarray  # int64[3]
    old_test: np.ndarray  # int64[step]: whose facts changed, -1 - a where test a was taken
    old_facts: np.ndarray  # float64[step, 3]
    old_group: np.ndarray  # int64[step]

    @classmethod
    def empty(cls, prices: Prices) -> Path:
        """Return room for paths under these prices."""
        n_tests, n_groups = prices.member.shape
        steps = n_tests + int(prices.member.sum())  # a test is taken once, a group opened once
        return cls(
            np.zeros(n_tests, np.uint8),
            np.zeros(n_groups, np.uint8),
            np.ones(n_tests, np.uint8),
            np.zeros((n_tests, 4)),
            np.zeros(1),
            np.zeros(3, np.int64),
            np.zeros(steps, np.int64),
            np.zeros((steps, 3)),
            np.zeros(n_groups, np.int64),
        )


@part
def start_path(prices, plan, path):
    """Begin at the root: nothing is paid, no group is open."""
    for i in range(path.state.size):
        path.state[i] = 0
    path.left[0] = plan.budget
    for g in range(path.opened.size):
        path.opened[g] = 0
    for a in range(path.paid.size):
        path.paid[a] = 0
        path.allowed[a] = 1
        set_price(prices, plan, path, a)


@part
def set_price(prices, plan, path, a):
    """Work out the price of a test in the state of the path."""
    price = context_price(prices, a, path.paid, path.opened)
    shown = price
    if not plan.context:
        shown = 0.0 if path.paid[a] else prices.full[a]
    path.facts[a, PRICE] = price
    path.facts[a, SHOWN] = shown
    path.facts[a, FACTOR] = dampening(plan.criterion, shown, plan.w)


@part
def log_price(path, a, mark):
    """Note the prices of a test that are about to change."""
    i = path.state[TESTS]
    path.old_test[i] = mark
    for k in range(3):
        path.old_facts[i, k] = path.facts[a, k]
    path.state[TESTS] = i + 1


@part
def step_down(prices, plan, path, a):
    """Take a test."""
    if path.paid[a]:
        return
    log_price(path, a, -1 - a)
    path.paid[a] = 1
    set_price(prices, plan, path, a)
    for g in range(path.opened.size):
        if not prices.member[a, g] or path.opened[g]:
            continue
        path.opened[g] = 1
        path.old_group[path.state[GROUPS]] = g
        path.state[GROUPS] += 1
        for b in range(path.paid.size):
            if prices.member[b, g] and not path.paid[b]:
                log_price(path, b, b)
                set_price(prices, plan, path, b)


@part
def step_back(path, tests, groups):
    """Undo steps until the logs are as high as they were."""
    while path.state[TESTS] > tests:
        path.state[TESTS] -= 1
        i = path.state[TESTS]
        a = path.old_test[i]
        if a < 0:
            a = -1 - a
            path.paid[a] = 0
        for k in range(3):
            path.facts[a, k] = path.old_facts[i, k]
    while path.state[GROUPS] > groups:
        path.state[GROUPS] -= 1
        path.opened[path.old_group[path.state[GROUPS]]] = 0
