"""Cases down a finished tree, all of them a level at a time.

In plain NumPy: nothing has to be compiled before a model can answer, and for many cases it is as
fast as a compiled loop.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frugaltree.kernels.data.heaviest import heaviest_child
from frugaltree.kernels.data.nodes import Nodes, width
from frugaltree.kernels.sentinels import NONE

Floats = npt.NDArray[np.float64]


def usual_child(
    nodes: Nodes, node: int, domain: npt.NDArray[np.int64], nominal: npt.NDArray[np.uint8]
) -> int:
    """Return the child of a node where a missing value goes, NONE at a leaf."""
    return int(heaviest_child(nodes, node, width(nodes.test[node], domain, nominal)))


def find_nodes(
    X: Floats, nodes: Nodes, domain: npt.NDArray[np.int64], nominal: npt.NDArray[np.uint8]
) -> npt.NDArray[np.int32]:
    """Return the node where each case ends.

    A missing value goes with the heaviest branch. A value without a branch ends at the node that
    asks for it.

    Parameters
    ----------
    X : float64[case, a]
        Encoded cases; NaN where a value is missing.
    nodes : Nodes
        The tree.
    domain : int64[a]
        How many values a test has.
    nominal : uint8[a]
        1 where a test is nominal.
    """
    ends = np.zeros(len(X), np.int32)
    going = np.flatnonzero(np.full(len(X), nodes.test[0] != NONE))
    while going.size:
        here = ends[going]
        tests = nodes.test[here]
        x = X[going, tests]
        known = (x >= 0.0) & (x < domain[tests])
        by_value, is_missing = nominal[tests] != 0, np.isnan(x)
        answers = np.where(by_value & known, x, x > nodes.threshold[here]).astype(np.int64)
        children = nodes.children[nodes.first[here] + answers]
        children[by_value & ~known] = NONE
        if is_missing.any():
            for node in np.unique(here[is_missing]).tolist():
                children[is_missing & (here == node)] = usual_child(nodes, node, domain, nominal)
        moves = children != NONE
        going, children = going[moves], children[moves]
        ends[going] = children
        going = going[nodes.test[children] != NONE]
    return ends
