"""The states that a search has in hand, one beneath the other, and all that it works with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.bits import Layout
from frugaltree.kernels.data.cells import CellSorter, Table
from frugaltree.kernels.exact.candidates import Queue, View
from frugaltree.kernels.exact.objective import Objective
from frugaltree.kernels.exact.state_table import States

CLOSED = 1.0 - 1e-12
"""Bounds that differ by less than this factor have met."""

LO, HI, DEPTH, SELF, QUEUE, QUEUED, CHILDREN, WIDTH = range(8)
DOING, BEST, TRIED, NOTED, TRIES, LIMIT, START, MODE, LAST_TURN = range(8, 17)
"""What :attr:`Frames.facts` holds of a state in hand.

Where its cases begin and end, how many tests may follow, which branch it is itself; where its
candidates begin, how many are left, where the branches of the one being tried begin and how many
they are. The action being tried, and the best; where the cuts tried begin and how many are noted,
how many actions were tried; how much work may be done when it ends, and was when it began; how it
is searched, and whether its best action has its turn.
"""

ENTER = np.int64(-(2**63))
"""The action that leads to the state to be searched: all cases go down a single branch."""

DIVE, WEIGH, SEARCH = range(3)
"""How a state is searched.

By its most promising action alone; by trees below each of its tests, then on along the best one
(as ACT does); or with bounds, as far as the effort allows.
"""

SIZE, BELOW, CAP, LOW, SPENT, BEST_BASE = range(6)
"""What :attr:`Frames.costs` holds of a state in hand.

Weight; cost of the best tree; the cost from which on a tree is of no use; the least bound of the
candidates done with; what the test being tried costs by itself, and the best one.
"""

C_LO, C_HI, C_SEEN = range(3)
"""What :attr:`Frames.spans` holds of a branch: its cases, and 1 once it had its turn.

Or 2 if it is known from before.
"""

C_SIZE, C_LOWER, C_UPPER = range(3)
"""What :attr:`Frames.bounds` holds of a branch: weight and both bounds."""

W_WORK, W_STEPS, W_STAMP, W_KEPT, W_MOST = range(5)
W_SHORT, W_SAMPLE, W_CUTS, W_PAUSE, W_BY_BOUND, W_THREAD = range(5, 11)
"""What :attr:`Frames.used` holds.

Work done, in looks at a value; states looked at; the stamp of this search; states kept, and how
many may be before the search pauses; 1 if the queue was short of room; the number of the sample
and how many cuts of a test are weighed; the number of states after which to pause;
whether the least bound comes first, not what promises most; and the number of the thread.
"""


class Route(NamedTuple):
    """What the path to the state in hand has paid."""

    paid: np.ndarray  # int64[a]: how often a test was taken
    opened: np.ndarray  # int64[g]: by how many tests
    marked: np.ndarray  # uint8[a]: room for the price of an order
    ordered: np.ndarray  # int64[1]: whether everything is ordered already


class Frames(NamedTuple):
    """The states in hand, one beneath the other, and their branches."""

    facts: np.ndarray  # int64[height, 17]
    costs: np.ndarray  # float64[height, 6]
    key: np.ndarray  # uint64[height, 2]
    live: np.ndarray  # uint8[height + 2, a]: tests that can split, from the second on; first, all
    spans: np.ndarray  # int64[branch, 3]
    bounds: np.ndarray  # float64[branch, 3]
    keys: np.ndarray  # uint64[branch, 2]
    counts: np.ndarray  # float64[branch, class]
    tried: np.ndarray  # int64[place]: actions whose cuts bound others
    sides: np.ndarray  # float64[place, 2]: the least that their two branches cost
    cuts: np.ndarray  # int64[height, a]: cuts of each test tried
    used: np.ndarray  # int64[11]

    @classmethod
    def empty(cls, table: Table, height: int) -> Frames:
        """Return room for so many states beneath each other."""
        n_tests = table.nominal.size
        branches = 3 * height + table.widest + table.classes.size
        return cls(
            np.zeros((height, 17), np.int64),
            np.zeros((height, 6)),
            np.zeros((height, 2), np.uint64),
            np.zeros((height + 2, n_tests), np.uint8),
            np.zeros((branches, 3), np.int64),
            np.zeros((branches, 3)),
            np.zeros((branches, 2), np.uint64),
            np.zeros((branches, table.n_classes)),
            np.zeros(4096, np.int64),
            np.zeros((4096, 2)),
            np.zeros((height, n_tests), np.int64),
            np.zeros(11, np.int64),
        )


class Pairs(NamedTuple):
    """Buffers for a look two tests ahead (foresight.py); sets of cases are bits of words."""

    values: np.ndarray  # uint64[...]: by test, answer and word, the cases that give this answer
    classes: np.ndarray  # uint64[...]: by class and word
    words: np.ndarray  # int64[class, 2]: the words between which the cases of a class are
    above: np.ndarray  # uint64[...]: by answer, class and word, the cases of branches
    sharp: np.ndarray  # uint8[a]: whether all answers to a test are told apart
    wanted: np.ndarray  # uint8[a]: whether a test is a candidate still
    order: np.ndarray  # int64[a]: the sharp tests, those that bound most first
    price: np.ndarray  # float64[a]: once the first test is taken
    after: np.ndarray  # float64[a]: the least price in the groups that each opens
    counts: np.ndarray  # int64[class]: of a branch, its cases not yet counted
    singles: np.ndarray  # int64[answer, class]: answers are those of the first test, the second...
    second: np.ndarray  # float64[answer]: the least cost of one more test
    rest: np.ndarray  # int64[answer of a test, class]: cases not yet counted
    column: np.ndarray  # float64[answer of a test]: what its cells cost
    filled: np.ndarray  # int64[answer of a test]: how many of its cells hold cases
    n_words: int

    @classmethod
    def empty(cls, table: Table, n_words: int) -> Pairs:
        """Return buffers for as many cases as so many words have bits."""
        n_tests, n_classes = table.nominal.size, table.n_classes
        return cls(
            np.zeros(n_tests * table.widest * n_words, np.uint64),
            np.zeros(n_classes * n_words, np.uint64),
            np.zeros((n_classes, 2), np.int64),
            np.zeros(table.widest * n_classes * n_words, np.uint64),
            np.zeros(n_tests, np.uint8),
            np.zeros(n_tests, np.uint8),
            np.zeros(n_tests, np.int64),
            np.zeros(n_tests),
            np.zeros(n_tests),
            np.zeros(n_classes, np.int64),
            np.zeros((n_tests * table.widest, n_classes), np.int64),
            np.zeros(n_tests * table.widest),
            np.zeros((table.widest, n_classes), np.int64),
            np.zeros(table.widest),
            np.zeros(table.widest, np.int64),
            n_words,
        )


class Solver(NamedTuple):
    """All that a search works with."""

    table: Table
    prices: Prices
    objective: Objective
    states: States
    sorter: CellSorter
    sight: View
    layout: Layout
    pairs: Pairs
    queue: Queue
    frames: Frames
    route: Route
    marks: np.ndarray  # uint64[a + g + 2, 2]: what paid tests, open groups and depth add to keys
    rows: np.ndarray  # int32[case]: sorted by branch as the search goes down
    stop: np.ndarray  # int64[1]
