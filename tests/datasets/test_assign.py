from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import kstest, truncnorm

from frugaltree import ID3Classifier
from frugaltree.costs import Costs
from frugaltree.datasets import assign_costs, load
from frugaltree.datasets.assign import draw_prices
from frugaltree.exceptions import InvalidCosts, InvalidTable


def wide(n_tests: int) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((4, n_tests)), np.array([0, 0, 1, 1])


def full_prices(costs: Costs) -> dict[Any, float]:
    full = dict(costs.tests or {})
    for group in costs.groups.values():
        for test in group.members:
            full[test] += group.shared
    return full


@pytest.fixture
def rising_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the gain of a test be its position, so that the recipe is tested apart from gains."""
    module = ModuleType("frugaltree.estimators.gains")
    module.information_gains = lambda X, y: np.arange(X.shape[1], dtype=float)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "frugaltree.estimators.gains", module)


@pytest.mark.usefixtures("rising_gains")
@pytest.mark.parametrize("informative", [True, False])
def test_full_prices_stay_in_the_range(informative: bool) -> None:
    costs = assign_costs(*wide(500), 0, cost_range=(5, 20), informative=informative)
    prices = np.array(list(full_prices(costs).values()))
    assert prices.min() >= 5 - 1e-9
    assert prices.max() <= 20 + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_a_group_shares_a_fraction_of_its_cheapest_member(seed: int) -> None:
    costs = assign_costs(*wide(12), seed, informative=False)
    full = full_prices(costs)
    assert len(costs.groups) <= 2
    for group in costs.groups.values():
        assert len(group.members) >= 2
        assert group.shared == pytest.approx(0.8 * min(full[test] for test in group.members))
    seen = [test for group in costs.groups.values() for test in group.members]
    assert len(seen) == len(set(seen))
    assert min((costs.tests or {}).values()) >= 0


def test_the_published_group_of_breast_cancer() -> None:
    # Full 9.2464, 24.2124, 61.1264 and φ = .8: marginal 1.84928, 16.81528, 53.72928.
    from frugaltree.datasets.assign import _share

    full = np.array([9.2464, 24.2124, 61.1264])
    own, [(members, shared)] = _share(full, [np.arange(3)], 0.8)
    assert own == pytest.approx([1.84928, 16.81528, 53.72928])
    assert members.tolist() == [0, 1, 2]
    assert shared == pytest.approx(7.39712)


def test_a_test_falls_into_each_group_or_none_alike() -> None:
    costs = assign_costs(*wide(1000), 0, informative=False, group_share=0.004)
    sizes = [len(group.members) for group in costs.groups.values()]
    assert len(sizes) == 4
    assert all(150 < size < 250 for size in [*sizes, 1000 - sum(sizes)])


@pytest.mark.parametrize(("n_tests", "groups"), [(4, 0), (5, 1), (9, 1), (10, 2)])
def test_the_number_of_groups_is_rounded_down(n_tests: int, groups: int) -> None:
    counts = [
        len(assign_costs(*wide(n_tests), seed, informative=False).groups) for seed in range(50)
    ]
    assert max(counts) == groups


def test_the_share_that_is_delayed() -> None:
    costs = assign_costs(*wide(100), 0, informative=False, delayed_share=0.29)
    assert len(set(costs.delayed)) == 29
    assert assign_costs(*wide(100), 0, informative=False).delayed == ()


def test_uniform_prices_are_uniform() -> None:
    costs = assign_costs(*wide(2000), 7, informative=False, group_share=0)
    prices = list((costs.tests or {}).values())
    assert kstest(prices, "uniform", args=(1, 99)).pvalue > 0.01


def test_informative_prices_follow_the_truncated_normal() -> None:
    gains = np.full(2000, 0.3)
    gains[0] = 0.6
    prices = draw_prices(gains, np.random.default_rng(7), (1, 101), 0.2)[1:]
    law = truncnorm((1 - 51) / 20, (101 - 51) / 20, loc=51, scale=20)
    assert kstest(prices, law.cdf).pvalue > 0.01


@pytest.mark.usefixtures("rising_gains")
def test_informative_tests_tend_to_cost_more() -> None:
    costs = assign_costs(*wide(300), 0, group_share=0)
    prices = list((costs.tests or {}).values())
    assert np.corrcoef(np.arange(300), prices)[0, 1] > 0.7


def test_prices_where_nothing_is_informative() -> None:
    rng = np.random.default_rng(0)
    assert draw_prices(np.zeros(3), rng, (2, 9), 0.0).tolist() == [2, 2, 2]
    assert draw_prices(np.ones(2), rng, (4, 4), 0.2).tolist() == [4, 4]
    assert np.isfinite(draw_prices(np.zeros(5), rng, (1, 100), 0.2)).all()
    assert draw_prices(np.empty(0), rng, (1, 100), 0.2).size == 0


def test_a_narrow_normal_stays_finite() -> None:
    prices = draw_prices(np.linspace(0, 1, 50), np.random.default_rng(0), (1, 100), 1e-4)
    assert np.abs(prices - np.linspace(1, 100, 50)).max() < 0.1


@pytest.mark.usefixtures("rising_gains")
@pytest.mark.parametrize("informative", [True, False])
def test_same_seed_same_costs(informative: bool) -> None:
    def draw(seed: Any) -> Costs:
        return assign_costs(*wide(20), seed, informative=informative, delayed_share=0.3)

    assert draw(3) == draw(3)
    assert draw(3).tests != draw(4).tests
    assert draw(np.random.default_rng(3)).tests == draw(3).tests
    assert draw(np.random.RandomState(3)) == draw(np.random.RandomState(3))


def test_tests_go_by_name_or_by_position() -> None:
    X, y = load("car", return_X_y=True)
    for frame in (X, X.to_pandas(), X.to_arrow()):
        assert list(assign_costs(frame, y, 0, informative=False).tests or {}) == X.columns
    assert list(assign_costs(*wide(3), 0, informative=False).tests or {}) == [0, 1, 2]


@pytest.mark.parametrize("columns", [[7, 5, 3], [2, 1, 0], ["a", 1, "b"]])
def test_names_that_are_not_text_are_no_names(columns: list[Any]) -> None:
    X, y = wide(3)
    costs = assign_costs(pd.DataFrame(X, columns=columns), y, 0, informative=False)
    assert costs == assign_costs(X, y, 0, informative=False)


def test_prices_of_numbered_columns_are_where_they_belong() -> None:
    X = pd.DataFrame({1: [0, 1, 0, 1], 0: [0, 0, 1, 1]})
    y = [0, 0, 1, 1]
    costs = assign_costs(X, y, 0, sigma=0.0, group_share=0)
    assert costs.tests == pytest.approx({0: 1.0, 1: 100.0})
    assert ID3Classifier(costs).fit(X, y).bill(X).tolist() == [100.0] * 4


@pytest.mark.parametrize("informative", [True, False])
def test_what_is_no_table(informative: bool) -> None:
    with pytest.raises(InvalidTable, match=r"X must be a data frame .* but has 1 dimension; "):
        assign_costs(np.zeros(4), [0, 0, 1, 1], informative=informative)
    with pytest.raises(InvalidTable, match="a table must be a data frame"):
        assign_costs(None, [0, 0, 1, 1], informative=informative)


def test_the_result_resolves_against_the_table() -> None:
    X, y = load("nursery", return_X_y=True)
    costs = assign_costs(X, y, 1, informative=False, delayed_share=0.5, errors=1000)
    prices, errors = costs.resolve(X.columns, y.unique().to_list())
    assert len(prices.full) == 8
    assert errors.max() == 1000


def test_the_source_tells_how_to_draw_them_again() -> None:
    costs = assign_costs(*wide(3), 5, informative=False)
    assert costs.source == (
        "assign_costs(random_state=5, cost_range=(1, 100), group_share=0.2, delayed_share=0.0, "
        "discount=0.8, informative=False, sigma=0.2)"
    )
    other = assign_costs(*wide(3), np.random.default_rng(5), informative=False)
    assert "random_state=Generator" in str(other.source)


def test_with_the_gains_of_the_learners() -> None:
    pytest.importorskip("frugaltree.estimators.gains")
    y = pl.Series("class", ["no", "no", "yes", "yes"] * 10)
    X = pl.DataFrame({"useless": ["a", "b"] * 20, "telling": y})
    draws = [assign_costs(X, y, seed, sigma=0.0, group_share=0) for seed in range(3)]
    for costs in draws:
        assert costs.tests == pytest.approx({"useless": 1.0, "telling": 100.0})


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"cost_range": (5, 1)},
            "cost_range must be two finite prices, the least first, not (5, 1).",
        ),
        (
            {"cost_range": (-1, 1)},
            "cost_range must be two finite prices, the least first, not (-1, 1).",
        ),
        (
            {"cost_range": (1,)},
            "cost_range must be two finite prices, the least first, not (1,).",
        ),
        (
            {"cost_range": 5},
            "cost_range must be two finite prices, the least first, not 5.",
        ),
        (
            {"cost_range": ("a", "b")},
            "cost_range must be two finite prices, the least first, not ('a', 'b').",
        ),
        (
            {"cost_range": (1, float("inf"))},
            "cost_range must be two finite prices, the least first, not (1, inf).",
        ),
        ({"sigma": "x"}, "sigma must be a finite number that is not negative, not 'x'."),
        ({"sigma": -1}, "sigma must be a finite number that is not negative, not -1."),
        ({"group_share": "x"}, "group_share must be between 0 and 1, not 'x'."),
        ({"discount": float("nan")}, "discount must be between 0 and 1, not nan."),
        ({"group_share": 1.5}, "group_share must be between 0 and 1, not 1.5."),
        ({"delayed_share": -0.1}, "delayed_share must be between 0 and 1, not -0.1."),
        ({"discount": 2}, "discount must be between 0 and 1, not 2."),
    ],
)
def test_errors_say_what_to_do(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidCosts) as error:
        assign_costs(*wide(3), 0, **arguments)
    assert str(error.value) == sentence
