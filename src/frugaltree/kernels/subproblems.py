"""A memory of the subproblems met: sets of cases, what each tells, and how each splits.

Sampled trees pass through the same sets of cases over and over: whichever way the tests are
taken, the same answers lead to the same cases. So each set is looked at once. Its fingerprint
(128 bits, the exclusive or of a random key per case) finds it again; its gains, its cost as a leaf
and the sets that a test splits it into are kept. Nothing that is kept depends on how the set was
reached: prices and draws, which do, are applied by the walk.

The memory has an end. Who meets it forgets everything and goes on; results never depend on what
is remembered.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.choose import NONE
from frugaltree.kernels.grow import FULL, place_cut
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.measures import (
    NOISE,
    TOLERANCE,
    TRAINING_ERROR,
    expected_error,
    least_errors,
    use,
    xlogx,
)
from frugaltree.kernels.price import cheapest_label, cost_of_answer, leaf_cost, majority_label

WORD, LAST_BIT = 6, 63
"""A word marks 2 ** WORD cells."""

ZERO, ONE, DE_BRUIJN = np.uint64(0), np.uint64(1), np.uint64(0x03F79D71B4CB0A89)
BIT_OF = np.array([(int(DE_BRUIJN) << i) % 2**64 >> 58 for i in range(64)]).argsort()
"""The place of a word's only bit, by the upper six bits of its product with DE_BRUIJN."""

FEW = 32
"""About as many cases are ranked as fast as they are counted."""

LEAST_ASIDE = 5.0
"""With fewer set-aside cases at a node, its errors are estimated from those it grew from."""


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


class Table(NamedTuple):
    """The cases as the memory reads them: one cell of a histogram per case and test.

    The cell of code v and class c is ``(v << shift) + c``; missing values have a code of their
    own, the last. Nominal tests of few values are counted all at once, by flags.
    """

    cells: np.ndarray  # int32[a, case]
    flags: np.ndarray  # int8[case, column]: -1 where a case has the value, else 0
    column: np.ndarray  # int64[a]: where the values of a nominal test begin; NONE if too many
    classes: np.ndarray  # int32[case]
    weights: np.ndarray  # int64[case]
    keys: np.ndarray  # uint64[case, 2]
    nominal: np.ndarray  # uint8[a]
    domain: np.ndarray  # int64[a]
    usable: np.ndarray  # uint8[a]
    start: np.ndarray  # int64[a]: where a numeric test's values begin
    values: np.ndarray  # float64[...]
    xlogx: np.ndarray  # float64[...]
    steps: np.ndarray  # float64[...]: differences of neighbouring entries of xlogx
    excess: np.ndarray  # float64[...]: see excess_table; empty where it gives no bound
    n_classes: int
    shift: int
    widest: int  # branches of the widest test


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

LEFT, RIGHT, MISSING = range(3)
"""What :attr:`Desk.sides` counts: cases below and above a cut, and those without a value."""

CHILD, NUMBER, APART, WEIGHT, PLACE, PLACE_APART = range(6)
"""What :attr:`Desk.parts` holds of each branch of a split.

Its set; its cases and those set aside; their weight; where the next row of either kind is written.
"""


