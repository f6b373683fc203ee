"""What is known of every state met: no tree costs less, some tree costs this, and how it begins.

A state is a set of cases, with what has been paid on the way there as far as it still matters. It
is found again by a fingerprint of 128 bits. The table is of a fixed size: a new state that finds
no free place near its own takes that of the one that took least work. What is forgotten has to be
worked out again; what is remembered stays true.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.choose import NONE
from frugaltree.kernels.jit import kernel, part

KEY, LOWER, UPPER, ACTION, WORK, STAMP = 0, 2, 3, 4, 5, 6
"""What each line of :class:`States` holds.

The fingerprint, in two words; the two bounds, over all cases; the first step of the tree that
costs the upper one; what it took to find out; and the search that it belongs to.
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
def find(states, stamp, key0, key1):
    """Return the place of a state, NONE if it is not known."""
    mask = states.words.shape[0] - 1
    first = np.int64(key0 & np.uint64(mask))
    for i in range(REACH):
        place = (first + i) & mask
        if states.facts[place, STAMP] != stamp:
            break
        if states.words[place, KEY] == key0 and states.words[place, KEY + 1] == key1:
            return np.int64(place)
    return np.int64(NONE)


@part
def keep(states, stamp, key0, key1, lower, upper, action, work):
    """Note what was found out about a state; return 1 if it took a free place.

    What was known of it before is narrowed, never widened.
    """
    mask = states.words.shape[0] - 1
    first = np.int64(key0 & np.uint64(mask))
    place, least, found = first, np.int64(2**62), KNOWN
    for i in range(REACH):
        at = (first + i) & mask
        if states.facts[at, STAMP] != stamp:
            place, found = at, FREE
            break
        if states.words[at, KEY] == key0 and states.words[at, KEY + 1] == key1:
            place, found = at, KNOWN
            break
        found = TAKEN
        if states.facts[at, WORK] < least:
            place, least = at, states.facts[at, WORK]
    if found != KNOWN:
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
