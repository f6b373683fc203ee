"""Second, faster forms of the rules of cost: prices further down, leaves looked up in tables."""

from __future__ import annotations

import os
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from frugaltree.costs.regrets import penalties_of
from frugaltree.engines.exact.objective import Pessimism, make_objective
from frugaltree.kernels.cost.cost_classes import NO_COST_CLASSES
from frugaltree.kernels.cost.discounts import (
    groups_of,
    price_after,
    price_after_in,
    price_here,
    price_with_all_open,
)
from frugaltree.kernels.cost.error_estimate import NO_DECISIONS, LeafEstimate, expected_error
from frugaltree.kernels.cost.leaf import all_answers, cheapest_label, leaf_cost
from frugaltree.kernels.cost.prices import Prices, context_price, take
from frugaltree.kernels.exact.objective import (
    AS_LEAF,
    AS_SPLIT,
    Objective,
    cost_as_leaf,
    errors_of,
)
from frugaltree.kernels.exact.pair_bound import bound_counts
from reference.basics import Problem
from support import bridge
from support.problems import PRICES, make_group, make_prices

N = max(1, int(os.environ.get("FRUGALTREE_EXAMPLES", "150")))


def draw_path(seed: int) -> tuple[Prices, Any]:
    """Return a price list with groups, and what a path has paid."""
    random, n_tests = Random(f"{seed} prices"), Random(seed).randint(2, 6)
    full = make_prices(seed, n_tests, random.choice(PRICES))
    groups = [make_group(Random(f"{seed} {g}"), full) for g in range(random.randint(0, 3))]
    problem = Problem(
        rows=[], classes=[], weights=[], kinds=["nominal"] * n_tests, domains=[2] * n_tests,
        n_classes=2, full=full, groups=groups, delayed=set(), usable=set(range(n_tests)),
        errors=[[0.0, 1.0], [1.0, 0.0]],
    )  # fmt: skip
    prices = bridge.prices_of(problem)
    paid, opened = np.zeros(n_tests, np.int64), np.zeros(len(groups), np.int64)
    for a in random.sample(range(n_tests), random.randint(0, n_tests - 1)):
        take(prices, a, paid, opened)
    ordered = np.zeros(1, np.int64)
    return prices, SimpleNamespace(paid=paid, opened=opened, ordered=ordered)


@pytest.mark.parametrize("seed", range(N))
def test_prices_after_a_test(seed: int) -> None:
    prices, path = draw_path(seed)
    n_tests = prices.full.size
    for a, b in np.argwhere(~np.eye(n_tests, dtype=bool)):
        if path.paid[a] or path.paid[b]:
            continue
        paid, opened = path.paid.copy(), path.opened.copy()
        take(prices, a, paid, opened)
        got = price_after(prices, path, price_here(prices, path, b), a, b)
        assert got == pytest.approx(context_price(prices, b, paid, opened), rel=1e-12, abs=1e-12)
        groups = np.zeros_like(opened)
        for one in (a, b):  # those of either will do
            n = groups_of(prices, path, one, groups)
            now = price_here(prices, path, b)
            assert price_after_in(prices, groups, n, now, a, b) == got
        everything = context_price(prices, b, paid, np.ones_like(opened))
        least = price_with_all_open(prices, path, price_here(prices, path, b), b)
        assert least == pytest.approx(everything, rel=1e-12, abs=1e-12)


def test_nothing_is_paid_within_an_order() -> None:
    prices, path = draw_path(1)
    path.ordered[0] = 1
    assert price_here(prices, path, 0) == 0.0
    assert price_after(prices, path, 5.0, 0, 1) == 5.0
    assert groups_of(prices, path, 0, np.zeros_like(path.opened)) == 0


def objective_of(cf: float | None, errors: np.ndarray, form: str, min_cases: int) -> Objective:
    n_cases = 140.0
    problem: Any = SimpleNamespace(
        errors=errors,
        weight=n_cases,
        case_weight=1.0,
        cost_classes=NO_COST_CLASSES,
        directions=None,
        has_conditions=False,
        weight_of=float,
        prices=draw_path(0)[0],
        table=SimpleNamespace(has_missing=False),
        first_decision=NO_DECISIONS,
        penalties=penalties_of(errors, np.zeros(len(errors)), NO_DECISIONS),
    )
    setting = Pessimism("some", cf, split=0.5, min_cases=min_cases)
    return make_objective(problem, setting, expected_error=form)


OBJECTIVES = [
    objective_of(cf, penalty * (1.0 - np.eye(k)), form, min_cases)
    for cf, form in ((0.25, "c45"), (0.01, "exact"), (None, "c45"))
    for k, penalty, min_cases in ((2, 50.0, 1), (3, 7.0, 2))
]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_leaves_looked_up(objective: Objective) -> None:
    random, k = Random(0), len(objective.errors)
    for _ in range(N):
        most = random.choice((3, 30, 60))
        counts = np.array([random.randint(0, most) for _ in range(k)], float)
        m = counts.sum() or 1.0
        label = cheapest_label(
            objective.errors, counts, objective.first_decision, NO_COST_CLASSES.class_of
        )
        estimate = LeafEstimate(objective.cf, objective.form, multinomial=False)
        expected = leaf_cost(objective.errors, counts, label, estimate, NO_COST_CLASSES)
        if counts.any():
            got = cost_as_leaf(objective, counts, m, all_answers(objective.errors))
            assert got == pytest.approx(expected, rel=1e-12)
        s = m - counts.max()
        slow = expected_error(m, s, objective.cf, objective.form)
        assert errors_of(objective, m, s) == pytest.approx(slow, rel=1e-12)


@pytest.mark.parametrize("objective", [one for one in OBJECTIVES if len(one.errors) == 2])
def test_bounds_of_two_classes_looked_up(objective: Objective) -> None:
    random, excess = Random(0), objective.excess
    for _ in range(N):
        i, j = random.randint(0, 40), random.randint(0, 23)
        price, m = random.choice((0.0, 1.5, 40.0)), i + j
        apart = excess[i] + excess[j] if m < excess.size else 0.0
        leaf, least = bound_counts(objective, m, max(i, j), apart, price)
        cell = objective.cells[i, j]
        assert cell[AS_LEAF] == pytest.approx(leaf, rel=1e-12)
        got = min(cell[AS_LEAF], price * m + cell[AS_SPLIT])
        assert got == pytest.approx(least, rel=1e-12)
