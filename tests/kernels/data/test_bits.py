"""Cases as bits: counted there, they are as many as counted one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugaltree import FrugalTreeClassifier
from frugaltree.engines.cells import coded
from frugaltree.kernels.data.bits import Layout, choose, count_answers, count_bits, lay_out
from support.examples import EXAMPLES, many


@pytest.mark.parametrize("word", [0, 1, 2**63, 2**64 - 1, 0x0123456789ABCDEF])
def test_bits(word: int) -> None:
    assert count_bits(np.uint64(word)) == word.bit_count()


@settings(many, max_examples=max(1, EXAMPLES // 5))
@given(st.integers(0, 2**32 - 1))
def test_chosen_cases_are_counted_by_answer_and_class(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_tests = int(rng.integers(20, 200)), int(rng.integers(1, 5))
    X = rng.integers(0, rng.integers(2, 6, n_tests), (n, n_tests)).astype(float)
    X[rng.random(X.shape) < 0.03 * rng.integers(2)] = np.nan
    y = np.arange(n) % rng.integers(2, 5)
    learner = FrugalTreeClassifier(categorical_features=list(range(n_tests)))
    problem = learner._read(X, y, None)
    table, _ = coded(problem)
    weights = table.weights * (rng.random(table.weights.size) < 0.8)
    table = table._replace(weights=weights)
    layout = Layout.empty(table)
    lay_out.py_func(table, layout)
    rows = rng.permutation(weights.size)[: rng.integers(1, weights.size + 1)].astype(np.int32)
    if not choose.py_func(table, layout, rows, 0, rows.size):
        assert len(layout.values) == 0 or rows.size <= 2 * layout.chosen.size
        return
    for a in range(n_tests):
        codes = table.cells[a] >> table.shift
        found = np.zeros((table.domain[a] + 2) << table.shift, np.int64)
        count_answers.py_func(table, layout, found, a)
        known = rows[codes[rows] < table.domain[a]]
        expected = np.bincount(table.cells[a, known], weights[known], found.size)
        np.testing.assert_array_equal(found, expected)
