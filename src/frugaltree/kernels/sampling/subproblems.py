"""A memory of the subproblems met: sets of cases, what each tells, and how each splits.

Sampled trees pass through the same sets of cases over and over: whichever way the tests are
taken, the same answers lead to the same cases. So each set is looked at once. Its fingerprint
(128 bits, the exclusive or of a random key per case) finds it again; its gains, its cost as a leaf
and the sets that a test splits it into are kept. Nothing that is kept depends on how the set was
reached: prices and draws, which do, are applied by the walk.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.bounds import least_errors
from frugaltree.kernels.cost.error_estimate import TRAINING_ERROR, expected_error
from frugaltree.kernels.cost.leaf import cheapest_label, cost_of_answer, leaf_cost, majority_label
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.sampling.cache import (
    ABOVE,
    APART,
    CHILD,
    CUT,
    FLOOR,
    HI,
    LEAF,
    LINK,
    LO,
    MID,
    NUMBER,
    PAGE,
    PLACE,
    PLACE_APART,
    SIZE,
    WEIGHT,
)
from frugaltree.kernels.sentinels import FULL, NONE

LEAST_ASIDE = 5.0
"""With fewer set-aside cases at a node, its errors are estimated from those it grew from."""


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
