"""Two tests ahead: what a nominal test costs at least, whichever test follows in each branch.

A look at a state (looking.py) bounds what a test leads to by the classes in its branches. Here
the classes are counted for every pair of answers, without going down: the cases of a class, or
with a value, are bits, and a word of them is counted at once. Most states at the bottom of a
search would be closed by their own first look; what it would tell is known before.

That pays where the cases are few, and where no third test may follow: there it tells what the
best tree costs.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.candidates import BOUND, CUT_BITS, RANK, TRUST
from frugaltree.kernels.choose import NONE
from frugaltree.kernels.frames import (
    BELOW,
    CAP,
    CLOSED,
    DEPTH,
    HI,
    LO,
    LOW,
    QUEUE,
    QUEUED,
    SIZE,
    W_BY_BOUND,
    W_WORK,
)
from frugaltree.kernels.jit import atom, part, section
from frugaltree.kernels.measures import TRAINING_ERROR
from frugaltree.kernels.objective import errors_of, split_charge

WORD = 64
"""Bits of a word, and cases of a state that is looked through at any depth."""

MOST_WORDS = 256
"""Words that the cases of a state may fill."""

ZERO, ONE = np.uint64(0), np.uint64(1)


def words_for(n_cases: int) -> int:
    """Return how many words are of use.

    >>> words_for(64), words_for(65), words_for(10**6)
    (1, 2, 256)
    """
    return min(-(-n_cases // WORD), MOST_WORDS)


@atom
def count_bits(word):
    """Return how many bits of a word are set."""
    n = np.int64(0)
    while word != ZERO:
        word &= word - ONE
        n += 1
    return n


@atom
def cost_bounds(objective, m, most, apart, price, splits):
    """Return what ``m`` cases cost as a leaf, and what every tree for them costs at least.

    It is candidates.least_for in whole numbers, for errors that all cost the same. ``apart`` are
    the errors that telling the classes apart takes.
    """
    leaf = errors_of(objective, m, m - most) * objective.penalty
    if most == m or not splits or price == np.inf or m < 2.0 * objective.min_cases:
        return leaf, leaf
    least = 0.0
    if objective.form != TRAINING_ERROR:
        least = max(errors_of(objective, m, np.int64(0)), apart) * objective.least_penalty
    return leaf, min(leaf, price * m + objective.flat + least)


@section
def spread(table, pairs, rows, lo, hi, live, n_words):
    """Lay out the cases of a state as bits, by class and by answer to each live test.

    Returns how many tests are sharp. A case without an answer goes with the heaviest branch, and
    which that is depends on the path.
    """
    for word in range(table.n_classes * n_words):
        pairs.classes[word] = ZERO
    n, at = np.int64(0), np.int64(0)
    for i in range(lo, hi):
        for _ in range(table.weights[rows[i]]):
            word = table.classes[rows[i]] * n_words + (at >> 6)
            pairs.classes[word] |= ONE << np.uint64(at & 63)
            at += 1
    for a in range(live.size):
        pairs.sharp[a] = live[a] and table.nominal[a]
        if not pairs.sharp[a]:
            continue
        domain, first = table.domain[a], a * table.widest * n_words
        for word in range(first, first + domain * n_words):
            pairs.values[word] = ZERO
        at = np.int64(0)
        for i in range(lo, hi):
            v = table.cells[a, rows[i]] >> table.shift
            if v >= domain:
                pairs.sharp[a] = 0
                break
            for _ in range(table.weights[rows[i]]):
                pairs.values[first + v * n_words + (at >> 6)] |= ONE << np.uint64(at & 63)
                at += 1
        if pairs.sharp[a]:
            pairs.order[n] = a
            n += 1
    return n


@section
def prices_in_groups(prices, route, live, view, pairs):
    """Find, for each test, what others cost at least once it has opened its groups.

    Infinite where it opens none; of the others' prices all discounts are taken off.
    """
    for b in range(live.size):
        pairs.after[b] = np.inf
    for g in range(route.opened.size):
        if route.opened[g] or route.ordered[0]:
            continue
        least = np.inf
        for b in range(live.size):
            if live[b] and prices.discount[b, g] > 0.0:
                price = view.price[b]
                for h in range(route.opened.size):
                    if not route.opened[h]:
                        price -= prices.discount[b, h]
                least = min(least, max(price, 0.0))
        for b in range(live.size):
            if prices.member[b, g]:
                pairs.after[b] = min(pairs.after[b], least)


@section
def prices_after(prices, route, live, view, pairs, a):
    """Find what each test costs once test ``a`` is taken.

    Returns the least price of a test that is not sharp, the two least of all, and whose the
    least is.
    """
    for b in range(live.size):
        pairs.price[b] = view.price[b]
    for g in range(route.opened.size):
        if prices.member[a, g] and not route.opened[g] and not route.ordered[0]:
            for b in range(live.size):
                pairs.price[b] = max(0.0, pairs.price[b] - prices.discount[b, g])
    blunt, low, second, lowest = np.inf, np.inf, np.inf, np.int64(NONE)
    for b in range(live.size):
        if live[b] and b != a:
            price = pairs.price[b]
            if not pairs.sharp[b]:
                blunt = min(blunt, price)
            if price < low:
                low, second, lowest = price, low, np.int64(b)
            elif price < second:
                second = price
    return blunt, low, second, lowest


@section
def look_ahead(solver, a, n_sharp, n_words, depth, live, bound, goal):
    """Return the bound of a sharp test, raised by what can follow in its branches.

    A branch is a leaf, or takes a test whose own branches cost what they cost at least; a test
    that is not sharp is only known to leave the errors that no tree avoids.
    """
    table, objective, pairs, view = solver.table, solver.objective, solver.pairs, solver.sight
    charge = split_charge(objective, np.int64(1))
    blunt, low, second, lowest = prices_after(solver.prices, solver.route, live, view, pairs, a)
    for v in range(table.domain[a]):
        m, most, apart = np.int64(0), np.int64(0), 0.0
        for c in range(table.n_classes):
            k = np.int64(0)
            for word in range(n_words):
                cases = pairs.values[(a * table.widest + v) * n_words + word]
                cases &= pairs.classes[c * n_words + word]
                pairs.above[c * n_words + word] = cases
                k += count_bits(cases)
            pairs.counts[0, c] = k
            m += k
            most = max(most, k)
        told = m < objective.excess.size
        for c in range(table.n_classes):
            if told:
                apart += objective.excess[pairs.counts[0, c]]
        best, known = cost_bounds(objective, m, most, apart, view.least[a], True)
        found = np.int64(0)
        for turn in range(n_sharp):
            if best <= known or bound >= goal:
                break
            b = pairs.order[turn]
            if b == a:
                continue
            cost, n_branches = pairs.price[b] * m + charge, 0
            price = min(second if b == lowest else low, pairs.after[b])
            for c in range(table.n_classes):
                pairs.counts[1, c] = pairs.counts[0, c]
            for w in range(table.domain[b]):
                n, top, apart = np.int64(0), np.int64(0), 0.0
                first, last = (b * table.widest + w) * n_words, w == table.domain[b] - 1
                for c in range(table.n_classes):
                    if n_words == 1:
                        k = count_bits(pairs.above[c] & pairs.values[first])
                    elif last:
                        k = pairs.counts[1, c]
                    else:
                        k = np.int64(0)
                        for i in range(n_words):
                            both = pairs.above[c * n_words + i] & pairs.values[first + i]
                            k += count_bits(both)
                        pairs.counts[1, c] -= k
                    n += k
                    top = max(top, k)
                    if told:
                        apart += objective.excess[k]
                if n > 0:
                    n_branches += 1
                    _, below = cost_bounds(objective, n, top, apart, price, depth > 2)
                    cost += below
                    if cost >= best:
                        break
            if n_branches > 1 and cost < best:
                best, found = cost, np.int64(turn)
        if best > known:
            bound += min(best, known + (blunt - view.least[a]) * m) - known
        b = pairs.order[found]
        for j in range(found, 0, -1):
            pairs.order[j] = pairs.order[j - 1]
        pairs.order[0] = b
    return bound


@part
def foresee(solver, f):
    """Raise the bounds of the queued tests of a state in hand; leave out those ruled out."""
    frames, facts, costs, queue = (
        solver.frames,
        solver.frames.facts,
        solver.frames.costs,
        solver.queue,
    )
    depth, live, lo, hi = facts[f, DEPTH], frames.live[f + 1], facts[f, LO], facts[f, HI]
    n_words, room = (np.int64(costs[f, SIZE]) + WORD - 1) // WORD, solver.pairs.n_words
    if not solver.objective.simple or facts[f, QUEUED] == 0 or depth < 2:
        return
    if n_words > (room if depth == 2 else min(room, 1)):
        return
    n_sharp = spread(solver.table, solver.pairs, solver.rows, lo, hi, live, n_words)
    prices_in_groups(solver.prices, solver.route, live, solver.sight, solver.pairs)
    frames.used[W_WORK] += facts[f, QUEUED] * n_sharp * n_words
    goal = min(costs[f, BELOW], costs[f, CAP]) * CLOSED
    by_bound, trust = depth == 2, 0.0 if frames.used[W_BY_BOUND] else TRUST
    i, last = facts[f, QUEUE], facts[f, QUEUE] + facts[f, QUEUED] - 1
    while i <= last:
        a, bound = queue.action[i] >> CUT_BITS, queue.costs[i, BOUND]
        raised = bound
        if solver.pairs.sharp[a]:
            raised = look_ahead(solver, a, n_sharp, n_words, depth, live, bound, goal)
        if raised >= goal:
            costs[f, LOW] = min(costs[f, LOW], raised)
            for j in range(queue.costs.shape[1]):
                queue.costs[i, j] = queue.costs[last, j]
            queue.action[i] = queue.action[last]
            last -= 1
        else:
            rank = queue.costs[i, RANK] + (1.0 - trust) * (raised - bound)
            queue.costs[i, RANK] = raised if by_bound else rank
            queue.costs[i, BOUND] = raised
            i += 1
    facts[f, QUEUED] = last + 1 - facts[f, QUEUE]
