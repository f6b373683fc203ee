"""The trials of ICET: what a tree costs on other cases than those it was grown on.

A trial grows a tree on a part of the cases, under made-up prices, and measures it on the rest.
Many trials make one call, and nothing is allocated. Which cases a trial is grown on follows from
its key alone, so that trials may be run in any order and anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.charges import charge_nodes, copy_in_preorder
from frugaltree.kernels.cost.leaf import majority_label
from frugaltree.kernels.fast_eg2.grow import TrialBias, grow_trial
from frugaltree.kernels.fast_eg2.prune import prune_trial, slot_below
from frugaltree.kernels.jit import kernel, part, section
from frugaltree.kernels.random import uniform
from frugaltree.kernels.sentinels import FULL, NONE


class Biases(NamedTuple):
    """What trials differ in."""

    prices: np.ndarray  # float64[trial, a]: made up
    w: np.ndarray  # float64[trial]: weight of the price
    cf: np.ndarray  # float64[trial]: confidence of pruning
    keys: np.ndarray  # uint64[trial]


@part
def draw_cases(key, n, n_drawn, chosen, grown, held_out):
    """Draw ``n_drawn`` of ``n`` cases; ``grown`` gets them and ``held_out`` the rest, in order.

    All sets of this size are equally likely (Knuth's selection sampling).
    """
    inside, outside = 0, 0
    for i in range(n):
        take = uniform(key ^ np.uint64(i)) * (n - i) < n_drawn - inside
        chosen[i] = take
        grown[inside] = i
        held_out[outside] = i
        if take:
            inside += 1
        else:
            outside += 1


@section
def held_out_cost(cases, layout, prices, errors, work):
    """Return the mean cost of tests and errors over the cases that a tree was not grown on."""
    tree, n_nodes = work.tree, work.size[0].n_nodes
    for a in range(work.charging.usage.size):
        work.charging.usage[a] = 0.0
    charge_nodes(prices, tree, np.int64(0), n_nodes, np.int64(0), work.charging)
    for node in range(n_nodes):
        work.labels[node] = majority_label(tree.counts[node])
    n, total = cases.classes.size - layout.n_grown, 0.0
    for i in range(n):
        case = work.held_out[i]
        codes = layout.codes[case]
        node = np.int64(0)
        while tree.test[node] != NONE:
            child = tree.children[slot_below(tree, cases.nominal, node, codes)]
            if child == NONE:
                break
            node = child
        total += work.charging.bills[node] + errors[work.labels[node], cases.classes[case]]
    return total / n if n > 0 else np.nan


@kernel
def run_trials(cases, layout, prices, errors, biases, work):
    """Run trials one after the other.

    Parameters
    ----------
    cases : Cases
        The training cases.
    layout : CaseLayout
        The same, as trials read them.
    prices : Prices
        The true price list, by which a tree is judged.
    errors : float64[answer, class]
        What answering one class costs where another is right.
    biases : Biases
        What each trial is grown and pruned by.
    work : TrialBuffers
        Buffers. ``work.costs`` is filled with the mean cost of each trial on the cases that it
        was not grown on; the last tree is left in ``work.tree``, in preorder, its size in
        ``work.size``. If ``work.stop`` is set, the kernel ends in the midst of a trial.

    Returns
    -------
    n_done : int
        How many trials were run.
    status : int
        0, or FULL if there was no room for the tree of the next.
    """
    size, n = work.size[0], cases.classes.size
    for trial in range(work.costs.size):
        draw_cases(biases.keys[trial], n, layout.n_grown, work.chosen, work.grown, work.held_out)
        bias = TrialBias(prices.usable, biases.prices[trial], biases.w[trial], biases.cf[trial])
        depth = grow_trial(cases, layout, bias, work)
        if work.stop[0] != 0:
            return trial, np.int64(0)
        if depth == FULL or not prune_trial(cases, layout, bias.cf, work):
            return trial, np.int64(FULL)
        size.n_nodes, size.n_slots = copy_in_preorder(
            work.nodes, cases.domain, cases.nominal, work.preorder, work.tree
        )
        work.costs[trial] = held_out_cost(cases, layout, prices, errors, work)
    return work.costs.size, np.int64(0)
