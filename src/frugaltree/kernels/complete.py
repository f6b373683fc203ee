"""EG2 in C4.5's frame on complete cases that count once: many trees, as fast as can be.

Counts are whole numbers here, so that entropies are looked up; what a node and a test have in
common is worked out once; and a test that cannot win any more is not looked at. The trees are
those of :mod:`frugaltree.kernels.grow`.

The cases of a node are ``who[begin[node]:end[node]]``, a run within its parent's. Each numeric
test has a list of its own, parted likewise but sorted by the test. Places and codes have no sign,
for an index with a sign is checked for being negative.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frugaltree.kernels.choose import NONE
from frugaltree.kernels.grow import FULL, set_leaf, stops, width
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.measures import EG2, NOISE, TOLERANCE, beats, dampening, info, use
from frugaltree.kernels.split import CLOSE, minimal_side

ZERO, ONE = np.uint32(0), np.uint32(1)

IDLE, PAID = 1, 2
"""What the tests above have made of a test: one value is left, or its result is known."""

MARGIN = 1.0 - 1e-6
"""A test that cannot reach this share of the best worth so far is not looked at."""


class Ground(NamedTuple):
    """What all trees of a table share.

    A cell is ``code << shift | class``.
    """

    cells: np.ndarray  # uint32[a, n]
    rows: np.ndarray  # uint32[n, a]: the codes once more, case by case
    order: np.ndarray  # uint32[list, n]: the cases sorted by each numeric test
    list_of: np.ndarray  # int64[a]: NONE for a nominal test
    dense: np.ndarray  # uint8[a]: 1 where a numeric test has values too close to part
    shift: int
    n_grown: int  # how many cases a tree is grown on
    min_cases: float
    need: np.uint32  # the same as a whole number of cases
    limit: float  # a test of a higher price is not available
    form: int  # of the expected error


class Bench(NamedTuple):
    """Where a tree is grown, pruned and judged."""

    chosen: np.ndarray  # uint8[n]: 1 for the cases to grow on
    who: np.ndarray  # uint32[place]: these cases
    others: np.ndarray  # uint32[place]: the rest
    roots: np.ndarray  # uint32[list, place]: the lists of the root
    lists: np.ndarray  # uint32[list, place]
    spare: np.ndarray  # uint32[place]
    branch: np.ndarray  # uint32[n]
    place: np.ndarray  # uint32[branch]
    stack: np.ndarray  # int64[height, 2]: node, and what to do with it
    marks: np.ndarray  # uint8[height, a]: beside the stack, IDLE and PAID
    begin: np.ndarray  # int64[node]
    end: np.ndarray  # int64[node]
    counts: np.ndarray  # float64[class]
    hist: np.ndarray  # uint32[cell]: zero between uses
    sizes: np.ndarray  # uint32[code]: zero between uses
    at: np.ndarray  # uint32[class]: where a class stands in ``both``
    both: np.ndarray  # float64: for each class, x log x of its cases on both sides of a cut
    sides: np.ndarray  # float64[place]: x log x of the sides
    ranking: np.ndarray  # int64[a]: the available tests, cheapest first
    damp: np.ndarray  # float64[a]: what a test's price makes of its use
    worth: np.ndarray  # float64[a]: -1 where a test cannot be used
    cut: np.ndarray  # int64[a]: the last place below the best cut
    errors: np.ndarray  # float64[node]
    strays: np.ndarray  # uint32[slot << shift | class]: zero between uses
    met: np.ndarray  # uint8[slot]: 1 where strays have come to, zero between uses
    touched: np.ndarray  # int64[slot]: these slots
    paid: np.ndarray  # uint8[a]
    opened: np.ndarray  # uint8[g]
    charges: np.ndarray  # float64[node]
    bills: np.ndarray  # float64[node]
    owner: np.ndarray  # int64[node]
    usage: np.ndarray  # float64[a]
    labels: np.ndarray  # int64[node]
    way: np.ndarray  # int64[height, 3]

    @classmethod
    def empty(
        cls, ground: Ground, n_classes: int, widest: int, n_groups: int, n_nodes: int, n_slots: int
    ) -> Bench:
        """Return room for trees of so many nodes and slots for children."""
        (n_tests, n), n_lists, m = ground.cells.shape, len(ground.order), ground.n_grown
        return cls(
            np.empty(n, np.uint8),
            np.empty(n + 1, np.uint32),
            np.empty(n + 1, np.uint32),
            np.empty((n_lists, m + 1), np.uint32),
            np.empty((n_lists, m), np.uint32),
            np.empty(m, np.uint32),
            np.empty(n, np.uint32),
            np.empty(widest, np.uint32),
            np.empty((n_nodes + 1, 2), np.int64),
            np.empty((m // 2 + 2, n_tests), np.uint8),
            np.empty(n_nodes, np.int64),
            np.empty(n_nodes, np.int64),
            np.empty(n_classes),
            np.zeros(widest << ground.shift, np.uint32),
            np.zeros(widest, np.uint32),
            np.empty(n_classes, np.uint32),
            np.empty(m + n_classes),
            np.empty(m + 1),
            np.empty(n_tests, np.int64),
            np.empty(n_tests),
            np.empty(n_tests),
            np.empty(n_tests, np.int64),
            np.empty(n_nodes),
            np.zeros(n_slots << ground.shift, np.uint32),
            np.zeros(n_slots, np.uint8),
            np.empty(n_slots, np.int64),
            np.empty(n_tests, np.uint8),
            np.empty(n_groups, np.uint8),
            np.empty(n_nodes),
            np.empty(n_nodes),
            np.empty(n_nodes, np.int64),
            np.empty(n_tests),
            np.empty(n_nodes, np.int64),
            np.empty((n_nodes + widest, 3), np.int64),
        )


@part
def rank_tests(prices, w, usable, limit, bench):
    """List the available tests by price, cheapest first; return how many there are."""
    n = np.int64(0)
    for a in range(prices.size):
        bench.damp[a] = dampening(np.int64(EG2), prices[a], w)
        if not usable[a] or prices[a] > limit:
            continue
        i = n
        while i > 0 and prices[bench.ranking[i - 1]] > prices[a]:
            bench.ranking[i] = bench.ranking[i - 1]
            i -= 1
        bench.ranking[i] = a
        n += 1
    return n


@part
def keep_chosen(order, chosen, out):
    """Copy the chosen cases of a sorted list; ``out`` has room for one more."""
    at = 0
    for i in range(order.size):
        row = order[i]
        out[at] = row
        at += np.int64(chosen[row])


# ------------------------------------------------------------------------------- looking


@section
def nominal_gain(table, cells, shift, domain, n_classes, rows, need, base, hist, sizes):
    """Return (information gained over all cases, values that occur) of a nominal test.

    The gain is -1 if fewer than two values have ``need`` cases. Where there are more cells than
    cases, the gain grows case by case.
    """
    gain, here, large = base, 0, 0
    if rows.size >= domain << shift:
        for i in range(rows.size):
            hist[cells[rows[i]]] += 1
        for v in range(domain):
            m = ZERO
            for c in range(n_classes):
                k = hist[(v << shift) | c]
                hist[(v << shift) | c] = 0
                gain += table[k]
                m += k
            gain -= table[m]
            here += m > 0
            large += m >= need
    else:
        for i in range(rows.size):
            cell = cells[rows[i]]
            k, m = hist[cell], sizes[cell >> shift]
            hist[cell] = k + ONE
            sizes[cell >> shift] = m + ONE
            gain += (table[k + ONE] - table[k]) - (table[m + ONE] - table[m])
            here += m == 0
            large += m + ONE == need
        for i in range(rows.size):
            cell = cells[rows[i]]
            hist[cell] = 0
            sizes[cell >> shift] = 0
    return (gain if large >= 2 else -1.0), here


@part
def prepare_cuts(table, counts, m, at, both, sides):
    """Fill the tables from which the gain of every cut at a node is read."""
    for k in range(m + 1):
        sides[k] = table[k] + table[m - k]
    start = 0
    for c in range(counts.size):
        n = int(counts[c])
        at[c] = start
        for k in range(n + 1):
            both[start + k] = table[k] + table[n - k]
        start += n + 1


@part
def too_close(values, start, below, above):
    """Tell whether C4.5 sees one value in two ranks."""
    return not values[start + below] < values[start + above] - CLOSE


@section
def cut_gain_of_two(
    values, start, dense, cells, shift, rows, first, last, bar, base, at, both, sides
):
    """Return (information gained, place, cuts tried) of a numeric test's best cut, two classes.

    Cuts leave ``first`` to ``last`` cases below; the gain must exceed ``bar``. Most cuts are
    between cases of different values, so that all gains are taken: no branch to predict.
    """
    zeros, ones = both[: at[1]], both[at[1] :]
    best, place, tries = 0.0, NONE, 0
    left = ZERO
    for i in range(first - 1):
        left += cells[rows[i]] & ONE
    rows = rows[first - 1 :]
    cell = cells[rows[0]]
    for i in range(last - first + 1):
        left += cell & ONE
        low = np.uint32(first + i)
        after = cells[rows[i + 1]]
        apart = (cell ^ after) >> shift != 0
        if dense and apart:
            apart = not too_close(values, start, cell >> shift, after >> shift)
        tries += apart
        gain = base + zeros[low - left] + ones[left] - sides[low]
        if gain > bar and apart:
            best, bar, place = gain, gain + TOLERANCE * gain, first - 1 + i
        cell = after
    return best, place, tries


@section
def cut_gain_of_many(
    values, start, dense, cells, shift, rows, first, last, bar, base, at, both, sides, here
):
    """Return (information gained, place, cuts tried) of a numeric test's best cut."""
    mask = np.uint32((1 << shift) - 1)
    inside = base
    for c in range(at.size):
        here[c] = at[c]
        inside += both[at[c]]
    best, place, tries = 0.0, NONE, 0
    cell = cells[rows[0]]
    for i in range(last):
        k = here[cell & mask]
        here[cell & mask] = k + ONE
        inside += both[k + ONE] - both[k]
        after = cells[rows[i + 1]]
        if (cell ^ after) >> shift and i + 1 >= first:
            if not dense or not too_close(values, start, cell >> shift, after >> shift):
                tries += 1
                gain = inside - sides[i + 1]
                if gain > bar:
                    best, bar, place = gain, gain + TOLERANCE * gain, i
        cell = after
    for c in range(at.size):
        here[c] = 0
    return best, place, tries


