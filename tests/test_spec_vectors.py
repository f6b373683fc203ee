"""Numbers that can be checked by hand: expected errors, criteria, prices, bills, invariants."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from frugaltree import (
    Costs,
    CSID3Classifier,
    DTMCClassifier,
    EG2Classifier,
    Group,
    ID3Classifier,
    IDXClassifier,
)
from frugaltree.costs import confidence_factor, weight_of_costs
from frugaltree.datasets import load
from frugaltree.kernels.cost.cost_classes import NO_COST_CLASSES
from frugaltree.kernels.cost.error_estimate import (
    C45_ERROR,
    EXACT_ERROR,
    LeafEstimate,
    expected_error,
)
from frugaltree.kernels.cost.leaf import leaf_cost
from frugaltree.kernels.criteria import CSID3, EG2, IDX, criterion_value
from frugaltree.metrics import standard_cost

ERRORS = [  # m, s, exact, C4.5's, at cf = .25
    (1, 0, 0.75, 0.75),
    (2, 0, 1, 1),
    (6, 0, 1.23780, 1.23780),
    (9, 0, 1.28480, 1.28480),
    (16, 1, 2.55377, 2.50689),
    (10, 2, 3.55444, 3.54774),
    (2, 1, 1.73205, 1.79624),
    (3, 2, 2.72568, 2.79952),
    (100, 5, 7.33268, 7.30163),
    (150, 50, 54.49899, 54.58048),
    (400, 200, 207.23795, 207.42023),
    (20, 20, 20, 20),
]


@pytest.mark.parametrize(("m", "s", "exact", "c45"), ERRORS)
def test_expected_errors(m, s, exact, c45):
    assert expected_error(float(m), float(s), 0.25, EXACT_ERROR) == pytest.approx(exact, abs=6e-6)
    assert expected_error(float(m), float(s), 0.25, C45_ERROR) == pytest.approx(c45, abs=6e-6)


def test_expected_errors_at_other_confidences():
    assert expected_error(100.0, 5.0, 0.2, EXACT_ERROR) == pytest.approx(7.79111, abs=6e-6)
    assert expected_error(100.0, 5.0, 0.3, EXACT_ERROR) == pytest.approx(6.93517, abs=6e-6)


def test_criteria():
    assert criterion_value(EG2, 0.5, 10.0, 1.0) == pytest.approx(0.0376558, abs=1e-7)
    assert criterion_value(EG2, 0.5, 0.0, 1.0) == pytest.approx(0.4142136, abs=1e-7)
    assert criterion_value(EG2, 1.0, 99.0, 0.5) == pytest.approx(0.1)
    assert criterion_value(IDX, 0.5, 10.0, 1.0) == pytest.approx(0.05)
    assert criterion_value(CSID3, 0.5, 10.0, 1.0) == pytest.approx(0.025)


@pytest.mark.parametrize(
    ("mc", "w", "cf"),
    [
        (100, 1.21653, 0.22500),
        (500, 0.68888, 0.26250),
        (1000, 0.53567, 0.27692),
        (5000, 0.50000, 0.29434),
        (10000, 0.50000, 0.29709),
    ],
)
def test_weight_and_confidence_of_costs(mc, w, cf):
    assert weight_of_costs(mc / 300) == pytest.approx(w, abs=5e-6)
    assert confidence_factor(mc / 300) == pytest.approx(cf, abs=5e-6)
    costs = Costs([100, 200], errors=mc)
    assert costs.w(classes=["a", "b"]) == pytest.approx(w, abs=5e-6)
    assert costs.cf(classes=["a", "b"]) == pytest.approx(cf, abs=5e-6)


def test_penalties_are_weighed_by_the_law_of_succession():
    errors = np.array([[0.0, 10.0, 100.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    counts = np.array([10.0, 3.0, 0.0])
    wrongs = expected_error(13.0, 3.0, 0.25, C45_ERROR)
    got = leaf_cost(errors, counts, 0, LeafEstimate(0.25, C45_ERROR, False), NO_COST_CLASSES)
    assert got == pytest.approx(wrongs * (4 / 5 * 10 + 1 / 5 * 100))


def test_figures_7_to_9():
    """Two trees of four leaves: the cheaper one depends on prices and kinds of error."""
    estimate = LeafEstimate(0.25, C45_ERROR, False)

    def errors_of(leaves, fp, fn):
        matrix = np.array([[0.0, fn], [fp, 0.0]])  # answers: 0 negative, 1 positive
        return sum(
            leaf_cost(matrix, np.array(counts, float), label, estimate, NO_COST_CLASSES)
            for counts, label in leaves
        )

    t1 = [((95, 5), 0), ((95, 5), 0), ((5, 95), 1), ((5, 95), 1)]
    t2 = [((50, 0), 0), ((50, 0), 0), ((50, 100), 1), ((50, 100), 1)]
    assert errors_of(t1, 100, 100) / 400 == pytest.approx(7.3, abs=0.05)
    assert errors_of(t2, 100, 100) / 400 == pytest.approx(27.7, abs=0.3)
    assert 40 + 10 + errors_of(t1, 100, 100) / 400 == pytest.approx(57.3, abs=0.05)
    assert 20 + errors_of(t2, 100, 100) / 400 == pytest.approx(47.7, abs=0.3)
    assert errors_of(t1, 1, 199) / 400 == pytest.approx(7.3, abs=0.05)
    assert errors_of(t2, 1, 199) / 400 == pytest.approx(1.7, abs=0.1)


def test_group_prices_of_the_surviving_table():
    full = {"menopause": 9.2464, "age": 24.2124, "node_caps": 61.1264}
    off = 0.8 * min(full.values())
    costs = Costs(
        {name: price - off for name, price in full.items()}, {"g": Group(list(full), cost=off)}
    )
    prices = costs.prices()
    assert prices.full == pytest.approx(list(full.values()))
    marginal = [1.84928, 16.81528, 53.72928]
    assert prices.full - prices.discount[:, 0] == pytest.approx(marginal, abs=6e-6)


def test_standard_cost_of_car():
    _, y = load("car", return_X_y=True)
    costs = Costs([224.0], errors=1000)
    assert standard_cost(costs, y) == pytest.approx(523.8, abs=0.05)
    guess = 1000 * (1 - (y == "unacc").mean())
    assert guess / standard_cost(costs, y) == pytest.approx(0.572, abs=5e-4)


# ------------------------------------------------------------- Turney's example of delayed tests


def turney():
    """Alpha at once, then delta, delayed, under which epsilon is asked.

    Delta and epsilon share 2.00: delta costs 7.00, epsilon 10.00 alone and 8.00 after delta.
    """
    rows = itertools.product([0, 1], repeat=3)
    X = pl.DataFrame(
        [row for row in rows for _ in range(4)], ["alpha", "delta", "epsilon"], orient="row"
    )
    y = ["ill" if a and (d or e) else "well" for a, d, e in X.iter_rows()]
    costs = Costs(
        {"alpha": 5, "delta": 5, "epsilon": 8},
        {"blood": Group(["delta", "epsilon"], cost=2)},
        delayed=["delta", "epsilon"],
        errors=50,
    )
    return X, y, costs


def test_a_delayed_test_orders_everything_below_it():
    X, y, costs = turney()
    tree = ID3Classifier(costs).fit(X, y)
    assert tree.to_text().splitlines()[0] == "asks alpha, price 5"
    at_once = pl.DataFrame({"alpha": [0], "delta": [0], "epsilon": [0]})
    ordered = pl.DataFrame({"alpha": [1, 1, 1], "delta": [1, 0, 0], "epsilon": [0, 1, 0]})
    assert tree.bill(at_once).tolist() == [5]
    assert tree.bill(ordered).tolist() == [20, 20, 20]  # 5 + (7 + 8), whatever comes back
    assert tree.total_cost(ordered[:1], ["well"]) == 70  # one error of 50
    steps = tree.tree_.path([1.0, 0.0, 1.0], costs.prices(X.columns))
    assert [(step.test, step.price) for step in steps] == [
        ("alpha", 5),
        ("delta", 15),
        ("epsilon", 0),
    ]
    assert tree.test_usage_ == {"alpha": 1, "delta": 0.5, "epsilon": 0.5}


def test_without_delay_only_what_is_asked_is_charged():
    X, y, costs = turney()
    costs = Costs(costs.tests, costs.groups, errors=50)
    tree = ID3Classifier(costs).fit(X, y)
    cases = pl.DataFrame({"alpha": [0, 1, 1], "delta": [0, 1, 0], "epsilon": [0, 0, 1]})
    assert tree.bill(cases).tolist() == [5, 12, 20]


def test_if_all_tests_are_delayed_every_case_costs_the_same():
    X, y, costs = turney()
    costs = Costs(costs.tests, costs.groups, delayed=X.columns, errors=50)
    assert set(ID3Classifier(costs).fit(X, y).bill(X)) == {20}


def test_a_test_in_two_groups_pays_for_what_is_not_open_yet():
    tests, bits = ["a", "b", "c"], list(itertools.product([0, 1], repeat=3))
    X = pl.DataFrame([row for row in bits for _ in range(2)], tests, orient="row")
    y = [int(sum(row) % 2) for row in X.iter_rows()]
    groups = {"blood": Group(["a", "b"], cost=4), "lab": Group(["b", "c"], cost=3)}
    tree = ID3Classifier(Costs({"a": 1, "b": 10, "c": 20}, groups)).fit(X, y)
    # cheapest first: a for 1 + 4, then b for 10 + 3, then c for 20
    assert [step.price for step in tree.tree_.path([0.0, 0.0, 0.0], tree.costs.prices(tests))] == [
        5,
        13,
        20,
    ]


# ------------------------------------------------------------------------------- invariants


def test_parity_is_beyond_dtmc_and_not_beyond_id3():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5, [0, 1, 1, 0] * 5
    costs = Costs([1, 1], errors=1000)
    assert DTMCClassifier(costs, categorical_features=[0, 1]).fit(X, y).tree_.n_leaves == 1
    assert ID3Classifier(costs, categorical_features=[0, 1]).fit(X, y).tree_.n_leaves == 4


@pytest.mark.parametrize("name", ["heart", "glass", "tae"])
def test_scaling_errors_leaves_dtmc_alone_where_tests_are_free(name):
    X, y = load(name, return_X_y=True)
    free = dict.fromkeys(X.columns, 0)
    one, many = (DTMCClassifier(Costs(free, errors=mc)).fit(X, y) for mc in (1, 12345.678))
    assert one.to_text() == many.to_text()


@pytest.mark.parametrize(
    "learner", [EG2Classifier, IDXClassifier, CSID3Classifier, DTMCClassifier]
)
def test_the_order_of_columns_does_not_matter(learner):
    X, y = load("pima", return_X_y=True)
    prices = {name: 1.0 + 0.37 * i for i, name in enumerate(X.columns)}
    first = learner(Costs(prices, errors=300)).fit(X, y)
    turned = X[X.columns[::-1]]
    second = clone(first).fit(turned, y)
    assert first.expected_cost_ == pytest.approx(second.expected_cost_, rel=1e-12)


def test_where_nothing_costs_anything_a_tree_is_a_leaf():
    X, y = load("iris", return_X_y=True)
    tree = DTMCClassifier(Costs(dict.fromkeys(X.columns, 0), errors=0)).fit(X, y)
    assert tree.tree_.n_leaves == 1
    assert tree.expected_cost_ == 0
    assert tree.score(X, y) == 0
