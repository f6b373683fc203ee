"""Random draws as a hash of where they are made, so that no order of work can change them.

Every node has a key; a child's key follows from its parent's, and a draw from the key of the node
that makes it (SplitMix64's finaliser, Steele, Lea and Flood 2014). Nothing is carried from one
draw to the next: samples may be drawn in any order, in any thread, in part or not at all.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.jit import part

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
TESTS = 1000003
"""Where the branches that name tests begin, clear of those that name values."""


@part
def mix(key, branch):
    """Return the key of a branch of ``key``."""
    z = key ^ (np.uint64(branch) * GOLDEN)
    z = z + GOLDEN
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    return z ^ (z >> np.uint64(31))


@part
def uniform(key):
    """Return the number in [0, 1) that belongs to a key."""
    return np.float64(mix(key, np.int64(0)) >> np.uint64(11)) * 2.0**-53


@part
def sample_key(key, a, b, j):
    """Return the key of sample ``j`` for branch ``b`` of test ``a`` at a node."""
    return mix(mix(mix(key, a + TESTS), b + 1), j + 1)
