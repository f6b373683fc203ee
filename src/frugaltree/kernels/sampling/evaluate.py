"""Estimating the cost of a node's tests by the trees sampled below each (Figures 3 and 5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.path_state import mark_path, refund, return_to
from frugaltree.kernels.cost.prune import KEEP_ROOT, ONE_ORDER
from frugaltree.kernels.jit import part
from frugaltree.kernels.random import sample_key
from frugaltree.kernels.records import record_type
from frugaltree.kernels.sampling.cache import RowRange, forget_sets, is_closed
from frugaltree.kernels.sampling.delayed import (
    attach_written,
    erase_since,
    mark_written,
    price_written,
    write_test,
)
from frugaltree.kernels.sampling.gains import (
    ALL_CUTS,
    entropy_bits,
    evaluate_set,
    last_rank_below,
    list_cuts,
)
from frugaltree.kernels.sampling.ruled import note_asked, note_waiting
from frugaltree.kernels.sampling.sample import (
    cannot_pay,
    is_affordable,
    pay_for_test,
    sample_tree,
)
from frugaltree.kernels.sampling.split_set import find_set_of, split_set, weight_without
from frugaltree.kernels.sentinels import FULL, NONE
from frugaltree.kernels.ties import TOLERANCE, beats

STOPPED, SHARED = -2, -3
"""Status, beside FULL, of a search that was asked to stop, and to share what it has to do."""

STATUS_OFFSET = 2
"""What is taken off a status where NONE, a leaf, is a possible answer."""

GROW, EVALUATE = -1, -2
"""Tasks of :func:`frugaltree.kernels.sampling.grow.grow_tree`, beside splitting by a test."""

OPEN_NODE = record_type(
    node=np.int64,
    lo=np.int64,
    mid=np.int64,
    hi=np.int64,
    depth=np.int64,
    levels=np.int64,
    ordered=np.int64,
    left=np.float64,
    key=np.uint64,
    hash0=np.uint64,
    hash1=np.uint64,
)
"""A node of the learner's tree that is still to be decided.

Its number; where its cases stand in the order, from ``mid`` on held out; how many tests are above
it; how deep the trees sampled below it may be; 1 where a delayed test stands above; what a case
may still be charged; its key for random draws; and the fingerprint of its cases.
"""

TRIED_CUT = record_type(below=np.int64, above=np.int64)
"""A cut that is tried: the ranks on either side."""

TEST_COST = record_type(total=np.float64, worth=np.float64, below=np.int64, above=np.int64)
"""A test of a node: its estimated cost over all cases, infinite where it is no candidate; its
worth; the ranks on either side of a numeric test's best cut."""


class Claims(NamedTuple):
    """What threads that evaluate the tests of a node together tell each other."""

    claimed: np.ndarray  # uint8[a]: 1 once some thread evaluates the test
    least: np.ndarray  # float64[1]: the least total that some thread has found
    share_wanted: np.ndarray  # int64[1]: not 0 once another thread wants a share of the work

    @classmethod
    def none(cls, n_tests: int, share_wanted: np.ndarray | None = None) -> Claims:
        """Return claims to no test so far."""
        if share_wanted is None:
            share_wanted = np.zeros(1, np.int64)
        return cls(np.zeros(n_tests, np.uint8), np.full(1, np.inf), share_wanted)


class Evaluation(NamedTuple):
    """What a learner notes while it evaluates the tests of a node."""

    order: np.ndarray  # int32[place]: the cases, a node's side by side
    spare: np.ndarray  # int32[place]
    tests: np.recarray  # TEST_COST[a]
    cuts: np.recarray  # TRIED_CUT[r]
    children: np.ndarray  # int64[branch]: the sets of the split under evaluation
    n_samples: np.ndarray  # int64[1]: trees sampled so far
    claims: Claims
    stop: np.ndarray  # int64[1]: not 0 once the search shall stop


class SplitTrial(NamedTuple):
    """A split under evaluation: a test, its cut, its samples, and how its trees are pruned."""

    test: int
    cut: int
    first_sample: int
    end_sample: int
    how: int


# ------------------------------------------------------------------------------ a node's sets


@part
def list_all_cuts(sets, e, a):
    """List every cut of a numeric test; return how many."""
    base = entropy_bits(sets, e)
    return list_cuts(sets, e, a, base, np.int64(ALL_CUTS))


