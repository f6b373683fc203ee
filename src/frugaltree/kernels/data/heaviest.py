"""A missing value goes with the heaviest branch, the first of equally heavy ones.

The one rule, for each form in which learners have the weights of branches: while a split is
evaluated (:func:`heaviest_value`, :func:`left_is_heaviest`), when it is made
(:func:`heaviest_branch`), and in a finished tree (:func:`heaviest_child`).
"""

from __future__ import annotations

from frugaltree.kernels.data.counts import total_of
from frugaltree.kernels.jit import atom, part
from frugaltree.kernels.sentinels import NONE
from frugaltree.kernels.ties import TOLERANCE


@part
def heaviest_branch(branches, k):
    """Return the heaviest of the first ``k`` branches, records with a weight."""
    heaviest = 0
    for b in range(1, k):
        if branches[b].weight > branches[heaviest].weight:
            heaviest = b
    return heaviest


@part
def heaviest_value(hist, present, n_present):
    """Return the heaviest value of a nominal test, from the class counts of the values present.

    ``present`` lists them in any order.
    """
    heaviest, most = NONE, -1.0
    for i in range(n_present):
        v = present[i]
        weight = total_of(hist[v])
        if weight > most or (weight == most and v < heaviest):
            heaviest, most = v, weight
    return heaviest


@atom
def left_is_heaviest(low, known):
    """Tell whether the left of two branches is the heaviest, ``low`` of the known weight."""
    return low >= known - low


@part
def heaviest_child(nodes, node, k):
    """Return the child of most cases of a node with ``k`` branches, NONE if it has no child.

    Weights that differ by rounding alone are equal. Children are compared in the order of their
    numbers, which is that of the branches, unless values share a child.
    """
    heaviest, most = NONE, -1.0
    for b in range(k):
        child = nodes.children[nodes.first[node] + b]
        if child != NONE:
            weight = total_of(nodes.counts[child])
            same = most >= 0.0 and abs(weight - most) <= TOLERANCE * most
            if child < heaviest if same else weight > most:
                heaviest, most = child, weight
    return heaviest
