"""Expanding a state: its candidates are queued, with bounds, in the order to try them.

Every test and every threshold is a candidate (candidates.py), and so is every order of a set of
tests of which one is delayed (orders.py).
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.discounts import price_here
from frugaltree.kernels.cost.prices import depends
from frugaltree.kernels.data.bits import choose
from frugaltree.kernels.exact.actions import action_of
from frugaltree.kernels.exact.budget import is_limited
from frugaltree.kernels.exact.candidates import (
    TRUST,
    Asked,
    Candidate,
    charge_by_case,
    count_cuts,
    offer,
    offer_cuts,
    offer_promising_cuts,
    price_tests,
    sort_values,
    sum_nominal,
)
from frugaltree.kernels.exact.last_cuts import asks_last_cuts, search_last_cuts
from frugaltree.kernels.exact.objective import least_cost, split_charge
from frugaltree.kernels.exact.orders import offer_orders
from frugaltree.kernels.exact.pair_bound import raise_bounds
from frugaltree.kernels.exact.queue import heapify, keep_between
from frugaltree.kernels.exact.ranking import rank_candidates
from frugaltree.kernels.exact.records import BRANCH_AND_BOUND
from frugaltree.kernels.exact.ruled import is_ruled, may_follow
from frugaltree.kernels.jit import part

SEARCHED = 1
"""The frame of the state that is searched; the one above it leads there."""


@part
def expand(solver, f):
    """Queue the ways to go on from a state: all with bounds, else the promising ones.

    Where only promising ones are queued, nothing is known about the others: their bound is the
    state's. What is left of a budget must reach for a test here, and the rules must allow it;
    further down that may hold, after another test. Bounds may take any test to be within reach:
    that leaves more trees.
    """
    context, stack, buffers, queue = solver.context, solver.stack, solver.buffers, solver.queue
    cases, objective, path = context.cases, context.objective, context.path
    frame, live, tests = stack.frames[f], stack.live[f + 1], buffers.tests
    start, stop, m = frame.start, frame.stop, frame.weight
    counts = stack.counts[frame.branch]
    deep = frame.mode == BRANCH_AND_BOUND
    n_live = price_tests(context, tests, live, frame)
    context.run[0].work += 16 + n_live * (stop - start)
    context.run[0].steps += 1
    if deep and asks_last_cuts(context, solver.cuts, live, frame):
        search_last_cuts(solver, f)
        return
    chosen = choose(cases, solver.layout, context.rows, start, stop)
    least = 0.0
    if not deep:
        least = least_cost(objective, counts, m)
        frame.lower = stack.branches[frame.branch].lower
    orders, restricted = False, is_limited(context) or is_ruled(context)
    for a in range(live.size):
        if not live[a]:
            continue
        if restricted and not may_follow(context, live, frame.left, np.int64(a)):
            tests[a].disorder = np.inf
            continue
        waits = context.prices.delayed[a] > 0 and path.paid[a] == 0 and path.ordered[0] == 0
        orders = orders or waits
        price, own = price_here(context.prices, path, a), 0.0
        by_case = depends(context.prices, a)
        tests[a].disorder = np.inf
        if by_case:
            own = charge_by_case(context, start, stop, np.int64(a))
            if own == np.inf:
                continue
        if cases.nominal[a]:
            splits, paying, leaves, below, guess = sum_nominal(
                context, solver.layout, chosen, buffers, frame, a
            )
            charge = own if by_case else price * paying
            charge += split_charge(objective, np.int64(1))
            if splits:
                tests[a].disorder = guess
                if not waits:
                    rank = charge + (1 - TRUST) * below + TRUST * guess
                    action, upper = action_of(a, np.int64(0)), charge + leaves if deep else np.inf
                    below = max(least, below)
                    candidate = Candidate(
                        action=action, charge=charge, least=below, left=0.0, rank=rank,
                        upper=upper, low=0.0,
                    )  # fmt: skip
                    offer(stack, queue, context.run, f, candidate)
            continue
        n, known, missing = sort_values(context, buffers, counts, start, stop, np.int64(a))
        if missing > 0.0 and missing < objective.min_leaf:
            continue
        n_cuts = np.int64(1)
        if objective.per_log_cut > 0.0:
            n_cuts = count_cuts(cases, objective, buffers.sorter, n, known)
        charge = own if by_case else price * (m if context.prices.charge_missing else known)
        charge += split_charge(objective, n_cuts)
        asked = Asked(
            a=a, n=n, known=known, missing=missing, charge=charge, least=least, waits=waits,
            direction=context.directions[a],
        )  # fmt: skip
        if deep:
            offer_cuts(context, stack, queue, buffers, f, asked)
        else:
            offer_promising_cuts(context, stack, queue, buffers, f, asked)
    if orders:
        offer_orders(context, stack, queue, buffers, f)
    if f == SEARCHED:
        run = context.run[0]
        frame.queued = keep_between(
            queue, frame.queue, frame.queued, run.least_first, run.most_first
        )
    if deep and not orders:
        raise_bounds(solver, f, chosen)
    rank_candidates(queue, stack, context.run, tests, f)
    heapify(queue, frame.queue, frame.queued)
