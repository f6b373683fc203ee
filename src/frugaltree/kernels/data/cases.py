"""The training cases as kernels see them: small whole numbers, one row per test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugaltree.kernels.jit import atom, kernel, part
from frugaltree.kernels.sentinels import MISSING


class Cases(NamedTuple):
    """Labelled cases, coded.

    Attributes
    ----------
    codes : int32[a, n], or uint8[a, n] of long tables whose tests have few values
        Value index of a nominal test, or rank of a numeric value among the distinct ones, or
        of its bin; ``missing`` where there is no value.
    nominal : uint8[a]
        1 where the test is nominal.
    domain : int64[a]
        How many codes a test has.
    lacking : uint8[a]
        1 where cases lack a value of the test, and that is an answer of its own: of a nominal
        test the last code, of a numeric one ``missing``. Never in C4.5's frame.
    start : int64[a]
        Where the distinct values of a numeric test begin in ``values``.
    values : float64[...]
        Distinct values of all numeric tests, ascending, one test after the other; the largest
        of each bin where they are in bins.
    floors : float64[...]
        The smallest value of each bin; else the same as ``values``.
    classes : int32[n]
        Class index.
    weights : float64[n]
        How many cases each row stands for.
    xlogx : float64[...]
        Table of k * log2(k), see :func:`frugaltree.kernels.data.entropy.xlogx_table`.
    n_classes : int
        Number of classes in the whole problem.
    unit : bool
        True where every weight is 1.
    missing : int
        The code of a missing value: MISSING, or NARROW_MISSING in codes of one byte.
    """

    codes: np.ndarray
    nominal: np.ndarray
    domain: np.ndarray
    lacking: np.ndarray
    start: np.ndarray
    values: np.ndarray
    floors: np.ndarray
    classes: np.ndarray
    weights: np.ndarray
    xlogx: np.ndarray
    n_classes: int
    unit: bool
    missing: int


NARROW_MISSING = 255
"""Code of a missing value where codes are of one byte, and a test has fewer values."""


@atom
def code_of(cases, a, row):
    """Return the code of a case's value, MISSING if it has none."""
    code = np.int64(cases.codes[a, row])
    return np.int64(MISSING) if code == cases.missing else code


@kernel
def rank_small_integers(X, codes, values, sizes, rank):
    """Rank, without sorting, the columns whose values are integers of a small range.

    Parameters
    ----------
    X : float64[n, a]
        The values, NaN where one is missing.
    codes : int32[a, n]
        Filled with the rank of each value among those of its column, or MISSING.
    values : float64[a, ...]
        Filled with the distinct values of each column, ascending.
    sizes : int64[a]
        Filled with how many these are, -1 for a column that is not ranked.
    rank : int64[...]
        Room for one entry a value; a larger range than this is not ranked.
    """
    for a in range(codes.shape[0]):
        low, high = np.inf, -np.inf
        whole = True
        for i in range(X.shape[0]):
            x = X[i, a]
            if x == x:
                if not -1e15 < x < 1e15 or x != np.int64(x):
                    whole = False
                    break
                if x < low:
                    low = x
                if x > high:
                    high = x
        if not whole or high - low >= rank.size:
            sizes[a] = -1
        else:
            span = np.int64(high - low) + 1 if low <= high else np.int64(0)
            for v in range(span):
                rank[v] = 0
            sizes[a] = rank_range(X, a, low, span, Ranking(codes[a], values[a], rank))


class Ranking(NamedTuple):
    """A column as ranks: of each case, the values that they stand for, and room to count."""

    codes: np.ndarray  # int32[n]
    values: np.ndarray  # float64[...]
    rank: np.ndarray  # int32[...]: all 0


@part
def rank_range(X, a, low, span, out):
    """Rank a column of ``span`` integers from ``low`` on; return how many are distinct."""
    codes, values, rank = out.codes, out.values, out.rank
    for i in range(codes.size):
        x = X[i, a]
        if x == x:
            rank[np.int64(x - low)] = 1
    k = 0
    for v in range(span):
        if rank[v]:
            values[k] = low + v
            rank[v] = k
            k += 1
    for i in range(codes.size):
        x = X[i, a]
        codes[i] = rank[np.int64(x - low)] if x == x else MISSING
    return k


@kernel
def rank_sorted(X, a, order, codes, values):
    """Rank the values of a column, given the order that sorts it.

    Parameters
    ----------
    X : float64[n, a]
        The values, NaN where one is missing.
    a : int
        The column.
    order : int64[n]
        The cases by ascending value, missing ones last.
    codes : int32[n]
        Filled with the rank of each value, or MISSING.
    values : float64[n]
        Filled with the distinct values, ascending.

    Returns
    -------
    int
        How many distinct values there are.
    """
    k = 0
    for i in range(order.size):
        row = order[i]
        x = X[row, a]
        if x != x:
            codes[row] = MISSING
            continue
        if k == 0 or x != values[k - 1]:
            values[k] = x
            k += 1
        codes[row] = k - 1
    return k


@part
def sort_by_code(cases, a, place, out):
    """Write the case numbers into ``out`` in ascending order of code of a test, missing last.

    ``place`` is room for two numbers more than the test has codes.
    """
    codes, domain = cases.codes[a], cases.domain[a]
    for c in range(domain + 2):
        place[c] = 0
    for i in range(codes.size):
        c = np.int64(codes[i]) if codes[i] != cases.missing else domain
        place[c + 1] += 1
    for c in range(domain + 1):
        place[c + 1] += place[c]
    for i in range(codes.size):
        c = np.int64(codes[i]) if codes[i] != cases.missing else domain
        out[place[c]] = i
        place[c] += 1