@section
def look_at_tests(cases, ground, n_tests, node, counts, depth, bench):
    """Fill ``worth``, and ``cut`` for numeric tests, leaving out tests that cannot win."""
    lo, hi = bench.begin[node], bench.end[node]
    m = hi - lo
    base = info(cases.xlogx, counts)
    most = use(np.int64(EG2), base / m)
    least = minimal_side(np.float64(m), cases.n_classes, ground.min_cases, True)
    first, last = math.ceil(least - 1e-9), math.floor(m - least + 1e-9)
    best, prepared = 0.0, False
    for a in range(bench.worth.size):
        bench.worth[a] = -1.0
    for i in range(n_tests):
        a = bench.ranking[i]
        damp = 1.0 if bench.marks[depth, a] & PAID else bench.damp[a]
        if bench.marks[depth, a] & IDLE or most * damp < best * MARGIN:
            continue
        cells = ground.cells[a]
        k = ground.list_of[a]
        if k == NONE:
            gain, here = nominal_gain(
                cases.xlogx, cells, ground.shift, cases.domain[a], cases.n_classes,
                bench.who[lo:hi], ground.need, base, bench.hist, bench.sizes,
            )  # fmt: skip
            if here < 2:
                bench.marks[depth, a] |= IDLE
            if gain < 0.0:
                continue
            gain = gain / m if gain > NOISE * m else 0.0
        else:
            rows = bench.lists[k, lo:hi] if node > 0 else bench.roots[k, lo:hi]
            if (cells[rows[0]] ^ cells[rows[m - 1]]) >> ground.shift == 0:
                bench.marks[depth, a] |= IDLE
                continue
            if last < first:
                continue
            if not prepared:
                prepare_cuts(cases.xlogx, counts, m, bench.at, bench.both, bench.sides)
                prepared = True
            start, dense, bar = cases.start[a], ground.dense[a], NOISE * m
            if cases.n_classes == 2:
                gain, place, tries = cut_gain_of_two(
                    cases.values, start, dense, cells, ground.shift, rows, first, last, bar,
                    base, bench.at, bench.both, bench.sides,
                )  # fmt: skip
            else:
                gain, place, tries = cut_gain_of_many(
                    cases.values, start, dense, cells, ground.shift, rows, first, last, bar,
                    base, bench.at, bench.both, bench.sides, bench.hist,
                )  # fmt: skip
            if place == NONE:
                continue
            gain = (gain - math.log2(tries)) / m
            if gain <= NOISE:
                continue
            bench.cut[a] = lo + place
        bench.worth[a] = use(np.int64(EG2), gain) * damp
        if bench.worth[a] > best:
            best = bench.worth[a]