@part
def pick_cuts(plan, listed, n, r, cuts):
    """Pick up to ``r`` of the ``n`` listed cuts: those of largest gain, or quantiles."""
    picked = 0
    if plan.quantile:
        last = -1
        for q in range(r):
            i = 0
            goal = (q + 1) * listed[n].n_below / (r + 1) - 1e-9
            while i < n - 1 and listed[i].n_below < goal:
                i += 1
            if i != last and n > 0:
                cuts[picked].below = listed[i].below
                cuts[picked].above = listed[i].above
                picked += 1
                last = i
        return picked
    while picked < r and picked < n:
        best, best_i = -1.0, -1
        for i in range(n):
            gain = listed[i].gain
            if gain >= 0.0 and (best_i < 0 or beats(gain, best)):
                best, best_i = gain, i
        cuts[picked].below = listed[best_i].below
        cuts[picked].above = listed[best_i].above
        listed[best_i].gain = -1.0
        picked += 1
    return picked


@part
def find_node_set(sets, order, node):
    """Return the set of an open node's cases, evaluated, or FULL; forgets all else if need be."""
    cases, cache = RowRange(order, node.lo, node.mid, node.hi), sets.cache
    for _ in range(2):
        e = find_set_of(sets, cases, node.hash0, node.hash1)
        if e != FULL and (
            is_closed(cache, e) or cache.sets[e].evaluated != NONE or evaluate_set(sets, e) != FULL
        ):
            return e
        forget_sets(cache)
    return np.int64(FULL)


@part
def split_node_set(sets, evaluation, node, a, cut):
    """Split an open node's cases and note the sets of the branches; return how many, or FULL."""
    for _ in range(2):
        e = find_node_set(sets, evaluation.order, node)
        if e == FULL:
            break
        k = split_set(sets, e, a, cut)
        if k != FULL:
            for b in range(k):
                evaluation.children[b] = sets.buffers.branches[b].child
            return k
        forget_sets(sets.cache)
    return np.int64(FULL)


# ------------------------------------------------------------------------------ estimates


@part
def cheapest_sample(work, evaluation, node, trial, b):
    """Return the least cost among the samples for one branch of a split, or a status.

    The first is greedy where the plan says so, and so is the only one of a numeric test. Where
    tests are delayed, the best tree is written down as a branch of the test.
    """
    sets, path, written, a = work.sets, work.path, work.written, trial.test
    plan, cache = sets.plan, sets.cache
    best, last_forgot, j = np.inf, np.int64(NONE), trial.first_sample
    place = mark_written(written)
    while j < trial.end_sample and best >= 0.0:
        child = evaluation.children[b]
        if not plan.delays and (
            is_closed(cache, child) or cannot_pay(sets, work.prices, path, child)
        ):
            best = cache.sets[child].leaf_cost
            break
        greedy = plan.greedy and (j == 0 or not sets.table.nominal[a])
        mark = mark_written(written)
        limit = np.inf if plan.delays else best
        key = sample_key(node.key, a, b, j)
        value = sample_tree(work, child, key, greedy, node.levels, limit)
        if value == FULL:
            erase_since(written, mark)
            forget_sets(cache)
            if last_forgot == j or split_node_set(sets, evaluation, node, a, trial.cut) == FULL:
                best = np.float64(FULL)
            last_forgot = j
            continue
        if plan.delays:
            value = price_written(work, mark.nodes, trial.how)
        if best == np.inf or value < best * (1.0 - TOLERANCE):
            best = value
            if plan.delays:
                attach_written(written, place, mark, b)
        elif plan.delays:
            erase_since(written, mark)
        evaluation.n_samples[0] += 1
        j += 1
        if evaluation.stop[0] != 0:
            best = np.float64(STOPPED)
    return best


@part
def estimate_split(work, evaluation, node, trial, limit):
    """Return the estimated cost of a split over all cases, or a status.

    The price of the test and the best of the samples of each branch. It may stop early, with
    some cost above ``limit``, once it cannot come out cheaper.
    """
    sets, path, a = work.sets, work.path, trial.test
    plan, cache = sets.plan, sets.cache
    k = split_node_set(sets, evaluation, node, a, trial.cut)
    e = find_node_set(sets, evaluation.order, node)
    total = np.float64(FULL)
    if k != FULL and e != FULL:
        mark = mark_path(path)
        if plan.delays:
            cases = RowRange(evaluation.order, node.lo, node.mid, node.hi)
            write_test(path, work.written, a, k, cache.counts[e], cases)
        without = weight_without(sets, work.prices, a, evaluation.children[k - 1])
        total = 0.0
        if plan.charged:
            total = path.tests[a].price * (cache.sets[e].weight - without)
        pay_for_test(work.prices, plan, cache, path, e, a)
        for b in range(k):
            if evaluation.children[b] == NONE:
                continue
            lacks = b == k - 1 and sets.table.lacking[a] != 0
            work.written.used.lacking = lacks
            if lacks and without > 0.0:
                refund(path, mark)
            value = cheapest_sample(work, evaluation, node, trial, np.int64(b))
            total = total + value if value >= 0.0 else value
            if value < 0.0 or (trial.how == 0 and total > limit * (1.0 + TOLERANCE)):
                break
        return_to(path, mark)
        if plan.ruled:
            note_asked(work.prices, path, np.int64(a), np.int64(-1))
        if trial.how != 0 and total >= 0.0:
            # What each tree was worth alone it need not be worth in an order of all.
            total = price_written(work, work.written.used.test_node, trial.how | KEEP_ROOT)
    return total


