"""Tests of the study, against packages that compute the same in another way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from frugaltree.compare.statistics import Verdict, differences, mean_and_error, paired_t
from study.statistics import Wins, holm, interval, ranks, signed_rank_belief, wilcoxon, wins

costs = st.lists(st.floats(0, 100), min_size=10, max_size=10).map(np.array)
chances = st.lists(st.floats(0, 1), min_size=1, max_size=14)


@pytest.fixture
def random():
    return np.random.default_rng(0)


def test_interval_is_that_of_the_papers_table():
    assert interval([1, 3, 5, 7]) == pytest.approx((4, 1.96 * np.sqrt(20 / 3) / 2))


def test_the_interval_of_one_value_is_not_known():
    mean, half = interval([3])
    assert mean == 3
    assert np.isnan(half)
    assert np.isnan(mean_and_error([3])[1])


def test_paired_t_is_scipys(random):
    first, second = random.normal(50, 5, (2, 10))
    ref = stats.ttest_rel(first, second)
    got = paired_t(first, second)
    assert got.p == pytest.approx(ref.pvalue)
    assert got.lean == np.sign(ref.statistic)


def test_critical_value_over_ten_folds():
    # The quantile of nine degrees of freedom is 2.262: a mean of t * sd / sqrt(10) decides.
    gaps = np.array([-1.0, 1.0] * 5)
    gaps /= gaps.std(ddof=1)
    for t, winner in ((2.25, 0), (2.27, 1), (-2.27, -1)):
        assert paired_t(gaps + t / np.sqrt(10), np.zeros(10)).winner() == winner


def test_correction_widens_by_the_shared_training_cases():
    gaps = np.array([-1.0, 1.0] * 5)
    gaps /= gaps.std(ddof=1)
    width = np.sqrt(1 / 10 + 1 / 9)
    for t, winner in ((2.25, 0), (2.27, 1)):
        assert paired_t(gaps + t * width, np.zeros(10), corrected=True).winner() == winner


def test_no_difference_is_no_win_and_a_constant_one_is():
    same = np.full(10, 7.0)
    assert paired_t(same, same) == Verdict(1.0, 0)
    assert paired_t(same, same + 1e-12) == Verdict(1.0, 0)
    assert paired_t(same, same - 0.1) == Verdict(0.0, 1)
    assert paired_t(same, same + 0.1, corrected=True).winner() == -1


def test_wins_are_counted_problem_by_problem():
    zeros = np.zeros((4, 10))
    first = zeros + np.array([[0], [-1], [-2], [3]])
    assert wins(first, zeros) == Wins(2, 1)
    assert wins(zeros, first) == Wins(1, 2)


def test_wilcoxon_drops_pairs_without_a_difference():
    first, second = np.array([1.0, 2, 3, 4, 5, 6]), np.array([3.0, 5, 7, 9, 11, 13])
    got = wilcoxon(np.r_[first, 8, 8], np.r_[second, 8, 8])
    assert got == wilcoxon(first, second)
    assert got == Verdict(pytest.approx(2 / 64), -1)
    assert wilcoxon(first, first) == Verdict(1.0, 0)


def test_wilcoxon_leans_by_ranks_not_by_means():
    # One large loss outweighs the mean, but not nine small gains of rank 1 to 9.
    gaps = np.array([-1.0, -1.1, -1.2, -1.3, -1.4, -1.5, -1.6, -1.7, -1.8, 1000])
    assert wilcoxon(gaps, np.zeros(10)).lean == -1


@settings(max_examples=30, deadline=None)
@given(chances)
def test_holm_is_that_of_statsmodels(p):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    assert holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1])


@settings(max_examples=25, deadline=None)
@given(costs, costs)
def test_tests_are_symmetric(first, second):
    for test in (paired_t, wilcoxon):
        there, back = test(first, second), test(second, first)
        assert there.p == pytest.approx(back.p)
        assert there.lean == -back.lean
        assert 0 <= there.p <= 1


def test_rounding_is_no_difference():
    assert differences([0.1 + 0.2], [0.3]).tolist() == [0.0]


def test_beliefs_sum_to_one_and_change_sides(random):
    first = random.normal(40, 10, 25)
    second = first + random.normal(3, 3, 25)
    belief = signed_rank_belief(first, second)
    assert sum(belief) == pytest.approx(1)
    assert belief.first > 0.9
    assert signed_rank_belief(second, first).second == pytest.approx(belief.first, abs=0.02)
    assert signed_rank_belief(first, second) == belief


def test_nemenyi_is_that_of_scikit_posthocs(random):
    posthocs = pytest.importorskip("scikit_posthocs")
    values = random.normal(50, 10, (20, 5)) + np.arange(5) * 4
    got = ranks(values)
    ref = posthocs.posthoc_nemenyi_friedman(values).to_numpy()
    apart = np.abs(got.average[:, None] - got.average[None, :]) > got.critical_difference
    assert np.array_equal(apart, ref < 0.05)
    assert apart.any()
    assert not apart.all()
    assert got.p == pytest.approx(stats.friedmanchisquare(*values.T).pvalue)


def test_ranks_of_equals():
    got = ranks(np.full((6, 3), 5.0))
    assert got.average.tolist() == [2, 2, 2]
    assert got.p == 1