@part
def best_of(prices, marks, worth):
    """Return the test of greatest worth; of equal ones the cheapest, then the first."""
    best, best_price, best_a = -1.0, 0.0, np.int64(NONE)
    for a in range(worth.size):
        if worth[a] < 0.0:
            continue
        price = 0.0 if marks[a] & PAID else prices[a]
        cheaper = not beats(best, worth[a]) and price < best_price
        if best_a < 0 or beats(worth[a], best) or cheaper:
            best, best_price, best_a = worth[a], price, np.int64(a)
    return best_a


# ------------------------------------------------------------------------------- splitting


@part
def place_cut(values, start, cells, shift, rows, at, root, n):
    """Return (rank, threshold): the largest value grown on that is at most halfway."""
    low = values[start + (cells[rows[at]] >> shift)]
    high = values[start + (cells[rows[at + 1]] >> shift)]
    # A value at the midpoint itself belongs below, whatever rounding makes of the midpoint.
    middle = low + (high - low) / 2.0 + TOLERANCE * (high - low)
    lower, upper = 0, n
    while upper - lower > 1:
        i = (lower + upper) // 2
        if values[start + (cells[root[i]] >> shift)] <= middle:
            lower = i
        else:
            upper = i
    rank = np.int64(cells[root[lower]] >> shift)
    return rank, values[start + rank]


