"""Numbers in bins: neighbouring values of a column that are told apart no more.

With ``most`` bins of ``n`` cases, a value of more than ``n / most`` cases counts as if it had just
so many: others then have the bins that it would take up. All values lie one after the other on a
scale, each as long as it counts, and the scale is cut into ``most`` equal pieces; values whose
middles lie in one piece share a bin.
"""

from __future__ import annotations

import numpy as np

from frugaltree.kernels.jit import kernel
from frugaltree.kernels.sentinels import MISSING


@kernel
def count_distinct(ordered, weights, values, totals):
    """List the distinct values of a sorted column, and how many cases have each.

    Parameters
    ----------
    ordered : float64[n]
        The values, ascending, none missing.
    weights : float64[n]
        How many cases each stands for; empty where it is one each.
    values : float64[n]
        Filled with the distinct values, ascending.
    totals : float64[n]
        Filled with how many cases have them.

    Returns
    -------
    int
        How many distinct values there are.
    """
    k = 0
    for i in range(ordered.size):
        if k == 0 or ordered[i] != values[k - 1]:
            values[k] = ordered[i]
            totals[k] = 0.0
            k += 1
        totals[k - 1] += weights[i] if weights.size else 1.0
    return k


@kernel
def find_edges(values, totals, most, edges):
    """Find the largest value of each bin.

    Parameters
    ----------
    values : float64[k]
        Distinct values, ascending.
    totals : float64[k]
        How many cases have them.
    most : int
        How many bins there may be.
    edges : float64[most]
        Filled with the largest value of each bin, ascending.

    Returns
    -------
    int
        How many bins there are.
    """
    if values.size <= most:
        for i in range(values.size):
            edges[i] = values[i]
        return values.size
    n, length = 0.0, 0.0
    for i in range(values.size):
        n += totals[i]
    cap = n / most
    for i in range(values.size):
        length += min(totals[i], cap)
    k, piece, below = 0, np.int64(-1), 0.0
    for i in range(values.size):
        own = min(totals[i], cap)
        here = np.int64(most * (below + own / 2.0) / length)
        if here != piece:
            piece = here
            k += 1
        edges[k - 1] = values[i]
        below += own
    return k


@kernel
def code_by_bins(column, edges, codes, lowest, highest):
    """Give each value the number of its bin: the first whose edge is not below it, else the last.

    Parameters
    ----------
    column : float64[n]
        The values, NaN where one is missing.
    edges : float64[bin]
        The largest value of each bin by which bins were found, ascending; one at least.
    codes : int32[n]
        Filled with bins, MISSING where there is no value.
    lowest, highest : float64[bin]
        Lowered and raised to the smallest and the largest value of each bin.
    """
    last = edges.size - 1
    for i in range(column.size):
        x = column[i]
        if x != x:
            codes[i] = MISSING
            continue
        # The first of the edges that is not below x lies in [at, at + left]: no branch to guess.
        at, left = np.int64(0), np.int64(last)
        while left > 0:
            half = (left + 1) >> 1
            at += half if edges[at + half - 1] < x else np.int64(0)
            left -= half
        codes[i] = at
        lowest[at] = min(lowest[at], x)
        highest[at] = max(highest[at], x)
