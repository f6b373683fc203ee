"""The queue of candidates: of each state, a heap with the one to be tried first on top."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.exact.actions import without_answer
from frugaltree.kernels.jit import part
from frugaltree.kernels.records import record_type

ENTRY = record_type(
    rank=np.float64,  # the least comes first
    bound=np.float64,  # no tree that begins with this action costs less
    left_bound=np.float64,  # the part of the left branch in it
    charge=np.float64,  # the part of the test and the split themselves
    low=np.float64,  # the weight of the cases below a threshold
    action=np.int64,
)
"""A candidate: an action that a state may try."""


@part
def exchange(queue, i, j):
    """Exchange two entries."""
    one, other = queue[i], queue[j]
    rank, bound, left_bound = one.rank, one.bound, one.left_bound
    charge, low, action = one.charge, one.low, one.action
    queue[i] = other
    other.rank = rank
    other.bound = bound
    other.left_bound = left_bound
    other.charge = charge
    other.low = low
    other.action = action


@part
def sink(queue, first, n, i):
    """Restore the order of a heap of ``n`` entries from ``first`` on below its entry ``i``."""
    while True:
        child = 2 * i + 1
        if child >= n:
            break
        if child + 1 < n and queue[first + child + 1].rank < queue[first + child].rank:
            child += 1
        if queue[first + i].rank <= queue[first + child].rank:
            break
        exchange(queue, first + i, first + child)
        i = child


@part
def heapify(queue, first, n):
    """Turn ``n`` entries into a heap."""
    for i in range(n // 2 - 1, -1, -1):
        sink(queue, first, n, np.int64(i))


@part
def remove_first(queue, first, n):
    """Take the first entry off a heap; return how many are left."""
    n -= 1
    queue[first] = queue[first + n]
    sink(queue, first, n, np.int64(0))
    return n


@part
def keep_between(queue, first, n, least, most):
    """Drop entries whose action is not between two; return how many are left.

    Answers that part those below do not count. The order of the others stays.
    """
    kept = np.int64(0)
    for i in range(first, first + n):
        if least <= without_answer(queue[i].action) <= most:
            queue[first + kept] = queue[i]
            kept += 1
    return kept
