"""The search for the cheapest tree: depth first, with bounds from both sides and a memory.

A state is expanded: every way to go on is a candidate (expand.py). The most promising is tried
first: its branches are states in turn (branch.py). A candidate that must cost more than the best
one known is left out, and so is a branch once the others leave it too little. What is found out
about a state, a tree and its cost, and a cost that no tree can undercut, is kept (state_table.py)
for whoever comes by again on another path.

Effort is limited at every state: a part of what is left for each branch, so that no branch can
use up everything, and the whole is repeated with more. With no effort left the greedy tree is
grown, by the most promising candidate at each state. Small states are searched to the end.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.bounds import bound_by_neighbours, bound_side
from frugaltree.kernels.exact.actions import ENTER, asked_test, cut_of, is_order
from frugaltree.kernels.exact.answers import allowed_at
from frugaltree.kernels.exact.branch import begin, end, pay_back, restrict
from frugaltree.kernels.exact.candidates import CLOSED
from frugaltree.kernels.exact.expand import expand
from frugaltree.kernels.exact.look_ahead import look_ahead
from frugaltree.kernels.exact.objective import cost_as_leaf
from frugaltree.kernels.exact.queue import remove_first
from frugaltree.kernels.exact.ranking import SMALL
from frugaltree.kernels.exact.records import (
    BRANCH_AND_BOUND,
    DONE,
    GREEDY,
    KNOWN_BEFORE,
    LOOKING_AHEAD,
    SAMPLING,
)
from frugaltree.kernels.exact.state_table import Found, find, keep
from frugaltree.kernels.jit import atom, kernel, section
from frugaltree.kernels.sentinels import NONE

SLACK = 0.5
"""How far a threshold is to rule out those towards the next one tried, as a share of the way.

So much more than is of use is found out about its branches. With none, pima takes 2.4 times and
glass 4 times as long to prove at depth 3.
"""

FEW_TO_GO = 4
"""Only with so many tests to go at most: further up that would be far too much.