@part
def estimate_test(work, evaluation, node, r, a, limit):
    """Return the estimated cost of splitting by a test, or a status.

    A nominal test has ``r`` samples for each value; a numeric one a sample for either side of
    each of ``r`` cuts, the best of which is noted.
    """
    sets, cuts, nominal = work.sets, evaluation.cuts, work.sets.table.nominal[a] != 0
    how = np.int64(0)
    if sets.plan.delays and (node.ordered or work.prices.delayed[a]):
        how = np.int64(ONE_ORDER)
    n_trials, best = np.int64(1), np.inf
    if not nominal:
        e = find_node_set(sets, evaluation.order, node)
        n_cuts = list_all_cuts(sets, e, a)
        n_trials = np.int64(pick_cuts(sets.plan, sets.buffers.cuts, n_cuts, r, cuts))
    for t in range(n_trials):
        cut, first, end = np.int64(NONE), np.int64(0), r
        if not nominal:
            cut = last_rank_below(sets.table, sets.plan, a, cuts[t].below, cuts[t].above)
            first, end = np.int64(t), np.int64(t + 1)
        least = best if best < limit else limit
        trial = SplitTrial(a, cut, first, end, how)
        total = estimate_split(work, evaluation, node, trial, least)
        if total < 0.0:
            best = total
            break
        if t == 0 or total < best * (1.0 - TOLERANCE):
            best = total
            if not nominal:
                evaluation.tests[a].below = cuts[t].below
                evaluation.tests[a].above = cuts[t].above
    return best


@part
def is_better_test(total, worth, best, best_worth):
    """Tell whether a test is cheaper than the best so far or, at the same cost, worth more."""
    if total < best * (1.0 - TOLERANCE):
        return True
    return total <= best * (1.0 + TOLERANCE) and beats(worth, best_worth)


@part
def reset_evaluation(evaluation):
    """Make ready to evaluate every test of a node."""
    evaluation.claims.least[0] = np.inf
    for a in range(evaluation.tests.size):
        evaluation.claims.claimed[a] = 0
        evaluation.tests[a].total = np.inf


@part
def estimate_tests(work, evaluation, node, r, task):
    """Return the test of least estimated cost among those not claimed, NONE, or a status.

    Figures 3 and 5. Several threads may evaluate tests of one node. They claim them without a
    lock: at worst a test is evaluated twice, to the same end. A test that turns out dearer than
    the least total is not evaluated to the end. As that may stand anywhere in the order of tests,
    it must be out of reach even for a row of tests each of which ties with the one before.
    """
    sets, path, claims = work.sets, work.path, evaluation.claims
    best, reach = np.int64(NONE), 1.0 + (evaluation.tests.size + 2) * TOLERANCE
    for a in range(evaluation.tests.size):
        if claims.claimed[a]:
            continue
        if task == GROW and claims.share_wanted[0] != 0:
            best = np.int64(SHARED - STATUS_OFFSET)
            break
        claims.claimed[a] = 1
        test = evaluation.tests[a]
        e = find_node_set(sets, evaluation.order, node)
        total = np.float64(FULL)
        if e != FULL:
            use = sets.cache.use[sets.cache.sets[e].evaluated, a]
            if sets.plan.ruled:
                note_waiting(work, e)
            if use < 0.0 or not is_affordable(sets.plan, path, a):
                continue
            test.worth = use * path.tests[a].factor
            limit = claims.least[0] * reach
            total = estimate_test(work, evaluation, node, r, np.int64(a), limit)
        if total < 0.0:
            claims.claimed[a] = 0
            best = np.int64(total) - STATUS_OFFSET
            break
        test.total = total
        if total < claims.least[0]:
            claims.least[0] = total
        if best == NONE or is_better_test(
            total, test.worth, evaluation.tests[best].total, evaluation.tests[best].worth
        ):
            best = np.int64(a)
    return best