@part
def send(cells, shift, nominal, cut, rows, branch, hist):
    """Note each case's branch, and count the classes of each."""
    mask = np.uint32((1 << shift) - 1)
    for i in range(rows.size):
        cell = cells[rows[i]]
        b = cell >> shift
        if not nominal:
            b = ONE if b > cut else ZERO
        branch[rows[i]] = b
        hist[(b << shift) | (cell & mask)] += 1


@part
def take_counts(hist, shift, b, counts):
    """Move the class counts of a branch to ``counts``; return its size."""
    size = np.int64(0)
    for c in range(counts.size):
        m = np.int64(hist[(b << shift) | c])
        hist[(b << shift) | c] = 0
        counts[c] = m
        size += m
    return size


@part
def set_places(children, begin, end, place):
    """Set where each branch's cases begin, counted from the node's first."""
    at = ZERO
    for b in range(children.size):
        place[b] = at
        if children[b] != NONE:
            at += np.uint32(end[children[b]] - begin[children[b]])


@part
def part_rows(rows, branch, place, out, spare):
    """Write cases in the order of their branches, ``place`` being where each begins."""
    if place.size == 2:  # the first branch in place, the other by way of ``spare``
        left, right = ZERO, ZERO
        for i in range(rows.size):
            row = rows[i]
            out[left] = row
            spare[right] = row
            right += branch[row]
            left += ONE - branch[row]
        for i in range(right):
            out[left + i] = spare[i]
        return
    for i in range(rows.size):
        row = rows[i]
        at = place[branch[row]]
        spare[at] = row
        place[branch[row]] = at + ONE
    for i in range(rows.size):
        out[i] = spare[i]


