"""Counting all cases down a tree that was found on some of them.

A tree may ask tests of one value against the rest (:mod:`frugaltree.engines.exact.one_vs_rest`),
numbered after the tests of the table. Their results are read off the codes of the test that they
are about, so that no column is made for them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.data.cases import Cases, code_of
from frugaltree.kernels.data.counts import clear, total_of
from frugaltree.kernels.data.nodes import LACKING, width
from frugaltree.kernels.data.thresholds import branch_of
from frugaltree.kernels.jit import kernel, part
from frugaltree.kernels.records import plain_records, record_type
from frugaltree.kernels.sentinels import NONE

PLACE = record_type(start=np.int64, stop=np.int64, n_cuts=np.int64)
"""Where the cases of a node stand, and how many thresholds its numeric test may choose from."""

BEFORE = -1
"""No node yet has seen a code."""


class AskedTests(NamedTuple):
    """The tests that a tree may ask."""

    about: np.ndarray  # int64[t]: the row of ``codes`` that tells the result
    value: np.ndarray  # int64[t]: the value that is set apart; NONE for the test itself
    nominal: np.ndarray  # uint8[t]
    domain: np.ndarray  # int64[t]
    last: np.ndarray  # int64[t]: the code of those without a value of a nominal test; else NONE


class RecountTask(NamedTuple):
    """Whose cases are counted, and what is to be known of their cuts."""

    cases: Cases
    tests: AskedTests
    n_rows: int  # the cases are ``rows[:n_rows]``
    counts_cuts: bool
    min_cases: float  # the least weight on either side of a cut


class RecountBuffers(NamedTuple):
    """Cases in the order of the leaves, and room to put them so."""

    rows: np.ndarray  # int32[n]
    spare: np.ndarray  # int32[n]
    branch: np.ndarray  # int32[n]: of each case in ``rows``
    next: np.ndarray  # int64[branch]
    seen: np.ndarray  # int64[code]: the last node that saw a code
    keys: np.ndarray  # int64[n]: for sorting
    places: np.ndarray  # PLACE[node]

    @classmethod
    def empty(cls, n: int, widest: int, n_codes: int, n_nodes: int) -> RecountBuffers:
        """Return room for so many cases, branches, codes and nodes."""
        return cls(
            rows=np.empty(n, np.int32),
            spare=np.empty(n, np.int32),
            branch=np.empty(n, np.int32),
            next=np.empty(widest + 1, np.int64),
            seen=np.full(n_codes, BEFORE, np.int64),
            keys=np.empty(n, np.int64),
            places=plain_records(n_nodes, PLACE),
        )


@part
def branch_taken(tests, a, code, cut):
    """Return the branch of test ``a`` that a case takes, by its code of what the test is about."""
    if tests.value[a] == NONE:
        b = branch_of(code, tests.nominal[a], cut)
        return np.int64(LACKING) if b < 0 else b
    if code == tests.last[a]:
        return np.int64(2)
    return np.int64(code != tests.value[a])


@part
def deal_cases(task, nodes, node, buffers):
    """Put the cases of a node in the order of its branches, and tell the children."""
    cases, tests, place = task.cases, task.tests, buffers.places[node]
    a, cut = nodes.test[node], nodes.cut[node]
    k, about = width(a, tests.domain, tests.nominal), tests.about[a]
    for b in range(k + 1):
        buffers.next[b] = 0
    for i in range(place.start, place.stop):
        b = branch_taken(tests, a, code_of(cases, about, buffers.rows[i]), cut)
        buffers.branch[i] = b
        buffers.next[b + 1] += 1
    buffers.next[0] = place.start
    for b in range(k):
        buffers.next[b + 1] += buffers.next[b]
        child = nodes.children[nodes.first[node] + b]
        if child != NONE:
            buffers.places[child].start = buffers.next[b]
            buffers.places[child].stop = buffers.next[b + 1]
    for i in range(place.start, place.stop):
        b = buffers.branch[i]
        buffers.spare[buffers.next[b]] = buffers.rows[i]
        buffers.next[b] += 1
    for i in range(place.start, place.stop):
        buffers.rows[i] = buffers.spare[i]


@part
def sift_down(keys, root, n):
    """Let the key at ``root`` of a heap of ``n`` sink to its place."""
    key = keys[root]
    while 2 * root + 1 < n:
        child = 2 * root + 1
        if child + 1 < n and keys[child] < keys[child + 1]:
            child += 1
        if keys[child] <= key:
            break
        keys[root] = keys[child]
        root = child
    keys[root] = key


@part
def sort_keys(keys, n):
    """Sort the first ``n`` keys, ascending."""
    for i in range(n // 2 - 1, -1, -1):
        sift_down(keys, i, n)
    for end in range(n - 1, 0, -1):
        keys[0], keys[end] = keys[end], keys[0]
        sift_down(keys, 0, end)


@part
def count_codes(task, nodes, node, buffers):
    """Return how many codes of a numeric test the cases of a node have."""
    cases, place, n = task.cases, buffers.places[node], 0
    about = task.tests.about[nodes.test[node]]
    for i in range(place.start, place.stop):
        code = code_of(cases, about, buffers.rows[i])
        if code >= 0 and buffers.seen[code] != node:
            buffers.seen[code] = node
            n += 1
    return n


@part
def count_legal_cuts(task, nodes, node, buffers):
    """Return how many cuts of a numeric test leave enough cases on either side."""
    cases, weights, place = task.cases, task.cases.weights, buffers.places[node]
    about, n, known = task.tests.about[nodes.test[node]], 0, 0.0
    for i in range(place.start, place.stop):
        row = buffers.rows[i]
        code = code_of(cases, about, row)
        if code >= 0:
            buffers.keys[n] = (code << 32) + row
            known += weights[row]
            n += 1
    sort_keys(buffers.keys, n)
    cuts, low = 0, 0.0
    for i in range(n - 1):
        low += weights[buffers.keys[i] & 0xFFFFFFFF]
        if buffers.keys[i] >> 32 < buffers.keys[i + 1] >> 32:
            cuts += (low >= task.min_cases) & (known - low >= task.min_cases)
    return cuts


@kernel
def recount(task, nodes, buffers):
    """Count cases down a tree, and put them in the order of its leaves.

    Parameters
    ----------
    task : RecountTask
        The cases, the tests, and whether thresholds are counted.
    nodes : Nodes
        The tree, children after their parents, one for every branch that a case may take; its
        counts are filled in.
    buffers : RecountBuffers
        ``rows`` has the cases; ``places`` is filled in, ``n_cuts`` with 1 where it does not
        matter.
    """
    cases, tests = task.cases, task.tests
    buffers.places[0].start, buffers.places[0].stop = 0, task.n_rows
    for i in range(buffers.seen.size):
        buffers.seen[i] = BEFORE
    for node in range(nodes.test.size):
        place, a = buffers.places[node], nodes.test[node]
        place.n_cuts = 1
        clear(nodes.counts[node])
        for i in range(place.start, place.stop):
            row = buffers.rows[i]
            nodes.counts[node, cases.classes[row]] += cases.weights[row]
        if a == NONE:
            continue
        if task.counts_cuts and not tests.nominal[a]:
            if task.min_cases <= 1.0:
                place.n_cuts = max(1, count_codes(task, nodes, node, buffers) - 1)
            else:
                place.n_cuts = max(1, count_legal_cuts(task, nodes, node, buffers))
        deal_cases(task, nodes, node, buffers)


class LegalTrees(NamedTuple):
    """Which splits a tree may have."""

    max_depth: int  # tests on a path
    min_cases: float  # the least weight of two branches, of a numeric test those of known value
    min_leaf: float  # the least weight of every branch that has cases


@part
def is_legal(nodes, tests, node, depth, rules):
    """Tell whether a node may be split as it is."""
    a, large, small = nodes.test[node], 0, 0
    if depth >= rules.max_depth:
        return False
    for b in range(width(a, tests.domain, tests.nominal)):
        weight = total_of(nodes.counts[nodes.children[nodes.first[node] + b]])
        counts = tests.nominal[a] or b != LACKING
        large += counts and weight > 0.0 and weight >= rules.min_cases
        small += weight > 0.0 and weight < rules.min_leaf
    return large >= 2 and small == 0


@kernel
def drop_illegal(nodes, tests, rules, depth):
    """Make leaves of nodes whose split is not allowed, and drop branches without cases.

    Parameters
    ----------
    nodes : Nodes
        The tree, children after their parents, one for every branch, with counts.
    tests : AskedTests
        What it may ask.
    rules : LegalTrees
        Which splits are allowed.
    depth : int64[node]
        Filled with the tests above each node, NONE where it is no longer part of the tree.
    """
    for node in range(depth.size):
        parent = nodes.parent[node]
        depth[node] = 0
        if parent != NONE:
            gone = depth[parent] == NONE or nodes.test[parent] == NONE
            gone = gone or total_of(nodes.counts[node]) == 0.0
            depth[node] = NONE if gone else depth[parent] + 1
        a = nodes.test[node]
        if a == NONE or depth[node] == NONE:
            continue
        if not is_legal(nodes, tests, node, depth[node], rules):
            nodes.test[node] = NONE
            continue
        for b in range(width(a, tests.domain, tests.nominal)):
            slot = nodes.first[node] + b
            if total_of(nodes.counts[nodes.children[slot]]) == 0.0:
                nodes.children[slot] = NONE
