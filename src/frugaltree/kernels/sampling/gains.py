"""The gains of every test for a set of cases, counted once and kept with the set."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.cost_classes import add_up_classes, class_at, ends_class
from frugaltree.kernels.criteria import gain_term
from frugaltree.kernels.data.cells import sort_cells
from frugaltree.kernels.data.entropy import xlogx
from frugaltree.kernels.data.nodes import HIGH, LACKING, LOW
from frugaltree.kernels.data.thresholds import place_cut
from frugaltree.kernels.jit import atom, part
from frugaltree.kernels.sampling.cache import rows_of
from frugaltree.kernels.sentinels import FULL, NONE
from frugaltree.kernels.ties import NOISE, TOLERANCE

BEST_CUT, ALL_CUTS = range(2)
"""What :func:`list_cuts` lists."""


@atom
def whole_xlogx(table, k):
    """Return k * log2(k) of a whole number."""
    return table[k] if k < table.size else xlogx(table, np.float64(k))


@part
def evaluate_set(sets, e):
    """Return the number of an evaluated set, with the use of every test; FULL if out of room."""
    table, cache, known = sets.table, sets.cache, sets.cache.sets[e]
    if known.evaluated != NONE:
        return np.int64(known.evaluated)
    number = cache.used.evaluated
    if number >= cache.use.shape[0]:
        return np.int64(FULL)
    cache.used.evaluated = number + 1
    known.evaluated = number
    hint = np.int64(NONE)
    if known.above != NONE:
        hint = np.int64(cache.sets[known.above].evaluated)
    base = entropy_bits(sets, e)
    n_classes = rank_classes(sets, e)
    count_flags(sets, e, n_classes)
    for a in range(table.nominal.size):
        cache.use[number, a] = -1.0
        split = cache.splits[number, a]
        split.first = NONE
        # What cannot split a larger set cannot split this one, unless a branch was too small.
        hinted = hint != NONE and sets.plan.min_leaf == 0.0
        if not table.usable[a] or (hinted and cache.use[hint, a] < 0.0):
            continue
        gain = -1.0
        if table.nominal[a]:
            first = table.column[a]
            if first == NONE:
                first = np.int64(table.flags.shape[1])
                count_set_values(sets, e, a, n_classes, first)
            gain = gain_of_values(sets, e, a, base, n_classes, first)
        elif list_cuts(sets, e, a, base, np.int64(BEST_CUT)) > 0:
            best = sets.buffers.cuts[0]
            gain = best.gain
            split.cut = last_rank_below(table, sets.plan, a, best.below, best.above)
        if gain >= 0.0:
            cache.use[number, a] = gain_term(sets.plan.criterion, gain)
    return number


@part
def entropy_bits(sets, e):
    """Return the number of cases of a set times their entropy."""
    table, cache, one = sets.table, sets.cache, np.int64(0)
    total = whole_xlogx(table.xlogx, np.int64(cache.sets[e].weight))
    for c in range(table.n_classes):
        one += np.int64(cache.counts[e, c])
        if ends_class(sets.classes.class_of, c):
            total -= whole_xlogx(table.xlogx, one)
            one = np.int64(0)
    return total


@atom
def rank_classes(sets, e):
    """Give each class that a set has a number; return how many there are."""
    n, rank, one = np.int64(0), sets.buffers.rank, 0.0
    for c in range(rank.size):
        rank[c] = n
        one += sets.cache.counts[e, c]
        if ends_class(sets.classes.class_of, c):
            n += one > 0.0
            one = 0.0
    return n


@atom
def count_flags(sets, e, n_classes):
    """Count the values of all nominal tests that have flags, class by class."""
    table, tally, cases = sets.table, sets.buffers.tally, rows_of(sets.cache, e)
    width = table.flags.shape[1]
    for c in range(n_classes):
        for v in range(width):
            tally[c, v] = 0
    for i in range(cases.lo, cases.mid):
        row = cases.rows[i]
        c, weight = sets.buffers.rank[table.classes[row]], table.weights[row]
        for v in range(width):
            tally[c, v] += table.flags[row, v] & weight


@part
def count_set_values(sets, e, a, n_classes, first):
    """Count the values of one nominal test, class by class."""
    table, tally, cases = sets.table, sets.buffers.tally, rows_of(sets.cache, e)
    domain = table.domain[a]
    for c in range(n_classes):
        for v in range(first, first + domain):
            tally[c, v] = 0
    for i in range(cases.lo, cases.mid):
        row = cases.rows[i]
        value = table.cells[a, row] >> table.shift
        tally[sets.buffers.rank[table.classes[row]], first + value] += table.weights[row]


@atom
def gain_of_values(sets, e, a, base, n_classes, first):
    """Return the gain of a nominal test, -1 if it does not split the set."""
    table, tally, weight = sets.table, sets.buffers.tally, sets.cache.sets[e].weight
    values, large, small, rest = 0, 0, 0, base
    for v in range(first, first + table.domain[a]):
        n = np.int64(0)
        for c in range(n_classes):
            k = tally[c, v]
            n += k
            rest += whole_xlogx(table.xlogx, k)
        rest -= whole_xlogx(table.xlogx, n)
        values += n > 0
        large += n >= sets.plan.min_cases - 1e-9
        small += n > 0 and n < sets.plan.min_leaf - 1e-9
    gain = rest / weight
    gain = gain if gain > NOISE else 0.0
    return gain if values >= 2 and large >= 2 and small == 0 else -1.0


@atom
def move_left(table, sides, k, c):
    """Move ``k`` cases of class ``c`` from right to left; return what the bits gain."""
    left, right = sides[LOW, c], sides[HIGH, c]
    sides[LOW, c] = left + k
    sides[HIGH, c] = right - k
    if k == 1 and left + right < table.steps.size:
        gain = table.steps[left] - table.steps[right - 1]
    else:
        gain = whole_xlogx(table.xlogx, left + k) - whole_xlogx(table.xlogx, left)
        gain += whole_xlogx(table.xlogx, right - k) - whole_xlogx(table.xlogx, right)
    return gain


@atom
def list_cuts(sets, e, a, base, wanted):
    """List the legal cuts of a numeric test, ascending, with their gains; return how many.

    Where the BEST_CUT is wanted and not ALL_CUTS, only that one is listed. The bits of each place
    between two cells are worked out before asking whether a cut may be there: that is faster than
    to guess wrong.
    """
    table, cuts, sides = sets.table, sets.buffers.cuts, sets.buffers.sides
    cells, weight = sets.buffers.sorter.cells, sets.cache.sets[e].weight
    shift, xlogx_of, domain = table.shift, table.xlogx, table.domain[a]
    class_of = sets.classes.class_of
    cases = rows_of(sets.cache, e)
    n = sort_cells(table, sets.buffers.sorter, cases.rows, cases.lo, cases.mid - cases.lo, a)
    missing, inside = np.int64(0), base
    for c in range(table.n_classes):
        sides[LACKING, c] = 0
        sides[LOW, c] = 0
    while n > 0 and cells[n - 1, 0] >> shift == domain:
        n -= 1
        sides[LACKING, cells[n, 0] - (domain << shift)] += cells[n, 1]
        missing += cells[n, 1]
    for c in range(table.n_classes):
        sides[HIGH, c] = np.int64(sets.cache.counts[e, c]) - sides[LACKING, c]
    add_up_classes(sides[HIGH], class_of)
    add_up_classes(sides[LACKING], class_of)
    for c in range(table.n_classes):
        inside += whole_xlogx(xlogx_of, sides[HIGH, c])
    if missing > 0:
        inside -= whole_xlogx(xlogx_of, missing)
        for c in range(table.n_classes):
            inside += whole_xlogx(xlogx_of, sides[LACKING, c])
    known = np.int64(weight) - missing
    if missing > 0 and missing < sets.plan.min_leaf - 1e-9:
        n = np.int64(0)
    least, least_bits = np.int64(np.ceil(sets.plan.min_cases - 1e-9)), NOISE * weight
    listed, low, goal = 0, np.int64(0), -np.inf
    for i in range(n - 1):
        code, above = cells[i, 0] >> shift, cells[i + 1, 0] >> shift
        c = class_at(class_of, cells[i, 0] - (code << shift))
        inside += move_left(table, sides, cells[i, 1], c)
        low += cells[i, 1]
        bits = inside - whole_xlogx(xlogx_of, low) - whole_xlogx(xlogx_of, known - low)
        if (bits > goal) & (code < above) & (low >= least) & (known - low >= least):
            bits = bits if bits > least_bits else 0.0
            cut = cuts[listed]
            cut.gain = bits / weight
            cut.n_below = low
            cut.below = code
            cut.above = above
            if wanted == ALL_CUTS:
                listed += 1
            else:
                goal = bits + TOLERANCE * bits
                goal = goal if goal > least_bits else least_bits
    listed += goal >= 0.0
    cuts[listed].n_below = known
    return listed


@part
def last_rank_below(table, plan, a, below, above):
    """Return the largest rank below a cut between two ranks.

    Only cases held out can have a value between those of a node's own cases.
    """
    if plan.held_out:
        start = table.start[a]
        _, threshold = place_cut(table, a, below, above, False)
        while below + 1 < above and table.values[start + below + 1] <= threshold:
            below += 1
    return below