@section
def part_lists(ground, node, children, n_tests, base, depth, bench):
    """Part the sorted lists of the tests still in use, and give the new nodes their marks."""
    lo, hi, place = bench.begin[node], bench.end[node], bench.place[: children.size]
    for i in range(n_tests):
        a = bench.ranking[i]
        for d in range(base + 1, depth):
            bench.marks[d, a] = bench.marks[base, a]
        k = ground.list_of[a]
        if k != NONE and not bench.marks[base, a] & IDLE:
            rows = bench.lists[k, lo:hi] if node > 0 else bench.roots[k, lo:hi]
            set_places(children, bench.begin, bench.end, place)
            part_rows(rows, bench.branch, place, bench.lists[k, lo:hi], bench.spare)


@section
def split_node(cases, ground, nodes, node, a, n_tests, depth, n_nodes, n_slots, bench):
    """Split the node just taken off the stack by test ``a`` and stack its children.

    Returns the height of the stack and how many nodes and child slots there are now; height FULL
    if there is no room.
    """
    k = width(a, cases.domain, cases.nominal)
    if n_nodes + k > nodes.test.size or n_slots + k > nodes.children.size:
        return FULL, n_nodes, n_slots
    nodes.test[node] = a
    nodes.first[node] = n_slots
    lo, cells, own = bench.begin[node], ground.cells[a], ground.list_of[a]
    if own != NONE:
        rows = bench.lists[own] if node > 0 else bench.roots[own]
        nodes.cut[node], nodes.threshold[node] = place_cut(
            cases.values, cases.start[a], cells, ground.shift, rows, bench.cut[a],
            bench.roots[own], ground.n_grown,
        )  # fmt: skip
    who = bench.who[lo : bench.end[node]]
    send(cells, ground.shift, cases.nominal[a], nodes.cut[node], who, bench.branch, bench.hist)
    base = depth
    for b in range(k):
        nodes.children[n_slots + b] = NONE
        size = take_counts(bench.hist, ground.shift, b, bench.counts)
        if size == 0:
            continue
        nodes.children[n_slots + b] = n_nodes
        set_leaf(nodes, n_nodes, node, bench.counts)
        bench.begin[n_nodes] = lo
        bench.end[n_nodes] = lo + size
        if not stops(bench.counts, ground.min_cases):
            bench.stack[depth, 0] = n_nodes
            depth += 1
        lo += size
        n_nodes += 1
    children, place = nodes.children[n_slots : n_slots + k], bench.place[:k]
    set_places(children, bench.begin, bench.end, place)
    part_rows(who, bench.branch, place, who, bench.spare)
    if depth > base:
        bench.marks[base, a] |= PAID
        part_lists(ground, node, children, n_tests, base, depth, bench)
    return depth, n_nodes, n_slots + k


@section
def grow(cases, ground, usable, prices, w, nodes, bench, stop):
    """Grow a tree on the cases in ``who``; return (nodes, slots), FULL if there is no room."""
    n_tests = rank_tests(prices, w, usable, ground.limit, bench)
    for i in range(n_tests):
        a = bench.ranking[i]
        bench.marks[0, a] = 0
        k = ground.list_of[a]
        if k != NONE:
            keep_chosen(ground.order[k], bench.chosen, bench.roots[k])
    for c in range(cases.n_classes):
        bench.counts[c] = 0.0
    for i in range(ground.n_grown):
        bench.counts[cases.classes[bench.who[i]]] += 1.0
    root = np.int64(0)
    set_leaf(nodes, root, np.int64(NONE), bench.counts)
    bench.begin[0] = 0
    bench.end[0] = ground.n_grown
    bench.stack[0, 0] = 0
    depth = root if stops(bench.counts, ground.min_cases) else root + 1
    n_nodes, n_slots = np.int64(1), np.int64(0)
    while depth > 0 and stop[0] == 0:
        depth -= 1
        node = bench.stack[depth, 0]
        look_at_tests(cases, ground, n_tests, node, nodes.counts[node], depth, bench)
        a = best_of(prices, bench.marks[depth], bench.worth)
        if a != NONE:
            depth, n_nodes, n_slots = split_node(
                cases, ground, nodes, node, a, n_tests, depth, n_nodes, n_slots, bench
            )
    return (n_nodes, n_slots) if depth != FULL else (FULL, FULL)
