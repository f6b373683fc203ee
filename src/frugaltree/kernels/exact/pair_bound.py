"""Two tests ahead: what a nominal test costs at least, whichever test follows in each branch.

A look at a state (looking.py) bounds what a test leads to by the classes in its branches. Here
the classes are counted for every pair of answers, without going down: the cases of a class, or
with a value, are bits, and a word of them is counted at once. Most states at the bottom of a
search would be closed by their own first look; what it would tell is known before.

That pays where the cases are few, and where no third test may follow: there it tells what the
best tree costs (last_two.py).
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.data.bits import ONE, WORD, ZERO, count_bits
from frugaltree.kernels.exact.candidates import BOUND, CUT_BITS, RANK, TRUST
from frugaltree.kernels.exact.frame import (
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
from frugaltree.kernels.exact.last_two import weigh_last_two
from frugaltree.kernels.exact.objective import AS_LEAF, AS_SPLIT, errors_of, split_charge
from frugaltree.kernels.jit import atom, part, section
from frugaltree.kernels.sentinels import NONE

MOST_WORDS = 256
"""Words that the cases of a state may fill."""

NEVER = 1e300
"""A price that no test is worth; times no cases it is nothing, unlike one without end."""


def words_for(n_cases: int, n_classes: int) -> int:
    """Return how many words are of use.

    >>> words_for(64, 2), words_for(10**6, 2)
    (3, 256)
    """
    return min(n_cases // WORD + n_classes, MOST_WORDS)


@atom
def cost_bounds(objective, m, most, apart, price):
    """Return what ``m`` cases cost as a leaf, and what every tree for them costs at least.

    It is candidates.least_for in whole numbers, for errors that all cost the same. ``apart`` are
    the errors that telling the classes apart takes. Cases of one class need no word of their own:
    as a leaf they make the fewest errors possible.
    """
    leaf = errors_of(objective, m, m - most) * objective.penalty
    price = price if m >= 2.0 * objective.min_cases else NEVER
    least = max(errors_of(objective, m, np.int64(0)), apart) * objective.least_penalty
    return leaf, min(leaf, price * m + objective.flat + least)


@section
def spread(table, pairs, rows, lo, hi, live, n_words):
    """Lay out the cases of a state as bits, by class and by answer to each live test.

    Returns how many tests are sharp. A case without an answer goes with the heaviest branch, and
    which that is depends on the path.
    """
    for c in range(table.n_classes):
        pairs.words[c, 0], pairs.words[c, 1] = 0, n_words
        for word in range(n_words):
            pairs.classes[c * n_words + word] = ZERO
    n = np.int64(0)
    for a in range(live.size):
        pairs.sharp[a] = live[a] and table.nominal[a]
        if pairs.sharp[a]:
            pairs.order[n] = a
            n += 1
            first = a * table.widest * n_words
            for word in range(first, first + table.domain[a] * n_words):
                pairs.values[word] = ZERO
    at = np.int64(0)
    for i in range(lo, hi):
        row = rows[i]
        for _ in range(table.weights[row]):
            word, bit = at >> 6, ONE << np.uint64(at & 63)
            pairs.classes[table.classes[row] * n_words + word] |= bit
            for turn in range(n):
                a = pairs.order[turn]
                v = table.cells[a, row] >> table.shift
                if v < table.domain[a]:
                    pairs.values[(a * table.widest + v) * n_words + word] |= bit
                else:
                    pairs.sharp[a] = 0
            at += 1
    left = np.int64(0)
    for turn in range(n):
        pairs.order[left] = pairs.order[turn]
        left += pairs.sharp[pairs.order[turn]] > 0
    return left


@section
def take_over(table, layout, pairs, live):
    """Do the same as :func:`spread` for cases that are chosen in the layout of all."""
    n_words, n = layout.chosen.size, np.int64(0)
    for c in range(table.n_classes):
        pairs.words[c, 0], pairs.words[c, 1] = layout.start[c], layout.start[c + 1]
        for word in range(layout.start[c], layout.start[c + 1]):
            pairs.classes[c * n_words + word] = layout.chosen[word]
    for a in range(live.size):
        pairs.sharp[a] = live[a] and layout.whole[a]
        if pairs.sharp[a]:
            pairs.order[n] = a
            n += 1
            for answer in range(a * table.widest, a * table.widest + table.domain[a]):
                for word in range(n_words):
                    pairs.values[answer * n_words + word] = layout.values[answer, word]
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


@part
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


@atom
def sum_up(objective, pairs, answer):
    """Return (all, those of the largest class, errors apart) of the cases that give an answer."""
    m, most, apart = np.int64(0), np.int64(0), 0.0
    for c in range(pairs.singles.shape[1]):
        k = pairs.singles[answer, c]
        m += k
        most = max(most, k)
        if k < objective.excess.size:
            apart += objective.excess[k]
    return m, most, apart if m < objective.excess.size else 0.0


@section
def raise_by_pairs(solver, a, live, bound):
    """Return the bound of a sharp test, raised by what the last test can add in its branches."""
    table, objective, pairs, view = solver.table, solver.objective, solver.pairs, solver.sight
    blunt, _, _, _ = prices_after(solver.prices, solver.route, live, view, pairs, a)
    for answer in range(a * table.widest, a * table.widest + table.domain[a]):
        m, most, apart = sum_up(objective, pairs, answer)
        leaf, known = cost_bounds(objective, m, most, apart, min(view.least[a], NEVER))
        best = min(leaf, pairs.second[answer])
        if best > known:
            bound += min(best, known + (blunt - view.least[a]) * m) - known
    return bound


@section
def weigh_pair_of_two(table, objective, pairs, b, cost, price):
    """Return (cost, branches) of test ``b`` for cases of two classes."""
    n_branches = 0
    for answer in range(b * table.widest, b * table.widest + table.domain[b]):
        i = count_bits(pairs.above[0] & pairs.values[answer])
        j = count_bits(pairs.above[1] & pairs.values[answer])
        n_branches += i + j > 0
        split = price * (i + j) + objective.cells[i, j, AS_SPLIT]
        cost += min(objective.cells[i, j, AS_LEAF], split)
    return cost, n_branches


@section
def weigh_pair(table, objective, pairs, b, cost, price):
    """Return (cost, branches) of test ``b``."""
    n_branches = 0
    for answer in range(b * table.widest, b * table.widest + table.domain[b]):
        n, most, apart = np.int64(0), np.int64(0), 0.0
        for c in range(table.n_classes):
            k = count_bits(pairs.above[c] & pairs.values[answer])
            n += k
            most = max(most, k)
            if k < objective.excess.size:
                apart += objective.excess[k]
        n_branches += n > 0
        apart = apart if n < objective.excess.size else 0.0
        _, least = cost_bounds(objective, n, most, apart, price)
        cost += least
    return cost, n_branches


@section
def look_ahead(solver, a, n_sharp, live, bound, goal):
    """Return the bound of a sharp test, raised by what can follow in its branches.

    The cases are a word. A branch is a leaf, or takes a test whose own branches cost what they
    cost at least; a test that is not sharp is only known to leave the errors that no tree avoids.
    """
    table, objective, pairs, view = solver.table, solver.objective, solver.pairs, solver.sight
    charge = split_charge(objective, np.int64(1))
    blunt, low, second, lowest = prices_after(solver.prices, solver.route, live, view, pairs, a)
    for answer in range(a * table.widest, a * table.widest + table.domain[a]):
        for c in range(table.n_classes):
            pairs.above[c] = pairs.values[answer] & pairs.classes[c]
            pairs.singles[answer, c] = count_bits(pairs.above[c])
        m, most, apart = sum_up(objective, pairs, answer)
        best, known = cost_bounds(objective, m, most, apart, min(view.least[a], NEVER))
        found = np.int64(0)
        for turn in range(n_sharp if bound < goal else np.int64(0)):
            if best <= known:
                break
            b = pairs.order[turn]
            cost = pairs.price[b] * m + charge
            price = min(second if b == lowest else low, pairs.after[b], NEVER)
            if objective.cells.size > 0:
                cost, n_branches = weigh_pair_of_two(table, objective, pairs, b, cost, price)
            else:
                cost, n_branches = weigh_pair(table, objective, pairs, b, cost, price)
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
def foresee(solver, f, chosen):
    """Raise the bounds of the queued tests of a state in hand; leave out those ruled out.

    ``chosen`` tells whether its cases are chosen in the layout of all.
    """
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
    if chosen and depth == 2 and solver.layout.chosen.size <= room:
        n_words = np.int64(solver.layout.chosen.size)
        n_sharp = take_over(solver.table, solver.layout, solver.pairs, live)
    else:
        n_sharp = spread(solver.table, solver.pairs, solver.rows, lo, hi, live, n_words)
    frames.used[W_WORK] += facts[f, QUEUED] * n_sharp * n_words
    if depth == 2:
        for a in range(live.size):
            solver.pairs.wanted[a] = 0
        for i in range(facts[f, QUEUE], facts[f, QUEUE] + facts[f, QUEUED]):
            solver.pairs.wanted[queue.action[i] >> CUT_BITS] = 1
        weigh_last_two(solver, n_sharp, n_words)
    else:
        prices_in_groups(solver.prices, solver.route, live, solver.sight, solver.pairs)
    goal = min(costs[f, BELOW], costs[f, CAP]) * CLOSED
    by_bound, trust = depth == 2, 0.0 if frames.used[W_BY_BOUND] else TRUST
    i, last = facts[f, QUEUE], facts[f, QUEUE] + facts[f, QUEUED] - 1
    while i <= last:
        a, bound = queue.action[i] >> CUT_BITS, queue.costs[i, BOUND]
        raised = bound
        if solver.pairs.sharp[a] and depth == 2:
            raised = raise_by_pairs(solver, a, live, bound)
        elif solver.pairs.sharp[a]:
            raised = look_ahead(solver, a, n_sharp, live, bound, goal)
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
