"""Entropy from one table of k * log2(k)."""

from __future__ import annotations

import math

import numpy as np

from frugaltree.kernels.jit import part


def xlogx_table(n: int) -> np.ndarray:
    """Return k * log2(k) for k = 0 ... n, the one source of every entropy."""
    k = np.arange(n + 1, dtype=np.float64)
    k[1:] *= np.log2(k[1:])
    return k


@part
def xlogx(table, x):
    """Return x * log2(x), from the table where x is a whole number."""
    k = np.int64(x)
    if k == x and k < table.size:
        return table[k]
    return x * math.log2(x) if x > 0.0 else 0.0


@part
def info(table, counts):
    """Return n times the entropy, in bits, of class counts that sum to n."""
    n = 0.0
    total = 0.0
    for c in range(counts.size):
        n += counts[c]
        total -= xlogx(table, counts[c])
    return total + xlogx(table, n)
