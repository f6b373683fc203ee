"""Costs of cases held out: sums over folds, and what is told of them."""

import numpy as np
import pytest

from frugaltree.engines.cross_validation import FOLDS, mean_and_error
from frugaltree.engines.forecast import Moments, Penalty, make_forecast, moments_of
from frugaltree.engines.held_out import HeldOutSums

RNG = np.random.default_rng(5)
N = 40


def sums_of(costs, bills, folds, deals=1) -> HeldOutSums:
    sums = HeldOutSums(len(costs), n_cases=costs.shape[1])
    for _ in range(deals):
        for fold in range(folds.max() + 1):
            sums.add(costs, bills, (folds == fold).astype(np.int64))
    return sums


@pytest.mark.parametrize("deals", [1, 2])
def test_sums_come_to_means_and_errors_of_one_deal(deals: int) -> None:
    costs = RNG.random((3, N)) * 100
    sums = sums_of(costs, np.zeros((3, N)), np.arange(N) % FOLDS, deals)
    assert sums.weight == N * deals
    for i, trial in enumerate(sums.trials(["a", "b", "c"], [{}, {}, {}])):
        each = np.ones(N)
        assert (trial.cost, trial.error) == pytest.approx(mean_and_error(costs[i], each))
        saved = mean_and_error(costs[0] - costs[i], each)
        assert (trial.saving, trial.saving_error) == pytest.approx(saved)


def test_nothing_was_tried_to_its_end() -> None:
    assert HeldOutSums(2, n_cases=9).trials(["a", "b"], [{}, {}]) == []
    assert HeldOutSums(2, n_cases=9).moments() is None


@pytest.mark.parametrize("n_folds", [1, 2, 5])
def test_each_fold_is_judged_by_the_choice_of_the_others(n_folds: int) -> None:
    for _ in range(50):
        costs, bills = RNG.random((3, N)) * 100, RNG.random((3, N))
        folds = RNG.integers(0, n_folds, N)
        folds[:n_folds] = np.arange(n_folds)
        got = sums_of(costs, bills, folds).moments()
        ref_costs, ref_bills = np.zeros(N), np.zeros(N)
        for fold in range(n_folds):
            out = folds == fold
            others = ~out if n_folds > 1 else out
            pick = costs[:, others].sum(axis=1).argmin()
            ref_costs[out], ref_bills[out] = costs[pick, out], bills[pick, out]
        ref = moments_of(ref_costs, ref_bills, costs[-1])
        assert got == pytest.approx(ref)


def test_a_choice_among_equals_looks_better_than_it_is() -> None:
    chosen, told = [], []
    for _ in range(200):
        costs = RNG.random((8, N))
        sums = sums_of(costs, np.zeros((8, N)), np.arange(N) % FOLDS)
        chosen.append(min(one.cost for one in sums.trials(["s"] * 8, [{}] * 8)))
        told.append(sums.moments().cost)
    assert np.mean(chosen) < 0.46
    assert np.mean(told) == pytest.approx(0.5, abs=0.01)


def test_the_interval_of_few_errors_reaches_up() -> None:
    penalty = Penalty(100.0, 10_000.0)
    told = make_forecast(Moments(50, 2.0, 4.0, 2.0, 0.0, 0.0), penalty)  # none was wrong
    assert told.cost == 2.0
    assert told.error == 0.0
    assert told.low <= 2.0 < 5.0 < told.high
    assert told.guess == 2.0
    assert (told.saving_low, told.saving_high) == (0.0, 0.0)


def test_a_share_of_errors_has_the_interval_of_agresti_and_coull() -> None:
    wrong, n = 7, 60
    told = make_forecast(
        Moments(n, wrong / n, wrong / n, 0.0, 0.0, 0.0), Penalty(1.0, 1.0), widened=1.0
    )
    share = (wrong + 2) / (n + 4)
    half = 1.96 * (share * (1 - share) / (n + 4)) ** 0.5
    assert (told.low, told.high) == pytest.approx((share - half, share + half), rel=0.02)


@pytest.mark.parametrize("widened", [1.0, 1.3])
def test_a_saving_has_the_interval_of_its_mean(widened: float) -> None:
    costs, guesses = RNG.random(N), 1 + RNG.random(N)
    moments = moments_of(costs, np.zeros(N), guesses)
    told = make_forecast(moments, Penalty(1.0, 1.0), widened=widened)
    mean, error = mean_and_error(guesses - costs, np.ones(N))
    assert told.saving == pytest.approx(mean)
    assert told.guess == pytest.approx(guesses.mean())
    assert told.saving_high - mean == pytest.approx(widened * 1.959964 * error)
