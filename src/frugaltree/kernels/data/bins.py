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

BLOCK = 64
"""How many values are looked for at a time."""


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
def find_edges(values, totals, most, floors, edges):
    """Find the smallest and the largest value of each bin.

    Parameters
    ----------
    values : float64[k]
        Distinct values, ascending.
    totals : float64[k]
        How many cases have them.
    most : int
        How many bins there may be.
    floors, edges : float64[most]
        Filled with the smallest and the largest value of each bin, ascending.

    Returns
    -------
    int
        How many bins there are.
    """
    if values.size <= most:
        for i in range(values.size):
            floors[i] = values[i]
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
            floors[k] = values[i]
            k += 1
        edges[k - 1] = values[i]
        below += own
    return k


@kernel
def code_by_bins(column, edges, codes):
    """Give each value the number of its bin: the first whose edge is not below it.

    Values are looked for in blocks, all of a block a step at a time: that is ten times as fast as
    one by one, for the processor has no branch to guess and takes several values at once.

    Parameters
    ----------
    column : float64[n]
        The values, NaN where one is missing.
    edges : float64[2 ** k]
        The largest value of each bin, ascending; infinite in place of the last and from there on.
    codes : int32[n]
        Filled with bins, MISSING where there is no value.
    """
    one = np.int32(1)
    for first in range(0, column.size, BLOCK):
        end = min(first + BLOCK, column.size)
        for i in range(first, end):
            codes[i] = 0
        step = np.int32(edges.size >> 1)
        while step > 0:
            for i in range(first, end):
                codes[i] += step * np.int32(edges[codes[i] + step - one] < column[i])
            step >>= one
        for i in range(first, end):
            if column[i] != column[i]:
                codes[i] = MISSING


@kernel
def widen_bins(column, codes, floors, edges):
    """Lower and raise the smallest and the largest value of bins to those of a column.

    Parameters
    ----------
    column : float64[n]
        The values, NaN where one is missing.
    codes : int32[n]
        Their bins.
    floors, edges : float64[bin]
        The smallest and the largest value of each bin.
    """
    for i in range(column.size):
        at = codes[i]
        if at >= 0:
            floors[at] = min(floors[at], column[i])
            edges[at] = max(edges[at], column[i])
