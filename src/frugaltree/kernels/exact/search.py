"""The search for the cheapest tree: depth first, with bounds from both sides and a memory.

For a state, every way to go on is looked at (candidates.py). The most promising is tried first:
its branches are states in turn. A way that must cost more than the best one known is left out,
and so is a branch once the others leave it too little. What is found out about a state, a tree
and its cost, and a cost that no tree can undercut, is kept (states.py) for whoever comes by again
on another way.

Effort is limited at every state: a part of what is left for each branch, so that no branch can
use up everything, and the whole is repeated with more. With no effort left the greedy tree is
grown, by the most promising way at each state. Small states are searched to the end.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.exact.branch import begin, end, restrict
from frugaltree.kernels.exact.candidates import BASE, BOUND, CUT_BITS, LEFT_BOUND, remove_first
from frugaltree.kernels.exact.expand import SMALL, is_order, look
from frugaltree.kernels.exact.frame import (
    BELOW,
    BEST,
    BEST_BASE,
    C_HI,
    C_LO,
    C_LOWER,
    C_SEEN,
    C_SIZE,
    C_UPPER,
    CAP,
    CHILDREN,
    CLOSED,
    DEPTH,
    DIVE,
    DOING,
    ENTER,
    HI,
    LAST_TURN,
    LIMIT,
    LO,
    LOW,
    MODE,
    NOTED,
    QUEUE,
    QUEUED,
    SEARCH,
    SELF,
    SIZE,
    SPENT,
    START,
    TRIED,
    TRIES,
    W_CUTS,
    W_KEPT,
    W_MOST,
    W_PAUSE,
    W_SAMPLE,
    W_STAMP,
    W_STEPS,
    W_WORK,
    WEIGH,
    WIDTH,
)
from frugaltree.kernels.exact.objective import cost_as_leaf
from frugaltree.kernels.exact.state_table import find, keep
from frugaltree.kernels.jit import kernel, section
from frugaltree.kernels.sentinels import NONE


@section
def narrow_by_neighbours(solver, f, action):
    """Return the bound of the first candidate, given what other cuts of its test have led to.

    A cut further left has fewer cases on its left, and these never cost more: take the best tree
    for all of them; for fewer, its leaves expect no more errors if all errors cost the same, and
    its tests are paid for by fewer; a test that no longer splits is left out. That holds where
    any split is legal and no value is missing.
    """
    frames, queue = solver.frames, solver.queue
    place = frames.facts[f, QUEUE]
    bound, left = queue.costs[place, BOUND], queue.costs[place, LEFT_BOUND]
    if is_order(action) or not solver.objective.nested or frames.facts[f, NOTED] == 0:
        return bound
    if solver.table.nominal[action >> CUT_BITS]:
        return bound
    right = bound - queue.costs[place, BASE] - left
    first = frames.facts[f, TRIED]
    for j in range(first, first + frames.facts[f, NOTED]):
        if frames.tried[j] >> CUT_BITS == action >> CUT_BITS:
            if frames.tried[j] < action:
                left = max(left, frames.sides[j, 0])
            else:
                right = max(right, frames.sides[j, 1])
    return max(bound, queue.costs[place, BASE] + left + right)


@section
def open_state(solver, f, child, depth, cap, limit, mode):
    """Take a branch in hand as a state of its own."""
    frames, facts, costs, states = (
        solver.frames,
        solver.frames.facts,
        solver.frames.costs,
        solver.states,
    )
    facts[f, LO] = frames.spans[child, C_LO]
    facts[f, HI] = frames.spans[child, C_HI]
    facts[f, DEPTH] = depth
    facts[f, SELF] = child
    facts[f, QUEUED] = 0
    facts[f, NOTED] = 0
    facts[f, TRIES] = 0
    facts[f, WIDTH] = 0
    facts[f, LIMIT] = limit
    facts[f, START] = frames.used[W_WORK]
    facts[f, DOING] = NONE
    facts[f, BEST] = NONE
    facts[f, MODE] = mode
    facts[f, LAST_TURN] = 0
    for a in range(frames.cuts.shape[1]):
        frames.cuts[f, a] = 0
    facts[f, QUEUE] = facts[f - 1, QUEUE] + facts[f - 1, QUEUED]
    facts[f, CHILDREN] = facts[f - 1, CHILDREN] + facts[f - 1, WIDTH]
    facts[f, TRIED] = facts[f - 1, TRIED] + facts[f - 1, NOTED]
    m = frames.bounds[child, C_SIZE]
    costs[f, SIZE] = m
    costs[f, CAP] = cap
    costs[f, LOW] = np.inf
    costs[f, BELOW] = cost_as_leaf(solver.objective, frames.counts[child], m)
    frames.key[f, 0] = frames.keys[child, 0]
    frames.key[f, 1] = frames.keys[child, 1]
    _, upper, action = find(states, frames.used[W_STAMP], frames.key[f, 0], frames.key[f, 1])
    if upper < costs[f, BELOW]:
        costs[f, BELOW] = upper
        facts[f, BEST] = action
    look(solver, f)


@section
def close_state(solver, f):
    """Keep what was found out about a state in hand, and tell the one above."""
    frames, costs = solver.frames, solver.frames.costs
    upper = costs[f, BELOW]
    lower = min(upper, costs[f, LOW])
    child = frames.facts[f, SELF]
    lower = max(lower, min(upper, frames.bounds[child, C_LOWER]))
    if lower >= upper * CLOSED:
        lower = upper
    work = frames.used[W_WORK] - frames.facts[f, START]
    frames.used[W_KEPT] += keep(
        solver.states, frames.used[W_STAMP], frames.key[f, 0], frames.key[f, 1], lower, upper,
        frames.facts[f, BEST], work,
    )  # fmt: skip
    frames.bounds[child, C_LOWER] = lower
    frames.bounds[child, C_UPPER] = upper
    frames.spans[child, C_SEEN] = 1


@section
def pauses(solver):
    """Tell whether the search is to end, or needs a larger table."""
    used = solver.frames.used
    return solver.stop[0] != 0 or used[W_KEPT] >= used[W_MOST] or used[W_STEPS] >= used[W_PAUSE]


@section
def is_enough(frames, f, action):
    """Tell whether a state is not to try an action: it has had its turn, or its test has."""
    if frames.facts[f, MODE] == WEIGH and not is_order(action):
        a = action >> CUT_BITS
        frames.cuts[f, a] += 1
        return frames.cuts[f, a] > frames.used[W_CUTS]
    return False


@section
def next_action(solver, f):
    """Return the next action worth trying at a state in hand, NONE if it is done with."""
    frames, queue = solver.frames, solver.queue
    facts, costs, first = frames.facts, frames.costs, frames.facts[f, QUEUE]
    mode, found = facts[f, MODE], np.int64(NONE)
    while facts[f, QUEUED] > 0 and found == NONE:
        goal = min(costs[f, BELOW], costs[f, CAP]) * CLOSED
        over = mode != WEIGH and facts[f, TRIES] > 0
        over = over and (mode == DIVE or frames.used[W_WORK] >= facts[f, LIMIT])
        if over or pauses(solver):
            for i in range(first, first + facts[f, QUEUED]):
                costs[f, LOW] = min(costs[f, LOW], queue.costs[i, BOUND])
            facts[f, QUEUED] = 0
            break
        action = queue.action[first]
        bound = narrow_by_neighbours(solver, f, action)
        base = queue.costs[first, BASE]
        facts[f, QUEUED] = remove_first(queue, first, facts[f, QUEUED])
        if bound >= goal or is_enough(frames, f, action):
            costs[f, LOW] = min(costs[f, LOW], bound)
        else:
            costs[f, SPENT] = base
            facts[f, TRIES] += 1
            found = action
    last = mode == WEIGH and found == NONE and facts[f, LAST_TURN] == 0
    if last and facts[f, BEST] != NONE and not pauses(solver):
        facts[f, LAST_TURN] = 1
        costs[f, SPENT] = costs[f, BEST_BASE]
        found = facts[f, BEST]
    return found


@section
def mode_below(frames, f):
    """Return how the branches of the action being tried are searched."""
    mode = frames.facts[f, MODE]
    if mode == WEIGH and not frames.facts[f, LAST_TURN]:
        return np.int64(DIVE)
    if mode == SEARCH and frames.used[W_WORK] >= frames.facts[f, LIMIT]:
        return np.int64(DIVE)
    return mode


@section
def next_branch(solver, f):
    """Return (branch to go down next or NONE, least that the action costs, what it comes to).

    The last is the same in a search with bounds. Else branches that had their turn count with
    the tree that was found: once these cost too much, the others need no tree.
    """
    frames, facts, costs = solver.frames, solver.frames.facts, solver.frames.costs
    first, last = facts[f, CHILDREN], facts[f, CHILDREN] + facts[f, WIDTH]
    lower, upper, likely = costs[f, SPENT], costs[f, SPENT], costs[f, SPENT]
    mode = mode_below(frames, f)
    best, widest = np.int64(NONE), 0.0
    for child in range(first, last):
        low, high = frames.bounds[child, C_LOWER], frames.bounds[child, C_UPPER]
        lower += low
        upper += high
        seen = frames.spans[child, C_SEEN]
        if seen == 1 or (seen == 2 and mode == DIVE and frames.used[W_SAMPLE] == 0):
            likely += low if mode == SEARCH else high
        else:
            likely += low
            if high - low > widest:
                best, widest = np.int64(child), high - low
    if upper < costs[f, BELOW] * CLOSED:
        costs[f, BELOW] = upper
        facts[f, BEST] = facts[f, DOING]
        costs[f, BEST_BASE] = costs[f, SPENT]
    return best, lower, likely


@section
def limit_for(frames, f, child):
    """Return how much work may have been done when a branch ends."""
    work, limit = frames.used[W_WORK], frames.facts[f, LIMIT]
    if limit <= work:
        return work
    if f == 0 or frames.spans[child, C_HI] - frames.spans[child, C_LO] <= SMALL:
        return limit
    return work + (limit - work) // 2


@kernel
def solve(solver, n, depth, effort, mode):
    """Search the state of the cases ``rows[:n]``, reached by the route, with this much effort.

    What is found out is kept in the table; branch 0 holds the bounds and the key of the state.
    """
    frames, facts, costs = solver.frames, solver.frames.facts, solver.frames.costs
    for i in range(facts.shape[1]):
        facts[0, i] = 0
    facts[0, HI] = n
    facts[0, DEPTH] = depth
    facts[0, MODE] = mode
    facts[0, LAST_TURN] = 1
    facts[0, LIMIT] = frames.used[W_WORK] + effort
    costs[0, SPENT], costs[0, BELOW], costs[0, CAP] = 0.0, np.inf, np.inf
    for a in range(solver.route.paid.size):
        frames.live[1, a] = frames.live[0, a]
    top, action = np.int64(0), np.int64(ENTER)
    while True:
        if action != NONE:
            begin(solver, top, action)
        child, lower, likely = next_branch(solver, top)
        goal = min(costs[top, BELOW], costs[top, CAP]) * CLOSED
        if child != NONE and likely < goal and not pauses(solver):
            restrict(frames, solver.route, top, facts[top, DOING])
            cap = goal - likely + frames.bounds[child, C_LOWER]
            below = facts[top, DEPTH] - (facts[top, DOING] > NONE)
            limit, mode = limit_for(frames, top, child), mode_below(frames, top)
            top += 1
            open_state(solver, top, child, below, cap, limit, mode)
        elif top > 0:
            end(solver, top, lower)
        else:
            break
        action = next_action(solver, top)
        if action == NONE:
            close_state(solver, top)
            top -= 1
