"""What is known of every state met: no tree costs less, some tree costs this, and how it begins.

A state is a set of cases, with what has been paid on the way there as far as it still matters. It
is found again by a fingerprint of 128 bits. The table is of a fixed size: a new state that finds
no free line near its own takes that of the one that took least work. What is forgotten has to be
worked out again; what is remembered stays true.

Several threads may share it. Each line is read and written under its own lock, but when all else
stands still; which line to go to is looked up without, so it is made sure of under the lock.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frugaltree.kernels.exact.atomic import lock, unlock
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.records import Records, record_type, zero_records
from frugaltree.kernels.sentinels import NONE

LINE = record_type(
    key0=np.uint64,  # the fingerprint, in two words
    key1=np.uint64,
    lower=np.float64,  # no tree costs less, over all cases
    upper=np.float64,  # the best tree known costs this
    action=np.int64,  # the first step of that tree
    work=np.int64,  # what it took to find out
    stamp=np.int64,  # the search that it belongs to
    lock=np.int64,  # shut while a thread is at it
)
"""A line of the table: 64 bytes, as a line of a processor's cache. Checkpoints hold lines."""

WORDS = LINE.itemsize // 8

REACH = 64
"""How far from its own line a state may stand."""

KNOWN, FREE, TAKEN = range(3)
"""Where a state is kept: where it was, on a free line, in place of another."""


class States(NamedTuple):
    """The table of states."""

    lines: Records  # LINE[line]: how many is a power of two

    @classmethod
    def empty(cls, n_bytes: int) -> States:
        """Return a table of at most this size, or the smallest possible."""
        n_lines = 1 << (max(64, n_bytes // LINE.itemsize).bit_length() - 1)
        # Memory that was never written to costs nothing.
        return cls(zero_records(n_lines, LINE))

    @classmethod
    def of_words(cls, words: np.ndarray[Any, np.dtype[np.uint64]]) -> States:
        """Return the table whose lines are given as words, as a checkpoint has them."""
        return cls(np.ascontiguousarray(words).reshape(-1).view(LINE).view(Records))

    def words(self, stamp: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """Return the lines of a search, as words for a checkpoint."""
        ours = self.lines[self.lines.stamp == stamp]
        return np.asarray(ours).view(np.uint64).reshape(-1, WORDS)


class Found(NamedTuple):
    """What was found out about a state: fields of :data:`LINE`."""

    key0: np.uint64
    key1: np.uint64
    lower: float
    upper: float
    action: int
    work: int


@part
def is_here(lines, i, stamp, key0, key1):
    """Tell whether a line holds a state."""
    line = lines[i]
    return line.stamp == stamp and line.key0 == key0 and line.key1 == key1


@part
def find(lines, stamp, key0, key1):
    """Return both bounds of a state and its action; 0, infinity and NONE if it is not known."""
    mask = lines.size - 1
    first = np.int64(key0 & np.uint64(mask))
    lower, upper, action = 0.0, np.inf, np.int64(NONE)
    for step in range(REACH):
        i = np.int64((first + step) & mask)
        if lines[i].stamp != stamp:
            break
        if is_here(lines, i, stamp, key0, key1):
            lock(lines, i)
            if is_here(lines, i, stamp, key0, key1):  # nobody has taken it meanwhile
                line = lines[i]
                lower, upper, action = line.lower, line.upper, line.action
            unlock(lines, i)
            break
    return lower, upper, action


@part
def line_for(lines, stamp, key0, key1):
    """Return the line where a state is or should be, and whether it is there, or it is free."""
    mask = lines.size - 1
    first = np.int64(key0 & np.uint64(mask))
    best, least = first, np.int64(2**62)
    for step in range(REACH):
        i = np.int64((first + step) & mask)
        if lines[i].stamp != stamp:
            return i, np.int64(FREE)
        if is_here(lines, i, stamp, key0, key1):
            return i, np.int64(KNOWN)
        if lines[i].work < least:
            best, least = i, lines[i].work
    return best, np.int64(TAKEN)


@part
def keep(lines, stamp, found):
    """Note what was found out about a state; return 1 if it took a free line.

    What was known of it before is narrowed, never widened. Where another thread was faster at the
    line, it is looked for again.
    """
    key0, key1 = found.key0, found.key1
    while True:
        i, where = line_for(lines, stamp, key0, key1)
        lock(lines, i)
        known = is_here(lines, i, stamp, key0, key1)
        free = lines[i].stamp != stamp
        if where == TAKEN or (known if where == KNOWN else free):
            break
        unlock(lines, i)
    line = lines[i]
    if not known:
        line.key0 = key0
        line.key1 = key1
        line.stamp = stamp
        line.work = 0
        line.lower = 0.0
        line.upper = np.inf
        line.action = NONE
    if found.lower > line.lower:
        line.lower = found.lower
    if found.upper < line.upper:
        line.upper = found.upper
        line.action = found.action
    line.work += found.work
    unlock(lines, i)
    return np.int64(where == FREE)


@kernel
def move_states(old, new, stamp, stop):
    """Copy what is known to a larger table.

    Parameters
    ----------
    old, new : States
        From where, and to where.
    stamp : int64
        The search whose states are copied.
    stop : int64[1]
        Not 0 asks to end before all are copied.

    Returns
    -------
    int64
        How many states were copied.
    """
    n = np.int64(0)
    for i in range(old.lines.size):
        if stop[0] != 0:
            break
        line = old.lines[i]
        if line.stamp == stamp:
            found = Found(
                key0=line.key0, key1=line.key1, lower=line.lower, upper=line.upper,
                action=line.action, work=line.work,
            )  # fmt: skip
            n += keep(new.lines, stamp, found)
    return n