class Desk(NamedTuple):
    """Buffers of one thread."""

    hist: np.ndarray  # int64[cell]: zero between calls
    marks: np.ndarray  # uint64[word of cells]: zero between calls
    tally: np.ndarray  # int64[class, column]: cases by class and value of nominal tests
    rank: np.ndarray  # int64[class]: of the classes that a set has, which one
    cut_facts: np.ndarray  # float64[cut + 1, 2]: of a numeric test, ascending; the last for all
    cut_ranks: np.ndarray  # int64[cut, 2]: ranks on either side
    sides: np.ndarray  # int64[3, class]
    keys: np.ndarray  # int64[case]
    cells: np.ndarray  # int64[cell, 2]: the cells that hold cases, ascending, and how many
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
        n_words = (codes << table.shift >> WORD) + 1
        return cls(
            np.zeros(n_words << WORD, np.int64),
            np.zeros(n_words, np.uint64),
            np.empty((n_classes, table.flags.shape[1] + k), np.int64),
            np.empty(n_classes, np.int64),
            np.empty((codes, 2)),
            np.empty((codes, 2), np.int64),
            np.empty((3, n_classes), np.int64),
            np.empty(n, np.int64),
            np.empty((n, 2), np.int64),
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


@part
def whole_xlogx(table, k):
    """Return k * log2(k) of a whole number."""
    return table[k] if k < table.size else xlogx(table, np.float64(k))


# ------------------------------------------------------------------------------ finding a set


@part
def find(memory, print0, print1):
    """Return (set, slot): NONE and a free slot if the set is new."""
    mask = memory.slots.size - 1
    slot = np.int64(print0 & np.uint64(mask))
    while memory.slots[slot] != 0:
        e = memory.slots[slot] - 1
        if memory.print[e, 0] == print0 and memory.print[e, 1] == print1:
            return np.int64(e), slot
        slot = (slot + 1) & mask
    return np.int64(NONE), slot


@part
def is_closed(memory, e):
    """Tell whether a set is pure or too small to split; its rows are not kept."""
    return memory.about[e, LO] == memory.about[e, HI]


@section
def add(table, errors, plan, memory, slot, above, print0, print1, counts, aside, n, n_aside):
    """Add a set with these counts and reserve its rows; return it, or FULL."""
    largest, size = 0.0, 0.0
    for c in range(counts.size):
        size += counts[c]
        if counts[c] > largest:
            largest = counts[c]
    stops = largest >= size - 1e-9 or size < 2.0 * plan.min_cases - 1e-9
    e, start = memory.used[0], memory.used[2]
    end = start if stops else start + n + n_aside
    if e >= memory.cost.shape[0] or end > memory.rows.size:
        return np.int64(FULL)
    memory.used[0] = e + 1
    memory.used[2] = end
    memory.slots[slot] = e + 1
    memory.print[e, 0] = print0
    memory.print[e, 1] = print1
    memory.about[e, LO] = start
    memory.about[e, MID] = start if stops else start + n
    memory.about[e, HI] = end
    memory.cost[e, SIZE] = size
    memory.about[e, ABOVE] = above
    memory.about[e, PAGE] = NONE
    for c in range(counts.size):
        memory.counts[e, c] = counts[c]
    memory.cost[e, LEAF] = cost_as_leaf(errors, plan, counts, aside, size)
    memory.cost[e, FLOOR] = floor_of(table, plan, counts, size) * plan.least_penalty
    return e


@part
def floor_of(table, plan, counts, size):
    """Return errors that every tree for these cases must expect."""
    if plan.aside or plan.form == TRAINING_ERROR:
        return 0.0
    return least_errors(table.excess, counts, size, expected_error(size, 0.0, plan.cf, plan.form))


@part
def cost_as_leaf(errors, plan, counts, aside, size):
    """Return the expected cost of answering for all cases of a set (section 3.2.2).

    Where enough cases are set aside, the cost of their errors stands for that of all.
    """
    if plan.sized:
        return 1.0
    label = majority_label(counts) if plan.uniform else cheapest_label(errors, counts)
    if plan.aside:
        m = 0.0
        for c in range(aside.size):
            m += aside[c]
        if m >= LEAST_ASIDE:
            return cost_of_answer(errors, aside, label) / m * size
    return leaf_cost(errors, counts, label, plan.cf, plan.form, plan.multinomial)


# ------------------------------------------------------------------------------ gains


@part
def look(table, plan, memory, desk, e):
    """Return the page of a set, with the use of every test; FULL if there is no room."""
    page = memory.used[1]
    if memory.about[e, PAGE] != NONE:
        return np.int64(memory.about[e, PAGE])
    if page >= memory.use.shape[0]:
        return np.int64(FULL)
    memory.used[1] = page + 1
    memory.about[e, PAGE] = page
    above = memory.about[e, ABOVE]
    hint = NONE if above == NONE else memory.about[above, PAGE]
    base = bits_of(table, memory, e)
    n_classes = rank_classes(memory, desk, e)
    count_flags(table, memory, desk, e, n_classes)
    for a in range(table.nominal.size):
        memory.use[page, a] = -1.0
        memory.split[page, a, LINK] = NONE
        # What cannot split a larger set cannot split this one.
        if not table.usable[a] or (hint != NONE and memory.use[hint, a] < 0.0):
            continue
        gain = -1.0
        if table.nominal[a]:
            first = table.column[a]
            if first == NONE:
                first = np.int64(table.flags.shape[1])
                count_values(table, memory, desk, e, a, n_classes, first)
            gain = value_gain(table, plan, memory, desk, e, a, base, n_classes, first)
        else:
            if list_cuts(table, plan, memory, desk, e, a, base, False) > 0:
                gain = desk.cut_facts[0, GAIN_OF]
                memory.split[page, a, CUT] = last_below(
                    table, plan, a, desk.cut_ranks[0, 0], desk.cut_ranks[0, 1]
                )
        if gain >= 0.0:
            memory.use[page, a] = use(plan.criterion, gain)
    return page


@part
def bits_of(table, memory, e):
    """Return the number of cases of a set times their entropy."""
    total = whole_xlogx(table.xlogx, np.int64(memory.cost[e, SIZE]))
    for c in range(table.n_classes):
        total -= whole_xlogx(table.xlogx, np.int64(memory.counts[e, c]))
    return total


@section
def rank_classes(memory, desk, e):
    """Give each class that a set has a number; return how many there are."""
    n = np.int64(0)
    for c in range(desk.rank.size):
        desk.rank[c] = n
        n += memory.counts[e, c] > 0.0
    return n


@section
def count_flags(table, memory, desk, e, n_classes):
    """Count the values of all nominal tests that have flags, class by class."""
    width = table.flags.shape[1]
    for c in range(n_classes):
        for v in range(width):
            desk.tally[c, v] = 0
    for i in range(memory.about[e, LO], memory.about[e, MID]):
        row = memory.rows[i]
        c, weight = desk.rank[table.classes[row]], table.weights[row]
        for v in range(width):
            desk.tally[c, v] += table.flags[row, v] & weight


@part
def count_values(table, memory, desk, e, a, n_classes, first):
    """Count the values of one nominal test, class by class."""
    domain = table.domain[a]
    for c in range(n_classes):
        for v in range(first, first + domain):
            desk.tally[c, v] = 0
    for i in range(memory.about[e, LO], memory.about[e, MID]):
        row = memory.rows[i]
        value = table.cells[a, row] >> table.shift
        if value < domain:
            desk.tally[desk.rank[table.classes[row]], first + value] += table.weights[row]


@section
def value_gain(table, plan, memory, desk, e, a, base, n_classes, first):
    """Return the gain of a nominal test, -1 if it does not split the set."""
    values, large, known, rest = 0, 0, np.int64(0), base
    for v in range(first, first + table.domain[a]):
        n = np.int64(0)
        for c in range(n_classes):
            k = desk.tally[c, v]
            n += k
            rest += whole_xlogx(table.xlogx, k)
        rest -= whole_xlogx(table.xlogx, n)
        known += n
        values += n > 0
        large += n >= plan.min_cases - 1e-9
    if known < memory.cost[e, SIZE]:
        rest += joined(table, memory, desk, e, a, known, first)
    gain = rest / memory.cost[e, SIZE]
    gain = gain if gain > NOISE else 0.0
    return gain if values >= 2 and large >= 2 else -1.0


@part
def joined(table, memory, desk, e, a, known, first):
    """Return what the bits gain as the cases without a value join the heaviest one."""
    heaviest, most = first, np.int64(-1)
    for v in range(first, first + table.domain[a]):
        n = np.int64(0)
        for c in range(table.n_classes):
            if memory.counts[e, c] > 0.0:
                n += desk.tally[desk.rank[c], v]
        if n > most:
            heaviest, most = np.int64(v), n
    more = np.int64(memory.cost[e, SIZE]) - known
    gain = whole_xlogx(table.xlogx, most) - whole_xlogx(table.xlogx, most + more)
    for c in range(table.n_classes):
        if memory.counts[e, c] > 0.0:
            k = desk.tally[desk.rank[c], heaviest]
            more = np.int64(memory.counts[e, c])
            for v in range(first, first + table.domain[a]):
                more -= desk.tally[desk.rank[c], v]
            gain += whole_xlogx(table.xlogx, k + more) - whole_xlogx(table.xlogx, k)
    return gain


@section
def sort_cells(table, desk, rows, lo, n, a):
    """List the cells of a test that hold cases ``rows[lo:lo + n]``, ascending; return how many.

    A few cases are ranked against each other: without branches to guess, that is fastest, and
    equal cells follow each other. Many are counted, and a bit marks each cell that holds some.
    """
    cells = table.cells
    words = (((table.domain[a] + 1) << table.shift) >> WORD) + 1
    found = n
    if n < FEW or n * n < FEW * words:
        for i in range(n):
            desk.keys[i] = (np.int64(cells[a, rows[lo + i]]) << 32) + i
        for i in range(n):
            key, rank = desk.keys[i], np.int64(0)
            for j in range(n):
                rank += desk.keys[j] < key
            desk.cells[rank, 0] = key >> 32
            desk.cells[rank, 1] = table.weights[rows[lo + i]]
    else:
        for i in range(lo, lo + n):
            row = rows[i]
            cell = cells[a, row]
            desk.hist[cell] += table.weights[row]
            desk.marks[cell >> WORD] |= ONE << np.uint64(cell & LAST_BIT)
        found = np.int64(0)
        for word in range(words):
            left = desk.marks[word]
            desk.marks[word] = ZERO
            while left != ZERO:
                low = left & (~left + ONE)
                left ^= low
                cell = (word << WORD) + BIT_OF[(low * DE_BRUIJN) >> np.uint64(58)]
                desk.cells[found, 0] = cell
                desk.cells[found, 1] = desk.hist[cell]
                desk.hist[cell] = 0
                found += 1
    return found


@section
def pass_cell(table, desk, i, c):
    """Move the cases of a cell, of class ``c``, from right to left; return what the bits gain."""
    k, left, right = desk.cells[i, 1], desk.sides[LEFT, c], desk.sides[RIGHT, c]
    desk.sides[LEFT, c] = left + k
    desk.sides[RIGHT, c] = right - k
    if k == 1 and left + right < table.steps.size:
        gain = table.steps[left] - table.steps[right - 1]
    else:
        gain = whole_xlogx(table.xlogx, left + k) - whole_xlogx(table.xlogx, left)
        gain += whole_xlogx(table.xlogx, right - k) - whole_xlogx(table.xlogx, right)
    return gain


@section
def list_cuts(table, plan, memory, desk, e, a, base, every):
    """List the legal cuts of a numeric test, ascending, with their gains; return how many.

    Unless ``every`` cut is wanted, only the best one is listed. The bits of each place between
    two cells are worked out before asking whether a cut may be there: that is faster than to
    guess wrong.
    """
    shift, xlogx_of, domain = table.shift, table.xlogx, table.domain[a]
    lo, mid = memory.about[e, LO], memory.about[e, MID]
    n = sort_cells(table, desk, memory.rows, lo, mid - lo, a)
    missing, inside = np.int64(0), base
    for c in range(table.n_classes):
        desk.sides[MISSING, c] = 0
        desk.sides[LEFT, c] = 0
    while n > 0 and desk.cells[n - 1, 0] >> shift == domain:
        n -= 1
        desk.sides[MISSING, desk.cells[n, 0] - (domain << shift)] += desk.cells[n, 1]
        missing += desk.cells[n, 1]
    for c in range(table.n_classes):
        desk.sides[RIGHT, c] = np.int64(memory.counts[e, c]) - desk.sides[MISSING, c]
        inside += whole_xlogx(xlogx_of, desk.sides[RIGHT, c])
    known = np.int64(memory.cost[e, SIZE]) - missing
    least, least_bits = np.int64(np.ceil(plan.min_cases - 1e-9)), NOISE * memory.cost[e, SIZE]
    cuts, low, goal = 0, np.int64(0), -np.inf
    for i in range(n - 1):
        code, above = desk.cells[i, 0] >> shift, desk.cells[i + 1, 0] >> shift
        inside += pass_cell(table, desk, i, desk.cells[i, 0] - (code << shift))
        low += desk.cells[i, 1]
        bits = inside - whole_xlogx(xlogx_of, low) - whole_xlogx(xlogx_of, known - low)
        if missing > 0 and code < above:
            bits = base + routed_bits(table, desk, low, known - low, missing)
        if (bits > goal) & (code < above) & (low >= least) & (known - low >= least):
            bits = bits if bits > least_bits else 0.0
            desk.cut_facts[cuts, GAIN_OF] = bits / memory.cost[e, SIZE]
            desk.cut_facts[cuts, LOW] = low
            desk.cut_ranks[cuts, 0] = code
            desk.cut_ranks[cuts, 1] = above
            if every:
                cuts += 1
            else:
                goal = bits + TOLERANCE * bits
                goal = goal if goal > least_bits else least_bits
    cuts += goal >= 0.0
    desk.cut_facts[cuts, LOW] = known
    return cuts


@part
def last_below(table, plan, a, below, above):
    """Return the largest rank below a cut between two ranks.

    Only cases set aside can have a value between those of a node's own cases.
    """
    if plan.aside:
        start = table.start[a]
        _, threshold = place_cut(table, a, below, above, False)
        while below + 1 < above and table.values[start + below + 1] <= threshold:
            below += 1
    return below


@part
def routed_bits(table, desk, low, high, missing):
    """Return minus the bits of both sides of a cut, cases without a value on the heavier one."""
    more_left = missing if low >= high else np.int64(0)
    total = -whole_xlogx(table.xlogx, low + more_left)
    total -= whole_xlogx(table.xlogx, high + missing - more_left)
    for c in range(table.n_classes):
        more = desk.sides[MISSING, c] if low >= high else np.int64(0)
        total += whole_xlogx(table.xlogx, desk.sides[LEFT, c] + more)
        total += whole_xlogx(table.xlogx, desk.sides[RIGHT, c] + desk.sides[MISSING, c] - more)
    return total


# ------------------------------------------------------------------------------ splitting


@section
def split(table, errors, plan, memory, desk, e, a, cut):
    """Split a set by a test and note its parts on the desk; return their number or FULL."""
    k = table.domain[a] if table.nominal[a] else 2
    for b in range(k):
        desk.parts[b, NUMBER] = 0
        desk.parts[b, APART] = 0
        desk.parts[b, WEIGHT] = 0
        desk.print[b, 0] = 0
        desk.print[b, 1] = 0
        for c in range(table.n_classes):
            desk.counts[b, c] = 0.0
            if plan.aside:
                desk.aside[b, c] = 0.0
    lo, mid, hi = memory.about[e, LO], memory.about[e, MID], memory.about[e, HI]
    missing = send(table, memory, desk, a, cut, lo, mid)
    if missing or mid < hi:
        send_rest(table, memory, desk, a, cut, k, lo, mid, hi)
    for b in range(k):
        desk.parts[b, CHILD] = NONE
        desk.parts[b, PLACE] = NONE
        if desk.parts[b, NUMBER] == 0:
            continue
        child, slot = find(memory, desk.print[b, 0], desk.print[b, 1])
        if child == NONE:
            child = add(
                table, errors, plan, memory, slot, e, desk.print[b, 0], desk.print[b, 1],
                desk.counts[b], desk.aside[b], desk.parts[b, NUMBER], desk.parts[b, APART],
            )  # fmt: skip
            if child == FULL:
                return np.int64(FULL)
            if not is_closed(memory, child):
                desk.parts[b, PLACE] = memory.about[child, LO]
                desk.parts[b, PLACE_APART] = memory.about[child, MID]
        desk.parts[b, CHILD] = child
    hand_down(memory, desk, lo, mid, hi)
    return np.int64(k)


@part
def branch_of(table, a, cut, cell):
    """Return the branch that a cell takes, NONE if its value is missing."""
    code = cell >> table.shift
    if code >= table.domain[a]:
        return np.int64(NONE)
    if table.nominal[a]:
        return np.int64(code)
    return np.int64(0) if code <= cut else np.int64(1)


@section
def send(table, memory, desk, a, cut, lo, mid):
    """Send the cases of a set down the branches of a test; tell whether any value is missing."""
    cells, rows, any_missing = table.cells[a], memory.rows, False
    for i in range(lo, mid):
        row = rows[i]
        b = branch_of(table, a, cut, cells[row])
        desk.branch[i - lo] = b
        if b == NONE:
            any_missing = True
        else:
            join(table, desk, row, b)
    return any_missing


@part
def join(table, desk, row, b):
    """Let a case join a branch."""
    desk.parts[b, NUMBER] += 1
    desk.parts[b, WEIGHT] += table.weights[row]
    desk.print[b, 0] ^= table.keys[row, 0]
    desk.print[b, 1] ^= table.keys[row, 1]
    desk.counts[b, table.classes[row]] += table.weights[row]


@part
def send_rest(table, memory, desk, a, cut, k, lo, mid, hi):
    """Send missing values down the heaviest branch, then the cases that are set aside.

    Of these, one whose branch no case took drops out.
    """
    heaviest = np.int64(0)
    for b in range(k):
        if desk.parts[b, WEIGHT] > desk.parts[heaviest, WEIGHT]:
            heaviest = np.int64(b)
    for i in range(lo, mid):
        if desk.branch[i - lo] == NONE:
            desk.branch[i - lo] = heaviest
            join(table, desk, memory.rows[i], heaviest)
    for i in range(mid, hi):
        row = memory.rows[i]
        b = branch_of(table, a, cut, table.cells[a, row])
        if b == NONE:
            b = heaviest
        if desk.parts[b, NUMBER] == 0:
            b = np.int64(NONE)
        else:
            desk.parts[b, APART] += 1
            desk.print[b, 0] ^= table.keys[row, 0]
            desk.print[b, 1] ^= table.keys[row, 1]
            desk.aside[b, table.classes[row]] += table.weights[row]
        desk.branch[i - lo] = b


@section
def hand_down(memory, desk, lo, mid, hi):
    """Write the rows of the new parts that may be split further."""
    for i in range(lo, hi):
        b = desk.branch[i - lo]
        if b != NONE and desk.parts[b, PLACE] != NONE:
            side = 0 if i < mid else 1
            memory.rows[desk.parts[b, PLACE + side]] = memory.rows[i]
            desk.parts[b, PLACE + side] += 1


@section
def parts_of(table, errors, plan, memory, desk, e, a):
    """Return where the parts of a set by a test's best cut stand, splitting it if need be."""
    page = memory.about[e, PAGE]
    first = np.int64(memory.split[page, a, LINK])
    if first == NONE:
        k = split(table, errors, plan, memory, desk, e, a, np.int64(memory.split[page, a, CUT]))
        first = memory.used[3]
        if k == FULL or first + k > memory.children.size:
            first = np.int64(FULL)
        else:
            for b in range(k):
                memory.children[first + b] = desk.parts[b, CHILD]
            memory.used[3] = first + k
            memory.split[page, a, LINK] = first
    return first


@part
def enter(table, errors, plan, memory, desk, order, lo, mid, hi):
    """Return the set of cases ``order[lo:hi]``, from ``mid`` on set aside, or FULL."""
    print0, print1 = np.uint64(0), np.uint64(0)
    for c in range(table.n_classes):
        desk.counts[0, c] = 0.0
        desk.aside[0, c] = 0.0
    for i in range(lo, hi):
        row = order[i]
        print0 ^= table.keys[row, 0]
        print1 ^= table.keys[row, 1]
        if i < mid:
            desk.counts[0, table.classes[row]] += table.weights[row]
        else:
            desk.aside[0, table.classes[row]] += table.weights[row]
    e, slot = find(memory, print0, print1)
    if e != NONE:
        return e
    e = add(
        table, errors, plan, memory, slot, np.int64(NONE), print0, print1, desk.counts[0],
        desk.aside[0], mid - lo, hi - mid,
    )  # fmt: skip
    if e != FULL and not is_closed(memory, e):
        start = memory.about[e, LO]
        for i in range(lo, hi):
            memory.rows[start + i - lo] = order[i]
    return e
