"""Lower bounds: what every tree for a set of cases must cost."""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.cost.error_estimate import expected_error
from frugaltree.kernels.jit import kernel, part


@part
def least_errors(excess, counts, size, pure):
    """Return errors that every tree for these cases must expect, given those of a pure leaf.

    One pure leaf expects the least: EE(m, 0) is concave and EE grows with the errors seen. And
    the classes must be told apart, see :func:`excess_table`.
    """
    apart = 0.0
    if size < excess.size:
        for c in range(counts.size):
            apart += excess[np.int64(counts[c])]
    return max(pure, apart)


@kernel
def excess_table(n_classes, cf, form, out):
    """Fill ``out`` with the least excess of expected over seen errors, by a leaf's right answers.

    Let f(m) be the least EE(m, s) - s over the errors s of a majority leaf, and ``out`` the
    largest function with out(m) <= f(m') for m' >= m, out(m) <= out(m - 1) + 1 and out(m) <=
    out(k) + out(m - k). Then a tree for n_c cases of each class c expects at least the sum of
    out(n_c) errors: of the class c let E_c cases end in leaves of another label. They are errors
    seen, and the others, in leaves labelled c, give rise to an excess of at least out(n_c - E_c).
    """
    last = out.size - 1
    out[0] = 0.0
    for m in range(last, 0, -1):
        least = np.inf if m == last else out[m + 1]
        for s in range(m * (n_classes - 1) // n_classes + 1):
            excess = expected_error(np.float64(m), np.float64(s), cf, form) - s
            if excess < least:
                least = excess
        out[m] = least
    for m in range(1, out.size):
        if out[m - 1] + 1.0 < out[m]:
            out[m] = out[m - 1] + 1.0
        for k in range(1, m // 2 + 1):
            if out[k] + out[m - k] < out[m]:
                out[m] = out[k] + out[m - k]
