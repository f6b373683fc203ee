"""The bound of two tests: what a nominal test costs at least, whichever test follows in a branch.

Expanding a state (expand.py) bounds what a test leads to by the classes in its branches. Here the
classes are counted for every pair of answers, without going down: the cases of a class, or with a
value, are bits, and a word of them is counted at once. Most states at the bottom of a search would
be closed by being expanded themselves; what that would tell is known before.

A branch is a leaf, or its first test is whole: nominal, so that its branches are known, and each
costs ``bound_tree`` or more; or it is another test, of which only the price is known. Prices are
what every case pays at least. ``raise_branch`` puts these together, and has the proof (both in
``kernels.cost.bounds``).

That pays where the cases are few, and where no third test may follow: there it tells what the
best tree costs (last_two.py).

With a budget, second tests are among those looked at that are out of reach after the first one.
What is found stays a bound: the least over more trees. No tree is made of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.bounds import bound_tree, raise_branch
from frugaltree.kernels.cost.discounts import price_after, price_with_all_open
from frugaltree.kernels.data.bits import WORD, count_bits
from frugaltree.kernels.data.cells import ONE, ZERO
from frugaltree.kernels.exact.actions import asked_test
from frugaltree.kernels.exact.candidates import CLOSED, TRUST
from frugaltree.kernels.exact.last_two import cost_last_two
from frugaltree.kernels.exact.objective import AS_LEAF, AS_SPLIT, errors_of, split_charge
from frugaltree.kernels.exact.records import PairBuffers
from frugaltree.kernels.jit import atom, part, section
from frugaltree.kernels.records import Records
from frugaltree.kernels.sentinels import NONE

MOST_WORDS = 256
"""Words that the cases of a state may fill."""

NEVER = 1e300
"""A price that no test is worth; times no cases it is nothing, unlike one without end."""


class Two(NamedTuple):
    """The tests of a state, looked at two in a row."""

    pairs: PairBuffers
    tests: Records  # TEST[a]
    live: np.ndarray  # uint8[a]
    n_whole: int  # tests in ``pairs.order``
    n_words: int  # that the cases fill


def words_for(n_cases: int, n_classes: int) -> int:
    """Return how many words are of use.

    >>> words_for(64, 2), words_for(10**6, 2)
    (3, 256)
    """
    return min(n_cases // WORD + n_classes, MOST_WORDS)


@atom
def bound_counts(objective, m, most, apart, price):
    """Return what ``m`` cases cost as a leaf, and what every tree for them costs at least.

    It is ``least_for`` in whole numbers, for errors that all cost the same. ``most`` cases are of
    the largest class, and ``apart`` are the errors that telling the classes apart takes. Cases of
    one class need no word of their own: as a leaf they make the fewest errors possible.
    """
    leaf = errors_of(objective, m, m - most) * objective.penalty
    price = price if m >= 2.0 * objective.min_cases else NEVER
    least = max(errors_of(objective, m, np.int64(0)), apart) * objective.least_penalty
    return leaf, bound_tree(leaf, least, price, m, objective.flat)


# ------------------------------------------------------------------------------ bits


@section
def fill_words(context, pairs, tests, live, frame, n_words):
    """Lay out the cases of a state as bits, by class and by answer to each live test.

    Returns how many tests are whole.
    """
    cases = context.cases
    for c in range(cases.n_classes):
        pairs.words[c].first = 0
        pairs.words[c].stop = n_words
        for word in range(n_words):
            pairs.classes[c * n_words + word] = ZERO
    n = np.int64(0)
    for a in range(live.size):
        tests[a].whole = live[a] and cases.nominal[a]
        if tests[a].whole:
            pairs.order[n] = a
            n += 1
            first = a * cases.widest * n_words
            for word in range(first, first + cases.domain[a] * n_words):
                pairs.values[word] = ZERO
    at = np.int64(0)
    for i in range(frame.start, frame.stop):
        row = context.rows[i]
        for _ in range(cases.weights[row]):
            word, bit = at >> 6, ONE << np.uint64(at & 63)
            pairs.classes[cases.classes[row] * n_words + word] |= bit
            for turn in range(n):
                a = pairs.order[turn]
                v = cases.cells[a, row] >> cases.shift
                pairs.values[(a * cases.widest + v) * n_words + word] |= bit
            at += 1
    return n


@section
def copy_words(cases, layout, pairs, tests, live):
    """Do the same as :func:`fill_words` for cases that are chosen in the layout of all."""
    n_words, n = layout.chosen.size, np.int64(0)
    for c in range(cases.n_classes):
        pairs.words[c].first = layout.start[c]
        pairs.words[c].stop = layout.start[c + 1]
        for word in range(layout.start[c], layout.start[c + 1]):
            pairs.classes[c * n_words + word] = layout.chosen[word]
    for a in range(live.size):
        tests[a].whole = live[a] and cases.nominal[a]
        if tests[a].whole:
            pairs.order[n] = a
            n += 1
            for answer in range(a * cases.widest, a * cases.widest + cases.domain[a]):
                for word in range(n_words):
                    pairs.values[answer * n_words + word] = layout.values[answer, word]
    return n


# ------------------------------------------------------------------------------ prices


@section
def price_groups(prices, path, live, tests):
    """Find, for each test, what others cost at least once it has opened its groups.

    Infinite where it opens none; of the others' prices all discounts are taken off.
    """
    for b in range(live.size):
        tests[b].least_in_groups = np.inf
    for g in range(path.opened.size):
        if path.opened[g] or path.ordered[0]:
            continue
        least = np.inf
        for b in range(live.size):
            if live[b] and prices.discount[b, g] > 0.0:
                least = min(least, price_with_all_open(prices, path, tests[b].price, b))
        for b in range(live.size):
            if prices.member[b, g]:
                tests[b].least_in_groups = min(tests[b].least_in_groups, least)


@part
def price_second_tests(prices, path, live, tests, a):
    """Find what each test costs once test ``a`` is taken.

    Returns the least price of a test that is not whole, the two least of all, and whose the
    least is.
    """
    other, low, second, lowest = np.inf, np.inf, np.inf, np.int64(NONE)
    for b in range(live.size):
        if live[b] and b != a:
            price = price_after(prices, path, tests[b].price, a, b)
            tests[b].price_after = price
            if not tests[b].whole:
                other = min(other, price)
            if price < low:
                low, second, lowest = price, low, np.int64(b)
            elif price < second:
                second = price
    return other, low, second, lowest


# ------------------------------------------------------------------------------ bounds


@atom
def sum_up(objective, singles, answer):
    """Return (all, those of the largest class, errors apart) of the cases that give an answer."""
    m, most, apart = np.int64(0), np.int64(0), 0.0
    for c in range(singles.shape[1]):
        k = singles[answer, c]
        m += k
        most = max(most, k)
        if k < objective.excess.size:
            apart += objective.excess[k]
    return m, most, apart if m < objective.excess.size else 0.0


@section
def raise_by_last_two(context, two, a, bound):
    """Return the bound of a whole test, raised by what the last test can add in its branches."""
    cases, objective, pairs, tests = context.cases, context.objective, two.pairs, two.tests
    least = tests[a].least_after
    other, _, _, _ = price_second_tests(context.prices, context.path, two.live, tests, a)
    for answer in range(a * cases.widest, a * cases.widest + cases.domain[a]):
        m, most, apart = sum_up(objective, pairs.singles, answer)
        leaf, known = bound_counts(objective, m, most, apart, min(least, NEVER))
        best = min(leaf, pairs.second[answer])
        if best > known:
            bound += raise_branch(known, best, other, least, m)
    return bound


@section
def bound_second_of_two(cases, objective, pairs, b, cost, price):
    """Return (cost, branches) of test ``b`` for cases of two classes, whose bounds are tabled.

    It is :func:`bound_second`, but for the order in which terms are added. Measured, it is no
    faster (0.90 to 1.04 of the time on six tables); it stays so that bounds of two classes are
    the same to the last bit as those in checkpoints of earlier versions.
    """
    n_branches = 0
    for answer in range(b * cases.widest, b * cases.widest + cases.domain[b]):
        i = count_bits(pairs.above[0] & pairs.values[answer])
        j = count_bits(pairs.above[1] & pairs.values[answer])
        n_branches += i + j > 0
        split = price * (i + j) + objective.cells[i, j, AS_SPLIT]
        cost += min(objective.cells[i, j, AS_LEAF], split)
    return cost, n_branches


@section
def bound_second(cases, objective, pairs, b, cost, price):
    """Return (cost, branches) of test ``b``: the least that its branches cost, added up."""
    n_branches = 0
    for answer in range(b * cases.widest, b * cases.widest + cases.domain[b]):
        n, most, apart = np.int64(0), np.int64(0), 0.0
        for c in range(cases.n_classes):
            k = count_bits(pairs.above[c] & pairs.values[answer])
            n += k
            most = max(most, k)
            if k < objective.excess.size:
                apart += objective.excess[k]
        n_branches += n > 0
        apart = apart if n < objective.excess.size else 0.0
        _, least = bound_counts(objective, n, most, apart, price)
        cost += least
    return cost, n_branches


@section
def raise_by_two(context, two, a, bound, goal):
    """Return the bound of a whole test, raised by what can follow in its branches.

    The cases are a word. A branch is a leaf, or takes a test whose own branches cost what they
    cost at least; a test that is not whole is only known to leave the errors that no tree avoids.
    """
    cases, objective, pairs, tests = context.cases, context.objective, two.pairs, two.tests
    charge, least = split_charge(objective, np.int64(1)), tests[a].least_after
    other, low, second, lowest = price_second_tests(
        context.prices, context.path, two.live, tests, a
    )
    for answer in range(a * cases.widest, a * cases.widest + cases.domain[a]):
        if bound >= goal:
            break
        for c in range(cases.n_classes):
            pairs.above[c] = pairs.values[answer] & pairs.classes[c]
            pairs.singles[answer, c] = count_bits(pairs.above[c])
        m, most, apart = sum_up(objective, pairs.singles, answer)
        best, known = bound_counts(objective, m, most, apart, min(least, NEVER))
        found = np.int64(0)
        for turn in range(two.n_whole):
            if best <= known:
                break
            b = pairs.order[turn]
            if b == a:  # its only branch has all cases
                continue
            cost = tests[b].price_after * m + charge
            price = min(second if b == lowest else low, tests[b].least_in_groups, NEVER)
            if objective.cells.size > 0:
                cost, n = bound_second_of_two(cases, objective, pairs, b, cost, price)
            else:
                cost, n = bound_second(cases, objective, pairs, b, cost, price)
            if n > 1 and cost < best:
                best, found = cost, np.int64(turn)
        if best > known:
            bound += raise_branch(known, best, other, least, m)
        b = pairs.order[found]
        for j in range(found, 0, -1):
            pairs.order[j] = pairs.order[j - 1]
        pairs.order[0] = b
    return bound


@part
def raise_bounds(solver, f, chosen):
    """Raise the bounds of the queued tests of a state; leave out those ruled out.

    ``chosen`` tells whether its cases are chosen in the layout of all.
    """
    context, stack, queue, pairs = solver.context, solver.stack, solver.queue, solver.pairs
    tests, frame, live, run = (
        solver.buffers.tests, stack.frames[f], stack.live[f + 1], context.run[0],
    )  # fmt: skip
    depth, room = frame.depth, pairs.n_words
    n_words = (np.int64(frame.weight) + WORD - 1) // WORD
    if not context.objective.simple or frame.queued == 0 or depth < 2:
        return
    if n_words > (room if depth == 2 else min(room, 1)):
        return
    if chosen and depth == 2 and solver.layout.chosen.size <= room:
        n_words = np.int64(solver.layout.chosen.size)
        n_whole = copy_words(context.cases, solver.layout, pairs, tests, live)
    else:
        n_whole = fill_words(context, pairs, tests, live, frame, n_words)
    run.work += frame.queued * n_whole * n_words
    two = Two(pairs=pairs, tests=tests, live=live, n_whole=n_whole, n_words=n_words)
    if depth == 2:
        for a in range(live.size):
            tests[a].wanted = 0
        for i in range(frame.queue, frame.queue + frame.queued):
            tests[asked_test(queue[i].action)].wanted = 1
        cost_last_two(context, two)
    else:
        price_groups(context.prices, context.path, live, tests)
    goal = min(frame.upper, frame.cap) * CLOSED
    trust = 0.0 if run.by_bound else TRUST
    i, last = frame.queue, frame.queue + frame.queued - 1
    while i <= last:
        entry = queue[i]
        a, raised = asked_test(entry.action), entry.bound
        if tests[a].whole and depth == 2:
            raised = raise_by_last_two(context, two, a, entry.bound)
        elif tests[a].whole:
            raised = raise_by_two(context, two, a, entry.bound, goal)
        if raised >= goal:
            frame.lower = min(frame.lower, raised)
            queue[i] = queue[last]
            last -= 1
        else:
            rank = entry.rank + (1.0 - trust) * (raised - entry.bound)
            entry.rank = raised if depth == 2 else rank
            entry.bound = raised
            i += 1
    frame.queued = last + 1 - frame.queue
