"""In which order the candidates of a state are tried."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.exact.actions import asked_test, cut_of, is_order
from frugaltree.kernels.exact.records import BRANCH_AND_BOUND, GREEDY
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.random import mix, uniform

SMALL = 64
"""Up to so many kinds of cases a state is searched to the end."""

SHALLOW = 3
"""States with so many tests to go are likely to be."""

ASTRAY = 3
"""On so many states from the first on, threads other than the first try tests at random."""


@part
def reverse_bits(code):
    """Return a number in [0, 1) by which codes come in halves, quarters, eighths and so on.

    It is the code with its binary digits in reverse (van der Corput): 4, 2, 6, 1, 5, 3, 7 of 8.
    """
    place, share = 0.0, 0.5
    while code > 0:
        place += share * (code & 1)
        share *= 0.5
        code >>= 1
    return place


@section
def shuffle(queue, frame, run):
    """Rank the tests of a state at random, by the best threshold of each, the promising first.

    Exponential times, drawn at the rate of what a test promises to save, come out in such an
    order; savings are counted from the least promising test.
    """
    first, n = frame.queue, frame.queued
    key, low, high = mix(frame.key0, run.sample), np.inf, -np.inf
    best = first
    for i in range(first, first + n):
        if asked_test(queue[i].action) != asked_test(queue[best].action):
            best = np.int64(i)
        rank = queue[i].rank
        if rank < queue[best].rank:
            queue[best].rank = np.inf
            best = np.int64(i)
        elif i > best:
            queue[i].rank = np.inf
        low = min(low, rank)
    for i in range(first, first + n):
        if queue[i].rank < np.inf:
            high = max(high, queue[i].rank)
    for i in range(first, first + n):
        if queue[i].rank < np.inf:
            saves = high - queue[i].rank + 0.1 * (high - low) + 1e-9
            key = mix(key, np.int64(1))
            queue[i].rank = -np.log(1.0 - uniform(key)) / saves


@section
def arrange(queue, frame, run, tests, f):
    """Rank the candidates of a state for branch and bound; so far it is by what they promise.

    Threads other than the first are to come by elsewhere, so they try the first tests of a path
    at random. The thresholds of a test come behind its best one so that they halve the range of
    its values: what two of them cost bounds those in between. Only to raise the bound of a large
    state, which is not searched to the end, the least bound comes first.
    """
    first, last, high = frame.queue, frame.queue + frame.queued, -np.inf
    large = frame.stop - frame.start > SMALL and frame.depth > SHALLOW
    if run.thread > 0 and f <= ASTRAY:
        key = mix(frame.key0, run.thread)
        for i in range(first, last):
            queue[i].rank = uniform(mix(key, queue[i].action))
    elif not (large and run.by_bound):
        # Of each test the best rank; disorder is no longer needed, all orders are offered.
        for a in range(tests.size):
            tests[a].disorder = np.inf
        for i in range(first, last):
            entry = queue[i]
            high = max(high, entry.rank)
            if not is_order(entry.action):
                test = tests[asked_test(entry.action)]
                test.disorder = min(test.disorder, entry.rank)
        for i in range(first, last):
            entry = queue[i]
            if is_order(entry.action):
                continue
            if entry.rank > tests[asked_test(entry.action)].disorder:
                entry.rank = high + reverse_bits(cut_of(entry.action))


@part
def rank_candidates(queue, stack, run, tests, f):
    """Say in which order to try the candidates of a state."""
    frame = stack.frames[f]
    if frame.mode == GREEDY and run[0].sample > 0:
        shuffle(queue, frame, run[0])
    elif frame.mode == BRANCH_AND_BOUND:
        arrange(queue, frame, run[0], tests, f)
