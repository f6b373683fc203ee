"""Going down: what an action leads to, and the way back up.

The cases of a state are partitioned by branch, what is paid is noted, and of each branch what is
known already: by its fingerprint, which stands for its cases and for what of the path still
matters.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.bounds import least_price_after
from frugaltree.kernels.cost.discounts import price_here
from frugaltree.kernels.cost.prices import is_paid_for, sure_price
from frugaltree.kernels.data.cells import varies
from frugaltree.kernels.data.nodes import HIGH, LACKING, LOW, NUMERIC_BRANCHES, lacking_branch
from frugaltree.kernels.exact.actions import asked_test, cut_of, is_order, is_ordered
from frugaltree.kernels.exact.budget import budget_key, grains_of, is_limited
from frugaltree.kernels.exact.candidates import CLOSED
from frugaltree.kernels.exact.objective import cost_as_leaf, least_for
from frugaltree.kernels.exact.records import DONE, KNOWN_BEFORE, NEW
from frugaltree.kernels.exact.ruled import count_asked, is_ruled, rules_key
from frugaltree.kernels.exact.state_table import find
from frugaltree.kernels.jit import part, section
from frugaltree.kernels.sentinels import NONE

# ------------------------------------------------------------------------------ keys


@section
def path_key(context, live, branch, depth):
    """Return what the path adds to the fingerprint of its cases, as far as it still matters.

    That is the paid tests that can split again, and the open groups of which an unpaid test can
    still split; under an order, the tests that can split; and the depth left, if limited. With a
    budget, groups matter to what is left only where it binds (:func:`budget_key`). What rules add
    is in ruled.py.
    """
    cases, path, marks, rows = context.cases, context.path, context.marks, context.rows
    prices = context.prices
    discount, ordered, binding = context.purse.discount, path.ordered[0], False
    start, stop = branch.start, branch.stop
    key0, key1 = np.uint64(0), np.uint64(0)
    if is_limited(context):
        binding, key0, key1 = budget_key(context, live, branch)
    n_tests, n_groups = path.paid.size, path.opened.size
    if is_ruled(context):
        more0, more1 = rules_key(context, live, branch)
        key0 ^= more0
        key1 ^= more1
    if ordered:
        key0 ^= marks[n_tests + n_groups, 0]
        key1 ^= marks[n_tests + n_groups, 1]
    for a in range(n_tests):
        counts = ordered or (path.paid[a] and not cases.nominal[a])
        if counts and live[a] and varies(cases, rows, start, stop, a):
            key0 ^= marks[a, 0]
            key1 ^= marks[a, 1]
    for g in range(n_groups):
        if path.opened[g] and not ordered:
            for a in range(n_tests):
                if (
                    live[a]
                    and not path.paid[a]
                    and (prices.discount[a, g] > 0.0 or (binding and discount[a, g] > 0.0))
                    and varies(cases, rows, start, stop, a)
                ):
                    key0 ^= marks[n_tests + g, 0]
                    key1 ^= marks[n_tests + g, 1]
                    break
    if depth < stop - start - 1:
        key0 ^= marks[n_tests + n_groups + 1, 0] * np.uint64(depth + 1)
        key1 ^= marks[n_tests + n_groups + 1, 1] * np.uint64(depth + 1)
    return key0, key1


@part
def describe(context, live, branch, counts, depth, price):
    """Note the class counts of a branch, its fingerprint, and what is known of what it costs.

    Its cases are given, by where they begin and end, and what they may still be charged. Returns
    the action kept for it, NONE if there is none.
    """
    cases, objective, run = context.cases, context.objective, context.run[0]
    key0, key1, m, action = np.uint64(0), np.uint64(0), 0.0, np.int64(NONE)
    for c in range(counts.size):
        counts[c] = 0.0
    for i in range(branch.start, branch.stop):
        row = context.rows[i]
        key0 ^= cases.keys[row, 0]
        key1 ^= cases.keys[row, 1]
        counts[cases.classes[row]] += cases.weights[row]
        m += cases.weights[row]
    branch.seen = NEW
    upper = cost_as_leaf(objective, counts, m)
    lower = least_for(objective, counts, m, upper, price, depth > 0)
    if lower < upper * CLOSED:
        more0, more1 = path_key(context, live, branch, depth)
        key0 ^= more0
        key1 ^= more1
        least, known, kept = find(context.lines, run.stamp, key0, key1)
        if known < np.inf:
            if known < upper:
                action = kept
            lower, upper = max(lower, least), min(upper, known)
            branch.seen = KNOWN_BEFORE
    else:
        branch.seen = DONE  # a leaf, whatever the table knows of these cases
    if lower >= upper * CLOSED:
        lower = upper
    branch.key0 = key0
    branch.key1 = key1
    branch.weight = m
    branch.lower = lower
    branch.upper = upper
    return action


# ------------------------------------------------------------------------------ payments


@section
def pay(prices, path, a, sign):
    """Pay for a test on the way down, or with sign -1 undo it on the way up."""
    path.paid[a] += sign
    for g in range(path.opened.size):
        if prices.member[a, g]:
            path.opened[g] += sign


@part
def pay_back(context, frame, branch, sign):
    """Take back, on the way to a branch, what its cases do not pay, lacking a value of the test.

    With sign -1 on the way down, with 1 on the way up.
    """
    if not is_paid_for(context.prices, branch.lacking):
        pay(context.prices, context.path, asked_test(frame.action), sign)


@section
def restrict(live, path, f, action):
    """List, for the state after an action, the tests that may be asked there."""
    for a in range(path.paid.size):
        ask = live[f + 1, a]
        if is_order(action) and not is_ordered(action, a) and not path.paid[a]:
            ask = np.uint8(0)
        live[f + 2, a] = ask


# ------------------------------------------------------------------------------ going down


@part
def partition(context, buffers, start, stop, action):
    """Partition cases by the branch of an action that they take; return how many branches.

    ``buffers.values`` then has where each branch ends.
    """
    cases, rows, values = context.cases, context.rows, buffers.values
    a, cut = asked_test(action), cut_of(action)
    shift, domain, nominal = cases.shift, cases.domain[a], cases.nominal[a]
    k = domain if nominal else np.int64(NUMERIC_BRANCHES)
    for b in range(k):
        values[b].stop = 0
    for i in range(start, stop):
        b = np.int64(cases.cells[a, rows[i]] >> shift)
        if not nominal:
            b = np.int64(LACKING if b >= domain else HIGH if b > cut else LOW)
        values[b].stop += 1
        buffers.branch[i - start] = b
    place = start
    for b in range(k):
        n = values[b].stop
        values[b].stop = place
        place += n
    for i in range(stop - start):
        b = np.int64(buffers.branch[i])
        buffers.rows[values[b].stop - start] = rows[start + i]
        values[b].stop += 1
    for i in range(stop - start):
        rows[start + i] = buffers.rows[i]
    return k


@section
def least_price_below(context, tests, live, a):
    """Return the least price of any test once test ``a`` is taken.

    The prices in the buffer may be those of a state further down. A numeric test is then free, at
    another threshold.
    """
    prices, path, lacking, others = context.prices, context.path, context.cases.lacking, np.inf
    if not context.cases.nominal[a]:
        return 0.0
    for b in range(live.size):
        if live[b]:
            tests[b].price = sure_price(prices, price_here(prices, path, b), lacking[b])
            if b != a:
                others = min(others, tests[b].price)
    return least_price_after(prices, path, live, tests, a, others)


@section
def begin(context, stack, buffers, f, action):
    """Take an action at a state, and note its branches; an order has a single one."""
    path, live, frame = context.path, stack.live, stack.frames[f]
    start, depth, left = frame.start, frame.depth, frame.left
    frame.action = action
    frame.width = 0
    price, k, lacking = 0.0, np.int64(1), np.int64(NONE)
    restrict(live, path, f, action)
    if action < NONE:
        path.ordered[0] = is_order(action)
        buffers.values[0].stop = frame.stop
    else:
        a = asked_test(action)
        price = least_price_below(context, buffers.tests, live[f + 1], a)
        if is_limited(context):
            left -= grains_of(context, a)
        pay(context.prices, path, a, np.int64(1))
        count_asked(context, a, np.int64(1))
        k = partition(context, buffers, start, frame.stop, action)
        lacking = lacking_branch(context.cases, a)
        depth -= 1
    for b in range(k):
        stop = buffers.values[b].stop
        if stop > start:
            child = frame.children + frame.width
            frame.width += 1
            branch = stack.branches[child]
            branch.start = start
            branch.stop = stop
            branch.lacking = b == lacking
            branch.left = left if is_paid_for(context.prices, branch.lacking) else frame.left
            pay_back(context, frame, branch, np.int64(-1))
            describe(context, live[f + 2], branch, stack.counts[child], depth, price)
            pay_back(context, frame, branch, np.int64(1))
        start = stop


@section
def end(context, stack, f, lower):
    """Take an action back, having found the least that it costs."""
    frame, path = stack.frames[f], context.path
    action = frame.action
    frame.lower = min(frame.lower, lower)
    frame.action = NONE
    if is_order(action):
        path.ordered[0] = 0
    else:
        a = asked_test(action)
        pay(context.prices, path, a, np.int64(-1))
        count_asked(context, a, np.int64(-1))
        place = frame.tried + frame.noted
        noted = context.objective.steady and not context.cases.nominal[a]
        if noted and place < stack.tried.size:
            tried = stack.tried[place]
            tried.cut = cut_of(action)
            tried.before = stack.latest[f, a]
            tried.low = frame.low
            tried.left = stack.branches[frame.children].lower
            tried.right = stack.branches[frame.children + 1].lower
            frame.noted += 1
            stack.latest[f, a] = place
