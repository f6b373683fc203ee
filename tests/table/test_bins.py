"""Numbers in bins: which share one, and what a code stands for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugaltree.table import read
from frugaltree.table.ranking import EXACT_ROWS, bins_in_force, rank_columns
from reference.bins import bins_of, representatives
from support.examples import many

NUMBERS = st.one_of(
    st.none(), st.integers(-4, 4).map(float), st.sampled_from([0.1, 0.25, 1e-9, 1e300, -1e300])
)
WEIGHTS = st.sampled_from([0.25, 0.5, 1.0, 2.5])


@many
@given(st.lists(st.tuples(NUMBERS, WEIGHTS), min_size=1, max_size=40), st.integers(2, 12))
def test_bins_equal_the_reference(rows, most):
    values, weights = [v for v, _ in rows], [w for _, w in rows]
    column = np.array([np.nan if v is None else v for v in values])
    ref = bins_of(values, weights, most)
    [got] = rank_columns(column.reshape(-1, 1), [most], np.array(weights))
    assert got.codes.tolist() == [-1 if b is None else b for b in ref]
    for value, code, largest in zip(values, got.codes, representatives(values, ref), strict=True):
        if value is not None:
            assert got.floors[code] <= value <= got.values[code] == largest


@pytest.mark.parametrize("most", [2, 3, 17, 255])
def test_many_numbers(most):
    column = np.random.default_rng(0).standard_normal(3000).round(2)
    [got] = rank_columns(column.reshape(-1, 1), [most])
    assert got.codes.tolist() == bins_of(column.tolist(), [1.0] * 3000, most)
    assert (got.values[:-1] < got.floors[1:]).all()


def test_enough_bins_are_exact():
    X = np.random.default_rng(1).integers(0, 50, (300, 2)) / 7
    exact, binned = (read(X, ["a", "b"], max_bins=most) for most in (None, 50))
    assert (exact.codes == binned.codes).all()
    assert (exact.values == binned.values).all()
    assert (binned.floors == binned.values).all()


def test_nominal_and_ordered_values_stay_as_they_are():
    pd = pytest.importorskip("pandas")
    months = pd.Categorical(list("abcdef"), ordered=True)
    X = pd.DataFrame({"x": range(6), "month": months, "place": list("uvwxyz")})
    table = read(X, list(X.columns), max_bins=2)
    assert table.domain.tolist() == [2, 6, 6]


def test_by_default_only_long_tables_are_binned():
    assert bins_in_force("auto", EXACT_ROWS) is None
    assert bins_in_force("auto", EXACT_ROWS + 1) == 254
    assert bins_in_force(None, 10**9) is None


def test_ranges_are_those_of_the_numbers():
    table = read(np.arange(9.0).reshape(-1, 1), ["a"], max_bins=2)
    assert table.ranges([0]) == {"a": (0.0, 8.0)}
