"""What going on without a value costs at most, whatever else is missing.

At each node further down, all cases that come there have a value of its test, or none of them has:
the dearer of the two counts. What a case of which some tests cannot be measured costs is never
more, whichever tests these are.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.charges import end_of
from frugaltree.kernels.cost.lacking import child_below, lacks_value, start_over
from frugaltree.kernels.cost.prices import ORDERED, charge, price_of_order
from frugaltree.kernels.data.nodes import width
from frugaltree.kernels.jit import part
from frugaltree.kernels.records import record_type
from frugaltree.kernels.sentinels import NONE

UNSETTLED, ALL_KNOWN, ALL_MISSING = range(3)
"""Whether the cases of a frame have a value of its test; UNSETTLED before either is looked at."""

MOST_LOOKS = 200
"""How often each case may be looked at, on average, before it is given up."""

WAY_FRAME = record_type(
    node=np.int64,
    lo=np.int64,  # its cases are ``rows[lo:hi]``
    hi=np.int64,
    at=np.int64,  # those before have gone on
    branch=np.int64,  # the next one to look at
    phase=np.int64,
    goes_on=np.int64,  # whether cases go on without a value
    cost=np.float64,  # in this phase so far
    worst=np.float64,  # of the phases
)
"""A node on the way down, for some cases."""


@part
def price_at(task, frame, state):
    """Return what is paid at a frame's node at most, and whether by all of its cases.

    An order is charged in full. ``state``, what was paid before, is changed.
    """
    prices, nodes, node = task.prices, task.nodes, frame.node
    a, is_missing = nodes.test[node], frame.phase == ALL_MISSING and not prices.charge_missing
    if is_missing and not frame.goes_on:
        return 0.0, False
    if prices.delayed[a] and not state.paid[a]:
        for i in range(node, end_of(nodes, node)):
            b = nodes.test[i]
            if b != NONE and not state.paid[b]:
                state.paid[b] = ORDERED
        price = price_of_order(prices, state.paid, state.opened)
        for b in range(state.paid.size):
            state.paid[b] = 1
        return price, True
    if is_missing:
        return 0.0, False
    return charge(prices, a, state.paid, state.opened), prices.charge_missing


@part
def begin_phase(task, top, phase, work):
    """Let all cases of a frame have a value of its test, or none, and charge them."""
    cases, frames, rows = task.cases, work.frames, work.rows
    frame = frames[top]
    frame.phase, frame.at, frame.branch = phase, frame.lo, 0
    start_over(work)
    for i in range(top):
        price_at(task, frames[i], work)
    price, by_all = price_at(task, frame, work)
    frame.cost, a = 0.0, task.nodes.test[frame.node]
    for i in range(frame.lo, frame.hi):
        if by_all or not lacks_value(cases, rows[i], a):
            frame.cost += price * cases.weights[rows[i]]


@part
def phase_above(nodes, top, frames):
    """Return whether the test of a frame has a value, by a frame above that asks it."""
    for i in range(top):
        if nodes.test[frames[i].node] == nodes.test[frames[top].node]:
            return frames[i].phase
    return np.int64(UNSETTLED)


@part
def add_errors(task, frame, rows):
    """Charge the cases of a frame that end there for the errors of its answer."""
    label = task.labels[frame.node]
    for i in range(frame.at, frame.hi):
        frame.cost += task.cases.weights[rows[i]] * task.errors[label, task.cases.classes[rows[i]]]
    frame.at = frame.hi


@part
def next_child(task, frame, rows):
    """Return the next child that cases of a frame go on to, and where they end; NONE if none does.

    The cases that go there are brought to the front of those that are left.
    """
    nodes, node, mid = task.nodes, frame.node, frame.at
    if frame.phase == ALL_MISSING:
        return task.ways[node] if frame.at < frame.hi else np.int64(NONE), frame.hi
    while frame.branch < width(nodes.test[node], task.cases.domain, task.cases.nominal):
        child = nodes.children[nodes.first[node] + frame.branch]
        frame.branch += 1
        for i in range(mid if child != NONE else frame.hi, frame.hi):
            row = rows[i]
            if child_below(task.cases, nodes, task.ways, node, row, NONE) == child:
                rows[i] = rows[mid]
                rows[mid] = row
                mid += 1
        if mid > frame.at:
            return child, mid
    return np.int64(NONE), mid


@part
def open_frame(task, top, node, lo, hi, work):
    """Begin to look at a node for some cases."""
    frame = work.frames[top]
    frame.node, frame.lo, frame.hi, frame.at = node, lo, hi, lo
    frame.phase, frame.worst, frame.cost = UNSETTLED, 0.0, 0.0
    frame.goes_on = task.ways[node] != NONE


@part
def worst_cost(task, node, child, n, work):
    """Return what cases cost at most that go on from a node to a child without a value.

    These are the first ``n`` of ``work.rows``. Infinite where that takes too long to find out.
    """
    frames, rows, nodes, top, looks = work.frames, work.rows, task.nodes, 1, np.int64(0)
    open_frame(task, np.int64(0), node, np.int64(0), n, work)
    frames[0].goes_on = 1
    begin_phase(task, np.int64(0), np.int64(ALL_MISSING), work)
    open_frame(task, np.int64(1), child, np.int64(0), n, work)
    while top > 0:
        frame = frames[top]
        before = phase_above(nodes, top, frames)
        is_leaf = nodes.test[frame.node] == NONE
        if frame.phase == UNSETTLED and not is_leaf:
            looks += frame.hi - frame.lo
            if looks > MOST_LOOKS * n:
                return np.inf
            begin_phase(
                task, top, np.int64(ALL_MISSING if before == ALL_MISSING else ALL_KNOWN), work
            )
        if not is_leaf:
            below, mid = next_child(task, frame, rows)
            if below != NONE:
                top += 1
                open_frame(task, top, below, frame.at, mid, work)
                frame.at = mid
                continue
        add_errors(task, frame, rows)
        frame.worst = max(frame.worst, frame.cost)
        if frame.phase == ALL_KNOWN and before == UNSETTLED:
            begin_phase(task, top, np.int64(ALL_MISSING), work)
            continue
        top -= 1
        frames[top].cost += frame.worst
    return frames[0].cost
