"""What a sampling learner remembers and works with: cases, sets of cases, buffers.

The memory of sets has an end. Who meets it forgets everything and goes on; results never depend
on what is remembered.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.data.cells import CellSorter, Table
from frugaltree.kernels.jit import part


class Plan(NamedTuple):
    """What a sampling learner wants: see the learners' parameters.

    ``charged`` is False where prices do not count in the total, ``sized`` where a leaf counts
    1 (tree size), ``greedy`` where the first sample is not random, ``delays`` where whole
    subtrees are ordered, ``uniform`` where all errors cost the same. ``levels`` is the depth of
    sampled trees, ``budget`` the most that a case may be charged (infinite for none).
    """

    criterion: int
    w: float
    context: bool
    min_cases: float
    max_depth: int
    levels: int
    budget: float
    reduction: bool
    quantile: bool
    greedy: bool
    charged: bool
    sized: bool
    prune: bool
    delays: bool
    aside: bool
    cf: float
    form: int
    multinomial: bool
    uniform: bool
    least_penalty: float


SIZE, LEAF, FLOOR = range(3)
"""What :attr:`Memory.cost` holds: weight, cost as a leaf, and what no tree costs less in errors.

Costs are over all cases of the set.
"""

LO, MID, HI, ABOVE, PAGE = range(3, 8)
"""What :attr:`Memory.about` holds, beside the costs.

Where the rows of a set begin, where those set aside do, where they end: at once where it is pure
or too small to split; a set that contains it; its page, NONE until looked at.
"""

LINE = 64
"""Bytes that a processor fetches at once, all that is kept of a set among them."""

CUT, LINK = range(2)
"""What :attr:`Memory.split` holds: a test's best cut, and where its parts stand, NONE at first."""


class Memory(NamedTuple):
    """The sets of cases met so far.

    A set that may be split has its cases among ``rows`` and, once looked at, a page: for each
    test its use (-1 where it cannot split), and how it splits the set.
    """

    print: np.ndarray  # uint64[set, 2]
    cost: np.ndarray  # float64[set, 8]
    about: np.ndarray  # int64[set, 8]: the same memory, of which each has its own columns
    counts: np.ndarray  # float64[set, class]
    use: np.ndarray  # float64[page, a]
    split: np.ndarray  # int32[page, a, 2]
    slots: np.ndarray  # int32[slot]: set + 1, 0 where free
    rows: np.ndarray  # int32[place]
    children: np.ndarray  # int32[place]
    used: np.ndarray  # int64[4]: sets, pages, rows, children

    @classmethod
    def empty(cls, table: Table, n_bytes: int) -> Memory:
        """Return a memory of about this size, and of enough for any one tree at least."""
        n, n_tests, n_classes = table.classes.size, table.nominal.size, table.n_classes
        sets = max(2 * n + 2, n_bytes // 4 // (110 + 8 * n_classes))
        pages = max(n + 1, n_bytes * 3 // 8 // (16 * n_tests + 1))
        rows = max(8 * n, n_bytes // 4 // 4)
        children = max(4 * n + table.widest, n_bytes // 8 // 4)
        facts = _lines(sets)
        return cls(
            np.empty((sets, 2), np.uint64),
            facts,
            facts.view(np.int64),
            np.empty((sets, n_classes)),
            np.empty((pages, n_tests)),
            np.empty((pages, n_tests, 2), np.int32),
            np.zeros(1 << (2 * sets - 1).bit_length(), np.int32),
            np.empty(rows, np.int32),
            np.empty(children, np.int32),
            np.zeros(4, np.int64),
        )


def _lines(n):
    """Return room for n lines of eight numbers, each at the start of a processor's line."""
    room = np.empty((n + 1) * LINE // 8)
    start = -room.ctypes.data % LINE // 8
    return room[start : start + n * LINE // 8].reshape(n, -1)


GAIN_OF, LOW = range(2)
"""What :attr:`Desk.cut_facts` holds: the gain of a cut and the weight below it."""

CHILD, NUMBER, APART, WEIGHT, PLACE, PLACE_APART = range(6)
"""What :attr:`Desk.parts` holds of each branch of a split.

Its set; its cases and those set aside; their weight; where the next row of either kind is written.
"""


class Desk(NamedTuple):
    """Buffers of one thread."""

    sorter: CellSorter
    tally: np.ndarray  # int64[class, column]: cases by class and value of nominal tests
    rank: np.ndarray  # int64[class]: of the classes that a set has, which one
    cut_facts: np.ndarray  # float64[cut + 1, 2]: of a numeric test, ascending; the last for all
    cut_ranks: np.ndarray  # int64[cut, 2]: ranks on either side
    sides: np.ndarray  # int64[3, class]
    branch: np.ndarray  # int32[case]
    parts: np.ndarray  # int64[branch, 6]: result of a split
    print: np.ndarray  # uint64[branch, 2]
    counts: np.ndarray  # float64[branch, class]
    aside: np.ndarray  # float64[branch, class]

    @classmethod
    def empty(cls, table: Table) -> Desk:
        """Return buffers for a table."""
        n, n_classes, k = table.classes.size, table.n_classes, table.widest
        codes = int(table.domain.max(initial=0)) + 2
        return cls(
            CellSorter.empty(table),
            np.empty((n_classes, table.flags.shape[1] + k), np.int64),
            np.empty(n_classes, np.int64),
            np.empty((codes, 2)),
            np.empty((codes, 2), np.int64),
            np.empty((3, n_classes), np.int64),
            np.empty(n, np.int32),
            np.empty((k, 6), np.int64),
            np.empty((k, 2), np.uint64),
            np.empty((k, n_classes)),
            np.empty((k, n_classes)),
        )


@part
def forget(memory):
    """Make room by forgetting every set."""
    for i in range(memory.slots.size):
        memory.slots[i] = 0
    for i in range(memory.used.size):
        memory.used[i] = 0
