"""Rules of the house while trees are sampled: which tests wait for others at the node in hand."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.ask_rules import list_asked, may_ask
from frugaltree.kernels.data.cells import varies
from frugaltree.kernels.jit import part
from frugaltree.kernels.sampling.cache import rows_of
from frugaltree.kernels.sentinels import NONE


@part
def note_waiting(work, e):
    """Note which tests the rules do not let a path ask yet, at the node of a set."""
    path, rules, cases = work.path, work.prices.rules, rows_of(work.sets.cache, e)
    for i in range(rules.first.size):
        a = rules.first[i]
        path.live[a] = varies(work.sets.table, cases.rows, cases.lo, cases.hi, a)
    for a in range(path.waits.size):
        path.waits[a] = not may_ask(rules, path.asked, path.live, np.int64(a))


@part
def note_asked(prices, path, a, sign):
    """Note that a test is asked on the path, or with sign -1 undo it; NONE is no test."""
    if a != NONE:
        path.asked[prices.rules.about[a]] += sign


@part
def restore_asked(work, tree, node):
    """Note what is asked above an open node of the learner's tree, and above the tree."""
    path, rules = work.path, work.prices.rules
    list_asked(rules, tree.nodes, node, path.asked)
    for i in range(tree.asked_above.size):
        path.asked[rules.about[tree.asked_above[i]]] += 1
