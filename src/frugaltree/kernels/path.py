"""What a path has paid, step by step and back again.

A walk down a sampled tree asks for the price of every test at every node. Here the prices in
force are kept up to date instead: taking a test changes a few of them, and a log of the old ones
takes the step back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.jit import part
from frugaltree.kernels.measures import dampening
from frugaltree.kernels.price import Prices, context_price


class Path(NamedTuple):
    """The state of a path, the prices that follow from it, and how to undo the last steps."""

    paid: np.ndarray  # uint8[a]
    opened: np.ndarray  # uint8[g]
    price: np.ndarray  # float64[a]: in context
    shown: np.ndarray  # float64[a]: as the chooser sees it
    factor: np.ndarray  # float64[a]: what that price makes of a test's use
    allowed: np.ndarray  # uint8[a]: 0 where an order above leaves no money for the test
    ordered: np.ndarray  # uint8[1]: 1 beneath such an order
    left: np.ndarray  # float64[1]: what may still be charged
    worth: np.ndarray  # float64[a]: of the candidates at the node in hand, -1 for the others
    old_test: np.ndarray  # int64[step]
    old: np.ndarray  # float64[step, 3]
    old_group: np.ndarray  # int64[step]
    height: np.ndarray  # int64[2]: of the logs of tests and groups

    @classmethod
    def empty(cls, prices: Prices) -> Path:
        """Return room for paths under these prices."""
        n_tests, n_groups = prices.member.shape
        steps = n_tests + int(prices.member.sum())  # a test is taken once, a group opened once
        return cls(
            np.zeros(n_tests, np.uint8),
            np.zeros(n_groups, np.uint8),
            np.zeros(n_tests),
            np.zeros(n_tests),
            np.zeros(n_tests),
            np.ones(n_tests, np.uint8),
            np.zeros(1, np.uint8),
            np.zeros(1),
            np.zeros(n_tests),
            np.zeros(steps, np.int64),
            np.zeros((steps, 3)),
            np.zeros(n_groups, np.int64),
            np.zeros(2, np.int64),
        )


@part
def start_path(prices, plan, path):
    """Begin at the root: nothing is paid, no group is open."""
    path.height[0] = 0
    path.height[1] = 0
    path.left[0] = plan.budget
    path.ordered[0] = 0
    for g in range(path.opened.size):
        path.opened[g] = 0
    for a in range(path.paid.size):
        path.paid[a] = 0
        path.allowed[a] = 1
    for a in range(path.paid.size):
        set_price(prices, plan, path, a)


@part
def set_price(prices, plan, path, a):
    """Work out the price of a test in the state of the path."""
    path.price[a] = context_price(prices, a, path.paid, path.opened)
    path.shown[a] = path.price[a]
    if not plan.context:
        path.shown[a] = 0.0 if path.paid[a] else prices.full[a]
    path.factor[a] = dampening(plan.criterion, path.shown[a], plan.w)


@part
def log_price(path, a):
    """Note the prices of a test that are about to change."""
    i = path.height[0]
    path.old_test[i] = a
    path.old[i, 0] = path.price[a]
    path.old[i, 1] = path.shown[a]
    path.old[i, 2] = path.factor[a]
    path.height[0] = i + 1


@part
def step_down(prices, plan, path, a):
    """Take a test."""
    if path.paid[a]:
        return
    log_price(path, a)
    path.old_test[path.height[0] - 1] = -1 - a  # a negative number: taken, not just cheaper
    path.paid[a] = 1
    set_price(prices, plan, path, a)
    for g in range(path.opened.size):
        if not prices.member[a, g] or path.opened[g]:
            continue
        path.opened[g] = 1
        path.old_group[path.height[1]] = g
        path.height[1] += 1
        for b in range(path.paid.size):
            if prices.member[b, g] and not path.paid[b]:
                log_price(path, b)
                set_price(prices, plan, path, b)


@part
def step_back(path, tests, groups):
    """Undo steps until the logs are as high as they were."""
    while path.height[0] > tests:
        path.height[0] -= 1
        i = path.height[0]
        a = path.old_test[i]
        if a < 0:
            a = -1 - a
            path.paid[a] = 0
        path.price[a] = path.old[i, 0]
        path.shown[a] = path.old[i, 1]
        path.factor[a] = path.old[i, 2]
    while path.height[1] > groups:
        path.height[1] -= 1
        path.opened[path.old_group[path.height[1]]] = 0
