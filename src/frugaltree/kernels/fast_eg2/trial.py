"""The trials of ICET: trees grown on a part of the cases under made-up prices, judged on the rest.

Many trials make one call, and nothing is allocated. Which cases a trial is grown on follows from
its key alone, so that trials may be run in any order and anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.cost.charges import in_preorder, node_charges
from frugaltree.kernels.cost.leaf import majority_label
from frugaltree.kernels.data.nodes import Nodes
from frugaltree.kernels.fast_eg2.grow import grow
from frugaltree.kernels.fast_eg2.prune import prune, slot_below
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
def draw_part(key, n, n_drawn, chosen, who, others):
    """Draw ``n_drawn`` of ``n`` cases; ``who`` gets them and ``others`` the rest, in order.

    All sets of this size are equally likely (Knuth's selection sampling).
    """
    inside, outside = 0, 0
    for i in range(n):
        take = uniform(key ^ np.uint64(i)) * (n - i) < n_drawn - inside
        chosen[i] = take
        who[inside] = i
        others[outside] = i
        if take:
            inside += 1
        else:
            outside += 1


@section
def judge(cases, ground, prices, errors, tree, bed):
    """Return the mean cost of tests and errors over the cases that a tree was not grown on."""
    node_charges(
        prices, tree, bed.paid, bed.opened, bed.charges, bed.bills, bed.owner,
        bed.usage,
    )  # fmt: skip
    for node in range(tree.test.size):
        bed.labels[node] = majority_label(tree.counts[node])
    n, total = cases.classes.size - ground.n_grown, 0.0
    for i in range(n):
        case = bed.others[i]
        codes = ground.rows[case]
        node = np.int64(0)
        while tree.test[node] != NONE:
            child = tree.children[slot_below(tree, cases.nominal, node, codes)]
            if child == NONE:
                break
            node = child
        total += bed.bills[node] + errors[bed.labels[node], cases.classes[case]]
    return total / n if n > 0 else np.nan


@kernel
def run_trials(cases, ground, prices, errors, biases, nodes, out, bed, costs, stop):
    """Run trials one after the other and write the mean cost of each into ``costs``.

    Returns (trials done, nodes, slots); the last tree is left in ``out``, in preorder. Nodes are
    FULL if there was no room for a tree. Ends early, in the midst of a trial, if ``stop`` is set.
    """
    n_nodes, n_slots = np.int64(0), np.int64(0)
    for trial in range(costs.size):
        draw_part(
            biases.keys[trial], cases.classes.size, ground.n_grown, bed.chosen, bed.who,
            bed.others,
        )  # fmt: skip
        n_nodes, n_slots = grow(
            cases, ground, prices.usable, biases.prices[trial], biases.w[trial], nodes, bed, stop
        )
        if stop[0] != 0:
            return trial, n_nodes, n_slots
        if n_nodes == FULL or not prune(cases, ground, nodes, n_nodes, biases.cf[trial], bed):
            return trial, np.int64(FULL), n_slots
        n_nodes, n_slots = in_preorder(nodes, cases.domain, cases.nominal, bed.way, out)
        tree = Nodes(
            out.test[:n_nodes], out.cut[:n_nodes], out.threshold[:n_nodes], out.first[:n_nodes],
            out.parent[:n_nodes], out.counts[:n_nodes], out.children[:n_slots],
        )  # fmt: skip
        costs[trial] = judge(cases, ground, prices, errors, tree, bed)
    return costs.size, n_nodes, n_slots
