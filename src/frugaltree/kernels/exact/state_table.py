"""What is known of every state met: no tree costs less, some tree costs this, and how it begins.

A state is a set of cases, with what has been paid on the way there as far as it still matters. It
is found again by a fingerprint of 128 bits. The table is of a fixed size: a new state that finds
no free place near its own takes that of the one that took least work. What is forgotten has to be
worked out again; what is remembered stays true.

Several threads may share it. Each line is read and written under its own lock, but when all else
stands still; which line to go to is looked up without, so it is made sure of under the lock.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.exact.atomic import lock, unlock
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.sentinels import NONE

KEY, LOWER, UPPER, ACTION, WORK, STAMP, LOCK = 0, 2, 3, 4, 5, 6, 7
"""What each line of :class:`States` holds.

The fingerprint, in two words; the two bounds, over all cases; the first step of the tree that
costs the upper one; what it took to find out; the search that it belongs to; and a lock, shut
while a thread is at it.
"""

REACH = 64
"""How far from its own place a state may stand."""

KNOWN, FREE, TAKEN = range(3)
"""Where a state is kept: where it was, at a free place, in place of another."""

WORDS = 8
"""Words to a state: one line of a processor's cache."""


class States(NamedTuple):
    """The table, three views of the same memory."""

    words: np.ndarray  # uint64[place, 8]
    costs: np.ndarray  # float64[place, 8]
    facts: np.ndarray  # int64[place, 8]

    @classmethod
    def empty(cls, n_bytes: int) -> States:
        """Return a table of at most this size, or the smallest possible."""
        places = 1 << (max(64, n_bytes // (8 * WORDS)).bit_length() - 1)
        # Memory that was never written to costs nothing.
        words = np.zeros((places, WORDS), np.uint64)
        return cls(words, words.view(np.float64), words.view(np.int64))


@part
def is_here(states, place, stamp, key0, key1):
    """Tell whether a place holds a state."""
    return (
        states.facts[place, STAMP] == stamp
        and states.words[place, KEY] == key0
        and states.words[place, KEY + 1] == key1
    )


@part
def find(states, stamp, key0, key1):
    """Return both bounds of a state and its action; 0, infinity and NONE if it is not known."""
    mask = states.words.shape[0] - 1
    first = np.int64(key0 & np.uint64(mask))
    lower, upper, action = 0.0, np.inf, np.int64(NONE)
    for i in range(REACH):
        place = np.int64((first + i) & mask)
        if states.facts[place, STAMP] != stamp:
            break
        if is_here(states, place, stamp, key0, key1):
            lock(states.facts, place, LOCK)
            if is_here(states, place, stamp, key0, key1):  # nobody has taken it meanwhile
                lower, upper = states.costs[place, LOWER], states.costs[place, UPPER]
                action = states.facts[place, ACTION]
            unlock(states.facts, place, LOCK)
            break
    return lower, upper, action


@part
def place_for(states, stamp, key0, key1):
    """Return the place where a state is or should be, and whether it is there, or it is free."""
    mask = states.words.shape[0] - 1
    first = np.int64(key0 & np.uint64(mask))
    place, least = first, np.int64(2**62)
    for i in range(REACH):
        at = np.int64((first + i) & mask)
        if states.facts[at, STAMP] != stamp:
            return at, np.int64(FREE)
        if is_here(states, at, stamp, key0, key1):
            return at, np.int64(KNOWN)
        if states.facts[at, WORK] < least:
            place, least = at, states.facts[at, WORK]
    return place, np.int64(TAKEN)


@part
def keep(states, stamp, key0, key1, lower, upper, action, work):
    """Note what was found out about a state; return 1 if it took a free place.

    What was known of it before is narrowed, never widened. Where another thread was faster at
    the place, it is looked for again.
    """
    while True:
        place, found = place_for(states, stamp, key0, key1)
        lock(states.facts, place, LOCK)
        known = is_here(states, place, stamp, key0, key1)
        free = states.facts[place, STAMP] != stamp
        if found == TAKEN or (known if found == KNOWN else free):
            break
        unlock(states.facts, place, LOCK)
    if not known:
        states.words[place, KEY] = key0
        states.words[place, KEY + 1] = key1
        states.facts[place, STAMP] = stamp
        states.facts[place, WORK] = 0
        states.costs[place, LOWER] = 0.0
        states.costs[place, UPPER] = np.inf
        states.facts[place, ACTION] = NONE
    if lower > states.costs[place, LOWER]:
        states.costs[place, LOWER] = lower
    if upper < states.costs[place, UPPER]:
        states.costs[place, UPPER] = upper
        states.facts[place, ACTION] = action
    states.facts[place, WORK] += work
    unlock(states.facts, place, LOCK)
    return np.int64(found == FREE)


@kernel
def move_states(old, new, stamp, stop):
    """Copy what is known to a larger table, unless asked to stop; return how many states."""
    n = np.int64(0)
    for i in range(old.words.shape[0]):
        if stop[0] != 0:
            break
        if old.facts[i, STAMP] == stamp:
            n += keep(
                new, stamp, old.words[i, KEY], old.words[i, KEY + 1], old.costs[i, LOWER],
                old.costs[i, UPPER], old.facts[i, ACTION], old.facts[i, WORK],
            )  # fmt: skip
    return n
