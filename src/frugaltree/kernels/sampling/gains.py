"""The gains of every test for a set of cases, counted once and kept with the set."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.criteria import use
from frugaltree.kernels.data.cells import LEFT, RIGHT, WITHOUT, sort_cells
from frugaltree.kernels.data.entropy import xlogx
from frugaltree.kernels.data.thresholds import place_cut
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.sampling.cache import (
    ABOVE,
    CUT,
    GAIN_OF,
    LINK,
    LO,
    LOW,
    MID,
    PAGE,
    SIZE,
)
from frugaltree.kernels.sentinels import FULL, NONE
from frugaltree.kernels.ties import NOISE, TOLERANCE


@part
def whole_xlogx(table, k):
    """Return k * log2(k) of a whole number."""
    return table[k] if k < table.size else xlogx(table, np.float64(k))


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
def pass_cell(table, desk, i, c):
    """Move the cases of a cell, of class ``c``, from right to left; return what the bits gain."""
    k, left, right = desk.sorter.cells[i, 1], desk.sides[LEFT, c], desk.sides[RIGHT, c]
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
    n = sort_cells(table, desk.sorter, memory.rows, lo, mid - lo, a)
    missing, inside = np.int64(0), base
    for c in range(table.n_classes):
        desk.sides[WITHOUT, c] = 0
        desk.sides[LEFT, c] = 0
    while n > 0 and desk.sorter.cells[n - 1, 0] >> shift == domain:
        n -= 1
        desk.sides[WITHOUT, desk.sorter.cells[n, 0] - (domain << shift)] += desk.sorter.cells[n, 1]
        missing += desk.sorter.cells[n, 1]
    for c in range(table.n_classes):
        desk.sides[RIGHT, c] = np.int64(memory.counts[e, c]) - desk.sides[WITHOUT, c]
        inside += whole_xlogx(xlogx_of, desk.sides[RIGHT, c])
    known = np.int64(memory.cost[e, SIZE]) - missing
    least, least_bits = np.int64(np.ceil(plan.min_cases - 1e-9)), NOISE * memory.cost[e, SIZE]
    cuts, low, goal = 0, np.int64(0), -np.inf
    for i in range(n - 1):
        code, above = desk.sorter.cells[i, 0] >> shift, desk.sorter.cells[i + 1, 0] >> shift
        inside += pass_cell(table, desk, i, desk.sorter.cells[i, 0] - (code << shift))
        low += desk.sorter.cells[i, 1]
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
        more = desk.sides[WITHOUT, c] if low >= high else np.int64(0)
        total += whole_xlogx(table.xlogx, desk.sides[LEFT, c] + more)
        total += whole_xlogx(table.xlogx, desk.sides[RIGHT, c] + desk.sides[WITHOUT, c] - more)
    return total
