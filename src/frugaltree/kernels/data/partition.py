"""The cases of a node spread over the branches of its test.

Which branch a value takes is told by :func:`frugaltree.kernels.data.thresholds.branch_of`. A case
without a value takes a branch of its own or, as in C4.5, goes down every branch that has cases,
with the branch's share of its weight.

The cases are then written branch after branch: by the grower to the other half of its lists, a
list for each numeric test; by pruning within the node's own places, for a node's cases are needed
again once its children are done; by ICET's trials on complete cases that count once in a form of
their own (:mod:`frugaltree.kernels.fast_eg2.partition`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.jit import atom, part
from frugaltree.kernels.records import plain_records, record_type

BRANCH = record_type(n_cases=np.int64, weight=np.float64, start=np.int64, next=np.int64)
"""A branch: how many cases it gets, the weight of those that have a value, where its cases begin
(NONE if nothing is written), and where the next one is written."""


class Branches(NamedTuple):
    """How the cases of one node spread over the branches of its test."""

    of_case: np.ndarray  # int32[case]: the branch of each, NONE where it goes down all of them
    info: np.ndarray  # BRANCH[branch]
    counts: np.ndarray  # float64[branch, class]

    @classmethod
    def empty(cls, n_cases: int, widest: int, n_classes: int) -> Branches:
        """Return room for nodes of up to ``widest`` branches."""
        return cls(
            of_case=np.empty(n_cases, np.int32),
            info=plain_records(widest, BRANCH),
            counts=np.empty((widest, n_classes)),
        )


@part
def clear_branches(branches, k):
    """Empty the first ``k`` branches, records of type BRANCH."""
    for b in range(k):
        branches[b].n_cases = 0
        branches[b].weight = 0.0


@atom
def add_case(branch, weight):
    """Count a case with a value into a branch."""
    branch.n_cases += 1
    branch.weight += weight


@atom
def branch_share(branch, weight, known):
    """Return the part of a missing value's weight that a branch gets, of the known weight."""
    return weight * branch.weight / known
