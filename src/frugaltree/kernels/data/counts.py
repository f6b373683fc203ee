"""Class counts."""

from __future__ import annotations

from frugaltree.kernels.jit import part


@part
def clear(counts):
    """Set all counts to zero."""
    for c in range(counts.size):
        counts[c] = 0.0


@part
def total_of(counts):
    """Return the sum of class counts."""
    n = 0.0
    for c in range(counts.size):
        n += counts[c]
    return n
