"""Splitting a set of cases by a test, and finding the set of some cases."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.data.nodes import HIGH, LACKING, LOW, NUMERIC_BRANCHES
from frugaltree.kernels.jit import atom, part
from frugaltree.kernels.sampling.cache import add_set, find_set, is_closed, rows_of
from frugaltree.kernels.sentinels import FULL, NONE


@atom
def n_branches(table, a):
    """Return how many branches a test has."""
    return table.domain[a] if table.nominal[a] else np.int64(NUMERIC_BRANCHES)


@atom
def branch_of_cell(table, a, cut, cell):
    """Return the branch that a cell takes."""
    code = cell >> table.shift
    if table.nominal[a]:
        return np.int64(code)
    if code >= table.domain[a]:
        return np.int64(LACKING)
    return np.int64(LOW) if code <= cut else np.int64(HIGH)


@part
def clear_set_branches(sets, k):
    """Empty the first ``k`` branches of the buffers."""
    buffers = sets.buffers
    for b in range(k):
        branch = buffers.branches[b]
        branch.n_growing = 0
        branch.n_held_out = 0
        branch.weight = 0
        branch.hash0 = 0
        branch.hash1 = 0
        for c in range(sets.table.n_classes):
            buffers.counts[b, c] = 0.0
            if sets.plan.held_out:
                buffers.held_out[b, c] = 0.0


@atom
def add_growing(table, buffers, row, b):
    """Add a case to a branch."""
    branch, weight = buffers.branches[b], table.weights[row]
    branch.n_growing += 1
    branch.weight += weight
    branch.hash0 ^= table.keys[row, 0]
    branch.hash1 ^= table.keys[row, 1]
    buffers.counts[b, table.classes[row]] += weight


@part
def add_held_out(table, buffers, row, b):
    """Add a case that is held out to a branch."""
    branch = buffers.branches[b]
    branch.n_held_out += 1
    branch.hash0 ^= table.keys[row, 0]
    branch.hash1 ^= table.keys[row, 1]
    buffers.held_out[b, table.classes[row]] += table.weights[row]


@atom
def send_down(sets, cases, a, cut):
    """Send cases down the branches of a test, into the buffers; return how many branches it has.

    Of the cases held out, one whose branch no other case takes drops out.
    """
    table, buffers, k = sets.table, sets.buffers, n_branches(sets.table, a)
    clear_set_branches(sets, k)
    cells, rows, lo = table.cells[a], cases.rows, cases.lo
    for i in range(lo, cases.mid):
        row = rows[i]
        b = branch_of_cell(table, a, cut, cells[row])
        buffers.branch_of[i - lo] = b
        add_growing(table, buffers, row, b)
    if cases.mid < cases.hi:
        send_held_out_down(sets, cases, a, cut)
    return k


@part
def send_held_out_down(sets, cases, a, cut):
    """Send the cases held out down the branches of a test."""
    table, buffers, lo = sets.table, sets.buffers, cases.lo
    for i in range(cases.mid, cases.hi):
        row = cases.rows[i]
        b = branch_of_cell(table, a, cut, table.cells[a, row])
        if buffers.branches[b].n_growing == 0:
            b = np.int64(NONE)
        else:
            add_held_out(table, buffers, row, b)
        buffers.branch_of[i - lo] = b


@atom
def write_branches(buffers, cases, target):
    """Write the cases of each branch to its places in ``target``, if it has such."""
    for i in range(cases.lo, cases.mid):
        b = buffers.branch_of[i - cases.lo]
        branch = buffers.branches[b]
        if branch.next_growing != NONE:
            target[branch.next_growing] = cases.rows[i]
            branch.next_growing += 1
    for i in range(cases.mid, cases.hi):
        b = buffers.branch_of[i - cases.lo]
        if b != NONE:
            branch = buffers.branches[b]
            if branch.next_growing != NONE:
                target[branch.next_held_out] = cases.rows[i]
                branch.next_held_out += 1


@part
def split_set(sets, e, a, cut):
    """Split a set by a test and note the sets of its branches in the buffers.

    Returns the number of branches, or FULL.
    """
    cache, buffers, cases = sets.cache, sets.buffers, rows_of(sets.cache, e)
    k = send_down(sets, cases, a, cut)
    for b in range(k):
        branch = buffers.branches[b]
        branch.child = NONE
        branch.next_growing = NONE
        if branch.n_growing == 0:
            continue
        child, slot = find_set(cache, branch.hash0, branch.hash1)
        if child == NONE:
            child = add_set(sets, slot, e, np.int64(b))
            if child == FULL:
                return np.int64(FULL)
            if not is_closed(cache, child):
                new = cache.sets[child]
                branch.next_growing = new.start
                branch.next_held_out = new.start + new.n_growing
        branch.child = child
    write_branches(buffers, cases, cache.rows)
    return k


@atom
def find_branches(sets, e, a):
    """Return where the sets of a test's best split of a set stand, or FULL; made if need be."""
    cache = sets.cache
    first = np.int64(cache.splits[cache.sets[e].evaluated, a].first)
    return make_branches(sets, e, a) if first == NONE else first


@part
def make_branches(sets, e, a):
    """Split a set by a test's best cut; return where the sets of the branches stand, or FULL."""
    cache = sets.cache
    split = cache.splits[cache.sets[e].evaluated, a]
    k = split_set(sets, e, a, np.int64(split.cut))
    first = cache.used.children
    if k == FULL or first + k > cache.children.size:
        return np.int64(FULL)
    for b in range(k):
        cache.children[first + b] = sets.buffers.branches[b].child
    cache.used.children = first + k
    split.first = first
    return first


@atom
def weight_without(sets, prices, a, child):
    """Return the weight of the cases that do not pay for a test, lacking a value of it.

    ``child`` is the set of the last branch, which is theirs; NONE where it is empty.
    """
    if prices.charge_missing or not sets.table.lacking[a] or child == NONE:
        return 0.0
    return sets.cache.sets[child].weight


@part
def hash_rows(table, cases):
    """Return the fingerprint of some cases."""
    hash0, hash1 = np.uint64(0), np.uint64(0)
    for i in range(cases.lo, cases.hi):
        row = cases.rows[i]
        hash0 ^= table.keys[row, 0]
        hash1 ^= table.keys[row, 1]
    return hash0, hash1


@part
def find_set_of(sets, cases, hash0, hash1):
    """Return the set of some cases with this fingerprint, added if it is new, or FULL."""
    table, cache, buffers = sets.table, sets.cache, sets.buffers
    e, slot = find_set(cache, hash0, hash1)
    if e == NONE:
        clear_set_branches(sets, np.int64(1))
        for i in range(cases.lo, cases.mid):
            add_growing(table, buffers, cases.rows[i], np.int64(0))
        for i in range(cases.mid, cases.hi):
            add_held_out(table, buffers, cases.rows[i], np.int64(0))
        e = add_set(sets, slot, np.int64(NONE), np.int64(0))
        if e != FULL and not is_closed(cache, e):
            start = cache.sets[e].start
            for i in range(cases.lo, cases.hi):
                cache.rows[start + i - cases.lo] = cases.rows[i]
    return e
