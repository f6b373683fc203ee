"""The records of a search: the states on its path, their branches, and all that it works with.

One array of records is passed on as one array, not as many: handing arrays from part to part of a
kernel is most of what compiling it takes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.prices import Prices
from frugaltree.kernels.data.bits import Layout
from frugaltree.kernels.data.cells import CellSorter, Table
from frugaltree.kernels.exact.ahead_buffers import AheadBuffers
from frugaltree.kernels.exact.cut_buffers import CutBuffers
from frugaltree.kernels.exact.objective import Objective
from frugaltree.kernels.exact.purse import Purse
from frugaltree.kernels.records import Records, record_type, zero_records

GREEDY, SAMPLING, BRANCH_AND_BOUND, LOOKING_AHEAD = range(4)
"""How a state is searched.

By its most promising action alone; by a greedy tree below each of its tests, then on along the
best one (as ACT does); with bounds, as far as the effort allows; or by its most promising action
and then by what is best three tests ahead (look_ahead.py).
"""

NEW, DONE, KNOWN_BEFORE = range(3)
"""Whether a branch had its turn, or has bounds from before: :data:`STATE_BRANCH`, ``seen``."""

FRAME = record_type(
    start=np.int64,  # its cases are ``rows[start:stop]``
    stop=np.int64,
    depth=np.int64,  # tests that may follow
    branch=np.int64,  # which branch it is itself
    queue=np.int64,  # where its candidates begin, and how many are left
    queued=np.int64,
    children=np.int64,  # where the branches of its action begin, and how many
    width=np.int64,
    action=np.int64,  # the one being tried
    best=np.int64,  # the action of the best tree known
    tried=np.int64,  # where the thresholds tried begin, and how many are noted
    noted=np.int64,
    tries=np.int64,  # actions tried
    limit=np.int64,  # work that may be done when it ends
    began=np.int64,  # work that was done when it began
    mode=np.int64,  # how it is searched
    last_turn=np.int64,  # whether its best action has its turn, in SAMPLING
    ahead=np.int64,  # whether what is best three tests ahead has its turn, in LOOKING_AHEAD
    weight=np.float64,  # of its cases
    upper=np.float64,  # cost of the best tree
    cap=np.float64,  # from here on a tree is of no use
    lower=np.float64,  # the least bound of the candidates done with
    charge=np.float64,  # what the test being tried costs by itself
    best_charge=np.float64,  # and the best one, infinite where none with a known charge is
    low=np.float64,  # the weight of the cases below its threshold
    step=np.float64,  # the most that a case of weight 1 adds to what a branch costs
    slack=np.float64,  # by how much more than is of use branches are searched
    left=np.float64,  # what its cases may still be charged, in grains
    first_answer=np.int64,  # the answers that are allowed, both included
    last_answer=np.int64,
    key0=np.uint64,  # its fingerprint
    key1=np.uint64,
)
"""A state on the path of the search."""

STATE_BRANCH = record_type(
    start=np.int64,  # its cases are ``rows[start:stop]``
    stop=np.int64,
    seen=np.int64,  # NEW, DONE or KNOWN_BEFORE
    lacking=np.int64,  # whether its cases lack a value of the test, and so do not pay for it
    weight=np.float64,
    left=np.float64,  # what its cases may still be charged, in grains
    first_answer=np.int64,  # the answers that are allowed, both included
    last_answer=np.int64,
    lower=np.float64,
    upper=np.float64,
    key0=np.uint64,
    key1=np.uint64,
)
"""A branch of the action that a state tries."""

TRIED = record_type(
    cut=np.int64,  # its rank
    before=np.int64,  # where the one of the same test tried before it is, NONE if there is none
    low=np.float64,  # the weight of the cases below
    left=np.float64,  # the least that both branches cost
    right=np.float64,
)
"""A threshold that was tried."""

SEARCH_RUN = record_type(
    work=np.int64,  # work done, in values read
    steps=np.int64,  # states expanded
    stamp=np.int64,  # the number of this search
    kept=np.int64,  # states kept, and how many may be before it pauses
    most_kept=np.int64,
    queue_full=np.int64,  # 1 if the queue was short of room
    last_step=np.int64,  # the number of states after which to pause
    sample=np.int64,  # the number of the sample, 0 for none
    cuts=np.int64,  # thresholds of a test that a sample tries
    by_bound=np.int64,  # whether the least bound comes first, not what promises most
    thread=np.int64,  # the number of the thread
    least_first=np.int64,  # between which actions the first state chooses, both included
    most_first=np.int64,
    cap=np.float64,  # from here on a tree is of no use
)
"""What a thread has done, and how it is to search."""

TEST = record_type(
    price=np.float64,  # what every case pays at least, at the state being expanded
    least_after=np.float64,  # the least price of any test after it
    disorder=np.float64,  # what the disorder that it leaves costs
    price_after=np.float64,  # once the test in hand is taken
    least_in_groups=np.float64,  # the least price in the groups that it opens
    whole=np.uint8,  # whether it is live and nominal
    wanted=np.uint8,  # whether it is a candidate still
)
"""What is found out about a test at the state being expanded."""

VALUE = record_type(stop=np.int64)
"""A branch while cases are partitioned: where it ends."""

WORD_RANGE = record_type(first=np.int64, stop=np.int64, left=np.int64)
"""A class: the words between which its cases are, and how many are not yet counted."""

COLUMN = record_type(cost=np.float64, filled=np.int64)
"""A value of the second of two tests: what its cells cost, and how many hold cases."""


class SearchCases(NamedTuple):
    """The cases, as far as the search reads them; see ``kernels.data.cells.Table``."""

    cells: np.ndarray  # int32[a, case]
    classes: np.ndarray  # int32[case]
    weights: np.ndarray  # int64[case]
    keys: np.ndarray  # uint64[case, 2]
    nominal: np.ndarray  # uint8[a]
    domain: np.ndarray  # int64[a]
    lacking: np.ndarray  # uint8[a]
    n_classes: int
    shift: int
    widest: int
    levels: np.ndarray  # uint8[a, case]

    @classmethod
    def of_table(cls, table: Table) -> SearchCases:
        """Return the cases of a table."""
        return cls(**{name: getattr(table, name) for name in cls._fields})


class Path(NamedTuple):
    """What the path to the state in hand has paid."""

    paid: np.ndarray  # int64[a]: how often a test was taken
    opened: np.ndarray  # int64[g]: by how many tests
    asked: np.ndarray  # int64[a]: how often a test was asked, result or not
    marked: np.ndarray  # uint8[a]: buffer for the price of an order
    ordered: np.ndarray  # int64[1]: whether everything is ordered already

    @classmethod
    def empty(cls, n_tests: int, n_groups: int) -> Path:
        """Return the path to the root."""
        return cls(
            paid=np.zeros(n_tests, np.int64),
            opened=np.zeros(n_groups, np.int64),
            asked=np.zeros(n_tests, np.int64),
            marked=np.zeros(n_tests, np.uint8),
            ordered=np.zeros(1, np.int64),
        )


class Context(NamedTuple):
    """Where a search is: its problem, what was found out, and what the path has paid."""

    cases: SearchCases
    prices: Prices  # those that count: with a budget, all are 0
    purse: Purse
    objective: Objective
    path: Path
    directions: np.ndarray  # int8[a]: how answers follow a test; -1, 0 or 1
    lines: Records  # LINE[line]: the table of states
    marks: np.ndarray  # uint64[..., 2]: what paid tests, open groups and depth add to keys,
    # then what is left of a budget and tests out of its reach, and with rules, 2 a: tests asked
    # on which others wait, and tests that come first
    rows: np.ndarray  # int32[case]: partitioned as the search goes down
    run: Records  # SEARCH_RUN[1]


class Stack(NamedTuple):
    """The states on the path, one beneath the other, and their branches."""

    frames: Records  # FRAME[height]
    branches: Records  # STATE_BRANCH[branch]
    counts: np.ndarray  # float64[branch, class]
    live: np.ndarray  # uint8[height + 2, a]: tests that can split, from the second on; first, all
    tried: Records  # TRIED[place]
    cuts: np.ndarray  # int64[height, a]: thresholds of each test tried
    latest: np.ndarray  # int64[height, a]: where the one tried last is noted, NONE for none

    @classmethod
    def empty(cls, table: Table, height: int) -> Stack:
        """Return room for so many states beneath each other."""
        n_tests = table.nominal.size
        n_branches = 3 * height + table.widest + table.classes.size
        return cls(
            frames=zero_records(height, FRAME),
            branches=zero_records(n_branches, STATE_BRANCH),
            counts=np.zeros((n_branches, table.n_classes)),
            live=np.zeros((height + 2, n_tests), np.uint8),
            tried=zero_records(4096, TRIED),
            cuts=np.zeros((height, n_tests), np.int64),
            latest=np.zeros((height, n_tests), np.int64),
        )


class ExpandBuffers(NamedTuple):
    """ExpandBuffers for expanding a state."""

    tests: Records  # TEST[a]
    values: Records  # VALUE[branch]
    counts: np.ndarray  # float64[3, class]: of a branch; left, right and missing
    branch: np.ndarray  # int32[case]
    rows: np.ndarray  # int32[case]
    unpaid: np.ndarray  # int64[a]: the tests that may be ordered
    sorter: CellSorter

    @classmethod
    def empty(cls, table: Table) -> ExpandBuffers:
        """Return buffers for a table."""
        n, n_tests = table.classes.size, table.nominal.size
        return cls(
            tests=zero_records(n_tests, TEST),
            values=zero_records(table.widest + 1, VALUE),
            counts=np.zeros((3, table.n_classes)),
            branch=np.zeros(n, np.int32),
            rows=np.zeros(n, np.int32),
            unpaid=np.zeros(n_tests, np.int64),
            sorter=CellSorter.empty(table),
        )


class PairBuffers(NamedTuple):
    """ExpandBuffers for the bounds of two tests in a row; sets of cases are bits of words."""

    values: np.ndarray  # uint64[...]: by test, answer and word, the cases that give this answer
    classes: np.ndarray  # uint64[...]: by class and word
    words: Records  # WORD_RANGE[class]
    above: np.ndarray  # uint64[...]: by answer, class and word, the cases of branches
    order: np.ndarray  # int64[a]: the whole tests, those that bound most first
    singles: np.ndarray  # int64[answer, class]: answers are those of the first test, the second...
    second: np.ndarray  # float64[answer]: the least cost of one more test
    rest: np.ndarray  # int64[answer of a test, class]: cases not yet counted
    columns: Records  # COLUMN[answer of a test]
    groups: np.ndarray  # int64[...]: the groups of a test that are not open
    n_words: int

    @classmethod
    def empty(cls, table: Table, n_words: int, n_groups: int) -> PairBuffers:
        """Return buffers for as many cases as so many words have bits."""
        n_tests, n_classes = table.nominal.size, table.n_classes
        return cls(
            values=np.zeros(n_tests * table.widest * n_words, np.uint64),
            classes=np.zeros(n_classes * n_words, np.uint64),
            words=zero_records(n_classes, WORD_RANGE),
            above=np.zeros(table.widest * n_classes * n_words, np.uint64),
            order=np.zeros(n_tests, np.int64),
            singles=np.zeros((n_tests * table.widest, n_classes), np.int64),
            second=np.zeros(n_tests * table.widest),
            rest=np.zeros((table.widest, n_classes), np.int64),
            columns=zero_records(table.widest, COLUMN),
            groups=np.zeros(n_groups, np.int64),
            n_words=n_words,
        )


class Solver(NamedTuple):
    """All that a search works with."""

    context: Context
    stack: Stack
    queue: Records  # ENTRY[place]: the candidates of all states on the path, a heap for each
    buffers: ExpandBuffers
    layout: Layout
    pairs: PairBuffers
    cuts: CutBuffers
    ahead: AheadBuffers
    stop: np.ndarray  # int64[1]: not 0 asks the search to end