With 3 instead, heart takes 1.7 times as long to prove at depth 4, and thyroid, proven in 13 s, is
not in 54.
"""


@section
def narrow_by_neighbours(context, stack, f, entry):
    """Return the bound of the first candidate, given what other thresholds have led to.

    Looking ahead may come to the same threshold again.
    """
    frame, left = stack.frames[f], entry.left_bound
    frame.slack = 0.0
    if is_order(entry.action) or not context.objective.steady:
        return entry.bound
    if frame.mode == LOOKING_AHEAD:
        return entry.bound
    a, cut = asked_test(entry.action), cut_of(entry.action)
    if context.cases.nominal[a]:
        return entry.bound
    right, near = entry.bound - entry.charge - left, min(entry.low, frame.weight - entry.low)
    j = stack.latest[f, a]
    while j != NONE:
        tried = stack.tried[j]
        apart = abs(tried.low - entry.low)
        near = min(near, apart)
        if tried.cut < cut:
            left = max(left, tried.left)
            right = bound_side(right, tried.right, apart, frame.step)
        else:
            right = max(right, tried.right)
            left = bound_side(left, tried.left, apart, frame.step)
        j = tried.before
    if frame.mode == BRANCH_AND_BOUND and frame.depth <= FEW_TO_GO and frame.step < np.inf:
        frame.slack = SLACK * near * frame.step
    return bound_by_neighbours(entry.bound, entry.charge, left, right)


@section
def open_state(context, stack, f, child):
    """Take a branch in hand as a state; depth, cap, limit and mode of its frame are given."""
    frame, above, branch = stack.frames[f], stack.frames[f - 1], stack.branches[child]
    frame.start = branch.start
    frame.stop = branch.stop
    frame.branch = child
    frame.queued = 0
    frame.noted = 0
    frame.tries = 0
    frame.width = 0
    frame.began = context.run[0].work
    frame.action = NONE
    frame.best = NONE
    frame.last_turn = 0
    frame.ahead = 0
    frame.best_charge = np.inf
    for a in range(stack.cuts.shape[1]):
        stack.cuts[f, a] = 0
        stack.latest[f, a] = NONE
    frame.queue = above.queue + above.queued
    frame.children = above.children + above.width
    frame.tried = above.tried + above.noted
    frame.weight = branch.weight
    frame.left = branch.left
    frame.first_answer = branch.first_answer
    frame.last_answer = branch.last_answer
    frame.lower = np.inf
    counts, allowed = stack.counts[child], allowed_at(branch)
    frame.upper = cost_as_leaf(context.objective, counts, branch.weight, allowed)
    frame.key0 = branch.key0
    frame.key1 = branch.key1
    _, upper, action = find(context.lines, context.run[0].stamp, branch.key0, branch.key1)
    if upper < frame.upper:
        frame.upper = upper
        frame.best = action


@section
def close_state(context, stack, f):
    """Keep what was found out about a state, and tell the one above."""
    frame, run = stack.frames[f], context.run[0]
    branch = stack.branches[frame.branch]
    upper = frame.upper
    lower = min(upper, frame.lower)
    lower = max(lower, min(upper, branch.lower))
    if lower >= upper * CLOSED:
        lower = upper
    found = Found(
        key0=frame.key0, key1=frame.key1, lower=lower, upper=upper, action=frame.best,
        work=run.work - frame.began,
    )  # fmt: skip
    run.kept += keep(context.lines, run.stamp, found)
    branch.lower = lower
    branch.upper = upper
    branch.seen = DONE


@atom
def pauses(run, stop):
    """Tell whether the search is to end, or needs a larger table."""
    return stop[0] != 0 or run.kept >= run.most_kept or run.steps >= run.last_step


@section
def had_its_turn(stack, run, f, action):
    """Tell whether a state is not to try an action: enough thresholds of its test were tried."""
    if stack.frames[f].mode == SAMPLING and not is_order(action):
        a = asked_test(action)
        stack.cuts[f, a] += 1
        return stack.cuts[f, a] > run.cuts
    return False


@section
def next_action(solver, f):
    """Return the next action worth trying at a state, NONE if it is done with."""
    context, stack, queue = solver.context, solver.stack, solver.queue
    frame, run, found = stack.frames[f], context.run[0], np.int64(NONE)
    frame.slack = 0.0
    first, mode, stops = frame.queue, frame.mode, pauses(run, solver.stop)
    if mode == LOOKING_AHEAD and frame.tries > 0:  # the greedy tree is to be undercut
        frame.queued = 0
        if frame.tries == 1 and not stops:
            look_ahead(solver, f)
    while frame.queued > 0 and found == NONE:
        goal = min(frame.upper, frame.cap) * CLOSED
        over = mode != SAMPLING and mode != LOOKING_AHEAD and frame.tries > 0
        over = over and (mode == GREEDY or run.work >= frame.limit)
        if over or stops:
            for i in range(first, first + frame.queued):
                frame.lower = min(frame.lower, queue[i].bound)
            frame.queued = 0
            break
        entry = queue[first]
        action, charge, low = entry.action, entry.charge, entry.low
        bound = narrow_by_neighbours(context, stack, f, entry)
        frame.queued = remove_first(queue, first, frame.queued)
        if bound >= goal or had_its_turn(stack, run, f, action):
            frame.lower = min(frame.lower, bound)
        else:
            frame.charge = charge
            frame.low = low
            frame.tries += 1
            found = action
    last = mode == SAMPLING and found == NONE and frame.last_turn == 0
    if last and frame.best_charge < np.inf and not stops:
        frame.last_turn = 1
        frame.charge = frame.best_charge
        found = frame.best
    return found


@atom
def mode_below(frame, run):
    """Return how the branches of the action being tried are searched."""
    mode = frame.mode
    if mode == SAMPLING and not frame.last_turn:
        return np.int64(GREEDY)
    if mode == BRANCH_AND_BOUND and run.work >= frame.limit:
        return np.int64(GREEDY)
    if mode == LOOKING_AHEAD and not frame.ahead:
        return np.int64(GREEDY)
    return mode


@section
def next_branch(stack, run, f):
    """Return (branch to go down next or NONE, least that the action costs, what it comes to).

    The last is the same in a search with bounds. Else branches that had their turn count with
    the tree that was found: once these cost too much, the others need no tree.
    """
    frame = stack.frames[f]
    lower, upper, likely = frame.charge, frame.charge, frame.charge
    mode = mode_below(frame, run)
    best, widest = np.int64(NONE), 0.0
    for child in range(frame.children, frame.children + frame.width):
        branch = stack.branches[child]
        low, high, seen = branch.lower, branch.upper, branch.seen
        lower += low
        upper += high
        if seen == DONE or (seen == KNOWN_BEFORE and mode == GREEDY and run.sample == 0):
            likely += low if mode == BRANCH_AND_BOUND else high
        else:
            likely += low
            if high - low > widest:
                best, widest = np.int64(child), high - low
    if upper < frame.upper * CLOSED:
        frame.upper = upper
        frame.best = frame.action
        frame.best_charge = frame.charge
    return best, lower, likely


@section
def limit_for(frame, branch, run, f):
    """Return how much work may have been done when a branch ends."""
    work, limit = run.work, frame.limit
    if limit <= work:
        return work
    if f == 0 or branch.stop - branch.start <= SMALL:
        return limit
    return work + (limit - work) // 2


@section
def enter(stack, run, n, depth, effort, mode):
    """Lay out the frame above the state to be searched."""
    frame = stack.frames[0]
    frame.start = 0
    frame.stop = n
    frame.depth = depth
    frame.branch = 0
    frame.queue = 0
    frame.queued = 0
    frame.children = 0
    frame.width = 0
    frame.action = 0
    frame.best = 0
    frame.tried = 0
    frame.noted = 0
    frame.tries = 0
    frame.began = 0
    frame.mode = mode
    frame.last_turn = 1
    frame.ahead = 1
    frame.limit = run.work + effort
    frame.charge = 0.0
    frame.slack = 0.0
    frame.upper = np.inf
    frame.cap = run.cap
    for a in range(stack.live.shape[1]):
        stack.live[1, a] = stack.live[0, a]


@kernel
def solve(solver, n, depth, effort, mode):
    """Search the state of the cases ``rows[:n]``, reached by the path, with this much effort.

    What is found out is kept in the table of states; branch 0 holds the bounds and the key of the
    state.

    Parameters
    ----------
    solver : Solver
        The problem, what is known, and all buffers.
    n : int64
        How many kinds of cases there are.
    depth : int64
        How many tests may follow each other.
    effort : int64
        Work that may be done before it ends with a greedy tree.
    mode : int64
        How to search: GREEDY, SAMPLING, BRANCH_AND_BOUND or LOOKING_AHEAD.
    """
    context, stack, buffers = solver.context, solver.stack, solver.buffers
    run, stop = context.run[0], solver.stop
    enter(stack, run, n, depth, effort, mode)
    stack.frames[0].left = context.purse.limit
    stack.frames[0].first_answer = context.objective.allowed.least
    stack.frames[0].last_answer = context.objective.allowed.most
    top, action = np.int64(0), np.int64(ENTER)
    while True:
        if action != NONE:
            begin(context, stack, buffers, top, action)
        child, lower, likely = next_branch(stack, run, top)
        frame = stack.frames[top]
        goal = min(frame.upper, frame.cap) * CLOSED + frame.slack
        if child != NONE and likely < goal and not pauses(run, stop):
            restrict(stack.live, context.path, top, frame.action)
            below, branch = stack.frames[top + 1], stack.branches[child]
            below.cap = goal - likely + branch.lower
            below.depth = frame.depth - (frame.action > NONE)
            below.limit = limit_for(frame, branch, run, top)
            below.mode = mode_below(frame, run)
            pay_back(context, frame, branch, np.int64(-1))
            top += 1
            open_state(context, stack, top, child)
            expand(solver, top)
        elif top > 0:
            end(context, stack, top, lower)
        else:
            break
        action = next_action(solver, top)
        if action == NONE:
            close_state(context, stack, top)
            branch = stack.branches[stack.frames[top].branch]
            top -= 1
            pay_back(context, stack.frames[top], branch, np.int64(1))
